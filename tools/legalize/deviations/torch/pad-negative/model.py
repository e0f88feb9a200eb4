import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a):
        return F.pad(a, (-1, 1))

import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a, b):
        return torch.remainder(a, b)

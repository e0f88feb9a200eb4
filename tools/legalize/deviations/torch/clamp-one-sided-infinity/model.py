import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self, a):
        return torch.clamp(a, min=0.0)

#!/usr/bin/env python3
"""Makes the networks of this folder: small torch modules, lowered to TOSA by ExecuTorch.

Each module is lowered as it is (fp), in 8 bits with scales per channel (int8), and with activations of 16 bits
(int16). Weights are random and follow from the module's name; inputs as well. README.md has the install line.

Beside each network lie its inputs, and what Arm's reference model (tosa-tools) makes of them.

Usage: make_networks.py OUT [NAME ...]      OUT/NAME-KIND/{network.tosa, input-N.npy, output.npy}
"""
import hashlib
import pathlib
import shutil
import sys
import tempfile
import traceback

import numpy as np
import torch
import tosa_reference_model
from executorch.backends.arm.quantizer import (
    TOSAQuantizer, get_symmetric_a16w8_quantization_config, get_symmetric_quantization_config)
from executorch.backends.arm.tosa.compile_spec import TosaCompileSpec
from executorch.backends.arm.tosa.partitioner import TOSAPartitioner
from executorch.exir import to_edge_transform_and_lower
from torch import nn
from torchao.quantization.pt2e.quantize_pt2e import convert_pt2e, prepare_pt2e


class ConvNet(nn.Module):
    """The classifier of an image: convolution, depthwise convolution, pooling, a fully connected layer."""

    def __init__(self):
        super().__init__()
        self.body = nn.Sequential(nn.Conv2d(3, 8, 3, stride=2, padding=1, bias=False), nn.BatchNorm2d(8), nn.ReLU(),
                                  nn.Conv2d(8, 8, 3, padding=1, groups=8), nn.ReLU(), nn.MaxPool2d(2),
                                  nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(8, 10))

    def forward(self, x):
        return self.body(x)


class InvertedResidual(nn.Module):
    """MobileNetV2's block: expand, depthwise, project, add."""

    def __init__(self):
        super().__init__()
        self.block = nn.Sequential(nn.Conv2d(7, 28, 1), nn.BatchNorm2d(28), nn.ReLU6(),
                                   nn.Conv2d(28, 28, 3, padding=1, groups=28), nn.BatchNorm2d(28), nn.ReLU6(),
                                   nn.Conv2d(28, 7, 1), nn.BatchNorm2d(7))

    def forward(self, x):
        return x + self.block(x)


class UNet(nn.Module):
    """One level of a U-Net: down, a convolution, up, and the way across."""

    def __init__(self):
        super().__init__()
        self.down, self.middle, self.up = nn.Conv2d(1, 4, 3, padding=1), nn.Conv2d(4, 8, 3, padding=1), nn.Conv2d(12, 2, 3, padding=1)

    def forward(self, x):
        across = torch.relu(self.down(x))
        deep = torch.relu(self.middle(nn.functional.max_pool2d(across, 2)))
        return self.up(torch.cat([across, nn.functional.interpolate(deep, scale_factor=2, mode="nearest")], 1))


class Attention(nn.Module):
    """Attention of two heads with a causal mask."""

    def __init__(self, width=16, heads=2):
        super().__init__()
        self.heads, self.qkv, self.out = heads, nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.register_buffer("mask", torch.triu(torch.full((6, 6), -100.0), 1))

    def forward(self, x):
        batch, length, width = x.shape
        q, k, v = (part.reshape(batch, length, self.heads, -1).transpose(1, 2) for part in self.qkv(x).chunk(3, -1))
        weights = torch.softmax(q @ k.transpose(2, 3) / (width // self.heads) ** 0.5 + self.mask, -1)
        return self.out((weights @ v).transpose(1, 2).reshape(batch, length, width))


class Transformer(nn.Module):
    """A block of a transformer: layer norm, attention, layer norm, GELU between two linear layers."""

    def __init__(self, width=16):
        super().__init__()
        self.first, self.attention, self.second = nn.LayerNorm(width), Attention(width), nn.LayerNorm(width)
        self.mlp = nn.Sequential(nn.Linear(width, 32), nn.GELU(), nn.Linear(32, width))

    def forward(self, x):
        x = x + self.attention(self.first(x))
        return x + self.mlp(self.second(x))


class Lstm(nn.Module):
    """Three steps of an LSTM cell."""

    def __init__(self, width=8):
        super().__init__()
        self.input, self.state = nn.Linear(width, 4 * width), nn.Linear(width, 4 * width)

    def forward(self, x, h, c):
        for step in range(3):
            i, f, g, o = (self.input(x[:, step]) + self.state(h)).chunk(4, -1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        return h


class Upsampling(nn.Module):
    """A decoder's end: transposed convolution, bilinear resize, average pooling."""

    def __init__(self):
        super().__init__()
        self.up, self.out = nn.ConvTranspose2d(4, 6, 2, stride=2), nn.Conv2d(6, 3, 3, padding=1)

    def forward(self, x):
        x = nn.functional.interpolate(torch.relu(self.up(x)), scale_factor=2, mode="bilinear", align_corners=False)
        return torch.sigmoid(nn.functional.avg_pool2d(self.out(x), 2))


NETWORKS = {
    "convnet": (ConvNet, [(1, 3, 16, 16)]),
    "inverted-residual": (InvertedResidual, [(1, 7, 6, 6)]),
    "unet": (UNet, [(1, 1, 8, 8)]),
    "attention": (Attention, [(1, 6, 16)]),
    "transformer": (Transformer, [(1, 6, 16)]),
    "lstm": (Lstm, [(1, 3, 8), (1, 8), (1, 8)]),
    "upsampling": (Upsampling, [(1, 4, 5, 5)]),
}
KINDS = {
    "fp": ("TOSA-1.0+FP", None),
    "int8": ("TOSA-1.0+INT", lambda: get_symmetric_quantization_config(is_per_channel=True)),
    "int16": ("TOSA-1.0+INT+int16", lambda: get_symmetric_a16w8_quantization_config(is_per_channel=True)),
}


def random_of(name):
    return np.random.Generator(np.random.PCG64(int.from_bytes(hashlib.sha256(name.encode()).digest()[:8], "little")))


def initialize(module, name):
    """Gives every parameter and statistic a value of its own, by NumPy: torch's generator may change."""
    random = random_of(name)
    with torch.no_grad():
        for key, tensor in sorted(module.state_dict().items()):
            if key.endswith("mask") or not tensor.is_floating_point():
                continue
            fan = max(1, tensor[0].numel()) if tensor.dim() > 1 else 1
            values = random.standard_normal(tensor.shape) * (fan ** -0.5 if tensor.dim() > 1 else 0.1)
            if key.endswith("running_var") or (tensor.dim() == 1 and key.endswith("weight")):
                values = 1 + abs(values)
            tensor.copy_(torch.from_numpy(np.asarray(values, np.float32)))
    return module.eval()


def lower(name, kind, folder):
    make, shapes = NETWORKS[name]
    profile, quantization = KINDS[kind]
    module = initialize(make(), name)
    random = random_of(name + " inputs")
    inputs = tuple(torch.from_numpy(random.standard_normal(shape).astype(np.float32)) for shape in shapes)
    spec = TosaCompileSpec(profile)
    exported = torch.export.export(module, inputs)
    if quantization:
        quantizer = TOSAQuantizer(spec)
        quantizer.set_global(quantization())
        prepared = prepare_pt2e(exported.module(check_guards=False), quantizer)
        prepared(*inputs)
        exported = torch.export.export(convert_pt2e(prepared), inputs)
    with tempfile.TemporaryDirectory() as scratch:
        spec.dump_intermediate_artifacts_to(scratch)
        to_edge_transform_and_lower(exported, partitioner=[TOSAPartitioner(spec)])
        files = sorted(pathlib.Path(scratch).glob("*.tosa"))
        if len(files) != 1:
            raise RuntimeError(f"{len(files)} .tosa files, expected one: parts of the network were not lowered")
        folder.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(files[0], folder / "network.tosa")
    return [tensor.numpy() for tensor in inputs], module(*inputs).shape


def stored(values, kind):
    """The inputs of the lowered network: quantized ones by 1/40 or 1/9000, so that a few saturate nothing."""
    if kind == "fp":
        return values
    scale, dtype = {"int8": (40, np.int8), "int16": (9000, np.int16)}[kind]
    return [np.clip(np.round(value * scale), np.iinfo(dtype).min, np.iinfo(dtype).max).astype(dtype) for value in values]


def run(folder, inputs, shape):
    """Stores inputs, and what Arm's reference model makes of them: an output of that shape, in the inputs' type."""
    for number, values in enumerate(inputs):
        np.save(folder / f"input-{number}.npy", values)
    outputs, status = tosa_reference_model.run((folder / "network.tosa").read_bytes(), inputs)
    if status != tosa_reference_model.GraphStatus.TOSA_VALID:
        raise RuntimeError(f"the reference model says {status}")
    if len(outputs) != 1:
        raise RuntimeError(f"{len(outputs)} outputs, expected one")
    np.save(folder / "output.npy", np.frombuffer(bytes(outputs[0]), inputs[0].dtype).reshape(shape))


def main():
    out, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or sorted(NETWORKS)
    for name in names:
        for kind in KINDS:
            try:
                folder = out / f"{name}-{kind}"
                values, shape = lower(name, kind, folder)
                run(folder, stored(values, kind), shape)
                print(f"{name}-{kind}")
            except Exception as error:
                traceback.print_exc(file=sys.stderr)
                print(f"{name}-{kind}: not lowered: {type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")


if __name__ == "__main__":
    main()

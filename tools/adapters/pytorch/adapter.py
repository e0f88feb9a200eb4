#!/usr/bin/python3
"""Tensor CTS adapter for PyTorch: cases as calls of its functions, on the CPU or a GPU.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import functions, worker  # noqa: E402
from common.cases import EnvironmentFault, Unsupported  # noqa: E402

try:
    worker.version("pytorch", "torch")

    import numpy
    import torch
except (ImportError, OSError) as missing:  # its CUDA libraries are needed even on the CPU
    worker.missing(missing, "pytorch")

BATCH = 16


class PyTorch:
    TYPES = {
        "bool": torch.bool,
        "i8": torch.int8,
        "i16": torch.int16,
        "i32": torch.int32,
        "fp16": torch.float16,
        "bf16": torch.bfloat16,
        "fp32": torch.float32,
        "fp8e4m3": torch.float8_e4m3fn,
        "fp8e5m2": torch.float8_e5m2,
    }
    BITS = {"bool": "?", "i8": "i1", "i16": "<i2", "i32": "<i4", "fp16": "<i2", "bf16": "<i2", "fp32": "<i4",
            "fp8e4m3": "u1", "fp8e5m2": "u1"}  # fmt: skip
    TAKES_BIAS = True  # a convolution adds its bias itself
    ACCUMULATORS = {"bf16": ("FP32",)}  # oneDNN's promise for the CPU; of fp16 there is none
    ALSO = ("INTDIV",)
    LACKS = {"GATHER": ("fp8e4m3", "fp8e5m2"), "REVERSE": ("fp8e4m3", "fp8e5m2")}  # no kernels
    REFUSALS = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)
    MISSING = ("not implemented", "not supported", "unsupported", "only supports", "could not run", "at most half",
               "unable to find an engine")  # fmt: skip

    def __init__(self, device):
        self.device = device
        if device != "cpu":
            self.ACCUMULATORS = {"fp16": ("FP32",), "bf16": ("FP32",)}  # what prepare() asks cuBLAS for

    UNARY = {
        "ABS": torch.abs, "BITWISE_NOT": torch.bitwise_not, "CEIL": torch.ceil, "COS": torch.cos, "ERF": torch.erf,
        "EXP": torch.exp, "FLOOR": torch.floor, "IDENTITY": torch.clone, "LOG": torch.log,
        "LOGICAL_NOT": torch.logical_not, "NEGATE": torch.neg, "RECIPROCAL": torch.reciprocal, "RSQRT": torch.rsqrt,
        "SIGMOID": torch.sigmoid, "SIN": torch.sin, "TANH": torch.tanh,
    }  # fmt: skip
    BINARY = {
        "ADD": torch.add, "SUB": torch.sub, "MUL": torch.mul, "POW": torch.pow, "MAXIMUM": torch.maximum,
        "MINIMUM": torch.minimum, "BITWISE_AND": torch.bitwise_and, "BITWISE_OR": torch.bitwise_or,
        "BITWISE_XOR": torch.bitwise_xor, "EQUAL": torch.eq, "GREATER": torch.gt, "GREATER_EQUAL": torch.ge,
        "LOGICAL_AND": torch.logical_and, "LOGICAL_OR": torch.logical_or, "LOGICAL_XOR": torch.logical_xor,
        "LOGICAL_LEFT_SHIFT": torch.bitwise_left_shift, "ARITHMETIC_RIGHT_SHIFT": torch.bitwise_right_shift,
    }  # fmt: skip
    REDUCE = {
        "REDUCE_ALL": torch.all, "REDUCE_ANY": torch.any, "REDUCE_MAX": torch.amax, "REDUCE_MIN": torch.amin,
        "REDUCE_PRODUCT": torch.prod, "REDUCE_SUM": torch.sum,
    }  # fmt: skip

    def value(self, bits, dtype):
        cells = numpy.array(bits).view(self.BITS[dtype])
        return torch.from_numpy(cells).view(self.TYPES[dtype]).to(self.device)

    def bits(self, value, dtype):
        if value.dtype != self.TYPES[dtype]:
            raise TypeError(f"the result is of {value.dtype}, expected {dtype}")
        value = value.contiguous()
        width = {1: torch.uint8, 2: torch.int16, 4: torch.int32}[value.element_size()]
        return value.view(width).cpu().numpy()

    def program(self, case, constants):
        names, tensors = case.block["inputs"], case.tensors

        def run(inputs):
            values = {name: self.value(bits, tensors[name]["dtype"]) for name, bits in zip(names, inputs)}
            try:
                results = functions.evaluate(case, self, values, constants)
                return [self.bits(r, tensors[name]["dtype"]) for r, name in zip(results, case.block["outputs"])]
            except torch.AcceleratorError as fault:  # a RuntimeError, after which the process can ask the device nothing
                worker.log(f"{case.id}: {fault}")
                sys.exit(worker.EXIT_CRASH)

        return run

    def scalar(self, number, dtype):
        return torch.tensor(number, dtype=self.TYPES[dtype], device=self.device)

    def unary(self, name, x, dtype):
        return self.UNARY[name](x)

    def binary(self, name, a, b, dtype):
        if name == "INTDIV":
            return torch.div(a, b, rounding_mode="trunc")
        if name not in self.BINARY:
            raise Unsupported(f"no function for {name}")
        return self.BINARY[name](a, b)

    def select(self, condition, a, b):
        return torch.where(condition, a, b)

    def cast(self, x, source, target):
        return x.to(self.TYPES[target])

    def clamp(self, x, low, high, dtype):
        return torch.clamp(x, low, high)

    def reduce(self, name, x, axis, dtype):
        if name in ("REDUCE_SUM", "REDUCE_PRODUCT"):
            return self.REDUCE[name](x, dim=axis, keepdim=True, dtype=x.dtype)
        return self.REDUCE[name](x, dim=axis, keepdim=True)

    def argmax(self, x, axis, dtype):
        return torch.argmax(x, dim=axis).to(torch.int32)

    def concat(self, values, axis):
        return torch.cat(values, dim=axis)

    def reshape(self, x, shape):
        return torch.reshape(x, shape)

    def reverse(self, x, axis):
        return torch.flip(x, [axis])

    def slice(self, x, start, size):
        for axis, (first, count) in enumerate(zip(start, size)):
            x = torch.narrow(x, axis, first, count)
        return x

    def tile(self, x, multiples):
        return torch.tile(x, multiples)

    def transpose(self, x, perms):
        return torch.permute(x, perms)

    def pad(self, x, pads, value):
        flat = [size for pair in reversed(pads) for size in pair]
        return torch.nn.functional.pad(x, flat, value=value.reshape(-1)[0].item())

    def gather(self, values, indices):
        index = indices.long().unsqueeze(-1).expand(-1, -1, values.shape[2])
        return torch.gather(values, 1, index)

    def matmul(self, a, b, dtype):
        return torch.matmul(a, b)

    def conv(self, x, weight, stride, pads, dilation, depthwise, dtype, bias=None):
        rank = len(stride)
        if any(low != high for low, high in pads):
            if dtype != "i32" and not torch.isfinite(weight).all():
                raise Unsupported("another padding on each side, with weights that are not finite")
            x = self.pad(x, [(0, 0), *pads, (0, 0)], torch.zeros(1))
            pads = [(0, 0)] * rank
        call = {2: torch.nn.functional.conv2d, 3: torch.nn.functional.conv3d}[rank]
        x = torch.movedim(x, -1, 1)
        groups = 1
        if depthwise:  # [KH, KW, C, M]
            kh, kw, groups, m = weight.shape
            weight = weight.permute(2, 3, 0, 1).reshape(groups * m, 1, kh, kw)
        else:
            weight = torch.movedim(weight, -1, 1)
        result = call(x, weight, bias, stride, [low for low, _ in pads], dilation, groups)
        return torch.movedim(result, 1, -1)

    def max_pool(self, x, kernel, stride, pads, dtype):
        if dtype not in ("fp16", "bf16", "fp32"):
            raise Unsupported("max_pool2d of integers")
        if any(pair != (0, 0) for pair in pads):
            x = torch.nn.functional.pad(x, [0, 0, *pads[1], *pads[0]], value=float("-inf"))
        result = torch.nn.functional.max_pool2d(torch.movedim(x, -1, 1), kernel, stride)
        return torch.movedim(result, 1, -1)

    def avg_pool(self, x, kernel, stride, pads, dtype):
        if any(low != high for low, high in pads):
            raise Unsupported("avg_pool2d pads both sides alike")
        result = torch.nn.functional.avg_pool2d(
            torch.movedim(x, -1, 1), kernel, stride, [low for low, _ in pads], count_include_pad=False
        )
        return torch.movedim(result, 1, -1)


def exact_sums():
    """Asks for sums in fp32: by default, convolutions on a GPU round operands to TF32 and sums of fp16 and bf16 between their parts."""
    torch.backends.cudnn.allow_tf32 = False
    torch.backends.cuda.matmul.allow_tf32 = False
    torch.backends.cuda.matmul.allow_fp16_reduced_precision_reduction = False
    torch.backends.cuda.matmul.allow_bf16_reduced_precision_reduction = False


def prepare(options):
    torch.set_num_threads(1)
    version = torch.__version__
    if options.device != "cpu":
        if not torch.cuda.is_available():
            raise EnvironmentFault(f"--device={options.device}: PyTorch finds no GPU; expected a driver that nvidia-smi shows")
        version += f" on {torch.cuda.get_device_name(options.device)}"
        if options.as_shipped:
            version += ", as shipped"
        else:
            exact_sums()
    library = PyTorch(options.device)
    return "pytorch", version, functions.batch_of(library), functions.declared(library)


if __name__ == "__main__":
    made = worker.parser(__doc__, BATCH)
    made.add_argument("--device", default="cpu", help="cpu, or a GPU: cuda, cuda:1 (%(default)s)")
    made.add_argument("--as-shipped", action="store_true", help="on a GPU, leave TF32 and sums of reduced precision as they are")
    worker.serve(made, prepare)

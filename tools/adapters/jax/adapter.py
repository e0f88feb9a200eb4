#!/usr/bin/python3
"""Tensor CTS adapter for JAX: a case is a function that XLA compiles for the CPU or a GPU.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import functions, worker  # noqa: E402
from common.cases import Unsupported  # noqa: E402

os.environ.setdefault("JAX_PLATFORMS", "cpu")  # cuda: a GPU
os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # one worker does not take the memory of the others
try:
    worker.version("jax", "jax")

    import jax
    import jax.numpy as jnp
    import ml_dtypes
    import numpy
    from jax import lax
except ImportError as missing:
    worker.missing(missing, "jax")

BATCH = 16


class Jax:
    TYPES = {
        "bool": numpy.dtype("?"),
        "i8": numpy.dtype("i1"),
        "i16": numpy.dtype("<i2"),
        "i32": numpy.dtype("<i4"),
        "fp16": numpy.dtype("<f2"),
        "bf16": numpy.dtype(ml_dtypes.bfloat16),
        "fp32": numpy.dtype("<f4"),
        "fp8e4m3": numpy.dtype(ml_dtypes.float8_e4m3fn),
        "fp8e5m2": numpy.dtype(ml_dtypes.float8_e5m2),
    }
    TAKES_BIAS = True  # a convolution adds its bias itself
    ACCUMULATORS = {"fp16": ("FP32",), "bf16": ("FP32",)}  # preferred_element_type asks for it
    REFUSALS = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)
    MISSING = ("not implemented", "not supported", "unsupported", "unimplemented", "does not accept dtype",
               "no supported configs")  # fmt: skip

    UNARY = {
        "ABS": jnp.abs, "BITWISE_NOT": jnp.bitwise_not, "CEIL": jnp.ceil, "COS": jnp.cos, "ERF": lax.erf,
        "EXP": jnp.exp, "FLOOR": jnp.floor, "IDENTITY": jnp.copy, "LOG": jnp.log, "LOGICAL_NOT": jnp.logical_not,
        "NEGATE": jnp.negative, "RECIPROCAL": jnp.reciprocal, "RSQRT": lax.rsqrt, "SIGMOID": jax.nn.sigmoid,
        "SIN": jnp.sin, "TANH": jnp.tanh,
    }  # fmt: skip
    BINARY = {
        "ADD": jnp.add, "SUB": jnp.subtract, "MUL": jnp.multiply, "POW": jnp.power, "MAXIMUM": jnp.maximum,
        "MINIMUM": jnp.minimum, "BITWISE_AND": jnp.bitwise_and, "BITWISE_OR": jnp.bitwise_or,
        "BITWISE_XOR": jnp.bitwise_xor, "EQUAL": jnp.equal, "GREATER": jnp.greater,
        "GREATER_EQUAL": jnp.greater_equal, "LOGICAL_AND": jnp.logical_and, "LOGICAL_OR": jnp.logical_or,
        "LOGICAL_XOR": jnp.logical_xor, "LOGICAL_LEFT_SHIFT": jnp.left_shift,
        "ARITHMETIC_RIGHT_SHIFT": jnp.right_shift, "INTDIV": lax.div, "LOGICAL_RIGHT_SHIFT": lax.shift_right_logical,
    }  # fmt: skip
    REDUCE = {
        "REDUCE_ALL": jnp.all, "REDUCE_ANY": jnp.any, "REDUCE_MAX": jnp.max, "REDUCE_MIN": jnp.min,
        "REDUCE_PRODUCT": jnp.prod, "REDUCE_SUM": jnp.sum,
    }  # fmt: skip

    def value(self, bits, dtype):
        return jnp.asarray(bits.view(self.TYPES[dtype]))

    def program(self, case, constants):
        names, tensors = case.block["inputs"], case.tensors

        @jax.jit
        def compiled(*inputs):
            return functions.evaluate(case, self, dict(zip(names, inputs)), constants)

        def run(inputs):
            arrays = [bits.view(self.TYPES[tensors[name]["dtype"]]) for name, bits in zip(names, inputs)]
            results = []
            for name, result in zip(case.block["outputs"], compiled(*arrays)):
                if result.dtype != self.TYPES[tensors[name]["dtype"]]:
                    raise TypeError(f"{name}: the result is of {result.dtype}")
                results.append(numpy.asarray(result))
            return results

        return run

    def scalar(self, number, dtype):
        return jnp.asarray(number, self.TYPES[dtype])

    def unary(self, name, x, dtype):
        return self.UNARY[name](x)

    def binary(self, name, a, b, dtype):
        if name in ("INTDIV", "LOGICAL_RIGHT_SHIFT"):  # functions of lax do not broadcast
            a, b = jnp.broadcast_arrays(a, b)
        return self.BINARY[name](a, b)

    def select(self, condition, a, b):
        return jnp.where(condition, a, b)

    def cast(self, x, source, target):
        return x.astype(self.TYPES[target])

    def clamp(self, x, low, high, dtype):
        return jnp.clip(x, numpy.asarray(low).astype(x.dtype), numpy.asarray(high).astype(x.dtype))

    def reduce(self, name, x, axis, dtype):
        if name == "REDUCE_SUM" and dtype in ("fp16", "bf16"):  # in the accumulator that TOSA names
            return jnp.sum(x, axis=axis, keepdims=True, dtype=jnp.float32).astype(x.dtype)
        if name in ("REDUCE_SUM", "REDUCE_PRODUCT"):
            return self.REDUCE[name](x, axis=axis, keepdims=True, dtype=x.dtype)
        return self.REDUCE[name](x, axis=axis, keepdims=True)

    def argmax(self, x, axis, dtype):
        return jnp.argmax(x, axis=axis).astype(jnp.int32)

    def concat(self, values, axis):
        return jnp.concatenate(values, axis=axis)

    def reshape(self, x, shape):
        return jnp.reshape(x, shape)

    def reverse(self, x, axis):
        return jnp.flip(x, axis)

    def slice(self, x, start, size):
        return lax.slice(x, start, [first + count for first, count in zip(start, size)])

    def tile(self, x, multiples):
        return jnp.tile(x, multiples)

    def transpose(self, x, perms):
        return jnp.transpose(x, perms)

    def pad(self, x, pads, value):
        return lax.pad(x, value.reshape(-1)[0], [(low, high, 0) for low, high in pads])

    def gather(self, values, indices):
        return jnp.take_along_axis(values, indices[:, :, None], axis=1)

    def matmul(self, a, b, dtype):
        return jnp.matmul(a, b, precision="highest")

    def conv(self, x, weight, stride, pads, dilation, depthwise, dtype, bias=None):
        wide = jnp.int32 if dtype == "i32" else jnp.float32
        groups = 1
        if depthwise:  # [KH, KW, C, M]
            kh, kw, groups, m = weight.shape
            weight = jnp.reshape(weight, (kh, kw, 1, groups * m))
            layout = ("NHWC", "HWIO", "NHWC")
        else:
            layout = ("NDHWC", "ODHWI", "NDHWC") if len(stride) == 3 else ("NHWC", "OHWI", "NHWC")
        result = lax.conv_general_dilated(
            x, weight, stride, pads, rhs_dilation=dilation, dimension_numbers=layout, feature_group_count=groups,
            precision="highest", preferred_element_type=wide,
        )  # fmt: skip
        result = result if bias is None else result + bias.astype(wide)
        return result.astype(self.TYPES[dtype])

    def window(self, x, initial, function, kernel, stride, pads):
        return lax.reduce_window(
            x, initial, function, (1, *kernel, 1), (1, *stride, 1), ((0, 0), *pads, (0, 0))
        )

    def max_pool(self, x, kernel, stride, pads, dtype):
        least = -numpy.inf if dtype in functions.FLOATS else numpy.iinfo(self.TYPES[dtype]).min
        if dtype.startswith("fp8"):
            raise Unsupported("an infinity of fp8")
        return self.window(x, numpy.asarray(least, x.dtype), lax.max, kernel, stride, pads)

    def avg_pool(self, x, kernel, stride, pads, dtype):
        wide = x.astype(jnp.float32)
        sums = self.window(wide, numpy.float32(0), lax.add, kernel, stride, pads)
        counts = self.window(jnp.ones_like(wide), numpy.float32(0), lax.add, kernel, stride, pads)
        return (sums / counts).astype(x.dtype)


def prepare(options):
    library = Jax()
    device = jax.devices()[0]
    version = jax.__version__ if device.platform == "cpu" else f"{jax.__version__} on {device.device_kind}"
    return "jax", version, functions.batch_of(library), functions.declared(library)


if __name__ == "__main__":
    worker.serve(worker.parser(__doc__, BATCH), prepare)

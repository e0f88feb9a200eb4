"""What all families draw cases with: types, quantizations, data."""

import dataclasses
import zlib

import numpy as np

from tensors import NUMPY, Model, Tensor

NONE, RELU, RELU_N1_TO_1, RELU6, TANH = 0, 1, 2, 3, 4  # ActivationFunctionType
SAME, VALID = 0, 1  # Padding
REFLECT, SYMMETRIC = 0, 1  # MirrorPadMode

QUANTIZED = ("int8", "uint8", "int16")
LIMITS = {name: (np.iinfo(kind).min, np.iinfo(kind).max) for name, kind in NUMPY.items() if "int" in name}


@dataclasses.dataclass
class Case:
    id: str
    model: Model
    inputs: list  # an array for each operand without data
    why: str = ""  # what the data are there for


def rng_of(name, seed):
    return np.random.default_rng(zlib.crc32(name.encode()) + 1000003 * seed)


# Scales and zero points, (input, output) as fractions of the type's range: shrinks, stretches, saturates, is nearly equal.
def quantizations(kind):
    if kind == "int8":
        return {
            "plain": ((0.1, 3), (0.13, -2)),
            "same": ((0.05, -128), (0.05, -128)),
            "finer": ((0.5, 10), (0.061, -17)),
            "coarser": ((0.0123, -100), (0.9, 5)),
            "symmetric": ((1 / 127, 0), (1 / 64, 0)),
        }
    if kind == "uint8":
        return {"plain": ((0.1, 131), (0.13, 126)), "finer": ((0.5, 138), (0.061, 111)), "zero": ((0.02, 0), (0.02, 0))}
    return {"plain": ((0.001, 0), (0.0013, 0)), "finer": ((0.01, 0), (0.0007, 0)), "same": ((1 / 4096, 0), (1 / 4096, 0))}


def q(kind, shape, scale, zero_point, **more):
    return Tensor(kind, tuple(shape), (scale,), (zero_point,), **more)


def const(kind, values, **more):
    values = np.asarray(values, NUMPY[kind])
    return Tensor(kind, values.shape, data=values, **more)


SPECIAL = np.float32(
    [
        0.0,
        -0.0,
        1,
        -1,
        0.5,
        -0.5,
        1.5,
        -1.5,
        2.5,
        -2.5,
        0.49999997,
        np.nan,
        np.inf,
        -np.inf,
        1e-40,
        -1e-40,
        1.1754944e-38,
        3.4028235e38,
        -3.4028235e38,
        1e-20,
        -1e-20,
        8388609,
        -8388609,
        16777216,
        6,
        6.0000005,
        -1.0000001,
        88.8,
        -88.8,
        104,
        -104,
        20,
        -20,
        3,
        -3,
        10,
        0.1,
        -0.1,
        1e10,
        -1e10,
    ]
)


def floats(rng, shape, special=False, low=-8.0, high=8.0):
    values = rng.uniform(low, high, shape).astype(np.float32)
    if special:
        flat = values.reshape(-1)
        n = min(len(SPECIAL), flat.size)
        flat[:n] = SPECIAL[:n]
    return values


def integers(rng, kind, shape, low=None, high=None, ends=True):
    least, most = LIMITS[kind]
    low, high = least if low is None else low, most if high is None else high
    values = rng.integers(low, high, shape, dtype=np.int64, endpoint=True).astype(NUMPY[kind])
    if ends and values.size > 4:
        values.reshape(-1)[:2] = (low, high)
    return values


def every(kind):
    """All values of a narrow integer type, in rows of 64."""
    low, high = LIMITS[kind]
    return np.arange(low, high + 1, dtype=np.int64).astype(NUMPY[kind]).reshape(-1, 64)


def fill(rng, tensor, **more):
    if tensor.type.startswith("float"):
        return floats(rng, tensor.shape, **more).astype(NUMPY[tensor.type])
    if tensor.type == "bool":
        return rng.integers(0, 2, tensor.shape).astype(bool)
    return integers(rng, tensor.type, tensor.shape)


# ---- one operand, one result, element by element

FIXED = {  # what TFLite's specification of quantized operators demands of the output
    "LOGISTIC": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
    "TANH": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128), "int16": (1 / 32768, 0)},
    "SOFTMAX": {"int8": (1 / 256, -128), "uint8": (1 / 256, 0), "int16": (1 / 32768, 0)},
    "LOG_SOFTMAX": {"int8": (16 / 256, 127), "uint8": (16 / 256, 255)},
    "L2_NORMALIZATION": {"int8": (1 / 128, 0), "uint8": (1 / 128, 128)},
}

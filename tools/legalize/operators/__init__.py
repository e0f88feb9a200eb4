"""The table: TFLite's operators, their types, attributes, fused activations and quantizations, and data that shows faults.

cases() yields every Case. A row names the function that makes the cases of an operator; a case is one model with its inputs.
"""

from .drawing import QUANTIZED
from .elementwise import (
    add_n, arithmetic, binary, bitwise_xor, cast, compare, gelu, leaky_relu, logical, logical_not, pot_int16, prelu,
    quantize, right_shift, softmax, unary,
)
from .products import batch_matmul, conv_3d, convolution, fully_connected, transpose_conv
from .reductions import arg, cumsum, l2_normalization, local_response_normalization, pool, reduction
from .layout import concatenation, gathers, one_hot, other_layout, pad, reshape, selects, slices, splits, transpose
from .others import resize, rest

# Sums of products, whose faults may show in 0.4 % of the outputs: one case of each type has this
# many.
MANY = 50000
SUMS_OF_PRODUCTS = ("BATCH_MATMUL", "CONV_2D", "CONV_3D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV")

OPERATORS = {
    "ABS": lambda: unary("ABS", ("int8", "int16"), ("int32",), ("AbsOptions", {})),
    "ADD": lambda: arithmetic("ADD", "AddOptions", wide=("int32", "int64")),
    "ADD int16 by powers of two": pot_int16,
    "ADD_N": add_n,
    "ARG_MAX": lambda: arg("ARG_MAX"),
    "ARG_MIN": lambda: arg("ARG_MIN"),
    "ATAN2": lambda: binary("ATAN2", ("ATan2Options", {}), quantized=(), wide=(), version=1, broadcast=False),
    "AVERAGE_POOL_2D": lambda: pool("AVERAGE_POOL_2D"),
    "BATCH_MATMUL": batch_matmul,
    "BITWISE_XOR": bitwise_xor,
    "CAST": cast,
    "CEIL": lambda: unary("CEIL", float16=True),
    "CONCATENATION": concatenation,
    "CONV_2D": lambda: convolution("CONV_2D"),
    "CONV_3D": conv_3d,
    "COS": lambda: unary("COS", options=("CosOptions", {})),
    "CUMSUM": cumsum,
    "DEPTHWISE_CONV_2D": lambda: convolution("DEPTHWISE_CONV_2D"),
    "DIV": lambda: arithmetic("DIV", "DivOptions", quantized=("uint8",), no_zero=True),
    "ELU": lambda: unary("ELU", ("int8",), version=1),
    "EQUAL": lambda: compare("EQUAL"),
    "EXP": lambda: unary("EXP", ("int8", "int16"), options=("ExpOptions", {})),
    "FLOOR": lambda: unary("FLOOR", float16=True),
    "FLOOR_DIV": lambda: binary("FLOOR_DIV", ("FloorDivOptions", {}), quantized=(), no_zero=True, plain=()),
    "FLOOR_MOD": lambda: binary("FLOOR_MOD", ("FloorModOptions", {}), quantized=(), wide=("int32", "int64"), no_zero=True),
    "FULLY_CONNECTED": fully_connected,
    "GATHER": gathers,
    "GELU": gelu,
    "GREATER": lambda: compare("GREATER"),
    "GREATER_EQUAL": lambda: compare("GREATER_EQUAL"),
    "HARD_SWISH": lambda: unary("HARD_SWISH", ("int8", "uint8"), options=("HardSwishOptions", {}), version=1),
    "L2_NORMALIZATION": l2_normalization,
    "L2_POOL_2D": lambda: pool("L2_POOL_2D"),
    "LEAKY_RELU": leaky_relu,
    "LESS": lambda: compare("LESS"),
    "LESS_EQUAL": lambda: compare("LESS_EQUAL"),
    "LOCAL_RESPONSE_NORMALIZATION": local_response_normalization,
    "LOG": lambda: unary("LOG", ("int8", "int16"), positive=True),
    "LOGICAL_AND": lambda: logical("LOGICAL_AND"),
    "LOGICAL_NOT": logical_not,
    "LOGICAL_OR": lambda: logical("LOGICAL_OR"),
    "LOGISTIC": lambda: unary("LOGISTIC", QUANTIZED),
    "LOG_SOFTMAX": lambda: unary("LOG_SOFTMAX", ("int8", "uint8"), options=("LogSoftmaxOptions", {})),
    "MAXIMUM": lambda: binary("MAXIMUM", ("MaximumMinimumOptions", {}), wide=("int32", "int64")),
    "MAX_POOL_2D": lambda: pool("MAX_POOL_2D"),
    "MEAN": lambda: reduction("MEAN", ("float32", "int32"), QUANTIZED),
    "MINIMUM": lambda: binary("MINIMUM", ("MaximumMinimumOptions", {}), wide=("int32", "int64")),
    "MUL": lambda: arithmetic("MUL", "MulOptions", wide=("int32", "int64")),
    "NEG": lambda: unary("NEG", (), ("int32", "int64"), ("NegOptions", {})),
    "NOT_EQUAL": lambda: compare("NOT_EQUAL"),
    "ONE_HOT": one_hot,
    "PAD": pad,
    "POW": lambda: binary("POW", ("PowOptions", {}), quantized=(), wide=(), version=1),
    "PRELU": prelu,
    "QUANTIZE": quantize,
    "REDUCE_ALL": lambda: reduction("REDUCE_ALL", ("bool",), ()),
    "REDUCE_ANY": lambda: reduction("REDUCE_ANY", ("bool",), ()),
    "REDUCE_MAX": lambda: reduction("REDUCE_MAX", ("float32", "int32", "int64"), QUANTIZED),
    "REDUCE_MIN": lambda: reduction("REDUCE_MIN", ("float32", "int32", "int64"), QUANTIZED),
    "REDUCE_PROD": lambda: reduction("REDUCE_PROD", ("float32", "int32"), ("int8",)),
    "RELU": lambda: unary("RELU", QUANTIZED),
    "RELU6": lambda: unary("RELU6", ("int8", "uint8")),
    "RELU_0_TO_1": lambda: unary("RELU_0_TO_1", ("int8", "uint8"), version=1),
    "RELU_N1_TO_1": lambda: unary("RELU_N1_TO_1", ("int8", "uint8"), version=1),
    "RESHAPE": reshape,
    "RESIZE_BILINEAR": lambda: resize("RESIZE_BILINEAR"),
    "RESIZE_NEAREST_NEIGHBOR": lambda: resize("RESIZE_NEAREST_NEIGHBOR"),
    "RIGHT_SHIFT": right_shift,
    "ROUND": lambda: unary("ROUND"),
    "RSQRT": lambda: unary("RSQRT", ("int8", "int16"), positive=True),
    "SELECT": selects,
    "SIGN": lambda: unary("SIGN", (), ("int32",), ("SignOptions", {})),
    "SIN": lambda: unary("SIN"),
    "SLICE": slices,
    "SOFTMAX": softmax,
    "SPLIT": splits,
    "SQRT": lambda: unary("SQRT", positive=True),
    "SQUARE": lambda: unary("SQUARE", options=("SquareOptions", {})),
    "SQUARED_DIFFERENCE": lambda: binary("SQUARED_DIFFERENCE", ("SquaredDifferenceOptions", {}), quantized=("int8",)),
    "SUB": lambda: arithmetic("SUB", "SubOptions", wide=("int32", "int64")),
    "SUM": lambda: reduction("SUM", ("float32", "int32", "int64"), QUANTIZED),
    "TANH": lambda: unary("TANH", QUANTIZED),
    "TRANSPOSE": transpose,
    "TRANSPOSE_CONV": transpose_conv,
    "layout, others": other_layout,
    "others": rest,
}


def cases(wanted=None):
    """Every case of the table; wanted(id) says which."""
    seen = set()
    for row in OPERATORS.values():
        for case in row():
            if case.id in seen:
                continue
            seen.add(case.id)
            if wanted is None or wanted(case.id):
                yield case

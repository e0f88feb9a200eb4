"""The table: TFLite's operators, their types, attributes, fused activations and quantizations, and data that shows faults.

models(seed) yields every Case. A row names the function that makes the cases of an operator; a case is one model with its inputs.
"""

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


def unary(op, quantized=(), wide=(), options=(), tag="", positive=False, float16=False, shape=(4, 64), version=0):
    name = op.lower() + tag
    rng = rng_of(name, 0)
    low = 0.01 if positive else -8.0
    for special in (False, True):
        tensor = Tensor("float32", shape)
        yield Case(
            f"{name}/float32-{'special' if special else 'plain'}",
            Model(op, [tensor], [tensor], options),
            [floats(rng, shape, special, low)],
            "NaN, infinities, zeros, ties" if special else "",
        )
    if float16:
        tensor = Tensor("float16", shape)
        yield Case(f"{name}/float16-plain", Model(op, [tensor], [tensor], options), [floats(rng, shape, False, low).astype(np.float16)])
    for kind in quantized:
        values = every(kind)
        for label, ((si, zi), (so, zo)) in quantizations(kind).items():
            if op in FIXED:
                if kind not in FIXED[op]:
                    continue
                so, zo = FIXED[op][kind]
            if positive:
                zi, values = LIMITS[kind][0] if kind != "int16" else 0, every(kind)
                if kind == "int16":
                    values = np.abs(values.astype(np.int32)).clip(0, 32767).astype(np.int16)
            yield Case(
                f"{name}/{kind}-{label}",
                Model(
                    op, [q(kind, values.shape, si, zi)], [q(kind, values.shape, so, zo)], options, version or (2 if kind != "uint8" else 1)
                ),
                [values],
                "every value",
            )
    for kind in wide:
        tensor = Tensor(kind, shape)
        yield Case(f"{name}/{kind}-plain", Model(op, [tensor], [tensor], options), [integers(rng, kind, shape, -1000, 1000)])
        yield Case(f"{name}/{kind}-ends", Model(op, [tensor], [tensor], options), [integers(rng, kind, shape)], "the ends of the type")


def gelu():
    for approximate in (False, True):
        yield from unary(
            "GELU", ("int8", "uint8"), options=("GeluOptions", {"approximate": approximate}), tag="-approximate" if approximate else ""
        )
        tensor = Tensor("float32", (4, 64))
        yield Case(
            f"gelu{'-approximate' if approximate else ''}/float32-positive",
            Model("GELU", [tensor], [tensor], ("GeluOptions", {"approximate": approximate})),
            [floats(rng_of("gelu", 0), tensor.shape, False, 0.01, 6)],
            "no negative operand",
        )


def leaky_relu():
    for alpha in (0.1, 1.7, -0.3):
        yield from unary("LEAKY_RELU", QUANTIZED, options=("LeakyReluOptions", {"alpha": alpha}), tag=f"-{alpha}")


def softmax():
    for beta in (1.0, 0.37):
        yield from unary("SOFTMAX", QUANTIZED, options=("SoftmaxOptions", {"beta": beta}), tag=f"-{beta}")


def logical_not():
    tensor = Tensor("bool", (8,))
    yield Case("logical_not/bool", Model("LOGICAL_NOT", [tensor], [tensor], ("LogicalNotOptions", {})), [np.arange(8) % 2 == 0])


def cast():
    pairs = [("float32", kind) for kind in ("int8", "uint8", "int16", "int32", "bool", "float16", "int64")]
    pairs += [(kind, "float32") for kind in ("int8", "uint8", "int16", "int32", "bool", "float16", "int64")]
    pairs += [
        ("int32", "int8"),
        ("int32", "int16"),
        ("int32", "uint8"),
        ("int32", "bool"),
        ("int8", "int32"),
        ("uint8", "int32"),
        ("int16", "int32"),
        ("bool", "int32"),
        ("int64", "int32"),
        ("int32", "int64"),
        ("int8", "bool"),
        ("bool", "int8"),
        ("int16", "int8"),
    ]
    for source, target in pairs:
        rng = rng_of(source + target, 0)
        a, b = Tensor(source, (4, 64)), Tensor(target, (4, 64))
        for label in ("plain", "special"):
            if source.startswith("float"):
                most = 100.0 if target != "uint8" else 50
                values = floats(rng, a.shape, False, -most if target != "uint8" else 0, most)
                values.reshape(-1)[:8] = [0.5, 1.5, 2.5, 0.99, 0.75, 3.25, 0, 7.5]
                if target not in ("uint8",):
                    values.reshape(-1)[8:16] = [-0.5, -1.5, -2.5, -0.99, -0.75, -3.25, -0.0, -7.5]
                if label == "special":
                    values = floats(rng, a.shape, True)
                values = values.astype(NUMPY[source])
            elif source == "bool":
                values = rng.integers(0, 2, a.shape).astype(bool)
            else:
                values = integers(rng, source, a.shape, 0 if source == "uint8" else -100, 100)
                if label == "special":
                    values = integers(rng, source, a.shape)
            number = {"float32": 0, "float16": 1, "int32": 2, "uint8": 3, "int64": 4, "bool": 6, "int16": 7, "int8": 9}
            yield Case(
                f"cast/{source}-{target}-{label}",
                Model("CAST", [a], [b], ("CastOptions", {"inDataType": number[source], "outDataType": number[target]})),
                [values],
                "" if label == "plain" else "beyond the target's range",
            )


def quantize():
    rng = rng_of("quantize", 0)
    for kind in QUANTIZED:
        for label, ((si, zi), (so, zo)) in quantizations(kind).items():
            values = floats(rng, (8, 64), False, -12, 12)
            ties = (np.arange(-40, 40) + 0.5).astype(np.float32) * np.float32(so)
            values.reshape(-1)[:80] = ties
            yield Case(
                f"quantize/float32-{kind}-{label}",
                Model("QUANTIZE", [Tensor("float32", values.shape)], [q(kind, values.shape, so, zo)], ("QuantizeOptions", {})),
                [values],
                "ties",
            )
            yield Case(
                f"dequantize/{kind}-{label}",
                Model(
                    "DEQUANTIZE", [q(kind, every(kind).shape, si, zi)], [Tensor("float32", every(kind).shape)], ("DequantizeOptions", {}), 2
                ),
                [every(kind)],
                "every value",
            )
        half = Tensor("float32", (1, len(SPECIAL)))
        yield Case(
            f"quantize/float32-{kind}-special",
            Model("QUANTIZE", [half], [q(kind, half.shape, 0.1, 0)], ("QuantizeOptions", {})),
            [SPECIAL.reshape(half.shape)],
            "NaN, infinities, saturation",
        )
    for source in QUANTIZED:
        for target in QUANTIZED:
            for label in ("plain", "finer"):
                (si, zi), (so, zo) = quantizations(source)[label][0], quantizations(target)[label][1]
                yield Case(
                    f"quantize/{source}-{target}-{label}",
                    Model(
                        "QUANTIZE",
                        [q(source, every(source).shape, si, zi)],
                        [q(target, every(source).shape, so, zo)],
                        ("QuantizeOptions", {}),
                        2,
                    ),
                    [every(source)],
                    "every value",
                )
    half = Tensor("float16", (4, 64))
    yield Case(
        "dequantize/float16",
        Model("DEQUANTIZE", [half], [Tensor("float32", half.shape)], ("DequantizeOptions", {}), 3),
        [floats(rng, half.shape, True).clip(-60000, 60000).astype(np.float16)],
    )


# ---- two operands


def pairs_of(kind):
    """All pairs that are of interest, in rows: the second operand runs slower."""
    low, high = LIMITS[kind]
    step = 1 if high - low < 300 else 521
    a = np.arange(low, high + 1, step, dtype=np.int64)
    b = np.unique(np.concatenate([a[::5], [low, high, 0, 1]]))
    first, second = np.meshgrid(a, b)
    return first.astype(NUMPY[kind]), second.astype(NUMPY[kind])


def binary(
    op,
    options=(),
    quantized=QUANTIZED,
    wide=("int32",),
    activations=(NONE,),
    out=None,
    plain=(),
    no_zero=False,
    positive=False,
    version=2,
    floating=True,
    tag="",
    broadcast=True,
):
    name = op.lower() + tag
    rng = rng_of(name, 0)
    names = {NONE: "", RELU: "-relu", RELU_N1_TO_1: "-relu_n1_to_1", RELU6: "-relu6", TANH: "-tanh"}

    def with_activation(number):
        if not options:
            return ()
        kind, fields = options
        return kind, {**fields, "fusedActivationFunction": number} if len(activations) > 1 else fields

    def result(tensor, shape=None):
        shape = tensor.shape if shape is None else shape
        return Tensor("bool", shape) if out == "bool" else dataclasses.replace(tensor, shape=shape)

    def other_than_zero(values):
        values = values.copy()
        values[values == 0] = 3
        return values

    low = 0.05 if positive else -8.0
    for activation in activations:
        made = with_activation(activation)
        suffix = names[activation]
        if floating:
            tensor = Tensor("float32", (8, 64))
            x, y = floats(rng, tensor.shape, False, low), floats(rng, tensor.shape, False, low)
            y[:2] = x[:2]
            yield Case(f"{name}{suffix}/float32-plain", Model(op, [tensor, tensor], [result(tensor)], made), [x, y], "x = y")
            n = len(SPECIAL)
            x, y = (m.astype(np.float32) for m in np.meshgrid(SPECIAL, SPECIAL))
            tensor = Tensor("float32", (n, n))
            yield Case(
                f"{name}{suffix}/float32-special",
                Model(op, [tensor, tensor], [result(tensor)], made),
                [x, y],
                "all pairs of special values",
            )
            if activation == NONE and broadcast:
                for label, a, b in (
                    ("broadcast", (3, 1, 5), (4, 1)),
                    ("scalar", (2, 3), ()),
                    ("rank", (5,), (2, 2, 1, 5)),
                    ("rank5", (1, 2, 3, 2, 2), (1, 1, 3, 1, 2)),
                ):
                    shape = np.broadcast_shapes(a, b)
                    yield Case(
                        f"{name}/float32-{label}",
                        Model(op, [Tensor("float32", a), Tensor("float32", b)], [result(Tensor("float32", shape))], made),
                        [floats(rng, a, False, low), floats(rng, b, False, low)],
                    )
        for kind in quantized:
            first, second = pairs_of(kind)
            for label, ((s1, z1), (so, zo)) in quantizations(kind).items():
                s2, z2 = s1 * 0.7, z1
                if label == "same":
                    s2, so, zo = s1, s1, z1
                if op in ("MAXIMUM", "MINIMUM"):
                    s2, so, zo = s1, s1, z1
                if op in ("MUL", "SQUARED_DIFFERENCE") and label != "plain":
                    so = so * 4
                x, y = (first, second)
                if no_zero:
                    y = np.where(y == z2, y + 1 if z2 < LIMITS[kind][1] else y - 1, y).astype(NUMPY[kind])
                made_out = result(q(kind, x.shape, so, zo))
                yield Case(
                    f"{name}{suffix}/{kind}-{label}",
                    Model(op, [q(kind, x.shape, s1, z1), q(kind, x.shape, s2, z2)], [made_out], made, version),
                    [x, y],
                    "pairs over the whole type",
                )
        for kind in wide:
            tensor = Tensor(kind, (8, 64))
            for label, most in (("plain", 1000), ("ends", None)):
                x = integers(rng, kind, tensor.shape, None if most is None else -most, most)
                y = integers(rng, kind, tensor.shape, None if most is None else -most, most)
                y[:1] = x[:1]
                if no_zero:
                    y = other_than_zero(y)
                yield Case(
                    f"{name}{suffix}/{kind}-{label}",
                    Model(op, [tensor, tensor], [result(tensor)], made, version),
                    [x, y],
                    "the ends of the type" if most is None else "",
                )
    for kind in plain:
        tensor = Tensor(kind, (4, 64))
        yield Case(f"{name}/{kind}-plain", Model(op, [tensor, tensor], [result(tensor)], options), [fill(rng, tensor), fill(rng, tensor)])


def arithmetic(op, kind, **more):
    yield from binary(op, (kind, {}), activations=(NONE, RELU, RELU_N1_TO_1, RELU6, TANH), **more)


def pot_int16():
    for op, kind in (("ADD", "AddOptions"), ("SUB", "SubOptions")):
        rng = rng_of("pot" + op, 0)
        shape = (32, 64)
        tensors = [q("int16", shape, 1 / 2048, 0), q("int16", shape, 1 / 4096, 0)]
        yield Case(
            f"{op.lower()}/int16-pot",
            Model(op, tensors, [q("int16", shape, 1 / 2048, 0)], (kind, {"potScaleInt16": True}), 3),
            [fill(rng, t) for t in tensors],
            "powers of two",
        )


def compare(op):
    name = "".join(part.capitalize() for part in op.split("_")) + "Options"
    yield from binary(
        op,
        (name, {}),
        quantized=("int8", "uint8", "int16"),
        wide=("int32", "int64"),
        out="bool",
        plain=("bool",) if op in ("EQUAL", "NOT_EQUAL") else (),
    )


def logical(op):
    name = "".join(part.capitalize() for part in op.split("_")) + "Options"
    yield from binary(op, (name, {}), quantized=(), wide=(), floating=False, plain=("bool",))


def bitwise_xor():
    yield from binary(
        "BITWISE_XOR", ("BitwiseXorOptions", {}), quantized=(), wide=(), floating=False, plain=("bool", "int8", "int16", "int32", "uint8")
    )


def right_shift():
    rng = rng_of("shift", 0)
    for kind in ("int8", "int16", "int32", "uint8"):
        tensor = Tensor(kind, (4, 64))
        bits = np.iinfo(NUMPY[kind]).bits
        yield Case(
            f"right_shift/{kind}",
            Model("RIGHT_SHIFT", [tensor, tensor], [tensor], ("RightShiftOptions", {})),
            [fill(rng, tensor), integers(rng, kind, tensor.shape, 0, bits - 1)],
        )
        yield Case(
            f"right_shift/{kind}-beyond",
            Model("RIGHT_SHIFT", [tensor, tensor], [tensor], ("RightShiftOptions", {})),
            [fill(rng, tensor), integers(rng, kind, tensor.shape, 0 if kind == "uint8" else -3, bits + 5)],
            "shifts beyond the type",
        )


def add_n():
    rng = rng_of("addn", 0)
    for kind in ("float32", "int32"):
        for count in (1, 2, 3):
            tensor = Tensor(kind, (4, 8))
            yield Case(
                f"add_n/{kind}-{count}",
                Model("ADD_N", [tensor] * count, [tensor], ("AddNOptions", {})),
                [fill(rng, tensor) if kind != "int32" else integers(rng, kind, tensor.shape, -1000, 1000) for _ in range(count)],
            )


def prelu():
    rng = rng_of("prelu", 0)
    alpha = floats(rng, (1, 1, 7), False, -1.5, 1.5)
    x = Tensor("float32", (2, 3, 5, 7))
    yield Case("prelu/float32-plain", Model("PRELU", [x, const("float32", alpha)], [x]), [floats(rng, x.shape)])
    yield Case("prelu/float32-special", Model("PRELU", [x, const("float32", alpha)], [x]), [floats(rng, x.shape, True)])
    for kind in ("int8", "uint8"):
        for label, ((si, zi), (so, zo)) in quantizations(kind).items():
            values = np.broadcast_to(every(kind).reshape(1, 4, 64, 1), (1, 4, 64, 5)).copy()
            low, high = LIMITS[kind]
            slopes = Tensor(
                kind, (1, 1, 5), (0.02,), (zi,), data=np.array([low, zi, min(zi + 1, high), high, low // 2], NUMPY[kind]).reshape(1, 1, 5)
            )
            yield Case(
                f"prelu/{kind}-{label}",
                Model("PRELU", [q(kind, values.shape, si, zi), slopes], [q(kind, values.shape, so, zo)]),
                [values],
                "every value",
            )


# ---- sums of products

CONV = {"strideW": 1, "strideH": 1, "dilationWFactor": 1, "dilationHFactor": 1, "padding": VALID, "fusedActivationFunction": NONE}


def weights(rng, kind, shape, scales, axis, zero_point=0):
    low, high = LIMITS[kind]
    low = -high if kind == "int8" and zero_point == 0 else low
    data = rng.integers(low, high, shape, endpoint=True).astype(NUMPY[kind])
    return Tensor(kind, tuple(shape), tuple(float(s) for s in scales), (zero_point,) * len(scales), axis, data)


def accumulator_bias(rng, count, x_scale, scales, wide=False):
    scales = np.float32(x_scale) * np.float32(scales)
    kind = "int64" if wide else "int32"
    data = rng.integers(-3000, 3000, count).astype(NUMPY[kind])
    return Tensor(kind, (count,), tuple(float(s) for s in np.broadcast_to(scales, (len(scales),))), (0,) * len(scales), 0, data)


def conv_shape(n, k, stride, dilation, padding):
    k = (k - 1) * dilation + 1
    return (n + stride - 1) // stride if padding == SAME else (n - k) // stride + 1


def convolution(op):
    depthwise = op == "DEPTHWISE_CONV_2D"
    name, rng = op.lower(), rng_of(op, 0)
    kind_options = "DepthwiseConv2DOptions" if depthwise else "Conv2DOptions"
    shapes = {
        "plain": ((1, 40, 40, 4), (3, 3), 32, {}),
        "same-stride": ((1, 23, 31, 5), (3, 2), 10, {"strideW": 2, "strideH": 2, "padding": SAME}),
        "dilated": ((2, 17, 15, 3), (3, 3), 6, {"dilationWFactor": 2, "dilationHFactor": 3, "padding": SAME}),
        "point": ((1, 9, 9, 8), (1, 1), 16, {}),
        "cut": ((1, 10, 10, 2), (3, 3), 4, {"strideW": 3, "strideH": 2}),
        "oneway": ((1, 12, 9, 2), (2, 3), 4, {"strideW": 1, "strideH": 3, "padding": SAME}),
        "many": ((1, 42, 42, 16 if depthwise else 4), (3, 3), 32, {}),
    }
    activations = {"point": (NONE, RELU, RELU_N1_TO_1, RELU6, TANH), "many": (NONE,)}
    for label, (xs, (kh, kw), oc, more) in shapes.items():
        fields = {**CONV, **more}
        if depthwise:
            oc = xs[3] * 2
            fields["depthMultiplier"] = 2
        oh = conv_shape(xs[1], kh, fields["strideH"], fields["dilationHFactor"], fields["padding"])
        ow = conv_shape(xs[2], kw, fields["strideW"], fields["dilationWFactor"], fields["padding"])
        out = (xs[0], oh, ow, oc)
        ws = (1, kh, kw, oc) if depthwise else (oc, kh, kw, xs[3])
        axis = 3 if depthwise else 0
        for activation in activations.get(label, (NONE, RELU6)):
            made = (kind_options, {**fields, "fusedActivationFunction": activation})
            suffix = f"{label}-a{activation}"
            x = Tensor("float32", xs)
            w, b = const("float32", floats(rng, ws, False, -1, 1)), const("float32", floats(rng, (oc,), False, -1, 1))
            yield Case(f"{name}/float32-{suffix}", Model(op, [x, w, b], [Tensor("float32", out)], made), [floats(rng, xs)])
            if label == "cut":
                yield Case(f"{name}/float32-{suffix}-no-bias", Model(op, [x, w], [Tensor("float32", out)], made), [floats(rng, xs)])
            for kind in ("int8", "int16", "uint8", "hybrid"):
                for per_channel in (True, False):
                    if kind in ("uint8", "hybrid") and per_channel:
                        continue
                    scales = rng.uniform(0.002, 0.02, oc) if per_channel else [0.0117]
                    if kind == "hybrid":
                        if depthwise or activation:
                            continue
                        w = weights(rng, "int8", ws, scales, axis)
                        yield Case(f"{name}/hybrid-{suffix}", Model(op, [x, w, b], [Tensor("float32", out)], made, 2), [floats(rng, xs)])
                        continue
                    xq = q(kind, xs, 0.0431 if kind != "int16" else 0.00031, {"int8": -7, "uint8": 121, "int16": 0}[kind])
                    w = weights(rng, "int8" if kind == "int16" else kind, ws, scales, axis, 120 if kind == "uint8" else 0)
                    bias = accumulator_bias(rng, oc, xq.scale[0], scales, kind == "int16")
                    so = 0.09 * np.sqrt(kh * kw * (1 if depthwise else xs[3])) / 3 * (1 if kind != "int16" else 1 / 200)
                    if label == "cut":
                        so *= 8
                    yq = q(kind, out, float(so), {"int8": 11, "uint8": 139, "int16": 0}[kind])
                    yield Case(
                        f"{name}/{kind}-{suffix}-{'channels' if per_channel else 'tensor'}",
                        Model(op, [xq, w, bias], [yq], made, 3 if kind != "uint8" else 1),
                        [fill(rng, xq)],
                        "many outputs",
                    )
                    if label == "point" and activation == NONE and not per_channel:
                        yield Case(
                            f"{name}/{kind}-{suffix}-no-bias", Model(op, [xq, w], [yq], made, 3 if kind != "uint8" else 1), [fill(rng, xq)]
                        )


def fully_connected():
    op, rng = "FULLY_CONNECTED", rng_of("fc", 0)
    for label, n, k, m, keep in (("plain", 64, 33, 40, False), ("one", 1, 7, 5, False), ("keep", 6, 16, 9, True), ("many", 250, 33, 208, False)):
        xs = (n, k) if not keep else (2, 3, k)
        out = (n, m) if not keep else (2, 3, m)
        for activation in ((NONE, RELU, RELU_N1_TO_1, RELU6) if label == "plain" else (NONE,)):
            made = ("FullyConnectedOptions", {"fusedActivationFunction": activation, "keepNumDims": keep})
            suffix = f"{label}-a{activation}"
            x, w = Tensor("float32", xs), const("float32", floats(rng, (m, k), False, -1, 1))
            b = const("float32", floats(rng, (m,), False, -1, 1))
            yield Case(f"fully_connected/float32-{suffix}", Model(op, [x, w, b], [Tensor("float32", out)], made), [floats(rng, xs)])
            yield Case(
                f"fully_connected/float32-{suffix}-no-bias", Model(op, [x, w, None], [Tensor("float32", out)], made), [floats(rng, xs)]
            )
            yield Case(
                f"fully_connected/float32-{suffix}-weights",
                Model(op, [x, Tensor("float32", (m, k)), None], [Tensor("float32", out)], made),
                [floats(rng, xs), floats(rng, (m, k))],
                "weights at run time",
            )
            hybrid = weights(rng, "int8", (m, k), [0.0117], 0)
            yield Case(f"fully_connected/hybrid-{suffix}", Model(op, [x, hybrid, b], [Tensor("float32", out)], made, 3), [floats(rng, xs)])
            for kind in QUANTIZED:
                for per_channel in (False, True):
                    if per_channel and kind == "uint8":
                        continue
                    scales = rng.uniform(0.002, 0.02, m) if per_channel else [0.0117]
                    xq = q(kind, xs, 0.0431 if kind != "int16" else 0.00031, {"int8": -7, "uint8": 121, "int16": 0}[kind])
                    w = weights(rng, "int8" if kind == "int16" else kind, (m, k), scales, 0, 120 if kind == "uint8" else 0)
                    bias = accumulator_bias(rng, m, xq.scale[0], scales, kind == "int16")
                    yq = q(kind, out, 0.2 if kind != "int16" else 0.001, {"int8": 11, "uint8": 139, "int16": 0}[kind])
                    for tag, third in (("", bias), ("-no-bias", None)):
                        yield Case(
                            f"fully_connected/{kind}-{suffix}-{'channels' if per_channel else 'tensor'}{tag}",
                            Model(op, [xq, w, third], [yq], made, {"int8": 4, "int16": 7, "uint8": 1}[kind] if not per_channel else 12),
                            [fill(rng, xq)],
                        )


def transpose_conv():
    op, rng = "TRANSPOSE_CONV", rng_of("tconv", 0)
    for label, xs, (kh, kw), oc, stride, padding in (
        ("plain", (1, 9, 7, 3), (3, 3), 4, 2, VALID),
        ("same", (2, 6, 5, 4), (3, 2), 5, 2, SAME),
        ("one", (1, 6, 6, 2), (2, 2), 3, 1, SAME),
        ("wide", (1, 24, 24, 4), (4, 4), 16, 2, SAME),
        ("many", (1, 29, 29, 4), (4, 4), 16, 2, SAME),
    ):
        oh, ow = ((n * stride if padding == SAME else (n - 1) * stride + max(k, stride)) for n, k in ((xs[1], kh), (xs[2], kw)))
        out = (xs[0], oh, ow, oc)
        for activation in (NONE,) if label == "many" else (NONE, RELU, RELU6):
            made = (
                "TransposeConvOptions",
                {"strideW": stride, "strideH": stride, "padding": padding, "fusedActivationFunction": activation},
            )
            shape = const("int32", out)
            w, b = const("float32", floats(rng, (oc, kh, kw, xs[3]), False, -1, 1)), const("float32", floats(rng, (oc,)))
            version = 4 if activation else 3
            yield Case(
                f"transpose_conv/float32-{label}-a{activation}",
                Model(op, [shape, w, Tensor("float32", xs), b], [Tensor("float32", out)], made, version),
                [floats(rng, xs)],
            )
            if activation == NONE:
                yield Case(
                    f"transpose_conv/float32-{label}-no-bias",
                    Model(op, [shape, w, Tensor("float32", xs)], [Tensor("float32", out)], made, 1),
                    [floats(rng, xs)],
                )
            for kind in QUANTIZED:
                for per_channel in (True, False):
                    if kind == "uint8" and per_channel:
                        continue
                    scales = rng.uniform(0.002, 0.02, oc) if per_channel else [0.0117]
                    xq = q(kind, xs, 0.0431 if kind != "int16" else 0.00031, {"int8": -7, "uint8": 121, "int16": 0}[kind])
                    w = weights(rng, "int8" if kind == "int16" else kind, (oc, kh, kw, xs[3]), scales, 0, 120 if kind == "uint8" else 0)
                    bias = accumulator_bias(rng, oc, xq.scale[0], scales, kind == "int16")
                    yq = q(kind, out, 0.11 if kind != "int16" else 0.0008, {"int8": 11, "uint8": 139, "int16": 0}[kind])
                    yield Case(
                        f"transpose_conv/{kind}-{label}-a{activation}-{'channels' if per_channel else 'tensor'}",
                        Model(op, [shape, w, xq, bias], [yq], made, version),
                        [fill(rng, xq)],
                    )


def conv_3d():
    rng = rng_of("conv3d", 0)
    small = (1, 5, 6, 7, 2)
    for label, xs, padding, stride, activation in (
        ("plain", small, VALID, 1, NONE),
        ("same", small, SAME, 2, RELU),
        ("relu6", small, SAME, 1, RELU6),
        ("many", (1, 14, 34, 34, 2), VALID, 1, NONE),
    ):
        ks = (2, 3, 3, 2, 4)
        out = (1, *(conv_shape(n, k, stride, 1, padding) for n, k in zip(xs[1:4], ks[:3])), 4)
        made = (
            "Conv3DOptions",
            {
                "padding": padding,
                "strideD": stride,
                "strideW": stride,
                "strideH": stride,
                "dilationDFactor": 1,
                "dilationWFactor": 1,
                "dilationHFactor": 1,
                "fusedActivationFunction": activation,
            },
        )
        yield Case(
            f"conv_3d/float32-{label}",
            Model(
                "CONV_3D",
                [Tensor("float32", xs), const("float32", floats(rng, ks, False, -1, 1)), const("float32", floats(rng, (4,)))],
                [Tensor("float32", out)],
                made,
            ),
            [floats(rng, xs)],
        )


def batch_matmul():
    rng = rng_of("bmm", 0)
    for label, a, b, adj_x, adj_y in (
        ("plain", (2, 9, 13), (2, 13, 11), False, False),
        ("adjoint-y", (2, 9, 13), (2, 11, 13), False, True),
        ("adjoint-x", (2, 13, 9), (2, 13, 11), True, False),
        ("broadcast", (1, 3, 9, 13), (2, 1, 13, 11), False, False),
        ("rank2", (9, 13), (13, 11), False, False),
        ("large", (2, 96, 40), (2, 40, 96), False, False),
        ("many", (2, 160, 40), (2, 40, 160), False, False),
    ):
        rows = a[-1] if adj_x else a[-2]
        columns = b[-2] if adj_y else b[-1]
        out = np.broadcast_shapes(a[:-2], b[:-2]) + (rows, columns)
        made = ("BatchMatMulOptions", {"adjX": adj_x, "adjY": adj_y})
        yield Case(
            f"batch_matmul/float32-{label}",
            Model("BATCH_MATMUL", [Tensor("float32", a), Tensor("float32", b)], [Tensor("float32", out)], made),
            [floats(rng, a), floats(rng, b)],
        )
        for kind in ("int8", "int16"):
            s, z = ((0.031, -5), (0.0172, 9)) if kind == "int8" else ((0.0003, 0), (0.0002, 0))
            tensors = [q(kind, a, *s), q(kind, b, *z)]
            yield Case(
                f"batch_matmul/{kind}-{label}",
                Model(
                    "BATCH_MATMUL",
                    tensors,
                    [q(kind, out, *((0.17, 4) if kind == "int8" else (0.004, 0)))],
                    made,
                    2 if kind == "int8" else 3,
                ),
                [fill(rng, t) for t in tensors],
            )


# ---- windows, reductions


def pool(op):
    rng = rng_of(op, 0)
    for label, xs, (kh, kw), stride, padding in (
        ("plain", (1, 20, 20, 8), (2, 2), 2, VALID),
        ("same", (2, 11, 9, 5), (3, 3), 2, SAME),
        ("odd", (1, 13, 12, 3), (5, 3), 3, SAME),
        ("cut", (1, 10, 11, 2), (3, 3), 2, VALID),
        ("large", (1, 40, 40, 2), (17, 17), 1, VALID),
    ):
        out = (xs[0], conv_shape(xs[1], kh, stride, 1, padding), conv_shape(xs[2], kw, stride, 1, padding), xs[3])
        for activation in (NONE, RELU, RELU_N1_TO_1, RELU6):
            made = (
                "Pool2DOptions",
                {
                    "padding": padding,
                    "strideW": stride,
                    "strideH": stride,
                    "filterWidth": kw,
                    "filterHeight": kh,
                    "fusedActivationFunction": activation,
                },
            )
            name = f"{op.lower()}/%s-{label}-a{activation}"
            tensor = Tensor("float32", xs)
            yield Case(name % "float32", Model(op, [tensor], [Tensor("float32", out)], made), [floats(rng, xs)])
            if op != "L2_POOL_2D" and activation in (NONE, RELU6):
                yield Case(
                    name % "float32" + "-special", Model(op, [tensor], [Tensor("float32", out)], made), [floats(rng, xs, True)], "NaN"
                )
            if op == "L2_POOL_2D":
                continue
            for kind in QUANTIZED:
                s, z = (0.031, {"int8": -5, "uint8": 122, "int16": 0}[kind])
                yield Case(
                    name % kind,
                    Model(op, [q(kind, xs, s, z)], [q(kind, out, s, z)], made, 2 if kind != "int16" else 3),
                    [integers(rng, kind, xs)],
                )


def reduction(op, kinds, quantized):
    rng = rng_of(op, 0)
    for label, shape, axes, keep in (
        ("last", (5, 7, 33), (2,), False),
        ("keep", (3, 9, 8), (1,), True),
        ("two", (2, 5, 6, 7), (1, 2), False),
        ("negative", (4, 6, 5), (-2,), True),
        ("all", (3, 4, 5), (0, 1, 2), False),
        ("many", (16, 300), (1,), False),
        ("first", (6, 5), (0,), False),
        ("twice", (4, 6), (1, 1), False),
    ):
        axis_set = {a % len(shape) for a in axes}
        out = tuple(1 if i in axis_set else n for i, n in enumerate(shape) if keep or i not in axis_set)
        made = ("ReducerOptions", {"keepDims": keep})
        axis = const("int32", axes)
        for kind in kinds:
            for special in ((False, True) if kind == "float32" and label in ("last", "many") else (False,)):
                tensor = Tensor(kind, shape)
                if kind == "float32":
                    values = floats(rng, shape, special, *((0.5, 1.6) if op == "REDUCE_PROD" else (-8, 8)))
                elif kind in ("int32", "int64"):
                    values = integers(rng, kind, shape, -3 if op == "REDUCE_PROD" else -1000, 3 if op == "REDUCE_PROD" else 1000)
                else:
                    values = fill(rng, tensor)
                yield Case(
                    f"{op.lower()}/{kind}-{label}{'-special' if special else ''}",
                    Model(op, [tensor, axis], [Tensor(kind, out)], made),
                    [values],
                    "NaN" if special else "",
                )
        for kind in quantized:
            for scales in ("plain", "same") if op in ("SUM", "MEAN", "REDUCE_PROD") else ("same",):
                (si, zi), (so, zo) = quantizations(kind).get(scales, quantizations(kind)["plain"])
                if op in ("REDUCE_MAX", "REDUCE_MIN"):
                    so, zo = si, zi
                if op == "SUM" and scales == "plain":
                    so *= 5
                yield Case(
                    f"{op.lower()}/{kind}-{label}-{scales}",
                    Model(op, [q(kind, shape, si, zi), axis], [q(kind, out, so, zo)], made, 2),
                    [integers(rng, kind, shape)],
                )


def arg(op):
    rng = rng_of(op, 0)
    options = "ArgMaxOptions" if op == "ARG_MAX" else "ArgMinOptions"
    for label, shape, axis in (("last", (4, 9), 1), ("first", (5, 7), 0), ("middle", (2, 8, 3), 1), ("negative", (3, 4, 6), -1)):
        out = tuple(n for i, n in enumerate(shape) if i != axis % len(shape))
        for kind in ("float32", "int8", "uint8", "int32", "int16", "bool"):
            tensor = q(kind, shape, 0.1, 3) if kind in ("int8", "uint8") else Tensor(kind, shape)
            values = fill(rng, tensor)
            if kind != "float32":
                values = values // 32 if kind in ("int8", "uint8") else values
            for special in ((False, True) if kind == "float32" else (False,)):
                if special:
                    values = values.copy()
                    values.reshape(-1)[::3] = np.nan
                yield Case(
                    f"{op.lower()}/{kind}-{label}{'-nan' if special else ''}",
                    Model(op, [tensor, const("int32", axis)], [Tensor("int32", out)], (options, {"outputType": 2})),
                    [values],
                    "NaN" if special else "ties",
                )
    yield Case(
        f"{op.lower()}/float32-int64",
        Model(op, [Tensor("float32", (3, 5)), const("int32", 1)], [Tensor("int64", (3,))], (options, {"outputType": 4})),
        [floats(rng, (3, 5))],
    )


def cumsum():
    rng = rng_of("cumsum", 0)
    for kind in ("float32", "int32", "int64"):
        for exclusive in (False, True):
            for reverse in (False, True):
                for axis in (0, 1, -1):
                    tensor = Tensor(kind, (3, 6))
                    values = floats(rng, (3, 6)) if kind == "float32" else integers(rng, kind, (3, 6), -100, 100)
                    yield Case(
                        f"cumsum/{kind}-{int(exclusive)}{int(reverse)}-{axis}",
                        Model(
                            "CUMSUM",
                            [tensor, const("int32", axis)],
                            [tensor],
                            ("CumsumOptions", {"exclusive": exclusive, "reverse": reverse}),
                        ),
                        [values],
                    )


def l2_normalization():
    rng = rng_of("l2", 0)
    for shape in ((4, 8), (2, 3, 5)):
        for activation in (NONE, RELU):
            tensor = Tensor("float32", shape)
            made = ("L2NormOptions", {"fusedActivationFunction": activation})
            name = f"l2_normalization/%s-{len(shape)}-a{activation}"
            values = floats(rng, shape)
            values[0] = 0
            yield Case(name % "float32", Model("L2_NORMALIZATION", [tensor], [tensor], made), [values], "a row of zeros")
            for kind in ("int8", "uint8"):
                so, zo = FIXED["L2_NORMALIZATION"][kind]
                yield Case(
                    name % kind,
                    Model("L2_NORMALIZATION", [q(kind, shape, 0.1, 3)], [q(kind, shape, so, zo)], made, 2),
                    [integers(rng, kind, shape)],
                )


def local_response_normalization():
    rng = rng_of("lrn", 0)
    tensor = Tensor("float32", (1, 2, 3, 9))
    for radius, bias, alpha, beta in ((2, 1.0, 0.3, 0.5), (5, 2.0, 1.0, 0.75)):
        yield Case(
            f"local_response_normalization/float32-{radius}",
            Model(
                "LOCAL_RESPONSE_NORMALIZATION",
                [tensor],
                [tensor],
                ("LocalResponseNormalizationOptions", {"radius": radius, "bias": bias, "alpha": alpha, "beta": beta}),
            ),
            [floats(rng, tensor.shape)],
        )


# ---- layout

LAYOUT = ("float32", "int8", "uint8", "int16", "int32", "bool", "int64")


def sample(rng, kind, shape):
    tensor = Tensor(kind, shape)
    return tensor, fill(rng, tensor)


def layout(op, name, kinds, shape, out, operands=(), options=(), version=1, before=(), quantized=True, tag=""):
    rng = rng_of(name + tag, 0)
    for kind in kinds:
        tensor = q(kind, shape, 0.1, 3) if quantized and kind in ("int8", "uint8") else Tensor(kind, shape)
        result = dataclasses.replace(tensor, shape=tuple(out))
        yield Case(f"{name}/{kind}{tag}", Model(op, [*before, tensor, *operands], [result], options, version), [fill(rng, tensor)])


def reshape():
    for label, shape, out in (
        ("plain", (2, 3, 4), (6, 4)),
        ("flat", (2, 3), (6,)),
        ("same", (2, 3), (2, 3)),
        ("more", (12,), (1, 2, 1, 6)),
        ("scalar", (1,), ()),
    ):
        yield from layout(
            "RESHAPE",
            "reshape",
            LAYOUT,
            shape,
            out,
            [const("int32", np.int32(out))],
            ("ReshapeOptions", {"newShape": list(out)}),
            tag=f"-{label}",
        )
    yield from layout(
        "RESHAPE",
        "reshape",
        ("float32",),
        (2, 3, 4),
        (6, 4),
        [const("int32", [-1, 4])],
        ("ReshapeOptions", {"newShape": [-1, 4]}),
        tag="-unknown",
    )


def transpose():
    for label, shape, order in (
        ("2", (3, 5), (1, 0)),
        ("3", (2, 3, 4), (2, 0, 1)),
        ("4", (2, 3, 4, 5), (0, 3, 1, 2)),
        ("same", (2, 3), (0, 1)),
        ("5", (1, 2, 3, 2, 2), (4, 2, 3, 0, 1)),
        ("6", (1, 2, 3, 2, 2, 2), (5, 4, 2, 3, 0, 1)),
    ):
        yield from layout(
            "TRANSPOSE",
            "transpose",
            LAYOUT,
            shape,
            [shape[i] for i in order],
            [const("int32", order)],
            ("TransposeOptions", {}),
            tag=f"-{label}",
        )


def concatenation():
    rng = rng_of("concat", 0)
    for kind in LAYOUT:
        for axis, shapes in ((1, ((2, 3), (2, 1), (2, 4))), (0, ((2, 3), (1, 3))), (-1, ((2, 3, 2), (2, 3, 5)))):
            for activation in (NONE, RELU, RELU6) if kind in ("float32", "int8") else (NONE,):
                tensors = [
                    q(kind, s, 0.1, 3) if kind in ("int8", "uint8", "int16") and kind != "int16" else Tensor(kind, s) for s in shapes
                ]
                out = list(shapes[0])
                out[axis] = sum(s[axis] for s in shapes)
                made = ("ConcatenationOptions", {"axis": axis, "fusedActivationFunction": activation})
                yield Case(
                    f"concatenation/{kind}-{axis}-a{activation}",
                    Model("CONCATENATION", tensors, [dataclasses.replace(tensors[0], shape=tuple(out))], made),
                    [fill(rng, t) for t in tensors],
                )
    for kind in ("int8", "uint8"):
        tensors = [q(kind, every(kind).shape, s, z) for s, z in ((0.1, 3), (0.07, 9), (0.25, 20))]
        yield Case(
            f"concatenation/{kind}-scales",
            Model(
                "CONCATENATION",
                tensors,
                [q(kind, (every(kind).shape[0] * 3, 64), 0.13, 7)],
                ("ConcatenationOptions", {"axis": 0, "fusedActivationFunction": NONE}),
            ),
            [every(kind)] * 3,
            "scales differ",
        )


def pad():
    for label, shape, pads in (
        ("plain", (2, 3), ((1, 2), (0, 3))),
        ("none", (2, 3), ((0, 0), (0, 0))),
        ("4", (1, 3, 4, 2), ((0, 0), (1, 1), (2, 0), (0, 0))),
    ):
        out = [n + a + b for n, (a, b) in zip(shape, pads)]
        operand = const("int32", pads)
        yield from layout("PAD", "pad", LAYOUT, shape, out, [operand], ("PadOptions", {}), 2, tag=f"-{label}")
        for kind in ("float32", "int8", "uint8", "int32"):
            value = Tensor(
                kind,
                (),
                (0.1,) if kind in ("int8", "uint8") else (),
                (3,) if kind in ("int8", "uint8") else (),
                data=np.array(5, NUMPY[kind]),
            )
            yield from layout("PADV2", "padv2", (kind,), shape, out, [operand, value], ("PadV2Options", {}), 2, tag=f"-{label}")
        if label == "plain":
            for mode, pads in ((REFLECT, ((1, 1), (0, 2))), (SYMMETRIC, ((2, 1), (3, 0)))):
                out = [n + a + b for n, (a, b) in zip(shape, pads)]
                yield from layout(
                    "MIRROR_PAD",
                    "mirror_pad",
                    ("float32", "int8", "int32"),
                    shape,
                    out,
                    [const("int32", pads)],
                    ("MirrorPadOptions", {"mode": mode}),
                    tag=f"-{mode}",
                )


def slices():
    for label, shape, begin, size in (
        ("plain", (4, 5), (1, 2), (2, 3)),
        ("rest", (4, 5, 3), (1, 0, 2), (-1, 2, -1)),
        ("whole", (3, 2), (0, 0), (3, 2)),
    ):
        out = [n - b if s == -1 else s for n, b, s in zip(shape, begin, size)]
        yield from layout(
            "SLICE", "slice", LAYOUT, shape, out, [const("int32", begin), const("int32", size)], ("SliceOptions", {}), 2, tag=f"-{label}"
        )
    # begin, end, strides, begin_mask, end_mask, ellipsis, new_axis, shrink
    rows = {
        "plain": ((6, 7), (1, 2), (5, 6), (1, 1), {}),
        "strides": ((6, 7), (0, 1), (6, 7), (2, 3), {}),
        "negative": ((6, 7), (-5, -6), (-1, -2), (1, 1), {}),
        "reverse": ((6, 7), (5, 6), (0, 1), (-1, -2), {}),
        "reverse-mask": ((5, 4), (0, 0), (0, 0), (-1, 1), {"beginMask": 3, "endMask": 3}),
        "masks": ((6, 7), (3, 3), (4, 4), (1, 1), {"beginMask": 1, "endMask": 2}),
        "shrink": ((6, 7), (2, 1), (3, 5), (1, 1), {"shrinkAxisMask": 1}),
        "shrink-negative": ((6, 7), (-1, 1), (0, 5), (1, 1), {"shrinkAxisMask": 1}),
        "beyond": ((6, 7), (2, 1), (100, 50), (1, 1), {}),
        "before": ((6, 7), (-100, 1), (4, 50), (1, 1), {}),
        "beyond-strides": ((6, 7), (1, 1), (100, 50), (4, 5), {}),
        "new-axis": ((6, 7), (0, 1, 1), (0, 4, 5), (1, 1, 1), {"newAxisMask": 1}),
        "ellipsis": ((4, 5, 6), (0, 1), (0, 3), (1, 1), {"ellipsisMask": 1}),
        "fewer": ((4, 5, 6), (1,), (3,), (1,), {}),
        "offset": ((6, 7), (1, 1), (2, 3), (1, 1), {"offset": True}),
    }
    for label, (shape, begin, end, strides, masks) in rows.items():
        if label == "new-axis":
            out = (1, 3, 4)
        elif label == "ellipsis":
            out = (4, 5, 2)
        elif label == "offset":
            out = (2, 3)
        else:
            index = []
            for i, (b, e, s) in enumerate(zip(begin, end, strides)):
                if masks.get("shrinkAxisMask", 0) >> i & 1:
                    index.append(b)
                    continue
                index.append(slice(None if masks.get("beginMask", 0) >> i & 1 else b, None if masks.get("endMask", 0) >> i & 1 else e, s))
            out = np.zeros(shape)[tuple(index)].shape
        fields = {"beginMask": 0, "endMask": 0, "ellipsisMask": 0, "newAxisMask": 0, "shrinkAxisMask": 0, "offset": False, **masks}
        yield from layout(
            "STRIDED_SLICE",
            "strided_slice",
            ("float32", "int8", "uint8", "int32", "bool", "int16"),
            shape,
            out,
            [const("int32", begin), const("int32", end), const("int32", strides)],
            ("StridedSliceOptions", fields),
            2,
            tag=f"-{label}",
        )


def splits():
    rng = rng_of("split", 0)
    for kind in ("float32", "int8", "uint8", "int16", "int32"):
        for axis, shape, count in ((1, (2, 6), 3), (0, (4, 3), 2), (-1, (2, 2, 4), 4)):
            tensor, values = sample(rng, kind, shape)
            out = list(shape)
            out[axis] //= count
            yield Case(
                f"split/{kind}-{axis}",
                Model(
                    "SPLIT",
                    [const("int32", axis), tensor],
                    [dataclasses.replace(tensor, shape=tuple(out))] * count,
                    ("SplitOptions", {"numSplits": count}),
                    2,
                ),
                [values],
            )
            tensor, values = sample(rng, kind, (3, 7))
            sizes = (2, 4, 1)
            yield Case(
                f"split_v/{kind}-{axis}",
                Model(
                    "SPLIT_V",
                    [tensor, const("int32", sizes), const("int32", 1)],
                    [dataclasses.replace(tensor, shape=(3, n)) for n in sizes],
                    ("SplitVOptions", {"numSplits": 3}),
                ),
                [values],
            )
            shape = (2, 3)
            tensors = [Tensor(kind, shape)] * 3
            out = list(shape)
            out.insert(axis if axis >= 0 else len(shape), 3)
            yield Case(
                f"pack/{kind}-{axis}",
                Model("PACK", tensors, [Tensor(kind, tuple(out))], ("PackOptions", {"valuesCount": 3, "axis": axis})),
                [fill(rng, t) for t in tensors],
            )
            shape = (3, 2, 3)
            if axis == 1:
                shape = (2, 3, 3)
            tensor, values = sample(rng, kind, shape)
            out = [n for i, n in enumerate(shape) if i != axis % 3]
            yield Case(
                f"unpack/{kind}-{axis}",
                Model("UNPACK", [tensor], [Tensor(kind, tuple(out))] * 3, ("UnpackOptions", {"num": 3, "axis": axis})),
                [values],
            )


def other_layout():
    yield from layout("SQUEEZE", "squeeze", LAYOUT, (1, 3, 1, 2), (3, 2), (), ("SqueezeOptions", {"squeezeDims": [0, 2]}))
    yield from layout(
        "SQUEEZE", "squeeze", ("float32",), (1, 3, 1, 2), (3, 1, 2), (), ("SqueezeOptions", {"squeezeDims": [-4]}), tag="-negative"
    )
    yield from layout("EXPAND_DIMS", "expand_dims", LAYOUT, (3, 2), (3, 1, 2), [const("int32", 1)], ("ExpandDimsOptions", {}))
    yield from layout(
        "EXPAND_DIMS", "expand_dims", ("float32",), (3, 2), (3, 2, 1), [const("int32", -1)], ("ExpandDimsOptions", {}), tag="-negative"
    )
    yield from layout("TILE", "tile", LAYOUT, (2, 3), (4, 9), [const("int32", (2, 3))], ("TileOptions", {}))
    yield from layout("BROADCAST_TO", "broadcast_to", LAYOUT, (1, 3), (4, 2, 3), [const("int32", (4, 2, 3))], ("BroadcastToOptions", {}), 2)
    yield from layout("REVERSE_V2", "reverse_v2", LAYOUT, (2, 3, 4), (2, 3, 4), [const("int32", [1])], ("ReverseV2Options", {}))
    yield from layout(
        "REVERSE_V2",
        "reverse_v2",
        ("float32", "int32"),
        (2, 3, 4),
        (2, 3, 4),
        [const("int32", [2, 1])],
        ("ReverseV2Options", {}),
        tag="-two",
    )
    yield from layout(
        "REVERSE_V2", "reverse_v2", ("float32",), (2, 3, 4), (2, 3, 4), [const("int32", [-1])], ("ReverseV2Options", {}), tag="-negative"
    )
    yield from layout(
        "REVERSE_SEQUENCE",
        "reverse_sequence",
        ("float32", "int32"),
        (3, 5),
        (3, 5),
        [const("int32", [1, 5, 3])],
        ("ReverseSequenceOptions", {"seqDim": 1, "batchDim": 0}),
    )
    for block in (2, 3):
        yield from layout(
            "SPACE_TO_DEPTH",
            "space_to_depth",
            LAYOUT,
            (1, 6, 6, 3),
            (1, 6 // block, 6 // block, 3 * block * block),
            (),
            ("SpaceToDepthOptions", {"blockSize": block}),
            tag=f"-{block}",
        )
        yield from layout(
            "DEPTH_TO_SPACE",
            "depth_to_space",
            LAYOUT,
            (1, 2, 3, block * block * 2),
            (1, 2 * block, 3 * block, 2),
            (),
            ("DepthToSpaceOptions", {"blockSize": block}),
            tag=f"-{block}",
        )
    for label, pads in (("plain", ((0, 0), (0, 0))), ("pads", ((1, 1), (0, 2)))):
        shape = (1, 4, 6, 2)
        h, w = 4 + sum(pads[0]), 6 + sum(pads[1])
        yield from layout(
            "SPACE_TO_BATCH_ND",
            "space_to_batch_nd",
            LAYOUT,
            shape,
            (4, h // 2, w // 2, 2),
            [const("int32", (2, 2)), const("int32", pads)],
            ("SpaceToBatchNDOptions", {}),
            2,
            tag=f"-{label}",
        )
        crops = ((0, 0), (0, 0)) if label == "plain" else ((1, 0), (0, 2))
        yield from layout(
            "BATCH_TO_SPACE_ND",
            "batch_to_space_nd",
            LAYOUT,
            (4, 3, 2, 2),
            (1, 6 - sum(crops[0]), 4 - sum(crops[1]), 2),
            [const("int32", (2, 2)), const("int32", crops)],
            ("BatchToSpaceNDOptions", {}),
            2,
            tag=f"-{label}",
        )
    yield from layout("ZEROS_LIKE", "zeros_like", LAYOUT, (2, 3), (2, 3), (), ("ZerosLikeOptions", {}))
    for kind in LAYOUT:
        yield Case(
            f"shape/{kind}",
            Model("SHAPE", [Tensor(kind, (2, 3, 4))], [Tensor("int32", (3,))], ("ShapeOptions", {"outType": 2})),
            [fill(rng_of("shape", 0), Tensor(kind, (2, 3, 4)))],
        )
    yield Case(
        "rank/float32",
        Model("RANK", [Tensor("float32", (2, 3))], [Tensor("int32", ())], ("RankOptions", {})),
        [np.zeros((2, 3), np.float32)],
    )
    for kind in ("float32", "int32", "bool", "int8"):
        yield Case(
            f"fill/{kind}",
            Model("FILL", [const("int32", (2, 3)), Tensor(kind, ())], [Tensor(kind, (2, 3))], ("FillOptions", {})),
            [fill(rng_of("fill", 0), Tensor(kind, ())).reshape(()) if kind != "int8" else np.int8(5).reshape(())],
        )
    rng = rng_of("bitcast", 0)
    yield Case(
        "bitcast/float32-int32",
        Model("BITCAST", [Tensor("float32", (3, 4))], [Tensor("int32", (3, 4))], ("BitcastOptions", {})),
        [floats(rng, (3, 4), True)],
    )
    yield Case(
        "matrix_diag/float32",
        Model("MATRIX_DIAG", [Tensor("float32", (2, 3))], [Tensor("float32", (2, 3, 3))], ("MatrixDiagOptions", {})),
        [floats(rng, (2, 3))],
    )
    for kind in ("float32", "int32", "int8", "bool"):
        x, update = Tensor(kind, (4, 5)), Tensor(kind, (2, 2))
        for label, start in (("plain", (1, 2)), ("beyond", (3, 4)), ("negative", (-2, 0))):
            yield Case(
                f"dynamic_update_slice/{kind}-{label}",
                Model("DYNAMIC_UPDATE_SLICE", [x, update, const("int32", start)], [x], ("DynamicUpdateSliceOptions", {})),
                [fill(rng, x), fill(rng, update)],
                "an end beyond the dimension is moved back" if label != "plain" else "",
            )


# ---- by index


def gathers():
    rng = rng_of("gather", 0)
    for kind in LAYOUT:
        x = q(kind, (4, 5, 3), 0.1, 3) if kind in ("int8", "uint8") else Tensor(kind, (4, 5, 3))
        for axis in (0, 1, -1):
            n = x.shape[axis]
            index = rng.integers(0, n, 6).astype(np.int32)
            out = list(x.shape)
            out[axis] = 6
            y = dataclasses.replace(x, shape=tuple(out))
            yield Case(
                f"gather/{kind}-{axis}",
                Model("GATHER", [x, Tensor("int32", (6,))], [y], ("GatherOptions", {"axis": axis}), 2),
                [fill(rng, x), index],
            )
            yield Case(
                f"gather/{kind}-{axis}-constant",
                Model("GATHER", [x, const("int32", index)], [y], ("GatherOptions", {"axis": axis}), 2),
                [fill(rng, x)],
            )
        y = dataclasses.replace(x, shape=(2, 3, 5, 3))
        yield Case(
            f"gather/{kind}-matrix",
            Model("GATHER", [x, Tensor("int32", (2, 3))], [y], ("GatherOptions", {"axis": 0}), 2),
            [fill(rng, x), rng.integers(0, 4, (2, 3)).astype(np.int32)],
        )
        y = dataclasses.replace(x, shape=(4, 2, 3))
        yield Case(
            f"gather/{kind}-batch",
            Model("GATHER", [x, Tensor("int32", (4, 2))], [y], ("GatherOptions", {"axis": 1, "batchDims": 1}), 5),
            [fill(rng, x), rng.integers(0, 5, (4, 2)).astype(np.int32)],
        )
        y = dataclasses.replace(x, shape=(7, 3))
        index = np.stack([rng.integers(0, 4, 7), rng.integers(0, 5, 7)], 1).astype(np.int32)
        yield Case(
            f"gather_nd/{kind}", Model("GATHER_ND", [x, Tensor("int32", (7, 2))], [y], ("GatherNdOptions", {})), [fill(rng, x), index]
        )
        yield Case(
            f"gather_nd/{kind}-constant", Model("GATHER_ND", [x, const("int32", index)], [y], ("GatherNdOptions", {})), [fill(rng, x)]
        )
    x = Tensor("float32", (4, 3))
    yield Case(
        "gather/float32-out-of-range",
        Model("GATHER", [x, Tensor("int32", (3,))], [Tensor("float32", (3, 3))], ("GatherOptions", {"axis": 0}), 2),
        [floats(rng, (4, 3)), np.int32([1, 4, -1])],
        "indices out of range",
    )
    yield Case(
        "gather/float32-int64",
        Model("GATHER", [x, Tensor("int64", (3,))], [Tensor("float32", (3, 3))], ("GatherOptions", {"axis": 0}), 2),
        [floats(rng, (4, 3)), np.int64([1, 3, 0])],
    )
    for kind in ("float32", "int32", "int8", "bool", "uint8"):
        updates = Tensor(kind, (3, 2))
        index = np.int32([[4], [1], [0]])
        twice = np.int32([[4], [1], [4]])
        for label, indices in (("plain", index), ("twice", twice)):
            yield Case(
                f"scatter_nd/{kind}-{label}",
                Model(
                    "SCATTER_ND",
                    [Tensor("int32", (3, 1)), updates, const("int32", (5, 2))],
                    [Tensor(kind, (5, 2))],
                    ("ScatterNdOptions", {}),
                ),
                [indices, integers(rng, kind, (3, 2), 0, 50) if kind in ("int8", "uint8", "int32") else fill(rng, updates)],
                "an index twice: sums" if label == "twice" else "",
            )
    table = Tensor("float32", (6, 4))
    yield Case(
        "embedding_lookup/float32",
        Model(
            "EMBEDDING_LOOKUP", [Tensor("int32", (3,)), dataclasses.replace(table, data=floats(rng, (6, 4)))], [Tensor("float32", (3, 4))]
        ),
        [np.int32([5, 0, 2])],
    )


def selects():
    rng = rng_of("select", 0)
    for kind in LAYOUT:
        x = q(kind, (3, 4), 0.1, 3) if kind in ("int8", "uint8") else Tensor(kind, (3, 4))
        c = Tensor("bool", (3, 4))
        yield Case(f"select/{kind}", Model("SELECT", [c, x, x], [x], ("SelectOptions", {})), [fill(rng, c), fill(rng, x), fill(rng, x)])
        yield Case(
            f"select/{kind}-vector",
            Model("SELECT", [Tensor("bool", (3,)), x, x], [x], ("SelectOptions", {})),
            [np.array([True, False, True]), fill(rng, x), fill(rng, x)],
            "a condition by row",
        )
        row = dataclasses.replace(x, shape=(1, 4))
        yield Case(
            f"select_v2/{kind}", Model("SELECT_V2", [c, x, x], [x], ("SelectV2Options", {})), [fill(rng, c), fill(rng, x), fill(rng, x)]
        )
        yield Case(
            f"select_v2/{kind}-broadcast",
            Model("SELECT_V2", [Tensor("bool", (3, 1)), row, x], [x], ("SelectV2Options", {})),
            [np.array([[True], [False], [True]]), fill(rng, row), fill(rng, x)],
        )
        yield Case(
            f"select_v2/{kind}-scalar",
            Model("SELECT_V2", [Tensor("bool", ()), x, dataclasses.replace(x, shape=())], [x], ("SelectV2Options", {})),
            [np.array(False), fill(rng, x), np.asarray(fill(rng, dataclasses.replace(x, shape=(1,)))).reshape(())],
        )


def one_hot():
    for kind in ("float32", "int32", "int8", "bool", "uint8", "int16", "int64"):
        for label, indices in (("plain", [0, 2, 1, 3]), ("beyond", [0, -1, 4, 3])):
            for axis in (-1, 0):
                on, off = (const(kind, v) for v in ((True, False) if kind == "bool" else (5, 2)))
                out = (4, 4)
                yield Case(
                    f"one_hot/{kind}-{label}-{axis}",
                    Model(
                        "ONE_HOT",
                        [Tensor("int32", (4,)), const("int32", 4), on, off],
                        [Tensor(kind, out)],
                        ("OneHotOptions", {"axis": axis}),
                    ),
                    [np.int32(indices)],
                    "indices out of range" if label == "beyond" else "",
                )


def rest():
    rng = rng_of("rest", 0)
    yield Case(
        "where/bool",
        Model("WHERE", [Tensor("bool", (2, 3))], [Tensor("int64", (3, 2))], ("WhereOptions", {})),
        [np.array([[1, 0, 1], [0, 1, 0]], bool)],
    )
    yield Case(
        "range/int32",
        Model("RANGE", [const("int32", 2), const("int32", 11), const("int32", 3)], [Tensor("int32", (3,))], ("RangeOptions", {})),
        [],
    )
    for kind in ("float32", "int32", "int8"):
        x = Tensor(kind, (3, 7))
        yield Case(
            f"topk_v2/{kind}",
            Model("TOPK_V2", [x, const("int32", 3)], [Tensor(kind, (3, 3)), Tensor("int32", (3, 3))], ("TopKV2Options", {})),
            [fill(rng, x)],
        )
    x = Tensor("float32", (1, 8))
    yield Case(
        "fake_quant/float32",
        Model("FAKE_QUANT", [x], [x], ("FakeQuantOptions", {"min": -2.0, "max": 3.0, "numBits": 8, "narrowRange": False})),
        [floats(rng, (1, 8), False, -4, 4)],
    )
    x = Tensor("float32", (2, 8, 16))
    yield Case(
        "rfft2d/float32",
        Model("RFFT2D", [x, const("int32", (8, 16))], [Tensor("complex64", (2, 8, 9))], ("Rfft2dOptions", {})),
        [floats(rng, x.shape)],
    )
    x = Tensor("float32", (3, 5))
    yield Case(
        "bucketize/float32",
        Model("BUCKETIZE", [x], [Tensor("int32", (3, 5))], ("BucketizeOptions", {"boundaries": [-1.0, 0.0, 2.0]})),
        [floats(rng, (3, 5))],
    )
    yield Case(
        "unique/int32",
        Model("UNIQUE", [Tensor("int32", (5,))], [Tensor("int32", (3,)), Tensor("int32", (5,))], ("UniqueOptions", {"idxOutType": 2})),
        [np.int32([1, 2, 1, 5, 2])],
    )
    yield Case(
        "segment_sum/float32",
        Model(
            "SEGMENT_SUM", [Tensor("float32", (4, 3)), const("int32", [0, 0, 1, 2])], [Tensor("float32", (3, 3))], ("SegmentSumOptions", {})
        ),
        [floats(rng, (4, 3))],
    )
    yield Case(
        "sparse_to_dense/float32",
        Model(
            "SPARSE_TO_DENSE",
            [const("int32", [1, 3]), const("int32", [5]), Tensor("float32", (2,)), const("float32", 0.5)],
            [Tensor("float32", (5,))],
            ("SparseToDenseOptions", {"validateIndices": False}),
        ),
        [np.float32([2, 3])],
    )


def resize(op):
    rng = rng_of(op, 0)
    kind_options = "ResizeBilinearOptions" if op == "RESIZE_BILINEAR" else "ResizeNearestNeighborOptions"
    sizes = {
        "double": ((1, 5, 6, 2), (10, 12)),
        "third": ((1, 9, 12, 2), (3, 4)),
        "odd": ((1, 5, 7, 3), (8, 9)),
        "same": ((1, 4, 4, 1), (4, 4)),
        "one": ((1, 1, 1, 3), (4, 3)),
        "half": ((2, 8, 8, 2), (4, 4)),
        "line": ((1, 3, 8, 1), (1, 15)),
        "wide": ((1, 16, 16, 1), (5, 37)),
        "to-one": ((1, 5, 6, 2), (1, 1)),
        "grow": ((1, 3, 3, 2), (33, 35)),
    }
    for align, half in ((False, False), (True, False), (False, True)):
        for label, (shape, size) in sizes.items():
            made = (kind_options, {"alignCorners": align, "halfPixelCenters": half})
            out = (shape[0], *size, shape[3])
            version = 3 if half else 2
            for kind in ("float32", "int8", "uint8", "int16"):
                tensor = Tensor(kind, shape) if kind == "float32" else q(kind, shape, 0.1, 0 if kind == "int16" else 3)
                yield Case(
                    f"{op.lower()}/{kind}-{label}-{int(align)}{int(half)}",
                    Model(
                        op,
                        [tensor, const("int32", size)],
                        [dataclasses.replace(tensor, shape=out)],
                        made,
                        version if kind != "int16" else 4,
                    ),
                    [fill(rng, tensor)],
                )


# Sums of products, whose faults may show in 0.4 % of the outputs: of each type one case has so many.
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

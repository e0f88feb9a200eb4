"""Operators that work element by element."""

import dataclasses

import numpy as np

from tensors import NUMPY, Model, Tensor

from .drawing import (
    FIXED, LIMITS, NONE, QUANTIZED, RELU, RELU6, RELU_N1_TO_1, SPECIAL, TANH, Case, const, every, fill, floats,
    integers, q, quantizations, rng_of,
)


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

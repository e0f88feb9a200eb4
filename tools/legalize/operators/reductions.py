"""Pooling, reductions and normalizations."""

import numpy as np

from tensors import Model, Tensor

from .drawing import FIXED, NONE, QUANTIZED, RELU, RELU6, RELU_N1_TO_1, SAME, VALID, Case, const, fill, floats, integers, q, quantizations, rng_of
from .products import conv_shape


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

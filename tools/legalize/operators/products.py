"""Operators that sum products."""

import numpy as np

from tensors import NUMPY, Model, Tensor

from .drawing import LIMITS, NONE, QUANTIZED, RELU, RELU6, RELU_N1_TO_1, SAME, TANH, VALID, Case, const, fill, floats, q, rng_of

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

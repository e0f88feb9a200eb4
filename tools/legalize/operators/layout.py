"""Operators that move elements, gather and select."""

import dataclasses

import numpy as np

from tensors import NUMPY, Model, Tensor

from .drawing import NONE, REFLECT, RELU, RELU6, SYMMETRIC, Case, const, every, fill, floats, integers, q, rng_of

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

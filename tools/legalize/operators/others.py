"""Operators with data of their own, and RESIZE."""

import dataclasses

import numpy as np

from tensors import Model, Tensor

from .drawing import Case, const, fill, floats, q, rng_of


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

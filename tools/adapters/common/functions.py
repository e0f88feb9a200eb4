"""TOSA graphs as calls of a library's functions, one operator after the other.

A library is an object with a function for each thing that it can do (`unary`, `conv`, …: see the functions
below). What it does not offer it lacks, or it raises Unsupported. Here is what all have in common: the order
of the graph, constants, attributes, and which of them a function cannot honour. Glue is exact: layouts, casts
that widen, constants. No function is asked for what its documentation does not promise.
"""

import os

import numpy

from . import arrays
from .cases import Case, Unsupported, without_values

FLOATS = ("fp16", "bf16", "fp32", "fp8e4m3", "fp8e5m2")
INTEGERS = {"i8": 8, "i16": 16, "i32": 32}

# acc_type of a sum that is no wider than its operands; of integers, which are handed over as i32.
OWN_SUMS = {"fp16": "FP16", "fp32": "FP32", "i8": "INT32"}

UNARY = {
    "ABS", "BITWISE_NOT", "CEIL", "COS", "ERF", "EXP", "FLOOR", "IDENTITY", "LOG", "LOGICAL_NOT", "RECIPROCAL",
    "RSQRT", "SIGMOID", "SIN", "TANH",
}  # fmt: skip
BINARY = {
    "ADD", "SUB", "POW", "BITWISE_AND", "BITWISE_OR", "BITWISE_XOR", "EQUAL", "GREATER", "GREATER_EQUAL", "INTDIV",
    "LOGICAL_AND", "LOGICAL_OR", "LOGICAL_XOR", "LOGICAL_LEFT_SHIFT", "LOGICAL_RIGHT_SHIFT",
}  # fmt: skip
REDUCTIONS = {"REDUCE_ALL", "REDUCE_ANY", "REDUCE_MAX", "REDUCE_MIN", "REDUCE_PRODUCT", "REDUCE_SUM"}


class Call:
    """One operator with the values of its operands."""

    def __init__(self, case, operator, values, constants):
        tensors = case.tensors
        self.operator = operator["operator"]
        self.attributes = operator.get("attributes", {})
        self.names = operator["inputs"]
        self.inputs = [values[name] for name in self.names]
        self.types = [tensors[name]["dtype"] for name in self.names]
        self.shapes = [tensors[name]["shape"] for name in self.names]
        self.output = tensors[operator["outputs"][0]]
        self.constants = constants

    def want(self, count):
        if len(self.inputs) != count:
            raise Unsupported(f"{self.operator} of {len(self.inputs)} operands")

    def attribute(self, name):
        if name not in self.attributes:
            raise Unsupported(f"{self.operator} without {name}")
        value = self.attributes[name]
        return float(value["float"]) if isinstance(value, dict) else value

    def axis(self):
        axis = self.attribute("axis")
        if not isinstance(axis, int) or not 0 <= axis < len(self.shapes[0]):
            raise Unsupported(f"axis {axis} of rank {len(self.shapes[0])}")
        return axis

    def propagates(self):
        mode = self.attributes.get("nan_mode", "PROPAGATE")
        if self.types[0] in FLOATS and mode != "PROPAGATE":
            raise Unsupported(f"nan_mode {mode}: the function has none")

    def constant(self, number):
        """The elements of a constant operand, as Python's integers or bits."""
        name = self.names[number]
        if name not in self.constants:
            raise Unsupported(f"{name} is no constant")
        return self.constants[name]

    def no_local_bound(self):
        """Refuses floating point with an error bound by the products of the window alone, which forbids
        transforms."""
        if self.types[0] in FLOATS and self.attributes.get("local_bound", False):
            raise Unsupported("local_bound: the function does not promise it")

    def accumulates(self, library):
        """A sum is asked for in the type of the operands, or in what the library promises for them."""
        asked = self.attribute("acc_type")
        if asked not in (OWN_SUMS.get(self.types[0]), *library.ACCUMULATORS.get(self.types[0], ())):
            raise Unsupported(f"acc_type {asked}: the function promises no such sum of {self.types[0]}")

    def sizes(self, number):
        return [int(size) for size in self.constant(number).reshape(-1)]

    def no_zero_point(self, *numbers):
        for number in numbers:
            if self.constant(number).any():
                raise Unsupported(f"{self.operator} with a zero point")

    def zero_point(self, number):
        return int(self.constant(number).reshape(-1)[0])


def unary(library, call):
    call.want(1)
    return library.unary(call.operator, call.inputs[0], call.types[0])


def binary(library, call):
    call.want(2)
    return library.binary(call.operator, *call.inputs, call.types[0])


def extremum(library, call):
    call.want(2)
    call.propagates()
    return library.binary(call.operator, *call.inputs, call.types[0])


def negate(library, call):
    call.want(3)
    call.no_zero_point(1, 2)
    if call.types[0] in ("i8", "i16"):
        raise Unsupported("NEGATE of a narrow integer saturates, the function wraps")
    return library.unary("NEGATE", call.inputs[0], call.types[0])


def mul(library, call):
    call.want(3)
    if call.types[0] in FLOATS:
        return library.binary("MUL", *call.inputs[:2], call.types[0])
    call.no_zero_point(2)  # the shift
    wide = [library.cast(value, call.types[0], "i32") for value in call.inputs[:2]]
    return library.binary("MUL", *wide, "i32")


def arithmetic_right_shift(library, call):
    call.want(2)
    if call.attribute("round"):
        raise Unsupported("a shift that rounds")
    return library.binary("ARITHMETIC_RIGHT_SHIFT", *call.inputs, call.types[0])


def select(library, call):
    call.want(3)
    return library.select(*call.inputs)


def clamp(library, call):
    call.want(1)
    call.propagates()
    bounds = [call.attribute("min_val"), call.attribute("max_val")]
    if not bounds[0] <= bounds[1]:
        raise Unsupported(f"a range from {bounds[0]} to {bounds[1]}")
    return library.clamp(call.inputs[0], *bounds, call.types[0])


def cast(library, call):
    call.want(1)
    source, target = call.types[0], call.output["dtype"]
    if source in FLOATS and target not in FLOATS and target != "bool":
        raise Unsupported("a cast to an integer: the function truncates, and leaves open what is out of range")
    if source in FLOATS and target == "bool":
        raise Unsupported("a cast of floating point to bool")
    return library.cast(call.inputs[0], source, target)


def reduction(library, call):
    call.want(1)
    call.propagates()
    return library.reduce(call.operator, call.inputs[0], call.axis(), call.types[0])


def argmax(library, call):
    call.want(1)
    call.propagates()
    return library.argmax(call.inputs[0], call.axis(), call.types[0])


def concat(library, call):
    return library.concat(call.inputs, call.axis())


def reshape(library, call):
    call.want(2)
    return library.reshape(call.inputs[0], call.sizes(1))


def reverse(library, call):
    call.want(1)
    return library.reverse(call.inputs[0], call.axis())


def slice_of(library, call):
    call.want(3)
    return library.slice(call.inputs[0], call.sizes(1), call.sizes(2))


def tile(library, call):
    call.want(2)
    return library.tile(call.inputs[0], call.sizes(1))


def transpose(library, call):
    call.want(1)
    return library.transpose(call.inputs[0], call.attribute("perms"))


def pad(library, call):
    call.want(3)
    sizes = call.sizes(1)
    if min(sizes, default=0) < 0:
        raise Unsupported("negative padding")
    return library.pad(call.inputs[0], list(zip(sizes[::2], sizes[1::2])), call.inputs[2])


def gather(library, call):
    call.want(2)
    return library.gather(*call.inputs)


def without_zero_points(library, call, numbers):
    """Operands as i32 less their zero points, or as they are."""
    values = []
    for number, zero_point in numbers:
        value = call.inputs[number]
        if call.types[number] in FLOATS:
            call.no_zero_point(zero_point)
        else:
            value = library.cast(value, call.types[number], "i32")
            value = library.binary("SUB", value, library.scalar(call.zero_point(zero_point), "i32"), "i32")
        values.append(value)
    return values


def dot_type(call):
    """The type in which a product is asked for."""
    return call.types[0] if call.types[0] in FLOATS else "i32"


def wide_enough(call):
    """An accumulator as wide as the result, or a result that is the accumulator."""
    if call.types[0] not in ("fp16", "bf16", "fp32", "i8") or call.output["dtype"] not in (dot_type(call),):
        raise Unsupported(f"{call.operator} of {call.types[0]} to {call.output['dtype']}")
    if call.types[1] != call.types[0]:
        raise Unsupported(f"{call.operator} of {call.types[0]} and {call.types[1]}")


def matmul(library, call):
    call.want(4)
    wide_enough(call)
    return library.matmul(*without_zero_points(library, call, ((0, 2), (1, 3))), dot_type(call))


def convolution(library, call):
    call.want(5)
    wide_enough(call)
    call.accumulates(library)
    call.no_local_bound()
    value, weight = without_zero_points(library, call, ((0, 3), (1, 4)))
    pads = call.attribute("pad")
    if min(pads) < 0:
        raise Unsupported("negative padding")
    stride, dilation = call.attribute("stride"), call.attribute("dilation")
    if min(*stride, *dilation) < 1:
        raise Unsupported(f"stride {stride}, dilation {dilation}")
    if len(stride) != (3 if call.operator == "CONV3D" else 2):
        raise Unsupported(f"stride {stride}")
    pads = list(zip(pads[::2], pads[1::2]))
    depthwise = call.operator == "DEPTHWISE_CONV2D"
    bias, channels = call.inputs[2], call.output["shape"][-1]
    each = call.shapes[2] == [channels]
    wider = call.attribute("acc_type") != OWN_SUMS.get(call.types[0])
    if library.TAKES_BIAS and not each and wider and call.shapes[2] == [1]:
        bias, each = library.tile(bias, [channels]), True  # added afterwards it would be rounded twice
    if library.TAKES_BIAS and each:
        return library.conv(value, weight, stride, pads, dilation, depthwise, dot_type(call), bias)
    result = library.conv(value, weight, stride, pads, dilation, depthwise, dot_type(call))
    return library.binary("ADD", result, bias, dot_type(call))  # along the channels


def max_pool2d(library, call):
    call.want(1)
    call.propagates()
    kernel, stride, pads = (call.attribute(name) for name in ("kernel", "stride", "pad"))
    if min(*kernel, *stride) < 1 or min(pads) < 0:
        raise Unsupported(f"kernel {kernel}, stride {stride}, pad {pads}")
    return library.max_pool(call.inputs[0], kernel, stride, list(zip(pads[::2], pads[1::2])), call.types[0])


def avg_pool2d(library, call):
    call.want(3)
    call.no_zero_point(1, 2)
    if call.types[0] not in FLOATS:
        raise Unsupported("an average of integers")
    call.accumulates(library)
    kernel, stride, pads = (call.attribute(name) for name in ("kernel", "stride", "pad"))
    if min(*kernel, *stride) < 1 or min(pads) < 0:
        raise Unsupported(f"kernel {kernel}, stride {stride}, pad {pads}")
    return library.avg_pool(call.inputs[0], kernel, stride, list(zip(pads[::2], pads[1::2])), call.types[0])


OPERATORS = {
    **{name: unary for name in UNARY},
    **{name: binary for name in BINARY},
    **{name: reduction for name in REDUCTIONS},
    "MAXIMUM": extremum,
    "MINIMUM": extremum,
    "NEGATE": negate,
    "MUL": mul,
    "ARITHMETIC_RIGHT_SHIFT": arithmetic_right_shift,
    "SELECT": select,
    "CLAMP": clamp,
    "CAST": cast,
    "ARGMAX": argmax,
    "CONCAT": concat,
    "RESHAPE": reshape,
    "REVERSE": reverse,
    "SLICE": slice_of,
    "TILE": tile,
    "TRANSPOSE": transpose,
    "PAD": pad,
    "GATHER": gather,
    "MATMUL": matmul,
    "CONV2D": convolution,
    "CONV3D": convolution,
    "DEPTHWISE_CONV2D": convolution,
    "MAX_POOL2D": max_pool2d,
    "AVG_POOL2D": avg_pool2d,
}


# The operators that a function takes in every case, with their types; None: all types of the library. For others it
# depends on attributes, zero points, accumulators or NaN, which a declaration cannot express.
WHOLE = {
    **{name: None for name in (*UNARY, *BINARY, "SELECT", "CONCAT", "REVERSE", "SLICE", "TILE", "TRANSPOSE", "PAD",
                               "GATHER", "REDUCE_ALL", "REDUCE_ANY", "REDUCE_PRODUCT", "REDUCE_SUM")},
    **{name: ("i32",) for name in ("MAXIMUM", "MINIMUM")},
    **{name: ("i8", "i16", "i32") for name in ("REDUCE_MAX", "REDUCE_MIN")},
    "NEGATE": ("fp16", "bf16", "fp32", "i32"),
    "MUL": ("fp16", "bf16", "fp32", "i8->i32", "i16->i32"),
    "CLAMP": ("i8", "i16"),
    "ARGMAX": ("i8->i32", "i16->i32"),
    "CAST": tuple(f"{source}->{target}" for source, targets in (
        ("bool", "i8 i16 i32"), ("i8", "bool i16 i32 fp16 bf16 fp32"), ("i16", "bool i8 i32 fp16 bf16 fp32"),
        ("i32", "bool i8 i16 fp16 bf16 fp32"), ("fp16", "fp32 fp8e4m3 fp8e5m2"), ("bf16", "fp32 fp8e4m3 fp8e5m2"),
        ("fp32", "fp16 bf16 fp8e4m3 fp8e5m2"), ("fp8e4m3", "fp16 bf16 fp32"), ("fp8e5m2", "fp16 bf16 fp32"),
    ) for target in targets.split()),
}  # fmt: skip
NEEDS = {"bf16": "EXT-BF16", "fp8e4m3": "EXT-FP8E4M3", "fp8e5m2": "EXT-FP8E5M2"}


def declared(library):
    """What the library declares: the operators of WHOLE for which it has a function, with the types that it has.

    Library.LACKS names types for which a function has no kernel, by operator; none of it at all: (). Library.ALSO
    names operators that it makes of others. A library owes no error for an illegal graph: it never sees one.
    """
    lacks, also = getattr(library, "LACKS", {}), getattr(library, "ALSO", ())
    types = sorted(set(library.TYPES) & {"bool", *INTEGERS, *FLOATS} - set(lacks.get("", ())))
    mapped = {*library.UNARY, *library.BINARY, *library.REDUCE, *also}
    operators, types_of = [], {}
    for name, whole in sorted(WHOLE.items()):
        if name in {*UNARY, *BINARY, *REDUCTIONS} and name not in mapped or lacks.get(name) == ():
            continue
        has = [
            row for row in whole or types if set(row.split("->")) <= set(types) and row not in lacks.get(name, ())
        ]
        operators.append(name)
        if whole or has != types:
            types_of[name] = has
    return {
        "format": "tensor-cts-declared-1",
        "edition": "tosa-1.0",
        "profiles": ["PRO-INT", "PRO-FP"],
        "extensions": ["EXT-INT16", *(NEEDS[dtype] for dtype in types if dtype in NEEDS)],
        "operators": operators,
        "types": types,
        "types_of": types_of,
        "illegal_graphs": False,
    }


def prepare(case, library):
    """Checks before anything runs that every operator and type has a function."""
    if case.bundle["edition"] != "tosa-1.0":
        raise Unsupported(f"edition {case.bundle['edition']}: expected tosa-1.0")
    if len(case.bundle["graph"]["regions"]) > 1:
        raise Unsupported("control flow")
    if name := without_values(case):
        raise Unsupported(f"there are no values to call it with for input {name}")
    for operator in case.block["operators"]:
        name = operator["operator"]
        if name not in OPERATORS and name not in ("CONST", "CONST_SHAPE"):
            raise Unsupported(f"no function for {name}")
        if len(operator["outputs"]) != 1:
            raise Unsupported(f"{name} of {len(operator['outputs'])} results")
    for tensor in case.block["tensors"]:
        border = tensor["name"] in (*case.block["inputs"], *case.block["outputs"])
        if tensor["dtype"] not in library.TYPES and (border or tensor["dtype"] != "shape"):
            raise Unsupported(f"type {tensor['dtype']}")
        if min(tensor["shape"], default=1) < 1:
            raise Unsupported(f"shape {tensor['shape']}")


def evaluate(case, library, values, constants):
    """The values of the graph's outputs, from those of its inputs."""
    values = dict(values)
    for operator in case.block["operators"]:
        if operator["operator"] in ("CONST", "CONST_SHAPE"):
            name = operator["outputs"][0]
            if name not in constants:
                raise Unsupported(f"{operator['operator']} without values")
            dtype = case.tensors[name]["dtype"]
            values[name] = None if dtype == "shape" else library.value(constants[name], dtype)
            continue
        call = Call(case, operator, values, constants)
        result = OPERATORS[call.operator](library, call)
        values[operator["outputs"][0]] = result
    return [values[name] for name in case.block["outputs"]]


def constants_of(case):
    constants = {}
    for tensor in case.block["tensors"]:
        if "values" in tensor:
            path = os.path.join(case.case_dir, tensor["values"])
            constants[tensor["name"]] = arrays.read_bits(path, tensor["dtype"])
    return constants


def run_case(case, library):
    """Runs a case and settles it."""
    try:
        prepare(case, library)
        constants = constants_of(case)
        program = library.program(case, constants)
        for number, execution in enumerate(case.executions):
            inputs = []
            for name in case.block["inputs"]:
                dtype = case.tensors[name]["dtype"]
                inputs.append(arrays.read_bits(case.input_path(execution, name), dtype))
            for name, cells in zip(case.block["outputs"], program(inputs)):
                tensor = case.tensors[name]
                if list(cells.shape) != tensor["shape"]:
                    case.settle("error", f"{name}: the result has shape {list(cells.shape)}")
                    return
                width = numpy.dtype(arrays.TYPES[tensor["dtype"]][1]).itemsize
                if cells.dtype.itemsize != width:
                    case.settle("error", f"{name}: the result is of {cells.dtype}")
                    return
                arrays.write_bits(case.output_path(number, name), tensor["dtype"], cells)
        case.settle("ok")
    except Unsupported as what:
        case.settle("unsupported", str(what))
    except library.REFUSALS as fault:
        words = f"{type(fault).__name__}: {fault}"
        missing = any(word in words.lower() for word in library.MISSING)
        case.settle("unsupported" if missing else "error", words[:600])


def batch_of(library):
    """run_batch for worker.serve."""

    def run_batch(requests):
        cases = [Case(request) for request in requests]
        for case in cases:
            run_case(case, library)
        return cases

    return run_batch

#!/usr/bin/python3
"""Checks that the text in the dialect of MLIR 19 says what the case says.

read_back_test.py TENSOR_CTS [SUITE]   every case of a suite of tosa-0.100, or a part of smoke-0.100

`mlir-opt-19` reads what `tensor-cts render` wrote and prints it in its generic form. That is read
here as the dialect's own definitions have it (TosaOps.td of LLVM 19: the order of operands, what an
attribute means), turned into the terms of the edition (its tables of arguments), and held against
case.json and its .npy files. Nothing of render's tables is used. Exits with 77 where MLIR 19 is
missing.
"""

import collections
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    print(f"{sys.executable}: no NumPy", file=sys.stderr)
    sys.exit(77)

SKIPPED = 77
MLIR_OPT = "mlir-opt-19"
SEPARATOR = "// -----\n"
PER_ROW = 3  # cases
TENSOR_CTS, SUITE = "tensor-cts", None
# The words that may be changed into others: a whole number, but not in a type, and these.
OTHERS = {"true": "false", "false": "true", "BILINEAR": "NEAREST_NEIGHBOR"}
OTHERS.update({"NEAREST_NEIGHBOR": "BILINEAR", "i32": "f16", "f16": "f32", "f32": "f16"})
WORD = re.compile(
    r"(?<=[ \[])-?\d+(?=[],>} ])|\b(?:true|false)\b|BILINEAR|NEAREST_NEIGHBOR|(?<=acc_type = )\w+"
)
REFUSED = re.compile(r"avg_pool2d.*fp8")  # legal cases, by the verifiers: deviations-19.md, fp8

# --- The generic form of MLIR --------------------------------------------------------------------

TOKEN = re.compile(
    r"""\s*(?: (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<name>[%^\#@][A-Za-z0-9_.$]+ (?::\d+)?(?:\#\d+)?)
      | (?P<hex>0x[0-9A-Fa-f]+)
      | (?P<number>-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?)
      | (?P<word>[A-Za-z_][A-Za-z0-9_.]*)
      | (?P<mark>->|[(){}\[\]<>,:=]) )""",
    re.VERBOSE,
)
ELEMENT = re.compile(r"0x[0-9A-Fa-f]+|-?\d+(?:\.\d*)?(?:[eE][-+]?\d+)?|true|false")
# tensor<2x3xi8>, i8, f8E4M3FN: the dimensions and the element type.
TYPE = re.compile(r"\s*(?:tensor<((?:\d+x)*)([a-zA-Z0-9]+)>|([a-z][a-zA-Z0-9]*))")

Typed = collections.namedtuple("Typed", "value type")  # an attribute: 3 : i32
Dense = collections.namedtuple("Dense", "list type")  # the elements in one row, as text
Array = collections.namedtuple("Array", "type list")
Named = collections.namedtuple("Named", "name members")  # #tosa.conv_quant<…>
Type = collections.namedtuple("Type", "shape element")  # shape is None if it is no tensor
Operation = collections.namedtuple("Operation", "name operands attributes regions types results")
Region = collections.namedtuple("Region", "arguments types operations")


class Reader:
    """Recursive descent over one module."""

    def __init__(self, text):
        self.text, self.at = text, 0

    def peek(self):
        match = TOKEN.match(self.text, self.at)
        if match is None:
            return "", "", self.at
        return match.lastgroup, match.group(match.lastgroup), match.end()

    def next(self, *expected):
        kind, text, end = self.peek()
        if not kind or (expected and text not in expected and kind not in expected):
            raise ValueError(f"expected {expected}, found {self.text[self.at:self.at + 60]!r}")
        self.at = end
        return text

    def take(self, text):
        if self.peek()[1] != text:
            return False
        self.next()
        return True

    def list(self, begin, end, item):
        items = []
        self.next(begin)
        while not self.take(end):
            items.append(item())
            if not self.take(","):
                self.next(end)
                break
        return items

    def type(self):
        match = TYPE.match(self.text, self.at)
        if not match:
            raise ValueError(f"expected a type, found {self.text[self.at:self.at + 60]!r}")
        self.at = match.end()
        if match.group(3):
            return Type(None, match.group(3))
        return Type([int(size) for size in match.group(1).split("x")[:-1]], match.group(2))

    def types(self):
        return self.list("(", ")", self.type) if self.peek()[1] == "(" else [self.type()]

    def elements(self):
        """Reads the values of a constant: the brackets are the shape's, which its type has."""
        end = self.text.index(">", self.at)
        text, self.at = self.text[self.at : end], end
        return ELEMENT.findall(text)

    def attribute(self):
        kind, text, _ = self.peek()
        if kind == "string":
            self.next()
            return json.loads(text)
        if kind in ("number", "hex"):
            self.next()
            self.next(":")
            return Typed(text, self.type().element)
        if text in ("true", "false"):
            self.next()
            return text == "true"
        if text == "array":
            self.next()
            self.next("<")
            element, items = self.next("word"), []
            while not self.take(">"):
                self.next(":", ",")
                items.append(int(self.next("number")))
            return Array(element, items)
        if text == "dense":
            self.next()
            self.next("<")
            items = self.elements()
            self.next(">")
            self.next(":")
            return Dense(items, self.type())
        if kind == "name" and text.startswith("#"):
            self.next()
            return Named(text, dict(self.list("<", ">", self.member)))
        if text == "(":  # the type of a function
            self.types()
            self.next("->")
            self.types()
            return None
        return self.type()

    def member(self):
        name = self.next("word")
        self.next("=")
        return name, int(self.next("number"))

    def named_attribute(self):
        name = self.next("word", "string")
        return name, self.attribute() if self.take("=") else True

    def operation(self):
        results = []
        while self.peek()[0] == "name":
            results.append(self.next())
            self.take(",") or self.next("=")
        name = json.loads(self.next("string"))
        operands = self.list("(", ")", lambda: self.next("name"))
        attributes = {}
        if self.take("<"):
            attributes.update(self.list("{", "}", self.named_attribute))
            self.next(">")
        regions = self.list("(", ")", self.region) if self.peek()[1] == "(" else []
        if self.peek()[1] == "{":
            others = dict(self.list("{", "}", self.named_attribute))
            if name.startswith("tosa."):  # they are never read
                raise ValueError(f"{name}: has no attributes {sorted(others)}")
        self.next(":")
        types = self.types()
        self.next("->")
        found = self.types()
        if len(results) == 1 and ":" in results[0]:  # "%0:2" for %0#0 and %0#1
            stem, count = results[0].split(":")
            results = [f"{stem}#{i}" for i in range(int(count))]
        if len(types) != len(operands) or len(found) != len(results):
            raise ValueError(f"{name}: found another number of types than of values")
        return Operation(name, operands, attributes, regions, types, list(zip(results, found)))

    def argument(self):
        name = self.next("name")
        self.next(":")
        return name, self.type()

    def region(self):
        self.next("{")
        arguments, operations = [], []
        if self.peek()[1].startswith("^"):
            self.next()
            if self.peek()[1] == "(":
                arguments = self.list("(", ")", self.argument)
            self.next(":")
        while not self.take("}"):
            operations.append(self.operation())
        return Region([name for name, _ in arguments], [kind for _, kind in arguments], operations)


# --- From the dialect's terms to the edition's ---------------------------------------------------

ELEMENTS = {
    "i1": "bool",
    "f8E4M3FN": "fp8e4m3",
    "f8E5M2": "fp8e5m2",
    "f16": "fp16",
    "bf16": "bf16",
    "f32": "fp32",
    **{name: name for name in ("i4", "i8", "i16", "i32", "i48", "ui8", "ui16", "ui32", "ui48")},
}
ACCUMULATORS = {"i32": "INT32", "i48": "INT48", "f16": "FP16", "f32": "FP32"}
VARIABLE_TYPES = {"i1": "BOOLEAN", "i8": "INT8", "i16": "INT16", "i32": "INT32", "f32": "FP32"}
VARIABLE_TYPES.update({"f16": "FP16", "bf16": "BF16", "i48": "INT48"})
NAMES = {"int_div": "INTDIV", "reduce_prod": "REDUCE_PRODUCT"}
NAMES.update({"variable.read": "VARIABLE_READ", "variable.write": "VARIABLE_WRITE"})
# Which accumulator each type row of a convolution has, by input and weight (tosa.xml of 0.100): the
# dialect has no word for it, so it has to be the row's only one. For fp16, which may be summed up
# in fp32 as well, it means fp16.
SUMS = {
    **{("i8", weight): "INT32" for weight in ("i4", "i8")},
    ("i16", "i8"): "INT48",
    ("fp16", "fp16"): "FP16",
    ("bf16", "bf16"): "FP32",
    ("fp32", "fp32"): "FP32",
    ("fp8e4m3", "fp8e4m3"): "FP16",
    ("fp8e5m2", "fp8e5m2"): "FP16",
}
CONVOLUTIONS = ("CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "TRANSPOSE_CONV2D")
# quantization_info: the members in the edition's words.
ZERO_POINTS = {
    "#tosa.conv_quant": {"input_zp": "input_zp", "weight_zp": "weight_zp"},
    "#tosa.matmul_quant": {"a_zp": "A_zp", "b_zp": "B_zp"},
}
UNARY = {
    "AVG_POOL2D": {"input_zp": "input_zp", "output_zp": "output_zp"},
    "NEGATE": {"input_zp": "input1_zp", "output_zp": "output_zp"},
}
HAVE_ZERO_POINTS = {
    **{op: ("input_zp", "weight_zp") for op in (*CONVOLUTIONS, "FULLY_CONNECTED")},
    "MATMUL": ("A_zp", "B_zp"),
    "AVG_POOL2D": ("input_zp", "output_zp"),
    "NEGATE": ("input1_zp", "output_zp"),
}
HAVE_LOCAL_BOUND = (*CONVOLUTIONS, "FFT2D", "RFFT2D")
# Attributes that are operands of the edition, by the names of the latter.
MOVED = {
    "RESHAPE": {"new_shape": "shape"},
    "MUL": {"shift": "shift"},
    "SLICE": {"start": "start", "size": "size"},
    "TILE": {"multiples": "multiples"},
    "RESIZE": {"scale": "scale", "offset": "offset", "border": "border"},
    "RESCALE": {"multiplier": "multiplier", "shift": "shift"},
}
# Operands of the dialect that are attributes or shapes of the edition: place and name.
CONSTANTS = {"PAD": {1: "padding", 2: "pad_const"}, "TRANSPOSE": {1: "perms"}}
# Operands of the edition that are constants, in the order of its tables.
OPERANDS = {
    "RESHAPE": {1: "shape"},
    "MUL": {2: "shift"},
    "SLICE": {1: "start", 2: "size"},
    "TILE": {1: "multiples"},
    "RESIZE": {1: "scale", 2: "offset", 3: "border"},
    "RESCALE": {1: "multiplier", 2: "shift"},
    "PAD": {1: "padding"},
}
BITS = {"i4": 4, "i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64}
FP = {  # bits of the exponent and of the fraction
    "fp8e4m3": (4, 3),
    "fp8e5m2": (5, 2),
    "fp16": (5, 10),
    "bf16": (8, 7),
    "fp32": (8, 23),
}


def float_of(bits, dtype):
    """The number that a bit pattern is; a NaN is its pattern."""
    exponent_bits, fraction_bits = FP[dtype]
    sign = -1.0 if bits >> (exponent_bits + fraction_bits) else 1.0
    exponent = (bits >> fraction_bits) & ((1 << exponent_bits) - 1)
    fraction = bits & ((1 << fraction_bits) - 1)
    bias = (1 << (exponent_bits - 1)) - 1
    greatest = exponent == (1 << exponent_bits) - 1
    if dtype == "fp8e4m3":
        if greatest and fraction == 7:
            return ("nan", bits)
    elif greatest:
        return ("nan", bits) if fraction else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - fraction_bits)
    return sign * math.ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits)


class Number(collections.namedtuple("Number", "value")):
    """A floating-point number: -0 is not 0, and a NaN is one of its pattern. An attribute has no
    pattern: any NaN will do."""

    def __eq__(self, other):
        if not isinstance(other, Number):
            return False
        one, another = self.value, other.value
        if "nan" in (repr(one), repr(another)):
            return all(value != value or isinstance(value, tuple) for value in (one, another))
        return repr(one) == repr(another)

    __hash__ = None


def literal(text, element):
    """An element as MLIR prints it."""
    dtype = ELEMENTS.get(element, element)
    if dtype == "bool":
        return {"true": 1, "false": 0}[text]
    if dtype not in FP:
        return int(text)
    if text.startswith("0x"):
        return Number(float_of(int(text, 16), dtype))
    return Number(nearest(float(text), dtype))


def nearest(value, dtype):
    """Rounds what MLIR printed in decimals, which reads as no other number of the type."""
    if value == 0 or math.isinf(value):
        return value
    exponent_bits, fraction_bits = FP[dtype]
    least = 2 - (1 << (exponent_bits - 1))
    unit = max(math.frexp(value)[1] - 1, least) - fraction_bits
    return math.ldexp(round(math.ldexp(value, -unit)), unit)


def dense(attribute):
    """All elements of a constant in one row."""
    count = math.prod(attribute.type.shape)
    found = [literal(text, attribute.type.element) for text in attribute.list]
    return found * count if len(found) == 1 else found


def scalar(attribute):
    if isinstance(attribute, Typed):
        return literal(attribute.value, attribute.type)
    return attribute


def plain(element):
    """The edition's element type, and whether the text has it unsigned."""
    dtype = ELEMENTS.get(element, element)
    return (dtype[1:], True) if dtype.startswith("ui") else (dtype, False)


class Terms:
    """One block of a function in the edition's terms: a list that compares with that of the case.

    Values are numbered as they come: the inputs of the block, then what each operator gives.
    """

    def __init__(self, function):
        self.function = function

    def block(self, region, variables=()):
        scope, constants, types, lines = Scope(), {}, {}, list(variables)
        for name, kind in zip(region.arguments, region.types):
            scope.add(name, plain(kind.element)[0], kind.shape)
            types[name] = kind
        helpers = made_up(region)
        outputs = None
        for operation in region.operations:
            if operation.name in ("func.return", "tosa.yield"):
                outputs = [scope.at(name) for name in operation.operands]
                continue
            op = operator_name(operation.name)
            types.update(operation.results)
            if op == "CONST":
                name, kind = operation.results[0]
                value = operation.attributes["value"]
                if value.type != kind:
                    raise ValueError("the type of a constant is not that of its values")
                constants[name] = dense(value)
                if name in helpers:
                    continue
            attributes = self.attributes(op, operation, constants, types)
            inputs = [
                scope.at(name)
                for place, name in enumerate(operation.operands)
                if place not in CONSTANTS.get(op, {})
            ]
            regions = [self.block(inner) for inner in operation.regions]
            results = [
                scope.add(name, plain(kind.element)[0], kind.shape)
                for name, kind in operation.results
            ]
            lines.append((op, inputs, attributes, regions, results))
        return (scope.inputs(len(region.arguments)), lines, outputs)

    def attributes(self, op, operation, constants, types):
        found = dict(operation.attributes)
        known = {}
        input_type = types[operation.operands[0]] if operation.operands else None
        dtype = plain(input_type.element)[0] if input_type else None
        quantization = found.pop("quantization_info", None)
        if quantization is not None:
            names = ZERO_POINTS.get(quantization.name) or UNARY[op]
            known.update({names[name]: value for name, value in quantization.members.items()})
        elif op in HAVE_ZERO_POINTS and dtype in FP:
            known.update(dict.fromkeys(HAVE_ZERO_POINTS[op], Number(0.0)))
        for place, name in CONSTANTS.get(op, {}).items():
            if place < len(operation.operands):
                values = constants[operation.operands[place]]
                known[name] = values[0] if name == "pad_const" else values
        if op == "PAD" and len(operation.operands) > 1:
            shape = types[operation.operands[1]].shape
            if len(shape) != 2 or shape[1] != 2:
                raise ValueError(f"PAD: padding of shape {shape}")
        if op == "CLAMP":
            kept, other = ("_fp", "_int") if dtype in FP else ("_int", "_fp")
            for end in ("min", "max"):
                found.pop(end + other, None)
                if end + kept in found:
                    known[end + "_val"] = scalar(found.pop(end + kept))
        if op in CONVOLUTIONS:
            weight = plain(types[operation.operands[1]].element)[0]
            known["acc_type"] = SUMS.get((dtype, weight), "any")
        if op in HAVE_LOCAL_BOUND:
            known["local_bound"] = found.pop("local_bound", False)
        if op == "TRANSPOSE_CONV2D":
            shape = found.pop("out_shape").list
            if shape != operation.results[0][1].shape:
                raise ValueError("TRANSPOSE_CONV2D: out_shape is not that of the output")
        if op == "RESCALE":
            known["input_unsigned"] = plain(input_type.element)[1]
            known["output_unsigned"] = plain(operation.results[0][1].element)[1]
        if op.startswith("VARIABLE"):
            name = found.pop("name")
            if not name.startswith(self.function + "."):
                raise ValueError(f"{op}: found the variable of another case, {name}")
            known["uid"] = int(name.removeprefix(self.function + "."))
        if op == "VARIABLE":
            kind = found.pop("type")
            known["type"], known["var_shape"] = VARIABLE_TYPES.get(kind.element), kind.shape
            initial = found.pop("initial_value", None)
            if isinstance(initial, Dense):
                known["initial_value"] = (ELEMENTS[initial.type.element], initial.type.shape)
                known["initial_value"] += (dense(initial),)
            elif initial is not None:
                known["initial_value"] = scalar(initial)
        if op == "CONST":
            value = found.pop("value")
            known["values"] = (plain(value.type.element)[0], value.type.shape, dense(value))
        for name, value in found.items():
            name = MOVED.get(op, {}).get(name, name)
            if isinstance(value, Array):
                known[name] = value.list
            elif isinstance(value, Type):
                known[name] = ACCUMULATORS.get(value.element)
            else:
                known[name] = scalar(value)
        return known


def operator_name(name):
    name = name.removeprefix("tosa.")
    return NAMES.get(name, name.upper())


def made_up(region):
    """The constants that stand for attributes and shapes of the edition, and for nothing else."""
    helpers, used = set(), set()
    for operation in region.operations:
        constants = CONSTANTS.get(operator_name(operation.name), {})
        for place, name in enumerate(operation.operands):
            (helpers if place in constants else used).add(name)
    return helpers - used


class Scope:
    """The values of a block in the order in which they come: (number, type, shape)."""

    def __init__(self):
        self.values = {}

    def add(self, name, dtype, shape):
        self.values[name] = (len(self.values), dtype, tuple(shape))
        return self.values[name]

    def at(self, name):
        return self.values[name]

    def inputs(self, count):
        return list(self.values.values())[:count]


# --- The case in the same terms ------------------------------------------------------------------


class Case:
    def __init__(self, directory):
        self.directory = directory
        with open(os.path.join(directory, "case.json"), encoding="utf-8") as file:
            self.bundle = json.load(file)
        self.id = self.bundle["id"]
        self.graphs = {region["name"]: region for region in self.bundle["graph"]["regions"]}
        self.main = self.bundle["graph"]["regions"][0]["name"]

    def terms(self):
        return self.block(self.graphs[self.main]["blocks"][0])

    def values(self, tensor):
        array = numpy.load(os.path.join(self.directory, tensor["values"]), allow_pickle=False)
        flat = numpy.ascontiguousarray(array).reshape(-1)
        dtype = tensor["dtype"]
        if dtype in FP:
            cells = flat.view(f"<u{array.dtype.itemsize}").tolist()
            return [Number(float_of(bits, dtype)) for bits in cells]
        return [int(value) for value in flat]

    def block(self, block):
        tensors = {tensor["name"]: tensor for tensor in block["tensors"]}
        scope = Scope()
        unsigned = set()
        for operator in block["operators"]:
            for side, names in (("input", operator["inputs"]), ("output", operator["outputs"])):
                if operator["attributes"].get(f"{side}_unsigned") is True:  # of RESCALE
                    unsigned.update(names[:1])
        for name in block["inputs"]:
            scope.add(name, tensors[name]["dtype"], tensors[name]["shape"])
        variables, lines = [], []
        for operator in block["operators"]:
            op, inputs = operator["operator"], operator["inputs"]
            if op == "CONST_SHAPE":
                continue
            constants = OPERANDS.get(op, {})
            attributes = self.attributes(op, operator, tensors, unsigned)
            regions = [
                self.block(self.graphs[attributes.pop(name)]["blocks"][0])
                for name in ("then_graph", "else_graph", "cond_graph", "body_graph")
                if name in attributes
            ]
            taken = [scope.at(x) for i, x in enumerate(inputs) if i not in constants]
            results = [
                scope.add(name, tensors[name]["dtype"], tensors[name]["shape"])
                for name in operator["outputs"]
            ]
            line = (op, taken, attributes, regions, results)
            (variables if op == "VARIABLE" else lines).append(line)
        outputs = [scope.at(name) for name in block["outputs"]]
        return (scope.inputs(len(block["inputs"])), variables + lines, outputs)

    def attributes(self, op, operator, tensors, unsigned):
        found = {name: self.attribute(value) for name, value in operator["attributes"].items()}
        inputs = operator["inputs"]
        for place, name in OPERANDS.get(op, {}).items():
            if place < len(inputs):
                values = self.values(tensors[inputs[place]])
                found[name] = values[0] if op == "MUL" else values
        dtype = tensors[inputs[0]]["dtype"] if inputs else None
        if op in HAVE_LOCAL_BOUND:
            found.setdefault("local_bound", False)
        if op in CONVOLUTIONS and len(inputs) > 1:
            if (dtype, tensors[inputs[1]]["dtype"]) not in SUMS:
                found["acc_type"] = "any"
        if op in HAVE_ZERO_POINTS and dtype in FP:  # 0 and 0.0 are one zero point
            for name in HAVE_ZERO_POINTS[op]:
                if found.get(name) == 0:
                    found[name] = Number(0.0)
        if op == "RESCALE":
            for name, tensor in (("input_zp", inputs[0]), ("output_zp", operator["outputs"][0])):
                found[name] = self.zero_point(found.get(name), tensor, tensors, unsigned)
        if op == "VARIABLE" and found.get("initial_value") in tensors:
            tensor = tensors[found["initial_value"]]
            found["initial_value"] = (tensor["dtype"], tensor["shape"], self.values(tensor))
        if op == "CONST":
            tensor = tensors[operator["outputs"][0]]
            values = self.values(tensor)
            if operator["outputs"][0] in unsigned:
                values = [value % (1 << BITS[tensor["dtype"]]) for value in values]
            found["values"] = (tensor["dtype"], tensor["shape"], values)
        return found

    @staticmethod
    def zero_point(value, name, tensors, unsigned):
        """Returns the zero point as the tensor's type reads its bits."""
        bits = BITS.get(tensors[name]["dtype"])
        if bits is None or not isinstance(value, int) or not -(1 << bits - 1) <= value < 1 << bits:
            return value
        value %= 1 << bits
        return value if name in unsigned or value < 1 << bits - 1 else value - (1 << bits)

    @staticmethod
    def attribute(value):
        return Number(float(value["float"])) if isinstance(value, dict) else value


# --- Tools ---------------------------------------------------------------------------------------


def run(command, stdin=None):
    result = subprocess.run(command, input=stdin, capture_output=True, text=True, check=False)
    if result.returncode < 0 or (result.returncode != 0 and command[0] != MLIR_OPT):
        raise OSError(f"{command[:4]}: {result.stderr[-400:]}")
    return result


def render(cases):
    """The text of each, in the order of the cases; None for what the dialect cannot say."""
    command = [TENSOR_CTS, "render", "--format", "mlir", *[case.directory for case in cases]]
    chunks = run(command).stdout.split(SEPARATOR)
    if len(chunks) != len(cases):
        raise ValueError(f"{len(chunks)} chunks of text for {len(cases)} cases")
    return [None if re.match(r"// case_\d+ unsupported", chunk) else chunk for chunk in chunks]


def print_generic(chunks):
    """Returns what mlir-opt prints of each chunk; None for a chunk that it refuses."""
    command = [MLIR_OPT, "--split-input-file", "--mlir-print-op-generic", "-"]
    command += ["--mlir-print-elementsattrs-with-hex-if-larger=-1"]
    first_lines, line = [], 1
    for chunk in chunks:
        first_lines.append(line)
        line += chunk.count("\n") + 1
    result = run(command, SEPARATOR.join(chunks))
    refused = set()
    if result.returncode != 0:
        # "within split at <stdin>:<first line> offset :<line>:…", from the line of the separator.
        place = r"^(?:within split at )?<stdin>:(\d+) ?(?:offset :(\d+))?:\d+: error"
        for match in re.finditer(place, result.stderr, re.MULTILINE):
            at = int(match.group(1)) + int(match.group(2) or 1) - 1
            refused.add(max(i for i, first in enumerate(first_lines) if first <= at))
        if not refused:
            raise ValueError(result.stderr[-400:])
        result = run(command, SEPARATOR.join(c for i, c in enumerate(chunks) if i not in refused))
        if result.returncode != 0:
            raise ValueError(result.stderr[-400:])
    printed = iter(result.stdout.split("\n" + SEPARATOR))
    return [None if i in refused else next(printed) for i in range(len(chunks))]


def read(text):
    """A module: its variables and its one function, in the edition's terms."""
    module = Reader(text).operation()
    *variables, function = module.regions[0].operations
    terms = Terms(function.attributes["sym_name"])
    lines = []
    for variable in variables:
        attributes = terms.attributes("VARIABLE", variable, {}, {})
        lines.append(("VARIABLE", [], attributes, [], []))
    return terms.block(function.regions[0], lines)


def differences(case, text):
    """The first place where the text says something else than the case; None if there is none."""
    try:
        said = read(text)
    except ValueError as fault:
        return str(fault)
    for what, one, other in zip(("inputs", "operators", "outputs"), said, case.terms()):
        if one == other:
            continue
        if what != "operators" or len(one) != len(other):
            return f"{what}: the text says {one}, the case {other}"
        line = next(i for i, pair in enumerate(zip(one, other)) if pair[0] != pair[1])
        return f"the text says {one[line]}, the case {other[line]}"
    return None


def bundles(suite):
    folders = sorted(folder for folder, _, files in os.walk(suite) if "case.json" in files)
    return [Case(folder) for folder in folders]


def part_of(cases):
    """Picks some cases, evenly spaced, for each operator, type row and outcome."""
    rows = collections.defaultdict(list)
    for case in cases:
        rows[tuple(case.bundle[name] for name in ("operator", "mode", "outcome"))].append(case)
    return [case for row in rows.values() for case in row[:: max(1, len(row) // PER_ROW)]]


class ReadBack(unittest.TestCase):
    longMessage = False

    @classmethod
    def setUpClass(cls):
        suite = SUITE
        if suite is None:
            root = tempfile.mkdtemp()
            cls.addClassCleanup(shutil.rmtree, root)
            suite = os.path.join(root, "suite")
            run([TENSOR_CTS, "generate", "--recipe", "smoke-0.100", "--out", suite])
        cls.cases = bundles(suite) if SUITE else part_of(bundles(suite))
        cls.printed, cls.refused = [], []  # with what mlir-opt printed; without, as it refuses them
        for start in range(0, len(cls.cases), 2000):
            cls.read(cls.cases[start : start + 2000])

    @classmethod
    def read(cls, cases):
        said = [(case, text) for case, text in zip(cases, render(cases)) if text is not None]
        for (case, _), text in zip(said, print_generic([text for _, text in said])):
            if text is None:
                cls.refused.append(case)
            else:
                cls.printed.append((case, text))

    def test_says_what_the_case_says(self):
        for case, text in self.printed:
            with self.subTest(case=case.id):
                self.assertIsNone(found := differences(case, text), f"{case.id}: {found}")
        read, refused = len(self.printed), len(self.refused)
        print(f"{len(self.cases)} cases, {read} read back, {refused} refused", file=sys.stderr)

    def test_reads_every_operator_but_those_on_shapes(self):
        operators = {case.bundle["operator"] for case in self.cases}
        read = {case.bundle["operator"] for case, _ in self.printed}
        unread = {name for name in operators - read if not name.endswith("_SHAPE")}
        self.assertLessEqual(unread, {"DIM"})

    def test_only_illegal_graphs_are_refused_as_they_are_read(self):
        for case in self.refused:
            legal = case.bundle["outcome"] == "valid"
            self.assertFalse(legal and not REFUSED.match(case.id), f"{case.id}: refused")

    def test_every_number_of_the_text_counts(self):
        """Changes one attribute after the other: the reader has to see it."""
        for case, text in self.smallest_of_each_operator():
            for begin, end, other in changes(text):
                changed = text[:begin] + other + text[end:]
                with self.subTest(case=case.id, at=text[begin - 20 : end], other=other):
                    self.assertIsNotNone(differences(case, changed))

    def smallest_of_each_operator(self):
        chosen = {}
        for case, text in self.printed:
            smallest = chosen.setdefault(case.bundle["operator"], (case, text))
            if case.bundle["outcome"] == "valid" and len(text) < len(smallest[1]):
                chosen[case.bundle["operator"]] = (case, text)
        return chosen.values()


def changes(text):
    """(begin, end, another): the places in the properties of operations where something else could
    stand, but no more than three in one list, and nothing of the bounds that CLAMP does not use."""
    for properties in re.finditer(r"<\{(?:(?!\}>).)*\}>", text):
        of_floats = re.match(r" : \(tensor<[0-9x]*b?f", text[properties.end() :])
        in_list = 0
        for match in WORD.finditer(properties.group()):
            word, before = match.group(), properties.group()[: match.start()]
            in_list = in_list + 1 if before.endswith((", ", "[")) else 0
            if in_list > 2 or (of_floats and before.endswith("_int = ")):
                continue
            if word.isdigit() or word[0] == "-":
                other = str(int(word) + 1)
            else:
                other = OTHERS[word]
            start = properties.start()
            yield start + match.start(), start + match.end(), other


def main():
    global TENSOR_CTS, SUITE
    if shutil.which(MLIR_OPT) is None:
        print(f"{MLIR_OPT}: not found; skipped", file=sys.stderr)
        return SKIPPED
    TENSOR_CTS = sys.argv[1] if len(sys.argv) > 1 else TENSOR_CTS
    SUITE = sys.argv[2] if len(sys.argv) > 2 else None
    unittest.main(argv=sys.argv[:1], verbosity=1)
    return 0


if __name__ == "__main__":
    sys.exit(main())

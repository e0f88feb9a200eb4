#!/usr/bin/python3
"""Tensor CTS adapter for LiteRT: a case is a .tflite model, run by one of three sets of kernels.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import children, functions, worker  # noqa: E402
from common.cases import Unsupported  # noqa: E402

try:
    VERSION = worker.version("litert", "ai-edge-litert")

    import flatbuffers
    import numpy
    from ai_edge_litert import schema_py_generated as schema
    from ai_edge_litert.interpreter import Interpreter, OpResolverType
except ImportError as missing:  # PackageNotFoundError is one
    worker.missing(missing, "litert")

BATCH = 32
KERNELS = {
    "reference": OpResolverType.BUILTIN_REF,
    "optimized": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "xnnpack": OpResolverType.BUILTIN,
}
Op, Type = schema.BuiltinOperator, schema.TensorType


class Value:
    """A tensor of the model that is being made."""

    def __init__(self, number, dtype, shape):
        self.number, self.dtype, self.shape = number, dtype, [int(size) for size in shape]


def options(kind, **members):
    """The options of an operator: the name of their table, and what is in it."""
    table = getattr(schema, f"{kind}T")()
    for name, value in members.items():
        if not hasattr(table, name):
            raise TypeError(f"{kind} has no {name}")
        setattr(table, name, value)
    return getattr(schema.BuiltinOptions, kind), table


class LiteRt:
    TYPES = {
        "bool": Type.BOOL,
        "i8": Type.INT8,
        "i16": Type.INT16,
        "i32": Type.INT32,
        "fp16": Type.FLOAT16,
        "fp32": Type.FLOAT32,
        "i64": Type.INT64,
    }
    BITS = {"bool": "?", "i8": "i1", "i16": "<i2", "i32": "<i4", "fp16": "<f2", "fp32": "<f4", "i64": "<i8"}
    TAKES_BIAS = True  # a convolution adds its bias itself
    ACCUMULATORS = {}  # kernels of fp16 add in fp16
    ALSO = ("IDENTITY", "RECIPROCAL")
    # Kernels of fp16 differ between the sets, and PADV2 has no more than five dimensions.
    LACKS = {"": ("fp16",), "ARGMAX": ("i16->i32",), "PAD": ()}
    REFUSALS = (RuntimeError, ValueError, TypeError, IndexError)
    MISSING = ("support", "didn't find op", "unimplemented", "not implemented", "invalid type", "invalid data type",
               "type", "failed to prepare", "failed to invoke")  # fmt: skip

    UNARY = {
        "ABS": Op.ABS, "CEIL": Op.CEIL, "COS": Op.COS, "EXP": Op.EXP, "FLOOR": Op.FLOOR, "LOG": Op.LOG,
        "LOGICAL_NOT": Op.LOGICAL_NOT, "NEGATE": Op.NEG, "RSQRT": Op.RSQRT, "SIGMOID": Op.LOGISTIC, "SIN": Op.SIN,
        "TANH": Op.TANH,
    }  # fmt: skip
    BINARY = {
        "ADD": (Op.ADD, "AddOptions"), "SUB": (Op.SUB, "SubOptions"), "MUL": (Op.MUL, "MulOptions"),
        "POW": (Op.POW, "PowOptions"), "MAXIMUM": (Op.MAXIMUM, "MaximumMinimumOptions"),
        "MINIMUM": (Op.MINIMUM, "MaximumMinimumOptions"), "EQUAL": (Op.EQUAL, "EqualOptions"),
        "GREATER": (Op.GREATER, "GreaterOptions"), "GREATER_EQUAL": (Op.GREATER_EQUAL, "GreaterEqualOptions"),
        "LOGICAL_AND": (Op.LOGICAL_AND, "LogicalAndOptions"), "LOGICAL_OR": (Op.LOGICAL_OR, "LogicalOrOptions"),
        "INTDIV": (Op.DIV, "DivOptions"), "ARITHMETIC_RIGHT_SHIFT": (Op.RIGHT_SHIFT, "RightShiftOptions"),
    }  # fmt: skip
    COMPARISONS = ("EQUAL", "GREATER", "GREATER_EQUAL")
    REDUCE = {
        "REDUCE_ALL": Op.REDUCE_ALL, "REDUCE_ANY": Op.REDUCE_ANY, "REDUCE_MAX": Op.REDUCE_MAX,
        "REDUCE_MIN": Op.REDUCE_MIN, "REDUCE_PRODUCT": Op.REDUCE_PROD, "REDUCE_SUM": Op.SUM,
    }  # fmt: skip

    def __init__(self, kernels):
        self.kernels = KERNELS[kernels]
        if kernels == "reference":
            self.LACKS = {**self.LACKS, "CEIL": ()}  # its set has none

    # --- The model ---------------------------------------------------------------------------

    def begin(self):
        self.graph = schema.SubGraphT()
        self.graph.tensors, self.graph.operators = [], []
        self.codes, self.buffers = [], [schema.BufferT()]

    def new(self, dtype, shape, data=None):
        tensor = schema.TensorT()
        tensor.name = f"t{len(self.graph.tensors)}".encode()
        tensor.shape = numpy.array([int(size) for size in shape], numpy.int32)
        tensor.type = self.TYPES[dtype]
        tensor.buffer = 0
        if data is not None:
            buffer = schema.BufferT()
            buffer.data = numpy.frombuffer(numpy.ascontiguousarray(data).tobytes(), numpy.uint8)
            self.buffers.append(buffer)
            tensor.buffer = len(self.buffers) - 1
        self.graph.tensors.append(tensor)
        return Value(len(self.graph.tensors) - 1, dtype, shape)

    def emit(self, code, inputs, dtype, shape, option=None, version=1):
        """Adds an operator; returns its result."""
        if code not in self.codes:
            self.codes.append(code)
        operator = schema.OperatorT()
        operator.opcodeIndex = self.codes.index(code)
        operator.inputs = numpy.array([value.number for value in inputs], numpy.int32)
        result = self.new(dtype, shape)
        operator.outputs = numpy.array([result.number], numpy.int32)
        if option:
            operator.builtinOptionsType, operator.builtinOptions = option
        self.graph.operators.append(operator)
        return result

    def file(self, inputs, outputs):
        self.graph.inputs = numpy.array([value.number for value in inputs], numpy.int32)
        self.graph.outputs = numpy.array([value.number for value in outputs], numpy.int32)
        model = schema.ModelT()
        model.version = 3
        model.subgraphs, model.buffers, model.operatorCodes = [self.graph], self.buffers, []
        for code in self.codes:
            entry = schema.OperatorCodeT()
            entry.builtinCode, entry.version = code, 1
            entry.deprecatedBuiltinCode = min(code, 127)
            model.operatorCodes.append(entry)
        builder = flatbuffers.Builder(1024)
        builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
        return bytes(builder.Output())

    def program(self, case, constants):
        names, tensors = case.block["inputs"], case.tensors
        self.begin()
        self.finite = all_finite(case, constants)
        inputs = {name: self.new(tensors[name]["dtype"], tensors[name]["shape"]) for name in names}
        outputs = functions.evaluate(case, self, inputs, constants)
        for name, value in zip(case.block["outputs"], outputs):
            if value.dtype != tensors[name]["dtype"]:
                raise TypeError(f"{name}: the result is of {value.dtype}")
        model = self.file(inputs.values(), outputs)
        if keep := os.environ.get("TENSOR_CTS_KEEP_TFLITE"):
            with open(keep, "wb") as file:
                file.write(model)
        interpreter = Interpreter(model_content=model, experimental_op_resolver_type=self.kernels, num_threads=1)
        interpreter.allocate_tensors()
        places = [[entry["index"] for entry in entries]
                  for entries in (interpreter.get_input_details(), interpreter.get_output_details())]  # fmt: skip

        def run(arrays):
            for place, name, bits in zip(places[0], names, arrays):
                interpreter.set_tensor(place, bits.view(self.BITS[tensors[name]["dtype"]]))
            interpreter.invoke()
            return [numpy.asarray(interpreter.get_tensor(place)) for place in places[1]]

        return run

    # --- Functions ---------------------------------------------------------------------------

    def value(self, bits, dtype):
        return self.new(dtype, bits.shape, bits)

    def scalar(self, number, dtype):
        return self.value(numpy.asarray(number, self.BITS[dtype]), dtype)

    def numbers(self, values):
        return self.value(numpy.asarray(values, numpy.int32), "i32")

    def unary(self, name, x, dtype):
        if name == "IDENTITY":
            return self.reshape(x, x.shape)
        if name == "RECIPROCAL":
            one = self.value(numpy.ones([1] * len(x.shape), self.BITS[dtype]), dtype)
            return self.emit(Op.DIV, [one, x], dtype, x.shape, options("DivOptions"))
        if name not in self.UNARY:
            raise Unsupported(f"no kernel for {name}")
        return self.emit(self.UNARY[name], [x], dtype, x.shape)

    def binary(self, name, a, b, dtype):
        if name not in self.BINARY:
            raise Unsupported(f"no kernel for {name}")
        code, kind = self.BINARY[name]
        shape = numpy.broadcast_shapes(a.shape, b.shape)
        return self.emit(code, [a, b], "bool" if name in self.COMPARISONS else dtype, shape, options(kind))

    def select(self, condition, a, b):
        shape = numpy.broadcast_shapes(condition.shape, a.shape, b.shape)
        return self.emit(Op.SELECT_V2, [condition, a, b], a.dtype, shape, options("SelectV2Options"))

    def cast(self, x, source, target):
        if source == target:
            return x
        kinds = dict(inDataType=self.TYPES[source], outDataType=self.TYPES[target])
        return self.emit(Op.CAST, [x], target, x.shape, options("CastOptions", **kinds))

    def clamp(self, x, low, high, dtype):
        ones = [1] * len(x.shape)
        low, high = (self.value(numpy.full(ones, bound, self.BITS[dtype]), dtype) for bound in (low, high))
        raised = self.binary("MAXIMUM", x, low, dtype)
        return self.binary("MINIMUM", raised, high, dtype)

    def reduce(self, name, x, axis, dtype):
        shape = [*x.shape[:axis], 1, *x.shape[axis + 1 :]]
        keep = options("ReducerOptions", keepDims=True)
        return self.emit(self.REDUCE[name], [x, self.numbers([axis])], dtype, shape, keep)

    def argmax(self, x, axis, dtype):
        shape = [*x.shape[:axis], *x.shape[axis + 1 :]]
        kind = options("ArgMaxOptions", outputType=Type.INT32)
        return self.emit(Op.ARG_MAX, [x, self.numbers([axis])], "i32", shape, kind)

    def concat(self, values, axis):
        shape = list(values[0].shape)
        shape[axis] = sum(value.shape[axis] for value in values)
        return self.emit(Op.CONCATENATION, values, values[0].dtype, shape, options("ConcatenationOptions", axis=axis))

    def reshape(self, x, shape):
        kind = options("ReshapeOptions", newShape=numpy.array(shape, numpy.int32))
        return self.emit(Op.RESHAPE, [x, self.numbers(shape)], x.dtype, shape, kind)

    def reverse(self, x, axis):
        return self.emit(Op.REVERSE_V2, [x, self.numbers([axis])], x.dtype, x.shape, options("ReverseV2Options"))

    def slice(self, x, start, size):
        if min(start, default=0) < 0 or min(size, default=1) < 1:
            raise Unsupported(f"from {start}, {size} elements")
        return self.emit(Op.SLICE, [x, self.numbers(start), self.numbers(size)], x.dtype, size, options("SliceOptions"))

    def tile(self, x, multiples):
        shape = [size * times for size, times in zip(x.shape, multiples)]
        return self.emit(Op.TILE, [x, self.numbers(multiples)], x.dtype, shape, options("TileOptions"))

    def transpose(self, x, perms):
        shape = [x.shape[axis] for axis in perms]
        return self.emit(Op.TRANSPOSE, [x, self.numbers(perms)], x.dtype, shape, options("TransposeOptions"))

    def pad(self, x, pads, value):
        shape = [size + low + high for size, (low, high) in zip(x.shape, pads)]
        pads = self.value(numpy.asarray(pads, numpy.int32).reshape(-1, 2), "i32")
        return self.emit(Op.PADV2, [x, pads, value], x.dtype, shape, options("PadV2Options"))

    def gather(self, values, indices):
        shape = [*indices.shape, values.shape[2]]
        return self.emit(Op.GATHER, [values, indices], values.dtype, shape,
                         options("GatherOptions", axis=1, batchDims=1))  # fmt: skip

    def matmul(self, a, b, dtype):
        if dtype == "i32":
            raise Unsupported("a product of integers without scales")
        shape = [a.shape[0], a.shape[1], b.shape[2]]
        return self.emit(Op.BATCH_MATMUL, [a, b], dtype, shape, options("BatchMatMulOptions"))

    def padded(self, x, pads, number):
        if not any(pair != (0, 0) for pair in pads):
            return x
        fill = self.value(numpy.array([number], self.BITS[x.dtype]), x.dtype)
        return self.pad(x, [(0, 0), *pads, (0, 0)], fill)

    def conv(self, x, weight, stride, pads, dilation, depthwise, dtype, bias=None):
        if dtype == "i32":
            raise Unsupported("a convolution of integers without scales")
        if any(pair != (0, 0) for pair in pads) and not self.finite:
            raise Unsupported("padding in a step of its own, with numbers that are not finite")
        x = self.padded(x, pads, 0)
        if len(stride) == 3:
            raise Unsupported("CONV_3D")
        if depthwise:  # [KH, KW, C, M] -> [1, KH, KW, C * M]
            kh, kw, channels, m = weight.shape
            weight = self.reshape(weight, [1, kh, kw, channels * m])
            out, code = channels * m, Op.DEPTHWISE_CONV_2D
            kind = options("DepthwiseConv2DOptions", padding=schema.Padding.VALID, strideH=stride[0],
                           strideW=stride[1], dilationHFactor=dilation[0], dilationWFactor=dilation[1],
                           depthMultiplier=m)  # fmt: skip
        else:
            out, kh, kw, _ = weight.shape
            code = Op.CONV_2D
            kind = options("Conv2DOptions", padding=schema.Padding.VALID, strideH=stride[0], strideW=stride[1],
                           dilationHFactor=dilation[0], dilationWFactor=dilation[1])  # fmt: skip
        bias = bias or self.value(numpy.zeros(out, self.BITS[dtype]), dtype)
        sizes = [(size - (k - 1) * d - 1) // s + 1
                 for size, k, s, d in zip(x.shape[1:3], (kh, kw), stride, dilation)]  # fmt: skip
        return self.emit(code, [x, weight, bias], dtype, [x.shape[0], *sizes, out], kind)

    def pool(self, code, x, kernel, stride):
        sizes = [(size - k) // s + 1 for size, k, s in zip(x.shape[1:3], kernel, stride)]
        kind = options("Pool2DOptions", padding=schema.Padding.VALID, strideH=stride[0], strideW=stride[1],
                       filterHeight=kernel[0], filterWidth=kernel[1])  # fmt: skip
        return self.emit(code, [x], x.dtype, [x.shape[0], *sizes, x.shape[3]], kind)

    def max_pool(self, x, kernel, stride, pads, dtype):
        least = -numpy.inf if dtype in functions.FLOATS else numpy.iinfo(self.BITS[dtype]).min
        return self.pool(Op.MAX_POOL_2D, self.padded(x, pads, least), kernel, stride)

    def avg_pool(self, x, kernel, stride, pads, dtype):
        if any(pair != (0, 0) for pair in pads):
            raise Unsupported("an average with padding that is not counted")
        return self.pool(Op.AVERAGE_POOL_2D, x, kernel, stride)


def all_finite(case, constants):
    """Whether no number of a case, at any execution, is infinite or NaN."""
    arrays = dict(constants)
    found = []
    for name, bits in arrays.items():
        found.append((case.tensors[name]["dtype"], bits))
    for execution in case.executions:
        for name in case.block["inputs"]:
            found.append((case.tensors[name]["dtype"], functions.arrays.read_bits(
                case.input_path(execution, name), case.tensors[name]["dtype"])))  # fmt: skip
    kinds = {"fp16": "<f2", "fp32": "<f4"}
    return all(numpy.isfinite(bits.view(kinds[dtype])).all() for dtype, bits in found if dtype in kinds)


def prepare(chosen):
    library = LiteRt(chosen.kernels)

    def work(cases, tell):
        for case in cases:
            functions.run_case(case, library)
            tell(case)

    declared = functions.declared(library)
    return f"litert-{chosen.kernels}", VERSION, children.batches(work, "the interpreter"), declared


def main():
    parser = worker.parser(__doc__, BATCH)
    parser.add_argument("--kernels", default="reference", choices=sorted(KERNELS), help="(%(default)s)")
    worker.serve(parser, prepare)


if __name__ == "__main__":
    main()

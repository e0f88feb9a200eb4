#!/usr/bin/python3
"""Tensor CTS adapter for OpenVINO: a case is a model of its operators, compiled for the CPU.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import children, functions, worker  # noqa: E402
from common.cases import Unsupported  # noqa: E402

try:
    worker.version("openvino", "openvino")

    import numpy
    import openvino
    from openvino import opset15 as ops
except ImportError as missing:
    worker.missing(missing, "openvino")

BATCH = 16
# Without the first, results are rounded to a narrower type where the processor has it.
CONFIGURATION = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1, "NUM_STREAMS": 1}


class OpenVino:
    TYPES = {
        "bool": openvino.Type.boolean,
        "i8": openvino.Type.i8,
        "i16": openvino.Type.i16,
        "i32": openvino.Type.i32,
        "fp16": openvino.Type.f16,
        "bf16": openvino.Type.bf16,
        "fp32": openvino.Type.f32,
    }
    BITS = {"bool": "?", "i8": "i1", "i16": "<i2", "i32": "<i4", "fp16": "<f2", "bf16": "<u2", "fp32": "<f4"}
    TAKES_BIAS = False  # a convolution adds its bias itself
    ACCUMULATORS = {"fp16": ("FP32",), "bf16": ("FP32",)}  # what INFERENCE_PRECISION_HINT says
    ALSO = ("IDENTITY", "INTDIV", "RECIPROCAL", "RSQRT")
    REFUSALS = (RuntimeError, ValueError, TypeError, IndexError, NotImplementedError)
    MISSING = ("not implemented", "not supported", "unsupported", "doesn't support", "not found", "could not create")

    UNARY = {
        "ABS": ops.abs, "BITWISE_NOT": ops.bitwise_not, "CEIL": ops.ceiling, "COS": ops.cos, "ERF": ops.erf,
        "EXP": ops.exp, "FLOOR": ops.floor, "LOG": ops.log, "LOGICAL_NOT": ops.logical_not,
        "NEGATE": ops.negative, "SIGMOID": ops.sigmoid, "SIN": ops.sin, "TANH": ops.tanh,
    }  # fmt: skip
    BINARY = {
        "ADD": ops.add, "SUB": ops.subtract, "MUL": ops.multiply, "POW": ops.power, "MAXIMUM": ops.maximum,
        "MINIMUM": ops.minimum, "BITWISE_AND": ops.bitwise_and, "BITWISE_OR": ops.bitwise_or,
        "BITWISE_XOR": ops.bitwise_xor, "EQUAL": ops.equal, "GREATER": ops.greater,
        "GREATER_EQUAL": ops.greater_equal, "LOGICAL_AND": ops.logical_and, "LOGICAL_OR": ops.logical_or,
        "LOGICAL_XOR": ops.logical_xor, "LOGICAL_LEFT_SHIFT": ops.bitwise_left_shift,
        "ARITHMETIC_RIGHT_SHIFT": ops.bitwise_right_shift,
    }  # fmt: skip
    REDUCE = {
        "REDUCE_ALL": ops.reduce_logical_and, "REDUCE_ANY": ops.reduce_logical_or, "REDUCE_MAX": ops.reduce_max,
        "REDUCE_MIN": ops.reduce_min, "REDUCE_PRODUCT": ops.reduce_prod, "REDUCE_SUM": ops.reduce_sum,
    }  # fmt: skip

    def __init__(self):
        self.core = openvino.Core()

    def numbers(self, values):
        return ops.constant(numpy.asarray(values, numpy.int64))

    def tensor(self, bits, dtype):
        cells = numpy.ascontiguousarray(bits)
        if dtype == "bf16":
            return openvino.Tensor(cells.view(numpy.uint16), list(bits.shape), openvino.Type.bf16)
        return openvino.Tensor(cells.view(self.BITS[dtype]).reshape(bits.shape))

    def value(self, bits, dtype):
        return ops.constant(self.tensor(bits, dtype), shared_memory=False)

    def program(self, case, constants):
        names, tensors = case.block["inputs"], case.tensors
        inputs = {}
        for name in names:
            inputs[name] = ops.parameter(tensors[name]["shape"], self.TYPES[tensors[name]["dtype"]])
        results = functions.evaluate(case, self, inputs, constants)
        results = [ops.result(result) for result in results]
        model = openvino.Model(results, list(inputs.values()))
        compiled = self.core.compile_model(model, "CPU", CONFIGURATION)
        request = compiled.create_infer_request()

        def run(arrays):
            for number, (name, bits) in enumerate(zip(names, arrays)):
                request.set_input_tensor(number, self.tensor(bits, tensors[name]["dtype"]))
            request.infer()
            found = []
            for number, name in enumerate(case.block["outputs"]):
                tensor, dtype = request.get_output_tensor(number), tensors[name]["dtype"]
                if tensor.element_type != self.TYPES[dtype]:
                    raise TypeError(f"{name}: the result is of {tensor.element_type}, expected {dtype}")
                data = tensor.data
                width = {1: numpy.uint8, 2: numpy.uint16, 4: numpy.uint32}[data.dtype.itemsize]
                found.append(numpy.array(data).view(width).reshape(list(tensor.shape)))
            return found

        return run

    def scalar(self, number, dtype):
        return ops.constant(numpy.asarray(number, self.BITS[dtype]))

    def unary(self, name, x, dtype):
        if name == "IDENTITY":
            return ops.reshape(x, self.numbers(list(x.get_output_shape(0))), False)
        if name == "RECIPROCAL":
            return ops.power(x, ops.convert(ops.constant(numpy.float32(-1)), self.TYPES[dtype]))
        if name == "RSQRT":
            return ops.divide(ops.convert(ops.constant(numpy.float32(1)), self.TYPES[dtype]), ops.sqrt(x))
        if name not in self.UNARY:
            raise Unsupported(f"no function for {name}")
        return self.UNARY[name](x)

    def binary(self, name, a, b, dtype):
        if name == "INTDIV":  # divides integers as C++ does
            return ops.divide(a, b)
        if name not in self.BINARY:
            raise Unsupported(f"no function for {name}")
        return self.BINARY[name](a, b)

    def select(self, condition, a, b):
        return ops.select(condition, a, b)

    def cast(self, x, source, target):
        return ops.convert(x, self.TYPES[target])

    def clamp(self, x, low, high, dtype):
        return ops.clamp(x, low, high)

    def reduce(self, name, x, axis, dtype):
        return self.REDUCE[name](x, self.numbers([axis]), True)

    def argmax(self, x, axis, dtype):
        top = ops.topk(x, ops.constant(numpy.int64(1)), axis, "max", "value", "i32", stable=True)
        return ops.squeeze(top.output(1), self.numbers([axis]))

    def concat(self, values, axis):
        return ops.concat(values, axis)

    def reshape(self, x, shape):
        return ops.reshape(x, self.numbers(shape), False)

    def reverse(self, x, axis):
        return self.strided(x, axis, -1, numpy.iinfo(numpy.int64).min, -1)

    def strided(self, x, axis, start, stop, step):
        return ops.slice(x, *(self.numbers([number]) for number in (start, stop, step, axis)))

    def slice(self, x, start, size):
        stop = [first + count for first, count in zip(start, size)]
        axes = list(range(len(start)))
        if min(start, default=0) < 0 or min(size, default=1) < 1:
            raise Unsupported(f"from {start}, {size} elements")
        return ops.slice(x, self.numbers(start), self.numbers(stop), self.numbers([1] * len(axes)), self.numbers(axes))

    def tile(self, x, multiples):
        return ops.tile(x, self.numbers(multiples))

    def transpose(self, x, perms):
        return ops.transpose(x, self.numbers(perms))

    def pad(self, x, pads, value):
        low, high = ([pair[side] for pair in pads] for side in (0, 1))
        scalar = ops.reshape(value, self.numbers([]), False)
        return ops.pad(x, self.numbers(low), self.numbers(high), "constant", scalar)

    def gather(self, values, indices):
        return ops.gather(values, indices, ops.constant(numpy.int64(1)), batch_dims=1)

    def matmul(self, a, b, dtype):
        return ops.matmul(a, b, False, False)

    def conv(self, x, weight, stride, pads, dilation, depthwise, dtype):
        if dtype == "i32":
            raise Unsupported("a convolution of integers")
        rank = len(stride)
        space = list(range(1, rank + 1))
        x = ops.transpose(x, self.numbers([0, rank + 1, *space]))
        low, high = ([pair[side] for pair in pads] for side in (0, 1))
        if depthwise:  # [KH, KW, C, M] -> [C, M, 1, KH, KW]
            kh, kw, channels, m = weight.get_output_shape(0)
            weight = ops.reshape(ops.transpose(weight, self.numbers([2, 3, 0, 1])),
                                 self.numbers([channels, m, 1, kh, kw]), False)  # fmt: skip
            result = ops.group_convolution(x, weight, stride, low, high, dilation)
        else:
            weight = ops.transpose(weight, self.numbers([0, rank + 1, *space]))
            result = ops.convolution(x, weight, stride, low, high, dilation)
        return ops.transpose(result, self.numbers([0, *(axis + 1 for axis in space), 1]))

    def pooled(self, call, x):
        result = call(ops.transpose(x, self.numbers([0, 3, 1, 2])))
        return ops.transpose(result, self.numbers([0, 2, 3, 1]))

    def max_pool(self, x, kernel, stride, pads, dtype):
        low, high = ([pair[side] for pair in pads] for side in (0, 1))
        call = lambda value: ops.max_pool(value, stride, [1, 1], low, high, kernel, "floor").output(0)  # noqa: E731
        return self.pooled(call, x)

    def avg_pool(self, x, kernel, stride, pads, dtype):
        low, high = ([pair[side] for pair in pads] for side in (0, 1))
        return self.pooled(lambda value: ops.avg_pool(value, stride, low, high, kernel, True, "floor"), x)


def prepare(options):
    library = OpenVino()

    def work(cases, tell):
        for case in cases:
            functions.run_case(case, library)
            tell(case)

    version = openvino.__version__.split("-")[0]
    return "openvino", version, children.batches(work, "OpenVINO"), functions.declared(library)


if __name__ == "__main__":
    worker.serve(worker.parser(__doc__, BATCH), prepare)

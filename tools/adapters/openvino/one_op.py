"""A model of one operator, made and run with OpenVINO itself: what the reports show is run with it."""

import numpy
import openvino
from openvino import opset15 as ops  # noqa: F401: the programs use it

CONFIGURATION = {"INFERENCE_PRECISION_HINT": "f32", "INFERENCE_NUM_THREADS": 1}


def bf16(values):
    """Numbers as a tensor of bf16, rounded toward zero: give it numbers that are bf16."""
    bits = (numpy.asarray(values, numpy.float32).view(numpy.uint32) >> 16).astype(numpy.uint16)
    return openvino.Tensor(bits, list(bits.shape), openvino.Type.bf16)


def numbers(tensor):
    if tensor.element_type == openvino.Type.bf16:
        bits = numpy.array(tensor.data).view(numpy.uint16).astype(numpy.uint32) << 16
        return bits.view(numpy.float32)
    return numpy.array(tensor.data)


def run(function, *arrays):
    """The result of function(parameters), as NumPy's numbers."""
    tensors = [array if isinstance(array, openvino.Tensor) else openvino.Tensor(array) for array in arrays]
    parameters = [ops.parameter(tensor.shape, tensor.element_type) for tensor in tensors]
    model = openvino.Model([ops.result(function(*parameters))], parameters)
    compiled = openvino.Core().compile_model(model, "CPU", CONFIGURATION)
    request = compiled.create_infer_request()
    for number, tensor in enumerate(tensors):
        request.set_input_tensor(number, tensor)
    request.infer()
    return numbers(request.get_output_tensor(0))


def fold(node):
    """The value of a model without inputs, which OpenVINO folds when it compiles."""
    compiled = openvino.Core().compile_model(openvino.Model([ops.result(node)], []), "CPU", CONFIGURATION)
    request = compiled.create_infer_request()
    request.infer()
    return numbers(request.get_output_tensor(0))

"""A model of one operator, made with ONNX's own package and run on ONNX Runtime: what the reports show is run with it."""

import numpy
import onnx
import onnxruntime


def run(name, *inputs, shape=None, **attributes):
    """The result of one operator of ONNX; its shape is that of the first input unless it is given."""
    inputs = {f"input{number}": numpy.asarray(array) for number, array in enumerate(inputs)}
    types = [onnx.helper.np_dtype_to_tensor_dtype(array.dtype) for array in inputs.values()]
    values = [onnx.helper.make_tensor_value_info(*value) for value in zip(inputs, types, map(numpy.shape, inputs.values()))]
    result = onnx.helper.make_tensor_value_info("output", types[0], shape or numpy.shape(inputs["input0"]))
    node = onnx.helper.make_node(name, list(inputs), ["output"], **attributes)
    graph = onnx.helper.make_graph([node], "graph", values, [result])
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 21)], ir_version=10)
    onnx.checker.check_model(model, full_check=True)
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run(None, inputs)[0]

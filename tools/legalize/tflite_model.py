"""Single-operator models as .tflite files, by LiteRT's own schema."""

import flatbuffers
import numpy as np
from ai_edge_litert import schema_py_generated as schema

from tensors import NUMPY, Model, Tensor


def _quantization(tensor):
    if not tensor.scale:
        return None
    made = schema.QuantizationParametersT()
    made.scale = np.float32(tensor.scale)
    made.zeroPoint = np.int64(tensor.zero_point)
    made.quantizedDimension = tensor.axis
    return made


def build(model):
    """The bytes of the .tflite file."""
    root = schema.ModelT()
    root.version, root.description = 3, "tensor-cts legalize"
    code = schema.OperatorCodeT()
    number = getattr(schema.BuiltinOperator, model.operator)
    code.builtinCode, code.deprecatedBuiltinCode, code.version = number, min(number, 127), model.version
    root.operatorCodes = [code]
    root.buffers = [schema.BufferT()]
    graph = schema.SubGraphT()
    graph.name, graph.tensors, graph.inputs, graph.outputs = "main", [], [], []

    def add(tensor, name):
        made = schema.TensorT()
        made.name, made.shape = (tensor.name or name).encode(), [int(n) for n in tensor.shape]
        made.type = getattr(schema.TensorType, tensor.type.upper())
        made.quantization = _quantization(tensor)
        made.buffer, made.hasRank = 0, True
        if tensor.data is not None:
            buffer = schema.BufferT()
            buffer.data = np.frombuffer(np.ascontiguousarray(tensor.data).tobytes(), np.uint8)
            root.buffers.append(buffer)
            made.buffer = len(root.buffers) - 1
        graph.tensors.append(made)
        return len(graph.tensors) - 1

    operator = schema.OperatorT()
    operator.opcodeIndex, operator.inputs, operator.outputs = 0, [], []
    for position, tensor in enumerate(model.inputs):
        if tensor is None:
            operator.inputs.append(-1)
            continue
        index = add(tensor, f"input{position}" if tensor.data is None else f"constant{position}")
        operator.inputs.append(index)
        if tensor.data is None:
            graph.inputs.append(index)
    for position, tensor in enumerate(model.outputs):
        index = add(tensor, f"output{position}")
        operator.outputs.append(index)
        graph.outputs.append(index)
    if model.options:
        kind, fields = model.options
        options = getattr(schema, kind + "T")()
        for field, value in fields.items():
            if not hasattr(options, field):
                raise ValueError(f"{kind} has no field {field}")
            setattr(options, field, value)
        if hasattr(schema.BuiltinOptions, kind):
            operator.builtinOptionsType, operator.builtinOptions = getattr(schema.BuiltinOptions, kind), options
        else:
            operator.builtinOptions2Type = getattr(schema.BuiltinOptions2, kind)
            operator.builtinOptions2 = options
    graph.operators = [operator]
    root.subgraphs = [graph]
    builder = flatbuffers.Builder(1024)
    builder.Finish(root.Pack(builder), b"TFL3")
    return bytes(builder.Output())


def _names(kind):
    return {number: name for name, number in vars(kind).items() if isinstance(number, int)}


def _plain(value):
    """An attribute's value as the table of operators has it."""
    if isinstance(value, np.ndarray):
        return [n.item() for n in value]
    return value.decode() if isinstance(value, bytes) else value


def defaults(kind):
    """The attributes of an operator as the schema has them when they are not set."""
    return {name: _plain(value) for name, value in vars(getattr(schema, kind + "T")()).items()}


def _tensor(root, made, given):
    kind = _names(schema.TensorType)[made.type].lower()
    shape = tuple(int(n) for n in (made.shape if made.shape is not None else ()))
    q = made.quantization
    scale = () if q is None or q.scale is None else tuple(float(n) for n in q.scale)
    zero_point = () if not scale else tuple(int(n) for n in q.zeroPoint)
    data = root.buffers[made.buffer].data
    values = None if given else np.frombuffer(np.asarray(data, np.uint8).tobytes(), NUMPY[kind]).reshape(shape)
    return Tensor(kind, shape, scale, zero_point, q.quantizedDimension if scale else 0, values, made.name.decode())


def read(data):
    """The model of a file that `build` has written."""
    root = schema.ModelT.InitFromObj(schema.Model.GetRootAs(data, 0))
    graph, code = root.subgraphs[0], root.operatorCodes[0]
    operator = graph.operators[0]
    options = ()
    for numbers, number, fields in (
        (schema.BuiltinOptions, operator.builtinOptionsType, operator.builtinOptions),
        (schema.BuiltinOptions2, operator.builtinOptions2Type, operator.builtinOptions2),
    ):
        if fields is not None:
            options = (_names(numbers)[number], {name: _plain(value) for name, value in vars(fields).items()})
    number = max(code.builtinCode, code.deprecatedBuiltinCode)
    inputs = [
        None if index < 0 else _tensor(root, graph.tensors[index], index in graph.inputs) for index in operator.inputs
    ]
    outputs = [_tensor(root, graph.tensors[index], True) for index in operator.outputs]
    return Model(_names(schema.BuiltinOperator)[number], inputs, outputs, options, code.version)

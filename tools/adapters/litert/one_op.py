"""A model of one operator, made and run with LiteRT's own packages: what the reports show is run with it."""

import flatbuffers
import numpy
from ai_edge_litert import schema_py_generated as schema
from ai_edge_litert.interpreter import Interpreter, OpResolverType

KERNELS = {
    "reference": OpResolverType.BUILTIN_REF,
    "optimized": OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES,
    "xnnpack": OpResolverType.BUILTIN,
}
TYPES = {"float32": schema.TensorType.FLOAT32, "float16": schema.TensorType.FLOAT16, "int32": schema.TensorType.INT32,
         "int16": schema.TensorType.INT16, "int8": schema.TensorType.INT8, "bool": schema.TensorType.BOOL}  # fmt: skip


def tensor(graph, model, name, dtype, shape, data=None):
    made = schema.TensorT()
    made.name, made.type, made.shape, made.buffer = name, TYPES[str(dtype)], numpy.array(shape, numpy.int32), 0
    if data is not None:
        model.buffers.append(schema.BufferT())
        model.buffers[-1].data = numpy.frombuffer(data.tobytes(), numpy.uint8)
        made.buffer = len(model.buffers) - 1
    graph.tensors.append(made)


def model_of(name, inputs, constants, shape, dtype, options, members):
    """The bytes of a .tflite file: `inputs` at run time, `constants` in the model, one result."""
    model, graph = schema.ModelT(), schema.SubGraphT()
    model.version, model.buffers, model.subgraphs = 3, [schema.BufferT()], [graph]
    graph.tensors = []
    for number, array in enumerate(inputs):
        tensor(graph, model, f"input{number}", array.dtype, array.shape)
    for number, array in enumerate(constants):
        tensor(graph, model, f"constant{number}", array.dtype, array.shape, array)
    tensor(graph, model, "output", dtype, shape)
    operator, code = schema.OperatorT(), schema.OperatorCodeT()
    code.builtinCode = getattr(schema.BuiltinOperator, name)
    code.deprecatedBuiltinCode, code.version = min(code.builtinCode, 127), 1
    model.operatorCodes, operator.opcodeIndex = [code], 0
    operator.inputs, operator.outputs = list(range(len(graph.tensors) - 1)), [len(graph.tensors) - 1]
    if options:
        table = getattr(schema, f"{options}T")()
        for member, value in members.items():
            setattr(table, member, value)
        operator.builtinOptionsType, operator.builtinOptions = getattr(schema.BuiltinOptions, options), table
    graph.operators = [operator]
    graph.inputs, graph.outputs = list(range(len(inputs))), [len(graph.tensors) - 1]
    builder = flatbuffers.Builder(1024)
    builder.Finish(model.Pack(builder), file_identifier=b"TFL3")
    return bytes(builder.Output())


def run(kernels, name, *inputs, constants=(), shape=None, dtype=None, options=None, **members):
    """The result of one operator; shape and dtype are those of the first input unless they are given."""
    inputs = [numpy.asarray(array) for array in inputs]
    shape = inputs[0].shape if shape is None else shape
    data = model_of(name, inputs, constants, shape, dtype or inputs[0].dtype, options, members)
    interpreter = Interpreter(model_content=data, experimental_op_resolver_type=KERNELS[kernels], num_threads=1)
    interpreter.allocate_tensors()
    for detail, array in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"])

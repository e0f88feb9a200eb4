"""An implementation for tensor-cts run, the module and pytest: one function.

    tensor-cts run smoke --python my_npu.py:execute --out results
    tensor_cts.run("smoke", "my_npu.py:execute", "results")
    pytest smoke --tensor-cts-adapter my_npu.py:execute
"""
import numpy as np

import tensor_cts as cts

KERNELS = {"ABS": np.abs, "FLOOR": np.floor, "CEIL": np.ceil, "IDENTITY": np.array}


@cts.adapter("my-npu", "1.0")
def execute(graph, inputs):
    values = {**graph.constants, **inputs}
    for op in graph.operators:
        if op.name in ("CONST", "CONST_SHAPE"):  # its value is there already
            continue
        if op.name not in KERNELS:
            raise cts.Unsupported(f"operator {op.name}")
        types = [graph.tensors[name].type for name in (*op.inputs, *op.outputs)]
        if len(types) != 2 or types[0] != types[1]:
            raise cts.Refused(f"{op.name}: found operands of {types}, expected two of one type")
        if types[0] not in ("i32", "fp32"):
            raise cts.Unsupported(f"{op.name} of {types[0]}")
        with np.errstate(invalid="ignore"):  # NaN is an answer, too
            result = KERNELS[op.name](values[op.inputs[0]])
        if result.shape != graph.tensors[op.outputs[0]].shape:
            raise cts.Refused(f"{op.name}: the result has shape {result.shape}")
        values[op.outputs[0]] = result
    return {name: values[name] for name in graph.outputs}

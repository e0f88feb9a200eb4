"""An operator with its operands, whatever the framework."""

import dataclasses

import numpy as np

NUMPY = {
    "float32": np.float32,
    "float16": np.float16,
    "float64": np.float64,
    "int8": np.int8,
    "uint8": np.uint8,
    "int16": np.int16,
    "uint16": np.uint16,
    "int32": np.int32,
    "uint32": np.uint32,
    "int64": np.int64,
    "uint64": np.uint64,
    "bool": np.bool_,
    "complex64": np.complex64,
}


@dataclasses.dataclass
class Tensor:
    """An operand: an input of the model if data is None, otherwise a constant."""

    type: str
    shape: tuple
    scale: tuple = ()
    zero_point: tuple = ()
    axis: int = 0
    data: np.ndarray = None
    name: str = ""

    def with_data(self, data):
        return dataclasses.replace(self, data=np.asarray(data, NUMPY[self.type]).reshape(self.shape))


@dataclasses.dataclass
class Model:
    """One operator; inputs may hold None for an operand that is left out."""

    operator: str  # BuiltinOperator
    inputs: list
    outputs: list
    options: tuple = ()  # ("AddOptions", {"fusedActivationFunction": 1})
    version: int = 1

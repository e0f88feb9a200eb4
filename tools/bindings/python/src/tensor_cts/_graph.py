"""A case as its files say it: the graph, constants, inputs."""
from __future__ import annotations

import functools
import json
import pathlib
from typing import Any, Mapping, NamedTuple

import numpy as np

from tensor_cts._arrays import STORED, Array, typed
from tensor_cts._library import in_plain_arithmetic


class Declared(NamedTuple):
    """What a graph says of a tensor. A dimension of a symbolic program may be a name."""
    name: str
    type: str
    shape: tuple[Any, ...]
    #: Of an output: whether its elements are unsigned numbers, so that a result may be uint8 or uint16.
    unsigned: bool = False


class Operator(NamedTuple):
    """One operator, with its operands in the order of the edition's argument list."""
    name: str
    inputs: list[str]
    outputs: list[str]
    attributes: dict[str, Any]


@in_plain_arithmetic
def _attribute(value: Any) -> Any:
    return float(value["float"]) if isinstance(value, dict) and "float" in value else value


class Graph:
    """The graph of a case. `operators` are in an executable order."""

    def __init__(self, case: Mapping[str, Any], directory: pathlib.Path, block: Mapping[str, Any] | None = None) -> None:
        self._case, self._directory = case, directory
        self._block = block or case["graph"]["regions"][0]["blocks"][0]
        self.inputs: list[str] = list(self._block["inputs"])
        self.outputs: list[str] = list(self._block["outputs"])
        self.tensors = {tensor["name"]: Declared(tensor["name"], tensor["dtype"], tuple(tensor["shape"]))
                        for tensor in self._block["tensors"]}
        self.operators = [Operator(op["operator"], list(op["inputs"]), list(op["outputs"]),
                                   {name: _attribute(value) for name, value in op.get("attributes", {}).items()})
                          for op in self._block["operators"]]

    @property
    def edition(self) -> str:
        return str(self._case["edition"])

    @property
    def level(self) -> str:
        return str(self._case["level"])

    @functools.cached_property
    def constants(self) -> dict[str, Array]:
        """The values of CONST and CONST_SHAPE, and the initial ones of variables, by tensor."""
        return {tensor["name"]: load(self._directory / tensor["values"], tensor["dtype"])
                for tensor in self._block["tensors"] if "values" in tensor}

    def region(self, name: str) -> Graph:
        """The graph that an attribute of control flow names: it sees its own inputs only."""
        for region in self._case["graph"]["regions"]:
            if region["name"] == name:
                return Graph(self._case, self._directory, region["blocks"][0])
        raise ValueError(f"found no region {name!r}, expected one of "
                         f"{', '.join(region['name'] for region in self._case['graph']['regions'])}")


def load(path: pathlib.Path, type: str) -> Array:
    array: Array = np.load(path)
    stored = np.dtype(STORED[type])
    if array.dtype != stored and array.dtype.itemsize == stored.itemsize:
        array = array.view(stored)
    return typed(array, type)


@in_plain_arithmetic
def read_case(directory: pathlib.Path) -> dict[str, Any]:
    pack = directory.parent.with_name(directory.parent.name + ".tar")
    if pack.is_file() and not directory.exists():
        raise FileNotFoundError(f"{pack}: found a packed suite, expected folders; unpack it: tar -xf {pack} -C {pack.parent}")
    with open(directory / "case.json", encoding="utf-8") as file:
        return dict(json.load(file))


def executions(case: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """The first execution and the later ones, each with `inputs`."""
    return [case, *case.get("later_executions", [])]


def result_name(output: str, execution: int) -> str:
    """The name of an output among results, and with .npy that of its file."""
    return output if execution == 0 else f"{output}.{execution}"

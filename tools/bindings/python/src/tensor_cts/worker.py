"""An adapter for `tensor-cts run`: python3 -m tensor_cts.worker MODULE:FUNCTION --worker

FUNCTION(graph, inputs) returns {output: array}, or raises Refused or Unsupported. MODULE may be a file: my_npu.py:execute.
"""
from __future__ import annotations

import importlib
import importlib.util
import json
import os
import pathlib
import sys
import traceback
from typing import Any

import numpy as np

from tensor_cts._adapter import code_of, name_of
from tensor_cts._arrays import STORED, view
from tensor_cts._graph import Graph, executions, load, read_case, result_name
from tensor_cts._reference import Refused, Unsupported
from tensor_cts._suite import Implementation

def find(place: str) -> Implementation:
    """The function of "module:function" or "file.py:function". ValueError says what is not there."""
    module_name, colon, function_name = place.rpartition(":")
    if not colon or not module_name:
        raise ValueError(f"found {place!r}, expected MODULE:FUNCTION or FILE.py:FUNCTION")
    if module_name.endswith(".py"):
        path = pathlib.Path(module_name).resolve()
        if not path.is_file():
            raise ValueError(f"{module_name}: found no such file, expected one with the function {function_name}")
        sys.path.insert(0, str(path.parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        assert spec is not None and spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules.setdefault(path.stem, module)
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, os.getcwd())
        module = importlib.import_module(module_name)
    function = getattr(module, function_name, None)
    if not callable(function):
        raise ValueError(f"{module_name}: found no function {function_name}, expected it to be there")
    return function  # type: ignore[no-any-return]


def save(results: dict[str, Any], folder: pathlib.Path) -> None:
    """Writes results as `tensor-cts check` reads them: bf16 and fp8 as their bits."""
    for name, result in results.items():
        if not (isinstance(result, np.ndarray) and result.dtype.kind == "u"):  # bits already
            bits = view(result, f"output {name}")
            result = bits.array.view(STORED[bits.type])
        np.save(folder / (name + ".npy"), result)


def answer(implementation: Implementation, case_dir: pathlib.Path, result_dir: pathlib.Path) -> dict[str, str]:
    case = read_case(case_dir)
    graph = Graph(case, case_dir)
    results: dict[str, Any] = {}
    try:
        for k, execution in enumerate(executions(case)):
            inputs = {name: load(case_dir / file, _type(graph, name)) for name, file in execution["inputs"].items()}
            for name, value in implementation(graph, inputs).items():
                results[result_name(name, k)] = value
    except Refused as refusal:
        return {"status": "error", "message": str(refusal)}
    except Unsupported as missing:
        return {"status": "unsupported", "message": str(missing)}
    save(results, result_dir)
    return {"status": "ok"}


def _type(graph: Graph, name: str) -> str:
    return graph.tensors[name].type


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[1] != "--worker":
        print(__doc__, file=sys.stderr)
        return 2
    # Standard output belongs to the protocol; what the implementation prints goes to its log.
    protocol, sys.stdout = sys.stdout, sys.stderr
    try:
        implementation = find(arguments[0])
    except Exception as error:
        traceback.print_exc()
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    name, version = name_of(implementation, arguments[0])
    print(json.dumps({"worker": name, "version": version, **code_of(implementation)}), file=protocol, flush=True)
    for request in map(json.loads, sys.stdin):
        line = answer(implementation, pathlib.Path(request["case_dir"]), pathlib.Path(request["result_dir"]))
        print(json.dumps({"case": request["case"], **line}), file=protocol, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

"""What `tensor-cts run --python FILE.py:FUNCTION` starts: python3 -m tensor_cts.worker FILE.py:FUNCTION --worker

FUNCTION(graph, inputs) returns {output: array}, or raises Refused or Unsupported. MODULE:FUNCTION is taken, too.
Any other exception is a crash of its case; the worker goes on.
"""
from __future__ import annotations

import importlib
import importlib.util
import inspect
import json
import os
import pathlib
import sys
import traceback
from typing import Any

import numpy as np

from tensor_cts._adapter import announced_of, name_of, refusals_of, said_by
from tensor_cts._arrays import STORED, view
from tensor_cts._graph import Graph, executions, load, read_case, result_name
from tensor_cts._reference import Refused, Unsupported
from tensor_cts._suite import Implementation

def find(place: str) -> Implementation:
    """The function of "file.py:function" or "module:function". ValueError says what is not there."""
    module_name, colon, function_name = place.rpartition(":")
    if not colon or not module_name:
        raise ValueError(f"found {place!r}, expected FILE.py:FUNCTION or MODULE:FUNCTION")
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


def stored(name: str, result: Any) -> Any:
    """A result as `tensor-cts check` reads it: bf16 and fp8 as their bits."""
    if isinstance(result, np.ndarray) and result.dtype.kind == "u":  # bits already
        return result
    bits = view(result, f"output {name}")
    return bits.array.view(STORED[bits.type])


def save(results: dict[str, Any], folder: pathlib.Path) -> None:
    for name, result in results.items():
        np.save(folder / (name + ".npy"), stored(name, result))


def answer(implementation: Implementation, case_dir: pathlib.Path, result_dir: pathlib.Path) -> dict[str, str]:
    case = read_case(case_dir)
    graph = Graph(case, case_dir)
    results: dict[str, Any] = {}
    for k, execution in enumerate(executions(case)):
        inputs = {name: load(case_dir / file, _type(graph, name)) for name, file in execution["inputs"].items()}
        try:
            answered = implementation(graph, inputs)
        except MemoryError:  # gathered over many cases, perhaps: a new process shows it
            raise
        except Exception as error:
            return _raised(error, implementation)
        try:
            for name, value in answered.items():
                name = result_name(name, k)
                results[name] = stored(name, value)
        except MemoryError:
            raise
        except Exception as error:  # unreadable results are no refusal
            return _crashed(error, implementation)
    save(results, result_dir)
    return {"status": "ok"}


def _raised(error: Exception, implementation: Implementation) -> dict[str, str]:
    if isinstance(error, Unsupported):
        return {"status": "unsupported", "message": _cut(str(error))}
    if isinstance(error, Refused):
        return {"status": "error", "message": _cut(str(error))}
    if isinstance(error, refusals_of(implementation)):
        return {"status": "error", "message": said_by(error)}
    return _crashed(error, implementation)


def _crashed(error: Exception, implementation: Implementation) -> dict[str, str]:
    traceback.print_exception(error)
    return {"status": "crash", "message": said_by(error) + _place(error, implementation)}


def _cut(text: str) -> str:
    return text.encode("utf-8", "backslashreplace").decode()[:100000]


def _place(error: BaseException, implementation: object) -> str:
    """The last line of the implementation's file that it went through, if any."""
    try:
        file = inspect.getsourcefile(implementation)  # type: ignore[arg-type]
    except TypeError:  # of no function
        file = None
    frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    if not frames:
        return ""
    frame = frames[-1]
    return _cut(f" ({os.path.basename(frame.filename)}, line {frame.lineno}, in {frame.name})")


def _type(graph: Graph, name: str) -> str:
    return graph.tensors[name].type


def main(arguments: list[str]) -> int:
    if len(arguments) != 2 or arguments[1] != "--worker":
        print(__doc__, file=sys.stderr)
        return 2
    # Standard output belongs to the protocol; what the implementation prints goes to its log, also from C.
    protocol = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    try:
        implementation = find(arguments[0])
    except Exception as error:
        traceback.print_exc()
        print(f"{arguments[0]}: {error}", file=sys.stderr)
        return 2
    name, version = name_of(implementation, arguments[0])
    print(json.dumps({"worker": name, "version": version, **announced_of(implementation)}), file=protocol, flush=True)
    for request in map(json.loads, sys.stdin):
        line = answer(implementation, pathlib.Path(request["case_dir"]), pathlib.Path(request["result_dir"]))
        print(json.dumps({"case": request["case"], **line}), file=protocol, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

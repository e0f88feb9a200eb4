"""Who a function says that it is."""
from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def adapter(name: str, version: str = "unknown", code: Sequence[str | os.PathLike[str]] | None = None) -> Callable[[F], F]:
    """Names the implementation that the function executes: @tensor_cts.adapter("my-npu", "1.2").

    code: the files that are the implementation besides the one of the function, relative to it, each that may be loaded.
    Nothing else beside it counts then, and what changes there costs no run. Without it all code beside it counts.
    """
    def named(function: F) -> F:
        setattr(function, "tensor_cts_name", (name, version))
        if code is not None:
            here = os.path.dirname(os.path.abspath(inspect.getfile(function)))
            setattr(function, "tensor_cts_code", [os.path.join(here, path) for path in code])
        return function
    return named


def name_of(function: object, otherwise: str) -> tuple[str, str]:
    """Name and version."""
    name, version = getattr(function, "tensor_cts_name", (otherwise, "unknown"))
    return str(name), str(version)


def code_of(function: object) -> dict[str, list[str]]:
    """The member of the announcement, if the code was named."""
    code = getattr(function, "tensor_cts_code", None)
    return {} if code is None else {"code": [str(path) for path in code]}

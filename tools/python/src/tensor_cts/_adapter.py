"""Who a function says that it is."""
from __future__ import annotations

from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def adapter(name: str, version: str = "unknown") -> Callable[[F], F]:
    """Names the implementation that the function executes: @tensor_cts.adapter("my-npu", "1.2")."""
    def named(function: F) -> F:
        setattr(function, "tensor_cts_name", (name, version))
        return function
    return named


def name_of(function: object, otherwise: str) -> tuple[str, str]:
    """Name and version."""
    name, version = getattr(function, "tensor_cts_name", (otherwise, "unknown"))
    return str(name), str(version)

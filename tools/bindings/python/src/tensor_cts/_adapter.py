"""The name and version that a function gives itself."""
from __future__ import annotations

import atexit
import inspect
import os
import shlex
import sys
import traceback
from collections.abc import Mapping, Sequence
from typing import Any, Callable, TypeVar

F = TypeVar("F", bound=Callable[..., Any])


def adapter(name: str, version: str = "unknown", code: Sequence[str | os.PathLike[str]] | None = None, *,
            refuses: Sequence[type[Exception]] = (), declared: Mapping[str, Any] | None = None,
            batch: int = 1) -> Callable[[F], F]:
    """Names the implementation that the function executes: @tensor_cts.adapter("my-npu", "1.2").

    code: the files that are the implementation besides the one of the function, relative to it, each that may be loaded.
    Nothing else beside it counts then, and what changes there costs no run. Without it all code beside it counts.

    refuses: exceptions by which the implementation refuses an illegal graph, as by tensor_cts.Refused.

    declared: what it supports, as schemas/declared.schema.json has it, such as {"operators": ["ADD"], "types": ["i8"]}.

    batch: up to this many cases wait for the function, which still gets one after the other.
    """
    if not all(isinstance(kind, type) and issubclass(kind, Exception) and kind is not Exception for kind in refuses):
        raise ValueError(f"adapter: found refuses={refuses!r}, expected classes of exceptions, such as (ValueError,); "
                         "every bug is an Exception, and no refusal")
    if isinstance(batch, bool) or not isinstance(batch, int) or batch < 1:
        raise ValueError(f"adapter: found batch={batch!r}, expected a number from 1")

    def named(function: F) -> F:
        setattr(function, "tensor_cts_name", (name, version))
        setattr(function, "tensor_cts_refuses", tuple(refuses))
        announced: dict[str, Any] = {"batch": batch} if batch > 1 else {}
        if code is not None:
            here = os.path.dirname(os.path.abspath(inspect.getfile(function)))
            announced["code"] = [os.path.join(here, path) for path in code]
        if declared is not None:
            announced["declared"] = {"format": "tensor-cts-declared-1", "edition": "tosa-1.0", **declared}
        setattr(function, "tensor_cts_announced", announced)
        # Python forgets the script's name before it calls what is registered.
        if function.__module__ == "__main__" and (file := getattr(sys.modules["__main__"], "__file__", None)):
            atexit.register(_tell_the_right_call, os.path.relpath(file), function.__name__)
        return function
    return named


_used: list[bool] = []


def note_use() -> None:
    """A script that calls the module knows what it does."""
    _used.append(True)


def _tell_the_right_call(file: str, function: str) -> None:
    """A file with an adapter was started as a script. As an adapter it would end without an answer; alone it does nothing."""
    as_an_adapter = sys.argv[1:] == ["--worker"] or (
        len(sys.argv) == 3 and os.path.isfile(os.path.join(sys.argv[1], "case.json")))
    alone = len(sys.argv) == 1 and not _used
    if not (as_an_adapter or alone) or getattr(sys, "last_type", None) is not None:
        return
    call = f"tensor-cts run SUITE --python {shlex.quote(f'{file}:{function}')} --out RESULTS"
    print(f"{file}: holds the function {function} of an adapter, and was started as a script; call: {call}", file=sys.stderr)


def name_of(function: object, otherwise: str) -> tuple[str, str]:
    """Name and version."""
    name, version = getattr(function, "tensor_cts_name", (otherwise, "unknown"))
    return str(name), str(version)


def announced_of(function: object) -> dict[str, Any]:
    """The other members of the announcement: code, declared, batch."""
    return dict(getattr(function, "tensor_cts_announced", {}))


def refusals_of(function: object) -> tuple[type[Exception], ...]:
    """The exceptions that mean a refusal, besides Refused."""
    return tuple(getattr(function, "tensor_cts_refuses", ()))


def said_by(error: BaseException) -> str:
    """An exception's class and text, whatever the text holds, in one line of UTF-8."""
    words = " ".join("".join(traceback.format_exception_only(type(error), error)).split())
    return words.encode("utf-8", "backslashreplace").decode()[:2000]

"""libtensor_cts.so through ctypes: tensor_cts.h and tensor_cts_reference.h, and nothing that Python makes of them."""
from __future__ import annotations

import ctypes
import functools
import os
import pathlib
from ctypes import POINTER, c_char_p, c_double, c_int, c_int64, c_size_t, c_void_p
from typing import Any, Callable, TypeVar

ACCEPT, REJECT, BAD_CALL = range(3)


class Tensor(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("shape", POINTER(c_int64)), ("rank", c_size_t),
                ("data", c_void_p), ("bytes", c_size_t)]


class Argument(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("tensors", POINTER(Tensor)), ("tensor_count", c_size_t), ("value", c_char_p)]


class Call(ctypes.Structure):
    _fields_ = [("op", c_char_p), ("edition", c_char_p), ("level", c_char_p), ("data_set", POINTER(c_int)),
                ("arguments", POINTER(Argument)), ("argument_count", c_size_t),
                ("outputs", POINTER(Tensor)), ("output_count", c_size_t)]


class Violation(ctypes.Structure):
    _fields_ = [("condition", c_char_p), ("kind", c_char_p), ("paraphrase", c_char_p), ("message", c_char_p)]


class Values(ctypes.Structure):
    _fields_ = [("flushed", c_int), ("value", Tensor), ("bound", Tensor), ("upper", Tensor)]


class Expected(ctypes.Structure):
    _fields_ = [("name", c_char_p), ("type", c_char_p), ("shape", POINTER(c_int64)), ("rank", c_size_t),
                ("rule", c_char_p), ("clause", c_char_p), ("ulp", c_double),
                ("values", Values * 2), ("value_count", c_size_t)]


class Figures(ctypes.Structure):
    _fields_ = [("elements", c_int64), ("mismatches", c_int64), ("first", c_int64), ("first_index", c_char_p),
                ("first_expected", c_char_p), ("first_got", c_char_p), ("worst_ulp", c_double), ("took", c_char_p)]


# Result and arguments of every function.
FUNCTIONS = {
    "begin_plain_arithmetic": (None, [c_void_p]),
    "end_plain_arithmetic": (None, [c_void_p]),
    "version": (c_char_p, []),
    "message": (c_char_p, []),
    "open_suite": (c_void_p, [c_char_p]),
    "close_suite": (None, [c_void_p]),
    "case_count": (c_size_t, [c_void_p]),
    "case_id": (c_char_p, [c_void_p, c_size_t]),
    "open_case": (c_void_p, [c_void_p, c_char_p]),
    "close_case": (None, [c_void_p]),
    "operator": (c_char_p, [c_void_p]),
    "directory": (c_char_p, [c_void_p]),
    "expects_error": (c_int, [c_void_p]),
    "input_count": (c_size_t, [c_void_p]),
    "input": (c_int, [c_void_p, c_size_t, POINTER(Tensor)]),
    "output_count": (c_size_t, [c_void_p]),
    "output": (c_int, [c_void_p, c_size_t, POINTER(Tensor)]),
    "output_is_unsigned": (c_int, [c_void_p, c_size_t]),
    "check": (c_int, [c_void_p, POINTER(Tensor)]),
    "reference": (c_void_p, [POINTER(Call)]),
    "close_answer": (None, [c_void_p]),
    "outcome": (c_char_p, [c_void_p]),
    "reason": (c_char_p, [c_void_p]),
    "violation_count": (c_size_t, [c_void_p]),
    "get_violation": (c_int, [c_void_p, c_size_t, POINTER(Violation)]),
    "expected_count": (c_size_t, [c_void_p]),
    "get_expected": (c_int, [c_void_p, c_size_t, POINTER(Expected)]),
    "expected_is_unsigned": (c_int, [c_void_p, c_size_t]),
    "round": (c_int, [c_char_p, c_void_p, c_size_t, c_void_p]),
    "judge": (c_int, [c_void_p, POINTER(Tensor), POINTER(Figures)]),
    "judge_refusal": (c_int, [c_void_p]),
}


def _path() -> str:
    """Beside the module in a wheel, where libtensor_cts.so alone is for linkers; TENSOR_CTS_LIBRARY names another one."""
    here = pathlib.Path(__file__).parent
    beside = [*sorted(here.glob("libtensor_cts.so.*"))[-1:], here / "libtensor_cts.so"]
    return os.environ.get("TENSOR_CTS_LIBRARY") or str(beside[0])


def _load() -> ctypes.CDLL:
    try:
        library = ctypes.CDLL(_path())
    except OSError as error:
        raise ImportError(f"{_path()}: cannot be loaded ({error}); install the wheel, or set TENSOR_CTS_LIBRARY to the "
                          "libtensor_cts.so of a build") from error
    for name, (result, arguments) in FUNCTIONS.items():
        function = getattr(library, "tensor_cts_" + name)
        function.restype, function.argtypes = result, arguments
    return library


# Calls release the GIL, as those of every CDLL do.
LIB = _load()

F = TypeVar("F", bound=Callable[..., Any])


def in_plain_arithmetic(function: F) -> F:
    """Python and NumPy compute in the function as the library does, whatever floating-point mode this thread has."""

    @functools.wraps(function)
    def plain(*arguments: Any, **named: Any) -> Any:
        before = (ctypes.c_uint64 * 8)()
        LIB.tensor_cts_begin_plain_arithmetic(before)
        try:
            return function(*arguments, **named)
        finally:
            LIB.tensor_cts_end_plain_arithmetic(before)

    return plain  # type: ignore[return-value]


def message() -> str:
    """Why the last call of this thread failed or rejected."""
    return text(LIB.tensor_cts_message())


def text(given: bytes | None) -> str:
    return (given or b"").decode("utf-8", "replace")

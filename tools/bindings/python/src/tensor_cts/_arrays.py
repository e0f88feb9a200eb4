"""Arrays as tensors of the specification's types, and back."""
from __future__ import annotations

import ctypes
import sys
from typing import Any

import numpy as np
import numpy.typing as npt

from tensor_cts import _library

Array = npt.NDArray[Any]

# The type of an array by the name of its dtype. ml_dtypes has the last five.
TYPES = {
    "bool": "bool", "int8": "i8", "int16": "i16", "int32": "i32", "int64": "i48",
    "float16": "fp16", "float32": "fp32", "float64": "fp64",
    "bfloat16": "bf16", "float8_e4m3fn": "fp8e4m3", "float8_e5m2": "fp8e5m2", "int4": "i4",
}
# How a type is stored, and its dtype in ml_dtypes if NumPy has none of its own.
STORED = {
    "bool": "bool", "i4": "int8", "i8": "int8", "i16": "int16", "i32": "int32", "i48": "int64", "i64": "int64",
    "shape": "int64", "fp8e4m3": "uint8", "fp8e5m2": "uint8", "fp16": "float16", "bf16": "uint16", "fp32": "float32",
    "fp64": "float64",
}
ML_DTYPES = {"bf16": "bfloat16", "fp8e4m3": "float8_e4m3fn", "fp8e5m2": "float8_e5m2"}


class Tensor:
    """An array with the type that it stands for, where NumPy's own says too little.

    Tensor(bits, "bf16") takes uint16, Tensor(bits, "fp8e4m3") uint8, Tensor(values, "i4") int8, Tensor(values, "i64")
    and Tensor(values, "shape") int64.
    """

    def __init__(self, array: Any, type: str) -> None:
        if type not in STORED:
            raise ValueError(f"found the type {type!r}, expected one of {', '.join(STORED)}")
        array = np.asarray(array)
        own = TYPES.get(array.dtype.name) == type
        if not own and array.dtype != np.dtype(STORED[type]):
            raise ValueError(f"found an array of {array.dtype}, expected {STORED[type]} for the type {type}")
        # ml_dtypes keeps the low four bits of an int4, the specification the value.
        self.array: Array = array.astype(np.int8) if array.dtype.name == "int4" else array
        self.type = type

    def __repr__(self) -> str:
        return f"Tensor({self.array!r}, {self.type!r})"


class View:
    """What the C interface is given: dense, row-major bits, which live as long as this object."""

    __slots__ = ("array", "type", "shape", "_owner", "_dimensions")

    def __init__(self, array: Array, type: str, owner: Any = None) -> None:
        self.array = np.ascontiguousarray(array) if array.ndim else array
        self.type = type
        self.shape = array.shape
        self._owner = owner
        self._dimensions: Any = None

    def fill(self, tensor: _library.Tensor, name: str) -> None:
        self._dimensions = (ctypes.c_int64 * max(len(self.shape), 1))(*self.shape)
        tensor.name = name.encode()
        tensor.type = self.type.encode()
        tensor.shape = self._dimensions
        tensor.rank = len(self.shape)
        tensor.data = self.array.ctypes.data if self.array.size else None
        tensor.bytes = self.array.nbytes


def is_array(given: Any) -> bool:
    """Whether it has elements: an array, a Tensor, or what another library offers by DLPack."""
    return isinstance(given, (np.ndarray, Tensor)) or hasattr(given, "__dlpack__") and not isinstance(given, np.generic)


def view(given: Any, place: str) -> View:
    """Raises ValueError, naming the place, if the specification has no such type."""
    if isinstance(given, Tensor):
        return View(_little_endian(given.array, place), given.type)
    if isinstance(given, np.generic):  # what NumPy makes of a scalar
        given = np.asarray(given)
    if not isinstance(given, np.ndarray):
        return _from_dlpack(given, place)
    found = TYPES.get(given.dtype.name)
    if found is None:
        raise ValueError(f"{place}: found an array of {given.dtype}, expected one of {', '.join(TYPES)}; "
                         "tensor_cts.Tensor(bits, type) names a type that NumPy does not have")
    if found == "i4":
        return view(Tensor(given, found), place)
    return View(_little_endian(given, place), found)


@_library.in_plain_arithmetic
def result_view(given: Any, place: str, type: str, unsigned: bool = False) -> View:
    """A result that should be of this type. Types that NumPy does not have may be as they are stored.

    That is i4 in int8, i64 and shape in int64, and without ml_dtypes bf16 in uint16 and fp8 in uint8. As in a file,
    another dtype is taken where its values lose nothing. For an unsigned output uint8 and uint16 hold the bits.
    """
    if isinstance(given, np.generic):
        given = np.asarray(given)
    if isinstance(given, np.ndarray) and given.dtype.kind == "u":
        if given.dtype == np.dtype(STORED[type]):
            return View(given, type)
        if unsigned and given.dtype.itemsize == np.dtype(STORED[type]).itemsize:
            return View(_little_endian(given, place).view(STORED[type]), type)
        narrow = _without_loss(_little_endian(given, place), type)
        # It has no type of ours, and is refused for that.
        return View(given, str(given.dtype)) if narrow is None else View(narrow, type)
    bits = view(given, place)
    if isinstance(given, Tensor) or bits.type == type:
        return bits
    if type in {"i8": ("i4",), "i48": ("i64", "shape")}.get(bits.type, ()):
        bits.type = type
    elif TYPES.get(bits.array.dtype.name) == bits.type:
        narrow = _without_loss(bits.array, type)
        if narrow is not None:
            return View(narrow, type)
    return bits


# The least and the greatest integer of a type. An i4 has no -8.
_RANGES = {"bool": (0, 1), "i4": (-7, 7)} | {
    type: (-(1 << bits - 1), (1 << bits - 1) - 1)
    for type, bits in {"i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64, "shape": 64}.items()}


def _without_loss(array: Array, type: str) -> Array | None:
    """The elements as this type: integers in its range, wider floating-point numbers that are exact in it."""
    if type in _RANGES:
        least, greatest = _RANGES[type]
        if array.dtype.kind not in "iu" or type == "bool" and array.itemsize > 1:
            return None
        if array.size and not least <= int(array.min()) <= int(array.max()) <= greatest:
            return None
        return array.astype(STORED[type])
    if array.dtype.kind != "f" or type == "fp64":
        return None
    target = np.dtype(STORED[type])
    if type in ML_DTYPES:
        try:
            import ml_dtypes
        except ImportError:
            return None
        target = np.dtype(getattr(ml_dtypes, ML_DTYPES[type]))
    if array.itemsize <= target.itemsize:
        return None
    with np.errstate(all="ignore"):
        narrow = array.astype(target)
        back = narrow.astype(array.dtype)
    same = (back == array) & (np.signbit(back) == np.signbit(array)) | np.isnan(array)
    return narrow if bool(np.all(same)) else None


def _little_endian(array: Array, place: str) -> Array:
    if array.dtype.byteorder == ">" or (sys.byteorder == "big" and array.dtype.byteorder == "="):
        raise ValueError(f"{place}: found an array of {array.dtype.str}, big-endian, expected little-endian: "
                         f"array.astype({array.dtype.newbyteorder('<').str!r})")
    return array


def typed(array: Array, type: str) -> Array:
    """Stored elements as the dtype that stands for the type: bf16 and fp8 of ml_dtypes if that is installed."""
    name = ML_DTYPES.get(type)
    if name is None:
        return array
    try:
        import ml_dtypes
    except ImportError:
        return array
    return array.view(getattr(ml_dtypes, name))


def borrowed(tensor: _library.Tensor, owner: Any) -> Array:
    """The elements of the C interface's tensor without a copy, for reading. They keep `owner` alive."""
    shape = tuple(tensor.shape[i] for i in range(tensor.rank))
    dtype = np.dtype(STORED[_library.text(tensor.type)])
    if not tensor.bytes:
        return np.zeros(shape, dtype)
    memory = (ctypes.c_ubyte * tensor.bytes).from_address(tensor.data)
    memory._owner = owner
    array = np.frombuffer(memory, dtype).reshape(shape)
    array.flags.writeable = False
    return array


# --- DLPack, without NumPy's own reader: that one knows neither bf16 nor fp8.

class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _DLTensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32), ("dtype", _DataType),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("strides", ctypes.POINTER(ctypes.c_int64)),
                ("byte_offset", ctypes.c_uint64)]


_CPU = 1
# (code, bits) of DLPack: kDLInt, kDLFloat, kDLBfloat, kDLBool, kDLFloat8_e4m3fn, kDLFloat8_e5m2.
_DLPACK = {(0, 8): "i8", (0, 16): "i16", (0, 32): "i32", (0, 64): "i48", (2, 16): "fp16", (2, 32): "fp32",
           (2, 64): "fp64", (4, 16): "bf16", (6, 8): "bool", (10, 8): "fp8e4m3", (12, 8): "fp8e5m2"}


def _pointer(capsule: Any) -> int:
    get = ctypes.pythonapi.PyCapsule_GetPointer
    get.restype, get.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(get(capsule, b"dltensor"))


def _from_dlpack(given: Any, place: str) -> View:
    if not hasattr(given, "__dlpack__"):
        raise ValueError(f"{place}: found {type(given).__name__}, expected an array")
    if hasattr(given, "detach"):  # of torch, where gradients are recorded
        given = given.detach()
    if not hasattr(ctypes, "pythonapi"):  # PyPy
        return view(np.from_dlpack(given), place)
    try:
        capsule = given.__dlpack__()
    except (BufferError, RuntimeError, TypeError) as error:
        raise ValueError(f"{place}: found {type(given).__name__}, which offers no elements: {error}") from error
    tensor = _DLTensor.from_address(_pointer(capsule))
    if tensor.device.type != _CPU:
        raise ValueError(f"{place}: found a tensor on device {tensor.device.type}, expected one in the CPU's memory")
    kind = _DLPACK.get((tensor.dtype.code, tensor.dtype.bits))
    if kind is None or tensor.dtype.lanes != 1:
        raise ValueError(f"{place}: found DLPack's type {tensor.dtype.code} of {tensor.dtype.bits} bits, "
                         f"expected one of {', '.join(sorted(set(_DLPACK.values())))}")
    shape = tuple(tensor.shape[i] for i in range(tensor.ndim))
    dtype = np.dtype(STORED[kind])
    if 0 in shape:
        return View(np.zeros(shape, dtype), kind)
    strides = None
    if tensor.strides:
        strides = tuple(tensor.strides[i] * dtype.itemsize for i in range(tensor.ndim))
        if min(strides, default=0) < 0:
            raise ValueError(f"{place}: found negative strides, expected a tensor in memory order")
    span = 1 + (sum((n - 1) * abs(s) // dtype.itemsize for n, s in zip(shape, strides)) if strides
                else int(np.prod(shape)) - 1)
    memory: Any = (ctypes.c_ubyte * (span * dtype.itemsize)).from_address(tensor.data + tensor.byte_offset)
    # The capsule frees the tensor when it goes: it has to outlive the view.
    array: Array = np.ndarray(shape, dtype, memory, 0, strides)
    return View(array, kind, owner=capsule)

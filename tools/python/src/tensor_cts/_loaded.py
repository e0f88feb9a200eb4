"""The implementation's code as far as it was loaded, for `"loaded"` of the worker's lines."""
from __future__ import annotations

import os
import site
import sys
import sysconfig
from typing import Any

_HERE = os.getcwd()
_SUFFIXES = (".py", ".js", ".mjs", ".cjs", ".sh", ".lua", ".pl", ".rb", ".so", ".pipeline", ".zip")
# Installed code belongs into the version that is announced.
_INSTALLED = {os.path.realpath(path) + os.sep for path in [
    os.path.dirname(__file__), *(sysconfig.get_paths()[name] for name in ("stdlib", "platstdlib", "purelib", "platlib")),
    *site.getsitepackages(), site.getusersitepackages()]}
_seen: set[str] = set()  # paths as they came: of code that was executed, opened or handed to another program
_looked: dict[str, str | None] = {}  # and the files that count
_announced: set[str] | None = None


def _watch(event: str, arguments: Any) -> None:
    if event == "exec":
        _seen.add(arguments[0].co_filename)
    elif event == "open":
        path, mode, flags = arguments
        reads = not set(mode) & set("wax") if isinstance(mode, str) else not (flags or 0) & (os.O_WRONLY | os.O_RDWR)
        if reads and isinstance(path, (str, bytes)) and os.fsdecode(path).endswith(_SUFFIXES):
            _seen.add(os.fsdecode(path))
    elif event in ("import", "ctypes.dlopen"):
        _seen.update(path for path in arguments[:2] if isinstance(path, str))
    elif event == "subprocess.Popen":
        words = arguments[1] if isinstance(arguments[1], (list, tuple)) else [arguments[1]]
        _seen.update(os.fsdecode(word) for word in words if isinstance(word, (str, bytes, os.PathLike)))


sys.addaudithook(_watch)


def _counts(path: str) -> str | None:
    """The absolute path of code that is not installed. A module in an archive counts as the archive."""
    path = os.path.realpath(os.path.join(_HERE, path))
    if any(path.startswith(folder) for folder in _INSTALLED) or {"site-packages", "dist-packages"} & set(path.split(os.sep)):
        return None
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path if os.path.isfile(path) and path.endswith(_SUFFIXES) else None


def _files() -> set[str]:
    for path in list(_seen):
        if path not in _looked:
            _looked[path] = _counts(path)
    return {path for path in _looked.values() if path}


def announce() -> dict[str, list[str]]:
    """The member of the announcement; none where a path has no place in JSON."""
    global _announced
    _seen.update(path for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None)))
    files = _files()
    if any(not path.isprintable() for path in files):  # surrogates, for bytes that are no UTF-8, are not
        return {}
    _announced = files
    return {"loaded": sorted(files)}


def late() -> dict[str, list[str]]:
    """The member of an answer: all that is loaded by now, if that is more than was announced. The runner refuses it, unless
    the user named the code."""
    if _announced is None or len(_looked) == len(_seen) or (now := _files()) <= _announced:
        return {}
    return {"loaded": sorted(now)}

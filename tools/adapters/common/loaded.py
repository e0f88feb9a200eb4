"""The adapter's code as far as it was loaded: ../README.md, "The adapter's files"."""

import os
import sys

HERE = os.getcwd()
SUFFIXES = (".py", ".js", ".mjs", ".cjs", ".sh", ".lua", ".pl", ".rb", ".so", ".pipeline", ".zip")
# Of the script and of this package; what lies deeper belongs to them.
FOLDERS = {os.path.dirname(os.path.realpath(path)) + os.sep for path in (sys.argv[0], __file__)}
_seen = set()  # paths as they came: of code that was executed, opened or handed to another program
_looked = {}  # and the files that count
_announced = None


def _watch(event, arguments):
    if event == "exec":
        _seen.add(arguments[0].co_filename)
    elif event == "open":
        path, mode, flags = arguments
        reads = not set(mode) & set("wax") if isinstance(mode, str) else not (flags or 0) & (os.O_WRONLY | os.O_RDWR)
        if reads and isinstance(path, (str, bytes)) and os.fsdecode(path).endswith(SUFFIXES):
            _seen.add(os.fsdecode(path))
    elif event in ("import", "ctypes.dlopen"):
        _seen.update(path for path in arguments[:2] if isinstance(path, str))
    elif event == "subprocess.Popen":
        words = arguments[1] if isinstance(arguments[1], (list, tuple)) else [arguments[1]]
        _seen.update(os.fsdecode(word) for word in words if isinstance(word, (str, bytes, os.PathLike)))


sys.addaudithook(_watch)


def _counts(path):
    """The absolute path of code of the adapter, or None. A module in an archive counts as the archive."""
    path = os.path.realpath(os.path.join(HERE, path))
    if not any(path.startswith(folder) for folder in FOLDERS) or os.sep + "site-packages" + os.sep in path:
        return None
    while not os.path.exists(path):
        path = os.path.dirname(path)
    return path if os.path.isfile(path) and path.endswith(SUFFIXES) else None


def _files():
    for path in list(_seen):
        if path not in _looked:
            _looked[path] = _counts(path)
    return {path for path in _looked.values() if path}


def announce():
    """The code that is loaded, for the announcement; None where a path has no place in JSON."""
    global _announced
    _seen.update(path for module in list(sys.modules.values()) if (path := getattr(module, "__file__", None)))
    files = _files()
    if not all(path.isprintable() for path in files):  # surrogates, for bytes that are no UTF-8, are not
        return None
    _announced = files
    return sorted(files)


def late():
    """All that is loaded by now, if that is more than was announced: the runner refuses it, unless the user named the code."""
    if _announced is None or len(_looked) == len(_seen) or (now := _files()) <= _announced:
        return None
    return sorted(now)


def in_child(paths):
    """Takes over what a child process loaded."""
    _seen.update(paths or ())

"""The program `tensor-cts`: generate, run and check."""
from __future__ import annotations

import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile
from typing import Any, Sequence, Union

from tensor_cts import _adapter
from tensor_cts._suite import Suite

Path = Union[str, "os.PathLike[str]"]


def program() -> str:
    """The wheel's own; TENSOR_CTS_COMMAND names another one."""
    given = os.environ.get("TENSOR_CTS_COMMAND")
    own = pathlib.Path(__file__).parent / "bin" / "tensor-cts"
    found = given or (str(own) if own.is_file() else shutil.which("tensor-cts"))
    if not found:
        raise ValueError("found no program tensor-cts, expected the one of the wheel, one in PATH, or TENSOR_CTS_COMMAND")
    return found


def _call(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Exit code 2 is a ValueError with the program's own text."""
    _adapter.note_use()
    done = subprocess.run([program(), *arguments], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", errors="replace",
                          env={**os.environ, "TENSOR_CTS_PYTHON": sys.executable})
    if done.returncode not in (0, 1):
        raise ValueError(done.stderr.strip() or f"{shlex.join(done.args)}: ended with exit code {done.returncode}")
    return done


class Report:
    """What `tensor-cts check` says. True where the implementation conforms."""

    def __init__(self, conformant: bool, text: str, report: dict[str, Any]) -> None:
        self.conformant = conformant
        #: The report for people.
        self.text = text
        #: The report as schemas/report.schema.json has it.
        self.json = report

    @property
    def cases(self) -> list[dict[str, Any]]:
        return list(self.json["cases"])

    @property
    def findings(self) -> list[dict[str, Any]]:
        """What several cases show together."""
        return list(self.json.get("findings", []))

    def __bool__(self) -> bool:
        return self.conformant

    def __repr__(self) -> str:
        return self.text.strip().rsplit("\n", 1)[-1]


def generate(out: Path, recipe: str = "smoke", *, operators: Sequence[str] = (), types: Sequence[str] = (),
             arguments: Sequence[str] = ()) -> Suite:
    """Makes a suite. `arguments` are further ones of `tensor-cts generate`."""
    chosen = [word for op in operators for word in ("--operator", op)]
    chosen += [word for each in types for word in ("--type", each)]
    _call("generate", "--recipe", recipe, *chosen, *arguments, "--out", os.fspath(out))
    return Suite(out)


def check(suite: Path | Suite, results: Path) -> Report:
    """Judges results on disk."""
    directory = suite.directory if isinstance(suite, Suite) else suite
    with tempfile.TemporaryDirectory(prefix="tensor_cts-") as folder:
        file = os.path.join(folder, "report.json")
        done = _call("check", os.fspath(directory), os.fspath(results), "--json", file)
        with open(file, encoding="utf-8") as report:
            return Report(done.returncode == 0, done.stdout, json.load(report))


def run(suite: Path | Suite, implementation: str, results: Path, *, arguments: Sequence[str] = ()) -> Report:
    """Runs an implementation over a suite, in processes of its own, and judges what it answered.

    `implementation`: "file.py:function" or "module:function" of a function(graph, inputs) -> results; or "builtin:NAME".
    `arguments` are further ones of `tensor-cts run`, such as --jobs or --filter.
    """
    directory = suite.directory if isinstance(suite, Suite) else suite
    if implementation.startswith("builtin:"):
        how = ["--implementation", implementation]
    else:
        how = ["--python", implementation]
    _call("run", os.fspath(directory), *how, *arguments, "--out", os.fspath(results))
    return check(directory, results)

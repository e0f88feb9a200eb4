"""Suites on disk and their cases."""
from __future__ import annotations

import ctypes
import functools
import json
import os
import pathlib
from typing import Any, Callable, Iterator, Mapping, NamedTuple, Union

from tensor_cts import _library
from tensor_cts._adapter import note_use, refusals_of, said_by
from tensor_cts._arrays import Array, borrowed, result_view, typed
from tensor_cts._graph import Declared, Graph, executions, read_case, result_name
from tensor_cts._library import LIB, text
from tensor_cts._reference import Refused, Unsupported, _shown

Results = Mapping[str, Any]
Implementation = Callable[[Graph, "dict[str, Array]"], Results]


class Entry(NamedTuple):
    """What a suite's manifest says of a case."""
    id: str
    operator: str
    outcome: str
    conditions: tuple[str, ...]


class CaseVerdict(NamedTuple):
    """True where the case passes."""
    #: "pass", "fail", "wrong_outcome", "missing", "malformed" or "unsupported"; "disputed" where another answer was
    #: expected and the specification disagrees with itself about each output that is wrong
    verdict: str
    #: Why not: the output, the first wrong element, expected, got, how far off.
    message: str
    #: Of "fail": where the edition states the rule.
    clause: str = ""

    def __bool__(self) -> bool:
        return self.verdict == "pass"


class _Handle:
    __slots__ = ("value", "_close")

    def __init__(self, value: int | None, close: Callable[[int], None]) -> None:
        if not value:
            raise ValueError(_library.message())
        note_use()
        self.value, self._close = value, close

    def __del__(self) -> None:
        if hasattr(self, "value"):
            self._close(self.value)


class Suite:
    """A directory that `tensor-cts generate` wrote."""

    def __init__(self, directory: Union[str, "os.PathLike[str]"]) -> None:
        self.directory = pathlib.Path(directory)
        self._handle = _Handle(LIB.tensor_cts_open_suite(os.fsencode(self.directory)), LIB.tensor_cts_close_suite)
        with open(self.directory / "suite.json", encoding="utf-8") as file:
            manifest = json.load(file)
        self.name: str = manifest["name"]
        self.edition: str = manifest["edition"]
        self.level: str = manifest["level"]
        self.digest: str = manifest["digest"]
        self.entries = [Entry(each["id"], each["operator"], each["outcome"], tuple(each["conditions"]))
                        for each in manifest["cases"]]

    @property
    def ids(self) -> list[str]:
        return [entry.id for entry in self.entries]

    def case(self, id: str) -> Case:
        """Reads a case and holds its files against the suite's digests."""
        return Case(self, id)

    def __len__(self) -> int:
        return len(self.entries)

    def __iter__(self) -> Iterator[Case]:
        return map(self.case, self.ids)

    def __repr__(self) -> str:
        return f"Suite({self.name}: {len(self)} cases of {self.edition})"


class Case:
    """One case: a graph with inputs, and what has to come of it."""

    def __init__(self, suite: Suite, id: str) -> None:
        self._handle = _Handle(LIB.tensor_cts_open_case(suite._handle.value, id.encode()), LIB.tensor_cts_close_case)
        self.id = id
        self.operator = text(LIB.tensor_cts_operator(self._handle.value))
        self.directory = suite.directory / id
        #: Whether the graph is illegal: an implementation has to refuse it.
        self.expects_error = bool(LIB.tensor_cts_expects_error(self._handle.value))
        self._json = read_case(self.directory)
        #: The point on which the specification disagrees with itself about the case, or "". Only outputs that the point
        #: does not reach can make such a case wrong.
        self.disputed = str(self._json.get("disputed", ""))

    @functools.cached_property
    def graph(self) -> Graph:
        return Graph(self._json, self.directory)

    @property
    def constants(self) -> dict[str, Array]:
        return self.graph.constants

    @property
    def executions(self) -> int:
        """How often the graph runs, with variables kept."""
        return len(executions(self._json))

    @functools.cached_property
    def outputs(self) -> dict[str, Declared]:
        """What has to be returned: of execution 1 and later as `y.1`."""
        found: dict[str, Declared] = {}
        tensor = _library.Tensor()
        for index in range(LIB.tensor_cts_output_count(self._handle.value)):
            LIB.tensor_cts_output(self._handle.value, index, ctypes.byref(tensor))
            name = text(tensor.name)
            found[name] = Declared(name, text(tensor.type), tuple(tensor.shape[i] for i in range(tensor.rank)),
                                   bool(LIB.tensor_cts_output_is_unsigned(self._handle.value, index)))
        return found

    @functools.cached_property
    def _inputs(self) -> dict[str, Array]:
        found: dict[str, Array] = {}
        tensor = _library.Tensor()
        for index in range(LIB.tensor_cts_input_count(self._handle.value)):
            LIB.tensor_cts_input(self._handle.value, index, ctypes.byref(tensor))
            array = borrowed(tensor, self._handle)
            array = typed(array, text(tensor.type))
            array.flags.writeable = False
            found[text(tensor.name)] = array
        return found

    def inputs(self, execution: int = 0, copy: bool = False) -> dict[str, Array]:
        """The inputs of one execution, by tensor: the checker's memory, for reading, or copies."""
        found = {}
        for name in executions(self._json)[execution]["inputs"]:
            array = self._inputs.get(result_name(name, execution))
            if array is not None:
                found[name] = array.copy() if copy else array
        return found

    def run(self, implementation: Implementation, copy: bool = False) -> Results | Refused | Unsupported:
        """What implementation(graph, inputs) answers over all executions: results for `check`, or what it raised."""
        results: dict[str, Any] = {}
        for execution in range(self.executions):
            try:
                answered = implementation(self.graph, self.inputs(execution, copy))
            except (Refused, Unsupported) as answer:
                return answer
            except refusals_of(implementation) as error:
                return Refused(said_by(error))
            for name, value in answered.items():
                results[result_name(name, execution)] = value
        return results

    def check(self, results: Results | Refused | Unsupported) -> CaseVerdict:
        """Judges results by name, or the answer Refused(...) or Unsupported(...)."""
        verdict = self._judge(results)
        if not self.disputed or verdict.verdict != "wrong_outcome":
            return verdict
        return CaseVerdict("disputed", f"{verdict.verdict}: {verdict.message}; disputed, and decides nothing: "
                                       f"{self.disputed}")

    def _judge(self, results: Results | Refused | Unsupported) -> CaseVerdict:
        if isinstance(results, Unsupported):
            return CaseVerdict("unsupported", str(results) or "not offered")
        if isinstance(results, Refused):
            if self.expects_error:
                return CaseVerdict("pass", "")
            return CaseVerdict("wrong_outcome", f"found a refusal ({results}), expected a result: the graph is legal")
        if self.expects_error:
            return CaseVerdict("wrong_outcome", "found a result, expected a refusal: the graph is illegal, "
                                                f"{self._json.get('condition', '')}".rstrip(", "))
        unknown = sorted(set(results) - set(self.outputs))
        if unknown:
            raise ValueError(f"{self.id}: found a result named {unknown[0]!r}, "
                             f"expected one of: {', '.join(self.outputs)}")
        if not self.outputs:
            raise ValueError(f"{self.id}: found no output in the case, expected one: nothing can be judged")
        whole = CaseVerdict("pass", "")
        for name, declared in self.outputs.items():
            if name not in results:
                return CaseVerdict("missing", f"output {name}: found no result, expected one")
            verdict = self._check(declared, results[name])
            if verdict.verdict == "disputed":  # another output may still be wrong
                whole = verdict if whole else whole
            elif not verdict:
                return verdict
        return whole

    def _check(self, declared: Declared, result: Any) -> CaseVerdict:
        bits = result_view(result, f"{self.id}: output {declared.name}", declared.type, declared.unsigned)
        if (bits.type, bits.shape) != (declared.type, declared.shape):
            return CaseVerdict("malformed", f"output {declared.name}: found {bits.type}{_shown(bits.shape)}, "
                                            f"expected {declared.type}{_shown(declared.shape)}")
        tensor = _library.Tensor()
        bits.fill(tensor, declared.name)
        verdict = LIB.tensor_cts_check(self._handle.value, ctypes.byref(tensor))
        if verdict == _library.BAD_CALL:
            raise ValueError(_library.message())
        if verdict == _library.ACCEPT:
            said = _library.message()
            return CaseVerdict("disputed", f"fail: {said}") if said else CaseVerdict("pass", "")
        return CaseVerdict("fail", _library.message(), self._clause(declared.name))

    def _clause(self, output: str) -> str:
        for k, execution in enumerate(executions(self._json)):
            for each in execution["outputs"]:
                if result_name(each["name"], k) == output:
                    return str(each["rule"]["clause"])
        return ""

    def __repr__(self) -> str:
        return f"Case({self.id})"

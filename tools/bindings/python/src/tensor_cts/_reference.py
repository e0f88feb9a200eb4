"""The reference and the judge for inputs of one's own."""
from __future__ import annotations

import ctypes
from typing import Any, Iterator, Mapping, NamedTuple, Sequence, Union

import numpy as np

from tensor_cts import _library
from tensor_cts._adapter import note_use
from tensor_cts._arrays import STORED, Array, View, borrowed, is_array, result_view, typed, view
from tensor_cts._library import LIB, text

# The type of an output, its shape, or both.
OutputType = Union[str, Sequence[int], "tuple[str, Sequence[int]]"]


class Refused(Exception):
    """The implementation refuses the graph as illegal: right where the outcome is an error."""


class Unsupported(Exception):
    """The implementation does not offer this operator, type or attribute."""


class Condition(NamedTuple):
    """A condition that a call breaks."""
    id: str
    kind: str
    paraphrase: str
    message: str


class _Answer:
    """The handle, closed when nothing borrows from it any more."""

    __slots__ = ("handle",)

    def __init__(self, handle: int) -> None:
        self.handle = handle

    def __del__(self) -> None:
        LIB.tensor_cts_close_answer(self.handle)


class Values:
    """One acceptable answer. Arrays are the reference's own memory, for reading."""

    def __init__(self, values: _library.Values, type: str, owner: _Answer) -> None:
        def array(tensor: _library.Tensor) -> Array | None:
            return borrowed(tensor, owner) if tensor.type else None

        self.type = type
        self.flushed = bool(values.flushed)
        #: Of a floating-point type fp64, not rounded; of an interval the least that is accepted.
        self.value: Array = borrowed(values.value, owner)
        #: How far a result may be off, element by element, where the rule has a bound.
        self.bound: Array | None = array(values.bound)
        #: Of an interval the greatest that is accepted.
        self.upper: Array | None = array(values.upper)

    def rounded(self) -> Array:
        """The value in the output's own type: bf16 and fp8 of ml_dtypes, or their bits without it."""
        if self.value.dtype != np.float64 or self.type == "fp64":
            same: Array = self.value.copy()
            return same
        result: Array = np.empty(self.value.shape, STORED[self.type])
        LIB.tensor_cts_round(self.type.encode(), self.value.ctypes.data, self.value.size, result.ctypes.data)
        return typed(result, self.type)


class Output(Values):
    """What a valid call has to return for one output."""

    def __init__(self, expected: _library.Expected, owner: _Answer) -> None:
        type = text(expected.type)
        super().__init__(expected.values[0], type, owner)
        self.name = text(expected.name)
        self.shape = tuple(expected.shape[i] for i in range(expected.rank))
        #: "exact", "ulp", "absolute_bound", "dot_product", "interval"
        self.rule = text(expected.rule)
        self.clause = text(expected.clause)
        self.ulp: float | None = expected.ulp if self.rule == "ulp" else None
        #: The second answer, with subnormal numbers flushed to zero, where it differs.
        self.alternative = Values(expected.values[1], type, owner) if expected.value_count > 1 else None

    def __repr__(self) -> str:
        return f"Output({self.name}: {self.type}{list(self.shape)}, {self.rule})"


class _Declared(NamedTuple):
    name: str
    type: str
    shape: tuple[int, ...]
    unsigned: bool


class Reference:
    """What the specification says of a call."""

    def __init__(self, answer: _Answer) -> None:
        self._answer = answer
        #: "valid", "error", "unpredictable" or "unsupported"
        self.outcome = text(LIB.tensor_cts_outcome(answer.handle))
        self._outputs: dict[str, Output] | None = None

    @property
    def message(self) -> str:
        """If the outcome is "unsupported": what the reference cannot do."""
        return text(LIB.tensor_cts_reason(self._answer.handle))

    @property
    def conditions(self) -> list[Condition]:
        """The conditions that the call breaks."""
        found: list[Condition] = []
        violation = _library.Violation()
        while LIB.tensor_cts_get_violation(self._answer.handle, len(found), ctypes.byref(violation)):
            found.append(Condition(text(violation.condition), text(violation.kind), text(violation.paraphrase),
                                   text(violation.message)))
        return found

    @property
    def outputs(self) -> Mapping[str, Output]:
        """By the specification's names."""
        if self._outputs is None:
            self._outputs = {}
            for expected in self._expected():
                output = Output(expected, self._answer)
                self._outputs[output.name] = output
        return self._outputs

    def _declared(self) -> list[_Declared]:
        """Name, type and shape of the outputs: all that judging needs here."""
        return [_Declared(text(expected.name), text(expected.type), tuple(expected.shape[:expected.rank]),
                          bool(LIB.tensor_cts_expected_is_unsigned(self._answer.handle, index)))
                for index, expected in enumerate(self._expected())]

    def _expected(self) -> Iterator[_library.Expected]:
        expected = _library.Expected()
        for index in range(LIB.tensor_cts_expected_count(self._answer.handle)):
            LIB.tensor_cts_get_expected(self._answer.handle, index, ctypes.byref(expected))
            yield expected

    def judge(self, result: Any) -> Judgement:
        """As tensor_cts.judge, without computing the answer again."""
        if isinstance(result, Refused):
            verdict = LIB.tensor_cts_judge_refusal(self._answer.handle)
            return Judgement(_accepted(verdict), _library.message())
        if isinstance(result, Unsupported):
            return Judgement(False, f"unsupported: {result}")
        if self.outcome == "error":
            broken = "; ".join(f"{condition.id}: {condition.message}" for condition in self.conditions)
            return Judgement(False, f"found a result, expected a refusal: {broken}")
        if self.outcome != "valid":
            self._refuse()
        outputs = self._declared()
        names = [output.name for output in outputs]
        results = result if isinstance(result, Mapping) else self._named(result, names)
        unknown = sorted(set(results) - set(names))
        if unknown:
            raise ValueError(f"found a result named {unknown[0]!r}, expected one of: {', '.join(names)}")
        worst = Judgement(True, "")
        for output in outputs:
            if output.name not in results:
                return Judgement(False, f"output {output.name}: found no result, expected one")
            judged = self._judge(output, results[output.name])
            if not judged:
                return judged
            if judged.worst_ulp >= worst.worst_ulp:
                worst = judged
        return worst

    def _refuse(self) -> None:
        LIB.tensor_cts_judge_refusal(self._answer.handle)
        raise ValueError(_library.message())

    @staticmethod
    def _named(result: Any, names: Sequence[str]) -> Mapping[str, Any]:
        if not isinstance(result, (list, tuple)):
            result = [result]
        if len(result) != len(names):
            raise ValueError(f"found {len(result)} results, expected {len(names)}: {', '.join(names)}")
        return dict(zip(names, result))

    def _judge(self, output: _Declared, result: Any) -> Judgement:
        bits = result_view(result, f"output {output.name}", output.type, output.unsigned)
        if (bits.type, bits.shape) != (output.type, output.shape):
            return Judgement(False, f"output {output.name}: found {bits.type}{_shown(bits.shape)}, "
                                    f"expected {output.type}{_shown(output.shape)}")
        tensor, figures = _library.Tensor(), _library.Figures()
        bits.fill(tensor, output.name)
        verdict = LIB.tensor_cts_judge(self._answer.handle, ctypes.byref(tensor), ctypes.byref(figures))
        return Judgement(_accepted(verdict), _library.message(), figures)

    def __repr__(self) -> str:
        return f"Reference({self.outcome}, {', '.join(map(repr, self.outputs.values()))})"


class Judgement:
    """Whether a result is acceptable. True where it is, and where the specification's clauses disagree about it: see
    disputed."""

    def __init__(self, accepted: bool, message: str, figures: _library.Figures | None = None) -> None:
        self.accepted = accepted
        #: Why not: the output, the first wrong element, expected, got, how far off.
        self.message = message
        #: Not as expected, and the text disagrees with itself about an operand (a signalling NaN where NaN is ignored);
        #: message says both clauses. No verdict follows from such a result.
        self.disputed = accepted and message != ""
        self.mismatches: int = figures.mismatches if figures else 0
        self.first_index = text(figures.first_index) if figures else ""
        self.expected = text(figures.first_expected) if figures else ""
        self.got = text(figures.first_got) if figures else ""
        #: The greatest distance from the reference, in units in the last place.
        self.worst_ulp: float = figures.worst_ulp if figures else 0.0
        #: "unflushed", "flushed" or "either" where there are two answers.
        self.answer = text(figures.took) if figures else ""

    def __bool__(self) -> bool:
        return self.accepted

    def __repr__(self) -> str:
        return "accept" if self.accepted else f"reject: {self.message}"


def _shown(shape: Sequence[int]) -> str:
    return "[" + ",".join(map(str, shape)) + "]"


def _accepted(verdict: int) -> bool:
    if verdict == _library.BAD_CALL:
        raise ValueError(_library.message())
    return verdict == _library.ACCEPT


def _value(given: Any, place: str) -> str:
    """A plain value as the C interface reads it. Hexadecimal keeps every bit of a number."""
    if isinstance(given, np.generic):
        given = given.item()
    if isinstance(given, bool):
        return "true" if given else "false"
    if isinstance(given, int):
        return str(given)
    if isinstance(given, float):
        return given.hex()
    if isinstance(given, str):
        return given
    if isinstance(given, (list, tuple)):
        return "[" + ",".join(_value(each, place) for each in given) + "]"
    raise ValueError(f"{place}: found {type(given).__name__}, expected an array, a list of arrays, or a plain value")


class _Call:
    """A call of the C interface, with everything that it points at."""

    def __init__(self, op: str, edition: str | None, level: str | None, data_set: int | None,
                 output_types: Mapping[str, OutputType], arguments: Mapping[str, Any]) -> None:
        self._kept: list[Any] = []
        self._arguments = (_library.Argument * max(len(arguments), 1))()
        for slot, (name, given) in zip(self._arguments, arguments.items()):
            self._fill(slot, name, given)
        self._outputs = (_library.Tensor * max(len(output_types), 1))()
        for output, (name, wanted) in zip(self._outputs, output_types.items()):
            self._fill_output(output, name, wanted)
        self.call = _library.Call(op=op.encode(), arguments=self._arguments, argument_count=len(arguments),
                                  outputs=self._outputs, output_count=len(output_types))
        if edition is not None:
            self.call.edition = edition.encode()
        if level is not None:
            self.call.level = level.encode()
        if data_set is not None:
            self._data_set = ctypes.c_int(data_set)
            self.call.data_set = ctypes.pointer(self._data_set)

    def _fill(self, slot: _library.Argument, name: str, given: Any) -> None:
        slot.name = name.encode()
        place = "/arguments/" + name
        if is_array(given):
            given = [given]
        elif not (isinstance(given, (list, tuple)) and given and all(map(is_array, given))):
            slot.value = _value(given, place).encode()
            return
        views = [view(each, place) for each in given]
        tensors = (_library.Tensor * len(views))()
        for tensor, each in zip(tensors, views):
            each.fill(tensor, name)
        slot.tensors, slot.tensor_count = tensors, len(views)
        self._kept += [views, tensors]

    def _fill_output(self, output: _library.Tensor, name: str, wanted: OutputType) -> None:
        kind: Any = wanted if isinstance(wanted, str) else None
        shape: Any = None if isinstance(wanted, str) else wanted
        if isinstance(wanted, tuple) and len(wanted) == 2 and isinstance(wanted[0], str):
            kind, shape = wanted
        output.name = name.encode()
        if kind is not None:
            output.type = kind.encode()
        if shape is not None:
            dimensions = (ctypes.c_int64 * max(len(shape), 1))(*shape)
            output.shape, output.rank = dimensions, len(shape)
            self._kept.append(dimensions)


def reference(op: str, /, *, edition: str | None = None, level: str | None = None, data_set: int | None = None,
              output_types: Mapping[str, OutputType] | None = None, **arguments: Any) -> Reference:
    """What the specification says of the operator with these arguments, which have the specification's names.

    Arguments are arrays (NumPy, ml_dtypes, Tensor, anything with DLPack), lists of arrays, or plain values. A call that
    the specification forbids has the outcome "error" and conditions; ValueError is raised of what is no call at all.
    """
    call = _Call(op, edition, level, data_set, output_types or {}, arguments)
    note_use()
    handle = LIB.tensor_cts_reference(ctypes.byref(call.call))
    if not handle:
        raise ValueError(_library.message())
    return Reference(_Answer(handle))


def judge(op: str, result: Any, /, *, edition: str | None = None, level: str | None = None,
          data_set: int | None = None, output_types: Mapping[str, OutputType] | None = None,
          **arguments: Any) -> Judgement:
    """Whether the result is acceptable: an array, or Refused(...), or for several outputs a list or a dict by name.

    ValueError: nothing can be judged, as no call was described or the specification asks nothing of it.
    """
    return reference(op, edition=edition, level=level, data_set=data_set, output_types=output_types,
                     **arguments).judge(result)

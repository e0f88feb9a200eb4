"""Tensor CTS in Python: what the specification says, whether a result is acceptable, suites and their verdicts."""
from tensor_cts import _library
from tensor_cts._adapter import adapter
from tensor_cts._arrays import Tensor
from tensor_cts._command import Report, check, generate, program, run
from tensor_cts._graph import Graph, Operator
from tensor_cts._reference import Condition, Judgement, Output, Reference, Refused, Unsupported, Values, judge, reference
from tensor_cts._suite import Case, CaseVerdict, Entry, Suite

__version__: str = _library.text(_library.LIB.tensor_cts_version())

__all__ = ["Case", "CaseVerdict", "Condition", "Entry", "Graph", "Judgement", "Operator", "Output", "Reference",
           "Refused", "Report", "Suite", "Tensor", "Unsupported", "Values", "adapter", "check", "generate", "judge",
           "program", "reference", "run"]

"""What a user writes, for `mypy --strict`: tools/release.sh checks it against the installed wheel. It is never run."""
from typing import Any

import numpy as np
import numpy.typing as npt

import tensor_cts as cts
from tensor_cts.pytest_plugin import TestedCase

x = np.array([1.0], np.float32)
reference = cts.reference("EXP", input1=x, output_types={"output": ("fp32", [1])})
bound = reference.outputs["output"].bound
if bound is not None:
    print(bound.max(), reference.outputs["output"].rounded().shape)
names: list[str] = [condition.id for condition in reference.conditions]
accepted: bool = bool(cts.judge("EXP", x, input1=x))
suite: cts.Suite = cts.generate("suite", operators=["EXP"])


@cts.adapter("npu", "1")
def execute(graph: cts.Graph, inputs: dict[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    if len(graph.operators) != 1:
        raise cts.Unsupported("graphs")
    return {graph.outputs[0]: np.exp(inputs[graph.inputs[0]])}


for case in suite:
    verdict: cts.CaseVerdict = case.check(case.run(execute))
    print(case.id, verdict.message, [op.attributes.get("nan_mode") for op in case.graph.operators])


def test_conformance(tensor_cts_case: TestedCase) -> None:
    tensor_cts_case.run(execute)


report: cts.Report = cts.run(suite, "npu:execute", "results")
print(report.findings, report.conformant)

"""The cases of a suite in a loop of one's own: for a debugger, or an implementation that takes long to start.

Prints:
FLOOR: 0 of
a wrong one: fail: output
"""
import pathlib
import tempfile

import numpy as np

import tensor_cts as cts
from my_npu import execute

with tempfile.TemporaryDirectory() as folder:
    suite = cts.generate(pathlib.Path(folder, "suite"), operators=["FLOOR"], types=["fp32"])
    verdicts = {case.id: case.check(case.run(execute)) for case in suite}
    print(f"FLOOR: {sum(not verdict for verdict in verdicts.values())} of {len(verdicts)} cases fail")

    case = suite.case(next(entry.id for entry in suite.entries if entry.outcome == "valid"))
    results = {name: np.add(result, 1) for name, result in case.run(execute).items()}
    verdict = case.check(results)
    print(f"a wrong one: {verdict.verdict}: {verdict.message}")

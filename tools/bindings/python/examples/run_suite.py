"""A suite of one operator, my implementation in processes of its own, and the report of `tensor-cts check`.

Prints:
suite: smoke,
my-npu 1.0: CONFORMANT on this suite
"""
import pathlib
import tempfile

import tensor_cts as cts

here = pathlib.Path(__file__).parent
with tempfile.TemporaryDirectory() as folder:
    suite = cts.generate(pathlib.Path(folder, "suite"), operators=["FLOOR"], types=["fp32"])
    print(f"suite: {suite.name}, {len(suite)} cases of {suite.edition}")
    report = cts.run(suite, f"{here / 'my_npu.py'}:execute", pathlib.Path(folder, "results"))
    print(f"my-npu 1.0: {report}")
    for case in report.cases:
        if case["verdict"] != "pass":
            print(case["id"], case["verdict"], case.get("message"))

#!/usr/bin/python3
"""An adapter and its stack from PyPI on a sample of certify: one legal case of each type row, an illegal one of each
operator, and the smallest case of each listed deviation. A verdict without a listed cause, one that the tally has nowhere
for the operator and type row, and a deviation that is gone: each fails.

TENSOR_CTS_STACKS=FOLDER sample_test.py TENSOR_CTS ADAPTER [OPTION...]

FOLDER has the virtual environments, by the names of the adapters' folders. Each OPTION of the adapter is a run.
"""

import collections
import os
import pathlib
import sys
import tempfile

ADAPTERS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ADAPTERS))
from common import sample, tables  # noqa: E402

CTS = pathlib.Path(sys.argv[1]).resolve()
FOLDER = ADAPTERS / sys.argv[2]
OPTIONS = sys.argv[3:] or [""]
# Takes only every n-th type row of these stacks, which compile a case in tenths of
# a second.
EVERY = {"iree": 4, "jax": 4, "openvino": 2, "tosa-tools": 2, "vela": 3}
BATCH = 4  # a worker that dies costs each case of its batch a process


def make_suite(root, deviations):
    """A fortieth of certify has most type rows. A stack without a notion of legality gets only one illegal graph."""
    sample.call(CTS, "generate", "--recipe", "certify", "--shard", "1/40", "--out", root / "part")
    rows = sample.of_each_row(root / "part", illegal=all(one["id"] != "no-tosa-legality" for one in deviations))
    assert len(rows) > 300, f"{len(rows)} type rows were found"
    chosen = {*rows[:: EVERY.get(FOLDER.name, 1)], *sample.examples(deviations)}
    sample.call(CTS, "generate", "--recipe", "certify", *(f"--id={id}" for id in sorted(chosen)), "--out", root / "suite")
    return root / "suite"


def main():
    if "TENSOR_CTS_STACKS" not in os.environ:
        print("skipped: TENSOR_CTS_STACKS names no folder of virtual environments")
        sys.exit(77)
    python = pathlib.Path(os.environ["TENSOR_CTS_STACKS"]).resolve() / FOLDER.name / "bin/python"
    tallies = {variant: one for variant, one in tables.tallies(os.path.join(tables.FINDINGS, FOLDER.name)).items() if one["suite"].startswith("certify ")}
    variants = {tally["implementation"]: variant for variant, tally in tallies.items()}
    deviations = sample.listed(FOLDER.name)
    deviations = [one for one in deviations if not tallies.keys().isdisjoint(one.get("of", tallies))]
    left_out = [one["id"] for one in deviations if not sample.due(one)]
    print(f"deviations whose case is not asked (another suite or processor, a hang, what varies): {', '.join(left_out) or 'none'}")
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="sample-") as folder:
        root = pathlib.Path(folder)
        suite = make_suite(root, deviations)
        for option in OPTIONS:
            command = f"'{python}' '{FOLDER}/adapter.py' --batch={BATCH} --tensor-cts='{CTS}' {option}"
            report = sample.judge(CTS, suite, command, root / f"results{option}")
            implementation = "{name} {version}".format(**report["implementation"])
            assert implementation in variants, f"found {implementation}, expected one of the tallies' {[*variants]}"
            variant = variants[implementation]
            own = [one for one in deviations if variant in one.get("of", [variant])]
            lines = sample.differences(report, own, tallies[variant]["rows"])
            verdicts = collections.Counter(case["verdict"] for case in report["cases"])
            print(f"{implementation}: {len(report['cases'])} cases: {dict(verdicts)}", *lines, sep="\n", flush=True)
            wrong += len(lines)
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Arm's programs on a sample of smoke, beside tensor-cts-vulkan on the same device: the same verdicts and the same bytes but
for what deviations.json names, and that is there.

TENSOR_CTS_EMULATION_LAYER=SITE_PACKAGES/emulation_layer/deploy TENSOR_CTS_STACKS=FOLDER adapter_test.py TENSOR_CTS TENSOR_CTS_VULKAN

FOLDER has the virtual environment ml-sdk.
"""

import collections
import os
import pathlib
import sys
import tempfile

import same_bytes

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent), str(HERE.parent / "vulkan")]
import emulated  # noqa: E402
from common import sample, tables  # noqa: E402

CTS, VULKAN = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
EVERY = 8  # of the type rows: two programs of Arm's start for each case
# What the converter folds away wrongly, whether it is listed or not.
FOLDED = {"transpose/relation-rank4-i8"}
# The converter leaves no operator of it: the adapter finds one input less than the graph has
# (deviations/inputs-of-no-operator.md).
LOST = "select/relation-same_operands-i8"


def verdicts(report):
    return {case["id"]: case["verdict"] for case in report["cases"]}


def main():
    layer, stacks = (os.environ.get(f"TENSOR_CTS_{name}", "") for name in ("EMULATION_LAYER", "STACKS"))
    if not layer or not stacks or not emulated.DRIVER.exists():
        print("skipped: TENSOR_CTS_EMULATION_LAYER or TENSOR_CTS_STACKS names nothing, or there is no", emulated.DRIVER)
        sys.exit(77)
    own, of_device = map(sample.listed, ("ml-sdk", "vulkan"))
    with tempfile.TemporaryDirectory(prefix="ml-sdk-") as folder:
        root = pathlib.Path(folder)
        os.environ.update(emulated.variables(layer, root / "layers", keep_glslang=True))
        suite = root / "suite"
        sample.call(CTS, "generate", "--recipe", "smoke", "--out", suite)
        ids = {*sample.of_each_row(suite)[::EVERY], *sample.examples(own), *FOLDED, LOST}
        ours = sample.judge(CTS, suite, VULKAN, root / "ours", ids)
        command = f"'{pathlib.Path(stacks).resolve()}/ml-sdk/bin/python' '{HERE}/adapter.py' --tensor-cts='{CTS}'"
        theirs = sample.judge(CTS, suite, command, root / "theirs", ids)
        lines = sample.differences(theirs, own, tables.tallies(f"{tables.FINDINGS}/ml-sdk")[""]["rows"], beside=of_device)
        explained = {case["id"] for case in theirs["cases"] if tables.classify(own, case) not in ("", tables.UNEXPLAINED)}
        left, right = same_bytes.answered(root / "ours"), same_bytes.answered(root / "theirs")
        illegal = {case["id"] for case in theirs["cases"] if case["expected"] == "error"}  # ours hands none of them on
        lost = next(case for case in theirs["cases"] if case["id"] == LOST)
        if "the VGF has 1 inputs where the graph has 2" not in lost.get("message", ""):
            lines.append(f"inputs-of-no-operator: gone, or another: {LOST}: {lost['verdict']}")
        alone = (left.keys() - right.keys() - explained - {LOST}) | (right.keys() - left.keys() - illegal)
        lines += [f"{id}: answered by one alone: {verdicts(ours)[id]}, {verdicts(theirs)[id]}" for id in sorted(alone)]
        same = 0
        for id in sorted(left.keys() & right.keys()):
            text = same_bytes.first_difference(left[id], right[id])
            same += not text
            if bool(text) != (id in explained):
                lines.append(f"{id}: {text or 'the same bytes, though a deviation of the converter is listed'}")
    print(f"{len(ids)} cases: {dict(collections.Counter(verdicts(theirs).values()))}; {same} with the same bytes")
    print(*lines, sep="\n")
    sys.exit(1 if lines or same == 0 else 0)


if __name__ == "__main__":
    main()

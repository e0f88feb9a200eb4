#!/usr/bin/python3
"""Mesa's driver for the CPU with Arm's emulation layer, compared with deviations.json. It runs one legal case of each
type row of smoke, all legal ones there that any adapter lists as a deviation, and those of certify that its own list
names. A new deviation fails, and so does one that is gone. Some cases run in all ways that change no answer (--axes).

TENSOR_CTS_EMULATION_LAYER=SITE_PACKAGES/emulation_layer/deploy emulated_test.py TENSOR_CTS TENSOR_CTS_VULKAN [MANIFEST LIST]

MANIFEST is that of another driver, LIST the deviations of it in tools/findings/vulkan, such as deviations-h100.json.
"""
import collections
import json
import os
import pathlib
import sys
import tempfile

import emulated

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import sample  # noqa: E402

CTS, ADAPTER = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
DRIVER, LISTED = sys.argv[3:5] or (emulated.DRIVER, "deviations.json")
DRIVER = pathlib.Path(DRIVER)

AXES_CASES = 8


def other_ways(suite, ids, results):
    """The messages of cases that --axes all does not answer alike, or that lack one of the axes."""
    filters = [f"--filter={id}" for id in ids]
    sample.call(CTS, "run", suite, "--adapter", f"{ADAPTER} --axes all", "--worker", *filters, "--out", results)
    found = {id: json.loads((results / id / "result.json").read_text()) for id in ids}
    told = [f"{id}: other in another way: {result}" for id, result in found.items()
            if result["status"] not in ("ok", "unsupported") or "axis" in result.get("message", "")]  # fmt: skip
    answered = any(result["status"] == "ok" for result in found.values())
    return told if told or answered else [f"none of {len(found)} cases was answered"]


def main():
    layer = os.environ.get("TENSOR_CTS_EMULATION_LAYER", "")
    if not layer or not DRIVER.exists():
        print(f"skipped: TENSOR_CTS_EMULATION_LAYER names no emulation layer, or there is no {DRIVER}")
        sys.exit(77)
    deviations = sample.listed("vulkan", LISTED)
    with tempfile.TemporaryDirectory(prefix="emulated-") as folder:
        root = pathlib.Path(folder)
        os.environ.update(emulated.variables(layer, root / "layers", keep_glslang=True, driver=DRIVER))
        suite = root / "suite"
        sample.call(CTS, "generate", "--recipe", "smoke", "--out", suite)
        ids = sample.of_each_row(suite)
        assert len(ids) > 300, f"{len(ids)} type rows were found"
        examples = sample.examples(deviations)
        beyond = {id for id in examples if not (suite / id).exists()}
        ids = {*ids, *examples, *sample.hard_cases(suite)} - beyond
        report = sample.judge(CTS, suite, ADAPTER, root / "results", ids)
        if beyond:
            certify = root / "certify"
            sample.call(CTS, "generate", "--recipe", "certify", *(f"--id={id}" for id in sorted(beyond)), "--out", certify)
            report["cases"] += sample.judge(CTS, certify, ADAPTER, root / "results-certify", beyond)["cases"]
        lines = sample.differences(report, deviations)
        lines += other_ways(suite, sorted(ids)[:: max(1, len(ids) // AXES_CASES)], root / "axes")
        # A case that is not offered is one that the instruction set has no word for.
        lines += [f"{case['id']}: not offered though SPIR-V has the words" for case in report["cases"]
                  if case["verdict"] == "unsupported" and sample.call(
                      CTS, "render", suite / case["id"], "--format", "spirv", "--out", root / "module",
                      expected=(0, 1, 2)) == 0]  # fmt: skip
    kinds = {finding["kind"]: finding["message"] for finding in report["findings"]}
    known = {one["match"]["finding"] for one in deviations if "finding" in one["match"]}
    lines += [f"no cause is listed: {kinds[kind]}" for kind in kinds.keys() - known]
    lines += [f"gone: finding {kind}" for kind in known - kinds.keys()]
    print(len(report["cases"]), "cases:", dict(collections.Counter(case["verdict"] for case in report["cases"])))
    print(*lines, sep="\n")
    sys.exit(1 if lines else 0)


if __name__ == "__main__":
    main()

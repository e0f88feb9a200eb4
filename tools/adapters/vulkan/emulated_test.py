#!/usr/bin/python3
"""Mesa's driver for the CPU with Arm's emulation layer, on one legal case of each type row of smoke, held against
deviations.json: a deviation that comes and one that goes both fail. Without TENSOR_CTS_WHOLE=1 every eighth of these
rows, and all cases that deviations.json names. Some of them run in all ways that change no answer (--axes).

TENSOR_CTS_EMULATION_LAYER=SITE_PACKAGES/emulation_layer/deploy emulated_test.py TENSOR_CTS TENSOR_CTS_VULKAN [MANIFEST DEVIATIONS]

MANIFEST is that of another driver, DEVIATIONS the list for it, such as deviations-h100.json.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

import emulated

CTS, ADAPTER = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
HERE = pathlib.Path(__file__).resolve().parent
DRIVER, LISTED = map(pathlib.Path, sys.argv[3:5] or (emulated.DRIVER, HERE / "deviations.json"))
DEVIATIONS = json.loads(LISTED.read_text())["deviations"]
ALSO = {id for deviation in DEVIATIONS for id in deviation["case"].split(" beside ")}
WHOLE = os.environ.get("TENSOR_CTS_WHOLE") == "1"
AXES_CASES = 8


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=550)


def sample(suite):
    """Of each row the case of the most bytes up to 8 KiB of files, or else of the fewest; and those of deviations."""
    chosen = {}
    for path in sorted(suite.glob("*/*/case.json")):
        case = json.loads(path.read_text())
        if case["outcome"] != "valid":
            continue
        row = (case["operator"], case.get("mode"), tuple(sorted(case.get("types", {}).items())))
        size = sum(file.stat().st_size for file in path.parent.glob("*.npy"))
        rank = (size <= 8192, size if size <= 8192 else -size, case["id"])
        chosen[row] = max(chosen.get(row, rank), rank)
    ids = sorted(id for _, _, id in chosen.values())
    return sorted(set(ids if WHOLE else ids[::8]) | ALSO)


def differences(suite, ids, results):
    """What cases say that --axes all does not answer alike, or that lack one of the axes."""
    filters = [word for id in ids for word in ("--filter", id)]
    done = run(CTS, "run", suite, "--adapter", f"{ADAPTER} --axes all", "--worker", *filters, "--out", results)
    assert done.returncode == 0, done.stderr
    found = {id: json.loads((results / id / "result.json").read_text()) for id in ids}
    told = [f"{id}: {result}" for id, result in found.items()
            if result["status"] not in ("ok", "unsupported") or "axis" in result.get("message", "")]  # fmt: skip
    answered = any(result["status"] == "ok" for result in found.values())
    return told if told or answered else [f"none of {len(found)} cases was answered"]


def main():
    layer = os.environ.get("TENSOR_CTS_EMULATION_LAYER", "")
    if not layer or not DRIVER.exists():
        print(f"skipped: TENSOR_CTS_EMULATION_LAYER names no emulation layer, or there is no {DRIVER}")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="emulated-") as folder:
        root = pathlib.Path(folder)
        os.environ.update(emulated.variables(layer, root / "layers", keep_glslang=True, driver=DRIVER))
        made = run(CTS, "generate", "--recipe", "smoke", "--out", root / "suite")
        assert made.returncode == 0, made.stderr
        ids = sample(root / "suite")
        assert len(ids) > len(ALSO), "no case of a type row was found"
        filters = [word for id in ids for word in ("--filter", id)]
        done = run(CTS, "run", root / "suite", "--adapter", ADAPTER, "--worker", *filters, "--out", root / "results")
        assert done.returncode == 0, done.stderr
        other_ways = differences(root / "suite", ids[:: max(1, len(ids) // AXES_CASES)], root / "axes")
        checked = run(CTS, "check", root / "suite", root / "results", *filters, "--json", "-")
        report = json.loads(checked.stdout)
        # A case that is not offered is one that the instruction set has no word for.
        unasked = [case["id"] for case in report["cases"] if case["verdict"] == "unsupported"
                   and run(CTS, "render", root / "suite" / case["id"], "--format", "spirv", "--out",
                           root / "module").returncode == 0]
    deviations = DEVIATIONS
    seen, unknown, verdicts = set(), [], {}
    for case in report["cases"]:
        verdicts[case["verdict"]] = verdicts.get(case["verdict"], 0) + 1
        if case["verdict"] in ("pass", "unsupported"):
            continue
        text = json.dumps(case)
        fitting = [d["id"] for d in deviations if case["operator"] == d.get("operator")
                   and case["verdict"] == d["verdict"] and re.search(d["says"], text)]
        seen.update(fitting)
        if not fitting:
            unknown.append(f"{case['id']}: {case['verdict']}: {text[:600]}")
    for finding in report["findings"]:
        fitting = [d["id"] for d in deviations if d.get("finding") == finding["kind"]]
        seen.update(fitting)
        if not fitting:
            unknown.append(finding["message"])
    gone = [d["id"] for d in deviations if d["id"] not in seen]
    print(len(ids), "cases:", verdicts)
    print("\n".join(["new deviations:"] + unknown if unknown else []))
    print("gone:", gone)
    print("not offered though SPIR-V has the words:", unasked)
    print("other in another way:", other_ways)
    print("without a verdict:", len(ids) - sum(verdicts.values()))
    sys.exit(1 if unknown or gone or unasked or other_ways or sum(verdicts.values()) != len(ids) else 0)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Sends tests in the public layout through tosa-opt (.tosa to MLIR and back) and compares what import makes of them.

tosa_opt_round_trip.py TESTS OUT --tensor-cts PROGRAM --tosa-opt PROGRAM [--each N]

TESTS comes from `export --format tosa-conformance --tosa-version 1.0.2`. Takes N legal tests of each operator, in
the order of their names. Exit code 0: every graph that tosa-opt takes comes back equal; 1: one does not; 2: usage.
"""

import argparse
import json
import pathlib
import shutil
import subprocess
import sys


def stop(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def chosen(tests, each):
    for operator in sorted(path for path in tests.iterdir() if path.is_dir()):
        legal = []
        for test in sorted(operator.iterdir()):
            description = test / "desc.json"
            if description.exists() and not json.loads(description.read_text())["expected_failure"]:
                legal.append(test)
        yield from legal[:each]


def round_trip(test, target, tosa_opt, empty):
    """Writes target/test.tosa; returns why there is none."""
    source, written = test / "test.tosa", target / "test.tosa"
    command = [tosa_opt, str(empty), f"--tosa-deserialize=tosa-flatbuffer-filename={source}", "-o", "/dev/null"]
    command.append(f"--tosa-serialize=tosa-flatbuffer-filename={written} retain-graph-input-output-names")
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode == 0 and written.exists():
        return ""
    said = done.stderr.strip().splitlines()
    return said[0] if said else f"no file; exit code {done.returncode}"


def imported(tensor_cts, tests, suite):
    command = [tensor_cts, "import", str(tests), "--out", str(suite), "--skip", "--edition-rules"]
    command += ["--left-out", f"{suite}.left_out"]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        stop(f"{tests}: {done.stderr.strip()}")


def meaning(case):
    """Operators, outcome and answers: the names of tensors and regions are not compared."""
    if not case.exists():
        return None
    bundle = json.loads((case / "case.json").read_text())
    regions = [block for region in bundle["graph"]["regions"] for block in region["blocks"]]
    names = {region["name"] for region in bundle["graph"]["regions"]}
    operators = []
    for operator in (operator for block in regions for operator in block["operators"]):
        attributes = {
            key: "a region" if key.endswith("_graph") and value in names else value
            for key, value in operator.get("attributes", {}).items()
        }
        operators.append(json.dumps([operator["operator"], attributes], sort_keys=True))
    outputs = [(output["dtype"], output["shape"]) for output in bundle["outputs"]]
    answers = [path.read_bytes() for path in sorted(case.glob("expected/*"))]
    return bundle["outcome"], sorted(operators), outputs, answers


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tests", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tensor-cts", required=True)
    parser.add_argument("--tosa-opt", required=True)
    parser.add_argument("--each", type=int, default=1)
    options = parser.parse_args()
    if not options.tests.is_dir():
        parser.error(f"{options.tests}: no such folder")
    if options.out.exists():
        parser.error(f"{options.out}: expected a folder that does not exist")
    options.out.mkdir(parents=True)
    empty = options.out / "empty.mlir"
    empty.write_text("module {}\n")
    kept, refused = [], 0
    for test in chosen(options.tests, options.each):
        name = test.relative_to(options.tests)
        before, after = options.out / "before" / name, options.out / "after" / name
        without_ours = shutil.ignore_patterns("tensor-cts.json")  # import reads test.tosa alone
        shutil.copytree(test, before, ignore=without_ours)
        shutil.copytree(test, after, ignore=shutil.ignore_patterns("tensor-cts.json", "test.tosa"))
        why = round_trip(test, after, options.tosa_opt, empty)
        if why:
            refused += 1
            print(f"{name}: tosa-opt: {why}")
            shutil.rmtree(before)
            shutil.rmtree(after)
        else:
            kept.append(name)
    if not kept:
        stop(f"{options.tests}: no test came back from {options.tosa_opt}")
    for side in ("before", "after"):
        imported(options.tensor_cts, options.out / side, options.out / f"suite-{side}")
    unread, differ = 0, 0
    for name in kept:
        one, other = (meaning(options.out / f"suite-{side}" / name) for side in ("before", "after"))
        if one is None:
            unread += 1
            print(f"{name}: import leaves it out before the round trip")
        elif one != other:
            differ += 1
            print(f"{name}: " + ("differs" if other else "import leaves it out after the round trip"))
    equal = len(kept) - unread - differ
    print(f"{equal} equal, {differ} differ, {refused} refused by tosa-opt, {unread} not imported")
    return 1 if differ else 0


if __name__ == "__main__":
    sys.exit(main())

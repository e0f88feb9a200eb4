#!/usr/bin/python3
"""Runs the public runner of tosa-tools over all tests that export makes of a suite, and says whose each unexpected result is.

public_runner.py SUITE OUT --tensor-cts PROGRAM [--jobs N]

by a Python that has tools/adapters/tosa-tools/requirements.txt; SUITE comes from `generate`. The implementation is Arm's
reference model. OUT/runner has what the runner said of each operator; a call that was interrupted goes on behind the last,
if suite and versions are those of OUT/made-of.json.

`import --results` and `check` judge the same results: they have to find wrong what the runner does not expect, and
nothing else. Each such result is explained by findings/tosa-tools/deviations.json.

Exit code: 0 everything is explained; 1 something is not, or runner and `check` differ; 2 usage or environment.
"""

import argparse
import collections
import concurrent.futures
import importlib.metadata
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as ET

HERE = pathlib.Path(__file__).resolve().parent
ADAPTERS = HERE.parents[1] / "adapters"
sys.path.insert(0, str(ADAPTERS))
from common import sample, tables  # noqa: E402

RUNNER = "runner.tosa_refmodel_sut_run"
SECONDS = 3600  # of a call of tensor-cts
SECONDS_PER_TEST = 60  # of the runner, which needs a tenth of one
NOT_OFFERED = {
    "id": "not-offered",
    "match": {"says": "could not allocate op VARIABLE"},
    "does": "The model has no VARIABLE, VARIABLE_READ and VARIABLE_WRITE.",
    "owner": "Arm's reference model",
}
DEVIATIONS = [NOT_OFFERED, *tables.of_variant(sample.listed("tosa-tools"), "model")]
KINDS = {
    ("valid", "fail"): "legal, wrong value",
    ("valid", "wrong_outcome"): "legal, refused",
    ("error", "wrong_outcome"): "illegal, accepted",
    ("error", "crash"): "illegal, the model dies",
}


def stop(message):
    print(message, file=sys.stderr)
    sys.exit(2)


def call(*command, codes=(0,)):
    words = [str(word) for word in command]
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=SECONDS)
    except (OSError, subprocess.TimeoutExpired) as fault:
        stop(f"{' '.join(words)}: {fault}")
    if done.returncode not in codes:
        stop(f"{' '.join(words)}: {done.stderr.strip()}")
    return done.stdout


def export(tensor_cts, suite, out):
    """Makes OUT/tests, or finds those of an earlier call, which have to be of the same suite and versions."""
    made = {
        "suite": json.loads((suite / "suite.json").read_text())["digest"],
        "tensor-cts": call(tensor_cts, "--version").strip(),
        "tosa-tools": importlib.metadata.version("tosa-tools"),
    }
    tests, note = out / "tests", out / "made-of.json"
    if not any(path.exists() for path in (tests, out / "runner", note)):
        out.mkdir(parents=True, exist_ok=True)
        call(tensor_cts, "export", "--format", "tosa-conformance", "--tosa-version", "1.0.2", suite, "--out", tests)
        note.write_text(json.dumps(made, indent=2) + "\n")
    before = json.loads(note.read_text()) if tests.exists() and note.exists() else "not known, or not whole"
    if before != made:
        stop(f"{out}: made of {before}, not of {made}; remove it, or name another folder")


# --- The runner ----------------------------------------------------------------------------------


def without_debugger(folder):
    """An environment in which the model, which starts gdb on itself when it refuses, finds one that does nothing."""
    folder.mkdir(exist_ok=True)
    stub = folder / "gdb"
    stub.write_text("#!/bin/sh\n")
    stub.chmod(0o755)
    return {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}


def run_operator(program, tests, said, environment):
    """Writes said/OPERATOR.xml and .log, unless an earlier call did. It ends with 0 whatever it finds."""
    report, partial = said / f"{tests.name}.xml", said / f"{tests.name}.partial"
    if report.exists():
        return
    command = [sys.executable, program, "--no-color", "--recursive", "--xunit-file", partial, "--test", tests]
    seconds = SECONDS_PER_TEST * (1 + len(list(tests.rglob("desc.json"))))
    with open(said / f"{tests.name}.log", "w", encoding="utf-8") as log:
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log, env=environment, timeout=seconds)
        except subprocess.TimeoutExpired:
            stop(f"{program} of {tests}: not done after {seconds} s; see {log.name}")
    if done.returncode != 0 or not partial.exists():
        stop(f"{program} of {tests}: exit code {done.returncode}; see {log.name}")
    partial.rename(report)


def run_all(program, out, jobs):
    said = out / "runner"
    said.mkdir(exist_ok=True)
    environment = without_debugger(out / "no-debugger")
    operators = sorted(path for path in (out / "tests").iterdir() if path.is_dir())
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(run_operator, program, tests, said, environment) for tests in operators]:
            done.result()


def unexpected(out):
    """The ids of the tests that did not end as the runner expects; all reports become result.xml."""
    whole, found = ET.Element("testsuites"), set()
    for report in sorted((out / "runner").glob("*.xml")):
        whole.extend(ET.parse(report).getroot())
    for test in whole.iter("testcase"):
        if test.get("classname") == RUNNER and (test.find("failure") is not None or test.find("skipped") is not None):
            found.add("/".join(pathlib.PurePath(test.get("name")).parts[-2:]))
    ET.ElementTree(whole).write(out / "result.xml")
    return found


def died(out):
    """The ids of the tests of which the model died."""
    pattern = re.compile(r"^Error -\d+ running command: .*--test_desc (\S+)/desc\.json", re.M)
    logs = [log.read_text(errors="replace") for log in (out / "runner").glob("*.log")]
    return {"/".join(pathlib.PurePath(path).parts[-2:]) for log in logs for path in pattern.findall(log)}


# --- What check says of the same results -----------------------------------------------------------


def checked(tensor_cts, out):
    suite, results = out / "suite", out / "results"
    for folder in (suite, results):
        shutil.rmtree(folder, ignore_errors=True)
    call(tensor_cts, "import", out / "tests", "--out", suite, "--results", results, "--runner", RUNNER, "--xunit", out / "result.xml")
    call(tensor_cts, "check", suite, results, "--json", out / "report.json", codes=(0, 1))
    return {case["id"]: case for case in json.loads((out / "report.json").read_text())["cases"]}


def tally(cases, of_runner, dead):
    """Prints each cause; returns whether every unexpected result has one, and check says the same."""
    rows, examples = collections.Counter(), {}
    good = True
    for name, case in sorted(cases.items()):
        if (name in of_runner) != (case["verdict"] != "pass"):
            good = False
            print(f"{name}: {'unexpected' if name in of_runner else 'expected'} to the runner, {case['verdict']} to check")
        elif name in of_runner:
            if case["verdict"] == "crash" and name not in dead:
                case["verdict"] = "wrong_outcome"  # the JUnit file does not tell a refusal from a crash
            why = tables.classify(DEVIATIONS, case)
            if why == tables.UNEXPLAINED:
                good = False
                print(f"{name}: {case['verdict']}: not explained: {case.get('message', '')}")
            kind = "legal, not offered" if why == NOT_OFFERED["id"] else KINDS.get((case["expected"], case["verdict"]), case["verdict"])
            row = (kind, why)
            rows[row] += 1
            examples.setdefault(row, name)
    legal = [case for case in cases.values() if case["expected"] == "valid"]
    print(f"{len(cases)} tests, {len(legal)} of them legal: {len(cases) - len(of_runner)} end as expected; of the legal ones "
          f"{sum(case['verdict'] in ('pass', 'fail') for case in legal)} have a result")  # fmt: skip
    about = {one["id"]: one for one in DEVIATIONS}
    print("\n| tests | unexpected | reason | owner | such as |\n|---|---|---|---|---|")
    for (kind, why), count in rows.most_common():
        reason, owner = (about[why]["does"], about[why]["owner"]) if why in about else ("not explained", "?")
        print(f"| {count} | {kind} | `{why}`: {reason} | {owner} | `{examples[kind, why]}` |")
    return good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tensor-cts", required=True)
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_args()
    if not (options.suite / "suite.json").exists():
        parser.error(f"{options.suite}: no suite")
    program = pathlib.Path(sys.executable).parent / "tosa_verif_run_tests"
    if not program.exists():
        stop(f"{program}: not found; install tools/adapters/tosa-tools/requirements.txt, and call its Python")
    out = options.out.resolve()
    export(options.tensor_cts, options.suite, out)
    run_all(program, out, options.jobs)
    of_runner = unexpected(out)
    return 0 if tally(checked(options.tensor_cts, out), of_runner, died(out)) else 1


if __name__ == "__main__":
    sys.exit(main())

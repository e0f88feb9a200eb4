"""A sample of a suite, and what a report on it says against the lists of an adapter's folder."""

import json
import pathlib
import re
import subprocess

from . import tables
from .reproduce import fits_this_machine


def can(*words, expected=(0,)):
    done = subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=550)
    return done.returncode in expected


def call(*words, expected=(0,)):
    done = subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=550)
    assert done.returncode in expected, f"{words[1]}: {done.stdout}{done.stderr}"


def judge(cts, suite, adapter, results, ids=()):
    """The report on a run of these cases, or of all."""
    filters = [f"--filter={id}" for id in sorted(ids)]
    call(cts, "run", suite, "--adapter", adapter, "--worker", *filters, "--out", results)
    call(cts, "check", suite, results, *filters, "--json", f"{results}.json", expected=(0, 1))
    report = tables.without_cases_left_out(json.loads(pathlib.Path(f"{results}.json").read_text()))
    without = set(ids) - {case["id"] for case in report["cases"]}
    assert not without, f"without a verdict: {sorted(without)}"
    return report


def of_each_row(suite, illegal=False):
    """The legal case of the most bytes up to 8 KiB of files, or else of the fewest, of each type row of each operator;
    with `illegal` besides an illegal one of each operator."""
    best = {}
    for path in sorted(pathlib.Path(suite).glob("*/*/case.json")):
        case = json.loads(path.read_text())
        if case["outcome"] == "valid":
            kind = (case["operator"], tables.type_row(case), case["expected"])
        said = f"{case['verdict']}: {case.get('said') or case.get('message', '')}"[:600]
        if why == tables.UNEXPLAINED:
            lines.append(f"{case['id']}: no cause is listed: {said}")
        elif rows is not None and not in_tally(*kind, why, rows, deviations):
            lines.append(f"{case['id']}: the tally has none of {', '.join(kind)}: {why or 'passes'}: {said}")
    causes = {row[-1] for row in rows or ()} - {one["id"] for one in (*deviations, tables.NOT_OFFERED, tables.NOT_SHOWN)}
    lines += [f"{why}: the tally has cases of it, the list has no such cause" for why in sorted(causes - {""})]
    for deviation in filter(due, deviations):
        why = explained.get(deviation["case"], "not in the report")
        if why != deviation["id"]:
            lines.append(f"{deviation['id']}: gone, or another: {deviation['case']}: {why or 'passes'}")
    return lines

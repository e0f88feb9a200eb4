"""A sample of a suite, and what a report on it says against the lists of a stack."""

import json
import pathlib
import re
import subprocess

from . import tables
from .reproduce import fits_this_machine


def call(*words, expected=(0,)):
    done = subprocess.run([*map(str, words)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=550)
    assert done.returncode in expected, f"{words[1]}: {done.stdout}{done.stderr}"
    return done.returncode


def judge(cts, suite, adapter, results, ids=()):
    """The report on a run of these cases, or of all."""
    filters = [f"--filter={id}" for id in sorted(ids)]
    call(cts, "run", suite, "--adapter", adapter, "--worker", "--jobs=1", *filters, "--out", results)
    call(cts, "check", suite, results, *filters, "--json", f"{results}.json", expected=(0, 1))
    report = tables.without_cases_left_out(json.loads(pathlib.Path(f"{results}.json").read_text()))
    without = set(ids) - {case["id"] for case in report["cases"]}
    assert not without, f"without a verdict: {sorted(without)}"
    return report


def of_each_row(suite, illegal=False):
    """For each type row of each operator, the legal case with the most bytes up to 8 KiB of files; without one, that
    with the fewest; with `illegal` also an illegal one for each operator."""
    best = {}
    for path in sorted(pathlib.Path(suite).glob("*/*/case.json")):
        case = json.loads(path.read_text())
        if case["outcome"] == "valid":
            row = (case["operator"], tables.type_row(case))
        elif illegal:
            row = (case["operator"], "")
        else:
            continue
        size = sum(file.stat().st_size for file in path.parent.glob("*.npy"))
        rank = (size <= 8192, size if size <= 8192 else -size, case["id"])
        best[row] = max(best.get(row, rank), rank)
    return sorted(id for _, _, id in best.values())


def listed(stack, name="deviations.json"):
    return json.loads(pathlib.Path(tables.FINDINGS, stack, name).read_text())["deviations"]


def due(deviation):
    """Whether its case has to show the deviation here. One that hangs costs minutes: whole runs see it."""
    left_out = {"not_asked", "varies"} & deviation.keys() or "finding" in deviation["match"] or deviation["case"].endswith(")")
    return not left_out and "timeout" not in deviation["match"].get("verdict", "") and fits_this_machine(deviation)


def examples(deviations):
    """The smallest case of each; a finding over several cases has all of its own."""
    chosen = [one["case"] for one in deviations if due(one) or "finding" in one["match"]]
    return {id for words in chosen for id in words.split(" beside ")}


def hard_cases(suite):
    """The legal cases of a suite that the deviations of any adapter name."""
    texts = [path.read_text() for path in pathlib.Path(tables.FINDINGS).glob("*/deviations*.json")]
    named = {id for text in texts for id in re.findall(r"[a-z0-9_]+/[^\s\"]+", text)}
    there = {id: pathlib.Path(suite) / id / "case.json" for id in named if (pathlib.Path(suite) / id / "case.json").exists()}
    return {id for id, path in there.items() if json.loads(path.read_text())["outcome"] == "valid"}


def on_such_a_processor(rows, deviations):
    """Whether the tally is of a processor like this one, as far as the list tells processors apart."""
    causes = {row[-1] for row in rows}
    return all(fits_this_machine(one) == (one["id"] in causes) for one in deviations if "cpu" in one)


def in_tally(operator, row, expected, why, rows, deviations):
    """Whether the tally has cases of this kind and cause, or would have them on this processor or another day."""
    causes = {other[-1] for other in rows if other[:3] == (operator, row, expected)}
    changing = {one["id"] for one in deviations if "varies" in one}
    if on_such_a_processor(rows, deviations):
        return why in causes | changing or (why == "" and not causes.isdisjoint(changing))
    changing |= {one["id"] for one in deviations if "cpu" in one}
    if why == "":
        return "" in causes or not causes.isdisjoint(changing)
    # It may choose the kernels of one type for another.
    return why in causes | changing or any((other[0], other[-1]) == (operator, why) for other in rows)


def differences(report, deviations, rows=None, beside=()):
    """Lines on what a report shows and the list does not, and the other way round; rows are those of the tally. What
    `beside` lists explains a case, too, and need not show."""
    lines, explained = [], {}
    for case in report["cases"]:
        why = explained[case["id"]] = tables.classify([*deviations, *beside, tables.NOT_OFFERED, tables.NOT_SHOWN, tables.DISPUTED], case)
        kind = (case["operator"], tables.type_row(case), case["expected"])
        said = f"{case['verdict']}: {case.get('said') or case.get('message', '')}"[:600]
        if why == tables.UNEXPLAINED:
            lines.append(f"{case['id']}: no cause is listed: {said}")
        elif rows is not None and not in_tally(*kind, why, rows, deviations):
            lines.append(f"{case['id']}: the tally has none of {', '.join(kind)}: {why or 'passes'}: {said}")
    causes = {row[-1] for row in rows or ()} - {one["id"] for one in (*deviations, *beside, tables.NOT_OFFERED, tables.NOT_SHOWN, tables.DISPUTED)}
    lines += [f"{why}: the tally has cases of it, the list has no such cause" for why in sorted(causes - {""})]
    for deviation in filter(due, deviations):
        why = explained.get(deviation["case"], "not in the report")
        if why != deviation["id"]:
            lines.append(f"{deviation['id']}: gone, or another: {deviation['case']}: {why or 'passes'}")
    return lines

#!/usr/bin/python3
"""Tables of what MLIR supports and where it deviates, from what a run showed.

tables.py REPORT...   reads a report (tensor-cts check --json) and writes tally.tsv, supported.md
                      and deviations.md beside this file; further reports on the same suite replace
                      what they have an answer for
tables.py             writes supported.md and deviations.md again, from the tally
tables.py --mlir 19 ...
                      the same for MLIR 19, in tally-19.tsv, supported-19.md and deviations-19.md,
                      from deviations-19.json
"""

import collections
import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
from common.tables import (  # noqa: E402, F401: the tests ask for them here
    UNEXPLAINED,
    Fault,
    classify,
    make_tally,
    matches,
    merge,
    program,
    read_tally,
    read_text,
    share,
    supported_table,
    totals,
    type_row,
    write_tally,
)

TALLY = "tally.tsv"
DEFAULT = "22"
EDITIONS = {"22": "TOSA 1.0", "19": "TOSA 0.100"}
# How the deviations were found out.
HOW = {
    "22": "Each was looked at with MLIR's own tools, without the adapter; `../common/reproduce.py` runs every program here again.",
    "19": "Each was found by MLIR 19's own tools on the text of a case, or in LLVM 19's sources; "
    "upstream is what has mended it since.",
}


def path(name):
    return os.path.join(HERE, name)


def of(mlir, name):
    """The name of a version's file: deviations.md, deviations-19.md."""
    stem, extension = os.path.splitext(name)
    return name if mlir == DEFAULT else f"{stem}-{mlir}{extension}"


def origin(tally, mlir):
    name = of(mlir, TALLY)
    return [
        f"<!-- Written by tables.py from {name}. Suite: {tally['suite']}. -->",
        f"Implementation: {tally['implementation']}. Suite: {tally['suite'].split(', level')[0]}.",
        totals(tally),
        "",
    ]


def supported(tally, mlir=DEFAULT):
    why = of(mlir, "deviations.md")
    return "\n".join(
        [
            "# What MLIR supports" + ("" if mlir == DEFAULT else f": MLIR {mlir}"),
            "",
            *origin(tally, mlir),
            "By type row, with the extensions that it needs: *conformant*, every legal case passes;",
            "*deviates*, some run, and some of them or others do not pass; *does not run*, every",
            "legal case is refused, not lowered or crashes. Graphs of several operators count for the",
            f"one that they are about. Why: [{why}]({why}).",
            "",
            *supported_table(tally),
            "",
        ]
    )


def deviation_lines(deviation, counts):
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts.items())) + " in all"
    needs = f"needs {deviation['needs']}; " if "needs" in deviation else ""
    lines = [f"### {deviation['id']}", "", f"{deviation['does']}", ""]
    lines.append(f"* Clause: {deviation['clause']}")
    lines.append(f"* Smallest case: `{deviation['case']}`; {needs}{verdicts}")
    lines.append(f"* Upstream: {deviation.get('upstream', 'none found')}")
    return [*lines, *program(deviation), ""]


def deviations_page(tally, deviations, mlir=DEFAULT):
    counts = collections.defaultdict(collections.Counter)
    for (_, _, _, verdict, why), count in tally["rows"].items():
        if why:
            counts[why][verdict] += count
    which = "MLIR" if mlir == DEFAULT else f"MLIR {mlir}"
    lines = [f"# Where {which} deviates from {EDITIONS[mlir]}", "", *origin(tally, mlir)]
    lines += [
        HOW[mlir],
        "`tensor-cts explain` and `tensor-cts render` show a case. Sections are those of the specification.",
        "",
    ]
    for kind, title in KINDS.items():
        chosen = [deviation for deviation in deviations if deviation["kind"] == kind]
        if chosen:
            lines += [f"## {title}", ""]
        for deviation in chosen:
            lines += deviation_lines(deviation, counts[deviation["id"]])
    if counts[UNEXPLAINED]:
        number = sum(counts[UNEXPLAINED].values())
        lines += ["## Not looked into yet", "", f"{number} cases.", ""]
    return "\n".join(lines)


KINDS = {
    "wrong": "Wrong results",
    "accepts": "Illegal graphs that are not refused",
    "refuses": "Legal graphs that are refused",
    "lowering": "Legal graphs that are not lowered",
    "crash": "Legal or illegal graphs that the tools die of",
    "not asked": "What MLIR was not asked, as its text has no words for it",
}


def read_deviations(mlir=DEFAULT):
    return json.loads(read_text(path(of(mlir, "deviations.json"))))


def pages(tally, deviations, mlir=DEFAULT):
    return {
        of(mlir, "supported.md"): supported(tally, mlir),
        of(mlir, "deviations.md"): deviations_page(tally, deviations, mlir),
    }


def main(arguments):
    mlir = DEFAULT
    if arguments[:1] == ["--mlir"] and arguments[1:2] and arguments[1] in EDITIONS:
        mlir, arguments = arguments[1], arguments[2:]
    name = of(mlir, TALLY)
    try:
        deviations = read_deviations(mlir)
        if arguments:
            report = merge([json.loads(read_text(report)) for report in arguments])
            text = write_tally(make_tally(report, deviations))
        else:
            text = read_text(path(name))
        written = {name: text, **pages(read_tally(text), deviations, mlir)}
    except (Fault, OSError, ValueError, KeyError) as fault:
        print(f"tables.py: {fault}", file=sys.stderr)
        return 2
    for name, text in written.items():
        with open(path(name), "w", encoding="utf-8") as file:
            file.write(text)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

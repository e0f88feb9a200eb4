#!/usr/bin/python3
"""Tables of what MLIR supports and where it deviates, from what a run showed.

tables.py REPORT...   reads a report (tensor-cts check --json) and writes tools/findings/mlir/tally.tsv; further reports
                      on the same suite replace what they have an answer for
tables.py --mlir 19 REPORT...
                      the same for MLIR 19, in tally-19.tsv, by deviations-19.json
"""

import json
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
from common.tables import (  # noqa: E402, F401: the tests ask for them here
    DISPUTED,
    FINDINGS,
    KINDS,
    UNEXPLAINED,
    Fault,
    classify,
    counts_of,
    index,
    make_tally,
    matches,
    merge,
    read_tally,
    read_text,
    reports,
    share,
    supported_table,
    totals,
    type_row,
    write,
    write_tally,
)

TALLY = "tally.tsv"
DEFAULT = "22"
EDITIONS = {"22": "TOSA 1.0", "19": "TOSA 0.100"}
# How the deviations were found out.
HOW = {
    "22": "Each was looked at with MLIR's own tools, without the adapter; `tools/adapters/common/reproduce.py` runs every program here again.",
    "19": "Each was found by MLIR 19's own tools on the text of a case, or in LLVM 19's sources; "
    "upstream is what has mended it since.",
}


def path(name):
    return os.path.join(FINDINGS, "mlir", name)


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
    verdicts = ", ".join(f"{n} {verdict}" for verdict, n in sorted(counts[""].items())) + " in all"
    lines = [f"### {deviation['id']}", "", f"{deviation['does']}", ""]
    lines.append(f"* Clause: {deviation['clause']}")
    lines.append(f"* Smallest case: `{deviation['case']}`; {verdicts}")
    return [*lines, f"* Upstream: {deviation.get('upstream', 'not looked for')}", ""]


def sections(deviations, counts):
    """The text in place of reports for MLIR 19, which is no longer maintained."""
    lines = []
    for kind, title in KINDS.items():
        chosen = [deviation for deviation in deviations if deviation["kind"] == kind]
        lines += [f"## {title}", ""] if chosen else []
        for deviation in chosen:
            lines += deviation_lines(deviation, counts[deviation["id"]])
    return lines


def deviations_page(tally, deviations, mlir=DEFAULT):
    counts = counts_of({"": tally})
    which = "MLIR" if mlir == DEFAULT else f"MLIR {mlir}"
    lines = [f"# Where {which} deviates from {EDITIONS[mlir]}", "", *origin(tally, mlir)]
    lines += [
        HOW[mlir],
        "`tensor-cts explain` and `tensor-cts render` show a case. Sections are those of the specification.",
        "",
    ]
    lines += index(deviations, counts, "deviations") if mlir == DEFAULT else sections(deviations, counts)
    return "\n".join(lines)


def read_deviations(mlir=DEFAULT):
    return json.loads(read_text(path(of(mlir, "deviations.json"))))


def read_tally_of(mlir=DEFAULT):
    return read_tally(read_text(path(of(mlir, TALLY))))


def pages(tally, deviations, mlir=DEFAULT):
    about = {"install": "apt-get install mlir-22-tools", "deviations": deviations}
    written = reports(about, {"": tally}, "deviations", HERE) if mlir == DEFAULT else {}
    return {
        of(mlir, "supported.md"): supported(tally, mlir),
        of(mlir, "deviations.md"): deviations_page(tally, deviations, mlir),
        **written,
    }


def main(arguments):
    mlir = DEFAULT
    if arguments[:1] == ["--mlir"] and arguments[1:2] and arguments[1] in EDITIONS:
        mlir, arguments = arguments[1], arguments[2:]
    if not arguments:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        report = merge([json.loads(read_text(report)) for report in arguments])
        write(path(of(mlir, TALLY)), write_tally(make_tally(report, read_deviations(mlir), beside=[DISPUTED])))
    except (Fault, OSError, ValueError, KeyError) as fault:
        print(f"tables.py: {fault}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

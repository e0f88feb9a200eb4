#!/usr/bin/env python3
"""Writes deviations/SOURCE/deviations.md from deviations.json beside it and the report of a run: tables.py LEGALIZE.json"""

import json
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent


def shown(found, case):
    """What one case shows of a deviation."""
    if "wrong kernels" not in found["match"]:
        return case["detail"][:300]
    off = case["kernels"]
    return f"{off['sets'][0]} and {off['sets'][1]} differ in {off['differ']} of {off['total']} elements, at {off['first']} {off['ours']} and {off['theirs']}"


def entry(found, cases, smallest):
    lines = [f"### {found['id']}", "", found["does"], "", f"* Text: {found['clause']}"]
    if cases:
        lines.append(
            f"* {len(cases)} case{'s' if len(cases) > 1 else ''}, such as `{cases[0]['id']}`: {shown(found, cases[0])}"
        )
        said = next((case["diagnosis"] for case in cases if case.get("diagnosis")), "")
        if said and "wrong kernels" not in found["match"]:
            lines.append(f"* Diagnosis: {said}")
    else:
        lines.append("* In no case of this run")
    if smallest.is_dir():
        lines.append(f"* Smallest model: [`{smallest.name}`]({smallest.name}/REPEAT.md)")
    return [*lines, ""]


def table(report, known, here):
    by_id = {}
    for case in report["cases"]:
        for field in ("deviation", "kernel deviation"):
            if case.get(field):
                by_id.setdefault(case[field], []).append(case)
    counted = [e for e in known if e["counted"] and by_id.get(e["id"])]
    versions = report["versions"]
    name = {"tflite": "TFLite", "torch": "torch"}[report["source"]]
    source = f"LiteRT {versions['ai-edge-litert']}" if report["source"] == "tflite" else f"torch {versions['torch']}"
    lines = [
        f"# Where a converter of {name} to TOSA deviates",
        "",
        f"<!-- Written by tables.py from deviations.json and a run of {len(report['cases'])} cases. -->",
        f"Converter: {versions['converter']}. Kernels: {source}.",
        f"{len(report['cases'])} models: {', '.join(f'{count} {name}' for name, count in report['classes'].items())}.",
        "",
        f"{len(counted)} deviations, {sum(e['owner'] == 'converter' for e in counted)} of the converter. Each was read against the text of both sides; a graph in native arithmetic is an evaluation",
        "that complies. `legalize.py --case ID` shows a case again; `ID/REPEAT.md` has the lines that repeat it with the converter and the runtime alone.",
        "",
    ]
    groups = [
        ("The converter's", [e for e in known if e["counted"] and e["owner"] == "converter"]),
        ("The kernels'", [e for e in known if e["counted"] and e["owner"] == "kernel"]),
        ("Read, and not counted", [e for e in known if not e["counted"]]),
    ]
    for title, entries in groups:
        lines += [f"## {title}", ""]
        for found in entries:
            lines += entry(found, by_id.get(found["id"], []), here / found["id"])
    return "\n".join(lines).rstrip() + "\n"


def main():
    if len(sys.argv) != 2:
        print("usage: tables.py LEGALIZE.json", file=sys.stderr)
        return 2
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    here = HERE / "deviations" / report["source"]
    known = json.loads((here / "deviations.json").read_text())
    (here / "deviations.md").write_text(table(report, known, here))
    return 0


if __name__ == "__main__":
    sys.exit(main())

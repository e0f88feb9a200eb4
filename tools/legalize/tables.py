#!/usr/bin/env python3
"""What a run of every model showed of the listed deviations: tables.py LEGALIZE.json writes tools/findings/SOURCE/run.json.

tools/adapters/common/make_pages.py makes the page of it, of deviations.json and of models.tar, both beside it.
"""

import json
import pathlib
import sys

FINDINGS = pathlib.Path(__file__).resolve().parents[1] / "findings"


def shown(found, case):
    """What one case shows of a deviation."""
    if "wrong kernels" not in found["match"]:
        return case["detail"][:300]
    off = case["kernels"]
    return f"{off['sets'][0]} and {off['sets'][1]} differ in {off['differ']} of {off['total']} elements, at {off['first']} {off['ours']} and {off['theirs']}"


def summary(report):
    """How many cases show each deviation, and what the first case is like."""
    by_id = {}
    for case in report["cases"]:
        for field in ("deviation", "kernel deviation"):
            if case.get(field):
                by_id.setdefault(case[field], []).append(case)
    known = {entry["id"]: entry for entry in report["deviations"]}
    seen = {}
    for name, cases in by_id.items():
        seen[name] = {"cases": len(cases), "first": cases[0]["id"], "shows": shown(known[name], cases[0])}
        said = next((case["diagnosis"] for case in cases if case.get("diagnosis")), "")
        if said and "wrong kernels" not in known[name]["match"]:
            seen[name]["diagnosis"] = said
    return {"versions": report["versions"], "models": len(report["cases"]), "classes": report["classes"], "seen": seen}


def entry(found, seen, has_model):
    lines = [f"### {found['id']}", "", found["does"], "", f"* Text: {found['clause']}"]
    if seen:
        lines.append(f"* {seen['cases']} case{'s' if seen['cases'] > 1 else ''}, such as `{seen['first']}`: {seen['shows']}")
        lines += [f"* Diagnosis: {seen['diagnosis']}"] if "diagnosis" in seen else []
    else:
        lines.append("* In no case of this run")
    if has_model:
        lines.append(f"* Smallest model: [`{found['id']}`]({found['id']}/REPEAT.md)")
    return [*lines, ""]


def table(source, run, known, models):
    """The page of a source: `models` are the ids of deviations with a smallest model."""
    seen, versions = run["seen"], run["versions"]
    counted = [e for e in known if e["counted"] and e["id"] in seen]
    name = {"tflite": "TFLite", "torch": "torch"}[source]
    kernels = f"LiteRT {versions['ai-edge-litert']}" if source == "tflite" else f"torch {versions['torch']}"
    lines = [
        f"# Where a converter of {name} to TOSA deviates",
        "",
        f"<!-- Written by tables.py from deviations.json and a run of {run['models']} cases. -->",
        f"Converter: {versions['converter']}. Kernels: {kernels}.",
        f"{run['models']} models: {', '.join(f'{count} {name}' for name, count in run['classes'].items())}.",
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
            lines += entry(found, seen.get(found["id"]), found["id"] in models)
    return "\n".join(lines).rstrip() + "\n"


def main():
    if len(sys.argv) != 2:
        print("usage: tables.py LEGALIZE.json", file=sys.stderr)
        return 2
    report = json.loads(pathlib.Path(sys.argv[1]).read_text())
    (FINDINGS / report["source"] / "run.json").write_text(json.dumps(summary(report), indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())

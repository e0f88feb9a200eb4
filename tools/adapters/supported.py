#!/usr/bin/python3
"""The table of what an implementation supports, as Markdown, from reports of what it really ran.

    tensor-cts check SUITE RESULTS --json report.json;  supported.py report.json ...

An operator's type row is offered if a valid case of it was answered with "ok"; what is right of
those is what passed. Errors: cases that break one condition, and how many were refused.
"""

import collections
import json
import sys


def main(paths):
    rows = collections.defaultdict(collections.Counter)
    origins = []
    seen = set()  # suites have cases in common
    for path in paths:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        implementation, suite = report["implementation"], report["suite"]
        shard = report["run"].get("shard")
        part = f", shard {shard['index']}/{shard['of']}" if shard else ""
        origins.append(f"{implementation['name']} {implementation['version']} over {suite['name']} "
                       f"of {suite['edition']}{part}: {report['totals']['cases']} cases")
        for case in report["cases"]:
            if case["id"] in seen:
                continue
            seen.add(case["id"])
            row = rows[case["operator"], ", ".join(case.get("types", {}).values())]
            kind = case["expected"]
            row[kind] += 1
            row[kind, "pass"] += case["verdict"] == "pass"
            row["offered"] += kind == "valid" and case.get("answered") == "ok"
            row["refused"] += kind == "valid" and case.get("answered") == "error"
            row["no answer"] += case["verdict"] in ("crash", "timeout", "protocol")
    for origin in origins:
        print(f"{origin}.")
    print("\n| operator | types | valid cases | answered | right | error cases | refused |")
    print("|---|---|---:|---:|---:|---:|---:|")
    missing = collections.defaultdict(list)
    for (operator, types), row in sorted(rows.items()):
        if row["offered"] == 0:
            how = " (crash)" if row["no answer"] else " (error)" if row["refused"] else ""
            missing[operator].append((types or "any") + how)
            continue
        print(f"| {operator} | {types} | {row['valid']} | {row['offered']} | "
              f"{row['valid', 'pass']} | {row['error']} | {row['error', 'pass']} |")
    print("\nNot offered: " + "; ".join(
        f"{operator}: {' / '.join(rows)}" for operator, rows in sorted(missing.items())) + ".")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])

#!/usr/bin/env python3
"""The table of the suites' strength in suites/STRENGTH.md, made from what `tensor-cts audit --json FILE` wrote.

    tools/develop/score.py --into suites/STRENGTH.md certify.json smoke.json    # writes the table
    tools/develop/score.py --check suites/STRENGTH.md smoke.json                # exit code 1 if a figure is another
    tools/develop/score.py --into FILE --coverage suite.json ... -- certify.json ...    # and what suites cover

An audit is of one recipe, and so is what `tensor-cts coverage --json FILE` wrote. The table stands
between the lines <!-- score --> and <!-- /score -->.
"""
import argparse
import json
import sys

BEGIN, END = "<!-- score -->\n", "<!-- /score -->\n"
SOURCES = [("reported", "reported of real implementations"), ("hardware", "temptations of hardware"),
           ("systematic", "systematic"), ("state", "of state: only a second execution shows them"),
           ("shape", "relations of shapes"), ("", "all")]


def percentage(caught, of):
    """Rounded down: 100 % means every one."""
    return f"{caught:,} of {of:,} ({int(1000 * caught / of) / 10:g} %)" if of else "none"


def figures(audit):
    """Returns the columns of one recipe by source: faults, caught."""
    rows = {row["source"]: (row["faults"], row["caught"], row["of"]) for row in audit["by_source"]}
    rows[""] = (audit["faults"], audit["caught"], audit["caught"] + audit["survivors"])
    return {source: (faults, percentage(caught, of)) for source, (faults, caught, of) in rows.items()}


def table(audits):
    lines = ["| faults of " + audits[0]["edition"] + " | ids | " +
             " | ".join(f"`{audit['recipe']}`" for audit in audits) + " |",
             "|---|---|" + "---|" * len(audits)]
    columns = [figures(audit) for audit in audits]
    for source, text in SOURCES:
        if not all(source in column for column in columns):
            continue  # of editions and recipes without such faults
        cells = [column[source][1] for column in columns]
        lines.append(f"| {text} | {columns[0][source][0]:,} | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def coverage_table(coverages):
    """One line a recipe: what is covered of all that is possible."""
    lines = ["| recipe | edition | valid | errors | combinations | type rows | conditions | holes |",
             "|---|---|---|---|---|---|---|---|"]
    for coverage in coverages:
        def covered(kind):
            total = coverage["totals"][kind]
            return f"{total['covered']:,} of {total['all'] - total['impossible']:,}"
        lines.append(f"| `{coverage['recipe']['name']}` | {coverage['suite']['edition']} | "
                     f"{coverage['cases']['valid']:,} | {coverage['cases']['error']:,} | "
                     f"{covered('tuples')} | {covered('type_rows')} | {covered('conditions')} | "
                     f"{coverage['totals']['holes'] or 'none'} |")
    return "\n".join(lines) + "\n"


def split(text, path):
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        sys.exit(f"score.py: {path}: expected one line {BEGIN.strip()} and one line {END.strip()}")
    before, rest = text.split(BEGIN)
    inner, after = rest.split(END)
    return before, inner, after


def contradictions(inner, audits):
    """Figures of these audits that the table has otherwise, or not at all."""
    rows = [[cell.strip() for cell in line.strip().strip("|").split("|")]
            for line in inner.splitlines()]
    for audit in audits:
        name = f"`{audit['recipe']}`"
        if name not in rows[0]:
            yield f"no column {name}"
            continue
        column = rows[0].index(name)
        for source, text in SOURCES:
            faults, said = figures(audit).get(source, (0, "none"))
            for row in rows[2:]:
                if row[0] == text and (row[column] != said or row[1] != f"{faults:,}"):
                    yield f"{name}, {text}: found {row[1]}, {row[column]}; expected {faults:,}, {said}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    where = parser.add_mutually_exclusive_group(required=True)
    where.add_argument("--into", metavar="FILE", help="write the table there")
    where.add_argument("--check", metavar="FILE", help="compare the table there")
    parser.add_argument("--coverage", nargs="+", metavar="COVERAGE", default=[],
                        help="what `coverage --json` wrote: a table of its own above")
    parser.add_argument("audits", nargs="+", metavar="AUDIT", help="what `audit --json` wrote")
    arguments = parser.parse_args()
    if arguments.check and arguments.coverage:
        parser.error("--coverage goes with --into")

    def load(paths):
        for path in paths:
            with open(path, encoding="utf-8") as file:
                yield json.load(file)

    audits, coverages = list(load(arguments.audits)), list(load(arguments.coverage))
    path = arguments.into or arguments.check
    with open(path, encoding="utf-8") as file:
        before, inner, after = split(file.read(), path)
    if arguments.into:
        with open(path, "w", encoding="utf-8") as file:
            more = coverage_table(coverages) + "\n" if coverages else ""
            file.write(before + BEGIN + more + table(audits) + END + after)
        return
    found = list(contradictions(inner, audits))
    for line in found:
        print(f"score.py: {path}: {line}", file=sys.stderr)
    if found:
        sys.exit("score.py: audit the recipes of the table again, then `tools/develop/score.py --into`")


if __name__ == "__main__":
    main()

#!/usr/bin/env python3
"""Writes or checks reference/OPERATORS.md: one row an operator, with a link to everything said of it.

  tools/develop/operators_index.py --write    writes the page
  tools/develop/operators_index.py --check    exits with 1 and says what differs if the page is not up to date"""
import argparse
import difflib
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "reference/OPERATORS.md"
# The embedded ones, in the order in which CMake lists them.
EDITIONS = tuple(re.findall(r"\beditions/([\w.-]+)[.]json", (ROOT / "schemas/CMakeLists.txt").read_text()))

HEAD = """# Operators: where everything stands

One row an operator of `reference/spec/operators.def`, in its order. A link leads to the line.

| column | what it links |
|---|---|
| editions | the operator's arguments and type rows in `schemas/editions/<edition>.json` |
| facts | `<Name>Facts()` in `reference/ops/<stem>.cc`: shapes of its outputs, sizes, relations, flushing |
| conditions, semantics | `<Name>Conditions()` and `Compute<Name>()` beside them |
| precision | the row of the table of precision that binds its floating-point results. "exact": it needs none |
| domain | what the generator asks: `<Name>Domain()` in `generator/ops/<stem>.cc` |
| faults | wrong answers on purpose: `<Name>Faults()` in `reference/faults/<stem>.cc` |
| MLIR | what is particular in its MLIR text; "generic": written from the edition's argument table |
| tests | the tests of its stem |
| model | its model in `reference/oracle/`, written independently |

Made by `tools/develop/operators_index.py --write`; a test checks it.

| operator | editions | facts | conditions | semantics | precision | domain | faults | MLIR | tests | model |
|---|---|---|---|---|---|---|---|---|---|---|
"""


class Missing(Exception):
    pass


def lines(path):
    return (ROOT / path).read_text().splitlines()


def operators():
    """(name, function, stem) of every row."""
    for line in lines("reference/spec/operators.def"):
        match = re.match(r"CTS_OPERATOR\((\w+), (\w+), (\w+)\)", line)
        if match:
            yield match.groups()


def find(paths, pattern):
    """The first (path, line) with the pattern, or None."""
    for path in paths:
        for number, line in enumerate(lines(path), 1):
            if re.search(pattern, line):
                return path, number
    return None


def link(text, place):
    """Returns the path relative to reference/."""
    path, number = place
    path = path[len("reference/"):] if path.startswith("reference/") else "../" + path
    return f"[{text}]({path}#L{number})"


def sources(folder, *patterns):
    paths = (p for pattern in patterns for p in (ROOT / folder).glob(pattern))
    return sorted(str(p.relative_to(ROOT)) for p in paths)


def definition(name, stem_file, folder):
    """Says where a function is defined: in its stem's file, or otherwise in another of the folder."""
    files = [stem_file] + [p for p in sources(folder, "*.cc") if p != stem_file]
    files = [p for p in files if (ROOT / p).exists() and not p.endswith("_test.cc")]
    return find(files, rf"^(?!extern)[\w:<>*& ]+ {name}\([^;]*$|^[\w:<>*& ]+ {name}\(.*\)\s*{{")


def editions_of(name):
    found = []
    for edition in EDITIONS:
        place = find([f"schemas/editions/{edition}.json"], rf'"name": "{name}", "group"')
        if place:
            found.append(link(edition, place))
    return ", ".join(found) or "-"


def precision_of(name):
    """The row of the first edition whose table of precision has one."""
    tables = sources("schemas/editions/precision", "*.json")
    tables.sort(key=lambda path: EDITIONS.index(pathlib.Path(path).stem)
                if pathlib.Path(path).stem in EDITIONS else len(EDITIONS))
    place = find(tables, rf'"operator": "{name}"')
    return link("row", place) if place else "exact"


def mlir_of(name):
    place = find(sources("reference/formats", "mlir_text.cc", "mlir_symbolic.cc", "mlir_dialect*"), rf'"{name}"')
    if place is None or place[0].endswith("_test.cc"):
        return "generic"
    return link("text", place)


def tests_of(stem, name):
    """The file of the stem's tests; without one, the first test file that calls the operator."""
    path = f"reference/ops/{stem}_test.cc"
    if (ROOT / path).exists():
        return link("tests", find([path], rf'"{name}"') or (path, 1))
    place = find(sources("reference", "ops/*_test.cc", "evaluate/*_test.cc"), rf'"{name}"')
    return link("tests", place) if place else "-"


def model_of(name):
    place = find(sources("reference/oracle", "*.py"), rf"""['"]{name}['"]""")
    return link("model", place) if place else "-"


def row(name, function, stem):
    cells = [f"**{name}**", editions_of(name)]
    for text, symbol, folder in (
            ("facts", f"{function}Facts", "reference/ops"),
            ("conditions", f"{function}Conditions", "reference/ops"),
            ("semantics", f"Compute{function}", "reference/ops"),
            (None, None, None),
            ("domain", f"{function}Domain", "generator/ops"),
            ("faults", f"{function}Faults", "reference/faults")):
        if symbol is None:
            cells.append(precision_of(name))
            continue
        place = definition(symbol, f"{folder}/{stem}.cc", folder)
        if place is None and text == "conditions":
            cells.append("none")  # of its own; those of the edition's tables stand there
            continue
        if place is None:
            raise Missing(f"{name}: found no {symbol}() in {folder}/, expected it in {folder}/{stem}.cc")
        cells.append(link(text, place))
    cells += [mlir_of(name), tests_of(stem, name), model_of(name)]
    return "| " + " | ".join(cells) + " |\n"


def page():
    return HEAD + "".join(row(*operator) for operator in operators())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    group = parser.add_mutually_exclusive_group(required=True)
    group.add_argument("--write", action="store_true")
    group.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    try:
        text = page()
    except Missing as error:
        print(f"operators_index.py: {error}", file=sys.stderr)
        return 1
    if arguments.write:
        PAGE.write_text(text)
        return 0
    found = PAGE.read_text() if PAGE.exists() else ""
    if found == text:
        return 0
    # Line numbers move with every edit: what differs beside them is said first.
    number = re.compile(r"#L\d+")
    if number.sub("", found) == number.sub("", text):
        print(f"{PAGE.relative_to(ROOT)}: the lines of some links have moved; run tools/develop/operators_index.py --write")
    else:
        sys.stdout.writelines(difflib.unified_diff(
            found.splitlines(True), text.splitlines(True), str(PAGE.relative_to(ROOT)), "as it should be", n=0))
        print("run tools/develop/operators_index.py --write")
    return 1


if __name__ == "__main__":
    sys.exit(main())

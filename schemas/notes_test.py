#!/usr/bin/env python3
"""Checks that every entry of editions/notes.md names the test that holds it, and that the test exists.

A name is a C++ test (`Clamp.RejectsNanBounds`, with `*` or `…` for what is left out), a Python test
(`test_...`), a test of ctest (`golden_rfc`), or a path of this repository (`checker/rules/*_test.cc`).
"The same test" stands for the names of the entry before."""
import fnmatch
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
NOTES = ROOT / "schemas/editions/notes.md"
SAME = re.compile(r"\b(the|by the)? ?(same( tests?)?|latter)\b")


def sources(*patterns):
    for folder in ("checker", "generator", "reference", "schemas", "suites", "tools"):
        for pattern in patterns:
            yield from (ROOT / folder).rglob(pattern)


def known_names():
    """Names of tests: suite.name of C++, functions of Python, names that CMake gives."""
    names = set()
    for path in sources("*_test.cc"):
        text = path.read_text()
        for kind, suite, name in re.findall(r"^TEST(_F|_P)?\(\s*(\w+),\s*(\w+)", text, re.M):
            names.add(f"{suite}.{name}")
            if kind == "_P":
                for prefix in re.findall(rf"INSTANTIATE_TEST_SUITE_P\(\s*(\w+),\s*{suite}\b", text):
                    names.add(f"{prefix}/{suite}.{name}")
    for path in sources("*_test.py"):
        names.update(re.findall(r"^\s*def (test_\w+)\(", path.read_text(), re.M))
    for path in sources("CMakeLists.txt"):
        text = path.read_text()
        names.update(re.findall(r"cts_test\(\s*(\w+)", text))
        for name in re.findall(r"^\s*(?:add_test\(\s*NAME\s|cts_script_test\()\s*([^\s)]+)", text, re.M):
            if name != "${name}":  # of a function that adds tests
                names.add(re.sub(r"\$\{\w+\}", "*", name))
    return names


def exists(token, names):
    pattern = token.replace("…", "*")
    if "/" in pattern and any(ROOT.glob(pattern)):
        return True
    if pattern.endswith((".py", ".cc", ".json")) and any(sources(pattern)):
        return True
    if any(fnmatch.fnmatchcase(name, pattern) for name in names):
        return True
    return any("*" in name and fnmatch.fnmatchcase(pattern, name) for name in names)


def entries(text):
    """(line, section, first words, what the entry says of its tests) of every list item and table row."""
    section = ""
    item = None
    columns = None
    for number, line in enumerate(text.splitlines(), 1):
        if line.startswith("|"):
            cells = [cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]]
            if columns is None:
                columns = cells
            elif not set(line) <= set("|- "):
                yield number, section, cells[0], cells[-1] if columns[-1] == "held by" else ""
            continue
        columns = None
        if line.startswith("- ") or not line.startswith((" ", "-")):
            if item:
                yield item[0], item[1], item[2][:60], held_by(item[2])
            item = None
        if line.startswith("## "):
            section = line[3:]
        elif line.startswith("- "):
            item = [number, section, line[2:]]
        elif item:
            item[2] += " " + line.strip()
    if item:
        yield item[0], item[1], item[2][:60], held_by(item[2])


def held_by(item):
    return " ".join(part for part in re.split(r"[Hh]eld\s+by\b", item)[1:])


def check(text, names):
    """The complaints, and how many entries there are."""
    complaints, count = [], 0
    before = []
    for number, section, title, held in entries(text):
        count += 1
        where = f"{NOTES.name}:{number}: {section}: {title}"
        tokens = re.findall(r"`([^`]+)`", held)
        tests = [token for token in tokens if exists(token, names)]
        if tokens and "." in tokens[0]:
            # `A.B`, `…C` is short for `A.B`, `A.*C`.
            suite = tokens[0].split(".")[0]
            tests += [t for t in tokens if t.startswith("…") and exists(f"{suite}.*{t[1:]}", names)]
        for token in tokens:
            is_test = re.fullmatch(r"[\w/*…]+\.[\w*…]+|…\w+…?|test_\w+", token)
            if is_test and token not in tests:
                complaints.append(f"{where}: no source has a test `{token}`")
        if not tests and SAME.search(held) and before:
            tests = before
        if not tests:
            complaints.append(f"{where}: names no test, expected \"Held by `Suite.Test`\"")
        before = tests
    return complaints, count


def check_of_itself(names):
    """A wrong page is refused."""
    wrong = "## A\n\n- **One** is so.\n- **Two** is so. Held by `Nothing.OfThisName`.\n"
    found, count = check(wrong, names)
    assert count == 2 and len(found) == 3, found
    assert "names no test" in found[0] and "no source has a test `Nothing.OfThisName`" in found[1]
    right = "- **Three.** Held by `Clamp.RejectsMaximumBelowMinimum`.\n- **Four.** Held by the same test.\n"
    assert check(right, names) == ([], 2), check(right, names)


def main():
    names = known_names()
    check_of_itself(names)
    complaints, count = check(NOTES.read_text(), names)
    print("\n".join(complaints))
    if count < 200:
        complaints.append("few entries")
        print(f"{NOTES}: found {count} entries, expected 200 or more: was its form changed?")
    print(f"{count} entries, {len(complaints)} complaints")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())

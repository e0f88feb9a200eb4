#!/usr/bin/env python3
"""Gathers the pages of the documentation site: gather.py --program PROGRAM --out DIR

Writes DIR/pages and DIR/mkdocs.yml, which has the navigation and takes the rest from mkdocs.yml at the top.
"""
import argparse
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
sys.path.insert(0, str(HERE))
import commands  # noqa: E402
import formats  # noqa: E402
import headers  # noqa: E402
from pages import Pages  # noqa: E402

GUIDES = ("first_hour", "plugin", "python", "ci_gate", "certifier", "wrong_network")


def title(pages, name):
    """The first heading of a page, without marks."""
    found = re.search(r"^# (.*)$", pages.text[name], re.M)
    return re.sub(r"`|\s*\{#.*\}", "", found[1]) if found else name


def entries(pages, names):
    return [{title(pages, name): name} for name in names if name in pages.text]


def sources(name):
    """The links in the repository, which has no page of findings, that lead to one on the site."""
    folder, _, page = name.removeprefix("tools/findings/").partition("/")
    path = f"tools/findings/{folder}"
    report = re.fullmatch(r"(deviations[-\w]*)/(.+)\.md", page)
    if report:
        return [f"{path}/{report[1]}.json#{report[2]}"]
    if page.startswith("deviations"):
        return [f"{path}/{page[:-3]}.json"]
    if page.startswith("supported"):
        return [f"{path}/{one.name}" for one in (ROOT / path).glob(page.replace("supported", "tally")[:-3] + "*.tsv")]
    return {"sweeps.md": [f"{path}/sweeps.tsv"]}.get(page, ["tools/adapters/common/overview.py"] if folder == "implementations.html" else [])


def findings(pages):
    """What was found in other people's software, and the adapters that found it."""
    folder = pages.work / "findings"
    subprocess.run(["/usr/bin/python3", str(ROOT / "tools/adapters/common/make_pages.py"), str(folder)], check=True)
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        name = "tools/findings/" + str(path.relative_to(folder))
        if name.endswith(".md"):
            pages.add(name, path.read_text())
        else:
            pages.add_file(name, path)
        for source in sources(name):
            pages.made.setdefault(source, name)
    stacks = {}
    for name in sorted(pages.text):
        match = re.fullmatch(r"tools/(?:adapters|findings)/([^/]+)/([^/]+\.md)", name)
        if match:
            stacks.setdefault(match[1], []).append(name)
    result = []
    for stack, names in stacks.items():
        names.sort(key=lambda name: (not name.endswith("README.md"), name))
        words = {name: os.path.basename(name)[:-3].replace("-", " ").capitalize() for name in names}
        result.append({stack: [{"The adapter" if name.endswith("README.md") else words[name]: name} for name in names]})
    overview = [name for name in pages.text if name.endswith("/IMPLEMENTATIONS.md")]
    return entries(pages, sorted(overview)) + result


def navigation(pages, program):
    groups = commands.add_pages(pages, program)
    schemas = formats.add_pages(pages)
    c, cpp = headers.add_pages(pages)
    pages.add("docs/reference/python.md", "# The module `tensor_cts`\n\n::: tensor_cts\n    options:\n      show_root_heading: false\n")
    found = findings(pages)
    python = [name for name in pages.text if re.fullmatch(r"tools/(?:bindings/)?python/README\.md", name)]
    decisions = sorted(name for name in pages.text if name.startswith("docs/decisions/") and not name.endswith("README.md"))
    rooms = [name for name in sorted(pages.text) if name.count("/") <= 2 and name not in python and name.endswith("/README.md")
             and name.split("/")[0] in ("schemas", "reference", "generator", "checker", "suites", "tools")]  # fmt: skip
    tops = {}
    for name in rooms:
        tops.setdefault(name.split("/")[0], []).append(name)
    more = {"reference": sorted(name for name in pages.text if re.fullmatch(r"reference/ADDING_\w+\.md", name)),
            "suites": ["suites/STRENGTH.md", "suites/ACCUMULATORS.md"], "tools": ["tools/COMMANDS.md", "tools/BENCHMARKS.md"]}  # fmt: skip
    house = []
    for top, names in tops.items():
        listed = [{("What lives here" if name == f"{top}/README.md" else os.path.dirname(name)[len(top) + 1:]): name} for name in names]
        house.append({top: listed + entries(pages, more.get(top, []))})
    return [
        {"Home": "README.md"},
        {"Guides": entries(pages, [f"docs/guides/{name}.md" for name in GUIDES])},
        {"Reference": [
            {"Commands": [{"All commands": "docs/reference/commands/README.md"},
                          *({group: [{os.path.basename(name)[:-3]: name} for name in names]} for group, names in groups.items())]},
            {"File formats": [{"All formats": schemas[0]}, *({os.path.basename(name)[:-3]: name} for name in schemas[1:])]},
            {"C": c},
            {"C++": [{"All headers": cpp[0]}, *({title(pages, name): name} for name in cpp[1:])]},
            {"Python": [*({"Overview": name} for name in python), {"Module": "docs/reference/python.md"}]},
            {"Files": "files.md"},
        ]},
        {"Operators": entries(pages, ["reference/OPERATORS.md"])},
        {"Rulings": entries(pages, ["schemas/editions/notes.md", "schemas/editions/slack.md"])},
        {"Findings": found},
        {"Decisions": [{"All decisions": "docs/decisions/README.md"}, *entries(pages, decisions)]},
        {"House": entries(pages, ["ARCHITECTURE.md", "CONTRIBUTING.md", "STABILITY.md", "CHANGELOG.md", "SECURITY.md"]) + house},
    ]  # fmt: skip


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--program", required=True)
    parser.add_argument("--out", required=True, type=pathlib.Path)
    arguments = parser.parse_args()
    repository = re.search(r'^  repository: "(.*)"$', (ROOT / "mkdocs.yml").read_text(), re.M)[1]
    pages = Pages(ROOT, repository)
    pages.work = arguments.out
    pages.take_committed()
    missing = [name for name in GUIDES if f"docs/guides/{name}.md" not in pages.text]
    if missing:
        raise SystemExit(f"docs: expected the guides {', '.join(missing)} in docs/guides")
    nav = navigation(pages, str(pathlib.Path(arguments.program).resolve()))
    pages.add_file("assets/iframe-worker.js", HERE / "iframe-worker.js")
    pages.add_file("assets/site.css", HERE / "site.css")
    pages.write(arguments.out / "pages")
    source = next(ROOT / name for name in ("tools/bindings/python/src", "tools/bindings/python/src") if (ROOT / name).is_dir())
    settings = {"INHERIT": str(ROOT / "mkdocs.yml"), "docs_dir": "pages", "nav": nav,
                "plugins": {"mkdocstrings": {"handlers": {"python": {"paths": [str(source)]}}}}}  # fmt: skip
    (arguments.out / "mkdocs.yml").write_text(json.dumps(settings, indent=1))


if __name__ == "__main__":
    main()

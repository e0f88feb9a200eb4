"""One page of all implementations: operators and type rows, and causes, from the tallies in tools/findings."""

import base64
import collections
import dataclasses
import hashlib
import html
import json
import os

from . import tables

STYLE = """
:root { color-scheme: light dark; --page: #f4f6f8; --card: #fff; --ink: #16202b; --soft: #55616e; --line: #d5dbe1; --link: #0b5cad;
  --good: #cfe9e4; --bad: #f4b270; --idle: #e9edf1; }
@media (prefers-color-scheme: dark) { :root { --page: #10161c; --card: #18212a; --ink: #e6ebf0; --soft: #9aa7b4; --line: #33404d;
  --link: #7ab8f5; --good: #163f3b; --bad: #8a5210; --idle: #1d2731; } }
* { box-sizing: border-box; }
body { margin: 0; padding: 24px; background: var(--page); color: var(--ink);
  font: 15px/1.5 system-ui, "Segoe UI", Roboto, "Liberation Sans", sans-serif; }
a { color: var(--link); }
p { max-width: 76ch; }
.wide { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 8px; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th { font-weight: 600; text-align: right; vertical-align: bottom; }
th:first-child, td:first-child, .left, .text, .heads th.left { text-align: left; }
td:first-child { position: sticky; left: 0; background: var(--card); }
thead th { background: var(--card); }
.heads th { white-space: normal; max-width: 9em; }
tr.row td:first-child { padding-left: 24px; color: var(--soft); }
.good { background: var(--good); } .bad { background: var(--bad); } .idle { background: var(--idle); color: var(--soft); }
.text { white-space: normal; max-width: 70ch; }
summary { cursor: pointer; padding: 4px 0; }
""".strip()

WRONG = ("fail", "wrong_outcome", "crash", "timeout")


@dataclasses.dataclass
class Implementation:
    """A tally and where it is from."""

    folder: str
    variant: str
    tally: dict
    about: dict  # the deviations of the adapter, or of the variant, their page and their reports

    @property
    def name(self):
        """Name and version, without what the version says of a driver behind its comma."""
        return self.tally["implementation"].partition(", ")[0]

    @property
    def suite(self):
        name, _, digest = self.tally["suite"].partition(", level ")
        return name, digest.rpartition(" ")[2][:8]

    def causes(self):
        """{id: cases}, of what is no lack of an offer."""
        found = collections.Counter()
        for (_, _, _, verdict, why), count in self.tally["rows"].items():
            if verdict in WRONG:
                found[why] += count
        return found


def about_of(folder, variant, pages):
    """The list of deviations of a variant, the page that shows it, and the reports that are among the pages."""
    name = tables.list_of(folder, variant)
    path = os.path.join(folder, name)
    if not os.path.exists(path + ".json"):
        raise tables.Fault(f"{folder}: no {name}.json")
    found = json.loads(tables.read_text(path + ".json"))
    listed = found if isinstance(found, list) else found["deviations"]
    beside, place = tables.stands_on(found, folder) if isinstance(found, dict) else ([], "")
    reports = {}
    for stem, deviations in (name, listed), (os.path.join(place, "deviations"), beside):
        for one in deviations:
            report = os.path.join(stem, one["id"] + ".md")
            if os.path.normpath(os.path.join(os.path.basename(folder), report)) in pages:
                reports[one["id"]] = report
    return {"deviations": [*listed, *beside], "page": name + ".md", "reports": reports}


def implementations(pages=(), findings=tables.FINDINGS):
    found = []
    for folder in sorted(os.listdir(findings)):
        path = os.path.join(findings, folder)
        if os.path.isdir(path):
            for variant, tally in tables.tallies(path).items():
                found.append(Implementation(folder, variant, tally, about_of(path, variant, pages)))
    return sorted(found, key=lambda one: (one.suite[0].startswith("smoke"), one.name))


def verdicts(tally, chosen):
    """What became of the legal cases of the rows that `chosen` takes, and of the illegal ones."""
    legal, illegal = collections.Counter(), collections.Counter()
    for (operator, mode, expected, verdict, _), count in tally["rows"].items():
        if chosen(operator, mode):
            (legal if expected == "valid" else illegal)[verdict] += count
    return legal, illegal


def wrong_of(counts):
    return sum(counts[verdict] for verdict in WRONG)


def cell(legal):
    """How many of the answered legal cases pass; grey where nothing is offered."""
    cases, wrong = sum(legal.values()), wrong_of(legal)
    taken = legal["pass"] + legal["accepted"]
    if cases == 0:
        return "<td></td>"
    if taken + wrong == 0:
        return '<td class="idle">–</td>'
    kind = "bad" if wrong else "good"
    left = f" title=\"{legal['unsupported']} not offered\"" if legal["unsupported"] else ""
    return f'<td class="{kind}"{left}>{taken} / {taken + wrong}</td>'


def number(count):
    return f"<td>{count:,}</td>"


def link(one):
    return f'<a href="{html.escape(one.folder)}/{html.escape(one.about["page"])}">{html.escape(one.name)}</a>'


def table_of_implementations(found):
    heads = ("implementation", "suite", "cases", "pass", "accepted, values not shown", "wrong, legal graphs", "wrong, illegal graphs",
             "not offered", "causes")  # fmt: skip
    yield '<div class="wide"><table><thead><tr class="heads">' + "".join(f'<th class="left">{head}</th>' if head == "suite" else f"<th>{head}</th>" for head in heads) + "</tr></thead><tbody>"
    for one in found:
        legal, illegal = verdicts(one.tally, lambda *_: True)
        both = legal + illegal
        name, digest = one.suite
        yield (f'<tr><td>{link(one)}</td><td class="left">{html.escape(name)}, {digest}</td>' + number(sum(both.values())) +
               number(both["pass"]) + number(legal["accepted"]) + number(wrong_of(legal)) + number(wrong_of(illegal)) +
               number(both["unsupported"]) + number(len(one.causes())) + "</tr>")  # fmt: skip
    yield "</tbody></table></div>"


def table_of_operators(found):
    rows = collections.defaultdict(set)
    for one in found:
        for operator, mode, expected, _, _ in one.tally["rows"]:
            rows[operator].update([mode] if expected == "valid" else [])
    heads = "".join(f"<th>{html.escape(one.name)}, {html.escape(one.suite[0].partition(' ')[0])}</th>" for one in found)
    yield f'<div class="wide"><table><thead><tr class="heads"><th>operator, type row</th>{heads}</tr></thead><tbody>'
    for operator in sorted(rows):
        whole = "".join(cell(verdicts(one.tally, lambda op, _: op == operator)[0]) for one in found)
        yield f"<tr><td><b>{html.escape(operator)}</b></td>{whole}</tr>"
        for mode in sorted(rows[operator]):
            parts = "".join(cell(verdicts(one.tally, lambda *row: row == (operator, mode))[0]) for one in found)
            yield f'<tr class="row"><td>{html.escape(mode)}</td>{parts}</tr>'
    yield "</tbody></table></div>"


def lists_of_causes(found):
    for one in found:
        does = {deviation["id"]: deviation for deviation in one.about["deviations"]}
        causes = one.causes()
        yield f"<details><summary>{html.escape(one.name)}: {len(causes)}</summary><div class=\"wide\"><table><tbody>"
        for why, count in sorted(causes.items(), key=lambda item: (-item[1], item[0])):
            deviation = does[why]
            name = html.escape(why)
            if why in one.about["reports"]:
                report = os.path.normpath(os.path.join(one.folder, one.about["reports"][why]))
                name = f'<a href="{html.escape(report)}">{name}</a>'
            yield (f'<tr><td>{name}</td>{number(count)}<td class="text">{html.escape(deviation["kind"])}</td>'
                   f'<td class="text">{html.escape(deviation["does"])}</td></tr>')  # fmt: skip
        yield "</tbody></table></div></details>"


def page(pages, findings=tables.FINDINGS):
    """The page, beside `pages`, which are those of the stacks by their names."""
    found = implementations(pages, findings)
    for one in found:
        if one.causes()[tables.UNEXPLAINED]:
            raise tables.Fault(f"{one.name}: {one.causes()[tables.UNEXPLAINED]} wrong answers have no cause")
    style = base64.b64encode(hashlib.sha256(STYLE.encode()).digest()).decode()
    lines = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'sha256-{style}'\">",
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{len(found)} implementations of TOSA</title>\n<style>{STYLE}</style>\n</head>\n<body>",
        f"<h1>{len(found)} implementations of TOSA</h1>",
        "<p>Written by <code>common/overview.py</code> from the tallies in <code>tools/findings</code>. Every wrong answer is of a cause that is listed.</p>",
        "<p>Of those that show no values, Vela, tosa-opt and tosa-deserialize, only illegal graphs can pass, by being refused.</p>",
        *table_of_implementations(found),
        "<h2>Operators and type rows</h2>",
        "<p>Legal cases that pass, of those that were answered: green if all do, orange if one is wrong (its value, a legal graph refused, a crash); "
        "a dash where none is offered. Of compilers without values: the legal graphs that they take. An illegal graph is wrong if it is taken, or if they die of it.</p>",
        *table_of_operators(found),
        "<h2>Causes</h2>",
        "<p>Of wrong answers, illegal graphs that are taken among them; each with the number of its cases.</p>",
        *lists_of_causes(found),
        "</body>\n</html>",
    ]
    return "\n".join(lines) + "\n"

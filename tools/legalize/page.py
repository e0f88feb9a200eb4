"""The page of a run: classes, a table by operator and type, the deviations, every case. It loads nothing."""

import base64
import collections
import hashlib
import html
import pathlib
import re

HERE = pathlib.Path(__file__).resolve().parent
# Beside it where it is installed; in the sources where reports come from.
STYLES = (HERE / "report_page.html", HERE.parents[1] / "checker/report/report_page.html")
GOOD = ("equal", "within N", "judged")
SHORT = {"source refuses": "source refuses", "converter refuses": "converter refuses"}


def style():
    text = next(path for path in STYLES if path.is_file()).read_text()
    return text[text.index("<style>") + len("<style>") : text.index("</style>")]


def digest(text):
    return "'sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode() + "'"


def e(text):
    return html.escape("".join(c if c.isprintable() else "\ufffd" for c in str(text)))


def anchor(text):
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")


def facts(report):
    rows = [("Source", report["source"]), ("Converter", report["converter"])] + sorted(report["versions"].items())
    rows += [
        ("Run", f"{report['began']}, {report['seconds']} s"),
        ("Declared", f"quantized results may differ by {report['within']} in the last place"),
    ]
    return '<dl class="facts">' + "".join(f"<div><dt>{e(k)}</dt><dd>{e(v)}</dd></div>" for k, v in rows) + "</dl>"


def tiles(report):
    classes = report["classes"]
    kind = lambda name: (
        "pass" if name in GOOD else "some" if name in ("illegal graph", "deviates", "not judged") else "apart"
    )
    return (
        '<ul class="tiles">'
        + "".join(
            f'<li class="{kind(name)}"><a href="#{anchor(name)}"><b>{count}</b>{e(name)}</a></li>'
            for name, count in classes.items()
        )
        + "</ul>"
    )


def matrix(report):
    """Operators by types: how many of the cases are right."""
    cells, types = collections.defaultdict(list), collections.Counter()
    for case in report["cases"]:
        kind = case["types"].split(" ")[0]
        cells[case["operator"], kind].append(case)
        types[kind] += 1
    columns = [kind for kind, _ in types.most_common()]
    rows = []
    for operator in sorted({operator for operator, _ in cells}):
        row = []
        for kind in columns:
            found = cells.get((operator, kind))
            if not found:
                row.append("<td></td>")
                continue
            right = sum(c["class"] in GOOD for c in found)
            bad = any(c.get("wrong graph") for c in found)
            heat = "h0" if bad and not right else "h2" if bad else "h5" if right == len(found) else "h3"
            row.append(f'<td class="{heat}"><span>{right}/{len(found)}</span></td>')
        rows.append(f"<tr><th>{e(operator)}</th>{''.join(row)}</tr>")
    head = "".join(f"<th>{e(kind)}</th>" for kind in columns)
    return (
        f'<div class="scroll"><table class="heat"><thead><tr><th>operator</th>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'
        '<p class="legend"><span class="h5">all right</span><span class="h3">some refused, left or unchecked</span>'
        '<span class="h2">some illegal or wrong</span><span class="h0">illegal or wrong, none right</span></p>'
    )


def listed(report):
    rows = []
    for entry in report["deviations"]:
        if entry["cases"]:
            rows.append(
                f'<li id="{e(entry["id"])}"><b>{e(entry["id"])}</b> <span class="soft">{e(entry["owner"])}, {len(entry["cases"])} cases</span><br>{e(entry["does"])} '
                f'<span class="soft">{e(entry["clause"])}</span></li>'
            )
    return (
        f'<ul class="findings">{"".join(rows)}</ul>'
        if rows
        else "<p>None of the listed deviations shows in this run.</p>"
    )


def cases_of(report, name):
    """The cases of a class, those of one operator and cause together."""
    groups = collections.OrderedDict()
    for case in report["cases"]:
        if case["class"] == name:
            cause = (
                case.get("deviation") or re.sub(r"\d+", "#", case.get("diagnosis") or case.get("detail", ""))[:120]
            )
            groups.setdefault(
                (case["operator"], case["types"] if not case.get("deviation") else "", cause), []
            ).append(case)
    parts = []
    for (operator, types, _), found in groups.items():
        first = found[0]
        say = first.get("deviation") or first.get("diagnosis") or first.get("detail", "")
        rows = "".join(
            f'<tr><th class="id">{e(c["id"])}</th><td class="text">{e(c.get("detail", ""))}'
            f'{"<br>" + e(c["diagnosis"]) if c.get("diagnosis") else ""}{nearness(c)}</td><td class="text">{e(c.get("owner") or "")}</td></tr>'
            for c in found
        )
        parts.append(
            f'<details class="cause"><summary>{len(found)} <b>{e(operator)}</b> {e(types)} {e(say[:220])}</summary>'
            f'<div class="detail scroll"><table class="figures">{rows}</table></div></details>'
        )
    return "".join(parts)


def nearness(case):
    known = case.get("exact")
    if not known:
        return ""
    return (
        f'<br><span class="soft">exact result, {known["asked"]} elements asked: the graph nearer in {known["ours"]}, the kernels in {known["theirs"]}; '
        f'farthest {known["farthest ours"]:.4g} and {known["farthest theirs"]:.4g} last places</span>'
    )


def page(report):
    sheet = style()
    bad = sum(bool(case.get("wrong graph")) for case in report["cases"])
    verdict = (
        f'<p class="verdict bad"><strong>{bad} graphs are wrong</strong><span>of {len(report["cases"])} models</span></p>'
        if bad
        else f'<p class="verdict good"><strong>no graph is wrong</strong><span>of {len(report["cases"])} models</span></p>'
    )
    sections = "".join(
        f'<section id="{anchor(name)}"><h2>{e(name)}: {count}</h2>{cases_of(report, name)}</section>'
        for name, count in report["classes"].items()
        if name != "equal"
    )
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src {digest(sheet)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>legalize: {e(report["source"])}</title>
<style>{sheet}</style>
</head>
<body>
<header><div><h1>Operators of {e(report["source"])}, converted to TOSA, against their own kernels</h1>{verdict}{facts(report)}</div></header>
<main>
<section><h2>Classes</h2>{tiles(report)}</section>
<section><h2>Deviations that were read</h2>{listed(report)}</section>
<section><h2>By operator and type</h2><p>Cases that are equal, near enough or accepted by the rule, of all.</p>{matrix(report)}</section>
{sections}
</main>
</body>
</html>
"""

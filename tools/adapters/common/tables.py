#!/usr/bin/python3
"""Tables of what an implementation supports and where it deviates, from what runs showed.

tables.py FOLDER [--variant NAME] [--add] REPORT...
    reads reports (tensor-cts check --json) on one suite and writes tally.tsv (tally-NAME.tsv) in the stack's folder of
    tools/findings; later reports of a run replace the answers that they have, or are of other shards; with --add they
    join the shards that the tally has. make_pages.py makes the pages of tallies and lists.

FOLDER/deviations.json says {"title": ..., "install": ..., "words": [...], "deviations": [...]}. `install` is a line for the
shell, or one for each variant; packages that requirements.txt pins get their versions. `implementation` says what was
judged, without a tally or where the adapter does not say it all; a deviation's, where no adapter drives it. A deviation has an id, a kind, what
the implementation does, the clause, an owner, its smallest case (behind it in parentheses the suite, if not that of the tallies), which cases it explains (`match`; or, with `finding`, which finding of a report), and how it is
seen with the stack's own tools alone: `program`, lines of Python or of sh, and what that `prints`; where `does` and `clause` leave it open,
what would be `right` to print. `title` names the fault where the beginning of `does` is no name for it. `upstream` is a thread and what it says, or "none found" if one was looked for.
`not_asked` says why the adapter no longer asks for what shows it: then the program alone does.
`cpu` names instructions that the processor has to have, or to lack ("not avx512_vnni avx_vnni"), `gpu` a GPU of NVIDIA;
`program_cpu` those that the program needs, if it chooses its instructions itself.
`varies` says why its case may pass.
"beside": another folder's list of deviations, "../NAME/deviations.json", of what this implementation stands on: it explains
cases here as well, and its reports stay there.
"""

import argparse
import collections
import glob
import json
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common.reports import KINDS, is_a_fault, read_text, report, title  # noqa: E402

ADAPTERS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
FINDINGS = os.path.join(os.path.dirname(ADAPTERS), "findings")
UNEXPLAINED = "?"
FIELDS = ("operator", "type row", "expected", "verdict", "class")


class Fault(Exception):
    """Says what is wrong with the report or with deviations.json."""


# --- From a report to a tally -----------------------------------------------------------------


def type_row(case):
    """The type row, with the extensions that the case cannot do without."""
    needed = [set(names) for names in case.get("profiles", [])]
    common = set.intersection(*needed) if needed else set()
    return " ".join([case["mode"], *sorted(name for name in common if name.startswith("EXT-"))])


def matches(deviation, case):
    """Says whether the deviation is about a case that did not pass."""
    for field, pattern in deviation["match"].items():
        if field == "says":
            text = "\n".join([case.get("said", ""), case.get("message", "")])
            found = re.search(pattern, text)
        elif field == "id":
            found = re.search(pattern, case["id"])
        elif field == "type row":
            found = re.search(pattern, type_row(case))
        else:
            found = re.fullmatch(pattern, case.get(field, ""))
        if not found:
            return False
    return True


def classify(deviations, case):
    """The id of the first deviation that explains the case."""
    if case["verdict"] == "pass":
        return ""
    for deviation in deviations:
        if matches(deviation, case):
            return deviation["id"]
    return UNEXPLAINED


def merge(reports):
    """The first report, with what later ones on the same suite answered: other shards, or cases run again."""
    merged = {**reports[0], "shards": shards_of(reports)}
    cases = {case["id"]: case for case in merged["cases"]}
    for report in reports[1:]:
        for part in ("suite", "implementation"):
            if report[part] != merged[part]:
                raise Fault(f"expected reports on one {part}, found {merged[part]}, {report[part]}")
        cases |= {case["id"]: case for case in report["cases"] if "answered" in case}
    merged["cases"] = list(cases.values())
    return merged


def shards_of(reports):
    """({index, …}, of) of reports that are of shards; None if these are the whole suite."""
    parts = [report for report in reports if "filter" not in report]  # what has one ran some cases again
    if not parts:
        raise Fault("expected a report on all cases of a suite or of a shard, found only some with --filter")
    shards = [report["run"]["shard"] for report in parts if report.get("run", {}).get("shard")]
    if len(shards) < len(parts):
        return None  # one is of the whole
    counts = {shard["of"] for shard in shards}
    if len(counts) > 1:
        raise Fault(f"expected shards of one division, found some of {sorted(counts)}")
    return {shard["index"] for shard in shards}, counts.pop()


def shards_in_words(shards):
    """" (shards 1 to 3, 7 of 32)"; empty of None and of all of them."""
    if shards is None or len(shards[0]) == shards[1]:
        return ""
    ranges = []
    for index in sorted(shards[0]):
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    words = ", ".join(str(first) if first == last else f"{first} to {last}" for first, last in ranges)
    return f" (shards {words} of {shards[1]})"


def shards_in(suite):
    """The suite's words without its shards, and these."""
    found = re.search(r" \(shards (.*) of (\d+)\)", suite)
    if not found:
        return suite, None
    ends = [list(map(int, part.split(" to "))) for part in found[1].split(", ")]
    return suite.replace(found[0], ""), ({index for part in ends for index in range(part[0], part[-1] + 1)}, int(found[2]))


def added(old, new):
    """A tally of the shards of both."""
    (suite, before), (same, now) = shards_in(old["suite"]), shards_in(new["suite"])
    if before is None or now is None or before[1] != now[1] or before[0] & now[0]:
        raise Fault(f"--add: expected other shards of one division, found {old['suite']}, {new['suite']}")
    if (suite, old["implementation"]) != (same, new["implementation"]):
        raise Fault(f"--add: expected one suite and implementation, found {old['suite']}, {old['implementation']}; {new['suite']}, {new['implementation']}")
    words = shards_in_words((before[0] | now[0], now[1]))
    return {**new, "suite": suite.replace(", level", words + ", level"), "rows": old["rows"] + new["rows"]}


def make_tally(report, deviations, other_suites=False, beside=()):
    """{"suite": …, "implementation": …, "rows": {FIELDS: cases}}; with other suites an example may be a case of those.
    Rows of `beside` explain cases, but need no case."""
    rows = collections.Counter()
    explained = {}
    for case in report["cases"]:
        why = classify([*deviations, *beside], case)
        explained[case["id"]] = why
        row = (case["operator"], type_row(case), case["expected"], case["verdict"], why)
        rows[row] += 1
    for deviation in deviations:
        if "case" not in deviation or {"not_asked", "cpu", "varies"} & deviation.keys() or "finding" in deviation["match"]:
            continue
        example = deviation["case"]
        if example.endswith(")"):
            continue  # of another suite, which the parentheses name
        if other_suites and example not in explained:
            continue  # another tally has it
        if explained.get(example) != deviation["id"]:
            found = explained.get(example)
            state = "not in the report" if found is None else f"explained by {found or 'passing'}"
            raise Fault(f"deviations.json: {deviation['id']}: its case {example} is {state}")
    suite, implementation = report["suite"], report["implementation"]
    return {
        "suite": "{name} of {edition}".format(**suite) + shards_in_words(report.get("shards")) + ", level {level}, {digest}".format(**suite),
        "implementation": f"{implementation['name']} {implementation['version']}",
        "rows": rows,
    }


def write_tally(tally):
    lines = [f"# suite: {tally['suite']}", f"# implementation: {tally['implementation']}"]
    lines.append("# " + "\t".join((*FIELDS, "cases")))
    lines += ["\t".join((*row, str(count))) for row, count in sorted(tally["rows"].items())]
    return "\n".join(lines) + "\n"


def read_tally(text):
    tally = {"rows": collections.Counter()}
    for line in text.splitlines():
        if line.startswith("# "):
            name, separator, value = line[2:].partition(": ")
            if separator:
                tally[name] = value
            continue
        *row, count = line.split("\t")
        tally["rows"][tuple(row)] += int(count)
    return tally


# --- From a tally to the tables ---------------------------------------------------------------


def share(passed, cases):
    if cases == 0:
        return "–"
    return "all " + str(cases) if passed == cases else f"{passed} of {cases}"


def supported_table(tally):
    """One row an operator: what became of its type rows, and of its error cases."""
    operators = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for (operator, mode, expected, verdict, _), count in tally["rows"].items():
        kind = mode if expected == "valid" else ""
        operators[operator][kind][verdict] += count
    unseen = any(verdict == "accepted" for _, _, _, verdict, _ in tally["rows"])
    head = ["operator", "conformant", "deviates (passed)", "does not run", "illegal graphs refused"]
    if unseen:
        head.insert(1, "accepted, values not shown (of all)")
    lines = ["| " + " | ".join(head) + " |", "|---" * len(head) + "|"]
    for operator, modes in sorted(operators.items()):
        errors = modes.pop("", collections.Counter())
        taken, conformant, deviates, idle = [], [], [], []
        for mode, verdicts in sorted(modes.items()):
            cases, ran = sum(verdicts.values()) - verdicts["disputed"], verdicts["pass"] + verdicts["fail"]
            if verdicts["accepted"] > 0:
                part = "" if verdicts["accepted"] == cases else f" ({verdicts['accepted']}/{cases})"
                taken.append(mode + part)
            elif verdicts["pass"] == cases:
                conformant.append(mode)
            elif ran > 0:
                deviates.append(f"{mode} ({verdicts['pass']}/{cases})")
            else:
                idle.append(mode)
        cells = [", ".join(names) for names in (taken, conformant, deviates, idle)[0 if unseen else 1 :]]
        cells.append(share(errors["pass"], sum(errors.values())))
        lines.append(f"| {operator} | " + " | ".join(cells) + " |")
    return lines


def totals(tally):
    verdicts = collections.Counter()
    for (_, _, _, verdict, _), count in tally["rows"].items():
        verdicts[verdict] += count
    cases = sum(verdicts.values())
    words = [f"{count} {verdict}" for verdict, count in verdicts.most_common()]
    return f"{cases} cases: " + ", ".join(words) + "."


# --- Pages of any adapter -----------------------------------------------------------------------

def code_of(folder):
    """The folder with the adapter of a stack, whose helpers the programs import."""
    adapter = os.path.join(ADAPTERS, os.path.basename(os.path.abspath(folder)))
    return adapter if os.path.isdir(adapter) else folder


def tallies(folder):
    """{variant: tally}; the variant of tally.tsv is empty."""
    found = {}
    for name in sorted(glob.glob(os.path.join(folder, "tally*.tsv"))):
        variant = os.path.basename(name).removeprefix("tally").removesuffix(".tsv").removeprefix("-")
        found[variant] = read_tally(read_text(name))
    return found


def list_of(folder, variant):
    """The name of the list that explains a variant's cases: its own, deviations-VARIANT, or that of the others."""
    own = f"deviations-{variant}"
    return own if os.path.exists(os.path.join(folder, f"{own}.json")) else "deviations"


NOT_OFFERED = {"id": "not offered", "match": {"verdict": "unsupported"}}
NOT_SHOWN = {"id": "values not shown", "match": {"verdict": "accepted"}}
DISPUTED = {"id": "disputed", "match": {"verdict": "disputed"}}


def of_variant(deviations, variant):
    return [*(one for one in deviations if variant in one.get("of", [variant])), NOT_OFFERED, NOT_SHOWN, DISPUTED]


def stands_on(about, folder):
    """The deviations of what an implementation stands on, and the folder of their list as seen from its own; none."""
    if "beside" not in about:
        return [], ""
    found = json.loads(read_text(os.path.join(folder, about["beside"])))
    return [one for one in found["deviations"] if "finding" not in one["match"]], os.path.dirname(about["beside"])


def heading(tally):
    return [f"`{tally['implementation']}` over {short(tally['suite'])}: {totals(tally)}", ""]


def any_unseen(found):
    return any(row[3] == "accepted" for tally in found.values() for row in tally["rows"])


def supported_page(title, found, stem="deviations"):
    lines = [f"# What {title} supports", "", "<!-- Written by tools/adapters/common/tables.py. -->"]
    lines += [
        "By type row, with the extensions that it needs: *conformant*, every legal case passes; *deviates*, some run,",
        "and some do not pass; *does not run*, every legal case is refused, not offered or crashes."
        + (" *Accepted, values not shown*: nobody knows what it computes." if any_unseen(found) else ""),
        f"Why: [{stem}.md]({stem}.md).",
        "",
    ]
    for variant, tally in found.items():
        lines += [f"## {variant}", ""] if variant else []
        lines += [*heading(tally), *supported_table(tally), ""]
    return "\n".join(lines)


def counts_of(found):
    """{deviation: {variant: {verdict: cases}}}"""
    counts = collections.defaultdict(lambda: collections.defaultdict(collections.Counter))
    for variant, tally in found.items():
        for (_, _, _, verdict, why), count in tally["rows"].items():
            if why:
                counts[why][variant][verdict] += count
    return counts


def seen_in(counts, why=""):
    """The number of cases of each variant; without cases, the reason."""
    parts = []
    for variant, verdicts in sorted(counts.items()):
        words = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
        parts.append(f"{variant}: {words}" if variant else words)
    return "; ".join(parts) or why or "none in the tallies"


def index(deviations, counts, stem):
    """Lines of the list: a row for each deviation, by kind."""
    lines = []
    for kind, heading_of_kind in KINDS.items():
        chosen = [one for one in deviations if one["kind"] == kind]
        lines += [f"## {heading_of_kind}", "", f"| deviation | | {'cases' if counts else 'smallest case'} |", "|---|---|---|"] if chosen else []
        for one in chosen:
            name = f"[{one['id']}]({stem}/{one['id']}.md)" if is_a_fault(one) else one["id"]
            does = title(one) if is_a_fault(one) else one["does"]
            none = "several cases together" if "finding" in one.get("match", {}) else one.get("not_asked", "")
            cases = seen_in(counts[one["id"]], none) if counts else f"`{one['case']}`"
            lines.append(f"| {name} | {does} | {cases} |")
        lines += [""] if chosen else []
    left = sum(sum(verdicts.values()) for verdicts in counts[UNEXPLAINED].values())
    return [*lines, "## Not looked into yet", "", f"{left} cases.", ""] if left else lines


def index_beside(deviations, place, counts):
    """Lines on causes that stand in another folder's list, as far as they explain something."""
    seen = [one for one in deviations if counts[one["id"]]]
    lines = ["## Of what it stands on", "", "| deviation | | cases |", "|---|---|---|"] if seen else []
    for one in seen:
        lines.append(f"| [{one['id']}]({place}/deviations/{one['id']}.md) | {title(one)} | {seen_in(counts[one['id']])} |")
    return [*lines, ""] if seen else []


def deviations_page(about, found, stem, folder):
    counts = counts_of(found)
    lines = [f"# Where {about['title']} deviates from TOSA 1.0", "", "<!-- Written by tools/adapters/common/tables.py. -->"]
    for tally in found.values():
        lines += heading(tally)
    lines += [*about.get("words", []), ""]
    return "\n".join([*lines, *index(about["deviations"], counts, stem), *index_beside(*stands_on(about, folder), counts)])


def short(suite):
    return suite.split(", level")[0]


def reports(about, found, stem, folder):
    """{name: text} of the reports of a list."""
    counts = counts_of(found)
    outcomes = collections.defaultdict(set)
    for tally in found.values():
        for (_, _, expected, _, why), _ in tally["rows"].items():
            outcomes[why].add(expected)
    written = {}
    for one in filter(is_a_fault, about["deviations"]):
        seen = counts[one["id"]]
        names = [name for name in found if name in seen] or [name for name in found if name in one.get("of", found)]
        variants = {
            name: (found[name]["implementation"], short(found[name]["suite"]), seen_in({"": seen[name]}) if name in seen else "")
            for name in names
        }
        written[f"{stem}/{one['id']}.md"] = report(about, one, code_of(folder), variants, outcomes[one["id"]])
    return written


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def pages(folder):
    """{name: text} of the pages that the tallies and the lists of deviations give."""
    left, written = tallies(folder), {}
    # deviations-X.json, the list of variant X alone, comes before deviations.json, that of the others.
    for path in sorted(glob.glob(os.path.join(folder, "deviations*.json"))):
        stem = os.path.basename(path).removesuffix(".json")
        variant = stem.removeprefix("deviations-")
        found = left if stem == "deviations" else {name: left.pop(name) for name in [variant] if name in left}
        about = json.loads(read_text(path))
        if not found and "implementation" not in about:
            raise Fault(f"{path}: expected `implementation`, what was judged, as it has no tally")
        written[f"{stem}.md"] = deviations_page(about, found, stem, folder)
        written |= reports(about, found, stem, folder)
        if found:
            written[stem.replace("deviations", "supported") + ".md"] = supported_page(about["title"], found, stem)
    return written


def without_cases_left_out(report):
    """A run of some cases (`filter`): the others did not run, and are no verdicts."""
    ran = [case for case in report["cases"] if "did not run" not in case.get("message", "")]
    if len(ran) < len(report["cases"]):
        report.setdefault("filter", {})
    report["cases"] = ran
    return report


def main(arguments):
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder")
    parser.add_argument("reports", nargs="+")
    parser.add_argument("--variant", default="")
    parser.add_argument("--add", action="store_true")
    options = parser.parse_intermixed_args(arguments)
    try:
        about = json.loads(read_text(os.path.join(options.folder, list_of(options.folder, options.variant) + ".json")))
        reports = [without_cases_left_out(json.loads(read_text(name))) for name in options.reports]
        report = merge(reports)
        others = [tally["suite"] for variant, tally in tallies(options.folder).items() if variant != options.variant]
        other_suites = any(not suite.startswith(f"{report['suite']['name']} ") for suite in others)
        beside, _ = stands_on(about, options.folder)
        tally = make_tally(report, of_variant(about["deviations"], options.variant),
                           other_suites=other_suites or bool(shards_in_words(report["shards"])), beside=beside)  # fmt: skip
        tally["implementation"] = about.get("implementation", tally["implementation"])
        name = f"tally-{options.variant}.tsv" if options.variant else "tally.tsv"
        if options.add:
            tally = added(read_tally(read_text(os.path.join(options.folder, name))), tally)
        write(os.path.join(options.folder, name), write_tally(tally))
    except (Fault, OSError, ValueError, KeyError) as fault:
        print(f"tables.py: {fault!r}", file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

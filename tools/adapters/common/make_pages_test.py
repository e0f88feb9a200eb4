#!/usr/bin/python3
"""The pages of tools/findings: each can be made, has what the lists and the tallies say, and leads to what is there."""

import base64
import hashlib
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest

ADAPTERS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ADAPTERS))
from common import make_pages, overview, reports, tables  # noqa: E402

FINDINGS = make_pages.FINDINGS
CONVERTERS = ("tflite", "torch")


# Implementation, folder, variant, its deviations, rows of the tally.
MAKERS = (
    ("maker <1>", "maker", "", "deviations.json",
     [("ABS", "fp32", "valid", "pass", "", 5), ("ABS", "fp32", "valid", "fail", "adds-one", 2),
      ("ABS", "fp32", "valid", "crash", "dies", 1), ("ABS", "fp16", "valid", "pass", "", 7000),
      ("ABS", "bf16", "valid", "unsupported", "not offered", 3), ("ABS2", "i8", "valid", "timeout", "dies", 9),
      ("ABS", "fp32", "error", "wrong_outcome", "adds-one", 6), ("ABS", "fp32", "error", "pass", "", 11),
      ("ABS", "fp32", "error", "unsupported", "not offered", 13), ("ABS", "fp32", "error", "crash", "dies", 17)]),
    ("maker-b 2, with a driver", "maker", "b", "deviations-b.json",
     [("ABS", "fp32", "valid", "accepted", "values not shown", 4), ("ABS", "fp32", "error", "pass", "", 2)]),
)  # fmt: skip


def entries(path):
    found = json.loads(path.read_text())
    return found if isinstance(found, list) else found["deviations"]


class Pages(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.pages = make_pages.pages()

    def test_each_list_has_a_page_and_each_fault_a_report(self):
        wanted = set()
        for path in FINDINGS.glob("*/deviations*.json"):
            stack, page = path.parent.name, str(path.with_suffix(".md").relative_to(FINDINGS))
            for one in entries(path):
                self.assertRegex(self.pages[page], rf"(?m)^(### |\| \[?){re.escape(one['id'])}\b", page)
                if stack in CONVERTERS or path.name == "deviations-19.json":
                    continue
                report = f"{stack}/{path.stem}/{one['id']}.md"
                self.assertEqual(f"[{one['id']}]({path.stem}/{one['id']}.md)" in self.pages[page], reports.is_a_fault(one), report)
                wanted |= {report} if reports.is_a_fault(one) else set()
        self.assertGreater(len(wanted), 150)
        self.assertEqual({name for name in self.pages if re.match(r"[^/]*/deviations[^/]*/", name)}, wanted)

    def test_each_tally_has_a_page_of_what_is_supported(self):
        for path in FINDINGS.glob("*/tally*.tsv"):
            implementation = re.search(r"^# implementation: (.*)$", path.read_text(), re.M)[1]
            shown = [text for name, text in self.pages.items() if re.fullmatch(rf"{path.parent.name}/supported[^/]*", name)]
            self.assertTrue(any(implementation in text for text in shown), path)

    def test_a_converters_page_shows_its_models_and_its_run(self):
        for source in CONVERTERS:
            run = json.loads((FINDINGS / source / "run.json").read_text())
            self.assertLessEqual(run["seen"].keys(), {one["id"] for one in entries(FINDINGS / source / "deviations.json")})
            page = self.pages[f"{source}/deviations.md"]
            self.assertEqual(page.count(", such as `"), len(run["seen"]))
            models = {name.split("/")[1] for name in self.pages if name.startswith(f"{source}/") and name.count("/") == 2}
            self.assertEqual(set(re.findall(r"\((.*)/REPEAT\.md\)", page)), models)

    def test_no_link_is_dead(self):
        seen = 0
        for name, text in self.pages.items():
            if not isinstance(text, str):
                continue
            text = re.sub(r"^```.*?^```|`[^`]*`", "", text, flags=re.M | re.S)
            for link in re.findall(r"\]\(([^)]*)\)", text) + re.findall(r'href="([^"]*)"', text):
                path = os.path.normpath(os.path.join(os.path.dirname(name), link.partition("#")[0]))
                there = "://" in link or path in self.pages or (FINDINGS / path).exists()
                seen += there
                self.assertTrue(there, f"{name}: {link}")
        self.assertGreater(seen, 600)


class Overview(unittest.TestCase):
    def made(self, makers=MAKERS):
        with tempfile.TemporaryDirectory() as place:
            for name, folder, variant, deviations, rows in makers:
                path = pathlib.Path(place) / folder
                path.mkdir(exist_ok=True)
                about = [{"id": "adds-one", "kind": "wrong", "does": f"It adds < {folder}{variant}."},
                         {"id": "dies", "kind": "crash", "does": "It dies."}]  # fmt: skip
                (path / deviations).write_text(json.dumps({"deviations": about} if not variant else about))
                tally = {"suite": f"smoke{variant} of tosa-1.0, level 8K, 0123456789ab", "implementation": name,
                         "rows": {row[:5]: row[5] for row in rows}}  # fmt: skip
                (path / f"tally{variant and '-' + variant}.tsv").write_text(tables.write_tally(tally))
            return overview.page({"maker/deviations/dies.md"}, place)

    def test_every_answer_is_counted(self):
        page = self.made()
        # cases, pass, accepted, wrong, wrong of illegal graphs, not offered, causes
        for link, suite, counts in (
            ('<a href="maker/deviations.md">maker &lt;1&gt;</a>', "smoke", ("7,067", "7,016", 0, 12, 23, 16, 2)),
            ('<a href="maker/deviations-b.md">maker-b 2</a>', "smokeb", (6, 2, 4, 0, 0, 0, 0)),
        ):
            cells = "".join(f"<td>{count}</td>" for count in counts)
            self.assertIn(f'<tr><td>{link}</td><td class="left">{suite} of tosa-1.0, 01234567</td>{cells}</tr>', page)
        for row, cells in (
            ("<b>ABS</b>", '<td class="bad" title="3 not offered">7005 / 7008</td><td class="good">4 / 4</td>'),
            ("fp32", '<td class="bad">5 / 8</td><td class="good">4 / 4</td>'),
            ("fp16", '<td class="good">7000 / 7000</td><td></td>'),
            ("bf16", '<td class="idle">–</td><td></td>'),
            ("<b>ABS2</b>", '<td class="bad">0 / 9</td><td></td>'),
        ):
            self.assertIn(f"<td>{row}</td>{cells}</tr>", page)
        self.assertIn("<th>maker &lt;1&gt;, smoke</th><th>maker-b 2, smokeb</th>", page)
        causes = re.findall(r"<tr><td>([^\n]+?)</td><td>(\d+)</td><td class=\"text\">[^\n]*<td class=\"text\">([^<]*)</td></tr>", page)
        dies = '<a href="maker/deviations/dies.md">dies</a>'
        self.assertEqual(causes, [(dies, "27", "It dies."), ("adds-one", "8", "It adds &lt; maker.")])

    def test_the_policy_allows_the_style_alone(self):
        page = self.made()
        style = re.search("<style>(.*)</style>", page, re.S)[1]
        digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
        self.assertIn(f"content=\"default-src 'none'; style-src 'sha256-{digest}'\"", page)
        self.assertNotIn("style=", page)
        self.assertNotIn("<script", page)

    def test_nothing_is_left_unexplained(self):
        name, folder, variant, deviations, rows = MAKERS[1]
        with self.assertRaisesRegex(tables.Fault, "maker-b 2: 7 wrong answers have no cause"):
            self.made([(name, folder, variant, deviations, [*rows, ("ABS", "fp32", "valid", "fail", "?", 7)])])

    def test_the_table_of_the_page_is_of_the_tallies(self):
        rows = [[cell.strip() for cell in line.split("|")[1:-1]]
                for line in (ADAPTERS / "IMPLEMENTATIONS.md").read_text().splitlines() if line.startswith("| ")]  # fmt: skip
        for one in overview.implementations():
            if one.folder == "mlir" and one.variant:
                continue  # of another edition
            legal, illegal = overview.verdicts(one.tally, lambda *_: True)
            both = legal + illegal
            passed = f"{both['pass']:,}"
            if both["accepted"]:
                passed = f"{illegal['pass']:,} refusals; {legal['accepted']:,} legal graphs accepted"
            taken = f"{illegal['wrong_outcome']:,}" if illegal.keys() - {"unsupported"} else "none asked"
            page = f"../findings/{one.folder}/{one.about['page'].removesuffix('.md')}.json"
            expected = [f"{sum(both.values()):,}", passed, f"{legal['fail'] + legal['wrong_outcome']:,}",
                        taken, f"{both['unsupported']:,}", f"[{len(one.causes())}]({page})"]  # fmt: skip
            found = [row for row in rows if row[-1].endswith(f"({page})")]
            self.assertIn(expected, [[*row[1:6], row[-1]] for row in found], one.name)


if __name__ == "__main__":
    unittest.main(verbosity=2)

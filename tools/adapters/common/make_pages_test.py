#!/usr/bin/python3
"""The pages of tools/findings: each can be made, has what the lists say, and leads to what is there."""

import json
import os
import pathlib
import re
import sys
import unittest

ADAPTERS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ADAPTERS))
from common import make_pages, reports  # noqa: E402

FINDINGS = make_pages.FINDINGS
CONVERTERS = ("tflite", "torch")


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


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""The faults of careless_worker.py stand before everything else that it does wrong, in every report.
Usage: causes_test.py TENSOR_CTS"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CTS = ""
WORKER = pathlib.Path(__file__).resolve().parents[2] / "develop/testdata/careless_worker.py"
FAULTS = ["conv2d/i8", "clamp/fp32", "reshape/"]


class Causes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="causes_test-")
        cls.addClassCleanup(folder.cleanup)
        cls.here = pathlib.Path(folder.name)
        operators = [word for op in ("conv2d", "clamp", "reshape", "add", "concat", "tile")
                     for word in ("--operator", op)]
        cls.cts(0, "generate", "--recipe", "smoke", *operators, "--out", "suite")
        cls.cts(0, "run", "suite", "--implementation", "builtin:native", "--out", "right")
        cls.cts(0, "run", "suite", "--adapter", f"{sys.executable} {WORKER}", "--worker", "--out", "results")
        cls.text = cls.cts(1, "check", "suite", "results", "--json", "r.json", "--html", "r.html", "--junit", "r.xml")
        report = json.loads((cls.here / "r.json").read_text(encoding="utf-8"))
        cls.accepted = {case["id"] for case in report["cases"] if case["verdict"] == "wrong_outcome"}
        cls.faulty = {case["id"]: case["verdict"] for case in report["cases"]
                      if case["verdict"] not in ("pass", "wrong_outcome", "disputed")}

    @classmethod
    def cts(cls, code, *arguments):
        done = subprocess.run([CTS, *arguments], cwd=cls.here, env={**os.environ, "RIGHT": str(cls.here / "right")},
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        assert done.returncode == code, (arguments, done.stdout[-2000:], done.stderr)
        return done.stdout

    def expect_faults_first(self, text):
        """The first cases that a text names are of the faults, one of each, before any illegal graph."""
        ids = sorted({*self.faulty, *self.accepted}, key=len, reverse=True)
        names = re.findall("|".join(map(re.escape, ids)), text)
        before = names[:next(k for k, name in enumerate(names) if name in self.accepted)]
        for fault in FAULTS:
            self.assertTrue([name for name in before if name.startswith(fault)], (fault, names[:20]))

    def test_what_is_wrong_is_what_was_planted(self):
        self.assertGreater(len(self.accepted), 20 * len(FAULTS))
        self.assertEqual({verdict for verdict in self.faulty.values()}, {"fail", "missing"})
        for case in self.faulty:
            self.assertTrue(case.startswith(tuple(FAULTS)), case)

    def test_text_names_them_first(self):
        failures = self.text.split("\nFailures: ")[1]
        causes = [" ".join(cause.split()) for cause in re.split(r"\n *\d+\. ", failures)[1:]]
        for fault, words in zip(FAULTS, ["cases of CONV2D (i8)", "CLAMP (fp32)", "of RESHAPE"]):
            self.assertEqual([words in cause for cause in causes].count(True), 1, causes[:5])
            self.assertTrue(any(words in cause and f" for example {fault}" in cause for cause in causes[:3]), causes[:3])
        self.assertRegex(causes[3], r"^[a-z0-9_.]+ accepted: \d+ operators, \d+ cases ")
        self.expect_faults_first(failures)

    def test_pages_and_files_for_machines_name_them_first(self):
        page = (self.here / "r.html").read_text(encoding="utf-8")
        self.expect_faults_first(page.split('id="causes"')[1])
        junit = (self.here / "r.xml").read_text(encoding="utf-8")
        suites = re.findall(r'<testsuite name="(\w+)"', junit)
        self.assertEqual(set(suites[:3]), {"CONV2D", "CLAMP", "RESHAPE"})

    def test_the_gate_names_them_first(self):
        text = self.cts(1, "gate", "--suite", "suite", "--results", "results", "--markdown", "g.md", "--sarif", "g.sarif",
                        "--sarif-file", "r.json", "--annotations")
        self.expect_faults_first(text.split("New failures")[1])
        annotations = re.findall("^::error title=([A-Z0-9_]+)", text, re.M)
        self.assertEqual(set(annotations[:3]), {"CONV2D", "CLAMP", "RESHAPE"})
        self.expect_faults_first((self.here / "g.md").read_text(encoding="utf-8"))
        sarif = json.loads((self.here / "g.sarif").read_text(encoding="utf-8"))
        ids = [result["partialFingerprints"]["tensorCtsCase/v1"] for result in sarif["runs"][0]["results"]]
        self.assertEqual(set(ids[:len(self.faulty)]), set(self.faulty))

    def test_comparison_and_diagnosis_name_them_first(self):
        text = self.cts(0, "compare", "r.json", "r.json")
        self.expect_faults_first(text.split("the gravest first")[1])
        operators = re.findall(r"^(\w+): \d+ failing", self.cts(0, "diagnose", "suite", "results"), re.M)
        self.assertEqual(set(operators[:2]), {"CONV2D", "CLAMP"})


@unittest.skipUnless(shutil.which("chromium"), "needs Chromium")
class ComparisonPage(unittest.TestCase):
    """Its script, in headless Chromium: what it hides is picked by the fragment of the address."""
    def load(self, fragment):
        with tempfile.TemporaryDirectory() as profile:
            done = subprocess.run([shutil.which("chromium"), "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-dev-shm-usage",
                                   "--disable-background-networking", "--disable-component-update", f"--user-data-dir={profile}",
                                   "--host-resolver-rules=MAP * ~NOTFOUND", "--enable-logging=stderr", "--virtual-time-budget=20000", "--dump-dom",
                                   self.page.as_uri() + fragment], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
                                  timeout=120, env={**os.environ, "HOME": profile})
        self.assertEqual([line for line in done.stderr.splitlines() if "CONSOLE" in line], [])
        return done.stdout

    def hidden(self, text, tag, attribute):
        """The values of an attribute, each with whether every element that has it is hidden."""
        found = {}
        for attributes in re.findall(rf"<{tag}\b([^>]*)>", text):
            if value := re.search(rf' {attribute}="([^"]*)"', attributes):
                found.setdefault(value[1], set()).add(" hidden" in attributes)
        self.assertTrue(all(len(of) == 1 for of in found.values()), found)
        return {value: of == {True} for value, of in found.items()}

    def test_it_picks_implementations_and_filters(self):
        with tempfile.TemporaryDirectory(prefix="causes_test-") as here:
            def cts(*arguments):
                done = subprocess.run([CTS, *arguments], cwd=here, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertLess(done.returncode, 2, done.stderr)
            cts("generate", "--recipe", "smoke", "--operator", "clz", "--operator", "reverse", "--out", "suite")
            for fault in ("clz.bit_position", "reverse.axis_one_less"):
                cts("run", "suite", "--implementation", f"builtin:fault:{fault}", "--out", fault)
                cts("check", "suite", fault, "--json", f"{fault}.json")
            for summary in ([], ["--summary"]):
                self.page = pathlib.Path(here) / "c.html"
                cts("compare", "clz.bit_position.json", "reverse.axis_one_less.json", "--html", "c.html", *summary)
                text = self.load("")
                self.assertNotIn(" hidden", re.sub(r"(?s)<(style|script)>.*?</\1>", "", text))
                text = self.load("#without=1")
                for tag in ("th", "tr", "div"):
                    self.assertEqual(self.hidden(text, tag, "data-report"), {"0": False, "1": True}, tag)
                self.assertEqual(self.hidden(text, "li", "data-operators"), {"CLZ": False, "REVERSE": True})
                columns = re.search(r"(?s)<tr[^>]* data-operator=\"CLZ\">(.*?)</tr>", text)[1]
                self.assertEqual([" hidden" in cell for cell in re.findall("<td[^>]*>", columns)], [False, True])
                for fragment in ("#operator=REVERSE", "#q=reverse%3A", "#q=nothing", "#verdict=fail"):
                    text = self.load(fragment)
                    sections = self.hidden(text, "section", "data-operator")
                    self.assertEqual(sections, {"CLZ": fragment != "#verdict=fail", "REVERSE": fragment == "#q=nothing"}, fragment)
                self.assertRegex(self.load("#verdict=fail&operator=CLZ"), ">1 cause<")


class Graphs(unittest.TestCase):
    """One wrong RESCALE is one cause, in graphs, too."""
    def test_a_graph_counts_for_the_operator_that_fails_by_itself(self):
        with tempfile.TemporaryDirectory(prefix="causes_test-") as here:
            def cts(code, *arguments):
                done = subprocess.run([CTS, *arguments], cwd=here, text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                self.assertEqual(done.returncode, code, done.stdout + done.stderr)
                return done.stdout
            cts(0, "generate", "--recipe", "certify-pro-int", "--filter", "graphs/*rescale*", "--filter", "rescale/*-run-*special", "--out", "suite")
            cts(0, "run", "suite", "--implementation", "builtin:fault:rescale.rounds_half_down", "--out", "results")
            text = cts(1, "check", "suite", "results", "--json", "r.json")
            cases = json.loads((pathlib.Path(here) / "r.json").read_text(encoding="utf-8"))["cases"]
            graphs = [case for case in cases if case["verdict"] == "fail" and case["operator"] != "RESCALE"]
            self.assertGreater(len(graphs), 1)
            self.assertRegex(text, rf"Failures: \d+ cases, 1 cause\n\n 1\. \d+ cases of RESCALE \(.*\),\s+perhaps\s+with\s+{len(graphs)}\s+graphs\s+that\s+contain\s+it\s+\(`which`\s+can\s+tell\)\n")
            words = f"perhaps with {len(graphs)} graphs that contain it (`which` can tell)"
            self.assertIn(words, cts(1, "gate", "--suite", "suite", "--results", "results").replace("\n", " "))
            self.assertIn(words, " ".join(cts(0, "compare", "r.json", "r.json").split()))


if __name__ == "__main__":
    CTS = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()

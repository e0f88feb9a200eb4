#!/usr/bin/python3
"""Tests what the command line promises: exit codes, streams, help, interruption, bad input.
Usage: cli_test.py TENSOR_CTS [TEST...]"""
import fcntl
import fnmatch
import hashlib
import json
import os
import pathlib
import pty
import re
import resource
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import termios
import time
import unittest

CTS = ""
RECIPES = pathlib.Path(__file__).resolve().parents[3] / "suites"
COMMANDS = ["generate", "run", "launch", "merge", "check", "explain", "judge", "gate", "certify", "verify",
            "audit", "coverage", "diagnose", "eval", "list", "render", "export", "shrink", "version",
            "import", "import-results", "quantize", "registry", "resolve", "sweep", "legalize", "compare", "which", "unblind", "ask", "challenge"]
NOTHING_LISTED = [("tosa-1.1-draft", "conditions"), ("tosa-1.1-draft", "faults"),
                  ("rvtensor", "enumerations")]
UNSUPPORTED_LINE = '{"status": "unsupported", "message": "nothing at all"}'
# For one process per case.
UNSUPPORTED = f"echo '{UNSUPPORTED_LINE}' #"


def cts(*arguments, **options):
    return subprocess.run([CTS, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120, **options)


class CommandLine(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="cli_test-"))
        cls.suite = cls.shared / "suite"
        cls.results = cls.shared / "results"
        done = cts("generate", "--recipe", "smoke", "--operator", "clamp", "--out", cls.suite)
        assert done.returncode == 0, done.stderr
        done = cts("run", cls.suite, "--implementation", "builtin:native", "--out", cls.results)
        assert done.returncode == 0, done.stderr
        cls.cases = json.loads((cls.suite / "suite.json").read_text())["cases"]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.shared))

    def expect(self, code, done, *words):
        """The exit code; 2 comes with one message, on standard error, that has all the words."""
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        if code == 2:
            self.assertTrue(done.stderr.startswith("tensor-cts"), done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr if code == 2 else done.stdout)

    def valid_case(self):
        return next(case["id"] for case in self.cases if case["outcome"] == "valid")

    def copy(self, folder):
        return shutil.copytree(folder, self.here / folder.name)


class Help(CommandLine):
    def test_every_command_has_help_that_fits_100_columns(self):
        for command in [[], *([name] for name in COMMANDS)]:
            done = cts(*command, "--help")
            self.expect(0, done)
            self.assertEqual(done.stderr, "")
            for line in done.stdout.splitlines():
                self.assertLessEqual(len(line), 100, line)

    def test_every_command_has_exit_codes_and_the_option_of_all(self):
        self.expect(0, cts("--help"), "--edition-file FILE", "Exit codes:")
        for name in COMMANDS:
            with self.subTest(command=name):
                text = cts(name, "--help").stdout
                self.assertEqual(text.count("--edition-file FILE, before or behind"), 1, text)
                self.assertIn("Exit code: 0 " if name != "version" else "version", text)
        self.expect(0, cts("list", "--help"), "tosa-1.0, tosa-0.100, ", "or the id of an --edition-file")

    def test_usage_errors_name_what_is_wrong_and_exit_2(self):
        self.expect(2, cts(), "generate resolve quantize run")
        self.expect(2, cts("jduge"), '"jduge"', "generate resolve quantize run")
        self.expect(2, cts("check", self.suite), "RESULTS", "check --help")
        self.expect(2, cts("check", self.suite, self.results, "--jsn", "x"), "--jsn")
        self.expect(2, cts("list", "things"), "things", "operators")
        self.expect(2, cts("list", "types", "--edition", "x"),
                    "list: --edition: found the edition 'x', expected one of tosa-1.0, ")
        folder = "expected the folder of a case in a suite: SUITE/<operator>/<case>"
        self.expect(2, cts("render", self.here / "abs"), "abs/case.json: no such file; " + folder)
        self.expect(2, cts("resolve", self.suite, "--graph"), "case.json: no such file; " + folder)
        self.expect(2, cts("audit", "--recipe", "smoke", "--fault", "absent*"),
                    '"absent*"; tensor-cts list faults prints all')
        self.expect(2, cts("generate", "--out", self.here / "x"), "--recipe")
        self.expect(2, cts("generate", "--recipe", "smoke"), "--out")
        self.expect(2, cts("run", self.suite, "--out", self.here / "x"), "--adapter")
        self.expect(2, cts("run", self.suite, "--adapter", "a", "--timeout", "0", "--out", "x"),
                    "--timeout")
        self.assertEqual(os.listdir(self.here), [])


    def test_version_is_one_line(self):
        first = cts("version").stdout.splitlines()[0]
        self.assertRegex(first, r"^tensor-cts \d+\.\d+\.\d+(-dev)?$")
        for words in [["--version"], ["-V"], ["run", "--version"]]:
            done = cts(*words)
            self.expect(0, done)
            self.assertEqual(done.stdout, first + "\n")
        facts = json.loads(cts("version", "--json").stdout)
        self.assertEqual("tensor-cts " + facts.pop("version"), first)
        text = cts("version").stdout
        self.assertEqual(set(facts), {"commit", "editions", "recipes", "checker"})
        for name, value in facts.items():
            self.assertIn(f"{name:10}{value}\n", text)

    def test_generate_says_what_it_made_as_json(self):
        out = self.here / "suite"
        done = cts("generate", "--recipe", "smoke", "--operator", "abs", "--out", out, "--json")
        self.expect(0, done)
        said = json.loads(done.stdout)
        made = json.loads((out / "suite.json").read_text())
        self.assertEqual((said["suite"], said["edition"], said["level"], said["cases"], said["out"]),
                         ("smoke", "tosa-1.0", "8K", len(made["cases"]), str(out)))
        results = self.here / "results"
        self.expect(0, cts("run", out, "--implementation", "builtin:native", "--out", results))
        self.assertEqual(said["digest"], json.loads((results / "run.json").read_text())["suite_digest"])
        self.expect(2, cts("generate", "--recipe", "smoke", "--list", "--json"), "--json")

    def test_commands_say_their_outcome_as_json(self):
        suite, fault = self.here / "suite", "builtin:fault:avg_pool2d.counts_the_padding"
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "avg_pool2d", "--out", suite))
        cases = len(json.loads((suite / "suite.json").read_text())["cases"])
        shards = [self.here / f"shard{index}" for index in (1, 2)]
        ran = []
        for index, shard in enumerate(shards, 1):
            done = cts("run", suite, "--implementation", fault, "--shard", f"{index}/2", "--out", shard, "--json")
            self.expect(0, done)
            ran.append(json.loads(done.stdout))
            self.assertEqual((ran[-1]["shard"], ran[-1]["out"]), ({"index": index, "of": 2}, str(shard)))
            self.assertEqual(sum(ran[-1]["statuses"].values()), ran[-1]["cases"])
        self.assertEqual(sum(run["cases"] for run in ran), cases)
        results = self.here / "results"
        merged = cts("merge", *shards, "--out", results, "--json")
        self.expect(0, merged)
        self.assertEqual(json.loads(merged.stdout), {"cases": cases, "shards": 2, "of": 2, "out": str(results)})

        report = self.here / "report.json"
        self.expect(1, cts("check", suite, results, "--json", report))
        (wrong, *_) = (case for case in json.loads(report.read_text())["cases"] if case["verdict"] == "fail")
        explained = json.loads(cts("explain", results, wrong["id"], "--suite", suite, "--json").stdout)
        self.assertEqual((explained["case"], explained["suite"]), (wrong, str(suite)))
        self.assertEqual(explained["text"], cts("explain", results, wrong["id"], "--suite", suite).stdout)
        self.expect(2, cts("explain", results, wrong["id"], "--json", "--python"), "--json")

        small = self.here / "small"
        done = cts("shrink", suite, wrong["id"], "--implementation", fault, "--out", small, "--json")
        self.expect(0, done)
        shrunk = json.loads(done.stdout)
        (kept,) = json.loads((small / "suite/suite.json").read_text())["cases"]
        self.assertEqual((shrunk["case"], shrunk["report"]), (kept["id"], str(small / "REPORT.md")))
        self.assertLessEqual(shrunk["after"]["elements"], shrunk["before"]["elements"])

        network = pathlib.Path(__file__).resolve().parents[2] / "examples/networks/convnet-int8"
        imported = self.here / "network"
        done = cts("import", network / "network.tosa", "--input", f"0={network}/input-0.npy", "--out", imported, "--json")
        self.expect(0, done)
        said = json.loads(done.stdout)
        self.assertEqual((said["cases"], said["case"], said["out"], said["edition"]), (1, "networks/network", str(imported), "tosa-1.0"))
        done = cts("which", imported, "--implementation", "builtin:fault:conv2d.reads_i8_unsigned", "--out", self.here / "found", "--json")
        self.expect(1, done)
        found = json.loads(done.stdout)
        (first,) = (one for one in found["operators"] if one["outcome"] == "wrong")
        self.assertEqual((first["operator"], first["position"]), ("CONV2D", found["first_wrong"]))
        self.assertEqual({one["outcome"] for one in found["operators"] if one["position"] < first["position"]}, {"right"})
        self.expect(0, cts("explain", first["results"], first["case"]))
        done = cts("which", imported, "--implementation", "builtin:native", "--out", self.here / "none", "--json")
        self.expect(0, done)
        self.assertIsNone(json.loads(done.stdout)["first_wrong"])

    def test_help_of_a_command_is_its_help(self):
        for command in COMMANDS:
            if command != "help":
                self.assertEqual(cts("help", command).stdout, cts(command, "--help").stdout)
        self.assertEqual(cts("help").stdout, cts("--help").stdout)
        self.expect(2, cts("help", "rnu"), '"rnu"', "did you mean run?")

    def test_help_of_no_command_is_refused(self):
        for words, name in [(["nonsense", "--help"], "nonsense"), (["--help", "nonsense"], "nonsense"), (["nonsense", "-h"], "nonsense"),
                            (["jduge", "--help"], "did you mean judge?"), (["--quiet", "jduge", "--help"], "did you mean judge?"),
                            (["nonsense", "--version"], "nonsense"), (["help", "nonsense"], "nonsense"),
                            (["help", "jduge", "--help"], "did you mean judge?"), (["--foo", "nonsense", "--help"], "nonsense")]:
            with self.subTest(words=words):
                done = cts(*words)
                self.expect(2, done, name, "expected a command", "generate")
                self.assertEqual(done.stdout, "")
        for words in (["--help", "run"], ["run", "--help"], ["run", "nonsense", "--help"], ["help", "--help"], ["help", "run", "--help"]):
            self.expect(0, cts(*words))

    def test_a_slip_of_the_finger_is_named(self):
        for words, meant in [(["jduge"], "judge"), (["check", "a", "b", "--jsn", "x"], "--json"),
                             (["run", "a", "--adaptor=x", "--out", "b"], "--adapter"),
                             (["run", "a", "--edition-fil", "x", "--out", "b"], "--edition-file"),
                             (["--verson"], "--version"), (["list", "typs"], "types"),
                             (["generate", "--recipe", "smoke", "--operator", "CLMP", "--out", "x"],
                              "CLAMP"),
                             (["explain", self.results, self.valid_case()[:-1] + "q"],
                              self.valid_case())]:
            with self.subTest(words=words):
                done = cts(*words)
                self.expect(2, done, meant)
        for far in [["xylophone"], ["run", "a", "--xylophone", "--out", "b"]]:
            self.assertNotIn("did you mean", cts(*far).stderr)

    def test_list_has_the_cases_of_a_suite(self):
        ids = [case["id"] for case in self.cases]
        done = cts("list", "cases", self.suite)
        self.expect(0, done)
        self.assertEqual(done.stdout.splitlines(), ids)
        done = cts("list", "cases", self.suite, "--filter", "clamp/error-*", "--json")
        self.assertEqual([row["id"] for row in json.loads(done.stdout)],
                         [each for each in ids if each.startswith("clamp/error-")])
        self.expect(2, cts("list", "cases"), "expected a suite")
        self.expect(2, cts("list", "cases", self.here), "suite.json")
        self.expect(2, cts("list", "types", self.suite), "only tensor-cts list cases takes")

    def test_list_has_enumerations(self):
        for edition in ["tosa-0.100", "tosa-1.0"]:
            facts = json.loads((RECIPES.parent / f"schemas/editions/{edition}.json").read_text())
            rows = json.loads(cts("list", "enumerations", "--json", "--edition", edition).stdout)
            self.assertEqual([(row["enumeration"], row["value"], row["number"]) for row in rows],
                             [(each["name"], value["name"], value["value"])
                              for each in facts["enumerations"] for value in each["values"]])
            rows = json.loads(cts("list", "profiles", "--json", "--edition", edition).stdout)
            self.assertEqual({row["profile"] for row in rows},
                             {each["name"] for each in facts["profiles"] + facts["extensions"]})
        self.assertIn("tosa-1.0", cts("list", "editions").stdout)
        self.assertIn("subnormals  ", cts("list", "choices").stdout)


class Streams(CommandLine):
    def test_json_is_all_that_stands_on_standard_output(self):
        for edition in ["tosa-0.100", "tosa-1.0", "tosa-1.1-draft", "rvtensor"]:
            for what in ["operators", "types", "conditions", "levels", "profiles", "enumerations",
                         "editions", "recipes", "faults"]:
                done = cts("list", what, "--edition", edition, "--json")
                self.expect(0, done)
                rows = json.loads(done.stdout)
                self.assertIsInstance(rows, list)
                self.assertEqual(rows == [], (edition, what) in NOTHING_LISTED)
                if what == "faults":
                    for row in rows:
                        self.assertEqual(set(row) - {"report"}, {"id", "operator", "source",
                                                                 "sentence", "clause", "types"})
                if what == "recipes":
                    for row in rows:
                        self.assertEqual(set(row) - {"seconds"},
                                         {"name", "edition", "level", "strength", "cases", "MB",
                                          "summary"})
                if what == "conditions":
                    for row in rows:
                        self.assertEqual(set(row), {"id", "operator", "kind", "paraphrase",
                                                    "section"})
                        self.assertIn(row["kind"], ["error_if", "require", "level"])
        done = cts("check", self.suite, self.results, "--json", "-")
        self.expect(0, done)
        self.assertTrue(json.loads(done.stdout)["conformant"])

    def test_audit_counts_what_is_caught(self):
        one = ["audit", "--recipe", "smoke", "--operator", "TILE", "--fault"]
        done = cts(*one, "tile.mirrors", "--json")
        self.expect(0, done)
        report = json.loads(done.stdout)
        self.assertEqual(report["survivors"], 0)
        self.assertGreater(report["caught"], 1)
        self.expect(2, cts(*one, "tile.mirors"), "tile.mirors", "tile.mirrors")
        self.expect(2, cts("audit", "--recipe", "smok"), "smok", "smoke")
        self.expect(2, cts(*one, "tile.mirrors", "tle.*"), '"tle.*"')
        self.expect(2, cts(*one, "tile.mirrors", "--json", self.here), "--json")
        self.expect(2, cts(*one, "tile.mirrors", "--suite", self.here), "--suite", "--recipe")
        self.expect(2, cts("audit", "--suite", self.here / "none"), "suite.json")

    def test_audit_has_an_exit_code_for_a_share(self):
        # A fault that only error cases show: a recipe without them shows nothing, and says so.
        recipe = self.here / "valid.json"
        recipe.write_text(json.dumps({**json.loads((RECIPES / "smoke.json").read_text()),
                                      "name": "valid", "error_cases": False}))
        done = cts("audit", "--recipe", recipe, "--operator", "TILE", "--fault", "*.accepted")
        self.expect(2, done, "no case that could show")
        # One axis of one element is the same from either end.
        flat = self.here / "flat.json"
        flat.write_text(json.dumps({**json.loads((RECIPES / "smoke.json").read_text()),
                                    "name": "flat", "operators": ["REVERSE"], "types": ["i8"],
                                    "ids": ["reverse/i8-61-*"]}))
        audit = ["audit", "--recipe", flat, "--fault", "reverse.axis_from_the_end",
                 "--fault", "reverse.begins_one_late"]
        done = cts(*audit)
        self.expect(1, done)
        self.assertIn("1 of 2 caught", done.stdout)
        self.expect(0, cts(*audit, "--least", "50"))
        self.expect(1, cts(*audit, "--least", "51"))

    def test_audit_of_legal_implementations(self):
        done = cts("audit", "--recipe", "smoke", "--operator", "ADD", "--legal", "--fault",
                   "lowes?", "--fault", "highest")
        self.expect(0, done)
        self.assertIn("2 of 2 legal implementations pass", done.stdout)
        none = ["audit", "--recipe", "smoke", "--operator", "CLZ", "--legal"]
        self.expect(2, cts(*none), "no case of floating point")
        self.expect(2, cts(*none, "--fault", "lowes"), "lowest")

    def test_audit_is_interrupted(self):
        process = subprocess.Popen([CTS, "audit", "--recipe", "certify"], text=True,
                                   stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        time.sleep(2)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=120)
        self.assertEqual((process.returncode, out), (-signal.SIGINT, ""), error)
        self.assertIn("audit: interrupted", error)

    def test_a_fault_gives_results_that_do_not_pass(self):
        out = self.here / "results"
        fault = ["run", self.suite, "--out", out, "--implementation"]
        self.expect(2, cts(*fault, "builtin:fault:tile.mirors"), "tile.mirrors")
        self.expect(2, cts(*fault, "builtin:none"), "builtin:none", "builtin:native")
        self.expect(0, cts(*fault, "builtin:fault:clamp.max_val_one_less"))
        self.expect(1, cts("check", self.suite, out), "clamp/")

    def test_a_fault_of_a_graph_leaves_what_is_illegal(self):
        suite, out, report = (self.here / name for name in ("suite", "out", "report.json"))
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "COND_IF", "--out", suite))
        self.expect(0, cts("run", suite, "--out", out, "--implementation",
                           "builtin:fault:cond_if.always_then"))
        self.expect(1, cts("check", suite, out, "--json", report))
        verdicts = {(case["verdict"], "/error-" in case["id"])
                    for case in json.loads(report.read_text())["cases"]}
        self.assertLessEqual({("fail", False), ("pass", True)}, verdicts)
        self.assertNotIn(("fail", True), verdicts)

    def test_a_fault_of_one_type_leaves_the_others(self):
        suite, out, report = (self.here / name for name in ("suite", "out", "report.json"))
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "CONST", "--out", suite))
        self.expect(0, cts("run", suite, "--out", out, "--implementation",
                           "builtin:fault:const.swaps_nibbles"))
        self.expect(1, cts("check", suite, out, "--json", report))
        verdicts = {(case["verdict"], "const/i4-" in case["id"])
                    for case in json.loads(report.read_text())["cases"]}
        self.assertIn(("fail", True), verdicts)
        self.assertNotIn(("fail", False), verdicts)

    def test_diagnose_names_the_fault_that_made_the_results(self):
        suite = self.here / "suite"
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "CONCAT", "--operator",
                           "TILE", "--out", suite))
        for fault, words in [("tile.mirrors", "TILE answers"),
                             ("concat.axis_range.accepted", "CONCAT answers")]:
            results = self.here / fault
            self.expect(0, cts("run", suite, "--out", results, "--implementation",
                               "builtin:fault:" + fault))
            done = cts("diagnose", suite, results, "--json")
            self.expect(0, done)
            (operator,) = json.loads(done.stdout)["operators"]
            self.assertEqual(operator["explained"], operator["failing"])
            self.assertIn(fault, [one["fault"] for one in operator["faults"]])
            first = operator["faults"][0]
            self.assertEqual((first["cases"], first["contradicted"]), (operator["tried"], 0))
            done = cts("diagnose", suite, results)
            self.expect(0, done)
            self.assertIn(f"{operator['failing']} of {operator['failing']} cases with a wrong "
                          "value or outcome are explained", done.stdout)
            page = self.here / "report.html"
            done = cts("check", suite, results, "--diagnose", "--html", page)
            self.expect(1, done)
            self.assertIn("note: " + words, done.stdout)
            self.assertIn(words, page.read_text())

    def test_diagnose_without_what_it_needs(self):
        nowhere = self.here / "nowhere"
        self.expect(2, cts("diagnose", nowhere, self.results), nowhere)
        self.expect(2, cts("diagnose", self.suite, nowhere), nowhere)
        self.expect(2, cts("diagnose", self.suite, self.results, "--failing", "0"), "--failing")
        # Before any work.
        self.expect(2, cts("diagnose", self.suite, self.results, "--json", self.here), "--json")
        done = cts("diagnose", self.suite, self.results)
        self.expect(0, done)
        self.assertEqual(done.stdout,
                         "0 of 0 cases with a wrong value or outcome are explained by some fault\n")

    def test_two_reports_cannot_share_standard_output(self):
        for first, second in [("--json", "--junit"), ("--junit", "--html"), ("--json", "--html")]:
            for place in ["-", self.here / "both"]:
                done = cts("check", self.suite, self.results, first, place, second, place)
                self.expect(2, done, first, second, place)
                self.assertEqual(done.stdout, "")
        self.assertFalse((self.here / "both").exists())

    def test_no_progress_bar_in_a_pipe(self):
        for done in [cts("generate", "--recipe", "smoke", "--operator", "exp", "--out",
                         self.here / "s"),
                     cts("run", self.suite, "--implementation", "builtin:native", "--out",
                         self.here / "r"),
                     cts("check", self.suite, self.results)]:
            self.expect(0, done)
            self.assertEqual(done.stderr, "")

    def test_a_progress_bar_on_a_terminal(self):
        leader, follower = pty.openpty()
        subprocess.run([CTS, "run", self.suite, "--implementation", "builtin:native", "--out",
                        self.here / "r"], stdout=subprocess.DEVNULL, stderr=follower, check=True)
        os.close(follower)
        shown = b""
        while True:
            try:
                shown += os.read(leader, 65536)
            except OSError:  # all is read
                break
        os.close(leader)
        self.assertIn(f"#] {len(self.cases)}/{len(self.cases)}".encode(), shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), "the bar is taken back")

    def on_terminal(self, columns, *arguments, **environment):
        """The bytes that a command writes to a terminal, and its exit code."""
        leader, follower = pty.openpty()
        fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
        process = subprocess.Popen([CTS, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                   stdout=follower, stderr=follower,
                                   env={**os.environ, "TERM": "xterm", **environment})
        os.close(follower)
        shown = b""
        while True:
            try:
                shown += os.read(leader, 65536)
            except OSError:
                break
        os.close(leader)
        return shown.decode(), process.wait(60)

    def test_colour_is_for_terminals_and_obeys_the_environment(self):
        check = ["check", self.suite, self.results]
        green = "\x1b[1;32mCONFORMANT"
        self.assertIn(green, self.on_terminal(100, *check)[0])
        for environment in [{"NO_COLOR": "1"}, {"TERM": "dumb"},
                            {"NO_COLOR": "1", "CLICOLOR_FORCE": "1"}]:
            self.assertNotIn("\x1b[1;", self.on_terminal(100, *check, **environment)[0])
        self.assertNotIn("\x1b", cts(*check).stdout)
        self.assertIn(green, cts(*check, env={**os.environ, "CLICOLOR_FORCE": "1"}).stdout)
        self.assertNotIn("\x1b", cts(*check, env={**os.environ, "CLICOLOR_FORCE": "0"}).stdout)
        shown, code = self.on_terminal(100, "check", self.here / "none", self.results)
        self.assertEqual(code, 2)
        self.assertIn("\x1b[1;31mtensor-cts:\x1b[0m", shown)

    def test_the_bar_has_rate_counts_and_time_left_and_fits(self):
        script = self.here / "adapter.sh"
        script.write_text(f"sleep 0.05\necho '{UNSUPPORTED_LINE}'\n")
        for columns in [40, 120]:
            shown, _ = self.on_terminal(columns, "run", self.suite, "--adapter", f"sh {script}",
                                        "--jobs", "1", "--out", self.here / f"{columns}")
            lines = [line for part in shown.split("\n") for line in part.split("\r\x1b[K")
                     if line.startswith("run [")]
            self.assertGreater(len(lines), 5)
            for line in lines:
                self.assertLess(len(line), columns)
        self.assertRegex(lines[-2], r"^run \[#+\.*\] \d+/\d+  [\d.]+/s, \d+ s left; \d+ unsupported$")

    def test_quiet_leaves_verdicts_and_errors(self):
        out = self.here / "quiet"
        done = cts("generate", "--recipe", "smoke", "--operator", "clz", "--out", out, "--quiet")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = cts("-q", "run", out, "--implementation", "builtin:native", "--out", self.here / "r")
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        done = cts("check", out, self.here / "r", "-q")
        self.assertRegex(done.stdout, r"^CONFORMANT on this suite: all \d+ cases passed\n$")
        self.assertEqual(self.on_terminal(100, "check", out, self.here / "r", "-q")[0].count("\n"), 1)
        self.assertEqual(cts("list", "levels", "-q").stdout, cts("list", "levels").stdout)
        self.expect(2, cts("check", out, self.here / "none", "-q"), "none")
        self.expect(2, cts("-q", "--verbose", "version"), "--quiet")

    def test_failures_stand_by_cause_and_verbose_names_them_all(self):
        out = self.here / "results"
        cts("run", self.suite, "--implementation", "builtin:fault:clamp.max_val_one_less", "--out",
            out)
        report = json.loads(cts("check", self.suite, out, "--json", "-").stdout)
        failed = {case["id"] for case in report["cases"] if case["verdict"] not in ("pass", "disputed")}
        usual, verbose = (cts("check", self.suite, out, *more) for more in ([], ["--verbose"]))
        self.assertIn(f"Failures: {len(failed)} cases, 2 causes, the gravest first", usual.stdout)
        counts = [int(line.split()[1]) for line in usual.stdout.splitlines() if " cases of CLAMP" in line]
        self.assertEqual(sum(counts), len(failed))
        types = [listed.count(",") for listed in re.findall(r" cases of CLAMP \(([^)]*)\)", usual.stdout)]
        self.assertEqual((len(types), types), (2, sorted(types, reverse=True)))
        named = lambda done: {word for word in done.stdout.split() if word in failed}
        self.assertEqual(len(named(usual)), 2)
        self.assertEqual(named(verbose), failed)
        # The same words, however narrow.
        for columns in [60, 80]:
            narrow = cts("check", self.suite, out, env={**os.environ, "COLUMNS": str(columns)})
            self.assertIn(usual.stdout.splitlines()[-1], narrow.stdout)
            for line in narrow.stdout.splitlines():
                if not re.search(r"tensor-cts explain|suite digest|^command|^suite|clamp/", line):
                    self.assertLessEqual(len(line), columns, line)

    def test_verbose_shows_progress_without_a_terminal(self):
        script = self.here / "adapter.sh"
        script.write_text(f"sleep 0.15\necho '{UNSUPPORTED_LINE}'\n")
        run = ["run", self.suite, "--adapter", f"sh {script}", "--jobs", "1", "--out"]
        self.assertEqual(cts(*run, self.here / "usual").stderr, "")
        self.assertRegex(cts(*run, self.here / "verbose", "--verbose").stderr,
                         r"^(run \d+/\d+  [\d.]+/s, \d+ s left; \d+ unsupported\n)+$")

    def test_an_adapter_that_dies_at_import_shows_its_traceback_once(self):
        script = self.here / "adapter.py"
        script.write_text("import no_such_module_anywhere\n")
        for more in [["--worker"], []]:
            done = cts("run", self.suite, "--adapter", f"python3 {script}", "--out",
                       self.here / f"out{len(more)}", "--jobs", "2", *more)
            self.expect(2, done, "ModuleNotFoundError: No module named 'no_such_module_anywhere'",
                        "end ", "\nAll that it said:\nTraceback (most recent call last):\n")
            self.assertEqual(done.stderr.count("Traceback"), 1)
            self.assertEqual(list(self.here.glob(f"out{len(more)}/*/*/result.json")), [])

    def test_interrupted_any_command_is_130_with_one_line(self):
        lines = self.here / "lines"  # never written
        os.mkfifo(lines)
        for command, said in [(["judge", "--lines", lines], "tensor-cts: interrupted"),
                              (["audit", "--recipe", "certify"], "tensor-cts: audit: interrupted"),
                              (["generate", "--recipe", "certify", "--out", self.here / "out"],
                               "tensor-cts: interrupted: ")]:
            with self.subTest(command=command):
                # A shell whose command dies of a signal says 130; only that command gets it.
                inner = '(sleep 1; kill -INT $$) & exec "$@" 2>&1'
                done = subprocess.run(
                    ["bash", "-c", 'bash -c "$0" bash "$@"; echo $?', inner, CTS,
                     *map(str, command)], stdin=subprocess.DEVNULL, text=True, timeout=60,
                    stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                    # Whatever runs in a shell's background ignores it.
                    preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL))
                *ours, code = done.stdout.splitlines()
                self.assertEqual(code, "130")
                self.assertEqual(len(ours), 1, ours)
                self.assertTrue(ours[0].startswith(said), ours)

    def test_a_reader_that_goes_away_ends_the_program_quietly(self):
        process = subprocess.Popen([CTS, "list", "types"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE)
        process.stdout.close()
        self.assertEqual(process.stderr.read(), b"")
        process.stderr.close()
        self.assertIn(process.wait(60), [0, -signal.SIGPIPE])

    def test_a_closed_pipe_ends_every_command_quietly(self):
        """Also where the signal was ignored, as Python's os.exec* and some CIs leave it."""
        report = self.here / "report.json"
        cts("check", self.suite, self.results, "--json", report)
        case = self.valid_case()
        commands = [("explain", self.results, case), ("explain", self.results, case, "--html", "-"),
                    ("check", self.suite, self.results), ("check", self.suite, self.results, "--json", "-"),
                    ("compare", report, report), ("gate", "--suite", self.suite, "--results", self.results),
                    ("run", self.suite, "--implementation", "builtin:native", "--out", self.here / "again"),
                    ("generate", "--recipe", "smoke", "--operator", "abs", "--out", self.here / "abs"),
                    ("diagnose", self.suite, self.results), ("coverage", self.suite), ("list", "types"),
                    ("version",), ("--version",), ("help", "run"), ("eval", self.suite / case), ("judge", "--operator", "ABS", "--type", "i32", "--input", "1", "--result", "1"),
                    ("render", self.suite / case), ("quantize", "--input-scale", "0.1", "--weight-scale", "0.1", "--output-scale", "0.1")]
        for command in commands:
            with self.subTest(command[0]):
                reading, writing = os.pipe()
                os.close(reading)
                done = subprocess.run([CTS, *map(str, command)], stdout=writing, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL,
                                      text=True, timeout=120, restore_signals=False)
                os.close(writing)
                self.assertEqual((done.returncode, done.stderr), (-signal.SIGPIPE, ""))

    def test_standard_output_that_takes_nothing_is_an_error(self):
        for number, command in enumerate([
                ["list", "types"], ["version"], ["check", self.suite, self.results],
                ["generate", "--recipe", "smoke", "--operator", "exp"],
                ["run", self.suite, "--implementation", "builtin:native"]]):
            if command[0] in ("generate", "run"):
                command = command + ["--out", self.here / str(number)]
            with open("/dev/full", "w") as full:
                done = subprocess.run([CTS, *command], stdout=full, stderr=subprocess.PIPE,
                                      text=True)
            self.assertEqual(done.returncode, 2, command)
            self.assertIn("standard output", done.stderr)

    def test_closed_standard_streams_do_not_end_up_in_files(self):
        out = self.here / "r"
        shell = subprocess.run(["sh", "-c", 'exec "$0" "$@" <&- >&- 2>&-', CTS, "run", self.suite,
                                "--implementation", "builtin:native", "--out", out])
        self.assertIn(shell.returncode, [0, 2])
        self.expect(0, cts("check", self.suite, out), "CONFORMANT")

    def test_a_device_is_written_to_and_not_replaced(self):
        os.mkfifo(self.here / "pipe")
        reader = os.open(self.here / "pipe", os.O_RDONLY | os.O_NONBLOCK)
        fcntl.fcntl(reader, fcntl.F_SETPIPE_SZ, 1 << 20)  # room for the whole report
        self.expect(0, cts("check", self.suite, self.results, "--json", self.here / "pipe"))
        self.assertTrue((self.here / "pipe").is_fifo())
        self.assertTrue(os.read(reader, 10).startswith(b"{"))
        os.close(reader)


class Generate(CommandLine):
    def test_unknown_names_list_the_known_ones(self):
        out = self.here / "suite"
        for arguments, words in [
                (["--recipe", "smok"], ["smok", "smoke"]),
                (["--recipe", "smoke", "--edition", "tosa-2"], ["tosa-2", "tosa-1.0"]),
                (["--recipe", "smoke", "--edition", "tosa-1.1-draft"], ["tosa-1.1-draft"]),
                (["--recipe", "certify", "--edition", "rvtensor"], ["--recipe rvtensor, which"]),
                (["--recipe", "certify-ext-bf16", "--edition", "tosa-0.100"], ["--recipe certify-0.100, "]),
                (["--recipe", "rvtensor", "--edition", "tosa-1.0"], ["--recipe certify, which"]),
                (["--recipe", "smoke", "--operator", "CONV"],
                 ["CONV", "CONV2D", "; `tensor-cts list operators` shows all"]),
                (["--recipe", "smoke", "--condition", "clamp.bound"],
                 ["clamp.bounds_order", "; `tensor-cts list conditions` shows all"]),
                (["--recipe", "smoke", "--level", "9K"], ["9K", "8K"]),
                (["--recipe", "smoke", "--profile", "PRO"], ["PRO", "PRO-INT"])]:
            self.expect(2, cts("generate", *arguments, "--out", out), *words)
        self.assertEqual(os.listdir(self.here), [])

    def test_recipes_that_are_broken_name_file_and_place(self):
        recipe = self.here / "recipe.json"
        out = self.here / "suite"
        self.expect(2, cts("generate", "--recipe", recipe, "--out", out), recipe, "no such file")
        for text, word in [("{", "line 1"), ('{"name": 3}', "/name"), ("[]", "object")]:
            recipe.write_text(text)
            self.expect(2, cts("generate", "--recipe", recipe, "--out", out), recipe, word)
        self.assertFalse(out.exists())

    def test_what_exists_is_kept(self):
        before = (self.suite / "suite.json").read_bytes()
        self.expect(2, cts("generate", "--recipe", "smoke", "--out", self.suite), self.suite,
                    "exists already")
        self.assertEqual((self.suite / "suite.json").read_bytes(), before)

    def test_where_nothing_can_be_written_nothing_is(self):
        self.expect(2, cts("generate", "--recipe", "smoke", "--out", "/proc/none/suite"),
                    "/proc/none/suite", "cannot be created")

    def test_a_full_disk_leaves_nothing(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (2048, 2048))
        done = cts("generate", "--recipe", "smoke", "--operator", "clamp", "--out",
                   self.here / "suite", preexec_fn=limit)
        self.expect(2, done, "cannot be written", "File too large")
        self.assertEqual(os.listdir(self.here), [])

    def start(self):
        """Generating, some way in."""
        process = subprocess.Popen([CTS, "generate", "--recipe", "smoke", "--jobs", "1", "--out",
                                    self.here / "suite"], stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        while not any(self.here.glob("suite.partial/*/*/case.json")):
            self.assertIsNone(process.poll(), "ended before it could be interrupted")
            time.sleep(0.002)
        return process

    def generate(self, *arguments):
        return cts("generate", "--recipe", "smoke", "--out", self.here / "suite", *arguments)

    def digest_of_all(self):
        """Returns the output of an uninterrupted run."""
        done = cts("generate", "--recipe", "smoke", "--out", self.here / "whole")
        self.expect(0, done)
        return done.stdout.split()[-1]

    def test_interrupted_can_be_resumed(self):
        for number in [signal.SIGINT, signal.SIGTERM]:
            process = self.start()
            process.send_signal(number)
            began = time.monotonic()
            _, errors = process.communicate(timeout=30)
            self.assertLess(time.monotonic() - began, 2)
            self.assertEqual(process.returncode, -number)
            self.assertIn("interrupted", errors)
            self.assertIn("--resume", errors)
            self.assertEqual(os.listdir(self.here), ["suite.partial"])
            shutil.rmtree(self.here / "suite.partial")

    def test_killed_at_any_moment_resumes_to_the_same_digest(self):
        for tenths in [0, 1, 3, 5]:
            process = self.start()
            time.sleep(tenths / 10)
            process.kill()
            process.communicate()
        self.assertEqual(os.listdir(self.here), ["suite.partial"])
        self.expect(2, cts("check", self.here / "suite.partial", self.results),
                    "expected a suite")
        # Another kill while it goes on; a file that is gone, and one that is not whole.
        going_on = subprocess.Popen([CTS, "generate", "--recipe", "smoke", "--jobs", "1",
                                     "--resume", "--out", self.here / "suite"],
                                    stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

        def written():
            return sorted((self.here / "suite.partial").glob("abs/*/*.npy"))

        # However slow the machine: there is something to break.
        deadline = time.monotonic() + 60
        while len(written()) < 2 and time.monotonic() < deadline:
            time.sleep(0.05)
        going_on.kill()
        going_on.communicate()
        files = written()
        files[0].unlink()
        files[1].write_bytes(files[1].read_bytes()[:-1])
        resumed = self.generate("--resume")
        self.expect(0, resumed)
        self.assertEqual(resumed.stdout.split()[-1], self.digest_of_all())
        compared = subprocess.run(["diff", "-r", self.here / "suite", self.here / "whole"])
        self.assertEqual(compared.returncode, 0)
        # Nothing is left to do.
        again = self.generate("--resume")
        self.expect(0, again)
        self.assertEqual(again.stdout, resumed.stdout)
        self.expect(2, self.generate(), "exists already")

    def test_what_another_recipe_began_is_not_gone_on_with(self):
        process = self.start()
        process.kill()
        process.communicate()
        self.expect(2, self.generate("--resume", "--seed", "5"), "suite.partial",
                    "another recipe", "without --resume")
        self.assertEqual(os.listdir(self.here), ["suite.partial"])
        self.expect(0, self.generate("--operator", "exp"))
        self.assertEqual(os.listdir(self.here), ["suite"])

    def test_what_is_somebody_elses_stays(self):
        theirs = self.here / "suite.partial" / "thesis.txt"
        theirs.parent.mkdir()
        theirs.write_text("mine")
        for arguments in [[], ["--resume"]]:
            self.expect(2, self.generate("--operator", "abs", *arguments), "suite.partial",
                        "no suite of ours")
        self.assertEqual(theirs.read_text(), "mine")

    def test_a_resume_that_fails_keeps_what_is_complete(self):
        process = self.start()
        process.kill()
        process.communicate()
        journal = self.here / "suite.partial" / "journal.jsonl"
        complete = journal.read_text().count("\n")
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (40000, 40000))
        self.expect(2, cts("generate", "--recipe", "smoke", "--out", self.here / "suite",
                           "--resume", preexec_fn=limit), "cannot be written")
        self.assertGreaterEqual(journal.read_text().count("\n"), complete)
        # Lines that are not whole are cases to make again.
        with journal.open("a") as file:
            file.write("xx\n{}\n" + '{"entry":{"id":1},"files":[]}\n')
        resumed = self.generate("--resume")
        self.expect(0, resumed)
        self.assertEqual(resumed.stdout.split()[-1], self.digest_of_all())

    def test_the_working_directory_can_be_the_suite(self):
        (self.here / "empty").mkdir()
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "abs", "--out", ".",
                           cwd=self.here / "empty"))
        self.assertTrue((self.here / "empty" / "suite.json").exists())

    def test_two_writers_of_one_suite_are_kept_apart(self):
        process = self.start()
        self.expect(2, self.generate("--operator", "exp"), "another process writes this suite")
        process.kill()
        process.communicate()

    def test_filters_that_select_nothing_name_what_is_near(self):
        for arguments, words in [
                (["--operator", "CONV"], ["CONV2D", "CONV3D"]),
                (["--type", "int8"], ["i8", "i48"]),
                (["--condition", "conv2d.pad"], ["conv2d.pad_negative"]),
                (["--id", "conv2d/none*"], ["no case has an id like", "conv2d/"]),
                (["--shard", ""], ["I/N"]),
                (["--profile", "PRO-INT", "--operator", "TANH"], ["no case is left"]),
                (["--shard", "3/2"], ["3/2", "I/N"]),
                (["--shard", "2"], ["I/N"])]:
            self.expect(2, self.generate(*arguments), *words)
        self.assertEqual(os.listdir(self.here), [])

    def test_shards_have_every_case_once(self):
        whole = cts("generate", "--recipe", "smoke", "--list").stdout.split()
        parts = []
        for shard in ["1/3", "2/3", "3/3"]:
            part = cts("generate", "--recipe", "smoke", "--list", "--shard", shard).stdout.split()
            self.assertGreater(len(part), len(whole) / 4)
            parts += part
        self.assertEqual(sorted(parts), whole)


class Run(CommandLine):
    def run_adapter(self, command, *arguments, **options):
        return cts("run", self.suite, "--adapter", command, *arguments, "--out",
                   self.here / "results", **options)

    def test_bad_suites_and_filters_are_named(self):
        native = ["--implementation", "builtin:native", "--out", self.here / "results"]
        self.expect(2, cts("run", self.here, *native), self.here, "expected a suite")
        self.expect(2, cts("run", self.suite, *native, "--filter", "zzz"), "--filter: ", "suite.json",
                    "no", "like 'zzz'; the nearest: ")
        self.expect(2, cts("run", self.suite, "--implementation", "builtin:none", "--out", "x"),
                    "builtin:none", "builtin:native")
        self.expect(2, cts("run", self.suite, "--implementation", "native", "--out", "x"),
                    "builtin:native", "--adapter")

    def test_a_filter_means_the_same_to_generate_run_and_check(self):
        patterns = ["clamp/fp16-*", self.valid_case(), "*error*i8-?"]
        for option in ("--filter", "--id"):
            asked = [word for pattern in patterns for word in (option, pattern)]
            results = self.here / f"results{option}"
            self.expect(0, cts("run", self.suite, "--implementation", "builtin:native", *asked, "--out", results))
            ids = {case["id"] for case in self.cases}
            ran = {str(path.parent.relative_to(results)) for path in results.rglob("result.json")}
            self.assertEqual(ran, {case for case in ids
                                   if any(fnmatch.fnmatchcase(case, pattern) for pattern in patterns)})
            done = cts("check", self.suite, results, *asked, "--json", self.here / "r.json")
            self.expect(0, done)
            report = json.loads((self.here / "r.json").read_text())
            self.assertEqual({case["id"] for case in report["cases"]}, ran)
            self.assertIs(report["conformant"], False)
            listed = cts("generate", "--recipe", "smoke", "--operator", "clamp", *asked, "--list")
            self.assertEqual(set(listed.stdout.split()), ran)
            self.assertTrue(0 < len(ran) < len(self.cases))
        self.expect(2, cts("check", self.suite, results, "--filter", "fp16"), "suite.json",
                    "has the id 'fp16'; '*fp16*' matches ")

    def test_packs_are_read_by_whoever_reads_folders(self):
        packed, folders = self.here / "packed" / "results", self.here / "folders" / "results"
        self.expect(0, cts("run", self.suite, "--implementation", "builtin:fault:clamp.unsigned_bounds", "--pack", "--out", packed))
        self.assertEqual({path.name for path in packed.iterdir()}, {"clamp.tar", "results.json", "run.json"})
        folders.mkdir(parents=True)
        subprocess.run(["tar", "-C", folders, "-xf", packed / "clamp.tar"], check=True)
        for name in ("run.json", "results.json"):
            shutil.copy(packed / name, folders)
        for case, digest in json.loads((packed / "results.json").read_text())["cases"].items():
            files = [(path.name, path.read_bytes()) for path in sorted((folders / case).iterdir())]
            parts = [f"{name}\n{len(data)}\n".encode() + data for name, data in files]
            self.assertEqual(hashlib.sha256(b"".join(parts)).hexdigest(), digest)
        report = json.loads(cts("check", self.suite, "results", "--json", "-", cwd=packed.parent).stdout)
        case = next(c["id"] for c in report["cases"] if c["verdict"] == "fail")
        for command in [["check", self.suite, "results", "--json", "-"], ["check", self.suite, "results", "--junit", "-"],
                        ["check", self.suite, "results", "--html", "-"], ["check", self.suite, "results"],
                        ["gate", "--suite", self.suite, "--results", "results"], ["explain", "results", case],
                        ["explain", "results", case, "--html", "-"], ["diagnose", self.suite, "results", "--json"]]:
            both = [cts(*command, cwd=place.parent) for place in (packed, folders)]
            self.assertEqual(both[0].stdout, both[1].stdout, command)
            self.assertEqual(both[0].returncode, both[1].returncode)
            self.assertNotEqual(both[0].returncode, 2, both[0].stderr)
            self.assertIn(case, both[0].stdout)
        for place in (packed, folders):
            self.expect(1, cts("check", self.suite, place, "--json", place.with_suffix(".json")))
        self.expect(0, cts("compare", packed.with_suffix(".json"), folders.with_suffix(".json")), "0 ")
        # Every command that reads results refuses a missing pack, and an unfinished one.
        (packed / "clamp.tar").rename(packed / "away")
        commands = [["check", self.suite, packed], ["gate", "--suite", self.suite, "--results", packed],
                    ["explain", packed, case], ["diagnose", self.suite, packed], ["merge", packed, "--out", "x"]]
        for command in commands:
            self.expect(2, cts(*command, cwd=self.here), "clamp.tar: no such file")
        (packed / "results.unsorted").write_bytes(b"")
        for command in commands:
            self.expect(2, cts(*command, cwd=self.here), "results.unsorted", "left over", "remove it")

    def test_an_adapter_that_does_not_start_is_told(self):
        self.expect(2, self.run_adapter("/nowhere/adapter"), "the adapter does not start: ",
                    "no such command", "/nowhere/adapter")
        self.assertEqual(list((self.here / "results").iterdir()), [])
        done = cts("check", self.suite, self.here / "results")
        self.expect(2, done, "run.json")

    def test_a_crash_is_a_result_of_the_case(self):
        one = ["--filter", self.valid_case()]
        self.expect(0, self.run_adapter("kill -SEGV $$ #", *one), "1 crash", "no case got an answer",
                    f"{self.valid_case()}, ended as crash", "Segmentation fault")
        self.expect(1, cts("check", self.suite, self.here / "results"), "NOT CONFORMANT")
        self.expect(2, cts("run", self.suite, "--adapter", "exit 3 #", *one, "--out",
                           self.here / "broken"), "no case got an answer", "Mend the adapter")

    def test_unsupported_is_an_answer_and_no_pass(self):
        self.expect(0, self.run_adapter(UNSUPPORTED), f"{len(self.cases)} unsupported")
        self.expect(1, cts("check", self.suite, self.here / "results"), "nothing at all",
                    "NOT CONFORMANT")

    def test_an_adapter_that_writes_into_the_suite_is_found_out(self):
        suite = self.copy(self.suite)
        script = self.here / "adapter.sh"
        script.write_text(f"echo >> $1/case.json; echo '{UNSUPPORTED_LINE}'\n")
        done = cts("run", suite, "--adapter", f"sh {script}", "--out", self.here / "results")
        self.expect(0, done)
        self.expect(2, cts("check", suite, self.here / "results"), self.cases[0]["id"],
                    "generate it again")

    def test_an_adapter_that_takes_the_place_of_a_result_is_found_out(self):
        place = self.here / "results" / self.cases[0]["id"]
        script = self.here / "adapter.sh"
        script.write_text(f"mkdir -p {place}; touch {place}/x; echo '{UNSUPPORTED_LINE}'\n")
        self.expect(2, self.run_adapter(f"sh {script}", "--jobs", "1"), place)
        self.assertFalse((place / "result.json").exists())

    def test_results_of_another_run_are_not_mixed(self):
        results = self.copy(self.results)
        before = (results / "run.json").read_bytes()
        native = ["--implementation", "builtin:native", "--out", results]
        self.expect(2, cts("run", self.suite, *native), results, "--resume")
        self.expect(0, cts("run", self.suite, *native, "--resume"))
        other = self.here / "other"
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "exp", "--out", other))
        self.expect(2, cts("run", other, *native, "--resume"), "another suite")
        self.expect(2, cts("run", self.suite, "--implementation", "builtin:native", "--out",
                           other), other, "not empty")
        self.assertEqual(json.loads(before)["suite_digest"],
                         json.loads((results / "run.json").read_text())["suite_digest"])

    def test_where_nothing_can_be_written_is_told(self):
        self.expect(2, cts("run", self.suite, "--implementation", "builtin:native", "--out",
                           "/proc/none/results"), "/proc/none/results", "cannot be created")

    def test_a_full_disk_leaves_no_half_result(self):
        limit = lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (200, 200))
        done = cts("run", self.suite, "--implementation", "builtin:native", "--out",
                   self.here / "results", preexec_fn=limit)
        self.expect(2, done, "cannot write")
        for path in (self.here / "results").rglob("*.npy"):
            self.assertTrue((path.parent / "result.json").exists(), path)

    def test_interrupted_stops_within_two_seconds_and_can_be_resumed(self):
        # Hangs in one case until a file is there; the cases before it are done by then.
        stall = self.suite.name + "/" + self.cases[9]["id"]
        script = self.here / "adapter.sh"
        script.write_text(f"""case "$1" in */{stall}) [ -e {self.here}/go ] || sleep 100;; esac
echo '{UNSUPPORTED_LINE}'\n""")
        command = ["run", self.suite, "--adapter", f"sh {script}", "--jobs", "1", "--out",
                   self.here / "results"]
        process = subprocess.Popen([CTS, *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True)
        kept = lambda: sorted((self.here / "results").glob("*/*/result.json"))
        for _ in range(3000):
            if len(kept()) == 9:
                break
            time.sleep(0.01)
        self.assertEqual(len(kept()), 9)
        time.sleep(0.1)
        start = time.monotonic()
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=30)
        self.assertLess(time.monotonic() - start, 2)
        self.assertEqual(process.returncode, -signal.SIGINT)
        self.assertIn("--resume", errors)
        times = {path: path.stat().st_mtime_ns for path in kept()}
        self.assertEqual(len(times), 9)
        (self.here / "go").touch()
        self.expect(0, cts(*command, "--resume"), f"{len(self.cases)} unsupported")
        for path, before in times.items():
            self.assertEqual(path.stat().st_mtime_ns, before, "kept, not run again")
        self.expect(1, cts("check", self.suite, self.here / "results"), "CLAMP")

    def test_embedded_results_resumed_pass(self):
        results = self.copy(self.results)
        for case in self.cases[::2]:
            shutil.rmtree(results / case["id"])
        self.expect(1, cts("check", self.suite, results), "missing")
        self.expect(0, cts("run", self.suite, "--implementation", "builtin:native", "--out",
                           results, "--resume"))
        self.expect(0, cts("check", self.suite, results), "CONFORMANT on this suite")


class Check(CommandLine):
    def test_exit_code_tells_conformant_from_not(self):
        self.expect(0, cts("check", self.suite, self.results), "CONFORMANT on this suite")
        results = self.copy(self.results)
        output = results / self.valid_case() / "output.npy"
        output.write_bytes(output.read_bytes()[:-1] + b"\x7e")
        self.expect(1, cts("check", self.suite, results), "NOT CONFORMANT: 1 wrong, ", "fail",
                    self.valid_case())

    def test_a_partial_report_is_named_everywhere_and_judges_what_is_there(self):
        results, page, report = self.copy(self.results), self.here / "page.html", self.here / "report.json"
        self.expect(0, cts("check", self.suite, results, "--partial"), "CONFORMANT on this suite")
        for case in self.cases[1:]:
            if case["id"] != self.valid_case():
                shutil.rmtree(results / case["id"])
        there = len(list(results.glob("*/*/result.json")))
        words = f"{len(self.cases) - there} of {len(self.cases)} cases have no result"
        self.expect(1, cts("check", self.suite, results), "without a result", "NOT CONFORMANT")
        done = cts("check", self.suite, results, "--partial", "--html", page, "--json", report)
        self.expect(0, done, "PARTIAL RESULTS PASSED", words)
        self.assertNotIn("CONFORMANT", done.stdout)
        self.assertIn(words, page.read_text())
        said = json.loads(report.read_text())
        self.assertEqual((said["partial"], said["conformant"], len(said["cases"])),
                         ({"missing": len(self.cases) - there, "passed": True}, False, there))
        output = results / self.valid_case() / "output.npy"
        output.write_bytes(output.read_bytes()[:-1] + b"\x7e")
        self.expect(1, cts("check", self.suite, results, "--partial"), "PARTIAL RESULTS FAILED: 1 wrong", words)
        shutil.rmtree(results / self.valid_case())
        shutil.rmtree(results / self.cases[0]["id"], ignore_errors=True)
        self.expect(1, cts("check", self.suite, results, "--partial"), "no case has a result, nothing was checked")
        # JUnit XML has no word for it, and the gate takes whole results alone.
        self.expect(2, cts("check", self.suite, results, "--partial", "--junit", "-"), "excludes")
        self.expect(1, cts("gate", "--suite", self.suite, "--results", results), "missing", "GATE FAILED")
        self.expect(2, cts("gate", "--suite", self.suite, "--results", results, "--partial"), "--partial")

    def test_only_what_failed_in_a_report_runs_again(self):
        results, report, again = self.copy(self.results), self.here / "report.json", self.here / "again"
        output = results / self.valid_case() / "output.npy"
        output.write_bytes(output.read_bytes()[:-1] + b"\x7e")
        gone = next(case["id"] for case in self.cases if case["id"] != self.valid_case())
        shutil.rmtree(results / gone)
        self.expect(1, cts("check", self.suite, results, "--json", report))
        run = ("run", self.suite, "--implementation=builtin:native", "--again", report, "--out", again)
        self.expect(0, cts(*run), "2 cases run")
        self.assertEqual({str(path.parent.relative_to(again)) for path in again.glob("*/*/result.json")}, {self.valid_case(), gone})
        self.expect(0, cts("check", self.suite, again, "--partial"), "PARTIAL RESULTS PASSED")
        self.expect(1, cts("check", self.suite, again), "only cases that failed in a report ran")
        record = json.loads((again / "run.json").read_text())
        self.assertEqual(record["again"], hashlib.sha256(report.read_bytes()).hexdigest())
        self.assertEqual(sorted(record["filter"]), sorted([self.valid_case(), gone]))
        # It goes on with the same report alone, and into no results of the whole suite.
        shutil.rmtree(again / gone)
        self.expect(0, cts(*run, "--resume"))
        whole = pathlib.Path(shutil.copytree(self.results, self.here / "whole"))
        self.expect(2, cts(*run[:-1], whole, "--resume"), "go on as it began")
        self.expect(0, cts("check", self.suite, self.results, "--json", report))
        self.expect(2, cts(*run, "--resume", "--quiet", "--filter=*"), "excludes")
        self.expect(0, cts(*run[:-1], self.here / "none"), "no case failed: nothing to run")
        self.assertFalse((self.here / "none").exists())
        # Cases that a report leaves out may have failed, too.
        shutil.rmtree(results / self.valid_case())
        for part in ("--partial",), ("--filter", gone):
            cts("check", self.suite, results, *part, "--json", report)
            said = len(json.loads(report.read_text())["cases"])
            self.expect(2, cts(*run[:-1], self.here / "none"), "--again: ", f"found {said} of the {len(self.cases)} cases")
        self.assertFalse((self.here / "none").exists())
        other = self.here / "other"
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "exp", "--out", other))
        self.expect(2, cts("run", other, *run[2:-1], self.here / "none"), "--again: ", "the report is of another suite")
        report.write_text("{}")
        self.expect(2, cts(*run[:-1], self.here / "none"), "--again: ", "report.json")

    def test_what_is_no_suite_or_no_results_is_named(self):
        nowhere = self.here / "nowhere"
        self.expect(2, cts("check", nowhere, self.results), nowhere, "expected a suite")
        self.expect(2, cts("check", self.results, self.suite), self.results, "expected a suite")
        self.expect(2, cts("check", self.suite, nowhere), nowhere, "expected results")
        self.expect(2, cts("check", self.suite, self.here), self.here, "expected results")

    def test_results_of_another_suite_are_refused(self):
        other = self.here / "other"
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "exp", "--out", other))
        self.expect(2, cts("check", other, self.results), "suite_digest", "check against the suite")
        self.expect(2, cts("explain", self.results, "exp/x", "--suite", other), "suite_digest")

    @staticmethod
    def bundle_digest(folder):
        """Computes the digest as schemas/README.md defines it."""
        paths = sorted(str(path.relative_to(folder)) for path in folder.rglob("*")
                       if path.is_file() and path.name != "case.json")
        digest = hashlib.sha256()
        for path in ["case.json", *paths]:
            contents = (folder / path).read_bytes()
            digest.update(f"{path}\n{len(contents)}\n".encode() + contents)
        return digest.hexdigest()

    def test_a_suite_of_two_editions_is_refused_by_all(self):
        suite, other = self.here / "draft", self.here / "release"
        self.expect(0, cts("generate", "--recipe", "smoke-0.100", "--operator", "exp",
                           "--out", suite))
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "conv2d",
                           "--type", "fp32", "--out", other))
        self.expect(0, cts("run", suite, "--implementation", "builtin:native",
                           "--out", self.here / "of-draft"))
        manifest = json.loads((suite / "suite.json").read_text())
        entry = next(case for case in json.loads((other / "suite.json").read_text())["cases"]
                     if case["outcome"] == "valid")
        shutil.copytree(other / entry["id"], suite / entry["id"])
        manifest["cases"] = sorted([*manifest["cases"], entry], key=lambda case: case["id"])
        manifest["digest"] = hashlib.sha256("".join(
            f"{case['id']}\n{case['digest']}\n" for case in manifest["cases"]).encode()).hexdigest()
        (suite / "suite.json").write_text(json.dumps(manifest))
        said = (f"{entry['id']}/case.json", "/edition", "found tosa-1.0", "expected tosa-0.100",
                "generate it again")
        native = ["--implementation", "builtin:native"]
        self.expect(2, cts("run", suite, *native, "--out", self.here / "mixed"), *said)
        self.expect(2, cts("gate", "--suite", suite, *native), *said)
        self.expect(2, cts("export", suite, "--format", "tosa", "--out", self.here / "out"), *said)
        self.expect(2, cts("shrink", suite, entry["id"], *native, "--out", self.here / "shrunk"),
                    *said)
        self.expect(2, cts("coverage", suite), *said[:3], "tosa-0.100", said[-1][:8])
        # A graph with an operator of another edition, and everything sealed again.
        foreign = self.copy(self.suite)
        path = foreign / self.valid_case() / "case.json"
        case = json.loads(path.read_text())
        clamp = case["graph"]["regions"][0]["blocks"][0]["operators"][-1]
        self.assertEqual(clamp["operator"], "CLAMP")
        clamp["operator"] = "FULLY_CONNECTED"
        path.write_text(json.dumps(case))
        manifest = json.loads((foreign / "suite.json").read_text())
        next(case for case in manifest["cases"] if case["id"] == self.valid_case())["digest"] = \
            self.bundle_digest(path.parent)
        manifest["digest"] = hashlib.sha256("".join(
            f"{case['id']}\n{case['digest']}\n" for case in manifest["cases"]).encode()).hexdigest()
        (foreign / "suite.json").write_text(json.dumps(manifest))
        says = (f"{self.valid_case()}/case.json", "FULLY_CONNECTED (operator ",
                "tosa-1.0 has no operator of that name", "one of tosa-0.100, rvtensor")
        self.expect(2, cts("run", foreign, "--adapter", UNSUPPORTED, "--out", self.here / "foreign"),
                    *says)
        self.expect(2, cts("gate", "--suite", foreign, "--adapter", UNSUPPORTED), *says)
        self.expect(2, cts("coverage", foreign), *says)
        self.expect(2, cts("export", foreign, "--format", "tosa", "--out", self.here / "out"),
                    self.valid_case(), *says[1:])
        self.expect(2, cts("render", path.parent), self.valid_case(), *says[2:])
        self.expect(2, cts("eval", path.parent), *says)
        # The whole suite under another name.
        manifest = json.loads((other / "suite.json").read_text())
        manifest["edition"] = "tosa-0.100"
        (other / "suite.json").write_text(json.dumps(manifest))
        self.expect(2, cts("run", other, *native, "--out", self.here / "renamed"), "case.json",
                    *said[1:])

    def test_a_changed_byte_in_the_suite_names_the_case(self):
        suite = self.copy(self.suite)
        for name in ["expected/output.npy", "input.npy", "case.json"]:
            path = suite / self.valid_case() / name
            before = path.read_bytes()
            path.write_bytes(before[:-3] + bytes([before[-3] ^ 1]) + before[-2:])
            self.expect(2, cts("check", suite, self.results), self.valid_case(),
                        "generate it again")
            path.write_bytes(before)
        manifest = suite / "suite.json"
        manifest.write_text(manifest.read_text().replace("CLAMP", "CLAMQ"))
        self.expect(2, cts("check", suite, self.results), "CLAMQ")
        manifest.write_text(manifest.read_text()[:-20])
        self.expect(2, cts("check", suite, self.results), manifest, "line ")

    def test_broken_answers_are_verdicts_that_name_file_and_fault(self):
        results = self.copy(self.results)
        misdeeds = {
            "truncated": ("malformed", "output.npy", lambda old: old[:-1]),
            "oversized": ("malformed", "output.npy", lambda old: old + b"x"),
            "text": ("malformed", "output.npy", lambda old: b"1 2 3\n"),
            "empty": ("malformed", "output.npy", lambda old: b""),
            "mistyped": ("malformed", "output.npy",
                         lambda old: old.replace(b"'descr': '", b"'descr': 'z")),
            "misshapen": ("malformed", "output.npy",
                          lambda old: old.replace(b"'shape': (", b"'shape': (7, ")),
            "no json": ("malformed", "result.json", lambda old: b"ok"),
            "another status": ("malformed", "result.json", lambda old: b'{"status": "fine"}'),
            "no status": ("malformed", "result.json", lambda old: b"{}"),
            "no output": ("missing", "output.npy", None),
            "no result": ("missing", "result.json", None)}
        valid = [case["id"] for case in self.cases if case["outcome"] == "valid"]
        expected = {}
        for case, (verdict, name, change) in zip(valid, misdeeds.values()):
            path = results / case / name
            expected[case] = (verdict, name)
            if change is None:
                path.unlink()
            else:
                path.write_bytes(change(path.read_bytes()))
        self.assertEqual(len(expected), len(misdeeds))
        done = cts("check", self.suite, results, "--json", "-", "--junit", self.here / "report.xml")
        self.expect(1, done)
        for case in json.loads(done.stdout)["cases"]:
            verdict, name = expected.get(case["id"], ("pass", ""))
            self.assertEqual(case["verdict"], verdict, case)
            self.assertIn(name, case.get("message", ""))
        self.assertIn(f'errors="{len(misdeeds)}"', (self.here / "report.xml").read_text())

    def test_a_report_that_cannot_be_written_is_an_error(self):
        self.expect(2, cts("check", self.suite, self.results, "--json", "/proc/none/x.json"),
                    "/proc/none/x.json")
        self.expect(2, cts("check", self.suite, self.results, "--junit", self.here), self.here)

    def test_a_place_without_hope_is_refused_before_the_work(self):
        suite = self.here / "no suite at all"
        (self.here / "file").write_text("")
        for option in ["--json", "--junit", "--html"]:
            for place in ["/proc/none/x", self.here, self.here / "file" / "x", "/proc/version"]:
                done = cts("check", suite, self.results, option, place)
                self.expect(2, done, option, place)
                self.assertNotIn("suite.json", done.stderr)
        other = self.here / "good.json"
        self.expect(2, cts("check", self.suite, self.results, "--json", other, "--html", self.here))
        self.assertFalse(other.exists())

    def test_reports_of_three_kinds_at_once(self):
        places = [self.here / "new" / name for name in ("r.json", "r.xml", "r.html")]
        done = cts("check", self.suite, self.results, "--json", places[0], "--junit", places[1],
                   "--html", places[2])
        self.expect(0, done)
        self.assertIn("CONFORMANT on this suite", done.stdout)
        self.assertTrue(json.loads(places[0].read_text())["conformant"])
        self.assertIn("<testsuites ", places[1].read_text())
        self.assertTrue(places[2].read_text().startswith("<!DOCTYPE html>"))
        self.assertEqual(sorted(p.name for p in places[0].parent.iterdir()),
                         ["r.html", "r.json", "r.xml"])
        for option, place in zip(["--json", "--junit", "--html"], places):
            done = cts("check", self.suite, self.results, option, "-")
            self.expect(0, done)
            self.assertEqual(done.stdout, place.read_text())


class Coverage(CommandLine):
    def change(self, suite, change):
        """Rewrites the manifest; its digest is over ids and digests of the cases."""
        manifest = json.loads((suite / "suite.json").read_text())
        change(manifest)
        lines = "".join(f"{case['id']}\n{case['digest']}\n" for case in manifest["cases"])
        manifest["digest"] = hashlib.sha256(lines.encode()).hexdigest()
        (suite / "suite.json").write_text(json.dumps(manifest))

    def test_a_whole_suite_has_no_holes(self):
        done = cts("coverage", self.suite)
        self.expect(0, done, "No holes.", "CLAMP", "(100.0 %)", "never a case")
        self.assertEqual(done.stderr, "")

    def test_json_is_all_that_stands_on_standard_output(self):
        for options in [["--json"], ["--json", "-"], ["--json=-"]]:
            done = cts("coverage", self.suite, *options)
            self.expect(0, done)
            report = json.loads(done.stdout)
            self.assertTrue(report["complete"])
            listed = json.loads(cts("list", "conditions", "--json").stdout)
            self.assertEqual([(c["id"], c["operator"], c["kind"]) for c in report["conditions"]],
                             [(c["id"], c["operator"], c["kind"]) for c in listed])
            states = [c["state"] == "never_a_case" for c in report["conditions"]]
            self.assertEqual(states, [c["kind"] != "error_if" for c in listed])
            self.assertEqual(sum(states), report["totals"]["never_a_case"])

    def test_files_are_written_beside_the_text(self):
        page, report = self.here / "c.html", self.here / "c.json"
        self.expect(0, cts("coverage", self.suite, "--html", page, "--json", report), "No holes.")
        self.assertIn("<!DOCTYPE html>", page.read_text())
        self.assertEqual(json.loads(report.read_text())["format"], "tensor-cts-coverage-1")
        self.expect(2, cts("coverage", self.suite, "--html", self.here), "--html: ", self.here)
        self.expect(0, cts("coverage", self.suite, "--json", self.here / "new/folder/c.json"))
        self.assertTrue((self.here / "new/folder/c.json").is_file())
        self.expect(0, cts("coverage", "--help"), "Missing folders on the way to a FILE are made.")
        self.expect(2, cts("coverage", self.suite, "--html", "-", "--json", "-"), "--html")

    def test_a_hole_is_listed_and_exits_1(self):
        suite = self.copy(self.suite)

        def remove(manifest):
            manifest["cases"] = [case for case in manifest["cases"]
                                 if case["conditions"] != ["clamp.bounds_order"]
                                 and not ("i8" in re.split("[/-]", case["id"])
                                          and case["outcome"] == "valid")]
        self.change(suite, remove)
        done = cts("coverage", suite)
        self.expect(1, done, "clamp.bounds_order: no error case breaks it",
                    "clamp/i8: the type row has no valid case", "What to do: generate")
        holes = json.loads(cts("coverage", suite, "--json").stdout)["holes"]
        self.assertIn({"kind": "condition", "place": "clamp.bounds_order", "values": {}}, holes)
        self.assertIn({"kind": "tuple", "place": "clamp/i8", "values": {"data": "full-range"}},
                      holes)

    def test_a_missing_case_is_a_hole_though_every_tuple_is_there(self):
        suite = self.copy(self.suite)
        removed = next(case["id"] for case in self.cases
                       if case["conditions"] == ["clamp.bounds_order"] and "fp16" not in case["id"])
        self.change(suite, lambda manifest: manifest.update(
            cases=[case for case in manifest["cases"] if case["id"] != removed]))
        self.expect(1, cts("coverage", suite), "1 hole:", "Planned ",
                    f"planned case {removed} is missing: generate the suite again")
        report = json.loads(cts("coverage", suite, "--json").stdout)
        self.assertEqual(report["holes"], [{"kind": "case", "place": removed, "values": {}}])
        self.assertEqual(report["totals"]["planned"]["all"], len(self.cases))

    def test_a_case_that_was_changed_is_named(self):
        suite = self.copy(self.suite)
        file = suite / self.valid_case() / "case.json"
        file.write_text(file.read_text() + " ")
        self.expect(2, cts("coverage", suite), self.valid_case(), "digest", "generate")

    def test_a_filtered_recipe_is_told(self):
        suite = self.here / "filtered"
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "clamp", "--shard", "1/3",
                           "--out", suite))
        self.expect(1, cts("coverage", suite), "Filtered by shard 1/3", "What to do: ")

    def test_bad_input_is_named(self):
        self.expect(2, cts("coverage", self.here / "none"), "none", "generate")
        suite = self.copy(self.suite)
        self.change(suite, lambda manifest: manifest.pop("recipe"))
        self.expect(2, cts("coverage", suite), "suite.json", "recipe", "generate")
        self.change(suite, lambda manifest: manifest.update(
            recipe={"name": "x", "edition": "tosa-1.0", "level": "8K", "strength": 7}))
        self.expect(2, cts("coverage", suite), "suite.json", "strength")
        suite = shutil.copytree(self.suite, self.here / "other")
        (suite / self.valid_case() / "case.json").write_text("{")
        self.expect(2, cts("coverage", suite), self.valid_case())


class Explain(CommandLine):
    def test_tells_value_rule_inputs_and_how_to_run_again(self):
        results = self.copy(self.results)
        output = results / self.valid_case() / "output.npy"
        output.write_bytes(output.read_bytes()[:-1] + b"\x7e")
        self.expect(0, cts("explain", results, self.valid_case()), "expected", "accepted", "got",
                    "made of", "input", "rule", "clause", "rerun:  tensor-cts run ")
        done = cts("explain", results, self.valid_case(), "--python")
        self.expect(0, done)
        self.assertEqual(done.stderr, "")
        compile(done.stdout, "script", "exec")
        self.assertIn(self.valid_case(), done.stdout)

    def test_an_error_case_tells_what_is_illegal(self):
        case = next(c["id"] for c in self.cases if c["conditions"] == ["clamp.bounds_order"])
        self.expect(0, cts("explain", self.results, case),
                    "clamp.bounds_order: max_val ", " is below min_val")

    def test_unknown_cases_and_folders_are_named(self):
        self.expect(2, cts("explain", self.results, "clamp/fp3"), "clamp/fp3", "nearest",
                    "clamp/fp32")
        self.expect(2, cts("explain", self.here, "clamp/x"), self.here, "expected results")
        results = self.copy(self.results)
        run = json.loads((results / "run.json").read_text())
        run["suite_path"] = "/nowhere"
        (results / "run.json").write_text(json.dumps(run))
        self.expect(2, cts("explain", results, self.valid_case()), "/nowhere", "--suite")
        self.expect(0, cts("explain", results, self.valid_case(), "--suite", self.suite), "pass")


CLAMP = {"id": 7, "operator": "CLAMP",
         "arguments": {"input": {"dtype": "i8", "shape": [3], "data": [-9, 0, 9]}, "min_val": -1,
                       "max_val": 5, "nan_mode": "PROPAGATE"},
         "output_types": {"output": {"dtype": "i8", "shape": [3]}}}


class Eval(CommandLine):
    def graph(self, case):
        """The graph of a case, alone in a file, its constants beside it."""
        folder = self.here / "graph"
        shutil.copytree(self.suite / case, folder)
        graph = json.loads((folder / "case.json").read_text())["graph"]
        (folder / "graph.json").write_text(json.dumps(graph))
        return folder

    def calls(self, *lines, arguments=()):
        text = "".join((line if isinstance(line, str) else json.dumps(line)) + "\n"
                       for line in lines)
        done = subprocess.run([CTS, "eval", "--calls", "-", *arguments], input=text, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=120)
        self.assertEqual(done.stderr, "")
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines()]

    def test_a_case_is_told_by_folder_or_by_suite_and_id(self):
        case = next(c["id"] for c in self.cases if c["id"].startswith("clamp/fp16-"))
        for arguments in [[self.suite / case], [self.suite, case]]:
            self.expect(0, cts("eval", *arguments), f"{case}: valid", "output output: fp16[",
                        "rule", "clause", "values", "flushed")
        done = cts("eval", self.suite, case, "--json")
        self.expect(0, done)
        answer = json.loads(done.stdout)
        self.assertEqual((answer["id"], answer["outcome"]), (case, "valid"))
        self.assertEqual(list(answer["outputs"]), ["output"])

    def test_an_error_names_the_condition(self):
        case = next(c["id"] for c in self.cases if c["conditions"] == ["clamp.bounds_order"])
        self.expect(0, cts("eval", self.suite / case), f"{case}: error", "clamp.bounds_order",
                    "error_if", "max_val is less than min_val", "CLAMP (operator 0)")
        done = cts("eval", self.suite / case, "--json", "--out", self.here / "out")
        self.assertEqual(json.loads(done.stdout)["conditions"], ["clamp.bounds_order"])
        self.assertFalse((self.here / "out").exists())

    def test_outputs_are_those_of_the_bundle(self):
        case = self.valid_case()
        self.expect(0, cts("eval", self.suite / case, "--out", self.here / "out"))
        self.assertEqual((self.here / "out" / "output.npy").read_bytes(),
                         (self.suite / case / "expected" / "output.npy").read_bytes())
        self.expect(2, cts("eval", self.suite / case, "--out", "/proc/none/out"), "/proc/none/out")

    def test_every_execution_is_answered(self):
        suite, out = self.here / "suite", self.here / "out"
        self.expect(0, cts("generate", "--recipe", "smoke", "--operator", "VARIABLE_READ", "--out", suite))
        case = next(path.parent for path in sorted(suite.rglob("case.json"))
                    if json.loads(path.read_text()).get("later_executions")
                    and (path.parent / "expected").is_dir())
        done = cts("eval", case, "--json", "--out", out)
        self.expect(0, done)
        names = sorted(path.stem for path in (case / "expected").glob("*.npy"))
        self.assertTrue(any(name.endswith(".1") for name in names), names)
        self.assertEqual(sorted(json.loads(done.stdout)["outputs"]), names)
        for name in names:
            self.assertEqual((out / f"{name}.npy").read_bytes(),
                             (case / "expected" / f"{name}.npy").read_bytes())

    def test_a_graph_with_its_files(self):
        case = self.valid_case()
        folder = self.graph(case)
        graph = ["eval", "--graph", folder / "graph.json"]
        given = ["--input", f"input={folder / 'input.npy'}"]
        done = cts(*graph, *given, "--json", "--out", self.here / "out")
        self.expect(0, done)
        self.assertEqual(json.loads(done.stdout)["outcome"], "valid")
        self.assertEqual((self.here / "out" / "output.npy").read_bytes(),
                         (self.suite / case / "expected" / "output.npy").read_bytes())
        self.expect(0, cts(*graph, *given), "graph.json: valid")
        self.expect(2, cts(*graph), "input input has no file; add --input input=FILE.npy")
        self.expect(2, cts(*graph, *given, *given), "input twice")
        self.expect(2, cts(*graph, *given, "--input", "x=y.npy"), "--input x", "one of input")
        self.expect(2, cts(*graph, "--input", "input"), "NAME=FILE.npy")
        self.expect(2, cts(*graph, "--input", "input=/nowhere.npy"), "/nowhere.npy")
        self.expect(2, cts(*graph, *given, "--edition", "tosa-2"), "tosa-2", "tosa-1.0")
        self.expect(2, cts(*graph, *given, "--edition", "tosa-1.1-draft"), "does not cover it yet")
        self.expect(2, cts(*graph, *given, "--level", "9K"), "9K", "8K")
        self.expect(2, cts(*graph, *given, "--data-set", "7"), "--data-set")
        (folder / "graph.json").write_text('{"regions": [{"name": 3, "blocks": []}]}')
        self.expect(2, cts(*graph, *given), folder / "graph.json", "/regions/0/name")

    def test_what_to_evaluate_is_said_once(self):
        self.expect(2, cts("eval"), "CASE, --graph FILE or --calls FILE")
        self.expect(2, cts("eval", self.suite / self.valid_case(), "--calls", "-"), "--calls")
        self.expect(2, cts("eval", self.suite / self.valid_case(), "--level", "8K"), "--level")
        self.expect(2, cts("eval", "--calls", "-", "--out", "x"), "--out")
        self.expect(2, cts("eval", "--input", "a=b"), "--graph")

    def test_unknown_cases_and_files_are_named(self):
        self.expect(2, cts("eval", self.suite), self.suite, "add the id")
        self.expect(2, cts("eval", self.suite, "clamp/fp3"), "clamp/fp3", "nearest", "clamp/fp32")
        self.expect(2, cts("eval", self.here, "clamp/fp3"), self.here)
        self.expect(2, cts("eval", self.here), self.here / "case.json")
        self.expect(2, cts("eval", "--graph", self.here / "g.json"), self.here / "g.json")
        self.expect(2, cts("eval", "--calls", self.here / "c.jsonl"), self.here / "c.jsonl")
        self.expect(2, cts("eval", "--calls", self.here), self.here)

    def test_calls_are_answered_line_by_line(self):
        error = json.loads(json.dumps(CLAMP))
        error["arguments"]["min_val"] = 6
        code, answers = self.calls(CLAMP, "", error, "  ")
        self.assertEqual(code, 0)
        self.assertEqual([a["outcome"] for a in answers], ["valid", "error"])
        self.assertEqual(answers[0]["outputs"], {"output": {"dtype": "i8", "shape": [3],
                                                            "data": [-1, 0, 5]}})
        self.assertEqual(answers[1]["conditions"], ["clamp.bounds_order"])

    def test_a_malformed_line_does_not_end_the_run(self):
        code, answers = self.calls("{", {**CLAMP, "operator": "CLMP"}, CLAMP, "\x00")
        self.assertEqual(code, 2)
        self.assertIn("not JSON: line 1, column", answers[0]["malformed"])
        self.assertIn("did you mean CLAMP", answers[1]["malformed"])
        self.assertEqual([a["id"] for a in answers], [None, 7, 7, None])
        self.assertEqual(answers[2]["outcome"], "valid")

    def test_calls_come_from_a_file_too_and_the_defaults_from_options(self):
        path = self.here / "calls.jsonl"
        call = json.loads(json.dumps(CLAMP))
        del call["arguments"]["nan_mode"]  # 0.100 has none
        path.write_text(json.dumps(call))  # and no newline at the end
        done = cts("eval", "--calls", path, "--edition", "tosa-0.100")
        self.expect(0, done, '"outcome":"valid"', "tosa-0.100, CLAMP")
        # 1.0 propagates by default, and has an argument of that name.
        self.expect(0, cts("eval", "--calls", path), '"outcome":"valid"', "tosa-1.0, CLAMP")
        del call["arguments"]["max_val"]
        path.write_text(json.dumps(call))
        done = cts("eval", "--calls", path)
        self.assertEqual(done.returncode, 2)
        self.assertIn("max_val", json.loads(done.stdout)["malformed"])

    def test_each_answer_comes_at_once(self):
        process = subprocess.Popen([CTS, "eval", "--calls", "-"], stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE, text=True)
        for number in range(3):
            process.stdin.write(json.dumps({**CLAMP, "id": number}) + "\n")
            process.stdin.flush()
            self.assertEqual(json.loads(process.stdout.readline())["id"], number)
        process.stdin.close()
        self.assertEqual(process.wait(30), 0)
        process.stdout.close()

    def test_two_thousand_calls_take_no_more_than_a_few_seconds(self):
        lines = []
        for number in range(2000):
            call = json.loads(json.dumps(CLAMP))
            call["id"] = number
            call["arguments"]["input"]["data"] = [number % 128, -number % 128, number % 7]
            lines.append(call)
        start = time.monotonic()
        code, answers = self.calls(*lines)
        seconds = time.monotonic() - start
        self.assertEqual(code, 0)
        self.assertEqual([a["id"] for a in answers], list(range(2000)))
        for call, answer in zip(lines, answers):
            wanted = [min(max(x, -1), 5) for x in call["arguments"]["input"]["data"]]
            self.assertEqual(answer["outputs"]["output"]["data"], wanted)
        # A second in a release build; sanitizers and loaded machines take longer.
        self.assertLess(seconds, 20)
        self.assertEqual(self.calls(*lines), (code, answers), "the same again")

    def test_where_nothing_can_be_printed_is_an_error(self):
        path = self.here / "calls.jsonl"
        path.write_text(json.dumps(CLAMP))
        for command in [["--calls", path], [self.suite / self.valid_case()]]:
            with open("/dev/full", "w") as full:
                done = subprocess.run([CTS, "eval", *command], stdout=full, stderr=subprocess.PIPE,
                                      text=True)
            self.assertEqual(done.returncode, 2)
            self.assertIn("standard output", done.stderr)


class BadGraphs(CommandLine):
    """Cases with a changed graph: an answer, or an error that names file and place."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.loops = cls.shared / "loops"
        done = cts("generate", "--recipe", "smoke", "--operator", "while_loop", "--operator",
                   "variable", "--out", cls.loops)
        assert done.returncode == 0, done.stderr
        ids = [case["id"] for case in json.loads((cls.loops / "suite.json").read_text())["cases"]]
        cls.loop = next(i for i in ids if "/any-swap-i8" in i)
        cls.variable = next(i for i in ids if "-n3-" in i)

    def run_changed(self, change, case=None):
        """Returns what run says after change(graph) has changed the case, and its answer, if any."""
        case = case or self.loop
        suite = self.copy(self.loops)
        path = suite / case / "case.json"
        bundle = json.loads(path.read_text())
        text = change(bundle["graph"]["regions"])
        path.write_text(text if isinstance(text, str) else json.dumps(bundle))
        # Only without the answers a case runs that is not as it was generated.
        shutil.rmtree(suite / case / "expected", ignore_errors=True)
        done = cts("run", suite, "--implementation", "builtin:native", "--filter", case, "--out",
                   self.here / "results")
        result = self.here / "results" / case / "result.json"
        answer = json.loads(result.read_text()) if result.exists() else None
        shutil.rmtree(suite)
        shutil.rmtree(self.here / "results", ignore_errors=True)
        return done, answer

    def expect_refusal(self, change, *words):
        self.expect(2, self.run_changed(change)[0], "case.json", *words)

    def test_what_is_no_graph_is_named(self):
        def of(region, change):
            def changed(regions):
                found = next(r for r in regions if r["name"] == region)
                change(found["blocks"][0])
            return changed
        loop = lambda **attributes: of(
            "main", lambda block: block["operators"][0]["attributes"].update(attributes))
        self.expect_refusal(loop(body_graph="nowhere"), "WHILE_LOOP (operator 0)",
                            "no region nowhere")
        self.expect_refusal(loop(body_graph="main"), "region main: contains itself")
        self.expect_refusal(of("body", lambda b: b["operators"][-1].update(operator="IDENTITTY")),
                            "IDENTITTY", "of block body", "no operator of that name")
        self.expect_refusal(of("body", lambda b: b["operators"].reverse()), "of block body",
                            "used before")
        self.expect_refusal(of("body", lambda b: b["operators"][-1].update(inputs=["nobody"])),
                            "nobody")
        self.expect_refusal(lambda regions: regions.append({"name": "more", "blocks": []}),
                            "/graph/regions/")

    def test_what_no_machine_holds_is_answered(self):
        def enlarge(regions):
            for tensor in regions[0]["blocks"][0]["tensors"]:
                if tensor["name"] == "i_after":
                    tensor["shape"] = shape
        for shape, word in [([2**62, 2**62], "as in the graph"), ([2**64], "at most 64 bits")]:
            self.expect_refusal(enlarge, word)
        done, _ = self.run_changed(lambda _: '{"format":' + "[" * 10000 + "]" * 10000 + "}")
        self.expect(2, done, "case.json", "nested more than 100 levels deep")

    def test_nesting_without_bounds_is_an_error(self):
        def nest(regions):
            loop = regions[0]["blocks"][0]["operators"][0]
            inner = [r for r in regions if r["name"] != "main"]
            for k in range(10000):
                name = f"deep{k}"
                block = {"name": name, "inputs": [f"{t}_{k}" for t in loop["inputs"]],
                         "outputs": [f"{t}_{k}" for t in loop["outputs"]], "operators": [],
                         "tensors": [dict(t, name=f"{t['name']}_{k}")
                                     for t in regions[0]["blocks"][0]["tensors"]]}
                again = f"deep{k + 1}" if k < 9999 else "body"
                block["operators"] = [dict(loop, inputs=block["inputs"], outputs=block["outputs"],
                                           attributes={"cond_graph": "cond", "body_graph": again})]
                inner.append({"name": name, "blocks": [block]})
            loop["attributes"]["body_graph"] = "deep0"
            cond = next(r for r in inner if r["name"] == "cond")["blocks"][0]
            greater = next(o for o in cond["operators"] if o["operator"] == "GREATER")
            greater["operator"] = "GREATER_EQUAL"  # true at once
            regions[1:] = inner
        done, answer = self.run_changed(nest)
        self.expect(0, done, "1 cases run")
        self.assertEqual(answer["status"], "error")
        self.assertIn("WHILE_LOOP (operator 0 of block deep5): while_loop.nesting",
                      answer["message"])

    def test_a_loop_that_never_ends_is_reported_as_such(self):
        def forever(regions):
            body = next(r for r in regions if r["name"] == "body")["blocks"][0]
            body["outputs"][0] = body["inputs"][0]
            cond = next(r for r in regions if r["name"] == "cond")["blocks"][0]
            greater = next(o for o in cond["operators"] if o["operator"] == "GREATER")
            greater["operator"] = "GREATER_EQUAL"
        done, answer = self.run_changed(forever)
        self.expect(0, done, "1 unsupported")
        self.assertIn("WHILE_LOOP (operator 0): still running", answer["message"])
        self.assertIn("after 32768 executions", answer["message"])

    def test_results_of_every_execution_are_checked(self):
        results = self.here / "results"
        self.expect(0, cts("run", self.loops, "--implementation", "builtin:native", "--out",
                           results), "0 crash")
        self.expect(0, cts("check", self.loops, results), "CONFORMANT")
        last = results / self.variable / "before.2.npy"
        last.write_bytes(last.read_bytes()[:-1] + b"\x11")
        self.expect(1, cts("check", self.loops, results), "before.2")
        self.expect(0, cts("explain", results, self.variable), "output before.2")
        last.unlink()
        self.expect(1, cts("check", self.loops, results), "before.2.npy")


class Judge(CommandLine):
    EXP = ["judge", "--operator", "EXP", "--type", "fp32", "--input", "0.1"]

    def test_a_result_is_accepted_or_rejected_with_everything_about_it(self):
        done = cts(*self.EXP, "--result", "0x3f8d763f")
        self.expect(0, done, "accept\n", "0x3f8d763b", "0x3f8d7641", "0x1.1aec7b3cb2c38p+0",
                    "1.38145 ulp", "absolute_bound", "tosa-1.0, EXP")
        for result, code in [("0x3f8d763b", 0), ("0x3f8d763a", 1), ("0x3f8d7641", 0),
                             ("0x3f8d7642", 1), ("nan", 1), ("1.1051709", 0), ("-inf", 1)]:
            self.expect(code, cts(*self.EXP, "--result", result), ["accept", "reject"][code])
        # The reference lies 0.6186 units of 2^-23 above 0x3f8d763d, the draft's bound is 1.2157.
        draft = [*self.EXP, "--edition", "tosa-0.100", "--result"]
        self.expect(1, cts(*draft, "0x3f8d763b"), "0x3f8d763d", "0x3f8d763e")

    def test_operands_and_attributes(self):
        add = ["judge", "--operator", "ADD", "--type", "i32", "--input", "-5", "--input", "7"]
        self.expect(0, cts(*add, "--result", "2"), "exact")
        self.expect(1, cts(*add, "--result", "0x00000003"), "reject")
        cast = ["judge", "--operator", "CAST", "--type", "i8", "--in-type", "fp32", "--input"]
        self.expect(0, cts(*cast, "-2.5", "--result", "-2"))
        rescale = ["judge", "--operator", "RESCALE", "--type", "i8", "--in-type", "i32", "--input",
                   "1001", "--attribute", "multiplier=1073741824", "--attribute", "shift=33",
                   "--attribute", "scale32=true", "--attribute", "rounding_mode=SINGLE_ROUND"]
        self.expect(0, cts(*rescale, "--result", "125"))

    def test_bad_questions_exit_2(self):
        self.expect(2, cts("judge"), "--operator", "--lines")
        self.expect(2, cts(*self.EXP), "--result")
        self.expect(2, cts(*self.EXP, "--result", "0x3f8"), "8 hexadecimal digits")
        self.expect(2, cts(*self.EXP, "--result", "many"), "many")
        self.expect(2, cts(*self.EXP, "--input", "2", "--result", "0"), "expected 1")
        self.expect(2, cts(*self.EXP, "--result", "0", "--attribute", "x"), "NAME=VALUE")
        self.expect(2, cts(*self.EXP, "--result", "0", "--attribute", "x=1"), "x")
        self.expect(2, cts(*self.EXP, "--result", "0", "--edition", "tosa-9"), "tosa-9")
        self.expect(2, cts(*self.EXP, "--result", "0", "--lines", "-"), "--lines")
        self.expect(2, cts("judge", "--lines", self.here / "none"), "none")

    def test_lines_come_and_go_one_by_one(self):
        line = {"id": [1], "operator": "ABS", "type": "fp16", "in": ["bc00"], "results": ["3c00"]}
        file = self.here / "lines"
        file.write_text(json.dumps(line) + "\n")
        done = cts("judge", "--lines", file)
        self.expect(0, done)
        self.assertEqual(json.loads(done.stdout)["verdicts"], ["accept"])
        file.write_text(json.dumps({**line, "results": ["bc00"]}) + "\n\n{\n")
        done = cts("judge", "--lines", file)
        self.assertEqual(done.returncode, 2)
        answers = [json.loads(each) for each in done.stdout.splitlines()]
        self.assertEqual(answers[0]["verdicts"], ["reject"])
        self.assertEqual(answers[0]["id"], [1])
        self.assertIn("line 3: ", answers[1]["error"])
        self.assertIsNone(answers[1]["id"])
        with subprocess.Popen([CTS, "judge", "--lines", "-"], stdin=subprocess.PIPE, text=True,
                              stdout=subprocess.PIPE) as process:
            for _ in range(3):
                process.stdin.write(json.dumps(line) + "\n")
                process.stdin.flush()
                self.assertEqual(json.loads(process.stdout.readline())["lo"], "3c00")
            process.stdin.close()
            self.assertEqual(process.wait(timeout=60), 0)


class Pipe(CommandLine):
    """ask | an implementation | judge -"""
    EXP = ["--operator", "EXP", "--type", "fp32"]
    # Five lines, and each of them is needed.
    ADAPTER = """import sys, struct, math
for line in sys.stdin:
    x = struct.unpack(">f", bytes.fromhex(line.split()[-1]))[0]
    y = math.exp(x) if x < 88.7 else x if math.isnan(x) else math.inf
    print(line.strip(), struct.pack(">f", y).hex())
"""

    def pipe(self, adapter, *ask):
        asked = cts("ask", *ask)
        self.assertEqual((asked.returncode, asked.stderr), (0, ""), asked)
        answered = subprocess.run([sys.executable, "-c", adapter], input=asked.stdout, text=True,
                                  stdout=subprocess.PIPE, timeout=60, check=True).stdout
        self.assertEqual(answered.count("\n"), asked.stdout.count("\n"))
        return subprocess.run([CTS, "judge", "-"], input=answered, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def test_an_adapter_of_five_lines_passes_and_a_wrong_one_does_not(self):
        done = self.pipe(self.ADAPTER, *self.EXP, "--count", "300")
        self.assertEqual(done.returncode, 0, done.stdout[-1000:] + done.stderr)
        self.assertEqual(done.stderr, "judge: 300 lines: 300 accept, 0 reject, 0 no question\n")
        self.assertTrue(all(line.startswith("accept EXP fp32 ")
                            for line in done.stdout.splitlines()))
        # 0, infinity and NaN are as they were.
        done = self.pipe(self.ADAPTER.replace("math.exp(x)", "1.5 * math.exp(x)"), *self.EXP)
        self.assertEqual(done.returncode, 1)
        rejected = [line for line in done.stdout.splitlines() if line.startswith("reject")]
        self.assertGreater(len(rejected), 100)
        self.assertLess(len(rejected), 900)
        for line in rejected:
            self.assertRegex(line, "^reject EXP fp32 [0-9a-f]{8} [0-9a-f]{8} expected 0x[0-9a-f]{8}")

    def test_what_is_asked_is_the_same_each_time_and_has_an_answer(self):
        for question in [self.EXP, ["--operator", "ADD", "--type", "i32"],
                         ["--operator", "CLAMP", "--type", "i8"],
                         ["--operator", "MUL", "--type", "i32", "--attribute", "shift=31"],
                         ["--operator", "CAST", "--type", "i8", "--in-type", "fp32"],
                         ["--operator", "REDUCE_MAX", "--type", "bf16",
                          "--attribute", "nan_mode=IGNORE"],
                         ["--operator", "ADD", "--type", "fp32", "--edition", "tosa-0.100"]]:
            first = cts("ask", *question, "--count", "40").stdout
            self.assertEqual(first.count("\n"), 40, question)
            self.assertEqual(cts("ask", *question, "--count", "40").stdout, first)
            self.assertTrue(cts("ask", *question, "--count", "50").stdout.startswith(first))
            self.assertNotEqual(cts("ask", *question, "--count", "40", "--seed", "1").stdout, first)
            # Any answer has a verdict.
            digits = len(first.split("\n")[0].split()[-1])
            answered = "".join(f"{line} {'0' * (2 if 'CAST' in line else digits)}\n"
                               for line in first.splitlines())
            done = subprocess.run([CTS, "judge", "-"], input=answered, text=True, timeout=60,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertNotIn("error", done.stdout)
            self.assertIn("judge: 40 lines: ", done.stderr)

    def test_what_is_no_question_is_told_with_its_line(self):
        lines = "EXP fp32 3dcccccd 3f800000\n\nfoo\nEXP fp32 3dcccccd 3f8d763f\nEXP fp32\n"
        done = subprocess.run([CTS, "judge", "-"], input=lines, text=True, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 2)
        self.assertEqual([line.split(":")[0].split(" 3d")[0] for line in done.stdout.splitlines()],
                         ["reject EXP fp32", "error line 3", "accept EXP fp32", "error line 5"])
        self.assertIn("2 no question", done.stderr)
        self.expect(2, cts("judge", "-"), "found no line")
        self.expect(2, cts("ask", "--operator", "EPX", "--type", "fp32"), "EXP")
        self.expect(2, cts("ask", "--operator", "EXP", "--type", "i8"), "graph.type_row")
        self.expect(2, cts("ask", "--operator", "CONV2D", "--type", "fp32"), "whole tensor")
        self.expect(2, cts("ask", *self.EXP, "--attribute", "x"), "NAME=VALUE")
        self.expect(2, cts("judge", "-", "--operator", "EXP"), "--operator")
        self.expect(2, cts("judge", self.here / "none"), "none")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

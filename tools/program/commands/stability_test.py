#!/usr/bin/env python3
"""What STABILITY.md promises of files, exit codes and members of JSON, with files that an earlier version wrote.
Usage: stability_test.py TENSOR_CTS"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CTS = ""
ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.append(str(ROOT / "tools/develop"))
import archive  # noqa: E402


def cts(*arguments):
    return subprocess.run([CTS, *map(str, arguments)], stdin=subprocess.DEVNULL, text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, timeout=300)


def members(json_, path=""):
    """The paths of all members with the kinds of their values; the elements of a list are one."""
    kinds = {bool: "boolean", int: "number", float: "number", str: "string", dict: "object", list: "array", type(None): "null"}
    found = {(path, kinds[type(json_)])}
    if isinstance(json_, dict):
        for name, value in json_.items():
            found |= members(value, f"{path}/{name}")
    if isinstance(json_, list):
        for value in json_:
            found |= members(value, path + "/*")
    return found


class Kept(unittest.TestCase):
    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(prefix="stability_test-"))
        self.addCleanup(shutil.rmtree, self.here)

    def expect(self, code, *command):
        done = cts(*command)
        self.assertEqual(done.returncode, code, f"{command}\n{done.stdout}{done.stderr}")
        return done

    def each_version(self):
        """The kept files of each version, its suites and results as folders."""
        versions = sorted((ROOT / "tools/develop/testdata/formats").iterdir())
        self.assertTrue(versions)
        for version in versions:
            folder = self.here / version.name
            archive.unpack(version / "folders.tar", folder)
            for file in version.glob("*.json"):
                shutil.copy(file, folder)
            yield folder

    def test_suites_and_results_are_judged(self):
        for kept in self.each_version():
            wrong = json.loads(self.expect(1, "check", kept / "suite", kept / "results", "--json", "-").stdout)
            report = json.loads((kept / "report.json").read_text())
            self.assertEqual({c["id"]: c["verdict"] for c in wrong["cases"]}, {c["id"]: c["verdict"] for c in report["cases"]})
            self.assertFalse(wrong["conformant"])
            self.expect(0, "check", kept / "packed-suite", kept / "packed-results")
            # A pack and folders are one suite.
            self.expect(0, "check", kept / "suite", kept / "packed-results")
            self.expect(0, "explain", kept / "results", next(c["id"] for c in report["cases"] if c["verdict"] == "fail"),
                        "--suite", kept / "suite")
            self.expect(2, "check", kept / "suite", kept / "suite")

    def test_a_report_has_every_member_that_it_had(self):
        for kept in self.each_version():
            done = cts("check", kept / "suite", kept / "results", "--json", "-")
            report = json.loads((kept / "report.json").read_text())
            # Which verdicts, choices and notes there are is no matter of the form.
            self.assertEqual(members(report) - members(json.loads(done.stdout)), set())

    def test_reports_are_compared(self):
        for kept in self.each_version():
            new = self.here / f"{kept.name}-new.json"
            cts("check", kept / "suite", kept / "packed-results", "--json", new)
            done = self.expect(0, "compare", kept / "report.json", new, "--json", "-")
            self.assertIn("abs/size-elements-8-i32", done.stdout)

    def test_baselines_waivers_and_accuracy_gate(self):
        for kept in self.each_version():
            wrong = ("gate", "--suite", kept / "suite", "--results", kept / "results")
            self.expect(1, *wrong)
            self.expect(0, *wrong, "--baseline", kept / "baseline.json")
            self.expect(0, *wrong, "--waivers", kept / "waivers.json")
            right = ("gate", "--suite", kept / "packed-suite", "--results", kept / "packed-results")
            self.expect(0, *right, "--accuracy", kept / "accuracy.json")
            self.expect(1, *right, "--waivers", kept / "waivers.json")  # the waived case passes
            self.expect(2, *wrong, "--baseline", kept / "waivers.json")

    def test_a_claim_is_read(self):
        key = self.here / "key.pem"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", key], check=True, stderr=subprocess.DEVNULL)
        for kept in self.each_version():
            done = self.expect(2, "certify", "--claim", kept / "claim.json", "--key", key, "--suite", kept / "suite",
                               "--implementation", "builtin:native", "--out", self.here / "out")
            # Nothing is wrong with it: the suite is not what it makes mandatory.
            self.assertIn("suite.json: /recipe", done.stderr)


class Page(unittest.TestCase):
    def test_exit_code_1_is_of_the_commands_that_say_so(self):
        row = next(line for line in (ROOT / "STABILITY.md").read_text().splitlines() if line.startswith("| 1 |"))
        named = set(row.split("`")[1::2])
        words = cts("no-such-command").stderr.split("expected a command: ")[1].split("\n")[0].split()
        self.assertEqual(named - set(words), set())
        for command in words:
            text = cts(command, "--help").stdout
            code = text[text.rfind("Exit code"):] if "Exit code" in text else ""
            self.assertEqual(command in named, " 1 " in code.split("130")[0], command)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

#!/usr/bin/python3
"""`tensor-cts shrink` as a person calls it.  Usage: shrink_command_test.py TENSOR_CTS FAULTY_PLUGIN"""
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CTS = PLUGIN = ""
OPERATOR = "bitwise_not"

# BITWISE_NOT of i8, i16 and i32, wrong where the input is less than -5; $MODE says how: "random"
# fails at random, "late" only in the first process, "slow" takes its time, "slow-again" in all
# processes but the first; with "crash", "hang" and "address" it does that instead.
ADAPTER = """
import json, os, random, signal, sys, time
import numpy
mode = os.environ.get("MODE", "")
with open(os.environ["STARTS"], "a") as starts:
    starts.write("x")
first = os.path.getsize(os.environ["STARTS"]) == 1
print(json.dumps({"worker": "npu", "version": "3"}), flush=True)
for n, request in enumerate(map(json.loads, sys.stdin)):
    case = json.load(open(request["case_dir"] + "/case.json"))
    if mode == "slow" or mode == "slow-again" and not first:
        time.sleep(0.2 if mode == "slow" else 60)
    (block,) = case["graph"]["regions"][0]["blocks"]
    if case["outcome"] == "error":
        status = "error"
    else:
        status = "ok"
        tensors = {t["name"]: t for t in block["tensors"]}
        values = tensors[block["operators"][-1]["inputs"][0]]
        file = values.get("values") or case["inputs"][values["name"]]
        x = numpy.load(request["case_dir"] + "/" + file)
        y = numpy.array(~x)
        if (x < -5).any() and mode == "crash":
            print("npu.cc:7: Assertion `x | y' failed at", hex(id(y)), file=sys.stderr, flush=True)
            os.kill(os.getpid(), signal.SIGABRT)
        if (x < -5).any() and mode == "hang":
            time.sleep(1000)
        if (x < -5).any() and mode == "address":
            print(json.dumps({"case": request["case"], "status": "error",
                              "message": "no kernel | at " + hex(random.getrandbits(60))}),
                  flush=True)
            continue
        wrong = mode != "right" and not (mode == "random" and n % 2) and (mode != "late" or first)
        if wrong:
            y[x < -5] += 1
        numpy.save(request["result_dir"] + "/" + block["outputs"][0] + ".npy", y)
    print(json.dumps({"case": request["case"], "status": status}), flush=True)
"""


class Shrink(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="shrink_command_test-"))
        cls.suite = cls.shared / "suite"
        subprocess.run([CTS, "generate", "--recipe", "smoke", "--operator", OPERATOR, "--profile",
                        "pro-int", "--out", cls.suite], stdout=subprocess.DEVNULL, check=True)
        cases = json.loads((cls.suite / "suite.json").read_text())["cases"]
        cls.cases = [case["id"] for case in cases if case["outcome"] == "valid"]
        # One whose input has such an element.
        cls.case = next(case for case in cls.cases if "-full-range" in case and "/again-" not in case)
        (cls.shared / "adapter.py").write_text(ADAPTER)
        cls.adapter = f"/usr/bin/python3 {cls.shared}/adapter.py"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.shared))
        self.out = self.here / "out"
        self.environment = {**os.environ, "STARTS": str(self.here / "starts")}

    def command(self, *arguments):
        return [CTS, "shrink", self.suite, *map(str, arguments)]

    def shrink(self, *arguments, mode=""):
        return subprocess.run(self.command(*arguments), stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                              env={**self.environment, "MODE": mode})

    def by_adapter(self, case=None, mode="", *more):
        return self.shrink(case or self.case, "--adapter", self.adapter, "--worker", "--out",
                           self.out, *more, mode=mode)

    def refused(self, done, *words):
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        for word in words:
            self.assertIn(str(word), done.stderr)

    def test_a_wrong_value_becomes_one_element(self):
        done = self.by_adapter()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a wrong value", done.stdout)
        runs = int(re.search(r"in (\d+) runs", done.stdout).group(1))
        self.assertLess(runs, 60)
        # One process for all trials, and one each time that the smallest ran again.
        self.assertLessEqual(len((self.here / "starts").read_text()), 4)
        (case,) = json.loads((self.out / "suite/suite.json").read_text())["cases"]
        self.assertEqual(case["id"], OPERATOR + "/shrunk")
        report = (self.out / "REPORT.md").read_text()
        title = re.match(r"# BITWISE_NOT: a wrong value: (\d+), expected (\d+)\n", report)
        self.assertEqual(int(title.group(1)), int(title.group(2)) + 1)
        self.assertIn(int(title.group(2)), range(5, 9))
        for words in ("npu 3", "tosa.bitwise_not",
                      "tosa-1.0, BITWISE_NOT: ", self.case, "exactly that", f"In {runs} runs"):
            self.assertIn(words, report)
        self.assertEqual(sorted(path.name for path in self.out.iterdir()),
                         ["REPORT.md", "results", "suite"])

    def test_the_commands_of_the_report_repeat_it(self):
        self.assertEqual(self.by_adapter().returncode, 0)
        self.assertIn("paths of the adapter are from where `shrink` was called:\n",
                      (self.out / "REPORT.md").read_text())
        self.commands_repeat_it()

    def commands_repeat_it(self, mode="", render=True):
        report = (self.out / "REPORT.md").read_text()
        block = re.search(r"How to repeat it.*?```\n(.*?)```", report, re.S).group(1)
        expected = {"run": 0, "check": 1, "explain": 0, **({"render": 0} if render else {})}
        for line in block.splitlines():
            words = shlex.split(line)
            self.assertEqual(words[0], "tensor-cts")
            done = subprocess.run([CTS, *words[1:]], cwd=self.out, text=True,
                                  env={**self.environment, "MODE": mode},
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, expected.pop(words[1]), line + done.stderr)
        self.assertEqual(expected, {})

    def test_same_case_again(self):
        self.assertEqual(self.by_adapter().returncode, 0)
        first = (self.out / "suite/suite.json").read_text()
        shutil.rmtree(self.out)
        self.assertEqual(self.by_adapter().returncode, 0)
        self.assertEqual(first, (self.out / "suite/suite.json").read_text())

    def test_a_case_that_does_not_fail(self):
        self.refused(self.shrink(self.case, "--implementation", "builtin:native", "--out",
                                 self.out), self.case, "does not fail")
        self.assertFalse(self.out.exists())

    def test_an_unknown_case(self):
        self.refused(self.by_adapter(self.case + "x"), "nearest", self.case)
        self.assertFalse(self.out.exists())

    def test_an_output_that_is_there(self):
        self.out.mkdir()
        (self.out / "mine").write_text("mine")
        self.refused(self.by_adapter(), self.out)
        self.assertEqual((self.out / "mine").read_text(), "mine")

    def smallest(self):
        (case,) = json.loads((self.out / "suite/suite.json").read_text())["cases"]
        case = json.loads((self.out / "suite" / case["id"] / "case.json").read_text())
        (tensor,) = [t for t in case["graph"]["regions"][0]["blocks"][0]["tensors"]
                     if t["name"] in case["inputs"]]
        return tensor["shape"]

    def test_a_crash_stays_that_crash(self):
        done = self.by_adapter(mode="crash")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"a crash, signal 6.*: npu.cc:7: Assertion `x \| y' failed at 0x[0-9a-f]+\n")
        self.assertEqual(self.smallest(), [])
        report = (self.out / "REPORT.md").read_text()
        self.assertIn("further runs", report)
        # Words of others begin nothing in Markdown.
        self.assertIn("Assertion \\`x \\| y' failed at", report.splitlines()[0])
        self.commands_repeat_it("crash")

    def test_no_answer_in_time_stays_that(self):
        done = self.by_adapter(None, "hang", "--timeout", "1", "--repeat", "1", "--runs", "8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no answer in time", done.stdout)
        self.assertEqual(self.smallest(), [])
        self.assertIn("--timeout 1 ", (self.out / "REPORT.md").read_text())

    def test_addresses_in_what_it_says_are_no_other_failure(self):
        done = self.by_adapter(mode="address")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout,
                         r"an error where a result is due: no kernel \| at 0x[0-9a-f]+\n")
        self.assertEqual(self.smallest(), [])

    def by_plugin(self, fault, *more):
        suite = self.shared / "abs"
        if not suite.exists():
            subprocess.run([CTS, "generate", "--recipe", "smoke", "--operator", "ABS", "--id",
                            "abs/i32-*", "--out", suite], stdout=subprocess.DEVNULL, check=True)
        cases = json.loads((suite / "suite.json").read_text())["cases"]
        case = next(case["id"] for case in cases
                    if "-full-range" in case["id"] and "scalar" not in case["id"])
        self.environment["PLUGIN_FAULT"] = fault
        return subprocess.run([CTS, "shrink", suite, case, "--plugin", os.path.relpath(PLUGIN),
                               "--out", self.out, *more], stdin=subprocess.DEVNULL, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300,
                              env=self.environment)

    def test_a_plugin_with_a_wrong_value(self):
        done = self.by_plugin("large:wrong")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a wrong value\n", done.stdout)
        self.assertEqual(self.smallest(), [])
        self.assertIn("faulty 0.1", (self.out / "REPORT.md").read_text())
        # From another folder, though the plugin was named from here.
        self.assertIn("In the folder of this file:\n", (self.out / "REPORT.md").read_text())
        self.commands_repeat_it()

    def test_a_plugin_that_crashes(self):
        done = self.by_plugin("large:segv")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("a crash, signal 11\n", done.stdout)
        self.assertEqual(self.smallest(), [])
        self.commands_repeat_it()

    def test_a_plugin_that_hangs(self):
        done = self.by_plugin("large:hangs", "--timeout", "1", "--repeat", "1", "--runs", "11")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("no answer in time\n", done.stdout)
        self.assertEqual(self.smallest(), [])

    def test_a_suite_of_another_edition(self):
        suite = self.here / "old"
        subprocess.run([CTS, "generate", "--recipe", "smoke-0.100", "--operator", "PAD",
                        "--profile", "bi", "--out", suite], stdout=subprocess.DEVNULL, check=True)
        cases = json.loads((suite / "suite.json").read_text())["cases"]
        failed = 0
        for case in [case["id"] for case in cases if case["outcome"] == "valid"][:8]:
            done = subprocess.run([CTS, "shrink", suite, case, "--out", self.out, "--implementation",
                                   "builtin:fault:pad.swaps_ends"], text=True,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            if "does not fail" in done.stderr:
                continue
            failed += 1
            self.assertEqual(done.returncode, 0, done.stderr)
            # An element and one of padding: which of them is first is all that is wrong.
            self.assertLessEqual(sum(self.smallest()), 1)
            report = (self.out / "REPORT.md").read_text()
            self.assertIn("tosa-0.100, level", report)
            self.assertIn("As text of the `tosa` dialect of MLIR 19", report)
            self.commands_repeat_it()
            shutil.rmtree(self.out)
        self.assertGreater(failed, 0)

    def test_failures_at_random(self):
        self.refused(self.by_adapter(mode="random"), "not deterministic", "in run 2 it passed")
        self.assertFalse(self.out.exists())

    def test_a_failure_that_is_gone_in_another_process(self):
        self.refused(self.by_adapter(mode="late"), "not deterministic", "it passed", self.out)
        self.assertIn("not deterministic", (self.out / "REPORT.md").read_text())

    def test_no_implementation(self):
        self.refused(self.shrink(self.case, "--out", self.out), "--adapter")

    def test_a_limit_of_runs(self):
        done = self.by_adapter(None, "", "--runs", "5")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("--runs reached", done.stdout)

    def test_interrupted_it_writes_the_smallest_so_far(self):
        process = subprocess.Popen(
            self.command(self.case, "--adapter", self.adapter, "--worker", "--out", self.out),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**self.environment, "MODE": "slow"})
        trials = self.out / ".tmp"
        deadline = time.monotonic() + 60
        # The fifth case: the three of the beginning have failed.
        while not (trials / "4").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        out, error = process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT, out + error)
        self.assertIn("interrupted; the smallest case so far", error)
        self.assertIn("Interrupted", (self.out / "REPORT.md").read_text())
        self.assertTrue((self.out / "suite/suite.json").exists())
        self.assertFalse(trials.exists())


if __name__ == "__main__":
    CTS, PLUGIN = map(os.path.abspath, sys.argv[1:3])
    del sys.argv[1:3]
    unittest.main()

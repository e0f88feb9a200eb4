"""`tensor-cts sweep` as a person uses it: reports, shards, interruption, bad input."""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TENSOR_CTS, LIBM = sys.argv.pop(1), sys.argv.pop(1)
EXP = ["--operator", "EXP", "--type", "fp32", "--plugin", LIBM]
CLAMP = ["--operator", "CLAMP", "--type", "fp16", "--plugin", LIBM]
PART = ["--inputs", "0x3f800000-0x3fffffff"]


def run(*arguments):
    return subprocess.run([TENSOR_CTS, "sweep", *arguments], capture_output=True, text=True, timeout=300)


class Sweep(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def test_a_part_passes_and_all_inputs_conform(self):
        done = run(*EXP, *PART)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("8,388,608 of 4,294,967,296", done.stdout)
        self.assertIn("PASSED: nothing wrong in these inputs", done.stdout)
        self.assertEqual(done.stderr, "")
        done = run("--operator", "TANH", "--type", "fp16", "--plugin", LIBM, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["verdict"], "conformant")
        self.assertEqual(report["accepted"], 65536)
        self.assertEqual(sum(slot["count"] for slot in report["ulps"]), 65536)
        self.assertEqual(len(report["worst"]), 10)

    def test_a_page_shows_the_curve_of_errors(self):
        page, report = self.path("tanh.html"), self.path("tanh.json")
        done = run("--operator", "TANH", "--type", "fp16", "--plugin", LIBM, "--html", page, "--out", report)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        for words in ("CONFORMANT", "65,536 of 65,536", 'class="plot"', "The greatest errors"):
            self.assertIn(words, text)
        self.assertNotIn("<script", text)
        merged = self.path("merged.html")
        self.assertEqual(run("--merge", report, "--html", merged).returncode, 0)
        with open(merged, encoding="utf-8") as file:
            self.assertEqual(file.read(), text)
        with open(report, encoding="utf-8") as file:
            curve = json.load(file)["curve"]
        self.assertEqual((curve["inputs_each"], len(curve["greatest_ulp"])), (128, 512))
        for change, place in ((lambda c: c["greatest_ulp"].pop(), "/curve/greatest_ulp"),
                              (lambda c: c["rejected"].__setitem__(3, 1), "/curve/rejected"),
                              (lambda c: c["greatest_ulp"].__setitem__(3, 9.5), "/curve/greatest_ulp/3")):
            with open(report, encoding="utf-8") as file:
                changed = json.load(file)
            change(changed["curve"])
            odd = self.path("odd.json")
            with open(odd, "w", encoding="utf-8") as file:
                json.dump(changed, file)
            done = run("--merge", odd)
            self.assertEqual(done.returncode, 2, done.stdout)
            self.assertIn(place + ": found", done.stderr)

    def test_the_filter_changes_nothing_but_who_decides(self):
        with_filter = json.loads(run("--operator", "LOG", "--type", "bf16", "--plugin", LIBM, "--json").stdout)
        without = json.loads(
            run("--operator", "LOG", "--type", "bf16", "--plugin", LIBM, "--json", "--no-filter").stdout)
        self.assertGreater(with_filter["by_filter"], 65000)
        self.assertEqual(without["by_filter"], 0)
        for key in ("verdict", "accepted", "rejected", "refused", "keeps_subnormals"):
            self.assertEqual(json.dumps(with_filter.get(key)), json.dumps(without.get(key)), key)
        for a, b in zip(with_filter["worst"], without["worst"]):
            self.assertEqual((a["input"], a["ulp"]), (b["input"], b["ulp"]))

    def test_ctrl_c_ends_it_soon_and_resume_gives_the_same_report(self):
        whole = self.path("whole.json")
        part = ["--inputs", "0x3c000000-0x40ffffff"]
        self.assertEqual(run(*EXP, *part, "--out", whole).returncode, 0)
        out = self.path("out.json")
        interruptions = 0
        delay = 0.25
        for _ in range(20):
            resume = ["--resume"] if interruptions else []
            process = subprocess.Popen([TENSOR_CTS, "sweep", *EXP, *part, "--out", out, "--jobs", "2", *resume],
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            time.sleep(delay)
            before = time.monotonic()
            process.send_signal(signal.SIGINT)
            _, stderr = process.communicate(timeout=60)
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, -signal.SIGINT)
            if "--resume" not in stderr:  # a loaded machine had not begun with it
                delay *= 2
                continue
            # The limit is two seconds; a loaded machine is no reason to fail here.
            self.assertLess(time.monotonic() - before, 30)
            self.assertIn("interrupted; go on with the same command and --resume", stderr)
            interruptions += 1
        if interruptions == 0:
            self.skipTest("this machine is too fast to be interrupted")
        done = run(*EXP, *part, "--out", out, "--resume")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(whole, "rb") as a, open(out, "rb") as b:
            self.assertEqual(a.read(), b.read())
        self.assertEqual(sorted(os.listdir(self.folder.name)), ["out.json", "whole.json"])

    def test_shards_add_up(self):
        whole = self.path("whole.json")
        self.assertEqual(run(*EXP, *PART, "--out", whole).returncode, 0)
        parts = []
        for i in (1, 2, 3):
            parts += [self.path(f"{i}.json")]
            self.assertEqual(run(*EXP, *PART, "--shard", f"{i}/3", "--out", parts[-1]).returncode, 0)
        merged = self.path("merged.json")
        done = run("--merge", *parts, "--out", merged)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(whole, "rb") as a, open(merged, "rb") as b:
            self.assertEqual(a.read(), b.read())
        with open(parts[0], "rb") as a:
            before = a.read()
        done = run("--merge", *parts, "--out", parts[0])
        self.assertEqual(done.returncode, 2)
        self.assertIn(f"{parts[0]}: exists; name another file", done.stderr)
        with open(parts[0], "rb") as a:
            self.assertEqual(a.read(), before)
        done = run("--merge", *parts[:2])
        self.assertEqual(done.returncode, 0)
        self.assertIn("PASSED", done.stdout)
        done = run("--merge", parts[0], parts[0])
        self.assertEqual(done.returncode, 2)
        self.assertIn("holds inputs that another file holds, too", done.stderr)
        done = run("--merge", parts[0], parts[2])
        self.assertEqual(done.returncode, 2)  # a hole in between
        self.assertIn("UNFINISHED", done.stdout)

    def test_all_operators_go_into_a_folder(self):
        # Every tenth question from the fifth: TANH, CEIL and a CAST.
        command = ["--all", "--type", "fp16", "--plugin", LIBM, "--shard", "5/10"]
        done = run(*command, "--out", self.path("all"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertRegex(done.stdout, r"TANH fp16 +65,536 +0 +0\.[0-9]+ +[0-9,]+  conformant\n")
        self.assertIn("1 conformant, 2 not offered\nNOTHING WRONG", done.stdout)
        self.assertIn("The page: " + self.path("all/index.html"), done.stdout)
        self.assertEqual(sorted(os.listdir(self.path("all"))), ["TANH.fp16.html", "TANH.fp16.json", "index.html"])
        self.assertEqual(run(*command, "--out", self.path("all")).returncode, 2)
        self.assertEqual(run(*command, "--out", self.path("all"), "--resume").stdout, done.stdout)
        none = run("--all", "--type", "bool", "--in-type", "i8", "--plugin", LIBM, "--out", self.path("none"))
        self.assertEqual(none.returncode, 2)
        self.assertIn("NOTHING ASKED: the plugin offers none", none.stdout)

    def test_the_table_of_all_sweeps(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "adapters", "sweeps.py")
        command = [sys.executable, script, TENSOR_CTS, LIBM, self.path("reports"), "--type", "fp16"]
        command += ["--operator", "EXP", "--operator", "ADD", "--operator", "SIN"]
        tables = [subprocess.run(command + more, capture_output=True, text=True, timeout=300)
                  for more in (["--inputs", "0-32767"], [])]
        # The second takes what the first has left.
        self.assertEqual(tables[0].returncode, 0, tables[0].stderr)
        self.assertEqual(tables[0].stdout, tables[1].stdout)
        self.assertIn("glibc libm", tables[0].stdout)
        self.assertRegex(tables[0].stdout, r"(?m)^EXP\t32,768\t[0-9.]+\t[0-9,]+\t0\.[0-9]+ at 0x[0-9a-f]{4}"
                                           r"\t0\tpassed, of these inputs$")
        self.assertRegex(tables[0].stdout, r"(?m)^ADD\t.*\tnot offered$")

    def test_the_table_is_of_one_library(self):
        script = os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "adapters", "sweeps.py")
        arguments = [self.path("reports"), "--type", "fp16", "--operator", "EXP"]
        first = subprocess.run([sys.executable, script, TENSOR_CTS, LIBM, *arguments],
                               capture_output=True, text=True, timeout=300)
        self.assertEqual(first.returncode, 0, first.stderr)
        other = self.path("other.so")
        with open(LIBM, "rb") as library, open(other, "wb") as copy:
            copy.write(library.read() + b"\0")
        again = subprocess.run([sys.executable, script, TENSOR_CTS, other, *arguments],
                               capture_output=True, text=True, timeout=300)
        self.assertEqual((again.returncode, again.stdout), (1, ""))
        self.assertIn("EXP-fp16.json: holds a sweep of another library than " + other, again.stderr)

    def test_bad_input_is_named(self):
        for arguments, message in (
            ([], "expected --operator, --type and --plugin"),
            (["--all", "--plugin", LIBM], "sweep --all: expected --plugin or --python, and a folder for the reports in --out"),
            (["--all", *EXP, "--out", self.path("x")], "found --operator, --attribute, --inputs, --html or --json"),
            (["--all", "--type", "fp33", "--plugin", LIBM, "--out", self.path("x")], '--type: found "fp33"'),
            (["--all", "--type", "i48", "--plugin", LIBM, "--out", self.path("x")],
             "no operator of tosa-1.0 with these types can be swept"),
            (["--operator", "EXP", "--type", "fp32", "--plugin", self.path("no.so")], "no.so"),
            (["--operator", "EXPO", "--type", "fp32", "--plugin", LIBM],
             '--operator: found "EXPO", of which tosa-1.0 knows nothing; did you mean EXP,'),
            (["--operator", "CONV2D", "--type", "fp32", "--plugin", LIBM], "--operator: CONV2D cannot be swept"),
            (["--operator", "EXP", "--type", "fp33", "--plugin", LIBM],
             '--type: found "fp33", expected one of fp16, bf16, fp32'),
            (["--operator", "EXP", "--type", "i8", "--plugin", LIBM],
             '--type: found "i8", expected one of fp16, bf16, fp32'),
            ([*CLAMP], "--attribute: expected NAME=VALUE of min_val, max_val: CLAMP of tosa-1.0 "
                       "has min_val, max_val, nan_mode"),
            ([*CLAMP, "--attribute", "min_val=0", "--attribute", "max_val=1", "--attribute", "nan_mod=IGNORE"],
             '--attribute: found "nan_mod", expected one of min_val, max_val, nan_mode'),
            ([*CLAMP, "--attribute", "min_val=0", "--attribute", "max_val=1", "--attribute", "nan_mode=IGNOR"],
             '--attribute nan_mode: found "IGNOR", expected one of PROPAGATE, IGNORE'),
            ([*CLAMP, "--attribute", "min_val=z", "--attribute", "max_val=1"],
             '--attribute min_val: found "z", expected a number'),
            (["--operator", "POW", "--type", "bf16", "--plugin", LIBM, "--attribute", "input2=3"],
             '--attribute: found "input2", expected none'),
            (["--operator", "ADD", "--type", "fp16", "--plugin", LIBM], "no function for this operator"),
            ([*EXP, "--edition", "tosa-2.0"], "--edition: found the edition 'tosa-2.0', expected one of "),
            (["--operator", "EXP", "--type", "fp32", "--plugin", self.path("none.so")],
             "none.so: found no such file, expected the shared library of the plugin; build or install it, or give "
             "another path to --plugin"),
            ([*EXP, "--inputs", "abc"], "expected the bits of an input"),
            ([*EXP, "--inputs", "0x10-"], "expected the bits of an input"),
            ([*EXP, "--inputs", "9-3"], "expected some of"),
            ([*EXP, "--shard", "3/2"], "3/2"),
            ([*EXP, "--attribute", "x"], "expected NAME=VALUE"),
            ([*EXP, "--attribute", "x=1"], '--attribute: found "x", expected none: EXP of tosa-1.0 has no other'),
            ([*EXP, "--resume"], "--resume needs --out"),
            ([*EXP, "--out", "/proc/none/x.json"], "--out: /proc/none/x.json"),
            (["--merge", self.path("none.json")], "none.json"),
        ):
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr, arguments)
            self.assertTrue(done.stderr.startswith("tensor-cts"), done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

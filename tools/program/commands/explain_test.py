"""Runs what explain --python prints: it has to find the mismatches that check finds.

explain_test.py TENSOR_CTS. Results of the embedded implementation are moved by a few units in the last
place, to both sides of what the rules allow, and to special values; for every rule and type a case is
explained, and its script run.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import zlib

try:
    import numpy as np
except ImportError:
    print("NumPy is not installed")
    sys.exit(77)

CTS = pathlib.Path(sys.argv[1]).resolve()


def cts(*arguments):
    return subprocess.run([str(a) for a in (CTS, *arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def move(path, dtype):
    """Moves about half of the elements by a few units, and some to zeros, infinities and NaNs."""
    random = np.random.default_rng(zlib.crc32(str(path.parent.name).encode()))
    array = np.load(path)
    size = array.dtype.itemsize
    bits = np.frombuffer(array.tobytes(), dtype=f"<u{size}").copy()
    if bits.size == 0:
        return
    if dtype == "bool":
        bits ^= random.integers(0, 2, bits.size).astype(bits.dtype)
    elif dtype == "i4":
        bits[:: 3] ^= 1
    else:
        reach = int(random.choice([1, 2, 3, 8, 40]))
        steps = random.integers(-reach, reach + 1, bits.size) * random.integers(0, 2, bits.size)
        bits += steps.astype(np.int64).astype(bits.dtype)
        if dtype in ("fp16", "bf16", "fp32", "fp8e4m3", "fp8e5m2"):
            top = {"fp16": 0x7c00, "bf16": 0x7f80, "fp32": 0x7f800000, "fp8e4m3": 0x7f, "fp8e5m2": 0x7c}[dtype]
            sign = 1 << (8 * size - 1)
            special = np.array([0, sign, top, top | sign, top | 1, 1], dtype=bits.dtype)
            chosen = random.integers(0, 20, bits.size) == 0
            bits[chosen] = special[random.integers(0, len(special), int(chosen.sum()))]
    if dtype == "i48":
        bits = (bits.view(np.int64) << 16 >> 16).view(bits.dtype)
    np.save(path, np.frombuffer(bits.tobytes(), dtype=array.dtype).reshape(array.shape))


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        cls.suite, cls.results = cls.here / "suite", cls.here / "my results"
        assert cts("generate", "--recipe", "smoke", "--out", cls.suite).returncode == 0
        assert cts("run", cls.suite, "--implementation", "builtin:native", "--out", cls.results).returncode == 0
        for case in cls.suite.glob("*/*/case.json"):
            for output in json.loads(case.read_text()).get("outputs", []):
                move(cls.results / case.parent.relative_to(cls.suite) / (output["name"] + ".npy"), output["dtype"])
        done = cts("check", cls.suite, cls.results, "--json", "-")
        assert done.returncode == 1, done.stderr
        cls.report = json.loads(done.stdout)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def script(self, case):
        done = cts("explain", self.results, case, "--python")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = subprocess.run(["/usr/bin/python3", "-"], input=done.stdout, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.stderr, "", case)
        return done

    def test_finds_the_mismatches_of_every_rule_and_type(self):
        by_rule = collections.defaultdict(list)
        for case in self.report["cases"]:
            for output in case.get("outputs", []):
                if 0 < output.get("mismatches", 0) < output["elements"]:
                    by_rule[output["rule"]["kind"], output["dtype"]].append(case)
        self.assertGreaterEqual({rule for rule, _ in by_rule},
                                {"exact", "ulp", "absolute_bound", "dot_product", "interval"})
        self.assertGreaterEqual({dtype for _, dtype in by_rule},
                                {"bool", "i8", "i16", "i32", "i48", "fp8e4m3", "fp8e5m2", "fp16", "bf16", "fp32"})
        for (rule, dtype), cases in by_rule.items():
            for case in cases[:1]:
                with self.subTest(rule=rule, dtype=dtype, case=case["id"]):
                    done = self.script(case["id"])
                    found = {name: (int(count), int(size)) for count, size, name in
                             re.findall(r"^  (\d+) of (\d+) elements of (\S+) differ$", done.stdout, re.M)}
                    self.assertEqual(found, {output["name"]: (output["mismatches"], output["elements"])
                                             for output in case["outputs"]})
                    self.assertEqual(done.returncode, 1)

    def test_agrees_on_the_figures_of_a_dot_product(self):
        compared = 0
        for case in self.report["cases"]:
            figures = case.get("outputs", [{}])[0].get("dot_product")
            if not figures or compared == 5:
                continue
            compared += 1
            text = self.script(case["id"]).stdout
            for words, name in [("worst error", "worst_error"), ("sum of errors", "error_sum"),
                                ("sum of squared errors", "squared_error_sum")]:
                found = re.search(rf"^  {words}: (\S+) \(", text, re.M).group(1)
                expected = float(figures[name])
                self.assertTrue(found == f"{expected:.6g}" or abs(float(found) - expected) <= 1e-5 * abs(expected),
                                (case["id"], words, found, expected))
        self.assertEqual(compared, 5)

    def test_shows_error_cases_and_what_is_not_there(self):
        case = next(c for c in self.report["cases"] if c["expected"] == "error")
        done = self.script(case["id"])
        self.assertIn(f"expected: error, because of the condition {case['condition']}", done.stdout)
        case = next(c for c in self.report["cases"] if c.get("outputs"))
        path = self.results / case["id"] / (case["outputs"][0]["name"] + ".npy")
        path.rename(path.with_suffix(".away"))
        try:
            done = self.script(case["id"])
            self.assertIn("there is no", done.stdout)
            self.assertEqual(done.returncode, 1)
        finally:
            path.with_suffix(".away").rename(path)

    def test_reads_packs(self):
        suite, packed, folders = self.here / "packed suite", self.here / "packed", self.here / "folders"
        self.assertEqual(cts("generate", "--recipe", "smoke", "--operator", "ADD", "--pack", "--out", suite).returncode, 0)
        fault = json.loads(cts("list", "faults", "--json").stdout)
        fault = next(f["id"] for f in fault if f["operator"] == "ADD")
        done = cts("run", suite, "--implementation", "builtin:fault:" + fault, "--pack", "--out", packed)
        self.assertEqual(done.returncode, 0, done.stderr)
        for place, copy in [(suite, self.here / "suite copy"), (packed, folders)]:
            copy.mkdir()
            subprocess.run(["tar", "-C", str(copy), "-xf", str(place / "add.tar")], check=True)
            for file in place.glob("*.json"):
                (copy / file.name).write_bytes(file.read_bytes())
        report = json.loads(cts("check", suite, packed, "--json", "-").stdout)
        for verdict in ("fail", "pass"):
            case = next(c["id"] for c in report["cases"] if c["verdict"] == verdict and c["expected"] == "valid")
            script = cts("explain", packed, case, "--python").stdout
            said = [subprocess.run(["/usr/bin/python3", "-", *map(str, places)], input=script, capture_output=True,
                                   text=True) for places in [(), (self.here / "suite copy", folders)]]
            self.assertEqual(said[0].stdout, said[1].stdout)
            self.assertEqual(said[0].returncode, int(verdict == "fail"), said[0].stderr)
            texts = [cts("explain", place, case, "--suite", suite).stdout.replace(f"{place}/", "RESULTS/")
                     for place in (packed, folders)]
            self.assertEqual(*texts)
            self.assertIn(case, texts[0])

    def test_says_where_how_far_and_of_what(self):
        case = next(c for c in self.report["cases"] if c["id"].startswith("conv2d/fp16") and c["verdict"] == "fail")
        done = cts("explain", self.results, case["id"])
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ["errors in ulp", "####", "weight[", " * ", "(fp64), bound run", "rerun:  tensor-cts run "]:
            self.assertIn(words, done.stdout)
        # The command runs that case.
        command = done.stdout.split("rerun:  ")[1].strip().replace("tensor-cts", str(CTS), 1)
        again = subprocess.run(command.replace("--out again", f"--out '{self.here}/again'"), shell=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertTrue((self.here / "again" / case["id"] / "result.json").exists())


    def test_knows_the_windows_that_meet_the_padding(self):
        suite, results = self.here / "pools", self.here / "pool results"
        self.assertEqual(cts("generate", "--recipe", "smoke", "--operator", "AVG_POOL2D", "--out", suite).returncode, 0)
        self.assertEqual(cts("run", suite, "--implementation", "builtin:fault:avg_pool2d.counts_the_padding", "--out", results).returncode, 0)
        report = json.loads(cts("check", suite, results, "--json", "-").stdout)
        texts = [" ".join(cts("explain", results, case["id"], "--html", place).stdout.split())
                 for case in report["cases"] if case["verdict"] == "fail" for place in ("-", self.here / "page.html")]
        for kind in (texts[::2], texts[1::2]):
            said = [re.search(r"windows that meet the padding(?: at the \w+)?: all (\d+) that differ lie there", text) for text in kind]
            self.assertGreater(len([found for found in said if found]), 3, len(kind))

    def test_knows_the_windows_of_a_transposed_convolution(self):
        suite, results = self.here / "transposed", self.here / "transposed results"
        self.assertEqual(cts("generate", "--recipe", "smoke", "--operator", "TRANSPOSE_CONV2D", "--out", suite).returncode, 0)
        fault = "builtin:fault:transpose_conv2d.adds_the_bias_only_to_sums"
        self.assertEqual(cts("run", suite, "--implementation", fault, "--out", results).returncode, 0)
        report = json.loads(cts("check", suite, results, "--json", "-").stdout)
        texts = [" ".join(cts("explain", results, case["id"]).stdout.split())
                 for case in report["cases"] if case["verdict"] == "fail"]
        said = [text for text in texts
                if re.search(r"windows without an element of the input, which get the bias alone: all (\d+) that differ lie there", text)]
        self.assertGreater(len(said), len(texts) / 2)
        self.assertGreater(len(texts), 3)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

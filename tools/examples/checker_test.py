#!/usr/bin/env python3
"""A second checker, tools/examples/checker.py, has to come to the verdicts of `tensor-cts check`.

checker_example_test.py TENSOR_CTS. Takes results over a sixth of the suite smoke, or over all of it with
TENSOR_CTS_WHOLE in the environment. They come from the embedded implementation, two faulty ones, one that writes its
tensors in every form of a .npy file, and one that breaks files and values.
"""
import collections
import json
import os
import pathlib
import shutil
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
CHECKER = pathlib.Path(__file__).resolve().parent / "checker.py"
SHARD = () if "TENSOR_CTS_WHOLE" in os.environ else ("--shard", "6/6")
FLOATS = {"fp8e4m3": "|V1", "fp8e5m2": "|V1", "fp16": "<f2", "bf16": "<V2", "fp32": "<f4"}

DISPUTED = """func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %m = tosa.maximum %a, %b {nan_mode = IGNORE} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %n = tosa.add %b, %b : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %m, %n : tensor<2xf32>, tensor<2xf32>
}
"""


def run(*arguments):
    return subprocess.run([str(a) for a in arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def bits_of(array):
    return np.frombuffer(array.tobytes(), f"<u{array.dtype.itemsize}").reshape(array.shape)


def rewrite(path, dtype, array, choice):
    """The same values in another of the layouts and types that a reader takes, or values that it does not."""
    size, shape = array.dtype.itemsize, array.shape
    if choice == "fortran":
        array = np.asfortranarray(array)
    elif choice == "wide":
        if dtype == "bf16":
            array = (bits_of(array).astype(np.uint32).reshape(-1) << 16).view(np.float32).reshape(shape)
        elif dtype == "fp8e5m2":
            array = (bits_of(array).astype(np.uint16).reshape(-1) << 8).view(np.float16).reshape(shape)
        elif dtype in ("fp16", "fp32"):
            array = array.astype(np.float64)
        elif dtype not in ("bool", "fp8e4m3"):
            array = array.astype(np.int64)
    elif choice == "big_endian" and array.dtype.kind in "if" and size > 1:
        array = array.astype(array.dtype.newbyteorder(">"))
    elif choice == "unsigned" and (dtype in FLOATS and size <= 2 or dtype in ("bool", "i8", "i16")):
        array = bits_of(array)  # malformed where an integer is negative, unless the output is unsigned
    elif choice == "inexact" and dtype in FLOATS:
        array = np.full(array.shape, 1 / 3)
    elif choice == "too_wide" and dtype not in FLOATS:
        array = np.full(array.shape, 2**40 if dtype != "i48" else 2**47)
    elif choice == "other_shape":
        array = array.reshape(-1, 1)
    np.save(path, array)


def break_files(folder, output, choice):
    path = folder / (output["name"] + ".npy")
    result = folder / "result.json"
    if choice == "no_output":
        path.unlink()
    elif choice == "truncated":
        path.write_bytes(path.read_bytes()[:-1])
    elif choice == "trailing":
        path.write_bytes(path.read_bytes() + b"x")
    elif choice == "no_result":
        result.unlink()
    else:
        result.write_text({"no_json": "{", "no_status": "{}", "unknown_status": '{"status": "fine"}',
                           "unknown_member": '{"status": "ok", "mood": 1}', "signal": '{"status": "ok", "signal": 11}',
                           "exit_code": '{"status": "error", "exit_code": 1}', "exit_code_0": '{"status": "ok", "exit_code": 0}',
                           "crash": '{"status": "crash", "signal": 11}', "timeout": '{"status": "timeout"}',
                           "unsupported": '{"status": "unsupported"}', "accepted": '{"status": "accepted"}', "protocol": '{"status": "protocol"}',
                           "error": '{"status": "error"}', "differs": '{"status": "ok", "differs": "y"}'}[choice])


def move(path, dtype, random):
    """Some elements by a few units, some to zeros, infinities, NaN and subnormal numbers."""
    array = np.load(path)
    size = array.dtype.itemsize
    bits = bits_of(array).copy().reshape(-1)
    reach = int(random.choice([1, 2, 3, 8, 40]))
    some = random.integers(0, 4, bits.size) == 0
    if dtype == "bool":
        bits ^= some.astype(bits.dtype)
    elif dtype in FLOATS or dtype in ("i8", "i16", "i32"):
        bits += (some * random.integers(-reach, reach + 1, bits.size)).astype(np.int64).astype(bits.dtype)
    if dtype in FLOATS:
        top = {"fp16": 0x7c00, "bf16": 0x7f80, "fp32": 0x7f800000, "fp8e4m3": 0x7f, "fp8e5m2": 0x7c}[dtype]
        sign = 1 << 8 * size - 1
        special = np.array([0, sign, top, top | sign, top | 1, 1], dtype=bits.dtype)
        chosen = random.integers(0, 30, bits.size) == 0
        bits[chosen] = special[random.integers(0, len(special), int(chosen.sum()))]
    np.save(path, np.frombuffer(bits.tobytes(), array.dtype).reshape(array.shape))


class SecondChecker(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        cls.suite = cls.here / "suite"
        assert run(CTS, "generate", "--recipe", "smoke", *SHARD, "--out", cls.suite).returncode == 0
        cls.run_suite("builtin:native", cls.here / "native")
        cls.cases = {str(path.parent.relative_to(cls.suite)): json.loads(path.read_text())
                     for path in sorted(cls.suite.glob("*/*/case.json"))}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def run_suite(cls, implementation, results):
        done = run(CTS, "run", cls.suite, "--implementation", implementation, "--out", results)
        assert done.returncode == 0, done.stderr

    def agree(self, results, suite=None):
        """The verdicts of both, counted, and the findings."""
        suite = suite or self.suite
        ours = run(CTS, "check", suite, results, "--json", "-")
        report = json.loads(ours.stdout)
        expected = {case["id"]: case["verdict"] for case in report["cases"]}
        findings = {finding["kind"] for finding in report["findings"]}
        theirs = run(sys.executable, CHECKER, suite, results)
        self.assertEqual(theirs.stderr, "")
        lines = [line.split(" ", 1) for line in theirs.stdout.splitlines()]
        found = {case: verdict for verdict, case in lines if verdict not in ("finding:", "elements:")}
        differ = {case: (found.get(case), expected[case]) for case in expected if found.get(case) != expected[case]}
        self.assertEqual(differ, {})
        self.assertEqual(found.keys(), expected.keys())
        self.assertEqual({name for verdict, name in lines if verdict == "finding:"}, findings)
        self.assertEqual([json.loads(text) for verdict, text in lines if verdict == "elements:"], [report["elements"]["all"]])
        self.assertEqual(theirs.returncode, ours.returncode)
        return collections.Counter(found.values()), findings

    def test_a_shard_that_was_cut_by_seconds(self):
        suite, whole, shard = (self.here / f"of-abs-{name}" for name in ("suite", "whole", "shard"))
        native = ("run", suite, "--implementation", "builtin:native")
        for command in (("generate", "--recipe", "smoke", "--operator", "abs", "--out", suite), (*native, "--out", whole),
                        ("check", suite, whole, "--json", whole / "report.json"),
                        (*native, "--shard", "2/3", "--balance", whole / "report.json", "--out", shard)):
            done = run(CTS, *command)
            self.assertEqual(done.returncode, 0, done.stderr)
        due = {str(path.parent.relative_to(shard)) for path in shard.glob("*/*/result.json")}
        found = [line.split(" ") for line in run(sys.executable, CHECKER, suite, shard).stdout.splitlines()]
        self.assertEqual({case for verdict, case, *_ in found if verdict == "pass"}, due)
        self.assertEqual({verdict for verdict, *_ in found}, {"pass", "elements:"})

    def test_passes_what_is_right(self):
        counts, findings = self.agree(self.here / "native")
        self.assertEqual(set(counts), {"pass"})
        self.assertEqual(findings, set())

    def test_refuses_what_faulty_implementations_answer(self):
        for fault in ("conv2d.accumulates_in_fp16", "argmax.takes_the_last_of_equals"):
            results = self.here / fault
            self.run_suite("builtin:fault:" + fault, results)
            counts, _ = self.agree(results)
            self.assertGreater(counts["fail"] + counts["wrong_outcome"], 0, fault)

    def copy(self, name):
        results = self.here / name
        shutil.copytree(self.here / "native", results)
        outputs = [(results / case, output) for case, content in self.cases.items()
                   for output in content.get("outputs", [])]
        return results, outputs, np.random.default_rng(zlib.crc32(name.encode()))

    def test_reads_every_layout(self):
        results, outputs, _ = self.copy("layouts")
        choices = ("fortran", "wide", "big_endian", "unsigned", "inexact", "too_wide", "other_shape")
        for number, (folder, output) in enumerate(outputs):
            path = folder / (output["name"] + ".npy")
            rewrite(path, output["dtype"], np.load(path), choices[number % len(choices)])
        counts, _ = self.agree(results)
        self.assertGreater(counts["pass"], counts["malformed"])
        self.assertGreater(counts["malformed"], 100)

    def test_takes_unsigned_numbers_of_unsigned_outputs_alone(self):
        """As an adapter hands them over whose stack has unsigned types."""
        suite, results = self.here / "rescale", self.here / "rescale-results"
        self.assertEqual(run(CTS, "generate", "--recipe", "smoke", "--operator", "RESCALE", "--out", suite).returncode, 0)
        self.assertEqual(run(CTS, "run", suite, "--implementation", "builtin:native", "--out", results).returncode, 0)
        outputs = [(path.parent.relative_to(suite), output) for path in suite.glob("*/*/case.json")
                   for output in json.loads(path.read_text()).get("outputs", [])]
        beyond = {True: 0, False: 0}
        for unsigned in (True, False):
            for folder, output in outputs:
                if output["rule"].get("unsigned", False) != unsigned or output["dtype"] not in ("i8", "i16"):
                    continue
                path = results / folder / (output["name"] + ".npy")
                array = np.load(path)
                beyond[unsigned] += bool((array < 0).any())
                np.save(path, bits_of(array))
            counts, _ = self.agree(results, suite)
            self.assertEqual(counts["malformed"], 0 if unsigned else beyond[False])
            self.assertEqual(counts["fail"], 0)
        self.assertGreater(min(beyond.values()), 3)

    def test_compares_by_every_rule(self):
        results, outputs, random = self.copy("moved")
        for folder, output in outputs:
            move(folder / (output["name"] + ".npy"), output["dtype"], random)
        counts, _ = self.agree(results)
        self.assertGreater(counts["fail"], 300)

    def test_flushes_some_subnormals(self):
        results, outputs, random = self.copy("flushed")
        for folder, output in outputs:
            path = folder / (output["name"] + ".npy")
            if output["dtype"] not in ("fp16", "fp32") or random.integers(0, 2) == 0:
                continue
            array = np.load(path)
            tiny = np.abs(array) < np.finfo(array.dtype).tiny
            np.save(path, np.where(tiny, np.copysign(array.dtype.type(0), array), array))
        _, findings = self.agree(results)
        self.assertEqual(findings, {"mixed_flushing"})

    def test_takes_one_sign_of_zero_for_another_by_choice(self):
        results, outputs, random = self.copy("signs")
        chosen = [item for item in outputs if "zero_choice" in item[1]["rule"] and item[1]["dtype"] in ("fp16", "fp32")]
        for some in (False, True):
            for folder, output in chosen:
                path = folder / (output["name"] + ".npy")
                array = np.load(path)
                keep = random.integers(0, 2, array.shape).astype(bool) if some else False
                native = np.load(self.here / "native" / path.relative_to(results))
                np.save(path, np.where((native == 0) & ~np.asarray(keep), np.abs(native), native))
            counts, findings = self.agree(results)
            self.assertEqual(set(counts), {"pass"})
            self.assertEqual(findings, {"mixed_choice"} if some else set())

    def test_holds_an_implementation_to_what_it_calls_conformant(self):
        results, _, _ = self.copy("announced")
        declared = {"format": "tensor-cts-declared-1", "edition": "tosa-1.0"}
        path = results / "run.json"
        kept = json.loads(path.read_text())
        integers = [id for id, case in self.cases.items() if case["profiles"] == [["PRO-INT"]]]
        legal = next(id for id in integers if self.cases[id]["outcome"] == "valid")
        illegal = next(id for id in integers if self.cases[id]["outcome"] == "error")
        for members, broken, expected in (
                ({"conformant": ["PRO-INT"], "operators": ["TABLE"]}, {legal: "unsupported"}, True),
                ({"conformant": ["PRO-FP"]}, {legal: "crash", illegal: "unsupported"}, False),
                ({"conformant": ["PRO-INT"], "illegal_graphs": False}, {legal: None, illegal: "unsupported"}, False),
                ({"conformant": ["PRO-INT"], "edition": "tosa-0.100"}, {legal: "unsupported"}, False)):
            path.write_text(json.dumps({**kept, "implementation": {**kept["implementation"],
                                                                   "declared": {**declared, **members}}}))
            right = {id: (results / id / "result.json").read_text() for id in broken}
            for id, status in broken.items():
                result = results / id / "result.json"
                result.write_text(json.dumps({"status": status})) if status else result.unlink()
            _, findings = self.agree(results)
            for id, text in right.items():
                (results / id / "result.json").write_text(text)
            self.assertEqual(findings, {"not_as_announced"} if expected else set(), (members, broken))

    def test_sees_broken_files(self):
        results, outputs, _ = self.copy("broken")
        choices = ("no_output", "truncated", "trailing", "no_result", "no_json", "no_status", "unknown_status",
                   "unknown_member", "signal", "exit_code", "exit_code_0", "crash", "timeout", "unsupported", "protocol",
                   "error", "accepted", "differs")
        for number, (folder, output) in enumerate(outputs[::3]):
            if (folder / "result.json").exists() and (folder / (output["name"] + ".npy")).exists():
                break_files(folder, output, choices[number % len(choices)])
        counts, findings = self.agree(results)
        self.assertEqual(set(counts), {"pass", "missing", "malformed", "crash", "timeout", "unsupported", "protocol",
                                       "wrong_outcome", "accepted"})
        self.assertEqual(findings, {"not_deterministic"})

    def test_excuses_only_the_outputs_that_a_disputed_point_reaches(self):
        """MAXIMUM of a signalling NaN may be NaN by one clause; ADD beside it sees none."""
        (self.here / "net.mlir").write_text(DISPUTED)
        np.save(self.here / "a.npy", np.uint32([0x7FA00000, 0x3F800000]).view(np.float32))
        np.save(self.here / "b.npy", np.float32([1, 2]))
        suite, results = self.here / "disputed", self.here / "disputed_results"
        done = run(CTS, "import", self.here / "net.mlir", "--input", f"0={self.here}/a.npy", "--input", f"1={self.here}/b.npy",
                   "--out", suite)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run(CTS, "run", suite, "--implementation", "builtin:native", "--out", results)
        self.assertEqual(done.returncode, 0, done.stderr)
        (case,) = [json.loads(path.read_text()) for path in suite.rglob("case.json")]
        maximum, add = case["outputs"]
        self.assertEqual((maximum.get("undisputed"), add.get("undisputed")), (None, True))
        for first, second, verdict in ((1, 2, "pass"), (np.nan, 2, "disputed"), (1, 7, "fail"), (np.nan, 7, "fail")):
            for output, values in ((maximum, [first, 2]), (add, [second, 4])):
                path, = results.rglob(output["name"] + ".npy")
                np.save(path, np.float32(values))
            counts, _ = self.agree(results, suite)
            self.assertEqual(counts, {verdict: 1}, (first, second))

    def test_takes_no_other_suite(self):
        for path, member in ((self.here / "native" / "run.json", "suite_digest"), (self.suite / "suite.json", "digest")):
            text = path.read_text()
            path.write_text(text.replace(json.loads(text)[member], "0" * 64))
            done = run(sys.executable, CHECKER, self.suite, self.here / "native")
            path.write_text(text)
            self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    np.seterr(all="ignore")
    unittest.main(argv=sys.argv[:1] + sys.argv[2:])

#!/usr/bin/env python3
"""The quantized convolution of the dialect's RFC, whose result was worked out apart from the
reference: tools/develop/testdata/rfc/README.md.

Usage: golden_test.py TENSOR_CTS              the reference, the embedded implementation
       golden_test.py TENSOR_CTS mlir 22|19   MLIR, tosa-1.0 by 22 and tosa-0.100 by 19; exits with
                                              77 where that version cannot be had
"""
import importlib.util
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = TOOLS / "develop" / "testdata" / "rfc"
ADAPTER = TOOLS / "adapters" / "mlir" / "adapter.py"
CASE = "rfc/quantized-conv2d"
EDITIONS = ("tosa-1.0", "tosa-0.100")
SKIPPED = 77
sys.path.append(str(TOOLS / "develop"))
import archive  # noqa: E402
TENSOR_CTS = ""

# README.md, "Eight elements by hand": channel, row, column, sum, result; and what one rounding
# would give.
BY_HAND = [(0, 0, 0, 823, 3, 2), (1, 0, 3, -1825, -6, -5), (2, 3, 0, 41332, 126, 126),
           (3, 3, 3, -41987, -127, -127), (4, 1, 1, 0, 0, 0), (5, 2, 1, 41988, 127, 127),
           (6, 1, 2, -42317, -128, -128), (7, 0, 1, 41989, 127, 126)]


def run(*arguments):
    return subprocess.run([TENSOR_CTS, *map(str, arguments)], capture_output=True, text=True,
                          timeout=200, check=False)


def elements(path):
    """Reads the values of a .npy of i8."""
    data = path.read_bytes()
    begin = 10 + struct.unpack("<H", data[8:10])[0]
    return list(struct.unpack(f"<{len(data) - begin}b", data[begin:]))


class Golden(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="golden-"))
        self.addCleanup(shutil.rmtree, self.root)
        self.suites = self.root / "suites"
        archive.unpack(GOLDEN / "suites.tar", self.suites)

    def expected(self, edition):
        return self.suites / edition / CASE / "expected" / "output.npy"

    def passes(self, edition, *implementation):
        """Runs the suite, checks it, and wants the very bytes of the derivation."""
        results = self.root / "results" / edition
        done = run("run", self.suites / edition, *implementation, "--out", results)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run("check", self.suites / edition, results)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("all 1 cases passed", done.stdout)
        result = elements(results / CASE / "output.npy")
        self.assertEqual(result, elements(self.expected(edition)))


class Reference(Golden):
    def test_both_editions_expect_the_same(self):
        first, second = (self.expected(edition).read_bytes() for edition in EDITIONS)
        self.assertEqual(first, second)

    def test_the_files_are_what_the_derivation_writes(self):
        for edition in EDITIONS:
            subprocess.run([sys.executable, GOLDEN / "derive.py", edition, self.root / "derived" / edition],
                           check=True, timeout=60)
        archive.pack(self.root / "derived", self.root / "derived.tar")
        self.assertEqual(archive.read(self.root / "derived.tar"), archive.read(GOLDEN / "suites.tar"))

    def test_eight_elements_are_those_worked_out_by_hand(self):
        spec = importlib.util.spec_from_file_location("derive", GOLDEN / "derive.py")
        derive = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(derive)
        sums = derive.sums(*derive.operands())
        values = elements(self.expected("tosa-1.0"))
        for channel, row, column, total, result, once in BY_HAND:
            index = (row * 4 + column) * 8 + channel
            self.assertEqual((sums[index], values[index]), (total, result), channel)
            self.assertEqual(derive.rescaled(total, channel, doubled=False), once, channel)

    def evaluated(self, case):
        done = run("eval", "--json", case)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return json.loads(done.stdout)

    def test_the_reference_computes_it_in_both_editions(self):
        for edition in EDITIONS:
            answer = self.evaluated(self.suites / edition / CASE)
            self.assertEqual(answer["outcome"], "valid")
            output = answer["outputs"]["output"]
            self.assertEqual((output["dtype"], output["shape"]), ("i8", [1, 4, 4, 8]))
            self.assertEqual(output["data"], elements(self.expected(edition)))

    def test_one_rounding_is_another_result(self):
        """The case can tell: at three of the eight elements, and at one more."""
        for edition, attribute, value in (("tosa-1.0", "rounding_mode", "SINGLE_ROUND"),
                                          ("tosa-0.100", "double_round", False)):
            case = self.root / edition
            shutil.copytree(self.suites / edition / CASE, case)
            described = json.loads((case / "case.json").read_text())
            rescale = described["graph"]["regions"][0]["blocks"][0]["operators"][-1]
            self.assertIn(attribute, rescale["attributes"])
            rescale["attributes"][attribute] = value
            (case / "case.json").write_text(json.dumps(described))
            once = self.evaluated(case)["outputs"]["output"]["data"]
            pairs = list(zip(once, elements(self.expected(edition))))
            differing = {i: pair for i, pair in enumerate(pairs) if pair[0] != pair[1]}
            by_hand = {(row * 4 + column) * 8 + channel: (one, two)
                       for channel, row, column, _, two, one in BY_HAND if one != two}
            self.assertEqual(len(by_hand), 3)
            self.assertEqual(differing, {**by_hand, 61: (-34, -35)})

    def test_the_embedded_implementation_passes(self):
        for edition in EDITIONS:
            self.passes(edition, "--implementation", "builtin:native")

    def test_it_becomes_mlir_with_zero_points_as_operands(self):
        done = run("render", "--format", "mlir", self.suites / "tosa-1.0" / CASE)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        for text in (
                "%input_input_zp = \"tosa.const\"() {values = dense<[1]> : tensor<1xi8>}",
                "\"tosa.conv2d\"(%input, %weight, %bias, %input_input_zp, %input_weight_zp)",
                "pad = array<i64: 1, 1, 1, 1>",
                "dense<[1669387395, 1656242552, 1682532139, 1669387395, 1656242652, 1669387395, "
                "1669387395, 1656242652]> : tensor<8xi32>",
                "dense<[39, 39, 39, 39, 39, 39, 39, 39]> : tensor<8xi8>",
                "per_channel = true, rounding_mode = #tosa.rounding_mode<DOUBLE_ROUND>, "
                "scale32 = true",
        ):
            self.assertIn(text, done.stdout)


class Mlir22(Golden):
    def test_gives_the_same_bytes(self):
        adapter = f"{sys.executable} {ADAPTER} --tensor-cts {TENSOR_CTS}"
        self.passes("tosa-1.0", "--adapter", adapter, "--worker")


class Mlir19(Golden):
    """Zero points and double_round are attributes of its dialect, as they are of the RFC's."""

    def test_gives_the_same_bytes(self):
        adapter = f"{sys.executable} {ADAPTER} --mlir 19 --tensor-cts {TENSOR_CTS}"
        self.passes("tosa-0.100", "--adapter", adapter, "--worker")


def missing(version):
    """Names what this version of MLIR lacks, or nothing."""
    tools = (f"mlir-opt-{version}", "mlir-runner-22" if version == "22" else "mlir-cpu-runner-19")
    for tool in tools:
        if shutil.which(tool) is None:
            return f"{tool}: not found; install mlir-{version}-tools"
    asked = subprocess.run([sys.executable, ADAPTER, "--help"], capture_output=True, text=True,
                           timeout=60, check=False)
    if asked.returncode != 0:
        return asked.stderr
    if version == "19" and "--mlir" not in asked.stdout.split():
        return "the adapter takes no MLIR 19"
    return None


if __name__ == "__main__":
    TENSOR_CTS = sys.argv.pop(1)
    tests = "Reference"
    if sys.argv[1:2] == ["mlir"]:
        _, VERSION = sys.argv.pop(1), sys.argv.pop(1)
        tests = f"Mlir{VERSION}"
        lacking = missing(VERSION)
        if lacking:
            print(f"skipped: {lacking}")
            sys.exit(SKIPPED)
    unittest.main(argv=[sys.argv[0], tests, *sys.argv[1:]])

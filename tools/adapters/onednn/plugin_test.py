#!/usr/bin/python3
"""oneDNN judged: right where it is right, and wrong where its own instruction sets are.

Usage: plugin_test.py TENSOR_CTS LIBCTS_ONEDNN  (exit code 77 where that was not built)
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

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import sample, tables  # noqa: E402

CTS = LIBRARY = ""
LISTED = sample.listed("onednn")
DEVIATIONS = [one for one in LISTED if sample.fits_this_machine(one)]  # nothing else explains a case here
FLOATING = ("ABS", "ADD", "CONV2D", "DEPTHWISE_CONV2D", "EXP", "LOG", "MATMUL", "MUL", "RECIPROCAL",
            "REDUCE_PRODUCT", "REDUCE_SUM", "SIGMOID", "SUB", "TANH")
INTEGER = ("CONV2D", "DEPTHWISE_CONV2D", "MATMUL")


def cts(*arguments, isa=None):
    environment = dict(os.environ)
    environment.pop("DNNL_MAX_CPU_ISA", None)
    if isa is None and sample.fits_this_machine({"cpu": "amx_tile"}):
        isa = "AVX512_CORE_BF16"  # AMX is untried
    if isa:
        environment["DNNL_MAX_CPU_ISA"] = isa
    done = subprocess.run([CTS, *map(str, arguments)], env=environment, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return done.returncode, done.stdout.decode()


class OneDnn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="onednn-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def judge(self, name, options, isa=None):
        return self.report(name, options, isa)["cases"]

    def report(self, name, options, isa=None):
        """The report on what `options` generate."""
        suite, results = self.root / name, self.root / f"{name}-{isa}"
        if not suite.exists():
            code, out = cts("generate", *options, "--out", suite)
            self.assertEqual(code, 0, out)
        code, out = cts("run", suite, "--plugin", LIBRARY, "--out", results, isa=isa)
        self.assertEqual(code, 0, out)
        report = self.root / "report.json"
        code, out = cts("check", suite, results, "--json", report)
        self.assertIn(code, (0, 1), out)
        self.about = json.loads((results / "run.json").read_text())["implementation"]["about"]
        return json.loads(report.read_text())

    def test_every_listed_deviation_is_there(self):
        ids = sorted(sample.examples(DEVIATIONS))
        single = [one for one in DEVIATIONS if "finding" not in one["match"]]
        self.assertEqual(len(sample.examples(single)), len(single))
        report = self.report("examples", ["--recipe", "certify", *(f"--id={id}" for id in ids)])
        elsewhere = {one["id"] for one in LISTED if one not in DEVIATIONS}
        rows = [row for row in tables.tallies(f"{tables.FINDINGS}/onednn")[""]["rows"] if row[-1] not in elsewhere]
        self.assertEqual(sample.differences(report, DEVIATIONS, rows), [])
        self.assertEqual({one["kind"] for one in report["findings"]}, {one["match"]["finding"] for one in DEVIATIONS if one not in single})

    def test_floating_point_is_within_its_bounds_but_for_what_is_listed(self):
        options = ["--recipe", "smoke", "--type", "fp32", "--type", "bf16"]
        for operator in FLOATING:
            options += ["--operator", operator]
        right = collections.Counter()
        for case in self.judge("float", options):
            why = tables.classify([*DEVIATIONS, tables.NOT_OFFERED], case)
            self.assertNotEqual(why, tables.UNEXPLAINED, case)
            right[case["operator"]] += case["expected"] == "valid" and case["verdict"] == "pass"
        for operator in FLOATING:
            self.assertGreater(right[operator], 0, operator)

    def integers(self, isa):
        options = ["--recipe", "certify", "--type", "i8", "--profile", "PRO-INT"]
        for operator in INTEGER:
            options += ["--operator", operator]
        verdicts = collections.defaultdict(collections.Counter)
        for case in self.judge("integer", options, isa):
            if case["expected"] == "valid" and case.get("answered") == "ok":
                # Beyond 2^24 no instruction set is exact: oneDNN goes by fp32.
                large = case["data_set"] == "accumulator"
                verdicts["large" if large else case["operator"]][case["verdict"]] += 1
        return verdicts

    def test_integers_are_exact_with_dot_product_instructions(self):
        verdicts = self.integers(None)
        if not any(word in self.about for word in ("VNNI", "BF16", "AMX")):
            self.skipTest(self.about)
        for operator in INTEGER:
            self.assertEqual(set(verdicts[operator]), {"pass"}, verdicts)
            self.assertGreater(verdicts[operator]["pass"], 20, verdicts)

    def test_integers_are_wrong_without_dot_product_instructions(self):
        # By 16-bit sums of pairs, which saturate, and weights halved to make that rarer.
        verdicts = self.integers("SSE41")
        self.assertTrue(self.about.endswith("SSE41"), self.about)
        for operator in INTEGER:
            self.assertGreater(verdicts[operator]["fail"], 0, verdicts)
            self.assertGreater(sum(verdicts[operator].values()), 70, verdicts)

    def test_with_avx2_alone_depthwise_convolutions_lose_zero_points_as_well(self):
        if not sample.fits_this_machine({"match": {}, "cpu": "avx2"}):
            self.skipTest("no AVX2")
        of_avx2 = [one for one in LISTED if sample.fits_this_machine(one, {"avx2"})]
        lost = next(one for one in of_avx2 if one["id"] == "depthwise-of-few-registers")
        ids = [lost["case"], "depthwise_conv2d/network-mobilenet_v3_dw5_960-i8-i8-i32"]  # the same, of fewer vectors
        report = self.report("avx2", ["--recipe", "certify", *(f"--id={id}" for id in ids)], "AVX2")
        causes = {case["id"]: tables.classify(of_avx2, case) for case in report["cases"]}
        self.assertEqual(causes, {ids[0]: lost["id"], ids[1]: "convolution-halves-weights"})

    def test_takes_no_attribute_that_it_drops(self):
        # These cases have an attribute of an illegal kind, without a value, or of a name that no
        # operator has.
        operators = ["CONV2D", "DEPTHWISE_CONV2D", "MATMUL", "ADD", "MUL", "EXP", "REDUCE_SUM"]
        options = ["--recipe", "smoke"]
        for operator in operators:
            options += ["--operator", operator]
        cases = [case for case in self.judge("attributes", options)
                 if case["expected"] == "error"
                 and case["condition"] == "graph.attribute"]
        self.assertGreater(len(cases), len(operators))
        self.assertEqual({case["verdict"] for case in cases}, {"unsupported"},
                         [case for case in cases if case["verdict"] != "unsupported"])

    def test_says_why_it_does_not_offer_something(self):
        cases = self.judge("erf", ["--recipe", "smoke", "--operator", "ERF", "--type", "fp32"])
        self.assertEqual({case["verdict"] for case in cases if case["expected"] == "valid"},
                         {"unsupported"})
        self.assertTrue(any("gelu_erf, which is another function" in case["message"]
                            for case in cases), cases)


if __name__ == "__main__":
    if len(sys.argv) < 3 or not os.path.exists(sys.argv[2]):
        print("not built: oneDNN is not installed (apt-get install libdnnl-dev)")
        sys.exit(77)
    CTS, LIBRARY = [os.path.abspath(path) for path in sys.argv[1:3]]
    del sys.argv[1:3]
    unittest.main()

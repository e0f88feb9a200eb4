#!/usr/bin/python3
"""Tests of the ONNX Runtime adapter: adapter_test.py TENSOR_CTS.

Exits with 77 where Node.js or the package onnxruntime-node (beside this file or in NODE_PATH) is
missing.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.dirname(HERE))
from common import sample, tables  # noqa: E402

ADAPTER = os.path.join(HERE, "adapter.mjs")
SKIPPED = 77
TENSOR_CTS = "tensor-cts"

ANY = {"bool", "i8", "i16", "i32", "fp16", "fp32"}
NUMBERS = {"i32", "fp16", "fp32"}
# Type of the first operand, by operator, that ONNX Runtime has to answer.
OFFERED = {
    **dict.fromkeys(["CONCAT", "IDENTITY", "RESHAPE", "REVERSE", "SLICE", "TILE", "TRANSPOSE"], ANY),
    **dict.fromkeys(["GATHER", "SCATTER"], ANY - {"bool"}),
    "PAD": ANY - {"i16"},
    **dict.fromkeys(["ABS", "ADD", "EQUAL", "GREATER", "GREATER_EQUAL", "MAXIMUM", "MINIMUM",
                     "SELECT", "SUB"], NUMBERS),
    **dict.fromkeys(["BITWISE_AND", "BITWISE_NOT", "BITWISE_OR", "BITWISE_XOR"],
                    {"i8", "i16", "i32"}),
    **dict.fromkeys(["LOGICAL_AND", "LOGICAL_NOT", "LOGICAL_OR", "LOGICAL_XOR", "REDUCE_ALL",
                     "REDUCE_ANY"], {"bool"}),
    **dict.fromkeys(["AVG_POOL2D", "CEIL", "COS", "ERF", "EXP", "FLOOR", "LOG", "POW", "RECIPROCAL",
                     "REDUCE_PRODUCT", "SIGMOID", "SIN", "TANH", "TRANSPOSE_CONV2D"],
                    {"fp16", "fp32"}),
    **dict.fromkeys(["CLAMP", "CONV2D", "CONV3D", "DEPTHWISE_CONV2D", "MATMUL", "MAX_POOL2D"],
                    {"i8", "fp16", "fp32"}),
    **dict.fromkeys(["REDUCE_MAX", "REDUCE_MIN"], {"i8"} | NUMBERS),
    "ARGMAX": {"i8", "i16", "fp16", "fp32"}, "CAST": ANY, "INTDIV": {"i32"},
    "MUL": {"i8", "i16"} | NUMBERS, "NEGATE": NUMBERS, "REDUCE_SUM": NUMBERS,
}
NOT_OFFERED = {"ARITHMETIC_RIGHT_SHIFT", "CLZ", "FFT2D", "LOGICAL_LEFT_SHIFT",
               "LOGICAL_RIGHT_SHIFT", "RESCALE", "RESIZE", "RFFT2D", "RSQRT", "TABLE"}


def cts(*arguments):
    return subprocess.run([TENSOR_CTS, *arguments], capture_output=True, text=True, timeout=300,
                          check=False)


def node(adapter, *arguments, stdin=""):
    return subprocess.run(["node", adapter, *arguments], input=stdin, capture_output=True,
                          text=True, timeout=60, check=False)


def first_type(case):
    types = case.get("types", {})
    return types.get("in_t", types.get("in_out_t", types.get("out_t")))


class AdapterTest(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.root = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.root)
        cls.suite = os.path.join(cls.root, "suite")
        cls.report = cls.judge(cls.suite, "--recipe", "smoke")
        cls.cases = cls.report["cases"]
        cls.deviations = sample.listed("onnxruntime")

    @classmethod
    def judge(cls, suite, *options):
        """The report on a suite that these options generate."""
        results, report = f"{suite}-results", f"{suite}.json"
        for command in (["generate", *options, "--out", suite],
                        ["run", suite, "--adapter", f"node '{ADAPTER}'", "--worker",
                         "--jobs", "2", "--out", results]):
            result = cts(*command)
            if result.returncode != 0:
                raise RuntimeError(result.stderr)
        cts("check", suite, results, "--json", report)
        with open(report, encoding="utf-8") as file:
            return json.load(file)

    def test_every_case_has_an_answer(self):
        self.assertEqual({case.get("answered") for case in self.cases},
                         {"ok", "error", "unsupported"})
        self.assertEqual(self.report["implementation"]["name"], "onnxruntime")

    def test_offers_what_onnx_means_exactly(self):
        answered = {}
        for case in self.cases:
            if case["expected"] == "valid" and case["answered"] == "ok":
                answered.setdefault(case["operator"], set()).add(first_type(case))
        for operator, types in OFFERED.items():
            self.assertEqual(answered.get(operator), types, operator)
        self.assertEqual(NOT_OFFERED & answered.keys(), set())

    def test_every_wrong_answer_has_a_listed_cause(self):
        causes = {case["id"]: tables.classify([*self.deviations, tables.NOT_OFFERED], case)
                  for case in self.cases}
        self.assertEqual([case for case, why in causes.items() if why == tables.UNEXPLAINED], [])
        self.assertIn("sigmoid-approximation", causes.values())  # or nothing was classified

    def test_every_listed_deviation_is_there(self):
        ids = [f"--id={id}" for id in sorted(sample.examples(self.deviations))]
        self.assertEqual(len(ids), sum("not_asked" not in one for one in self.deviations))
        report = self.judge(os.path.join(self.root, "examples"), "--recipe", "certify", *ids)
        rows = tables.tallies(os.path.join(tables.FINDINGS, "onnxruntime"))[""]["rows"]
        self.assertEqual(sample.differences(report, self.deviations, rows), [])

    def test_control_flow_has_what_the_case_declares(self):
        # A value that is handed out twice; inputs of a branch and of a body that do not fit.
        right = ["graphs/cond-if-arguments-returned-any-else-i32-c1-full-range",
                 "cond_if/error-else_inputs-any-3", "while_loop/error-body_inputs-any-3"]
        report = self.judge(os.path.join(self.root, "control_flow"), "--recipe", "certify",
                            *(f"--id={id}" for id in right))
        self.assertEqual({case["id"]: case["verdict"] for case in report["cases"]},
                         dict.fromkeys(right, "pass"))

    def test_refuses_no_valid_case(self):
        self.assertEqual([(case["id"], case["said"]) for case in self.cases
                          if case["expected"] == "valid" and case["answered"] == "error"], [])

    def test_says_why_it_does_not_offer_something(self):
        for case in self.cases:
            if case["answered"] == "unsupported":
                self.assertTrue(case.get("said"), case["id"])
        said = {case["operator"]: case["said"] for case in self.cases
                if case["operator"] in NOT_OFFERED and case["expected"] == "valid"
                and not case["said"].startswith("type ")}
        for operator, text in said.items():
            self.assertTrue(text.startswith(f"{operator}: "), text)

    def test_refuses_in_the_runtimes_own_words(self):
        said = {case["id"]: case.get("said", "") for case in self.cases
                if case["answered"] == "error"}
        self.assertGreater(len(said), 1000)
        self.assertIn("Incompatible dimensions", said["add/error-broadcast-i32-3"])

    def test_runs_one_case_without_worker(self):
        case = next(case["id"] for case in self.cases
                    if case["operator"] == "ABS" and case.get("answered") == "ok"
                    and not case["id"].startswith("abs/again-"))  # of several executions
        with tempfile.TemporaryDirectory() as results:
            result = node(ADAPTER, os.path.join(self.suite, case), results)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(json.loads(result.stdout), {"status": "ok"})
            self.assertEqual(os.listdir(results), ["output.npy"])

    def test_refuses_other_editions_and_wrong_options(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "case.json"), "w", encoding="utf-8") as file:
                json.dump({"edition": "tosa-0.100"}, file)
            result = node(ADAPTER, folder, folder)
            self.assertEqual(json.loads(result.stdout),
                             {"status": "unsupported", "message": "edition tosa-0.100"})
        for arguments in ([], ["--worker", "case"], ["case"], ["--worker", "--threads", "0"],
                          ["--worker", "--optimization", "some"], ["--no-such-option"]):
            result = node(ADAPTER, *arguments)
            self.assertEqual((result.returncode, result.stdout), (2, ""))
            self.assertIn("usage: adapter.mjs", result.stderr)

    def bare(self):
        """The adapter without its package."""
        folder = os.path.join(tempfile.mkdtemp(dir=self.root), "bare")
        return shutil.copytree(HERE, folder, ignore=shutil.ignore_patterns("node_modules"))

    def test_takes_for_a_refusal_only_what_the_runtime_says(self):
        case = next(case["id"] for case in self.cases
                    if case["operator"] == "ABS" and case.get("answered") == "ok"
                    and not case["id"].startswith("abs/again-"))  # of several executions
        # A package whose calls throw: from native code (the top of the stack is the binding), by
        # misuse, from the layer above, and a bug.
        native = "throw new Error('Node (x) Op (Abs) [ShapeInferenceError] no')"
        for place, code, status in (
                ("dist", native, "error"),
                ("dist", "throw new Error('Could not find an implementation for Abs(13)')",
                 "unsupported"),
                ("dist", "throw new Error('Failed to load model because protobuf parsing failed.')",
                 None),
                ("dist", "throw new TypeError('Wrong type of the argument')", None),
                ("common", native, None), ("dist", "no.such.member", None),
                ("dist", "return { run: async () => ({}), release: async () => {} }", None)):
            with self.subTest(code=code, place=place):
                folder = self.bare()
                package = os.path.join(folder, "node_modules", "onnxruntime-node")
                os.makedirs(os.path.join(package, place))
                with open(os.path.join(package, place, "backend.js"), "w") as file:
                    file.write(f"exports.create = async () => {{ {code}; }};\n")
                with open(os.path.join(package, "index.js"), "w") as file:
                    file.write(f"const backend = require('./{place}/backend.js');\n"
                               "exports.env = { versions: { node: '0' } };\n"
                               "exports.Tensor = class {};\n"
                               "exports.InferenceSession = { create: backend.create };\n")
                with tempfile.TemporaryDirectory() as results:
                    result = node(os.path.join(folder, "adapter.mjs"),
                                  os.path.join(self.suite, case), results)
                if status is None:
                    self.assertEqual((result.returncode, result.stdout), (1, ""))
                    self.assertIn("Error: ", result.stderr)
                else:
                    self.assertEqual(json.loads(result.stdout)["status"], status, result.stderr)

    def test_a_bug_of_the_adapter_is_a_crash_of_its_case(self):
        folder = self.bare()
        os.symlink(os.path.join(HERE, "node_modules"), os.path.join(folder, "node_modules"))
        path = os.path.join(folder, "mapping.mjs")
        with open(path, encoding="utf-8") as file:
            text = file.read()
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.replace("  CEIL: same('Ceil'),", "  CEIL: (call) => call.no.such(),"))
        out = os.path.join(folder, "out")
        result = cts("run", self.suite, "--adapter", f"node '{folder}/adapter.mjs'", "--worker",
                     "--filter", "ceil/fp32*", "--out", os.path.join(folder, "out"))
        # The adapter announced itself, so this counts as its implementation's fault.
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertRegex(result.stdout, ": 0 ok, 0 error, 0 unsupported, [1-9][0-9]* crash, 0 ")
        self.assertIn("exited with code 1", result.stdout)
        self.assertIn("the last line of its log: TypeError: ", result.stdout)

    def test_names_the_missing_package_and_run_says_so(self):
        bare = self.bare()
        adapter = os.path.join(bare, "adapter.mjs")
        environment = {name: value for name, value in os.environ.items() if name != "NODE_PATH"}
        result = subprocess.run(["node", adapter, "--worker"], capture_output=True, text=True,
                                env=environment, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        remedy = f"install it: npm ci --ignore-scripts --prefix {bare}"
        self.assertIn("Cannot find module 'onnxruntime-node'", result.stderr)
        self.assertIn(remedy, result.stderr)
        result = subprocess.run(
            [TENSOR_CTS, "run", self.suite, "--adapter", f"node '{adapter}'", "--worker",
             "--filter", "abs/error-operand_count*", "--out", os.path.join(self.root, "none")],
            capture_output=True, text=True, env=environment, timeout=300, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("the adapter does not start: ", result.stderr)
        self.assertIn(remedy, result.stderr)
        self.assertEqual(os.listdir(os.path.join(self.root, "none")), [])  # not one case

    def test_names_a_node_that_is_too_old(self):
        before = os.path.join(self.root, "before_18_3.cjs")
        with open(before, "w", encoding="utf-8") as file:
            file.write("delete require('node:util').parseArgs;\n")
        result = node("--require", before, ADAPTER, "--worker")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertRegex(result.stderr, r"^Node\.js v\S+: too old, expected 18\.3 or later; install it: apt-get install nodejs\n$")

    def test_says_what_to_install_where_there_is_no_node(self):
        bin_folder = os.path.join(self.root, "bin")
        os.mkdir(bin_folder)
        result = subprocess.run(
            [TENSOR_CTS, "run", self.suite, "--adapter", f"node '{ADAPTER}'", "--worker",
             "--filter", "abs/*", "--out", os.path.join(self.root, "no-node")],
            capture_output=True, text=True, env={**os.environ, "PATH": bin_folder}, timeout=300,
            check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("no such command", result.stderr)
        self.assertIn("apt-get install nodejs npm", result.stderr)


def installed():
    if shutil.which("node") is None:
        return "Node.js"
    # A package may lie beside the adapter or in NODE_PATH.
    code = "require('node:module').createRequire(process.argv[1])('onnxruntime-node')"
    found = subprocess.run(["node", "-e", code, ADAPTER], capture_output=True, check=False)
    return None if found.returncode == 0 else "onnxruntime-node"


if __name__ == "__main__":
    missing = installed()
    if missing:
        print(f"skipped: {missing} is not installed (see README.md)")
        sys.exit(SKIPPED)
    if len(sys.argv) > 1:
        TENSOR_CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

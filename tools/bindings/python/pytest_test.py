#!/usr/bin/env python3
"""The pytest plugin, both roads, in processes of their own.

Usage: pytest_test.py [TENSOR_CTS LIBRARY]      without them the plugin that is installed
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401
    import pytest  # noqa: F401
except ImportError:
    sys.exit(77)
try:
    import xdist
except ImportError:
    xdist = None

SOURCES = pathlib.Path(__file__).resolve().parent / "src"
INSTALLED = len(sys.argv) == 1
PLUGIN = () if INSTALLED else ("-p", "tensor_cts.pytest_plugin")
if INSTALLED:
    from tensor_cts import program
    PROGRAM = program()
else:
    PROGRAM, LIBRARY = map(os.path.abspath, sys.argv[1:3])

# Right for i32, but for a case that WRONG names; everything else is not offered.
NPU = '''
import os
import numpy as np
import tensor_cts as cts

def execute(graph, inputs):
    types = {tensor.type for tensor in graph.tensors.values()}
    if len(types) == 1 and types != {"i32"}:
        raise cts.Unsupported(f"MAXIMUM of {types.pop()}")
    values = {**graph.constants, **inputs}
    for op in graph.operators:
        if op.name == "CONST":
            continue
        shapes = [graph.tensors[name].shape for name in (*op.inputs, *op.outputs)]
        if len(types) > 1 or len(shapes) != 3 or op.attributes.get("nan_mode") not in ("PROPAGATE", "IGNORE"):
            raise cts.Refused("operands")
        if len({len(shape) for shape in shapes}) > 1:
            raise cts.Refused("ranks")
        try:
            result = np.maximum(*(values[name] for name in op.inputs))
        except ValueError as error:
            raise cts.Refused(str(error))
        if result.shape != shapes[2]:
            raise cts.Refused("shapes")
        values[op.outputs[0]] = result
    wrong = os.environ.get("WRONG") == graph._directory.name
    return {name: values[name] - wrong for name in graph.outputs}
'''
ROAD_B = '''
import pytest
from npu import execute

@pytest.fixture
def npu():
    return execute

def test_conformance(tensor_cts_case, npu):
    assert tensor_cts_case.operator == "MAXIMUM"
    tensor_cts_case.run(npu)
'''


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="tensor_cts_plugin-"))
        (cls.root / "npu.py").write_text(NPU)
        (cls.root / "test_npu.py").write_text(ROAD_B)
        cls.command("generate", "--recipe", "smoke", "--operator", "MAXIMUM", "--type", "i32", "--out", cls.root / "suite")
        cls.command("generate", "--recipe", "smoke", "--operator", "MAXIMUM", "--out", cls.root / "all")
        cls.ids = [case["id"] for case in json.loads((cls.root / "suite/suite.json").read_text())["cases"]]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def command(cls, *arguments, expected=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8")
        assert done.returncode == expected, done.stdout
        return done.stdout

    def pytest(self, *arguments, **environment):
        """Exit code and output."""
        place = {"PYTHONPATH": str(self.root)}
        if not INSTALLED:
            place = {"PYTHONPATH": f"{SOURCES}:{self.root}", "TENSOR_CTS_COMMAND": PROGRAM, "TENSOR_CTS_LIBRARY": LIBRARY}
        done = subprocess.run(
            [sys.executable, "-m", "pytest", *PLUGIN, "-q", "--rootdir", self.root, *map(str, arguments)],
            cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=300,
            env={**os.environ, **place, "COLUMNS": "200", "PYTHONDONTWRITEBYTECODE": "1", **environment})
        return done.returncode, done.stdout

    A = ("suite", "--tensor-cts-adapter", "npu.py:execute")
    B = ("test_npu.py", "--tensor-cts-suite", "suite")

    def test_both_roads_pass_what_is_right(self):
        for road in (self.A, self.B):
            with self.subTest(road=road):
                code, said = self.pytest(*road)
                self.assertEqual(code, 0, said)
                self.assertIn(f"\nCONFORMANT: {len(self.ids)} pass; of {len(self.ids)} cases", said)
                self.assertIn(f"{len(self.ids) + 1} passed", said)  # and the item `findings`

    def test_a_wrong_element_is_the_failure(self):
        id = next(id for id in self.ids if "error" not in id)
        for road in (self.A, self.B):
            with self.subTest(road=road):
                code, said = self.pytest(*road, WRONG=id.split("/")[1])
                self.assertEqual(code, 1, said)
                self.assertIn(f"{id}: fail: output output, element [", said)
                self.assertIn("\nclause: tosa-1.0, ", said)
                self.assertNotIn("Traceback", said)
                self.assertIn("\nNOT CONFORMANT: 1 fail", said)
                self.assertRegex(said, r"MAXIMUM +1 fail, \d+ pass")

    def test_ids_select_and_k_takes_operators(self):
        id = self.ids[0]
        code, said = self.pytest(f"suite/suite.json::{id}", "--tensor-cts-adapter", "npu:execute")
        self.assertEqual(code, 0, said)
        self.assertIn("2 passed", said)
        self.assertIn("NOT CONFORMANT: 1 pass", said)
        self.assertIn("not run or not answered", said)
        code, said = self.pytest(*self.A, "-k", "MAXIMUM and not error", "--collect-only")
        self.assertIn("maximum/i32", said)
        self.assertNotIn("maximum/error", said)
        code, said = self.pytest(*self.B, "-m", "tensor_cts", "--collect-only")
        self.assertIn(f"test_conformance[{id}]", said)

    def test_m_takes_types_and_profiles(self):
        suite = self.root / "all"
        ids = [each["id"] for each in json.loads((suite / "suite.json").read_text())["cases"]]
        cases = [json.loads((suite / id / "case.json").read_text()) for id in ids]
        a, b = ("all", "--tensor-cts-adapter", "npu:execute"), ("test_npu.py", "--tensor-cts-suite", "all")
        for road, words, wanted in (
                (a, "tensor_cts and i32 and pro_int", lambda case: "i32" in case["types"].values() and ["PRO-INT"] in case["profiles"]),
                (a, "not i32", lambda case: "i32" not in case["types"].values()),
                (b, "ext_bf16", lambda case: any("EXT-BF16" in names for names in case["profiles"]))):
            expected = [id for id, case in zip(ids, cases) if wanted(case)]
            self.assertTrue(0 < len(expected) < len(ids), words)
            code, said = self.pytest(*road, "-m", words, "--strict-markers", "--collect-only")
            self.assertEqual(code, 0, said)
            found = [line for line in said.splitlines() if "::" in line]
            self.assertEqual([id for id in expected if not any(id in line for line in found)], [], words)
            self.assertEqual(len(found), len(expected), words)

    def test_results_are_those_of_a_run(self):
        results = self.root / "results"
        for again in range(2):  # results of pytest are replaced
            code, said = self.pytest(*self.A, "--tensor-cts-results", results)
            self.assertEqual(code, 0, said)
        self.assertIn("CONFORMANT on this suite", self.command("check", self.root / "suite", results))
        (self.root / "mine").mkdir()
        (self.root / "mine" / "file").write_text("x")
        code, said = self.pytest(*self.A, "--tensor-cts-results", self.root / "mine")
        self.assertNotEqual(code, 0)
        self.assertIn("found a folder that pytest did not write", said)
        self.assertTrue((self.root / "mine" / "file").exists())

    def test_unsupported_is_skipped_and_all_skipped_is_red(self):
        code, said = self.pytest("all", "--tensor-cts-adapter", "npu:execute", "-k", "fp16 and not error")
        self.assertEqual(code, 1, said)
        self.assertIn("found no case that passes", said)
        self.assertIn("skipped", said)
        code, said = self.pytest("all", "--tensor-cts-adapter", "npu:execute", "-k", "fp16 and not error", "--tensor-cts-unsupported", "fail")
        self.assertEqual(code, 1, said)
        self.assertIn("unsupported: MAXIMUM of fp16", said)
        code, said = self.pytest("all", "--tensor-cts-adapter", "npu:execute", "-k", "fp16 and not error", "--tensor-cts-unsupported", "no")
        self.assertIn("found no, expected skip or fail", said)

    def waivers(self, *waivers):
        path = self.root / "waivers.json"
        path.write_text(json.dumps([{"reason": "rounding", "owner": "ada", "expires": "2999-01-01", **waiver}
                                    for waiver in waivers]))
        return ("--tensor-cts-waivers", path)

    def test_waivers_are_strict(self):
        id = next(id for id in self.ids if "error" not in id)
        wrong = {"WRONG": id.split("/")[1]}
        code, said = self.pytest(*self.A, *self.waivers({"pattern": id}), **wrong)
        self.assertEqual(code, 0, said)
        self.assertIn("1 xfailed", said)
        self.assertIn("NOT CONFORMANT", said)
        code, said = self.pytest(*self.A, *self.waivers({"pattern": id}))
        self.assertEqual(code, 1, said)
        self.assertIn("passes, although it is waived: rounding (ada, until 2999-01-01)", said)
        code, said = self.pytest(*self.A, *self.waivers({"pattern": id, "verdicts": ["crash"]}), **wrong)
        self.assertEqual(code, 1, said)
        for waiver, text in (({"pattern": "none/*"}, "which no case of"), ({"pattern": id[:-1]}, "which no case of"),
                             ({"pattern": id, "expires": "2001-01-01"}, "which held until 2001-01-01")):
            code, said = self.pytest(*self.A, *self.waivers(waiver), **wrong)
            self.assertNotIn(code, (0, 1), said)
            self.assertIn(text, said)

    def test_findings_are_an_item(self):
        """Every case passes, and together they do not: subnormal numbers are flushed here and kept there."""
        self.command("generate", "--recipe", "smoke", "--operator", "ADD", "--operator", "SUB", "--type", "fp32", "--out", self.root / "float")
        (self.root / "mixed.py").write_text(
            "import numpy as np, tensor_cts as cts\n"
            "def execute(graph, inputs):\n"
            "    op = graph.operators[-1]\n"
            "    if op.outputs != graph.outputs or len(graph.operators) > 1: raise cts.Unsupported('graphs')\n"
            "    values = {**graph.constants, **inputs}\n"
            "    try:\n"
            "        ref = cts.reference(op.name, level='8K', **dict(zip(('input1', 'input2'), (values[n] for n in op.inputs))))\n"
            "    except (KeyError, ValueError) as error:\n"
            "        raise cts.Refused(str(error))\n"
            "    if ref.outcome != 'valid' or len(op.inputs) != 2: raise cts.Refused(ref.outcome)\n"
            "    answer = ref.outputs['output']\n"
            "    if op.name == 'SUB' and answer.alternative: answer = answer.alternative\n"
            "    return {op.outputs[0]: answer.rounded()}\n")
        code, said = self.pytest("float", "--tensor-cts-adapter", "mixed:execute", "-k", "not error")
        self.assertEqual(code, 1, said)
        self.assertIn("mixed_flushing", said)
        self.assertRegex(said, r"FAILED \S*suite.json::findings")
        self.assertIn("1 failed", said)

    def test_a_folder_of_cases_is_no_folder_of_tests(self):
        (self.root / "suite/maximum/test_evil.py").write_text("def test(): assert False\n")
        try:
            code, said = self.pytest("suite", "--tensor-cts-adapter", "npu:execute", "--collect-only")
        finally:
            (self.root / "suite/maximum/test_evil.py").unlink()
        self.assertNotIn("evil", said)

    def test_what_is_missing_is_said(self):
        code, said = self.pytest("suite", "--tensor-cts-adapter", "npu:nothing")
        self.assertIn("found no function nothing", said)
        code, said = self.pytest("test_npu.py")
        self.assertIn("expected --tensor-cts-suite DIR", said)
        code, said = self.pytest("test_npu.py", "--tensor-cts-suite", "nowhere")
        self.assertIn("nowhere", said)
        code, said = self.pytest(*self.A, "--tensor-cts-operator", "ABS")
        self.assertIn("found ABS, expected operators", said)

    def test_the_ini_file_says_the_same(self):
        place = self.root / "ini"
        place.mkdir()
        (place / "pytest.ini").write_text("[pytest]\ntensor_cts_suite = ../suite\ntensor_cts_results = out\n")
        shutil.copy(self.root / "test_npu.py", place)
        code, said = self.pytest(place, "-c", place / "pytest.ini")
        self.assertEqual(code, 0, said)
        self.assertTrue((place / "out" / "run.json").is_file())

    @unittest.skipUnless(xdist, "pytest-xdist is not installed")
    def test_several_processes(self):
        code, said = self.pytest(*self.A, "-n", "2")
        self.assertEqual(code, 0, said)
        self.assertIn(f"\nCONFORMANT: {len(self.ids)} pass", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

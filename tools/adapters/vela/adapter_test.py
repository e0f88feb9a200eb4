#!/usr/bin/python3
"""The adapter of Vela with a stand-in for Vela: which words of it are a refusal, which are not.

adapter_test.py TENSOR_CTS
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

CTS = pathlib.Path(sys.argv.pop(1)).resolve()
ADAPTER = pathlib.Path(__file__).resolve().parent / "adapter.py"

# Ends every case in the way that the environment names.
VELA = r'''
import os, signal
def main(arguments):
    folder = arguments[arguments.index("--output-dir") + 1]
    name = os.environ["VELA_SAYS"]
    print("chatter on standard output", flush=True)
    if name == "illegal": raise RuntimeError("Compilation failed: Validation error:\nAbs:\n - ERROR_IF(rank)\n")
    if name == "type": raise RuntimeError("Compilation failed: Validation error:\n - Input data type not supported\n")
    if name == "constant": raise RuntimeError("Compilation failed: TOSA FB Reader error:\nABS:\n - Zero point tensor must be a compile time constant\n")
    if name == "npu": raise RuntimeError("Non-passthrough operation (Abs) could not run on NPU")
    if name == "inside": raise IndexError("array::at")
    if name == "other": raise RuntimeError("bad_alloc")
    if name == "dies": os.kill(os.getpid(), signal.SIGSEGV)
    if name != "nothing": open(os.path.join(folder, "graph_vela.tflite"), "w").close()
'''


class Adapter(unittest.TestCase):
    known = {}

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        (cls.here / "stub/ethosu/vela").mkdir(parents=True)
        (cls.here / "stub/ethosu/vela/vela.py").write_text(VELA)
        info = cls.here / "stub/ethos_u_vela-9.9.dist-info"
        info.mkdir()
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: ethos-u-vela\nVersion: 9.9\n")
        cls.call("", "generate", "--recipe", "smoke", "--id", "abs/i32-scalar-*", "--id", "abs/error-shape-i32",
                 "--id", "argmax/i16-i32-57-*", "--id", "abs/fp32-scalar-*", "--out", "suite")  # fmt: skip

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def call(cls, says, *arguments, code=0):
        environment = {**os.environ, "PYTHONPATH": str(cls.here / "stub"), "VELA_SAYS": says}
        done = subprocess.run([CTS, *arguments], cwd=cls.here, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=120, env=environment)  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr
        return done.stdout

    def cases(self, says):
        """{id: case of the report} of a run in which Vela says that of every case."""
        results = f"results-{says}"
        if says in self.known:
            return self.known[says]
        self.call(says, "run", "suite", "--adapter", f"{sys.executable} {ADAPTER} --tensor-cts {CTS}", "--worker",
                  "--out", results)  # fmt: skip
        self.call(says, "check", "suite", results, "--json", f"{says}.json", code=1)
        report = json.loads((self.here / f"{says}.json").read_text())
        self.assertFalse(report["conformant"])
        self.known[says] = [case for case in report["cases"] if case["types"].get("in_out_t") != "fp32"]
        return self.known[says]

    def verdicts(self, says, operator, expected):
        found = {case["verdict"] for case in self.cases(says)
                 if case["operator"] == operator and case["expected"] == expected}  # fmt: skip
        self.assertTrue(found, (says, operator, expected))
        return found

    def test_what_compiles_shows_no_values_and_is_wrong_where_an_error_is_due(self):
        cases = self.cases("fine")
        for case in cases:
            wanted = "wrong_outcome" if case["expected"] == "error" else "accepted"
            self.assertEqual(case["verdict"], wanted, case["id"])
        self.assertEqual({case["expected"] for case in cases}, {"valid", "error"})

    def test_a_refusal_is_right_where_an_error_is_due_and_wrong_elsewhere(self):
        for case in self.cases("illegal"):
            self.assertEqual(case["verdict"], "pass" if case["expected"] == "error" else "wrong_outcome", case["id"])

    def test_a_type_or_operand_beyond_pro_int_is_not_offered_and_one_within_is_refused(self):
        for says in ("type", "constant"):
            self.assertEqual(self.verdicts(says, "ARGMAX", "valid"), {"unsupported"})  # EXT-INT16
            self.assertEqual(self.verdicts(says, "ABS", "valid"), {"wrong_outcome"})

    def test_keeps_every_line_that_vela_says(self):
        for case in self.cases("constant"):
            if case["operator"] == "ABS":
                self.assertIn("Reader error:; ABS:; - Zero point tensor must be a compile time constant", str(case))

    def test_what_the_hardware_lacks_is_not_offered(self):
        self.assertEqual(self.verdicts("npu", "ABS", "valid"), {"unsupported"})
        self.assertEqual(self.verdicts("npu", "ABS", "error"), {"unsupported"})

    def test_what_is_no_diagnostic_is_a_crash_even_where_an_error_is_due(self):
        for says in ("inside", "other", "dies"):
            self.assertEqual(self.verdicts(says, "ABS", "error"), {"crash"}, says)

    def test_floating_point_is_not_asked(self):
        self.call("fine", "run", "suite", "--adapter", f"{sys.executable} {ADAPTER} --tensor-cts {CTS}", "--filter",
                  "abs/fp32-*", "--worker", "--out", "results-fp32")  # fmt: skip
        paths = list((self.here / "results-fp32").glob("*/*/result.json"))
        self.assertTrue(paths)
        for path in paths:
            answer = json.loads(path.read_text())
            self.assertEqual(answer["status"], "unsupported")
            self.assertIn("PRO-INT", answer["message"])

    def test_without_vela_it_says_how_to_get_it(self):
        done = subprocess.run([sys.executable, "-S", "-I", ADAPTER, "--worker"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("install with: pip install", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

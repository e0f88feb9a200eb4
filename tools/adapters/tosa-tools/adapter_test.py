#!/usr/bin/python3
"""The judges of tosa-tools: which end of a program is which answer.

adapter_test.py TENSOR_CTS, by a Python that has requirements.txt
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
from unittest import mock

import adapter
from common.cases import Case, EnvironmentFault

CTS = str(pathlib.Path(sys.argv.pop(1)).resolve())


class Adapter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        ids = ("abs/error-operand_count-fp16*", "abs/fp16-scalar-*", "fft2d/error-operand_count-fp32-4", "argmax/error-attribute-*",
               "variable/i8-scalar-*")  # fmt: skip
        cls.call("generate", "--recipe", "smoke", *(f"--id={name}" for name in ids), "--out", "suite")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def call(cls, *arguments, code=0):
        odd = cls.here / "a folder,of}odd letters"
        odd.mkdir(exist_ok=True)
        done = subprocess.run([CTS, *arguments], cwd=cls.here, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              env={**os.environ, "TMPDIR": str(odd)}, timeout=300)  # fmt: skip
        assert done.returncode == code, done.stdout + done.stderr

    def test_of_a_file(self):
        command = f"{sys.executable} {adapter.__file__} --tensor-cts {CTS} --judge=tosa-deserialize"
        self.call("run", "suite", "--adapter", command, "--worker", "--out", "results")
        self.call("check", "suite", "results", "--json", "report.json", code=1)
        cases = {case["id"]: case for case in json.loads((self.here / "report.json").read_text())["cases"]}
        for name, verdict, says in (
            ("abs/error-operand_count-fp16", "crash", "signal 6"),
            ("abs/error-operand_count-fp16-2", "wrong_outcome", "answered accepted"),
            ("abs/error-operand_count-fp16-3", "pass", "not matching number of operator output"),
            ("argmax/error-attribute-fp16-i32-2", "unsupported", "no .tosa file"),
        ):
            self.assertEqual(cases[name]["verdict"], verdict, cases[name])
            self.assertIn(says, cases[name].get("message", "") + cases[name].get("said", ""))
        legal = {name.split("/")[0]: case["verdict"] for name, case in cases.items() if case["expected"] == "valid"}
        self.assertEqual(legal, {"abs": "accepted", "variable": "unsupported"})

    def refused_with_0(self):
        folder = self.here / "suite/fft2d/error-operand_count-fp32-4"
        case = Case({"case": "fft2d", "case_dir": str(folder), "result_dir": str(self.here)})
        return case, adapter.serialized(CTS, case)

    def test_a_program_that_refuses_with_0_made_no_result(self):
        case, graph = self.refused_with_0()
        adapter.without_debugger(str(self.here))
        adapter.by_program(case, graph)
        self.assertEqual((case.status, case.message), ("error", "Failed to validate graph. Evaluation aborted."))

    def test_a_result_that_is_lost_is_no_refusal(self):
        case, graph = self.refused_with_0()
        stub = self.here / "stub"
        for lines, says in (("exit 0", "wrote no result"), ("echo writeToNpyFile: IO error reading file >&2; kill -6 $$", "IO error")):
            stub.write_text(f"#!/bin/sh\n{lines}\n")
            stub.chmod(0o755)
            with mock.patch.object(adapter, "program", lambda name: str(stub)), self.assertRaisesRegex(EnvironmentFault, says):
                adapter.by_program(case, graph)
            self.assertIsNone(case.status)

    def test_passes_that_are_not_known_are_no_refusal(self):
        case, graph = self.refused_with_0()
        with mock.patch.object(adapter, "TARGET", "no-such-pass"), self.assertRaisesRegex(EnvironmentFault, "no-such-pass"):
            adapter.judge_file(case, graph, adapter.program("tosa-opt"))


if __name__ == "__main__":
    unittest.main()

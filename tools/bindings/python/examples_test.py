#!/usr/bin/env python3
"""Every example runs and prints what its first lines promise.

Usage: examples_test.py [TENSOR_CTS LIBRARY]      without them the module that is installed
"""
import ast
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)
try:
    import pytest
except ImportError:
    pytest = None

HERE = pathlib.Path(__file__).resolve().parent
ENVIRONMENT = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
PLUGIN = []
PROGRAM = "tensor-cts"
if len(sys.argv) > 1:
    PROGRAM, library = map(os.path.abspath, sys.argv[1:3])
    ENVIRONMENT.update(TENSOR_CTS_COMMAND=PROGRAM, TENSOR_CTS_LIBRARY=library, PYTHONPATH=str(HERE / "src"))
    PLUGIN = ["-p", "tensor_cts.pytest_plugin"]
NO_PROGRAMS = {"my_npu.py", "test_my_npu.py"}


class Examples(unittest.TestCase):
    def run_python(self, *arguments):
        done = subprocess.run([sys.executable, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              encoding="utf-8", env=ENVIRONMENT, cwd=HERE / "examples", timeout=200)
        self.assertEqual(done.returncode, 0, done.stdout)
        return done.stdout

    def test_each_prints_what_it_promises(self):
        paths = [path for path in sorted((HERE / "examples").glob("*.py")) if path.name not in NO_PROGRAMS]
        self.assertGreaterEqual(len(paths), 8)
        for path in paths:
            with self.subTest(example=path.name):
                promised = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("Prints:\n")[1].splitlines()
                said = self.run_python(path).splitlines()
                self.assertEqual(len(said), len(promised), said)
                for line, beginning in zip(said, promised):
                    self.assertTrue(line.startswith(beginning), f"{line!r}: expected {beginning!r}")

    @unittest.skipUnless(pytest, "pytest is not installed")
    def test_the_one_for_pytest(self):
        with tempfile.TemporaryDirectory() as folder:
            suite = pathlib.Path(folder, "suite")
            subprocess.run([PROGRAM, "generate", "--recipe", "smoke", "--operator", "FLOOR", "--type", "fp32", "--out", suite],
                           check=True, stdout=subprocess.DEVNULL, env=ENVIRONMENT)
            said = self.run_python("-m", "pytest", *PLUGIN, "-q", "-p", "no:cacheprovider", "test_my_npu.py",
                                   "--tensor-cts-suite", suite)
            self.assertIn("CONFORMANT", said)
            self.assertNotIn("NOT CONFORMANT", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

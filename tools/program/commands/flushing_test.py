#!/usr/bin/env python3
"""An implementation that flushes subnormal numbers: all of a type, or only here and there.

Usage: flushing_test.py TENSOR_CTS
"""
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TENSOR_CTS = ""


def run(*arguments):
    done = subprocess.run([TENSOR_CTS, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=100)
    return done.returncode, done.stdout.decode()


class Flushing(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="flushing-"))
        cls.suite = cls.root / "suite"
        code, out = run("generate", "--recipe", "smoke", "--operator", "ABS", "--operator",
                        "NEGATE", "--operator", "REVERSE", "--type", "fp16", "--type", "fp32",
                        "--out", cls.suite)
        assert code == 0, out
        code, out = run("run", cls.suite, "--implementation", "builtin:native", "--out",
                        cls.root / "kept")
        assert code == 0, out

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def check(self, operators, dtypes):
        """The report where these operators flush numbers of these types. All cases must pass."""
        results = self.root / "results"
        shutil.rmtree(results, ignore_errors=True)
        shutil.copytree(self.root / "kept", results)
        flushed = 0
        for operator in operators:
            for path in (results / operator).glob("*/*.npy"):
                values = np.load(path)
                if values.dtype.name not in dtypes:
                    continue
                subnormal = (values != 0) & (np.abs(values) < np.finfo(values.dtype).tiny)
                if subnormal.any():
                    np.save(path, np.where(subnormal, np.copysign(0, values), values)
                            .astype(values.dtype))
                    flushed += 1
        if operators:
            self.assertGreater(flushed, 0)
        code, out = run("check", self.suite, results, "--json", "-")
        report = json.loads(out)
        self.assertEqual(report["totals"]["pass"], report["totals"]["cases"])
        self.assertEqual(code == 0, report["conformant"])
        return code

    def test_all_or_none_of_a_type_conforms(self):
        everywhere = ["abs", "negate", "reverse"]
        for dtypes in ([], ["float16"], ["float32"], ["float16", "float32"]):
            with self.subTest(dtypes):
                self.assertEqual(self.check(everywhere if dtypes else [], dtypes), 0)

    def test_some_of_a_type_does_not(self):
        for operators in (["abs"], ["negate"], ["abs", "reverse"]):
            for dtypes in (["float16"], ["float32"]):
                with self.subTest(operators=operators, dtypes=dtypes):
                    self.assertEqual(self.check(operators, dtypes), 1)

    def test_who_only_copies_may_keep(self):
        self.assertEqual(self.check(["abs", "negate"], ["float32"]), 0)
        # But who flushes while copying flushes.
        self.assertEqual(self.check(["reverse"], ["float32"]), 1)


if __name__ == "__main__":
    TENSOR_CTS = sys.argv.pop(1)
    unittest.main()

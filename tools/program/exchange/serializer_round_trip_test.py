#!/usr/bin/python3
"""A sample through tosa_serializer and back; and that a graph which is not the same is found.

serializer_round_trip_test.py TENSOR_CTS, by a Python that has tools/adapters/tosa-tools/requirements.txt
"""

import contextlib
import io
import pathlib
import subprocess
import sys
import tempfile
import unittest

import serializer_round_trip as round_trip

CTS = str(pathlib.Path(sys.argv.pop(1)).resolve())
# One legal case or two of most operators; error cases; a graph with regions, and one with variables.
SAMPLE = ("*/*-special", "*/error-type_row-*", "cond_if/any-*", "variable_write/*", "transpose_conv2d/fp8*")


class RoundTrip(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="serializer-")
        cls.here = pathlib.Path(cls.folder.name)
        cls.generate("suite", "smoke", "--shard", "1/5", *(f"--id={pattern}" for pattern in SAMPLE))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def generate(cls, name, recipe, *options):
        command = [CTS, "generate", "--recipe", recipe, *options, "--out", str(cls.here / name)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)

    def go(self, suite, out):
        said = io.StringIO()
        sys.argv[1:] = [str(self.here / suite), str(self.here / out), "--tensor-cts", CTS]
        with contextlib.redirect_stdout(said):
            code = round_trip.main()
        return code, said.getvalue()

    def test_every_graph_comes_back_the_same(self):
        code, said = self.go("suite", "out")
        self.assertEqual(code, 0, said)
        self.assertRegex(said, r"rewritten: \d{3,} equal over [67]\d operators, 0 differ, 0 not taken")
        self.assertRegex(said, r"built: \d{3,} equal over [67]\d operators, 0 differ, 0 not taken")
        self.assertRegex(said, r"built, exported again: \d{3,} equal over [67]\d operators, 0 differ")

    def test_another_graph_differs(self):
        self.generate("clamps", "smoke", "--id", "clamp/fp16-*", "--shard", "1/2")
        rightly = round_trip.attribute_value

        def swapped(name, value, dtype):
            return rightly(name, "IGNORE" if value == "PROPAGATE" else value, dtype)

        round_trip.attribute_value = swapped
        self.addCleanup(setattr, round_trip, "attribute_value", rightly)
        code, said = self.go("clamps", "other")
        self.assertEqual(code, 1, said)
        self.assertIn("built: case.json differs", said)
        self.assertNotIn("rewritten: case.json differs", said)


if __name__ == "__main__":
    unittest.main()

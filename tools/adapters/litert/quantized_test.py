#!/usr/bin/python3
"""A sample of quantized.py with the real LiteRT, and whether it tells a rounding from another.

TENSOR_CTS_STACKS=FOLDER quantized_test.py TENSOR_CTS

FOLDER has the virtual environment litert.
"""

import os
import pathlib
import subprocess
import sys
import types
import unittest

if "TENSOR_CTS_STACKS" not in os.environ:
    print("skipped: TENSOR_CTS_STACKS names no folder of virtual environments")
    sys.exit(77)
PYTHON = str(pathlib.Path(os.environ["TENSOR_CTS_STACKS"]).resolve() / "litert/bin/python")
if sys.executable != PYTHON:
    os.execv(PYTHON, [PYTHON, *sys.argv])

CTS = pathlib.Path(sys.argv.pop(1)).resolve()
SCRIPT = pathlib.Path(__file__).resolve().parent / "quantized.py"

sys.path.insert(0, str(SCRIPT.parent))
import quantized  # noqa: E402


class Quantized(unittest.TestCase):
    def run_script(self, *words):
        done = subprocess.run([sys.executable, SCRIPT, *words], capture_output=True, text=True, timeout=300)
        return done.returncode, done.stdout, done.stderr

    def test_a_sample_rounds_as_the_table_says(self):
        code, said, complaint = self.run_script("--tensor-cts", CTS, "--models", "12")
        self.assertEqual(code, 0, said + complaint)
        self.assertIn("Every element is as ROUNDS says.", said)
        for operator in quantized.OPERATORS:
            self.assertIn(f"| {operator} | any | ", said)

    def faults(self, operator, *rounds):
        chosen = types.SimpleNamespace(tensor_cts=CTS, models=16, seed=1)
        true, quantized.ROUNDS[operator] = quantized.ROUNDS[operator], rounds
        try:
            return "\n".join(quantized.measure(chosen, operator)[2])
        finally:
            quantized.ROUNDS[operator] = true

    def test_another_rounding_is_told(self):
        single, double, exact = quantized.SINGLE, quantized.DOUBLE, quantized.EXACT
        for operator, wrong in (
            ("CONV_2D", (single, double, single)),
            ("DEPTHWISE_CONV_2D", (single, quantized.UP, single)),
            ("FULLY_CONNECTED", (double, single, double)),
            ("ADD", (single, single, double)),
            ("MUL", (single, single, single)),
            ("AVERAGE_POOL_2D", (exact, exact, None)),
        ):
            said = self.faults(operator, *wrong)
            for kernels, rule in zip(quantized.KERNELS, wrong):
                if rule:
                    self.assertRegex(said, rf"{operator} \d+, {kernels}: \d+ of \d+ elements are not as ROUNDS says: {rule}")

    def test_a_program_that_is_missing_is_one_line(self):
        code, _, complaint = self.run_script("--tensor-cts", "no-such-program", "--models", "1")
        self.assertEqual(code, 2)
        self.assertIn("quantized.py: no-such-program: No such file or directory; give its path with --tensor-cts", complaint)

    def test_a_missing_package_is_one_line(self):
        done = subprocess.run([sys.executable, "-S", SCRIPT], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"^quantized.py: No module named '\w+'; install it: pip install .*litert/requirements.txt\n$")


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""tensor-cts quantize.  Usage: quantize_test.py TENSOR_CTS"""
import fractions
import json
import random
import subprocess
import sys
import unittest

CTS = ""
Fraction = fractions.Fraction

# The dialect's RFC, section Generation of Numerical Information for Operators: the scales of a
# quantized tfl.conv_2d as they are printed there, and the tosa.rescale that it is lowered to.
INPUT, OUTPUT = "0.015230963937938213", "0.078431375324726104"
WEIGHTS = ["0.01563686691224575", "0.015513741411268711", "0.015759991481900215",
           "0.01563686691224575", "0.015513742342591286", "0.01563686691224575",
           "0.01563686691224575", "0.015513742342591286"]
MULTIPLIERS = [1669387395, 1656242552, 1682532139, 1669387395,
               1656242652, 1669387395, 1669387395, 1656242652]
SHIFTS = [39] * 8
# The same text's scales of the bias: input * weight, but for the last bit of fp32.
BIASES = ["2.381645463174209E-4", "2.3628922645002604E-4", "2.4003986618481576E-4",
          "2.381645463174209E-4", "2.3628924100194126E-4", "2.381645463174209E-4",
          "2.381645463174209E-4", "2.3628924100194126E-4"]


def quantize(weights, source="1", to="1", *more):
    command = [CTS, "quantize", f"--input-scale={source}", f"--weight-scale={weights}",
               f"--output-scale={to}", *more]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)


class QuantizeTest(unittest.TestCase):
    maxDiff = None

    def channels(self, *arguments):
        result = quantize(*arguments, "--json")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        return json.loads(result.stdout)

    def refused(self, *arguments):
        result = quantize(*arguments)
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertEqual(result.stderr.count("\n"), 1)
        return result.stderr

    def test_gives_the_digits_of_the_lowered_convolution(self):
        answer = self.channels(",".join(WEIGHTS), INPUT, OUTPUT)
        self.assertTrue(answer["per_channel"] and answer["scale32"])
        rows = answer["channels"]
        self.assertEqual([row["channel"] for row in rows], list(range(8)))
        self.assertEqual([row["multiplier"] for row in rows], MULTIPLIERS)
        self.assertEqual([row["shift"] for row in rows], SHIFTS)
        for row, weight in zip(rows, WEIGHTS):
            # All of them are numbers of fp32: their product is exact.
            real = Fraction(float(INPUT)) * Fraction(float(weight)) / Fraction(float(OUTPUT))
            self.assertEqual(row["scale"], float(real))
            error = Fraction(row["multiplier"], 2 ** row["shift"]) / Fraction(row["scale"]) - 1
            self.assertAlmostEqual(row["relative_error"], float(error), delta=1e-24)
            self.assertLessEqual(abs(row["relative_error"]), 2.0 ** -31)

    def test_takes_the_products_not_the_scales_of_the_bias(self):
        ulp = 2.0 ** -36  # of fp32 from 2^-13 to 2^-12
        for weight, bias, multiplier in zip(WEIGHTS, BIASES, MULTIPLIERS):
            self.assertLess(abs(float(INPUT) * float(weight) - float(bias)), ulp)
            row = self.channels("1", bias, OUTPUT)["channels"][0]
            self.assertNotEqual(row["multiplier"], multiplier)
        self.assertGreater(abs(float(INPUT) * float(WEIGHTS[0]) - float(BIASES[0])), ulp / 2)

    def test_one_weight_scale_is_per_tensor(self):
        answer = self.channels(WEIGHTS[0], INPUT, OUTPUT)
        self.assertFalse(answer["per_channel"])
        self.assertEqual(answer["channels"][0]["multiplier"], MULTIPLIERS[0])

    def test_gives_the_values_of_the_specification(self):
        # Section Scaling of 0.100: what stands for 1, and m * 2^-n for a fraction m from 1 to 2.
        for scale32, first in (("true", 30), ("false", 14)):
            for text, m, n in (("1", 1, 0), ("0.046875", 1.5, 5), ("0x1.cp2", 1.75, -2)):
                row = self.channels(text, "1", "1", "--scale32", scale32)["channels"][0]
                self.assertEqual((row["multiplier"], row["shift"], row["relative_error"]),
                                 (m * 2 ** first, first + n, 0))

    def test_is_the_nearest_normalized_multiplier(self):
        source = random.Random(1)
        for bits in (32, 16):
            scales = [2.0 ** source.uniform(-30, 10) for _ in range(300)]
            answer = self.channels(",".join(map(repr, scales)), "1", "1", "--scale32",
                                   "true" if bits == 32 else "false")
            for scale, row in zip(scales, answer["channels"]):
                self.assertEqual(row["scale"], scale)
                least = 2 ** (bits - 2)
                candidates = [(abs(Fraction(m, 2 ** s) - Fraction(scale)), m, s)
                              for s in range(2, 63)
                              for m in {int(Fraction(scale) * 2 ** s) + d for d in (0, 1)}
                              if least <= m < 2 * least]
                self.assertEqual((row["multiplier"], row["shift"]), min(candidates)[1:])

    def test_says_for_which_values_rescale_is_defined(self):
        def limits(weight, scale32):
            row = self.channels(weight, "1", "1", "--scale32", scale32)["channels"][0]
            return row["least"], row["greatest"]
        # apply_scale_32 wants -2^(shift-1) <= value < 2^(shift-1).
        self.assertEqual(limits("1", "true"), (-2 ** 29, 2 ** 29 - 1))
        self.assertEqual(limits("0.25", "true"), (-2 ** 31, 2 ** 31 - 1))
        self.assertEqual(limits("0x1p28", "true"), (-2, 1))
        # apply_scale_16 wants a result of 32 bits: searched here for the last value.
        for weight in ("1", "0.75", "0x1p12", "0x1.8p-3", "0x1.fp-15", "0x1p-16", "0x1p-17"):
            row = self.channels(weight, "1", "1", "--scale32", "false")["channels"][0]

            def fits(value):
                result = (value * row["multiplier"] + 2 ** (row["shift"] - 1)) >> row["shift"]
                return -2 ** 31 <= result < 2 ** 31
            for limit, end, step in ((row["least"], -2 ** 47, -1),
                                     (row["greatest"], 2 ** 47 - 1, 1)):
                self.assertTrue(fits(limit), weight)
                self.assertTrue(limit == end or not fits(limit + step), weight)

    def test_refuses_what_is_no_scale(self):
        for text in ("0", "-0.0", "-1", "inf", "-inf", "nan", "1e400", "1e-400", "", "x", "1x",
                     "0x", "1 ", " 1", "1\x1b[2J"):
            shown = text.replace("\x1b", "\\x1b")
            for place, arguments in (("--input-scale", ("1", text, "1")),
                                     ("--output-scale", ("1", "1", text)),
                                     ("--weight-scale, channel 1", (f"1,{text},1", "1", "1"))):
                if text == "" and "channel" not in place:
                    continue  # an option without a value
                message = self.refused(*arguments)
                self.assertIn(f'quantize: {place}: found "{shown}", expected a positive number',
                              message)

    def test_refuses_what_rescale_cannot_hold(self):
        # The shifts from 2 to 62 reach up to 2^29 with 32 bits, to 2^13 with 16.
        for weight, scale32, text in (
                ("0x1p29", "true", "takes a shift of 1; expected one from 2 to 62\n"),
                ("0x1.0000000000001p-64", "false", "found 5.421010862427523e-20, expected at "
                                                   "least 2^-63: "),
                ("0x1p13", "false", "takes a shift of 1; expected one from 2 to 62; "
                                    "--scale32 true can")):
            message = self.refused(f"1,1,{weight}", "1", "1", "--scale32", scale32)
            self.assertIn("--weight-scale, channel 2: ", message)
            self.assertIn(text, message)
        # A product that fp64 cannot hold, though the quotient would be an ordinary number.
        self.assertIn("1e-200 * 1e-120 / 1e-320", self.refused("1e-120", "1e-200", "1e-320"))
        self.assertIn("1e+200 * 1e+200 / 1e+300", self.refused("1e200", "1e200", "1e300"))

    def test_gives_what_is_near_to_a_scale_too_small_to_be_normalized(self):
        for weight, scale32, multiplier, error in (
                ("0x1p-33", "true", 2 ** 29, 0), ("0x1p-49", "false", 2 ** 13, 0),
                ("0x1.8p-61", "true", 3, 0), ("0x1.4p-61", "false", 3, 0.2)):
            row = self.channels(f"1,{weight}", "1", "1", "--scale32", scale32)["channels"][1]
            self.assertEqual((row["multiplier"], row["shift"]), (multiplier, 62))
            self.assertEqual(row["relative_error"], error)
            self.assertIn("not normalized", row["note"])
        row = self.channels("0x1p-32", "1", "1")["channels"][0]
        self.assertEqual((row["multiplier"], row["shift"]), (2 ** 30, 62))
        self.assertNotIn("note", row)
        lines = quantize("1,0x1p-33").stdout.splitlines()
        self.assertEqual(lines[0].split()[-1], "note")
        self.assertIn("not normalized: that would take a shift above 62", lines[2])

    def test_refuses_what_is_no_text(self):
        command = [CTS.encode(), b"quantize", b"--input-scale=\xff", b"--weight-scale=1",
                   b"--output-scale=1"]
        result = subprocess.run(command, capture_output=True, timeout=60, check=False)
        self.assertEqual((result.returncode, result.stdout), (2, b""))
        self.assertIn(b'--input-scale: found "\\xff", expected', result.stderr)

    def test_refuses_missing_and_wrong_options(self):
        for arguments in ([], ["--input-scale", "1"], ["--scale32", "maybe"]):
            result = subprocess.run([CTS, "quantize", *arguments], capture_output=True, text=True,
                                    check=False)
            self.assertEqual(result.returncode, 2)
            self.assertIn("quantize", result.stderr)

    def test_prints_a_table_for_people(self):
        result = quantize(",".join(WEIGHTS[:2]), INPUT, OUTPUT)
        lines = result.stdout.splitlines()
        self.assertEqual(lines[0].split(), ["channel", "weight_scale", "multiplier", "shift",
                                            "scale", "relative_error", "least", "greatest"])
        self.assertEqual(lines[1].split()[:4], ["0", WEIGHTS[0], "1669387395", "39"])
        self.assertEqual(len(lines), 3)


if __name__ == "__main__":
    CTS = sys.argv.pop(1)
    unittest.main()

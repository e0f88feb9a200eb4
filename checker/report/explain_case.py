#!/usr/bin/python3
"""One case of a conformance suite, its result, and the comparison once more, with NumPy alone.

Written by `tensor-cts explain --python`. Usage: python3 THIS [SUITE RESULTS]
Exit code 0: every output is accepted. The figures are those of `tensor-cts explain`.
"""
import io
import json
import os
import sys
import tarfile
from fractions import Fraction

import numpy as np

SUITE, RESULTS = sys.argv[1:3] if len(sys.argv) > 2 else (@SUITE@, @RESULTS@)
CASE = @CASE@

# The form of rules by which a zero stands for a result below the normal numbers.
FLUSHED_ZEROS = @FLUSHED_ZEROS@

# fraction bits, exponent of the least normal number, greatest number, whether it has infinities
FLOATS = {
    "fp64": (52, -1022, np.finfo(np.float64).max, True),
    "fp32": (23, -126, float(np.finfo(np.float32).max), True),
    "fp16": (10, -14, 65504.0, True),
    "bf16": (7, -126, (2 - 2**-7) * 2.0**127, True),
    "fp8e4m3": (3, -6, 448.0, False),
    "fp8e5m2": (2, -14, 57344.0, True),
}
INTEGER_BITS = {"bool": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64, "shape": 64}


def fp8e4m3_values():
    values = []
    for bits in range(256):
        sign, exponent, fraction = bits >> 7, bits >> 3 & 15, bits & 7
        value = 2.0**-6 * fraction / 8 if exponent == 0 else 2.0 ** (exponent - 7) * (1 + fraction / 8)
        values.append(np.copysign(np.nan if bits & 127 == 127 else value, -1 if sign else 1))
    return np.array(values)


def read(directory, name):
    """The bytes of a file of a case: ROOT/operator/case/name, or that of the pack ROOT/operator.tar."""
    operator, case = os.path.split(directory)
    if os.path.isdir(operator) or not os.path.exists(operator + ".tar"):
        with open(os.path.join(directory, name), "rb") as file:
            return file.read()
    with tarfile.open(operator + ".tar") as pack:
        try:
            return pack.extractfile("/".join((os.path.basename(operator), case, name))).read()
        except KeyError as error:
            raise FileNotFoundError(f"{operator}.tar: {error}") from error


def load(directory, name, dtype):
    """The values of a .npy file: fp64 for floating point, else int64."""
    array = np.load(io.BytesIO(read(directory, name)), allow_pickle=False)
    if array.ndim == 0 and dtype in FLOATS:
        return load_bits(array.reshape(1), dtype).reshape(())
    return load_bits(array, dtype)


def load_bits(array, dtype):
    if dtype not in FLOATS:
        if dtype == "bool" and (np.ascontiguousarray(array).view(np.uint8) > 1).any():
            raise ValueError("a bool is neither 0 nor 1")
        return array.astype(np.int64)
    if array.dtype.kind == "f":
        return array.astype(np.float64)
    size = array.dtype.itemsize
    bits = np.frombuffer(array.tobytes(), dtype=f"<u{size}").reshape(array.shape)
    if dtype == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype == "fp8e5m2":
        return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float64)
    if dtype == "fp8e4m3":
        return fp8e4m3_values()[bits]
    return bits.view(f"<f{size}").astype(np.float64)


def sign_of_sum(a, b, c):
    """The sign of a + b - c, exact (Knuth's TwoSum)."""
    total = a + b
    part = total - a
    rest = (a - (total - part)) + (b - part)
    return np.where(total != c, np.sign(total - c), np.sign(rest))


def within(form, dtype, result, reference, bound):
    """The comparing function: the ends rounded in fp64, as it writes them, the edges of the format exact."""
    fraction, least_exponent, greatest, has_infinity = FLOATS[dtype]
    normal_min = 2.0**least_exponent
    flip = np.where(reference < 0, -1.0, 1.0)
    r, x, b = reference * flip, result * flip, bound
    may_overflow = np.isinf(r) | (sign_of_sum(r, b, greatest) > 0)
    below_normal = sign_of_sum(r, -b, normal_min) < 0
    inside = (r - b <= x) & (r + b >= x)
    if form == FLUSHED_ZEROS:
        if dtype in ("bf16", "fp16", "fp32"):
            inside = np.where(x == 0, below_normal, inside)
    else:
        above = (r - b <= x) | (below_normal & (x >= 0))
        below = (r + b >= x) | ((x <= normal_min) & (sign_of_sum(r, b, normal_min) < 0))
        inside = above & below
    inside = np.where(x == -np.inf, sign_of_sum(r, -b, -greatest) < 0, inside)
    inside = np.where(np.isinf(r), False, inside)
    inside = np.where(x == np.inf, may_overflow, inside)
    inside = np.where(np.isnan(x), (not has_infinity) & may_overflow, inside)
    return np.where(np.isnan(reference), np.isnan(result), inside)


def equal(result, expected, zero_sign, zero_choice=False):
    same = (result == expected) | (np.isnan(result) & np.isnan(expected))
    free = np.isnan(expected) | (zero_choice & (expected == 0) & np.signbit(expected))
    return same & ((np.signbit(result) == np.signbit(expected)) | free) if zero_sign else same


def ulp_of(dtype, reference):
    fraction, least_exponent, _, _ = FLOATS[dtype]
    _, exponent = np.frexp(reference)
    unit = np.ldexp(1.0, np.maximum(exponent - 1, least_exponent) - fraction)
    return np.where((reference == 0) | ~np.isfinite(reference), 0.0, unit)


def dot_product(rule, dtype, result, reference, bound):
    """Per element: accepted, the error in units, and the unit."""
    fraction, least_exponent, greatest, _ = FLOATS[dtype]
    factor, limit = 2.0 ** (-1 - fraction), rule["absolute_limit"]
    unit = np.maximum(bound * factor, 2.0**least_exponent)
    error = (result - reference) / unit
    accepted = np.abs(error) <= limit
    # fp64 must not decide by rounding.
    for i in np.flatnonzero(np.isfinite(error) & (np.abs(np.abs(error) - limit) < 1e-9 * limit)):
        x, r, u = (Fraction(float(a.flat[i])) for a in (result, reference, unit))
        accepted.flat[i] = accepted.flat[i] or abs(x - r) <= Fraction(limit) * u
    exact = bound == 0
    accepted = np.where(exact, (reference == 0) & (result == 0), accepted)
    error = np.where(exact, 0.0, np.where(np.isnan(error), np.inf, error))
    reach = bound * (1 + limit * factor) if rule["form"] == FLUSHED_ZEROS else bound
    unlimited = np.isnan(bound) | (reach > greatest) | np.isnan(reference)
    accepted = np.where(unlimited, ~np.isnan(reference) | np.isnan(result), accepted)
    return accepted, np.where(unlimited, 0.0, error), unit


def interval(dtype, result, least, greatest_accepted, zero_sign):
    fraction, least_exponent, greatest, has_infinity = FLOATS[dtype]
    up, down = greatest_accepted > greatest, least < -greatest
    inside = (least <= result) & (result <= greatest_accepted)
    if dtype in ("bf16", "fp16", "fp32"):
        nearest = np.where(least > 0, least, np.where(greatest_accepted < 0, -greatest_accepted, 0.0))
        inside |= (result == 0) & (nearest < 2.0**least_exponent)
    if zero_sign:
        both = (least < 0) & (greatest_accepted > 0)
        inside &= (result != 0) | both | (np.signbit(result) == np.signbit(least))
    inside = np.where(np.isinf(result), np.where(result > 0, up, down), inside)
    inside = np.where(np.isnan(result), (not has_infinity) & (up | down), inside)
    return np.where(np.isnan(least), np.isnan(result), inside)


def lift(output, values):
    """The numbers that stored integers stand for."""
    if not output["rule"].get("unsigned"):
        return values
    return np.where(values < 0, values + (1 << INTEGER_BITS[output["dtype"]]), values)


def judge(output, answer, case_dir, result):
    """Which elements are accepted, the accepted range, and further lines to print."""
    rule, dtype, more = output["rule"], output["dtype"], []
    kind, shape = rule["kind"], result.shape
    at = lambda name: load(case_dir, answer[name], "fp64" if dtype in FLOATS else dtype)
    expected = at("expected").reshape(shape)
    if dtype not in FLOATS:
        upper = at("upper").reshape(shape) if kind == "interval" else expected
        result, expected, upper = (lift(output, values) for values in (result, expected, upper))
        return (expected <= result) & (result <= upper), expected, upper, more
    zero_sign = rule.get("zero_sign", False)
    if kind == "exact":
        return equal(result, expected, zero_sign, "zero_choice" in rule), expected, expected, more
    if kind == "interval" and rule.get("enclosure"):
        upper = at("upper").reshape(shape)
        inside = (expected <= result) & (result <= upper) | (expected == -np.inf) & (upper == np.inf)
        return inside, expected, upper, more
    if kind == "interval":
        upper = at("upper").reshape(shape)
        return interval(dtype, result, expected, upper, zero_sign), expected, upper, more
    if kind == "ulp":
        bound = ulp_of(dtype, expected) * rule["ulp"]
        return within(rule["form"], dtype, result, expected, bound), expected - bound, expected + bound, more
    bound = at("bound").reshape(shape)
    if kind == "absolute_bound":
        finite = np.where(np.isinf(bound), 0.0, bound)
        accepted = within(rule["form"], dtype, result, expected, finite)
        table_zero = (bound == 0) & (expected == 0)
        free = np.isinf(bound) & ((rule["form"] == FLUSHED_ZEROS) | np.isnan(expected) | ~np.isnan(result))
        accepted = np.where(table_zero, equal(result, expected, zero_sign), accepted) | free
        return accepted, expected - bound, expected + bound, more
    if kind == "dot_product":
        accepted, error, unit = dot_product(rule, dtype, result, expected, bound)
        sums = error[accepted]
        for name, value, limit in (("worst error", np.max(np.abs(error), initial=0), rule["absolute_limit"]),
                                   ("sum of errors", np.sum(sums), rule.get("bias_limit")),
                                   ("sum of squared errors", np.sum(sums * sums), rule.get("variance_limit"))):
            met = "no limit" if limit is None else f"limit {limit:.6g}: {'met' if abs(value) <= limit else 'EXCEEDED'}"
            more.append((f"{name}: {value:.6g} ({met})", limit is None or abs(value) <= limit))
        reach = rule["absolute_limit"] * np.where(bound == 0, 0.0, unit)
        return accepted, expected - reach, expected + reach, more
    raise SystemExit(f"the rule {kind} is not known to this script")


def show(name, dtype, values):
    print(f"\n{name}: {dtype}{list(values.shape)}")
    print(np.array2string(values, threshold=60, edgeitems=2, max_line_width=100))


def show_constants(case, case_dir):
    for region in case["graph"]["regions"]:
        for block in region["blocks"]:
            constants = {tensor["name"] for tensor in block["tensors"] if "values" in tensor}
            for tensor in block["tensors"]:
                if tensor["name"] in constants:
                    show(f"constant {tensor['name']}", tensor["dtype"],
                         load(case_dir, tensor["values"], tensor["dtype"]))
            for node in block["operators"]:
                if not node["outputs"] or not constants.issuperset(node["outputs"]):
                    print(f"\n{', '.join(node['outputs'])} = {node['operator']}({', '.join(node['inputs'])}) "
                          f"{json.dumps(node['attributes'])}")


def check_output(output, name, case_dir, result_dir):
    print(f"\noutput {name}: {output['dtype']}{output['shape']}, rule {json.dumps(output['rule'])}")
    path = os.path.join(result_dir, name + ".npy")
    try:
        result = lift(output, load(result_dir, name + ".npy", output["dtype"]))
    except FileNotFoundError:
        print(f"  there is no {path}")
        return False
    except (ValueError, EOFError, OSError) as error:
        print(f"  {path} cannot be read: {error}")
        return False
    if list(result.shape) != output["shape"]:
        print(f"  found shape {list(result.shape)}, expected {output['shape']}")
        return False
    answers = []
    for answer in output["answers"]:
        accepted, least, greatest, more = judge(output, answer, case_dir, result)
        good = bool(accepted.all()) and all(met for _, met in more)
        answers.append((not good, int((~accepted).sum()), answer, accepted, least, greatest, more))
    if not answers:
        print(f"  only type and shape are checked: {output['rule']['clause']}")
        show("result", output["dtype"], result)
        return True
    refused, mismatches, answer, accepted, least, greatest, more = min(answers, key=lambda a: a[:2])
    expected = lift(output, load(case_dir, answer["expected"], "fp64" if output["dtype"] in FLOATS else "i64"))
    if len(answers) > 1:
        print(f"  of two answers the one with subnormals {'flushed' if answer['flushed'] else 'kept'}")
    for line, _ in more:
        print(f"  {line}")
    show("expected", "fp64" if output["dtype"] in FLOATS else output["dtype"], expected)
    show("result", output["dtype"], result)
    print(f"\n  {mismatches} of {result.size} elements of {name} differ")
    for index in np.argwhere(~np.atleast_1d(accepted))[:10]:
        at = tuple(index) if result.ndim else ()
        print(f"    {list(map(int, at))}: got {result[at]}, accepted {least[at]} to {greatest[at]}")
    return not refused


def main():
    case_dir, result_dir = os.path.join(SUITE, *CASE.split("/")), os.path.join(RESULTS, *CASE.split("/"))
    case = json.loads(read(case_dir, "case.json"))
    print(f"{CASE}\n{case['operator']}, {case['mode']}, {case['edition']}, level {case['level']}, "
          f"data {case['data_set']}\n{json.dumps(case['parameters'])}")
    answer = json.loads(read(result_dir, "result.json"))
    print("result.json:", ascii(answer)[:1000])
    show_constants(case, case_dir)
    if case["outcome"] == "error":
        print(f"\nexpected: error, because of the condition {case['condition']}")
    good = answer["status"] == ("ok" if case["outcome"] == "valid" else "error")
    dtypes = {t["name"]: t["dtype"] for t in case["graph"]["regions"][0]["blocks"][0]["tensors"]}
    for number, execution in enumerate([case] + case.get("later_executions", [])):
        if "binding" in execution:
            symbols = " ".join(f"{name}={size}" for name, size in execution["binding"].items())
            print(f"\nexecution {number}, binding: {symbols or 'no symbol'}")
        for name, path in execution["inputs"].items():
            show(f"input {name}" + (f", execution {number}" if number else ""), dtypes[name],
                 load(case_dir, path, dtypes[name]))
        for output in execution.get("outputs", []) if answer["status"] == "ok" else []:
            name = output["name"] + (f".{number}" if number else "")
            good = check_output(output, name, case_dir, result_dir) and good
    return 0 if good else 1


if __name__ == "__main__":
    np.seterr(all="ignore")
    sys.exit(main())

#!/usr/bin/env python3
"""A second checker: the verdicts of `tensor-cts check`, made with NumPy from the files alone.

checker.py SUITE RESULTS prints each case's verdict and id, the findings, and how many elements could be judged. Exit code 0: the implementation conforms,
1: it does not, 2: suite.json, a case or run.json cannot be used. It knows only what schemas/README.md says: no
operator, and only the two forms of the comparing function of the editions.
"""
import collections
import functools
import hashlib
import io
import itertools
import json
import math
import pathlib
import sys
from fractions import Fraction

import numpy as np

# For each floating-point type: bits of the fraction, exponent of the least normal number, greatest
# number, whether it has infinities, and whether zero may stand for a subnormal number.
FLOATS = {
    "fp64": (52, -1022, np.finfo(np.float64).max, True, False),
    "fp32": (23, -126, float(np.finfo(np.float32).max), True, True),
    "fp16": (10, -14, 65504.0, True, True),
    "bf16": (7, -126, (2 - 2**-7) * 2.0**127, True, True),
    "fp8e4m3": (3, -6, 448.0, False, False),
    "fp8e5m2": (2, -14, 57344.0, True, False),
}
BITS = {"bool": 1, "i4": 4, "i8": 8, "i16": 16, "i32": 32, "i48": 48, "i64": 64, "shape": 64,
        "fp8e4m3": 8, "fp8e5m2": 8, "fp16": 16, "bf16": 16, "fp32": 32, "fp64": 64}
NOT_ANSWERED = ("unsupported", "crash", "timeout", "protocol")
MEMBERS = {"status": str, "message": str, "seconds": (int, float), "exit_code": int, "signal": int, "log": str,
           "stdout": str, "repeats": int, "differs": str}


def expect(condition, what):
    if not condition:
        raise ValueError(what)


def decode(bits, dtype):
    """The fp64 values of bit patterns of a floating-point type."""
    if dtype == "bf16":
        return (bits.astype(np.uint32) << 16).view(np.float32).astype(np.float64)
    if dtype == "fp8e5m2":
        return (bits.astype(np.uint16) << 8).view(np.float16).astype(np.float64)
    if dtype == "fp8e4m3":
        exponent, fraction = (bits >> 3 & 15).astype(int), bits & 7
        value = np.ldexp(np.where(exponent == 0, 0.0, 8.0) + fraction, np.maximum(exponent, 1) - 10)
        return np.copysign(np.where(bits & 127 == 127, np.nan, value), np.where(bits > 127, -1.0, 1.0))
    return bits.view(f"<f{bits.dtype.itemsize}").astype(np.float64)


def ulp_of(dtype, values):
    unit = np.ldexp(1.0, np.maximum(np.frexp(values)[1] - 1, FLOATS[dtype][1]) - FLOATS[dtype][0])
    return np.where((values == 0) | ~np.isfinite(values), 0.0, unit)


@functools.lru_cache(maxsize=None)
def header(data):
    """What NumPy reads of the header of a .npy file: shape, whether in Fortran's order, type."""
    # Version 3.0 is 2.0 in UTF-8, and the headers of numbers are ASCII.
    file = io.BytesIO(data[:6] + data[6:8].replace(b"\3", b"\2") + data[8:])
    version = np.lib.format.read_magic(file)
    expect(version in ((1, 0), (2, 0)), f"found a .npy file of version {version}, expected 1.0, 2.0 or 3.0")
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    return read(file)


def load(path, dtype, shape, unsigned=False):
    """The elements of a .npy file in row-major order: fp64 for a floating-point type, otherwise int64.

    Where they are unsigned numbers, unsigned integers of the type's own width are its bits.
    """
    data = path.read_bytes()
    size = 12 if data[6:7] == b"\2" else 10  # of magic, version and length of the header
    begin = size + int.from_bytes(data[8:size], "little")
    found_shape, fortran, found_type = header(data[:begin])
    expect(not found_type.hasobject, "found Python's objects, expected numbers")
    expect(len(data) - begin == found_type.itemsize * math.prod(found_shape), "found more or fewer bytes than the shape says")
    array = np.frombuffer(data, found_type, offset=begin).reshape(found_shape, order="F" if fortran else "C")
    found = f"found {array.dtype}{list(array.shape)}, expected {dtype}{shape}"
    expect(list(array.shape) == shape, found)
    kind, size, array = array.dtype.kind, array.dtype.itemsize, array.flatten()
    if dtype in FLOATS:
        same = 8 * size == BITS[dtype]
        if same and size <= 2 and (kind == "u" or kind == "V" and dtype != "fp16"):
            return decode(array.view(f"<u{size}") if kind == "V" else array.astype(f"<u{size}"), dtype)
        expect(kind == "f" and (8 * size > BITS[dtype] or same and dtype != "bf16"), found)
        values, (_, _, greatest, has_infinity, _) = array.astype(np.float64), FLOATS[dtype]
        exact = (values == 0) | (np.fmod(values, ulp_of(dtype, values)) == 0) & (np.abs(values) <= greatest)
        expect((exact | np.isnan(values) | np.isinf(values) & has_infinity).all(), found)
        return values
    expect(kind in "biu" and size == 1 if dtype == "bool" else kind in "iu", found)
    if unsigned and kind == "u" and 8 * size == BITS[dtype]:
        array = array.view(array.dtype.str.replace("u", "i"))
    array, top = array.view(np.uint8) if kind == "b" else array, 1 << BITS[dtype] - 1
    least, greatest = (0, 1) if dtype == "bool" else (-top + (dtype == "i4"), top - 1)
    expect(array.size == 0 or least <= int(array.min()) <= int(array.max()) <= greatest, found)
    return array.astype(np.int64)


def sign_of_sum(a, b, c):
    """The sign of a + b - c, exact (Knuth's TwoSum)."""
    total = a + b
    part = total - a
    return np.where(total != c, np.sign(total - c), np.sign((a - (total - part)) + (b - part)))


def within(form, dtype, result, reference, bound):
    """The comparing function."""
    _, least_exponent, greatest, has_infinity, may_flush = FLOATS[dtype]
    normal_min, flip = 2.0**least_exponent, np.where(reference < 0, -1.0, 1.0)
    r, x, b = reference * flip, result * flip, bound
    below_normal = sign_of_sum(r, -b, normal_min) < 0
    above, below = r - b <= x, r + b >= x
    if form == "tosa-0.100":
        above |= below_normal & (x >= 0)
        below |= (x <= normal_min) & (sign_of_sum(r, b, normal_min) < 0)
    accepted = above & below
    if form == "tosa-1.0" and may_flush:
        accepted = np.where(x == 0, below_normal, accepted)
    may_overflow = np.isinf(r) | (sign_of_sum(r, b, greatest) > 0)
    accepted = np.where(x == -np.inf, sign_of_sum(r, -b, -greatest) < 0, accepted) & ~np.isinf(r)
    accepted = np.where(x == np.inf, may_overflow, accepted)
    accepted = np.where(np.isnan(x), may_overflow & (not has_infinity), accepted)
    return np.where(np.isnan(reference), np.isnan(result), accepted)


def equal(result, expected, zero_sign, zero_choice=False):
    same_sign = np.logical_not(zero_sign) | (np.signbit(result) == np.signbit(expected))
    same_sign |= zero_choice & np.signbit(expected)
    return (result == expected) & same_sign | np.isnan(result) & np.isnan(expected)


def interval(dtype, result, least, upper, zero_sign):
    _, least_exponent, greatest, has_infinity, may_flush = FLOATS[dtype]
    up, down = upper > greatest, least < -greatest
    nearest = np.where(least > 0, least, np.where(upper < 0, -upper, 0.0))
    inside = (least <= result) & (result <= upper) | (result == 0) & (nearest < 2.0**least_exponent) & may_flush
    both = (least < 0) & (upper > 0) | np.logical_not(zero_sign)
    inside &= (result != 0) | both | (np.signbit(result) == np.signbit(least))
    inside = np.where(np.isinf(result), np.where(result > 0, up, down), inside)
    inside = np.where(np.isnan(result), (up | down) & (not has_infinity), inside)
    return np.where(np.isnan(least), np.isnan(result), inside)


def dot_product(rule, dtype, result, reference, bound):
    """Says which elements are accepted, and whether the sums of their errors are."""
    fraction, least_exponent, greatest = FLOATS[dtype][:3]
    factor, limit = 2.0 ** (-1 - fraction), rule["absolute_limit"]
    unit = np.maximum(bound * factor, 2.0**least_exponent)
    error = (result - reference) / unit
    accepted = np.abs(error) <= limit
    # The quotient was rounded: who lies just at the limit is compared exactly.
    for i in np.flatnonzero(np.isfinite(error) & (np.abs(np.abs(error) - limit) < 1e-9 * limit)):
        x, r, u = (Fraction(float(a[i])) for a in (result, reference, unit))
        accepted[i] |= abs(x - r) <= Fraction(limit) * u
    accepted = np.where(bound == 0, (reference == 0) & (result == 0), accepted)
    reach = bound * (1 + limit * factor) if rule["form"] == "tosa-1.0" else bound
    unlimited = np.isnan(bound) | (reach > greatest) | np.isnan(reference)
    accepted = np.where(unlimited, ~np.isnan(reference) | np.isnan(result), accepted)
    counted = np.where(accepted & ~unlimited & (bound != 0), error, 0.0)
    total, squares = (np.cumsum(a)[-1] for a in (counted, counted * counted))  # one after the other
    return accepted, abs(total) <= rule.get("bias_limit", np.inf) and squares <= rule.get("variance_limit", np.inf)


def parts_of(output, answer, folder):
    """What an answer compares a result with: expected, bound, upper, or None of those that it does not have."""
    dtype = "fp64" if output["dtype"] in FLOATS else output["dtype"]
    return [load(folder / answer[part], dtype, output["shape"]) if part in answer else None
            for part in ("expected", "bound", "upper")]


def accepted_by(output, parts, result):
    """Says which elements of a result are accepted under one answer, and whether its sums are."""
    rule, dtype, (expected, bound, upper) = output["rule"], output["dtype"], parts
    kind, zero_sign, sums = rule["kind"], rule.get("zero_sign", False), True
    if dtype not in FLOATS:
        lift = (lambda x: x + (x < 0) * np.int64(1 << BITS[dtype])) if rule.get("unsigned") else (lambda x: x)
        accepted = (lift(expected) <= lift(result)) & (lift(result) <= lift(expected if upper is None else upper))
    elif kind == "exact":
        accepted = equal(result, expected, zero_sign, "zero_choice" in rule)
    elif kind == "interval" and rule.get("enclosure"):
        accepted = (expected <= result) & (result <= upper) | (expected == -np.inf) & (upper == np.inf)
    elif kind == "interval":
        accepted = interval(dtype, result, expected, upper, zero_sign)
    elif kind == "ulp":
        accepted = within(rule["form"], dtype, result, expected, ulp_of(dtype, expected) * rule["ulp"])
    elif kind == "dot_product":
        accepted, sums = dot_product(rule, dtype, result, expected, bound)
    else:
        accepted = within(rule["form"], dtype, result, expected, np.where(np.isinf(bound), 0.0, bound))
        accepted = np.where((bound == 0) & (expected == 0), equal(result, expected, zero_sign), accepted)
        free = (rule["form"] == "tosa-1.0") | np.isnan(expected) | ~np.isnan(result)
        accepted |= np.isinf(bound) & free
    return accepted, sums


def limits(output, parts):
    """Counts the elements by what an answer says of them."""
    rule, dtype, (expected, _, upper) = output["rule"], output["dtype"], parts
    if rule["kind"] in ("exact", "ulp"):
        return {"judged": expected.size}
    top = 1 << BITS[dtype] - 1
    least, greatest = (0, 1) if dtype == "bool" else (-top + (dtype == "i4"), top - 1)
    if dtype in FLOATS:
        least, greatest = -FLOATS[dtype][2], FLOATS[dtype][2]
    elif rule.get("unsigned"):
        least, greatest = 0, -1
    free = np.logical_and(*(accepted_by(output, parts, np.full_like(expected, end))[0] for end in (least, greatest)))
    if not rule.get("enclosure"):
        return {"judged": int((~free).sum()), "undefined": int(free.sum())}
    least, upper = expected.astype(float), upper.astype(float)
    wide = upper - least > 0.5 * np.maximum(np.abs(least), np.abs(upper))
    wide = (wide | np.isinf(least) | np.isinf(upper)) & (least != upper) & ~free
    return {"judged": int((~free).sum()), "unlimited": int(free.sum()), "wide": int(wide.sum())}


def look(output, folder, answer, result, shown):
    """Adds what an accepted result shows beside the answer that it fits."""
    rule, dtype, flushing = output["rule"], output["dtype"], output.get("flushing")
    if dtype not in FLOATS:
        return
    parts = {part: load(folder / answer[part], "fp64", output["shape"]) for part in ("expected", "bound", "upper")
             if part in answer}
    expected, zero = parts["expected"], result == 0
    if "zero_choice" in rule:
        unflushed = load(folder / output["answers"][0]["expected"], "fp64", output["shape"])
        given = zero & (unflushed == 0) & np.signbit(unflushed)
        for positive in {bool(sign) for sign in ~np.signbit(result[given])}:
            shown.add((positive, frozenset({(rule["zero_choice"], dtype)}), True, False))
    if not flushing or rule["form"] != "tosa-1.0" or not FLOATS[dtype][4]:
        return
    outside = {"ulp": lambda: np.abs(expected) > ulp_of(dtype, expected) * rule["ulp"],
               "absolute_bound": lambda: np.abs(expected) > parts["bound"],
               "interval": lambda: (expected > 0) | (parts["upper"] < 0)}.get(rule["kind"], lambda: zero & False)()
    if (zero & outside).any():
        shown.add(evidence(flushing, "flushed", flushing["flushed"]))
    bound = ~np.isinf(parts["bound"]) if rule["kind"] == "absolute_bound" else ~zero
    if flushing["kept"] and (bound & ~zero & (np.abs(result) < 2.0 ** FLOATS[dtype][1])).any():
        shown.add(evidence(flushing, "kept", [dtype]))


def evidence(flushing, what, types):
    """That the subnormals of one of these types, at least, are flushed or kept."""
    about = frozenset(("subnormals", dtype) for dtype in types)
    return what == "flushed", about, flushing["all_or_none"], flushing.get("moved", False) and what == "kept"


def check_output(output, path, case_folder, shown, counts):
    if not path.exists():
        return "missing"
    try:
        result = load(path, output["dtype"], output["shape"], output["rule"].get("unsigned", False))
    except (ValueError, EOFError, OSError, SyntaxError, MemoryError):
        return "malformed"
    if output["rule"]["kind"] == "unchecked":
        counts["unchecked"] += result.size
        return "unchecked"
    answers = [parts_of(output, answer, case_folder) for answer in output["answers"]]
    judged = [accepted_by(output, parts, result) for parts in answers]
    accepted = [bool(elements.all() and sums) for elements, sums in judged]
    if accepted in ([True, False], [False, True]) and "flushing" in output:
        what = "kept" if accepted[0] else "flushed"
        shown.add(evidence(output["flushing"], what, output["flushing"][what]))
    nearest = min(range(len(answers)), key=lambda k: (not accepted[k], (~judged[k][0]).sum()))
    found = limits(output, answers[nearest])
    counts.update(found)
    if not any(accepted):
        return "fail"
    look(output, case_folder, output["answers"][nearest], result, shown)
    if not output["rule"].get("enclosure") or not result.size:
        return "pass"
    enough = 100 * found["judged"] >= 95 * result.size and found["wide"] < found["judged"]
    return "pass" if enough else "unchecked"


def check_case(case, case_folder, result_folder, shown, findings, counts):
    """A case about which the text disagrees with itself decides nothing, but by its outputs that are undisputed."""
    if "disputed" not in case:
        return verdict_on(case, case_folder, result_folder, shown, findings, counts)
    verdict = verdict_on(case, case_folder, result_folder, shown, set(), counts)
    return "disputed" if verdict == "wrong_outcome" else verdict


def verdict_on(case, case_folder, result_folder, shown, findings, counts):
    executions = [case] + case.get("later_executions", [])
    counts["all"] += sum(math.prod(output["shape"]) for execution in executions for output in execution.get("outputs", []))
    path = result_folder / "result.json"
    if not path.exists():
        return "missing"
    try:
        answer = json.loads(path.read_text())
        expect(isinstance(answer, dict) and answer.get("status") in ("ok", "error", "accepted", *NOT_ANSWERED), "expected a status")
        for name, value in answer.items():
            expect(isinstance(value, MEMBERS.get(name, ())) and not isinstance(value, bool), name)
        no_crash = "signal" not in answer and answer.get("exit_code", 0) == 0
        expect(no_crash or answer["status"] in NOT_ANSWERED, "expected an answer or a crash, not both")
    except ValueError:
        return "malformed"
    findings.update(["not_deterministic"] if answer.get("differs") else [])
    if answer["status"] in NOT_ANSWERED:
        return answer["status"]
    if answer["status"] == "accepted":  # no value was shown: wrong where an error is due, and never a pass
        at_run_time = "binding" in case or any("EXT-DYNAMIC" in names for names in case["profiles"])
        return "wrong_outcome" if case["outcome"] == "error" and not at_run_time else "accepted"
    if "error" in (case["outcome"], answer["status"]):
        return "pass" if case["outcome"] == answer["status"] else "wrong_outcome"
    verdicts = set()
    for number, execution in enumerate(executions):
        for output in execution["outputs"]:
            file = result_folder / (output["name"] + (f".{number}" if number else "") + ".npy")
            excused = "disputed" in case and "undisputed" not in output
            verdict = check_output(output, file, case_folder, set() if excused else shown, counts)
            if excused:
                verdict = {"fail": "disputed", "unchecked": "pass"}.get(verdict, verdict)
            verdicts.add(verdict)
    return next(worst for worst in ("missing", "malformed", "fail", "disputed", "unchecked", "pass") if worst in verdicts)


def called_conformant(case, declared):
    """Says whether the implementation calls all of one of the case's lists of profiles conformant."""
    if case["outcome"] == "error" and not declared.get("illegal_graphs", True):
        return False
    return any(names and set(names) <= set(declared.get("conformant", [])) for names in case["profiles"])


def contradicts(shown):
    """Says whether no assignment of the choices explains what was shown."""
    names = sorted(set().union(*(named for _, named, _, _ in shown)))
    choices = [dict(zip(names, choice)) for choice in itertools.product((False, True), repeat=len(names))]
    return not any(all(any(choice[n] == second for n in named) for second, named, _, _ in shown) for choice in choices)


def mixed(shown):
    """The choices about which something contradicts itself."""
    left, found = sorted(shown, key=lambda item: (item[0], sorted(item[1]), item[2:])), set()
    while contradicts(left):
        core = left
        for item in left[::-1]:
            rest = [other for other in core if other != item]
            core = rest if contradicts(rest) else core
        found.update(*(named for _, named, _, _ in core))
        left = [item for item in left if not item[1] & found]
    return found


def contradictions(shown):
    """The findings of choices: first what is computed, then what is only moved."""
    shown = {item for item in shown if item[1] and item[2]}
    computed = mixed({item for item in shown if not item[3]})
    moved = mixed({item for item in shown if not item[1] & computed})
    kinds = {"mixed_flushing" if choice == "subnormals" else "mixed_choice" for choice, _ in computed}
    return kinds | ({"moved_not_computed"} if moved else set())


def digest_of(folder):
    names = ["case.json"] + sorted(str(path.relative_to(folder)) for path in folder.rglob("*.npy"))
    files = ((name, (folder / name).read_bytes()) for name in names)
    return hashlib.sha256(b"".join(f"{name}\n{len(data)}\n".encode() + data for name, data in files)).hexdigest()


def main(suite_path, results_path):
    for pack in (*suite_path.glob("*.tar"), *results_path.glob("*.tar"), *results_path.glob("results.unsorted")):
        expect(pack.with_suffix("").is_dir(), f"{pack}: found packed files, expected folders: tar -xf {pack.name} there")
    suite = json.loads((suite_path / "suite.json").read_text())
    run = json.loads((results_path / "run.json").read_text())
    lines = "".join(f"{entry['id']}\n{entry['digest']}\n" for entry in sorted(suite["cases"], key=lambda e: e["id"]))
    expect(hashlib.sha256(lines.encode()).hexdigest() == suite["digest"], "suite.json is not as it was generated")
    expect(run["suite_digest"] == suite["digest"], "run.json is of another suite")
    declared = run.get("implementation", {}).get("declared", {})
    declared = declared if declared.get("edition") == suite["edition"] else {}
    shard, verdicts, shown, findings = run.get("shard", {"index": 1, "of": 1}), set(), set(), set()
    counts = collections.Counter()
    for position in shard.get("positions", range(shard["index"] - 1, len(suite["cases"]), shard["of"])):
        entry = suite["cases"][position]
        folder = suite_path / entry["id"]
        expect(digest_of(folder) == entry["digest"], f"{folder} is not as it was generated")
        case = json.loads((folder / "case.json").read_text())
        verdict = check_case(case, folder, results_path / entry["id"], shown, findings, counts)
        findings.update(["not_checked"] if verdict == "unchecked" else [])
        accepts = "binding" not in case or run.get("options", {}).get("symbolic", False)
        unanswered = verdict in ("unsupported", "accepted") or not (results_path / entry["id"] / "result.json").exists()
        decides = verdict != "disputed" and not ("disputed" in case and unanswered)
        shown_wrong = verdict not in ("pass", "unchecked", "accepted") and decides
        if shown_wrong and accepts and (results_path / entry["id"] / "result.json").exists() and called_conformant(case, declared):
            findings.add("not_as_announced")
        verdicts.update([verdict] if decides else [])
        print("pass" if verdict == "unchecked" else verdict, entry["id"])
    findings.update(contradictions(shown))
    findings.update(["unexplained_fault"] if "unexplained" in run else [])
    print("".join(f"finding: {finding}\n" for finding in sorted(findings)), end="")
    print("elements:", json.dumps({name: count for name, count in counts.items() if count or name in ("all", "judged")}))
    return 0 if verdicts == {"pass"} and not findings and "shard" not in run else 1


if __name__ == "__main__":
    np.seterr(all="ignore")
    try:
        sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])))
    except (OSError, ValueError, KeyError, IndexError) as problem:
        print(f"checker.py SUITE RESULTS: {problem}", file=sys.stderr)
        sys.exit(2)

"""Why a converted graph and the kernels differ: each diagnosis is tried on the numbers, and says only what explains all that differs."""

import copy
import fractions
import math

import mpmath
import numpy as np

import exact
from operators.drawing import LIMITS

Fraction = fractions.Fraction
MOST = 64  # elements that are looked at
BITS32, BITS16 = 31, 15


def differing(ours, theirs, most=MOST):
    """(output, position) of elements that differ, evenly taken."""
    for number, (a, b) in enumerate(zip(ours, theirs)):
        if a.shape != b.shape:
            return
        equal = (a == b) | (np.isnan(a) & np.isnan(b)) if a.dtype.kind == "f" else a == b
        wrong = np.flatnonzero(~np.atleast_1d(equal).reshape(-1))
        for flat in wrong[:: max(1, len(wrong) // most)][:most]:
            yield number, tuple(int(i) for i in np.unravel_index(int(flat), a.shape))


# ---- the scale of a sum of products: multiplier, shift, rounding


def quantized_scale(scale, bits):
    """(multiplier, shift): scale is nearly multiplier * 2**-shift, with a multiplier of `bits` bits."""
    if scale == 0:
        return 0, 0
    mantissa, exponent = math.frexp(scale)
    multiplier = int(Fraction(mantissa) * (1 << bits) + Fraction(1, 2))
    if multiplier == 1 << bits:
        multiplier, exponent = multiplier // 2, exponent + 1
    return multiplier, bits - exponent


def scaled(value, multiplier, shift, double):
    """Rounded half up; twice, at bit 31 and then, if double, as TOSA's apply_scale_32 and TFLite's reference kernels do."""
    half = 1 << (shift - 1) if shift > 0 else 0
    if double and shift > 31:
        half += (1 << 30) if value >= 0 else -(1 << 30)
    return (value * multiplier + half) >> shift if shift > 0 else (value * multiplier) << -shift


def products(case, position):
    """(sum of products and bias in integers, scale of inputs, scale of weights of that channel); None if the operator has none."""
    op = case.model.operator
    inputs = exact.operands(case)
    if op in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED"):
        x, w = inputs[0][0], inputs[1][0]
    elif op == "TRANSPOSE_CONV":
        x, w = inputs[2][0], inputs[1][0]
    elif op in ("BATCH_MATMUL", "MUL"):
        x, w = inputs[0][0], inputs[1][0]
    else:
        return None
    if not (x.scale and w.scale):
        return None
    channel = position[-1] if len(w.scale) > 1 else 0
    sx, sw = Fraction(float(np.float32(x.scale[0]))), Fraction(float(np.float32(w.scale[channel])))
    plain = copy.copy(case)
    plain.model = copy.copy(case.model)
    plain.model.inputs = [None if t is None else copy.copy(t) for t in case.model.inputs]
    for t in plain.model.inputs:
        if t is not None and t.scale:
            t.scale = (1.0,) * len(t.scale)
    if plain.model.options:
        plain.model.options = (case.model.options[0], {**case.model.options[1], "fusedActivationFunction": 0})
    total = exact.value(plain, 0, position)
    return None if total is None or total.denominator != 1 else (int(total), sx, sw)


def bounds(case):
    """The least and the greatest value of an output with its fused activation."""
    out = case.model.outputs[0]
    low, high = LIMITS[out.type]
    number = case.model.options[1].get("fusedActivationFunction", 0) if case.model.options else 0
    place = lambda real: int(math.floor(real / float(np.float32(out.scale[0])) + 0.5)) + int(out.zero_point[0])
    ends = {1: (0, None), 2: (-1, 1), 3: (0, 6)}.get(number, (None, None))
    return (low if ends[0] is None else max(low, place(ends[0]))), (
        high if ends[1] is None else min(high, place(ends[1]))
    )


def scalings(case):
    """{name: function of a sum} of all that a RESCALE may be."""
    out = case.model.outputs[0]
    so = np.float32(out.scale[0])
    low, high = bounds(case)

    def make(bits, double, single_precision):
        def result(total, sx, sw):
            x, w = np.float32(float(sx)), np.float32(float(sw))
            scale = float(np.float32(np.float32(x * w) / so)) if single_precision else float(x) * float(w) / float(so)
            multiplier, shift = quantized_scale(scale, bits)
            return min(max(scaled(total, multiplier, shift, double) + int(out.zero_point[0]), low), high)

        return result

    return {
        f"{bits + 1}-bit multiplier, {'double' if double else 'single'} rounding, scale in {'float32' if single else 'double'}": make(
            bits, double, single
        )
        for bits in (BITS32, BITS16)
        for double in (False, True)
        for single in (False, True)
        if not (bits == BITS16 and double)
    }


def scale_of_sums(case, ours, theirs):
    if not case.model.outputs[0].scale or case.model.outputs[0].type not in LIMITS:
        return None
    places = list(differing(ours, theirs))
    sums = [products(case, position) for _, position in places]
    if not places or any(s is None for s in sums):
        return None
    explain = {"graph": [], "kernels": []}
    for name, result in scalings(case).items():
        made = [result(*s) for s in sums]
        for who, values in (("graph", ours), ("kernels", theirs)):
            if all(int(values[n][p]) == m for (n, p), m in zip(places, made)):
                explain[who].append(name)
    if not explain["graph"] and not explain["kernels"]:
        return None
    return "; ".join(
        f"the {who}: {names[0] if names else 'none of the usual scalings'}" for who, names in explain.items()
    )


# ---- rounding


def rounding(case, ours, theirs):
    """How each side rounds the exact result of the elements that differ."""
    ways = {
        "the nearest": lambda x: {math.floor(x + 0.5), math.ceil(x - 0.5)},
        "floor": lambda x: {math.floor(x)},
        "truncation": lambda x: {int(x)},
        "ceiling": lambda x: {math.ceil(x)},
    }
    found = {"graph": set(ways), "kernels": set(ways)}
    asked = 0
    for number, position in differing(ours, theirs):
        tensor = case.model.outputs[number]
        if tensor.type not in LIMITS:
            return None
        place = exact.in_units(tensor, exact.value(case, number, position))
        if place is None or not mpmath.isfinite(place):
            continue
        asked += 1
        for who, values in (("graph", ours), ("kernels", theirs)):
            found[who] = {way for way in found[who] if int(values[number][position]) in ways[way](place)}
    if not asked or not (found["graph"] and found["kernels"]):
        return None
    say = lambda ways_: "as " + " or ".join(sorted(ways_))
    return f"of the exact result the graph rounds {say(found['graph'])}, the kernels {say(found['kernels'])}"


def interpolation(case, ours, theirs):
    """How far each side is from the exact interpolation, and whether weights of 10 bits may cost that much.

    Two weights, each off by 2^-11 at most (a place rounded to 1/1024 of an element), move the result by no more
    than 2 * 2^-11 * span; it is rounded once more, to half a last place.
    """
    if case.model.operator != "RESIZE_BILINEAR" or case.model.outputs[0].type not in LIMITS:
        return None
    values = exact.operands(case)[0][1]
    allowed = 0.5 + (int(values.max()) - int(values.min())) * 2.0**-10
    off = {"graph": 0.0, "kernels": 0.0}
    for number, position in differing(ours, theirs):
        place = exact.in_units(case.model.outputs[number], exact.value(case, number, position))
        if place is None:
            return None
        for who, made in (("graph", ours), ("kernels", theirs)):
            off[who] = max(off[who], abs(float(int(made[number][position]) - place)))
    if not any(off.values()):
        return None
    say = lambda who: (
        f"the {who} {'is' if who == 'graph' else 'are'} up to {off[who]:.3g} last places from the exact interpolation, "
        + ("which is its rounding" if off[who] <= 0.5 else "within" if off[who] <= allowed else "beyond")
        + ("" if off[who] <= 0.5 else f" what weights of 10 bits may cost ({allowed:.3g})")
    )
    return "; ".join(map(say, off))


# ---- activations, NaN, ends, wrapping, places


def without_activation(case):
    if not case.model.options or not case.model.options[1].get("fusedActivationFunction"):
        return None
    plain = copy.copy(case)
    plain.model = copy.copy(case.model)
    plain.model.options = (case.model.options[0], {**case.model.options[1], "fusedActivationFunction": 0})
    return plain


def activation(steps, case, ours, theirs):
    plain = without_activation(case)
    if plain is None:
        return None
    folder = steps.folder / "plain"
    folder.mkdir(exist_ok=True)
    for outputs in steps.source.kernels(steps.source.write(plain, folder), plain).values():
        if isinstance(outputs, str):
            continue
        close = lambda a: all(
            (
                x.shape == y.shape and np.allclose(x, y, rtol=1e-5, atol=1, equal_nan=True)
                if x.dtype.kind != "f"
                else x.shape == y.shape and np.allclose(x, y, rtol=1e-5, equal_nan=True)
            )
            for x, y in zip(a, outputs)
        )
        if close(ours) and not close(theirs):
            return "the graph drops the fused activation"
        if close(theirs) and not close(ours):
            return "the kernels drop the fused activation"
    return None


def operand_values(case, position):
    """The values of the operands at an element, where the operator works element by element."""
    values = []
    for operand in exact.operands(case):
        if operand is None:
            continue
        try:
            values.append(operand[1][exact.at(operand[1].shape, position)])
        except (IndexError, ValueError):
            return None
    return values


def specials(case, ours, theirs):
    """What kind of value stands on each side, of floating point."""
    kinds, of_nan, count = set(), 0, 0
    for number, position in differing(ours, theirs):
        a, b = ours[number][position], theirs[number][position]
        if a.dtype.kind != "f":
            return None
        kind = lambda v: "NaN" if np.isnan(v) else "an infinity" if np.isinf(v) else "a number"
        kinds.add((kind(a), kind(b)))
        values = operand_values(case, position) or []
        of_nan += any(v.dtype.kind == "f" and bool(np.isnan(v).any()) for v in values)
        count += 1
    if len(kinds) != 1 or kinds == {("a number", "a number")}:
        return None
    a, b = kinds.pop()
    where = " where an operand is NaN" if count and of_nan == count else ""
    return f"{a} for {b}{where}" + (": nan_mode, or the comparison of a NaN" if where else "")


def wrapping(case, ours, theirs):
    if any(a.dtype.kind not in "iu" for a in ours):
        return None
    bits = ours[0].dtype.itemsize * 8
    differences, at_end = set(), {"graph": True, "kernels": True}
    for number, position in differing(ours, theirs):
        a, b = int(ours[number][position]), int(theirs[number][position])
        info = np.iinfo(ours[number].dtype)
        differences.add(a - b)
        at_end["graph"] &= a in (info.min, info.max)
        at_end["kernels"] &= b in (info.min, info.max)
    if not differences:
        return None
    if all(d % (1 << bits) == 0 for d in differences):
        return "wraps"
    if at_end["graph"] and not at_end["kernels"]:
        return "the graph saturates where the kernels do not"
    if at_end["kernels"] and not at_end["graph"]:
        return "the kernels saturate where the graph does not"
    return None


def places(ours, theirs):
    if len(ours) != 1 or ours[0].shape != theirs[0].shape or ours[0].size < 4:
        return None
    a, b = np.sort(ours[0].reshape(-1)), np.sort(theirs[0].reshape(-1))
    if len(np.unique(a)) > 3 and np.array_equal(a, b):
        return "the right values in other places"
    return None


def diagnosis(steps, case, ours, theirs):
    """A sentence, or an empty text."""
    if len(ours) != len(theirs):
        return f"{len(ours)} outputs, not {len(theirs)}"
    if any(a.shape != b.shape for a, b in zip(ours, theirs)):
        return "another shape"
    for found in (
        activation(steps, case, ours, theirs),
        specials(case, ours, theirs),
        wrapping(case, ours, theirs),
        places(ours, theirs),
        scale_of_sums(case, ours, theirs),
        rounding(case, ours, theirs),
        interpolation(case, ours, theirs),
    ):
        if found:
            return found
    return ""

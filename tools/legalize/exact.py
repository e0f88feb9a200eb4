"""The exact result of an operator, as a real number: who is nearer, where two results differ.

value(case, output, position) is what TFLite's text asks for, computed with rationals and MPFR-like precision (mpmath, 120 bits), from
the operands' exact values (scale in float32 times integer); None where this file has no definition.
"""

import fractions
import itertools
import math

import mpmath
import numpy as np

mpmath.mp.prec = 120
Fraction = fractions.Fraction


def real(tensor, raw, position):
    """The exact number that an element stands for: a Fraction, or a float that is not finite."""
    if tensor.type.startswith("float"):
        value = float(raw)
        return Fraction(value) if math.isfinite(value) else value
    if not tensor.scale:
        return Fraction(int(raw))
    channel = position[tensor.axis] if len(tensor.scale) > 1 else 0
    return Fraction(float(np.float32(tensor.scale[channel]))) * (int(raw) - int(tensor.zero_point[channel]))


def mp(value):
    return mpmath.mpf(value.numerator) / value.denominator if isinstance(value, Fraction) else mpmath.mpf(value)


def _round_even(x):
    return mpmath.nint(x)


def _gelu(x, options):
    x = mp(x)
    if options.get("approximate"):
        return x / 2 * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3)))
    return x / 2 * mpmath.erfc(-x / mpmath.sqrt(2))


UNARY = {
    "ABS": lambda x, o: abs(x),
    "NEG": lambda x, o: -x,
    "SQUARE": lambda x, o: x * x,
    "CEIL": lambda x, o: mpmath.ceil(mp(x)),
    "FLOOR": lambda x, o: mpmath.floor(mp(x)),
    "ROUND": lambda x, o: _round_even(mp(x)),
    "COS": lambda x, o: mpmath.cos(mp(x)),
    "SIN": lambda x, o: mpmath.sin(mp(x)),
    "EXP": lambda x, o: mpmath.exp(mp(x)),
    "ELU": lambda x, o: x if x >= 0 else mpmath.expm1(mp(x)),
    "GELU": _gelu,
    "HARD_SWISH": lambda x, o: x * min(max(x + 3, Fraction(0)), Fraction(6)) / 6,
    "LEAKY_RELU": lambda x, o: x if x >= 0 else x * Fraction(float(np.float32(o["alpha"]))),
    "LOG": lambda x, o: mpmath.log(mp(x)) if x > 0 else (-math.inf if x == 0 else math.nan),
    "LOGISTIC": lambda x, o: 1 / (1 + mpmath.exp(-mp(x))),
    "TANH": lambda x, o: mpmath.tanh(mp(x)),
    "RELU": lambda x, o: max(x, Fraction(0)),
    "RELU6": lambda x, o: min(max(x, Fraction(0)), Fraction(6)),
    "RELU_N1_TO_1": lambda x, o: min(max(x, Fraction(-1)), Fraction(1)),
    "RELU_0_TO_1": lambda x, o: min(max(x, Fraction(0)), Fraction(1)),
    "RSQRT": lambda x, o: 1 / mpmath.sqrt(mp(x)) if x > 0 else (math.inf if x == 0 else math.nan),
    "SQRT": lambda x, o: mpmath.sqrt(mp(x)) if x >= 0 else math.nan,
    "SIGN": lambda x, o: Fraction((x > 0) - (x < 0)),
    "QUANTIZE": lambda x, o: x,
    "DEQUANTIZE": lambda x, o: x,
    "RESHAPE": lambda x, o: x,
}

BINARY = {
    "ADD": lambda a, b: a + b,
    "SUB": lambda a, b: a - b,
    "MUL": lambda a, b: a * b,
    "MAXIMUM": max,
    "MINIMUM": min,
    "DIV": lambda a, b: a / b if b else None,
    "SQUARED_DIFFERENCE": lambda a, b: (a - b) ** 2,
    "LESS": lambda a, b: Fraction(a < b),
    "LESS_EQUAL": lambda a, b: Fraction(a <= b),
    "GREATER": lambda a, b: Fraction(a > b),
    "GREATER_EQUAL": lambda a, b: Fraction(a >= b),
    "EQUAL": lambda a, b: Fraction(a == b),
    "NOT_EQUAL": lambda a, b: Fraction(a != b),
    "FLOOR_DIV": lambda a, b: Fraction(math.floor(a / b)) if b else None,
    "FLOOR_MOD": lambda a, b: a - b * math.floor(a / b) if b else None,
    "ATAN2": lambda a, b: mpmath.atan2(mp(a), mp(b)),
    "POW": lambda a, b: mpmath.power(mp(a), mp(b)) if a > 0 else None,
    "PRELU": lambda a, b: a if a >= 0 else a * b,
}

ACTIVATIONS = {
    0: lambda x: x,
    1: lambda x: max(x, 0),
    2: lambda x: min(max(x, -1), 1),
    3: lambda x: min(max(x, 0), 6),
    4: lambda x: mpmath.tanh(mp(x)),
}


def activated(case, value):
    options = case.model.options[1] if case.model.options else {}
    number = options.get("fusedActivationFunction", 0)
    return ACTIVATIONS[number](value) if number and value is not None and not (isinstance(value, float) and math.isnan(value)) else value


def operands(case):
    """(tensor, values) of each operand, None for one that is left out."""
    given = iter(case.inputs)
    return [None if t is None else (t, t.data if t.data is not None else next(given)) for t in case.model.inputs]


def at(shape, position):
    """The element of a broadcast operand that meets this position of the result."""
    shape = tuple(shape)
    position = position[len(position) - len(shape) :] if len(shape) <= len(position) else position
    return tuple(0 if n == 1 else p for n, p in zip(shape, position))


def element(operand, position):
    tensor, values = operand
    place = at(values.shape, position)
    return real(tensor, values[place], place)


def _finite(*values):
    return all(isinstance(v, Fraction) for v in values)


def _known(*values):
    """A NaN is no fault: TFLite's text does not define its result."""
    return all(v == v for v in values)


def _convolution(case, position, depthwise):
    (x, xv), (w, wv), *rest = operands(case)
    o = case.model.options[1]
    n, oy, ox, oc = position
    kh, kw = wv.shape[1:3]
    pad = []
    for size, k, s, d, out in (
        (xv.shape[1], kh, o["strideH"], o["dilationHFactor"], case.model.outputs[0].shape[1]),
        (xv.shape[2], kw, o["strideW"], o["dilationWFactor"], case.model.outputs[0].shape[2]),
    ):
        total = max((out - 1) * s + (k - 1) * d + 1 - size, 0) if o["padding"] == 0 else 0
        pad.append(total // 2)
    total = Fraction(0)
    for ky, kx in itertools.product(range(kh), range(kw)):
        y, xx = oy * o["strideH"] - pad[0] + ky * o["dilationHFactor"], ox * o["strideW"] - pad[1] + kx * o["dilationWFactor"]
        if not (0 <= y < xv.shape[1] and 0 <= xx < xv.shape[2]):
            continue
        channels = [oc // (wv.shape[3] // xv.shape[3])] if depthwise else range(xv.shape[3])
        for ic in channels:
            place = (0, ky, kx, oc) if depthwise else (oc, ky, kx, ic)
            total += real(x, xv[n, y, xx, ic], (n, y, xx, ic)) * real(w, wv[place], place)
    if rest and rest[0] is not None:
        total += real(rest[0][0], rest[0][1][oc], (oc,))
    return total


def _fully_connected(case, position):
    (x, xv), (w, wv), *rest = operands(case)
    row, m = xv.reshape(-1, wv.shape[1]), position[-1]
    r = int(np.ravel_multi_index(position[:-1], case.model.outputs[0].shape[:-1]))
    total = sum((real(x, a, ()) * real(w, b, (m,)) for a, b in zip(row[r], wv[m])), Fraction(0))
    return total + (real(rest[0][0], rest[0][1][m], (m,)) if rest and rest[0] is not None else 0)


def _batch_matmul(case, position):
    (x, xv), (y, yv) = operands(case)
    o = case.model.options[1]
    xv, yv = (np.swapaxes(v, -1, -2) if adjoint else v for v, adjoint in ((xv, o["adjX"]), (yv, o["adjY"])))
    batch = position[:-2]
    xm, ym = xv[at(xv.shape[:-2], batch)], yv[at(yv.shape[:-2], batch)]
    return sum((real(x, a, ()) * real(y, b, ()) for a, b in zip(xm[position[-2]], ym[:, position[-1]])), Fraction(0))


def _pool(case, position):
    x, xv = operands(case)[0]
    o = case.model.options[1]
    n, oy, ox, c = position
    out = case.model.outputs[0].shape
    values = []
    pads = [
        max((q - 1) * s + k - size, 0) // 2 if o["padding"] == 0 else 0
        for size, k, s, q in ((xv.shape[1], o["filterHeight"], o["strideH"], out[1]), (xv.shape[2], o["filterWidth"], o["strideW"], out[2]))
    ]
    for ky, kx in itertools.product(range(o["filterHeight"]), range(o["filterWidth"])):
        y, xx = oy * o["strideH"] - pads[0] + ky, ox * o["strideW"] - pads[1] + kx
        if 0 <= y < xv.shape[1] and 0 <= xx < xv.shape[2]:
            values.append(real(x, xv[n, y, xx, c], ()))
    if not _finite(*values):
        return None
    return max(values) if case.model.operator == "MAX_POOL_2D" else sum(values) / len(values)


def _reduced(case, position):
    (x, xv), (_, axes) = operands(case)
    axes = sorted({int(a) % xv.ndim for a in np.atleast_1d(axes)})
    place, index = list(position), []
    if case.model.options[1]["keepDims"]:
        place = [p for i, p in enumerate(place) if i not in axes]
    rest = iter(place)
    for i in range(xv.ndim):
        index.append(slice(None) if i in axes else next(rest))
    return x, [real(x, v, ()) for v in xv[tuple(index)].reshape(-1)]


def _reduction(case, position):
    x, values = _reduced(case, position)
    if not _finite(*values):
        return None
    op = case.model.operator
    if op == "SUM":
        return sum(values)
    if op == "MEAN":
        total = sum(values) / len(values)
        return total if x.scale or x.type.startswith("float") else Fraction(int(total))
    if op == "REDUCE_PROD":
        return math.prod(values)
    return max(values) if op == "REDUCE_MAX" else min(values)


def _softmax(case, position):
    x, xv = operands(case)[0]
    row = [real(x, v, ()) for v in xv[position[:-1]]]
    if not _finite(*row):
        return None
    beta = mpmath.mpf(float(np.float32(case.model.options[1].get("beta", 1.0))))
    total = mpmath.fsum(mpmath.exp(mp(v) * beta) for v in row)
    if case.model.operator == "LOG_SOFTMAX":
        return mp(row[position[-1]]) - mpmath.log(total)
    return mpmath.exp(mp(row[position[-1]]) * beta) / total


def _l2(case, position):
    x, xv = operands(case)[0]
    row = [real(x, v, ()) for v in xv[position[:-1]]]
    length = mpmath.sqrt(mp(sum(v * v for v in row)))
    return mp(row[position[-1]]) / length if length else None


def _resize(case, position):
    """Bilinear: the text of ResizeBilinear; scales in exact arithmetic."""
    x, xv = operands(case)[0]
    o = case.model.options[1]
    out = case.model.outputs[0].shape
    n, oy, ox, c = position
    weights = []
    for size, new, p in ((xv.shape[1], out[1], oy), (xv.shape[2], out[2], ox)):
        scale = Fraction(size - 1, new - 1) if o["alignCorners"] and new > 1 else Fraction(size, new)
        place = (p + Fraction(1, 2)) * scale - Fraction(1, 2) if o["halfPixelCenters"] else p * scale
        low = math.floor(place)
        weights.append(((min(max(low, 0), size - 1), 1 - (place - low)), (min(max(low + 1, 0), size - 1), place - low)))
    return sum((real(x, xv[n, y, xx, c], ()) * a * b for (y, a) in weights[0] for (xx, b) in weights[1]), Fraction(0))


def _nearest(case, position):
    x, xv = operands(case)[0]
    o = case.model.options[1]
    out = case.model.outputs[0].shape
    place = []
    for size, new, p in ((xv.shape[1], out[1], position[1]), (xv.shape[2], out[2], position[2])):
        scale = Fraction(size - 1, new - 1) if o["alignCorners"] and new > 1 else Fraction(size, new)
        at_ = (p + (Fraction(1, 2) if o["halfPixelCenters"] else 0)) * scale
        place.append(min(max(math.floor(at_ + Fraction(1, 2)) if o["alignCorners"] else math.floor(at_), 0), size - 1))
    return real(x, xv[position[0], place[0], place[1], position[3]], ())


def _transpose_conv(case, position):
    _, (w, wv), (x, xv), *rest = operands(case)
    o = case.model.options[1]
    n, oy, ox, oc = position
    out = case.model.outputs[0].shape
    total = Fraction(0)
    pads = []
    for size, k, s, new in ((xv.shape[1], wv.shape[1], o["strideH"], out[1]), (xv.shape[2], wv.shape[2], o["strideW"], out[2])):
        pads.append(max((size - 1) * s + k - new, 0) // 2 if o["padding"] == 0 else 0)
    for ky, kx in itertools.product(range(wv.shape[1]), range(wv.shape[2])):
        y, xx = oy + pads[0] - ky, ox + pads[1] - kx
        if y % o["strideH"] or xx % o["strideW"]:
            continue
        y, xx = y // o["strideH"], xx // o["strideW"]
        if 0 <= y < xv.shape[1] and 0 <= xx < xv.shape[2]:
            for ic in range(xv.shape[3]):
                total += real(x, xv[n, y, xx, ic], ()) * real(w, wv[oc, ky, kx, ic], (oc,))
    if rest and rest[0] is not None:
        total += real(rest[0][0], rest[0][1][oc], (oc,))
    return total


def _add_n(case, position):
    return sum((element(operand, position) for operand in operands(case)), Fraction(0))


WHOLE = {
    "CONV_2D": lambda c, p: _convolution(c, p, False),
    "DEPTHWISE_CONV_2D": lambda c, p: _convolution(c, p, True),
    "FULLY_CONNECTED": _fully_connected,
    "BATCH_MATMUL": _batch_matmul,
    "AVERAGE_POOL_2D": _pool,
    "MAX_POOL_2D": _pool,
    "SUM": _reduction,
    "MEAN": _reduction,
    "REDUCE_PROD": _reduction,
    "REDUCE_MAX": _reduction,
    "REDUCE_MIN": _reduction,
    "SOFTMAX": _softmax,
    "LOG_SOFTMAX": _softmax,
    "L2_NORMALIZATION": _l2,
    "RESIZE_BILINEAR": _resize,
    "RESIZE_NEAREST_NEIGHBOR": _nearest,
    "TRANSPOSE_CONV": _transpose_conv,
    "ADD_N": _add_n,
}


def value(case, output, position):
    """The real number, before it is quantized; None: not known here."""
    op = case.model.operator
    options = case.model.options[1] if case.model.options else {}
    try:
        if op in UNARY:
            x = element(operands(case)[0], position)
            return UNARY[op](x, options) if _known(x) else None
        if op in BINARY:
            a, b = (element(operand, position) for operand in operands(case)[:2])
            return activated(case, BINARY[op](a, b)) if _known(a, b) else None
        if op in WHOLE:
            return activated(case, WHOLE[op](case, position))
    except (ValueError, ZeroDivisionError, OverflowError, TypeError):
        return None
    return None


def in_units(tensor, exact):
    """Where the exact result lies among the values of its type, unrounded: a number in last places."""
    if exact is None or (isinstance(exact, float) and not math.isfinite(exact)):
        return exact
    exact = mp(exact) if isinstance(exact, Fraction) else mpmath.mpf(exact)
    if not mpmath.isfinite(exact):
        return float(exact)
    if tensor.type.startswith(("int", "uint")):
        info = np.iinfo(tensor.type)
        if tensor.scale:
            exact = exact / mpmath.mpf(float(np.float32(tensor.scale[0]))) + int(tensor.zero_point[0])
        return min(max(exact, mpmath.mpf(int(info.min))), mpmath.mpf(int(info.max)))
    return exact


def distance(tensor, exact, result):
    """How far a result is from the exact one: in last places of its type; inf if one of both is not finite; None if it
    is unknown."""
    place = in_units(tensor, exact)
    if place is None:
        return None
    if tensor.type.startswith("float"):
        result = float(result)
        if math.isnan(result) or math.isinf(result) or isinstance(place, float):
            same = isinstance(place, float) and (place == result or (math.isnan(place) and math.isnan(result)))
            most = mpmath.mpf(float(np.finfo(tensor.type).max))
            overflow = not isinstance(place, float) and math.isinf(result) and abs(place) > most and (place > 0) == (result > 0)
            return 0.0 if same or overflow else math.inf
        info = np.finfo(tensor.type)
        size = max(abs(place), mpmath.mpf(float(info.tiny)))
        ulp = mpmath.ldexp(1, int(mpmath.floor(mpmath.log(size, 2))) - info.nmant)
        return float(abs(place - mpmath.mpf(result)) / ulp)
    if tensor.type == "bool":
        return float(abs(place - int(result)))
    return float(abs(place - int(result)))

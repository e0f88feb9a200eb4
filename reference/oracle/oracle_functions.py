"""Elementary functions, correctly rounded to fp64, and the arithmetic at which Python would raise.

mpmath computes with 320 bits; what it returns is an exact fraction, which Python rounds once. No
tie can be missed: a power that is a tie has an exact value of far fewer bits.
"""

import math
from fractions import Fraction

import mpmath

mpmath.mp.prec = 320


def wrap(value, bits):
    """The low bits of an integer, as a two's complement number."""
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def divide(a, b):
    if b == 0.0:
        if a == 0.0 or math.isnan(a):
            return math.nan
        return math.copysign(math.inf, a) * math.copysign(1.0, b)
    return a / b


def round_fraction(value):
    """The fp64 number nearest to a Fraction, ties to even."""
    try:
        return value.numerator / value.denominator
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def round_mpf(value):
    """The fp64 number nearest to an mpf, ties to even; an mpf's zero has no sign."""
    if mpmath.isnan(value):
        return math.nan
    if mpmath.isinf(value):
        return math.inf if value > 0 else -math.inf
    sign, mantissa, exponent, bits = value._mpf_
    if mantissa == 0:
        return 0.0
    if exponent + bits > 1100:
        return -math.inf if sign else math.inf
    if exponent + bits < -1200:
        return -0.0 if sign else 0.0
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
    return round_fraction(-exact if sign else exact)


def exp(x):
    if math.isnan(x) or x == math.inf:
        return x
    if x > 1000.0:
        return math.inf
    return 0.0 if x < -1000.0 else round_mpf(mpmath.exp(x))


def log(x):
    if x == 0.0:
        return -math.inf
    if x < 0.0:
        return math.nan
    return x if not math.isfinite(x) else round_mpf(mpmath.log(x))


def sin(x):
    if not math.isfinite(x):
        return math.nan
    return x if x == 0.0 else round_mpf(mpmath.sin(x))


def cos(x):
    return round_mpf(mpmath.cos(x)) if math.isfinite(x) else math.nan


def tanh(x):
    if math.isnan(x) or x == 0.0:
        return x
    if abs(x) > 1000.0:
        return math.copysign(1.0, x)
    return round_mpf(mpmath.tanh(x))


def erf(x):
    if math.isnan(x) or x == 0.0:
        return x
    if abs(x) > 1000.0:
        return math.copysign(1.0, x)
    return round_mpf(mpmath.erf(x))


def sigmoid(x):
    if math.isnan(x):
        return x
    if x < -1000.0:
        return 0.0
    if x > 1000.0:
        return 1.0
    return round_mpf(1 / (1 + mpmath.exp(-mpmath.mpf(x))))


def expm1(x):
    if math.isnan(x) or x == math.inf or x == 0.0:
        return x
    if x > 1000.0:
        return math.inf
    return -1.0 if x < -1000.0 else round_mpf(mpmath.expm1(x))


def power(x, y):
    """x to the power y, correctly rounded, for every case on which C and IEEE 754 agree."""
    if y == 0.0 or x == 1.0:
        return 1.0
    if math.isnan(x) or math.isnan(y):
        return math.nan
    odd = math.isfinite(y) and y == math.floor(y) and int(y) % 2 == 1
    if math.isinf(y):
        if abs(x) == 1.0:
            return 1.0
        return math.inf if (abs(x) > 1.0) == (y > 0) else 0.0
    if x == 0.0 or math.isinf(x):
        large = math.isinf(x) == (y > 0)
        sign = math.copysign(1.0, x) if odd else 1.0
        return sign * (math.inf if large else 0.0)
    if x < 0.0:
        if y != math.floor(y):
            return math.nan
        result = power(-x, y)
        return -result if odd else result
    estimate = mpmath.mpf(y) * mpmath.log(x)
    if estimate > 1000:
        return math.inf
    if estimate < -1000:
        return 0.0
    return round_mpf(mpmath.power(x, y))

"""The parts that the oracle modules share: answers, tensors, number formats, random values, findings.

Everything is plain Python: integers are exact, a Python float is an fp64 number and each of its
operations rounds to nearest even, and fractions.Fraction is used where fp64 would round.
"""

import math
from dataclasses import dataclass, field
from fractions import Fraction

INTEGER_BITS = {'i4': 4, 'i8': 8, 'i16': 16, 'i32': 32, 'i48': 48, 'i64': 64}
# dtype: stored fraction bits, exponent of the smallest normal number, greatest number, infinities
FLOAT_FORMATS = {
    'fp8e4m3': (3, -6, 448.0, False),
    'fp8e5m2': (2, -14, 57344.0, True),
    'fp16': (10, -14, 65504.0, True),
    'bf16': (7, -126, float.fromhex('0x1.fep127'), True),
    'fp32': (23, -126, float.fromhex('0x1.fffffep127'), True),
}
FLUSHABLE = ('fp16', 'bf16', 'fp32')
EDITIONS = ('tosa-1.0', 'tosa-0.100')
LIMITS = {
    '8K': {'MAX_RANK': 6, 'MAX_KERNEL': 8192, 'MAX_STRIDE': 8192, 'MAX_SCALE': 256},
    'none': {'MAX_RANK': 32, 'MAX_KERNEL': 2**31 - 1, 'MAX_STRIDE': 2**31 - 1, 'MAX_SCALE': 2048},
}
NAN = math.nan
INFINITY = math.inf


@dataclass
class Tensor:
    dtype: str
    shape: list
    data: list

    def at(self, *index):
        offset = 0
        for size, place in zip(self.shape, index):
            assert 0 <= place < size
            offset = offset * size + place
        return self.data[offset]


@dataclass
class Answer:
    """The oracle's answer about a call.

    outcome      'valid', 'error' or 'unpredictable'
    conditions   the ids of all conditions that are broken; an id that starts with '?' has no
                 counterpart and is not compared
    outputs      name: Tensor; floating point unrounded, in fp64
    rules        name: the fields of the rule that the oracle knows; a value of None says that the
                 field must be absent, a tuple that any of these values will do
    flushed      name: Tensor, where flushing subnormal inputs changes the answer; None: not said
    also         other outcomes that a fair reading allows
    """
    outcome: str
    conditions: set = field(default_factory=set)
    outputs: dict = field(default_factory=dict)
    rules: dict = field(default_factory=dict)
    flushed: dict = None
    also: tuple = ()


class Stop(Exception):
    """Ends the judging of a call: nothing after a finding makes sense."""


class Findings:
    """Collects broken conditions; the worst kind decides the outcome."""

    def __init__(self):
        self.errors = set()
        self.requirements = set()

    def error_if(self, condition, broken):
        if broken:
            self.errors.add(condition)
        return broken

    def require(self, condition, holds):
        if not holds:
            self.requirements.add(condition)
        return holds

    @property
    def outcome(self):
        if self.requirements:
            return 'unpredictable'
        return 'error' if self.errors else 'valid'

    @property
    def conditions(self):
        return self.errors | self.requirements


def is_float(dtype):
    return dtype in FLOAT_FORMATS or dtype == 'fp64'


def integer_range(dtype):
    """The two's-complement range, but int4_t, which is symmetric."""
    if dtype == 'i4':
        return -7, 7
    half = 1 << (INTEGER_BITS[dtype] - 1)
    return -half, half - 1


def normal_min(dtype):
    return math.ldexp(1.0, FLOAT_FORMATS[dtype][1])


def normal_max(dtype):
    return FLOAT_FORMATS[dtype][2]


def fraction_bits(dtype):
    return FLOAT_FORMATS[dtype][0]


def lowest(dtype):
    """The value that is at most every other: minus infinity where there is one."""
    if is_float(dtype):
        return -INFINITY if FLOAT_FORMATS[dtype][3] else -normal_max(dtype)
    return integer_range(dtype)[0]


def greatest(dtype):
    return -lowest(dtype) if is_float(dtype) else integer_range(dtype)[1]


def round_to_format(value, dtype, saturate=False):
    """A float rounded to the nearest value of dtype, ties to even."""
    bits, exponent_min, maximum, has_infinity = FLOAT_FORMATS[dtype]
    if math.isnan(value):
        return NAN
    beyond = math.copysign(INFINITY if has_infinity else NAN, value)
    if saturate:
        beyond = math.copysign(maximum, value)
    if math.isinf(value):
        return beyond
    if value == 0:
        return value
    exponent = max(math.frexp(value)[1] - 1, exponent_min)
    unit = Fraction(2) ** (exponent - bits)
    rounded = round(Fraction(abs(value)) / unit) * unit
    # An overflow is decided with an unbounded exponent: what rounds to the maximum does not.
    if rounded > Fraction(maximum):
        return beyond
    return math.copysign(float(rounded), value)


def flush(dtype, value):
    """A subnormal becomes a zero of its sign, in the formats that allow it."""
    if dtype in FLUSHABLE and value != 0 and abs(value) < normal_min(dtype):
        return math.copysign(0.0, value)
    return value


def elements(shape):
    return math.prod(shape)


def places(shape):
    """Every index into a tensor of this shape, in row-major order."""
    if not shape:
        yield ()
        return
    for first in range(shape[0]):
        for rest in places(shape[1:]):
            yield (first,) + rest


def same_number(a, b, zero_sign):
    if isinstance(a, float) and isinstance(b, float):
        if math.isnan(a) or math.isnan(b):
            return math.isnan(a) and math.isnan(b)
        if a == 0 and b == 0 and zero_sign:
            return math.copysign(1, a) == math.copysign(1, b)
    return a == b


# --- values as JSON -------------------------------------------------------------------------


def json_value(value):
    if isinstance(value, float):
        if math.isnan(value):
            return 'nan'
        if math.isinf(value):
            return 'inf' if value > 0 else '-inf'
        return value.hex()
    return value


def json_tensor(dtype, shape, data):
    return {'dtype': dtype, 'shape': list(shape),
            'data': None if data is None else [json_value(v) for v in data]}


def number(value, dtype):
    if is_float(dtype):
        return float.fromhex(value) if isinstance(value, str) else float(value)
    if dtype == 'bool':
        return bool(value)
    return int(value)


def read_tensor(entry):
    dtype, shape = entry['dtype'], list(entry['shape'])
    if entry['data'] is None:
        data = [number(1, dtype)] * (elements(shape) if all(s > 0 for s in shape) else 0)
    else:
        data = [number(v, dtype) for v in entry['data']]
    return Tensor(dtype, shape, data)


# --- random values --------------------------------------------------------------------------

MOODS = ('tame', 'tame', 'tame', 'wide', 'edges', 'special')


def random_float(rng, dtype, mood):
    """mood: tame (short numbers), wide (any exponent), edges (extremes, subnormals), special (and
    NaN and infinities)."""
    bits, exponent_min, maximum, has_infinity = FLOAT_FORMATS[dtype]
    if mood == 'tame':
        value = rng.randint(-32, 32) / rng.choice((1, 2, 4, 8))
    elif mood == 'wide':
        top = math.frexp(maximum)[1] - 1
        value = math.ldexp(1 + rng.randrange(2**bits) / 2**bits, rng.randint(exponent_min, top))
        value = min(value, maximum) * rng.choice((-1, 1))
    elif mood == 'edges' or rng.random() < 0.5:
        tiny = math.ldexp(1.0, exponent_min - bits)
        normal = math.ldexp(1.0, exponent_min)
        step = math.ldexp(1.0, -bits)
        value = rng.choice((0.0, tiny, tiny * rng.randrange(1, 2**bits), normal - tiny, normal,
                            normal + tiny, maximum, maximum / 2, 0.5, 1.0, 1.0 - step / 2,
                            1.0 + step, 1.5, 2.5, rng.randrange(1, 100) + 0.5))
        value *= rng.choice((-1, 1))
    else:
        value = rng.choice((NAN, INFINITY, -INFINITY) if has_infinity else (NAN,))
    return round_to_format(value, dtype)


def random_integer(rng, dtype, mood):
    low, high = integer_range(dtype)
    if mood == 'tame':
        return rng.randint(max(low, -20), min(high, 20))
    if mood == 'edges' and rng.random() < 0.7:
        near = rng.choice((low, low + 1, high, high - 1, 0, -1, 1, low // 2, high // 2 + 1))
        return near
    if mood == 'special' and rng.random() < 0.3:
        sign = rng.choice((-1, 1))
        return max(low, min(high, sign * (1 << rng.randrange(INTEGER_BITS[dtype]))))
    return rng.randint(low, high)


def random_data(rng, dtype, count, mood=None):
    mood = mood or rng.choice(MOODS)
    if dtype == 'bool':
        return [rng.random() < 0.5 for _ in range(count)]
    draw = random_float if is_float(dtype) else random_integer
    return [draw(rng, dtype, mood) for _ in range(count)]


def random_tensor(rng, dtype, shape, mood=None):
    count = elements(shape) if all(s > 0 for s in shape) else 0
    return json_tensor(dtype, shape, random_data(rng, dtype, count, mood))

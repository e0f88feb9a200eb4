"""Activation functions, elementwise operators, SELECT and comparisons, read from the specification.

An operator is a Model: its inputs, its type rows, what it computes of one position, and the rule
that binds a floating-point result. The rule of an operator whose table names special values is a
list of bounds, one for each element: zero where the table gives the value.
"""

import math

import mpmath

import oracle_base as base
import oracle_functions as functions
from oracle_base import Answer, Findings, Tensor

INTEGERS = ('i8', 'i16', 'i32')
FLOATS = ('fp16', 'bf16', 'fp32')
LEAST = math.ldexp(1.0, -1074)
BOUNDS = ('min_val', 'max_val')


def int_width(dtype):
    return base.INTEGER_BITS[dtype]


# --- what holds for every operator ----------------------------------------------------------


def check_tensor(findings, shape, low, high, level):
    """The rank that the argument table wants, the level's limit, and that no dimension is empty."""
    limit = base.LIMITS[level]['MAX_RANK']
    findings.error_if('graph.rank', len(shape) < low or high is not None and len(shape) > high)
    findings.require('graph.level_rank', high is not None or len(shape) <= limit)
    findings.require('graph.dimension', all(size >= 1 for size in shape))


def wrong_types(call):
    """Returns the answer for types in no row of the table: an error, unless a rank beyond the level outranks it."""
    limit = base.LIMITS[call.get('level', '8K')]['MAX_RANK']
    given = list(call.get('output_types', {}).values())
    for value in call['arguments'].values():
        given += value if isinstance(value, list) else [value]
    shapes = [one['shape'] for one in given if isinstance(one, dict) and 'shape' in one]
    if any(len(shape) > limit for shape in shapes):
        return Answer('unpredictable', {'graph.level_rank', 'graph.type_row'})
    return Answer('error', {'graph.type_row'})


def check_level_rank(findings, name, shape, level, suffix=''):
    limit = base.LIMITS[level]['MAX_RANK']
    findings.require(f'{name.lower()}.level_rank{suffix}', len(shape) <= limit)


def broadcast(*shapes):
    """The common shape, or None."""
    if len({len(shape) for shape in shapes}) != 1:
        return None
    result = []
    for sizes in zip(*shapes):
        large = {size for size in sizes if size != 1}
        if len(large) > 1:
            return None
        result.append(large.pop() if large else 1)
    return result


def element_at(tensor, place):
    """The element that a position of the output reads."""
    return tensor.at(*(0 if size == 1 else i for size, i in zip(tensor.shape, place)))


# --- bounds ---------------------------------------------------------------------------------


def scale(dtype, divisor=1):
    """2^-frac, or of a part of the bits: whole, as the argument of exp2 is."""
    return math.ldexp(1.0, -(base.fraction_bits(dtype) // divisor))


def ulp(dtype, value):
    """The distance of the numbers of dtype around a value: zero for zero and what is infinite."""
    if value == 0 or not math.isfinite(value):
        return 0.0
    exponent = math.frexp(value)[1] - 1
    return max(math.ldexp(1.0, exponent), base.normal_min(dtype)) * scale(dtype)


def magnitude_bound(dtype, magnitude, factor, floor=0.0, divisor=1):
    """calcAbsErrorBound of 1.0, for finite factors."""
    value = max(abs(magnitude), base.normal_min(dtype))
    if floor > 0:
        value = max(floor / factor, value)
    return scale(dtype, divisor) * value * factor


def relative_bound(reference, share, bound):
    """A bound that is a share of the result; the result may lie beyond fp64."""
    if math.isinf(reference):
        return math.inf if share >= 1 else 0.0
    return max(bound, LEAST)


def is_special(x):
    return x == 0 or not math.isfinite(x)


def exp_bound(edition, dtype, x, ref):
    if is_special(x):
        return 0.0
    if edition == 'tosa-0.100':
        factor = 1 + abs(x)
        return relative_bound(ref, scale(dtype) * factor, abs(ref) * scale(dtype) * factor)
    factor = (3 if dtype == 'fp32' else 1) + 2 * abs(x)
    return relative_bound(ref, scale(dtype) * factor, magnitude_bound(dtype, ref, factor))


def cos_bound(edition, dtype, x, ref):
    if is_special(x):
        return 0.0
    if edition == 'tosa-0.100':
        return abs(ref) * scale(dtype, 2)
    return magnitude_bound(dtype, 1 + abs(x), 1, divisor=2)


def sin_bound(edition, dtype, x, ref):
    if is_special(x):
        return 0.0
    if edition == 'tosa-0.100':
        return max(abs(ref) * scale(dtype, 2), LEAST)
    return max(magnitude_bound(dtype, x, 2, divisor=2), math.pi * base.normal_min(dtype))


def log_bound(edition, dtype, x, ref):
    if is_special(x):
        return 0.0
    if edition == 'tosa-0.100':
        return max(5 * ulp(dtype, ref), LEAST)
    return magnitude_bound(dtype, ref, 5, 0.5)


def sigmoid_bound(edition, dtype, x, ref):
    if edition == 'tosa-0.100':
        if math.isinf(x):
            return None  # the formula is infinite or no number
        return max(abs(ref) * scale(dtype) * (2 * (1 + abs(x))), LEAST)
    return 0.0 if is_special(x) else magnitude_bound(dtype, ref, 2 * (1 + abs(x)))


def tanh_bound(edition, dtype, x, ref):
    if edition == 'tosa-0.100':
        if math.isinf(x):
            return None
        return scale(dtype) * max(0.5, abs(ref) * (4 * (1 + abs(x))))
    if is_special(x):
        return 0.0
    return magnitude_bound(dtype, ref, 4 * ((3 if dtype == 'fp32' else 1) + 2 * abs(x)), 0.5)


def ulp_bound(number):
    """Returns a bound of a number of ulp, with a table for infinities, zeros and NaN."""

    def bound(edition, dtype, x, ref):
        return 0.0 if is_special(x) else max(number * ulp(dtype, ref), LEAST)

    return bound


def is_undefined_power(x, y):
    """Neither edition says what the result is: any is right, and the reference is NaN."""
    if math.isnan(x) or math.isnan(y):
        return not math.isnan(functions.power(x, y))
    return math.isinf(x) or math.isinf(y) or (x == 0 and y <= 0)


def pow_bound(edition, dtype, x, y, ref):
    if edition == 'tosa-0.100':
        if is_undefined_power(x, y):
            return math.inf
        if math.isnan(x) or math.isnan(y):
            return 0.0
        if x == 0:
            return 0.0
        share = scale(dtype) * (2 * (1 + abs(functions.log(abs(x)) * y)))
        return relative_bound(ref, share, abs(ref) * scale(dtype) * (share / scale(dtype)))
    if x < 0 or x == 0 and y <= 0 or not math.isfinite(x) or not math.isfinite(y):
        return math.inf  # only after flushing: otherwise the call is unpredictable
    if x == 0 or y == 0:
        return 0.0
    product = y * functions.log(x)
    mul_err = magnitude_bound(dtype, product, 5.5, abs(0.55 * y))
    factor = (3 if dtype == 'fp32' else 1) + 2 * abs(product + mul_err)
    growth = mpmath.expm1(mul_err)
    if math.isinf(ref):
        return relative_bound(ref, growth + mpmath.mpf(scale(dtype)) * factor, 0.0)
    exact = mpmath.exp(product) if ref < base.normal_min('fp32') else mpmath.mpf(ref)
    return functions.round_mpf(exact * growth + magnitude_bound(dtype, ref, factor))


# --- what is computed of one position -------------------------------------------------------
# Each takes the call's findings, the type, the attributes and the values.


def checked(findings, dtype, value, condition='integer.overflow'):
    low, high = base.integer_range(dtype)
    findings.require(condition, low <= value <= high)
    return value


def add(findings, dtype, attributes, a, b):
    return a + b if base.is_float(dtype) else checked(findings, dtype, a + b)


def subtract(findings, dtype, attributes, a, b):
    return a - b if base.is_float(dtype) else checked(findings, dtype, a - b)


def arithmetic_right_shift(findings, dtype, attributes, a, b):
    if not findings.require('arithmetic_right_shift.shift_range', 0 <= b < int_width(dtype)):
        return 0
    result = a >> b
    if attributes['round'] and b > 0 and (a >> (b - 1)) & 1:
        result += 1
    return result


def shift_limit(attributes, dtype):
    return 32 if attributes['edition'] == 'tosa-0.100' else int_width(dtype)


def logical_left_shift(findings, dtype, attributes, a, b):
    if not findings.require('logical_left_shift.shift_range',
                            0 <= b < shift_limit(attributes, dtype)):
        return 0
    return functions.wrap(a << b, int_width(dtype))


def logical_right_shift(findings, dtype, attributes, a, b):
    if not findings.require('logical_right_shift.shift_range',
                            0 <= b < shift_limit(attributes, dtype)):
        return 0
    width = int_width(dtype)
    return functions.wrap((a & ((1 << width) - 1)) >> b, width)


def divide_integers(findings, dtype, attributes, a, b):
    if not findings.require('intdiv.zero_divisor', b != 0):
        return 0
    quotient = abs(a) // abs(b)
    quotient = quotient if (a < 0) == (b < 0) else -quotient
    overflow = 'integer.overflow'
    if attributes['edition'] == 'tosa-0.100':
        overflow = 'intdiv.quotient_range'
    return checked(findings, dtype, quotient, overflow)


def choose(attributes, a, b, take_first):
    """MAXIMUM, MINIMUM and CLAMP: what a NaN does, then the choice."""
    if isinstance(a, float) and (math.isnan(a) or math.isnan(b)):
        if attributes.get('nan_mode') != 'IGNORE':
            return math.nan
        return b if math.isnan(a) else a
    return a if take_first(a, b) else b


def maximum(findings, dtype, attributes, a, b):
    return choose(attributes, a, b, lambda p, q: p >= q)


def minimum(findings, dtype, attributes, a, b):
    return choose(attributes, a, b, lambda p, q: p < q)


def clamp(findings, dtype, attributes, value):
    low, high = attributes['min_val'], attributes['max_val']
    value = choose(attributes, value, low, lambda p, q: p >= q)
    return choose(attributes, value, high, lambda p, q: p < q)


def power(findings, dtype, attributes, x, y):
    if attributes['edition'] == 'tosa-1.0' and not attributes['flushing']:
        findings.require('pow.base_negative', x >= 0)
        findings.require('pow.zero_exponent', x > 0 or y > 0)
        findings.require('pow.nan', not math.isnan(x) and not math.isnan(y))
        findings.require('pow.finite', math.isfinite(x) and math.isfinite(y))
    return math.nan if is_undefined_power(x, y) else functions.power(x, y)


def absolute(findings, dtype, attributes, a):
    return abs(a) if base.is_float(dtype) else checked(findings, dtype, abs(a))


def negate(findings, dtype, attributes, a):
    if base.is_float(dtype):
        return -a
    value = checked(findings, 'i32', a - attributes['input1_zp'])
    value = checked(findings, 'i32', -value)
    value = checked(findings, 'i32', value + attributes['output_zp'])
    low, high = base.integer_range(dtype)
    return min(max(value, low), high)


def round_to_integer(direction):
    def compute(findings, dtype, attributes, x):
        if not math.isfinite(x) or x == 0:
            return x
        return math.copysign(float(direction(x)), x)

    return compute


def unary(function):
    return lambda findings, dtype, attributes, x: function(x)


def rsqrt(x):
    if x < 0:
        return math.nan
    return functions.divide(1.0, math.sqrt(x))


def bits(function):
    return lambda findings, dtype, attributes, a, b: function(a, b)


def compare(function):
    """A NaN compares as false with everything, in Python, too."""
    return lambda findings, dtype, attributes, a, b: function(a, b)


# --- the models -----------------------------------------------------------------------------


class Model:
    """An operator that computes each position of its output by itself.

    inputs      names; those of 0.100 where they differ
    rows        types of the table
    compute     of one position
    rule        'exact', a number of ulp, or the function of an absolute bound
    zero_sign   whether the operator's table tells +0 from -0; None: not compared
    attributes  names: 'nan_mode' (1.0 only), 'round', 'min_val', 'max_val', zero points
    output      its type, if it is not that of the inputs
    """
    editions = base.EDITIONS

    def __init__(self, name, inputs, rows, compute, rule='exact', zero_sign=False, attributes=(),
                 output=None, draft_inputs=None):
        self.name = name
        self.inputs = {'tosa-1.0': inputs, 'tosa-0.100': draft_inputs or inputs}
        self.rows = rows
        self.compute = compute
        self.rule = rule
        self.zero_sign = zero_sign
        self.attributes = attributes
        self.output = output

    # --- the answer -----------------------------------------------------------------------

    def evaluate(self, call):
        edition = call['edition']
        level = call.get('level', '8K')
        inputs = [base.read_tensor(call['arguments'][name]) for name in self.inputs[edition]]
        output = call.get('output_types', {}).get('output')
        shapes = [tensor.shape for tensor in inputs]
        shape = broadcast(*shapes)
        if output is not None:
            shape = output['shape']
        dtype = inputs[-1].dtype
        wanted = self.wanted_types(inputs)
        got = [tensor.dtype for tensor in inputs] + [output['dtype'] if output else wanted[-1]]
        findings = Findings()
        ones = [call['arguments'].get(name) for name in self.attributes]
        fit = all([check_one(findings, one, dtype) for one in ones])
        if got != wanted or dtype not in self.rows or not fit:
            return wrong_types(call)
        for one in shapes + [shape]:
            check_tensor(findings, one, 0, None, level)
        check_level_rank(findings, self.name, shape if len(inputs) > 1 else shapes[0], level)
        attributes = self.read_attributes(call, edition, dtype)
        if len(inputs) == 1:
            findings.error_if('graph.shape', shape != shapes[0])
        if not findings.errors and len(inputs) > 1:
            findings.error_if(f'{self.name.lower()}.broadcast', broadcast(*shapes) != shape)
        if not findings.errors:
            self.check_attributes(findings, edition, dtype, attributes)
        if findings.outcome != 'valid':
            if not findings.errors and all(min(one, default=1) > 0 for one in shapes):
                self.run(findings, inputs, attributes, shape, dtype)  # conditions on data, too
            return Answer(findings.outcome, findings.conditions)

        result_type = wanted[-1]
        results = self.run(findings, inputs, attributes, shape, dtype)
        if findings.outcome != 'valid':
            return Answer(findings.outcome, findings.conditions)
        answer = Answer('valid', outputs={'output': Tensor(result_type, shape, results)})
        flushed = self.flush(inputs, attributes, shape, dtype)
        answer.flushed = {'output': Tensor(result_type, shape, flushed or results)}
        answer.rules = {'output': self.make_rule(edition, dtype, result_type, inputs, shape,
                                                 results, flushed)}
        return answer

    def wanted_types(self, inputs):
        types = [inputs[-1].dtype] * len(inputs)
        if self.name == 'SELECT':
            types[0] = 'bool'
        return types + [self.output or inputs[-1].dtype]

    def read_attributes(self, call, edition, dtype):
        values = {'edition': edition, 'flushing': False}
        for name in self.attributes:
            value = call['arguments'].get(name)
            if isinstance(value, dict):
                value = base.read_tensor(value).data[0]
            elif base.is_float(dtype) and name not in ('nan_mode', 'round'):
                value = base.number(value, dtype)
            values[name] = value
        return values

    def check_attributes(self, findings, edition, dtype, attributes):
        if self.name == 'CLAMP':
            low, high = attributes['min_val'], attributes['max_val']
            nan = base.is_float(dtype) and (math.isnan(low) or math.isnan(high))
            findings.error_if('clamp.bounds_order', high < low)
            if edition == 'tosa-1.0':
                findings.error_if('clamp.nan_bounds', nan)
            else:
                findings.require('apply_clip_s.bounds', not nan)
        if self.name == 'NEGATE' and dtype != 'i8':
            findings.error_if('negate.input1_zp', attributes['input1_zp'] != 0)
            findings.error_if('negate.output_zp', attributes['output_zp'] != 0)

    def run(self, findings, inputs, attributes, shape, dtype):
        results = []
        for place in base.places(shape):
            values = [element_at(tensor, place) for tensor in inputs]
            results.append(self.compute(findings, dtype, attributes, *values))
        return results

    def flush(self, inputs, attributes, shape, dtype):
        """The other answer, or None where it is the same."""
        if dtype not in base.FLUSHABLE:
            return None

        def flushed(tensor):
            return Tensor(tensor.dtype, tensor.shape,
                          [base.flush(tensor.dtype, value) for value in tensor.data])

        other = dict(attributes, flushing=True)
        for name in BOUNDS:
            if name in other:
                other[name] = base.flush(dtype, other[name])
        results = self.run(Findings(), inputs, attributes, shape, dtype)
        changed = self.run(Findings(), [flushed(t) for t in inputs], other, shape, dtype)
        same = all(base.same_number(a, b, True) for a, b in zip(results, changed))
        return None if same else changed

    def make_rule(self, edition, dtype, result_type, inputs, shape, results, flushed):
        if self.rule == 'exact' or not base.is_float(result_type):
            rule = {'kind': 'exact'}
            if base.is_float(result_type):
                rule['zero_sign'] = self.zero_sign
            return rule
        if isinstance(self.rule, float):
            return {'kind': 'ulp', 'ulp': self.rule}
        rule = {'kind': 'absolute_bound'}
        if self.zero_sign is not None:
            rule['zero_sign'] = self.zero_sign
        if self.name == 'TANH' and edition == 'tosa-0.100':
            rule['zero_sign'] = False  # no table
        rule['bound'] = self.bounds(edition, dtype, inputs, shape, results, False)
        if flushed:
            rule['flushed_bound'] = self.bounds(edition, dtype, inputs, shape, flushed, True)
        return rule

    def bounds(self, edition, dtype, inputs, shape, results, flushing):
        bounds = []
        for place, result in zip(base.places(shape), results):
            values = [element_at(tensor, place) for tensor in inputs]
            if flushing:
                values = [base.flush(dtype, value) for value in values]
            bound = self.rule(edition, dtype, *values, result)
            bounds.append(bound if not math.isnan(result) or bound == math.inf else None)
        return Tensor('fp64', shape, bounds)

    # --- a random call --------------------------------------------------------------------

    def random_call(self, rng, edition):
        dtype = rng.choice(self.rows)
        level = 'none' if rng.random() < 0.1 else '8K'
        names = self.inputs[edition]
        shape = random_shape(rng, 0, 7 if rng.random() < 0.1 else 6)
        shapes = [[1 if rng.random() < 0.15 else size for size in shape] for _ in names]
        if rng.random() < 0.5:
            shapes = [shape for _ in names]
        shape = broadcast(*shapes)
        types = [dtype] * len(names)
        if self.name == 'SELECT':
            types[0] = 'bool'
        out_type = self.output or dtype
        defect = rng.choice(('shape', 'rank', 'output', 'type', 'output type', 'row')
                            if rng.random() < 0.12 else ('none',))
        change = rng.randrange(len(names))
        every_type = list(base.INTEGER_BITS)[:5] + list(base.FLOAT_FORMATS) + ['bool']
        if defect == 'shape' and shapes[change]:
            shapes[change] = list(shapes[change])
            axis = rng.randrange(len(shapes[change]))
            shapes[change][axis] += rng.choice((-1, 1, 1))
        elif defect == 'rank':
            shapes[change] = [1] + list(shapes[change])
        elif defect == 'output':
            shape = rng.choice(([1] + shape, shape[1:], [s + 1 for s in shape]))
        elif defect == 'type':
            types[change] = rng.choice(every_type)
        elif defect == 'output type':
            out_type = rng.choice(every_type)
        elif defect == 'row':
            types = ['bool' if t == 'bool' else rng.choice(every_type) for t in types[:1]] * 2
            types = (types + types)[:len(names)]
            out_type = self.output or types[-1]
        arguments = {}
        for i, name in enumerate(names):
            arguments[name] = base.json_tensor(types[i], shapes[i],
                                               self.random_data(rng, i, types[i], shapes[i]))
        first, last = arguments[names[0]], arguments[names[-1]]
        if self.output and first['dtype'] == last['dtype'] and rng.random() < 0.5:
            # Equal numbers, which are the rarest comparison.
            for i in range(min(len(first['data']), len(last['data']))):
                if rng.random() < 0.5:
                    last['data'][i] = first['data'][i]
        self.random_attributes(rng, edition, types[-1], arguments)
        call = {'level': level, 'arguments': arguments}
        if defect != 'none' or 'input1_zp' in arguments or rng.random() < 0.8:
            call['output_types'] = {'output': {'dtype': out_type, 'shape': shape}}
        return call

    def random_data(self, rng, position, dtype, shape):
        count = math.prod(shape)
        if count == 0:
            return []
        data = base.random_data(rng, dtype, count)
        if base.is_float(dtype) and rng.random() < 0.4:
            # Where exponential functions live, and the tails that overflow.
            width = rng.choice((1.0, 12.0, 110.0, 800.0))
            data = [base.round_to_format(rng.uniform(-width, width), dtype) for _ in data]
        if 'SHIFT' in self.name and position == 1 and dtype in INTEGERS and rng.random() < 0.95:
            top = 31 if rng.random() < 0.2 else int_width(dtype) - 1
            data = [rng.randint(0, top) for _ in data]
        if self.name == 'POW' and base.is_float(dtype) and rng.random() < 0.9:
            data = [value if math.isfinite(value) else 1.5 for value in data]
            if position == 0 and rng.random() < 0.8:
                data = [abs(value) or 2.0 for value in data]
        if self.name == 'INTDIV' and position == 1 and dtype == 'i32' and rng.random() < 0.8:
            data = [value or 7 for value in data]
        return data

    def random_attributes(self, rng, edition, dtype, arguments):
        if 'nan_mode' in self.attributes and edition == 'tosa-1.0':
            arguments['nan_mode'] = rng.choice(('PROPAGATE', 'IGNORE'))
        if 'round' in self.attributes:
            arguments['round'] = rng.random() < 0.5
        if 'min_val' in self.attributes:
            low, high = base.random_data(rng, dtype, 2)
            if rng.random() < 0.85 and high < low:
                low, high = high, low
            arguments['min_val'], arguments['max_val'] = base.json_value(low), base.json_value(high)
        for name in self.attributes:
            if name.endswith('_zp'):
                value = base.number(0, dtype)
                if dtype == 'i8' or rng.random() < 0.05:
                    value = base.random_data(rng, dtype, 1)[0]
                if edition == 'tosa-1.0':
                    arguments[name] = random_one(rng, dtype, value)
                else:
                    arguments[name] = base.json_value(value)

    def row(self, call):
        return call['arguments'][self.inputs[call['edition']][-1]]['dtype']


def random_one(rng, dtype, value):
    """A tensor of one element, seldom of another type or shape."""
    if rng.random() < 0.03:
        other = rng.choice(list(base.INTEGER_BITS)[:5] + list(base.FLOAT_FORMATS))
        return base.random_tensor(rng, other, [1])
    shape = [1] if rng.random() < 0.96 else rng.choice(([], [2], [1, 1]))
    return base.json_tensor(dtype, shape, [value] * math.prod(shape))


def check_one(findings, argument, dtype):
    """A zero point or constant of 1.0: one element of the operator's type."""
    if not isinstance(argument, dict):
        return True
    findings.error_if('graph.rank', len(argument['shape']) != 1)
    findings.error_if('graph.shape', argument['shape'] != [1])
    return argument['dtype'] == dtype


def random_shape(rng, low, high, most=36):
    """A shape of 1 to 4 in each dimension, small as a whole."""
    while True:
        shape = [rng.randint(1, 4) for _ in range(rng.randint(low, high))]
        if math.prod(shape) <= most:
            return shape


ONE = ('input1',)
TWO = ('input1', 'input2')
MODELS = [
    Model('CLAMP', ('input',), ('i8', 'i16') + FLOATS, clamp,
          attributes=('min_val', 'max_val', 'nan_mode')),
    Model('ERF', ('input',), FLOATS, unary(functions.erf), 5.0),
    Model('SIGMOID', ('input',), FLOATS, unary(functions.sigmoid), sigmoid_bound),
    Model('TANH', ('input',), FLOATS, unary(functions.tanh), tanh_bound, True),
    Model('ADD', TWO, ('i32',) + FLOATS, add, 0.5),
    Model('ARITHMETIC_RIGHT_SHIFT', TWO, INTEGERS, arithmetic_right_shift, attributes=('round',)),
    Model('BITWISE_AND', TWO, INTEGERS, bits(lambda a, b: a & b)),
    Model('BITWISE_OR', TWO, INTEGERS, bits(lambda a, b: a | b)),
    Model('BITWISE_XOR', TWO, INTEGERS, bits(lambda a, b: a ^ b)),
    Model('INTDIV', TWO, ('i32',), divide_integers),
    Model('LOGICAL_AND', TWO, ('bool',), bits(lambda a, b: a and b)),
    Model('LOGICAL_LEFT_SHIFT', TWO, INTEGERS, logical_left_shift),
    Model('LOGICAL_RIGHT_SHIFT', TWO, INTEGERS, logical_right_shift),
    Model('LOGICAL_OR', TWO, ('bool',), bits(lambda a, b: a or b)),
    Model('LOGICAL_XOR', TWO, ('bool',), bits(lambda a, b: a != b)),
    Model('MAXIMUM', TWO, ('i32',) + FLOATS, maximum, attributes=('nan_mode',)),
    Model('MINIMUM', TWO, ('i32',) + FLOATS, minimum, attributes=('nan_mode',)),
    Model('POW', TWO, FLOATS, power, pow_bound),
    Model('SUB', TWO, ('i32',) + FLOATS, subtract, 0.5),
    Model('ABS', ONE, ('i32',) + FLOATS, absolute, zero_sign=True),
    Model('BITWISE_NOT', ONE, INTEGERS, unary(lambda a: ~a)),
    Model('CEIL', ONE, FLOATS, round_to_integer(math.ceil), ulp_bound(0.5), True),
    Model('CLZ', ONE, ('i32',), unary(lambda a: 32 - (a & 0xffffffff).bit_length())),
    Model('COS', ONE, FLOATS, unary(functions.cos), cos_bound, None, draft_inputs=('input',)),
    Model('EXP', ONE, FLOATS, unary(functions.exp), exp_bound, True),
    Model('FLOOR', ONE, FLOATS, round_to_integer(math.floor), ulp_bound(0.5), True),
    Model('LOG', ONE, FLOATS, unary(functions.log), log_bound, None),
    Model('LOGICAL_NOT', ONE, ('bool',), unary(lambda a: not a)),
    Model('NEGATE', ONE, INTEGERS + FLOATS, negate, zero_sign=True,
          attributes=('input1_zp', 'output_zp')),
    Model('RECIPROCAL', ONE, FLOATS, unary(lambda x: functions.divide(1.0, x)), ulp_bound(1.0),
          True),
    Model('RSQRT', ONE, FLOATS, unary(rsqrt), ulp_bound(2.0), True),
    Model('SIN', ONE, FLOATS, unary(functions.sin), sin_bound, True, draft_inputs=('input',)),
    Model('SELECT', ('input1', 'input2', 'input3'), ('bool',) + INTEGERS + FLOATS,
          lambda findings, dtype, attributes, c, a, b: a if c else b),
    Model('EQUAL', TWO, ('i32',) + FLOATS, compare(lambda a, b: a == b), output='bool'),
    Model('GREATER', TWO, ('i32',) + FLOATS, compare(lambda a, b: a > b), output='bool'),
    Model('GREATER_EQUAL', TWO, ('i32',) + FLOATS, compare(lambda a, b: a >= b), output='bool'),
]
OPERATORS = {model.name: model for model in MODELS}

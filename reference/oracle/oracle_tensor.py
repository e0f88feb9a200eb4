"""Convolutions, pooling, ARGMAX, MATMUL, FFT, reductions, RESIZE, RESCALE, TABLE, CAST and MUL.

Written from the specification's argument tables, prose and pseudocode. Where 0.100 is broken
(TRANSPOSE_CONV2D, RFFT2D) the text of 1.0 is what was meant.
"""

import math
from fractions import Fraction

import mpmath

import oracle_base as base
from oracle_base import Answer, Findings, Stop, Tensor

mpmath.mp.dps = 80

ACC_TYPES = {'INT32': 'i32', 'INT48': 'i48', 'FP16': 'fp16', 'FP32': 'fp32'}
MIN_DOT_PRODUCTS = 1000


# --- the argument tables --------------------------------------------------------------------


class Arguments:
    """A call read by an operator's argument table: tensors, dimensions, row of types, attributes.

    inputs and outputs are lists of (name, shape, type); shape is a list of names of dimensions and
    numbers, or a pair of the least and the greatest rank (None: MAX_RANK) for a shape of its own.
    """

    def __init__(self, call, inputs, outputs, variables, rows, acc_type=False):
        self.call = call
        self.edition = call['edition']
        self.given = call['arguments']
        self.limits = base.LIMITS[call.get('level', '8K')]
        self.findings = Findings()
        self.tensors = {}
        self.dims = {}
        self.well_formed = True
        self.output_types = call.get('output_types', {})
        types = {}
        for name, shape, variable in inputs:
            given = self.given.get(name)
            if given is None:
                self.error('graph.operand_count', 'graph.attribute')
                continue
            if isinstance(given, dict):
                tensor = base.read_tensor(given)
                types.setdefault(variable, set()).add(tensor.dtype)
                self.check_shape(tensor.shape, shape)
                self.tensors[name] = tensor
            else:  # a plain value has whatever type and shape the table wants
                data = given if isinstance(given, list) else [given]
                size = [len(data)] if isinstance(given, list) or shape != [] else []
                self.tensors[name] = Tensor(None, size, data)
                self.check_shape(size, shape)
        for name, shape, variable in outputs:
            entry = self.output_types[name]
            types.setdefault(variable, set()).add(entry['dtype'])
            self.check_shape(entry['shape'], shape)
        if acc_type:
            types['acc_t'] = {ACC_TYPES.get(self.given.get('acc_type'))}
        self.row = None
        for row in rows:
            row = dict(zip(variables.split(), row.split()))
            if all(types.get(v, {t}) == {t} for v, t in row.items()):
                self.row = row
                break
        if self.row is None:
            # A zero point or acc_type of another type is as well an attribute of another type.
            self.error('graph.type_row', 'graph.attribute')
        else:
            # A plain value takes the type of its argument.
            for name, _, variable in inputs:
                tensor = self.tensors.get(name)
                if tensor and tensor.dtype is None:
                    tensor.dtype = self.row.get(variable, variable)
                    tensor.data = [base.number(v, tensor.dtype)
                                   if tensor.dtype != 'shape' else int(v) for v in tensor.data]

    def error(self, *conditions):
        self.findings.errors.update(conditions)
        self.well_formed = False

    def check_shape(self, shape, wanted):
        rank = len(shape)
        if any(size < 1 for size in shape):
            self.findings.requirements.add('graph.dimension')
            self.well_formed = False
        if isinstance(wanted, tuple):
            low, high = wanted
            if rank > self.limits['MAX_RANK']:
                self.findings.requirements.update(('graph.level_rank', '*.level_rank'))
                self.well_formed = False
            elif rank < low or rank > (self.limits['MAX_RANK'] if high is None else high):
                self.error('graph.rank')
            return
        if rank != len(wanted):
            self.error('graph.rank')
            return
        for size, name in zip(shape, wanted):
            expected = name if isinstance(name, int) else self.dims.setdefault(name, size)
            if size != expected:
                self.error('graph.shape')

    def shape(self, output):
        return list(self.output_types[output]['shape'])

    def level(self, condition, value, limit):
        self.findings.require(condition, value <= self.limits[limit])

    def answer(self):
        own = self.call['operator'].lower() + '.'
        renamed = {c.replace('*.', own) for c in self.findings.conditions}
        answer = Answer(self.findings.outcome, renamed)
        # By the letter a REQUIRE that does not hold outranks every error. But where the argument
        # table is contradicted there may be no operator to speak of.
        if any(c.startswith('graph.') for c in self.findings.errors):
            answer.also = ('error', 'unpredictable')
        return answer


def zero_points(edition, *pairs):
    """Inputs of one element in 1.0, scalar attributes in 0.100."""
    return [(name, [1] if edition == 'tosa-1.0' else [], variable) for name, variable in pairs]


def add(findings, dtype, a, b):
    """a + b where an integer must stay within dtype."""
    if base.is_float(dtype):
        return a + b
    low, high = base.integer_range(dtype)
    findings.require('integer.overflow', low <= a + b <= high)
    return a + b


def flush_tensor(tensor):
    return Tensor(tensor.dtype, tensor.shape, [base.flush(tensor.dtype, v) for v in tensor.data])


def maximum(a, b, ignore_nan=False):
    """The greater; of zeros and equals the first. NaN wins, or loses."""
    if isinstance(a, float) and (math.isnan(a) or math.isnan(b)):
        if not ignore_nan:
            return base.NAN
        return b if math.isnan(a) else a
    return a if a >= b else b


def minimum(a, b, ignore_nan=False):
    if isinstance(a, float) and (math.isnan(a) or math.isnan(b)):
        if not ignore_nan:
            return base.NAN
        return b if math.isnan(a) else a
    return a if a < b else b


def at_least(tensor, least):
    """Magnitudes, raised to a least value; NaN stays."""
    return Tensor(tensor.dtype, tensor.shape, [maximum(abs(v), least) for v in tensor.data])


def spread_maximum(tensor):
    top = 0.0
    for value in tensor.data:
        top = maximum(top, value)
    return Tensor(tensor.dtype, tensor.shape, [top] * len(tensor.data))


def exact_rule(edition, zero_sign=False):
    return {'kind': 'exact', 'form': edition, 'zero_sign': zero_sign}


def dot_rule(arguments, kernel_size, acc_t, out_t, bound, bias=None, flushed_bound=None,
             products=None):
    """The numbers of Dot product accuracy requirements in the words of the edition."""
    edition = arguments.edition
    results = len(bound)
    enough = (products or results) >= MIN_DOT_PRODUCTS
    data_set = arguments.call.get('data_set', -1)
    spare = base.fraction_bits(acc_t) - base.fraction_bits(out_t)
    if edition == 'tosa-1.0':
        # The exponent halves an integer, as C does. Magnitudes are at least normal_min, so that
        # the bias counts even where there is none.
        ksb = math.ceil(Fraction(kernel_size, 2**(spare // 2))) + 1
        limit, variance = 2.0 * ksb, 4 * 0.4 * ksb * results
        bias_limit = math.sqrt(10 * variance)
        statistics = enough and data_set >= 0
    else:
        ksb = math.ceil(Fraction(kernel_size, 2**spare))
        ksb += 1 if bias and any(v != 0 for v in bias) else 0
        limit, variance = float(ksb), 0.4 * ksb * results
        bias_limit = 2 * math.sqrt(ksb * results)
        statistics = enough
    rule = {'kind': 'dot_product', 'form': edition, 'kernel_size': kernel_size, 'ksb': ksb,
            'data_set': data_set, 'absolute_limit': limit,
            'variance_limit': variance if statistics else None,
            'bias_limit': bias_limit if statistics and 3 <= data_set <= 5 else None,
            'bound': Tensor('fp64', [results], bound)}
    if flushed_bound is not None:
        rule['flushed_bound'] = Tensor('fp64', [results], flushed_bound)
    return rule


def same_data(a, b):
    return all(base.same_number(x, y, True) for x, y in zip(a, b))


def dot_answer(arguments, output, out_t, run, operands, kernel_size, acc_t, local_bound,
               bias=None):
    """Answers an operator whose outputs are dot products.

    run(operands, dtype, extra) gives the flat list of results of one output; operands are tensors,
    the first of them is what a global bound spreads its maximum over.
    """
    answer = arguments.answer()
    shape = arguments.shape(output)
    if not base.is_float(out_t):
        data = run(operands, acc_t, False)
        answer = arguments.answer()
        if answer.outcome == 'valid':
            answer.outputs[output] = Tensor(out_t, shape, data)
            answer.rules[output] = exact_rule(arguments.edition)
            answer.flushed = {}
        return answer

    def bound_of(tensors):
        least = 0.0
        if arguments.edition == 'tosa-1.0':
            least = base.normal_min(operands[0].dtype)
        tensors = [at_least(t, least) for t in tensors]
        if not local_bound:
            tensors[0] = spread_maximum(tensors[0])
        return run(tensors, 'fp64', arguments.edition == 'tosa-1.0')

    data = run(operands, 'fp64', False)
    flushed_operands = [flush_tensor(t) for t in operands]
    flushed = run(flushed_operands, 'fp64', False)
    answer.outputs[output] = Tensor(out_t, shape, data)
    answer.flushed = {}
    flushed_bound = None
    if not same_data(data, flushed):
        answer.flushed[output] = Tensor(out_t, shape, flushed)
        flushed_bound = bound_of(flushed_operands)
    answer.rules[output] = dot_rule(arguments, kernel_size, acc_t, out_t, bound_of(operands), bias,
                                    flushed_bound)
    return answer


# --- random calls ---------------------------------------------------------------------------

ALL_TYPES = ('bool', 'i8', 'i16', 'i32', 'i48', 'fp8e4m3', 'fp8e5m2', 'fp16', 'bf16', 'fp32')


def chance(rng, probability):
    return rng.random() < probability


def reshape(rng, tensor, shape):
    """Another shape of a tensor in a call, with data of the same kind."""
    tensor['shape'] = list(shape)
    if tensor.get('data') is not None:
        count = base.elements(shape) if all(s > 0 for s in shape) else 0
        data = tensor['data'] or [0]
        tensor['data'] = [data[i % len(data)] for i in range(count)]


def spoil(rng, call):
    """Changes one thing at random, often into an illegal one; says what kind of thing."""
    arguments, outputs = call['arguments'], call['output_types']
    tensors = [a for a in arguments.values() if isinstance(a, dict) and a['dtype'] != 'shape']
    tensors += list(outputs.values())
    kind = rng.choice(('dtype', 'size', 'size', 'size', 'zero', 'rank', 'value', 'value', 'value',
                       'value', 'null'))
    if kind == 'dtype':
        tensor = rng.choice(tensors)
        tensor['dtype'] = rng.choice(ALL_TYPES)
        if 'data' in tensor and tensor['data'] is not None:
            tensor['data'] = [base.json_value(v) for v in
                              base.random_data(rng, tensor['dtype'], len(tensor['data']), 'tame')]
    elif kind in ('size', 'zero'):
        tensor = rng.choice([t for t in tensors if t['shape']] or tensors)
        if tensor['shape']:
            shape = list(tensor['shape'])
            axis = rng.randrange(len(shape))
            shape[axis] = 0 if kind == 'zero' else max(1, shape[axis] + rng.choice((-1, 1, 1)))
            reshape(rng, tensor, shape)
    elif kind == 'rank':
        tensor = rng.choice(tensors)
        shape = list(tensor['shape'])
        if shape and chance(rng, 0.4):
            del shape[rng.randrange(len(shape))]
        else:
            shape[rng.randint(0, len(shape)):0] = [1] * rng.choice((1, 1, 3, 4))
        reshape(rng, tensor, shape)
    elif kind == 'null':
        tensor = rng.choice([t for t in tensors if 'data' in t])
        tensor['data'] = None
    else:
        plain = [n for n, a in arguments.items() if not isinstance(a, dict)]
        if plain:
            name = rng.choice(plain)
            arguments[name] = spoil_value(rng, arguments[name])
            if name.endswith('_zp'):
                arguments[name] = max(-128, min(127, arguments[name]))
    return kind


def spoil_value(rng, value):
    if isinstance(value, bool):
        return not value
    if isinstance(value, list):
        value = list(value)
        if value:
            i = rng.randrange(len(value))
            value[i] = spoil_value(rng, value[i])
        return value
    if isinstance(value, int):
        return rng.choice((value - 1, value + 1, value + 1, 0, -1, -value, value + 2))
    return value


def finish(rng, call, spoiled=0.4):
    if chance(rng, 0.15):
        call['level'] = 'none'
    if chance(rng, 0.2):
        call['data_set'] = rng.randint(0, 5)
    kinds = []
    if chance(rng, spoiled):
        kinds.append(spoil(rng, call))
        if chance(rng, 0.2):
            kinds.append(spoil(rng, call))
    if 'dtype' in kinds:
        for name, value in call['arguments'].items():
            # A plain value must be one of its type, whatever that has become.
            if name.endswith('_zp') and not isinstance(value, dict):
                call['arguments'][name] = 0
    return call


def scalar_or_tensor(rng, edition, dtype, value):
    """A zero point as a tensor of one element, or in either edition as a plain value."""
    if edition == 'tosa-1.0' and chance(rng, 0.7):
        return base.json_tensor(dtype, [1], [value])
    return int(value)


def random_zero_point(rng, dtype):
    if dtype == 'i8':
        return rng.choice((0, 1, -1, -128, 127, rng.randint(-128, 127)))
    if not base.is_float(dtype) and chance(rng, 0.04):
        return rng.choice((1, -1))
    return 0.0 if base.is_float(dtype) else 0


def nan_mode(rng, edition, arguments):
    if edition == 'tosa-1.0':
        arguments['nan_mode'] = rng.choice(('PROPAGATE', 'IGNORE'))


# --- convolutions ---------------------------------------------------------------------------

CONV_ROWS = ('i8 i8 i32 i32', 'i8 i4 i32 i32', 'i16 i8 i48 i48', 'fp8e4m3 fp8e4m3 fp16 fp16',
             'fp8e5m2 fp8e5m2 fp16 fp16', 'fp16 fp16 fp16 fp16', 'fp16 fp16 fp16 fp32',
             'bf16 bf16 bf16 fp32', 'fp32 fp32 fp32 fp32')
AXES = {2: 'yx', 3: 'dyx'}
PAD_NAMES = {'d': ('pad_d0', 'pad_d1'), 'y': ('pad_top', 'pad_bottom'),
             'x': ('pad_left', 'pad_right')}
SIZE_NAMES = {'d': 'depth', 'y': 'height', 'x': 'width'}


def exact_quotient_plus_one(numerator, denominator):
    """Returns the size that an output must have; None where the division leaves a remainder."""
    if denominator < 1 or numerator % denominator:
        return None
    return numerator // denominator + 1


class Convolution:
    """CONV2D, CONV3D, DEPTHWISE_CONV2D and TRANSPOSE_CONV2D: sums over a window."""
    editions = base.EDITIONS

    def __init__(self, name, spatial=2, depthwise=False, transpose=False):
        self.name = name
        self.axes = AXES[spatial]
        self.depthwise = depthwise
        self.transpose = transpose

    def spec(self, edition):
        sizes = ['I' + a for a in self.axes]
        kernel = ['K' + a for a in self.axes]
        if self.depthwise:
            inputs = [('input', ['N'] + sizes + ['C'], 'in_t'),
                      ('weight', kernel + ['C', 'M'], 'weight_t')]
        else:
            inputs = [('input', ['N'] + sizes + ['IC'], 'in_t'),
                      ('weight', ['OC'] + kernel + ['IC'], 'weight_t')]
        inputs.append(('bias', ['BC'], 'out_t'))
        inputs += zero_points(edition, ('input_zp', 'in_t'), ('weight_zp', 'weight_t'))
        channels = 'CM' if self.depthwise else 'OC'
        return inputs, [('output', ['N'] + ['O' + a for a in self.axes] + [channels], 'out_t')]

    def random_call(self, rng, edition):
        in_t, weight_t, out_t, acc_t = rng.choice(CONV_ROWS).split()
        count = len(self.axes)
        batch, channels_in, channels_out = (rng.randint(1, 3) for _ in range(3))
        kernel, size, out, pads, strides, dilations = [], [], [], [], [], []
        extreme = rng.randrange(count) if chance(rng, 0.06) else None
        for i in range(count):
            k, stride, dilation = rng.randint(1, 3), rng.randint(1, 3), rng.choice((1, 1, 2, 3))
            edge = rng.choice((8191, 8192, 8193))
            if self.transpose:
                low, high = rng.randint(-k + 1, 2), rng.randint(-k + 1, 2)
                if chance(rng, 0.05):
                    low = rng.choice((-k, -k - 1))
                span = rng.randint(1, 4)
                if i == extreme:  # the edge of a level's limit
                    which = rng.choice(('stride', 'kernel', 'pad'))
                    span = 1
                    if which == 'stride':
                        stride = edge
                    elif which == 'kernel':
                        k, low, high = edge, 1 - edge, 0
                        batch = channels_in = channels_out = 1
                    else:
                        low, high = rng.choice(((edge, 1 - k), (1 - k, edge)))
                        batch = channels_in = channels_out = 1
                o = (span - 1) * stride + low + high + k
            else:
                low, high, span = rng.randint(0, 2), rng.randint(0, 2), rng.randint(1, 4)
                if chance(rng, 0.02):
                    low = -1
                if i == extreme:
                    which = rng.choice(('pad', 'stride', 'kernel'))
                    if which == 'pad':
                        low, high = rng.choice(((edge, 0), (0, edge)))
                        stride = rng.choice((2048, 4096, 8192))
                        span += -(span - 1 + edge - (k - 1) * dilation) % 2048
                        batch = channels_in = channels_out = 1
                    elif which == 'stride':
                        stride = edge
                        span, low = (k - 1) * dilation + 1, 0
                        high = rng.choice((0, edge))
                        batch = channels_in = channels_out = 1
                    else:
                        k, dilation = rng.choice(((1, 8192), (1, 8193), (2, 4096), (2, 4097)))
                        low = high = (k - 1) * dilation // 2 + 1
                        stride = 2
                rest = (span - 1 + low + high - (k - 1) * dilation) % stride
                high += (stride - rest) % stride if chance(rng, 0.95) and i != extreme else 0
                top = span - 1 + low + high - (k - 1) * dilation
                while top < 0:
                    span, top = span + stride, top + stride
                o = top // stride + 1
            kernel.append(k)
            size.append(span)
            out.append(max(o, 1))
            pads += [low, high]
            strides.append(stride)
            dilations.append(dilation)
        mood = rng.choice(base.MOODS)
        if self.depthwise:
            weight_shape, results = kernel + [channels_in, channels_out], channels_in * channels_out
        else:
            weight_shape, results = [channels_out] + kernel + [channels_in], channels_out
        bias_shape = [rng.choice((1, results))]
        arguments = {
            'input': base.random_tensor(rng, in_t, [batch] + size + [channels_in], mood),
            'weight': base.random_tensor(rng, weight_t, weight_shape, mood),
            'bias': base.random_tensor(rng, out_t, bias_shape),
            'input_zp': scalar_or_tensor(rng, edition, in_t, random_zero_point(rng, in_t)),
            'weight_zp': scalar_or_tensor(rng, edition, weight_t, random_zero_point(rng, weight_t)),
            'out_pad' if self.transpose else 'pad': pads,
            'stride': strides,
            'acc_type': {t: name for name, t in ACC_TYPES.items()}[acc_t],
        }
        if chance(rng, 0.02):
            arguments['acc_type'] = rng.choice(list(ACC_TYPES))
        if not self.transpose:
            arguments['dilation'] = dilations
        if chance(rng, 0.7):
            arguments['local_bound'] = chance(rng, 0.5)
        call = {'arguments': arguments,
                'output_types': {'output': {'dtype': out_t, 'shape': [batch] + out + [results]}}}
        return finish(rng, call)

    def evaluate(self, call):
        inputs, outputs = self.spec(call['edition'])
        a = Arguments(call, inputs, outputs, 'in_t weight_t out_t acc_t', CONV_ROWS, acc_type=True)
        own = self.name.lower() + '.'
        findings, given, dims = a.findings, a.given, a.dims
        pads = given['out_pad' if self.transpose else 'pad']
        strides = given['stride']
        dilations = given.get('dilation', [1] * len(self.axes))
        input_t, weight_t = a.tensors['input'].dtype, a.tensors['weight'].dtype
        for name, dtype in (('input_zp', input_t), ('weight_zp', weight_t)):
            zero = a.tensors[name].data
            findings.error_if(own + name, dtype != 'i8' and any(v != 0 for v in zero))
        findings.error_if(own + 'stride_below_one', min(strides) < 1)
        for i, axis in enumerate(self.axes):
            low, high = pads[2 * i:2 * i + 2]
            prefix = 'out_' if self.transpose else ''
            for name, value in zip(PAD_NAMES[axis], (low, high)):
                a.level(f'{own}level_{prefix}{name}', value, 'MAX_KERNEL')
            a.level(f'{own}level_stride_{axis}', strides[i], 'MAX_STRIDE')
            if len(a.tensors['weight'].shape) == len(self.axes) + 2:
                kernel = a.tensors['weight'].shape[i + (0 if self.depthwise else 1)]
                a.level(f'{own}level_kernel_{axis}', kernel * dilations[i], 'MAX_KERNEL')
            if not {'I' + axis, 'K' + axis, 'O' + axis} <= dims.keys():
                continue
            size, kernel, out = (dims[d + axis] for d in 'IKO')
            if self.transpose:
                findings.error_if(own + 'out_pad_' + axis, low <= -kernel or high <= -kernel)
                wanted = (size - 1) * strides[i] + low + high + kernel
            else:
                top = size - 1 + low + high - (kernel - 1) * dilations[i]
                wanted = exact_quotient_plus_one(top, strides[i])
            findings.error_if(own + 'output_' + SIZE_NAMES[axis], out != wanted)
        if not self.transpose:
            findings.error_if(own + 'pad_negative', min(pads) < 0)
            findings.error_if(own + 'dilation_below_one', min(dilations) < 1)
        if self.depthwise:
            if {'C', 'M', 'CM'} <= dims.keys():
                if dims['CM'] != dims['C'] * dims['M']:
                    a.error('graph.shape')
                dims['OC'] = dims['C'] * dims['M']
            else:
                dims.pop('OC', None)
        if {'BC', 'OC'} <= dims.keys():
            findings.error_if(own + 'bias_channels', dims['BC'] not in (1, dims['OC']))
        if findings.conditions or not a.well_formed:
            return a.answer()

        kernel = [dims['K' + axis] for axis in self.axes]
        taps = base.elements(kernel) * (1 if self.depthwise else dims['IC'])
        bias = a.tensors['bias']
        run = self.runner(a, pads, strides, dilations)
        return dot_answer(a, 'output', a.row['out_t'], run,
                          [a.tensors['input'], a.tensors['weight'], bias], taps, a.row['acc_t'],
                          given.get('local_bound', False), bias.data)

    def runner(self, a, pads, strides, dilations):
        dims, axes = a.dims, self.axes
        input_zp, weight_zp = a.tensors['input_zp'].data[0], a.tensors['weight_zp'].data[0]
        out_size = [dims['O' + axis] for axis in axes]
        in_size = [dims['I' + axis] for axis in axes]
        kernel = [dims['K' + axis] for axis in axes]

        def source(out, tap):
            """The place in the input that a tap of the window meets, or None."""
            place = []
            for i, _ in enumerate(axes):
                if self.transpose:
                    p = out[i] - pads[2 * i] - tap[i]
                    if p < 0 or p >= in_size[i] * strides[i] or p % strides[i]:
                        return None
                    p //= strides[i]
                else:
                    p = out[i] * strides[i] - pads[2 * i] + tap[i] * dilations[i]
                    if p < 0 or p >= in_size[i]:
                        return None
                place.append(p)
            return place

        def run(operands, acc_t, extra):
            data, weight, bias = operands
            float_run = base.is_float(acc_t)
            results = []
            for n, *place in base.places([dims['N']] + out_size):
                for channel in range(dims['OC']):
                    total = 0.0 if float_run else 0
                    for tap in base.places(kernel):
                        met = source(place, tap)
                        if met is None and not extra:
                            continue
                        if self.depthwise:
                            c, m = divmod(channel, dims['M'])
                            pairs = [(c, weight.at(*tap, c, m))]
                        else:
                            pairs = [(c, weight.at(channel, *tap, c)) for c in range(dims['IC'])]
                        for c, w in pairs:
                            v = (0.0 if met is None else data.at(n, *met, c) - input_zp)
                            total = add(a.findings, acc_t, total, v * (w - weight_zp))
                    results.append(add(a.findings, acc_t, total,
                                       bias.data[0 if dims['BC'] == 1 else channel]))
            return results

        return run


# --- FULLY_CONNECTED and MATMUL ---------------------------------------------------------------

FULLY_CONNECTED_ROWS = ('i8 i8 i32', 'i8 i4 i32', 'i16 i8 i48', 'fp16 fp16 fp16', 'fp16 fp16 fp32',
                        'bf16 bf16 fp32', 'fp32 fp32 fp32')
MATMUL_ROWS = ('i8 i32', 'i16 i48', 'fp8e4m3 fp16', 'fp8e5m2 fp16', 'fp16 fp16', 'fp16 fp32',
               'bf16 fp32', 'fp32 fp32')


class FullyConnected:
    editions = ('tosa-0.100',)

    def random_call(self, rng, edition):
        in_t, weight_t, out_t = rng.choice(FULLY_CONNECTED_ROWS).split()
        n, ic, oc = (rng.randint(1, 4) for _ in range(3))
        mood = rng.choice(base.MOODS)
        arguments = {
            'input': base.random_tensor(rng, in_t, [n, ic], mood),
            'weight': base.random_tensor(rng, weight_t, [oc, ic], mood),
            'bias': base.random_tensor(rng, out_t, [rng.choice((1, oc))]),
            'input_zp': int(random_zero_point(rng, in_t)),
            'weight_zp': int(random_zero_point(rng, weight_t))}
        return finish(rng, {'arguments': arguments,
                            'output_types': {'output': {'dtype': out_t, 'shape': [n, oc]}}})

    def evaluate(self, call):
        a = Arguments(call, [('input', ['N', 'IC'], 'in_t'), ('weight', ['OC', 'IC'], 'weight_t'),
                             ('bias', ['BC'], 'out_t'), ('input_zp', [], 'in_t'),
                             ('weight_zp', [], 'weight_t')],
                      [('output', ['N', 'OC'], 'out_t')], 'in_t weight_t out_t',
                      FULLY_CONNECTED_ROWS)
        data, weight, bias = (a.tensors[n] for n in ('input', 'weight', 'bias'))
        zeros = [a.tensors[n].data for n in ('input_zp', 'weight_zp')]
        for name, dtype, zero in zip(('input_zp', 'weight_zp'), (data.dtype, weight.dtype), zeros):
            a.findings.error_if('fully_connected.' + name, dtype != 'i8' and any(zero))
        if {'BC', 'OC'} <= a.dims.keys():
            a.findings.error_if('fully_connected.bias_channels',
                                a.dims['BC'] not in (1, a.dims['OC']))
        if a.findings.conditions:
            return a.answer()

        def run(operands, acc_t, _):
            data, weight, bias = operands
            results = []
            for n, oc in base.places([a.dims['N'], a.dims['OC']]):
                total = 0.0 if base.is_float(acc_t) else 0
                for c in range(a.dims['IC']):
                    product = (data.at(n, c) - zeros[0][0]) * (weight.at(oc, c) - zeros[1][0])
                    total = add(a.findings, acc_t, total, product)
                results.append(add(a.findings, acc_t, total,
                                   bias.data[0 if a.dims['BC'] == 1 else oc]))
            return results

        out_t = a.row['out_t']
        return dot_answer(a, 'output', out_t, run, [data, weight, bias], a.dims['IC'], out_t, True,
                          bias.data)


class Matmul:
    editions = base.EDITIONS

    def random_call(self, rng, edition):
        in_t, out_t = rng.choice(MATMUL_ROWS).split()
        n, h, c, w = (rng.randint(1, 4) for _ in range(4))
        if chance(rng, 0.02):
            n, h, c, w = 1, 32, rng.choice((1, 2)), 32
        mood = rng.choice(base.MOODS)
        arguments = {'A': base.random_tensor(rng, in_t, [n, h, c], mood),
                     'B': base.random_tensor(rng, in_t, [n, c, w], mood),
                     'A_zp': scalar_or_tensor(rng, edition, in_t, random_zero_point(rng, in_t)),
                     'B_zp': scalar_or_tensor(rng, edition, in_t, random_zero_point(rng, in_t))}
        return finish(rng, {'arguments': arguments,
                            'output_types': {'output': {'dtype': out_t, 'shape': [n, h, w]}}})

    def evaluate(self, call):
        inputs = [('A', ['N', 'H', 'C'], 'in_t'), ('B', ['N', 'C', 'W'], 'in_t')]
        inputs += zero_points(call['edition'], ('A_zp', 'in_t'), ('B_zp', 'in_t'))
        a = Arguments(call, inputs, [('output', ['N', 'H', 'W'], 'out_t')], 'in_t out_t',
                      MATMUL_ROWS)
        zeros = [a.tensors[n].data for n in ('A_zp', 'B_zp')]
        a.findings.error_if('matmul.zero_point',
                            a.tensors['A'].dtype != 'i8' and any(v != 0 for v in sum(zeros, [])))
        if a.findings.conditions:
            return a.answer()

        def run(operands, acc_t, _):
            results = []
            for n, h, w in base.places([a.dims['N'], a.dims['H'], a.dims['W']]):
                total = 0.0 if base.is_float(acc_t) else 0
                for c in range(a.dims['C']):
                    product = ((operands[0].at(n, h, c) - zeros[0][0]) *
                               (operands[1].at(n, c, w) - zeros[1][0]))
                    total = add(a.findings, acc_t, total, product)
                results.append(total)
            return results

        out_t = a.row['out_t']
        return dot_answer(a, 'output', out_t, run, [a.tensors['A'], a.tensors['B']], a.dims['C'],
                          out_t, True)


# --- pooling --------------------------------------------------------------------------------

AVERAGE_ROWS = ('i8 i32', 'i16 i32', 'fp8e4m3 fp16', 'fp8e5m2 fp16', 'fp16 fp16', 'fp16 fp32',
                'bf16 fp32', 'fp32 fp32')
MAXIMUM_ROWS = ('i8', 'i16', 'fp8e4m3', 'fp8e5m2', 'fp16', 'bf16', 'fp32')


def scale_32(findings, value, multiplier, shift, double_round=False):
    """value * multiplier / 2^shift, rounded half up, or twice half away from zero."""
    findings.require('apply_scale_32.multiplier_negative', multiplier >= 0)
    if not findings.require('apply_scale_32.shift_range', 2 <= shift <= 62):
        return 0
    half = 1 << (shift - 1)
    findings.require('apply_scale_32.value_range',
                     -half <= value < half and -2**31 <= value < 2**31)
    if double_round and shift > 31:
        half += 2**30 if value >= 0 else -2**30
    return (value * multiplier + half) >> shift


def scale_16(findings, value, multiplier, shift):
    findings.require('apply_scale_16.multiplier_negative', multiplier >= 0)
    if not findings.require('apply_scale_16.shift_range', 2 <= shift <= 62):
        return 0
    result = (value * multiplier + (1 << (shift - 1))) >> shift
    findings.require('apply_scale_16.result_range', -2**31 <= result < 2**31)
    return result


class Pool:
    editions = base.EDITIONS

    def __init__(self, average):
        self.average = average
        self.name = 'AVG_POOL2D' if average else 'MAX_POOL2D'

    def random_call(self, rng, edition):
        row = rng.choice(AVERAGE_ROWS if self.average else MAXIMUM_ROWS).split()
        kernel, stride, pads, size, out = [], [], [], [], []
        extreme = rng.randrange(2) if chance(rng, 0.05) else None
        for i in range(2):
            k, s, span = rng.randint(1, 4), rng.randint(1, 3), rng.randint(1, 4)
            low, high = rng.randint(0, k - 1), rng.randint(0, k - 1)
            if i == extreme:
                if chance(rng, 0.5):
                    s = rng.choice((8191, 8192, 8193))
                    low, high, span = 0, 0, k
                else:
                    k = rng.choice((8192, 8193, 8194))
                    low, high, span, s = k - 1, 0, 1, 4096
                    if chance(rng, 0.5):
                        low, high = high, low
            elif chance(rng, 0.03):
                low = -1
            if chance(rng, 0.04):
                low += k
            missing = max(0, k - (span + low + high))
            span += missing + (-(span + missing + low + high - k) % s
                               if s < 100 and chance(rng, 0.95) else 0)
            kernel.append(k)
            stride.append(s)
            pads += [low, high]
            size.append(span)
            out.append((span + low + high - k) // s + 1)
        n, c = rng.randint(1, 2), rng.randint(1, 3)
        arguments = {'input': base.random_tensor(rng, row[0], [n] + size + [c]),
                     'kernel': kernel, 'stride': stride, 'pad': pads}
        if self.average:
            for name in ('input_zp', 'output_zp'):
                arguments[name] = scalar_or_tensor(rng, edition, row[0],
                                                   random_zero_point(rng, row[0]))
            arguments['acc_type'] = {t: name for name, t in ACC_TYPES.items()}[row[1]]
        else:
            nan_mode(rng, edition, arguments)
        return finish(rng, {'arguments': arguments,
                            'output_types': {'output': {'dtype': row[0],
                                                        'shape': [n] + out + [c]}}})

    def evaluate(self, call):
        inputs = [('input', ['N', 'Iy', 'Ix', 'C'], 'in_out_t')]
        if self.average:
            inputs += zero_points(call['edition'], ('input_zp', 'in_out_t'),
                                  ('output_zp', 'in_out_t'))
        a = Arguments(call, inputs, [('output', ['N', 'Oy', 'Ox', 'C'], 'in_out_t')],
                      'in_out_t acc_t' if self.average else 'in_out_t',
                      AVERAGE_ROWS if self.average else MAXIMUM_ROWS, acc_type=self.average)
        own = self.name.lower() + '.'
        findings, dims = a.findings, a.dims
        kernel, stride, pads = (a.given[n] for n in ('kernel', 'stride', 'pad'))
        if self.average:
            for name in ('input_zp', 'output_zp'):
                findings.error_if(own + name, a.tensors['input'].dtype != 'i8' and
                                  any(v != 0 for v in a.tensors[name].data))
        findings.error_if(own + 'kernel_below_one', min(kernel) < 1)
        findings.error_if(own + 'stride_below_one', min(stride) < 1)
        findings.error_if(own + 'pad_negative', min(pads) < 0)
        for i, axis in enumerate('yx'):
            low, high = pads[2 * i:2 * i + 2]
            findings.error_if(own + 'pad_' + axis, low >= kernel[i] or high >= kernel[i])
            a.level(f'{own}level_kernel_{axis}', kernel[i], 'MAX_KERNEL')
            a.level(f'{own}level_stride_{axis}', stride[i], 'MAX_STRIDE')
            for name, value in zip(PAD_NAMES[axis], (low, high)):
                a.level(f'{own}level_{name}', value, 'MAX_KERNEL')
            if {'I' + axis, 'O' + axis} <= dims.keys():
                wanted = exact_quotient_plus_one(dims['I' + axis] + low + high - kernel[i],
                                                 stride[i])
                findings.error_if(own + 'output_' + SIZE_NAMES[axis], dims['O' + axis] != wanted)
        if findings.conditions:
            return a.answer()

        def windows():
            """For each output element the input values in its window, in order."""
            data = a.tensors['input']
            for n, oy, ox, c in base.places([dims['N'], dims['Oy'], dims['Ox'], dims['C']]):
                top, left = oy * stride[0] - pads[0], ox * stride[1] - pads[2]
                rows = range(max(top, 0), min(top + kernel[0], dims['Iy']))
                columns = range(max(left, 0), min(left + kernel[1], dims['Ix']))
                yield [(n, y, x, c) for y in rows for x in columns]

        dtype = a.row['in_out_t']
        if self.average and base.is_float(dtype):
            def run(operands, _, __):
                results = []
                for window in windows():
                    total = 0.0
                    for place in window:
                        total += operands[0].at(*place)
                    results.append(total / len(window))
                return results
            return dot_answer(a, 'output', dtype, run, [a.tensors['input']],
                              kernel[0] * kernel[1], a.row['acc_t'], True)

        def values(tensor):
            if not self.average:
                for window in windows():
                    ignore = a.given.get('nan_mode') == 'IGNORE'
                    result = base.NAN if ignore and base.is_float(dtype) else base.lowest(dtype)
                    for place in window:
                        result = maximum(result, tensor.at(*place), ignore)
                    yield result
                return
            input_zp, output_zp = (a.tensors[n].data[0] for n in ('input_zp', 'output_zp'))
            low, high = base.integer_range(dtype)
            for window in windows():
                total = 0
                for place in window:
                    total = add(findings, 'i32', total, tensor.at(*place) - input_zp)
                power = (len(window) - 1).bit_length()
                multiplier = ((2**30 + 1) << power) // len(window)
                total = scale_32(findings, total, multiplier, 30 + power)
                yield max(low, min(high, add(findings, 'i32', total, output_zp)))

        return exact_answer(a, 'output', dtype, values, a.tensors['input'])


def exact_answer(a, output, dtype, values, source, zero_sign=False):
    """Answers with values(tensor), once as it is and once with subnormals flushed."""
    data = list(values(source))
    answer = a.answer()
    if answer.outcome != 'valid':
        return answer
    flushed = list(values(flush_tensor(source)))
    answer.outputs[output] = Tensor(dtype, a.shape(output), data)
    answer.flushed = {}
    if not same_data(data, flushed):
        answer.flushed[output] = Tensor(dtype, a.shape(output), flushed)
    answer.rules[output] = exact_rule(a.edition, zero_sign)
    return answer


# --- ARGMAX and reductions --------------------------------------------------------------------

ARGMAX_ROWS = tuple(t + ' i32' for t in MAXIMUM_ROWS)
EXTREMUM_ROWS = ('i8', 'i16', 'i32', 'fp16', 'bf16', 'fp32')
REDUCE_ROWS = {'ALL': ('bool',), 'ANY': ('bool',), 'MAX': EXTREMUM_ROWS, 'MIN': EXTREMUM_ROWS,
               'PRODUCT': ('fp16', 'bf16', 'fp32'),
               'SUM': ('i32 i32', 'fp16 fp16', 'bf16 fp32', 'fp32 fp32')}


def random_shape(rng, low, high, top=4):
    if chance(rng, 0.02):  # around MAX_RANK of either level
        rank = rng.choice((6, 7, 7, 32, 33))
        return [2 if chance(rng, 0.1) else 1 for _ in range(rank)]
    return [rng.randint(1, top) for _ in range(rng.randint(low, high))]


def lines(shape, axis):
    """For each place of shape without axis, the indices along axis."""
    for rest in base.places(shape[:axis] + shape[axis + 1:]):
        yield [rest[:axis] + (i,) + rest[axis:] for i in range(shape[axis])]


class Argmax:
    editions = base.EDITIONS

    def random_call(self, rng, edition):
        in_t = rng.choice(MAXIMUM_ROWS)
        shape = random_shape(rng, 1, 6 if chance(rng, 0.2) else 4, 3)
        axis = rng.randrange(len(shape))
        data = base.random_tensor(rng, in_t, shape)
        arguments = {'input': data, 'axis': axis}
        nan_mode(rng, edition, arguments)
        output = {'dtype': 'i32', 'shape': shape[:axis] + shape[axis + 1:]}
        return finish(rng, {'arguments': arguments, 'output_types': {'output': output}})

    def evaluate(self, call):
        a = Arguments(call, [('input', (1, None), 'in_t')], [('output', (0, None), 'out_t')],
                      'in_t out_t', ARGMAX_ROWS)
        shape, axis = a.tensors['input'].shape, a.given['axis']
        if not a.findings.error_if('argmax.axis_range', axis < 0 or axis >= len(shape)):
            a.findings.error_if('argmax.output_shape',
                                a.shape('output') != shape[:axis] + shape[axis + 1:])
        if len(a.shape('output')) == a.limits['MAX_RANK']:
            a.findings.errors.update(('graph.rank', 'graph.level_rank'))
        if a.findings.conditions:
            return a.answer()
        ignore = a.given.get('nan_mode') == 'IGNORE'

        def position(values):
            nans = [i for i, v in enumerate(values) if isinstance(v, float) and math.isnan(v)]
            if nans and not ignore:
                if a.edition == 'tosa-1.0':
                    return nans[0]
                # 0.100: of an axis of NaN the last one. The pseudocode goes on after a NaN, though,
                # so that what follows wins: notes.md leaves open whatever the two differ about.
                only = len(nans) == len(values) or nans == [len(values) - 1]
                a.findings.require('argmax.nan_order', only)
                return nans[-1]
            if len(nans) == len(values):
                return 0
            numbers = [v for i, v in enumerate(values) if i not in nans]
            return values.index(max(numbers))

        def values(tensor):
            for line in lines(shape, axis):
                yield position([tensor.at(*place) for place in line])

        return exact_answer(a, 'output', 'i32', values, a.tensors['input'])


class Reduce:
    editions = base.EDITIONS

    def __init__(self, kind):
        self.kind = kind
        self.name = 'REDUCE_' + kind

    def random_call(self, rng, edition):
        in_t = rng.choice(REDUCE_ROWS[self.kind]).split()[0]
        shape = random_shape(rng, 1, 6 if chance(rng, 0.2) else 4, 3)
        axis = rng.randrange(len(shape))
        if chance(rng, 0.3):
            shape[axis] = rng.randint(4, 9)
        if self.kind == 'SUM' and in_t != 'i32' and chance(rng, 0.02):
            shape, axis = [32, 2, 32], 1
        arguments = {'input': base.random_tensor(rng, in_t, shape), 'axis': axis}
        if self.kind in ('MAX', 'MIN'):
            nan_mode(rng, edition, arguments)
        output = {'dtype': in_t, 'shape': shape[:axis] + [1] + shape[axis + 1:]}
        return finish(rng, {'arguments': arguments, 'output_types': {'output': output}})

    def evaluate(self, call):
        variables = 'in_out_t acc_t' if self.kind == 'SUM' else 'in_out_t'
        a = Arguments(call, [('input', (1, None), 'in_out_t')],
                      [('output', (1, None), 'in_out_t')], variables, REDUCE_ROWS[self.kind])
        own = self.name.lower() + '.'
        data, axis, out = a.tensors['input'], a.given['axis'], a.shape('output')
        shape = data.shape
        if len(out) != len(shape):
            a.error('graph.rank', 'graph.shape', 'graph.output_shape', own + 'output_axis')
        if not a.findings.error_if(own + 'axis_range', axis < 0 or axis >= len(shape)):
            if len(out) > axis:
                a.findings.error_if(own + 'output_axis', out[axis] != 1)
            if len(out) == len(shape):
                rest = [i for i in range(len(shape)) if i != axis]
                if any(out[i] != shape[i] for i in rest):
                    a.error('graph.shape', 'graph.output_shape')
        if a.findings.conditions:
            return a.answer()
        dtype = a.row['in_out_t']
        reduced = {'ALL': all, 'ANY': any}.get(self.kind)
        if reduced:
            return exact_answer(a, 'output', dtype, lambda t: (
                reduced(t.at(*p) for p in line) for line in lines(shape, axis)), data)
        if self.kind in ('MAX', 'MIN'):
            return exact_answer(a, 'output', dtype, self.extrema(a, axis), data)
        if self.kind == 'PRODUCT':
            return self.product(a, axis)

        def run(operands, acc_t, _):
            results = []
            for line in lines(shape, axis):
                total = 0.0 if base.is_float(acc_t) else 0
                for place in line:
                    total = add(a.findings, acc_t, total, operands[0].at(*place))
                results.append(total)
            return results

        return dot_answer(a, 'output', dtype, run, [data], shape[axis], a.row['acc_t'], True)

    def extrema(self, a, axis):
        dtype = a.row['in_out_t']
        ignore = a.given.get('nan_mode') == 'IGNORE'
        better = maximum if self.kind == 'MAX' else minimum
        worst = base.lowest(dtype) if self.kind == 'MAX' else base.greatest(dtype)

        def values(tensor):
            for line in lines(tensor.shape, axis):
                result = base.NAN if ignore and base.is_float(dtype) else worst
                for place in line:
                    result = better(result, tensor.at(*place), ignore)
                yield result
        return values

    def product(self, a, axis):
        data = a.tensors['input']
        dtype, count = data.dtype, data.shape[axis]

        def values(tensor):
            results = []
            for line in lines(tensor.shape, axis):
                result = 1.0
                for place in line:
                    result *= tensor.at(*place)
                results.append(result)
            return results

        def bounds(results):
            base_factor = 1 + mpmath.mpf(2) ** (-base.fraction_bits(dtype) - 1)
            growth = float(base_factor ** count) - 1  # pow rounds to fp64, then the subtraction
            least = base.normal_min(dtype) if a.edition == 'tosa-1.0' else 0.0
            # For a result that is infinite or NaN already in fp64 nothing else is accepted. No
            # product of numbers has a bound of zero (notes.md).
            tiny = math.ldexp(1.0, -1074)
            return [max(tiny, maximum(abs(v), least) * growth) if math.isfinite(v) else 0.0
                    for v in results]

        exact, flushed = values(data), values(flush_tensor(data))
        answer = a.answer()
        shape = a.shape('output')
        answer.outputs['output'] = Tensor(dtype, shape, exact)
        rule = {'kind': 'absolute_bound', 'form': a.edition,
                'bound': Tensor('fp64', shape, bounds(exact))}
        answer.flushed = {}
        if not same_data(exact, flushed):
            answer.flushed['output'] = Tensor(dtype, shape, flushed)
            rule['flushed_bound'] = Tensor('fp64', shape, bounds(flushed))
        answer.rules['output'] = rule
        return answer


# --- FFT2D and RFFT2D -------------------------------------------------------------------------


class Fourier:
    editions = base.EDITIONS

    def __init__(self, real):
        self.real = real
        self.name = 'RFFT2D' if real else 'FFT2D'

    def random_call(self, rng, edition):
        n = rng.randint(1, 2)
        h, w = rng.choice((1, 2, 4, 8)), rng.choice((1, 2, 4, 8))
        if chance(rng, 0.08):
            h, w = rng.choice(((3, 2), (2, 6), (5, 1), (1, 12)))
        if chance(rng, 0.03):
            n, h, w = 1, 1, 8192
            h, w = (h, w) if chance(rng, 0.5) else (w, h)
            h, w = (h * 2, w) if h > w else (h, w * 2)
        mood = rng.choice(base.MOODS)
        if max(h, w) > 100:  # too many: only the level is of interest
            shape = [n, h, w]
            data = {'dtype': 'fp32', 'shape': shape, 'data': None}
            arguments = {'input_real': data}
            if not self.real:
                arguments['input_imag'] = dict(data)
        else:
            arguments = {'input_real': base.random_tensor(rng, 'fp32', [n, h, w], mood)}
            if not self.real:
                arguments['input_imag'] = base.random_tensor(rng, 'fp32', [n, h, w], mood)
        if not self.real:
            arguments['inverse'] = chance(rng, 0.5)
        if chance(rng, 0.7):
            arguments['local_bound'] = chance(rng, 0.5)
        out = {'dtype': 'fp32', 'shape': [n, h, w // 2 + 1 if self.real else w]}
        call = {'arguments': arguments,
                'output_types': {'output_real': out, 'output_imag': dict(out)}}
        call = finish(rng, call)
        if max(h, w) > 100:
            call.pop('level', None)
        return call

    def evaluate(self, call):
        inputs = [('input_real', ['N', 'H', 'W'], 'in_out_t')]
        if not self.real:
            inputs.append(('input_imag', ['N', 'H', 'W'], 'in_out_t'))
        shape = ['N', 'H', 'OW' if self.real else 'W']
        a = Arguments(call, inputs, [('output_real', shape, 'in_out_t'),
                                     ('output_imag', shape, 'in_out_t')], 'in_out_t', ('fp32',))
        own = self.name.lower() + '.'
        dims = a.dims
        for name, dim in (('height', 'H'), ('width', 'W')):
            if dim in dims:
                size = dims[dim]
                a.findings.error_if(own + name, size < 1 or size & (size - 1))
                a.level(own + 'level_' + name, size, 'MAX_KERNEL')
        if self.real and {'OW', 'W'} <= dims.keys() and dims['OW'] != dims['W'] // 2 + 1:
            a.error('graph.shape', 'graph.output_shape')
        if a.findings.conditions:
            return a.answer()
        local = a.given.get('local_bound', False)
        operands = [a.tensors[name] for name, _, _ in inputs]
        answer = self.output(a, 'output_real', 0, operands, local)
        other = self.output(a, 'output_imag', 1, operands, local)
        answer.outputs.update(other.outputs)
        answer.rules.update(other.rules)
        answer.flushed.update(other.flushed)
        return answer

    def output(self, a, name, part, operands, local):
        """part 0: the real output, 1: the imaginary one."""
        n_size, h, w = a.dims['N'], a.dims['H'], a.dims['W']
        width = w // 2 + 1 if self.real else w
        sign = -1.0 if a.given.get('inverse') else 1.0
        circle = {}

        def angle(ay, ax):
            if (ay, ax) not in circle:
                turn = sign * 2 * math.pi * (ay / h + ax / w)
                circle[ay, ax] = (float(mpmath.cos(mpmath.mpf(turn))),
                                  float(mpmath.sin(mpmath.mpf(turn))))
            return circle[ay, ax]

        least = base.normal_min('fp32')

        def run_kind(tensors, bounding):
            results = []
            for n, oy, ox in base.places([n_size, h, width]):
                total = 0.0
                for iy, ix in base.places([h, w]):
                    ay, ax = iy * oy % h, ix * ox % w
                    cos, sin = angle(ay, ax)
                    if bounding:
                        low = least if a.edition == 'tosa-1.0' else 0.0
                        cos, sin = max(abs(cos), low), max(abs(sin), low)
                        # Zero in the reals: decided in notes.md, not read from the text.
                        quarters = 4 * (Fraction(ay, h) + Fraction(ax, w))
                        if quarters.denominator == 1 and quarters != 0:
                            cos, sin = (cos, 1.0) if quarters % 2 == 0 else (1.0, sin)
                    re = tensors[0].at(n, iy, ix)
                    if self.real:
                        if part == 0:
                            total += re * cos
                        elif (h > 1 and ay % (h // 2)) or (w > 1 and ax % (w // 2)):
                            total += re * sin if bounding else -re * sin
                        elif bounding and a.edition == 'tosa-1.0':
                            total += re if ay or ax else re * least  # a weight of zero: as above
                        continue
                    im = tensors[1].at(n, iy, ix)
                    if bounding:
                        total += re * (cos, sin)[part] + im * (sin, cos)[part]
                    elif part == 0:
                        total += re * cos + im * sin
                    else:
                        total += -re * sin + im * cos
                results.append(total)
            return results

        flushed_operands = [flush_tensor(t) for t in operands]
        low = least if a.edition == 'tosa-1.0' else 0.0

        def bound(tensors):
            tensors = [at_least(t, low) for t in tensors]
            if not local:
                data = sum((t.data for t in tensors), [])
                top = spread_maximum(Tensor('fp32', [len(data)], data)).data[0]
                tensors = [Tensor(t.dtype, t.shape, [top] * len(t.data)) for t in tensors]
            return run_kind(tensors, True)

        answer = a.answer()
        answer.flushed = {}
        data, flushed = run_kind(operands, False), run_kind(flushed_operands, False)
        shape = a.shape(name)
        answer.outputs[name] = Tensor('fp32', shape, data)
        flushed_bound = None
        if not same_data(data, flushed):
            answer.flushed[name] = Tensor('fp32', shape, flushed)
            flushed_bound = bound(flushed_operands)
        answer.rules[name] = dot_rule(a, h * w * (1 if self.real else 2), 'fp32', 'fp32',
                                      bound(operands), None, flushed_bound, n_size * h * w)
        return answer


# --- RESIZE -----------------------------------------------------------------------------------

RESIZE_ROWS = {'BILINEAR': ('i8 i32', 'i16 i48', 'fp16 fp16', 'bf16 bf16', 'fp32 fp32'),
               'NEAREST_NEIGHBOR': ('i8 i8', 'i16 i16', 'fp16 fp16', 'bf16 bf16', 'fp32 fp32')}


class Resize:
    editions = base.EDITIONS

    def random_call(self, rng, edition):
        mode = rng.choice(list(RESIZE_ROWS))
        in_t, out_t = rng.choice(RESIZE_ROWS[mode]).split()
        n, c = rng.randint(1, 2), rng.randint(1, 2)
        scale, offset, border, size, out = [], [], [], [], []
        for _ in range(2):
            span = rng.randint(1, 4)
            num, den = rng.randint(1, 6), rng.randint(1, 6)
            if chance(rng, 0.1):
                num, den = rng.choice(((16, 1), (2048, 8), (2048, 7), (2049, 9), (256, 1), (257, 1),
                                       (513, 2), (512, 2), (1, 15), (1, 16), (2, 31), (2, 32),
                                       (2048, 2047)))
            if num / den > 20:
                span = 1
            low = rng.choice((0, -num, num - 1, rng.randint(-num, 2 * num)))
            high = rng.choice((0, num - 1, rng.randint(-num, num - 1)))
            if chance(rng, 0.06):
                low = rng.choice((-num - 1, 16 * num, 16 * num - 1, -num))
            if chance(rng, 0.06):
                high = rng.choice((num, -16 * num - 1, -16 * num, num - 1))
            top = (span - 1) * num - low + high
            if chance(rng, 0.9):
                # Move offset and border until the size is a whole number.
                for _ in range(50):
                    if top >= 0 and top % den == 0 and high < num:
                        break
                    if top < 0 and low > -num:
                        low -= 1
                    elif top < 0:
                        span += 1
                    elif high < num - 1 and chance(rng, 0.5):
                        high += 1
                    elif low > -num and chance(rng, 0.7):
                        low -= 1
                    else:
                        span += 1
                    top = (span - 1) * num - low + high
            scale += [num, den]
            offset.append(low)
            border.append(high)
            size.append(span)
            out.append(max(1, top // den + 1))
        def shape_value(values):
            if chance(rng, 0.3):
                return {'dtype': 'shape', 'shape': [len(values)], 'data': values}
            return values
        arguments = {'input': base.random_tensor(rng, in_t, [n] + size + [c]),
                     'scale': shape_value(scale), 'offset': shape_value(offset),
                     'border': shape_value(border), 'mode': mode}
        if chance(rng, 0.005):
            size = rng.choice((16383, 16384))
            arguments.update({'scale': [1, 1, 1, 1], 'offset': [0, 0], 'border': [0, 0]})
            shape = [1, size, 1, 1] if chance(rng, 0.5) else [1, 1, size, 1]
            arguments['input'] = base.json_tensor(in_t, shape, None)
            n, out, c = 1, shape[1:3], 1
        return finish(rng, {'arguments': arguments,
                            'output_types': {'output': {'dtype': out_t,
                                                        'shape': [n] + out + [c]}}})

    def evaluate(self, call):
        mode = call['arguments']['mode']
        a = Arguments(call, [('input', ['N', 'Iy', 'Ix', 'C'], 'in_t'),
                             ('scale', [4], 'shape'), ('offset', [2], 'shape'),
                             ('border', [2], 'shape')],
                      [('output', ['N', 'Oy', 'Ox', 'C'], 'out_t')], 'in_t out_t',
                      RESIZE_ROWS[mode])
        if 'graph.type_row' in a.findings.errors:
            a.findings.errors.add('graph.attribute')
        findings, dims = a.findings, a.dims
        scale, offset, border = ([int(v) for v in a.tensors[n].data]
                                 for n in ('scale', 'offset', 'border'))
        num, den = scale[0::2], scale[1::2]
        sizes = [dims[d] for d in ('Iy', 'Ix', 'Oy', 'Ox') if d in dims]
        findings.error_if('resize.size_limit', any(s >= 16384 for s in sizes))
        findings.error_if('resize.scale_positive', min(scale) <= 0)
        findings.error_if('resize.scale_numerator_limit', max(num) > 2048)
        findings.error_if('resize.downscale_limit',
                          any(d >= 16 * n for n, d in zip(num, den)))
        for i, axis in enumerate('yx'):
            n, d = num[i], den[i]
            findings.error_if('resize.offset_' + axis, offset[i] < -n or offset[i] >= 16 * n)
            findings.error_if('resize.border_' + axis, border[i] < -16 * n or border[i] >= n)
            if d > 0:
                # A ratio is a rational number.
                findings.require('resize.level_scale_' + axis,
                                 Fraction(n, d) <= a.limits['MAX_SCALE'])
                if {'I' + axis, 'O' + axis} <= dims.keys():
                    top = (dims['I' + axis] - 1) * n - offset[i] + border[i]
                    findings.error_if('resize.output_' + SIZE_NAMES[axis],
                                      dims['O' + axis] != exact_quotient_plus_one(top, d))
            else:
                findings.error_if('resize.output_' + SIZE_NAMES[axis], True)
        if findings.conditions:
            return a.answer()
        in_t, out_t = a.row['in_t'], a.row['out_t']
        data = a.tensors['input']
        float_run = base.is_float(in_t)

        def taps(position, axis):
            i = 'yx'.index(axis)
            place = position * den[i] + offset[i]
            whole, rest = divmod(place, num[i])
            size = dims['I' + axis]
            return max(whole, 0), min(whole + 1, size - 1), rest

        def values(tensor):
            for n, oy, ox, c in base.places([dims['N'], dims['Oy'], dims['Ox'], dims['C']]):
                y0, y1, ry = taps(oy, 'y')
                x0, x1, rx = taps(ox, 'x')
                if mode != 'BILINEAR':
                    y = y1 if 2 * ry >= num[0] else y0
                    x = x1 if 2 * rx >= num[1] else x0
                    yield tensor.at(n, y, x, c)
                    continue
                if float_run:
                    dy, dx, unit_y, unit_x = ry / num[0], rx / num[1], 1.0, 1.0
                else:
                    dy, dx, unit_y, unit_x = ry, rx, num[0], num[1]
                total = tensor.at(n, y0, x0, c) * (unit_y - dy) * (unit_x - dx)
                total += tensor.at(n, y0, x1, c) * (unit_y - dy) * dx
                total += tensor.at(n, y1, x0, c) * dy * (unit_x - dx)
                total += tensor.at(n, y1, x1, c) * dy * dx
                yield total

        if not float_run:
            return exact_answer(a, 'output', out_t, values, data)

        def bound(tensor):
            top = 0.0
            for value in tensor.data:
                top = maximum(top, abs(value), ignore_nan=True)
            relative = top * 0.006
            if a.edition == 'tosa-0.100':
                return relative
            by_ulp = math.ldexp(1.0, -base.fraction_bits(in_t))
            by_ulp = by_ulp * maximum(top, base.normal_min(in_t)) * 20.0
            return maximum(by_ulp, relative)

        exact, flushed = list(values(data)), list(values(flush_tensor(data)))
        answer = a.answer()
        shape = a.shape('output')
        answer.outputs['output'] = Tensor(out_t, shape, exact)
        rule = {'kind': 'absolute_bound', 'form': a.edition,
                'bound': Tensor('fp64', shape, [bound(data)] * len(exact))}
        answer.flushed = {}
        if not same_data(exact, flushed):
            answer.flushed['output'] = Tensor(out_t, shape, flushed)
            rule['flushed_bound'] = Tensor('fp64', shape,
                                           [bound(flush_tensor(data))] * len(exact))
        answer.rules['output'] = rule
        return answer


# --- RESCALE ----------------------------------------------------------------------------------

RESCALE_ROWS = tuple(f'{i} {o}' for i in ('i8', 'i16', 'i32', 'i48') for o in ('i8', 'i16', 'i32'))


def unsigned(value, dtype):
    return value % (1 << base.INTEGER_BITS[dtype])


class Rescale:
    editions = base.EDITIONS

    def random_call(self, rng, edition):
        in_t, out_t = rng.choice(RESCALE_ROWS).split()
        shape = random_shape(rng, 0, 6 if chance(rng, 0.1) else 3, 3)
        scale32 = chance(rng, 0.65 if in_t != 'i48' else 0.05)
        per_channel = bool(shape) and chance(rng, 0.4) or chance(rng, 0.03)
        channels = shape[-1] if per_channel and shape else 1
        in_unsigned = chance(rng, 0.3 if in_t in ('i8', 'i16') and out_t != 'i32' else 0.05)
        out_unsigned = chance(rng, 0.3 if out_t != 'i32' and in_t in ('i8', 'i16') and
                              not in_unsigned else 0.05)
        bits = 31 if scale32 else 15
        multipliers, shifts = [], []
        for _ in range(channels):
            multipliers.append(rng.choice((0, 1, 1 << (bits - 1), (1 << bits) - 1,
                                           rng.randrange(1 << (bits - 1), 1 << bits),
                                           rng.randrange(1 << bits))))
            shifts.append(rng.choice((bits - 1, bits - 1, bits - 2, bits, bits + 1, bits + 2,
                                      rng.randint(2, 62), rng.randint(28, 40), 2, 62)))
        if chance(rng, 0.05):
            shifts[0] = rng.choice((0, 1, 63, -1))
        if chance(rng, 0.03):
            multipliers[0] = rng.choice((-1, -(1 << bits)))

        def zero(dtype, is_unsigned):
            if dtype == 'i16' and is_unsigned and chance(rng, 0.5):
                return rng.choice((-32768, -32768, -32768, 32767, 1))
            return random_zero_point(rng, dtype)

        def wrap(name, dtype, value):
            if edition == 'tosa-1.0':
                return base.json_tensor(dtype, [1], [value])
            return value

        mood = rng.choice(('tame', 'tame', 'edges', 'special', 'wide'))
        value_type = 'i32' if scale32 else 'i16'
        arguments = {
            'input': base.random_tensor(rng, in_t, shape, mood),
            'multiplier': base.json_tensor(value_type, [channels], multipliers),
            'shift': base.json_tensor('i8', [channels], shifts),
            'input_zp': wrap('input_zp', in_t, zero(in_t, in_unsigned)),
            'output_zp': wrap('output_zp', out_t, zero(out_t, out_unsigned)),
            'scale32': scale32, 'per_channel': per_channel,
            'input_unsigned': in_unsigned, 'output_unsigned': out_unsigned}
        if edition == 'tosa-1.0':
            arguments['rounding_mode'] = rng.choice(('SINGLE_ROUND', 'INEXACT_ROUND',
                                                     'DOUBLE_ROUND' if scale32 or chance(rng, 0.1)
                                                     else 'SINGLE_ROUND'))
        else:
            arguments['double_round'] = chance(rng, 0.5 if scale32 else 0.05)
        return finish(rng, {'arguments': arguments,
                            'output_types': {'output': {'dtype': out_t, 'shape': list(shape)}}},
                      0.25)

    def evaluate(self, call):
        edition, given = call['edition'], call['arguments']
        channel_type = 'i32' if given['scale32'] else 'i16'
        a = Arguments(call, [('input', (0, None), 'in_t'), ('multiplier', ['NC'], channel_type),
                             ('shift', ['NC'], 'i8')] +
                      zero_points(edition, ('input_zp', 'in_t'), ('output_zp', 'out_t')),
                      [('output', (0, None), 'out_t')], 'in_t out_t i8 i16 i32',
                      [row + ' i8 i16 i32' for row in RESCALE_ROWS])
        findings = a.findings
        if 'graph.type_row' in findings.errors:
            findings.errors.add('graph.attribute')
        data, out_shape = a.tensors['input'], a.shape('output')
        in_t, out_t = data.dtype, a.output_types['output']['dtype']
        in_u, out_u = given['input_unsigned'], given['output_unsigned']
        double = given.get('double_round', False) or given.get('rounding_mode') == 'DOUBLE_ROUND'
        input_zp, output_zp = ([base.number(v, 'i64') if not isinstance(v, bool) else int(v)
                                for v in a.tensors[n].data] for n in ('input_zp', 'output_zp'))
        for name, dtype, is_unsigned, zero in (('input_zp', in_t, in_u, input_zp),
                                               ('output_zp', out_t, out_u, output_zp)):
            if dtype == 'i16' and is_unsigned:
                findings.error_if(f'rescale.{name}_uint16',
                                  any(v not in (0, -32768, 32768) for v in zero))
            else:
                findings.error_if('rescale.' + name, dtype != 'i8' and any(zero))
        findings.error_if('rescale.scale32_i48', given['scale32'] and in_t == 'i48')
        findings.error_if('rescale.double_round_scale16', not given['scale32'] and double)
        findings.error_if('rescale.both_unsigned', in_u and out_u)
        findings.error_if('rescale.unsigned_input_to_i32', out_t == 'i32' and in_u)
        findings.error_if('rescale.i32_to_unsigned_output', in_t == 'i32' and out_u)
        findings.error_if('rescale.i48_to_unsigned_output', in_t == 'i48' and out_u)
        if edition == 'tosa-1.0':
            findings.error_if('rescale.unsigned_i48_input', in_t == 'i48' and in_u)
            findings.error_if('rescale.unsigned_i32_input', in_t == 'i32' and in_u)
            findings.error_if('rescale.unsigned_i32_output', out_t == 'i32' and out_u)
            findings.error_if('rescale.per_channel_rank', given['per_channel'] and not data.shape)
        elif not findings.errors and ((in_t in ('i32', 'i48') and in_u) or
                                      (out_t == 'i32' and out_u)):
            # The text knows unsigned 8 and 16 bits only, but no condition says so.
            findings.require('rescale.unsigned_type', False)
        channels = a.dims.get('NC')
        if given['per_channel'] and data.shape:
            if channels not in (None, data.shape[-1]):
                a.error('graph.shape')
        elif not given['per_channel'] and channels not in (None, 1):
            a.error('graph.shape')
        elif given['per_channel'] and not data.shape:
            a.error('?per_channel of a scalar in 0.100', 'graph.shape', 'graph.rank')
        if out_shape != data.shape:
            a.error('graph.shape', 'graph.output_shape', 'graph.rank')
        if findings.conditions:
            return a.answer()
        multipliers, shifts = a.tensors['multiplier'].data, a.tensors['shift'].data
        low, high = base.integer_range(out_t)
        if out_u:
            low, high = 0, high - low
        zero_in = unsigned(input_zp[0], in_t) if in_u else input_zp[0]
        zero_out = unsigned(output_zp[0], out_t) if out_u else output_zp[0]

        def clipped(value):
            value = max(low, min(high, value))
            if out_u and value > high // 2:  # signless: the bit pattern
                value -= high + 1
            return value

        results, least, most = [], [], []
        for place, value in zip(base.places(data.shape), data.data):
            value = (unsigned(value, in_t) if in_u else value) - zero_in
            c = place[-1] if given['per_channel'] else 0
            multiplier, shift = multipliers[c], shifts[c]
            if given['scale32']:
                result = scale_32(findings, value, multiplier, shift, double)
            else:
                result = scale_16(findings, value, multiplier, shift)
            results.append(clipped(add(findings, 'i32', result, zero_out)))
            if given.get('rounding_mode') == 'INEXACT_ROUND' and 2 <= shift <= 62:
                ref = float(value) * float(multiplier) * math.ldexp(1.0, -shift)
                error = 0.5 + (3 * abs(ref) + abs(ref + zero_out)) * 2.0**-24
                least.append(clipped(math.ceil(ref - error + zero_out)))
                most.append(clipped(math.floor(ref + error + zero_out)))
        answer = a.answer()
        if answer.outcome != 'valid':
            return answer
        shape = a.shape('output')
        answer.flushed = {}
        if given.get('rounding_mode') == 'INEXACT_ROUND':
            answer.outputs['output'] = Tensor(out_t, shape, least)
            answer.rules['output'] = {'kind': 'interval', 'form': edition,
                                      'upper': Tensor(out_t, shape, most), 'unsigned': out_u}
        else:
            answer.outputs['output'] = Tensor(out_t, shape, results)
            answer.rules['output'] = exact_rule(edition)
        return answer


# --- TABLE, CAST and MUL ------------------------------------------------------------------------

TABLE_ROWS = ('i8 i8 i8', 'i16 i16 i32')


class Table:
    editions = base.EDITIONS

    def random_call(self, rng, edition):
        in_t, table_t, out_t = rng.choice(TABLE_ROWS).split()
        shape = random_shape(rng, 0, 6 if chance(rng, 0.1) else 4, 3)
        size = 256 if in_t == 'i8' else 513
        mood = rng.choice(('tame', 'tame', 'wide', 'edges'))
        if in_t == 'i16' and chance(rng, 0.4):
            # Neighbours that differ by as much as is allowed, or by one more.
            step = rng.choice((32767, 32768, -32768, -32769))
            start = rng.randint(-10, 10) if abs(step) < 32767 else (-step) // 2
            table = [start + (step if i % 2 else 0) for i in range(size)]
            table = [max(-32768, min(32767, v)) for v in table]
        else:
            table = base.random_data(rng, table_t, size, mood)
        if chance(rng, 0.05):
            table.append(0) if chance(rng, 0.5) else table.pop()
        name = 'input1' if edition == 'tosa-1.0' else 'input'
        return finish(rng, {
            'arguments': {name: base.random_tensor(rng, in_t, shape),
                          'table': base.json_tensor(table_t, [len(table)], table)},
            'output_types': {'output': {'dtype': out_t, 'shape': list(shape)}}}, 0.25)

    def evaluate(self, call):
        name = 'input1' if call['edition'] == 'tosa-1.0' else 'input'
        a = Arguments(call, [(name, (0, None), 'in_t'), ('table', ['SIZE'], 'table_t')],
                      [('output', (0, None), 'out_t')], 'in_t table_t out_t', TABLE_ROWS)
        data, table = a.tensors[name], a.tensors['table']
        wanted = {'i8': 256, 'i16': 513}.get(data.dtype)
        if 'SIZE' in a.dims and wanted and a.row and a.dims['SIZE'] != wanted:
            # The argument's shape is an error, the pseudocode's REQUIRE outranks it.
            a.findings.require('table.size', False)
            a.findings.errors.add('graph.shape')
        if a.shape('output') != data.shape:
            a.error('graph.shape', 'graph.output_shape', 'graph.rank')
        if a.findings.conditions:
            return a.answer()

        def values(tensor):
            for value in tensor.data:
                if data.dtype == 'i8':
                    yield table.data[value + 128]
                    continue
                index, rest = divmod(value + 32768, 128)
                slope = table.data[index + 1] - table.data[index]
                a.findings.require('apply_lookup_s.slope_range', -32768 <= slope <= 32767)
                yield table.data[index] * 128 + slope * rest

        return exact_answer(a, 'output', a.row['out_t'], values, data)


CAST_ROWS = tuple(f'{i} {o}' for i, outs in {
    'bool': 'i8 i16 i32', 'i8': 'bool i16 i32 fp16 bf16 fp32', 'i16': 'bool i8 i32 fp16 bf16 fp32',
    'i32': 'bool i8 i16 fp16 bf16 fp32', 'bf16': 'i8 i16 i32 fp8e4m3 fp8e5m2 fp32',
    'fp8e4m3': 'fp16 bf16 fp32', 'fp8e5m2': 'fp16 bf16 fp32',
    'fp16': 'i8 i16 i32 fp8e4m3 fp8e5m2 fp32',
    'fp32': 'i8 i16 i32 fp8e4m3 fp8e5m2 bf16 fp16'}.items() for o in outs.split())


class Cast:
    editions = base.EDITIONS

    def random_call(self, rng, edition):
        in_t, out_t = rng.choice(CAST_ROWS).split()
        shape = random_shape(rng, 0, 6 if chance(rng, 0.1) else 3, 3)
        data = base.random_tensor(rng, in_t, shape)
        if base.is_float(in_t) and base.is_float(out_t) and chance(rng, 0.4):
            # Around the values of the output format: halves, its greatest, its subnormals.
            values = []
            for _ in range(base.elements(shape)):
                value = base.random_float(rng, out_t, 'edges')
                step = math.ldexp(1.0, -rng.choice((base.fraction_bits(out_t) + 1,
                                                    base.fraction_bits(in_t))))
                value *= rng.choice((1.0, 1.0 + step, 1.0 - step, 0.5, 0.75))
                values.append(base.round_to_format(value, in_t))
            data = base.json_tensor(in_t, shape, values)
        if base.is_float(in_t) and not base.is_float(out_t) and chance(rng, 0.4):
            low, high = base.integer_range(out_t)
            values = [base.round_to_format(rng.choice((low, high, rng.randint(low, high),
                                                       rng.randint(-5, 5))) +
                                           rng.choice((-1.0, -0.5, 0.0, 0.5, 1.0)), in_t)
                      for _ in range(base.elements(shape))]
            data = base.json_tensor(in_t, shape, values)
        return finish(rng, {'arguments': {'input': data},
                            'output_types': {'output': {'dtype': out_t, 'shape': list(shape)}}},
                      0.15)

    def evaluate(self, call):
        a = Arguments(call, [('input', (0, None), 'in_t')], [('output', (0, None), 'out_t')],
                      'in_t out_t', CAST_ROWS)
        data = a.tensors['input']
        if a.shape('output') != data.shape:
            a.error('graph.shape', 'graph.output_shape', 'graph.rank')
        if a.findings.conditions:
            return a.answer()
        in_t, out_t = a.row['in_t'], a.row['out_t']
        if base.is_float(out_t):
            return self.to_float(a, data, in_t, out_t)

        def values(tensor):
            for value in tensor.data:
                if out_t == 'bool':
                    yield value != 0
                    continue
                low, high = base.integer_range(out_t)
                if base.is_float(in_t):
                    if not a.findings.require('cast.nan_to_integer', not math.isnan(value)):
                        yield 0
                        continue
                    whole = value if math.isinf(value) else round(value)
                    yield int(max(low, min(high, whole)))
                else:
                    yield (int(value) - low) % (high - low + 1) + low

        return exact_answer(a, 'output', out_t, values, data)

    def to_float(self, a, data, in_t, out_t):
        to_fp8 = out_t.startswith('fp8')
        draft = a.edition == 'tosa-0.100'
        shape = a.shape('output')
        if not base.is_float(in_t) or (draft and not to_fp8):
            exact = [float(v) for v in data.data]
            answer = a.answer()
            answer.outputs['output'] = Tensor(out_t, shape, exact)
            flushed = [base.flush(in_t, v) for v in exact] if base.is_float(in_t) else exact
            answer.flushed = {}
            if not same_data(exact, flushed):
                answer.flushed['output'] = Tensor(out_t, shape, flushed)
            answer.rules['output'] = {'kind': 'ulp', 'ulp': 0.5, 'form': a.edition}
            return answer

        def ends(values):
            pairs = [self.interval(v, out_t, draft) for v in values]
            return [list(end) for end in zip(*pairs)]

        exact = data.data
        flushed = [base.flush(in_t, v) for v in exact]
        least, most = ends(exact)
        answer = a.answer()
        answer.outputs['output'] = Tensor(out_t, shape, least)
        rule = {'kind': 'interval', 'form': a.edition, 'zero_sign': True,
                'upper': Tensor(out_t, shape, most)}
        answer.flushed = {}
        if not same_data(exact, flushed):
            low, high = ends(flushed)
            if not (same_data(low, least) and same_data(high, most)):
                answer.flushed['output'] = Tensor(out_t, shape, low)
                rule['flushed_upper'] = Tensor(out_t, shape, high)
        answer.rules['output'] = rule
        return answer

    @staticmethod
    def interval(value, out_t, draft):
        """The least and the greatest result. Infinity stands for any overflow."""
        if math.isnan(value):
            return value, value
        size, least_normal = abs(value), base.normal_min(out_t)
        greatest = base.normal_max(out_t)
        if math.isinf(size):
            # 0.100 saturates, but whether an infinity is outside of the range is not said.
            low, high = greatest if draft else base.INFINITY, base.INFINITY
        else:
            exponent = max(math.frexp(size)[1] - 1, base.FLOAT_FORMATS[out_t][1])
            unit = Fraction(2) ** (exponent - base.fraction_bits(out_t))
            below = math.floor(Fraction(size) / unit) * unit
            above = below if below == size else below + unit
            low, high = below, above
            if above - Fraction(size) > unit / 2:
                high = below  # to nearest, or toward zero
            elif draft and Fraction(size) - below > unit / 2:
                low = above  # to nearest only
            if draft:
                if 0 < size and Fraction(size) - unit / 2 < least_normal:
                    # The comparing function of 0.100 makes this of small numbers.
                    low, high = 0, max(high, Fraction(least_normal))
                low, high = min(low, Fraction(greatest)), min(high, Fraction(greatest))
            low, high = (base.INFINITY if v > greatest else float(v) for v in (low, high))
        if math.copysign(1, value) < 0:
            return -high, -low
        return low, high


MUL_ROWS = ('i8 i32', 'i16 i32', 'i32 i32', 'fp16 fp16', 'bf16 bf16', 'fp32 fp32')


class Multiply:
    editions = base.EDITIONS

    def random_call(self, rng, edition):
        in_t, out_t = rng.choice(MUL_ROWS).split()
        shape = random_shape(rng, 0, 6 if chance(rng, 0.1) else 4, 3)
        shapes = [[1 if chance(rng, 0.2) else s for s in shape] for _ in range(2)]
        shape = [max(pair) for pair in zip(*shapes)]
        mood = rng.choice(base.MOODS)
        shift = 0
        if in_t == 'i32' and chance(rng, 0.7):
            shift = rng.choice((1, 31, 62, 63, rng.randint(0, 63), rng.randint(20, 40)))
        if chance(rng, 0.05):
            shift = rng.choice((-1, 64, 63, 1))
        shift_shape = [1] if edition == 'tosa-1.0' else []
        arguments = {'input1': base.random_tensor(rng, in_t, shapes[0], mood),
                     'input2': base.random_tensor(rng, in_t, shapes[1], mood),
                     'shift': base.json_tensor('i8', shift_shape, [shift])
                              if chance(rng, 0.7) else shift}
        return finish(rng, {'arguments': arguments,
                            'output_types': {'output': {'dtype': out_t, 'shape': shape}}}, 0.25)

    def evaluate(self, call):
        a = Arguments(call, [('input1', (0, None), 'in_t'), ('input2', (0, None), 'in_t')] +
                      zero_points(call['edition'], ('shift', 'i8')),
                      [('output', (0, None), 'out_t')], 'in_t out_t i8',
                      [row + ' i8' for row in MUL_ROWS])
        one, two = a.tensors['input1'], a.tensors['input2']
        shape = a.shape('output')
        for shift in a.tensors['shift'].data:
            a.findings.require('mul.shift_range', 0 <= shift <= 63)
            a.findings.require('mul.shift_type', one.dtype == 'i32' or shift == 0)
        broadcast = None
        if len(one.shape) == len(two.shape):
            if all(x == y or 1 in (x, y) for x, y in zip(one.shape, two.shape)):
                broadcast = [y if x == 1 else x for x, y in zip(one.shape, two.shape)]
        if shape != broadcast:
            a.error('mul.broadcast', 'graph.shape', 'graph.rank')
        if a.findings.conditions:
            return a.answer()
        shift = a.tensors['shift'].data[0]
        in_t, out_t = a.row['in_t'], a.row['out_t']

        def pairs(x, y):
            for place in base.places(shape):
                yield (x.at(*(0 if s == 1 else p for s, p in zip(x.shape, place))),
                       y.at(*(0 if s == 1 else p for s, p in zip(y.shape, place))))

        if base.is_float(in_t):
            exact = [u * v for u, v in pairs(one, two)]
            flushed = [u * v for u, v in pairs(flush_tensor(one), flush_tensor(two))]
            answer = a.answer()
            answer.outputs['output'] = Tensor(out_t, shape, exact)
            answer.flushed = {}
            if not same_data(exact, flushed):
                answer.flushed['output'] = Tensor(out_t, shape, flushed)
            answer.rules['output'] = {'kind': 'ulp', 'ulp': 0.5, 'form': a.edition}
            return answer
        results = []
        for u, v in pairs(one, two):
            product = u * v
            if shift > 0:
                rounded = product + (1 << (shift - 1))
                a.findings.require('integer.overflow', rounded < 2**63)
                product = rounded >> shift
                a.findings.require('mul.product_range', -2**31 <= product < 2**31)
            else:
                # A comment has the low 32 bits kept. Products of narrower types fit.
                product = (product + 2**31) % 2**32 - 2**31
            results.append(product)
        answer = a.answer()
        if answer.outcome == 'valid':
            answer.outputs['output'] = Tensor(out_t, shape, results)
            answer.rules['output'] = exact_rule(a.edition)
            answer.flushed = {}
        return answer


OPERATORS = {
    'ARGMAX': Argmax(),
    'AVG_POOL2D': Pool(average=True),
    'CAST': Cast(),
    'CONV2D': Convolution('CONV2D'),
    'CONV3D': Convolution('CONV3D', spatial=3),
    'DEPTHWISE_CONV2D': Convolution('DEPTHWISE_CONV2D', depthwise=True),
    'FFT2D': Fourier(real=False),
    'FULLY_CONNECTED': FullyConnected(),
    'MATMUL': Matmul(),
    'MAX_POOL2D': Pool(average=False),
    'MUL': Multiply(),
    'RESCALE': Rescale(),
    'RESIZE': Resize(),
    'RFFT2D': Fourier(real=True),
    'TABLE': Table(),
    'TRANSPOSE_CONV2D': Convolution('TRANSPOSE_CONV2D', transpose=True),
}
OPERATORS.update({'REDUCE_' + kind: Reduce(kind) for kind in REDUCE_ROWS})

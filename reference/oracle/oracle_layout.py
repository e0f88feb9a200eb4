"""Data layout, GATHER and SCATTER, data nodes and shape operators, read from the specification.

A model gives names, types and ranks of its tensors in Plan; check() has the operator's conditions
and returns where each element of the output comes from.
"""

import math

import oracle_base as base
from oracle_base import Answer, Findings, Tensor
from oracle_elementwise import (check_level_rank, check_one, check_tensor, random_one,
                                random_shape, wrong_types)

FLOATS = ('fp8e4m3', 'fp8e5m2', 'fp16', 'bf16', 'fp32')
MOVED = ('bool', 'i8', 'i16', 'i32') + FLOATS
GATHERED = MOVED[1:]
HELD = ('bool', 'i4', 'i8', 'i16', 'i32', 'i48') + FLOATS
EVERY_TYPE = HELD
DRAFT = ('tosa-0.100',)
LIST_LIMIT = {'8K': 64, 'none': 256}


def shape_values(argument):
    """The numbers of a shape operand or a list attribute, given as a tensor or as a plain list."""
    if isinstance(argument, dict):
        return [int(v) for v in argument['data']]
    return list(argument)


def flush_changes(dtype, data):
    return [base.flush(dtype, value) if isinstance(value, float) else value for value in data]


def valid(name, dtype, shape, data):
    """Elements that were moved: exact, and flushed as they are."""
    answer = Answer('valid', outputs={name: Tensor(dtype, list(shape), data)})
    answer.flushed = {name: Tensor(dtype, list(shape), flush_changes(dtype, data))}
    answer.rules = {name: {'kind': 'exact', 'zero_sign': False}}
    return answer


def offset_of(shape, place):
    offset = 0
    for size, i in zip(shape, place):
        offset = offset * size + i
    return offset


class Model:
    """Holds what the operators of this module share."""
    editions = base.EDITIONS
    rows = MOVED
    output = 'output'

    def __init__(self, name):
        self.name = name

    def input_name(self, edition):
        return 'input1'

    def evaluate(self, call):
        edition, level = call['edition'], call.get('level', '8K')
        arguments = call['arguments']
        data = base.read_tensor(arguments[self.input_name(edition)])
        output = call.get('output_types', {}).get(self.output)
        if data.dtype not in self.rows or output and output['dtype'] != data.dtype:
            return wrong_types(call)
        findings = Findings()
        result = self.check(findings, edition, level, data, arguments,
                            None if output is None else list(output['shape']))
        if findings.outcome != 'valid':
            answer = Answer(findings.outcome, findings.conditions)
            # As oracle_tensor has it: where the argument table is contradicted there may be no
            # operator to speak of.
            if any(c.startswith('graph.') for c in findings.errors):
                answer.also = ('error', 'unpredictable')
            return answer
        shape, elements = result
        return valid(self.output, data.dtype, shape, elements)

    def row(self, call):
        return call['arguments'][self.input_name(call['edition'])]['dtype']

    # --- random calls ---------------------------------------------------------------------

    def random_call(self, rng, edition):
        """make() returns arguments and output shape of a legal call; spoil() changes one thing."""
        dtype = rng.choice(self.rows)
        level = 'none' if rng.random() < 0.1 else '8K'
        arguments, shape = self.make(rng, edition, dtype)
        out_type, defect = dtype, False
        kind = rng.random()
        if kind < 0.25:
            defect = True
            shape = self.spoil(rng, edition, arguments, list(shape))
        elif kind < 0.28:
            defect = True
            tensors = [n for n, a in arguments.items()
                       if isinstance(a, dict) and a['dtype'] != 'shape']
            plain = 'pad_const' in arguments and 'pad_const' not in tensors
            if plain or not tensors or rng.random() < 0.5:
                out_type = rng.choice(EVERY_TYPE)
            else:
                name = rng.choice(tensors)
                other = rng.choice(EVERY_TYPE)
                arguments[name] = base.random_tensor(rng, other, arguments[name]['shape'])
        call = {'level': level, 'arguments': arguments}
        if defect or 'pad_const' in arguments or rng.random() < 0.7:
            call['output_types'] = {self.output: {'dtype': out_type, 'shape': list(shape)}}
        return call

    def draw_shape(self, rng, low=1):
        return random_shape(rng, low, 7 if rng.random() < 0.08 else 6)

    def spoil_output(self, rng, shape):
        """Another output: of another size, rank or order."""
        if shape and rng.random() < 0.7:
            axis = rng.randrange(len(shape))
            shape[axis] += rng.choice((-1, 1, 2))
            return shape
        return rng.choice(([1] + shape, shape + [2], shape[1:]))


def shape_argument(rng, values):
    if rng.random() < 0.5:
        return list(values)
    return {'dtype': 'shape', 'shape': [len(values)], 'data': list(values)}


def spoil_list(rng, values):
    """A list with an element too many, too few or another by a little."""
    values = list(values)
    kind = rng.random()
    if kind < 0.15:
        return values + [rng.randint(0, 2)]
    if kind < 0.3 and len(values) > 1:
        return values[:-1]
    if values:
        values[rng.randrange(len(values))] += rng.choice((-3, -2, -1, 1, 2))
    return values


def compare_output(findings, condition, shape, output):
    """The output follows from the inputs: another one is refused."""
    if output is not None and not findings.errors:
        findings.error_if(condition, shape != output)


class Pad(Model):
    def make(self, rng, edition, dtype):
        shape = self.draw_shape(rng)
        padding = [rng.choice((0, 0, 1, 2)) for _ in range(2 * len(shape))]
        constant = base.random_data(rng, dtype, 1)[0]
        arguments = {'input1': base.random_tensor(rng, dtype, shape),
                     'padding': shape_argument(rng, padding)}
        arguments['pad_const'] = base.json_value(constant)
        if edition == 'tosa-1.0' and rng.random() < 0.8:
            arguments['pad_const'] = random_one(rng, dtype, constant)
        return arguments, [padding[2 * i] + size + padding[2 * i + 1]
                           for i, size in enumerate(shape)]

    def spoil(self, rng, edition, arguments, shape):
        if rng.random() < 0.5:
            return self.spoil_output(rng, shape)
        padding = spoil_list(rng, shape_values(arguments['padding']))
        arguments['padding'] = shape_argument(rng, padding)
        old = arguments['input1']['shape']
        if rng.random() < 0.7 and len(padding) == 2 * len(old):
            shape = [padding[2 * i] + size + padding[2 * i + 1] for i, size in enumerate(old)]
        return shape

    def evaluate(self, call):
        constant = call['arguments']['pad_const']
        if isinstance(constant, dict) and constant['dtype'] != self.row(call):
            return wrong_types(call)
        return super().evaluate(call)

    def check(self, findings, edition, level, data, arguments, output):
        check_one(findings, arguments['pad_const'], data.dtype)
        padding = shape_values(arguments['padding'])
        constant = arguments['pad_const']
        constant = constant['data'][0] if isinstance(constant, dict) else constant
        constant = base.number(constant, data.dtype)
        old = data.shape
        check_tensor(findings, old, 1, None, level)
        if len(padding) != 2 * len(old):
            if edition == 'tosa-1.0':
                findings.error_if('graph.shape', True)
            elif output is None or len(output) == len(old):
                findings.require('pad.padding_length', False)
        if output is not None:
            check_tensor(findings, output, 1, None, level)
            findings.error_if('pad.rank_mismatch', len(output) != len(old))
        # A rank beyond the level is told even where something else is wrong.
        if len(padding) != 2 * len(old) or (output is not None and len(output) != len(old)):
            check_level_rank(findings, 'PAD', output or old, level)
            return None
        shape = [padding[2 * i] + size + padding[2 * i + 1] for i, size in enumerate(old)]
        check_level_rank(findings, 'PAD', shape, level)
        findings.error_if('pad.padding_negative', min(padding) < 0)
        findings.error_if('pad.output_dimension', output is not None and shape != output)
        if findings.outcome != 'valid':
            return None
        elements = []
        for place in base.places(shape):
            source = [i - padding[2 * axis] for axis, i in enumerate(place)]
            inside = all(0 <= i < size for i, size in zip(source, old))
            elements.append(data.at(*source) if inside else constant)
        return shape, elements


class Reshape(Model):
    def make(self, rng, edition, dtype):
        low = 1 if edition in DRAFT else 0
        shape = self.draw_shape(rng, low)
        new = list(shape)
        rng.shuffle(new)
        for _ in range(rng.randint(0, 2)):
            if len(new) >= 2 and rng.random() < 0.6:
                new = [new[0] * new[1]] + new[2:]
            else:
                new.insert(rng.randint(0, len(new)), 1)
        if math.prod(shape) == 1 and rng.random() < 0.5:
            new = [1] * rng.randint(low, 2)
        return {'input1': base.random_tensor(rng, dtype, shape),
                'shape': shape_argument(rng, new)}, new

    def spoil(self, rng, edition, arguments, shape):
        kind = rng.random()
        if kind < 0.4:
            return self.spoil_output(rng, shape)
        if kind < 0.6 and len(shape) > 1:  # the same number of elements, otherwise arranged
            return shape[::-1]
        new = spoil_list(rng, shape)
        arguments['shape'] = shape_argument(rng, new)
        return new if rng.random() < 0.6 else shape

    def check(self, findings, edition, level, data, arguments, output):
        operand = shape_values(arguments['shape'])
        low = 1 if edition in DRAFT else 0
        shape = operand if output is None else output
        check_tensor(findings, data.shape, low, None, level)
        check_tensor(findings, shape, low, None, level)
        check_level_rank(findings, 'RESHAPE', data.shape, level, '_input1')
        check_level_rank(findings, 'RESHAPE', shape, level, '_output')
        findings.error_if('graph.shape', len(operand) != len(shape))
        findings.error_if('reshape.size_mismatch', math.prod(shape) != math.prod(data.shape))
        findings.error_if('graph.output_shape', operand != shape)
        return shape, data.data


class Reverse(Model):
    def input_name(self, edition):
        return 'input' if edition in DRAFT else 'input1'

    def make(self, rng, edition, dtype):
        shape = self.draw_shape(rng)
        return {self.input_name(edition): base.random_tensor(rng, dtype, shape),
                'axis': rng.randrange(len(shape))}, shape

    def spoil(self, rng, edition, arguments, shape):
        if rng.random() < 0.3:
            return self.spoil_output(rng, shape)
        arguments['axis'] = rng.choice((-1, -len(shape), len(shape), len(shape) + 1))
        return shape

    def check(self, findings, edition, level, data, arguments, output):
        axis, shape = arguments['axis'], data.shape
        check_tensor(findings, shape, 1, None, level)
        check_tensor(findings, shape if output is None else output, 1, None, level)
        check_level_rank(findings, 'REVERSE', shape, level)
        findings.error_if('graph.shape', output is not None and output != shape)
        if findings.error_if('reverse.axis_range', not 0 <= axis < len(shape)):
            return None
        elements = []
        for place in base.places(shape):
            source = list(place)
            source[axis] = shape[axis] - 1 - source[axis]
            elements.append(data.at(*source))
        return shape, elements


class Slice(Model):
    def make(self, rng, edition, dtype):
        shape = self.draw_shape(rng)
        start = [rng.randrange(size) for size in shape]
        size = [rng.randint(1, whole - first) for whole, first in zip(shape, start)]
        return {'input1': base.random_tensor(rng, dtype, shape),
                'start': shape_argument(rng, start), 'size': shape_argument(rng, size)}, size

    def spoil(self, rng, edition, arguments, shape):
        if rng.random() < 0.3:
            return self.spoil_output(rng, shape)
        name = rng.choice(('start', 'size'))
        values = spoil_list(rng, shape_values(arguments[name]))
        arguments[name] = shape_argument(rng, values)
        return values if name == 'size' and rng.random() < 0.6 else shape

    def check(self, findings, edition, level, data, arguments, output):
        start, size = shape_values(arguments['start']), shape_values(arguments['size'])
        rank = len(data.shape)
        shape = size if output is None else output
        check_tensor(findings, data.shape, 1, None, level)
        check_tensor(findings, shape, 1, None, level)
        check_level_rank(findings, 'SLICE', shape, level)
        if findings.error_if('graph.shape', len(start) != rank or len(size) != rank):
            findings.errors.add('slice.list_length')
            return None
        findings.error_if('slice.rank_mismatch', len(shape) != rank)
        findings.error_if('slice.start_negative', min(start) < 0)
        findings.error_if('slice.size_not_positive', min(size) <= 0)
        findings.error_if('slice.end_range', any(
            first + count > whole for first, count, whole in zip(start, size, data.shape)))
        findings.error_if('slice.output_dimension', size != shape)
        if findings.outcome != 'valid':
            return None
        return shape, [data.at(*(i + first for i, first in zip(place, start)))
                       for place in base.places(shape)]


class Tile(Model):
    def make(self, rng, edition, dtype):
        while True:
            shape = self.draw_shape(rng)
            multiples = [rng.choice((1, 1, 2, 3)) for _ in shape]
            new = [size * times for size, times in zip(shape, multiples)]
            if math.prod(new) <= 200:
                break
        return {'input1': base.random_tensor(rng, dtype, shape),
                'multiples': shape_argument(rng, multiples)}, new

    def spoil(self, rng, edition, arguments, shape):
        if rng.random() < 0.4:
            return self.spoil_output(rng, shape)
        multiples = spoil_list(rng, shape_values(arguments['multiples']))
        arguments['multiples'] = shape_argument(rng, multiples)
        return shape

    def check(self, findings, edition, level, data, arguments, output):
        multiples = shape_values(arguments['multiples'])
        check_tensor(findings, data.shape, 1, None, level)
        if findings.error_if('graph.shape', len(multiples) != len(data.shape)):
            if output is not None:
                check_tensor(findings, output, 1, None, level)
                check_level_rank(findings, 'TILE', output, level)
            return None
        new = [size * times for size, times in zip(data.shape, multiples)]
        shape = new if output is None else output
        check_tensor(findings, shape, 1, None, level)
        check_level_rank(findings, 'TILE', shape, level)
        if not findings.error_if('tile.rank_mismatch', len(shape) != len(data.shape)):
            findings.error_if('tile.output_dimension', shape != new)
        if findings.outcome != 'valid':
            return None
        return shape, [data.at(*(i % size for i, size in zip(place, data.shape)))
                       for place in base.places(shape)]


class Transpose(Model):
    def make(self, rng, edition, dtype):
        shape = self.draw_shape(rng)
        perms = list(range(len(shape)))
        rng.shuffle(perms)
        return {'input1': base.random_tensor(rng, dtype, shape),
                'perms': perms}, [shape[axis] for axis in perms]

    def spoil(self, rng, edition, arguments, shape):
        if rng.random() < 0.3:
            return self.spoil_output(rng, shape)
        arguments['perms'] = spoil_list(rng, arguments['perms'])
        return shape

    def check(self, findings, edition, level, data, arguments, output):
        perms, old = shape_values(arguments['perms']), data.shape
        rank = len(old)
        if findings.error_if('graph.shape', len(perms) != rank):
            findings.errors.add('graph.attribute')
        check_tensor(findings, old, 1, None, level)
        if output is not None:
            check_tensor(findings, output, 1, None, level)
        check_level_rank(findings, 'TRANSPOSE', old if output is None else output, level)
        if 'graph.shape' in findings.errors:
            return None
        if output is not None:
            findings.error_if('transpose.rank_mismatch', len(output) != rank)
            findings.error_if('transpose.size_mismatch', math.prod(output) != math.prod(old))
        findings.error_if('transpose.perm_too_large', max(perms) >= rank)
        findings.error_if('transpose.perm_negative', min(perms) < 0)
        findings.error_if('transpose.perm_repeated', len(set(perms)) < rank)
        if findings.outcome != 'valid':
            findings.errors.add('transpose.output_dimension')
            return None
        shape = [old[axis] for axis in perms]
        if findings.error_if('transpose.output_dimension',
                             output is not None and output != shape):
            return None
        elements = []
        for place in base.places(shape):
            source = [0] * rank
            for axis, i in zip(perms, place):
                source[axis] = i
            elements.append(data.at(*source))
        return shape, elements


class Concat(Model):
    def make(self, rng, edition, dtype):
        if edition in DRAFT and rng.random() < 0.1:
            count = rng.randint(1, 4)
            return {'input1': [base.random_tensor(rng, dtype, []) for _ in range(count)],
                    'axis': 0}, [count]
        shape = self.draw_shape(rng)
        axis = rng.randrange(len(shape))
        count = rng.randint(1, 4)
        if rng.random() < 0.03:
            count, shape = rng.choice((63, 64, 65, 256)), [1] * len(shape)
        shapes = [list(shape) for _ in range(count)]
        if count < 10:
            for one in shapes:
                one[axis] = rng.randint(1, 3)
        shape[axis] = sum(one[axis] for one in shapes)
        return {'input1': [base.random_tensor(rng, dtype, one) for one in shapes],
                'axis': axis}, shape

    def spoil(self, rng, edition, arguments, shape):
        kind = rng.random()
        tensors = arguments['input1']
        if kind < 0.3:
            return self.spoil_output(rng, shape)
        if kind < 0.35:
            arguments['input1'] = []
        elif kind < 0.6:
            arguments['axis'] = rng.choice((-1, len(shape), len(shape) + 1, -len(shape)))
        else:
            i = rng.randrange(len(tensors))
            other = self.spoil_output(rng, list(tensors[i]['shape']))
            dtype = tensors[i]['dtype'] if rng.random() < 0.85 else rng.choice(EVERY_TYPE)
            tensors[i] = base.random_tensor(rng, dtype, other)
        return shape

    def row(self, call):
        tensors = call['arguments']['input1']
        return tensors[0]['dtype'] if tensors else 'none'

    def evaluate(self, call):
        edition, level = call['edition'], call.get('level', '8K')
        tensors = [base.read_tensor(one) for one in call['arguments']['input1']]
        axis = call['arguments']['axis']
        output = call.get('output_types', {}).get('output')
        types = {one.dtype for one in tensors} | ({output['dtype']} if output else set())
        if len(types) > 1 or not types <= set(MOVED):
            return wrong_types(call)
        findings = Findings()
        shapes = [one.shape for one in tensors]
        for one in shapes:
            check_tensor(findings, one, 0 if edition in DRAFT else 1, None, level)
        out_shape = output['shape'] if output else None
        if out_shape is not None:
            check_tensor(findings, out_shape, 1, None, level)
            check_level_rank(findings, 'CONCAT', out_shape, level)
        elif shapes:
            check_level_rank(findings, 'CONCAT', shapes[0], level)
        if edition == 'tosa-1.0':
            findings.require('concat.level_list_size', len(tensors) <= LIST_LIMIT[level])
        if not tensors:
            findings.errors.add('concat.empty_list' if edition == 'tosa-1.0' else 'concat.axis_sum')
            return Answer(findings.outcome, findings.conditions)
        rank = len(shapes[0])
        different = findings.error_if('concat.rank_mismatch', any(len(s) != rank for s in shapes))
        if not findings.error_if('concat.axis_range', not 0 <= axis < max(1, rank)):
            if different:
                # Nothing more is well defined: an implementation may find any of these, too.
                findings.errors.update(('concat.dimension_mismatch', 'concat.axis_sum',
                                        'graph.output_shape'))
            else:
                findings.error_if('concat.dimension_mismatch', any(
                    s[i] != shapes[0][i] for s in shapes for i in range(rank) if i != axis))
                total = sum(s[axis] if rank else 1 for s in shapes)
                shape = list(shapes[0]) if rank else [0]
                shape[axis] = total
                if out_shape is not None:
                    findings.error_if('concat.axis_sum',
                                      axis >= len(out_shape) or out_shape[axis] != total)
                    findings.error_if('graph.output_shape', out_shape != shape)
        if findings.outcome != 'valid':
            return Answer(findings.outcome, findings.conditions)
        elements = []
        for place in base.places(shape):
            source = list(place)
            for one in tensors:
                size = one.shape[axis] if rank else 1
                if source[axis] < size:
                    elements.append(one.at(*source) if rank else one.data[0])
                    break
                source[axis] -= size
        return valid('output', tensors[0].dtype, shape, elements)


class Gather(Model):
    rows = GATHERED

    def input_name(self, edition):
        return 'values'

    def make(self, rng, edition, dtype):
        n, k, c, w = (rng.randint(1, 4) for _ in range(4))
        indices = [rng.randrange(k) for _ in range(n * w)]
        if rng.random() < 0.12:
            indices[rng.randrange(n * w)] = rng.choice((-1, k, k + 1, 2**31 - 1, -2**31))
        return {'values': base.random_tensor(rng, dtype, [n, k, c]),
                'indices': base.json_tensor('i32', [n, w], indices)}, [n, w, c]

    def spoil(self, rng, edition, arguments, shape):
        if rng.random() < 0.5:
            return self.spoil_output(rng, shape)
        name = rng.choice(list(arguments))
        old = arguments[name]
        new = [max(1, size) for size in self.spoil_output(rng, list(old['shape']))]
        if name == 'indices':
            arguments[name] = base.json_tensor('i32', new, [0] * math.prod(new))
        else:
            arguments[name] = base.random_tensor(rng, old['dtype'], new)
        return shape

    def evaluate(self, call):
        if call['arguments']['indices']['dtype'] != 'i32':
            return Answer('error', {'graph.type_row'})
        return super().evaluate(call)

    def check(self, findings, edition, level, data, arguments, output):
        indices = base.read_tensor(arguments['indices'])
        check_tensor(findings, data.shape, 3, 3, level)
        check_tensor(findings, indices.shape, 2, 2, level)
        if output is not None:
            check_tensor(findings, output, 3, 3, level)
        if findings.outcome != 'valid':
            return None
        n, k, c = data.shape
        w = indices.shape[1]
        findings.error_if('graph.shape', indices.shape[0] != n or
                          output is not None and output != [n, w, c])
        if findings.outcome != 'valid':
            return None
        findings.require('gather.index_range', all(0 <= i < k for i in indices.data))
        if findings.outcome != 'valid':
            return None
        return [n, w, c], [data.at(b, indices.at(b, i), channel)
                           for b, i, channel in base.places([n, w, c])]


class Scatter(Gather):
    output = 'values_out'

    def input_name(self, edition):
        return 'values_in'

    def make(self, rng, edition, dtype):
        n, k, c = (rng.randint(1, 4) for _ in range(3))
        w = rng.randint(1, k)
        indices = [i for _ in range(n) for i in rng.sample(range(k), w)]
        if rng.random() < 0.12:
            indices[rng.randrange(n * w)] = rng.choice((-1, k, k + 1, indices[0], indices[-1]))
        if rng.random() < 0.04:
            w += k
            indices = [rng.randrange(k) for _ in range(n * w)]
        return {'values_in': base.random_tensor(rng, dtype, [n, k, c]),
                'indices': base.json_tensor('i32', [n, w], indices),
                'input': base.random_tensor(rng, dtype, [n, w, c])}, [n, k, c]

    def evaluate(self, call):
        if call['arguments']['input']['dtype'] != call['arguments']['values_in']['dtype']:
            return Answer('error', {'graph.type_row'})
        return super().evaluate(call)

    def check(self, findings, edition, level, data, arguments, output):
        indices = base.read_tensor(arguments['indices'])
        source = base.read_tensor(arguments['input'])
        for tensor, rank in ((data, 3), (indices, 2), (source, 3)):
            check_tensor(findings, tensor.shape, rank, rank, level)
        if output is not None:
            check_tensor(findings, output, 3, 3, level)
        if findings.outcome != 'valid':
            return None
        n, k, c = data.shape
        w = indices.shape[1]
        findings.error_if('graph.shape', indices.shape[0] != n or source.shape != [n, w, c] or
                          output is not None and output != [n, k, c])
        if findings.outcome != 'valid':
            return None
        elements = list(data.data)
        for b in range(n):
            row = indices.data[b * w:(b + 1) * w]
            findings.require('scatter.index_range', all(0 <= i < k for i in row))
            findings.require('scatter.index_repeated', len(set(row)) == len(row))
            if findings.outcome != 'valid':
                continue
            for i, target in enumerate(row):
                for channel in range(c):
                    elements[offset_of([n, k, c], (b, target, channel))] = source.at(b, i, channel)
        return [n, k, c], elements


class Identity(Model):
    rows = HELD

    def make(self, rng, edition, dtype):
        shape = self.draw_shape(rng, 0)
        return {self.input_name(edition): base.random_tensor(rng, dtype, shape)}, shape

    def spoil(self, rng, edition, arguments, shape):
        return self.spoil_output(rng, shape)

    def check(self, findings, edition, level, data, arguments, output):
        check_tensor(findings, data.shape, 0, None, level)
        shape = data.shape if output is None else output
        check_tensor(findings, shape, 0, None, level)
        if findings.error_if('graph.shape', shape != data.shape):
            findings.errors.update(('graph.output_shape', 'graph.attribute'))
        return shape, data.data


class Const(Identity):
    """A call cannot say that the output is of another shape or type than the values: a graph has no
    place for it."""

    def input_name(self, edition):
        return 'values'

    def random_call(self, rng, edition):
        dtype = rng.choice(self.rows)
        shape = self.draw_shape(rng, 0)
        return {'arguments': {'values': base.random_tensor(rng, dtype, shape)}}


# --- shapes ---------------------------------------------------------------------------------


class ShapeModel:
    """A shape operator; what it yields is a shape."""
    editions = DRAFT

    def __init__(self, name):
        self.name = name

    def row(self, call):
        return 'shape'

    def evaluate(self, call):
        output = call.get('output_types', {}).get('output')
        if output and output['dtype'] != 'shape':
            return Answer('error', {'graph.type_row'})
        if output and len(output['shape']) != 1:
            return Answer('error', {'graph.rank'})
        findings = Findings()
        values = self.check(findings, call, output['shape'][0] if output else None)
        if findings.outcome != 'valid':
            return Answer(findings.outcome, findings.conditions)
        return valid('output', 'shape', [len(values)], values)

    def random_call(self, rng, edition):
        arguments, length = self.make(rng)
        call = {'arguments': arguments, 'level': rng.choice(('8K', '8K', 'none'))}
        if length is not None and rng.random() < 0.7:
            length += rng.choice((-1, 1)) if rng.random() < 0.1 else 0
            call['output_types'] = {'output': {'dtype': 'shape', 'shape': [max(length, 0)]}}
        return call


def as_shape(values):
    return {'dtype': 'shape', 'shape': [len(values)], 'data': list(values)}


class ConstShape(ShapeModel):
    editions = base.EDITIONS

    def make(self, rng):
        values = [rng.choice((0, 1, 2, 7, 2**31 - 1)) for _ in range(rng.randint(0, 6))]
        return {'values': shape_argument(rng, values)}, None

    def check(self, findings, call, length):
        return shape_values(call['arguments']['values'])


class ConcatShape(ShapeModel):
    def make(self, rng):
        lists = [[rng.randint(0, 9) for _ in range(rng.randint(0, 3))]
                 for _ in range(rng.randint(1, 4))]
        return {'input1': [as_shape(one) for one in lists]}, sum(map(len, lists))

    def check(self, findings, call, length):
        values = [v for one in call['arguments']['input1'] for v in shape_values(one)]
        findings.error_if('concat_shape.length_sum', length not in (None, len(values)))
        return values


class Dim(ShapeModel):
    def make(self, rng):
        shape = random_shape(rng, 0 if rng.random() < 0.05 else 1, 7 if rng.random() < 0.1 else 6)
        axis = rng.randrange(len(shape)) if shape else 0
        if rng.random() < 0.2 and shape:
            axis = rng.choice((-1, len(shape), len(shape) + 1))
        dtype = rng.choice(MOVED)
        return {'input1': base.random_tensor(rng, dtype, shape), 'axis': axis}, 1

    def random_call(self, rng, edition):
        call = super().random_call(rng, edition)
        if not call['arguments']['input1']['shape']:  # an error: its output cannot be inferred
            call['output_types'] = {'output': {'dtype': 'shape', 'shape': [1]}}
        if 'output_types' in call and rng.random() < 0.05:
            data = call['arguments']['input1']
            call['arguments']['input1'] = base.random_tensor(rng, rng.choice(EVERY_TYPE),
                                                             data['shape'])
        return call

    def row(self, call):
        return call['arguments']['input1']['dtype']

    def check(self, findings, call, length):
        data, axis = call['arguments']['input1'], call['arguments']['axis']
        level = call.get('level', '8K')
        if findings.error_if('graph.type_row', data['dtype'] not in MOVED):
            return None
        check_tensor(findings, data['shape'], 1, None, level)
        check_level_rank(findings, 'DIM', data['shape'], level)
        findings.error_if('dim.axis_range', not 0 <= axis < len(data['shape']))
        findings.error_if('graph.output_shape', length not in (None, 1))
        return [data['shape'][axis]] if findings.outcome == 'valid' else None


def truncated(a, b):
    quotient = abs(a) // abs(b)
    return quotient if (a < 0) == (b < 0) else -quotient


ARITHMETIC = {
    'ADD_SHAPE': lambda a, b: a + b,
    'SUB_SHAPE': lambda a, b: a - b,
    'MUL_SHAPE': lambda a, b: a * b,
    'DIV_SHAPE': truncated,
}


class ShapeArithmetic(ShapeModel):
    """Sizes that only one of the readings of size_t has (negative, or of 32 bits) are not asked."""

    def make(self, rng):
        length = rng.randint(0, 5)
        first, second = [], []
        while len(first) < length:
            a, b = (rng.choice((0, 1, 2, 3, 7, 64, 65536, 2**31 - 1)) for _ in range(2))
            if b == 0 and self.name == 'DIV_SHAPE':
                b = 0 if rng.random() < 0.05 else 3
            if b != 0 or self.name != 'DIV_SHAPE':
                result = ARITHMETIC[self.name](a, b)
                if result < 0 or 2**31 <= result < 2**32:
                    continue
            first.append(a)
            second.append(b)
        wanted = length
        if rng.random() < 0.1:
            second = second + [1] if rng.random() < 0.5 or not second else second[:-1]
        return {'input1': as_shape(first), 'input2': as_shape(second)}, wanted

    def check(self, findings, call, length):
        first = shape_values(call['arguments']['input1'])
        second = shape_values(call['arguments']['input2'])
        if findings.error_if(f'{self.name.lower()}.length_mismatch', len(first) != len(second)):
            findings.errors.update(('graph.output_shape', 'graph.shape'))
            return None
        if findings.error_if('graph.output_shape', length not in (None, len(first))):
            findings.errors.add('graph.shape')
            return None
        bits = 63 if call.get('level') == 'none' else 31
        results = []
        for a, b in zip(first, second):
            if self.name == 'DIV_SHAPE' and not findings.require('div_shape.zero_divisor', b != 0):
                return None
            result = ARITHMETIC[self.name](a, b)
            findings.require('integer.overflow', result < 2**bits)
            results.append(result)
        return results


OPERATORS = {model.name: model for model in [
    Concat('CONCAT'), Pad('PAD'), Reshape('RESHAPE'), Reverse('REVERSE'), Slice('SLICE'),
    Tile('TILE'), Transpose('TRANSPOSE'), Gather('GATHER'), Scatter('SCATTER'), Const('CONST'),
    Identity('IDENTITY'), ConstShape('CONST_SHAPE'), ConcatShape('CONCAT_SHAPE'), Dim('DIM'),
] + [ShapeArithmetic(name) for name in ARITHMETIC]}

#!/usr/bin/python3
"""Error cases that break a requirement as well.

By the letter of the specification such a graph is unpredictable: an implementation that accepts it is
not wrong. Every error case of a suite is read as if its ERROR_IF were not there: what then does the
text of the operator require of its data and positions (REQUIRE), and do they break it? Where tensors
contradict the argument tables, their numbers count with every shape and type that the tables allow.

Written from the specification alone, not from the reference. Expected are exactly the pairs of
condition and operator in the table of schemas/editions/notes.md, section "Error cases beside a broken
requirement", each with the reason why it cannot be otherwise.

    reference/oracle/error_requirements.py --tensor-cts build/release/tools/tensor-cts [--show]

Exit code: 0 as notes.md says, 1 not, 2 usage or environment.
"""

import argparse
import ast
import collections
import itertools
import json
import math
import pathlib
import re
import struct
import subprocess
import sys
import tempfile

SOURCE = pathlib.Path(__file__).resolve().parents[2]
HEADING = '### Error cases beside a broken requirement'
RECIPES = {'tosa-1.0': 'certify', 'tosa-0.100': 'certify-0.100', 'rvtensor': 'rvtensor'}
BITS = {'bool': 1, 'i4': 4, 'i8': 8, 'i16': 16, 'i32': 32, 'i48': 48, 'i64': 64}
NPY_FORMATS = {'|b1': '?', '|i1': 'b', '<i2': 'h', '<i4': 'i', '<i8': 'q', '<f2': 'e', '<f4': 'f',
               '<f8': 'd', '<V2': 'H', '|V1': 'B'}


# --- Cases ----------------------------------------------------------------------------------------


def element(descr, dtype, x):
    if descr == '<V2':
        return struct.unpack('<f', struct.pack('<I', x << 16))[0]
    if descr == '|V1':  # fp8: its sign, and whether it is zero or a NaN, is all that is asked for
        is_nan = x & 0x7f == 0x7f if dtype == 'fp8e4m3' else x & 0x7f > 0x7c
        return math.nan if is_nan else 0.0 if x & 0x7f == 0 else -1.0 if x >> 7 else 1.0
    return x


def read_npy(path, dtype):
    data = path.read_bytes()
    end = 10 + struct.unpack('<H', data[8:10])[0]
    header = ast.literal_eval(data[10:end].decode())
    descr = header['descr']
    numbers = struct.unpack(f'<{math.prod(header["shape"])}{NPY_FORMATS[descr]}', data[end:])
    return [element(descr, dtype, x) for x in numbers]


class Call:
    """One operator of a case: tensors by argument (lists as lists) and attributes."""

    def __init__(self, case, inputs, folder, block, node, spec):
        self.edition, self.types = case['edition'], case.get('types', {})
        self.op, self.spec = node['operator'], spec
        self.attributes = node['attributes']
        self.tensors = collections.defaultdict(list)  # argument: [(dtype, shape, numbers or None)]
        tensors = {t['name']: t for t in block['tensors']}
        for category, names in (('input', node['inputs']), ('output', node['outputs'])):
            arguments = [a for a in spec['arguments'] if a['category'] == category]
            single = sum(not is_list(a) for a in arguments)
            rest = list(names)
            for argument in arguments:
                count = max(0, len(names) - single) if is_list(argument) else 1
                for name in rest[:count]:
                    t = tensors[name]
                    file = t.get('values') or inputs.get(name)
                    values = read_npy(folder / file, t['dtype']) if file else None
                    self.tensors[argument['name']].append((t['dtype'], t['shape'], values))
                rest = rest[count:]

    def find(self, *names):
        """The first of these arguments that the edition has; None if it has none of them."""
        return next((n for n in names if any(a['name'] == n for a in self.spec['arguments'])), None)

    def shape(self, *names):
        found = self.tensors.get(self.find(*names))
        return found[0][1] if found else None

    def numbers(self, *names):
        """The numbers of an operand or of an attribute, as a list; None if they are not known."""
        name = self.find(*names)
        if self.tensors.get(name):
            return self.tensors[name][0][2]
        value = self.attributes.get(name)
        if isinstance(value, dict):
            return [float(value['float'])]
        if isinstance(value, (bool, int)):
            return [value]
        return value if isinstance(value, list) else None

    def type(self, variable):
        """The type of a variable in the row that the case is of."""
        return self.types.get(variable)

    def sizes(self, dimension):
        """Every size that a tensor has for a dimension of the argument tables.

        For a tensor of another rank, the last dimensions count as the last ones of the table.
        """
        found = set()
        for argument in self.spec['arguments']:
            names = argument.get('shape', '-').strip('[]').split(',')
            for _, shape, _ in self.tensors.get(argument['name'], []):
                if dimension in names and len(names) - names.index(dimension) <= len(shape):
                    found.add(shape[names.index(dimension) - len(names)])
        return found


def is_list(argument):
    return argument['type'].startswith(('tensor_list_t', 'shape_list_t'))


# --- What the operators require -------------------------------------------------------------------


def fits(value, dtype):
    bits = BITS[dtype]
    return -(1 << bits - 1) <= value < 1 << bits - 1


def pairs(call):
    """The pairs of numbers that meet: by broadcasting, or where that is broken each with each."""
    x, y = call.numbers('input1'), call.numbers('input2')
    shape1, shape2 = call.shape('input1'), call.shape('input2')
    if x is None or y is None:
        return
    if len(shape1) != len(shape2) or any(a != b and 1 not in (a, b) for a, b in zip(shape1, shape2)):
        yield from itertools.product(set(x), set(y))
        return
    shape = [max(a, b) for a, b in zip(shape1, shape2)]
    for place in itertools.product(*map(range, shape)):
        at = [0, 0]
        for i, p in enumerate(place):
            at[0] = at[0] * shape1[i] + (p if shape1[i] > 1 else 0)
            at[1] = at[1] * shape2[i] + (p if shape2[i] > 1 else 0)
        yield x[at[0]], y[at[1]]


def is_of_integers(call, variable):
    return call.type(variable) in BITS


def needs(*arguments):
    """A function of requirements for a call that has tensors for these arguments."""
    def of(require):
        def if_there(call):
            if all(call.shape(*name.split('|')) is not None for name in arguments):
                yield from require(call)
        return if_there
    return of


def binary(holds, name):
    def require(call):
        if is_of_integers(call, 'in_out_t') and not all(holds(call, x, y) for x, y in pairs(call)):
            yield name
    return require


def overflow(operation):
    return binary(lambda call, x, y: call.type('in_out_t') != 'i32' or fits(operation(x, y), 'i32'),
                  'the result fits i32')


def shift(call, _, y):
    logical_0100 = call.edition == 'tosa-0.100' and call.op.startswith('LOGICAL')
    return 0 <= y < (32 if logical_0100 else BITS[call.type('in_out_t')])


def intdiv(call):
    for x, y in pairs(call):
        if y == 0:
            yield 'no divisor is 0'
        elif not fits(abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1), 'i32'):
            yield 'the quotient fits i32'


def power(call):
    if call.edition == 'tosa-0.100':
        return
    for x, y in pairs(call):
        if not (x >= 0 and (x > 0 or y > 0) and math.isfinite(x) and math.isfinite(y)):
            yield 'base and exponent have a defined power'


def multiply(call):
    shifts = call.numbers('shift') or [0]
    types = {call.type('in_t')} | {dtype for dtype, _, _ in call.tensors['input1']}
    for s in shifts:
        if not 0 <= s <= 63:
            yield 'shift is 0 to 63'
        if s != 0 and types != {'i32'}:
            yield 'shift is 0 unless the inputs are i32'
        if is_of_integers(call, 'in_t'):
            for x, y in pairs(call):
                if s > 0 and not fits((x * y + (1 << s - 1)) >> s, 'i32'):
                    yield 'the product fits i32'


def unary(call):
    numbers = call.numbers('input1', 'input')
    zero_points = [(call.numbers(n) or [0])[0] for n in ('input1_zp', 'output_zp')]
    if call.type('in_out_t') != 'i32' or numbers is None:
        return
    for x in numbers:
        result = abs(x) if call.op == 'ABS' else zero_points[0] - x
        if not fits(result, 'i32') or call.op == 'NEGATE' and not fits(
                result + zero_points[1], 'i32'):
            yield 'the result fits i32'


@needs('indices')
def indices(call):
    numbers, shape = call.numbers('indices'), call.shape('indices')
    if numbers is None:
        return
    if not all(0 <= k < least for k in numbers for least in call.sizes('K')):
        yield 'indices are 0 to K - 1'
    width = shape[-1] if shape else 1
    for start in range(0, len(numbers), width):
        batch = numbers[start:start + width]
        if call.op == 'SCATTER' and len(set(batch)) < len(batch):
            yield 'an index stands once in a batch'


def table(call):
    entries, numbers = call.numbers('table'), call.numbers('input1', 'input')
    is_wide = call.type('in_t') == 'i16'
    if entries is None:
        return
    if len(entries) != (513 if is_wide else 256):
        yield 'table has TABLE_SIZE elements'
    elif is_wide and numbers is not None:
        for x in numbers:
            at = (x + 32768) >> 7
            if not fits(entries[at + 1] - entries[at], 'i16'):
                yield 'the slope of the table fits i16'


def extend(value, dtype, is_unsigned):
    return value + (1 << BITS[dtype]) if is_unsigned and value < 0 else value


def rescale(call):
    multipliers, shifts = call.numbers('multiplier'), call.numbers('shift')
    numbers, shape = call.numbers('input'), call.shape('input')
    flag = call.attributes.get
    if None in (multipliers, shifts, numbers):
        return
    in_t = call.type('in_t')
    zero_point = (call.numbers('input_zp', 'in_qpoint') or [0])[0]
    scale32 = flag('scale32') is True
    per_channel = flag('per_channel') is True and shape
    if not all(m >= 0 for m in multipliers):
        yield 'multiplier is not negative'
    if not all(2 <= s <= 62 for s in shifts):
        yield 'shift is 2 to 62'
        return
    unsigned = True in (flag('input_unsigned'), flag('in_unsigned'))
    for i, x in enumerate(numbers):
        x = extend(int(x), in_t, unsigned) - extend(int(zero_point), in_t, unsigned)
        # Where the lists contradict the shape, any of their elements may be meant.
        c = i % shape[-1] if per_channel else 0
        is_right = len(multipliers) == len(shifts) == (shape[-1] if per_channel else 1)
        chosen = ([(multipliers[c], int(shifts[c]))] if is_right
                  else itertools.product(set(multipliers), map(int, set(shifts))))
        for m, s in chosen:
            if scale32 and not -(1 << s - 1) <= x < 1 << s - 1:
                yield 'the value is within its shift'
            if not scale32 and not fits((int(x) * int(m) + (1 << s - 1)) >> s, 'i32'):
                yield 'the scaled value fits i32'


def cast(call):
    if call.type('out_t') in BITS and call.type('out_t') != 'bool':
        if any(isinstance(x, float) and math.isnan(x) for x in call.numbers('input') or []):
            yield 'no NaN is converted to an integer'


def average(call):
    """The count of elements of a window has to be above 0 where it is a divisor of integers."""
    lists = [call.numbers(n) for n in ('kernel', 'stride', 'pad')]
    if not is_of_integers(call, 'in_out_t') or None in lists:
        return
    if [len(each) for each in lists] != [2, 2, 4]:
        return
    kernel, stride, pad = lists
    for axis, (inside, outside) in enumerate((('IH', 'OH'), ('IW', 'OW'))):
        for size, out in itertools.product(call.sizes(inside), call.sizes(outside)):
            for o in range(out):
                start = o * stride[axis] - pad[2 * axis]
                if max(0, start) >= min(size, start + kernel[axis]):
                    yield 'a window has an element'


def clamp(call):
    low, high = call.numbers('min_val'), call.numbers('max_val')
    if low and high and not low[0] <= high[0]:
        yield 'the bounds are in order, and no NaN'


def is_outside(shape, index):
    return any(not 0 <= i < size for i, size in zip(index, shape))


READS = 'only elements of the input are read'
WRITES = 'only elements of the output are written'


@needs('input1', 'output')
def reshape(call):
    shape, out = call.shape('input1'), call.shape('output')
    if math.prod(out) > math.prod(shape):
        yield READS


@needs('input1', 'output')
def slice_(call):
    shape, out, start = call.shape('input1'), call.shape('output'), call.numbers('start')
    if start is None:
        return
    for i in range(min(map(len, (shape, out, start)))):
        if start[i] < 0 or start[i] + out[i] > shape[i]:
            yield READS


@needs('input1', 'output')
def transpose(call):
    shape, out, perms = call.shape('input1'), call.shape('output'), call.numbers('perms')
    if perms is None:
        return
    # Positions start as those of the output; each axis that perms names is then replaced.
    size_at = dict(enumerate(out))
    for i, axis in enumerate(perms[:len(out)]):
        size_at[axis] = out[i]
    if any(size_at.get(axis, 1) > size for axis, size in enumerate(shape)):
        yield READS


@needs('output')
def concat(call):
    out, axis = call.shape('output'), (call.numbers('axis') or [-1])[0]
    shapes = [shape for _, shape, _ in call.tensors['input1']]
    if not shapes or not 0 <= axis < len(out):
        return
    for shape in shapes:
        for i, size in enumerate(shape):
            if i != axis and i < len(out) and out[i] > size:
                yield READS


@needs('input', 'output')
def argmax(call):
    shape, out, axis = call.shape('input'), call.shape('output'), (call.numbers('axis') or [-1])[0]
    if not 0 <= axis < len(shape):
        return
    kept = shape[:axis] + shape[axis + 1:]
    if any(wanted > size for wanted, size in zip(kept, out)):
        yield WRITES


@needs('input', 'output')
def reduce(call):
    shape, out, axis = call.shape('input'), call.shape('output'), (call.numbers('axis') or [-1])[0]
    for i in range(min(len(shape), len(out))):
        if i != axis and out[i] > shape[i]:
            yield READS
    if call.op == 'REDUCE_SUM' and call.type('in_out_t') == 'i32' and 0 <= axis < len(shape):
        numbers, step = call.numbers('input'), math.prod(shape[axis + 1:])
        for start in range(len(numbers or [])):
            line = numbers[start:start + step * shape[axis]:step]
            if start // step % shape[axis] == 0 and sum(map(abs, line)) >= 1 << 31:
                yield 'the sum fits i32'


def resize(call):
    lists = [call.numbers(n) for n in ('scale', 'offset', 'border')]
    if None in lists or [len(each) for each in lists] != [4, 2, 2]:
        return
    scale, offset, _ = lists
    for axis, (inside, outside) in enumerate((('IH', 'OH'), ('IW', 'OW'))):
        n, d = scale[2 * axis], scale[2 * axis + 1]
        if n == 0:
            continue  # a division by zero, which no REQUIRE is about
        for size, out in itertools.product(call.sizes(inside), call.sizes(outside)):
            for o in (0, out - 1):
                at = (o * d + offset[axis]) // n
                low, high = max(at, 0), min(at + 1, size - 1)
                if not (0 <= low < size and 0 <= high < size):
                    yield READS


def products(call):
    """Sums of products: every sum fits if the greatest terms do."""
    names = {'MATMUL': ('A', 'B')}.get(call.op, ('input', 'weight'))
    if not is_of_integers(call, 'in_t'):
        return
    terms = 1
    for name, zero_point in zip(names, (('A_zp', 'A_qpoint', 'input_zp', 'in_qpoint'),
                                        ('B_zp', 'B_qpoint', 'weight_zp', 'w_qpoint'))):
        numbers = call.numbers(name)
        if numbers is None:
            return
        zero = (call.numbers(*zero_point) or [0])[0]
        terms *= max((abs(x - zero) for x in numbers), default=0)
    length = math.prod(call.shape(names[1]))
    bias = max(map(abs, call.numbers('bias') or [0]), default=0)
    acc = {'i16': 'i48'}.get(call.type('in_t'), 'i32')
    if terms * length + bias >= 1 << BITS[acc] - 1:
        yield 'the sum fits its accumulator'


def divide_shape(call):
    if 0 in (call.numbers('input2') or []):
        yield 'no element of input2 is 0'


REQUIREMENTS = {
    'ADD': overflow(lambda x, y: x + y), 'SUB': overflow(lambda x, y: x - y), 'INTDIV': intdiv,
    'ARITHMETIC_RIGHT_SHIFT': binary(shift, 'the shift is within the type'),
    'LOGICAL_LEFT_SHIFT': binary(shift, 'the shift is within the type'),
    'LOGICAL_RIGHT_SHIFT': binary(shift, 'the shift is within the type'),
    'POW': power, 'MUL': multiply, 'ABS': unary, 'NEGATE': unary, 'GATHER': indices,
    'SCATTER': indices, 'TABLE': table, 'RESCALE': rescale, 'CAST': cast, 'AVG_POOL2D': average,
    'CLAMP': clamp, 'RESHAPE': reshape, 'SLICE': slice_, 'TRANSPOSE': transpose, 'CONCAT': concat,
    'ARGMAX': argmax, 'RESIZE': resize, 'MATMUL': products, 'CONV2D': products, 'CONV3D': products,
    'DEPTHWISE_CONV2D': products, 'TRANSPOSE_CONV2D': products, 'FULLY_CONNECTED': products,
    'REDUCE_SUM': reduce, 'REDUCE_MAX': reduce, 'REDUCE_MIN': reduce, 'REDUCE_PRODUCT': reduce,
    'REDUCE_ALL': reduce, 'REDUCE_ANY': reduce, 'DIV_SHAPE': divide_shape,
}


# --- The cases of a recipe, and the list ----------------------------------------------------------


def broken(suite, edition):
    """{(condition, operator): {requirement: [case, ...]}} of the error cases of a suite."""
    listed = json.loads((SOURCE / f'schemas/editions/{edition}.json').read_text())['operators']
    specs = {spec['name']: spec for spec in listed}
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    count = 0
    for file in sorted(suite.glob('*/error-*/case.json')):
        case = json.loads(file.read_text())
        count += 1
        for number, region in enumerate(case['graph']['regions']):
            block = region['blocks'][0]
            inputs = case.get('inputs', {}) if number == 0 else {}
            for node in block['operators']:
                require = REQUIREMENTS.get(node['operator'])
                if require is None or node['operator'] not in specs:
                    continue
                call = Call(case, inputs, file.parent, block, node, specs[node['operator']])
                for requirement in sorted(set(require(call))):
                    found[case['condition'], node['operator']][requirement].append(case['id'])
    return count, found


def error_recipe(name):
    """The error cases of a recipe, and no others."""
    recipe = json.loads((SOURCE / f'suites/{name}.json').read_text())
    for part in ('limits', 'networks', 'repeats', 'relations', 'sizes', 'long_sums', 'neighbours'):
        recipe.pop(part, None)
    recipe.update(name='error-cases', strength=1, valid_cases=False, error_cases=True)
    return recipe


def generate(tensor_cts, recipe, folder):
    file = folder / 'recipe.json'
    file.write_text(json.dumps(recipe))
    suite = folder / 'suite'
    command = [tensor_cts, 'generate', '--recipe', str(file), '--out', str(suite)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f'{" ".join(command)}: {done.stderr}')
    return suite


def listed_pairs():
    """The pairs of condition and operator in the table of notes.md."""
    text = (SOURCE / 'schemas/editions/notes.md').read_text()
    if HEADING not in text:
        sys.exit(f'schemas/editions/notes.md: expected the heading "{HEADING}"')
    section = text.split(HEADING)[1].split('\n#')[0]
    rows = re.findall(r'^\| `([a-z0-9_.]+)` \| ([A-Z0-9_]+) \| [^|]+ \| [^|]+ \| [^|]+ \|$', section, re.M)
    return set(rows)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--tensor-cts', required=True)
    parser.add_argument('--show', action='store_true', help='list the cases')
    options = parser.parse_args()
    listed, seen, wrong = listed_pairs(), set(), 0
    for edition, recipe in RECIPES.items():
        with tempfile.TemporaryDirectory() as folder:
            suite = generate(options.tensor_cts, error_recipe(recipe), pathlib.Path(folder))
            count, found = broken(suite, edition)
        if count == 0:
            sys.exit(f'{recipe}: found no error case')
        cases = {case for each in found.values() for ids in each.values() for case in ids}
        print(f'{recipe}: {count} error cases, {len(cases)} of which break a requirement as well')
        seen |= set(found)
        for (condition, operator), requirements in sorted(found.items()):
            is_listed = (condition, operator) in listed
            wrong += not is_listed
            for requirement, ids in requirements.items():
                if options.show or not is_listed:
                    print(f'  {"listed" if is_listed else "NOT LISTED"}: {condition} of {operator}: '
                          f'required that {requirement}: {", ".join(ids)}')
    for condition, operator in sorted(listed - seen):
        wrong += 1
        print(f'notes.md lists {condition} of {operator}, which no case has: expected no such row')
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())

#!/usr/bin/python3
"""The valid cases of a suite of RVTensor, each computed once more from the document alone.

Straight loops over the layouts that the document gives, exact sums, no transposes: what the
reference has by way of TOSA's texts is held against it. What the document leaves open (rounding, the
order of a depthwise convolution's channels, what pads of TRANSPOSE_CONV2D do) is taken from notes.md.

    reference/oracle/rvtensor_cases.py --tensor-cts build/release/tools/tensor-cts [--recipe NAME]

Exit code: 0 no disagreement, 1 some, 2 usage or environment, 77 without NumPy.
"""

import argparse
import collections
import json
import math
import pathlib
import subprocess
import sys
import tempfile
from itertools import product

try:
    import numpy as np
except ImportError:
    print('NumPy is not installed')
    sys.exit(77)

BITS = {'i4': 4, 'i8': 8, 'i16': 16, 'i32': 32, 'i48': 48}
# The reference sums in fp64, in an order of its own.
TOLERANCE = 2.0**-44


# --- tensors --------------------------------------------------------------------------------


def float8(bits, exponent_bits, fraction_bits):
    bias = 2**(exponent_bits - 1) - 1
    sign = -1.0 if bits >> 7 else 1.0
    exponent = bits >> fraction_bits & (1 << exponent_bits) - 1
    fraction = bits & (1 << fraction_bits) - 1
    if exponent_bits == 4:
        if bits & 0x7f == 0x7f:
            return math.nan
    elif exponent == 31:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(fraction, 1 - bias - fraction_bits)
    return sign * math.ldexp(fraction + (1 << fraction_bits), exponent - bias - fraction_bits)


FLOAT8 = {'fp8e4m3': np.array([float8(bits, 4, 3) for bits in range(256)]),
          'fp8e5m2': np.array([float8(bits, 5, 2) for bits in range(256)])}


def load(path, dtype):
    array = np.load(path)
    if array.dtype.kind == 'V' and dtype == 'bf16':
        wide = array.view('<u2').astype('<u4') << 16
        return wide.view('<f4').astype('<f8').reshape(array.shape)
    if array.dtype.kind == 'V':
        return FLOAT8[dtype][array.view('u1').reshape(array.shape)]
    return array.astype('<f8') if array.dtype.kind == 'f' else array


# --- sums of products -----------------------------------------------------------------------


class Arguments:
    """Tensors by name as nested lists, and attributes."""

    def __init__(self, tensors, attributes):
        self.shape = {name: tensor.shape for name, tensor in tensors.items()}
        self.tensor = {name: tensor.tolist() for name, tensor in tensors.items()}
        self.attributes = attributes

    def qpoint(self, name):
        value = self.attributes[name]
        return value['float'] if isinstance(value, dict) else value

    def bias(self, channel):
        return self.tensor['bias'][channel if len(self.tensor['bias']) > 1 else 0]


def windows(size, kernel, before, after, stride, dilation):
    """For each position of the output: pairs of an input's position and a kernel's."""
    last = size - 1 + before + after - (kernel - 1) * dilation
    assert last % stride == 0
    for out in range(last // stride + 1):
        places = [(out * stride - before + k * dilation, k) for k in range(kernel)]
        yield [(i, k) for i, k in places if 0 <= i < size]


def conv2d(a, depthwise=False):
    n, ic, ih, iw = a.shape['input']
    oc, _, kh, kw = a.shape['weight']  # depthwise: M, C
    top, bottom, left, right = a.attributes['pad']
    (sy, sx), (dy, dx) = a.attributes['stride'], a.attributes['dilation']
    rows = list(windows(ih, kh, top, bottom, sy, dy))
    columns = list(windows(iw, kw, left, right, sx, dx))
    x, w = a.tensor['input'], a.tensor['weight']
    x_q, w_q = a.qpoint('in_qpoint'), a.qpoint('w_qpoint')
    for b, o, oy, ox in product(range(n), range(oc * ic if depthwise else oc), range(len(rows)),
                                range(len(columns))):
        channels = [(o // oc, o % oc)] if depthwise else [(c, o) for c in range(ic)]
        terms = [(x[b][c][iy][ix] - x_q) * (w[m][c][ky][kx] - w_q)
                 for c, m in channels for iy, ky in rows[oy] for ix, kx in columns[ox]]
        yield (b, o, oy, ox), terms + [a.bias(o)]


def conv3d(a):
    n, depth, ic, ih, iw = a.shape['input']
    kd, oc, _, kh, kw = a.shape['weight']
    front, back, top, bottom, left, right = a.attributes['pad']
    (sd, sy, sx), (dd, dy, dx) = a.attributes['stride'], a.attributes['dilation']
    planes = list(windows(depth, kd, front, back, sd, dd))
    rows = list(windows(ih, kh, top, bottom, sy, dy))
    columns = list(windows(iw, kw, left, right, sx, dx))
    x, w = a.tensor['input'], a.tensor['weight']
    x_q, w_q = a.qpoint('in_qpoint'), a.qpoint('w_qpoint')
    for b, od, o, oy, ox in product(range(n), range(len(planes)), range(oc), range(len(rows)),
                                    range(len(columns))):
        terms = [(x[b][i][c][iy][ix] - x_q) * (w[k][o][c][ky][kx] - w_q)
                 for i, k in planes[od] for c in range(ic)
                 for iy, ky in rows[oy] for ix, kx in columns[ox]]
        yield (b, od, o, oy, ox), terms + [a.bias(o)]


def transpose_conv2d(a):
    n, ic, ih, iw = a.shape['input']
    oc, _, kh, kw = a.shape['weight']
    top, bottom, left, right = a.attributes['pad']
    sy, sx = a.attributes['stride']
    oh, ow = (ih - 1) * sy + top + bottom + kh, (iw - 1) * sx + left + right + kw
    x, w = a.tensor['input'], a.tensor['weight']
    x_q, w_q = a.qpoint('in_qpoint'), a.qpoint('w_qpoint')
    sums = {place: [a.bias(place[1])] for place in product(*map(range, (n, oc, oh, ow)))}
    for b, o, iy, ix, ky, kx in product(*map(range, (n, oc, ih, iw, kh, kw))):
        terms = sums.get((b, o, iy * sy + top + ky, ix * sx + left + kx))
        if terms is not None:  # otherwise it is cropped
            terms += [(x[b][c][iy][ix] - x_q) * (w[o][c][ky][kx] - w_q) for c in range(ic)]
    return sums.items()


def fully_connected(a):
    x_q, w_q = a.qpoint('in_qpoint'), a.qpoint('w_qpoint')
    for b, row in enumerate(a.tensor['input']):
        for o, weights in enumerate(a.tensor['weight']):
            yield (b, o), [(x - x_q) * (w - w_q) for x, w in zip(row, weights)] + [a.bias(o)]


def matmul(a):
    a_q, b_q = a.qpoint('A_qpoint'), a.qpoint('B_qpoint')
    for n, (rows, columns) in enumerate(zip(a.tensor['A'], a.tensor['B'])):
        for h, w in product(range(len(rows)), range(len(columns[0]))):
            yield (n, h, w), [(x - a_q) * (row[w] - b_q) for x, row in zip(rows[h], columns)]


SUMS = {'CONV2D': conv2d, 'CONV3D': conv3d, 'DEPTHWISE_CONV2D': lambda a: conv2d(a, True),
        'TRANSPOSE_CONV2D': transpose_conv2d, 'FULLY_CONNECTED': fully_connected, 'MATMUL': matmul}


def same_sum(terms, expected, dtype):
    if dtype in BITS:
        total = sum(terms)
        return total == expected and abs(2 * total + 1) < 2**BITS[dtype]
    total = sum(terms)
    if not math.isfinite(total):  # an operand is not
        return expected == total or math.isnan(expected) and math.isnan(total)
    if not math.isfinite(expected):
        return False  # no case has such a sum
    return abs(math.fsum(terms + [-expected])) <= TOLERANCE * math.fsum(map(abs, terms))


# --- the others -----------------------------------------------------------------------------


def rescaled(x, a, in_t, out_t):
    def as_number(bits, dtype, is_unsigned):
        return bits % 2**BITS[dtype] if is_unsigned else bits

    in_q = as_number(a['in_qpoint'], in_t, a['in_unsigned'])
    out_q = as_number(a['out_qpoint'], out_t, a['out_unsigned'])
    half = 2**(BITS[out_t] - 1)
    low, high = (0, 2 * half - 1) if a['out_unsigned'] else (-half, half - 1)
    result = np.empty(x.shape, dtype=object)
    for place in np.ndindex(x.shape):
        channel = place[-1] if a['per_channel'] else 0
        multiplier, shift = a['multiplier'][channel], a['shift'][channel]
        value = as_number(int(x[place]), in_t, a['in_unsigned']) - in_q
        scaled = (value * multiplier + 2**(shift - 1)) >> shift
        number = min(max(scaled + out_q, low), high)
        result[place] = number - 2 * half if number >= half else number
    return result


def transposed(x, perms):
    result = np.empty([x.shape[p] for p in perms], dtype=x.dtype)
    for place in np.ndindex(x.shape):
        result[tuple(place[p] for p in perms)] = x[place]
    return result


def same_tensor(a, b):
    if a.shape != b.shape:
        return False
    return all(x == y and (x != 0 or math.copysign(1, x) == math.copysign(1, y)) or x != x and y != y
               for x, y in zip(a.ravel().tolist(), b.ravel().tolist()))


# --- cases ----------------------------------------------------------------------------------

OPERANDS = {'MATMUL': ['A', 'B'], 'RESCALE': ['input'], 'RESHAPE': ['input1', 'shape'],
            'TRANSPOSE': ['input1']}


def agrees(folder, case):
    block = case['graph']['regions'][0]['blocks'][0]
    declared = {tensor['name']: tensor for tensor in block['tensors']}
    op = next(op for op in block['operators'] if op['operator'] == case['operator'])
    tensors = {}
    for name, tensor in zip(OPERANDS.get(op['operator'], ['input', 'weight', 'bias']), op['inputs']):
        file = case['inputs'].get(tensor) or declared[tensor]['values']
        tensors[name] = load(folder / file, declared[tensor]['dtype'])
    output = declared[op['outputs'][0]]
    dtype, attributes = output['dtype'], op['attributes']
    expected = load(folder / case['outputs'][0]['answers'][0]['expected'], dtype)
    if list(expected.shape) != output['shape']:
        return False
    if op['operator'] in SUMS:
        places = {place: terms for place, terms in SUMS[op['operator']](Arguments(tensors, attributes))}
        return set(places) == set(np.ndindex(expected.shape)) and all(
            same_sum(terms, expected[place].item(), dtype) for place, terms in places.items())
    if op['operator'] == 'RESCALE':
        in_t = declared[op['inputs'][0]]['dtype']
        return same_tensor(rescaled(tensors['input'], attributes, in_t, dtype), expected)
    if op['operator'] == 'TRANSPOSE':
        return same_tensor(transposed(tensors['input1'], attributes['perms']), expected)
    return same_tensor(tensors['input1'].reshape(tensors['shape'].tolist()), expected)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--tensor-cts', required=True, metavar='BINARY')
    parser.add_argument('--recipe', default='smoke-rvtensor', metavar='NAME')
    options = parser.parse_args()
    same, differ = collections.Counter(), 0
    with tempfile.TemporaryDirectory() as temporary:
        suite = pathlib.Path(temporary) / 'suite'
        operators = [f'--operator={op}' for op in (*SUMS, 'RESCALE', 'RESHAPE', 'TRANSPOSE')]
        done = subprocess.run([options.tensor_cts, 'generate', '--recipe', options.recipe,
                               *operators, '--out', suite], stdout=subprocess.DEVNULL, check=False)
        if done.returncode != 0:
            return 2
        for path in sorted(suite.glob('*/*/case.json')):
            case = json.loads(path.read_text())
            if case['outcome'] != 'valid':
                continue
            if agrees(path.parent, case):
                same[case['operator']] += 1
            else:
                differ += 1
                print('DISAGREEMENT', case['id'])
    for operator, count in sorted(same.items()):
        print(f'{operator:20} {count:6} agree')
    print(f'{differ} disagree')
    return 1 if differ or len(same) != len(operators) else 0


if __name__ == '__main__':
    np.seterr(invalid='ignore')  # NaN in a narrow type
    sys.exit(main())

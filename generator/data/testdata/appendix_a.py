"""Dot-product test data of appendix A, written from the specification alone: the oracle of
data_sets_test. Prints one operand of one operator as hexadecimal bit patterns, a line an element.

usage: appendix_a.py EDITION SET B DTYPE OPERAND:KS:DIM,DIM...
  OPERAND and its dimensions: conv_input KH,KW,N,IH,IW,IC | conv_weight OC,KH,KW,IC | conv_bias BC
    | conv3d_input KD,KH,KW,N,ID,IH,IW,IC | conv3d_weight OC,KD,KH,KW,IC
    | depthwise_input KH,KW,N,IH,IW,C | depthwise_weight KH,KW,C,M | fc_input N,IC
    | fc_weight OC,IC | matmul_a N,H,C | matmul_b N,C,W | pool KY,KX,N,IH,IW,C
    | reduce AXIS,shape... | fft_real N,H,W | fft_imag N,H,W
"""
import itertools
import math
import struct
import sys

edition, s, bound, dtype = sys.argv[1:5]
s, bound = int(s), float(bound)
draft = edition == "tosa-0.100"
cache = {}


def binary32(x):
    return struct.unpack("<f", struct.pack("<f", x))[0]


def set_data(number, index):
    m = ((8 * number + 1) * 0x705A5E75) % 2**32
    words = cache.setdefault(number, [(m + 1) % 2**32])
    while len(words) <= index:
        words.append((words[-1] * m + 1) % 2**32)
    r = words[index]
    value = binary32(binary32(r % 2**31) / binary32(2**31 - 1))
    return -value if r >= 2**31 else value


def data_1_0(ks, p, k, i):
    a, b = (set_data(3 * s, i), set_data(3 * s + 1, i)) if s in (0, 4) else (0, 0)
    if s == 0:
        return [0.0 if a < 0 else b, b if a < 0 else 0.0, 0.0][p]
    if s == 1:
        x = (-0.75 if set_data(3 * s + p, 2 * i) < 0 else 0.75) + 0.25 * set_data(3 * s + p, 2 * i + 1)
        return (bound * bound / (ks + 1) if p == 2 else bound / math.sqrt(ks + 1)) * x
    if p == 2:
        return 0.0
    if s == 2:
        return 1.0 if k == 0 else set_data(3 * s + p, i) / math.sqrt(ks)
    if s == 3:
        x = set_data(3 * s + p, 2 * i)
        if k == 0:
            return -16.0 if x < 0 else 16.0
        return math.exp(2 * x) * set_data(3 * s + p, 2 * i + 1)
    if s == 4:
        scaled = bound / math.sqrt(ks) * b
        if k == ks // 2:
            return (-0.5 if a < 0 else 0.5) * (1 if p == 0 else -1)
        return [0.0 if a < 0 else scaled, scaled if a < 0 else 0.0][p]
    return bound / math.sqrt(ks) * set_data(3 * s + p, i)


def data_0_100(ks, p, k, i):
    if s == 0:
        a, b = set_data(0, i), set_data(1, i)
        return [0.0 if a < 0 else b, b if a < 0 else 0.0, 0.0][p]
    if s == 1:
        scale = bound * bound / (ks + 1) if p == 2 else bound / math.sqrt(ks + 1)
        return scale * (0.75 + 0.25 * set_data(3 + p, i))
    if p == 2:
        return 0.0
    if s == 2:
        return 1.0 if k == 0 else set_data(4 + p, i) / math.sqrt(ks)
    if s == 3:
        return 16.0 if k == 0 else math.exp(2 * set_data(6 + p, 2 * i)) * set_data(6 + p, 2 * i + 1)
    if s == 4:
        a, b = set_data(8, i), set_data(9, i)
        scaled = bound / math.sqrt(ks) * b
        if k == ks // 2:
            return (-0.5 if a < 0 else 0.5) * (1 if p == 0 else -1)
        return [0.0 if a < 0 else scaled, scaled if a < 0 else 0.0][p]
    return bound / math.sqrt(ks) * set_data(15 + p, i)


def elements(operand, ks, dims):
    def data(p, k, i):
        return (data_0_100 if draft else data_1_0)(ks, p, k, i)

    if operand == "conv_input":
        kh, kw, n_, ih, iw, ic_ = dims
        for n, y, x, ic in itertools.product(range(n_), range(ih), range(iw), range(ic_)):
            yield data(0, ((y % kh) * kw + (x % kw)) * ic_ + ic, ((n * ih + y) * iw + x) * ic_ + ic)
    elif operand == "conv_weight":
        oc_, kh, kw, ic_ = dims
        for oc, ky, kx, ic in itertools.product(range(oc_), range(kh), range(kw), range(ic_)):
            yield data(1, (ky * kw + kx) * ic_ + ic, ((oc * kh + ky) * kw + kx) * ic_ + ic)
    elif operand == "conv_bias":
        for i in range(dims[0]):
            yield data(2, 0, i)
    elif operand == "conv3d_input":
        kd, kh, kw, n_, id_, ih, iw, ic_ = dims
        for n, d, y, x, ic in itertools.product(*map(range, (n_, id_, ih, iw, ic_))):
            k = (((d % kd) * kh + (y % kh)) * kw + (x % kw)) * ic_ + ic
            yield data(0, k, (((n * id_ + d) * ih + y) * iw + x) * ic_ + ic)
    elif operand == "conv3d_weight":
        oc_, kd_, kh, kw, ic_ = dims
        for oc, kd, ky, kx, ic in itertools.product(*map(range, dims)):
            k = ((kd * kh + ky) * kw + kx) * ic_ + ic
            yield data(1, k, (((oc * kd_ + kd) * kh + ky) * kw + kx) * ic_ + ic)
    elif operand == "depthwise_input":
        kh, kw, n_, ih, iw, c_ = dims
        for n, y, x, c in itertools.product(range(n_), range(ih), range(iw), range(c_)):
            yield data(0, (y % kh) * kw + (x % kw), ((n * ih + y) * iw + x) * c_ + c)
    elif operand == "depthwise_weight":
        kh, kw, c_, m_ = dims
        for ky, kx, c, m in itertools.product(*map(range, dims)):
            yield data(1, ky * kw + kx, ((ky * kw + kx) * c_ + c) * m_ + m)
    elif operand in ("fc_input", "fc_weight"):
        rows, ic_ = dims
        for row, ic in itertools.product(range(rows), range(ic_)):
            yield data(0 if operand == "fc_input" else 1, ic, row * ic_ + ic)
    elif operand == "pool":
        ky, kx, n_, ih, iw, c_ = dims
        for n, y, x, c in itertools.product(range(n_), range(ih), range(iw), range(c_)):
            yield data(0, ((y % ky) * kx + (x % kx)) * c_ + c, ((n * ih + y) * iw + x) * c_ + c)
    elif operand == "matmul_a":
        n_, h, c_ = dims
        for n, y, c in itertools.product(range(n_), range(h), range(c_)):
            yield data(0, c, (n * h + y) * c_ + c)
    elif operand == "matmul_b":
        n_, c_, w = dims
        for n, c, x in itertools.product(range(n_), range(c_), range(w)):
            yield data(1, c, (n * c_ + c) * w + x)
    elif operand == "reduce":
        axis, shape = dims[0], dims[1:]
        for i, index in enumerate(itertools.product(*map(range, shape))):
            yield data(0, index[axis], i)
    elif operand in ("fft_real", "fft_imag"):
        n_, h, w = dims
        part = 1 if operand == "fft_imag" else 0
        for n, y, x in itertools.product(range(n_), range(h), range(w)):
            yield data(0, y * w + x, ((part * n_ + n) * h + y) * w + x)


for request in sys.argv[5:]:
    operand, ks, dims = request.split(":")
    for value in elements(operand, int(ks), [int(x) for x in dims.split(",")]):
        # Packing rounds to nearest, ties to even.
        print(struct.pack({"fp16": ">e", "fp32": ">f"}[dtype], value).hex())

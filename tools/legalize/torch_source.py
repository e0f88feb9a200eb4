"""torch's core operators on eager torch, and torch-mlir as their converter. A model is a module of one line."""

import copy
import dataclasses
import importlib.metadata
import os
import pathlib
import pickle
import re
import signal
import sys
import tempfile

import numpy as np

from operators.drawing import SPECIAL, Case, floats, integers, rng_of
from tensors import Model, Tensor

FILE = "model.py"
STEPS = 12  # of a search for a smaller model: a conversion takes seconds
SETS = ("eager",)
PACKAGES = ("torch", "torch-mlir", "mpmath", "numpy")
SECONDS = 120
TEXT = """import torch
import torch.nn.functional as F


class Model(torch.nn.Module):
    def forward(self{arguments}):
        return {expression}
"""

UNARY = (
    "torch.abs(a)",
    "torch.acos(a)",
    "torch.asin(a)",
    "torch.atan(a)",
    "torch.ceil(a)",
    "torch.cos(a)",
    "torch.cosh(a)",
    "torch.erf(a)",
    "torch.exp(a)",
    "torch.exp2(a)",
    "torch.expm1(a)",
    "torch.floor(a)",
    "torch.frac(a)",
    "F.gelu(a)",
    "F.gelu(a, approximate='tanh')",
    "F.hardtanh(a, -1.5, 2.0)",
    "F.hardswish(a)",
    "F.hardsigmoid(a)",
    "F.leaky_relu(a, 0.1)",
    "F.leaky_relu(a, -0.3)",
    "F.elu(a)",
    "F.elu(a, 1.7)",
    "F.celu(a)",
    "F.selu(a)",
    "torch.log(a)",
    "torch.log2(a)",
    "torch.log10(a)",
    "torch.log1p(a)",
    "F.logsigmoid(a)",
    "F.mish(a)",
    "torch.neg(a)",
    "torch.reciprocal(a)",
    "F.relu(a)",
    "F.relu6(a)",
    "torch.round(a)",
    "torch.rsqrt(a)",
    "torch.sigmoid(a)",
    "torch.sign(a)",
    "F.silu(a)",
    "torch.sin(a)",
    "torch.sinh(a)",
    "F.softplus(a)",
    "F.softsign(a)",
    "torch.sqrt(a)",
    "torch.square(a)",
    "torch.tan(a)",
    "torch.tanh(a)",
    "F.tanhshrink(a)",
    "torch.trunc(a)",
    "torch.isnan(a)",
    "torch.isinf(a)",
    "torch.logical_not(a)",
    "torch.clamp(a, -1.5, 2.5)",
    "torch.clamp(a, min=0.5)",
    "torch.clamp(a, max=0.5)",
    "torch.pow(a, 2)",
    "torch.pow(a, 3)",
    "torch.pow(a, 0.5)",
    "torch.pow(a, -1.0)",
    "torch.pow(2.0, a)",
    "F.threshold(a, 0.5, 20.0)",
    "F.hardshrink(a, 0.5)",
    "F.softshrink(a, 0.5)",
    "a + 1.5",
    "1.5 - a",
    "a * 1.1",
    "a / 2.5",
    "torch.floor_divide(a, 2.5)",
    "torch.remainder(a, 2.5)",
    "torch.fmod(a, 2.5)",
    "torch.nan_to_num(a)",
    "a.to(torch.int32)",
    "a.to(torch.bool)",
    "a.to(torch.int8)",
    "a.to(torch.float16)",
    "F.glu(a)",
    "torch.zeros_like(a)",
    "torch.full_like(a, 1.5)",
)
INTEGER_UNARY = (
    "torch.abs(a)",
    "torch.neg(a)",
    "torch.sign(a)",
    "torch.square(a)",
    "torch.bitwise_not(a)",
    "torch.logical_not(a)",
    "torch.clamp(a, -7, 9)",
    "torch.clamp(a, min=3)",
    "F.relu(a)",
    "a.to(torch.float32)",
    "a.to(torch.bool)",
    "a.to(torch.int8)",
    "a + 7",
    "5 - a",
    "a * 3",
    "torch.floor_divide(a, 3)",
    "torch.remainder(a, 3)",
    "torch.fmod(a, 3)",
    "torch.div(a, 3)",
    "torch.div(a, 3, rounding_mode='trunc')",
    "torch.div(a, -3, rounding_mode='floor')",
    "torch.pow(a, 2)",
    "torch.sigmoid(a)",
    "torch.exp(a)",
    "torch.sqrt(a)",
    "torch.bitwise_left_shift(a, 2)",
    "torch.bitwise_right_shift(a, 2)",
    "torch.full_like(a, 4)",
    "torch.sum(a)",
    "torch.amax(a, 1)",
    "torch.amin(a, 1)",
    "torch.sum(a, 1, dtype=torch.int32)",
    "torch.prod(a.clamp(-1, 2), 1, dtype=torch.int32)",
)
BINARY = (
    "a + b",
    "torch.add(a, b, alpha=3)",
    "a - b",
    "torch.sub(a, b, alpha=2)",
    "torch.rsub(a, b)",
    "a * b",
    "a / b",
    "torch.div(a, b, rounding_mode='trunc')",
    "torch.div(a, b, rounding_mode='floor')",
    "torch.floor_divide(a, b)",
    "torch.remainder(a, b)",
    "torch.fmod(a, b)",
    "torch.maximum(a, b)",
    "torch.minimum(a, b)",
    "torch.fmax(a, b)",
    "torch.fmin(a, b)",
    "a == b",
    "a != b",
    "a < b",
    "a <= b",
    "a > b",
    "a >= b",
    "torch.atan2(a, b)",
    "torch.logical_and(a, b)",
    "torch.logical_or(a, b)",
    "torch.logical_xor(a, b)",
    "torch.where(a > b, a, b)",
    "torch.lerp(a, b, 0.3)",
    "F.prelu(a, b[0, :1])",
    "torch.addcmul(a, a, b, value=0.5)",
    "torch.addcdiv(a, a, b, value=0.5)",
    "torch.copysign(a, b)",
    "torch.hypot(a, b)",
    "F.mse_loss(a, b)",
    "F.l1_loss(a, b)",
)
INTEGER_BINARY = (
    "a + b",
    "torch.add(a, b, alpha=3)",
    "a - b",
    "a * b",
    "torch.div(a, b, rounding_mode='trunc')",
    "torch.div(a, b, rounding_mode='floor')",
    "a / b",
    "torch.remainder(a, b)",
    "torch.fmod(a, b)",
    "torch.maximum(a, b)",
    "torch.minimum(a, b)",
    "a == b",
    "a < b",
    "a >= b",
    "a & b",
    "a | b",
    "a ^ b",
    "torch.where(a > b, a, b)",
    "torch.logical_and(a, b)",
    "torch.logical_xor(a, b)",
    "a << (b & 7)",
    "a >> (b & 7)",
)
WHOLE = {  # expression: shapes of its operands
    "torch.sum(a, 1)": ((4, 7, 3),),
    "torch.sum(a)": ((4, 7),),
    "torch.mean(a, (1, 2), keepdim=True)": ((2, 5, 3),),
    "torch.amax(a, 1)": ((4, 7),),
    "torch.amin(a, 0)": ((4, 7),),
    "torch.prod(a, 1)": ((4, 3),),
    "torch.var(a, 1)": ((4, 7),),
    "torch.var(a, 1, correction=0)": ((4, 7),),
    "torch.std(a, 1)": ((4, 7),),
    "torch.linalg.vector_norm(a, dim=1)": ((4, 7),),
    "torch.any(a > 0, 1)": ((4, 7),),
    "torch.all(a > -7, 1)": ((4, 7),),
    "torch.argmax(a, 1)": ((4, 7),),
    "torch.argmax(a, 1).to(torch.int32)": ((4, 7),),
    "torch.max(a, 1)[0]": ((4, 7),),
    "torch.min(a, 1)[0]": ((4, 7),),
    "torch.cumsum(a, 1)": ((4, 7),),
    "F.softmax(a, 1)": ((4, 7),),
    "F.log_softmax(a, 1)": ((4, 7),),
    "F.softmin(a, 0)": ((4, 7),),
    "F.normalize(a, dim=1)": ((4, 7),),
    "torch.logsumexp(a, 1)": ((4, 7),),
    "a.reshape(7, 4)": ((4, 7),),
    "a.reshape(4, 7)": ((4, 7),),
    "a.permute(2, 0, 1)": ((2, 3, 4),),
    "a.t()": ((3, 4),),
    "torch.cat([a, b], 1)": ((2, 3), (2, 4)),
    "torch.stack([a, b], 1)": ((2, 3), (2, 3)),
    "F.pad(a, (1, 2, 0, 3), value=0.5)": ((3, 4),),
    "F.pad(a, (-1, 2))": ((3, 4),),
    "F.pad(a, (1, 2), mode='reflect')": ((1, 3, 4),),
    "F.pad(a, (1, 2), mode='replicate')": ((1, 3, 4),),
    "F.pad(a, (1, 2), mode='circular')": ((1, 3, 4),),
    "a[1:, ::2]": ((4, 7),),
    "a[-3:-1]": ((4, 7),),
    "a[:, 2:100]": ((4, 7),),
    "a[:, -100:3]": ((4, 7),),
    "a[2]": ((4, 7),),
    "a[..., -1]": ((4, 7),),
    "a[:, None]": ((4, 7),),
    "a.unsqueeze(-1)": ((4, 7),),
    "a.squeeze(1)": ((4, 1, 7),),
    "a.expand(3, 4, 7)": ((4, 7),),
    "a.repeat(2, 3)": ((4, 7),),
    "torch.flip(a, [1])": ((4, 7),),
    "torch.roll(a, 2, 1)": ((4, 7),),
    "torch.chunk(a, 2, 1)[1]": ((4, 8),),
    "torch.split(a, 3, 1)[2]": ((4, 8),),
    "torch.tril(a)": ((4, 5),),
    "torch.triu(a, 1)": ((4, 5),),
    "F.pixel_shuffle(a, 2)": ((1, 8, 2, 3),),
    "F.pixel_unshuffle(a, 2)": ((1, 2, 4, 6),),
    "F.channel_shuffle(a, 2)": ((1, 4, 2, 2),),
    "a.masked_fill(a > 1, 5.0)": ((4, 7),),
    "torch.where(a > 0, a, 1.5)": ((4, 7),),
    "torch.diagonal(a)": ((4, 4),),
    "a.flatten()": ((2, 3, 4),),
    "torch.narrow(a, 1, 2, 3)": ((4, 7),),
    "a @ b": ((9, 13), (13, 11)),
    "torch.bmm(a, b)": ((2, 9, 13), (2, 13, 11)),
    "torch.matmul(a, b)": ((3, 1, 4, 5), (2, 5, 6)),
    "torch.matmul(a, b) ": ((4, 5), (5,)),
    "torch.dot(a, b)": ((7,), (7,)),
    "F.linear(a, b, c)": ((5, 13), (11, 13), (11,)),
    "torch.addmm(c, a, b, beta=0.5, alpha=2.0)": ((5, 13), (13, 11), (11,)),
    "F.conv2d(a, b, c)": ((1, 4, 9, 9), (6, 4, 3, 3), (6,)),
    "F.conv2d(a, b)": ((1, 4, 9, 9), (6, 4, 3, 3)),
    "F.conv2d(a, b, c, stride=2, padding=1)": ((1, 4, 10, 9), (6, 4, 3, 3), (6,)),
    "F.conv2d(a, b, c, stride=3)": ((1, 2, 10, 12), (4, 2, 3, 3), (4,)),
    "F.conv2d(a, b, c, dilation=(2, 3))": ((1, 2, 12, 14), (4, 2, 3, 3), (4,)),
    "F.conv2d(a, b, c, groups=4)": ((1, 4, 8, 8), (8, 1, 3, 3), (8,)),
    "F.conv2d(a, b, c, groups=2)": ((1, 4, 8, 8), (6, 2, 3, 3), (6,)),
    "F.conv2d(a, b, c, padding='same')": ((1, 2, 8, 8), (4, 2, 2, 2), (4,)),
    "F.conv1d(a, b, c, padding=1)": ((1, 3, 12), (4, 3, 3), (4,)),
    "F.conv3d(a, b, c)": ((1, 2, 5, 6, 7), (3, 2, 2, 3, 2), (3,)),
    "F.conv_transpose2d(a, b, c, stride=2)": ((1, 3, 5, 6), (3, 4, 3, 3), (4,)),
    "F.conv_transpose2d(a, b, c, stride=2, padding=1, output_padding=1)": ((1, 3, 5, 6), (3, 4, 3, 3), (4,)),
    "F.conv_transpose2d(a, b, c, dilation=2)": ((1, 3, 5, 6), (3, 4, 3, 3), (4,)),
    "F.avg_pool2d(a, 2)": ((1, 3, 8, 8),),
    "F.avg_pool2d(a, 3, stride=2, padding=1)": ((1, 3, 9, 9),),
    "F.avg_pool2d(a, 3, stride=2, padding=1, count_include_pad=False)": ((1, 3, 9, 9),),
    "F.avg_pool2d(a, 3, stride=2, ceil_mode=True)": ((1, 3, 10, 10),),
    "F.avg_pool2d(a, 3, stride=2, padding=1, ceil_mode=True)": ((1, 3, 10, 10),),
    "F.avg_pool2d(a, 2, divisor_override=3)": ((1, 3, 8, 8),),
    "F.avg_pool1d(a, 2)": ((1, 3, 8),),
    "F.max_pool2d(a, 2)": ((1, 3, 8, 8),),
    "F.max_pool2d(a, 3, stride=2, padding=1)": ((1, 3, 9, 9),),
    "F.max_pool2d(a, 3, stride=2, ceil_mode=True)": ((1, 3, 10, 10),),
    "F.max_pool2d(a, 2, dilation=2)": ((1, 3, 9, 9),),
    "F.max_pool1d(a, 2)": ((1, 3, 8),),
    "F.adaptive_avg_pool2d(a, 1)": ((1, 3, 7, 6),),
    "F.adaptive_avg_pool2d(a, (3, 4))": ((1, 3, 7, 6),),
    "F.adaptive_max_pool2d(a, (2, 3))": ((1, 3, 7, 6),),
    "F.interpolate(a, scale_factor=2)": ((1, 2, 4, 5),),
    "F.interpolate(a, size=(7, 9))": ((1, 2, 4, 5),),
    "F.interpolate(a, size=(2, 3))": ((1, 2, 4, 5),),
    "F.interpolate(a, scale_factor=2, mode='bilinear')": ((1, 2, 4, 5),),
    "F.interpolate(a, size=(7, 9), mode='bilinear')": ((1, 2, 4, 5),),
    "F.interpolate(a, size=(7, 9), mode='bilinear', align_corners=True)": ((1, 2, 4, 5),),
    "F.interpolate(a, size=(2, 2), mode='bilinear')": ((1, 2, 4, 5),),
    "F.interpolate(a, size=(7, 9), mode='nearest-exact')": ((1, 2, 4, 5),),
    "F.batch_norm(a, b, c)": ((2, 3, 4, 4), (3,), (3,)),
    "F.layer_norm(a, (7,))": ((4, 7),),
    "F.layer_norm(a, (7,), b, c)": ((4, 7), (7,), (7,)),
    "F.group_norm(a, 2)": ((2, 4, 5),),
    "F.instance_norm(a)": ((2, 3, 4, 4),),
    "F.cosine_similarity(a, b)": ((4, 7), (4, 7)),
    "torch.outer(a, b)": ((4,), (5,)),
    "torch.einsum('ij,kj->ik', a, b)": ((4, 5), (6, 5)),
    "F.scaled_dot_product_attention(a, b, c)": ((1, 2, 5, 8), (1, 2, 5, 8), (1, 2, 5, 8)),
}
INDEXED = {  # expression: the operands' shapes, the index's shape and bound
    "torch.index_select(a, 0, i)": ((5, 3), (4,), 5),
    "torch.index_select(a, 1, i)": ((5, 3), (4,), 3),
    "torch.gather(a, 1, i.to(torch.int64))": ((5, 3), (5, 2), 3),
    "a[i]": ((5, 3), (4,), 5),
    "F.embedding(i, a)": ((5, 3), (2, 4), 5),
    "a.index_add(0, i, a[:4])": ((5, 3), (4,), 5),
    "a.scatter(0, i.to(torch.int64), a[:2])": ((5, 3), (2, 3), 5),
    "a[:, i]": ((5, 3), (4,), 3),
}


def _case(expression, label, values):
    name = "".join(c if c.isalnum() else "-" for c in expression.replace("torch.", "").replace("F.", "")).strip("-").lower()
    while "--" in name:
        name = name.replace("--", "-")
    tensors = [Tensor(str(v.dtype), v.shape) for v in values]
    return Case(f"{name}/{label}", Model(expression.strip(), tensors, [], ()), values)


def cases():
    """Every case."""
    for expression in UNARY:
        rng = rng_of(expression, 0)
        yield _case(expression, "float32-plain", [floats(rng, (4, 64))])
        yield _case(expression, "float32-special", [floats(rng, (4, 64), True)])
    for expression in INTEGER_UNARY:
        rng = rng_of(expression, 1)
        yield _case(expression, "int32-plain", [integers(rng, "int32", (4, 64), -1000, 1000)])
        yield _case(expression, "int32-large", [integers(rng, "int32", (4, 64), -(1 << 30), 1 << 30)])
    for expression in BINARY:
        rng = rng_of(expression, 0)
        a, b = floats(rng, (8, 64)), floats(rng, (8, 64))
        b[:2] = a[:2]
        yield _case(expression, "float32-plain", [a, b])
        yield _case(expression, "float32-special", [np.ascontiguousarray(m.astype(np.float32)) for m in np.meshgrid(SPECIAL, SPECIAL)])
    for expression in INTEGER_BINARY:
        rng = rng_of(expression, 1)
        for label, most in (("plain", 1000), ("large", 1 << 30)):
            a, b = (integers(rng, "int32", (8, 64), -most, most) for _ in "ab")
            b[b == 0] = 3
            b[:1] = a[:1] | 1
            yield _case(expression, f"int32-{label}", [a, b])
    for expression, shapes in WHOLE.items():
        rng = rng_of(expression, 0)
        yield _case(
            expression,
            "float32",
            [
                abs(floats(rng, s)) + np.float32(0.1) if expression.startswith("F.batch_norm") and k == 2 else floats(rng, s)
                for k, s in enumerate(shapes)
            ],
        )
    for expression, (shape, index, bound) in INDEXED.items():
        rng = rng_of(expression, 0)
        yield _case(expression, "float32", [floats(rng, shape), rng.integers(0, bound, index).astype(np.int32)])


def names_of(case):
    """The arguments' names: a, b, c, or i for an index."""
    indexed = case.model.operator in INDEXED
    return ["a", "i"] if indexed else list("abc")[: len(case.inputs)]


def write(case, folder):
    path = folder / FILE
    path.write_text(TEXT.format(arguments="".join(f", {name}" for name in names_of(case)), expression=case.model.operator))
    return path


def read_case(folder, name):
    """The case of a folder that `keep` has written."""
    expression = (folder / FILE).read_text().rstrip().rsplit("return ", 1)[1]
    count = len(list(folder.glob("input*.npy")))
    values = [np.load(folder / f"input{n}.npy") for n in range(count)]
    return Case(name, Model(expression, [Tensor(str(v.dtype), v.shape) for v in values], [], ()), values)


NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?![\w.])")
ATTRIBUTE = re.compile(r", \w+=(?:'\w*'|\([^()]*\)|[^,()]+)")


def unlike_default(case):
    """The attributes that are named, and the numbers that are neither 0 nor 1."""
    text = case.model.operator
    return ATTRIBUTE.findall(text) + [n for n in NUMBER.findall(text) if float(n) not in (0, 1)]


def attribute_steps(case):
    """(what it does, the case with one attribute less, or with 0 or 1 in a number's place)"""
    text = case.model.operator

    def with_text(made):
        changed = copy.copy(case)
        changed.model = dataclasses.replace(case.model, operator=made)
        return f"`{made}`", changed

    for found in ATTRIBUTE.finditer(text):
        yield with_text(text[: found.start()] + text[found.end() :])
    for found in NUMBER.finditer(text):
        if float(found[0]) not in (0, 1):
            for plain in ("0", "1"):
                point = ".0" if "." in found[0] else ""
                yield with_text(text[: found.start()] + plain + point + text[found.end() :])


def _model(path):
    import torch

    torch.set_num_threads(1)
    space = {}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["Model"]()


def _eager(path, inputs):
    import torch

    with torch.no_grad():
        made = _model(path)(*map(torch.from_numpy, inputs))
    return [v.contiguous().numpy() for v in (made if isinstance(made, (tuple, list)) else [made])]


def _converted(path, inputs):
    import torch
    from torch_mlir import fx

    return str(fx.export_and_import(_model(path), *map(torch.from_numpy, inputs), output_type="tosa", func_name="main"))


def _forked(function, path, inputs):
    """(its result, None), or (None, why there is none); in a process of its own."""
    with tempfile.TemporaryFile() as answer, tempfile.TemporaryFile() as log:
        sys.stdout.flush()
        child = os.fork()
        if child == 0:
            try:
                os.dup2(log.fileno(), 1)
                os.dup2(log.fileno(), 2)
                signal.alarm(SECONDS)
                try:
                    made = function(path, inputs), None
                except Exception as error:  # whatever the framework says is its answer
                    made = None, f"{type(error).__name__}: {error}"
                pickle.dump(made, answer)
                answer.flush()
            finally:
                os._exit(0)
        _, status = os.waitpid(child, 0)
        answer.seek(0)
        log.seek(0)
        said = " ".join(line for line in log.read().decode(errors="replace").splitlines() if "error" in line)[-400:]
        try:
            result, why = pickle.load(answer)
        except (EOFError, pickle.UnpicklingError):
            return None, f"died of signal {os.WTERMSIG(status)}: {said}" if os.WIFSIGNALED(status) else f"no answer: {said}"
        return result, None if why is None else " ".join(f"{said} {why}".split())[:500]


def kernels(path, case):
    made, why = _forked(_eager, path, case.inputs)
    if made is None:
        return {"eager": why}
    case.model.outputs = [Tensor(str(v.dtype), v.shape) for v in made]
    return {"eager": made}


def convert(converter, path, text, case):
    made, why = _forked(_converted, path, case.inputs)
    if made is None:
        return why
    text.write_text(made)
    return None


def versions(converter):
    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    found["converter"] = f"torch-mlir {found['torch-mlir']}"
    return found


def prepare():
    """The packages are read once, before the processes fork; the first conversion reads most of them."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / FILE
        path.write_text(TEXT.format(arguments=", a", expression="torch.abs(a)"))
        _converted(path, [np.ones((2, 3), np.float32)])


def lines(case, converter):
    """What repeats a case, with the converter and the runtime alone."""
    return f"""    python3 -c "
    import numpy, torch
    from torch_mlir import fx
    exec(open('{FILE}').read())
    x = [torch.from_numpy(numpy.load(f'input{{n}}.npy')) for n in range({len(case.inputs)})]
    print(Model()(*x))
    open('network.mlir', 'w').write(str(fx.export_and_import(Model(), *x, output_type='tosa', func_name='main')))"
"""

#!/usr/bin/python3
"""LiteRT's int8 operators against TOSA's operator and RESCALE, bit by bit.

quantized.py [--tensor-cts PROGRAM] [--models N] [--operator NAME ...] [--seed N]

For each operator N models drawn at random: shapes, attributes, scales (of weights mostly for each channel), zero points, activations, data. Each
runs on LiteRT's three sets of kernels, and as a graph of TOSA in this project's reference, with SINGLE_ROUND and with DOUBLE_ROUND.
Prints how many elements differ from each. Kernels that round in a third way are held to that one, which ROUNDS names.

Exit code 0: every element is as ROUNDS says; 1: some are not; 2: usage or environment.
"""

import argparse
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parents[1] / "legalize")]

try:
    import numpy as np
    from ai_edge_litert import schema_py_generated as schema
    from ai_edge_litert.interpreter import Interpreter
    from one_op import KERNELS
    from tensors import Model, Tensor
    from tflite_model import build
except ImportError as fault:
    print(f"quantized.py: {fault}; install it: pip install --require-hashes -r {HERE}/requirements.txt", file=sys.stderr)
    sys.exit(2)

SCALES = ("any", "powers of two")  # with powers of two many results lie half-way
ACTIVATIONS = schema.ActivationFunctionType

# --- How kernels take sums to the output's scale ----------------------------------------------------------------


def once_away(sums, multipliers, shifts):
    return np.sign(sums) * ((abs(sums) * multipliers + (1 << (shifts - 1))) >> shifts)


def twice_up(sums, multipliers, shifts):
    high = (sums * multipliers + (1 << 30)) >> 31
    return (high + (1 << (shifts - 32))) >> (shifts - 31)


def vectors_up(sums, multipliers, shifts):
    made = once_away((sums * multipliers + (1 << 30)) >> 31, 1, shifts - 31)
    whole = sums.shape[-1] // 8 * 8
    made[..., :whole] = twice_up(sums, multipliers, shifts)[..., :whole]
    return made


def fp32_even(sums, multipliers, shifts):
    scales = np.ldexp(multipliers.astype(np.float64), -shifts).astype(np.float32)
    return np.rint(sums.astype(np.float32) * scales).astype(np.int64)


def few_bits(inputs, zero_points, scales, output_scale):
    """The sum of two inputs, each times a multiplier of which the larger has 21 bits; half up."""
    ratios = np.float32(scales) / np.float32(output_scale)
    shift = 21 - int(np.frexp(ratios.max())[1])
    multipliers = [int(np.rint(ratio * np.float32(2.0**shift))) for ratio in ratios]
    sums = sum((x.astype(np.int64) - zero_point) * m for x, zero_point, m in zip(inputs, zero_points, multipliers))
    return (sums + (1 << (shift - 1))) >> shift


SINGLE, DOUBLE, EXACT = "SINGLE_ROUND", "DOUBLE_ROUND", "exact"
AWAY, UP, EVEN = "once, half away from zero", "twice, half up", "in fp32, half to even"
VECTORS = "twice, half up in whole vectors of 8 channels, DOUBLE_ROUND in the others"
FEW = "with multipliers of 21 bits, half up"
RULES = {AWAY: once_away, UP: twice_up, VECTORS: vectors_up, EVEN: fp32_even}

# The rounding of the reference kernels, of the optimized ones, of XNNPACK, which has no averages.
ROUNDS = {
    "CONV_2D": (DOUBLE, UP, EVEN),
    "DEPTHWISE_CONV_2D": (DOUBLE, VECTORS, EVEN),
    "FULLY_CONNECTED": (AWAY, UP, EVEN),
    "ADD": (DOUBLE, DOUBLE, FEW),
    "MUL": (DOUBLE, DOUBLE, EVEN),
    "AVERAGE_POOL_2D": (AWAY, AWAY, None),
    "MAX_POOL_2D": (EXACT, EXACT, EXACT),
}


class Fault(Exception):
    """What ends the program."""


def ask(tensor_cts, *words):
    try:
        done = subprocess.run([tensor_cts, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    except OSError as fault:
        raise Fault(f"{tensor_cts}: {fault.strerror}; give its path with --tensor-cts") from fault
    if done.returncode != 0:
        raise Fault(f"{tensor_cts} {words[0]}: {done.stderr.strip()}")
    return json.loads(done.stdout)


class Graph:
    """A graph of TOSA, its constants in a folder. Its outputs are a result for each rounding, and the sums before it."""

    def __init__(self, tensor_cts, folder):
        self.tensor_cts, self.folder = tensor_cts, pathlib.Path(folder)
        self.tensors, self.operators, self.inputs, self.outputs = [], [], [], {}

    def tensor(self, dtype, shape, **members):
        name = f"t{len(self.tensors)}"
        self.tensors.append({"name": name, "dtype": dtype, "shape": [int(size) for size in shape], **members})
        return name

    def input(self, array):
        name = self.tensor("i8", array.shape)
        np.save(self.folder / f"{name}.npy", array)
        self.inputs.append(name)
        return name

    def constant(self, dtype, values):
        array = np.asarray(values, {"i8": np.int8, "i32": np.int32}[dtype])
        name = self.tensor(dtype, array.shape, values=f"t{len(self.tensors)}.npy")
        np.save(self.folder / f"{name}.npy", array)
        self.operators.append({"operator": "CONST", "inputs": [], "outputs": [name], "attributes": {}})
        return name

    def apply(self, operator, inputs, dtype, shape, **attributes):
        name = self.tensor(dtype, shape)
        self.operators.append({"operator": operator, "inputs": inputs, "outputs": [name], "attributes": attributes})
        return name

    def factors(self, scale, others, output):
        """RESCALE's multipliers and shifts for the products of scale and the others, over output."""
        others = ",".join(float(other).hex() for other in others)
        made = ask(self.tensor_cts, "quantize", "--json", "--input-scale", float(scale).hex(), "--weight-scale", others,
                   "--output-scale", float(output).hex())  # fmt: skip
        return [(channel["multiplier"], channel["shift"]) for channel in made["channels"]]

    def rescale(self, value, types, shape, factors, zero_points, rounding=SINGLE):
        """Types and zero points are those of input and output."""
        multipliers, shifts = zip(*factors)
        parameters = [self.constant("i32", multipliers), self.constant("i8", shifts),
                      *(self.constant(dtype, [zero_point]) for dtype, zero_point in zip(types, zero_points))]  # fmt: skip
        return self.apply("RESCALE", [value, *parameters], types[1], shape, scale32=True, rounding_mode=rounding,
                          per_channel=len(factors) > 1, input_unsigned=False, output_unsigned=False)  # fmt: skip

    def activated(self, value, shape, bounds):
        if bounds == (-128, 127):
            return value
        return self.apply("CLAMP", [value], "i8", shape, min_val=bounds[0], max_val=bounds[1], nan_mode="PROPAGATE")

    def evaluate(self):
        """The outputs, by the reference."""
        block = {"name": "main", "inputs": self.inputs, "outputs": list(self.outputs.values()), "tensors": self.tensors,
                 "operators": self.operators}  # fmt: skip
        graph = self.folder / "graph.json"
        graph.write_text(json.dumps({"regions": [{"name": "main", "blocks": [block]}]}), encoding="utf-8")
        values = [word for name in self.inputs for word in ("--input", f"{name}={self.folder / name}.npy")]
        answer = ask(self.tensor_cts, "eval", "--graph", graph, *values, "--out", self.folder / "out", "--json")
        if answer["outcome"] != "valid":
            raise Fault(f"the reference calls a graph {answer['outcome']}: {answer}")
        return {key: np.load(self.folder / "out" / f"{name}.npy") for key, name in self.outputs.items()}


class Draw:
    """The random choices of one model."""

    def __init__(self, seed, operator, number):
        self.random = np.random.default_rng([seed, *operator.encode(), number])
        self.scales = SCALES[number % 4 == 3]
        self.extremes = number % 5 == 4
        self.per_tensor = number % 3 == 2

    def integer(self, low, high):
        return int(self.random.integers(low, high + 1))

    def two(self, low, high):
        return self.integer(low, high), self.integer(low, high)

    def scale(self, near):
        value = near * 2 ** self.random.uniform(-1.5, 1.5)
        return np.float32(value if self.scales == "any" else 2.0 ** round(np.log2(value)))

    def zero_point(self):
        return self.integer(-128, 127)

    def values(self, shape, zero_point, low=-128):
        if self.extremes:
            return self.random.choice(np.array([low, zero_point, 127], np.int8), shape)
        return self.random.integers(low, 128, shape, np.int8)

    def activation(self, scale, zero_point):
        """One of the fused activations, and the bounds that it means."""
        activation = (ACTIVATIONS.NONE, ACTIVATIONS.NONE, ACTIVATIONS.RELU, ACTIVATIONS.RELU6)[self.integer(0, 3)]
        high = zero_point + round(6 / float(scale)) if activation == ACTIVATIONS.RELU6 else 127
        return activation, (-128 if activation == ACTIVATIONS.NONE else zero_point, min(high, 127))


def sizes(made, kernel, stride, dilation=(1, 1), same=False):
    """Height and width of the input for those of the output, and TOSA's padding. TOSA wants windows that fill it."""
    size, pads = [], []
    for count, taps, step, apart in zip(made, kernel, stride, dilation):
        span = (taps - 1) * apart + 1
        size.append((count - 1) * step + (min(step, span) if same else span))
        missing = (count - 1) * step + span - size[-1]
        pads += [missing // 2, missing - missing // 2]
    return size, pads


def operand(kind, what, scales, zero_point, axis=0):
    """An operand of LiteRT's model: a constant, or the shape of what comes at run time."""
    scales = tuple(float(scale) for scale in np.atleast_1d(scales))
    given = isinstance(what, np.ndarray)
    shape = what.shape if given else what
    return Tensor(kind, tuple(shape), scales, (zero_point,) * len(scales), axis, what if given else None)


# --- Operators: each returns a model, its inputs, and its results by one of RULES from the sums ------------------


def rounded(draw, graph, sums, shape, factors, scale, zero_point):
    """What follows the sums, which are one for each rounding. Returns the activation, its bounds, and the results by RULES."""
    activation, bounds = draw.activation(scale, zero_point)
    for rounding, value in sums.items():
        result = graph.rescale(value, ("i32", "i8"), shape, factors, (0, zero_point), rounding)
        graph.outputs[rounding] = graph.activated(result, shape, bounds)
    graph.outputs["sums"] = sums[SINGLE]
    multipliers, shifts = np.array(factors, np.int64).T

    def by(rule, values):
        return np.clip(RULES[rule](values.astype(np.int64), multipliers, shifts) + zero_point, *bounds)

    return activation, bounds, by


def product(draw, graph, operator):
    """CONV_2D, DEPTHWISE_CONV_2D, FULLY_CONNECTED, whose weights have a scale for each channel, or one."""
    depthwise, connected = operator == "DEPTHWISE_CONV_2D", operator == "FULLY_CONNECTED"
    batch, channels, outputs, multiples = (draw.integer(1, most) for most in (3, 24, 24, 3))
    kernel, stride, dilation, made = draw.two(1, 4), (draw.integer(1, 2),) * 2, (draw.integer(1, 2),) * 2, draw.two(2, 12)
    same = bool(draw.integer(0, 1))
    if stride != (1, 1):
        dilation = (1, 1)
    if connected:
        batch, channels, outputs = draw.integer(1, 40), draw.integer(1, 300), draw.integer(1, 64)
        kernel = stride = dilation = made = (1, 1)
    if depthwise:
        outputs = channels * multiples
    size, pads = sizes(made, kernel, stride, dilation, same)
    terms = kernel[0] * kernel[1] * (1 if depthwise else channels)
    zero_points, scale = (draw.zero_point(), draw.zero_point()), draw.scale(0.02)
    weight_scales = [draw.scale(0.004) for _ in range(1 if draw.per_tensor else outputs)]
    output_scale = draw.scale(0.02 * 0.004 * 73 * 73 * terms**0.5 / 40)  # 73: the deviation of the data

    x = draw.values((batch, *size, channels), zero_points[0])
    weight = draw.values((outputs, *kernel, 1 if depthwise else channels), 0, low=-127)
    bias = draw.random.integers(-9999, 10000, outputs).astype(np.int32)
    shape = [batch, *made, outputs]
    by_kernel = weight[..., 0].transpose(1, 2, 0)  # of DEPTHWISE_CONV_2D: height, width, outputs
    operands = [graph.input(x), graph.constant("i8", by_kernel.reshape(*kernel, channels, multiples) if depthwise else weight),
                graph.constant("i32", bias), graph.constant("i8", [zero_points[0]]), graph.constant("i8", [0])]  # fmt: skip
    sums = graph.apply("DEPTHWISE_CONV2D" if depthwise else "CONV2D", operands, "i32", shape, acc_type="INT32", pad=pads,
                       stride=list(stride), dilation=list(dilation))  # fmt: skip
    if connected and len(weight_scales) == 1:
        factors = graph.factors(scale * weight_scales[0], [1], output_scale)  # there the kernels multiply in fp32
    else:
        factors = graph.factors(scale, weight_scales, output_scale)
    activation, _, by = rounded(draw, graph, {SINGLE: sums, DOUBLE: sums}, shape, factors, output_scale, zero_points[1])

    members = {"fusedActivationFunction": activation}
    if connected:
        kind, x, weight, shape = "FullyConnectedOptions", x.reshape(batch, -1), weight.reshape(outputs, -1), [batch, outputs]
    else:
        kind = "Conv2DOptions"
        members |= {"padding": schema.Padding.SAME if same else schema.Padding.VALID, "strideH": stride[0],
                    "strideW": stride[1], "dilationHFactor": dilation[0], "dilationWFactor": dilation[1]}  # fmt: skip
    if depthwise:
        kind, weight = "DepthwiseConv2DOptions", np.ascontiguousarray(by_kernel[None])
        members["depthMultiplier"] = multiples
    operands = [operand("int8", x.shape, scale, zero_points[0]), operand("int8", weight, weight_scales, 0, 3 if depthwise else 0),
                operand("int32", bias, [scale * weight_scale for weight_scale in weight_scales], 0)]  # fmt: skip
    result = operand("int8", shape, output_scale, zero_points[1])
    return Model(operator, operands, [result], (kind, members), 3), [x], by


def elementwise(draw, graph, operator):
    """ADD and MUL of two inputs."""
    shape = (draw.integer(1, 8), *draw.two(1, 20))
    zero_points, scales = [draw.zero_point() for _ in range(3)], [draw.scale(0.02), draw.scale(0.02)]
    inputs = [draw.values(shape, zero_point) for zero_point in zero_points[:2]]
    # ADD has 20 bits more, and twice the larger scale as the common one.
    doublings = 20 if operator == "ADD" else 0
    wide = [graph.rescale(graph.input(array), ("i8", "i32"), shape, [(1 << 30, 30 - doublings)], (zero_point, 0))
            for array, zero_point in zip(inputs, zero_points)]  # fmt: skip
    if operator == "ADD":
        output_scale, common = draw.scale(0.03), 2 * float(max(scales))
        factors = [(multiplier, shift + doublings) for multiplier, shift in graph.factors(common, [1], output_scale)]
        each = graph.factors(1, scales, common)
        sums = {}
        for rounding in (SINGLE, DOUBLE):
            scaled = [graph.rescale(value, ("i32", "i32"), shape, [factor], (0, 0), rounding) for value, factor in zip(wide, each)]
            sums[rounding] = graph.apply("ADD", scaled, "i32", shape)
    else:
        output_scale = draw.scale(0.02 * 0.02 * 60)
        factors = graph.factors(scales[0] * scales[1] / output_scale, [1], 1)  # kernels multiply and divide scales in fp32
        whole = graph.apply("MUL", [*wide, graph.constant("i8", [0])], "i32", shape)
        sums = {SINGLE: whole, DOUBLE: whole}
    activation, bounds, by = rounded(draw, graph, sums, shape, factors, output_scale, zero_points[2])
    if operator == "ADD":

        def by(*_):
            return np.clip(few_bits(inputs, zero_points, scales, output_scale) + zero_points[2], *bounds)

    options = ("AddOptions" if operator == "ADD" else "MulOptions", {"fusedActivationFunction": activation})
    operands = [operand("int8", shape, scale, zero_point) for scale, zero_point in zip(scales, zero_points)]
    return Model(operator, operands, [operand("int8", shape, output_scale, zero_points[2])], options, 2), inputs, by


def pooling(draw, graph, operator):
    """AVERAGE_POOL_2D, MAX_POOL_2D. Input and output have one scale: there is no RESCALE, and one result."""
    draw.scales = SCALES[0]
    batch, channels, kernel, made = draw.integer(1, 3), draw.integer(1, 24), (draw.integer(2, 5), draw.integer(1, 5)), draw.two(2, 12)
    stride = [draw.integer(1, min(3, taps)) for taps in kernel]
    size, pads = sizes(made, kernel, stride)
    scale, zero_point = draw.scale(0.02), draw.zero_point()
    activation, bounds = draw.activation(scale, zero_point)
    x, shape = draw.values((batch, *size, channels), zero_point), [batch, *made, channels]
    name, window = graph.input(x), {"kernel": list(kernel), "stride": stride, "pad": pads}
    if operator == "AVERAGE_POOL_2D":
        zero_points = [graph.constant("i8", [zero_point]), graph.constant("i8", [zero_point])]
        pooled = graph.apply("AVG_POOL2D", [name, *zero_points], "i8", shape, acc_type="INT32", **window)
    else:
        pooled = graph.apply("MAX_POOL2D", [name], "i8", shape, nan_mode="PROPAGATE", **window)
    graph.outputs[EXACT] = graph.activated(pooled, shape, bounds)

    def by(rule, _):
        """The means, zero point and all: TFLite does not take it away."""
        windows = np.lib.stride_tricks.sliding_window_view(x, kernel, (1, 2))[:, :: stride[0], :: stride[1]]
        sums, count = windows.sum((-1, -2), dtype=np.int64), kernel[0] * kernel[1]
        return np.clip(np.sign(sums) * ((2 * abs(sums) + count) // (2 * count)), *bounds)

    options = {"padding": schema.Padding.VALID, "strideH": stride[0], "strideW": stride[1], "filterHeight": kernel[0],
               "filterWidth": kernel[1], "fusedActivationFunction": activation}  # fmt: skip
    given, result = operand("int8", x.shape, scale, zero_point), operand("int8", shape, scale, zero_point)
    return Model(operator, [given], [result], ("Pool2DOptions", options), 2), [x], by


OPERATORS = {
    **{name: product for name in ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")},
    **{name: elementwise for name in ("ADD", "MUL")},
    **{name: pooling for name in ("AVERAGE_POOL_2D", "MAX_POOL_2D")},
}


def run(kernels, data, inputs):
    """The result, and whether XNNPACK made it."""
    interpreter = Interpreter(model_content=data, experimental_op_resolver_type=KERNELS[kernels], num_threads=1)
    interpreter.allocate_tensors()
    for detail, array in zip(interpreter.get_input_details(), inputs):
        interpreter.set_tensor(detail["index"], array)
    interpreter.invoke()
    delegated = any(entry["op_name"] == "DELEGATE" for entry in interpreter._get_ops_details())
    return interpreter.get_tensor(interpreter.get_output_details()[0]["index"]), delegated


def measure(chosen, operator):
    """({scales: {(kernels, rounding): elements that differ, "elements": all}}, the farthest, what is not as ROUNDS says)"""
    found, farthest, faults = {scales: collections.Counter() for scales in SCALES}, 0, []
    for number in range(chosen.models):
        draw = Draw(chosen.seed, operator, number)
        with tempfile.TemporaryDirectory(prefix="tensor-cts-quantized-") as folder:
            graph = Graph(chosen.tensor_cts, folder)
            model, inputs, by = OPERATORS[operator](draw, graph, operator)
            answers = graph.evaluate()
        sums, data = answers.pop("sums", None), build(model)
        for kernels, rule in zip(KERNELS, ROUNDS[operator]):
            if rule is None:
                continue
            got, delegated = run(kernels, data, inputs)
            if delegated != (kernels == "xnnpack"):
                raise Fault(f"{operator} {number}, {kernels}: XNNPACK {'took it' if delegated else 'did not take it'}")
            ways = dict(answers)
            if rule not in ways:
                ways[rule] = by(rule, sums)
            for way, expected in ways.items():
                apart = abs(got - expected.reshape(got.shape).astype(int))
                off = int(np.count_nonzero(apart))
                found[draw.scales][kernels, way] += off
                farthest = max(farthest, int(apart.max()))
                if way == rule and off:
                    faults.append(f"{operator} {number}, {kernels}: {off} of {got.size} elements are not as ROUNDS says: {rule}")
        found[draw.scales]["elements"] += got.size
    return found, farthest, faults


def cell(found, kernels, rule):
    if rule is None:
        return "has none"
    if (kernels, EXACT) in found:
        return f"{found[kernels, EXACT]:,}"
    return f"{found[kernels, SINGLE]:,} / {found[kernels, DOUBLE]:,}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tensor-cts", default="tensor-cts", help="the program tensor-cts")
    parser.add_argument("--models", type=int, default=200, help="of each operator (%(default)s)")
    parser.add_argument("--operator", action="append", choices=sorted(OPERATORS), help="(all)")
    parser.add_argument("--seed", type=int, default=1, help="(%(default)s)")
    chosen = parser.parse_args()
    print("| operator | scales | elements | reference | optimized | XNNPACK |\n|---|---|---|---|---|---|")
    farthest, faults = 0, []
    for operator in chosen.operator or OPERATORS:
        found, far, wrong = measure(chosen, operator)
        farthest, faults = max(farthest, far), faults + wrong
        for scales, counts in found.items():
            if counts:
                cells = [cell(counts, kernels, rule) for kernels, rule in zip(KERNELS, ROUNDS[operator])]
                print(f"| {operator} | {scales} | {counts['elements']:,} | {' | '.join(cells)} |", flush=True)
    print(f"\nElements that differ from TOSA with SINGLE_ROUND / DOUBLE_ROUND, by {farthest} at most.")
    print("\n".join(faults) or "Every element is as ROUNDS says.")
    return 1 if faults else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Fault as fault:
        print(f"quantized.py: {fault}", file=sys.stderr)
        sys.exit(2)

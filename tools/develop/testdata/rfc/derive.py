#!/usr/bin/env python3
"""The quantized convolution of the dialect's RFC as a suite of one case: derive.py EDITION DIRECTORY

Written from the text of the specification in whole numbers of Python, apart from the reference:
README.md says where each number comes from. Nothing here asks tensor-cts.
"""
import hashlib
import json
import pathlib
import struct
import sys

# --- As the RFC prints them.
INPUT_SHAPE, WEIGHT_SHAPE, OUTPUT_SHAPE = (1, 4, 4, 4), (8, 3, 3, 4), (1, 4, 4, 8)
INPUT_ZP, WEIGHT_ZP = 1, 0
PAD, STRIDE, DILATION = [1, 1, 1, 1], [1, 1], [1, 1]
RESCALE_INPUT_ZP, OUTPUT_ZP = 0, 0
MULTIPLIER = [1669387395, 1656242552, 1682532139, 1669387395,
              1656242652, 1669387395, 1669387395, 1656242652]
SHIFT = [39] * 8

# --- As README.md chooses them: what the sum of channel c is to be at row and column.
AIMS = [(0, 0, 823), (0, 3, -1825), (3, 0, 41332), (3, 3, -41987),
        (1, 1, 0), (2, 1, 41988), (1, 2, -42317), (0, 1, 41989)]


def numbers(count):
    """A linear congruential generator; the middle bits of each state."""
    state, values = 2020, []
    for _ in range(count):
        state = (1103515245 * state + 12345) % 2**31
        values.append(state // 2**16)
    return values


def count(shape):
    product = 1
    for size in shape:
        product *= size
    return product


def operands():
    """Input and weight, by index, and the bias that the aims ask for."""
    inputs, weights = count(INPUT_SHAPE), count(WEIGHT_SHAPE)
    drawn = numbers(inputs + weights)
    given = [value % 256 - 128 for value in drawn[:inputs]]
    weight = [value % 255 - 127 for value in drawn[inputs:]]
    bias = [aim - products(given, weight, row, column, channel)
            for channel, (row, column, aim) in enumerate(AIMS)]
    return given, weight, bias


def products(given, weight, row, column, channel):
    """The sum over the kernel: what lies outside of the input counts nothing."""
    total = 0
    for ky in range(3):
        for kx in range(3):
            y, x = row + ky - PAD[0], column + kx - PAD[2]
            if not (0 <= y < 4 and 0 <= x < 4):
                continue
            for c in range(4):
                value = given[(y * 4 + x) * 4 + c] - INPUT_ZP
                factor = weight[((channel * 3 + ky) * 3 + kx) * 4 + c] - WEIGHT_ZP
                total += value * factor
    return total


def rescaled(value, channel, doubled=True):
    """Half of 2^shift is added, and with double rounding 2^30 away from zero; then the shift, which
    rounds down."""
    shift = SHIFT[channel]
    rounding = 2 ** (shift - 1)
    if doubled and shift > 31:
        rounding += 2**30 if value >= 0 else -(2**30)
    result = (value - RESCALE_INPUT_ZP) * MULTIPLIER[channel] + rounding
    result = result // 2**shift + OUTPUT_ZP
    return min(127, max(-128, result))


def sums(given, weight, bias):
    return [products(given, weight, i // 32, i // 8 % 4, i % 8) + bias[i % 8]
            for i in range(count(OUTPUT_SHAPE))]


# --- Files.


def npy(code, shape, values):
    """A .npy of version 1.0: its header ends at a multiple of 64 bytes."""
    sizes = ", ".join(map(str, shape)) + ("," if len(shape) == 1 else "")
    descr = {"b": "|i1", "i": "<i4"}[code]
    header = f"{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}"
    header += " " * (-(10 + len(header) + 1) % 64) + "\n"
    return (b"\x93NUMPY\x01\x00" + struct.pack("<H", len(header)) + header.encode()
            + struct.pack(f"<{len(values)}{code}", *values))


def case(edition, files):
    """case.json, and the other files by path."""
    given, weight, bias = operands()
    expected = [rescaled(value, i % 8) for i, value in enumerate(sums(given, weight, bias))]
    zero_points_are_operands = edition == "tosa-1.0"
    tensors, operators = [], []

    def tensor(name, code, shape, values=None, constant=False):
        described = {"name": name, "dtype": {"b": "i8", "i": "i32"}[code], "shape": list(shape)}
        if values is not None:
            files[f"{name}.npy"] = npy(code, shape, values)
        if constant:
            described["values"] = f"{name}.npy"
            operators.append({"operator": "CONST", "inputs": [], "outputs": [name],
                              "attributes": {}})
        tensors.append(described)

    def zero_points(attributes, inputs, points):
        """Operands of the last edition, attributes of the draft."""
        for name, code, value in points:
            if zero_points_are_operands:
                tensor(f"{inputs[0]}_{name}", code, (1,), [value], constant=True)
                inputs.append(f"{inputs[0]}_{name}")
            else:
                attributes[name] = value
        return inputs

    tensor("input", "b", INPUT_SHAPE, given)
    tensor("weight", "b", WEIGHT_SHAPE, weight, constant=True)
    tensor("bias", "i", (8,), bias, constant=True)
    attributes = {"pad": PAD, "stride": STRIDE, "dilation": DILATION, "acc_type": "INT32"}
    inputs = zero_points(attributes, ["input", "weight", "bias"],
                         [("input_zp", "b", INPUT_ZP), ("weight_zp", "b", WEIGHT_ZP)])
    tensor("sums", "i", OUTPUT_SHAPE)
    operators.append({"operator": "CONV2D", "inputs": inputs, "outputs": ["sums"],
                      "attributes": attributes})
    tensor("multiplier", "i", (8,), MULTIPLIER, constant=True)
    tensor("shift", "b", (8,), SHIFT, constant=True)
    attributes = {"scale32": True, "per_channel": True, "input_unsigned": False,
                  "output_unsigned": False}
    attributes.update({"rounding_mode": "DOUBLE_ROUND"} if zero_points_are_operands
                      else {"double_round": True})
    inputs = zero_points(attributes, ["sums", "multiplier", "shift"],
                         [("input_zp", "i", RESCALE_INPUT_ZP), ("output_zp", "b", OUTPUT_ZP)])
    tensor("output", "b", OUTPUT_SHAPE)
    operators.append({"operator": "RESCALE", "inputs": inputs, "outputs": ["output"],
                      "attributes": attributes})
    files["expected/output.npy"] = npy("b", OUTPUT_SHAPE, expected)
    block = {"name": "main", "inputs": ["input"], "outputs": ["output"], "tensors": tensors,
             "operators": operators}
    return {
        "format": "tensor-cts-case-1",
        "id": "rfc/quantized-conv2d",
        "edition": edition,
        "level": "8K",
        "operator": "CONV2D",
        "mode": "signed 8x8 with int32 accumulate",
        "types": {"in_t": "i8", "weight_t": "i8", "out_t": "i32", "acc_t": "i32"},
        "profiles": [["PRO-INT", "EXT-DOUBLEROUND"]] if zero_points_are_operands else [["BI"]],
        "data_set": "none",
        "parameters": {},
        "graph": {"regions": [{"name": "main", "blocks": [block]}]},
        "inputs": {"input": "input.npy"},
        "outcome": "valid",
        "outputs": [{
            "name": "output", "dtype": "i8", "shape": list(OUTPUT_SHAPE),
            "rule": {"kind": "exact", "form": edition, "zero_sign": False,
                     "clause": f"{edition}, RESCALE: integer and boolean results are exact"},
            "answers": [{"expected": "expected/output.npy", "flushed": False}],
        }],
    }


def digest(files):
    """Computes the digest over case.json, then the other files by path: path, length and bytes of each."""
    total = hashlib.sha256()
    for path, data in sorted(files.items(), key=lambda file: (file[0] != "case.json", file[0])):
        total.update(f"{path}\n{len(data)}\n".encode() + data)
    return total.hexdigest()


def text(value):
    return (json.dumps(value, indent=2, sort_keys=True) + "\n").encode()


def main(edition, directory):
    files = {"case.json": b""}
    described = case(edition, files)
    files["case.json"] = text(described)
    entry = {"id": described["id"], "operator": "CONV2D", "outcome": "valid",
             "digest": digest(files), "conditions": []}
    suite = {
        "format": "tensor-cts-suite-1", "name": "rfc", "edition": edition, "level": "8K",
        "generator": "derive.py", "seed": 0,
        "digest": hashlib.sha256(f"{entry['id']}\n{entry['digest']}\n".encode()).hexdigest(),
        "cases": [entry],
    }
    directory = pathlib.Path(directory)
    for path, data in files.items():
        path = directory / described["id"] / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (directory / "suite.json").write_bytes(text(suite))


if __name__ == "__main__":
    main(*sys.argv[1:])

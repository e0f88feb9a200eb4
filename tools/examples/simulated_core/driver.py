#!/usr/bin/env python3
"""The compiler and loader of the simulated core: says for each case what the core does, and starts the simulator.

driver.py EXPORT CORE RESULTS.hex, where EXPORT is what `tensor-cts export --format hex` wrote, and CORE what
`iverilog -o CORE core.v` made.
"""
import itertools
import json
import pathlib
import shutil
import subprocess
import sys
import tempfile

COMPUTED, REFUSED, UNSUPPORTED = 1, 2, 3
# The types of the inputs, then that of the result.
TYPES = {"ABS": ["i32", "i32"], "ADD": ["i32", "i32", "i32"], "MATMUL": ["i8", "i8", "i8", "i8", "i32"]}


def strides(shape, of):
    """Bytes a step along each dimension of `shape`, in a tensor of four-byte elements of the shape `of`."""
    steps = [4 * product(of[i + 1:]) for i in range(len(of))]
    return [0 if size == 1 and wanted > 1 else step for size, wanted, step in zip(of, shape, steps)]


def product(sizes):
    return list(itertools.accumulate(sizes, int.__mul__, initial=1))[-1]


def loops(op, inputs, result):
    """The sizes of the loops, and the strides of both operands and the result; None for an illegal graph."""
    shapes, out = [tensor["shape"] for tensor in inputs], result["shape"]
    if op == "MATMUL":
        a, b = shapes[:2]
        if [len(a), len(b), len(out)] != [3, 3, 3] or shapes[2:] != [[1], [1]]:
            return None
        (n, h, c), w = a, b[2]
        if b != [n, c, w] or out != [n, h, w]:
            return None
        return [n, h, w, c], [h * c, c, 0, 1], [c * w, 0, 1, w], [4 * h * w, 4 * w, 4, 0]
    for sizes in zip(*shapes, out):
        if max(sizes[:-1]) != sizes[-1] or any(size not in (1, sizes[-1]) for size in sizes):
            return None
    if any(len(shape) != len(out) for shape in shapes):
        return None
    return out, *(strides(out, shape) for shape in (shapes[0], shapes[-1], out))


def packed(numbers, blank):
    """The numbers of six loops as one of 192 bits: the loops outside that a shape lacks are `blank`."""
    return "".join(f"{number:08x}" for number in [blank] * (6 - len(numbers)) + numbers)


def step_of(op, tensors, addresses):
    """One start of the core: its registers, or the status of a case that it cannot compute."""
    if op["operator"] not in TYPES:
        return UNSUPPORTED
    inputs, outputs = ([tensors[name] for name in op[side]] for side in ("inputs", "outputs"))
    types = [tensor["dtype"] for tensor in inputs + outputs]
    if any(name.startswith(("fp", "bf")) for name in types):
        return UNSUPPORTED
    plan = loops(op["operator"], inputs, outputs[0]) if types == TYPES[op["operator"]] else None
    if plan is None:
        return REFUSED
    size, *strides_of = plan
    operands = [addresses[name] for name in op["inputs"]]
    a, b, a_zp, b_zp = (operands + operands[:1] * 3)[:4]
    registers = [list(TYPES).index(op["operator"]), a, b, addresses[op["outputs"][0]], a_zp, b_zp]
    return " ".join([f"{register:x}" for register in registers] + [packed(size, 1)] +
                    [packed(stride, 0) for stride in strides_of])


def commands_of(case):
    """The lines for the bench: a case, then its starts of the core."""
    tensors = {tensor["name"]: tensor for tensor in case["tensors"]}
    addresses = {name: tensor["address"] for name, tensor in tensors.items() if "address" in tensor}
    addresses |= {output["name"]: case["answer_address"] + output["offset"] for output in case["outputs"]}
    scratch = case["memory_bytes"]
    for name in tensors.keys() - addresses.keys():
        addresses[name], scratch = scratch, scratch + tensors[name]["bytes"]
    steps = [step_of(op, tensors, addresses) for op in case["operators"] if op["operator"] != "CONST"]
    bad = [step for step in steps if step in (REFUSED, UNSUPPORTED)]
    status = max(bad, default=COMPUTED)
    places = [status, case["answer_address"], case["answer_bytes"], case["result_address"], scratch,
              0 if bad else len(steps)]
    return "\n".join([" ".join([case["image"], *(f"{place:x}" for place in places)])] +
                     ([] if bad else steps)) + "\n"


def main(export, core, results):
    export = pathlib.Path(export)
    manifest = json.loads((export / "manifest.json").read_text())
    # A dump begins with the digest of the manifest.
    shutil.copy(export / "results.hex", results)
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as commands:
        commands.writelines(commands_of(case) for case in manifest["cases"])
        commands.flush()
        subprocess.run(["vvp", "-n", str(pathlib.Path(core).resolve()), f"+commands={commands.name}",
                        f"+results={pathlib.Path(results).resolve()}"], cwd=export, check=True,
                       stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(*sys.argv[1:])

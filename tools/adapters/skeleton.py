#!/usr/bin/env python3
"""A complete adapter for tensor-cts, to start yours from; README.md beside it is the contract.
It knows IDENTITY and ADD of i32 and fp32, and says "unsupported" to everything else."""
import json
import os
import sys
import traceback
import numpy as np


class Refusal(Exception):
    """Arguments: status and message."""


def add(a, b):
    if a.ndim != b.ndim or any(m != n and 1 not in (m, n) for m, n in zip(a.shape, b.shape)):
        raise Refusal("error", f"ADD: shapes {a.shape} and {b.shape} do not broadcast")
    with np.errstate(over="ignore", invalid="ignore"):  # infinity and NaN are answers, too
        return a + b


OPERATORS = {"IDENTITY": (1, lambda x: x), "ADD": (2, add)}  # the number of inputs, and what it does


def run(case_dir, result_dir):
    with open(os.path.join(case_dir, "case.json"), encoding="utf-8") as file:
        case = json.load(file)
    block = case["graph"]["regions"][0]["blocks"][0]
    tensors = {tensor["name"]: tensor for tensor in block["tensors"]}
    for tensor in block["tensors"]:
        if tensor["dtype"] not in ("i32", "fp32"):
            raise Refusal("unsupported", f"type {tensor['dtype']}")
    # The graph may run more than once; the outputs of execution 2 are called "y.1.npy".
    for k, execution in enumerate([case, *case.get("later_executions", [])]):
        execute(case_dir, block, tensors, execution["inputs"], result_dir, f".{k}" if k else "")


def execute(case_dir, block, tensors, inputs, result_dir, suffix):
    files = {name: t["values"] for name, t in tensors.items() if "values" in t} | inputs
    values = {name: np.load(os.path.join(case_dir, path)) for name, path in files.items()}
    for op in block["operators"]:
        if op["operator"] == "CONST":  # its value is the file that was read above
            continue
        if op["operator"] not in OPERATORS:
            raise Refusal("unsupported", f"operator {op['operator']}")
        inputs, function = OPERATORS[op["operator"]]
        if (len(op["inputs"]), len(op["outputs"])) != (inputs, 1):
            raise Refusal("error", f"{op['operator']}: expected {inputs} inputs and 1 output")
        result = function(*(values[name] for name in op["inputs"]))
        if list(result.shape) != tensors[op["outputs"][0]]["shape"]:
            raise Refusal("error", f"{op['operator']}: the result has shape {result.shape}")
        values[op["outputs"][0]] = result
    for name in block["outputs"]:
        np.save(os.path.join(result_dir, name + suffix + ".npy"), values[name])


def answer(case_dir, result_dir):
    try:
        run(case_dir, result_dir)
        return {"status": "ok"}
    except Refusal as refusal:
        return dict(zip(("status", "message"), refusal.args))
    except Exception as error:  # a crash of this case; the next needs no new process
        traceback.print_exc()
        return {"status": "crash", "message": repr(error)}


# May be left out. A case that is declared here and answered by "unsupported" counts as
# wrong.
DECLARED = {"format": "tensor-cts-declared-1", "edition": "tosa-1.0", "operators": ["CONST", *OPERATORS],
            "types": ["i32", "fp32"]}

if sys.argv[1:] == ["--worker"]:
    print(json.dumps({"worker": "skeleton", "version": "1", "declared": DECLARED}), flush=True)
    for request in map(json.loads, sys.stdin):
        line = answer(request["case_dir"], request["result_dir"])
        print(json.dumps({"case": request["case"], **line}), flush=True)
else:
    print(json.dumps(answer(sys.argv[1], sys.argv[2])))

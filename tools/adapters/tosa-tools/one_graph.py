"""A graph of Arm's schema as JSON, through flatc and tosa_reference_model or tosa-opt: what the reports show is run with it."""

import importlib.metadata
import json
import os
import pathlib
import signal
import subprocess
import sys

import numpy

BIN = pathlib.Path(importlib.metadata.distribution("tosa-tools").locate_file("bin"))


def tensor(name, dtype, *shape, **more):
    return {"name": name, "type": dtype, "shape": list(shape), **more}


def operator(op, inputs, outputs, kind=None, **attribute):
    made = {"op": op, "inputs": inputs, "outputs": outputs}
    return {**made, "attribute_type": kind, "attribute": attribute} if kind else made


def region(name, tensors, operators, inputs, outputs, shapes=()):
    block = {"name": name, "operators": operators, "tensors": tensors, "inputs": inputs, "outputs": outputs}
    return {"name": name, "blocks": [{**block, "shapes": list(shapes)}]}


def written(tensors, operators, inputs, outputs, values, regions, shapes):
    """Writes the graph as a file of Arm's schema, its inputs, and a debugger that does nothing: the model starts one when it refuses."""
    graph = {
        "version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": False},
        "regions": [region("main", tensors, operators, inputs, outputs, shapes), *regions],
    }
    pathlib.Path("graph.json").write_text(json.dumps(graph))
    subprocess.run([BIN / "flatc", "-b", BIN / "tosa.fbs", "graph.json"], check=True)
    for name, array in zip(inputs, values):
        numpy.save(f"{name}.npy", array)
    pathlib.Path("gdb").write_text("#!/bin/sh\n")
    pathlib.Path("gdb").chmod(0o755)
    return {**os.environ, "PATH": f"{os.getcwd()}{os.pathsep}{os.environ['PATH']}"}


def run(tensors, operators, inputs, outputs, values, regions=(), shapes=()):
    """How the program ends, and the first result. `regions` are those of control flow, beside the main one."""
    environment = written(tensors, operators, inputs, outputs, values, regions, shapes)
    files = lambda names: ",".join(f"{name}.npy" for name in names)
    command = [BIN / "tosa_reference_model", "--tosa_file", "graph.tosa", "--tosa_level", "EIGHTK"]
    command += ["--ifm_name", ",".join(inputs), "--ifm_file", files(inputs), "--ofm_name", ",".join(outputs), "--ofm_file", files(outputs)]
    result = pathlib.Path(f"{outputs[0]}.npy")
    result.unlink(missing_ok=True)
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment)
    if done.returncode < 0:
        return signal.Signals(-done.returncode).name, None
    return {0: "valid", 1: "unpredictable", 2: "error"}[done.returncode], numpy.load(result) if result.exists() else None


def run_in_python(tensors, operators, inputs, outputs, values, shapes=()):
    """How the model's interface for Python ends."""
    text = ("import sys, numpy, tosa_reference_model as model\n"
            "inputs = [numpy.load(file) for file in sys.argv[1:]]\n"
            "print(model.run(open('graph.tosa', 'rb').read(), inputs, tosa_level='EIGHTK')[1].name)")  # fmt: skip
    environment = written(tensors, operators, inputs, outputs, values, (), shapes)
    command = [sys.executable, "-c", text, *(f"{name}.npy" for name in inputs)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment)
    return signal.Signals(-done.returncode).name if done.returncode < 0 else done.stdout.split()[-1]


def deserialized(tensors, operators, inputs, outputs, regions=()):
    """How tosa-opt --tosa-deserialize ends."""
    written(tensors, operators, inputs, outputs, (), regions, ())
    command = [BIN / "tosa-opt", "--tosa-deserialize=tosa-flatbuffer-filename=graph.tosa", os.devnull, "-o", os.devnull]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True)
    return signal.Signals(-done.returncode).name if done.returncode < 0 else {0: "taken", 1: "refused"}[done.returncode]

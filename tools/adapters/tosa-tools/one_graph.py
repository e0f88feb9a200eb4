"""A graph of Arm's schema as JSON, through flatc and tosa_reference_model: what deviations.md shows is run with it."""

import importlib.metadata
import json
import os
import pathlib
import signal
import subprocess
import tempfile

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


def run(tensors, operators, inputs, outputs, values, regions=(), shapes=()):
    """How the program ends, and the first result. `regions` are those of control flow, beside the main one."""
    graph = {
        "version": {"_major": 1, "_minor": 0, "_patch": 0, "_draft": False},
        "regions": [region("main", tensors, operators, inputs, outputs, shapes), *regions],
    }
    with tempfile.TemporaryDirectory() as folder:
        here = pathlib.Path(folder)
        (here / "graph.json").write_text(json.dumps(graph))
        subprocess.run([BIN / "flatc", "-b", "-o", here, BIN / "tosa.fbs", here / "graph.json"], check=True)
        (here / "gdb").write_text("#!/bin/sh\n")  # the model starts a debugger when it refuses
        (here / "gdb").chmod(0o755)
        for name, array in zip(inputs, values):
            numpy.save(here / f"{name}.npy", array)
        command = [BIN / "tosa_reference_model", "--tosa_file", here / "graph.tosa", "--tosa_level", "EIGHTK"]
        command += ["--ifm_name", ",".join(inputs), "--ifm_file", ",".join(str(here / f"{name}.npy") for name in inputs)]
        command += ["--ofm_name", ",".join(outputs), "--ofm_file", ",".join(str(here / f"{n}.npy") for n in outputs)]
        environment = {**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}"}
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, env=environment)
        if done.returncode < 0:
            return signal.Signals(-done.returncode).name, None
        result = here / f"{outputs[0]}.npy"
        return {0: "valid", 1: "unpredictable", 2: "error"}[done.returncode], numpy.load(result) if result.exists() else None

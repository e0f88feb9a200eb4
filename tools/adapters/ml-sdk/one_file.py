"""A graph of one operator as a `.tosa` file, by the schema and flatc of tosa-tools, through Arm's model-converter: what the
reports show is run with it."""

import importlib.metadata
import json
import pathlib
import signal
import subprocess

BIN = pathlib.Path(importlib.metadata.distribution("tosa-tools").locate_file("bin"))
# The program itself: what pip puts before it in PATH hides the signal of which it dies.
CONVERTER = importlib.metadata.distribution("ai-ml-sdk-model-converter").locate_file("model_converter/binaries/bin/model-converter")


def converted(tensors, op, inputs, attribute, **values):
    """How model-converter ends: `tensors` are {name: [type, dimension, …]}, y is the result, the operator's `inputs` are the graph's."""
    made = {"op": op, "inputs": inputs, "outputs": ["y"], "attribute_type": attribute, "attribute": values}
    shapes = [{"name": name, "type": dtype, "shape": shape} for name, (dtype, *shape) in tensors.items()]
    block = {"name": "main", "operators": [made], "tensors": shapes, "inputs": inputs, "outputs": ["y"]}
    version = {"_major": 1, "_minor": 0, "_patch": 0, "_draft": False}
    pathlib.Path("graph.json").write_text(json.dumps({"version": version, "regions": [{"name": "main", "blocks": [block]}]}))
    subprocess.run([BIN / "flatc", "-b", BIN / "tosa.fbs", "graph.json"], check=True)
    done = subprocess.run([CONVERTER, "-i", "graph.tosa", "-o", "graph.vgf"], stdin=subprocess.DEVNULL, capture_output=True)
    return signal.Signals(-done.returncode).name if done.returncode < 0 else "taken" if done.returncode == 0 else "refused"

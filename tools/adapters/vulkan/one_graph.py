"""A graph through Arm's model-converter and scenario-runner, on Mesa's driver for the CPU with Arm's emulation layer:
what the reports show is run with it."""

import importlib.metadata
import json
import os
import pathlib
import re
import subprocess

import numpy

LAYER = pathlib.Path(importlib.metadata.distribution("ai-ml-emulation-layer-for-vulkan").locate_file("emulation_layer/deploy"))
DRIVER = "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"


def environment():
    """Graph lies above Tensor: a folder for each manifest, as within one the loader takes any order."""
    for name in ("Graph", "Tensor"):
        manifest = json.loads((LAYER / f"share/vulkan/explicit_layer.d/VkLayer_{name}.json").read_text())
        manifest["layer"]["library_path"] = str(LAYER / f"lib/libVkLayer_{name}.so")
        pathlib.Path(name).mkdir(exist_ok=True)
        pathlib.Path(name, "layer.json").write_text(json.dumps(manifest))
    layers = {"VK_LAYER_PATH": "Graph:Tensor", "VK_INSTANCE_LAYERS": "VK_LAYER_ML_Graph_Emulation:VK_LAYER_ML_Tensor_Emulation"}
    return {**os.environ, **layers, "VK_DRIVER_FILES": DRIVER, "VK_ICD_FILENAMES": DRIVER}


def run(text, *inputs):
    """The result of the function `text`, in MLIR's text. Types that NumPy lacks are bits, in the inputs and in the
    result."""
    pathlib.Path("graph.mlir").write_text(text)
    subprocess.run(["model-converter", "-i", "graph.mlir", "-o", "graph.vgf"], capture_output=True, check=True)
    dumped = subprocess.run(["vgf_dump", "-i", "graph.vgf", "--scenario-template"], capture_output=True, check=True)
    scenario = json.loads(dumped.stdout)
    for tensor in (resource["tensor"] for resource in scenario["resources"] if "tensor" in resource):
        place = "src" if "src" in tensor else "dst"
        tensor[place] = tensor["uid"] + ".npy"
        if place == "src":
            numpy.save(tensor[place], inputs[int(re.search(r"_(\d+)_ref$", tensor["uid"])[1])])
    pathlib.Path("scenario.json").write_text(json.dumps(scenario))
    subprocess.run(["scenario_runner", "--scenario", "scenario.json", "--log-level", "error"], check=True, env=environment())
    return numpy.load("output_0_ref.npy")

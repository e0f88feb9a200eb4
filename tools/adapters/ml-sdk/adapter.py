#!/usr/bin/python3
"""Tensor CTS adapter for Arm's own road to a device of Vulkan: model-converter, VGF, scenario-runner.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import json
import os
import re
import signal
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import children, worker  # noqa: E402
from common.cases import EnvironmentFault, Unsupported  # noqa: E402

try:
    PACKAGES = ("model-converter", "scenario-runner", "vgf-library")
    VERSIONS = [worker.version("ml-sdk", f"ai-ml-sdk-{name}") for name in PACKAGES]

    import importlib.metadata

    import numpy
    from common import arrays
except ImportError as missing:  # PackageNotFoundError is one
    worker.missing(missing, "ml-sdk")

BATCH = 16
FOLDERS = {"model-converter": "model_converter", "scenario-runner": "scenario_runner", "vgf_dump": "vgf_lib"}

# How scenario-runner reads and writes a format. All of them are bits of the same width as ours.
CELLS = {
    "VK_FORMAT_R8_BOOL_ARM": "|b1",
    "VK_FORMAT_R8_SINT": "|i1",
    "VK_FORMAT_R8_UINT": "|u1",
    "VK_FORMAT_R16_SINT": "<i2",
    "VK_FORMAT_R16_UINT": "<u2",
    "VK_FORMAT_R32_SINT": "<i4",
    "VK_FORMAT_R32_UINT": "<u4",
    "VK_FORMAT_R64_SINT": "<i8",
    "VK_FORMAT_R16_SFLOAT": "<f2",
    "VK_FORMAT_R32_SFLOAT": "<f4",
    "VK_FORMAT_R16_SFLOAT_FPENCODING_BFLOAT16_ARM": "<u2",
    "VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E4M3_ARM": "|u1",
    "VK_FORMAT_R8_SFLOAT_FPENCODING_FLOAT8E5M2_ARM": "|u1",
}

# The words for operators that the converter has no way to say, and for kernels that the device lacks. Whatever else is called
# unsupported, a mode or an accumulator that is missing, is a refusal.
NOT_OFFERED = re.compile(r"operator opcode=\w+.* translation hasn't been implemented|failed to legalize operation 'tosa\.(cond_if|while_loop|variable)")
NO_KERNEL = "Missing precompiled shader"


def program(name):
    """A program of the wheels, which lies in the package's folder."""
    site = importlib.metadata.distribution("ai-ml-sdk-vgf-library").locate_file("")
    path = os.path.join(site, FOLDERS[name], "binaries", "bin", name)
    if not os.path.exists(path):
        raise EnvironmentFault(f"{path}: not found; the wheels of {VERSIONS[0]} should have it")
    return path


def run(*command, folder=None):
    return subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        errors="replace",
    )


def words(done):
    """What a program says of a fault, in its first lines."""
    lines = [line.strip() for line in (done.stderr + "\n" + done.stdout).splitlines()]
    telling = [line for line in lines if re.search(r"error|fail|invalid|terminate|what\(\)", line, re.I)]
    telling = [line for line in telling if "WARNING" not in line]
    return "; ".join((telling or [line for line in lines if line])[:3])[:600] or "no message"


def convert(tensor_cts, case, folder):
    """The case as VGF; settles the case and returns False if there is none."""
    made = run(tensor_cts, "render", "--format", "tosa", case.case_dir, "--out", os.path.join(folder, "graph.tosa"))
    if made.returncode != 0:
        raise Unsupported(f"no .tosa file: {made.stderr.strip()}")
    done = run(program("model-converter"), "-i", "graph.tosa", "-o", "graph.vgf", folder=folder)
    if done.returncode < 0:
        die_alike(case, "model-converter", done)
    elif done.returncode != 0:
        text = words(done)
        case.settle("unsupported" if NOT_OFFERED.search(text) else "error", f"model-converter: {text}")
    return case.status is None


def die_alike(case, name, done):
    """The program's crash is the case's: this process ends by the same signal."""
    worker.log(f"{case.id}: {name} died of signal {-done.returncode}: {words(done)}")
    if -done.returncode != signal.SIGKILL:  # it cannot be handled
        signal.signal(-done.returncode, signal.SIG_DFL)
    os.kill(os.getpid(), -done.returncode)
    os.abort()  # whatever that signal does here


def template(folder):
    done = run(program("vgf_dump"), "-i", "graph.vgf", "--scenario-template", folder=folder)
    if done.returncode != 0:
        raise Unsupported(f"vgf_dump: {words(done)}")
    return json.loads(done.stdout)


def tensors_of(scenario):
    """Inputs and outputs of a template, each in the order of the graph."""
    found = [resource["tensor"] for resource in scenario["resources"] if "tensor" in resource]
    ordered = sorted(found, key=lambda tensor: int(re.search(r"_(\d+)_ref$", tensor["uid"]).group(1)))
    inputs = [tensor for tensor in ordered if "src" in tensor]
    return inputs, [tensor for tensor in ordered if "dst" in tensor]


def expect_ports(case, listed, names, kind):
    if len(listed) != len(names):
        raise Unsupported(f"the VGF has {len(listed)} {kind} where the graph has {len(names)}")
    for tensor in listed:
        if tensor["format"] not in CELLS:
            raise Unsupported(f"format {tensor['format']}: no way to write it")


def scenario_of(case, folder):
    """One scenario of all executions: the graph is prepared once, and each has tensors of its own."""
    made = template(folder)
    inputs, outputs = tensors_of(made)
    expect_ports(case, inputs, case.block["inputs"], "inputs")
    expect_ports(case, outputs, case.block["outputs"], "outputs")
    graph = [resource for resource in made["resources"] if "tensor" not in resource]
    command = made["commands"][0]["dispatch_graph"]
    resources, commands = graph, []
    for number, execution in enumerate(case.executions):
        for tensor, name in zip(inputs, case.block["inputs"]):
            file = f"{tensor['uid']}.{number}.npy"
            write_input(os.path.join(folder, file), case, execution, name, tensor)
            resources.append({"tensor": {**tensor, "uid": f"{tensor['uid']}.{number}", "src": file}})
        for tensor in outputs:
            file = f"{tensor['uid']}.{number}.npy"
            resources.append({"tensor": {**tensor, "uid": f"{tensor['uid']}.{number}", "dst": file}})
        bindings = [{**b, "resource_ref": f"{b['resource_ref']}.{number}"} for b in command["bindings"]]
        commands.append({"dispatch_graph": {**command, "bindings": bindings}})
    with open(os.path.join(folder, "scenario.json"), "w", encoding="utf-8") as file:
        json.dump({"resources": resources, "commands": commands}, file)
    return outputs


def write_input(path, case, execution, name, tensor):
    cells = arrays.read_bits(case.input_path(execution, name), case.tensors[name]["dtype"])
    cell = numpy.dtype(CELLS[tensor["format"]])
    if cells.dtype.itemsize != cell.itemsize or cells.size != numpy.prod(tensor["dims"], dtype=int):
        raise Unsupported(f"the VGF takes {name} as {tensor['format']} {tensor['dims']}")
    numpy.save(path, cells.view(cell).reshape(tensor["dims"]))


def read_outputs(case, folder, outputs):
    for number in range(len(case.executions)):
        for tensor, name in zip(outputs, case.block["outputs"]):
            declared = case.tensors[name]
            array = numpy.load(os.path.join(folder, f"{tensor['uid']}.{number}.npy"))
            cell = numpy.dtype(arrays.TYPES[declared["dtype"]][1])
            if array.dtype.itemsize != cell.itemsize:
                raise Unsupported(f"the VGF gives {name} as {tensor['format']}")
            cells = numpy.ascontiguousarray(array).view(cell)
            arrays.write_bits(case.output_path(number, name), declared["dtype"], cells, declared["shape"])


def one(options, case):
    with tempfile.TemporaryDirectory(prefix="tensor-cts-vgf-") as folder:
        if not convert(options.tensor_cts, case, folder):
            return
        if options.converter_alone:
            case.settle("accepted")
            return
        outputs = scenario_of(case, folder)
        done = run(program("scenario-runner"), "--scenario", "scenario.json", "--log-level", "error", folder=folder)
        if done.returncode < 0:
            die_alike(case, "scenario-runner", done)
        elif done.returncode != 0:
            text = words(done)
            case.settle("unsupported" if NO_KERNEL in text else "error", f"scenario-runner: {text}")
        else:
            read_outputs(case, folder, outputs)
            case.settle("ok")


def prepare(options):
    if len(set(VERSIONS)) > 1:
        raise EnvironmentFault(f"the wheels have the versions {', '.join(VERSIONS)}, expected one")

    def work(cases, tell):
        for case in cases:
            try:
                one(options, case)
            except Unsupported as what:
                case.settle("unsupported", str(what))
            tell(case)

    name = "arm-model-converter" if options.converter_alone else "arm-ml-sdk"
    return name, VERSIONS[0], children.batches(work, "Arm's tools", children.missing_for_tools_of_1_0)


if __name__ == "__main__":
    parser = worker.parser(__doc__, BATCH)
    parser.add_argument("--converter-alone", action="store_true", help="run nothing: what the converter takes is accepted")
    worker.serve(parser, prepare)

#!/usr/bin/python3
"""Tensor CTS adapter for Arm's TOSA tools: the reference model, and tosa-opt as a judge of legality, of text or of .tosa files.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import json
import os
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import children, worker  # noqa: E402
from common.cases import Case, EnvironmentFault, Renderer, Unsupported, open_cases, serialized  # noqa: E402

try:
    VERSION = worker.version("tosa-tools", "tosa-tools")

    import importlib.metadata

    import numpy
    from common import arrays
except ImportError as missing:  # PackageNotFoundError is one
    worker.missing(missing, "tosa-tools")

BATCH = 32

# The model's Python interface takes and gives bits of any type but these; its program has them.
PROGRAM_ONLY = {"i4", "i48"}
# The model's program reads and writes these as files.
OWN_FILES = {"fp8e4m3": "<V1", "fp8e5m2": "|u1"}
LEVELS = {"8K": "EIGHTK", "none": "NONE"}

TARGET = (
    "tosa-attach-target{{specification_version=1.0 profiles=pro_int,pro_fp extensions=int4,int16,bf16,fp8e4m3,fp8e5m2,"
    "fft,variable,controlflow,doubleround,inexactround,dynamic level={level}}},tosa-validate{{strict-op-spec-alignment}}"
)


def program(name):
    """A program of the wheel, which lies beside its packages."""
    folder = os.path.dirname(os.path.dirname(importlib.metadata.distribution("tosa-tools").locate_file("x/x")))
    path = os.path.join(folder, "bin", name)
    if not os.access(path, os.X_OK):
        raise EnvironmentFault(f"{path}: not found; tosa-tools {VERSION} should have it")
    return path


def without_debugger(folder):
    """The model starts gdb on itself at every refusal: takes it away."""
    stub = os.path.join(folder, "gdb")
    with open(stub, "w", encoding="utf-8") as file:
        file.write("#!/bin/sh\n")
    os.chmod(stub, 0o755)
    os.environ["PATH"] = folder + os.pathsep + os.environ["PATH"]


# --- The model -----------------------------------------------------------------------------------


def first_words(text):
    """What the model says of a graph, without the places in its sources."""
    lines = [line.strip() for line in text.splitlines() if line.strip() and "WARNING" not in line]
    telling = [line for line in lines if re.search(r"error|invalid|fail|require|must|expect|illegal", line, re.I)]
    return "; ".join((telling or lines)[:3])[:600] or "no message"


def not_offered(text):
    """What the model has no operator for: it says of it what it says of an illegal rank."""
    found = re.search(r"could not allocate op (VARIABLE\w*)", text)
    return f"the model has no {found.group(1)}" if found else ""


class Log:
    """The text that libraries write to descriptor 2 between `with` and its end."""

    def __enter__(self):
        self.file = tempfile.TemporaryFile()
        self.kept = os.dup(2)
        os.dup2(self.file.fileno(), 2)
        return self

    def __exit__(self, *_):
        os.dup2(self.kept, 2)
        os.close(self.kept)
        self.file.seek(0)
        self.text = self.file.read().decode(errors="replace")


def by_program(case, graph):
    """One call of the program for each execution; only it has i4 and i48."""
    level = LEVELS[case.bundle["level"]]
    tensors = case.tensors
    if len(case.executions) > 1:
        raise Unsupported("the program runs a graph once")
    with tempfile.TemporaryDirectory(prefix="tensor-cts-tosa-") as folder:
        path = os.path.join(folder, "graph.tosa")
        with open(path, "wb") as file:
            file.write(graph)
        names = {"ifm": case.block["inputs"], "ofm": case.block["outputs"]}
        files = {}
        for kind, listed in names.items():
            files[kind] = [os.path.join(folder, f"{kind}{k}.npy") for k in range(len(listed))]
        for name, target in zip(names["ifm"], files["ifm"]):
            dtype = tensors[name]["dtype"]
            write_own(target, dtype, arrays.read_bits(case.input_path(case.bundle, name), dtype))
        # On the command line the program takes no graph without inputs.
        description = {"tosa_file": "graph.tosa"}
        for kind in names:
            description[f"{kind}_name"] = names[kind]
            description[f"{kind}_file"] = [os.path.basename(file) for file in files[kind]]
        with open(os.path.join(folder, "desc.json"), "w", encoding="utf-8") as file:
            json.dump(description, file)
        command = [program("tosa_reference_model"), "--test_desc", os.path.join(folder, "desc.json")]
        command += ["--tosa_level", level]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
        if re.search("writeToNpyFile: (IO error|Cannot open)", done.stderr):  # it dies of a full disk
            raise EnvironmentFault(first_words(done.stderr))
        if done.returncode < 0:
            case.settle("crash", f"tosa_reference_model died of signal {-done.returncode}: {first_words(done.stderr)}")
            return
        if missing := not_offered(done.stderr):
            raise Unsupported(missing)
        if done.returncode != 0 or "Evaluation aborted" in done.stderr:  # some refusals end with 0
            case.settle("error", first_words(done.stderr))
            return
        if not all(map(os.path.exists, files["ofm"])):
            raise EnvironmentFault(f"tosa_reference_model ended with 0 and wrote no result: {first_words(done.stderr)}")
        for name, source in zip(names["ofm"], files["ofm"]):
            cells = numpy.load(source)
            write_cells(case, 0, name, cells)
    case.settle("ok")


def write_own(path, dtype, cells):
    if dtype not in OWN_FILES:
        arrays.write_bits(path, dtype, cells)
        return
    header = {"descr": OWN_FILES[dtype], "fortran_order": False, "shape": cells.shape}
    with open(path, "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, header)
        file.write(cells.tobytes())


def write_cells(case, number, name, array):
    dtype = case.tensors[name]["dtype"]
    cell = numpy.dtype(arrays.TYPES[dtype][1])
    if array.dtype.itemsize != cell.itemsize:
        array = array.astype(cell)  # a wider integer of i4, i48
    arrays.write_bits(case.output_path(number, name), dtype, array)


def in_process(case, graph):
    import tosa_reference_model as model

    tensors = case.tensors
    for number, execution in enumerate(case.executions):
        inputs = []
        for name in case.block["inputs"]:
            dtype = tensors[name]["dtype"]
            inputs.append(arrays.read_bits(case.input_path(execution, name), dtype))
        with Log() as said:
            try:
                outputs, status = model.run(graph, inputs, tosa_level=LEVELS[case.bundle["level"]])
            except (ValueError, RuntimeError) as fault:
                outputs, status = None, fault
        if missing := not_offered(said.text):
            raise Unsupported(missing)
        if outputs is None or status != model.GraphStatus.TOSA_VALID:
            case.settle("error", f"{status}: {first_words(said.text)}")
            return
        for name, array in zip(case.block["outputs"], outputs):
            write_cells(case, number, name, array)
    case.settle("ok")


def run_model(tensor_cts):
    def work(cases, tell):
        for case in cases:
            try:
                graph = serialized(tensor_cts, case)
                border = (*case.block["inputs"], *case.block["outputs"])
                types = {case.tensors[name]["dtype"] for name in border if name in case.tensors}
                (by_program if types & PROGRAM_ONLY else in_process)(case, graph)
            except Unsupported as what:
                case.settle("unsupported", str(what))
            if case.status == "crash":
                worker.log(case.message)
                os.abort()  # the program's crash is the case's
            tell(case)

    return children.batches(work, "the reference model", children.missing_for_tools_of_1_0)


# --- tosa-opt ------------------------------------------------------------------------------------


def of_1_0(requests):
    cases = [Case(request) for request in requests]
    for case in cases:
        if case.bundle["edition"] != "tosa-1.0":
            case.settle("unsupported", f"edition {case.bundle['edition']}: expected tosa-1.0")
    return cases


def judge(cases, opt):
    """Settles each case by what tosa-opt says of its text: it has no values."""
    by_level = {}
    for case in cases:
        by_level.setdefault(case.bundle["level"].lower(), []).append(case)
    for level, group in by_level.items():
        judge_level(group, opt, level)


def judge_level(cases, opt, level):
    starts, line = [], 1
    for case in cases:
        starts.append(line)
        line += case.text.count("\n") + 1
    with tempfile.TemporaryDirectory(prefix="tensor-cts-tosa-") as folder:
        path = os.path.join(folder, "cases.mlir")
        with open(path, "w", encoding="utf-8") as file:
            file.write("// -----\n".join(case.text for case in cases))
        passes = f"builtin.module({TARGET.format(level=level)})"
        command = [opt, "--split-input-file", f"--pass-pipeline={passes}", path, "-o", os.devnull]
        done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode < 0 or "LLVM ERROR" in done.stderr:
        if len(cases) == 1:
            cases[0].settle("crash", f"tosa-opt died: {first_words(done.stderr)}")
            return
        half = len(cases) // 2
        judge_level(cases[:half], opt, level)
        judge_level(cases[half:], opt, level)
        return
    errors = {}
    for number, message in re.findall(r"cases\.mlir:(\d+):\d+: error: (.*)", done.stderr):
        owner = max(i for i, start in enumerate(starts) if start <= int(number))
        errors.setdefault(owner, []).append(message)
    for number, case in enumerate(cases):
        settle_judged(case, errors.get(number, []))


def settle_judged(case, messages):
    """A message that names neither an operator nor an enumeration is about the text, and is no verdict."""
    verdict = next((m for m in messages if m.startswith(("'tosa.", "expected ::mlir::tosa::"))), None)
    if verdict:
        case.settle("error", verdict)
    elif messages:
        case.settle("unsupported", f"tosa-opt cannot read it: {messages[0]}")
    else:
        case.settle("accepted")


def run_judge(tensor_cts):
    renderer = Renderer(tensor_cts)
    opt = program("tosa-opt")

    def run_batch(requests):
        cases = of_1_0(requests)
        renderer.render(open_cases(cases))
        if open_cases(cases):
            judge(open_cases(cases), opt)
        return cases

    return run_batch


# --- tosa-opt, of .tosa files ----------------------------------------------------------------------


def judge_file(case, graph, opt):
    """Settles a case by what tosa-opt says of its file: what the reader does not refuse, tosa-validate may."""
    with tempfile.TemporaryDirectory(prefix="tensor-cts-tosa-") as folder:
        with open(os.path.join(folder, "graph.tosa"), "wb") as file:
            file.write(graph)
        # A relative name: the text of the passes takes no path with a space or a brace.
        passes = f"tosa-deserialize{{tosa-flatbuffer-filename=graph.tosa}},{TARGET.format(level=case.bundle['level'].lower())}"
        command = [opt, f"--pass-pipeline=builtin.module({passes})", os.devnull, "-o", os.devnull]
        done = subprocess.run(command, cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    said = done.stderr
    if "PassPipeline Parser" in said:
        raise EnvironmentFault(f"tosa-opt does not know the passes: {said.strip()}")
    if done.returncode < 0:
        case.settle("crash", f"tosa-opt died of signal {-done.returncode}: {first_words(said.partition('PLEASE')[0])}")
    elif "translation hasn't been implemented" in said:
        case.settle("unsupported", said.splitlines()[0])
    elif done.returncode != 0:
        case.settle("error", said.splitlines()[0] if said else "no message")
    else:
        case.settle("accepted")


def run_file_judge(tensor_cts):
    opt = program("tosa-opt")

    def run_batch(requests):
        cases = of_1_0(requests)
        for case in open_cases(cases):
            try:
                judge_file(case, serialized(tensor_cts, case), opt)
            except Unsupported as what:
                case.settle("unsupported", str(what))
        return cases

    return run_batch


# Everything that the model is for, except variables, which no .tosa file of one run shows. i4 and i48 go through its
# program, which runs a graph once. It never sees the parts of an illegal graph that the serialization cannot express.
DECLARED = {
    "format": "tensor-cts-declared-1",
    "edition": "tosa-1.0",
    "profiles": ["PRO-INT", "PRO-FP"],
    "extensions": ["EXT-INT16", "EXT-BF16", "EXT-FP8E4M3", "EXT-FP8E5M2", "EXT-FFT", "EXT-CONTROLFLOW",
                   "EXT-DOUBLEROUND", "EXT-INEXACTROUND"],
    "types": ["bool", "i8", "i16", "i32", "fp16", "bf16", "fp32", "fp8e4m3", "fp8e5m2"],
    "illegal_graphs": False,
}  # fmt: skip


def prepare(options):
    if options.judge == "tosa-opt":
        return "tosa-opt", VERSION, run_judge(options.tensor_cts)
    if options.judge == "tosa-deserialize":
        options.batch = 1  # each file has a process of its own: the death of one says nothing of others
        return "tosa-deserialize", VERSION, run_file_judge(options.tensor_cts)
    folder = tempfile.TemporaryDirectory(prefix="tensor-cts-gdb-")
    without_debugger(folder.name)
    run_batch = run_model(options.tensor_cts)

    def keep_folder(requests, _folder=folder):
        return run_batch(requests)

    return "tosa-reference-model", VERSION, keep_folder, DECLARED


def main():
    parser = worker.parser(__doc__, BATCH)
    parser.add_argument("--judge", default="model", choices=("model", "tosa-opt", "tosa-deserialize"), help="(%(default)s)")
    worker.serve(parser, prepare)


if __name__ == "__main__":
    main()

#!/usr/bin/python3
"""Tensor CTS adapter for IREE: compiles cases, as MLIR text, and runs them on the CPU.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import argparse
import collections
import itertools
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile

INSTALL = "pip install --require-hashes -r requirements.txt (tools/adapters/iree)"
try:
    import importlib.metadata

    import numpy

    VERSION = importlib.metadata.version("iree-base-compiler")
    importlib.metadata.version("iree-base-runtime")
except ImportError as missing:  # PackageNotFoundError is one
    print(f"{sys.executable}: {missing}; install with: {INSTALL}", file=sys.stderr)
    sys.exit(2)

BATCH = 16
SECONDS_PER_CASE = 20  # of CPU time, before a batch gives up on a case
EXIT_CRASH = 70
EXIT_ENVIRONMENT = 2
SEPARATOR = "// -----\n"

# What IREE compiles for, and which of its drivers runs that. The CPU is the generic one of the
# architecture: results must not depend on the machine.
TARGETS = {
    "llvm-cpu": (["--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"], "local-sync"),
    "vmvx": (["--iree-hal-local-target-device-backends=vmvx"], "local-sync"),
}
FLAGS = ["--iree-input-type=tosa", "--iree-hal-target-device=local"]

# TOSA type: descr of its .npy, type of a cell in the runtime's memory, name of its element type there.
TYPES = {
    "bool": ("|b1", "u1", "BOOL_8"),
    "i8": ("|i1", "i1", "INT_8"),
    "i16": ("<i2", "<i2", "INT_16"),
    "i32": ("<i4", "<i4", "INT_32"),
    "i48": ("<i8", "<i8", "INT_64"),
    "i64": ("<i8", "<i8", "INT_64"),
    "fp8e4m3": ("|V1", "u1", "FLOAT_8_E4M3_FN"),
    "fp8e5m2": ("|V1", "u1", "FLOAT_8_E5M2"),
    "fp16": ("<f2", "<u2", "FLOAT_16"),
    "bf16": ("<V2", "<u2", "BFLOAT_16"),
    "fp32": ("<f4", "<u4", "FLOAT_32"),
}

# What the compiler says of a program that is no TOSA, and what it says of one that it cannot lower.
# Its verifiers name the operation first; "failed to legalize" and its like are the lowering's.
NOT_OFFERED = re.compile(
    r"failed to legalize|cannot be converted|unhandled|not supported|unsupported|not implemented|unimplemented"
    r"|requires extension|failed to (link|serialize|convert|materialize|run translation|lower)|expected .* type converter|unable to",
    re.IGNORECASE,
)
OF_NOBODY = re.compile(r"failed to (link|serialize)")  # names every function of a batch


def log(text):
    print(text, file=sys.stderr, flush=True)


class EnvironmentFault(Exception):
    """Something that this adapter needs is missing or does not work."""


class Case:
    """One request of a batch and what has become of it."""

    def __init__(self, request):
        self.id = request["case"]
        self.case_dir = request["case_dir"]
        self.result_dir = request["result_dir"]
        with open(os.path.join(self.case_dir, "case.json"), encoding="utf-8") as file:
            self.bundle = json.load(file)
        self.function = None
        self.text = ""
        self.status = None  # ok, error, unsupported; crash: not answered
        self.message = ""

    def settle(self, status, message=""):
        self.status = status
        self.message = " ".join(message.split())[:1000]


def open_cases(cases):
    return [case for case in cases if case.status is None]


# --- Text --------------------------------------------------------------------------------------


class Renderer:
    def __init__(self, tensor_cts):
        self.tensor_cts = tensor_cts
        self.prefixes = itertools.count()

    def render(self, cases):
        """The text of each case, in one call where that works: it fails for an illegal graph that no text can say."""
        if not cases:
            return
        prefix = f"case{next(self.prefixes)}"
        command = [self.tensor_cts, "render", "--format", "mlir", "--prefix", prefix]
        try:
            done = subprocess.run(
                command + [case.case_dir for case in cases], stdin=subprocess.DEVNULL, capture_output=True, text=True
            )
        except OSError as fault:
            raise EnvironmentFault(f"{self.tensor_cts}: {fault.strerror}; give its path with --tensor-cts") from fault
        if done.returncode != 0 and len(cases) > 1:
            half = len(cases) // 2
            self.render(cases[:half])
            self.render(cases[half:])
            return
        if done.returncode != 0:
            cases[0].settle("unsupported", f"no rendering: {done.stderr.strip()}")
            return
        chunks = done.stdout.split(SEPARATOR)
        if len(chunks) != len(cases):
            raise EnvironmentFault(f"tensor-cts render: {len(chunks)} chunks of text for {len(cases)} cases")
        for number, (case, chunk) in enumerate(zip(cases, chunks)):
            case.function = f"{prefix}_{number}"
            refused = re.match(rf"// {case.function} unsupported: (.*)", chunk)
            if refused:
                case.settle("unsupported", refused.group(1))
            case.text = chunk if chunk.endswith("\n") else chunk + "\n"


# --- Compiling and running, in a child -----------------------------------------------------------


def first_errors(diagnostics, starts, cases):
    """The first error of each case that the compiler's diagnostics name: {case: message}."""
    errors = {}
    for line in diagnostics.splitlines():
        found = re.match(r"(?:.*?)batch\.mlir:(\d+):\d+\)?:? ?(?:.*?)error: (.*)", line)
        if not found:
            continue
        number = int(found.group(1))
        owner = max((i for i, start in enumerate(starts) if start <= number), default=None)
        if owner is not None:
            errors.setdefault(cases[owner], found.group(2))
    return errors


class Compiler:
    """Compiles cases in this process, which has to be a child: the compiler has threads."""

    def __init__(self, target):
        from iree.compiler.api import Session

        self.session = Session()
        self.session.set_flags(*FLAGS, *TARGETS[target][0])

    def once(self, cases):
        """The module of these cases and no diagnostics, or nothing and those."""
        from iree.compiler.api import Output, Source

        text = "".join(case.text for case in cases)
        with tempfile.TemporaryFile() as log_file:
            kept = os.dup(2)
            os.dup2(log_file.fileno(), 2)
            try:
                source = Source.wrap_buffer(self.session, text.encode() + b"\0", buffer_name="batch.mlir")
                invocation = self.session.invocation()
                invocation.enable_console_diagnostics()
                module = None
                if invocation.parse_source(source) and invocation.execute():
                    output = Output.open_membuffer()
                    invocation.output_vm_bytecode(output)
                    module = bytes(output.map_memory())
                invocation.close()
            finally:
                sys.stderr.flush()
                os.dup2(kept, 2)
                os.close(kept)
            log_file.seek(0)
            return module, log_file.read().decode(errors="replace")

    def compile(self, cases):
        """Yields (module, its cases); settles the cases that the compiler refuses."""
        while cases:
            starts = list(itertools.accumulate((case.text.count("\n") for case in cases[:-1]), initial=1))
            module, said = self.once(cases)
            if module is not None:
                yield module, cases
                return
            errors = first_errors(said, starts, cases)
            if errors and len(cases) > 1 and (len(errors) == len(cases) or any(map(OF_NOBODY.search, errors.values()))):
                errors = {}
            if not errors and len(cases) > 1:
                half = len(cases) // 2
                yield from self.compile(cases[:half])
                yield from self.compile(cases[half:])
                return
            if not errors:
                lines = [line for line in said.splitlines() if line.strip()]
                errors = {cases[0]: next((line for line in lines if "error" in line), lines[0] if lines else "no message")}
            for case, message in errors.items():
                case.settle("unsupported" if NOT_OFFERED.search(message) else "error", message)
            cases = open_cases(cases)


class Runner:
    def __init__(self, target):
        import iree.runtime as runtime

        self.runtime = runtime
        self.config = runtime.Config(TARGETS[target][1])

    def view(self, path, dtype):
        """A file's tensor as the runtime's buffer view."""
        rt = self.runtime
        array = numpy.load(path, allow_pickle=False)
        cells = numpy.ascontiguousarray(array).reshape(-1).view(TYPES[dtype][1])
        buffer = self.config.device.allocator.allocate_buffer_copy(
            memory_type=rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE,
            allowed_usage=rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING,
            device=self.config.device,
            buffer=cells,
        )
        return rt.HalBufferView(buffer, list(array.shape), getattr(rt.HalElementType, TYPES[dtype][2]))

    def run(self, module, cases):
        """Settles each case in turn; yields it, so that what comes before a crash is known."""
        rt = self.runtime
        vm_module = rt.VmModule.copy_buffer(self.config.vm_instance, module)
        context = rt.SystemContext(config=self.config)
        context.add_vm_module(vm_module)
        for case in cases:
            try:
                self.call(context.vm_context, vm_module.lookup_function(case.function), case)
                case.settle("ok")
            except (RuntimeError, ValueError, TypeError) as fault:
                case.settle("error", f"{type(fault).__name__}: {fault}")
            yield case

    def call(self, context, function, case):
        rt = self.runtime
        block = case.bundle["graph"]["regions"][0]["blocks"][0]
        tensors = {tensor["name"]: tensor for tensor in block["tensors"]}
        for k, execution in enumerate([case.bundle, *case.bundle.get("later_executions", [])]):
            arguments = rt.VmVariantList(len(block["inputs"]))
            for name in block["inputs"]:
                path = os.path.join(case.case_dir, execution["inputs"][name])
                arguments.push_ref(self.view(path, tensors[name]["dtype"]).ref)
            results = rt.VmVariantList(len(block["outputs"]))
            context.invoke(function, arguments, results)
            for number, name in enumerate(block["outputs"]):
                view = results.get_as_object(number, rt.HalBufferView)
                path = os.path.join(case.result_dir, f"{name}.{k}.npy" if k else f"{name}.npy")
                write_output(path, tensors[name]["dtype"], view)


def write_output(path, dtype, view):
    descr, cell, _ = TYPES[dtype]
    cells = numpy.frombuffer(view.map(), numpy.uint8)[: view.byte_length].view(cell)
    header = {"descr": descr, "fortran_order": False, "shape": tuple(view.shape)}
    with open(path, "wb") as file:
        numpy.lib.format.write_array_header_1_0(file, header)
        file.write(cells.tobytes())


def unhandled(case):
    """What of a case has no form in the runtime; empty if nothing."""
    block = case.bundle["graph"]["regions"][0]["blocks"][0]
    tensors = {tensor["name"]: tensor for tensor in block["tensors"]}
    for name in (*block["inputs"], *block["outputs"]):
        if tensors[name]["dtype"] not in TYPES:
            return f"the runtime has no tensors of {tensors[name]['dtype']} that come in or out"
    for execution in [case.bundle, *case.bundle.get("later_executions", [])]:
        for name in block["inputs"]:
            if name not in execution["inputs"]:
                return f"there are no values to call it with for input {name}"
    return ""


def child(target, cases, pipe):
    """Everything that may crash. Writes a line for each case as soon as it is settled."""
    told = set()

    def tell(case):
        if case.id not in told:
            told.add(case.id)
            line = json.dumps([cases.index(case), case.status, case.message]) + "\n"
            while line:
                line = line[os.write(pipe, line.encode()) :]

    if len(cases) > 1:
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS_PER_CASE * len(cases), resource.RLIM_INFINITY))
    runner = Runner(target)
    for module, compiled in Compiler(target).compile(cases):
        for case in cases:
            if case.status is not None:
                tell(case)
        for case in runner.run(module, compiled):
            tell(case)
    for case in cases:
        tell(case)


def in_child(target, cases):
    """Settles what a child process could say of the cases; returns what ended it, empty if nothing did."""
    read_end, write_end = os.pipe()
    pid = os.fork()
    if pid == 0:
        code = EXIT_ENVIRONMENT
        try:
            os.close(read_end)
            os.dup2(2, 1)  # standard output belongs to the protocol
            child(target, cases, write_end)
            code = 0
        except BaseException as fault:  # nothing of the parent may run in the child
            log(f"{type(fault).__name__}: {fault}")
        finally:
            os._exit(code)
    os.close(write_end)
    with open(read_end, encoding="utf-8") as lines:
        for line in lines:
            if line.endswith("\n"):
                number, status, message = json.loads(line)
                cases[number].settle(status, message)
    _, state = os.waitpid(pid, 0)
    if os.WIFSIGNALED(state):
        return f"died of {signal.Signals(os.WTERMSIG(state)).name}"
    if os.WEXITSTATUS(state) == EXIT_ENVIRONMENT:
        raise EnvironmentFault("the process that compiles and runs failed; its last words are above")
    return f"exited with code {os.WEXITSTATUS(state)}" if os.WEXITSTATUS(state) else ""


def run_batch(renderer, target, requests):
    cases = [Case(request) for request in requests]
    for case in cases:
        if case.bundle["edition"] != "tosa-1.0":
            case.settle("unsupported", f"edition {case.bundle['edition']}: IREE takes tosa-1.0")
    renderer.render(open_cases(cases))
    for case in open_cases(cases):
        if missing := unhandled(case):
            case.settle("unsupported", missing)
    waiting = collections.deque([open_cases(cases)])
    while waiting:
        part = open_cases(waiting.popleft())
        if not part:
            continue
        end = in_child(target, part)
        left = open_cases(part)
        if end and len(part) == 1 and left:
            left[0].settle("crash", f"the compiler or the compiled program {end}")
        elif left:
            waiting.extend([case] for case in left)
    return cases


# --- Protocol ------------------------------------------------------------------------------------


def answer(cases):
    """Writes one line for each case. At a crash the adapter dies instead, so that the runner records a crash."""
    for case in cases:
        line = {"case": case.id, "status": case.status}
        if case.message:
            line["message"] = case.message
        if case.status == "crash" and len(cases) == 1:
            log(f"{case.id}: {case.message}")
            sys.exit(EXIT_CRASH)
        if case.status == "crash":
            line = {"case": case.id, "fault": case.message}
        print(json.dumps(line), flush=True)
        if case.status == "crash":
            sys.exit(EXIT_CRASH)


def batches(stream):
    batch = []
    for line in stream:
        if not line.strip():
            continue
        request = json.loads(line)
        batch.append(request)
        if not request.get("more", False):
            yield batch
            batch = []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensor-cts", default="tensor-cts", help="the tensor-cts binary")
    parser.add_argument("--target", default="llvm-cpu", choices=sorted(TARGETS), help="(%(default)s)")
    parser.add_argument("--batch", type=int, default=BATCH, help="cases at once (%(default)s)")
    parser.add_argument("--worker", action="store_true", help="answer requests from standard input")
    parser.add_argument("case_dir", nargs="?")
    parser.add_argument("result_dir", nargs="?")
    options = parser.parse_args()
    if options.worker == (options.result_dir is not None):
        parser.error("expected either --worker or CASE_DIR RESULT_DIR")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    renderer = Renderer(options.tensor_cts)
    try:
        if not options.worker:
            with open(os.path.join(options.case_dir, "case.json"), encoding="utf-8") as file:
                request = {"case": json.load(file)["id"], "case_dir": options.case_dir, "result_dir": options.result_dir}
            answer(run_batch(renderer, options.target, [request]))
            return
        print(json.dumps({"worker": f"iree-{options.target}", "version": VERSION, "batch": options.batch}), flush=True)
        for batch in batches(sys.stdin):
            answer(run_batch(renderer, options.target, batch))
    except (EnvironmentFault, OSError) as fault:
        log(str(fault))
        sys.exit(EXIT_ENVIRONMENT)


if __name__ == "__main__":
    main()

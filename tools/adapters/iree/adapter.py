#!/usr/bin/python3
"""Tensor CTS adapter for IREE: compiles cases, as MLIR text, and runs them on the CPU, also by Mesa's driver of Vulkan.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import itertools
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, os.pardir)]
import llvmpipe  # noqa: E402
from common import children, worker  # noqa: E402
from common.cases import Case, EnvironmentFault, Renderer, open_cases, without_values  # noqa: E402

try:
    VERSION = worker.version("iree", "iree-base-compiler", "iree-base-runtime")

    import numpy
    from common import arrays
except ImportError as missing:  # PackageNotFoundError is one
    worker.missing(missing, "iree")

BATCH = 16

os.environ |= llvmpipe.ENVIRONMENT

# The targets that IREE compiles for. The CPU is the generic one of the architecture: results must not depend on the machine.
LOCAL = "--iree-hal-target-device=local"
TARGETS = {
    "llvm-cpu": [LOCAL, "--iree-hal-local-target-device-backends=llvm-cpu", "--iree-llvmcpu-target-cpu=generic"],
    "vmvx": [LOCAL, "--iree-hal-local-target-device-backends=vmvx"],
    "vulkan-spirv": [f"--iree-hal-target-device={llvmpipe.TARGET}"],
}
FLAGS = ["--iree-input-type=tosa"]

# TOSA type: the runtime's name of its element type. i48 is an i64 there.
TYPES = {
    "bool": "BOOL_8",
    "i8": "INT_8",
    "i16": "INT_16",
    "i32": "INT_32",
    "i48": "INT_64",
    "i64": "INT_64",
    "fp8e4m3": "FLOAT_8_E4M3_FN",
    "fp8e5m2": "FLOAT_8_E5M2",
    "fp16": "FLOAT_16",
    "bf16": "BFLOAT_16",
    "fp32": "FLOAT_32",
}

# The compiler says one of these of a program that it cannot lower. If a program is no TOSA, its
# verifiers name the operation first; "failed to legalize" and its like are the lowering's.
NOT_OFFERED = re.compile(
    r"failed to legalize|conversion to vm.module failed|cannot be converted|unhandled|not supported|unsupported|not implemented|unimplemented"
    r"|requires extension|failed to (link|serialize|convert|materialize|run translation|lower|emulate)|expected .* type converter|unable to",
    re.IGNORECASE,
)
SILENCE = "the compiler fails and says nothing"  # a pass failed; a verifier would have named what is wrong
OF_NOBODY = re.compile(r"failed to (link|serialize)")  # names every function of a batch


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
        self.session.set_flags(*FLAGS, *TARGETS[target])

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
            lines = [line for line in said.splitlines() if line.strip()]
            if not lines:
                cases[0].settle("unsupported", SILENCE)
                return
            if not errors:
                errors = {cases[0]: next((line for line in lines if "error" in line), lines[0])}
            for case, message in errors.items():
                case.settle("unsupported" if NOT_OFFERED.search(message) else "error", message)
            cases = open_cases(cases)


def vulkan_device():
    """The driver of Vulkan and the device that stands for the CPU there."""
    import iree.runtime as runtime

    driver = runtime.get_driver("vulkan")
    found = [device for device in driver.query_available_devices() if device["name"].startswith("llvmpipe")]
    if not found:
        raise RuntimeError("Vulkan has no device llvmpipe")
    return driver, found[0]


class OutOfBounds(RuntimeError):
    """The program reads or writes beyond a buffer's end."""


class Runner:
    def __init__(self, target):
        import iree.runtime as runtime

        self.runtime, self.target = runtime, target
        if target == "vulkan-spirv":
            driver, device = vulkan_device()
            self.config = runtime.Config(device=driver.create_device(device["device_id"]))
        else:
            self.config = runtime.Config("local-sync")

    def view(self, path, dtype):
        """A file's tensor as the runtime's buffer view."""
        rt = self.runtime
        cells = arrays.read_bits(path, dtype)
        buffer = self.config.device.allocator.allocate_buffer_copy(
            memory_type=rt.MemoryType.DEVICE_LOCAL | rt.MemoryType.HOST_VISIBLE,
            allowed_usage=rt.BufferUsage.DEFAULT | rt.BufferUsage.MAPPING,
            device=self.config.device,
            buffer=cells.reshape(-1),
        )
        return rt.HalBufferView(buffer, list(cells.shape), getattr(rt.HalElementType, TYPES[dtype]))

    def map(self, view):
        """The bytes of a result, which are copied where the host cannot map them."""
        if self.target != "vulkan-spirv":
            return view.map()
        rt, device = self.runtime, self.config.device
        copy = device.allocator.allocate_buffer(
            memory_type=rt.MemoryType.HOST_LOCAL | rt.MemoryType.DEVICE_VISIBLE,
            allowed_usage=rt.BufferUsage.TRANSFER_TARGET | rt.BufferUsage.MAPPING,
            allocation_size=view.byte_length,
        )
        semaphore = device.create_semaphore(0)
        start, end = (rt.HalFence.create_at(semaphore, when) for when in (0, 1))
        device.queue_copy(view.get_buffer(), copy, wait_semaphores=start, signal_semaphores=end)
        end.wait()
        return copy.map()

    def run(self, module, cases):
        """Settles each case in turn; yields it, so that what comes before a crash is known."""
        rt = self.runtime
        vm_module = rt.VmModule.copy_buffer(self.config.vm_instance, module)
        context = rt.SystemContext(config=self.config)
        try:
            context.add_vm_module(vm_module)
        except RuntimeError as fault:  # the driver refuses a kernel of one of them
            if len(cases) == 1:
                cases[0].settle("error", f"{type(fault).__name__}: {fault}")
                yield cases[0]
            return  # of several, each is asked alone
        for case in cases:
            try:
                self.call(context.vm_context, vm_module.lookup_function(case.function), case)
                case.settle("ok")
            except (RuntimeError, ValueError, TypeError) as fault:
                case.settle("error", f"{type(fault).__name__}: {fault}")
            yield case

    def call(self, context, function, case):
        rt = self.runtime
        block, tensors = case.block, case.tensors
        for k, execution in enumerate(case.executions):
            arguments = rt.VmVariantList(len(block["inputs"]))
            for name in block["inputs"]:
                path = case.input_path(execution, name)
                arguments.push_ref(self.view(path, tensors[name]["dtype"]).ref)
            results = rt.VmVariantList(len(block["outputs"]))
            try:
                context.invoke(function, arguments, results)
            except IndexError as fault:
                raise OutOfBounds(fault) from fault
            for number, name in enumerate(block["outputs"]):
                view = results.get_as_object(number, rt.HalBufferView)
                dtype = tensors[name]["dtype"]
                cells = numpy.frombuffer(self.map(view), numpy.uint8)[: view.byte_length].view(arrays.TYPES[dtype][1])
                # An i48 has 48 bits in memory that count; the other 16 mean nothing.
                cells = arrays.narrow(cells, dtype, signed=True)
                arrays.write_bits(case.output_path(k, name), dtype, cells, view.shape)


def unhandled(case):
    """What of a case has no form in the runtime; empty if nothing."""
    if case.bundle["edition"] != "tosa-1.0":
        return f"edition {case.bundle['edition']}: IREE takes tosa-1.0"
    tensors = case.tensors
    for name in (*case.block["inputs"], *case.block["outputs"]):
        if tensors[name]["dtype"] not in TYPES:
            return f"the runtime has no tensors of {tensors[name]['dtype']} that come in or out"
    if name := without_values(case):
        return f"there are no values to call it with for input {name}"
    return ""


def work(target):
    """What a child does with cases: it may crash."""

    def compile_and_run(cases, tell):
        modules = list(Compiler(target).compile(cases))
        for case in cases:
            if case.status is not None:
                tell(case)
        if not modules:
            return
        runner = Runner(target)  # now: IREE's threads for a device of Vulkan wait busily in the driver as long as there is one
        for module, compiled in modules:
            for case in runner.run(module, compiled):
                tell(case)

    return compile_and_run


def version(target):
    """IREE's, and the driver's. Another process asks the driver: this one forks, and has to stay without threads."""
    if target != "vulkan-spirv":
        return VERSION
    asked = [sys.executable, "-c", "import adapter; print(adapter.vulkan_device()[1]['name'])"]
    done = subprocess.run(asked, cwd=HERE, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        last = (done.stderr.splitlines() or [f"exit code {done.returncode}"])[-1]
        raise EnvironmentFault(f"no llvmpipe for vulkan-spirv ({last}); install with: apt-get install mesa-vulkan-drivers libvulkan1")
    return f"{VERSION}, {done.stdout.strip()}"


def prepare(options):
    renderer = Renderer(options.tensor_cts)
    announced = version(options.target)

    def run_batch(requests):
        cases = [Case(request) for request in requests]
        for case in cases:
            if missing := unhandled(case):
                case.settle("unsupported", missing)
        renderer.render(open_cases(cases))
        children.settle_all(cases, work(options.target), "the compiler or the compiled program")
        return cases

    return f"iree-{options.target}", announced, run_batch


def main():
    parser = worker.parser(__doc__, BATCH)
    parser.add_argument("--target", default="llvm-cpu", choices=sorted(TARGETS), help="(%(default)s)")
    worker.serve(parser, prepare)


if __name__ == "__main__":
    main()

"""A function through iree-compile and iree-run-module: what the reports show is run with it."""

import os
import subprocess

from llvmpipe import ENVIRONMENT, TARGET


def run_with(flags, device, environment, operation, result, inputs):
    types = [f"tensor<{text.split('=')[0]}>" for text in inputs]
    arguments = ", ".join(f"%{number}: {dtype}" for number, dtype in enumerate(types))
    with open("f.mlir", "w", encoding="utf-8") as file:
        file.write(f"func.func @f({arguments}) -> {result} {{\n{operation}\nreturn %y : {result}\n}}\n")
    command = ["iree-compile", "--iree-input-type=tosa", *flags, "f.mlir", "-o", "f.vmfb"]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0:
        silence = "fails and says nothing" if done.returncode == 1 else "died"
        return next((line.partition("error: ")[2] for line in done.stderr.splitlines() if "error: " in line), silence)
    command = ["iree-run-module", "--module=f.vmfb", f"--device={device}", "--function=f", *(f"--input={text}" for text in inputs)]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **environment})
    return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stderr.splitlines()[0]


def run(operation, result, *inputs, target="llvm-cpu", flags=()):
    """The first error of the compiler, or what the function answers. `operation` is text with %0, %1 ... for the inputs,
    each written as iree-run-module takes it ("2xf32=1 2"); it defines %y of type `result`."""
    cpu = ["--iree-hal-target-device=local", "--iree-llvmcpu-target-cpu=generic", f"--iree-hal-local-target-device-backends={target}"]
    return run_with([*cpu, *flags], "local-sync", {}, operation, result, inputs)


def run_on_vulkan(operation, result, *inputs, flags=()):
    """The same on Mesa's driver of Vulkan for the CPU."""
    return run_with([f"--iree-hal-target-device={TARGET}", *flags], "vulkan", ENVIRONMENT, operation, result, inputs)

"""A function through iree-compile and iree-run-module: what deviations.md shows is run with it."""

import os
import subprocess
import sys
import tempfile

import llvmpipe


def flags_of(target):
    if target == "vulkan-spirv":
        return [f"--iree-hal-target-device={llvmpipe.TARGET}"]
    return ["--iree-hal-target-device=local", "--iree-llvmcpu-target-cpu=generic", f"--iree-hal-local-target-device-backends={target}"]


def run(operation, result, *inputs, target="llvm-cpu", flags=()):
    """The first error of the compiler, or what the function answers. `operation` is text with %0, %1 ... for the inputs,
    each written as iree-run-module takes it ("2xf32=1 2"); it defines %y of type `result`."""
    types = [f"tensor<{text.split('=')[0]}>" for text in inputs]
    arguments = ", ".join(f"%{number}: {dtype}" for number, dtype in enumerate(types))
    text = f"func.func @f({arguments}) -> {result} {{\n{operation}\nreturn %y : {result}\n}}\n"
    bin = os.path.dirname(sys.executable)
    with tempfile.TemporaryDirectory() as folder:
        source, module = os.path.join(folder, "f.mlir"), os.path.join(folder, "f.vmfb")
        with open(source, "w", encoding="utf-8") as file:
            file.write(text)
        command = [os.path.join(bin, "iree-compile"), "--iree-input-type=tosa", *flags_of(target), *flags, source, "-o", module]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode != 0:
            silence = "fails and says nothing" if done.returncode == 1 else "died"
            return next((line.partition("error: ")[2] for line in done.stderr.splitlines() if "error: " in line), silence)
        device = "vulkan" if target == "vulkan-spirv" else "local-sync"
        command = [os.path.join(bin, "iree-run-module"), f"--module={module}", f"--device={device}", "--function=f"]
        environment = {**os.environ, **llvmpipe.ENVIRONMENT}
        done = subprocess.run([*command, *(f"--input={text}" for text in inputs)], capture_output=True, text=True, env=environment)
        return done.stdout.splitlines()[-1] if done.returncode == 0 else done.stderr.splitlines()[0]

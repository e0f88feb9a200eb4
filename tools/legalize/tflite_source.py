"""TFLite's operators on LiteRT's kernels, and a command as their converter."""

import importlib.metadata
import shlex

import kernels as litert
import operators
from tflite_model import build

FILE = "model.tflite"
STEPS = 150  # of a search for a smaller model
SETS = litert.SETS
PACKAGES = ("ai-edge-litert", "flatbuffers", "mpmath", "numpy")

cases = operators.cases


def write(case, folder):
    path = folder / FILE
    path.write_bytes(build(case.model))
    return path


def kernels(path, case):
    return litert.run(path, case.inputs)


def convert(converter, path, text, case):
    """The converter's complaint, or None."""
    from pipeline import call, words

    done = call([part.replace("{model}", str(path)).replace("{out}", str(text)) for part in shlex.split(converter)])
    if done.returncode or not text.is_file():
        said = words(done.stderr or done.stdout)
        return (
            f"exit code {done.returncode}: {said}"
            if done.returncode >= 0
            else f"died of signal {-done.returncode}: {said}"
        )
    return None


def versions(converter):
    from pipeline import call

    found = {name: importlib.metadata.version(name) for name in PACKAGES}
    said = call([shlex.split(converter)[0], "--version"])
    found["converter"] = " ".join((said.stdout or said.stderr).split())[:300]
    return found


def prepare():
    """Nothing: the packages are read in the processes that need them."""


def lines(case, converter):
    """What repeats a case, with the converter and the runtime alone."""
    command = converter.replace("{model}", FILE).replace("{out}", "network.mlir")
    return f"""    {command}
    python3 -c "
    import numpy
    from ai_edge_litert.interpreter import Interpreter, OpResolverType as R
    for kind in (R.BUILTIN_REF, R.BUILTIN_WITHOUT_DEFAULT_DELEGATES, R.BUILTIN):
        model = Interpreter('{FILE}', experimental_op_resolver_type=kind, num_threads=1)
        model.allocate_tensors()
        for n, detail in enumerate(model.get_input_details()):
            model.set_tensor(detail['index'], numpy.load(f'input{{n}}.npy'))
        model.invoke()
        print(kind, [model.get_tensor(d['index']) for d in model.get_output_details()])"
"""

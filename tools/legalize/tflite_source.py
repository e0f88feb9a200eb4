"""TFLite's operators on LiteRT's kernels, and a command as their converter."""

import copy
import dataclasses
import importlib.metadata
import shlex

import numpy as np

import kernels as litert
import operators
from tflite_model import build, defaults, read

FILE = "model.tflite"
STEPS = 150  # of a search for a smaller model
SETS = litert.SETS
PACKAGES = ("ai-edge-litert", "flatbuffers", "mpmath", "numpy")

cases = operators.cases


def write(case, folder):
    path = folder / FILE
    path.write_bytes(build(case.model))
    return path


def read_case(folder, name):
    """The case of a folder that `keep` has written."""
    model = read((folder / FILE).read_bytes())
    count = sum(t is not None and t.data is None for t in model.inputs)
    return operators.drawing.Case(name, model, [np.load(folder / f"input{n}.npy") for n in range(count)])


def _attributes(fields):
    """The attributes that do not follow from the tensors' types."""
    return {name: value for name, value in fields.items() if not name.lower().endswith("type")}


def unlike_default(case):
    """The attributes that are not the schema's defaults, and the quantizations that are not plain."""
    kind, fields = case.model.options or ("", {})
    plain = defaults(kind) if kind else {}
    tensors = [t for t in (*case.model.inputs, *case.model.outputs) if t is not None]
    return [
        name
        for name, value in _attributes(fields).items()
        for _ in range((value != plain[name]) + (type(value) is int and value > 1))
    ] + [
        n for t in tensors for n in (*(s for s in t.scale if s != 1), *(z for z in t.zero_point if z != 0))
    ]


def attribute_steps(case):
    """(what it does, the case with one attribute at its default, one optional operand left out, or a plainer quantization)"""
    kind, fields = case.model.options or ("", {})
    for name, value in _attributes(fields).items():
        plain = defaults(kind)[name]
        if value != plain:
            yield f"{name} {plain}", with_model(case, options=(kind, {**fields, name: plain}))
        if type(value) is int and value > 1:
            yield f"{name} 1", with_model(case, options=(kind, {**fields, name: 1}))
    last = case.model.inputs[-1]
    if len(case.model.inputs) > 2 and last is not None and last.data is not None:
        yield "no last operand", with_model(case, inputs=[*case.model.inputs[:-1], None])
    for place in ("inputs", "outputs"):
        tensors = getattr(case.model, place)
        for number, tensor in enumerate(tensors):
            if tensor is None or not tensor.scale:
                continue
            for field, plain in (("scale", 1.0), ("zero_point", 0)):
                if all(n == plain for n in getattr(tensor, field)):
                    continue
                made = dataclasses.replace(tensor, **{field: tuple(plain for _ in getattr(tensor, field))})
                yield f"{field} {plain} of {place}[{number}]", with_model(
                    case, **{place: [made if n == number else t for n, t in enumerate(tensors)]}
                )


def with_model(case, **parts):
    made = copy.copy(case)
    made.model = dataclasses.replace(case.model, **parts)
    return made


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

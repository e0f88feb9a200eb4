"""One case: the source's kernels, the converter, the importer, our reference; and what came of it, as one of the classes."""

import json
import math
import pathlib
import re
import shlex
import shutil
import subprocess

import numpy as np

import exact
from tensors import NUMPY

# In the order in which a case is asked; the first that holds is its class.
CLASSES = (
    "source refuses",
    "converter refuses",
    "operations left",
    "illegal graph",
    "unpredictable",
    "shape unknown",
    "not imported",
    "equal",
    "within N",
    "judged",
    "unchecked",
    "deviates",
    "kernels disagree",
)

SECONDS = 120
LOOSE = (
    2.0**-10
)  # of an unchecked output: a compliant evaluation that is further off than this, relative to the largest, is a deviation


def call(command, **more):
    try:
        return subprocess.run(
            [str(part) for part in command],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=SECONDS,
            **more,
        )
    except subprocess.TimeoutExpired as late:
        return subprocess.CompletedProcess(command, -9, "", f"no answer in {late.timeout:g} s")


def words(text, most=500):
    return " ".join(text.split())[:most]


UNKNOWN = re.compile(r"tensor<[^>]*\?")


def refusal(text, said):
    """(class, detail) of what `import` does not take."""
    said = words(said.replace("tensor-cts: ", "", 1))
    said = re.sub(r"^\S*network\.mlir:? ?", "", said)
    if "found operations outside" in said:
        return "operations left", said
    if "the graph is illegal" in said:
        return "illegal graph", said
    if "unpredictable" in said:
        return "unpredictable", said
    if UNKNOWN.search(text):
        return "shape unknown", said
    return "not imported", said


class Steps:
    """The tools, and the folder in which one case is tried."""

    def __init__(self, source, tensor_cts, converter, folder, within):
        self.source, self.tensor_cts, self.converter = source, tensor_cts, converter
        self.folder, self.within = pathlib.Path(folder), within
        self.says_nothing = False  # whether the enclosures of the last checked outputs leave all open

    def fresh(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)

    def import_(self, case):
        arguments = [self.tensor_cts, "import", self.folder / "network.mlir"]
        for number, values in enumerate(case.inputs):
            np.save(self.folder / f"input{number}.npy", values)
            arguments += ["--input", f"{number}={self.folder}/input{number}.npy"]
        return call([*arguments, "--id", "networks/network", "--out", self.folder / "suite"])

    def case_json(self):
        return json.loads((self.folder / "suite/networks/network/case.json").read_text())

    def native(self):
        """What a compliant implementation makes of the graph: the project's own operators in native arithmetic."""
        shutil.rmtree(self.folder / "native", ignore_errors=True)
        done = call(
            [
                self.tensor_cts,
                "run",
                self.folder / "suite",
                "--implementation",
                "builtin:native",
                "--jobs",
                "1",
                "--out",
                self.folder / "native",
            ]
        )
        if done.returncode:
            return None
        return [
            np.load(self.folder / "native/networks/network" / f"{output['name']}.npy")
            for output in self.case_json()["outputs"]
        ]

    def check(self, results):
        """The checker's verdict on outputs: (accepted, message)."""
        answers = self.folder / "answers"
        shutil.rmtree(answers, ignore_errors=True)
        shutil.rmtree(self.folder / "results", ignore_errors=True)
        answers.mkdir()
        for output, values in zip(self.case_json()["outputs"], results):
            if np.iscomplexobj(values):  # the graph has real and imaginary part side by side
                values = np.stack([values.real, values.imag], -1)
            np.save(answers / f"{output['name']}.npy", values)
        script = self.folder / "answer.sh"
        script.write_text(f"""cp {shlex.quote(str(answers))}/*.npy "$2" && echo '{{"status": "ok"}}'\n""")
        call(
            [
                self.tensor_cts,
                "run",
                self.folder / "suite",
                "--adapter",
                f"sh {shlex.quote(str(script))}",
                "--out",
                self.folder / "results",
            ]
        )
        done = call(
            [
                self.tensor_cts,
                "check",
                self.folder / "suite",
                self.folder / "results",
                "--json",
                self.folder / "report.json",
            ]
        )
        try:
            report = json.loads((self.folder / "report.json").read_text())
        except (OSError, ValueError):
            return False, words(done.stderr)
        found = report["cases"][0]
        self.says_nothing = any(finding["kind"] == "not_checked" for finding in report["findings"])
        return found["verdict"] == "pass", words(found.get("message", ""))


FAR, NEAR = 64, 4  # likewise: further than FAR last places from the exact result, where the kernels are within NEAR
INTEGERS = 2  # likewise of a quantized output: one for the rounding of the chain, one for that of the kernel


def same(a, b):
    """Elementwise: equal in value, a NaN equal to a NaN, the zeros of both signs equal."""
    if a.dtype.kind in "fc":
        return (a == b) | (np.isnan(a) & np.isnan(b))
    return a == b


def places(a, b):
    """The largest difference of two integer tensors, in last places."""
    return int(np.abs(a.astype(np.int64) - b.astype(np.int64)).max()) if a.size else 0


def against(ours, theirs):
    """How two lists of outputs differ: None if they are equal, otherwise count, total, first place, values, worst."""
    differ, total, worst, first = 0, 0, 0.0, None
    for number, (a, b) in enumerate(zip(ours, theirs)):
        if a.shape != b.shape:
            return {
                "differ": -1,
                "total": int(b.size),
                "worst": math.inf,
                "first": [number],
                "ours": str(a.shape),
                "theirs": str(b.shape),
            }
        wrong = ~np.atleast_1d(same(a, b))
        total += int(a.size)
        if not wrong.any():
            continue
        differ += int(wrong.sum())
        if a.dtype.kind in "iub":
            worst = max(worst, places(a, b))
        else:
            with np.errstate(all="ignore"):
                off = np.abs(a.astype(np.float64) - b.astype(np.float64))
            worst = max(worst, math.inf if not np.isfinite(off[wrong.reshape(a.shape)]).all() else float(off.max()))
        if first is None:
            place = np.unravel_index(int(np.argmax(wrong.reshape(-1))), a.shape)
            first = [number, *map(int, place)]
            at = (a[place], b[place])
    if first is None:
        return None
    return {
        "differ": differ,
        "total": total,
        "worst": worst,
        "first": first,
        "ours": str(at[0]),
        "theirs": str(at[1]),
    }


def as_source(case, ours):
    """Our outputs in the source's types: bits of ui8 are kept as i8 in a case."""
    fitted = []
    for tensor, values in zip(case.model.outputs, ours):
        kind = np.dtype(NUMPY[tensor.type])
        if kind.kind == "c" and values.dtype == np.float32 and values.shape[-1:] == (2,):
            values = (
                np.ascontiguousarray(values).view(kind).reshape(values.shape[:-1])
            )  # the graph has real and imaginary part side by side
        fitted.append(
            values.view(kind)
            if values.dtype != kind
            and values.dtype.itemsize == kind.itemsize
            and {values.dtype.kind, kind.kind} == {"i", "u"}
            else values
        )
    return fitted


def kernel_shape(ours, theirs):
    """Kernels may give a scalar as one element; the graph has the shape that the model declares."""
    return [
        b.reshape(a.shape) if b.size == a.size and (b.ndim == 0 or a.ndim == 0) else b
        for a, b in zip(ours, map(np.asarray, theirs))
    ]


# Sums cancel: what is near zero has the error of what was summed.
SUMS = (
    "CONV_2D",
    "DEPTHWISE_CONV_2D",
    "CONV_3D",
    "TRANSPOSE_CONV",
    "FULLY_CONNECTED",
    "BATCH_MATMUL",
    "SUM",
    "MEAN",
    "AVERAGE_POOL_2D",
    "RFFT2D",
    "L2_NORMALIZATION",
    "ADD_N",
    "SIN",
    "COS",
    "LOG_SOFTMAX",
)


def gross(ours, theirs, of_sums=False):
    """Elements at which a compliant evaluation and a kernel are not of one kind, or further apart than LOOSE of the larger."""
    found = None
    for number, (a, b) in enumerate(zip(ours, theirs)):
        if a.shape != b.shape:
            return {"first": [number], "ours": str(a.shape), "theirs": str(b.shape), "differ": -1}
        if a.dtype.kind in "bc":
            continue
        with np.errstate(all="ignore"):
            x, y = a.astype(np.float64), b.astype(np.float64)
            scale = np.maximum(np.maximum(np.abs(x), np.abs(y)), 1e-30)
            if of_sums:
                scale = np.full(scale.shape, np.max(np.abs(y[np.isfinite(y)]), initial=1e-30))
            most = LOOSE * scale if a.dtype.kind == "f" else INTEGERS
            wrong = np.where(np.isfinite(x) & np.isfinite(y), np.abs(x - y) > most, ~same(x, y))
        if wrong.any():
            place = np.unravel_index(int(np.argmax(np.atleast_1d(wrong).reshape(-1))), a.shape)
            found = found or {
                "first": [number, *map(int, place)],
                "ours": str(a[place]),
                "theirs": str(b[place]),
                "differ": 0,
            }
            found["differ"] += int(wrong.sum())
    return found


def worst_and_even(a, b, wrong, most):
    """The differing elements that are farthest apart, and others, evenly spaced."""
    if a.dtype.kind not in "iuf":
        return wrong[:: max(1, len(wrong) // most)][:most]
    with np.errstate(all="ignore"):
        apart = np.abs(a.reshape(-1)[wrong].astype(np.float64) - b.reshape(-1)[wrong].astype(np.float64))
    farthest = wrong[np.argsort(-np.nan_to_num(apart, nan=np.inf, posinf=np.inf), kind="stable")[: most // 4]]
    return np.unique(np.concatenate([farthest, wrong[:: max(1, len(wrong) // most)][:most]]))


def nearer(case, ours, theirs, most=24):
    """Where two results differ: how often ours, theirs or both are equally near to the exact result; None if it is not known."""
    counts = {"ours": 0, "theirs": 0, "both": 0, "farthest ours": 0.0, "farthest theirs": 0.0, "asked": 0}
    for number, (a, b) in enumerate(zip(ours, theirs)):
        tensor = case.model.outputs[number]
        if a.shape != b.shape:
            return None
        wrong = np.flatnonzero(~np.atleast_1d(same(a, b)).reshape(-1))
        for flat in worst_and_even(a, b, wrong, most):
            place = tuple(int(i) for i in np.unravel_index(int(flat), a.shape))
            value = exact.value(case, number, place)
            x, y = (exact.distance(tensor, value, v[place]) for v in (a, b))
            if x is None or y is None or math.isnan(x) or math.isnan(y):
                continue
            counts["asked"] += 1
            counts["ours" if x < y else "theirs" if y < x else "both"] += 1
            counts["farthest ours"] = max(counts["farthest ours"], x)
            counts["farthest theirs"] = max(counts["farthest theirs"], y)
    return counts if counts["asked"] else None


def kernels_differ(found):
    """The first two sets of kernels that give different values, and by how much; None if they agree."""
    names = [name for name in found if isinstance(found[name], list)]
    worst = None
    for i, a in enumerate(names):
        for b in names[i + 1 :]:
            off = against(found[a], found[b])
            if off and (worst is None or off["worst"] > worst["worst"]):
                worst = {"sets": [a, b], **off}
    return worst


def run(steps, case):
    """The record of a case; and its outputs: (record, our outputs or None, {set: outputs})."""
    steps.fresh()
    model, text = steps.source.write(case, steps.folder), steps.folder / "network.mlir"
    record = {"id": case.id, "operator": case.model.operator, "types": "", "why": case.why}
    found = steps.source.kernels(model, case)
    record["types"] = type_of(case)
    refused = {name: said for name, said in found.items() if isinstance(said, str)}
    if refused:
        record["refused"] = refused
    theirs = {name: outputs for name, outputs in found.items() if not isinstance(outputs, str)}
    complaint = steps.source.convert(steps.converter, model, text, case)

    def done(kind, detail="", ours=None):
        record.update({"class": kind, "detail": detail})
        return record, ours, theirs

    if complaint is not None:
        record["converter"] = complaint
    if not theirs:
        return done("source refuses", next(iter(refused.values())))
    differs = kernels_differ(found)
    if differs:
        record["kernels"] = differs
    if complaint is not None:
        return done("converter refuses", complaint)
    imported = steps.import_(case)
    if imported.returncode:
        return done(*refusal(text.read_text(errors="replace"), imported.stderr))
    return judge(steps, case, record, theirs, done)


def judge(steps, case, record, theirs, done):
    outputs = steps.case_json()["outputs"]
    # An enclosure of integers is not one answer, so no result equals it.
    unchecked = any(
        not output.get("answers")
        or output["rule"].get("enclosure")
        and not output["dtype"].startswith(("fp", "bf"))
        for output in outputs
    )
    floating = any(output["dtype"].startswith(("fp", "bf")) for output in outputs)
    if unchecked:
        ours = steps.native()
        if ours is None:
            return done("unchecked", "the network has no answer, and native arithmetic none either")
    elif floating:
        ours = steps.native()
    else:
        folder = steps.folder / "suite/networks/network"
        ours = [np.load(folder / output["answers"][0]["expected"]) for output in outputs]
    ours = as_source(case, ours)
    sets = {name: kernel_shape(ours, outputs) for name, outputs in theirs.items()}
    offs = {name: against(ours, outputs) for name, outputs in sets.items()}
    record["against"] = {name: off for name, off in offs.items() if off}
    equal = [name for name, off in offs.items() if off is None]
    if equal:
        record["equal to"] = equal
        return done("equal", "" if len(equal) == len(sets) else f"to {', '.join(equal)}", ours)
    best = min(offs, key=lambda name: (offs[name]["worst"], offs[name]["differ"]))
    record["nearest kernels"] = best
    known = nearer(case, ours, sets[best])
    if known:
        record["exact"] = known
    say = f"{offs[best]['differ']} of {offs[best]['total']} differ from {best}, by {offs[best]['worst']:g} at most; at {offs[best]['first']} {offs[best]['ours']}, not {offs[best]['theirs']}"
    if offs[best]["differ"] < 0:
        say = f"the graph has the shape {offs[best]['ours']}, {best} {offs[best]['theirs']}"
    if unchecked:
        far = {name: gross(ours, outputs, case.model.operator in SUMS) for name, outputs in sets.items()}
        if all(far.values()):
            record["native"] = far[best]
            return done(
                "deviates",
                f"evaluated in native arithmetic, which complies: at {far[best]['first']} {far[best]['ours']}, not {far[best]['theirs']} ({far[best]['differ']} such)",
                ours,
            )
        if (
            known
            and known["farthest ours"] > FAR
            and known["farthest theirs"] < NEAR
            and case.model.operator not in SUMS
        ):
            return done(
                "deviates",
                f"evaluated in native arithmetic, which complies: {known['farthest ours']:.4g} last places from the exact result; {say}",
                ours,
            )
        return done("unchecked", say, ours)
    if floating:
        verdicts = {name: steps.check(outputs) for name, outputs in sets.items()}
        if any(accepted for accepted, _ in verdicts.values()) and steps.says_nothing:
            return done("unchecked", f"the enclosures of the outputs say nothing; {say}", ours)
        if any(accepted for accepted, _ in verdicts.values()):
            return done(
                "judged",
                f"{next(name for name, (accepted, _) in verdicts.items() if accepted)} accepted; {say}",
                ours,
            )
        return done(
            "deviates", re.sub(r"expected (\S+), got (\S+)", r"the graph \1, the kernels \2", verdicts[best][1]), ours
        )
    if offs[best]["worst"] <= steps.within and all(t.type not in ("bool",) and t.scale for t in case.model.outputs):
        return done("within N", say, ours)
    # A graph that is farther from every set than they are from each other is wrong whichever of them is right.
    apart = record.get("kernels", {}).get("worst", 0)
    if apart > steps.within and offs[best]["differ"] >= 0 and offs[best]["worst"] <= apart:
        return done("kernels disagree", say, ours)
    return done("deviates", say, ours)


def type_of(case):
    """int8, float32, or hybrid: what the operands with data at run time have, and the results."""
    operands = [t for t in case.model.inputs if t is not None and t.data is None] + case.model.outputs
    first = operands[0]
    out = case.model.outputs[0].type if case.model.outputs else first.type  # torch says it when it runs
    return first.type if out in (first.type, "bool") else f"{first.type} to {out}"

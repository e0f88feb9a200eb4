#!/usr/bin/python3
"""Sends graphs through tosa_serializer (PyPI: tosa-tools) in both directions and compares what import makes of them.

serializer_round_trip.py SUITE OUT --tensor-cts PROGRAM

SUITE comes from `generate`. Each case that `export --format tosa-conformance` can hold goes two roads:

  rewritten  tosa_serializer reads the file that export wrote, and writes it
  built      tosa_serializer builds the graph from case.json, operator by operator, and writes it

`import` reads all three files, and has to make one and the same case of them (the order of a block's tensors aside). The built ones are
exported once more: tosa_serializer has to read the same graph there as in the file that it built.

Exit code 0: no difference; 1: some; 2: usage or environment. Graphs that tosa_serializer cannot take are counted
apart.
"""

import argparse
import collections
import json
import os
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, os.pardir, "adapters"))

try:
    import ml_dtypes
    import numpy
    import tosa_serializer as theirs
    from common import arrays
except ImportError as missing:
    print(f"{missing}; install tools/adapters/tosa-tools/requirements.txt", file=sys.stderr)
    sys.exit(2)

VERSION = (1, 0, 2)
ROADS = ("rewritten", "built")
# Cells of adapters/common/arrays.py as the types of NumPy that tosa_serializer takes.
CELLS = {
    "bool": "?",
    "fp8e4m3": ml_dtypes.float8_e4m3fn,
    "fp8e5m2": ml_dtypes.float8_e5m2,
    "fp16": "<f2",
    "bf16": ml_dtypes.bfloat16,
    "fp32": "<f4",
}
DTYPES = {f"i{bits}": f"INT{bits}" for bits in (4, 8, 16, 32, 48, 64)}
ENUMERATIONS = {
    "acc_type": theirs.DType,
    "mode": theirs.ResizeMode,
    "nan_mode": theirs.NanPropagationMode,
    "rounding_mode": theirs.RoundingMode,
}
# Attributes that case.json leaves out where they have their default.
DEFAULTS = {"local_bound": False, "nan_mode": "PROPAGATE"}
ATTRIBUTES = {
    name.removesuffix("Attribute").lower(): name
    for name in dir(theirs.TosaSerializerAttribute)
    if name.endswith("Attribute")
}


class CannotBuild(Exception):
    """The interface has no words for the graph; the text says for which part."""


# --- Building a graph from case.json -------------------------------------------------------------


def dtype_of(name):
    return theirs.DType.__members__[DTYPES.get(name, name.upper())]


def values_of(folder, tensor):
    if "values" not in tensor:
        return None
    cells = arrays.read_bits(folder / tensor["values"], tensor["dtype"])
    return cells.view(CELLS[tensor["dtype"]]) if tensor["dtype"] in CELLS else cells


def number_bytes(value, dtype):
    """An attribute of the operator's element type: an integer, or {"float": ...} with a number or a word."""
    floating = isinstance(value, dict)
    if floating != (dtype in CELLS and dtype != "bool"):
        raise CannotBuild(f"{value} as a number of {dtype}")
    number = float(value["float"]) if floating else value
    cell = numpy.dtype(CELLS.get(dtype) or arrays.TYPES[dtype][1])
    if not floating and not numpy.iinfo(cell).min <= number <= numpy.iinfo(cell).max:
        raise CannotBuild(f"{value} as a number of {dtype}")
    return theirs.TosaSerializer.convertDataToUint8Vec(dtype_of(dtype), numpy.array([number]).astype(cell))


def attribute_value(name, value, dtype):
    if name in ("min_val", "max_val"):
        return number_bytes(value, dtype)
    if name == "implementation_attrs":
        return list(value.encode())
    if name in ENUMERATIONS:
        word = "NEAREST" if value == "NEAREST_NEIGHBOR" else value
        if word not in ENUMERATIONS[name].__members__:
            raise CannotBuild(f"{name} {value}")
        return ENUMERATIONS[name].__members__[word]
    return value


def attribute_of(operator, types):
    """The attribute of an operator, by the names of its parameters in tosa_serializer's own signature."""
    made = theirs.TosaSerializerAttribute()
    name = ATTRIBUTES[operator["operator"].replace("_", "").lower()]
    signature = getattr(theirs.TosaSerializerAttribute, name).__doc__.split("->")[0]
    given = operator["attributes"]
    arguments = {}
    for parameter in [word.split(":")[0].strip() for word in signature.split("(", 1)[1].split(", ")]:
        if not parameter.isidentifier() or parameter == "self":
            continue  # the rest of a type's name
        if parameter not in given and parameter not in DEFAULTS:
            raise CannotBuild(f"{operator['operator']} without {parameter}")
        dtype = types.get(operator["inputs"][0]) if operator["inputs"] else None
        arguments[parameter] = attribute_value(parameter, given.get(parameter, DEFAULTS.get(parameter)), dtype)
    try:
        getattr(made, name)(**arguments)
    except TypeError:
        raise CannotBuild(f"{operator['operator']} with attributes {json.dumps(given, sort_keys=True)}") from None
    return made


class Builder:
    def __init__(self, folder):
        self.folder = folder
        self.graph = json.loads((folder / "case.json").read_text())["graph"]
        self.made = theirs.TosaSerializer("", theirs.ConstMode.EMBED, *VERSION, False)

    def build(self):
        if self.graph["regions"][0]["name"] != "main" or self.graph["regions"][0]["blocks"][0]["name"] != "main":
            raise CannotBuild("a first region or block that is not called main")
        for number, region in enumerate(self.graph["regions"]):
            if number > 0:
                self.made.startRegion(region["name"], "")
            for place, block in enumerate(region["blocks"]):
                if (number, place) != (0, 0):
                    self.made.addBasicBlock(block["name"])
                self.fill(self.made.currRegion.currBasicBlock, block)
        return self.made

    def fill(self, target, block):
        types = {tensor["name"]: tensor["dtype"] for tensor in block["tensors"]}
        variables = self.add_variables(target, block)
        for tensor in block["tensors"]:
            if tensor["name"] not in variables.values():
                self.add_tensor(target, tensor)
        for name in block["inputs"]:
            target.addInput(name)
        for name in block["outputs"]:
            target.addOutput(name)
        for operator in block["operators"]:
            self.add_operator(target, operator, types, variables)

    def add_variables(self, target, block):
        """A variable is a tensor: that of its initial value, or one more. Returns the tensors by variable."""
        variables, tensors = {}, {tensor["name"]: tensor for tensor in block["tensors"]}
        for operator in (o for o in block["operators"] if o["operator"] == "VARIABLE"):
            given = operator["attributes"]
            for name in ("name", "type", "var_shape"):
                if name not in given:
                    raise CannotBuild(f"VARIABLE without {name}")
            initial = tensors.get(given.get("initial_value"))
            if initial and (list(initial["shape"]) != given["var_shape"]
                            or dtype_of(initial["dtype"]).name != given["type"]):  # fmt: skip
                raise CannotBuild("VARIABLE of another type or shape than its initial value")
            if given["type"] not in theirs.DType.__members__:
                raise CannotBuild(f"VARIABLE of type {given['type']}")
            tensor = initial["name"] if initial else f"variable_{len(variables)}"
            target.addTensor(
                tensor,
                given["var_shape"],
                theirs.DType.__members__[given["type"]],
                values_of(self.folder, initial) if initial else None,
                variable=True,
                variable_name=given["name"],
            )
            variables[given["name"]] = tensor
        return variables

    def add_tensor(self, target, tensor):
        values = values_of(self.folder, tensor)
        if tensor["dtype"] != "shape":
            target.addTensor(tensor["name"], tensor["shape"], dtype_of(tensor["dtype"]), values)
        elif len(tensor["shape"]) == 1:
            target.addShape(tensor["name"], tensor["shape"][0], values)
        else:
            raise CannotBuild(f"a shape of {len(tensor['shape'])} dimensions")

    def add_operator(self, target, operator, types, variables):
        name, inputs, outputs = operator["operator"], list(operator["inputs"]), list(operator["outputs"])
        if name not in theirs.Op.__members__:
            raise CannotBuild(f"operator {name}")
        if name.startswith("VARIABLE"):
            variable = operator["attributes"].get("name")
            if variable not in variables:
                raise CannotBuild(f"{name} of a variable that no VARIABLE of its block declares")
            (inputs if name == "VARIABLE_READ" else outputs).append(variables[variable])
        target.addOperator(theirs.Op.__members__[name], inputs, outputs, attribute_of(operator, types))


# --- One case, in a process of its own -----------------------------------------------------------


def written(serializer, path):
    status = serializer.saveFileTosaFlatbuffer(str(path))
    if status != theirs.TosaError.TOSA_OK:
        raise CannotBuild(f"writing: {status.name}")


def read(path):
    serializer = theirs.TosaSerializer("", theirs.ConstMode.EMBED, *VERSION, False)
    if not serializer.loadTosaFlatbuffer(str(path)):
        raise CannotBuild("reading: refused")
    return serializer


def said(value):
    """A value of tosa_serializer's as one that can be compared: enumerations by name."""
    if hasattr(value, "__members__"):
        return value.name
    return list(value) if isinstance(value, (list, tuple)) or type(value).__name__.endswith("Vector") else value


def description(serializer):
    """Everything that tosa_serializer's classes say of a graph; tensors by name, operators in order."""
    told = []
    for region in serializer.regions:
        for block in region.basicBlocks:
            told.append((region.name, block.name, list(block.inputs), list(block.outputs)))
            for name in sorted(block.tensors):
                t = block.getTensorByName(name)
                told.append((name, t.dtype.name, list(t.shape), list(t.data or ()), t.is_variable, t.variable_name))
            for name in sorted(block.shapes):
                shape = block.getShapeByName(name)
                told.append((name, shape.rank, list(shape.data or ())))
            for o in block.operators:
                kept = [n for n in dir(o.attributes) if not n.startswith("_")]
                attributes = {name: said(getattr(o.attributes, name)) for name in kept}
                told.append((o.op.name, list(o.inputs), list(o.outputs), sorted(attributes.items())))
    return told


def rewrite(_, source, target):
    written(read(source), target)


def build(case, _, target):
    written(Builder(case).build(), target)


def same(_, source, target):
    """Whether tosa_serializer reads one graph in both files."""
    one, other = description(read(target)), description(read(source))
    for left, right in zip(one, other):
        if left != right:
            raise CannotBuild(f"{right} where the file that it built has {left}"[:400])
    if len(one) != len(other):
        raise CannotBuild(f"{len(other)} parts where the file that it built has {len(one)}")


def in_child(work, *arguments):
    """Returns why it did not work, or "". The libraries write to standard output, and may die."""
    read_end, write_end = os.pipe()
    child = os.fork()
    if child == 0:
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        try:
            work(*arguments)
        except Exception as fault:  # whatever the library raises is its answer
            words = str(fault) if isinstance(fault, CannotBuild) else f"{type(fault).__name__}: {fault}"
            os.write(write_end, words.encode(errors="replace")[:1000])
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end, "rb") as pipe:
        words = pipe.read().decode(errors="replace")
    status = os.waitpid(child, 0)[1]
    return f"died of signal {os.WTERMSIG(status)}" if os.WIFSIGNALED(status) else words


# --- The suite -----------------------------------------------------------------------------------


def call(tensor_cts, *arguments):
    command = [tensor_cts, *map(str, arguments)]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace")
    if done.returncode != 0:
        print(f"{' '.join(command)}: {done.stderr.strip()}", file=sys.stderr)
        sys.exit(2)


def exported(tensor_cts, suite, out):
    call(tensor_cts, "export", "--format", "tosa-conformance", "--tosa-version", ".".join(map(str, VERSION)), suite,
         "--out", out)  # fmt: skip
    return sorted(str(path.parent.relative_to(out)) for path in out.glob("*/*/desc.json"))


def imported(tensor_cts, tests, suite):
    """The digest of each case."""
    call(tensor_cts, "import", tests, "--out", suite, "--skip", "--left-out", f"{suite}.left_out", "--edition-rules")
    return {case["id"]: case["digest"] for case in json.loads((suite / "suite.json").read_text())["cases"]}


def copied(source, target, *without):
    """A test as others write it: without our own file beside desc.json."""
    target.mkdir(parents=True)
    for path in source.iterdir():
        if path.name not in ("tensor-cts.json", *without):
            os.link(path, target / path.name)


def meaning(path):
    """A file's bytes; of case.json what it says. The order in which a block lists its tensors says nothing."""
    if path.name != "case.json":
        return path.read_bytes()
    bundle = json.loads(path.read_text())
    for block in (block for region in bundle["graph"]["regions"] for block in region["blocks"]):
        block["tensors"].sort(key=lambda tensor: tensor["name"])
    return bundle


def difference(one, other):
    """Where two cases differ in more than the order of their tensors, or ""."""
    names, others = (sorted(p.relative_to(s) for p in s.rglob("*") if p.is_file()) for s in (one, other))
    if names != others:
        return f"files {sorted(map(str, set(names) ^ set(others)))}"
    return next((f"{name} differs" for name in names if meaning(one / name) != meaning(other / name)), "")


class Tally:
    """What became of each case on a road, by operator."""

    def __init__(self, name):
        self.name, self.of, self.differ = name, collections.defaultdict(collections.Counter), 0
        self.reasons, self.example = collections.Counter(), {}

    def add(self, test, why):
        self.of[test.split("/")[0]]["differ" if why else "equal"] += 1
        if why:
            self.differ += 1
            print(f"{test}: {self.name}: {why}")

    def not_taken(self, test, why):
        self.of[test.split("/")[0]]["not taken"] += 1
        self.reasons[why] += 1
        self.example.setdefault(why, test)

    def print(self):
        total = collections.Counter()
        for counts in self.of.values():
            total.update(counts)
        operators = sum(1 for counts in self.of.values() if counts["equal"])
        print(f"{self.name}: {total['equal']} equal over {operators} operators, {total['differ']} differ, "
              f"{total['not taken']} not taken")  # fmt: skip
        for why, count in self.reasons.most_common():
            print(f"  {count}: {why}: {self.example[why]}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("suite", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--tensor-cts", required=True)
    options = parser.parse_args()
    if not (options.suite / "suite.json").exists():
        parser.error(f"{options.suite}: no suite")
    if options.out.exists():
        parser.error(f"{options.out}: expected a folder that does not exist")
    options.out.mkdir(parents=True)
    tests = exported(options.tensor_cts, options.suite, options.out / "exported")
    tallies = {road: Tally(road) for road in (*ROADS, "built, exported again")}
    for test in tests:
        source = options.out / "exported" / test
        copied(source, options.out / "before" / test)
        for road, work in zip(ROADS, (rewrite, build)):
            target = options.out / road / test
            copied(source, target, "test.tosa")
            if why := in_child(work, options.suite / test, source / "test.tosa", target / "test.tosa"):
                tallies[road].not_taken(test, why)
                shutil.rmtree(target)
    digests = {side: imported(options.tensor_cts, options.out / side, options.out / f"suite-{side}")
               for side in ("before", *ROADS)}  # fmt: skip
    for road in ROADS:
        for test in (test for test in tests if (options.out / road / test).exists()):
            before, after = (digests[side].get(test) for side in ("before", road))
            if not before or not after:
                why = f"import leaves out what {'came back' if before else 'export wrote'}"
            else:
                sides = [options.out / f"suite-{side}" / test for side in ("before", road)]
                why = "" if before == after else difference(*sides)
            tallies[road].add(test, why)
    again = options.out / "again"
    for test in exported(options.tensor_cts, options.out / "suite-built", again):
        why = in_child(same, None, again / test / "test.tosa", options.out / "built" / test / "test.tosa")
        tallies["built, exported again"].add(test, why)
    for tally in tallies.values():
        tally.print()
    return 1 if any(tally.differ for tally in tallies.values()) else 0


if __name__ == "__main__":
    sys.exit(main())

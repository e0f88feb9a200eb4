#!/usr/bin/python3
"""Compares two writers of SPIR-V with TOSA: ours and Arm's converter, case by case, as graphs.

compare_modules.py TENSOR_CTS SUITE [--filter PATTERN]... [--table FILE]

The reader below, which belongs to neither writer, reads both modules of each legal case. They become one
expression for each output: instructions, their types, attributes and constants by value, inputs by number. Names,
the order of instructions and the way in which a constant is held are no difference. Run it by the Python of the
virtual environment that has the wheels (requirements.txt).
"""

import argparse
import collections
import fnmatch
import json
import os
import re
import struct
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
import adapter  # noqa: E402

FLOATS = {None: "fp", 0: "bf", 4214: "e4m3-", 4215: "e5m2-"}
SCALARS = {1: "B", 8: "B", 16: "H", 32: "I", 64: "Q"}


class Differs(Exception):
    """The modules cannot be compared, or say different things; the text says what."""


class Module:
    """A module as values: id -> what it is."""

    def __init__(self, data, constant):
        words = struct.unpack(f"<{len(data) // 4}I", data)
        if words[0] != 0x07230203:
            raise Differs("no module of SPIR-V")
        self.constant = constant  # its bytes, by the number of a constant of the graph
        self.value, self.types, self.names, self.decorations = {}, {}, {}, collections.defaultdict(dict)
        self.outputs, self.inputs, self.operators = {}, {}, collections.Counter()
        at = 5
        while at < len(words):
            count, code = words[at] >> 16, words[at] & 0xFFFF
            if count == 0:
                raise Differs("an instruction without words")
            self.read(code, words[at + 1 : at + count])
            at += count

    def number(self, id):
        return int.from_bytes(self.value[id][2], "little")

    def read(self, code, w):
        if code == 71:
            self.decorations[w[0]][w[1]] = w[2] if len(w) > 2 else None
        elif code == 20:
            self.types[w[0]] = ("scalar", "bool", 8)
        elif code == 21:
            self.types[w[0]] = ("scalar", f"i{w[1]}", w[1])
        elif code == 22:
            self.types[w[0]] = ("scalar", f"{FLOATS[w[2] if len(w) > 2 else None]}{w[1]}", w[1])
        elif code == 28:
            self.types[w[0]] = ("array", w[1], self.number(w[2]))
        elif code == 30:
            self.types[w[0]] = ("struct", *(self.types[member] for member in w[1:]))
        elif code == 32:
            self.types[w[0]] = ("pointer", self.types[w[2]])
        elif code == 4163:
            shape = self.value[w[3]][2]
            dims = tuple(int.from_bytes(shape[i : i + 4], "little") for i in range(0, len(shape), 4))
            self.types[w[0]] = ("tensor", self.types[w[1]][1], dims, self.types[w[1]][2])
        elif code == 4190:
            self.graph = w
        elif code in (41, 48):
            self.value[w[1]] = ("constant", self.types[w[0]], b"\1")
        elif code in (42, 49):
            self.value[w[1]] = ("constant", self.types[w[0]], b"\0")
        elif code in (43, 50):
            bits = w[2] | (w[3] << 32 if len(w) > 3 else 0)
            size = self.types[w[0]][2]
            self.value[w[1]] = ("constant", self.types[w[0]], struct.pack("<Q", bits)[: max(size, 8) // 8])
        elif code in (44, 51):
            self.value[w[1]] = ("constant", self.types[w[0]], b"".join(self.value[part][2] for part in w[2:]))
        elif code == 46:
            self.value[w[1]] = ("constant", self.types[w[0]], bytes(self.size(self.types[w[0]])))
        elif code in (4461, 4462):
            data = self.value[w[2]][2]
            size = self.size(self.types[w[0]])
            self.value[w[1]] = ("constant", self.types[w[0]], data * (size // max(len(data), 1)))
        elif code == 4181:
            self.value[w[1]] = ("constant", self.types[w[0]], self.constant(w[2]))
        elif code == 59:
            self.value[w[1]] = ("variable", self.types[w[0]][1])
        elif code == 4182:
            text = b"".join(struct.pack("<I", word) for word in w[1:])
            self.interface = w[1 + text.index(b"\0") // 4 + 1 :]
        elif code == 4184:
            number = self.number(w[2])
            self.inputs[number] = self.types[w[0]]
            self.value[w[1]] = ("input", number)
        elif code == 12:
            operands = tuple(self.value[operand] for operand in w[4:])
            self.operators[w[3]] += 1
            self.value[w[1]] = ("instruction", w[3], self.types[w[0]], operands)
        elif code == 81:
            self.value[w[1]] = ("member", self.value[w[2]], w[3:])
        elif code == 4185:
            self.outputs[self.number(w[1])] = self.value[w[0]]

    def size(self, kind):
        if kind[0] == "scalar":
            return max(kind[2], 8) // 8
        if kind[0] == "array":
            return self.size(self.types[kind[1]]) * kind[2]
        elements = 1
        for dimension in kind[2]:
            elements *= dimension
        return elements * max(kind[3], 8) // 8

    def ports(self):
        """Set, binding and type of each variable of the entry point."""
        return [(self.decorations[v].get(34), self.decorations[v].get(33), self.value[v][1]) for v in self.interface]


def told(value):
    if value[0] == "constant":
        return f"a constant of {value[1][1]}, {len(value[2])} bytes"
    if value[0] == "instruction":
        return f"instruction {value[1]}"
    return " ".join(str(part) for part in value[:2])


def truth(data):
    return [byte != 0 for byte in data]


def difference(a, b, where):
    """The first place where two values differ, ours first; None if nowhere."""
    pairs, seen = [(a, b, where)], set()
    while pairs:
        a, b, where = pairs.pop()
        if a is b or (id(a), id(b)) in seen or a == b:
            continue
        seen.add((id(a), id(b)))
        if a[0] != b[0] or (a[0] == "instruction" and a[1] != b[1]):
            return f"{where}: {told(a)} against {told(b)}"
        if a[0] == "instruction":
            if a[2] != b[2]:
                return f"{where}: instruction {a[1]} of {a[2]} against {b[2]}"
            if len(a[3]) != len(b[3]):
                return f"{where}: instruction {a[1]} of {len(a[3])} operands against {len(b[3])}"
            pairs += [(x, y, f"operand {i} of instruction {a[1]}") for i, (x, y) in enumerate(zip(a[3], b[3]))]
        elif a[0] == "member" and a[2] == b[2]:
            pairs.append((a[1], b[1], where))
        elif a[0] == "constant" and a[1] == b[1] and a[1][1] == "bool" and truth(a[2]) == truth(b[2]):
            return "a constant of bool that holds another number than 1 for true"
        elif a[0] == "constant" and a[2] == b[2]:
            return f"{where}: a constant of type {a[1][1:]} against {b[1][1:]}"
        else:
            return f"{where}: {told(a)} against {told(b)}" + ("" if a[0] != "constant" else ", other values")
    return None


def compare(ours, theirs):
    if ours.inputs != theirs.inputs:
        return f"inputs: {ours.inputs} against {theirs.inputs}"
    if sorted(ours.outputs) != sorted(theirs.outputs):
        return f"{len(ours.outputs)} outputs against {len(theirs.outputs)}"
    for number in sorted(ours.outputs):
        if found := difference(ours.outputs[number], theirs.outputs[number], f"output {number}"):
            return found
    if ours.ports() != theirs.ports():
        return f"variables: {ours.ports()} against {theirs.ports()}"
    return None


def converted(folder):
    """The converter's module with its constants, or the words of its refusal."""
    done = adapter.run(adapter.program("model-converter"), "-i", "graph.tosa", "-o", "graph.vgf", folder=folder)
    if done.returncode != 0:
        raise Differs(f"refused: {adapter.words(done)}")
    dump = adapter.program("vgf_dump")
    done = adapter.run(dump, "-i", "graph.vgf", "--dump-spirv", "0", "-o", "theirs.spv", folder=folder)
    if done.returncode != 0:
        raise Differs(f"no module: {adapter.words(done)}")

    def constant(number):
        out = f"constant{number}.bin"
        made = adapter.run(dump, "-i", "graph.vgf", "--dump-constant", number, "-o", out, folder=folder)
        if made.returncode != 0:
            raise Differs(f"constant {number}: {adapter.words(made)}")
        with open(os.path.join(folder, out), "rb") as file:
            return file.read()

    with open(os.path.join(folder, "theirs.spv"), "rb") as file:
        return Module(file.read(), constant)


def refuse_constant(number):
    raise Differs(f"constant {number} of the graph, expected all in the module")


def export(tensor_cts, suite, out, *words):
    """The suite in another format; returns why cases are left out, by id."""
    done = subprocess.run([tensor_cts, "export", *words, suite, "--out", out], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr.strip())
    path = os.path.join(out, "left_out.txt")
    if not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(": ", 1) for line in file if ": " in line)


def one(ours, tosa, refusal):
    """(kind, words): equal, different, theirs refused, ours refused."""
    with tempfile.TemporaryDirectory(prefix="tensor-cts-modules-") as folder:
        os.symlink(os.path.abspath(tosa), os.path.join(folder, "graph.tosa"))
        try:
            theirs = converted(folder)
        except Differs as what:
            return ("both refused" if refusal else "theirs refused"), f"{what} {refusal}".strip()
        if refusal:
            return "ours refused", refusal
        with open(ours, "rb") as file:
            found = compare(Module(file.read(), refuse_constant), theirs)
        return ("different", found) if found else ("equal", "")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("tensor_cts")
    parser.add_argument("suite")
    parser.add_argument("--filter", action="append", default=[])
    parser.add_argument("--table", help="a file: case, kind and words in each line")
    options = parser.parse_args()
    with open(os.path.join(options.suite, "suite.json"), encoding="utf-8") as file:
        ids = [case["id"] for case in json.load(file)["cases"]]
    kinds = collections.Counter()
    table = open(options.table, "w", encoding="utf-8", buffering=1) if options.table else sys.stdout
    with tempfile.TemporaryDirectory(prefix="tensor-cts-exports-") as folder:
        modules, files = os.path.join(folder, "modules"), os.path.join(folder, "files")
        refused = export(options.tensor_cts, options.suite, modules, "--format", "spirv", "--lower")
        without = export(options.tensor_cts, options.suite, files, "--format", "tosa")
        for id in ids:
            if options.filter and not any(fnmatch.fnmatchcase(id, pattern) for pattern in options.filter):
                continue
            with open(os.path.join(options.suite, id, "case.json"), encoding="utf-8") as file:
                if json.load(file)["outcome"] != "valid":
                    continue
            if id in without:
                kind, words = "no .tosa file", without[id]
            else:
                paths = os.path.join(modules, id, "graph.spv"), os.path.join(files, id, "graph.tosa")
                kind, words = one(*paths, refused.get(id, ""))
            kinds[kind] += 1
            if options.table or kind != "equal":
                print(id, kind, words, sep="\t", file=table, flush=True)
    print(sum(kinds.values()), "legal cases:", ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()))


if __name__ == "__main__":
    main()

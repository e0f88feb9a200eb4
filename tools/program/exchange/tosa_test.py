#!/usr/bin/python3
"""`export --format tosa` and `render --format tosa` against flatc and a second reading of the layout.

Usage: tosa_test.py TENSOR_CTS FLATC
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TENSOR_CTS, FLATC = sys.argv[1], sys.argv[2]
SCHEMA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "..", "schemas",
                      "tosa.fbs")
OPERATORS = ["CONV2D", "CLAMP", "RESCALE", "RESHAPE", "CONST", "COND_IF", "VARIABLE", "MUL",
             "TRANSPOSE", "TABLE", "CAST", "CUSTOM", "CONST_SHAPE"]
TYPES = {"bool": "BOOL", "i4": "INT4", "i8": "INT8", "i16": "INT16", "i32": "INT32",
         "i48": "INT48", "fp16": "FP16", "bf16": "BF16", "fp32": "FP32", "fp8e4m3": "FP8E4M3",
         "fp8e5m2": "FP8E5M2", "shape": "SHAPE"}


def run(*arguments):
    return subprocess.run([TENSOR_CTS, *arguments], capture_output=True, text=True, check=False)


def elements(data, dtype, count):
    """The values of a tensor's bytes as integers: those of an integer, or the bits of a float."""
    raw = bytes(data)
    if dtype == "i4":
        nibbles = [half for byte in raw for half in (byte & 15, byte >> 4)][:count]
        return [n - 16 if n > 7 else n for n in nibbles]
    size = {"bool": 1, "i48": 6, "shape": 8}.get(dtype) or int(
        "".join(c for c in dtype.split("e")[0] if c.isdigit())) // 8
    signed = dtype[0] in "is"
    return [int.from_bytes(raw[i * size:(i + 1) * size], "little", signed=signed)
            for i in range(count)]


def npy_elements(path, dtype):
    array = np.load(path)
    if dtype[0] in "is" or dtype == "bool":
        return [int(v) for v in array.reshape(-1)]
    raw, size = array.tobytes(), array.dtype.itemsize
    return [int.from_bytes(raw[i:i + size], "little") for i in range(0, len(raw), size)]


class TosaFiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.suite, cls.out = (os.path.join(cls.folder.name, name) for name in ("suite", "out"))
        options = [part for name in OPERATORS for part in ("--operator", name)]
        made = run("generate", "--recipe", "smoke", *options, "--out", cls.suite)
        assert made.returncode == 0, made.stderr
        cls.made = run("export", "--format", "tosa", cls.suite, "--out", cls.out)
        with open(os.path.join(cls.suite, "suite.json"), encoding="utf-8") as file:
            cls.ids = [case["id"] for case in json.load(file)["cases"]]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_says_what_it_wrote(self):
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        self.assertEqual(self.made.stderr, "")
        with open(os.path.join(self.out, "left_out.txt"), encoding="utf-8") as file:
            left_out = len(file.readlines())
        written = len(self.ids) - left_out
        self.assertEqual(self.made.stdout,
                         f"{written} cases in {self.out}\n{left_out} cases that the format cannot "
                         f"hold: see {self.out}/left_out.txt\n")

    def test_flatc_reads_every_file(self):
        names = {}
        for case in self.ids:
            path = os.path.join(self.out, case, "graph.tosa")
            if os.path.exists(path):
                names[case] = f"case{len(names)}"
                os.symlink(path, os.path.join(self.folder.name, names[case] + ".tosa"))
        self.assertGreater(len(names), 500)
        subprocess.run([FLATC, "--json", "--strict-json", "--defaults-json", "--raw-binary", SCHEMA,
                        "--", *(name + ".tosa" for name in names.values())],
                       cwd=self.folder.name, check=True)
        for case, name in names.items():
            with open(os.path.join(self.folder.name, name + ".json"), encoding="utf-8") as file:
                self.compare(case, json.load(file))

    def compare(self, case, file):
        folder = os.path.join(self.suite, case)
        with open(os.path.join(folder, "case.json"), encoding="utf-8") as text:
            graph = json.load(text)["graph"]
        self.assertEqual(file["version"], {"_major": 1, "_minor": 0, "_patch": 0, "_draft": False})
        self.assertEqual([r["name"] for r in file["regions"]],
                         [r["name"] for r in graph["regions"]], case)
        for ours, theirs in zip(graph["regions"], file["regions"]):
            for block, there in zip(ours["blocks"], theirs["blocks"], strict=True):
                self.compare_block(case, folder, block, there)

    def compare_block(self, case, folder, block, there):
        for key in ("name", "inputs", "outputs"):
            self.assertEqual(there[key], block[key], case)
        found = {t["name"]: (t["type"], t["shape"], t.get("data")) for t in there["tensors"]}
        found |= {s["name"]: ("SHAPE", [s["rank"]], s.get("data")) for s in there["shapes"]}
        for tensor in block["tensors"]:
            dtype, shape, data = found[tensor["name"]]
            self.assertEqual((dtype, shape), (TYPES[tensor["dtype"]], tensor["shape"]), case)
            self.assertEqual(data is None, "values" not in tensor, case)
            if data is not None:
                values = npy_elements(os.path.join(folder, tensor["values"]), tensor["dtype"])
                self.assertEqual(elements(data, tensor["dtype"], len(values)), values, case)
        variables = {t["name"]: t["variable_name"] for t in there["tensors"] if t["variable"]}
        types = {t["name"]: t["dtype"] for t in block["tensors"]}
        for op, wire in zip(block["operators"], there["operators"], strict=True):
            self.assertEqual(wire["op"], op["operator"], case)
            if op["operator"].startswith("VARIABLE"):
                name, = (variables[n] for n in wire["inputs"] + wire["outputs"] if n in variables)
                self.assertEqual(name, op["attributes"]["name"], case)
                continue
            self.assertEqual((wire["inputs"], wire["outputs"]), (op["inputs"], op["outputs"]), case)
            for name, value in op["attributes"].items():
                self.assertEqual(self.attribute(name, wire["attribute"][name], op, types),
                                 "NEAREST" if value == "NEAREST_NEIGHBOR" else value, case)

    @staticmethod
    def attribute(name, value, op, types):
        if name == "implementation_attrs":
            return bytes(value).decode()
        if name not in ("min_val", "max_val"):
            return value
        dtype = types[op["inputs"][0]]
        if dtype.startswith("i"):
            return elements(value, dtype, 1)[0]
        bits = int.from_bytes(bytes(value), "little") << (16 if dtype == "bf16" else 0)
        kind = np.float16 if dtype == "fp16" else np.float32
        number = float(np.array([bits], f"<u{np.dtype(kind).itemsize}").view(kind)[0])
        named = {float("inf"): "inf", float("-inf"): "-inf"}
        return {"float": "nan" if number != number else named.get(number, number)}

    def test_inputs_are_those_of_the_case(self):
        case = next(i for i in self.ids if i.startswith("mul/") and "error" not in i)
        with open(os.path.join(self.suite, case, "case.json"), encoding="utf-8") as text:
            inputs = json.load(text)["inputs"]
        for name, file in inputs.items():
            with open(os.path.join(self.out, case, name + ".npy"), "rb") as ours, \
                    open(os.path.join(self.suite, case, file), "rb") as theirs:
                self.assertEqual(ours.read(), theirs.read())

    def test_render_writes_the_same_file(self):
        case = next(i for i in self.ids if i.startswith("conv2d/") and "error" not in i)
        out = os.path.join(self.folder.name, "rendered.tosa")
        done = run("render", "--format", "tosa", os.path.join(self.suite, case), "--out", out)
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))
        with open(out, "rb") as ours, open(os.path.join(self.out, case, "graph.tosa"),
                                           "rb") as theirs:
            self.assertEqual(ours.read(), theirs.read())

    def test_refuses_bad_usage(self):
        missing = os.path.join(self.folder.name, "missing")
        for arguments, message in [
                (("export", self.suite, "--out", missing), "--format is required"),
                (("export", "--format", "onnx", self.suite, "--out", missing), "onnx"),
                (("export", "--format", "tosa", missing, "--out", missing + "2"), "missing"),
                (("export", "--format", "tosa", self.suite, "--out", self.out),
                 "expected a folder that does not exist yet"),
                (("render", "--format", "tosa", missing, missing), "found 2 cases, expected one")]:
            done = run(*arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertIn(message, done.stderr)
            self.assertFalse(os.path.exists(missing))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

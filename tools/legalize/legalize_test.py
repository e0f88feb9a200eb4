#!/usr/bin/python3
"""legalize with stand-ins for LiteRT and the converter that are right, wrong, refuse or crash on demand; and a sample with the real ones.

legalize_test.py TENSOR_CTS
"""

import fractions
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import types
import unittest

try:
    import numpy
except ImportError:
    sys.exit(77)

CTS = pathlib.Path(sys.argv.pop(1)).resolve()
LEGALIZE = pathlib.Path(__file__).resolve().parent / "legalize.py"
FINDINGS = LEGALIZE.parents[1] / "findings"
sys.path.append(str(FINDINGS.parent / "develop"))
import archive  # noqa: E402

STANDS_FOR = ("ai-edge-litert", "flatbuffers", "mpmath")

SCHEMA = """
class Part:
    def __init__(self): self.has = {}
    def __getattr__(self, name): return 0
    def Pack(self, builder): builder.root = self
class Names(type):
    def __getattr__(self, name): return 1 if name != name.upper() else name_number(name)
def name_number(name):
    NAMES.append(name)
    return 200 + len(NAMES) % 50
NAMES = []
class BuiltinOperator(metaclass=Names): pass
class BuiltinOptions(metaclass=Names): pass
class BuiltinOptions2(metaclass=Names): pass
class TensorType(metaclass=Names): pass
def __getattr__(name):
    if name.startswith("__"): raise AttributeError(name)
    return Part
"""

# A file is the name and the types of its one operator, and its activation.
FLATBUFFERS = """
import json
class Builder:
    def __init__(self, size): pass
    def Finish(self, root, identifier): pass
    def Output(self):
        from ai_edge_litert import schema_py_generated as schema
        options = vars(self.root.subgraphs[0].operators[0]).get("builtinOptions")
        names = [n for n in schema.NAMES if n not in ("FLOAT32", "INT8", "INT32", "BOOL", "UINT8", "INT16", "INT64", "FLOAT16")]
        activation = vars(options).get("fusedActivationFunction", 0) if options is not None else 0
        shape = list(self.root.subgraphs[0].tensors[-1].shape)
        return json.dumps({"operator": names[-1], "activation": activation, "shape": shape}).encode()
"""

INTERPRETER = """
import json, os, signal, numpy
class OpResolverType: BUILTIN, BUILTIN_REF, BUILTIN_WITHOUT_DEFAULT_DELEGATES = 1, 2, 3
class Interpreter:
    def __init__(self, model_path, experimental_op_resolver_type, num_threads):
        self.model = json.load(open(model_path))
        self.kind, self.values = experimental_op_resolver_type, {}
    def allocate_tensors(self):
        if self.model["operator"] == "COS": raise ValueError("cos.cc: none of ours")
    def get_input_details(self): return [{"index": 0}, {"index": 1}]
    def get_output_details(self): return [{"index": 0}]
    def set_tensor(self, index, values): self.values[index] = values
    def invoke(self):
        if self.model["operator"] == "SIN" and self.kind == OpResolverType.BUILTIN: os.kill(os.getpid(), signal.SIGSEGV)
    def get_tensor(self, index):
        x, op = self.values[0], self.model["operator"]
        if op == "ABS": return abs(x)
        if op == "NEG": return -x
        if op == "SUB": return numpy.maximum(x - self.values[1], 0) if self.model["activation"] == 1 else x - self.values[1]
        return x
"""

MPMATH = """
import math
class mp: prec = 53
mpf = float
def __getattr__(name): return getattr(math, name)
nint = round
"""

CONVERTER = """#!{python}
import json, sys
if "--version" in sys.argv: print("stand-in 3.1"); sys.exit()
model = json.load(open(sys.argv[1]))
shape = "x".join(map(str, model["shape"]))
f, op = f"tensor<{{shape}}xf32>", model["operator"]
second = ", %b: " + f if op == "SUB" else ""
if op == "EXP":
    print("could not legalize", file=sys.stderr); sys.exit(3)
body = {{"ABS": f"%0 = tosa.abs %a : ({{f}}) -> {{f}}", "NEG": f"%0 = tosa.abs %a : ({{f}}) -> {{f}}", "SIN": f"%0 = tosa.ceil %a : ({{f}}) -> {{f}}",
         "SQUARE": f"%0 = tfl.square %a : {{f}}", "FLOOR": f"%0 = tosa.transpose %a {{{{perms = array<i32: 0, 0>}}}} : ({{f}}) -> {{f}}",
         "SUB": f"%0 = tosa.sub %a, %b : ({{f}}, {{f}}) -> {{f}}"}}.get(op, f"%0 = tosa.identity %a : ({{f}}) -> {{f}}")
open(sys.argv[2], "w").write(f"func.func @main(%a: {{f}}{{second}}) -> {{f}} {{{{\\n{{body}}\\nreturn %0 : {{f}}\\n}}}}\\n")
"""


def packages():
    try:
        import ai_edge_litert  # noqa: F401
        import mpmath  # noqa: F401
    except ImportError as missing:
        return missing.name
    return None


class StandIn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        stub = cls.here / "stub"
        for package in STANDS_FOR:
            info = stub / f"{package.replace('-', '_')}-9.9.dist-info"
            info.mkdir(parents=True)
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 9.9\n")
        (stub / "ai_edge_litert").mkdir()
        (stub / "ai_edge_litert/__init__.py").write_text("")
        (stub / "ai_edge_litert/schema_py_generated.py").write_text(SCHEMA)
        (stub / "ai_edge_litert/interpreter.py").write_text(INTERPRETER)
        (stub / "flatbuffers.py").write_text(FLATBUFFERS)
        (stub / "mpmath.py").write_text(MPMATH)
        (cls.here / "converter").write_text(CONVERTER.format(python=sys.executable))
        (cls.here / "converter").chmod(0o755)
        cls.cases = ("cos", "exp", "square", "floor", "abs", "neg", "sin", "sub", "sub-relu")
        cls.code, cls.said = cls.legalize(*(f"--case={name}/float32-plain" for name in cls.cases), "--out", "out")
        report = json.loads((cls.here / "out/legalize.json").read_text())
        cls.report, cls.found = report, {case["id"].split("/")[0]: case for case in report["cases"]}

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def legalize(cls, *words):
        done = subprocess.run(
            [
                sys.executable,
                LEGALIZE,
                "--tensor-cts",
                CTS,
                "--converter",
                f"{cls.here}/converter {{model}} {{out}}",
                "--jobs",
                "2",
                *words,
            ],
            cwd=cls.here,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=200,
            env={**os.environ, "PYTHONPATH": str(cls.here / "stub")},
        )
        return done.returncode, done.stdout + done.stderr

    def expect(self, name, kind, words=""):
        self.assertEqual(self.found[name]["class"], kind, self.found[name])
        self.assertIn(words, self.found[name]["detail"])

    def test_every_case_has_its_class(self):
        self.assertEqual(sorted(self.found), sorted(self.cases))
        self.expect("cos", "source refuses", "cos.cc: none of ours")
        self.expect("exp", "converter refuses", "exit code 3: could not legalize")
        self.expect("square", "operations left", "tfl.square (1)")
        self.expect("floor", "illegal graph", "TRANSPOSE")
        self.expect("abs", "equal")
        self.expect("neg", "deviates")
        self.expect("sub", "equal")

    def test_a_wrong_graph_is_the_converters_by_the_exact_result(self):
        self.assertEqual(self.found["neg"]["owner"], "converter")
        self.assertEqual(self.found["neg"]["exact"]["ours"], 0)

    def test_a_dropped_activation_is_named(self):
        self.expect("sub-relu", "deviates")
        self.assertEqual(self.found["sub-relu"]["diagnosis"], "the graph drops the fused activation")

    def test_a_kernel_that_crashes_costs_itself_alone(self):
        self.assertEqual(self.found["sin"]["refused"], {"XNNPACK": "died of SIGSEGV"})
        self.expect("sin", "deviates")

    def test_wrong_graphs_make_exit_code_1_and_right_ones_0(self):
        self.assertEqual(self.code, 1, self.said)
        code, said = self.legalize("--case=abs/float32-plain", "--out", "right")
        self.assertEqual(code, 0, said)

    def test_a_deviation_comes_with_its_files_and_the_lines_that_repeat_it(self):
        place = self.here / "out/deviations/neg/float32-plain"
        files = ["REPEAT.md", "graph-0.npy", "input0.npy", "kernels-reference-0.npy", "model.tflite", "network.mlir"]
        self.assertEqual(sorted(path.name for path in place.iterdir()), files)  # the other kernels made the same
        self.assertIn("tensor-cts import network.mlir --input 0=input0.npy", (place / "REPEAT.md").read_text())

    def test_the_page_loads_nothing_and_has_every_class(self):
        page = (self.here / "out/legalize.html").read_text()
        self.assertIn("default-src 'none'", page)
        self.assertNotIn("http://", page.replace("http-equiv", ""))
        for words in ("4 graphs are wrong", "source refuses: 1", "could not legalize", "stand-in 3.1"):
            self.assertTrue(words in page, words)

    def test_an_occupied_folder_is_refused(self):
        code, said = self.legalize("--case=abs/float32-plain", "--out", "out")
        self.assertEqual(code, 2)
        self.assertIn("expected a folder that does not exist, or is empty", said)

    @classmethod
    def installed(cls):
        """The program as an installation has it: the scripts in share/ beside bin/."""
        place = cls.here / "installed"
        if not place.exists():
            (place / "bin").mkdir(parents=True)
            shutil.copy(CTS, place / "bin/tensor-cts")
            scripts = shutil.copytree(
                LEGALIZE.parent, place / "share/tensor-cts/legalize", ignore=shutil.ignore_patterns("*_test.py", "__pycache__", "tflite", "torch")
            )
            shutil.copy(LEGALIZE.parents[2] / "checker/report/report_page.html", scripts)
        return place / "bin/tensor-cts"

    def command(self, *words, program=None, **environment):
        return subprocess.run(
            [program or self.installed(), "legalize", *words],
            cwd=self.here,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=200,
            env={**os.environ, "PYTHONPATH": str(self.here / "stub"), "TENSOR_CTS_PYTHON": sys.executable, **environment},
        )

    def test_the_subcommand_of_an_installation_judges_and_hands_on_the_exit_code(self):
        converter = ("--converter", f"{self.here}/converter {{model}} {{out}}")
        done = self.command(*converter, "--case", "neg/float32-plain", "--jobs", "1", "--out", "by-command")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        case = json.loads((self.here / "by-command/legalize.json").read_text())["cases"][0]
        self.assertEqual((case["id"], case["class"]), ("neg/float32-plain", "deviates"))
        self.assertIn("<style>", (self.here / "by-command/legalize.html").read_text())
        done = self.command(*converter, "--operator", "ABS", "--type", "float32", "--case", "*plain", "--within", "0", "--out", "right-by-command")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertEqual(self.command("--list").stdout.splitlines()[0], "abs/float32-plain")

    def test_the_subcommand_says_what_is_missing(self):
        for words, environment, said in (
            ((), {}, "legalize: --out is missing"),
            (("--out", "x", "--python", "/no/python"), {}, "/no/python: cannot be started: No such file or directory"),
            (("--out", "x"), {"TENSOR_CTS_PYTHON": "/no/python"}, "requirements.txt; then give --python"),
            (("--out", "x"), {"PYTHONPATH": ""}, "install with: python3 -m venv"),
            (("--out", "x", "--source", "onnx"), {}, "found onnx, expected one of tflite, torch"),
        ):
            with self.subTest(said=said):
                if environment.get("PYTHONPATH") == "" and packages() is None:
                    continue  # this Python has them
                done = self.command(*words, **environment)
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertTrue(done.stderr.startswith("tensor-cts"), done.stderr)
                self.assertIn(said, done.stderr)
        alone = self.here / "alone/bin"
        alone.mkdir(parents=True)
        shutil.copy(CTS, alone)
        done = self.command("--out", "x", program=alone / CTS.name)
        self.assertEqual(done.returncode, 2)
        self.assertIn("legalize: found no legalize.py, expected it in ", done.stderr)
        self.assertFalse((self.here / "x").exists())

    def test_interrupted_it_dies_of_the_signal_with_one_line_and_leaves_nothing(self):
        slow = self.here / "slow"
        slow.write_text(f"#!/bin/sh\necho $$ >{self.here}/slow-pid.new; mv {self.here}/slow-pid.new {self.here}/slow-pid; exec sleep 100\n")
        slow.chmod(0o755)
        process = subprocess.Popen(
            [self.installed(), "legalize", "--converter", f"{slow} {{model}} {{out}}", "--case", "abs/*", "--jobs", "1", "--out", "interrupted"],
            cwd=self.here,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONPATH": str(self.here / "stub"), "TENSOR_CTS_PYTHON": sys.executable},
        )
        for _ in range(600):
            if (self.here / "slow-pid").exists():
                break
            time.sleep(0.1)
        process.send_signal(signal.SIGINT)
        out, said = process.communicate(timeout=60)
        self.assertEqual((process.returncode, out, said), (-signal.SIGINT, "", "tensor-cts: legalize: interrupted\n"))
        self.assertFalse((self.here / "interrupted").exists())
        converter = int((self.here / "slow-pid").read_text())
        for _ in range(100):
            if not pathlib.Path(f"/proc/{converter}").exists() or ") Z " in pathlib.Path(f"/proc/{converter}/stat").read_text():
                return
            time.sleep(0.1)
        self.fail("the converter goes on")

    def test_without_packages_it_says_how_to_get_them(self):
        done = subprocess.run(
            [sys.executable, "-S", "-I", LEGALIZE, "--out", "x"], capture_output=True, text=True, timeout=60
        )
        self.assertEqual(done.returncode, 2)
        self.assertIn("install with: python3 -m venv", done.stderr)


class Listed(unittest.TestCase):
    """The deviations that are listed."""

    def test_each_has_its_model_graph_data_and_the_lines_that_repeat_it(self):
        for source, model in (("tflite", "model.tflite"), ("torch", "model.py")):
            folder = FINDINGS / source
            entries = json.loads((folder / "deviations.json").read_text())
            models = archive.read(folder / "models.tar")
            shown = {name.split("/")[0] for name in models}
            self.assertEqual(shown - {entry["id"] for entry in entries}, set())
            self.assertEqual({entry["id"] for entry in entries if entry["counted"]} - shown, set())
            for name in sorted(shown):
                with self.subTest(source=source, name=name):
                    files = {path.partition("/")[2] for path in models if path.startswith(f"{name}/")}
                    text = models[f"{name}/REPEAT.md"].decode()
                    inputs = len([file for file in files if file.startswith("input")])
                    self.assertLessEqual({model, "network.mlir", *(f"input{n}.npy" for n in range(inputs))}, files)
                    self.assertTrue(any(file.startswith("kernels-") for file in files), files)
                    self.assertIn("tosa-converter-for-tflite model.tflite" if source == "tflite" else "fx.export_and_import", text)
                    self.assertIn("".join(f" --input {n}=input{n}.npy" for n in range(inputs)), text)


class Numbers(unittest.TestCase):
    """What needs no elementary function, by hand or by brute force."""

    @classmethod
    def setUpClass(cls):
        try:
            import mpmath  # noqa: F401
        except ImportError:
            stub = sys.modules["mpmath"] = types.ModuleType("mpmath")
            stub.mp, stub.mpf, stub.isfinite = types.SimpleNamespace(), fractions.Fraction, lambda value: True
        sys.path.insert(0, str(LEGALIZE.parent))
        import diagnose
        import exact
        import operators
        import tensors

        cls.diagnose, cls.exact, cls.operators, cls.tensors = diagnose, exact, operators, tensors

    def case(self, operator, inputs, output, options, values):
        return self.operators.drawing.Case("x", self.tensors.Model(operator, inputs, [output], options), values)

    def test_a_multiplier_and_its_shift(self):
        self.assertEqual(self.diagnose.quantized_scale(0.5, 31), (1 << 30, 31))
        self.assertEqual(self.diagnose.quantized_scale(3.0, 15), (24576, 13))
        # 1 - 2^-40 rounds up to 2^31, which is 2^30 and one shift less.
        self.assertEqual(self.diagnose.quantized_scale(1 - 2.0**-40, 31), (1 << 30, 30))

    def test_single_and_double_rounding(self):
        half = (1 << 30, 31)
        self.assertEqual([self.diagnose.scaled(v, *half, False) for v in (3, 1, -1, -3)], [2, 1, 0, -1])
        # 2 times this is just below 0.5; the first rounding of two lifts it to 0.5, which the second rounds up.
        multiplier, shift = (1 << 30) - 1, 32
        self.assertEqual(self.diagnose.scaled(2, multiplier, shift, False), 0)
        self.assertEqual(self.diagnose.scaled(2, multiplier, shift, True), 1)

    def test_the_exact_sum_of_quantized_numbers(self):
        q = self.operators.drawing.q
        tensors = [q("int8", (1,), 0.5, 3), q("int8", (1,), 0.25, -1)]
        case = self.case("ADD", tensors, q("int8", (1,), 2.0, 5), ("AddOptions", {"fusedActivationFunction": 0}), [numpy.int8([13]), numpy.int8([6])])
        value = self.exact.value(case, 0, (0,))  # 10 * 0.5 + 7 * 0.25
        self.assertEqual(value, fractions.Fraction(27, 4))
        self.assertEqual(self.exact.distance(case.model.outputs[0], value, 8), 0.375)  # 6.75 / 2 + 5 is 8.375

    def test_the_exact_convolution_is_that_of_loops(self):
        rng = numpy.random.default_rng(1)
        x, w = rng.integers(-9, 9, (1, 5, 6, 2)).astype(numpy.float32), rng.integers(-9, 9, (3, 3, 2, 2)).astype(numpy.float32)
        options = ("Conv2DOptions", {**self.operators.products.CONV, "strideW": 2, "padding": 0, "strideH": 1})
        tensor = self.tensors.Tensor
        case = self.case("CONV_2D", [tensor("float32", x.shape), tensor("float32", w.shape, data=w), None], tensor("float32", (1, 5, 3, 3)), options, [x])
        padded = numpy.pad(x, ((0, 0), (1, 1), (0, 0), (0, 0)))  # 3 rows need one above and one below, 2 columns none
        for y, column, channel in ((0, 0, 0), (2, 1, 2), (4, 2, 1)):
            window = padded[0, y : y + 3, 2 * column : 2 * column + 2]
            self.assertEqual(self.exact.value(case, 0, (0, y, column, channel)), int((window * w[channel]).sum()))

    def test_a_bound_of_an_interpolation(self):
        q = self.operators.drawing.q
        x = numpy.int16([0, 2000]).reshape(1, 1, 2, 1)
        tensor, out = q("int16", x.shape, 0.5, 0), q("int16", (1, 1, 4, 1), 0.5, 0)
        size = self.operators.drawing.const("int32", (1, 4))
        case = self.case("RESIZE_BILINEAR", [tensor, size], out, ("ResizeBilinearOptions", {"alignCorners": False, "halfPixelCenters": False}), [x])
        right = numpy.int16([0, 1000, 2000, 2000]).reshape(1, 1, 4, 1)
        for by, words in ((2, "within what weights of 10 bits may cost (2.45)"), (3, "beyond what weights")):
            off = right.copy()
            off[0, 0, 1, 0] += by
            found = self.diagnose.interpolation(case, [right], [off])
            self.assertIn("the graph is up to 0 last places", found)
            self.assertIn(f"the kernels are up to {by} last places from the exact interpolation, {words}", found)
        self.assertIsNone(self.diagnose.interpolation(case, [right], [right]))

    def test_sums_of_products_have_many_outputs_in_every_type(self):
        most = {}
        for operator in self.operators.SUMS_OF_PRODUCTS:
            for case in self.operators.OPERATORS[operator]():
                kind = next(t.type for t in case.model.inputs if t is not None and t.data is None and t.shape)
                outputs = int(numpy.prod(case.model.outputs[0].shape))
                most[case.model.operator, kind] = max(most.get((case.model.operator, kind), 0), outputs)
        self.assertEqual({operator for operator, _ in most}, {"BATCH_MATMUL", "CONV_2D", "CONV_3D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED", "TRANSPOSE_CONV"})
        for row in (("CONV_2D", "int8"), ("CONV_2D", "int16"), ("CONV_2D", "uint8"), ("FULLY_CONNECTED", "int8"), ("BATCH_MATMUL", "int16")):
            self.assertIn(row, most)
        self.assertEqual({row: count for row, count in most.items() if count < 50000}, {})

    def test_an_average_leaves_out_what_lies_outside(self):
        x = numpy.float32([[1, 2], [3, 5]]).reshape(1, 2, 2, 1)
        options = ("Pool2DOptions", {"padding": 0, "strideW": 1, "strideH": 1, "filterWidth": 2, "filterHeight": 2, "fusedActivationFunction": 0})
        tensor = self.tensors.Tensor("float32", x.shape)
        case = self.case("AVERAGE_POOL_2D", [tensor], tensor, options, [x])
        self.assertEqual(self.exact.value(case, 0, (0, 0, 0, 0)), fractions.Fraction(11, 4))
        self.assertEqual(self.exact.value(case, 0, (0, 1, 1, 0)), 5)


class Order(unittest.TestCase):
    """A model that fits two classes has the earlier one."""

    @classmethod
    def setUpClass(cls):
        Numbers.setUpClass()
        import pipeline

        cls.pipeline, cls.operators, cls.tensors = pipeline, Numbers.operators, Numbers.tensors

    def classed(self, theirs, ours=(), complaint=None, said="", text="", floating=False, rule=None, accepted=()):
        """The class of a model whose kernels, converter, importer and checker say so."""
        kind = numpy.float32 if floating else numpy.int8
        case = self.operators.drawing.Case("x", self.tensors.Model("CUSTOM", [], []), [numpy.zeros(1)])
        tensor = self.tensors.Tensor("float32" if floating else "int8", (len(ours),), (1.0,), (0,))
        case.model.inputs, case.model.outputs = [tensor], [tensor]
        output = {"name": "o", "dtype": "fp32" if floating else "i8", "rule": rule or {}, "answers": [{"expected": "o.npy"}]}
        source = types.SimpleNamespace(
            write=lambda case, folder: None,
            kernels=lambda model, case: {
                n: v if isinstance(v, str) else [numpy.array(v, kind)] for n, v in zip(("a", "b", "c"), theirs)
            },
            convert=lambda converter, model, path, case: (path.write_text(text), complaint)[1],
        )
        with tempfile.TemporaryDirectory() as folder:
            steps = self.pipeline.Steps(source, None, None, pathlib.Path(folder, "x"), 1)
            steps.import_ = lambda case: subprocess.CompletedProcess([], 1 if said or "?" in text else 0, "", said)
            steps.case_json = lambda: {"outputs": [{**output, "answers": []} if rule == "none" else output]}
            steps.native = lambda: [numpy.array(ours, kind)]
            steps.check = lambda outputs: (outputs[0].tolist() in [list(a) for a in accepted], "expected 1, got 2")
            fresh = steps.fresh

            def with_answers():
                fresh()
                place = steps.folder / "suite/networks/network"
                place.mkdir(parents=True)
                numpy.save(place / "o.npy", numpy.array(ours, kind))

            steps.fresh = with_answers
            return self.pipeline.run(steps, case)[0]["class"]

    def test_of_what_is_refused(self):
        left, illegal = "found operations outside of the dialect: tfl.x (1)", "the graph is illegal: x (y.z)"
        open_ = "the graph is unpredictable with these inputs: x (y.z)"
        self.assertEqual(self.classed(["no"], complaint="no"), "source refuses")
        self.assertEqual(self.classed([[1]], complaint="no", said=left), "converter refuses")
        self.assertEqual(self.classed([[1]], said=f"{illegal}; {left}"), "operations left")
        self.assertEqual(self.classed([[1]], said=f"{open_}; {illegal}"), "illegal graph")
        self.assertEqual(self.classed([[1]], said=open_, text="tensor<?xi8>"), "unpredictable")
        self.assertEqual(self.classed([[1]], said="line 3: found x", text="tensor<?xi8>"), "shape unknown")
        self.assertEqual(self.classed([[1]], said="line 3: found x"), "not imported")

    def test_of_what_is_compared(self):
        self.assertEqual(self.classed([[4], [5], [90]], [5]), "equal")  # and within 1, and off by 85, and the kernels differ
        self.assertEqual(self.classed([[4], [90]], [5]), "within N")
        self.assertEqual(self.classed([[90], [93]], [5]), "deviates")  # and the kernels differ by 3
        self.assertEqual(self.classed([[3], [8]], [5]), "kernels disagree")
        self.assertEqual(self.classed([[9]], [5]), "deviates")

    def test_of_what_is_judged(self):
        wide = {"enclosure": True}
        self.assertEqual(self.classed([[4], [5]], [5], floating=True), "equal")
        self.assertEqual(self.classed([[4], [9]], [5], floating=True, accepted=[[4]]), "judged")
        self.assertEqual(self.classed([[4], [9]], [5], floating=True), "deviates")
        self.assertEqual(self.classed([[4], [9]], [5], floating=True, rule=wide, accepted=[[9]]), "judged")
        # No answer: what native arithmetic makes is no answer of the kernels', if it is not grossly off.
        self.assertEqual(self.classed([[5.001], [9]], [5], floating=True, rule="none"), "unchecked")
        self.assertEqual(self.classed([[6], [9]], [5], floating=True, rule="none"), "deviates")


class Sample(unittest.TestCase):
    """The real packages, where they are."""

    def setUp(self):
        missing = packages()
        if missing and os.environ.get("TENSOR_CTS_PYPI"):
            self.fail(f"no {missing}, though TENSOR_CTS_PYPI says that it is there")
        if missing:
            self.skipTest(f"no {missing}: tools/legalize/requirements.txt installs it")

    def smallest(self, place, *words):
        done = subprocess.run(
            [sys.executable, place / "smallest.py", "--tensor-cts", CTS, *words], capture_output=True, text=True, timeout=1200
        )
        return done.returncode, done.stdout + done.stderr

    def test_listed_models_are_the_smallest(self):
        sample = ("cast-to-uint8", "strided-slice-beyond", "xor-of-uint8")
        code, said = self.smallest(LEGALIZE.parent, *(() if os.environ.get("TENSOR_CTS_WHOLE") else sample))
        self.assertEqual(code, 0, said)

    def test_a_model_that_is_not_the_smallest_is_told_and_shrunk(self):
        with tempfile.TemporaryDirectory() as folder:
            place = shutil.copytree(LEGALIZE.parent, pathlib.Path(folder, "legalize"), ignore=shutil.ignore_patterns("__pycache__"))
            shutil.copytree(FINDINGS, place.parent / "findings")
            (place.parent / "develop").mkdir()
            shutil.copy(FINDINGS.parent / "develop/archive.py", place.parent / "develop")
            packed, models = place.parent / "findings/tflite/models.tar", place.parent / "models"
            archive.unpack(packed, models)
            listed = models / "xor-of-uint8"
            sys.path.insert(0, str(LEGALIZE.parent))
            import tflite_source

            case = tflite_source.read_case(listed, "x")
            self.assertEqual([v.size for v in case.inputs], [1, 1])
            for tensor in (*case.model.inputs, *case.model.outputs):
                tensor.shape = (2, 3)
            tflite_source.write(case, listed)
            for number in range(2):
                numpy.save(listed / f"input{number}.npy", numpy.full((2, 3), number + 1, numpy.uint8))
            archive.pack(models, packed)
            code, said = self.smallest(place, "xor-of-uint8")
            self.assertEqual(code, 1, said)
            self.assertIn("not the smallest: shapes [(", said)
            code, said = self.smallest(place, "--shrink", "xor-of-uint8")
            self.assertEqual(code, 0, said)
            archive.unpack(packed, models)
            self.assertEqual([v.shape for v in tflite_source.read_case(listed, "x").inputs], [(1,), (1,)])

    def test_one_case_of_each_kind(self):
        with tempfile.TemporaryDirectory() as place:
            wanted = {
                "abs/float32-plain": "equal",
                "conv_2d/int8-point-a0-channels": "equal",
                "equal/int8-plain": "operations left",
                "leaky_relu--0.3/int8-plain": "unpredictable",
                "add/int8-plain": "equal",
                "relu/float32-special": "deviates",
            }
            done = subprocess.run(
                [
                    sys.executable,
                    LEGALIZE,
                    "--tensor-cts",
                    CTS,
                    *(f"--case={name}" for name in wanted),
                    "--out",
                    f"{place}/out",
                ],
                capture_output=True,
                text=True,
                timeout=300,
            )
            self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
            report = json.loads(pathlib.Path(place, "out/legalize.json").read_text())
            self.assertEqual({case["id"]: case["class"] for case in report["cases"]}, wanted)


if __name__ == "__main__":
    unittest.main(verbosity=2)

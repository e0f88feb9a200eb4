#!/usr/bin/python3
"""Tests of the MLIR adapter: adapter_test.py TENSOR_CTS. Exits with 77 where MLIR 22 is missing."""

import copy
import glob
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import types
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SKIPPED = 77
TENSOR_CTS = "tensor-cts"


class Bundle:
    """Writes one case: tensors are (name, dtype, array); arrays hold what the .npy holds."""

    def __init__(self, root, case_id, edition="tosa-1.0"):
        self.id = case_id
        self.dir = os.path.join(root, "suite", case_id)
        self.results = os.path.join(root, "results", case_id)
        self.edition = edition
        self.block = {"name": "main", "inputs": [], "outputs": [], "tensors": [], "operators": []}
        self.regions = [{"name": "main", "blocks": [self.block]}]
        self.files = {}
        self.more = {}  # members of case.json that few cases have
        os.makedirs(self.dir)
        os.makedirs(self.results)

    def tensor(self, name, dtype, shape, values=None):
        tensor = {"name": name, "dtype": dtype, "shape": list(shape)}
        if values is not None:
            tensor["values"] = name + ".npy"
            numpy.save(os.path.join(self.dir, name + ".npy"), values)
        self.block["tensors"].append(tensor)

    def input(self, name, dtype, values):
        self.tensor(name, dtype, values.shape)
        self.block["inputs"].append(name)
        self.files[name] = name + ".npy"
        numpy.save(os.path.join(self.dir, name + ".npy"), values)
        return self

    def constant(self, name, dtype, values):
        self.tensor(name, dtype, values.shape, values)
        op = "CONST_SHAPE" if dtype == "shape" else "CONST"
        return self.operator(op, [], name)

    def output(self, name, dtype, shape):
        self.tensor(name, dtype, shape)
        self.block["outputs"].append(name)
        return self

    def operator(self, op, inputs, output, **attributes):
        self.block["operators"].append(
            {"operator": op, "inputs": inputs, "outputs": [output], "attributes": attributes}
        )
        return self

    def save(self):
        # An error case needs no expected tensors; the adapter looks at neither.
        case = {
            "format": "tensor-cts-case-1",
            "id": self.id,
            "edition": self.edition,
            "level": "8K",
            "operator": self.block["operators"][-1]["operator"],
            "mode": "any",
            "types": {},
            "profiles": [],
            "data_set": "none",
            "parameters": {},
            "graph": {"regions": self.regions},
            "inputs": self.files,
            "outcome": "error",
            "condition": "none.none",
            **self.more,
        }
        with open(os.path.join(self.dir, "case.json"), "w", encoding="utf-8") as file:
            json.dump(case, file)
        return self

    def result(self, name):
        return numpy.load(os.path.join(self.results, name + ".npy"))


class AdapterCase(unittest.TestCase):
    """Holds what the tests of all versions need."""

    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.temporary = os.path.join(self.root, "tmp")
        os.mkdir(self.temporary)
        self.addCleanup(shutil.rmtree, self.root)

    def bundle(self, case_id, **options):
        return Bundle(self.root, case_id, **options)

    def unary(self, case_id, op, dtype, values, out=None, **attributes):
        bundle = self.bundle(case_id).input("x", dtype, values)
        bundle.output("y", out or dtype, values.shape)
        return bundle.operator(op, ["x"], "y", **attributes).save()

    def adapter(self, arguments, stdin=""):
        command = [sys.executable, os.path.join(HERE, "adapter.py"), "--tensor-cts", TENSOR_CTS]
        environment = dict(os.environ, TMPDIR=self.temporary)
        result = subprocess.run(
            command + arguments, input=stdin, capture_output=True, text=True, env=environment
        )
        self.assertEqual(os.listdir(self.temporary), [], "temporary files are left behind")
        return result

    def work(self, bundles, *arguments):
        """One batch through a worker: its answers and the finished process."""
        requests = [
            {"case": b.id, "case_dir": b.dir, "result_dir": b.results, "more": b is not bundles[-1]}
            for b in bundles
        ]
        stdin = "".join(json.dumps(request) + "\n" for request in requests)
        result = self.adapter(["--worker", *arguments], stdin)
        lines = [json.loads(line) for line in result.stdout.splitlines()]
        self.assertEqual(lines[0]["worker"], "mlir")
        self.assertGreater(lines[0]["batch"], 1)
        code = {os.path.relpath(file, HERE) for file in lines[0]["code"]}
        self.assertLessEqual(
            {"adapter.py", "execute.py", "pipeline.py", "lowering.pipeline", "../common/worker.py"}, code
        )
        self.assertFalse({"tables.py", "../common/tables.py"} & code, code)
        answers = lines[1:]
        self.assertEqual([a["case"] for a in answers], [b.id for b in bundles][: len(answers)])
        return answers, result

    def ok(self, bundles, *arguments):
        answers, result = self.work(bundles, *arguments)
        self.assertEqual([a["status"] for a in answers], ["ok"] * len(bundles), result.stderr)
        self.assertEqual(result.returncode, 0)

    def branching(self, case_id, condition, **options):
        """y = condition ? x : ~x"""
        bundle = self.bundle(case_id, **options).input("c", "bool", numpy.array(condition))
        bundle.input("x", "i32", numpy.array([1, -2], "<i4")).output("y", "i32", [2])
        bundle.operator("COND_IF", ["c", "x"], "y", then_graph="same", else_graph="opposite")
        for name, op in [("same", "IDENTITY"), ("opposite", "BITWISE_NOT")]:
            tensor = {"dtype": "i32", "shape": [2]}
            block = {
                "name": name,
                "inputs": [f"{name}_x"],
                "outputs": [f"{name}_y"],
                "tensors": [{"name": f"{name}_{t}", **tensor} for t in "xy"],
                "operators": [
                    {
                        "operator": op,
                        "inputs": [f"{name}_x"],
                        "outputs": [f"{name}_y"],
                        "attributes": {},
                    }
                ],
            }
            bundle.regions.append({"name": name, "blocks": [block]})
        return bundle


class AdapterTest(AdapterCase):
    def symbolic(self, case_id, sizes):
        """y[1, N] = x[N], and the reverse of x, for every size of x, which is 0, 1, 2 and so on."""
        bundle = self.bundle(case_id)
        executions = []
        for k, size in enumerate(sizes):
            numpy.save(os.path.join(bundle.dir, f"x{k}.npy"), numpy.arange(size, dtype=numpy.int32))
            executions.append({"binding": {"N": size}, "inputs": {"x": f"x{k}.npy"}})
        bundle.tensor("x", "i32", ["N"])
        bundle.block["inputs"].append("x")
        bundle.output("y", "i32", [1, "y_1"]).output("z", "i32", ["z_0"])
        bundle.operator("EXPAND_DIMS", ["x"], "y", indices=[0])
        bundle.operator("REVERSE", ["x"], "z", axis=0)
        bundle.files = executions[0]["inputs"]
        bundle.more["binding"] = executions[0]["binding"]
        if executions[1:]:
            bundle.more["later_executions"] = executions[1:]
        return bundle.save()

    def test_runs_a_symbolic_program_under_every_binding(self):
        bundle = self.symbolic("symbolic/expanded", [3, 1, 7])
        self.ok([bundle])
        for k, size in enumerate([3, 1, 7]):
            suffix = f".{k}" if k else ""
            numpy.testing.assert_array_equal(
                bundle.result("y" + suffix), numpy.arange(size).reshape(1, size)
            )
            numpy.testing.assert_array_equal(bundle.result("z" + suffix), numpy.arange(size)[::-1])

    def test_refuses_no_symbolic_program_for_what_it_cannot_say(self):
        bundle = self.symbolic("symbolic/unbound", [3])
        bundle.more["binding"] = {}
        bundle.files = {}
        answers, _ = self.work([bundle.save()])
        self.assertEqual(answers[0]["status"], "unsupported")
        self.assertIn("no values to call it with for input x", answers[0]["message"])

    def test_computes_each_type(self):
        add = self.bundle("add/i32")
        add.input("a", "i32", numpy.array([1, 2], "<i4"))
        add.input("b", "i32", numpy.array([3, -5], "<i4"))
        add.output("y", "i32", [2]).operator("ADD", ["a", "b"], "y").save()
        wide = self.bundle("matmul/i48")  # sums that 32 bits cannot hold
        wide.input("a", "i16", numpy.array([[[32767] * 3, [-32768] * 3]], "<i2"))
        wide.input("b", "i16", numpy.array([[[32767]] * 3], "<i2"))
        wide.constant("az", "i16", numpy.zeros(1, "<i2"))
        wide.constant("bz", "i16", numpy.zeros(1, "<i2"))
        wide.output("y", "i48", [1, 2, 1]).operator("MATMUL", ["a", "b", "az", "bz"], "y").save()
        i4 = self.unary("identity/i4", "IDENTITY", "i4", numpy.arange(-7, 8, dtype="i1"))
        flags = self.unary("cast/bool", "CAST", "i8", numpy.array([0, 1, -2, 4], "i1"), "bool")
        bits = numpy.array([0x3F80, 0x8000, 0x7FC1], "<u2").view("V2")
        bf16 = self.unary("identity/bf16", "IDENTITY", "bf16", bits)
        fp8 = self.unary("cast/fp8", "CAST", "fp16", numpy.array([1, -0.0, 448], "<f2"), "fp8e4m3")
        self.ok([add, wide, i4, flags, bf16, fp8])

        self.assertEqual(add.result("y").tolist(), [4, -3])
        self.assertEqual(
            wide.result("y").reshape(-1).tolist(), [3 * 32767 * 32767, -3 * 32768 * 32767]
        )
        self.assertEqual(i4.result("y").tolist(), list(range(-7, 8)))
        self.assertEqual(flags.result("y").dtype, numpy.dtype("?"))
        self.assertEqual(flags.result("y").tolist(), [False, True, True, True])
        self.assertEqual(bf16.result("y").view("<u2").tolist(), [0x3F80, 0x8000, 0x7FC1])
        self.assertEqual(fp8.result("y").view("u1").tolist(), [0x38, 0x80, 0x7E])
        with open(os.path.join(bf16.results, "y.npy"), "rb") as file:
            self.assertIn(b"'descr': '<V2'", file.read(64))

    def test_hands_back_scalars_and_several_outputs(self):
        bundle = self.bundle("exp/scalar").input("x", "fp32", numpy.array(0, "<f4"))
        bundle.output("y", "fp32", []).operator("EXP", ["x"], "y")
        bundle.output("z", "fp32", []).operator("ADD", ["y", "y"], "z").save()
        self.ok([bundle])
        self.assertEqual(bundle.result("y").shape, ())
        self.assertEqual((bundle.result("y"), bundle.result("z")), (1.0, 2.0))

    def test_runs_control_flow(self):
        taken = self.branching("cond_if/taken", True).save()
        other = self.branching("cond_if/other", False).save()
        self.ok([taken, other])
        self.assertEqual(taken.result("y").tolist(), [1, -2])
        self.assertEqual(other.result("y").tolist(), [-2, 1])

    def test_runs_a_graph_again_on_other_inputs(self):
        bundle = self.branching("cond_if/twice", True)
        numpy.save(os.path.join(bundle.dir, "other.npy"), numpy.array([7, 8], "<i4"))
        bundle.more["later_executions"] = [{"inputs": {**bundle.files, "x": "other.npy"}}]
        self.ok([bundle.save()])
        self.assertEqual(bundle.result("y").tolist(), [1, -2])
        self.assertEqual(bundle.result("y.1").tolist(), [7, 8])

    def generated(self, *patterns):
        """Cases of recipe graphs, as AdapterTest.work takes them."""
        suite = os.path.join(self.root, "generated")
        command = [TENSOR_CTS, "generate", "--recipe", "graphs", "--out", suite]
        for pattern in patterns:
            command += ["--id", pattern]
        subprocess.run(command, check=True, capture_output=True)
        bundles = []
        for path in sorted(glob.glob(os.path.join(suite, "*", "*"))):
            with open(os.path.join(path, "case.json"), encoding="utf-8") as file:
                bundle = types.SimpleNamespace(case=json.load(file), dir=path)
            bundle.id = bundle.case["id"]
            bundle.results = os.path.join(self.root, "results", bundle.id)
            os.makedirs(bundle.results)
            bundles.append(bundle)
        return bundles

    def test_runs_loops_and_control_flow_within_another_kind(self):
        bundles = self.generated(
            "graphs/cond-if-layers-*-cscalar-*",
            "graphs/while-loop-halving-*-cscalar-*",
            "graphs/while-loop-recurrent-*-cscalar-*",
            "graphs/while-loop-reshaping-*-cscalar-*",
            "graphs/while-loop-flags-*-i32-cscalar-*",
            "graphs/cond-if-in-loop-in-cond-if-*-cscalar-directly-*",
        )
        self.assertGreater(len(bundles), 8)
        self.ok(bundles)
        for bundle in bundles:
            for output in bundle.case["outputs"]:
                self.assertEqual(output["rule"]["kind"], "exact", bundle.id)
                expected = numpy.load(os.path.join(bundle.dir, output["answers"][0]["expected"]))
                found = numpy.load(os.path.join(bundle.results, output["name"] + ".npy"))
                self.assertEqual(found.tolist(), expected.tolist(), bundle.id)

    def test_says_that_control_flow_within_its_own_kind_is_not_lowered(self):
        bundles = self.generated("graphs/cond-if-in-cond-if-*-i32-cscalar-*")
        answers, _ = self.work(bundles)
        self.assertGreater(len(answers), 0)
        for answer in answers:
            self.assertEqual(answer["status"], "unsupported")
            self.assertIn("failed to legalize operation 'tosa.cond_if'", answer["message"])

    def test_gives_a_list_in_its_order(self):
        bundles = self.generated("graphs/split-i8-7x5x4-*-identity-*", "graphs/split-i8-72-*")
        self.assertGreater(max(len(bundle.case["outputs"]) for bundle in bundles), 60)
        self.ok(bundles)
        for bundle in bundles:
            for output in bundle.case["outputs"]:
                expected = numpy.load(os.path.join(bundle.dir, output["answers"][0]["expected"]))
                found = numpy.load(os.path.join(bundle.results, output["name"] + ".npy"))
                self.assertEqual(found.tolist(), expected.tolist(), bundle.id)

    def test_tells_refused_from_unsupported(self):
        values = numpy.zeros((2, 3), "i1")
        legal = self.unary("identity/legal", "IDENTITY", "i8", values)
        refused = self.bundle("argmax/refused").input("x", "i8", values).output("y", "i32", [2])
        refused.operator("ARGMAX", ["x"], "y", axis=2, nan_mode="PROPAGATE").save()
        clamp = {"min_val": 0, "max_val": 1, "nan_mode": "NO"}
        no_mode = self.unary("clamp/mode", "CLAMP", "i8", values, **clamp)
        no_row = self.unary("exp/no-row", "EXP", "i8", values)
        # TOSA 1.0's EXT-INEXACTROUND: the dialect knows it, its lowering does not.
        not_lowered = self.bundle("rescale/not-lowered").input("x", "i8", values)
        not_lowered.constant("m", "i32", numpy.array([1 << 30], "<i4"))
        not_lowered.constant("s", "i8", numpy.array([30], "i1"))
        not_lowered.constant("xz", "i8", numpy.zeros(1, "i1"))
        not_lowered.constant("yz", "i8", numpy.zeros(1, "i1")).output("y", "i8", [2, 3])
        not_lowered.operator(
            "RESCALE",
            ["x", "m", "s", "xz", "yz"],
            "y",
            scale32=True,
            rounding_mode="INEXACT_ROUND",
            per_channel=False,
            input_unsigned=False,
            output_unsigned=False,
        ).save()
        not_rendered = self.bundle("identity/edition", edition="tosa-0.100")
        not_rendered.input("x", "i8", values).output("y", "i8", [2, 3])
        not_rendered.operator("IDENTITY", ["x"], "y").save()
        # No pass fails on it, and no pass lowers it.
        left_over = self.bundle("const_shape/left-over")
        left_over.constant("s", "shape", numpy.array([1, 2], "<i8"))
        left_over.block["outputs"].append("s")
        left_over.save()
        bundles = [refused, legal, no_row, not_lowered, not_rendered, left_over, no_mode]
        answers, result = self.work(bundles)
        self.assertEqual(
            [answer["status"] for answer in answers],
            ["error", "ok", "error", "unsupported", "unsupported", "unsupported", "error"],
            result.stderr,
        )
        self.assertIn("axis is outside the rank", answers[0]["message"])
        self.assertIn("data types", answers[2]["message"])
        self.assertIn("failed to legalize operation 'tosa.rescale'", answers[3]["message"])
        self.assertEqual(
            answers[4]["message"], "edition tosa-0.100 is not of MLIR 22: --mlir 19 takes it"
        )
        self.assertIn("tosa.const_shape is left over", answers[5]["message"])
        self.assertRegex(answers[6]["message"], "one of: PROPAGATE, IGNORE|nan_mode.*constraint")

    def test_a_verifier_refuses_and_a_missing_pattern_does_not(self):
        # Both graphs are illegal, pass `tosa-validate` and stop in the lowering.
        refused = self.bundle("matmul/shapes").input("a", "fp32", numpy.zeros((1, 2, 3), "<f4"))
        refused.input("b", "fp32", numpy.zeros((1, 3, 4), "<f4"))
        refused.constant("az", "fp32", numpy.zeros(1, "<f4"))
        refused.constant("bz", "fp32", numpy.zeros(1, "<f4")).output("y", "fp32", [1, 2, 5])
        refused.operator("MATMUL", ["a", "b", "az", "bz"], "y").save()
        no_pattern = self.bundle("identity/shapes").input("x", "i8", numpy.zeros((2, 3), "i1"))
        no_pattern.output("y", "i8", [2, 4]).operator("IDENTITY", ["x"], "y").save()
        answers, result = self.work([refused, no_pattern])
        self.assertEqual(
            [answer["status"] for answer in answers], ["error", "unsupported"], result.stderr
        )
        self.assertIn("does not lower: 'linalg.", answers[0]["message"])
        self.assertIn("does not lower: failed to legalize", answers[1]["message"])

    def dying_mlir_opt(self, when):
        """An mlir-opt that dies of a signal where its input holds tosa.exp and `when` holds. As
        LLVM's tools do, it leaves a file for the names in its stack trace, unless it shall not."""
        return self.script(
            "mlir-opt-dying",
            "#!/bin/bash\n"
            f'if [[ "$*" {when} ]]; then for a; do\n'
            '  if [ -f "$a" ] && grep -q tosa.exp "$a"; then\n'
            '    [ "$LLVM_DISABLE_SYMBOLIZATION" ] || mktemp "$TMPDIR/symbolizer-input-XXXXXX"\n'
            "    kill -SEGV $$\n"
            "  fi\n"
            'done; fi\nexec mlir-opt-22 "$@"\n',
        )

    def test_names_the_case_that_a_tool_dies_of(self):
        values = numpy.zeros(3, "<f4")
        bundles = [self.unary(f"identity/{i}", "IDENTITY", "fp32", values) for i in range(3)]
        bundles.insert(2, self.unary("exp/fatal", "EXP", "fp32", values))
        for when in ("== *tosa-validate*", "!= *tosa-validate*"):
            with self.subTest(when=when):
                mlir_opt = self.dying_mlir_opt(when)
                answers, result = self.work(bundles, "--mlir-opt", mlir_opt)
                self.assertEqual([answer.get("status") for answer in answers], ["ok", "ok", None])
                self.assertIn("crash: mlir-opt", answers[2]["fault"])
                self.assertIn("died of SIGSEGV", answers[2]["fault"])
                self.assertEqual(result.returncode, 70)
                self.assertEqual(result.stderr, "")  # it would count as that of identity/1
                answers, result = self.work(bundles[2:3], "--mlir-opt", mlir_opt)
                # Alone the case is known: the adapter says so and lives on.
                self.assertEqual([(answer["case"], answer["status"]) for answer in answers], [("exp/fatal", "crash")])
                self.assertIn("died of SIGSEGV", answers[0]["message"])
                self.assertEqual(result.returncode, 0)

    def test_runs_one_case_without_worker(self):
        bundle = self.unary("identity/one", "IDENTITY", "i8", numpy.array([5], "i1"))
        result = self.adapter([bundle.dir, bundle.results])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(json.loads(result.stdout), {"case": bundle.id, "status": "ok"})
        self.assertEqual(bundle.result("y").tolist(), [5])

    def refuses(self, arguments, *reasons):
        """Checks that wrong surroundings give no answers, exit code 2 and these reasons."""
        result = self.adapter([*arguments, "--worker"])
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertEqual(result.stdout, "")
        for reason in reasons:
            self.assertIn(reason, result.stderr)

    def test_says_what_is_missing(self):
        for option in ("--mlir-opt", "--mlir-runner", "--linker"):
            with self.subTest(option=option):
                self.refuses(
                    [option, "no-such-program"],
                    "no-such-program: not found; install MLIR 22 with: apt-get install",
                    "mlir-22-tools gcc python3-numpy",
                )

    def test_says_what_is_missing_of_another_version(self):
        self.refuses(
            ["--mlir", "19", "--mlir-opt", "no-such-program"],
            "no-such-program: not found; install MLIR 19 with: apt-get install",
            "mlir-19-tools libmlir-22 gcc python3-numpy",
        )
        result = self.adapter(["--mlir", "18", "--worker"])
        self.assertEqual(result.returncode, 2)
        self.assertIn("invalid choice: '18'", result.stderr)

    def test_names_another_version_than_it_was_asked_for(self):
        older = self.script("mlir-opt-older", "#!/bin/sh\necho 'Debian LLVM version 21.1.8'\n")
        self.refuses(
            ["--mlir-opt", older],
            f"{older}: found version 21.1.8, expected 22; install MLIR 22 with: apt-get install",
        )

    def test_says_that_numpy_is_missing(self):
        command = [sys.executable, "-S", os.path.join(HERE, "adapter.py"), "--worker"]
        environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        result = subprocess.run(
            command, stdin=subprocess.DEVNULL, capture_output=True, text=True, env=environment
        )
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("No module named 'numpy'; install with: apt-get install", result.stderr)

    def script(self, name, text):
        path = os.path.join(self.root, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        os.chmod(path, stat.S_IRWXU)
        return path

    def test_hands_flags_on_to_mlir_opt(self):
        calls = os.path.join(self.root, "calls")
        spy = self.script("spy", f'#!/bin/bash\necho "$*" >> {calls}\nexec mlir-opt-22 "$@"\n')
        flags = "--mlir-disable-threading --mlir-elide-elementsattrs-if-larger=7"
        bundle = self.unary("identity/flags", "IDENTITY", "i8", numpy.array([5], "i1"))
        answers, _ = self.work([bundle], "--mlir-opt", spy, "--mlir-flags", flags)
        self.assertEqual([answer["status"] for answer in answers], ["ok"])
        with open(calls, encoding="utf-8") as file:
            lines = [line for line in file if "--pass-pipeline" in line]
        self.assertTrue(any("tosa-validate" in line for line in lines))
        self.assertTrue(any("one-shot-bufferize" in line for line in lines))
        for line in lines:
            self.assertTrue(line.startswith(flags + " "), line)

    def test_refuses_flags_that_mlir_opt_does_not_know(self):
        self.refuses(["--mlir-flags=--no-such-flag"], "mlir-opt --no-such-flag", "Unknown")

    def test_lowers_by_another_pipeline(self):
        with open(pipeline.VERSIONS["22"].lowering, encoding="utf-8") as file:
            text = file.read()
        longer = self.script("longer", "inline, cse\n" + text)
        nothing = self.script("nothing", "# lowers nothing\ncanonicalize\n")
        value = numpy.array([5], "i1")
        bundle = self.unary("bitwise_not/other", "BITWISE_NOT", "i8", value)
        for path, status in ((longer, "ok"), (nothing, "unsupported")):
            answers, _ = self.work([bundle], "--pipeline", path)
            self.assertEqual(answers[0]["status"], status)
        self.assertIn("tosa.bitwise_not is left over", answers[0]["message"])

    def test_refuses_a_pipeline_that_is_none(self):
        for text, reason in (
            ("no-such-pass\n", "no-such-pass"),
            ("canonicalize{\n", "expected it closed"),
            ("canonicalize}\n", ":1: found a bracket that nothing opens"),
        ):
            with self.subTest(text=text):
                path = self.script("pipeline", text)
                self.refuses(["--pipeline", path], path, reason)
        self.refuses(["--pipeline", self.root + "/none"], "/none: cannot be read")

    def test_reads_a_pipeline(self):
        path = self.script(
            "pipeline",
            "# of two parts\n\na, func.func(b),\nc{x=1\n  y=2}\nfp8: d\nothers: e{z\n }\nf\n",
        )
        self.assertEqual(
            pipeline.read_pipeline(path),
            {
                True: "a, func.func(b), c{x=1 y=2}, d, f",
                False: "a, func.func(b), c{x=1 y=2}, e{z }, f",
            },
        )


HAS_19 = all(shutil.which(f"{tool}-19") for tool in ("mlir-opt", "mlir-cpu-runner"))


@unittest.skipUnless(HAS_19, "MLIR 19 is not installed (see README.md)")
class Adapter19Test(AdapterCase):
    """The dialect of tosa-0.100. Expected values are worked out by hand."""

    def draft(self, case_id):
        return self.bundle(case_id, edition="tosa-0.100")

    def test_19_computes_with_zero_points_and_shifts(self):
        conv = self.draft("conv2d/i8").input("x", "i8", numpy.array([[[[5], [-3]]]], "i1"))
        conv.input("w", "i8", numpy.array([[[[2]]]], "i1"))
        conv.input("b", "i32", numpy.array([100], "<i4")).output("y", "i32", [1, 1, 2, 1])
        conv.operator(
            "CONV2D",
            ["x", "w", "b"],
            "y",
            pad=[0, 0, 0, 0],
            stride=[1, 1],
            dilation=[1, 1],
            acc_type="INT32",
            input_zp=3,
            weight_zp=-1,
        ).save()
        mul = self.draft("mul/shift").input("x", "i32", numpy.array([10, -3, 7], "<i4"))
        mul.constant("n", "i8", numpy.array(2, "i1")).output("y", "i32", [3])
        mul.operator("MUL", ["x", "x", "n"], "y").save()
        pad = self.draft("pad/fp32").input("x", "fp32", numpy.array([[1, 2]], "<f4"))
        pad.constant("p", "shape", numpy.array([1, 0, 0, 1], "<i8")).output("y", "fp32", [2, 3])
        pad.operator("PAD", ["x", "p"], "y", pad_const={"float": -1.5}).save()
        turn = self.draft("transpose/i8").input("x", "i8", numpy.array([[1, 2, 3]], "i1"))
        turn.output("y", "i8", [3, 1]).operator("TRANSPOSE", ["x"], "y", perms=[1, 0]).save()
        flat = self.draft("reshape/i8").input("x", "i8", numpy.array([[1], [2]], "i1"))
        flat.constant("s", "shape", numpy.array([2], "<i8")).output("y", "i8", [2])
        flat.operator("RESHAPE", ["x", "s"], "y").save()
        self.ok([conv, mul, pad, turn, flat], "--mlir", "19")
        # (5 - 3) * (2 + 1) + 100, (-3 - 3) * (2 + 1) + 100
        self.assertEqual(conv.result("y").reshape(-1).tolist(), [106, 82])
        # 100 / 4, 9 / 4 and 49 / 4, to nearest
        self.assertEqual(mul.result("y").tolist(), [25, 2, 12])
        self.assertEqual(pad.result("y").tolist(), [[-1.5, -1.5, -1.5], [1, 2, -1.5]])
        self.assertEqual(turn.result("y").tolist(), [[1], [2], [3]])
        self.assertEqual(flat.result("y").tolist(), [1, 2])

    def computed(self, op, inputs, output, constants=(), **attributes):
        """A case of one operator: (type, values) as inputs, then as constants."""
        bundle = self.draft(op.lower() + "/19")
        names = [f"x{i}" for i in range(len(inputs) + len(constants))]
        for name, (dtype, values) in zip(names, inputs):
            bundle.input(name, dtype, values)
        for name, (dtype, values) in zip(names[len(inputs) :], constants):
            bundle.constant(name, dtype, numpy.array(values, "i1" if dtype == "i8" else "<i8"))
        return bundle.output("y", *output).operator(op, names, "y", **attributes).save()

    def test_19_takes_what_operators_are_called(self):
        def i8(values, *shape):
            return ("i8", numpy.array(values, "i1").reshape(shape or -1))

        def fp32(values):
            return ("fp32", numpy.array(values, "<f4"))

        def i32(values):
            return ("i32", numpy.array(values, "<i4"))

        pool = {"kernel": [2, 2], "stride": [2, 2], "pad": [0, 0, 0, 0]}
        scales = [("shape", [1, 1, 2, 1]), ("shape", [0, 0]), ("shape", [0, 1])]
        transposed = {"out_pad": [0, 0, 0, 0], "stride": [1, 1], "acc_type": "INT32"}
        cases = {
            # (0 + 1 + 2 + 3) / 4 = 1.5, to nearest, + 2
            self.computed(
                "AVG_POOL2D",
                [i8([1, 2, 3, 4], 1, 2, 2, 1)],
                ("i8", [1, 1, 1, 1]),
                acc_type="INT32",
                input_zp=1,
                output_zp=2,
                **pool,
            ): [4],
            self.computed(
                "MAX_POOL2D", [i8([1, 4, 3, 2], 1, 2, 2, 1)], ("i8", [1, 1, 1, 1]), **pool
            ): [4],
            self.computed("CLAMP", [i8([-5, 0, 7])], ("i8", [3]), min_val=-2, max_val=3): [
                -2,
                0,
                3,
            ],
            self.computed(
                "SLICE", [i8([1, 2, 3, 4])], ("i8", [2]), [("shape", [1]), ("shape", [2])]
            ): [2, 3],
            self.computed("TILE", [i8([1, 2])], ("i8", [4]), [("shape", [2])]): [1, 2, 1, 2],
            # positions 0, 0.5, 1 and 1.5, a half upwards
            self.computed(
                "RESIZE",
                [i8([10, 20], 1, 1, 2, 1)],
                ("i8", [1, 1, 4, 1]),
                scales,
                mode="NEAREST_NEIGHBOR",
            ): [10, 20, 20, 20],
            # (3 - 1) * (4 + 1)
            self.computed(
                "MATMUL",
                [i8([3], 1, 1, 1), i8([4], 1, 1, 1)],
                ("i32", [1, 1, 1]),
                A_zp=1,
                B_zp=-1,
            ): [10],
            # -(5 - 1) + 2
            self.computed("NEGATE", [i8([5])], ("i8", [1]), input1_zp=1, output_zp=2): [-2],
            # (3 - 1) * 2 + (5 - 1) * 1 + 7
            self.computed(
                "FULLY_CONNECTED",
                [i8([3, 5], 1, 2), i8([2, 1], 1, 2), i32([7])],
                ("i32", [1, 1]),
                input_zp=1,
                weight_zp=0,
            ): [15],
            # (3 - 1) * 2 + 5
            self.computed(
                "TRANSPOSE_CONV2D",
                [i8([3], 1, 1, 1, 1), i8([2], 1, 1, 1, 1), i32([5])],
                ("i32", [1, 1, 1, 1]),
                input_zp=1,
                weight_zp=0,
                **transposed,
            ): [9],
            self.computed("INTDIV", [i32([7]), i32([-2])], ("i32", [1])): [-3],
            self.computed("REDUCE_PRODUCT", [fp32([2, 3])], ("fp32", [1]), axis=0): [6],
            self.computed(
                "TABLE", [i8([-128, 127])], ("i8", [2]), [("i8", range(127, -129, -1))]
            ): [127, -128],
        }
        self.ok(list(cases), "--mlir", "19")
        for bundle, expected in cases.items():
            with self.subTest(case=bundle.id):
                self.assertEqual(bundle.result("y").reshape(-1).tolist(), expected)

    def rescale(self, case_id, values, multiplier, shift, **attributes):
        bundle = self.draft(case_id).input("x", "i8", numpy.array(values, "i1"))
        bundle.constant("m", "i32", numpy.array([multiplier], "<i4"))
        bundle.constant("n", "i8", numpy.array([shift], "i1")).output("y", "i8", [len(values)])
        common = dict(input_zp=0, output_zp=0, scale32=True, double_round=False)
        common.update(per_channel=False, input_unsigned=False, output_unsigned=False)
        return bundle.operator("RESCALE", ["x", "m", "n"], "y", **{**common, **attributes}).save()

    def test_19_rescales_once_and_twice_signed_and_unsigned(self):
        half = self.rescale("rescale/half", [100, -7, -8], 1 << 30, 31, input_zp=-8, output_zp=1)
        # 2^-32 * (2^31 - 1) of 1 is a bit below a half, and above it once it was rounded at 2^-31.
        once = self.rescale("rescale/once", [1], 2**31 - 1, 32)
        twice = self.rescale("rescale/twice", [1], 2**31 - 1, 32, double_round=True)
        of_unsigned = self.rescale("rescale/uin", [-1, -128], 1 << 30, 31, input_unsigned=True)
        to_unsigned = self.rescale("rescale/uout", [127, -1], 1 << 30, 29, output_unsigned=True)
        self.ok([half, once, twice, of_unsigned, to_unsigned], "--mlir", "19")
        # 108 / 2 + 1, 1 / 2 rounded up + 1, 0 + 1
        self.assertEqual(half.result("y").tolist(), [55, 2, 1])
        self.assertEqual(once.result("y").tolist(), [0])
        self.assertEqual(twice.result("y").tolist(), [1])
        # 255 / 2 is 128 by rounding up, but an i8 ends at 127; 128 / 2
        self.assertEqual(of_unsigned.result("y").tolist(), [127, 64])
        # 254 of 255; -2 ends at 0
        self.assertEqual(to_unsigned.result("y").view("u1").tolist(), [254, 0])

    def test_19_runs_control_flow(self):
        taken = self.branching("cond_if/taken", True, edition="tosa-0.100").save()
        other = self.branching("cond_if/other", False, edition="tosa-0.100").save()
        self.ok([taken, other], "--mlir", "19")
        self.assertEqual(taken.result("y").tolist(), [1, -2])
        self.assertEqual(other.result("y").tolist(), [-2, 1])

    def test_19_tells_refused_from_unsupported(self):
        values = numpy.zeros((2, 3), "i1")
        legal = self.draft("identity/legal").input("x", "i8", values).output("y", "i8", [2, 3])
        legal.operator("IDENTITY", ["x"], "y").save()
        axis = self.draft("argmax/axis").input("x", "i8", values).output("y", "i32", [2])
        axis.operator("ARGMAX", ["x"], "y", axis=2).save()
        # The operator says first what is wrong, then who found it.
        sizes = self.draft("concat/sizes").input("x", "i8", values)
        sizes.input("z", "i8", numpy.zeros((3, 3), "i1")).output("y", "i8", [2, 6])
        sizes.operator("CONCAT", ["x", "z"], "y", axis=1).save()
        release = self.unary("identity/release", "IDENTITY", "i8", values)
        shape = self.draft("dim/shape").input("x", "i8", values)
        shape.tensor("s", "shape", [1])
        shape.operator("DIM", ["x"], "s", axis=0)
        shape.output("y", "i8", [2]).operator("RESHAPE", ["x", "s"], "y").save()
        answers, result = self.work([axis, legal, sizes, release, shape], "--mlir", "19")
        self.assertEqual(
            [answer["status"] for answer in answers],
            ["error", "ok", "error", "unsupported", "unsupported"],
            result.stderr,
        )
        self.assertIn("axis is outside the rank", answers[0]["message"])
        self.assertIn("Cannot concat tensors with different sizes", answers[2]["message"])
        self.assertEqual(
            answers[3]["message"], "edition tosa-1.0 is not of MLIR 19: --mlir 22 takes it"
        )
        self.assertIn("no operators on shapes", answers[4]["message"])


class TablesTest(unittest.TestCase):
    REPORT = {
        "suite": {"name": "s", "edition": "tosa-1.0", "level": "8K", "digest": "0" * 64},
        "implementation": {"name": "mlir", "version": "22"},
        "cases": [
            dict(id=id, operator=op, mode=mode, expected=expected, verdict=verdict, **more)
            for id, op, mode, expected, verdict, more in [
                ("abs/1", "ABS", "fp16", "valid", "pass", {}),
                ("abs/2", "ABS", "fp16", "valid", "pass", {}),
                (
                    "abs/3",
                    "ABS",
                    "signed 32",
                    "valid",
                    "unsupported",
                    {"profiles": [["PRO-INT", "EXT-INT4"], ["EXT-INT4", "EXT-X"]]},
                ),
                ("exp/1", "EXP", "fp32", "valid", "pass", {}),
                ("exp/2", "EXP", "fp32", "valid", "fail", {"message": "2 of 9 elements"}),
                ("exp/e", "EXP", "fp32", "error", "pass", {"condition": "exp.rank"}),
                ("exp/f", "EXP", "fp32", "error", "wrong_outcome", {"condition": "exp.shape"}),
            ]
        ],
    }
    DEVIATION = {
        "id": "exp-off",
        "kind": "wrong",
        "case": "exp/2",
        "does": "Is off.",
        "clause": "EXP",
        "match": {"operator": "EXP|LOG", "verdict": "fail", "says": "of 9"},
    }

    def test_counts_by_type_row_and_deviation(self):
        tally = tables.make_tally(self.REPORT, [self.DEVIATION])
        text = tables.write_tally(tally)
        self.assertEqual(
            text.splitlines()[2:],
            [
                "# operator\ttype row\texpected\tverdict\tclass\tcases",
                "ABS\tfp16\tvalid\tpass\t\t2",
                "ABS\tsigned 32 EXT-INT4\tvalid\tunsupported\t?\t1",
                "EXP\tfp32\terror\tpass\t\t1",
                "EXP\tfp32\terror\twrong_outcome\t?\t1",
                "EXP\tfp32\tvalid\tfail\texp-off\t1",
                "EXP\tfp32\tvalid\tpass\t\t1",
            ],
        )
        self.assertEqual(tables.read_tally(text), tally)

    def test_a_later_report_replaces_what_it_answered(self):
        again = copy.deepcopy(self.REPORT)
        for case in again["cases"]:
            case["verdict"] = "missing"
        again["cases"][4].update(verdict="pass", answered="ok")
        merged = tables.merge([copy.deepcopy(self.REPORT), again])
        self.assertEqual(
            [case["verdict"] for case in merged["cases"]],
            ["pass", "pass", "unsupported", "pass", "pass", "pass", "wrong_outcome"],
        )
        again["suite"]["digest"] = "1" * 64
        with self.assertRaisesRegex(tables.Fault, "expected reports on one suite"):
            tables.merge([self.REPORT, again])

    def test_tells_conformant_from_deviating_from_idle(self):
        tally = tables.make_tally(self.REPORT, [self.DEVIATION])
        page = tables.supported(tally)
        self.assertIn("| ABS | fp16 |  | signed 32 EXT-INT4 | – |", page)
        self.assertIn("| EXP |  | fp32 (1/2) |  | 1 of 2 |", page)
        self.assertIn("7 cases: 4 pass, 1 unsupported, 1 fail, 1 wrong_outcome.", page)
        page = tables.deviations_page(tally, [self.DEVIATION])
        self.assertIn("| [exp-off](deviations/exp-off.md) | ", page)
        self.assertIn(" | 1 fail |\n", page)
        self.assertIn("## Not looked into yet\n\n2 cases.", page)

    def test_says_which_extension_a_deviation_needs(self):
        needing = {**self.DEVIATION, "needs": "EXT-X"}
        pages = tables.pages(tables.make_tally(self.REPORT, [needing]), [needing])
        self.assertIn("`exp/2`, needs EXT-X; 1 fail of s", pages["deviations/exp-off.md"])

    def test_an_example_may_be_a_case_of_another_suite(self):
        elsewhere = {**self.DEVIATION, "id": "exp-y", "case": "exp/y"}
        tables.make_tally(self.REPORT, [self.DEVIATION, elsewhere], other_suites=True)
        with self.assertRaisesRegex(tables.Fault, "exp-y: its case exp/y is not in the report"):
            tables.make_tally(self.REPORT, [self.DEVIATION, elsewhere])
        with self.assertRaisesRegex(tables.Fault, "exp-y: its case exp/2 is explained by exp-off"):
            tables.make_tally(self.REPORT, [self.DEVIATION, {**elsewhere, "case": "exp/2"}], other_suites=True)

    def test_refuses_an_example_that_shows_something_else(self):
        for example, reason in (("exp/1", "explained by passing"), ("exp/9", "not in the report")):
            wrong = {**self.DEVIATION, "case": example}
            with self.assertRaisesRegex(tables.Fault, f"exp-off: its case {example} is {reason}"):
                tables.make_tally(self.REPORT, [wrong])

    @staticmethod
    def deviations():
        """Returns the deviations of every version that are of single cases."""
        every = [one for mlir in tables.EDITIONS for one in tables.read_deviations(mlir)]
        return [one for one in every if "finding" not in one["match"]]

    def test_each_version_has_its_own_files(self):
        self.assertEqual(tables.of("22", "deviations.json"), "deviations.json")
        self.assertEqual(tables.of("19", "deviations.json"), "deviations-19.json")
        self.assertEqual(set(tables.EDITIONS), set(pipeline.VERSIONS))
        page = tables.deviations_page(
            tables.make_tally(self.REPORT, [self.DEVIATION]), [self.DEVIATION], "19"
        )
        self.assertIn("# Where MLIR 19 deviates from TOSA 0.100\n", page)
        self.assertIn("from tally-19.tsv", page)

    def test_every_deviation_was_seen_and_every_case_explained(self):
        for mlir in tables.EDITIONS:
            with self.subTest(mlir=mlir):
                seen = {why for (*_, why) in tables.read_tally_of(mlir)["rows"]} - {""}
                deviations = tables.read_deviations(mlir)
                # A finding over several cases, or what another suite asks, stands beside the tally, with a program.
                aside = {one["id"] for one in deviations if "not_asked" in one or "finding" in one["match"]}
                self.assertLessEqual(aside, {one["id"] for one in deviations if "program" in one})
                self.assertEqual(seen, {one["id"] for one in deviations} - aside)

    def test_no_deviation_is_listed_twice(self):
        for mlir in tables.EDITIONS:
            with self.subTest(mlir=mlir):
                ids = [one["id"] for one in tables.read_deviations(mlir)]
                self.assertEqual(sorted(ids), sorted(set(ids)))

    def test_deviations_are_known_by_outcome_and_by_what_was_said(self):
        for deviation in self.deviations():
            with self.subTest(id=deviation["id"]):
                match = deviation["match"]
                self.assertLessEqual({"expected", "verdict", "says"}, match.keys())
                if deviation["kind"] == "accepts":
                    self.assertIn("condition", match)
                if deviation["kind"] == "wrong":
                    self.assertLessEqual({"operator"}, match.keys())
                    self.assertTrue({"id", "data_set"} & match.keys())

    def test_no_deviation_explains_another_failure_of_its_own_cases(self):
        # Everything that identifies a case is as in the deviation, except its message.
        made_up = (
            "output output, element [0,2,2,1]: expected 3, got 5 (off by 2); 1 of 9 elements differ",
            "output output, element [1]: expected 1.5, got 1.25; 1 of 9 elements differ",
            "expected error (graph.rank), answered ok",
            "'tosa.abs' op must be something else",
            "does not lower: failed to legalize operation 'tosa.abs' that was explicitly marked "
            "illegal",
            "does not lower: tosa.abs is left over",
            "mlir-opt-22 died of SIGILL",
            "exited with code 70 before it answered",
        )
        for deviation in self.deviations():
            for message in made_up:
                with self.subTest(id=deviation["id"], message=message):
                    says = {"match": {"says": deviation["match"]["says"]}}
                    self.assertFalse(tables.matches(says, {"id": "", "message": message}))

    def test_a_wrong_element_in_a_case_that_passes_is_explained_by_nothing(self):
        for mlir in tables.EDITIONS:
            deviations = tables.read_deviations(mlir)
            tally = tables.read_tally_of(mlir)
            named = {operator for (operator, *_, why) in tally["rows"] if why}
            for operator, row, expected, verdict, _ in tally["rows"]:
                if verdict != "pass" or expected != "valid" or operator not in named:
                    continue
                for got in ("expected 1, got 0", "expected -inf, got nan",
                            "expected inf, got 65504", "expected -inf, got -65504",
                            "expected -194, got -374"):
                    case = {"id": f"{operator.lower()}/made-up", "operator": operator, "mode": row,
                            "expected": expected, "verdict": "fail", "data_set": "full-range",
                            "message": f"output output, element [0,0,0,0]: {got}; 1 of 9 elements"}
                    self.assertEqual(tables.classify(deviations, case), tables.UNEXPLAINED, case)


# Faults of compiled code, without a compiler bug at hand. A case has one output of rank 1.
FAULTY_CODE = """
#include <stdint.h>
#include <stdlib.h>
struct result { int32_t *allocated, *aligned; int64_t offset, size, stride; };
static int32_t data[] = {9, 1, 9, 2, 9, 3};
void _mlir_ciface_good(struct result* r) { *r = (struct result){data, data, 1, 3, 2}; }
void _mlir_ciface_dies(struct result* r) { abort(); }
void _mlir_ciface_hangs(struct result* r) { for (;;) *(volatile int32_t*)data; }
"""


class ExecuteTest(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.root)
        source = os.path.join(self.root, "faulty.c")
        self.library = os.path.join(self.root, "faulty.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write(FAULTY_CODE)
        subprocess.run(["gcc", "-shared", "-fPIC", source, "-o", self.library], check=True)

    def case(self, function, result_dir=None):
        tensor = {"name": "y", "dtype": "i32", "shape": [3]}
        block = {"inputs": [], "outputs": ["y"], "tensors": [tensor], "operators": []}
        bundle = {"graph": {"regions": [{"blocks": [block]}]}, "inputs": {}}
        result_dir = result_dir or os.path.join(self.root, function)
        os.makedirs(result_dir, exist_ok=True)
        request = {"case": function, "case_dir": self.root, "result_dir": result_dir}
        case = Case(request, bundle)
        case.function = function
        return case

    def test_one_fault_harms_no_other_case(self):
        cases = [self.case(name) for name in ("dies", "hangs", "good")]
        execute.execute(self.library, cases, seconds=1)
        self.assertEqual([case.status for case in cases], ["crash", "hang", "ok"])
        self.assertIn("SIGABRT", cases[0].message)
        result = numpy.load(os.path.join(self.root, "good", "y.npy"))
        self.assertEqual(result.tolist(), [1, 2, 3])  # offset and stride are respected

    def test_a_death_over_several_cases_only_is_no_answer(self):
        class Case:
            status = None

            def settle(self, status, message=""):
                self.status, self.message = status, message

        def attempt(cases):
            if len(cases) > 2:
                raise pipeline.ToolDied("mlir-opt died of SIGSEGV", True)
            for case in cases:
                case.settle("ok")

        cases = [Case() for _ in range(8)]
        pipeline.Pipeline.halving(pipeline.Pipeline.__new__(pipeline.Pipeline), cases, attempt)
        self.assertEqual(cases[0].status, "crash")
        self.assertIn("cases together only", cases[0].message)

    def test_no_fault_of_the_implementation_is_no_crash(self):
        case = self.case("good")
        os.rmdir(case.result_dir)
        with self.assertRaisesRegex(OSError, "FileNotFoundError.*y.npy"):
            execute.execute(self.library, [case], seconds=None)


if __name__ == "__main__":
    for program in ("mlir-opt-22", "mlir-runner-22", "gcc"):
        if shutil.which(program) is None:
            print(f"skipped: {program} is not installed (see README.md)")
            sys.exit(SKIPPED)
    try:
        import numpy
    except ImportError:
        print("skipped: Python's numpy is not installed (see README.md)")
        sys.exit(SKIPPED)
    sys.path.insert(0, HERE)
    import execute
    import pipeline
    import tables
    from common.cases import Case

    if len(sys.argv) > 1:
        TENSOR_CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

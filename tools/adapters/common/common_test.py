#!/usr/bin/python3
"""What the Python adapters share, with NumPy in the place of a library; and the pages of every adapter.

common_test.py TENSOR_CTS
"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)

ADAPTERS = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ADAPTERS))
from common import functions, reports, tables, worker  # noqa: E402
from common.cases import Unsupported  # noqa: E402

CTS = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
FINDINGS = pathlib.Path(tables.FINDINGS)
WITH_DEVIATIONS = sorted(path.parent for path in FINDINGS.glob("*/tally*.tsv") if path.parent.name != "mlir")
LISTS = sorted(path for path in FINDINGS.glob("*/deviations*.json") if path.parent.name not in ("mlir", "tflite", "torch"))

# NumPy as a library: right, but for MAXIMUM (swapped), FLOOR (refuses), CEIL (dies), TANH (another type).
STAND_IN = '''
import os, sys
sys.path.insert(0, sys.argv.pop(1))
import numpy
from common import children, functions, worker
from common.cases import Unsupported

class Library:
    TYPES = {"i32": "<i4", "fp32": "<f4", "bool": "?", "i8": "i1"}
    TAKES_BIAS = True
    ACCUMULATORS = {"bf16": ("FP32",)}
    REFUSALS = (ValueError,)
    MISSING = ("no kernel",)
    UNARY, BINARY, REDUCE = ("ABS", "EXP", "FLOOR", "TANH"), ("ADD", "SUB", "MAXIMUM"), ()
    LACKS = {"CONCAT": ("i8",), "PAD": ()}
    def value(self, bits, dtype): return bits.view(self.TYPES[dtype])
    def unary(self, name, x, dtype):
        if name == "FLOOR": raise ValueError("illegal graph")
        if name == "EXP": raise ValueError("no kernel for it")
        if name == "CEIL": os.abort()
        if name == "TANH": return x.astype("<f8")
        return {"ABS": numpy.abs, "IDENTITY": lambda x: x}[name](x)
    def binary(self, name, a, b, dtype):
        if name == "MAXIMUM": return numpy.minimum(a, b)
        return {"ADD": numpy.add, "SUB": numpy.subtract}[name](a, b)
    def concat(self, values, axis): return numpy.concatenate(values, axis)
    def transpose(self, x, perms): return numpy.transpose(x, perms)
    def slice(self, x, start, size): return x[tuple(slice(a, a + n) for a, n in zip(start, size))]
    def program(self, case, constants):
        tensors = case.tensors
        def run(inputs):
            values = {n: self.value(b, tensors[n]["dtype"]) for n, b in zip(case.block["inputs"], inputs)}
            return functions.evaluate(case, self, values, constants)
        return run

def prepare(options):
    def work(cases, tell):
        for case in cases:
            functions.run_case(case, Library())
            tell(case)
    return "numpy", numpy.__version__, children.batches(work, "the library"), functions.declared(Library)

worker.serve(worker.parser("A stand-in", 8), prepare)
'''

OPERATORS = ("ABS", "ADD", "CEIL", "CONCAT", "EXP", "FLOOR", "MAXIMUM", "RESCALE", "SLICE", "SUB", "TANH", "TRANSPOSE")


@unittest.skipIf(CTS is None, "needs tensor-cts")
class Functions(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        (cls.here / "adapter.py").write_text(STAND_IN)
        cls.call("generate", "--recipe", "smoke", *(f"--operator={op}" for op in OPERATORS), "--type", "fp32", "--type",
                 "i32", "--type", "i8", "--id", "*/*-run-*", "--id", "*-special", "--out", "suite")  # fmt: skip
        cls.call("run", "suite", "--adapter", f"{sys.executable} adapter.py {ADAPTERS}", "--worker", "--out", "results")
        cls.call("check", "suite", "results", "--json", "report.json", code=1)
        cls.cases = json.loads((cls.here / "report.json").read_text())["cases"]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def call(cls, *arguments, code=0):
        done = subprocess.run([CTS, *arguments], cwd=cls.here, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        assert done.returncode == code, done.stdout + done.stderr

    def of(self, operator):
        cases = [case for case in self.cases if case["operator"] == operator and case["expected"] == "valid"]
        self.assertGreater(len(cases), 1, operator)
        return cases

    def test_what_the_library_does_right_passes(self):
        for operator in ("ABS", "ADD", "CONCAT", "SLICE", "SUB", "TRANSPOSE"):
            for case in self.of(operator):
                if case["verdict"] != "unsupported":  # of a type that the library lacks
                    self.assertEqual(case["verdict"], "pass", case["id"])
            self.assertIn("pass", [case["verdict"] for case in self.of(operator)])

    def test_it_declares_what_it_has_whole(self):
        run = json.loads((self.here / "results/run.json").read_text())
        declared = run["implementation"]["declared"]
        self.assertEqual(declared["types"], ["bool", "fp32", "i32", "i8"])
        self.assertEqual(declared["extensions"], ["EXT-INT16"])
        self.assertEqual(declared["types_of"]["CAST"], ["bool->i8", "bool->i32", "i8->bool", "i8->i32", "i8->fp32", "i32->bool",
                                                        "i32->i8", "i32->fp32"])  # fmt: skip
        self.assertEqual((declared["types_of"]["MAXIMUM"], declared["types_of"]["CONCAT"]),
                         (["i32"], ["bool", "fp32", "i32"]))  # fmt: skip
        for name, there in (("ADD", True), ("SLICE", True), ("PAD", False), ("CEIL", False), ("CONV2D", False)):
            self.assertEqual(name in declared["operators"], there, name)
        # EXP is declared and has no kernel, which is wrong; a nan_mode without a function is not declared.
        wrong = [case for case in self.cases if case["verdict"] == "unsupported" and case["declared"]]
        self.assertEqual({case["operator"] for case in wrong}, {"EXP"})
        self.assertFalse(any(case["declared"] for case in self.cases if case["expected"] == "error"))
        ignores = [case["declared"] for case in self.of("MAXIMUM") if "-ignore-" in case["id"] and "fp32" in case["id"]]
        self.assertEqual(set(ignores), {False})

    def test_what_it_did_not_load_costs_no_run(self):
        run = json.loads((self.here / "results/run.json").read_text())
        loaded = [pathlib.Path(file) for file in run["announced_code"]]
        self.assertIn(self.here.resolve() / "adapter.py", [file.resolve() for file in loaded])
        shared = {file.name for file in loaded if file.parent.name == "common"}
        self.assertEqual(shared, {"__init__.py", "arrays.py", "cases.py", "children.py", "functions.py", "worker.py"})
        # Through a link, and in the script's own folder, beside a package with a file of no folder, as PyTorch has one.
        link = self.here / "link"
        link.mkdir()
        (link / "real").mkdir()
        (link / "real/mapping.py").write_text("import sys, types\nsys.modules['odd'] = odd = types.ModuleType('odd')\nodd.__file__ = '_ops.py'")
        (link / "real/adapter.py").write_text("import mapping\n" + STAND_IN)
        (link / "adapter.py").symlink_to("real/adapter.py")
        done = subprocess.run([sys.executable, "adapter.py", ADAPTERS, "--worker"], cwd=link, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, check=True)  # fmt: skip
        announced = {pathlib.Path(file) for file in json.loads(done.stdout)["code"]}
        self.assertLessEqual({link / "adapter.py", link / "real/mapping.py"}, announced)
        self.assertTrue(all(file.is_file() for file in announced), announced)
        (self.here / "neighbour.py").write_text("import nothing")
        command = ["run", "suite", "--adapter", f"{sys.executable} adapter.py {ADAPTERS}", "--worker", "--out", "results", "--resume"]
        self.call(*command)
        (self.here / "adapter.py").write_text(STAND_IN + "# another")
        self.call(*command, code=2)
        (self.here / "adapter.py").write_text(STAND_IN)

    def test_what_it_does_wrong_fails(self):
        verdicts = {case["verdict"] for case in self.of("MAXIMUM") if "ignore" not in case["id"]}
        self.assertIn("fail", verdicts)
        self.assertNotIn("wrong_outcome", verdicts)

    def test_nan_mode_ignore_is_not_asked(self):
        verdicts = [case["verdict"] for case in self.of("MAXIMUM") if "-ignore-" in case["id"] and "fp32" in case["id"]]
        self.assertEqual(set(verdicts), {"unsupported"})

    def test_a_refusal_and_a_lack_are_told_apart(self):
        for operator, verdict, words in (("FLOOR", "wrong_outcome", "illegal graph"), ("EXP", "unsupported", "no kernel"),
                                         ("RESCALE", "unsupported", "no function for RESCALE")):  # fmt: skip
            cases = [case for case in self.of(operator) if "fp32" in case["id"] or operator == "RESCALE"]
            for case in cases:
                self.assertEqual(case["verdict"], verdict, case)
            self.assertTrue(any(words in case.get("said", "") + case.get("message", "") for case in cases), cases[0])

    def test_a_result_of_another_type_is_no_value(self):
        for case in self.of("TANH"):
            if "fp32" in case["id"]:
                self.assertEqual(case["verdict"], "wrong_outcome", case)

    def test_a_crash_costs_its_case_alone(self):
        for case in self.of("CEIL"):
            if "fp32" in case["id"]:
                self.assertEqual(case["verdict"], "crash", case)


class Sample(unittest.TestCase):
    def test_only_another_processor_may_take_other_kernels(self):
        from common.sample import in_tally

        rows = {("EXP", "fp32", "valid", "fail", "a"): 1, ("EXP", "fp16", "valid", "pass", ""): 1}
        here, elsewhere = ([{"id": "a", "cpu": cpu}] for cpu in ("not no_such_instruction", "no_such_instruction"))
        for row, why in ("fp16", "a"), ("fp32", ""):
            self.assertFalse(in_tally("EXP", row, "valid", why, rows, here))
            self.assertTrue(in_tally("EXP", row, "valid", why, rows, elsewhere))
        for deviations in here, elsewhere:
            self.assertTrue(in_tally("EXP", "fp32", "valid", "a", rows, deviations))
            self.assertFalse(in_tally("EXP", "fp16", "valid", "b", rows, deviations))

    def test_a_processor_has_instructions_or_lacks_them(self):
        from common.reproduce import fits_this_machine

        # "processor" is a word of every /proc/cpuinfo.
        for cpu, fits in (("processor", True), ("no_such", False), ("processor no_such", False), ("not processor", False),
                          ("not no_such", True), ("not no_such none_such", True), ("not no_such processor", False)):  # fmt: skip
            self.assertEqual(fits_this_machine({"cpu": cpu}), fits, cpu)


class Promises(unittest.TestCase):
    """Attributes beyond a function's documentation are not asked for."""

    def call(self, dtype, **attributes):
        call = functions.Call.__new__(functions.Call)
        call.operator, call.types, call.attributes = "CONV2D", [dtype], attributes
        return call

    def test_a_wider_sum_needs_a_promise(self):
        class Library:
            ACCUMULATORS = {"bf16": ("FP32",)}

        for dtype, asked in (("fp16", "FP16"), ("fp32", "FP32"), ("i8", "INT32"), ("bf16", "FP32")):
            self.call(dtype, acc_type=asked).accumulates(Library)
        for dtype, asked in (("fp16", "FP32"), ("fp8e4m3", "FP16"), ("i16", "INT48")):
            with self.assertRaisesRegex(Unsupported, f"acc_type {asked}"):
                self.call(dtype, acc_type=asked).accumulates(Library)

    def test_local_bound_of_floating_point_is_not_asked(self):
        self.call("i8", local_bound=True).no_local_bound()
        self.call("fp32", local_bound=False).no_local_bound()
        with self.assertRaisesRegex(Unsupported, "local_bound"):
            self.call("fp32", local_bound=True).no_local_bound()


class Pages(unittest.TestCase):
    def test_reports_of_shards_are_put_together(self):
        def report(**answers):
            cases = [{"id": name, "answered": answer} if answer else {"id": name} for name, answer in answers.items()]
            return {"suite": "S", "implementation": "I", "cases": cases}

        merged = tables.merge([report(a="ok", b="ok"), report(b="error", c="ok"), report(a=None, d="ok")])
        self.assertEqual({case["id"]: case["answered"] for case in merged["cases"]}, {"a": "ok", "b": "error", "c": "ok", "d": "ok"})
        with self.assertRaises(tables.Fault):
            tables.merge([report(a="ok"), {**report(b="ok"), "suite": "T"}])

    def test_a_tally_says_which_shards_it_has(self):
        def of(*reports):
            found = [{"run": {"shard": {"index": one, "of": 8}}} if isinstance(one, int) else one for one in reports]
            return tables.shards_in_words(tables.shards_of(found))

        whole, again = {"run": {}}, tables.without_cases_left_out({"run": {}, "cases": [{"message": "it did not run"}]})
        self.assertEqual(of(5, 2, 4, 8, 4, 1), " (shards 1 to 2, 4 to 5, 8 of 8)")
        self.assertEqual(of(5, again, 6), " (shards 5 to 6 of 8)")
        self.assertEqual(of(5, {"run": {"shard": {"index": 6, "of": 8}}, "filter": {}}), " (shards 5 of 8)")
        self.assertEqual((of(*range(1, 9)), of(whole), of(whole, 1), of(whole, again)), ("",) * 4)
        for reports in ((again,), (1, {"run": {"shard": {"index": 2, "of": 16}}})):
            with self.assertRaises(tables.Fault):
                of(*reports)

    def test_shards_are_added_to_a_tally(self):
        def tally(shards, count, name="maker 1"):
            return {"suite": f"certify of tosa-1.0{shards}, level 8K, 0", "implementation": name, "rows": collections.Counter({("ABS", "fp32", "valid", "pass", ""): count})}

        some, rest = tally(" (shards 1 to 2, 5 of 8)", 3), tally(" (shards 3 to 4, 6 to 8 of 8)", 4)
        self.assertEqual(tables.added(some, rest), tally("", 7))
        self.assertEqual(tables.added(some, tally(" (shards 4, 7 of 8)", 4)), tally(" (shards 1 to 2, 4 to 5, 7 of 8)", 7))
        for other in (tally(" (shards 5 to 6 of 8)", 4), tally(" (shards 3 of 16)", 4), tally("", 4), tally(" (shards 3 of 8)", 4, "maker 2")):
            with self.assertRaises(tables.Fault):
                tables.added(some, other)
        with tempfile.TemporaryDirectory() as place:
            about = {"title": "Maker", "install": "true", "deviations": []}
            pathlib.Path(place, "deviations.json").write_text(json.dumps(about))
            for index, options in ((1, []), (2, ["--add"])):
                report = {
                    "suite": {"name": "smoke", "edition": "tosa-1.0", "level": "8K", "digest": "0"},
                    "implementation": {"name": "maker", "version": "1"},
                    "run": {"shard": {"index": index, "of": 3}},
                    "cases": [{"id": f"abs/{index}", "operator": "ABS", "mode": "fp32", "expected": "valid", "verdict": "pass"}],
                }
                pathlib.Path(place, "report.json").write_text(json.dumps(report))
                self.assertEqual(tables.main([place, *options, f"{place}/report.json"]), 0)
            lines = pathlib.Path(place, "tally.tsv").read_text().splitlines()
            self.assertEqual((lines[0], lines[-1]), ("# suite: smoke of tosa-1.0 (shards 1 to 2 of 3), level 8K, 0", "ABS\tfp32\tvalid\tpass\t\t2"))

    def test_a_list_of_one_variant_has_its_tally_alone(self):
        about = {"title": "Maker", "implementation": "maker 1", "install": "true"}
        one = {"kind": "wrong", "clause": "ABS", "owner": "maker", "case": "abs/a"}
        value = {**one, "id": "adds-one", "does": "It adds one.", "match": {"verdict": "fail"}}
        finding = {**one, "id": "mixed", "does": "It mixes.", "match": {"finding": "mixed_flushing"}, "case": "abs/b beside abs/c"}
        report = {
            "suite": {"name": "smoke", "edition": "tosa-1.0", "level": "8K", "digest": "0"},
            "implementation": {"name": "maker", "version": "1"},
            "cases": [{"id": "abs/a", "operator": "ABS", "mode": "fp32", "expected": "valid", "verdict": "fail"}],
        }
        other = {**value, "id": "adds-two", "does": "It adds two."}
        with tempfile.TemporaryDirectory() as place:
            (pathlib.Path(place) / "report.json").write_text(json.dumps(report))
            for name, deviations in (("deviations.json", [value, finding]), ("deviations-b.json", [other])):
                pathlib.Path(place, name).write_text(json.dumps({**about, "deviations": deviations}))

            def page(name):
                return tables.pages(place)[name]

            self.assertEqual(tables.main([place, f"{place}/report.json"]), 0)  # a finding is of no single case
            self.assertIn("| [adds-one](deviations/adds-one.md) | It adds one | 1 fail |", page("deviations.md"))
            self.assertIn("| [mixed](deviations/mixed.md) | It mixes | several cases together |", page("deviations.md"))
            self.assertIn("| [adds-two](deviations-b/adds-two.md) | It adds two | `abs/a` |", page("deviations-b.md"))
            self.assertNotIn("supported-b.md", tables.pages(place))
            for variant in "b", "c":
                self.assertEqual(tables.main([place, "--variant", variant, f"{place}/report.json"]), 0)
            self.assertIn("| [adds-one](deviations/adds-one.md) | It adds one | 1 fail; c: 1 fail |", page("deviations.md"))
            self.assertIn("| [adds-two](deviations-b/adds-two.md) | It adds two | b: 1 fail |", page("deviations-b.md"))
            self.assertIn("[deviations-b.md](deviations-b.md)", page("supported-b.md"))
            del about["implementation"]
            pathlib.Path(place, "deviations-d.json").write_text(json.dumps({**about, "deviations": [other]}))
            with self.assertRaisesRegex(tables.Fault, "deviations-d.json: expected `implementation`"):
                tables.pages(place)

    def test_what_an_implementation_stands_on_explains_its_cases_and_keeps_its_reports(self):
        one = {"kind": "wrong", "clause": "ABS", "owner": "device", "does": "It adds one.", "case": "abs/none", "match": {"verdict": "fail"}}
        device = {"deviations": [{**one, "id": "adds-one"}, {**one, "id": "mixed", "match": {"finding": "mixed_flushing"}}]}
        maker = {"title": "Maker", "install": "true", "beside": "../device/deviations.json", "deviations": [
            {**one, "id": "dies", "kind": "crash", "does": "It dies.", "case": "abs/b", "match": {"verdict": "crash"}}]}  # fmt: skip
        case = {"operator": "ABS", "mode": "fp32", "expected": "valid"}
        report = {
            "suite": {"name": "smoke", "edition": "tosa-1.0", "level": "8K", "digest": "0"},
            "implementation": {"name": "maker", "version": "1"},
            "cases": [{**case, "id": "abs/a", "verdict": "fail"}, {**case, "id": "abs/b", "verdict": "crash"}],
        }
        with tempfile.TemporaryDirectory() as place:
            for folder, about in ("device", device), ("maker", maker):
                pathlib.Path(place, folder).mkdir()
                pathlib.Path(place, folder, "deviations.json").write_text(json.dumps(about))
            pathlib.Path(place, "report.json").write_text(json.dumps(report))
            self.assertEqual(tables.main([f"{place}/maker", f"{place}/report.json"]), 0)
            pages = tables.pages(f"{place}/maker")
            page = pages["deviations.md"]
            self.assertIn("| [adds-one](../device/deviations/adds-one.md) | It adds one | 1 fail |", page)
            self.assertNotIn("mixed", page)
            self.assertNotIn("Not looked into", page)
            self.assertEqual([name for name in pages if "/" in name], ["deviations/dies.md"])

    def test_deviations_are_whole(self):
        for path in LISTS:
            about = json.loads(path.read_text())
            self.assertLessEqual({"title", "install"}, set(about), path)
            deviations = about["deviations"]
            ids = [one["id"] for one in deviations]
            self.assertEqual(len(ids), len(set(ids)), path)
            titles = [reports.title(one) for one in deviations]
            self.assertEqual(len(titles), len(set(titles)), path)
            self.assertLess(max(map(len, titles)), 150, path)
            for one in deviations:
                self.assertLessEqual({"id", "kind", "does", "clause", "owner", "case"}, set(one), one["id"])
                self.assertIn(one["kind"], tables.KINDS, one["id"])
                self.assertEqual("program" in one, "prints" in one, one["id"])
                self.assertNotEqual(one.get("right"), one.get("prints", []), one["id"])
                self.assertIn("match", one, one["id"])

    def test_no_program_of_a_report_needs_the_adapter(self):
        programs = {}
        for folder in {path.parent for path in LISTS}:
            for name, text in tables.pages(str(folder)).items():
                if "/" in name and "```" in text:
                    programs[f"{folder.name}/{name}"] = (*reports.program_of(text)[:2], tables.code_of(str(folder)))
        self.assertGreater(len(programs), 150)
        for report, (language, program, folder) in programs.items():
            if language == "python":
                for node, _ in reports.statements(program):
                    self.assertIsNone(reports.helper_of(node, folder), report)

    def test_a_program_takes_what_it_uses_of_its_helpers(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "low.py").write_text("import json, os\nSCALE = 3\nOTHER = os.environ\n")
            (folder / "one_op.py").write_text(
                '"""About it."""\nimport os\nimport numpy\nfrom low import OTHER, SCALE\n\n\n# Why so.\ndef twice(x):  # noqa: X1\n'
                "    return SCALE * x\n\n\ndef run(x):\n    return twice(x) + 1\n\n\ndef unused(x):\n    return numpy, OTHER\n"
            )
            for line, call in (("from one_op import run", "run(2)"), ("from one_op import *", "run(2)")):
                program = ["import json", line, f"print(json.dumps({call}))"]
                text = reports.whole({"program": program}, place)
                self.assertEqual(
                    text,
                    "import json\n\nSCALE = 3\n\n# Why so.\ndef twice(x):\n    return SCALE * x\n\n"
                    "def run(x):\n    return twice(x) + 1\n\nprint(json.dumps(run(2)))",
                )
            self.assertEqual(reports.whole({"program": ["import os", "", "print(1)"]}, place), "import os\n\nprint(1)")

    def test_a_report_is_run_as_it_stands_in_an_empty_folder(self):
        with tempfile.TemporaryDirectory() as place:
            folder = pathlib.Path(place)
            (folder / "helper.py").write_text("import os\ndef seen(): return os.listdir('.'), os.environ.get('PYTHONPATH')\n")
            (folder / "requirements.txt").write_text("maker==1.2 \\\n    --hash=sha256:0\n")
            one = {"id": "seen", "kind": "wrong", "does": "It looks round: twice.", "clause": "LOOK", "owner": "maker", "case": "look/1",
                   "program": ["from helper import seen", "print(*seen())"], "prints": ["[] None"], "right": ["nothing"]}  # fmt: skip
            about = {"title": "Maker", "implementation": "maker 1.2", "install": "pip install maker numpy", "deviations": [one]}
            (folder / "deviations.json").write_text(json.dumps(about))
            text = tables.pages(place)["deviations/seen.md"]

            def call(*arguments):
                command = [sys.executable, ADAPTERS / "common/reproduce.py", folder, *arguments]
                return subprocess.run(command, capture_output=True, text=True, env={"PYTHONPATH": place, "PATH": "/usr/bin:/bin"})

            for line in ("# It looks round\n", "* Install: `pip install maker==1.2 numpy`\n", "* Upstream: not looked for\n",
                         "* TOSA 1.0: LOOK.\n", "\n```\nnothing\n```\n"):  # fmt: skip
                self.assertIn(line, text)
            self.assertIn(f"```python\n{reports.whole(one, place)}\n```\n", text)
            done = call()
            self.assertEqual((done.returncode, done.stdout), (0, "seen: as listed\n"))
            one["program"] = ["print(1)"]
            (folder / "deviations.json").write_text(json.dumps(about))
            done = call("seen")
            self.assertEqual((done.returncode, done.stdout), (1, "seen: prints ['1']\n"))

    def test_no_case_is_left_unexplained(self):
        for folder in WITH_DEVIATIONS:
            for variant, tally in tables.tallies(str(folder)).items():
                left = [row for row in tally["rows"] if row[-1] == tables.UNEXPLAINED]
                self.assertEqual(left, [], f"{folder.name} {variant}")

    def test_what_was_not_judged_is_no_deviation(self):
        for folder in WITH_DEVIATIONS:
            for variant, tally in tables.tallies(str(folder)).items():
                for *_, verdict, why in tally["rows"]:
                    expected = {"accepted": "values not shown", "unsupported": "not offered", "pass": ""}.get(verdict, why)
                    self.assertEqual(why, expected, f"{folder.name} {variant}: {verdict}")

    def test_every_deviation_explains_a_case(self):
        for folder in WITH_DEVIATIONS:
            of_others = {variant: tally for variant, tally in tables.tallies(str(folder)).items() if tables.list_of(str(folder), variant) == "deviations"}
            seen = {row[-1] for tally in of_others.values() for row in tally["rows"]}
            deviations = json.loads((folder / "deviations.json").read_text())["deviations"]
            # Tallies are of one suite: what another one showed, or is not asked, stands beside them, with a program.
            aside = {"not_asked", "cpu"}
            beside = [one for one in deviations if one["case"].endswith(")") or aside & one.keys() or "finding" in one["match"]]
            elsewhere = {one["id"] for one in beside}
            self.assertLessEqual(elsewhere, {one["id"] for one in deviations if "program" in one}, folder.name)
            of_processors = {one["id"] for one in deviations if "cpu" in one}
            self.assertLessEqual({one["id"] for one in deviations if "program_cpu" in one}, of_processors & elsewhere, folder.name)
            unseen = {one["id"] for one in deviations} - seen
            self.assertEqual(unseen - of_processors, elsewhere - of_processors, folder.name)

    def test_what_is_older_than_the_requirements_is_refused(self):
        self.assertLess(worker.release("0.9.99"), worker.release("0.10.2"))
        self.assertEqual(worker.release("2.15"), worker.release("2.15.0+cu130"))
        self.assertLess(worker.release("3.12.4rc1"), worker.release("3.13"))
        with tempfile.TemporaryDirectory() as folder:
            info = pathlib.Path(folder) / "jax-0.dist-info"
            info.mkdir()
            (pathlib.Path(folder) / "jax.py").write_text("raise ImportError('a part of jax is missing')")
            for version, said in (("0.0.1", ": jax 0.0.1 is too old, expected "), ("99.0", ": a part of jax is missing")):
                (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: jax\nVersion: {version}\n")
                done = subprocess.run([sys.executable, ADAPTERS / "jax/adapter.py", "--worker"], env={"PYTHONPATH": folder},
                                      stdin=subprocess.DEVNULL, capture_output=True, text=True)  # fmt: skip
                self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
                self.assertIn(said, done.stderr)
                self.assertRegex(done.stderr, "; install with: pip install .* tools/adapters/jax/requirements.txt\n$")

    def test_requirements_pin_hashes(self):
        for path in ADAPTERS.glob("*/requirements.txt"):
            lines = [line for line in path.read_text().splitlines() if line and not line.startswith("#")]
            for package, digest in zip(lines[::2], lines[1::2], strict=True):
                self.assertRegex(package, r"^[\w.-]+==\S+ \\$", path)
                self.assertRegex(digest, r"^    --hash=sha256:[0-9a-f]{64}$", path)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/env python3
"""An operator set of another publisher, as data alone: tools/develop/testdata/acme. Its names, layouts, conditions
and tolerances are not TOSA's, and one operator is a graph of others. What the suite expects is
computed once more with NumPy.

Usage: other_publisher_test.py TENSOR_CTS SWEEP_PLUGIN      exits with 77 without NumPy
"""
import collections
import functools
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
EDITION = HERE.parents[1] / "develop/testdata" / "acme" / "acme-0.1.json"
TENSOR_CTS = SWEEP_PLUGIN = ""


def run(*arguments, edition=EDITION):
    return subprocess.run([TENSOR_CTS, *map(str, arguments), "--edition-file", str(edition)],
                          capture_output=True, text=True, timeout=300, check=False)


def ulps_away(value, count):
    """The fp32 number `count` places above."""
    return (np.array([value], dtype="<f4").view("<i4") + np.int32(count)).view("<f4")[0]


class OtherPublisher(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="acme-"))
        cls.suite, cls.results = cls.root / "suite", cls.root / "results"
        made = run("generate", "--recipe", "smoke", "--edition", "acme-0.1", "--out", cls.suite)
        assert made.returncode == 0, made.stderr
        ran = run("run", cls.suite, "--implementation", "builtin:native", "--out", cls.results)
        assert ran.returncode == 0, ran.stdout + ran.stderr
        cls.entries = json.loads((cls.suite / "suite.json").read_text())["cases"]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def cases(self, op, outcome="valid"):
        """(case.json, inputs by name, expected output) of an operator's cases."""
        for entry in self.entries:
            if entry["operator"] != op or entry["outcome"] != outcome:
                continue
            if re.search("/(again|relation)-", entry["id"]):  # several executions, or results
                continue
            folder = self.suite / entry["id"]
            case = json.loads((folder / "case.json").read_text())
            inputs = {name: np.load(folder / f"{name}.npy")
                      for name in case["graph"]["regions"][0]["blocks"][0]["inputs"]}
            if not inputs:  # constants alone
                continue
            expected = None
            if outcome == "valid":
                expected = np.load(next(iter(sorted((folder / "expected").glob("*.npy")))))
            attributes = case["graph"]["regions"][0]["blocks"][0]["operators"][-1]["attributes"]
            yield entry["id"], attributes, inputs, expected

    def judge(self, case_id, output):
        """The exit code of check, and its text, with this output in place of builtin:native's."""
        copy = self.root / "copy"
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.results, copy)
        file = next((copy / case_id).glob("*.npy"))
        np.save(file, output)
        checked = run("check", self.suite, copy)
        return checked.returncode, checked.stdout + checked.stderr

    def test_has_every_operator_and_condition(self):
        ops = json.loads(run("list", "operators", "--edition", "acme-0.1", "--json").stdout)
        counts = collections.Counter((e["operator"], e["outcome"]) for e in self.entries)
        self.assertEqual(len(ops), 15)
        for op in ops:
            name = op["operator"]
            self.assertGreater(counts[name, "valid"], 0, name)
        about = {c for e in self.entries if e["outcome"] == "error" for c in e["conditions"]}
        self.assertIn("softmax.axis_range", about)
        self.assertIn("pool_max.window_area", about)

    def test_lists_conditions_of_its_operators_alone(self):
        listed = json.loads(run("list", "conditions", "--edition", "acme-0.1", "--json").stdout)
        ids = {row["id"] for row in listed}
        self.assertLessEqual({"pool_max.window_area", "apply_clip_s.bounds"}, ids)
        self.assertEqual([i for i in ids if i.startswith(("apply_scale", "rescale."))], [])

    def test_a_right_implementation_conforms(self):
        checked = run("check", self.suite, self.results)
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        covered = run("coverage", self.suite)
        self.assertEqual(covered.returncode, 0, covered.stdout + covered.stderr)

    def test_mixed_flushing_is_found_under_the_publishers_names(self):
        """One implementation that keeps subnormals in V_ABS and flushes them in V_ADD."""
        copy = self.root / "mixed"
        shutil.copytree(self.results, copy)
        kept = flushed = 0
        for entry in self.entries:
            if entry["operator"] not in ("V_ABS", "V_ADD") or entry["outcome"] != "valid":
                continue
            if re.search("/(again|relation)-", entry["id"]):
                continue
            case = json.loads((self.suite / entry["id"] / "case.json").read_text())
            output = case["outputs"][0]
            if len(case["outputs"]) > 1 or output["dtype"] != "fp16" or len(output["answers"]) < 2:
                continue
            self.assertEqual(output["flushing"]["kept"], ["fp16"], entry["id"])
            if entry["operator"] == "V_ABS":
                kept += 1
                continue
            flushed += 1
            file = copy / entry["id"] / (output["name"] + ".npy")
            answer = np.load(self.suite / entry["id"] / output["answers"][1]["expected"])
            np.save(file, answer.astype("<f2"))
        self.assertGreater(min(kept, flushed), 0)
        checked = run("check", self.suite, copy)
        self.assertEqual(checked.returncode, 1, checked.stdout + checked.stderr)
        # V_ABS hands a number on; V_SUB computes, and keeps as well.
        self.assertIn("mixed flushing", checked.stdout)

    def test_cases_are_rendered_as_the_text_or_refused(self):
        rendered = set()
        for entry in self.entries:
            op = entry["operator"]
            if entry["outcome"] != "valid" or op in rendered:
                continue
            rendered.add(op)
            made = run("render", self.suite / entry["id"])
            self.assertEqual(made.returncode, 0, op + made.stderr)
            self.assertIn("tosa.", made.stdout, op)
        self.assertEqual(len(rendered), 15)

    def test_softmax_is_rendered_as_its_graph(self):
        steps = ["reduce_max", "sub", "exp", "reduce_sum", "reciprocal", "mul"]
        for case_id, attributes, inputs, _ in self.cases("SOFTMAX"):
            text = run("render", self.suite / case_id).stdout
            self.assertEqual([name for name in re.findall(r'"tosa[.](\w+)"', text) if name != "const"], steps, text)
            self.assertEqual(re.findall(r"axis = (\d+)", text), [str(attributes["axis"])] * 2)
            shape = list(inputs["x"].shape)
            shape[attributes["axis"]] = 1
            self.assertIn("tensor<" + "x".join(map(str, shape)) + "xf", text)
        wrong = next(e["id"] for e in self.entries if e["conditions"] == ["softmax.axis_range"])
        made = run("render", self.suite / wrong)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertIn("unsupported: SOFTMAX: a graph defines it: REDUCE_MAX: no shape follows: axis 7 is none of",
                      made.stdout)

    def test_softmax_is_its_definition(self):
        looked_at = 0
        for case_id, attributes, inputs, expected in self.cases("SOFTMAX"):
            x = inputs["x"].astype(np.float64)
            e = np.exp(x - x.max(axis=attributes["axis"], keepdims=True))
            right = e / e.sum(axis=attributes["axis"], keepdims=True)
            np.testing.assert_allclose(expected, right, rtol=1e-12, err_msg=case_id)
            looked_at += 1
        self.assertGreater(looked_at, 4)

    def test_pooling_has_channels_first(self):
        looked_at = 0
        for case_id, a, inputs, expected in self.cases("POOL_MAX"):
            x = inputs["x"]
            if x.dtype.kind == "f" and not np.isfinite(x).all():
                continue
            top, bottom, left, right = a["border"]
            least = -np.inf if x.dtype.kind == "f" else np.iinfo(x.dtype).min
            x = np.pad(x.astype(np.float64 if x.dtype.kind == "f" else np.int64),
                       ((0, 0), (0, 0), (top, bottom), (left, right)), constant_values=least)
            (wy, wx), (sy, sx) = a["window"], a["step"]
            rows, columns = (x.shape[2] - wy) // sy + 1, (x.shape[3] - wx) // sx + 1
            right_answer = np.stack(
                [np.stack([x[:, :, i * sy:i * sy + wy, j * sx:j * sx + wx].max(axis=(2, 3))
                           for j in range(columns)], axis=-1) for i in range(rows)], axis=-2)
            np.testing.assert_array_equal(expected, right_answer, err_msg=case_id)
            looked_at += 1
        self.assertGreater(looked_at, 3)

    def test_tolerances_are_the_publishers(self):
        softmax = next(c for c in self.cases("SOFTMAX") if c[2]["x"].dtype == np.float32)
        case_id, _, _, expected = softmax
        largest = np.unravel_index(np.argmax(expected), expected.shape)
        allowed = 0.00001 + 0.004 * expected[largest]
        for factor, conforms in ((0.9, True), (1.1, False)):
            output = expected.astype(np.float32)
            output[largest] += factor * allowed
            code, text = self.judge(case_id, output)
            self.assertEqual(code, 0 if conforms else 1, text)

        case_id, _, _, expected = next(
            c for c in self.cases("V_EXP")
            if c[2]["x"].dtype == np.float32 and np.isfinite(c[3]).all() and c[3].size > 1)
        normal = np.flatnonzero((expected > 1e-30) & (expected < 1e30))[0]
        for count, conforms in ((2, True), (5, False)):
            output = expected.astype(np.float32)
            output.flat[normal] = ulps_away(output.flat[normal], count)
            code, text = self.judge(case_id, output)
            self.assertEqual(code, 0 if conforms else 1, text)
            if not conforms:
                self.assertIn("acme-0.1, V_EXP", run("explain", self.root / "copy", case_id).stdout)

    def generated(self, recipe, edition=EDITION):
        """The folder of a recipe's suite, and its entries by id."""
        folder = self.root / f"{edition.parent.name}-{recipe}"
        shutil.rmtree(folder, ignore_errors=True)
        made = run("generate", "--recipe", recipe, "--edition", "acme-0.1", "--out", folder,
                   edition=edition)
        self.assertEqual(made.returncode, 0, made.stderr)
        entries = json.loads((folder / "suite.json").read_text())["cases"]
        return folder, {entry["id"]: entry for entry in entries}

    def coverage(self, suite, edition=EDITION):
        covered = run("coverage", suite, "--json", edition=edition)
        self.assertEqual(covered.returncode, 0, covered.stdout + covered.stderr)
        return json.loads(covered.stdout)

    def test_certify_is_generated_and_judged(self):
        suite, entries = self.generated("certify")
        ran = run("run", suite, "--implementation", "builtin:native", "--out", self.root / "certify")
        self.assertEqual(ran.returncode, 0, ran.stdout + ran.stderr)
        checked = run("check", suite, self.root / "certify")
        self.assertEqual(checked.returncode, 0, checked.stdout + checked.stderr)
        self.assertTrue(self.coverage(suite)["complete"])
        twice = [case_id for case_id in entries if case_id.startswith("v_add/") and "-same-" in case_id]
        self.assertGreater(len(twice), 2)
        for case_id in twice:
            case = json.loads((suite / case_id / "case.json").read_text())
            block = case["graph"]["regions"][0]["blocks"][0]
            self.assertEqual(block["operators"][-1]["inputs"], ["a", "a"], case_id)

    @staticmethod
    @functools.cache
    def audit_of_certify():
        """Every fault of the publisher's operators, and the first case of certify that catches it."""
        done = run("audit", "--recipe", "certify", "--edition", "acme-0.1", "--json", "--least", "0")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)["entries"]

    def test_certify_finds_what_folds_constants(self):
        caught = {fault["operator"] for fault in self.audit_of_certify()
                  if "first" in fault and fault["fault"].endswith(".folds_constants_as_splats")}
        self.assertGreaterEqual(caught, {"V_ADD", "V_EXP", "CLIP", "POOL_MAX", "PERMUTE", "R_MAX"})

    def test_thorough_is_generated(self):
        suite, entries = self.generated("thorough")
        self.assertEqual({entry["operator"] for entry in entries.values()},
                         {entry["operator"] for entry in self.entries})
        self.assertTrue(self.coverage(suite)["complete"])

    def test_levels_leave_out_what_the_publisher_forbids(self):
        """A window of MAX_KERNEL elements is more than pool_max.window_area allows."""
        suite, entries = self.generated("levels")
        coverage = self.coverage(suite)
        left_out = coverage["left_out"]
        self.assertEqual({each["condition"] for each in left_out}, {"pool_max.window_area"})
        self.assertEqual({each["reason"] for each in left_out},
                         {"the window has more than 4096 elements"})
        self.assertEqual(
            {each["case"] for each in left_out},
            {f"pool_max/limit-max_kernel-{what}-{dtype}" for dtype in ("fp32", "i8") for what in
             ("kernel_x", "kernel_y", "pad_bottom", "pad_left", "pad_right", "pad_top")})
        self.assertIn("pool_max/limit-max_stride-stride_y-fp32", entries)
        self.assertIn("pool_max/limit-max_kernel-pad_top-i8: pool_max.window_area: the window",
                      run("coverage", suite).stdout)

    def test_a_limit_is_met_by_another_case_where_one_is_allowed(self):
        """CLIP at MAX_RANK with other bounds than those that come first."""
        def bound_of(suite):
            case = json.loads((suite / "clip/limit-max_rank-i8/case.json").read_text())
            return case["graph"]["regions"][0]["blocks"][0]["operators"][-1]["attributes"]["lo"]
        forbidden = bound_of(self.generated("levels")[0])
        edition = json.loads(EDITION.read_text())
        clip = next(op for op in edition["operators"] if op["name"] == "CLIP")
        clip["conditions"] = [{"id": "clip.own_bound", "kind": "error_if",
                               "paraphrase": "lo is a number that we do not take",
                               "broken": f"lo == {forbidden}"}]
        folder = self.root / "own_bound"
        shutil.copytree(EDITION.parent, folder)
        (folder / EDITION.name).write_text(json.dumps(edition))
        suite, _ = self.generated("levels", edition=folder / EDITION.name)
        self.assertNotEqual(bound_of(suite), forbidden)
        left_out = self.coverage(suite, edition=folder / EDITION.name)["left_out"]
        self.assertNotIn("clip.own_bound", {each["condition"] for each in left_out})

    def test_results_are_judged_line_by_line(self):
        questions = [
            # 1 + 2^-24 is a tie.
            ("V_ADD", "fp32", ["3f800000", "33800000"], {}, "3f800001", "3f800002"),
            # e, 3 units in the last place.
            ("V_EXP", "fp32", ["3f800000"], {}, "402df857", "402df859"),
            ("CLIP", "i8", [100, -5, 7], {"nan_mode": "PROPAGATE"}, 7, 8),
            # Channels stand before height and width.
            ("POOL_MAX", "fp16", ["3c00", "4000", "bc00"], {"nan_mode": "PROPAGATE"}, "4000", "3c00"),
            ("R_MAX", "i32", [1, 5, 3], {"nan_mode": "IGNORE"}, 5, 6),
            ("PERMUTE", "i8", [3], {"order": [0]}, 3, 4),
            # 1, with 0.004 of it and 0.00001.
            ("SOFTMAX", "fp32", ["3f800000"], {"axis": 0}, "3f808000", "3f80a000"),
        ]
        lines = self.root / "lines"
        lines.write_text("".join(
            json.dumps({"operator": op, "type": dtype, "in": values, "attributes": attributes,
                        "results": [right, wrong]}) + "\n"
            for op, dtype, values, attributes, right, wrong in questions))
        judged = run("judge", "--lines", lines, "--edition", "acme-0.1")
        self.assertEqual(judged.returncode, 0, judged.stdout + judged.stderr)
        answers = [json.loads(line) for line in judged.stdout.splitlines()]
        self.assertEqual(len(answers), len(questions))
        for question, answer in zip(questions, answers):
            self.assertEqual(answer["verdicts"], ["accept", "reject"], (question, answer))
            self.assertIn("acme-0.1", answer["clause"])

    def test_what_judge_misses_is_said_in_the_publishers_words(self):
        for op, values, said in (("CLIP", ["1", "2"], "/in: found 2 values, expected 3: x, lo, hi"),
                                 ("V_MAX", ["1"], "/in: found 1 values, expected 2: a, b"),
                                 ("POOL_MAX", ["1"] * 4097, "pool_max.window_area"),
                                 ("SOFTMAX", ["1"], '/attributes: found the member "nan_mode", expected axis')):
            inputs = [text for value in values for text in ("--input", value)]
            judged = run("judge", "--edition", "acme-0.1", "--operator", op, "--type", "fp32",
                         "--attribute", "nan_mode=IGNORE", "--result", "1", *inputs)
            self.assertEqual(judged.returncode, 2, judged.stdout)
            self.assertIn(said, judged.stderr)
        judged = run("judge", "--edition", "acme-0.1", "--operator", "V_EXP", "--type", "fp32", "--result", "1",
                     "--input", "0")
        self.assertRegex(judged.stdout, r"operator +V_EXP[(]0[)] to fp32, acme-0.1\n")
        judged = run("judge", "--edition", "acme-0.1", "--operator", "V_MAX", "--type", "fp32", "--result", "1",
                     "--input", "1", "--input", "2")
        self.assertEqual(judged.returncode, 2, judged.stdout)
        self.assertIn("judge: /attributes/nan_mode: found nothing, expected one of PROPAGATE, IGNORE: add it to "
                      '"attributes" (--attribute nan_mode=VALUE)', judged.stderr)

    def test_what_names_no_level_is_judged_by_the_narrowest(self):
        """The publisher's levels have other names than those of the recipes."""
        edition = json.loads(EDITION.read_text())
        wide = edition["levels"][0]["maxima"]
        edition["levels"] = [{"name": "wide", "maxima": wide}, {"name": "tight", "maxima": {**wide, "MAX_KERNEL": 2}}]
        folder = self.root / "levels_of_its_own"
        shutil.copytree(EDITION.parent, folder)
        file = folder / EDITION.name
        file.write_text(json.dumps(edition))
        calls = folder / "calls"
        calls.write_text("".join(
            json.dumps({"operator": "POOL_MAX", "arguments": {
                "x": {"dtype": "fp32", "shape": [1, 1, 3, 1], "data": None}, "window": [rows, 1], "step": [1, 1],
                "border": [0, 0, 0, 0], "nan_mode": "PROPAGATE"}}) + "\n"
            for rows in (2, 3)))
        def outcomes(*options):
            done = run("eval", "--calls", calls, "--edition", "acme-0.1", *options, edition=file)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            return [json.loads(line)["outcome"] for line in done.stdout.splitlines()]
        self.assertEqual(outcomes(), ["valid", "unpredictable"])
        self.assertEqual(outcomes("--level", "wide"), ["valid", "valid"])
        graph = {"regions": [{"name": "main", "blocks": [{
            "name": "main", "inputs": ["x"], "outputs": ["y"],
            "tensors": [{"name": name, "dtype": "fp32", "shape": [2]} for name in "xy"],
            "operators": [{"operator": "V_ABS", "inputs": ["x"], "outputs": ["y"], "attributes": {}}]}]}]}
        (folder / "graph.json").write_text(json.dumps(graph))
        np.save(folder / "x.npy", np.ones(2, "<f4"))
        done = run("eval", "--graph", folder / "graph.json", "--input", f"x={folder / 'x.npy'}", "--edition",
                   "acme-0.1", edition=file)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"level +tight\n")
        made = run("generate", "--recipe", "smoke", "--edition", "acme-0.1", "--out", folder / "suite", edition=file)
        self.assertEqual(made.returncode, 2)
        self.assertIn("8K; known are wide, tight", made.stderr)

    def test_slack_is_measured_without_a_matmul(self):
        done = run("audit", "--slack", "--recipe", "smoke", "--edition", "acme-0.1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("| V_EXP | fp32 | ulp |", done.stdout)
        done = run("audit", "--accumulators", "--edition", "acme-0.1")
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("edition acme-0.1: found no operator MATMUL, expected one", done.stderr)

    def test_audit_finds_the_faults_of_every_operator(self):
        done = run("audit", "--recipe", "smoke", "--edition", "acme-0.1", "--json", "--least", "0")
        self.assertEqual(done.returncode, 0, done.stderr)
        found = collections.defaultdict(set)
        for fault in json.loads(done.stdout)["entries"]:
            if "first" in fault:
                found[fault["operator"]].add(fault["fault"])
        listed = json.loads(run("list", "operators", "--edition", "acme-0.1", "--json").stdout)
        self.assertEqual(set(found), {op["operator"] for op in listed})
        self.assertIn("softmax.axis_range.accepted", found["SOFTMAX"])
        self.assertIn("pool_max.window_area.accepted", found["POOL_MAX"])
        self.assertIn("v_exp.loses_the_tail", found["V_EXP"])

    # Faults that the cases of certify do not catch: the publisher's tolerance accepts them, as
    # `judge` says of one such result each.
    ACCEPTED = {
        "v_sigmoid.fails_below_zero": ("V_SIGMOID", "-1", "0.268942"),
        "v_sigmoid.fails_near_zero": ("V_SIGMOID", "0", "0.5000004"),
        "v_sigmoid.zero_below_18": ("V_SIGMOID", "-19", "0"),
        "v_sigmoid.flushes_normal_results": ("V_SIGMOID", "-87.3", "0"),
        "v_sigmoid.one_minus": ("V_SIGMOID", "-18", "0"),
        "v_tanh.fails_near_zero": ("V_TANH", "0.0009765625", "0.00097657"),
        "v_tanh.loses_sign_of_zero": ("V_TANH", "-0.0", "0"),
        "v_tanh.saturates_early": ("V_TANH", "4", "1"),
        "v_recip.loses_sign_of_zero": ("V_RECIP", "-inf", "0"),
    }
    # These are not asked for: a file says which values break a condition, not which are the nearest that do
    # not.
    NOT_ASKED = {"pool_max.window_area.kernel_0_one_more", "pool_max.window_area.kernel_1_one_more"}

    def test_what_certify_does_not_catch_is_accepted_by_the_publisher(self):
        entries = self.audit_of_certify()
        left = {entry["fault"] for entry in entries if "first" not in entry and "unreachable" not in entry}
        self.assertEqual(left, set(self.ACCEPTED) | self.NOT_ASKED)
        for fault, (op, value, result) in self.ACCEPTED.items():
            judged = run("judge", "--edition", "acme-0.1", "--operator", op, "--type", "fp32", "--input", value,
                         "--result", result)
            self.assertEqual(judged.returncode, 0, fault + ": " + judged.stdout + judged.stderr)
        # The limit of a window cannot be reached.
        reasons = {entry["fault"]: entry["unreachable"] for entry in entries if "unreachable" in entry}
        self.assertEqual(reasons["pool_max.level_window_y.kernel_0_one_more"],
                         "the condition pool_max.window_area forbids cases at this limit")
        self.assertIn("softmax.folds_constants_as_splats",
                      {entry["fault"] for entry in entries if "first" in entry})

    def as_printed(self, command):
        """A command that the program printed, as it stands."""
        words = shlex.split(command)
        self.assertEqual(words[0], "tensor-cts")
        return subprocess.run([TENSOR_CTS, *words[1:]], cwd=self.root, capture_output=True, text=True, timeout=300,
                              check=False)

    def test_printed_commands_name_the_file(self):
        case_id, _, inputs, expected = next(c for c in self.cases("V_EXP") if np.isfinite(c[3]).all())
        _, text = self.judge(case_id, (-1 - expected).astype(inputs["x"].dtype))
        explain = next(line.split(":", 1)[1].strip() for line in text.splitlines() if "explain:" in line)
        self.assertIn(f"--edition-file {EDITION}", explain)
        explained = self.as_printed(explain)
        self.assertEqual(explained.returncode, 0, explained.stderr)
        rerun = next(line.split(":", 1)[1].strip() for line in explained.stdout.splitlines()
                     if line.startswith("rerun:"))
        self.assertIn(f"--edition-file {EDITION}", rerun)
        again = self.as_printed(rerun)
        self.assertEqual(again.returncode, 0, again.stderr)
        page = self.root / "page.html"
        run("check", self.suite, self.root / "copy", "--html", page)
        self.assertIn(f"tensor-cts --edition-file {EDITION} run ", page.read_text())
        unknown = subprocess.run([TENSOR_CTS, "list", "operators", "--edition", "acme-0.1"], capture_output=True,
                                 text=True, timeout=60, check=False)
        self.assertEqual(unknown.returncode, 2)
        self.assertIn("--edition-file FILE adds one of your own", unknown.stderr)

    def sweep(self, op, fault=""):
        """The report of a part of the inputs of an operator in fp32, and the exit code."""
        environment = {**os.environ, "SWEEP_FAULT": fault} if fault else None
        done = subprocess.run([TENSOR_CTS, "sweep", "--operator", op, "--type", "fp32", "--edition", "acme-0.1",
                               "--plugin", SWEEP_PLUGIN, "--inputs", "0x3f800000-0x3f8fffff", "--json",
                               "--edition-file", EDITION], env=environment, capture_output=True, text=True,
                              timeout=300, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        return done.returncode, json.loads(done.stdout)

    def test_sweep_asks_the_publishers_operator(self):
        code, report = self.sweep("V_EXP")
        self.assertEqual(code, 0, report)
        self.assertEqual(report["accepted"], 1 << 20)
        # The filter is that of the text EXP.
        self.assertGreater(report["by_filter"], (1 << 20) - 10)
        # The publisher allows 3 ulp; the C library is off by less than one.
        for steps, conforms in ((2, True), (5, False)):
            code, report = self.sweep("V_EXP", f"wrong+{steps}:3f812345")
            self.assertEqual(code, 0 if conforms else 1, report)
            self.assertEqual(report["rejected"], 0 if conforms else 1)
        graph = run("sweep", "--operator", "SOFTMAX", "--type", "fp32", "--edition", "acme-0.1", "--plugin",
                    SWEEP_PLUGIN)
        self.assertEqual(graph.returncode, 2)
        self.assertIn("SOFTMAX cannot be swept", graph.stderr)

    def refused(self, change):
        """Returns what list says of the edition after `change` has changed it; it may return another table."""
        edition = json.loads(EDITION.read_text())
        table = change({op["name"]: op for op in edition["operators"]}, edition)
        folder = self.root / "edition"
        shutil.rmtree(folder, ignore_errors=True)
        shutil.copytree(EDITION.parent, folder)
        (folder / EDITION.name).write_text(json.dumps(edition))
        if table is not None:
            (folder / "precision" / EDITION.name).write_text(table)
        done = run("list", "operators", "--edition", "acme-0.1", edition=folder / EDITION.name)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn(str(folder / EDITION.name), done.stderr)
        return done.stderr

    def test_bad_editions_are_refused_with_the_place(self):
        def unknown_input(ops, _):
            ops["SOFTMAX"]["definition"]["steps"][1]["inputs"][1] = "top"
        self.assertIn("/operators/14/definition/steps/1/inputs/1: found input top", self.refused(unknown_input))

        def unknown_operator(ops, _):
            ops["SOFTMAX"]["definition"]["steps"][2]["operator"] = "EXPONENT"
        self.assertIn("an operator that tosa-1.0 does not have", self.refused(unknown_operator))

        def no_output(ops, _):
            ops["SOFTMAX"]["definition"]["steps"].pop()
        self.assertIn("no step makes output y", self.refused(no_output))

        def unknown_text(ops, _):
            ops["V_EXP"]["text"] = "EXP2"
        self.assertIn("operator V_EXP: found text EXP2", self.refused(unknown_text))

        def bad_condition(ops, _):
            ops["POOL_MAX"]["conditions"][0]["broken"] = "window_z > 3"
        self.assertIn("window_z", self.refused(bad_condition))

        # Under the text's own name the operator's ids may be those of the text.
        def id_of_the_text(ops, edition):
            pool = ops["POOL_MAX"]
            pool["name"] = pool.pop("text")
            pool["conditions"][0]["id"] = "max_pool2d.pad_x"
            table = EDITION.parent / "precision" / EDITION.name
            edition["operators"] = [op for op in edition["operators"] if op is not pool] + [pool]
            return table.read_text().replace("POOL_MAX", "MAX_POOL2D")
        self.assertIn("/operators/14/conditions/0/id: found max_pool2d.pad_x, which a condition of the text",
                      self.refused(id_of_the_text))

        def known_id(_, edition):
            edition["id"] = "tosa-1.0"
        self.assertIn("found tosa-1.0, which is known already", self.refused(known_id))

        def unknown_recipe(_, edition):
            edition["certify"] = "certifyy"
        self.assertIn(": /certify: found no recipe certifyy; the nearest are certify, ", self.refused(unknown_recipe))

    def tosa_under_other_names(self, features=lambda names: names):
        """The file of an edition with TOSA's operators, each of its arguments under another name, too.

        Control flow, variables and constants keep theirs, and RESHAPE, by which a case of CONST_SHAPE is made.
        """
        tosa = HERE.parents[2] / "schemas" / "editions"
        edition = json.loads((tosa / "tosa-1.0.json").read_text())
        table = json.loads((tosa / "precision" / "tosa-1.0.json").read_text())
        kept = ("CONST", "CONST_SHAPE", "RESHAPE")
        edition["operators"] = [op for op in edition["operators"]
                                if op["group"] not in ("control-flow", "variable", "custom")]
        for op in edition["operators"]:
            if op["name"] == "RESIZE":  # what the XML says in words alone
                for row in op["type_rows"]:
                    types = row["types"]
                    if types["in_t"].startswith("i"):
                        row["attributes"] = {"mode": "NEAREST_NEIGHBOR" if types["in_t"] == types["out_t"] else "BILINEAR"}
            if op["name"] in kept:
                continue
            op["text"] = op["name"]
            op["name"] = "OWN_" + op["name"]
            for k, argument in enumerate(op["arguments"]):
                argument.pop("level_limits", None)  # expressions over the names of TOSA
                argument["view"] = {"name": argument["name"]}
                argument["name"] = f"q{k}"
        edition.update(id="own-1.0", follows="tosa-1.0", features=features(edition["features"]))
        del edition["mlir"]
        table["edition"] = "own-1.0"
        table["documents"]["own-1.0"] = table["documents"]["tosa-1.0"]
        for row in table["rows"]:
            row["operator"] = row["operator"] if row["operator"] in kept else "OWN_" + row["operator"]
        names = {op["name"] for op in edition["operators"]}
        table["rows"] = [row for row in table["rows"] if row["operator"] in names]
        folder = self.root / "own"
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "precision").mkdir(parents=True)
        (folder / "own-1.0.json").write_text(json.dumps(edition))
        (folder / "precision" / "own-1.0.json").write_text(json.dumps(table))
        return folder / "own-1.0.json"

    def conforms(self, edition, *options):
        suite, results = edition.parent / "suite", edition.parent / "results"
        for arguments in (("generate", "--recipe", "smoke", "--edition", "own-1.0", *options, "--out", suite),
                          ("run", suite, "--implementation", "builtin:native", "--out", results),
                          ("check", suite, results), ("coverage", suite)):
            done = run(*arguments, edition=edition)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return json.loads((suite / "suite.json").read_text())["cases"]

    def test_operators_of_tosa_may_have_other_names(self):
        edition = self.tosa_under_other_names()
        cases = self.conforms(edition)
        self.assertEqual(len({case["operator"] for case in cases if case["operator"].startswith("OWN_")}), 66)
        call = {"operator": "OWN_RESCALE", "output_types": {"q10": {"dtype": "i8"}},
                "arguments": {"q0": {"dtype": "i8", "shape": [1, 3], "data": [100, 100, 100]}, "q3": 0, "q4": 0,
                              "q5": True, "q6": "SINGLE_ROUND", "q7": True, "q8": False, "q9": False}}
        calls = edition.parent / "calls"
        calls.write_text("".join(
            json.dumps({**call, "arguments": {**call["arguments"], "q1": [1 << 30] * n, "q2": [30] * n}}) + "\n"
            for n in (1, 2, 3, 4)))
        answers = [json.loads(line)
                   for line in run("eval", "--calls", calls, "--edition", "own-1.0", edition=edition).stdout.splitlines()]
        self.assertEqual([answer["conditions"] for answer in answers],
                         [["graph.shape"], ["graph.shape"], [], ["graph.shape"]])

    def test_bounds_of_powers_are_no_negative_numbers(self):
        """Where the edition defines powers of negative numbers, too."""
        edition = self.tosa_under_other_names(lambda names: [name for name in names if name != "pow_domain"])
        self.conforms(edition, "--operator", "OWN_POW")

    def test_a_missing_file_is_said(self):
        done = run("version", edition=self.root / "none.json")
        self.assertEqual(done.returncode, 2)
        self.assertIn("none.json", done.stderr)


if __name__ == "__main__":
    TENSOR_CTS, SWEEP_PLUGIN = sys.argv.pop(1), sys.argv.pop(1)
    unittest.main()

#!/usr/bin/env python3
"""Suites in the layout of the public TOSA conformance tests, and tests in that layout as suites.

Usage: conformance_test.py TENSOR_CTS

Where TENSOR_CTS_REFERENCE_MODEL names a copy of the public reference model's repository, its schema
judges every desc.json that we write, and its examples are imported, too.
"""
import collections
import filecmp
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TENSOR_CTS = ""
PUBLIC = os.environ.get("TENSOR_CTS_REFERENCE_MODEL", "")
DEVELOP = pathlib.Path(__file__).resolve().parents[2] / "develop"
sys.path.append(str(DEVELOP))
import archive  # noqa: E402

# Why the layout has no place for a case, and how left_out.txt says so.
NOT_EXPRESSIBLE = {
    "several executions": "^a test is one execution, the case has [0-9]+$",
    "no output": "^desc.json names at least one output, the graph has none",
    "an input without values": "^input .* has no values",
    "a point that the edition's clauses dispute": "^disputed: ",
    # Error cases whose attributes have no place in the format.
    "results of POW of which nothing is asked": r"mode PRECOMPUTED has no word for an element",
    "an attribute left out": r"a \.tosa file cannot leave out attribute",
    "an attribute of another type": r"a \.tosa file cannot hold a value of this type",
    "an attribute beyond its type": r"a \.tosa file cannot hold this value as",
    "no such value of an enumeration": r"a \.tosa file has no \w+ of name",
    "an attribute whose type no input says": "the operator has no input that has a type",
}


def run(*arguments, timeout=300):
    done = subprocess.run([TENSOR_CTS, *map(str, arguments)], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, timeout=timeout)
    return done.returncode, done.stdout.decode()


def files_of(folder):
    return sorted(path.relative_to(folder) for path in folder.rglob("*") if path.is_file())


class Base(unittest.TestCase):
    def setUp(self):
        self.root = pathlib.Path(tempfile.mkdtemp(prefix="conformance-"))
        self.own = pathlib.Path(tempfile.mkdtemp(prefix="conformance-own-"))
        archive.unpack(DEVELOP / "testdata/conformance.tar", self.own)

    def tearDown(self):
        shutil.rmtree(self.root)
        shutil.rmtree(self.own)

    def done(self, *arguments):
        code, out = run(*arguments)
        self.assertEqual(code, 0, out)
        return out

    def report(self, suite, results):
        code, out = run("check", suite, results, "--json", "-")
        report = json.loads(out)
        self.assertEqual(code == 0, report["conformant"])
        return {case["id"]: case for case in report["cases"]}


class RoundTrip(Base):
    """Case -> folder -> case, byte for byte."""

    def public_validator(self):
        try:
            import jsonschema
        except ImportError:
            return None
        if not PUBLIC:
            return None
        schemas = pathlib.Path(PUBLIC) / "scripts" / "schemavalidation"
        whole = json.loads((schemas / "desc.schema.json").read_text())
        meta = whole["properties"]["meta"]["properties"]
        for part, name in (("data_gen", "datagen"), ("compliance", "compliance")):
            meta[part] = json.loads((schemas / f"{name}-config.schema.json").read_text())
            del meta[part]["$id"]
        return jsonschema.Draft202012Validator(whole)

    def go_round(self, recipe, *options):
        """The suite that came back, and how many cases the layout cannot express, by reason."""
        suite, layout, back = (self.root / name for name in ("suite", "layout", "back"))
        self.done("generate", "--recipe", recipe, *options, "--out", suite)
        self.done("export", "--format", "tosa-conformance", suite, "--out", layout)
        self.done("import", layout, "--out", back)
        before = json.loads((suite / "suite.json").read_text())
        after = json.loads((back / "suite.json").read_text())
        left_out = layout / "left_out.txt"
        missing = left_out.read_text().splitlines() if left_out.exists() else []
        self.assertEqual(len(after["cases"]), len(before["cases"]) - len(missing))
        reasons = collections.Counter()
        for line in missing:
            words = line.split(": ", 1)[1]
            kind = next((kind for kind, pattern in NOT_EXPRESSIBLE.items()
                         if re.search(pattern, words)), words)
            reasons[kind] += 1
        digests = {case["id"]: case["digest"] for case in before["cases"]}
        for case in after["cases"]:
            self.assertEqual(case["digest"], digests[case["id"]], case["id"])
        # The digest is of all files. That what it is of was written is seen by some.
        for case in after["cases"][::20]:
            names = files_of(suite / case["id"])
            self.assertEqual(names, files_of(back / case["id"]))
            _, different, errors = filecmp.cmpfiles(suite / case["id"], back / case["id"], names,
                                                    shallow=False)
            self.assertEqual(different + errors, [], case["id"])
        validator = self.public_validator()
        for case in after["cases"]:
            desc = json.loads((layout / case["id"] / "desc.json").read_text())
            self.assertTrue((layout / case["id"] / desc["tosa_file"]).is_file())
            for file in desc["ifm_file"]:
                np.load(layout / case["id"] / file)
            if validator is not None:
                validator.validate(desc)
        print(f"{recipe}: {len(after['cases'])} of {len(before['cases'])} cases, equal; desc.json "
              f"{'valid by the public schema' if validator else 'not held against the public schema'}",
              file=sys.stderr)
        for reason, count in sorted(reasons.items()):
            print(f"  {count} not expressible: {reason}", file=sys.stderr)
        return back, dict(reasons)

    def test_of_operators(self):
        back, reasons = self.go_round("smoke", "--shard", "1/2")
        self.assertEqual(set(reasons) - set(NOT_EXPRESSIBLE), set())
        # A suite like any other.
        results = self.root / "results"
        self.done("run", back, "--implementation", "builtin:native", "--out", results)
        self.done("check", back, results)

    def test_of_graphs(self):
        _, reasons = self.go_round("graphs")
        self.assertEqual(set(reasons) - set(NOT_EXPRESSIBLE), set())


class Import(Base):
    """Folders that others wrote. Ours of that kind have x + y = (1, 2, 3) + (0.5, -2, 0.25)."""

    VALID = "add/add_own_3_f32"
    ERROR = "add/add_errorif_ownshape_3_f32"

    def copied(self):
        """A copy that may be changed."""
        copy = self.root / "tests"
        shutil.copytree(self.own, copy)
        return copy, copy / "operators" / "add" / "add_Own_3_f32"

    def test_keeps_what_desc_says(self):
        out = self.done("import", self.own, "--out", self.root / "suite")
        self.assertIn("outputs judged by desc.json where the edition has another rule: 1", out)
        self.assertIn("looser than tosa-1.0, ADD: within 0.5 ulp", out)
        case = json.loads((self.root / "suite" / self.VALID / "case.json").read_text())
        self.assertEqual(case["parameters"], {"test": "operators/add/add_Own_3_f32"})
        self.assertEqual((case["operator"], case["types"]), ("ADD", {"in_out_t": "fp32"}))
        self.assertEqual(case["profiles"], [["PRO-FP"]])
        self.assertEqual(case["outputs"][0]["rule"]["ulp"], 2)
        expected = np.load(self.root / "suite" / self.VALID / "expected" / "result_0.npy")
        self.assertEqual(list(expected), [1.5, 0.0, 3.25])
        error = json.loads((self.root / "suite" / self.ERROR / "case.json").read_text())
        self.assertEqual((error["outcome"], error["condition"]), ("error", "add.broadcast"))
        # Without what desc.json says.
        self.done("import", self.own, "--edition-rules", "--out", self.root / "edition")
        case = json.loads((self.root / "edition" / self.VALID / "case.json").read_text())
        self.assertEqual(case["outputs"][0]["rule"]["ulp"], 0.5)

    def test_takes_what_a_runner_left(self):
        tests, folder = self.copied()
        error = folder.parent / "add_ERRORIF_OwnShape_3_f32"
        ulp = np.spacing(np.float32(1.5))
        for name, off in (("my_runner", 2), ("other_runner", 3)):
            np.save(folder / f"result-0.{name}.npy",
                    np.array([1.5 + off * ulp, 0.0, 3.25], np.float32))
        cases = "".join(
            f'<testcase classname="{runner}" name="x/{path.relative_to(self.root)}" time="0.1"/>\n'
            for runner in ("my_runner", "runner.tosa_refmodel_compliance_sut_run")
            for path in (folder, error))
        xunit = self.root / "result.xml"
        xunit.write_text(f"<testsuites><testsuite>\n{cases}</testsuite></testsuites>\n")
        out = self.done("import", tests, "--out", self.root / "suite", "--results",
                        self.root / "mine", "--runner", "my_runner", "--xunit", xunit)
        self.assertIn("2 results in", out)
        mine = self.report(self.root / "suite", self.root / "mine")
        self.assertEqual({case["verdict"] for case in mine.values()}, {"pass"})
        # Three units are too many; and the report does not mention the other test.
        self.done("import", tests, "--out", self.root / "again", "--results", self.root / "other",
                  "--runner", "other_runner")
        other = self.report(self.root / "again", self.root / "other")
        self.assertEqual(other[self.VALID]["verdict"], "fail")
        self.assertEqual(other[self.ERROR]["verdict"], "missing")

    def test_reads_failures_of_a_runner(self):
        tests, folder = self.copied()
        error = folder.parent / "add_ERRORIF_OwnShape_3_f32"

        def verdicts(valid, negative):
            xunit = self.root / "result.xml"
            xunit.write_text("".join(
                f'<testcase name="{path}" classname="r">{body}</testcase>'
                for path, body in ((folder, valid), (error, negative))))
            for name in ("suite", "results"):
                shutil.rmtree(self.root / name, ignore_errors=True)
            self.done("import", tests, "--out", self.root / "suite", "--results",
                      self.root / "results", "--xunit", xunit)
            cases = self.report(self.root / "suite", self.root / "results")
            return cases[self.VALID]["verdict"], cases[self.ERROR]["verdict"]

        failure = '<failure type="Test failed">{}: a &lt; b</failure>'
        self.assertEqual(verdicts(failure.format("UNEXPECTED_FAILURE"),
                                  failure.format("UNEXPECTED_PASS")), ("crash", "wrong_outcome"))
        self.assertEqual(verdicts("<skipped/>", failure.format("UNEXPECTED_FAILURE")),
                         ("unsupported", "crash"))
        # Another runner's JUnit file: an error is not the error that is due.
        self.assertEqual(verdicts('<error message="x"/>', '<error type="Crash">died</error>'),
                         ("crash", "crash"))

    def test_refuses_and_names_what_is_wrong(self):
        desc = json.loads((self.own / "operators" / "add" / "add_Own_3_f32" / "desc.json").read_text())
        entry = desc["meta"]["compliance"]["tensors"]["result-0"]

        def with_entry(**members):
            return {"meta": {"compliance": {"version": "0.1",
                                            "tensors": {"result-0": {**entry, **members}}}}}

        secret = self.root / "secret.npy"
        np.save(secret, np.zeros(3, np.float32))
        bad = [
            ({"ifm_file": ["../../../../secret.npy", "input-1.npy"]}, "expected a path inside"),
            ({"ifm_file": [str(secret), "input-1.npy"]}, "expected a path inside"),
            ({"ifm_file": ["x/../../../../../secret.npy", "input-1.npy"]}, "a path inside"),
            ({"ifm_file": ["a\0b.npy", "input-1.npy"]}, "expected a path inside"),
            ({"ifm_file": ["link.npy", "input-1.npy"]}, "link.npy"),
            ({"ifm_file": ["absent.npy", "input-1.npy"]}, "/ifm_file/0: "),
            ({"ifm_file": ["input-1.npy", "absent.npy"]}, "/ifm_file/1: "),
            ({"ifm_file": ["absent.npy", "input-1.npy"],
              "meta": {"data_gen": {"version": "0.1", "tensors": {}}}},
             "--lazy-data-generation"),
            ({"ifm_file": ["folder", "input-1.npy"]}, "folder"),
            ({"ifm_file": ["input-1.npy"]}, "found 1 files, expected 2"),
            ({"ifm_name": ["input-0", "input-0"]}, "found 'input-0' again, expected"),
            ({"ifm_name": ["input-0", "zz"]},
             "found 'zz', expected the names of the graph, each once: input-0, input-1"),
            ({"ifm_name": ["input-0", "\x1b[31m"]}, "expected the names of the graph"),
            ({"ifm_name": ["input-0"], "ifm_file": ["input-1.npy"]}, "found no input-1"),
            ({"ofm_name": ["input-0"]}, "expected the names of the graph"),
            ({"tosa_file": "absent.tosa"}, "no such file"),
            ({"tosa_file": "input-1.npy"}, "input-1.npy"),
            ({"tosa_file": "test.json"}, "flatc --binary tosa.fbs test.json"),
            ({"tosa_file": 5}, "/tosa_file"),
            ({"ifm_file": ["wide.npy", "input-1.npy"]}, "shape"),
            ({"ifm_file": ["cut.npy", "input-1.npy"]}, "cut.npy"),
            ({"unheard_of": 1}, "unheard_of"),
            ({"expected_failure": True}, "the graph is valid"),
            ({"test_requirements": {"profiles_supported": ["tosa-pro-magic"]}}, "tosa-pro-magic"),
            (with_entry(mode="GUESS"), "mode"),
            (with_entry(mode="DOT_PRODUCT"), "dot_product_info"),
            (with_entry(mode="ULP", ulp_info={"ulp": -1}), "ulp"),
            (with_entry(mode="ULP", ulp_info={"ulp": 1e999}), "desc.json"),
            (with_entry(data_type="FP16"), "the graph has FP32"),
            ({"meta": {"compliance": {"version": "0.1", "tensors": {"other": entry}}}}, "other"),
        ]
        texts = [(json.dumps({**desc, **change}), message) for change, message in bad]
        texts += [("", "desc.json"), ("[" * 100000, "desc.json"), ('{"tosa_file": "a"}', "ifm"),
                  ('{"tosa_file": "a", "tosa_file": "b"}', "desc.json"), ("null", "desc.json")]
        for text, message in texts:
            with self.subTest(message, text=text[:300]):
                tests, folder = self.copied()
                (folder / "link.npy").symlink_to(secret)
                (folder / "folder").mkdir()
                np.save(folder / "wide.npy", np.zeros((3, 1), np.float32))
                (folder / "cut.npy").write_bytes((folder / "input-1.npy").read_bytes()[:-1])
                (folder / "desc.json").write_text(text)
                code, out = run("import", tests, "--out", self.root / "suite", "--results",
                                self.root / "results")
                self.assertEqual(code, 2, out)
                self.assertIn(message, out)
                self.assertIn(str(folder), out)
                self.assertNotIn("\x1b", out)
                self.assertNotIn("\0", out)
                shutil.rmtree(tests)
                self.assertEqual(list(self.root.iterdir()), [secret])  # nothing is left

    def test_refuses_what_lies_beside_and_is_wrong(self):
        beside = {"format": "tensor-cts-conformance-1", "id": "add/a", "edition": "tosa-1.0",
                  "level": "8K", "operator": "ADD", "mode": "", "types": {}, "profiles": [],
                  "data_set": "none", "parameters": {}}
        for change, message in (({"id": "../../x"}, "/id"), ({"id": "add/b"}, "every id once"),
                                ({"edition": "tosa-9"}, "tosa-9"), ({"level": "9K"}, "9K"),
                                ({"edition": "tosa-1.1-draft"}, "tosa-1.1-draft"),
                                ({"types": 5}, "/types"), ({"more": 5}, "more")):
            with self.subTest(message):
                tests, folder = self.copied()
                error = folder.parent / "add_ERRORIF_OwnShape_3_f32" / "tensor-cts.json"
                error.write_text(json.dumps({**beside, "id": "add/b"}))
                (folder / "tensor-cts.json").write_text(json.dumps({**beside, **change}))
                code, out = run("import", tests, "--out", self.root / "suite")
                self.assertEqual(code, 2, out)
                self.assertIn(message, out)
                self.assertIn(str(folder.parent), out)
                shutil.rmtree(tests)
                self.assertEqual(list(self.root.iterdir()), [])

    def test_refuses_what_is_no_place(self):
        (self.root / "empty").mkdir()
        (self.root / "full").mkdir()
        (self.root / "full" / "file").touch()
        for arguments, message in (
                ([self.root / "empty", "--out", self.root / "s"], "found no desc.json"),
                ([self.root / "absent", "--out", self.root / "s"], "no such file or folder"),
                ([self.root / "absent.mlir", "--input", "x=y", "--out", self.root / "s"],
                 "absent.mlir: no such file or folder, expected a folder of tests, a .tosa file"),
                ([self.own, "--out", self.root / "full"], "empty directory"),
                ([self.own, "--out", self.root / "s", "--results", self.root / "full"], "empty"),
                ([self.own, "--out", self.root / "s", "--runner", "r"], "--results"),
                ([self.own / "shared.npy", "--out", self.root / "s", "--runner", "r"],
                 "--runner, --xunit, --skip, --left-out and --edition-rules are for a folder of tests"),
                ([self.own / "shared.npy", "--out", self.root / "s", "--xunit", "r.xml"],
                 "are for a folder of tests"),
                ([self.own, "--out", self.root / "s", "--left-out", self.root / "l"], "add --skip"),
                ([self.own, "--out", self.root / "s", "--edition", "tosa-9"], "tosa-9"),
                ([self.own, "--out", self.root / "s", "--level", "9K"], "9K"),
                ([self.own, "--out", self.root / "s", "--results", self.root / "r", "--xunit",
                  self.own / "shared.npy"], "<testcase>")):
            with self.subTest(message):
                code, out = run("import", *arguments)
                self.assertEqual(code, 2, out)
                self.assertIn(message, out)
                self.assertEqual(sorted(path.name for path in self.root.iterdir()),
                                 ["empty", "full"])

    def test_leaves_out_what_cannot_be_judged(self):
        tests, folder = self.copied()
        desc = json.loads((folder / "desc.json").read_text())
        desc["expected_failure"] = True
        (folder / "desc.json").write_text(json.dumps(desc))
        code, out = run("import", tests, "--out", self.root / "suite")
        self.assertEqual(code, 2)
        self.assertIn("--skip", out)
        out = self.done("import", tests, "--out", self.root / "suite", "--skip", "--left-out", self.root / "left")
        self.assertIn("tests left out: 1\n  1 such as ", out)
        lines = (self.root / "left").read_text().splitlines()
        self.assertEqual(len(lines), 1)
        self.assertIn(str(folder / "desc.json"), lines[0])
        self.assertIn("/expected_failure: found true", lines[0])
        suite = json.loads((self.root / "suite" / "suite.json").read_text())
        self.assertEqual([case["id"] for case in suite["cases"]], [self.ERROR])

    def test_reads_the_layout_of_newer_generators(self):
        tests, folder = self.copied()
        desc = json.loads((folder / "desc.json").read_text())
        desc["version"] = "1.2"
        desc["test_details"] = {"operator": "ADD", "output_types": ["FP32"], "output_shapes": [[2, 3]], "oversize": False}
        (folder / "desc.json").write_text(json.dumps(desc))
        self.done("import", tests, "--out", self.root / "suite")
        suite = json.loads((self.root / "suite" / "suite.json").read_text())
        self.assertEqual([case["id"] for case in suite["cases"]], [self.ERROR, self.VALID])

    def test_tells_tests_of_like_names_apart(self):
        tests, folder = self.copied()
        shutil.copytree(folder, folder.parent / "ADD_own_3_f32")
        self.done("import", tests, "--out", self.root / "suite")
        suite = json.loads((self.root / "suite" / "suite.json").read_text())
        ids = [case["id"] for case in suite["cases"]]
        self.assertEqual(ids, [self.ERROR, self.VALID, self.VALID + "+2"])
        names = [json.loads((self.root / "suite" / each / "case.json").read_text())["parameters"]
                 for each in ids[1:]]
        self.assertEqual([name["test"].split("/")[-1] for name in names],
                         ["ADD_own_3_f32", "add_Own_3_f32"])


@unittest.skipUnless(PUBLIC, "TENSOR_CTS_REFERENCE_MODEL names no copy of the public repository")
class PublicExamples(Base):
    def test_evaluate_to_their_stored_results(self):
        examples = pathlib.Path(PUBLIC) / "examples"
        out = self.done("import", examples, "--out", self.root / "suite", "--skip")
        print(out, file=sys.stderr)
        suite = json.loads((self.root / "suite" / "suite.json").read_text())
        # The sixth is a network of floating-point operators, whose loop reads tensors of the block
        # around it.
        self.assertEqual(len(suite["cases"]), 5)
        self.assertIn("tests left out: 1", out)
        for case in suite["cases"]:
            with self.subTest(case["id"]):
                folder = self.root / "suite" / case["id"]
                bundle = json.loads((folder / "case.json").read_text())
                test = pathlib.Path(bundle["parameters"]["test"])
                framework = test.name.rsplit("-", 1)[1]
                stored = np.load(examples / test.parent / f"{framework}_result.npy")
                # Judged as what an implementation hands over.
                name = bundle["outputs"][0]["name"]
                results = self.root / "results"
                shutil.rmtree(results, ignore_errors=True)
                (results / case["id"]).mkdir(parents=True)
                np.save(results / case["id"] / f"{name}.npy", stored)
                (results / case["id"] / "result.json").write_text('{"status": "ok"}')
                (results / "run.json").write_text(json.dumps({
                    "format": "tensor-cts-run-1", "suite": "imported",
                    "suite_digest": suite["digest"], "command": "",
                    "implementation": {"name": framework, "version": "stored"}}))
                verdict = self.report(self.root / "suite", results)[case["id"]]
                self.assertEqual(verdict["verdict"], "pass", verdict)

    def test_runs_the_network_with_a_state_and_a_loop(self):
        """It writes its variables after its loop."""
        example = pathlib.Path(PUBLIC) / "examples" / "test_lstm_stateful_13x21x3_f32"
        folder = example / "flatbuffer-tflite"
        desc = json.loads((folder / "desc.json").read_text())
        inputs = [f"{name}={folder / file}"
                  for name, file in zip(desc["ifm_name"], desc["ifm_file"])]
        self.done("import", folder / desc["tosa_file"], "--id", "networks/lstm", "--out",
                  self.root / "suite", *(word for each in inputs for word in ("--input", each)))
        self.done("run", self.root / "suite", "--implementation", "builtin:native", "--out",
                  self.root / "results")
        code, out = run("check", self.root / "suite", self.root / "results")
        self.assertEqual(code, 1, out)
        self.assertIn("only outcome and shapes were checked", out)
        [made] = (self.root / "results" / "networks" / "lstm").glob("*.npy")
        np.testing.assert_allclose(np.load(made), np.load(example / "tflite_result.npy"),
                                   rtol=1e-4, atol=1e-5)


if __name__ == "__main__":
    TENSOR_CTS = sys.argv.pop(1)
    unittest.main()

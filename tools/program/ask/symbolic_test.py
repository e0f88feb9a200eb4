"""Symbolic programs as a user meets them: symbolic_test.py TENSOR_CTS.

Commands over a few cases of recipe symbolic: each says of which binding it speaks, none takes what is no program.
"""

import json
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

CTS = pathlib.Path(sys.argv[1]).resolve()
CASE = "symbolic/conv2d-i8-i8-i32-run-time-full-range"


def call(*command):
    return subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          errors="replace")


def cts(*arguments):
    return call(CTS, *arguments)


class Symbolic(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.directory = pathlib.Path(tempfile.mkdtemp())
        cls.suite = cls.directory / "suite"
        made = cts("generate", "--recipe", "symbolic", "--operator", "CONV2D", "--out", cls.suite)
        assert made.returncode == 0, made.stderr
        cls.results = cls.directory / "results"
        run = cts("run", cls.suite, "--implementation", "builtin:fault:conv2d.turns_the_kernel", "--filter", "*run-time*",
                  "--out", cls.results)
        assert run.returncode == 0, run.stderr

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.directory)

    def ok(self, *arguments):
        result = cts(*arguments)
        self.assertEqual(result.returncode, 0, result.stderr)
        return result.stdout

    def bindings(self):
        case = json.loads((self.suite / CASE / "case.json").read_text())
        return [" ".join(f"{name}={size}" for name, size in sorted(one["binding"].items()))
                for one in [case] + case["later_executions"]]

    def test_explain_names_the_binding_of_every_output(self):
        text = self.ok("explain", self.results, CASE)
        bindings = self.bindings()
        self.assertEqual(len(bindings), 3)
        self.assertIn(f"  bindings        {'; '.join(bindings)}\n", text)
        for binding in bindings:
            self.assertEqual(text.count(f"  binding         {binding}\n"), 1, text)

    def test_explain_writes_a_run_time_form_as_a_sum_of_products(self):
        text = " ".join(self.ok("explain", self.results, CASE).split())
        self.assertRegex(text, r"made of \(?input\[[0-9,]+\] -?[0-9]+.* \* .* \+ ")

    def test_intermediates_of_a_program_are_not_judged(self):
        handed = self.directory / "intermediates"
        (handed / CASE).mkdir(parents=True)
        result = next((self.results / CASE).glob("*.npy"))
        shutil.copy(result, handed / CASE / result.name)
        text = self.ok("explain", self.results, CASE, "--intermediates", handed)
        self.assertIn("is not judged: it stands in a symbolic", text)
        self.assertRegex(text, r" [0-9]+ operators: 0 pass, 0 fail, 0 were not handed over, [0-9]+ not judged")

    def test_the_script_names_the_binding(self):
        script = self.directory / "explain.py"
        script.write_text(self.ok("explain", self.results, CASE, "--python"))
        result = call("/usr/bin/python3", script)
        if "No module named 'numpy'" in result.stderr:
            self.skipTest("NumPy is not installed")
        self.assertEqual(result.returncode, 1, result.stderr)
        for number, binding in enumerate(self.bindings()):
            self.assertIn(f"\nexecution {number}, binding: {binding}\n", result.stdout)

    def test_eval_names_the_binding(self):
        text = self.ok("eval", self.suite / CASE)
        for binding in self.bindings():
            self.assertEqual(text.count(f"  binding       {binding}\n"), 1, text)
        text = self.ok("eval", self.suite / "symbolic/error-symbol-broadcast-bias-i8-i8-i32")
        self.assertRegex(text, r"\n  binding       C=1 H=[0-9]+ N=[0-9]+ W=[0-9]+\n\nsymbol.broadcast\n")

    def test_shrink_leaves_one_binding_and_says_how_to_resolve_it(self):
        out = self.directory / "shrunk"
        self.ok("shrink", self.suite, CASE, "--implementation", "builtin:fault:conv2d.turns_the_kernel", "--out", out)
        report = (out / "REPORT.md").read_text()
        self.assertIn("| executions | 3 | 1 |", report)
        self.assertIn("| `input` | input | i8[N,H,W,3] |", report)
        self.assertRegex(report, r"\nExecution 0 binds H=[0-9]+ N=[0-9]+ W=[0-9]+\.\n")
        command = [line for line in report.splitlines() if line.startswith("tensor-cts resolve ")]
        self.assertEqual(len(command), 1)
        subprocess.run([str(CTS)] + command[0].split()[1:], cwd=out, check=True)
        self.assertIn(": valid\n", self.ok("eval", out / "static"))
        shutil.rmtree(out)

    def test_shrink_shows_an_error_case_whose_input_has_no_values(self):
        case = "symbolic/error-symbol-unbound-two-batches-i32"
        suite, out = self.directory / "unbound", self.directory / "unbound-shrunk"
        self.ok("generate", "--recipe", "symbolic", "--operator", "MAXIMUM", "--out", suite)
        self.ok("shrink", suite, case, "--implementation", "builtin:fault:symbol.unbound.accepted", "--out", out)
        self.assertIn("| `y` | input | i32[K,M] | no file |", (out / "REPORT.md").read_text())

    def test_shrink_gives_none_to_whom_does_not_take_them(self):
        result = cts("shrink", self.suite, CASE, "--adapter", "/bin/false", "--out", self.directory / "none")
        self.assertEqual(result.returncode, 2)
        self.assertIn("found a symbolic program, and the implementation does not declare that it accepts them "
                      "(--symbolic)", result.stderr)

    def test_certify_takes_it_from_the_claim(self):
        self.assertNotIn("--symbolic", self.ok("certify", "--help"))

    def test_nothing_takes_what_is_no_program(self):
        folder = self.directory / "broken"
        shutil.copytree(self.suite / CASE, folder)
        case = json.loads((folder / "case.json").read_text())
        operators = case["graph"]["regions"][0]["blocks"][0]["operators"]
        extract = next(op for op in operators if op["operator"] == "EXTRACT_DIM")

        def refused(message):
            (folder / "case.json").write_text(json.dumps(case))
            bind = [word for name, size in case["binding"].items() for word in ("--bind", f"{name}={size}")]
            for command in (["eval", folder], ["resolve", folder, *bind, "--graph"],
                            ["resolve", folder, *bind, "--out", self.directory / "never"], ["render", folder]):
                result = cts(*command)
                self.assertEqual(result.returncode, 2, f"{command[0]}: {result.stdout} {result.stderr}")
                self.assertIn(message, result.stderr)

        attributes, extract["attributes"] = extract["attributes"], {}
        refused("expected attribute dim_index, an integer")
        extract["attributes"] = {"dim_index": "first"}
        refused("expected attribute dim_index, an integer")
        extract["attributes"] = attributes
        inputs, extract["inputs"] = extract["inputs"], []
        refused("found 0 inputs, expected 1 tensor")
        extract["inputs"] = inputs
        case["binding"]["Q"] = 3
        refused("/binding: found symbol Q, which no tensor has")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])

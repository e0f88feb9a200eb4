#!/usr/bin/python3
"""A core in Verilog and a program in C without libraries, over a suite.  Usage: core_test.py TENSOR_CTS
Needs Icarus Verilog."""
import json
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import unittest

CTS = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
STRICT = ["-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", "-ffreestanding"]


class Core(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="core_test-"))
        cls.suite = cls.root / "suite"
        operators = [f"--operator={name}" for name in ("abs", "add", "matmul")]
        cls.call(CTS, "generate", "--recipe", "smoke", *operators, "--type=i32", "--type=i8", "--out", cls.suite)
        for form in ("hex", "c"):
            cls.call(CTS, "export", "--format", form, cls.suite, "--out", cls.root / form)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def call(cls, *command, code=0):
        done = subprocess.run([str(word) for word in command], text=True, timeout=300, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        assert done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def verdicts(self, dump, form, code):
        """The cases that did not pass, and their verdicts."""
        results = dump.with_suffix("")
        self.call(CTS, "import-results", self.suite, dump, "--manifest", self.root / form / "manifest.json",
                  "--name", "core", "--out", results)
        report = results.with_suffix(".json")
        self.call(CTS, "check", self.suite, results, "--json", report, code=code)
        cases = json.loads(report.read_text())["cases"]
        self.assertGreater(len(cases), 90)
        return {case["id"]: case["verdict"] for case in cases if case["verdict"] != "pass"}

    def simulated(self, name, bug, source=HERE / "core.v", limit=1000000):
        self.assertTrue(shutil.which("iverilog"), "iverilog is not installed: tools/test.sh installs it")
        core = self.root / f"{name}.vvp"
        said = self.call("iverilog", "-Wall", f"-Pbench.BUG={bug}", f"-Pbench.LIMIT={limit}", "-o", core, source)
        self.assertEqual(said, "")
        self.call(HERE / "driver.py", self.root / "hex", core, self.root / f"{name}.hex")
        return self.root / f"{name}.hex"

    def test_the_core_is_conformant(self):
        self.assertEqual(self.verdicts(self.simulated("right", 0), "hex", code=0), {})

    def test_a_planted_bug_fails_the_cases_that_meet_it(self):
        """MATMUL without the zero point of its second operand."""
        meet = set()
        for path in self.suite.glob("matmul/*/case.json"):
            case = json.loads(path.read_text())
            block = case["graph"]["regions"][0]["blocks"][0]
            if case["outcome"] != "valid":
                continue
            if self.constant(path.parent, block["operators"][-1]["inputs"][3]) != 0:
                meet.add(case["id"])
        self.assertGreater(len(meet), 1)
        failing = self.verdicts(self.simulated("wrong", 1), "hex", code=1)
        self.assertEqual(failing, {case: "fail" for case in meet})

    def constant(self, folder, name):
        return (folder / f"{name}.npy").read_bytes()[-1]

    def test_an_element_that_the_core_never_writes_is_no_pass(self):
        text = (HERE / "core.v").read_text()
        lazy = text.replace("{memory[at_out + 3],", "if (index[5] == 0 || op == MATMUL) {memory[at_out + 3],")
        self.assertNotEqual(lazy, text)
        (self.root / "lazy.v").write_text(lazy)
        failing = self.verdicts(self.simulated("lazy", 0, self.root / "lazy.v"), "hex", code=1)
        self.assertEqual(set(failing.values()), {"protocol"})
        self.assertTrue(all(case.startswith(("abs/", "add/")) for case in failing), failing)

    def test_a_core_that_hangs_is_no_pass_and_ends(self):
        text = (HERE / "core.v").read_text()
        hung = text.replace("done <= carry;", "done <= carry && op != ADD;")
        self.assertNotEqual(hung, text)
        (self.root / "hung.v").write_text(hung)
        failing = self.verdicts(self.simulated("hung", 0, self.root / "hung.v", limit=10000), "hex", code=1)
        self.assertEqual(set(failing.values()), {"protocol"})
        self.assertTrue(all(case.startswith("add/") for case in failing), failing)

    def test_an_element_that_the_program_never_writes_is_no_pass(self):
        """Nor if the case before had the same value there."""
        text = (HERE / "bare_metal.c").read_text()
        lazy = text.replace("for (i = 0; i < result->bytes / 4; ++i)", "for (i = 1; i < result->bytes / 4; ++i)")
        self.assertNotEqual(lazy, text)
        (self.root / "idle.c").write_text(lazy)
        failing = self.verdicts(self.bare_metal("idle", self.root / "idle.c"), "c", code=1)
        legal = {case["id"] for case in map(json.loads, (path.read_text() for path in self.suite.glob("a*/*i32*/case.json")))
                 if case["outcome"] == "valid"}
        self.assertGreater(len(legal), 20)
        self.assertEqual(failing, {case: "fail" for case in legal})

    def test_other_formats_have_no_memory(self):
        for option in (["--memory", "100"], ["--expected"]):
            said = self.call(CTS, "export", "--format", "tosa", *option, self.suite, "--out", self.root / "x", code=2)
            self.assertIn("--memory and --expected are for the formats hex and c, found tosa", said)

    def test_a_memory_has_at_most_what_its_manifest_can_say(self):
        said = self.call(CTS, "export", "--format", "hex", "--memory", 2**30 + 1, self.suite, "--out", self.root / "x",
                         code=2)
        self.assertIn("not in range 1 to 1073741824", said)

    def sources(self, folder):
        return [folder / "cases.c", *sorted(folder.glob("*/*/case*.c"))]

    def bare_metal(self, name, source=HERE / "bare_metal.c"):
        if platform.machine() != "x86_64":
            self.skipTest("the program's two functions for a machine are those of x86-64")
        program = self.root / f"{name}-program"
        arrays = self.root / "c"
        self.call("gcc", *STRICT, "-O1", "-nostdlib", "-static", "-fno-stack-protector", "-I", arrays, "-o", program,
                  source, *self.sources(arrays))
        dump = self.root / f"{name}.hex"
        dump.write_text(self.call(program))
        return dump

    def test_the_program_in_c_needs_no_library(self):
        self.assertEqual(self.verdicts(self.bare_metal("bare"), "c", code=0), {})

    def test_arrays_of_all_kinds_of_attributes_are_c(self):
        suite, arrays = self.root / "kinds", self.root / "kinds-c"
        operators = ("clamp", "conv2d", "rescale", "resize", "pad", "const", "matmul", "argmax", "table")
        self.call(CTS, "generate", "--recipe", "smoke", *(f"--operator={name}" for name in operators), "--out", suite)
        known = {case["id"].split("/")[0] for case in json.loads((suite / "suite.json").read_text())["cases"]}
        self.assertEqual(known, set(operators))
        ids = [case["id"] for case in json.loads((suite / "suite.json").read_text())["cases"]]
        some = {case for name in operators for case in [case for case in ids if case.startswith(name + "/")][::12]}
        self.call(CTS, "export", "--format", "c", "--expected", suite, "--out", arrays,
                  *(f"--filter={case}" for case in sorted(some)))
        self.call("gcc", *STRICT, "-fsyntax-only", "-I", arrays, *self.sources(arrays))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

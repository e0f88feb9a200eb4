#!/usr/bin/env python3
"""The render command as a user meets it.

Usage: render_command_test.py TENSOR_CTS
"""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TENSOR_CTS = ""


def run(*arguments):
    return subprocess.run([TENSOR_CTS, *map(str, arguments)], capture_output=True, text=True,
                          timeout=120)


class Render(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="render-")
        root = pathlib.Path(cls.temporary.name)
        made = run("generate", "--recipe", "smoke", "--operator", "VARIABLE_READ", "--operator",
                   "COND_IF", "--operator", "CLAMP", "--out", root / "suite")
        assert made.returncode == 0, made.stderr
        cls.cases = sorted(path.parent for path in root.glob("suite/*/*/case.json"))

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def test_a_chunk_for_every_case(self):
        done = run("render", "--mlir-version", "22", "--prefix", "p", *self.cases)
        self.assertEqual(done.returncode, 0, done.stderr)
        chunks = done.stdout.split("// -----\n")
        self.assertEqual(len(chunks), len(self.cases))
        self.assertGreater(len(chunks), 10)
        for i, (chunk, case) in enumerate(zip(chunks, self.cases)):
            self.assertTrue(chunk.startswith(f"// p_{i}: {case.parent.name}/{case.name}\n"), chunk)
            self.assertIn(f"func.func @p_{i}(", chunk)
        for text in ('"tosa.variable"() {', '"tosa.cond_if"(', "^then(", ' = "wrong"'):
            self.assertTrue(text in done.stdout, text)

    def test_the_edition_decides_on_the_dialect(self):
        root = pathlib.Path(self.temporary.name)
        made = run("generate", "--recipe", "smoke-0.100", "--id", "rescale/i8-i8-64-*", "--out",
                   root / "draft")
        self.assertEqual(made.returncode, 0, made.stderr)
        draft = next(root.glob("draft/*/*/case.json")).parent
        done = run("render", draft, self.cases[0])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"\{multiplier = array<i32: .*double_round = (true|false), ")
        self.assertIn("func.func @case_1(", done.stdout)
        done = run("render", "--mlir-version", "22", draft)
        self.assertEqual(done.stdout, "// case_0 unsupported: edition tosa-0.100: the dialect of "
                                      "MLIR 19, not of MLIR 22\n")

    def test_a_module_of_spirv(self):
        clamp = next(case for case in self.cases
                     if case.parent.name == "clamp" and case.name.startswith("fp32-"))
        ways = {}
        for way in ("module", "graph"):
            done = subprocess.run([TENSOR_CTS, "render", "--format", "spirv", "--constants", way,
                                   clamp], capture_output=True, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(done.stdout[:4], b"\x03\x02\x23\x07")
            ways[way] = done.stdout
        # CLAMP has no constants but its attributes, which are always in the module.
        self.assertEqual(ways["module"], ways["graph"])
        variable = next(case for case in self.cases if case.parent.name == "variable_read")
        done = run("render", "--format", "spirv", variable)
        self.assertEqual(done.returncode, 2)
        self.assertIn("(VARIABLE): TOSA.001000.1 has no instruction for it", done.stderr)
        done = run("render", "--format", "spirv", *self.cases)
        self.assertIn("cases, expected one for a SPIR-V module; see tensor-cts export", done.stderr)

    def test_other_versions_and_names_are_refused(self):
        for arguments, message in ((["--mlir-version", "21"], "found 21, expected one of 19, 22"),
                                   (["--format", "dot"], "found dot, expected one of mlir, spirv, tosa"),
                                   (["--prefix", "1"], "expected letters, digits")):
            done = run("render", *arguments, self.cases[0])
            self.assertEqual(done.returncode, 2)
            self.assertEqual(done.stdout, "")
            self.assertIn(message, done.stderr)


if __name__ == "__main__":
    TENSOR_CTS = sys.argv.pop(1)
    unittest.main()

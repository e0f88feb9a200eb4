#!/usr/bin/python3
"""Runs a sample through the public runner. Unexplained failures, and differences between runner and check, are found.

public_runner_test.py TENSOR_CTS, by a Python that has tools/adapters/tosa-tools/requirements.txt
"""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import public_runner

CTS = str(pathlib.Path(sys.argv.pop(1)).resolve())
# Files of fp8, RESIZE's MAX_RELATIVE, POW's PRECOMPUTED, illegal graphs, and one test or two of several causes.
SAMPLE = ("abs/*-scalar-*", "*/fp8*-special", "resize/*-special", "pow/*-special", "*/error-rank-i8-2",
          "cast/i32-bf16-9x37-run-special", "cond_if/any-longest-*", "fft2d/error-operand_count-*",
          "identity/error-type_row-i8", "variable/i8-*")  # fmt: skip


class PublicRunner(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="public-runner-")
        cls.here = pathlib.Path(cls.folder.name)
        patterns = [f"--id={pattern}" for pattern in SAMPLE]
        command = [CTS, "generate", "--recipe", "smoke", "--out", str(cls.here / "suite"), *patterns]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120)
        cls.code, cls.said = cls.go()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def go(cls):
        """The second call finds what the first one ran."""
        said = io.StringIO()
        sys.argv[1:] = [str(cls.here / "suite"), str(cls.here / "out"), "--tensor-cts", CTS]
        with contextlib.redirect_stdout(said):
            code = public_runner.main()
        return code, said.getvalue()

    def test_everything_unexpected_has_an_owner(self):
        self.assertEqual(self.code, 0, self.said)
        for row in (r"\| 1 \| legal, wrong value \| `cast-rounds-twice`:", r"\| 1 \| illegal, the model dies \| `wrong-type-crashes`:",
                    r"\| 2 \| legal, refused \| `list-counts-condition`:", r"\| 1 \| legal, not offered \| `not-offered`:",
                    r"\| 1 \| illegal, accepted \| `refused-with-exit-code-0`:"):  # fmt: skip
            self.assertRegex(self.said, row)

    def test_what_another_suite_or_version_made_is_not_taken(self):
        note = self.here / "out/made-of.json"
        kept = note.read_text()
        self.addCleanup(note.write_text, kept)
        self.assertEqual(json.loads(kept)["suite"], json.loads((self.here / "suite/suite.json").read_text())["digest"])
        for change in (*({**json.loads(kept), name: "another"} for name in ("suite", "tensor-cts", "tosa-tools")), None):
            note.unlink() if change is None else note.write_text(json.dumps(change))
            said = io.StringIO()
            with self.assertRaises(SystemExit) as end, contextlib.redirect_stderr(said):
                self.go()
            self.assertEqual(end.exception.code, 2)
            self.assertIn("remove it, or name another folder", said.getvalue())

    def test_a_runner_of_a_python_that_is_gone_runs(self):
        program = self.here / "runner"
        program.write_text("#!/gone/python\nimport sys\nopen(sys.argv[sys.argv.index('--xunit-file') + 1], 'w')\n")
        program.chmod(0o755)
        (self.here / "none").mkdir()
        public_runner.run_operator(program, self.here / "none", self.here, os.environ)
        self.assertTrue((self.here / "none.xml").exists())

    def test_all_other_legal_tests_have_a_result(self):
        tests, legal, results = map(int, public_runner.re.match(r"(\d+) tests, (\d+) of .* (\d+) have a result", self.said).groups())
        self.assertGreater(legal, 60, self.said)
        self.assertEqual(legal - results, 3, self.said)  # two of COND_IF, one of VARIABLE
        self.assertGreater(tests, legal + 10)

    def test_what_nobody_explains_is_found(self):
        kept = public_runner.DEVIATIONS
        self.addCleanup(setattr, public_runner, "DEVIATIONS", kept)
        public_runner.DEVIATIONS = [one for one in kept if one["id"] != "cast-rounds-twice"]
        code, said = self.go()
        self.assertEqual(code, 1, said)
        self.assertIn("cast/i32-bf16-9x37-run-special: fail: not explained: ", said)

    def test_what_the_runner_takes_and_check_does_not_is_found(self):
        report = self.here / "out/runner/cast.xml"
        kept = report.read_text()
        self.addCleanup(report.write_text, kept)
        report.write_text(public_runner.re.sub(r"<failure.*?</failure>", "", kept, flags=public_runner.re.S))
        code, said = self.go()
        self.assertEqual(code, 1, said)
        self.assertIn("cast/i32-bf16-9x37-run-special: expected to the runner, fail to check", said)


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/python3
"""judge.sh with stand-ins for virtual environments: what it runs, and what it says of those that are missing.

judge_test.py TENSOR_CTS
"""

import hashlib
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401: the skeleton needs it
except ImportError:
    sys.exit(77)

CTS = pathlib.Path(sys.argv.pop(1)).resolve()
TOOLS = pathlib.Path(__file__).resolve().parents[1]


class Judge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.suite = pathlib.Path(cls.folder.name) / "suite"
        subprocess.run([CTS, "generate", "--recipe", "smoke", "--id", "add/fp32-*", "--out", cls.suite],
                       stdout=subprocess.DEVNULL, check=True)  # fmt: skip

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.out = pathlib.Path(folder.name)

    def stand_in(self, folder, script):
        """An installed environment of an adapter's folder, whose Python runs a script instead of the adapter."""
        requirements = (TOOLS / "adapters" / folder / "requirements.txt").read_bytes()
        python = self.out / "venv" / folder / "bin/python"
        python.parent.mkdir(parents=True)
        python.write_text(f"#!/bin/sh\n{script}\n")
        python.chmod(0o755)
        mark = f"{hashlib.sha256(requirements).hexdigest()}  -\n"
        (self.out / "venv" / folder / "installed").write_text(mark)

    def judge(self, *arguments):
        return subprocess.run(
            [TOOLS / "judge.sh", "--offline", "--suite", self.suite, "--out", self.out,
             "--tensor-cts", CTS, *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300,
        )  # fmt: skip

    def test_compares_those_that_ran_and_names_those_that_did_not(self):
        skeleton = f'exec "{sys.executable}" "{TOOLS}/adapters/skeleton.py" --worker'
        self.stand_in("jax", skeleton)
        self.stand_in("openvino", skeleton)
        self.stand_in("pytorch", 'echo "torch: libcublas.so is missing; install with: pip" >&2; exit 2')
        done = self.judge("jax", "openvino", "pytorch", "litert-xnnpack")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("pytorch: did not run: ", done.stderr)
        self.assertIn("libcublas.so is missing; install with: pip", done.stderr)
        self.assertRegex(done.stderr, "litert-xnnpack: not installed; .*pip install .*adapters/litert/requirements.txt")
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        self.assertIn("compared in ", done.stdout)
        self.assertIn("skeleton", (self.out / "page.html").read_text())
        summary = (self.out / "summary.html").read_text()
        self.assertIn("skeleton", summary)
        self.assertIn("Written by tensor-cts compare --summary", summary)
        report = json.loads((self.out / "jax.json").read_text())
        self.assertGreater(report["totals"]["pass"], 3)
        left = [path.name for path in self.out.iterdir()]
        self.assertFalse([name for name in left if name.endswith(".new")], left)
        self.assertNotIn("pytorch.json", left)

    def test_none_is_an_error_of_the_environment(self):
        done = self.judge("jax")
        self.assertEqual(done.returncode, 2)
        self.assertIn("judge.sh: none of the implementations could be judged", done.stderr)

    def test_an_environment_of_other_requirements_counts_as_missing(self):
        self.stand_in("jax", "exit 1")
        (self.out / "venv/jax/installed").write_text("of others\n")
        self.assertIn("jax: not installed; ", self.judge("jax").stderr)

    def test_unknown_words_are_usage(self):
        for words, said in ((["nonsense"], "unknown implementation nonsense; known: mlir "),
                            (["--nonsense"], "unknown option --nonsense"), (["--jobs"], "--jobs: a value is missing"),
                            (["--suite", self.out], "suite.json: no such file; expected the folder of a suite")):
            done = self.judge(*words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

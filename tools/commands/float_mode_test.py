#!/usr/bin/env python3
"""A floating-point mode that somebody set in the process, or in a plugin's, changes no answer.

Usage: float_mode_test.py TENSOR_CTS FLOAT_MODE PLUGIN
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TENSOR_CTS = LIBRARY = PLUGIN = ""
MODES = ("flush", "up", "down", "zero")
OPERATORS = ("MAXIMUM", "SUB", "MATMUL", "EXP", "CAST")


def files(folder):
    """What the files say, but for times."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and path.name not in ("run.json", "results.json"):
            found[str(path.relative_to(folder))] = path.read_bytes()
        if path.name == "result.json":
            result = json.loads(path.read_text())
            found[str(path.relative_to(folder))] = (result["status"], result.get("message"))
    return found


class FloatMode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="float_mode-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def command(self, mode, *arguments, stdin=""):
        environment = dict(os.environ)
        if mode:
            environment.update(LD_PRELOAD=LIBRARY, CTS_FLOAT_MODE=mode)
        done = subprocess.run([TENSOR_CTS, *map(str, arguments)], env=environment, timeout=200,
                              input=stdin.encode(), stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE)
        return done.returncode, done.stdout.decode(), done.stderr.decode()

    def answers(self, mode):
        """What the commands say and write."""
        place = self.root / "work"
        suite, native, plugin = (place / name for name in ("suite", "native", "plugin"))
        names = [word for name in OPERATORS for word in ("--operator", name)]
        said = {}
        for name, arguments in {
                "generate": ("generate", "--recipe", "smoke", *names, "--jobs", 2, "--out", suite),
                "run": ("run", suite, "--implementation", "builtin:native", "--jobs", 2, "--out",
                        native),
                "plugin": ("run", suite, "--plugin", PLUGIN, "--jobs", 2, "--out", plugin),
                "check": ("check", suite, native, "--jobs", 2),
                "check plugin": ("check", suite, plugin, "--jobs", 2)}.items():
            code, out, err = self.command(mode, *arguments)
            self.assertIn(code, (0, 1), err)
            self.assertNotIn("Traceback", err)
            if name.startswith("check"):
                said[name] = (code, out)
        said["files"] = files(place)
        shutil.rmtree(place)
        return said

    def test_no_answer_changes(self):
        right = self.answers(None)
        for mode in MODES:
            with self.subTest(mode):
                found = self.answers(mode)
                self.assertEqual(found["check"], right["check"])
                self.assertEqual(found["check plugin"][0], right["check plugin"][0])
                self.assertEqual(found["files"].keys(), right["files"].keys())
                # The plugin computes in the mode that was set: its answers are its own affair.
                other = [name for name, content in right["files"].items()
                         if content != found["files"][name] and not name.startswith("plugin/")]
                self.assertEqual(other, [])


if __name__ == "__main__":
    PLUGIN = sys.argv.pop(3)
    LIBRARY = sys.argv.pop(2)
    TENSOR_CTS = sys.argv.pop(1)
    unittest.main()

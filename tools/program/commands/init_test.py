#!/usr/bin/python3
"""Every file that `tensor-cts init` writes is one that works.  Usage: init_test.py TENSOR_CTS LIBRARY"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

CTS, LIBRARY = map(os.path.abspath, sys.argv[1:3])
TOOLS = pathlib.Path(__file__).resolve().parents[2]
ENVIRONMENT = {**os.environ, "TENSOR_CTS_COMMAND": CTS, "TENSOR_CTS_LIBRARY": LIBRARY, "PYTHONDONTWRITEBYTECODE": "1",
               "PYTHONPATH": str(TOOLS / "bindings/python/src"), "TENSOR_CTS_PYTHON": sys.executable}
# What is written, and the example that is run elsewhere (gate_test.py) or below.
EXAMPLES = {
    "python": {"my_npu.py": "bindings/python/examples/my_npu.py", "test_my_npu.py": "bindings/python/examples/test_my_npu.py"},
    "c": {"plugin.c": "examples/plugin/plugin.c", "CMakeLists.txt": "examples/plugin/CMakeLists.txt",
          "tensor-cts/plugin.h": "adapters/plugin.h"},
    "cpp": {"plugin.cc": "examples/plugin_cpp/plugin.cc", "CMakeLists.txt": "examples/plugin_cpp/CMakeLists.txt",
            "tensor-cts/plugin.h": "adapters/plugin.h"},
    "claim": {"claim.json": "examples/ci/claim.json"},
    "github": {".github/workflows/conformance.yml": "examples/ci/github-actions.yml",
               "conformance/waivers.json": "examples/ci/waivers.json"},
    "gitlab": {".gitlab-ci.yml": "examples/ci/gitlab-ci.yml", "conformance/waivers.json": "examples/ci/waivers.json"},
    "jenkins": {"Jenkinsfile": "examples/ci/Jenkinsfile", "conformance/waivers.json": "examples/ci/waivers.json"},
}


class Init(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="init_test-"))
        cls.suite = cls.root / "suite"
        cls.call("generate", "--recipe", "smoke", "--operator", "FLOOR", "--operator", "ABS", "--type", "fp32", "--out", cls.suite)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def call(cls, *arguments, code=0, cwd=None):
        done = subprocess.run([CTS, *map(str, arguments)], cwd=cwd or cls.root, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, encoding="utf-8", timeout=200)
        assert done.returncode == code, f"{arguments}: {done.returncode}\n{done.stdout}"
        return done.stdout

    def test_each_kind_writes_the_example_and_replaces_nothing(self):
        kinds = re.findall(r"^  ([a-z]+)  +\S", self.call("init", "--help").split("replaced.")[1], re.M)
        self.assertEqual(kinds, list(EXAMPLES))
        for kind, files in EXAMPLES.items():
            with self.subTest(kind=kind):
                folder = self.root / kind / "new"
                said = self.call("init", kind, folder)
                self.assertIn(f"next:\n  cd {folder}\n", said)
                written = {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}
                self.assertEqual(written, set(files))
                for name, example in files.items():
                    self.assertEqual((folder / name).read_bytes(), (TOOLS / example).read_bytes(), name)
                    self.assertEqual(os.access(folder / name, os.X_OK), name.endswith(".sh"), name)
                # One of them alone is there: nothing is written.
                last = list(files)[-1]
                shutil.rmtree(folder)
                (folder / last).parent.mkdir(parents=True)
                (folder / last).write_text("mine")
                said = self.call("init", kind, folder, code=2)
                self.assertIn(f"{folder / last}: exists, and init replaces nothing; name another folder", said)
                self.assertEqual([str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()], [last])
                self.assertEqual((folder / last).read_text(), "mine")

    def test_without_a_folder_it_writes_here(self):
        here = self.root / "here"
        here.mkdir()
        self.assertNotIn("cd ", self.call("init", "claim", cwd=here))
        self.assertTrue((here / "claim.json").is_file())
        (here / "link").symlink_to("nowhere")
        shutil.move(here / "link", here / "my_npu.py")
        self.assertIn("my_npu.py: exists", self.call("init", "python", cwd=here, code=2))

    def test_a_kind_that_is_none_and_a_folder_that_cannot_be(self):
        self.assertIn("expected one of python, c, cpp,", self.call("init", "pyton", code=2))
        (self.root / "file").write_text("")
        self.assertIn(f"init: {self.root / 'file'}", self.call("init", "claim", self.root / "file", code=2))

    def answers(self, results):
        """Verdict -> cases."""
        report = json.loads(subprocess.run([CTS, "check", self.suite, results, "--json", "-"], stdout=subprocess.PIPE).stdout)
        verdicts = [case["verdict"] for case in report["cases"]]
        return {verdict: verdicts.count(verdict) for verdict in set(verdicts)}

    def test_python(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("numpy is not installed")
        folder = self.root / "in python"
        said = self.call("init", "python", folder)
        command = re.search(r"^  tensor-cts (run smoke .*)$", said, re.M).group(1).replace("smoke", str(self.suite))
        self.call(*command.split(), cwd=folder)
        self.assertEqual(set(self.answers(folder / "results")), {"pass"})

    def plugin(self, kind, compiler, **expected):
        if not all(map(shutil.which, ("cmake", compiler))):
            self.skipTest(f"cmake or {compiler} is not installed")
        folder = self.root / f"in {kind}"
        said = self.call("init", kind, folder)
        build = re.search(r"^  (cmake .*)$", said, re.M).group(1)
        subprocess.run(["bash", "-e", "-c", build], cwd=folder, check=True, stdout=subprocess.DEVNULL)
        self.call("run", self.suite, "--plugin", folder / "build/libplugin.so", "--out", folder / "results")
        found = self.answers(folder / "results")
        self.assertEqual({verdict for verdict in found if verdict not in ("pass", "unsupported")}, set(), found)
        self.assertGreater(found["pass"], 20)

    def test_c(self):
        self.plugin("c", "cc")

    def test_cpp(self):
        self.plugin("cpp", "c++")

    def test_claim(self):
        folder = self.root / "claimed"
        self.call("init", "claim", folder)
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", folder / "key.pem"], check=True)
        # The claim is taken: it is the implementation that is another one.
        said = self.call("certify", "--claim", folder / "claim.json", "--key", folder / "key.pem", "--plugin",
                         self.root / "none.so", "--out", folder / "evidence", code=2)
        self.assertIn("none.so", said)
        claim = json.loads((folder / "claim.json").read_text())
        (folder / "claim.json").write_text(json.dumps({**claim, "level": "9K"}))
        said = self.call("certify", "--claim", folder / "claim.json", "--key", folder / "key.pem", "--plugin",
                         self.root / "none.so", "--out", folder / "evidence", code=2)
        self.assertIn("9K", said)

    def test_waivers(self):
        folder = self.root / "waived"
        self.call("init", "github", folder)
        said = self.call("gate", "--suite", self.suite, "--implementation", "builtin:native", "--waivers",
                         folder / "conformance/waivers.json")
        self.assertIn("PASSED", said)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

#!/usr/bin/env python3
"""The first wrong operator of a network.  Usage: which_test.py TENSOR_CTS      exits with 77 without NumPy"""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy as np
except ImportError:
    sys.exit(77)

CTS = ""
NETWORK = """func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %sum = tosa.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %exp = tosa.exp %sum : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %out = tosa.clamp %exp {min_val = 0.5 : f32, max_val = 2.0 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %out : tensor<2x3xf32>
}
"""
# Answers what is expected, but for the operators in $WRONG (all zeros), $NONE (unsupported), $CRASH.
ADAPTER = """#!/usr/bin/env python3
import json, os, shutil, sys
import numpy as np
for request in map(json.loads, sys.stdin):
    folder = request["case_dir"]
    case = json.load(open(folder + "/case.json"))
    operator = request["case"].split("-", 1)[1]
    if operator in os.environ.get("CRASH", "").split():
        sys.exit(3)
    if operator in os.environ.get("NONE", "").split():
        print(json.dumps({"case": request["case"], "status": "unsupported", "message": "no " + operator}), flush=True)
        continue
    for output in case["outputs"]:
        values = np.load(folder + "/" + output["answers"][0]["expected"]).astype(np.float32)
        if operator in os.environ.get("WRONG", "").split():
            values[:] = 0
        np.save(request["result_dir"] + "/" + output["name"] + ".npy", values)
    print(json.dumps({"case": request["case"], "status": "ok"}), flush=True)
"""


class Which(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="which_test-")
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)
        (self.here / "network.mlir").write_text(NETWORK)
        (self.here / "adapter.py").write_text(ADAPTER)
        np.save(self.here / "x.npy", np.float32([[0.1, 1, -2], [3, 0, 0.5]]))
        np.save(self.here / "y.npy", np.float32([[0.3, -1, 1], [-3, 0.2, 0]]))

    def cts(self, *arguments, **environment):
        return subprocess.run([CTS, *map(str, arguments)], cwd=self.here, text=True, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, env={**os.environ, **environment}, timeout=100)

    def which(self, *more, network="network.mlir", own=True, **environment):
        shutil.rmtree(self.here / "found", ignore_errors=True)
        adapter = ["--adapter", f"{sys.executable} adapter.py", "--worker"] if own else []
        inputs = [] if network != "network.mlir" else ["--input", "x=x.npy", "--input", "%y=y.npy"]
        return self.cts("which", network, *inputs, "--out", "found", *adapter, *more, **environment)

    def expect(self, code, done, *words):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr if code == 2 else done.stdout)

    def test_every_operator_right(self):
        done = self.which("--implementation", "builtin:native", own=False)
        self.expect(0, done, "operator 0, ADD, makes sum: right", "EXP, makes exp: right", "CLAMP, makes out: right",
                    "3 of 3 operators ran: 3 right, 0 wrong, 0 not supported or not judged\nEVERY OPERATOR IS RIGHT\n")
        self.expect(0, self.which(), "3 right")
        # A suite is searched, too.
        self.assertEqual(self.cts("import", "network.mlir", "--input", "x=x.npy", "--input", "y=y.npy", "--out", "suite").returncode, 0)
        self.expect(0, self.which(network="suite"), "3 right")

    def test_the_first_wrong_one_is_named_and_explained(self):
        done = self.which(WRONG="exp clamp")
        self.expect(1, done, "ADD, makes sum: right", "EXP, makes exp: wrong: fail: output exp, element [0,0]",
                    "2 of 3 operators ran: 1 right, 1 wrong")
        self.assertTrue(done.stdout.endswith("FIRST WRONG: operator 1, EXP\n"))
        command = re.search(r"explain: tensor-cts (.*)", done.stdout).group(1).split()
        self.expect(0, self.cts(*command), "which/001-exp: fail", "6 of 6 differ")
        self.assertEqual(self.which("--quiet", WRONG="exp").stdout, "FIRST WRONG: operator 1, EXP\n")

    def test_an_error_before_it_is_no_fault(self):
        done = self.which("--all", WRONG="exp")
        # CLAMP of zeros is 0.5: right, of what it was given.
        self.expect(1, done, "EXP, makes exp: wrong", "CLAMP, makes out: right", "3 of 3 operators ran: 2 right, 1 wrong")
        clamp = self.here / "found/operators"
        made = np.load(next(clamp.glob("*-clamp/results/which/*/out.npy")))
        self.assertTrue((made == 0.5).all())

    def test_what_is_not_supported_is_no_end(self):
        done = self.which(NONE="exp")
        self.expect(0, done, "EXP, makes exp: not supported: no exp; later operators go on from the reference's result",
                    "CLAMP, makes out: right", "2 right, 0 wrong, 1 not supported", "NO OPERATOR IS WRONG, BUT NOT ALL WERE JUDGED")
        made = np.load(next((self.here / "found/operators").glob("*-clamp/results/which/*/out.npy")))
        x, y = np.load(self.here / "x.npy"), np.load(self.here / "y.npy")
        np.testing.assert_allclose(made, np.clip(np.exp(x + y), 0.5, 2), rtol=1e-5)

    def test_an_illegal_operator_is_not_judged(self):
        bad = NETWORK.replace("min_val = 0.5", "min_val = 5.0")
        (self.here / "network.mlir").write_text(bad)
        done = self.which()
        self.expect(2, done, "network.mlir: ", "max_val")

    def test_bad_input(self):
        self.expect(2, self.which("--jobs", "2"), "--jobs")
        self.expect(2, self.cts("which", "network.mlir", "--implementation", "builtin:native", "--out", "o"), "input x has no values")
        self.expect(2, self.which(own=False), "--adapter COMMAND")
        self.expect(2, self.which(CRASH="add exp clamp"), "ADD got no answer", "Mend the adapter")
        self.expect(2, self.which(network="none.mlir"), "none.mlir")
        for recipe, words in (("smoke", "expected one network, or --id CASE"),):
            self.cts("generate", "--recipe", recipe, "--operator", "add", "--operator", "variable_read", "--out", "several")
            self.expect(2, self.which(network="several"), words)
        ids = [entry["id"] for entry in json.loads((self.here / "several/suite.json").read_text())["cases"] if entry["outcome"] == "valid"]
        self.expect(2, self.which("--id", next(i for i in ids if "variable" in i), network="several"), "expected a network whose operators")
        self.expect(2, self.which("--id", "add/none", network="several"), "add/none")
        (self.here / "full").mkdir()
        (self.here / "full/file").write_text("x")
        done = self.cts("which", "several", "--id", next(i for i in ids if i.startswith("add/")), "--implementation", "builtin:native",
                        "--out", "full")
        self.expect(2, done, "full")

    def test_a_call_that_fails_leaves_the_folder_free_and_an_occupied_one_is_named_before_the_import(self):
        call = ["which", "network.mlir", "--random", "1", "--out", "again", "--implementation"]
        self.expect(2, self.cts(*call, "builtin:fault:exp.none"), "exp.none")
        self.expect(0, self.cts(*call, "builtin:native"), "EVERY OPERATOR IS RIGHT")
        (self.here / "network.mlir").write_text("no network")
        self.expect(2, self.cts(*call, "builtin:native"), "again/network: expected a path that does not exist")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

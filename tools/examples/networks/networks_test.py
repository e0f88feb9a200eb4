#!/usr/bin/python3
"""The networks of this folder, imported and judged. Usage: networks_test.py TENSOR_CTS

What was made by Arm's reference model (output.npy) stands in for an implementation: the reference of Tensor CTS
and that model never saw each other's answers.
"""
import pathlib
import shlex
import subprocess
import sys
import tarfile
import tempfile
import unittest

try:
    import numpy
except ImportError:
    sys.exit(77)

CTS = str(pathlib.Path(sys.argv.pop(1)).resolve())
HERE = pathlib.Path(__file__).resolve().parent
NETWORKS = []  # folders: those of this folder, and what its archives hold

# An adapter of one case: answers what lies in a file; changed where asked, integers in the second element, floats by a share.
REPLAY = """
import json, pathlib, shutil, sys
import numpy
answer, change, case, result = sys.argv[1:]
graph = json.loads(pathlib.Path(case, "case.json").read_text())["graph"]["regions"][0]["blocks"][0]
values = numpy.load(answer).copy()
if change != "0" and values.dtype.kind == "f":
    values = (values * (1 + float(change))).astype(values.dtype)
elif change != "0":
    flat = values.reshape(-1)
    flat[1] = flat[1] + numpy.asarray(float(change), values.dtype)
numpy.save(pathlib.Path(result, graph["outputs"][0] + ".npy"), values)
print(json.dumps({"status": "ok"}))
"""


def cts(*arguments):
    return subprocess.run([CTS, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=100)


class Networks(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.work = pathlib.Path(folder.name)
        for archive in HERE.glob("*.tar"):
            with tarfile.open(archive) as tar:
                tar.extractall(cls.work / "archives")
        NETWORKS[:] = sorted(path.parent for place in (HERE, cls.work / "archives") for path in place.glob("*/network.tosa"))
        (cls.work / "replay.py").write_text(REPLAY)

    def imported(self, network):
        suite = self.work / network.name
        if not suite.exists():
            inputs = [f"--input={n}={path}" for n, path in enumerate(sorted(network.glob("input-*.npy")))]
            done = cts("import", network / "network.tosa", *inputs, "--id", f"networks/{network.name}", "--out", suite)
            self.assertEqual(done.returncode, 0, done.stderr)
        return suite

    def checked(self, network, results, *implementation):
        suite, results = self.imported(network), self.work / f"{network.name}-{results}"
        done = cts("run", suite, *implementation, "--out", results)
        self.assertEqual(done.returncode, 0, done.stderr)
        return cts("check", suite, results)

    def replayed(self, network, name, change):
        words = ["/usr/bin/python3", self.work / "replay.py", network / "output.npy", change]
        return self.checked(network, name, "--adapter", shlex.join(map(str, words)))

    def test_are_there_in_every_kind(self):
        names = {path.name for path in NETWORKS}
        self.assertGreaterEqual(len(names), 21)
        for name in names:
            self.assertIn(name.rsplit("-", 1)[1], ("fp", "int8", "int16"), name)

    def test_of_integers_are_what_arms_model_says_to_the_bit(self):
        for network in NETWORKS:
            if not network.name.endswith("-fp"):
                with self.subTest(network=network.name):
                    done = self.replayed(network, "arm", 0)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertIn("CONFORMANT on this suite: all 1 cases passed", done.stdout)

    def test_as_text_of_mlir_are_the_same_networks(self):
        for network in NETWORKS:
            with self.subTest(network=network.name):
                inputs = [f"--input={n}={path}" for n, path in enumerate(sorted(network.glob("input-*.npy")))]
                suite, text = self.work / f"{network.name}-text", self.work / f"{network.name}.mlir"
                done = cts("render", "--format", "mlir", self.imported(network) / "networks" / network.name, "--out", text)
                self.assertEqual(done.returncode, 0, done.stderr)
                done = cts("import", text, *inputs, "--id", "networks/text", "--out", suite)
                self.assertEqual(done.returncode, 0, done.stderr)
                if not network.name.endswith("-fp"):
                    (expected,) = (suite / "networks/text/expected").glob("*.npy")
                    self.assertEqual(numpy.load(expected).tolist(), numpy.load(network / "output.npy").tolist())

    def test_of_integers_with_one_number_off_are_refused(self):
        for network in NETWORKS:
            if network.name.endswith("-int8"):
                with self.subTest(network=network.name):
                    done = self.replayed(network, "off", 1)
                    self.assertEqual(done.returncode, 1, done.stdout)
                    self.assertIn("1 of", done.stdout)

    def test_of_floating_point_are_what_arms_model_says_within_what_is_legal(self):
        for network in NETWORKS:
            if network.name.endswith("-fp"):
                with self.subTest(network=network.name):
                    done = self.replayed(network, "arm", 0)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertIn("1 case is not refuted", done.stdout)

    def test_of_floating_point_that_are_off_by_a_thousandth_are_refused(self):
        # RESIZE may be off by 0.006 of the greatest number, and layer norm divides by what may be small: others are known less well.
        for name in ("attention", "convnet", "inverted-residual", "lstm"):
            with self.subTest(network=name):
                done = self.replayed(self.work / f"archives/{name}-fp", "off", 0.001)
                self.assertEqual(done.returncode, 1, done.stdout)

    def test_with_random_inputs_are_found_right_operator_by_operator(self):
        network = HERE / "lstm-int8/network.tosa"
        for seed in (1, 2):
            done = cts("which", network, "--random", seed, "--implementation", "builtin:native", "--out", self.work / f"which{seed}")
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn("EVERY OPERATOR IS RIGHT", done.stdout)
        x, y = (numpy.load(path) for seed in (1, 2) for path in
                (self.work / f"which{seed}/network").rglob("quantized_decomposed_quantize_per_tensor_default.npy"))
        self.assertEqual(x.shape, y.shape)
        self.assertFalse((x == y).all())


if __name__ == "__main__":
    unittest.main(verbosity=1)

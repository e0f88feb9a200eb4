#!/usr/bin/python3
"""Networks that a converter wrote: what the reference makes of them is what LiteRT's kernels made of the model; or the refusal is the known one.

corpus_test.py TENSOR_CTS
"""

import base64
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy
except ImportError:
    sys.exit(77)

CTS = str(pathlib.Path(sys.argv.pop(1)).resolve())
CORPUS = [
    json.loads(line) for line in (pathlib.Path(__file__).resolve().parent / "corpus.jsonl").read_text().splitlines()
]
NEAR = 2.0**-18  # of the largest value: LiteRT's float32 kernels are within 32 last places of the reference


def unpacked(part):
    return numpy.frombuffer(base64.b64decode(part["bytes"]), part["type"]).reshape(part["shape"])


class Corpus(unittest.TestCase):
    def imported(self, network, folder):
        (folder / "network.mlir").write_text(network["network"])
        words = []
        for number, part in enumerate(network["inputs"]):
            numpy.save(folder / f"{number}.npy", unpacked(part))
            words += ["--input", f"{number}={folder}/{number}.npy"]
        return subprocess.run(
            [CTS, "import", folder / "network.mlir", *words, "--out", folder / "suite"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=100,
        )

    def test_every_network(self):
        for network in CORPUS:
            with self.subTest(network["id"]), tempfile.TemporaryDirectory() as place:
                folder = pathlib.Path(place)
                done = self.imported(network, folder)
                if "refused" in network:
                    self.assertEqual(done.returncode, 2, done.stdout)
                    self.assertIn(network["refused"], done.stderr)
                    self.assertIn(network["condition"], done.stderr)
                    self.assertFalse((folder / "suite").exists())
                    continue
                self.assertEqual(done.returncode, 0, done.stderr)
                self.compare(network, folder / "suite/networks/network")

    def compare(self, network, place):
        outputs = json.loads((place / "case.json").read_text())["outputs"]
        self.assertEqual(len(outputs), len(network["outputs"]))
        for output, part in zip(outputs, network["outputs"]):
            made, wanted = numpy.load(place / output["answers"][0]["expected"]), unpacked(part)
            self.assertEqual(made.shape, wanted.shape)
            if "upper" in output["answers"][0]:  # between two neighbours
                upper = numpy.load(place / output["answers"][0]["upper"])
                self.assertTrue(numpy.all((made <= wanted) & (wanted <= upper)))
                continue
            if wanted.dtype.kind == "f":
                made, wanted = made.astype(numpy.float64), wanted.astype(numpy.float64)
                finite = numpy.isfinite(wanted) & numpy.isfinite(made)
                numpy.testing.assert_array_equal(made[~finite], wanted[~finite])
                self.assertLessEqual(
                    numpy.max(abs(made - wanted)[finite], initial=0), NEAR * numpy.max(abs(wanted[finite]), initial=1)
                )
            else:
                numpy.testing.assert_array_equal(made, wanted.view(made.dtype))

    def test_there_are_networks_of_every_kind(self):
        self.assertGreater(sum("outputs" in network for network in CORPUS), 80)
        self.assertGreater(sum("refused" in network for network in CORPUS), 8)


if __name__ == "__main__":
    unittest.main(verbosity=2)

#!/usr/bin/python3
"""Networks as converters write them, imported from the command line. Usage: network_import_test.py TENSOR_CTS"""
import os
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

# One byte more than 127 becomes another number if it is taken as signed.
UNSIGNED = """module {
  func.func @main(%arg0: tensor<4xui8>) -> tensor<?xi8> {
    %m = "tosa.const"() {values = dense<1073741824> : tensor<1xi32>} : () -> tensor<1xi32>
    %s = "tosa.const"() {values = dense<30> : tensor<1xi8>} : () -> tensor<1xi8>
    %i = "tosa.const"() {values = dense<128> : tensor<1xui8>} : () -> tensor<1xui8>
    %o = "tosa.const"() {values = dense<0> : tensor<1xi8>} : () -> tensor<1xi8>
    %y = tosa.rescale %arg0, %m, %s, %i, %o {input_unsigned = true, output_unsigned = false, per_channel = false,
      rounding_mode = SINGLE_ROUND, scale32 = true} : (tensor<4xui8>, tensor<1xi32>, tensor<1xi8>, tensor<1xui8>,
      tensor<1xi8>) -> tensor<4xi8>
    %c = tensor.cast %y : tensor<4xi8> to tensor<?xi8>
    return %c : tensor<?xi8>
  }
}
"""

# The shape of an operand is known before its values.
UNUSED = """func.func @main(%arg0: tensor<4xui8>) -> tensor<1xi32> {
  %s = "tosa.const"() {values = dense<4> : tensor<1xi32>} : () -> tensor<1xi32>
  return %s : tensor<1xi32>
}
"""

# %arg0 and its twin come out as this network.
THROUGH = """func.func @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  return %arg0, %arg0 : tensor<2xf32>, tensor<2xf32>
}
"""

# Stands in for a tool: writes this text to what follows -o.
TOOL = """#!/bin/sh
if [ "$1" = --version ]; then echo "stand-in version 7.1"; exit 0; fi
[ -n "$BROKEN" ] && { echo "could not legalize" >&2; exit 3; }
for word; do [ "$last" = -o ] && out=$word; last=$word; done
cp THERE/network.txt "$out"
"""


class NetworkImport(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name)

    def cts(self, code, *arguments, **environment):
        done = subprocess.run([CTS, *map(str, arguments)], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              cwd=self.here, timeout=100, env={**os.environ, **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def text(self, name, text):
        (self.here / name).write_text(text)
        return name

    def imported(self, file, *options, **environment):
        return self.cts(0, "import", file, "--out", "suite", *options, **environment)

    def expected(self):
        return {path.stem: numpy.load(path) for path in (self.here / "suite").rglob("expected/*.npy")}

    def conforms(self):
        self.cts(0, "run", "suite", "--implementation", "builtin:native", "--out", "results")
        self.assertIn("all 1 cases passed", self.cts(0, "check", "suite", "results"))

    def test_unsigned_inputs_by_position(self):
        numpy.save(self.here / "x.npy", numpy.array([0, 127, 128, 255], numpy.uint8))
        self.imported(self.text("net.mlir", UNSIGNED), "--input", "0=x.npy")
        (values,) = self.expected().values()
        self.assertEqual(values.tolist(), [-128, -1, 0, 127])
        self.conforms()

    def test_unsigned_inputs_that_no_operator_takes(self):
        numpy.save(self.here / "x.npy", numpy.array([0, 127, 128, 255], numpy.uint8))
        self.imported(self.text("net.mlir", UNUSED), "--input", "0=x.npy")
        (values,) = self.expected().values()
        self.assertEqual(values.tolist(), [4])
        self.conforms()

    def test_an_input_that_is_an_output(self):
        numpy.save(self.here / "x.npy", numpy.float32([1.5, -2]))
        self.imported(self.text("net.mlir", THROUGH), "--input", "arg0=x.npy")
        outputs = self.expected()
        self.assertEqual(sorted(outputs), ["arg0_out", "arg0_out_"])
        for values in outputs.values():
            self.assertEqual(values.astype(numpy.float32).tolist(), [1.5, -2])
        self.conforms()

    def test_inputs_without_a_file_get_random_values(self):
        network = self.text("net.mlir", UNSIGNED)
        for out, seed in (("one", 1), ("same", 1), ("other", 2)):
            self.cts(0, "import", network, "--random", seed, "--out", out)
        one, same, other = ((path, path.read_bytes()) for path in
                            (next((self.here / out).rglob("arg0.npy")) for out in ("one", "same", "other")))
        self.assertEqual(one[1], same[1])
        self.assertNotEqual(one[1], other[1])
        numpy.save(self.here / "x.npy", numpy.array([0, 127, 128, 255], numpy.uint8))
        self.imported(network, "--input", "0=x.npy", "--random", 1)
        (values,) = self.expected().values()
        self.assertEqual(values.tolist(), [-128, -1, 0, 127])
        said = self.cts(2, "import", network, "--out", "none")
        self.assertIn("arg0 has no values: give --input NAME=FILE.npy for each of arg0: i8[4], or --random SEED", said)

    def test_a_position_that_there_is_not(self):
        numpy.save(self.here / "x.npy", numpy.float32([1.5, -2]))
        said = self.cts(2, "import", self.text("net.mlir", THROUGH), "--input", "1=x.npy", "--out", "suite")
        self.assertIn('found "1=x.npy", expected NAME=FILE.npy for an input of net.mlir: arg0: fp32[2]', said)
        self.assertFalse((self.here / "suite").exists())

    def tool(self, name):
        bin_ = self.here / "bin"
        bin_.mkdir()
        (bin_ / name).write_text(TOOL.replace("THERE", str(self.here)))
        (bin_ / name).chmod(0o755)
        self.text("network.txt", THROUGH)
        return {"PATH": f"{bin_}:/usr/bin:/bin"}

    def test_a_model_goes_through_its_converter(self):
        numpy.save(self.here / "x.npy", numpy.float32([1.5, -2]))
        model = self.text("it's a model.tflite", "TFL3")
        found = self.tool("tosa-converter-for-tflite")
        self.imported(model, "--input", "0=x.npy", **found)
        case, = (self.here / "suite").rglob("case.json")
        self.assertIn('"converter": "tosa-converter-for-tflite stand-in version 7.1"', case.read_text())
        self.conforms()
        said = self.cts(2, "import", model, "--input", "0=x.npy", "--out", "other", BROKEN="1", **found)
        self.assertIn("tosa-converter-for-tflite exited with code 3: could not legalize", said)
        self.text("network.txt", THROUGH.replace("return", "%1 = tfl.gelu(%arg0) : x\n  return"))
        said = self.cts(2, "import", model, "--input", "0=x.npy", "--out", "other", **found)
        self.assertIn("stand-in version 7.1):2:3: found operations outside of the tosa dialect: tfl.gelu (1)", said)
        self.assertEqual(sorted(path.name for path in self.here.iterdir()),
                         ["bin", "it's a model.tflite", "network.txt", "results", "suite", "x.npy"])

    def test_bytecode_goes_through_mlir_opt(self):
        numpy.save(self.here / "x.npy", numpy.float32([1.5, -2]))
        (self.here / "net.bin").write_bytes(b"ML\xefR and so on")
        self.imported("net.bin", "--input", "0=x.npy", **self.tool("mlir-opt-22"))
        self.conforms()

    def test_an_exported_program_goes_through_executorch(self):
        network = pathlib.Path(__file__).resolve().parents[2] / "examples/networks/convnet-int8"
        found = self.tool("tensor-cts-pt2")
        (self.here / "network.txt").write_bytes((network / "network.tosa").read_bytes())
        self.imported(self.text("net.pt2", "PK"), "--input", f"0={network}/input-0.npy", **found)
        case, = (self.here / "suite").rglob("case.json")
        self.assertIn('"converter": "tensor-cts-pt2 stand-in version 7.1"', case.read_text())
        (values,) = self.expected().values()
        self.assertEqual(values.tolist(), numpy.load(network / "output.npy").tolist())
        said = self.cts(2, "import", "net.pt2", "--random", 1, "--out", "other", BROKEN="1", **found)
        self.assertIn("tensor-cts-pt2 exited with code 3: could not legalize", said)
        said = self.cts(2, "import", "net.pt2", "--random", 1, "--out", "other", PATH="/usr/bin:/bin")
        self.assertIn("net.pt2: an exported program of torch, which tensor-cts-pt2 makes a .tosa file of", said)
        self.assertRegex(said, "install it: the wheel that tools/release.sh makes has it; .*: pip install executorch torch torchao$")

    def test_a_tool_that_is_not_there_is_named_with_the_line_that_installs_it(self):
        said = self.cts(2, "import", self.text("m.tflite", "TFL3"), "--out", "suite", PATH="/usr/bin:/bin")
        self.assertIn("m.tflite: a TensorFlow Lite model", said)
        self.assertRegex(said, "install it: pip install tosa-converter-for-tflite$")


if __name__ == "__main__":
    unittest.main(verbosity=2)

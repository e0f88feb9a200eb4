#!/usr/bin/python3
"""The IREE adapter's way with cases, with a stand-in for IREE that refuses, fails and crashes on demand.

adapter_test.py TENSOR_CTS
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)

CTS = pathlib.Path(sys.argv.pop(1)).resolve()
ADAPTER = pathlib.Path(__file__).resolve().parent / "adapter.py"

COMPILER = '''
import os, re, sys
class Session:
    def set_flags(self, *flags):
        assert "--iree-input-type=tosa" in flags
        assert any("subgroup_size_choices = [8]" in flag for flag in flags) == ("vulkan-spirv" in sys.argv)
    def invocation(self):
        return Invocation()
class Source:
    @staticmethod
    def wrap_buffer(session, buffer, buffer_name):
        assert buffer.endswith(b"\\0")
        return buffer[:-1].decode()
class Output:
    @staticmethod
    def open_membuffer():
        return Output()
    def map_memory(self):
        return self.data
class Invocation:
    def enable_console_diagnostics(self): pass
    def close(self): pass
    def say(self, pattern, message):
        lines = [n for n, line in enumerate(self.text.splitlines(), 1) if pattern in line]
        for n in lines:
            os.write(2, f"batch.mlir:{n}:8: error: {message}\\n".encode())
        return not lines
    def parse_source(self, source):
        self.text = source
        return self.say("tosa.cast", "'tosa.cast' op is none of ours")
    def execute(self):
        assert "iree.runtime" not in sys.modules, "a device is there while the compiler works"
        functions = self.text.count("func.func")
        if "tosa.erf" in self.text:
            if functions == 1:
                os.abort()
            return self.say("func.func", "failed to link executable and generate code")
        if "tosa.floor" in self.text:
            os.write(2, b"something went wrong somewhere\\n")
            return False
        if "tosa.sin" in self.text:
            return False
        return self.say("tosa.sigmoid", "failed to legalize operation 'tosa.sigmoid'")
    def output_vm_bytecode(self, output):
        output.data = self.text.encode()
'''

# Answers with its first operand. With Vulkan, the host sees results only when they are
# copied.
RUNTIME = '''
import os, re, signal
class Flags:
    DEVICE_LOCAL = HOST_VISIBLE = HOST_LOCAL = DEVICE_VISIBLE = DEFAULT = MAPPING = TRANSFER_TARGET = 1
MemoryType = BufferUsage = Flags
class Types(type):
    def __getattr__(self, name): return name
class HalElementType(metaclass=Types): pass
class Allocator:
    def allocate_buffer_copy(self, memory_type, allowed_usage, device, buffer):
        return buffer.tobytes()
    def allocate_buffer(self, memory_type, allowed_usage, allocation_size):
        return Copy()
class Copy:
    def map(self): return self.data
class HalFence:
    def create_at(semaphore, value): return HalFence()
    def wait(self): pass
class Device:
    allocator = Allocator()
    def create_semaphore(self, value): return None
    def queue_copy(self, source, target, wait_semaphores, signal_semaphores): target.data = source
class Driver:
    def query_available_devices(self):
        names = os.environ["DEVICES"].split(",")
        return [{"device_id": number, "name": name} for number, name in enumerate(names)]
    def create_device(self, number):
        assert self.query_available_devices()[number]["name"].startswith("llvmpipe")
        return Device()
def get_driver(name):
    assert name == "vulkan"
    return Driver()
class Config:
    def __init__(self, driver=None, device=None):
        assert (driver == "local-sync") != (device is not None)
        HalBufferView.seen = device is None
        self.device, self.vm_instance = device or Device(), None
class HalBufferView:
    def __init__(self, buffer, shape, element_type):
        self.buffer, self.shape, self.ref, self.byte_length = buffer + b"slack", shape, self, len(buffer)
    def map(self):
        assert self.seen
        return self.buffer
    def get_buffer(self): return self.buffer
class VmVariantList(list):
    def __init__(self, capacity): super().__init__()
    push_ref = list.append
    def get_as_object(self, number, kind): return self[number]
class VmModule:
    @staticmethod
    def copy_buffer(instance, module):
        made = VmModule()
        made.text = module.decode()
        return made
    def lookup_function(self, name):
        return re.search(rf"@{name}\\(.*?\\n}}", self.text, re.S)[0]
class SystemContext:
    def __init__(self, config): self.vm_context = self
    def add_vm_module(self, module):
        if "tosa.exp" in module.text: raise RuntimeError("no such kernel")
    def invoke(self, function, arguments, results):
        if "tosa.tanh" in function: os.kill(os.getpid(), signal.SIGSEGV)
        if "tosa.ceil" in function: raise ValueError("INVALID_ARGUMENT; input0")
        if "tosa.reciprocal" in function: raise IndexError("OUT_OF_RANGE; out-of-bounds access")
        results.append(arguments[0])
'''

OPERATORS = ("ABS", "CAST", "CEIL", "ERF", "EXP", "FLOOR", "RECIPROCAL", "SIGMOID", "SIN", "TANH")


class Adapter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.here = pathlib.Path(cls.folder.name)
        for package in ("iree_base_compiler", "iree_base_runtime"):
            info = cls.here / f"stub/{package}-9.9.dist-info"
            info.mkdir(parents=True)
            (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 9.9\n")
        (cls.here / "stub/iree/compiler/api").mkdir(parents=True)
        (cls.here / "stub/iree/compiler/api/__init__.py").write_text(COMPILER)
        (cls.here / "stub/iree/runtime").mkdir()
        (cls.here / "stub/iree/runtime/__init__.py").write_text(RUNTIME)
        cls.call("generate", "--recipe", "smoke", *(f"--operator={op}" for op in OPERATORS), "--type", "fp32",
                 "--id", "*/fp32-*-run-*", "--out", "suite")
        adapter = f"{sys.executable} {ADAPTER} --tensor-cts {CTS}"
        cls.call("run", "suite", "--adapter", adapter, "--worker", "--out", "results")
        cls.call("run", "suite", "--adapter", f"{adapter} --target vulkan-spirv", "--worker", "--filter", "abs/*", "--out", "vulkan")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def call(cls, *arguments):
        done = subprocess.run([CTS, *arguments], cwd=cls.here, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              timeout=300, env={**os.environ, "PYTHONPATH": str(cls.here / "stub"), "DEVICES": "a GPU,llvmpipe (9)"})
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def answers(self, operator):
        answers = [json.loads(path.read_text()) for path in (self.here / "results" / operator).glob("*/result.json")]
        self.assertGreater(len(answers), 1)
        return answers

    def expect(self, operator, status, words):
        for answer in self.answers(operator):
            self.assertEqual(answer["status"], status, answer)
            self.assertIn(words, answer.get("message", "") + answer.get("log", ""))

    def test_what_compiles_runs(self):
        self.expect("abs", "ok", "")
        for results in ("results", "vulkan"):
            paths = list((self.here / results / "abs").glob("*/*.npy"))
            self.assertGreater(len(paths), 1)
            for path in paths:
                case = self.here / "suite/abs" / path.parent.name
                values = json.loads((case / "case.json").read_text())["inputs"]
                (source,) = values.values()
                self.assertEqual(numpy.load(path).tobytes(), numpy.load(case / source).tobytes())

    def test_a_diagnostic_is_that_of_its_line(self):
        self.expect("cast", "error", "'tosa.cast' op is none of ours")

    def test_what_the_lowering_lacks_is_not_offered(self):
        self.expect("sigmoid", "unsupported", "failed to legalize operation 'tosa.sigmoid'")

    def test_what_names_everybody_is_halved_down_to_the_one(self):
        self.expect("erf", "crash", "")

    def test_what_names_nobody_is_the_word_about_the_one(self):
        self.expect("floor", "error", "something went wrong somewhere")

    def test_a_failure_without_a_word_refuses_nothing(self):
        self.expect("sin", "unsupported", "the compiler fails and says nothing")

    def test_what_crashes_when_it_runs_costs_itself_alone(self):
        self.expect("tanh", "crash", "died of SIGSEGV")

    def test_what_the_runtime_refuses(self):
        self.expect("ceil", "error", "INVALID_ARGUMENT; input0")
        self.expect("reciprocal", "error", "OutOfBounds: OUT_OF_RANGE; out-of-bounds access")

    def test_without_iree_it_says_how_to_get_it(self):
        done = subprocess.run([sys.executable, "-S", "-I", ADAPTER, "--worker"], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 2)
        self.assertIn("install with: pip install", done.stderr)

    def test_a_module_that_does_not_load_costs_itself_alone(self):
        self.expect("exp", "error", "RuntimeError: no such kernel")

    def test_of_vulkan_it_names_the_driver(self):
        said = json.loads((self.here / "vulkan/run.json").read_text())["implementation"]
        self.assertEqual((said["name"], said["version"]), ("iree-vulkan-spirv", "9.9, llvmpipe (9)"))

    def test_without_the_driver_it_says_how_to_get_it(self):
        environment = {**os.environ, "PYTHONPATH": str(self.here / "stub"), "DEVICES": "a GPU"}
        done = subprocess.run([sys.executable, ADAPTER, "--target", "vulkan-spirv", "--worker"], env=environment, stdin=subprocess.DEVNULL,
                              capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stdout, len(done.stderr.splitlines())), (2, "", 1), done.stderr)
        self.assertIn("install with: apt-get install mesa-vulkan-drivers", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)

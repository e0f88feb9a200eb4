#!/usr/bin/python3
"""judge.sh with stand-ins for all that it installs: what it runs, what it says of those that do not, and what it leaves behind.

judge_test.py TENSOR_CTS
"""

import hashlib
import json
import os
import pathlib
import re
import shlex
import shutil
import signal
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
SKELETON = f"exec '{sys.executable}' '{TOOLS}/adapters/skeleton.py' --worker"
# As Debian's Python says it.
NO_ENSUREPIP = """The virtual environment was not created successfully because ensurepip is not
available.  On Debian/Ubuntu systems, you need to install the python3-venv
package using the following command.

    apt install python3.11-venv

Failing command: /out/venv/jax/bin/python3"""
NO_WHEEL = """ERROR: Could not find a version that satisfies the requirement jax==0.10.2 (from versions: none)
ERROR: No matching distribution found for jax==0.10.2
WARNING: There was an error checking the latest version of pip."""
PIP_JAX = "python3.11 -m venv VENV && VENV/bin/pip install --require-hashes --no-deps -r tools/adapters/jax/requirements.txt"


class Judge(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.suite, cls.other_suite = (pathlib.Path(cls.folder.name) / name / "suite" for name in "ab")
        for suite, pattern in ((cls.suite, "add/fp32-*"), (cls.other_suite, "add/i32-*")):
            subprocess.run([CTS, "generate", "--recipe", "smoke", "--id", pattern, "--out", suite], stdout=subprocess.DEVNULL, check=True)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.here = pathlib.Path(folder.name).resolve()
        self.out, self.tools, self.bin = self.here / "out", self.here / "tools", self.here / "bin"
        self.tools.mkdir()
        (self.tools / "develop").mkdir()
        for name in ("judge.sh", "develop/packages.sh"):
            shutil.copy(TOOLS / name, self.tools / name)
        (self.tools / "adapters").symlink_to(TOOLS / "adapters")
        self.packages()
        # No real tool runs.
        self.script(self.bin / "tensor-cts", f"exec '{CTS}' \"$@\"")
        self.script(self.bin / "sudo", 'exec "$@"')
        for name in ("apt-get", "npm", "node", "python3.11"):
            self.script(self.bin / name, "exit 9")

    def packages(self, *missing):
        """packages.txt with all packages there but these."""
        lines = [line.split(maxsplit=3) for line in (TOOLS / "develop/packages.txt").read_text().splitlines() if line and line[0] != "#"]
        probe = {True: "file:/nowhere", False: "file:/"}
        (self.tools / "develop/packages.txt").write_text("".join(f"{g} {p} {probe[p in missing]} {what}\n" for g, p, _, what in lines))

    def script(self, path, text):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)

    def stand_in(self, folder, script):
        """An installed environment of an adapter's folder, whose Python runs a script instead of the adapter."""
        requirements = (TOOLS / "adapters" / folder / "requirements.txt").read_bytes()
        self.script(self.out / "venv" / folder / "bin/python", script)
        mark = f"{hashlib.sha256(requirements).hexdigest()}  -\n"
        (self.out / "venv" / folder / "installed").write_text(mark)

    def layer(self):
        """An installed emulation layer."""
        self.stand_in("vulkan", f"exec '{sys.executable}' \"$@\"")
        deploy = self.out / "venv/vulkan/lib/python3.11/site-packages/emulation_layer/deploy"
        (deploy / "lib").mkdir(parents=True)
        (deploy / "share/vulkan/explicit_layer.d").mkdir(parents=True)
        for name in ("Graph", "Tensor"):
            (deploy / f"lib/libVkLayer_{name}.so").write_text("")
            (deploy / f"share/vulkan/explicit_layer.d/VkLayer_{name}.json").write_text('{"layer": {}}')

    def python(self, venv="", pip="", version="3.11"):
        """The python3 of the path: its version, what `-m venv FOLDER` does, and what pip of that environment does."""
        make = f"""mkdir -p "$3/bin"
            printf '#!/bin/sh\\n%s\\n' {shlex.quote(pip)} >"$3/bin/pip"
            printf '#!/bin/sh\\n%s\\n' {shlex.quote(SKELETON)} >"$3/bin/python"
            chmod +x "$3"/bin/*"""
        text = f'case "$1 $2" in "-m venv") {venv or make} ;; *version_info*) echo {version} ;; esac'
        for name in ("python3", "python3.11"):
            self.script(self.bin / name, text)

    def judge(self, *arguments, offline=True, code=None, suite=None):
        done = subprocess.run(
            [self.tools / "judge.sh", *["--offline"] * offline, "--suite", suite or self.suite, "--out", self.out,
             "--tensor-cts", self.bin / "tensor-cts", *arguments],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, env={**os.environ, "PATH": f"{self.bin}:{os.environ['PATH']}"},
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # in the background it is ignored
        )  # fmt: skip
        if code is not None:
            self.assertEqual(done.returncode, code, done.stderr)
        return done

    def left(self):
        """What lies in the folder beside environments, logs and suites."""
        names = [path.name for path in self.out.iterdir() if path.suffix != ".log"]
        return sorted(re.sub("-[0-9a-f]{8}$", "", name) for name in names if name not in ("venv", "npm"))

    def refuses(self, name, *words, **options):
        """Judges one that does not run: one line with all of these words, an install line at its end, and nothing left."""
        done = self.judge(name, code=2, **options)
        line, last = done.stderr.splitlines()
        self.assertEqual(last, "judge.sh: none of the implementations could be judged")
        self.assertTrue(line.startswith(f"{name}: "), line)
        for word in words:
            self.assertIn(word, line)
        self.assertEqual(line.count("install with: "), 1, line)
        self.assertEqual(self.left(), [])
        return line

    def test_compares_those_that_ran_and_names_those_that_did_not(self):
        self.stand_in("jax", SKELETON)
        self.stand_in("openvino", SKELETON)
        self.stand_in("pytorch", 'echo "torch: libcublas.so is missing; install with: pip" >&2; exit 2')
        done = self.judge("jax", "openvino", "pytorch", "litert-xnnpack", code=1)
        self.assertIn("pytorch: did not run: ", done.stderr)
        self.assertIn("libcublas.so is missing; install with: apt-get", done.stderr)
        self.assertRegex(done.stderr, "litert-xnnpack: not installed: .*pip install .*adapters/litert/requirements.txt")
        self.assertEqual(len(done.stderr.splitlines()), 2, done.stderr)
        self.assertIn("compared in ", done.stdout)
        self.assertIn("skeleton", (self.out / "page.html").read_text())
        summary = (self.out / "summary.html").read_text()
        self.assertIn("skeleton", summary)
        self.assertIn("Written by tensor-cts compare --summary", summary)
        report = json.loads((self.out / "jax.json").read_text())
        self.assertGreater(report["totals"]["pass"], 3)
        self.assertEqual(self.left(), ["jax.json", "openvino.json", "page.html", "results-suite", "summary.html"])
        results = next(self.out.glob("results-suite-*"))
        self.assertEqual(sorted(path.name for path in results.iterdir()), ["jax", "openvino"])

    def test_of_one_the_page_is_its_report(self):
        self.stand_in("jax", SKELETON)
        done = self.judge("jax", code=0)
        self.assertIn(f"its page: {self.out}/page.html", done.stdout)
        self.assertIn("skeleton", (self.out / "page.html").read_text())
        self.assertEqual(self.left(), ["jax.json", "page.html", "results-suite"])

    def test_what_dies_before_it_says_who_it_is_has_no_verdict(self):
        self.stand_in("jax", "kill -SEGV $$")
        self.refuses("jax", "jax: did not run: ", "Segmentation fault", PIP_JAX)
        self.stand_in("openvino", SKELETON)
        self.stand_in("pytorch", SKELETON)
        done = self.judge("jax", "openvino", "pytorch", code=1)
        self.assertNotIn("jax", done.stdout)
        self.assertEqual(self.left(), ["openvino.json", "page.html", "pytorch.json", "results-suite", "summary.html"])

    def test_what_ends_at_its_start(self):
        for script, word in (("exit 1", "exited with code 1; install with"), ("echo rubbish; exit 3", "expected a JSON object in one line and nothing else; install with"),
                             ("printf 'Traceback (most recent call last):\\nImportError: no x\\n' >&2; exit 1", "exited with code 1: ImportError: no x;"),
                             ("echo 'x: missing; install with: pip' >&2; exit 2", "exited with code 2: x: missing; install with: apt-get")):
            with self.subTest(script):
                self.stand_in("jax", script)
                self.refuses("jax", "jax: did not run: ", word, PIP_JAX)

    def test_without_words_and_installed_by_npm_or_apt(self):
        self.script(self.bin / "apt-get", f"echo >{self.here}/called")
        for name, line in (("mlir", "apt-get install --no-install-recommends mlir-22-tools gcc python3 python3-numpy"),
                           ("onnxruntime", "apt-get install --no-install-recommends nodejs npm && "
                            "npm ci --ignore-scripts --prefix tools/adapters/onnxruntime")):
            self.packages(line.split()[3])
            self.assertTrue(self.refuses(name, f"not installed: missing: {line.split()[3]};").endswith(f"install with: {line}"))
        self.assertFalse((self.here / "called").exists())

    def test_without_a_package_that_apt_does_not_have(self):
        self.packages("mlir-22-tools")
        self.script(self.bin / "apt-get", 'test "$1" = update || { echo "E: Unable to locate package mlir-22-tools"; exit 100; }')
        line = self.refuses("mlir", "not installed: missing: mlir-22-tools", offline=False)
        if 'VERSION_ID="12"' in pathlib.Path("/etc/os-release").read_text():
            self.assertIn("(E: Unable to locate package mlir-22-tools)", line)

    def test_on_vulkan_it_needs_the_driver_as_well(self):
        self.packages("mesa-vulkan-drivers")
        self.stand_in("iree", SKELETON)
        line = self.refuses("iree-vulkan-spirv", "not installed: missing: mesa-vulkan-drivers; ")
        self.assertIn("apt-get install --no-install-recommends python3-venv libvulkan1 mesa-vulkan-drivers && ", line)
        self.judge("iree-vmvx", code=0)

    def test_an_environment_is_made_once(self):
        calls = self.here / "calls"
        self.python(pip=f'echo "$@" >>{calls}')
        self.judge("jax", code=0, offline=False)
        self.judge("jax", code=0, offline=False)
        (self.out / "venv/jax/bin/python").unlink()  # the Python that it is of is gone
        self.judge("jax", code=0, offline=False)
        call = "install --no-input --disable-pip-version-check --require-hashes --no-deps -r {}\n"
        self.assertEqual(calls.read_text(), 2 * call.format(self.tools / "adapters/jax/requirements.txt"))

    def test_where_no_environment_can_be_made_it_says_why(self):
        self.python(venv=f"mkdir -p $3/bin; echo '{NO_ENSUREPIP}'; exit 1")
        self.refuses("jax", "not installed: The virtual environment was not created successfully because ensurepip is not available (", "python3-venv",
                     PIP_JAX, offline=False)  # fmt: skip
        self.assertFalse((self.out / "venv/jax").exists())

    def test_where_pip_finds_no_wheel_it_says_so_and_leaves_no_environment(self):
        self.python(pip=f"echo '{NO_WHEEL}'; exit 1")
        self.refuses("jax", "not installed: ERROR: No matching distribution found for jax==0.10.2 (", PIP_JAX, offline=False)
        self.judge("jax", "openvino", code=2, offline=False)
        self.assertEqual(list((self.out / "venv").iterdir()), [])

    def test_interrupted_it_leaves_no_half_of_an_environment(self):
        self.python(pip="kill -INT $PPID; exit 1")
        done = self.judge("jax", code=130, offline=False)
        self.assertEqual(done.stderr, "")
        self.assertFalse((self.out / "venv/jax").exists())

    def test_another_python_than_the_wheels_is_told_before_anything_is_made(self):
        self.python(version="3.9")
        (self.tools / "adapters").unlink()
        (self.tools / "adapters/jax").mkdir(parents=True)
        (self.tools / "adapters/jax/requirements.txt").write_text("# JAX: x86-64 Linux, Python 3.99.\n")
        self.refuses("jax", "not installed: found Python 3.9, its wheels are for Python 3.99; ", "python3.99 -m venv VENV", offline=False)
        self.assertFalse((self.out / "venv/jax").exists())

    def test_another_call_leaves_nothing_that_looks_like_its_own(self):
        self.script(self.here / "starts", "")
        start = f"test -e {self.here}/starts || exit 1; {SKELETON}"
        self.stand_in("jax", start)
        self.stand_in("openvino", SKELETON)
        self.stand_in("pytorch", SKELETON)
        self.judge("jax", "openvino", code=0)
        (self.here / "starts").unlink()
        done = self.judge("jax", "openvino", code=1, suite=self.other_suite)
        self.assertIn("jax: did not run: ", done.stderr)
        self.assertEqual(self.left(), ["openvino.json", "page.html", "results-suite", "results-suite"])
        # Finished results of the first suite are kept, but a run that fails now has no report of
        # them.
        self.judge("pytorch", code=0)
        self.assertEqual([name for name in self.left() if name.endswith(".json")], ["pytorch.json"])
        shutil.rmtree(next(self.out.glob("results-suite-*/jax")) / "add")
        done = self.judge("jax", code=2)
        self.assertIn("jax: did not run: the adapter does not start", done.stderr)
        self.assertEqual(len(list(self.out.glob("results-suite-*/jax"))), 1)
        (self.here / "starts").write_text("")
        self.judge("jax", "openvino", code=0)

    def test_other_cases_are_other_results(self):
        self.stand_in("jax", SKELETON)
        self.judge("jax", code=0)
        total = json.loads((self.out / "jax.json").read_text())["totals"]["cases"]
        self.judge("jax", "--filter", "*17+1*", code=0)
        self.assertLess(json.loads((self.out / "jax.json").read_text())["totals"]["cases"], total)
        self.assertEqual(len(list(self.out.glob("results-suite-*/jax"))), 2)

    def test_results_of_another_adapter_are_named(self):
        self.stand_in("jax", SKELETON)
        self.judge("jax", code=0)
        self.stand_in("jax", "exec " + SKELETON)
        done = self.judge("jax", code=2)
        self.assertRegex(done.stderr, "jax: did not run: .*/jax: holds results of another adapter: .*; remove it, and all of it runs again\n")
        self.assertEqual(self.left(), ["results-suite"])

    def test_devices_of_vulkan(self):
        self.refuses("vulkan", f"{self.bin}/tensor-cts-vulkan: no such file", "tools/adapters/vulkan/requirements.txt", "cmake --preset release")
        self.script(self.bin / "tensor-cts-vulkan", f'env >{self.here}/seen; {SKELETON}')
        self.refuses("vulkan", f"{self.out}/venv/vulkan: no environment of ")
        self.layer()
        self.stand_in("ml-sdk", f'env >{self.here}/seen-too; {SKELETON}')
        done = self.judge("vulkan", "ml-sdk")
        if not pathlib.Path("/usr/share/vulkan/icd.d/lvp_icd.x86_64.json").exists():
            self.assertIn("lvp_icd.x86_64.json: no such file; install with: apt-get", done.stderr)
            return
        self.assertEqual(done.returncode, 0, done.stderr)
        for seen in ("seen", "seen-too"):
            text = (self.here / seen).read_text()
            self.assertIn(f"VK_LAYER_PATH={self.out}/venv/vulkan/layers/graph:", text)
            self.assertIn("LP_NUM_THREADS=0\n", text)

    def test_onnx_runtime(self):
        self.script(self.bin / "npm", "echo 'npm ERR! code E404'; echo 'npm ERR! 404 Not Found - onnxruntime-node'; exit 1")
        self.refuses("onnxruntime", "not installed: npm ERR! 404 Not Found - onnxruntime-node (", "npm ci --ignore-scripts", offline=False)
        self.assertEqual(list((self.out / "npm").iterdir()), [])
        self.script(self.bin / "npm", f'echo "$@" >>{self.here}/calls; test -e "$6/package-lock.json" && mkdir "$6/node_modules"')
        self.script(self.bin / "node", f'ls "$NODE_PATH" && {SKELETON}')
        self.judge("onnxruntime", code=0, offline=False)
        self.judge("onnxruntime", code=0)
        self.assertEqual(len((self.here / "calls").read_text().splitlines()), 1)

    def test_a_plugin_is_run_where_it_is_built(self):
        self.refuses("onednn", "libcts_onednn.so: no such file", "libdnnl-dev && cmake --preset release")
        plugin = self.bin / "adapters/onednn/libcts_onednn.so"
        self.script(plugin, "")
        self.refuses("onednn", "did not run: --plugin: ", "cannot be loaded", "libdnnl-dev")
        self.script(self.bin / "tensor-cts", f'test "$1 $3 $4" = "run --plugin {plugin}" || exec \'{CTS}\' "$@"; shift 4; suite=$2;'
                    f' exec \'{CTS}\' run {self.suite} --worker --adapter "{SKELETON.removeprefix("exec ").removesuffix(" --worker")}" "$@"')
        self.judge("onednn", code=0)

    def test_none_is_an_error_of_the_environment(self):
        self.refuses("jax", f"jax: not installed: {self.out}/venv/jax: no environment of ", PIP_JAX)

    def test_an_environment_of_other_requirements_counts_as_missing(self):
        self.stand_in("jax", SKELETON)
        (self.out / "venv/jax/installed").write_text("of others\n")
        self.refuses("jax", "jax: not installed: ")

    def test_unknown_words_are_usage(self):
        for words, said in ((["nonsense"], "unknown implementation nonsense; known: mlir "),
                            (["--nonsense"], "unknown option --nonsense"), (["--jobs"], "--jobs: a value is missing"),
                            (["--suite", self.out], "suite.json: no such file; expected the folder of a suite")):
            done = self.judge(*words, code=2)
            self.assertIn(said, done.stderr)

    def test_help_names_all_and_says_which_are_left_out(self):
        said = self.judge("--help", code=0).stdout
        folders = {path.parent.name for path in (TOOLS / "adapters").glob("*/README.md")} - {"common", "libm"}
        stacks = (TOOLS / "judge.sh").read_text().split("stacks='")[1].split("'")[0].split()
        self.assertLessEqual(folders, set(stacks))
        self.assertRegex(said, "Not among them: MLIR 19,")


if __name__ == "__main__":
    unittest.main(verbosity=2)

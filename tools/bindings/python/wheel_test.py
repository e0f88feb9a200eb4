#!/usr/bin/env python3
"""The wheel and the sdist of pyproject.toml: the same bytes twice, what RECORD says, and what is in them works. Without network and
without pip; the wheel has what the build tree of the program has.

Usage: wheel_test.py TENSOR_CTS LIBRARY      exit code 77: build/pypi/wheel is not made; tools/test.sh --all makes it
"""
import base64
import configparser
import hashlib
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

try:
    import numpy  # noqa: F401
except ImportError:
    sys.exit(77)
if not all(map(shutil.which, ("dpkg", "ldd", "objdump", "strip"))):
    sys.exit(77)

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PYTHON = ROOT / "build/pypi/wheel/bin/python"
if not PYTHON.exists():
    sys.exit(77)
PROGRAM, LIBRARY = map(os.path.abspath, sys.argv[1:3])
SAID = subprocess.run([PROGRAM, "version"], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout.split()[1]
ENVIRONMENT = {**os.environ, "SOURCE_DATE_EPOCH": "1700000000", "PYTHONDONTWRITEBYTECODE": "1", "CMAKE_GENERATOR": "Ninja"}
# As pip calls it.
BACKEND = """import sys
from scikit_build_core import build
name = getattr(build, "build_" + sys.argv[1])(sys.argv[2], dict(pair.split("=", 1) for pair in sys.argv[3:]))
print("\\n" + name)"""


def make(what, place, source=ROOT):
    """The path of a wheel or an sdist of the sources, in a folder of its own."""
    settings = [f"cmake.define.TENSOR_CTS_WHEEL_OF={pathlib.Path(PROGRAM).parents[1]}", "cmake.define.TENSOR_CTS_WHEEL_LICENSES=ON"]
    done = subprocess.run([PYTHON, "-c", BACKEND, what, place, *(settings if what == "wheel" else [])], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, encoding="utf-8", env=ENVIRONMENT, cwd=source)
    if done.returncode != 0:
        raise AssertionError(done.stdout)
    return place / done.stdout.split("\n")[-2]


def build_state(path):
    """The commit and the digests of the sources that a build was made from: checker/judge/build_state.h."""
    return dict(re.findall(r'\.(commit|editions|recipes|checker) = "(.*)"', path.read_text()))


class Wheel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="tensor_cts_wheel-"))
        cls.first = make("wheel", cls.root / "first")
        cls.version = cls.first.name.split("-")[1]
        cls.info = f"tensor_cts-{cls.version}.dist-info"
        cls.source = ROOT
        if (ROOT / ".git").exists():  # the sources once more, without git
            cls.sdist = make("sdist", cls.root / "sdist")
            with tarfile.open(cls.sdist) as archive:
                archive.extractall(cls.root)
            cls.source = cls.root / f"tensor_cts-{cls.version}"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def test_between_releases_the_version_names_the_commit(self):
        head = subprocess.run(["git", "-C", ROOT, "rev-parse", "HEAD"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, encoding="utf-8").stdout
        local = rf"(\+g{head[:12]}(\.modified)?)?" if SAID.endswith("-dev") else ""
        self.assertRegex(self.version, rf"^{re.escape(SAID.replace('-dev', '.dev0'))}{local}$")

    def test_the_same_bytes_twice_the_second_time_from_the_sdist(self):
        self.assertEqual(self.first.name, f"tensor_cts-{self.version}-py3-none-linux_{os.uname().machine}.whl")
        self.assertEqual(make("wheel", self.root / "again", self.source).read_bytes(), self.first.read_bytes())

    def test_the_sdist_has_every_file_and_knows_its_commit(self):
        if self.source == ROOT:
            self.skipTest("no checkout")
        self.assertEqual(self.sdist.name, f"tensor_cts-{self.version}.tar.gz")
        self.assertEqual(make("sdist", self.root / "sdist again").read_bytes(), self.sdist.read_bytes())
        tracked = subprocess.run(["git", "-C", ROOT, "ls-files", "-z"], stdout=subprocess.PIPE, check=True, encoding="utf-8").stdout
        self.assertEqual([name for name in tracked.split("\0") if (ROOT / name).exists() and not (self.source / name).exists()], [])
        for command in (["-G", "Ninja", "-S", self.source, "-B", self.root / "build", "-DTENSOR_CTS_BUILD_TESTS=OFF"],
                        ["--build", self.root / "build", "--target", "cts_build_state_source"],
                        [f"-DSOURCE_DIR={ROOT}", f"-DOUT={self.root}/here.cc", "-P", ROOT / "cmake/build_state.cmake"]):  # fmt: skip
            subprocess.run(["cmake", *command], stdout=subprocess.DEVNULL, check=True)
        here = build_state(self.root / "here.cc")
        self.assertEqual(build_state(self.root / "build/checker/this_build.cc"), here)
        with zipfile.ZipFile(self.first) as wheel:
            self.assertTrue(wheel.read(self.info + "/METADATA").decode().endswith(f"\nMade from commit {here['commit']}.\n"))

    def test_debian_s_package_has_the_same_entry_points(self):
        subprocess.run([sys.executable, HERE / "metadata.py", "9.8.7", self.root], check=True)
        place = self.root / "tensor_cts-9.8.7.dist-info"
        self.assertRegex((place / "METADATA").read_text(), "^Metadata-Version: 2.1\nName: tensor-cts\nVersion: 9.8.7\n")
        with zipfile.ZipFile(self.first) as wheel:
            texts = (place / "entry_points.txt").read_text(), wheel.read(self.info + "/entry_points.txt").decode()
        found = [configparser.ConfigParser() for _ in texts]
        for parser, text in zip(found, texts):
            parser.read_string(text)
        self.assertEqual(*found)
        self.assertEqual(found[0]["pytest11"]["tensor-cts"], "tensor_cts.pytest_plugin")

    def test_record_has_every_file_and_its_digest(self):
        with zipfile.ZipFile(self.first) as wheel:
            lines = wheel.read(self.info + "/RECORD").decode().splitlines()
            recorded = {name: (digest, size) for name, digest, size in (line.rsplit(",", 2) for line in lines)}
            self.assertEqual(sorted(recorded), sorted(wheel.namelist()))
            for name, (digest, size) in recorded.items():
                if not name.endswith("/RECORD"):
                    data = wheel.read(name)
                    found = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                    self.assertEqual((digest, size), ("sha256=" + found, str(len(data))), name)

    def test_one_package_with_licenses_and_every_module(self):
        with zipfile.ZipFile(self.first) as wheel:
            names = wheel.namelist()
            self.assertEqual({name.split("/")[0] for name in names},
                             {"tensor_cts", self.info, f"tensor_cts-{self.version}.data"})
            for path in (HERE / "src" / "tensor_cts").glob("*.py"):
                self.assertEqual(wheel.read("tensor_cts/" + path.name), path.read_bytes())
            legalize = {name.removeprefix("tensor_cts/legalize/") for name in names if name.startswith("tensor_cts/legalize/")}
            self.assertLessEqual({"legalize.py", "pipeline.py", "report_page.html", "requirements.txt"}, legalize)
            self.assertLessEqual({f"tensor_cts/findings/{source}/deviations.json" for source in ("tflite", "torch")}, set(names))
            self.assertFalse(any(name.endswith("_test.py") for name in legalize))
            licenses = [name for name in names if "/licenses/" in name]
            for part in ("/LICENSE", "libmpfr", "libgmp", "libabsl"):
                self.assertTrue(any(part in name for name in licenses), f"{part}: {licenses}")
            metadata = wheel.read(self.info + "/METADATA").decode()
            self.assertIn("\nRequires-Dist: numpy>=1.24\n", metadata)
            self.assertIn('\nRequires-Dist: tosa-converter-for-tflite; extra == "tflite"\n', metadata)
            self.assertIn('\nRequires-Dist: executorch; extra == "torch"\n', metadata)
            self.assertNotIn("](../", metadata)

    def test_a_program_in_c_is_built_from_it_alone(self):
        if not all(map(shutil.which, ("cc", "pkg-config"))):
            self.skipTest("cc or pkg-config is not installed")
        place = self.root / "to link to"
        with zipfile.ZipFile(self.first) as wheel:
            wheel.extractall(place)
        flags = subprocess.run(["pkg-config", "--cflags", "--libs", "tensor-cts"], check=True, stdout=subprocess.PIPE, encoding="utf-8",
                               env={**os.environ, "PKG_CONFIG_PATH": str(place / "tensor_cts/pkgconfig")}).stdout
        program = self.root / "reference"
        subprocess.run(["cc", "-Wall", "-Wextra", "-Werror", HERE.parents[1] / "examples/reference/main.c", "-o", program, *shlex.split(flags), "-lm"],
                       check=True)
        needed = subprocess.run(["ldd", program], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
        self.assertRegex(needed, rf"libtensor_cts.so.[0-9.]+ => {re.escape(str(place))}/tensor_cts/")
        self.assertIn("accept", subprocess.run([program], check=True, stdout=subprocess.PIPE, encoding="utf-8").stdout)

    def test_headers_schemas_and_the_skeleton(self):
        with zipfile.ZipFile(self.first) as wheel:
            names = set(wheel.namelist())
            self.assertEqual({name.rsplit("/", 1)[1] for name in names if "/include/" in name}, {"plugin.h", "tensor_cts.h", "tensor_cts_reference.h"})
            for name in names:
                if "/include/" in name:
                    for included in re.findall(r'#include "(.*)"', wheel.read(name).decode()):
                        self.assertIn(f"{name.rsplit('/', 1)[0]}/{included}", names)
            self.assertLessEqual({f"tensor_cts/schemas/{name}.schema.json" for name in ("claim", "result", "declared", "waivers")}, names)
            self.assertEqual(wheel.read("tensor_cts/adapters/skeleton.py"), (HERE.parents[1] / "adapters/skeleton.py").read_bytes())
            self.assertNotRegex(wheel.read("tensor_cts/adapters/README.md").decode(), r"\]\((?!https?:)")
            self.assertNotRegex(wheel.read("tensor_cts/pkgconfig/tensor-cts.pc").decode(), "@")

    def test_what_is_in_it_works(self):
        place = self.root / "installed"
        with zipfile.ZipFile(self.first) as wheel:
            wheel.extractall(place)
        program = place / "tensor_cts" / "bin" / "tensor-cts"
        program.chmod(0o755)  # an installer does so: the archive says that it is a program
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSOR_CTS_")}
        environment.update(PYTHONPATH=str(place), PYTHONDONTWRITEBYTECODE="1")
        said = subprocess.run([sys.executable, "-c", "import numpy as np, tensor_cts as cts\n"
                               "x = np.float32([1])\nprint(cts.judge('EXP', np.exp(x), input1=x), cts.program())"],
                              env=environment, stdout=subprocess.PIPE, encoding="utf-8", check=True, cwd=self.root).stdout
        self.assertEqual(said.split(), ["accept", str(program)])
        script = place / f"tensor_cts-{self.version}.data" / "scripts" / "tensor-cts"
        said = subprocess.run([sys.executable, script, "version"], env=environment, stdout=subprocess.PIPE, encoding="utf-8",
                              check=True).stdout
        self.assertTrue(said.startswith(f"tensor-cts {SAID}"), said)

    def test_legalize_runs_by_the_python_of_the_wheel(self):
        place = self.root / "legalize"
        with zipfile.ZipFile(self.first) as wheel:
            wheel.extractall(place)
        (place / "tensor_cts" / "bin" / "tensor-cts").chmod(0o755)
        script = place / f"tensor_cts-{self.version}.data" / "scripts" / "tensor-cts"
        environment = {name: value for name, value in os.environ.items() if not name.startswith("TENSOR_CTS_")}
        environment["PYTHONPATH"] = str(place)
        done = subprocess.run([sys.executable, script, "legalize", "--list"], env=environment, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("abs/float32-plain\n", done.stdout)
        done = subprocess.run([sys.executable, script, "legalize", "--source", "torch", "--out", self.root / "none"],
                              env={**environment, "PATH": "/nowhere"}, stderr=subprocess.PIPE, encoding="utf-8")
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith("tensor-cts: legalize: found no "), done.stderr)

    def test_what_it_needs_is_what_systems_of_manylinux_2_34_have(self):
        for path in (PROGRAM, LIBRARY):
            needed = subprocess.run(["ldd", path], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
            # Opened where they are needed: in a wheel they would be half of it, and want a newer glibc.
            self.assertNotRegex(needed, "libicu|libarchive")
            places = [path, *re.findall(r"=> (/\S+)", needed)]
            for place in places:
                if re.search(r"/(lib(c|m|gcc_s|stdc\+\+|dl|pthread|rt)\.so|ld-linux)", place):
                    continue
                symbols = subprocess.run(["objdump", "-T", place], stdout=subprocess.PIPE, encoding="utf-8", check=True).stdout
                for name, most in (("GLIBC", (2, 34)), ("GLIBCXX", (3, 4, 29))):
                    found = [tuple(map(int, text.split("."))) for text in re.findall(name + r"_([0-9.]+)\b", symbols)]
                    self.assertLessEqual(max(found, default=most), most, f"{place}: {name}")

    def test_programs_may_be_run(self):
        with zipfile.ZipFile(self.first) as wheel:
            for name in ("tensor_cts/bin/tensor-cts", f"tensor_cts-{self.version}.data/scripts/tensor-cts"):
                self.assertEqual(wheel.getinfo(name).external_attr >> 16 & 0o777, 0o755)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)

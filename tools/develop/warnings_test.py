#!/usr/bin/env python3
"""Warnings are errors where tools/test.sh builds, and nowhere else: a newer compiler's keep no user from building."""
import json
import pathlib
import re
import subprocess
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROJECT = """cmake_minimum_required(VERSION 3.25)
project(warns LANGUAGES CXX)
include({targets})
add_executable(warns warns.cc)
target_link_libraries(warns PRIVATE cts_options)
"""


def presets():
    """Each preset that can be chosen, with the cache variables that it and those above it set."""
    declared = {one["name"]: one for one in json.loads((ROOT / "CMakePresets.json").read_text())["configurePresets"]}

    def member(name, key):
        one = declared[name]
        above = one.get("inherits", [])
        found = [member(other, key) for other in ([above] if isinstance(above, str) else above)]
        if key == "cacheVariables":
            return {k: v for variables in [*reversed(found), one.get(key, {})] for k, v in variables.items()}
        return one.get(key, next((value for value in found if value), None))

    return {name: (member(name, "cacheVariables"), member(name, "binaryDir").replace("${presetName}", name))
            for name, one in declared.items() if not one.get("hidden")}  # fmt: skip


class Warnings(unittest.TestCase):
    def test_a_warning_is_an_error_where_that_is_asked_for(self):
        with tempfile.TemporaryDirectory(prefix="warnings_test-") as place:
            here = pathlib.Path(place)
            (here / "CMakeLists.txt").write_text(PROJECT.format(targets=ROOT / "cmake/targets.cmake"))
            (here / "warns.cc").write_text("int main() { int unused = 1; return 0; }\n")

            def build(*options):
                subprocess.run(["cmake", "-G", "Ninja", "-S", here, "-B", here / "build", *options], check=True, stdout=subprocess.DEVNULL)
                return subprocess.run(["cmake", "--build", here / "build"], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)

            done = build()
            self.assertIn("unused", done.stdout)
            self.assertEqual(done.returncode, 0, done.stdout)
            done = build("-DTENSOR_CTS_WERROR=ON")
            self.assertIn("unused", done.stdout)
            self.assertNotEqual(done.returncode, 0, done.stdout)

    def test_who_asks_for_it(self):
        found = presets()
        strict = {name for name, (variables, _) in found.items() if variables.get("TENSOR_CTS_WERROR", "OFF") != "OFF"}
        self.assertEqual(strict, {"ci-dev", "ci-release"})
        for name in ("dev", "release"):
            variables, folder = found["ci-" + name]
            self.assertEqual({**variables, "TENSOR_CTS_WERROR": "OFF"}, {**found[name][0], "TENSOR_CTS_WERROR": "OFF"})
            self.assertEqual(folder, found[name][1], "what scripts and pages name")
        configures = re.compile(r'cmake --preset ["$]*([\w-]+)')
        self.assertEqual(set(configures.findall((ROOT / "tools/test.sh").read_text())), {"ci-", "ci-dev", "ci-release"})
        for script in ("quickstart", "release", "develop/benchmark", "judge"):
            self.assertEqual(set(configures.findall((ROOT / f"tools/{script}.sh").read_text())), {"release"}, script)


if __name__ == "__main__":
    unittest.main(verbosity=2)

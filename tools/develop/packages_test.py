#!/usr/bin/env python3
"""Tests packages.sh where a package is missing: it installs it on a known Debian, and otherwise says its name on each
system."""
import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent
LIST = """build  libhere-dev   file:/etc/passwd   what is here
build  libgone-dev   file:/no/such/file   what is not
lint   clang-14      file:/no/such/file   the second compiler
"""


class Packages(unittest.TestCase):
    def require(self, release, *groups):
        """The exit code of require_packages, what it says, and the last call of apt-get."""
        with tempfile.TemporaryDirectory(prefix="packages_test-") as place:
            here = pathlib.Path(place)
            shutil.copy(TOOLS / "packages.sh", here)
            (here / "packages.txt").write_text(LIST)
            (here / "os-release").write_text(release)
            for name, text in {"apt-get": f'echo "$@" >{here}/called', "sudo": '"$@"'}.items():
                (here / name).write_text(f"#!/bin/sh\n{text}\n")
                (here / name).chmod(0o755)
            done = subprocess.run(["bash", "-c", f"os_release={here}/os-release; PATH={here}:$PATH; . {here}/packages.sh; require_packages {' '.join(groups)}"],
                                  text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)  # fmt: skip
            called = here / "called"
            return done.returncode, done.stdout, called.read_text() if called.exists() else ""

    def test_they_are_installed_on_a_debian_that_is_known(self):
        for version in (12, 13):
            code, _, called = self.require(f'ID=debian\nVERSION_ID="{version}"\n', "build")
            self.assertEqual((code, called), (0, "install -y --no-install-recommends libgone-dev\n"), version)

    def test_what_debian_13_lacks_is_named_and_nothing_is_installed(self):
        code, said, called = self.require('ID=debian\nVERSION_ID="13"\n', "build", "lint")
        self.assertEqual((code, called), (2, ""))
        self.assertEqual(said, "Debian 13 does not have these packages; run this on Debian 12:\n  the second compiler (on Debian 12: clang-14)\n")

    def test_elsewhere_they_are_named_as_each_system_calls_them(self):
        for release, system in {'ID=ubuntu\nVERSION_ID="24.04"\n': "ubuntu-24.04", "ID=debian\n": "debian-"}.items():
            code, said, called = self.require(release, "build", "lint")
            self.assertEqual((code, called), (2, ""))
            self.assertIn(f"This is {system};", said)
            self.assertIn("  what is not (on Debian 12 and 13: libgone-dev)\n", said)
            self.assertIn("  the second compiler (on Debian 12: clang-14)\n", said)
            self.assertNotIn("libhere", said)

    def test_nothing_is_done_where_all_is_there(self):
        self.assertEqual(self.require("", "none"), (0, "", ""))


if __name__ == "__main__":
    unittest.main(verbosity=2)

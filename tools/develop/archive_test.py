#!/usr/bin/python3
"""Archives of the repository are as archive.py writes them, and each fuzz target has one."""
import contextlib
import io
import pathlib
import re
import tempfile
import unittest

import archive

HERE = pathlib.Path(__file__).resolve().parent


class Archives(unittest.TestCase):
    def test_each_fuzz_target_has_seeds(self):
        targets = re.findall(r'^FUZZ_TARGET\("(\w+)"', (HERE / "fuzz/targets.def").read_text(), re.M)
        self.assertEqual({path.name for path in (HERE / "fuzz/seeds").iterdir()}, {f"{target}.tar" for target in targets})

    def test_archives_are_as_the_script_writes_them(self):
        found = sorted([*HERE.glob("fuzz/*/*.tar"), *HERE.glob("testdata/*.tar"), *HERE.glob("testdata/formats/*/*.tar"),
                        *HERE.glob("testdata/rfc/*.tar"), *HERE.parent.glob("findings/*/*.tar")])
        self.assertGreater(len(found), 20)
        for path in found:
            files = archive.read(path)
            self.assertTrue(files, path)
            self.assertTrue(archive.packed(files) == path.read_bytes(), f"{path}: expected what archive.py writes")

    def test_a_file_is_added_listed_and_unpacked(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for file, text in {"b": "2", "a": "1"}.items():
                (folder / file).write_text(text)
                self.assertEqual(archive.main("add", f"{name}/x.tar", f"{name}/{file}"), 0)
            with contextlib.redirect_stdout(io.StringIO()) as said:
                self.assertEqual(archive.main("list", f"{name}/x.tar"), 0)
            self.assertEqual(said.getvalue(), "       1 a\n       1 b\n")
            (folder / "out").mkdir()
            (folder / "out/old").touch()
            self.assertEqual(archive.main("unpack", f"{name}/x.tar", f"{name}/out"), 0)
            self.assertEqual({path.name: path.read_text() for path in (folder / "out").iterdir()}, {"a": "1", "b": "2"})
            archive.pack(folder / "out", folder / "y.tar")
            self.assertEqual((folder / "x.tar").read_bytes(), (folder / "y.tar").read_bytes())

    def test_an_archive_that_is_not_there_is_told(self):
        with contextlib.redirect_stderr(io.StringIO()) as said:
            self.assertEqual(archive.main("list", "/no/such.tar"), 2)
        self.assertIn("archive.py list ARCHIVE", said.getvalue())


if __name__ == "__main__":
    unittest.main()

#!/usr/bin/env python3
"""Suites and results that are made to do harm: refused with the file and the reason, quickly.

Usage: hostile_test.py TENSOR_CTS
"""
import hashlib
import json
import os
import pathlib
import resource
import shutil
import socket
import subprocess
import sys
import tempfile
import unittest

import numpy as np

TENSOR_CTS = ""
SMALL = ["--recipe", "smoke", "--operator", "ADD", "--operator", "CAST", "--type", "i32", "--type",
         "fp32"]
# Invisible characters, and characters that turn the direction of text around.
HIDDEN = {chr(c) for c in (0xAD, 0x61C, *range(0x200B, 0x2010), *range(0x2028, 0x202F),
                           *range(0x2060, 0x2070), 0xFEFF)}
# Ample for what is asked, and less than a file of 2 GB. Sanitizers reserve more than they use.
MEMORY = 1 << 30


def run(*arguments, stdout=subprocess.PIPE, user=None, program=None):
    """(exit code, both outputs): a hang is an error."""
    process = subprocess.Popen([program or TENSOR_CTS, *map(str, arguments)], stdout=stdout,
                               stderr=subprocess.STDOUT, user=user)
    try:
        out = process.communicate(timeout=60)[0] or b""
    except subprocess.TimeoutExpired:
        process.kill()
        raise
    return process.returncode, out.decode(errors="replace")


def npy(descr="<i4", shape="(2, 2)", order="False", data=b"", header=None):
    text = header or "{'descr': '%s', 'fortran_order': %s, 'shape': %s, }" % (descr, order, shape)
    text = text.encode() if isinstance(text, str) else text
    text += b" " * (-(len(text) + 11) % 64) + b"\n"
    return b"\x93NUMPY\x01\x00" + len(text).to_bytes(2, "little") + text + data


class Hostile(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="hostile-"))
        os.chmod(cls.root, 0o755)
        code, out = run("generate", *SMALL, "--out", cls.root / "good")
        assert code == 0, out
        code, out = run("run", cls.root / "good", "--implementation", "builtin:native", "--out",
                        cls.root / "good-results")
        assert code == 0, out

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def setUp(self):
        self.suite = self.root / "suite"
        self.results = self.root / "results"
        shutil.copytree(self.root / "good", self.suite)
        shutil.copytree(self.root / "good-results", self.results)
        manifest = json.loads((self.suite / "suite.json").read_text())
        # A valid case with one output, and its first result file.
        for entry in manifest["cases"]:
            case = json.loads((self.suite / entry["id"] / "case.json").read_text())
            if entry["outcome"] == "valid" and case["outputs"][0]["dtype"] == "i32":
                self.id, self.case = entry["id"], case
                break
        self.output = self.results / self.id / (self.case["outputs"][0]["name"] + ".npy")
        self.good = np.load(self.output)

    def tearDown(self):
        for path in (self.suite, self.results):
            if path.is_symlink():
                path.unlink()
            shutil.rmtree(path, ignore_errors=True)

    def check(self, *more):
        return run("check", self.suite, self.results, *more)

    def assertMalformed(self, *words):
        code, out = run("check", self.suite, self.results, "--json", "-")
        self.assertEqual(code, 1, out)
        case = next(c for c in json.loads(out)["cases"] if c["id"] == self.id)
        self.assertEqual(case["verdict"], "malformed", case)
        for word in (self.id, *words):
            self.assertIn(word, case["message"])

    def assertRefused(self, *words):
        code, out = self.check()
        self.assertEqual(code, 2, out)
        for word in words:
            self.assertIn(str(word), out)
        self.assertLess(len(out), 5000)

    def replace(self, path, make):
        path.unlink(missing_ok=True)
        make(path)

    # Places of files that hold no file.
    def special(self):
        def link_out(path):
            path.symlink_to("/etc/passwd")

        def loop(path):
            path.symlink_to(path)

        def fifo(path):
            os.mkfifo(path)

        def sock(path):
            # Paths of sockets are short.
            here = os.getcwd()
            os.chdir(path.parent)
            with socket.socket(socket.AF_UNIX) as s:
                s.bind(path.name)
            os.chdir(here)

        def sparse(path):
            with open(path, "wb") as f:
                f.truncate(1 << 31)

        def directory(path):
            path.mkdir()

        def device(path):
            os.mknod(path, 0o666 | 0o020000, os.makedev(1, 5))

        kinds = {"link": link_out, "loop": loop, "special": fifo, "cannot be opened": sock,
                 "2147483648 bytes": sparse, "directory": directory}
        if os.geteuid() == 0 and self.can_make_devices():
            kinds["a special file"] = device
        return kinds

    def can_make_devices(self):
        path = self.root / "device"
        try:
            os.mknod(path, 0o666 | 0o020000, os.makedev(1, 5))
            path.unlink()
            return True
        except OSError:
            return False

    def test_an_output_that_is_no_file(self):
        for word, make in self.special().items():
            with self.subTest(word):
                self.replace(self.output, make)
                self.assertMalformed("link" if word == "loop" else word)
                shutil.rmtree(self.output) if self.output.is_dir() else self.output.unlink()

    def test_a_result_json_that_is_no_file(self):
        path = self.results / self.id / "result.json"
        for word, make in self.special().items():
            with self.subTest(word):
                self.replace(path, make)
                self.assertMalformed("link" if word == "loop" else word, "result.json")
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def test_files_of_a_suite_that_are_no_files(self):
        inside = self.suite / self.id
        tensors = sorted(p.relative_to(inside) for p in inside.rglob("*.npy"))
        for name in ["case.json", tensors[0], tensors[-1]]:
            for word, make in self.special().items():
                with self.subTest(name=str(name), word=word):
                    path = inside / name
                    kept = path.read_bytes()
                    self.replace(path, make)
                    self.assertRefused("link" if word == "loop" else word, self.id, name)
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                    path.write_bytes(kept)

    def test_manifests_that_are_no_files(self):
        for root, name in ((self.suite, "suite.json"), (self.results, "run.json")):
            for word, make in self.special().items():
                if word == "link":
                    continue  # who names the directory may link its manifest
                with self.subTest(name=name, word=word):
                    path = root / name
                    kept = path.read_bytes()
                    self.replace(path, make)
                    self.assertRefused(name, "levels" if word == "loop" else word)
                    shutil.rmtree(path) if path.is_dir() else path.unlink()
                    path.write_bytes(kept)

    def test_directories_of_cases_that_lead_out_or_round(self):
        for root in (self.suite, self.results):
            place = root / self.id
            moved = self.root / "moved"
            place.rename(moved)
            for target in (moved, place.name):
                with self.subTest(root=root.name, target=str(target)):
                    place.symlink_to(target)
                    if root == self.suite:
                        self.assertRefused("link", self.id)
                    else:
                        self.assertMalformed("link")
                    place.unlink()
            moved.rename(place)

    def test_a_directory_of_results_that_is_a_link_is_read(self):
        kept = self.root / "kept"
        self.results.rename(kept)
        self.results.symlink_to(kept)
        code, out = self.check()
        self.assertEqual(code, 0, out)
        self.results.unlink()
        self.results.symlink_to(self.results)
        self.assertRefused("run.json", "symbolic links")
        self.results.unlink()
        kept.rename(self.results)

    def test_directories_that_nobody_may_read(self):
        other = {}
        if os.geteuid() == 0:  # permissions do not hold root back
            # A checkout in root's home is hidden from other users.
            program = shutil.copy(TENSOR_CTS, self.root / "tensor-cts")
            other = {"user": 65534, "program": program}
        directory = self.results / self.id
        directory.chmod(0)
        code, out = run("check", self.suite, self.results, "--json", "-", **other)
        directory.chmod(0o755)
        # The fault is unclear: an adapter that ran as another user leaves such files.
        self.assertEqual(code, 2, out)
        self.assertIn(self.id, out)
        self.assertIn("Permission denied", out)
        result = directory / "result.json"
        result.chmod(0)
        for arguments in (("check", self.suite, self.results),
                          ("gate", "--suite", self.suite, "--results", self.results)):
            code, out = run(*arguments, **other)
            self.assertEqual(code, 2, out)
            self.assertIn("result.json", out)
        result.chmod(0o644)
        self.results.chmod(0)
        code, out = run("check", self.suite, self.results, **other)
        self.results.chmod(0o755)
        self.assertEqual(code, 2, out)
        self.assertIn("run.json", out)
        self.assertIn("Permission denied", out)

    def test_reports_that_cannot_be_written(self):
        for option in ("--json", "--junit", "--html"):
            for place, words in ((self.results, "is a directory"),
                                 (self.results / "run.json" / "x", "run.json is no directory")):
                with self.subTest(option=option, place=str(place)):
                    code, out = self.check(option, place)
                    self.assertEqual(code, 2, out)
                    self.assertIn(words, out)
        if os.path.exists("/dev/full"):
            with open("/dev/full", "wb") as full:
                code, _ = run("check", self.suite, self.results, stdout=full)
            self.assertEqual(code, 2)

    # Result files.
    def test_an_output_truncated_at_every_byte_of_its_header(self):
        whole = self.output.read_bytes()
        length = 10 + int.from_bytes(whole[8:10], "little")
        for end in list(range(length)) + [length, len(whole) - 1]:
            self.output.write_bytes(whole[:end])
            # The C++ tests do all of them without a process each.
            if end % 16 in (0, 9) or end < 12 or end >= length:
                self.assertMalformed(self.output.name)

    def test_headers_that_ask_for_the_impossible(self):
        data = self.good.tobytes()
        for words, bad in {
                "shape": npy(shape="(1, 1)", data=data),
                "a dimension": npy(shape="(-2, 2)", data=data),
                "18 digits": npy(shape="(99999999999999999999,)", data=data),
                "found [461168601842738790]": npy(shape="(461168601842738790,)", data=data),
                "expected": npy(shape="((2, 2), (2, 2))", data=data),
                "64 dimensions": npy(shape="(" + "1," * 70 + ")", data=data),
                "pickled": npy(descr="|O", data=b"cos\nsystem\n(S'touch x'\ntR."),
                "structured": npy(header="{'descr': [('a', '<i4')], 'fortran_order': False, "
                                         "'shape': (2,), }"),
                "version": b"\x93NUMPY\x09\x00" + b" " * 100,
                "65536": b"\x93NUMPY\x02\x00\xff\xff\xff\xff" + b" " * 100,
                "descr": npy(descr="<f4", shape=str(self.good.shape),
                             data=np.full(self.good.shape, np.nan, "<f4").tobytes()),
        }.items():
            with self.subTest(words):
                self.output.write_bytes(bad)
                self.assertMalformed(self.output.name, words)

    def test_what_loses_nothing_is_read(self):
        def big_endian(a):
            return a.astype(">i4")

        def fortran(a):
            return np.asfortranarray(a)

        def wide(a):
            return a.astype("<i8")

        for change in (big_endian, fortran, wide):
            with self.subTest(change.__name__):
                np.save(self.output, change(self.good))
                code, out = self.check()
                self.assertEqual(code, 0, out)
        # A header that lies about the byte order is a file of other values.
        shape = str(self.good.shape)
        self.output.write_bytes(npy(descr=">i4", shape=shape, data=self.good.tobytes()))
        code, out = run("check", self.suite, self.results, "--json", "-")
        self.assertEqual(code, 1, out)
        case = next(c for c in json.loads(out)["cases"] if c["id"] == self.id)
        self.assertEqual(case["verdict"], "fail")

    def test_result_json_that_is_no_such_thing(self):
        path = self.results / self.id / "result.json"
        for words, text in {
                "100 levels": b'{"status": ' + b"[" * 10000,
                "status": b'{"status": "pass"}',
                "twice": b'{"status": "error", "status": "ok"}',
                "NUL": b'{"status": "ok"}\0',
                "line 1": b"\xff\xfe{}",
                "seconds": b'{"status": "ok", "seconds": -1}',
                "bytes": b'{"status": "ok", "message": "' + b"x" * (17 << 20) + b'"}',
        }.items():
            with self.subTest(words):
                path.write_bytes(text)
                self.assertMalformed("result.json", words)
        path.write_bytes(b'{"status": "error", "message": "\\u001b[2J\\u0000' + b"y" * (1 << 20) +
                         b'"}')
        code, out = self.check()
        self.assertEqual(code, 1)
        self.assertNotIn("\x1b", out)
        self.assertLess(len(out), 20000)

    # Suites with right digests, as an attacker would make them.
    def reseal(self, change):
        """Changes case.json, and the digests along with it."""
        directory = self.suite / self.id
        text = change(directory)
        if text is not None:
            (directory / "case.json").write_bytes(text)
        case = (directory / "case.json").read_bytes()
        digest = hashlib.sha256()
        names = sorted(str(p.relative_to(directory)) for p in directory.rglob("*.npy"))
        for name in ["case.json", *names]:
            bytes_ = (directory / name).read_bytes() if name != "case.json" else case
            digest.update(f"{name}\n{len(bytes_)}\n".encode() + bytes_)
        manifest = json.loads((self.suite / "suite.json").read_text())
        everything = hashlib.sha256()
        for entry in manifest["cases"]:
            if entry["id"] == self.id:
                entry["digest"] = digest.hexdigest()
            everything.update(f"{entry['id']}\n{entry['digest']}\n".encode())
        manifest["digest"] = everything.hexdigest()
        (self.suite / "suite.json").write_text(json.dumps(manifest))
        run_json = json.loads((self.results / "run.json").read_text())
        run_json["suite_digest"] = manifest["digest"]
        (self.results / "run.json").write_text(json.dumps(run_json))

    def test_a_resealed_suite_is_accepted(self):
        self.reseal(lambda directory: None)
        code, out = self.check()
        self.assertEqual(code, 0, out)

    def test_bundles_that_name_files_elsewhere(self):
        text = json.dumps(self.case)
        expected = self.case["outputs"][0]["answers"][0]["expected"]
        for bad in ("../" + expected, "/etc/passwd.npy", "a/../../" + expected, "..", "x\u0000.npy",
                    "a" * 300 + ".npy"):
            with self.subTest(bad):
                self.reseal(lambda _, bad=bad: text.replace(
                    json.dumps(expected), json.dumps(bad)).encode())
                self.assertRefused(self.id, "case.json")

    def test_bundles_of_enormous_or_wrong_tensors(self):
        for change in ([1 << 40, 1 << 40], [-1, 2], [0, 2], [1 << 62], [1] * 65, [2.5], ["2"]):
            with self.subTest(str(change)):
                case = json.loads(json.dumps(self.case))
                name = case["outputs"][0]["name"]
                for region in case["graph"]["regions"]:
                    for block in region["blocks"]:
                        for tensor in block["tensors"]:
                            if tensor["name"] == name:
                                tensor["shape"] = change
                case["outputs"][0]["shape"] = change
                self.reseal(lambda _, case=case: json.dumps(case).encode())
                self.assertRefused(self.id)

    def test_json_deep_or_long(self):
        for words, text in {
                "100 levels": b"[" * 10000 + b"]" * 10000,
                "format": b'{"a":' * 50 + b"1" + b"}" * 50,
                "at most 67108864": b'"' + b"x" * (65 << 20) + b'"',
                "line 1": b"",
        }.items():
            with self.subTest(words):
                self.reseal(lambda _, text=text: text)
                self.assertRefused("case.json" if words != "format" else self.id, words)

    def assertHarmless(self, *arguments):
        """Every command's two outputs: text that no terminal obeys."""
        process = subprocess.run([TENSOR_CTS, *map(str, arguments)], stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=60)
        text = process.stdout.decode()  # stray bytes are no UTF-8
        found = sorted({c for c in text if c not in "\n\t" and not c.isprintable() or c in HIDDEN})
        self.assertEqual(found, [], f"{arguments}: {text[:1000]!r}")
        self.assertIn(process.returncode, (0, 1, 2), arguments)
        return text

    def test_texts_of_a_suite_that_drive_a_terminal(self):
        evil = "X\x1b[2J\x07\u009b31m\u202eY\u200b\u2066Z\r\nverdict: pass\u007f"

        def spoil(value, key=None):
            # Every text that means nothing to the program.
            if isinstance(value, dict):
                return {k: spoil(v, k) for k, v in value.items()}
            if isinstance(value, list):
                return [spoil(v, key) for v in value]
            return evil + value if key in ("data_set", "mode", "clause", "condition") else value

        def change(directory):
            case = spoil(self.case)
            case["parameters"] = {evil: evil, "operands": evil}
            case["types"] = {evil: evil}
            return json.dumps(case).encode()

        self.reseal(change)
        manifest = json.loads((self.suite / "suite.json").read_text())
        manifest.update(name=evil, generator=evil, level=evil)
        (self.suite / "suite.json").write_text(json.dumps(manifest))
        run_json = json.loads((self.results / "run.json").read_text())
        run_json["implementation"] = {"name": evil, "version": evil, "about": evil}
        run_json.update(command=evil, host=evil, suite=evil)
        (self.results / "run.json").write_text(json.dumps(run_json))
        (self.results / self.id / "result.json").write_text(json.dumps(
            {"status": "crash", "message": evil, "log": evil, "differs": evil}))
        out = self.root / "out"
        claim = self.root / "claim.json"
        claim.write_text(json.dumps({"format": evil, "implementation": {"name": evil}}))
        suite, results = self.suite, self.results
        report = self.root / "report.json"
        run("check", suite, results, "--json", report)
        calls = [("check", suite, results), ("check", suite, results, "--json", "-"),
                 ("check", suite, results, "--junit", "-"), ("check", suite, results, "--html", "-"),
                 ("check", suite, results, "--diagnose"), ("explain", results, self.id),
                 ("explain", results, self.id, "--suite", suite),
                 ("explain", results, self.id, "--full", "--suite", suite),
                 ("explain", results, self.id, "--python", "--suite", suite),
                 ("coverage", suite), ("coverage", suite, "--json", "-"),
                 ("coverage", suite, "--html", "-"), ("diagnose", suite, results),
                 ("diagnose", suite, results, "--json", "-"),
                 ("gate", "--suite", suite, "--implementation", "builtin:native"),
                 ("merge", results, "--out", out), ("render", suite / self.id),
                 ("eval", suite / self.id), ("export", suite, "--out", out),
                 ("run", suite, "--implementation", "builtin:native", "--out", out),
                 ("shrink", suite, self.id, "--implementation", "builtin:native", "--out", out),
                 ("certify", "--claim", claim, "--key", claim, "--implementation",
                  "builtin:native", "--out", out), ("verify", results),
                 ("gate", "--suite", suite, "--results", results, "--markdown", "-"),
                 ("gate", "--suite", suite, "--results", results, "--sarif", "-", "--sarif-file", report),
                 ("gate", "--suite", suite, "--results", results, "--annotations"),
                 ("check", suite, results, "--filter", evil), ("check", suite, results, "--verbose"),
                 ("check", suite, results, "--declared", claim), ("list", "cases", suite),
                 ("explain", results, self.id, "--suite", suite, "--html", "-"),
                 ("compare", report, report), ("compare", report, report, "--html", "-"),
                 ("compare", report, report, "--json", "-"),
                 ("which", suite / self.id, "--implementation", "builtin:native"),
                 ("resolve", suite / self.id, "--out", out), ("unblind", results, "--answers", claim, "--out", out),
                 ("challenge", "open", "--claim", claim, "--key", claim, "--vendor", claim, "--issuer", evil, "--until", evil, "--out", out),
                 ("challenge", "receive", "--challenge", evil, "--answer", results, "--key", claim),
                 ("import", claim, "--out", out), ("sweep", "--merge", claim), ("help", evil),
                 ("ask", "--operator", evil, "--type", "fp32"),
                 ("judge", "--operator", evil, "--type", evil), ("quantize", evil),
                 (evil,), ("generate", "--recipe", evil),
                 ("check", evil, evil), ("list", evil)]
        shown = 0
        for call in calls:
            with self.subTest(str(call[0])):
                shown += "\\x1b[2J" in self.assertHarmless(*call)
        # The texts do reach the output.
        self.assertGreater(shown, 8)

    def test_manifests_deep_long_or_of_unsafe_ids(self):
        path = self.suite / "suite.json"
        manifest = json.loads(path.read_text())
        for bad in ("../x/y", "/etc/x", "add/../x", "add/.x", "add", "a/b/c", "add/x\u0000"):
            with self.subTest(bad):
                manifest["cases"][0]["id"] = bad
                path.write_text(json.dumps(manifest))
                self.assertRefused("suite.json", "id")
        path.write_text("[" * 10000)
        self.assertRefused("suite.json", "100 levels")
        # A string of 2 GB: one hole in a file that takes no room.
        with open(path, "wb") as f:
            f.write(b'{"name": "')
            f.truncate((1 << 31) + 20)
        self.assertRefused("suite.json", "expected at most")

    def test_zz_peak_memory_stayed_small(self):
        # None of the runs above read 2 GB.
        self.assertLess(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss * 1024, MEMORY)


if __name__ == "__main__":
    TENSOR_CTS = sys.argv.pop(1)
    unittest.main()

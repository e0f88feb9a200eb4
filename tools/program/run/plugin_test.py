#!/usr/bin/python3
"""run --plugin: good plugins, and everything that bad ones do.

Usage: plugin_test.py TENSOR_CTS FAULTY_PLUGIN PLUGIN_WITHOUT_ENTRY
"""
import collections
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

CTS = FAULTY = NO_ENTRY = ""
TOOLS = pathlib.Path(__file__).resolve().parents[2]
BAD = "abs/i32-scalar-run-full-range"  # the case that the faulty plugin is faulty on
# (fault, status, what its message says, options)
FAULTS = [
    ("segv", "crash", "killed by signal 11 .*: Segmentation fault in execute$", []),
    ("stack", "crash", "killed by signal 11 .*: Segmentation fault in execute$", []),
    ("abort", "crash", "killed by signal 6 .*: Aborted in execute$", []),
    ("exit", "crash", "exited with code 3 .*: the plugin called exit in execute$", []),
    ("exit-0", "crash", "exited with code 0 .*: the plugin called exit in execute$", []),
    ("_exit-0", "crash", "exited with code 0 before it answered$", []),
    ("killed", "crash", "killed by signal 9", []),
    ("throws", "crash", r": a C\+\+ exception came out of execute: weights \\x1b\[31mlost$", []),
    ("throws-number", "crash", r"a C\+\+ exception, or the end of the thread, came out of execute$",
     []),
    ("ends-thread", "crash", "or the end of the thread, came out of execute$", []),
    # Undefined: into the frame of a function that is over. It may look as if execute had returned.
    ("longjmp", ("crash", "protocol"), "", []),
    ("hangs", "timeout", "no answer within 5 seconds", ["--timeout", 5]),
    ("thread-crashes", "crash", "Segmentation fault in execute$", []),
    ("thread-throws", "crash", "Aborted in execute$", []),
    ("memory", "crash", "used more than 600 MB", ["--memory", 600]),
    ("overrun", "protocol", r"execute wrote at byte 4 of output 0 \(output\), which has 4 bytes", []),
    ("overrun-far", "crash", r"Segmentation fault in execute, at an address \d+ bytes behind the "
     r"end of output 0 \(output\)$", []),
    ("underrun", "protocol", r"execute wrote 1 bytes before output 0 \(output\)", []),
    ("underrun-far", "crash", "Segmentation fault in execute", []),
    ("reads-behind", "crash", r"Segmentation fault .* bytes behind the end of input 0 \(input1\)$",
     []),
    ("writes-input", "crash", r"Segmentation fault in execute, which wrote to input 0 \(input1\)$",
     []),
    ("frees-output", "crash", "", []),
    ("closes", "crash", "the plugin closed descriptors of its host$", []),
    ("writes-graph", "crash", "Segmentation fault in execute, which wrote to the graph$", []),
    ("writes-late", "crash", r"Segmentation fault in free, which wrote to output 0 \(output\) after execute "
     "had returned$", []),
    ("prepare-throws", "crash", r"a C\+\+ exception came out of prepare: no kernel$", []),
    ("prepare-crashes", "crash", "killed by signal 8 .* in prepare$", []),
    ("prepare-status", "protocol", r"prepare returned the status -7, expected one from 0 \(OK\)", []),
    ("execute-status", "protocol", "execute returned the status 42, expected", []),
    ("free-throws", "crash", r"a C\+\+ exception came out of free: not mine$", []),
    ("free-crashes", "crash", "Aborted in free$", []),
    ("fails", "crash", r"prepare returned TENSOR_CTS_FAILED: the device is gone$", []),
    ("wild-error-text", "crash", "Segmentation fault in error_text$", []),
    ("null-error-text", "error", "^$", []),
    ("endless-error-text", "error", "^x{4096}$", []),
    ("written-unset", "protocol", r"did not set `written` of output 0 \(output\)$", []),
    ("written-odd", "protocol", r"wrote 3 bytes to output 0 \(output\), expected 4$", []),
    ("written-more", "protocol", r"wrote 8 bytes to output 0 \(output\), expected 4$", []),
    ("written-garbage", "protocol", "wrote 18446744073709551608 bytes to output 0", []),
]
LOAD_FAULTS = [
    ("load-null", "tensor_cts_plugin returned NULL, expected a table: it does not know version 1"),
    ("load-newer", "found a table of version 2 of the interface, expected 1"),
    ("load-older", "found a table of version 0 of the interface, expected 1"),
    ("load-wild", "signal 11 .*: Segmentation fault in tensor_cts_plugin or the table"),
    ("load-no-prepare", "table: prepare: found NULL, expected a function"),
    ("load-no-execute", "table: execute: found NULL, expected a function"),
    ("load-no-error-text", "table: error_text: found NULL, expected a function"),
    ("load-no-free", "table: free: found NULL, expected a function"),
    ("load-no-name", "table: name: found NULL, expected a text"),
    ("load-empty-version", "table: version: found an empty text, expected"),
    ("load-endless-name", "table: name: found a longer text, expected a text of 1 to 200 bytes"),
    ("load-deceives", 'name: found "f\u0430ulty", expected letters of scripts that do not look alike'),
    ("load-wild-name", "Segmentation fault in the reading of its name"),
    ("load-endless-about", "table: about: found a longer text"),
    ("load-throws", r"a C\+\+ exception came out of tensor_cts_plugin .*: no device"),
    ("load-aborts", "signal 6 .*: Aborted in tensor_cts_plugin"),
    ("load-declares-text", "tensor_cts_plugin_declared: line 1, column 1: .*; expected a JSON object as schemas/"),
    ("load-declares-wrongly", 'tensor_cts_plugin_declared: /: missing required member "edition"'),
    ("load-declares-unknown", 'declared: /operators/0: found "ABBS", expected an operator of tosa-1.0; the nearest: ABS'),
    ("load-declares-endlessly", "tensor_cts_plugin_declared: found a longer text, expected a JSON object"),
    ("load-declares-wildly", "signal 6 .*: Aborted in tensor_cts_plugin_declared"),
    ("load-exits", "exited with code 0: the plugin called exit in tensor_cts_plugin"),
]


def cts(*arguments, fault=None):
    environment = dict(os.environ)
    environment.pop("PLUGIN_FAULT", None)
    if fault is not None:
        environment["PLUGIN_FAULT"] = fault
    done = subprocess.run([CTS, *map(str, arguments)], env=environment, timeout=300,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def load(path):
    return json.loads(pathlib.Path(path).read_text())


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="plugin-"))
        cls.suite = cls.root / "suite"
        code, out, err = cts("generate", "--recipe", "smoke", "--operator", "ABS", "--out", cls.suite)
        assert code == 0, out + err
        cls.ids = [case["id"] for case in load(cls.suite / "suite.json")["cases"]]
        assert BAD in cls.ids, cls.ids
        code, out, err = cls.run_faulty("", "good")
        assert code == 0, out + err
        cls.good = {id: load(cls.root / "good" / id / "result.json") for id in cls.ids}
        assert cls.good[BAD]["status"] == "ok", cls.good[BAD]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def run_faulty(cls, fault, out, *options):
        return cts("run", cls.suite, "--plugin", FAULTY, "--jobs", 2, "--out", cls.root / out,
                   *options, fault=fault)

    def test_what_a_plugin_does_wrong_is_a_result_and_the_rest_runs_on(self):
        for fault, status, message, options in FAULTS:
            with self.subTest(fault):
                out = "fault-" + fault
                code, said, err = self.run_faulty(fault, out, *options)
                self.assertEqual(code, 0, said + err)
                for id in self.ids:
                    result = load(self.root / out / id / "result.json")
                    if id == BAD:
                        self.assertIn(result["status"], (status,) if isinstance(status, str) else status, result)
                        self.assertRegex(result.get("message", ""), re.compile(message), result)
                        self.assertFalse((self.root / out / id / "output.npy").exists())
                    else:
                        self.assertEqual(result["status"], self.good[id]["status"], id)
                        if result["status"] == "ok":
                            self.assertEqual((self.root / out / id / "output.npy").read_bytes(),
                                             (self.root / "good" / id / "output.npy").read_bytes())
                run = load(self.root / out / "run.json")
                self.assertTrue(run["complete"])
                self.assertNotIn("unexplained", run)
                shutil.rmtree(self.root / out)

    def test_executions_follow_each_other_on_what_was_prepared_once(self):
        suite, results, report = (self.root / name for name in ("variables", "by-plugin", "v.json"))
        for command in (["generate", "--recipe", "smoke", "--operator", "VARIABLE_READ", "--out", suite],
                        ["run", suite, "--plugin", FAULTY, "--out", results]):
            code, out, err = cts(*command)
            self.assertEqual(code, 0, out + err)
        cts("check", suite, results, "--json", report)
        valid = [case for case in load(report)["cases"] if case["expected"] == "valid"]
        self.assertEqual({case["verdict"] for case in valid}, {"pass"}, valid)
        self.assertTrue(list(results.glob("*/*/after.2.npy")))

    def test_what_it_prints_is_log_and_no_answer(self):
        for fault, logged in (("prints", '"status": "unsupported"'), ("forks-well", None),
                              ("forks", "the plugin forked in execute, and its child returned"),
                              ("forks-late", None)):
            code, out, err = self.run_faulty(fault, fault)
            self.assertEqual(code, 0, out + err)
            result = load(self.root / fault / BAD / "result.json")
            self.assertEqual(result["status"], "ok")
            self.assertIn(logged or "", result.get("log", ""))
            # A process that the plugin forked changes no result.
            for id in self.ids:
                self.assertEqual(load(self.root / fault / id / "result.json")["status"], self.good[id]["status"])
            self.assertNotIn("unexplained", load(self.root / fault / "run.json"))
        # Before the announcement, too.
        code, out, err = self.run_faulty("load-prints", "load-prints")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(load(self.root / "load-prints" / "run.json")["implementation"]["name"], "faulty")

    def test_an_output_that_is_not_written_is_missing(self):
        code, out, err = self.run_faulty("written-none", "none")
        self.assertEqual(code, 0, out + err)
        report = self.root / "none.json"
        code, out, err = cts("check", self.suite, self.root / "none", "--json", report)
        self.assertEqual(code, 1)
        verdicts = {case["id"]: case["verdict"] for case in load(report)["cases"]}
        self.assertEqual(verdicts[BAD], "missing")

    def test_a_plugin_that_does_not_load_ends_with_code_2(self):
        for fault, message in LOAD_FAULTS:
            with self.subTest(fault):
                code, out, err = self.run_faulty(fault, "never")
                self.assertEqual(code, 2, out + err)
                self.assertRegex(err, message)
                self.assertIn(FAULTY, err)
                self.assertFalse((self.root / "never").exists())

    def test_what_a_plugin_declares_and_does_not_answer_is_wrong(self):
        code, out, err = self.run_faulty("declares", "declares")
        self.assertEqual(code, 0, out + err)
        declared = load(self.root / "declares/run.json")["implementation"]["declared"]
        self.assertEqual((declared["operators"], declared["types"]), (["ABS"], ["i32", "fp32"]))
        self.assertNotIn("declared", load(self.root / "good/run.json")["implementation"])
        code, out, err = cts("check", self.suite, self.root / "declares", "--json", self.root / "declares.json")
        self.assertEqual(code, 1, out + err)
        self.assertIn("declared by     the implementation\n", out)
        report = load(self.root / "declares.json")
        for case in report["cases"]:
            if case["expected"] == "valid":
                self.assertEqual(case["declared"], case["types"]["in_out_t"] in ("i32", "fp32"), case)
        owed = [case for case in report["cases"] if case["verdict"] == "unsupported" and case["declared"]]
        self.assertEqual(report["standings"]["declared_not_answered"], len(owed))
        _, undeclared, _ = cts("check", self.suite, self.root / "good")
        self.assertNotIn("declared", undeclared)

    def test_certify_refuses_another_name_before_it_makes_the_suite(self):
        key, claim = self.root / "key.pem", self.root / "claim.json"
        subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", str(key)], check=True)
        for name, version, words in (("other", "0.1", 'name: found "faulty", expected "other" as in'),
                                     ("faulty", "0.2", 'version: found "0.1", expected "0.2" as in')):
            claim.write_text(json.dumps({
                "format": "tensor-cts-claim-1", "name": name, "version": version, "vendor": "v",
                "hardware": "h", "edition": "tosa-1.0", "profiles": ["PRO-INT", "PRO-FP"],
                "extensions": [], "level": "8K"}))
            start = time.monotonic()
            code, out, err = cts("certify", "--claim", claim, "--key", key, "--plugin", FAULTY,
                                 "--out", self.root / "evidence")
            self.assertEqual(code, 2, out + err)
            self.assertIn(words, err)
            self.assertIn(str(claim), err)
            self.assertLess(time.monotonic() - start, 4)  # the suite takes longer
            self.assertEqual(list(self.root.glob("evidence*")), [])

    def test_a_plugin_that_hangs_while_it_loads_is_given_up(self):
        start = time.monotonic()
        code, _, err = self.run_faulty("load-hangs", "never", "--timeout", 1)
        self.assertEqual(code, 2)
        self.assertIn("did not load it within 1 seconds (--timeout)", err)
        self.assertLess(time.monotonic() - start, 60)

    def test_a_file_that_is_no_plugin_is_named_with_the_reason(self):
        text = self.root / "text.so"
        text.write_text("no library\n")
        lines = [(text, "cannot be loaded: .*(invalid ELF header|too short).*ldd"),
                 (self.root / "absent.so", "absent.so: found no such file.*expected the shared library"),
                 (self.root, "found no regular file"),
                 (NO_ENTRY, "found no function tensor_cts_plugin in it.*nm -D"),
                 (self.root / "libcts_onednn.so", "apt-get install .*libdnnl-dev")]
        for path, message in lines:
            with self.subTest(path):
                code, out, err = cts("run", self.suite, "--plugin", path, "--out", self.root / "never")
                self.assertEqual(code, 2, out + err)
                self.assertRegex(err, message)
                self.assertFalse((self.root / "never").exists())

    def test_one_implementation_at_a_time(self):
        for more in (["--adapter", "true"], ["--implementation", "builtin:native"], ["--worker"]):
            code, out, err = cts("run", self.suite, "--plugin", FAULTY, *more, "--out",
                                 self.root / "never")
            self.assertEqual(code, 2, out + err)
            self.assertRegex(err, "--plugin|--worker")
        code, _, err = cts("run", self.suite, "--out", self.root / "never")
        self.assertEqual(code, 2)
        self.assertIn("--plugin LIB.so", err)

    def test_the_record_names_the_library(self):
        run = load(self.root / "good" / "run.json")
        self.assertEqual(run["command"], "plugin:" + FAULTY)
        self.assertEqual(run["implementation"],
                         {"name": "faulty", "version": "0.1", "about": "none to speak of"})
        digest = hashlib.sha256(pathlib.Path(FAULTY).read_bytes()).hexdigest()
        self.assertEqual(run["adapter_files"], [{"path": FAULTY, "sha256": digest}])
        code, out, err = cts("explain", self.root / "good", BAD)
        self.assertIn(f"--plugin {FAULTY} ", out + err)

    def test_shards_repeats_and_resumed_runs(self):
        parts = [self.root / f"part{i}" for i in (1, 2)]
        for i, part in enumerate(parts, 1):
            code, out, err = self.run_faulty("", part.name, "--shard", f"{i}/2", "--repeat", 2)
            self.assertEqual(code, 0, out + err)
        code, out, err = cts("merge", *parts, "--out", self.root / "merged")
        self.assertEqual(code, 0, out + err)
        for id in self.ids:
            self.assertEqual(load(self.root / "merged" / id / "result.json")["status"],
                             self.good[id]["status"])
        # Gone on with, all there; but not by another library.
        code, out, err = self.run_faulty("", "part1", "--shard", "1/2", "--repeat", 2, "--resume")
        self.assertEqual(code, 0, out + err)
        other = self.root / "other.so"
        shutil.copy(FAULTY, other)
        code, _, err = cts("run", self.suite, "--plugin", other, "--shard", "1/2", "--out", parts[0],
                           "--resume")
        self.assertEqual(code, 2)
        self.assertIn("holds results of", err)

    def test_gate_runs_plugins(self):
        code, out, err = cts("gate", "--suite", self.suite, "--plugin", FAULTY, "--write-baseline",
                             self.root / "baseline.json")
        self.assertEqual(code, 1, out + err)
        code, out, err = cts("gate", "--suite", self.suite, "--plugin", FAULTY, "--baseline",
                             self.root / "baseline.json")
        self.assertEqual(code, 0, out + err)
        code, out, err = cts("gate", "--suite", self.suite, "--plugin", FAULTY, "--baseline",
                             self.root / "baseline.json", fault="abort")
        self.assertEqual(code, 1, out + err)
        self.assertIn("i32-scalar", out)

    def test_one_case_runs_for_a_debugger(self):
        results = self.root / "once"
        results.mkdir()
        code, out, err = cts("plugin-host", FAULTY, self.suite / BAD, results)
        self.assertEqual(code, 0, out + err)
        self.assertEqual(json.loads(out), {"case": BAD.split("/")[1], "status": "ok"})
        self.assertTrue((results / "output.npy").exists())
        self.assertNotIn("plugin-host", cts("--help")[1])


class Example(unittest.TestCase):
    """tools/examples/plugin over smoke: what it offers, and graphs of every other kind."""

    OPERATORS = ("ABS", "ADD", "SUB", "MUL", "CONV2D", "CONST", "CONCAT", "COND_IF", "VARIABLE",
                 "VARIABLE_WRITE", "RESHAPE", "FFT2D")

    def test_what_it_offers_is_right_and_of_the_rest_it_says_so(self):
        with tempfile.TemporaryDirectory(prefix="plugin-example-") as root:
            root = pathlib.Path(root)
            (root / "include/tensor-cts").mkdir(parents=True)
            shutil.copy(TOOLS / "adapters/plugin.h", root / "include/tensor-cts")
            source = TOOLS / "examples/plugin/plugin.c"
            self.assertLess(len(source.read_text().splitlines()), 150)
            subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-Werror", "-pedantic", "-O1",
                            "-fvisibility=hidden", "-shared", "-fPIC", "-I", root / "include", source,
                            "-o", root / "libplugin.so"], check=True)
            suite, results, report = root / "smoke", root / "results", root / "report.json"
            operators = [word for name in self.OPERATORS for word in ("--operator", name)]
            for command in (["generate", "--recipe", "smoke", *operators, "--out", suite],
                            ["run", suite, "--plugin", root / "libplugin.so", "--out", results]):
                code, out, err = cts(*command)
                self.assertEqual(code, 0, out + err)
            code, out, err = cts("check", suite, results, "--json", report)
            self.assertEqual(code, 1, out + err)
            verdicts = collections.Counter()
            for case in load(report)["cases"]:
                offered = (case["operator"] in ("ABS", "ADD", "SUB") and
                           set(case["types"].values()) <= {"i32", "fp32"})
                verdicts[offered, case["expected"], case["verdict"]] += 1
            # It lacks only broadcasting of what it offers.
            self.assertEqual(set(verdicts) & {(True, "valid", v) for v in ("fail", "missing", "crash")},
                             set(), verdicts)
            self.assertGreaterEqual(verdicts[True, "valid", "pass"], 20, verdicts)
            for (_, expected, verdict) in verdicts:
                self.assertIn(verdict, ("pass", "unsupported"), verdicts)


if __name__ == "__main__":
    CTS, FAULTY, NO_ENTRY = [os.path.abspath(path) for path in sys.argv[1:4]]
    del sys.argv[1:4]
    unittest.main()

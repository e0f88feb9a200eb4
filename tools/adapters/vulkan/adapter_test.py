#!/usr/bin/python3
"""The Vulkan adapter's way with cases, with a stand-in for the library of Vulkan (tools/develop/testdata/stub_vulkan.cc).

adapter_test.py TENSOR_CTS TENSOR_CTS_VULKAN FOLDER_OF_THE_STAND_IN
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
CTS, ADAPTER, STUB = (pathlib.Path(sys.argv.pop(1)).resolve() for _ in range(3))
STUB = STUB / "libstub_vulkan.so"


def run(*arguments, **environment):
    return subprocess.run([str(a) for a in arguments], capture_output=True, text=True, timeout=120,
                          env={**os.environ, **environment})


class Adapter(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="vulkan-")
        cls.root = pathlib.Path(cls.temporary.name)
        made = run(CTS, "generate", "--recipe", "smoke", "--operator", "IDENTITY", "--operator",
                   "BITWISE_NOT", "--operator", "VARIABLE", "--out", cls.root / "suite")
        assert made.returncode == 0, made.stderr
        cls.ids = [case["id"] for case in
                   json.loads((cls.root / "suite/suite.json").read_text())["cases"]]

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def results(self, name, *patterns, options="", **environment):
        out = self.root / name
        filters = [word for pattern in patterns for word in ("--filter", pattern)]
        done = run(CTS, "run", self.root / "suite", "--adapter", f"{ADAPTER} --library {STUB} {options}",
                   "--worker", "--jobs", "1", *filters, "--out", out, **environment)
        self.assertEqual(done.returncode, 0, done.stderr)
        run_json = json.loads((out / "run.json").read_text())
        return run_json, {path.parent.relative_to(out).as_posix(): json.loads(path.read_text())
                          for path in out.rglob("result.json")}

    def test_bytes_go_there_and_back_also_of_what_was_lowered(self):
        run_json, results = self.results("right", "identity/*i8-*run*", "identity/*i4-*run*",
                                         "identity/*i32-*run*",
                                         options="--session-offset 2")
        self.assertEqual(run_json["implementation"]["version"], "Stub 9000, driver 3.1.4")
        self.assertEqual({result["status"] for result in results.values()}, {"ok", "unsupported"})
        passed = run(CTS, "check", self.root / "suite", self.root / "right", "--json", "-")
        cases = [case for case in json.loads(passed.stdout)["cases"] if case["id"] in results]
        right = [case["id"] for case in cases if case["verdict"] == "pass"]
        self.assertEqual([case["id"] for case in cases if case["verdict"] not in ("pass", "unsupported")], [])
        # More than one case of i8, i4 (as i8), i32; those without dimensions, too.
        for types in ("i8", "i4", "i32"):
            self.assertGreater(sum(f"{types}-" in id for id in right), 1, right)

    def test_limits_and_types_of_the_device_are_told_apart_from_faults(self):
        _, results = self.results("limits", "identity/*", "variable/*", "bitwise_not/error-*")
        messages = {result["message"] for result in results.values()
                    if result["status"] == "unsupported"}
        self.assertIn("the device has no tensors of fp16 for graphs", messages)
        for part in ("dimensions, above the device's 4", "TOSA.001000.1 has no instruction for it",
                     "and a driver owes nothing for a module that is not valid"):
            self.assertTrue(any(part in message for message in messages), (part, messages))

    def test_what_goes_wrong_costs_one_case_and_says_why(self):
        for how, status, message in (
                ("refused", "error", "vkCreateDataGraphPipelinesARM: VK_ERROR_INITIALIZATION_FAILED (-3)"),
                ("memory", "unsupported",
                 "vkCreateDataGraphPipelinesARM: VK_ERROR_OUT_OF_DEVICE_MEMORY (-2)"),
                ("lost", "crash", "vkQueueSubmit: VK_ERROR_DEVICE_LOST (-4)"),
                ("abort", "crash", "signal 6")):
            _, results = self.results(how, "bitwise_not/i8-*", STUB_VULKAN=how)
            results = [result for result in results.values()
                       if "above the device's" not in result.get("message", "")]
            self.assertGreater(len(results), 1)
            for result in results:
                self.assertEqual(result["status"], status, result)
                self.assertIn(message, result["message"] + result.get("log", ""), result)

    def test_every_axis_gives_the_same_bytes(self):
        _, results = self.results("axes", "identity/*i8-*run*", "identity/*i32-*run*",
                                  options="--axes all,graph --creation-log")
        right = [result for result in results.values() if result["status"] == "ok"]
        self.assertGreater(len(right), 2)
        self.assertEqual({result["message"] for result in right}, {'CREATION_LOG "stub: 1 operator"'})
        passed = run(CTS, "check", self.root / "suite", self.root / "axes", "--json", "-")
        verdicts = {case["id"]: case["verdict"] for case in json.loads(passed.stdout)["cases"]}
        self.assertEqual({verdicts[id] for id, result in results.items() if result["status"] == "ok"}, {"pass"})

    def test_a_difference_between_two_ways_names_the_axis_and_the_element(self):
        faults = ("strided", "optimal", "offset", "repeated", "sessions", "cached", "bindings", "sets", "poison")
        for fault, axis in [*((axis, axis) for axis in faults), ("unwritten", "poison")]:
            _, results = self.results(f"axis-{fault}", "identity/*i8-*run*", options="--axes all", STUB_VULKAN=fault)
            told = [result for result in results.values() if result["status"] == "protocol"]
            self.assertGreater(len(told), 0, (fault, results))
            for result in told:
                self.assertRegex(result["message"], f"axis {axis}: .*element 0 of output is 0x.., expected the same "
                                 "bytes, 0x..")
            self.assertEqual({result["status"] for result in results.values()}, {"protocol", "unsupported"})

    def test_an_axis_that_the_device_lacks_is_told_and_no_difference(self):
        _, results = self.results("plain", "identity/*i8-*run*", options="--axes strided,optimal,cached",
                                  STUB_VULKAN="plain")
        right = {result["message"] for result in results.values() if result["status"] == "ok"}
        self.assertEqual(right, {"not offered: axis strided: the device has no tensorNonPacked; "
                                 "axis optimal: the queue family 0 copies no tensors"})
        _, results = self.results("plain-strided", "identity/*i8-*run*", options="--tiling strided",
                                  STUB_VULKAN="plain")
        self.assertEqual({result["status"] for result in results.values()}, {"unsupported"})

    def test_the_first_way_may_be_another(self):
        for options in ("--tiling strided", "--tiling optimal", "--no-ahead --tiling optimal --axes repeated"):
            name = options.replace(" ", "")
            _, results = self.results(name, "identity/*i32-*run*", options=options)
            passed = run(CTS, "check", self.root / "suite", self.root / name, "--json", "-")
            verdicts = {case["id"]: case["verdict"] for case in json.loads(passed.stdout)["cases"]}
            self.assertGreater(sum(verdicts[id] == "pass" for id in results), 1)
            self.assertEqual({verdicts[id] for id in results} - {"pass", "unsupported"}, set())

    def test_it_says_what_the_device_offers(self):
        run_json, _ = self.results("declared", "bitwise_not/i8-*", STUB_VULKAN_NAMES="tosa")
        declared = run_json["implementation"]["declared"]
        self.assertEqual(declared["profiles"], ["PRO-INT"])
        self.assertEqual(declared["extensions"], ["EXT-INT16"])
        self.assertEqual(declared["types"], ["i8", "i32", "i4"])  # i4 is lowered to i8
        # The stand-in calls its profile conformant, and its extension experimental.
        self.assertEqual(declared["conformant"], ["PRO-INT"])
        self.assertIs(declared["illegal_graphs"], False)
        self.assertEqual(declared["limits"], {"rank": 4, "dimension": 1000, "elements": 1000})
        claim = self.root / "claim.json"
        done = run(ADAPTER, "--library", STUB, "--write-claim", claim, STUB_VULKAN_NAMES="tosa")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("profile PRO-INT, conformant", done.stderr)
        claim = json.loads(claim.read_text())
        self.assertEqual((claim["profiles"], claim["extensions"], claim["level"], claim["hardware"]),
                         (["PRO-INT"], ["EXT-INT16"], "8K", "Stub 9000"))
        self.assertEqual(claim["declared"]["conformant"], ["PRO-INT"])
        # certify takes no other name and version than those that the device announces.
        self.assertEqual({member: claim[member] for member in ("name", "version")},
                         {member: run_json["implementation"][member] for member in ("name", "version")})

    def test_a_device_without_profiles_is_asked_what_the_instruction_set_has_words_for(self):
        run_json, _ = self.results("unnamed", "bitwise_not/i8-*")
        declared = run_json["implementation"]["declared"]
        self.assertEqual(declared["profiles"], ["PRO-INT", "PRO-FP"])
        self.assertLess({"EXT-INT4", "EXT-INT16", "EXT-BF16", "EXT-FFT"}, set(declared["extensions"]))
        self.assertFalse({"EXT-CONTROLFLOW", "EXT-VARIABLE", "EXT-DYNAMIC"} & set(declared["extensions"]))

    def test_a_device_with_an_extension_alone_is_asked_for_no_other(self):
        run_json, _ = self.results("extension", "bitwise_not/i8-*", STUB_VULKAN_NAMES="extension")
        declared = run_json["implementation"]["declared"]
        self.assertEqual((declared["profiles"], declared["extensions"]), (["PRO-INT", "PRO-FP"], ["EXT-INT16"]))
        claim = self.root / "extension.json"
        done = run(ADAPTER, "--library", STUB, "--write-claim", claim, STUB_VULKAN_NAMES="extension")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the device names no profile of tosa-1.0, but Something else", done.stderr)

    def test_a_device_is_held_to_what_it_calls_conformant(self):
        def findings(name, **environment):
            _, results = self.results(name, "bitwise_not/*", **environment)
            checked = run(CTS, "check", self.root / "suite", self.root / name, "--filter", "bitwise_not/*", "--json", "-")
            report = json.loads(checked.stdout)
            # A bare driver owes no error, and what it does not get is no fault of its.
            illegal = {case["declared"] for case in report["cases"] if case["expected"] == "error"}
            self.assertEqual(illegal, {False})
            return [finding["message"] for finding in report["findings"] if finding["kind"] == "not_as_announced"]

        self.assertEqual(findings("silent"), [])  # it names no profile of TOSA
        message, = findings("contradicted", STUB_VULKAN_NAMES="tosa", STUB_VULKAN="refused")
        self.assertRegex(message, r"^conformant according to the implementation: PRO-INT; but \d+ cases of that are wrong,")

    def test_a_claim_needs_a_profile_of_the_device_or_of_a_file(self):
        claim = self.root / "unnamed.json"
        done = run(ADAPTER, "--library", STUB, "--write-claim", claim)
        self.assertEqual(done.returncode, 2)
        self.assertIn("the device names no profile of tosa-1.0, but Something else; give --declared FILE", done.stderr)
        self.assertFalse(claim.exists())
        declared = self.root / "declared.json"
        declared.write_text('{"format": "tensor-cts-declared-1", "edition": "tosa-1.0", "profiles": ["PRO-INT"]}')
        done = run(ADAPTER, "--library", STUB, "--declared", declared, "--write-claim", claim)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(claim.read_text())["profiles"], ["PRO-INT"])

    def test_what_is_missing_is_one_line(self):
        for arguments, environment, message in (
                (["--library", "/none/libvulkan.so"], {}, "install it: apt-get install libvulkan1"),
                (["--library", "libm.so.6"], {},
                 "libm.so.6: found no vkGetInstanceProcAddr, expected a loader of Vulkan"),
                (["--library", STUB], {"STUB_VULKAN": "none"},
                 "found no device with a queue for TOSA.001000.1, among: 0 Stub 9000"),
                (["--library", STUB, "--device", "GPU"], {}, 'and "GPU" in its name'),
                (["--library", STUB, "--engine", "foreign"], {}, "on the engine foreign"),
                (["--axes", "sideways"], {}, "found sideways, expected all, strided"),
                (["--tiling", "brick"], {}, "found brick, expected packed, strided or optimal"),
                (["--constants", "some"], {}, "found some, which is no way")):
            done = run(ADAPTER, *arguments, "--worker", **environment)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertEqual(done.stdout, "")
            self.assertIn(message, done.stderr)


# A worker in the place of a validator or a device. "judge" refuses illegal graphs, "every" refuses everything, "none"
# nothing; "mute" offers nothing; "dies" ends; "other" answers for another case; "chats" gives no answer, "curt" no
# status; "device" has the right values and, as a bare driver, no word on illegal graphs.
MEMBER = """
import json, pathlib, shutil, signal, sys
signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # the caller may have gone
how = sys.argv[1]
illegal_graphs = {"illegal_graphs": False} if how == "device" else {}
print(json.dumps({"worker": how, "version": "1", "batch": 3, "declared": {
    "format": "tensor-cts-declared-1", "edition": "acme-0.1", "profiles": ["BASE"], **illegal_graphs}}), flush=True)
for line in sys.stdin:
    request = json.loads(line)
    case_dir = pathlib.Path(request["case_dir"])
    illegal = json.loads((case_dir / "case.json").read_text())["outcome"] == "error"
    status = "unsupported" if illegal else "ok"
    if how == "dies":
        sys.exit(1)
    if how == "other":
        request["case"] = "none/such"
    if how == "chats":
        print("hello", flush=True)
    if how == "curt":
        print(json.dumps({"case": request["case"]}), flush=True)
    if how != "device":
        status = "unsupported" if how == "mute" else "accepted"
        if how == "every" or (how == "judge" and illegal):
            status = "error"
    elif not illegal:
        for file in (case_dir / "expected").glob("*.npy"):
            shutil.copy(file, request["result_dir"])
    print(json.dumps({"case": request["case"], "status": status}), flush=True)
"""


class Validated(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        """Two operators of an edition of few cases, and a key."""
        cls.temporary = tempfile.TemporaryDirectory(prefix="validated-")
        cls.root = pathlib.Path(cls.temporary.name)
        (cls.root / "member.py").write_text(MEMBER)
        acme = HERE.parents[1] / "develop/testdata/acme"
        cls.edition = cls.root / "acme-0.1.json"
        for file, member, name in (("acme-0.1.json", "operators", "name"),
                                   ("precision/acme-0.1.json", "rows", "operator")):
            content = json.loads((acme / file).read_text())
            content[member] = [row for row in content[member] if row[name] in ("CONST", "V_ABS")]
            (cls.root / file).parent.mkdir(exist_ok=True)
            (cls.root / file).write_text(json.dumps(content))
        made = run("openssl", "genpkey", "-algorithm", "ed25519", "-out", cls.root / "key.pem")
        assert made.returncode == 0, made.stderr

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def member(self, how):
        return f"{sys.executable} {self.root / 'member.py'} {how}"

    def command(self, *validators, device):
        asked = " ".join(f'--validator "{validator}"' for validator in validators)
        return f'{sys.executable} {HERE / "validated.py"} {asked} --device "{device}"'

    def certify(self, name, adapter, version):
        claim = self.root / f"{name}.json"
        claim.write_text(json.dumps({
            "format": "tensor-cts-claim-1", "name": "device", "version": version, "vendor": "v", "hardware": "h",
            "edition": "acme-0.1", "profiles": ["BASE"], "extensions": [], "level": "8K"}))
        return run(CTS, "--edition-file", self.edition, "certify", "--claim", claim, "--adapter", adapter, "--worker",
                   "--key", self.root / "key.pem", "--jobs", "2", "--out", self.root / name)

    def test_a_right_device_gets_its_certificate_behind_a_validator_alone(self):
        bare = self.certify("bare", self.member("device"), "1")
        self.assertEqual(bare.returncode, 1, bare.stderr)
        self.assertRegex(bare.stdout, r"NOT CONFORMANT: 0 wrong, \d+ not supported, ")
        for name, validators, code in (("judge", ["judge"], 0), ("two", ["mute", "judge"], 0),
                                       ("every", ["every"], 1), ("none", ["none"], 1)):
            behind = ", ".join(f"{validator} 1" for validator in validators)
            done = self.certify(name, self.command(*map(self.member, validators), device=self.member("device")),
                                f"1, behind {behind}")
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            self.assertIn(f"says {'PASSED' if code == 0 else 'FAILED'}", done.stdout)
        # A validator's refusal is the answer, even for a legal graph; all other graphs go to the device.
        every, none = (json.loads((self.root / name / "report.json").read_text())["cases"] for name in ("every", "none"))
        self.assertEqual({case["verdict"] for case in every if case["expected"] == "error"}, {"pass"})
        self.assertEqual({case["verdict"] for case in every if case["expected"] != "error"}, {"wrong_outcome"})
        self.assertEqual({case["verdict"] for case in none if case["expected"] == "error"}, {"unsupported"})
        # The road owes errors, whatever the device declares.
        self.assertEqual({case["declared"] for case in none}, {True})

    def test_another_name_than_the_claimed_is_refused(self):
        done = self.certify("name", self.command(self.member("judge"), device=self.member("device")), "1")
        self.assertEqual(done.returncode, 2)
        self.assertIn("1, behind judge 1", done.stderr)

    def test_the_claim_of_the_device_names_the_validators(self):
        claim = self.root / "claim.json"
        adapter = self.command(self.member("judge"), device=f"{ADAPTER} --library {STUB}")
        done = run("sh", "-c", f"{adapter} --write-claim {claim}", STUB_VULKAN_NAMES="tosa")
        self.assertEqual(done.returncode, 0, done.stderr)
        written = json.loads(claim.read_text())
        self.assertEqual((written["name"], written["version"]), ("vulkan", "Stub 9000, driver 3.1.4, behind judge 1"))
        self.assertNotIn("illegal_graphs", written["declared"])
        self.assertEqual(written["declared"]["conformant"], ["PRO-INT"])
        done = run("sh", "-c", f"{adapter} --write-claim {claim}")
        self.assertEqual(done.returncode, 2)
        self.assertIn("the device names no profile of tosa-1.0", done.stderr)
        # No claim of the device alone remains if a validator is broken.
        claim.unlink()
        adapter = self.command("false", device=f"{ADAPTER} --library {STUB}")
        done = run("sh", "-c", f"{adapter} --write-claim {claim}", STUB_VULKAN_NAMES="tosa")
        self.assertEqual((done.returncode, done.stderr), (2, "false: ended with 1 before it said its name\n"))
        self.assertFalse(claim.exists())

    def test_the_program_behind_env_is_announced(self):
        program = self.root / "program"
        program.write_text(f"#!{sys.executable}\n{MEMBER}")
        program.chmod(0o755)
        adapter = self.command("env X=Y program judge", device=self.member("device"))
        done = run("sh", "-c", f"{adapter} --worker </dev/null", PATH=f"{self.root}:{os.environ['PATH']}")
        self.assertEqual(done.returncode, 0, done.stderr)
        code = json.loads(done.stdout)["code"]
        self.assertLessEqual({str(program), str(self.root / "member.py"), str(HERE / "validated.py")}, {*code})

    def test_a_member_that_is_missing_or_dies_or_breaks_the_protocol_is_told(self):
        suite = self.root / "suite"
        made = run(CTS, "--edition-file", self.edition, "generate", "--recipe", "smoke", "--edition", "acme-0.1", "--out", suite)
        self.assertEqual(made.returncode, 0, made.stderr)
        for name, validator, code, words in (("missing", "/none/validator", 2, "/none/validator: ended with"),
                                             ("echo", "echo hello", 2, "echo hello: found 'hello --worker\\n', expected"),
                                             ("nameless", "echo {} #", 2, "echo {} #: found '{}\\n', expected"),
                                             ("dies", self.member("dies"), 0, "dies ended with 1"),
                                             ("chats", self.member("chats"), 0, "chats: found 'hello"),
                                             ("curt", self.member("curt"), 0, "expected a case and its status"),
                                             ("other", self.member("other"), 0, "other answered for another case: none/such")):
            done = run(CTS, "--edition-file", self.edition, "run", suite, "--adapter",
                       self.command(validator, device=self.member("device")), "--worker", "--filter", "v_abs/*run*",
                       "--out", self.root / name)
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            told = [path.read_text() for path in (self.root / name).rglob("result.json")]
            self.assertTrue(all('"crash"' in text and words in text for text in told) if code == 0 else words in done.stderr,
                            (told[:1], done.stderr))
            self.assertEqual(code == 0, bool(told))
            self.assertNotIn("Traceback", done.stderr + "".join(told))


if __name__ == "__main__":
    unittest.main()

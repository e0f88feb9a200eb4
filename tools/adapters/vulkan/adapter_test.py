#!/usr/bin/python3
"""The Vulkan adapter's way with cases, with a stand-in for the library of Vulkan (tools/testdata/stub_vulkan.cc).

adapter_test.py TENSOR_CTS TENSOR_CTS_VULKAN FOLDER_OF_THE_STAND_IN
"""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

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
        self.assertEqual(declared["types"], ["i8", "i32"])
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


if __name__ == "__main__":
    unittest.main()

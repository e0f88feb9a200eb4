#!/usr/bin/python3
"""run --devices: several boards of one kind, of which some die.

Usage: devices_test.py TENSOR_CTS

A board is a stand-in: it copies the operand of IDENTITY and offers no other operator. It is dead
while there is a file BOARDS/NAME.dead, as if nothing answered at its address.
"""
import fcntl
import hashlib
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

CTS = ""
BOARD = """
import json, os, shutil, signal, sys, time
name, version, boards = sys.argv[1:4]
worker = sys.argv[-1] == "--worker"
options = dict(word.split("=") for word in sys.argv[4:] if "=" in word)
dead = os.path.join(boards, name + ".dead")

def end():
    sys.stderr.write(f"ssh: connect to host {name} port 22: Connection refused\\n")
    sys.stderr.flush()
    sys.exit(255)

if os.path.exists(dead):
    end()
if "needs" in options:
    sys.stderr.write("no license for this board\\n")
    sys.exit(2)
if worker and version != "none":
    print(json.dumps({"worker": "npu", "version": version,
                      "batch": int(options.get("batch", 1))}), flush=True)

def serve(case, case_dir, result_dir):
    time.sleep(float(options.get("seconds", 0)))
    with open(os.path.join(boards, name + ".log"), "a") as file:
        file.write(case + "\\n")
    count = sum(1 for _ in open(os.path.join(boards, name + ".log")))
    if count == int(options.get("dies", 0)) or options.get("kills") == case:
        open(dead, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    if os.path.exists(dead):
        end()
    if options.get("crashes") == case:
        os.kill(os.getpid(), signal.SIGSEGV)
    if options.get("ends_once") == case and not os.path.exists(dead + ".once"):
        open(dead + ".once", "w").close()
        sys.exit(3)
    if options.get("lost_driver") == "yes":
        return print(json.dumps({"case": case, "status": "crash", "message": "device lost"}), flush=True)
    graph = json.load(open(os.path.join(case_dir, "case.json")))
    status = "unsupported"
    if graph["operator"] == "IDENTITY":
        status = "ok"
        shutil.copy(os.path.join(case_dir, "input1.npy"), os.path.join(result_dir, "output.npy"))
    print(json.dumps({"case": case, "status": status}), flush=True)

if worker:
    for line in sys.stdin:
        r = json.loads(line)
        serve(r["case"], r["case_dir"], r["result_dir"])
else:
    case_dir, result_dir = sys.argv[-2:]
    serve("/".join(case_dir.split("/")[-2:]), case_dir, result_dir)
"""


def cts(*arguments):
    done = subprocess.run([CTS, *map(str, arguments)], timeout=120, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def digest(results):
    """SHA-256 over all files of results, by results.json, but for the seconds and the record of the run."""
    told = hashlib.sha256()
    for id in load(results / "results.json")["cases"]:
        for file in sorted((results / id).iterdir()):
            data = file.read_bytes()
            if file.name == "result.json":
                result = json.loads(data)
                result.pop("seconds")
                data = json.dumps(result, sort_keys=True).encode()
            told.update(f"{id} {file.name} {len(data)}\n".encode() + data)
    return told.hexdigest()


class Devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="devices-"))
        (cls.root / "code").mkdir()
        cls.script = cls.root / "code" / "board.py"
        cls.script.write_text(BOARD)
        cls.suite = cls.root / "suite"
        code, out, err = cts("generate", "--recipe", "smoke", "--filter", "identity/i*", "--filter",
                             "logical_and/bool-*", "--out", cls.suite)
        assert code == 0, out + err
        cls.ids = [case["id"] for case in load(cls.suite / "suite.json")["cases"]]
        assert len(cls.ids) > 20, len(cls.ids)
        cls.case = cls.ids[len(cls.ids) // 2]
        cls.boards = cls.root / "one"
        cls.boards.mkdir()
        code, out, err = cts("run", cls.suite, "--adapter", cls.command("one"), "--worker", "--jobs", 1,
                             "--out", cls.root / "reference")
        assert code == 0 and "unsupported, 0 crash, 0 timeout, 0 protocol" in out, out + err
        cls.reference = digest(cls.root / "reference")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def command(cls, name, *options, version="1"):
        # Isolated, and without site: it starts at once.
        return " ".join(["/usr/bin/python3", "-IS", str(cls.script), name, version, str(cls.boards), *options])

    def setUp(self):
        name = self.id().split(".")[-1]
        type(self).boards = self.root / name
        self.boards.mkdir()
        self.out = self.boards / "out"
        self.file = self.boards / "boards.json"

    def write(self, *devices):
        self.file.write_text(json.dumps({"devices": [
            {"name": name, "adapter": command, "lock": str(self.boards / (name + ".lock"))}
            for name, command in devices]}))

    def run_devices(self, *options, worker=True):
        return cts("run", self.suite, "--devices", self.file, *(["--worker"] if worker else []), "--out",
                   self.out, *options)

    def check(self, done, lost=(), same=True):
        """The run is whole, and its results are those of one machine."""
        code, out, err = done
        self.assertEqual(code, 0, out + err)
        run = load(self.out / "run.json")
        self.assertTrue(run["complete"])
        positions = sorted(p for device in run["devices"] for p in device["positions"])
        self.assertEqual(positions, list(range(len(self.ids))))
        for device in run["devices"]:
            self.assertEqual(device["cases"], len(device["positions"]))
            self.assertEqual("lost" in device, device["name"] in lost, device)
        self.assertEqual([line.split()[3] for line in err.splitlines() if "is lost:" in line], list(lost), err)
        if same:
            self.assertEqual(digest(self.out), self.reference)
        return run

    def test_queue(self):
        self.write(("a", self.command("a", "seconds=0.03")), ("b", self.command("b", "batch=3")))
        run = self.check(self.run_devices())
        a, b = run["devices"]
        self.assertGreater(a["cases"], 0)
        self.assertGreater(b["cases"], a["cases"])  # the fast board does more
        self.assertEqual(run["implementation"], {"name": "npu", "version": "1"})
        self.assertNotIn("unexplained", run)
        asked = (self.boards / "a.log").read_text().split()
        self.assertEqual(sorted(self.ids[p] for p in a["positions"]), sorted(asked))
        # Nothing is left to do, and the record stays.
        self.check(self.run_devices("--resume"))

    def test_packs(self):
        self.write(("a", self.command("a")), ("b", self.command("b")))
        code, out, err = self.run_devices("--pack", "--repeat", 2, "--json")
        self.assertEqual(code, 0, err)
        facts = json.loads(out)
        self.assertEqual(sum(device["cases"] for device in facts["devices"]), len(self.ids))
        self.assertEqual(facts["differs"], 0)

    def test_killed_in_the_middle(self):
        self.write(("a", self.command("a", "seconds=0.03")), ("b", self.command("b", "dies=5", "batch=3")))
        run = self.check(self.run_devices(), lost=["b"])
        self.assertIn("gave no answer 3 times in a row", run["devices"][1]["lost"])
        self.assertIn("ssh: connect to host b port 22: Connection refused", run["devices"][1]["lost"])
        self.assertNotIn("unexplained", run)

    def test_killed_in_the_middle_one_process_per_case(self):
        self.write(("a", self.command("a")), ("b", self.command("b", "dies=8")))
        run = self.check(self.run_devices(worker=False), lost=["b"])
        self.assertNotIn("unexplained", run)

    def test_driver_lost_behind_a_worker_that_lives_on(self):
        self.write(("a", self.command("a", "seconds=0.02")), ("b", self.command("b", "lost_driver=yes")))
        self.check(self.run_devices(), lost=["b"])

    def test_cannot_start(self):
        for worker in (True, False):
            self.out = self.boards / f"out-{worker}"
            self.write(("a", self.command("a", "needs=license")), ("b", self.command("b", "seconds=0.01")))
            run = self.check(self.run_devices(worker=worker), lost=["a"])
            self.assertIn("no license for this board", run["devices"][0]["lost"])
            self.assertNotIn("unexplained", run)

    def test_none_can_start(self):
        for worker in (True, False):
            self.write(("a", self.command("a", "needs=license")), ("b", "no-such-program"))
            code, out, err = self.run_devices(worker=worker)
            self.assertEqual(code, 2, out + err)
            self.assertIn("no device is left", err)
            self.assertIn("no license for this board", err)
            self.assertFalse((self.out / "run.json").exists())

    def test_all_dead_then_resumed(self):
        self.write(("a", self.command("a", "dies=9")), ("b", self.command("b", "dies=11")))
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        for words in ("no device is left. a: gave no answer", "; b: gave no answer", "--resume"):
            self.assertIn(words, err)
        run = load(self.out / "run.json")
        self.assertFalse(run["complete"])
        self.assertEqual([device["cases"] > 5 and "lost" in device for device in run["devices"]],
                         [True, True])
        # b is taken away, a is mended, c comes.
        before = run["devices"][1]["positions"]
        (self.boards / "a.dead").unlink()
        self.write(("a", self.command("a", "dies=9")), ("c", self.command("c")))
        code, out, err = self.run_devices("--resume")
        self.assertEqual(code, 0, out + err)
        run = load(self.out / "run.json")
        self.assertEqual([device["name"] for device in run["devices"]], ["a", "c", "b"])
        self.assertEqual(run["devices"][2]["positions"], before)
        self.assertEqual(sum(device["cases"] for device in run["devices"]), len(self.ids))
        self.assertNotIn("lost", run["devices"][0])
        self.assertEqual(digest(self.out), self.reference)

    def test_resume_refuses_another_command_under_a_name(self):
        self.write(("a", self.command("a", "dies=9")))
        self.assertEqual(self.run_devices()[0], 2)
        self.write(("a", self.command("a", "dies=0")))
        code, out, err = self.run_devices("--resume")
        self.assertEqual(code, 2, out + err)
        self.assertIn("holds results of the device a with the adapter", err)

    def test_case_that_crashes_everywhere(self):
        crashes = f"crashes={self.case}"
        for worker in (True, False):
            one = self.boards / f"one-{worker}"
            code, out, err = cts("run", self.suite, "--adapter", self.command("one", crashes), "--jobs", 1,
                                 "--out", one, *(["--worker"] if worker else []))
            self.assertEqual(code, 0, out + err)
            self.out = self.boards / f"out-{worker}"
            self.write(("a", self.command("a", crashes)), ("b", self.command("b", crashes)))
            run = self.check(self.run_devices(worker=worker), same=False)
            self.assertEqual(load(self.out / self.case / "result.json")["status"], "crash")
            self.assertNotIn("unexplained", run)
            self.assertEqual(digest(self.out), digest(one))
            asked = [self.case in (self.boards / f"{name}.log").read_text() for name in "ab"]
            self.assertEqual(asked, [True, True])

    def test_case_that_crashes_on_one_device_alone(self):
        crashes = f"crashes={self.case}"
        self.write(("a", self.command("a", crashes, "seconds=0.005")), ("b", self.command("b", "seconds=0.02")))
        run = self.check(self.run_devices(worker=False))
        if "unexplained" in run:  # the case began on a
            self.assertEqual(run["unexplained"]["count"], 1)
            self.assertIn(f"with {self.case} in hand, the device a gave no answer", run["unexplained"]["first"])

    def test_worker_killed_once(self):
        # The board answers again: as with one machine, a fault that no case shows.
        self.write(("a", self.command("a", f"ends_once={self.case}")),
                   ("b", self.command("b", f"ends_once={self.case}")))
        run = self.check(self.run_devices())
        self.assertEqual(run["unexplained"]["count"], 1)

    def test_case_that_kills_boards(self):
        kills = f"kills={self.case}"
        self.write(*((name, self.command(name, kills)) for name in "abc"))
        code, out, err = self.run_devices()
        self.assertEqual(code, 0, out + err)
        run = load(self.out / "run.json")
        self.assertTrue(run["complete"])
        self.assertEqual(["lost" in device for device in run["devices"]].count(True), 2)
        result = load(self.out / self.case / "result.json")
        self.assertEqual(result["status"], "crash")
        self.assertIn("a second device was lost with this case in hand", result["message"])

    def test_versions_differ(self):
        self.write(("a", self.command("a", "seconds=0.05")), ("b", self.command("b", "seconds=0.05", version="2")))
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        self.assertRegex(err, 'the device (a|b) announced itself as "npu", version "[12]", the device '
                         '(a|b) as "npu", version "[12]": expected devices of one kind')
        self.write(("a", self.command("a", "seconds=0.05")), ("b", self.command("b", "seconds=0.05", version="none")))
        self.out = self.boards / "out-2"
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        self.assertIn("expected devices of one kind, which announce the same name and version", err)

    def test_lock(self):
        self.write(("a", self.command("a")), ("b", self.command("b")))
        with open(self.boards / "a.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run = self.check(self.run_devices(), lost=["a"])
            self.assertIn("another run uses it, and has locked", run["devices"][0]["lost"])
        self.assertEqual(run["devices"][0]["cases"], 0)

    def test_two_runs_share_no_board(self):
        # The lock in the folder for temporary files belongs to the command.
        command = self.command("a", "seconds=0.05")
        self.file.write_text(json.dumps({"devices": [{"name": "a", "adapter": command}]}))
        first = subprocess.Popen([CTS, "run", str(self.suite), "--devices", str(self.file), "--worker", "--out",
                                  str(self.boards / "first")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        while not (self.boards / "a.log").exists():
            time.sleep(0.01)
        self.file.write_text(json.dumps({"devices": [{"name": "z", "adapter": command}]}))
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        self.assertIn("no device is left. z: another run uses it", err)
        first.send_signal(signal.SIGINT)
        self.assertIn("go on with the same command and --resume", first.communicate()[1].decode())
        name = hashlib.sha256(command.encode()).hexdigest()[:16]
        (pathlib.Path(tempfile.gettempdir()) / f"tensor-cts-device-{name}.lock").unlink()

    def test_bad_files(self):
        good = {"name": "a", "adapter": "x"}
        for devices, words in (
                ("[", "line 1, column"),
                ({}, 'missing required member "devices"'),
                ({"devices": []}, "/devices: found [], expected at least 1"),
                ({"devices": [{"name": "a"}]}, '/devices/0: missing required member "adapter"'),
                ({"devices": [{"name": "a b", "adapter": "x"}]}, '/devices/0/name: found "a b"'),
                ({"devices": [dict(good, port=1)]}, '/devices/0: found unknown member "port"'),
                ({"devices": [good, dict(good, adapter="y")]},
                 '/devices/1/name: found "a", as /devices/0 has it, expected another name'),
                ({"devices": [good, dict(good, name="b")]},
                 "/devices/1/adapter: found the command of /devices/0, expected another one"),
                ({"devices": [dict(good, lock="l"), {"name": "b", "adapter": "y", "lock": "./l"}]},
                 "the lock of /devices/0, expected another file for each device")):
            self.file.write_text(devices if isinstance(devices, str) else json.dumps(devices))
            code, out, err = self.run_devices()
            self.assertEqual(code, 2, out + err)
            self.assertIn(words, err)
            self.assertIn(f"--devices: {self.file}", err)
            self.assertFalse(self.out.exists())
        self.write(("a", "x"))
        for options, words in ((["--jobs", 2], "--jobs"), (["--adapter", "x"], "--adapter"),
                               (["--under-load"], "--under-load does not go with --devices")):
            code, out, err = self.run_devices(*options)
            self.assertEqual(code, 2, out + err)
            self.assertIn(words, err)
        code, out, err = cts("certify", "--claim", "c", "--key", "k", "--devices", self.file, "--out", self.out)
        self.assertEqual(code, 2, out + err)
        self.assertIn("certify: found --devices, expected one implementation: run the suite", err)


if __name__ == "__main__":
    CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

#!/usr/bin/python3
"""run --devices: several boards of one kind, of which some die, hang, or lose their connection.

Usage: devices_test.py TENSOR_CTS

A board is a stand-in: it copies the operand of IDENTITY and offers no other operator. BOARDS/NAME.log
has a line for each case that it was asked; "the n-th case" below is the n-th line. BOARDS/NAME.starts
has a byte for each start. The board is dead while there is a file BOARDS/NAME.dead, as if nothing
answered at its address. Nothing here depends on time: a board that has to wait for something waits
for a line in a file.
"""
import ctypes
import fcntl
import hashlib
import json
import os
import pathlib
import resource
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
import unittest

CTS = ""
BOARD = """
import json, os, shutil, signal, sys, time
name, version, boards = sys.argv[1:4]
worker = sys.argv[-1] == "--worker"
options = dict(word.split("=", 1) for word in sys.argv[4:] if "=" in word)
place = os.path.join(boards, name)
dead = place + ".dead"

def end():
    sys.stderr.write(f"ssh: connect to host {name} port 22: Connection refused\\n")
    sys.stderr.flush()
    sys.exit(255)

def count(kind):
    with open(place + kind, "a") as file:
        file.write(".\\n")
    return sum(1 for _ in open(place + kind))

start = count(".starts")
if os.path.exists(dead):
    end()
# from-to:code, of its starts
if "starts" in options:
    span, code = options["starts"].split(":")
    first, last = map(int, span.split("-"))
    if first <= start <= last:
        if code == "255":
            end()
        sys.stderr.write("no license for this board\\n")
        sys.exit(int(code))
if worker and version != "none":
    print(json.dumps({"worker": "npu", "version": version, "batch": int(options.get("batch", 1)),
                      **({"hardware": options["hardware"]} if "hardware" in options else {})}), flush=True)

def is_meant(option, case, number):
    meant = options.get(option, "")
    return meant in ("all", case) or meant.isdigit() and number == int(meant)

def serve(case, case_dir, result_dir):
    time.sleep(float(options.get("seconds", 0)))
    with open(place + ".log", "a") as file:
        file.write(case + "\\n")
    number = sum(1 for _ in open(place + ".log"))
    if "waits" in options:  # n:text:file, before the n-th case and those after it
        after, text, path = options["waits"].split(":")
        while number >= int(after) and not (os.path.exists(path) and text in open(path).read()):
            time.sleep(0.01)
    if is_meant("dies", case, number):
        open(dead, "w").close()
        os.kill(os.getpid(), signal.SIGKILL)
    if "outage" in options and number == int(options["outage"].split(":")[0]):
        # Its next starts fail, as many as are told.
        now = sum(1 for _ in open(place + ".starts"))
        open(place + ".outage", "w").write(str(now + int(options["outage"].split(":")[1])))
        end()
    if os.path.exists(dead):
        end()
    if is_meant("crashes", case, number):
        os.kill(os.getpid(), signal.SIGSEGV)
    if is_meant("unreached", case, number):
        end()
    if "crashes_until" in options and number <= int(options["crashes_until"]):
        sys.exit(3)
    if options.get("ends_once") == case and not os.path.exists(dead + ".once"):
        open(dead + ".once", "w").close()
        sys.exit(3)
    if is_meant("hangs", case, number):
        while True:
            time.sleep(100)
    if "blocks" in options and case.startswith("identity/"):  # a file where a folder of results will be
        open(options["blocks"], "w").close()
    if is_meant("reports", case, number):
        return print(json.dumps({"case": case, "status": "crash", "message": "device lost"}), flush=True)
    graph = json.load(open(os.path.join(case_dir, "case.json")))
    status = "unsupported"
    if graph["operator"] == "IDENTITY":
        status = "ok"
        values = open(os.path.join(case_dir, "input1.npy"), "rb").read()
        if "wrong" in options:
            values = values[:-1] + bytes([values[-1] ^ 1])
        open(os.path.join(result_dir, "output.npy"), "wb").write(values)
    print(json.dumps({"case": case, "status": status}), flush=True)

if os.path.exists(place + ".outage") and start <= int(open(place + ".outage").read()):
    end()
if worker:
    for line in sys.stdin:
        r = json.loads(line)
        serve(r["case"], r["case_dir"], r["result_dir"])
else:
    case_dir, result_dir = sys.argv[-2:]
    serve("/".join(case_dir.split("/")[-2:]), case_dir, result_dir)
"""
# A stand-in that does not end by itself on an error of the test.
LIMIT = 300


def cts(*arguments, **how):
    done = subprocess.run([CTS, *map(str, arguments)], timeout=LIMIT, stdin=subprocess.DEVNULL,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, **how)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def load(path):
    return json.loads(pathlib.Path(path).read_text())


def wait_for(path, text="", count=1):
    end = time.monotonic() + LIMIT
    while not path.exists() or path.read_text().count(text) < count:
        assert time.monotonic() < end, f"{path}: no {text!r}"
        time.sleep(0.01)


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


def statuses(results):
    """The statuses of all results that are there, by id."""
    return {str(file.parent.relative_to(results)): load(file)["status"]
            for file in results.glob("*/*/result.json")}


class Devices(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="devices-"))
        cls.root.chmod(0o755)
        (cls.root / "code").mkdir()
        cls.script = cls.root / "code" / "board.py"
        cls.script.write_text(BOARD)
        cls.suite = cls.root / "suite"
        code, out, err = cts("generate", "--recipe", "smoke", "--filter", "identity/i*", "--filter",
                             "logical_and/bool-*", "--out", cls.suite)
        assert code == 0, out + err
        cls.ids = [case["id"] for case in load(cls.suite / "suite.json")["cases"]]
        assert len(cls.ids) > 20, len(cls.ids)
        cls.identity = [id for id in cls.ids if id.startswith("identity/")]
        cls.case = cls.identity[len(cls.identity) // 2]
        cls.boards = cls.root / "one"
        cls.boards.mkdir()
        cls.reference = cls.one_machine(cls.root / "reference")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def command(cls, name, *options, version="1", script=None):
        # Isolated, and without site: it starts at once.
        return " ".join(["/usr/bin/python3", "-IS", str(script or cls.script), name, version, str(cls.boards),
                         *options])

    @classmethod
    def one_machine(cls, out, *options, worker=True, limits=()):
        code, said, err = cts("run", cls.suite, "--adapter", cls.command("one", *options), "--jobs", 1, "--out",
                              out, *(["--worker"] if worker else []), *limits)
        assert code == 0, said + err
        return digest(out)

    def setUp(self):
        name = self.id().split(".")[-1]
        type(self).boards = self.root / name
        self.boards.mkdir()
        self.out = self.boards / "out"
        self.file = self.boards / "boards.json"

    def write(self, *devices, pauses=()):
        self.file.write_text(json.dumps({"pauses": list(pauses), "devices": [
            {"name": name, "adapter": command, "lock": str(self.boards / (name + ".lock")),
             "log": str(self.boards / (name + ".events"))}
            for name, command in devices]}))

    def again(self, *others):
        """New boards, new results."""
        for file in self.boards.iterdir():
            if file.is_file():
                file.unlink()
        if self.out.exists():
            shutil.rmtree(self.out)

    def run_devices(self, *options, worker=True, **how):
        return cts("run", self.suite, "--devices", self.file, *(["--worker"] if worker else []), "--out",
                   self.out, *options, **how)

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
            self.assertEqual("lost" in device or "silent" in device, device["name"] in lost, device)
        if same:
            self.assertEqual(digest(self.out), self.reference)
        return run

    def check_blames_nothing(self, done, *words, kept=True):
        """The run ends with exit code 2, and no case is a crash or a timeout."""
        code, out, err = done
        self.assertEqual(code, 2, out + err)
        for word in words:
            self.assertIn(word, err)
        found = statuses(self.out)
        self.assertLessEqual(set(found.values()), {"ok", "unsupported"}, err)
        self.assertFalse((self.out / "results.json").exists())
        self.assertEqual(bool(found), kept, found)
        if kept:
            self.assertFalse(load(self.out / "run.json")["complete"])
        else:
            self.assertFalse((self.out / "run.json").exists())
        return found

    # ---- The queue -----------------------------------------------------------------------------

    def test_queue(self):
        # a waits until b has done most.
        self.write(("a", self.command("a", f"waits=1:{self.ids[-4]}:{self.boards}/b.log")),
                   ("b", self.command("b", "batch=3")))
        run = self.check(self.run_devices())
        a, b = run["devices"]
        self.assertGreater(a["cases"], 0)
        self.assertGreater(b["cases"], a["cases"])  # the fast board does more
        self.assertEqual(run["implementation"], {"name": "npu", "version": "1"})
        self.assertTrue(a["announced"] and b["announced"])
        self.assertNotIn("unexplained", run)
        asked = (self.boards / "a.log").read_text().split()
        self.assertEqual(sorted(self.ids[p] for p in a["positions"]), sorted(asked))
        # Nothing is left to do, and the record stays.
        self.check(self.run_devices("--resume"))

    def test_one_process_per_case(self):
        self.write(("a", self.command("a")), ("b", self.command("b")))
        self.check(self.run_devices(worker=False))

    def test_packs_and_repeats(self):
        self.write(*((name, self.command(name, "dies=5" if name in "bc" else "")) for name in "abc"))
        code, out, err = self.run_devices("--pack", "--repeat", 2, "--json")
        self.assertEqual(code, 0, err)
        facts = json.loads(out)
        self.assertEqual(sum(device["cases"] for device in facts["devices"]), len(self.ids))
        self.assertEqual(facts["cases"], len(self.ids))
        self.assertEqual(facts["differs"], 0)
        self.assertEqual(sorted(load(self.out / "results.json")["cases"]), sorted(self.ids))

    def test_gate(self):
        self.write(("a", self.command("a")), ("b", self.command("b")))
        code, out, err = cts("gate", "--suite", self.suite, "--devices", self.file, "--worker", "--out", self.out)
        self.assertIn(code, (0, 1), err)
        run = load(self.out / "run.json")
        self.assertEqual(sum(device["cases"] for device in run["devices"]), len(self.ids))

    # ---- 1: while no case has an answer, no case is to blame ------------------------------------

    def test_dead_boards_blame_no_case(self):
        for worker in (True, False):
            self.again()
            self.write(("a", self.command("a", "crashes=all")), ("b", self.command("b", "crashes=all")))
            self.check_blames_nothing(self.run_devices(worker=worker), "No case has an answer",
                                      "a: gave no answer", "; b: gave no answer", "signal 11", kept=False)

    def test_boards_that_exit_blame_no_case(self):
        self.write(("a", self.command("a", "starts=1-99:3")), ("b", self.command("b", "starts=1-99:3")))
        self.check_blames_nothing(self.run_devices(), "No case has an answer", "a: gave no answer",
                                  "; b: gave no answer", "no license for this board", kept=False)

    def test_hung_boards_blame_no_case(self):
        self.write(("a", self.command("a", "hangs=all")), ("b", self.command("b", "hangs=all")))
        self.check_blames_nothing(self.run_devices("--timeout", 0.3), "No case has an answer",
                                  "a: gave no answer", "; b: gave no answer", "no answer within 0.3", kept=False)

    def test_dead_boards_beside_a_slow_one(self):
        # c answers only when a and b are parked.
        self.write(("a", self.command("a", "crashes=all")), ("b", self.command("b", "crashes=all")),
                   ("c", self.command("c", f"waits=1:a:{self.boards}/parked")))

        def park():
            for name in "ab":
                wait_for(self.boards / f"{name}.events", "is not known to answer", count=3)
            (self.boards / "parked").write_text("a")
        parks = threading.Thread(target=park)
        parks.start()
        run = self.check(self.run_devices(), lost="ab")
        parks.join()
        self.assertNotIn("unexplained", run)
        self.assertEqual([device["cases"] for device in run["devices"]], [0, 0, len(self.ids)])

    def test_first_cases_crash_for_good(self):
        # Others are tried, until one has an answer: so these crashes count.
        crashes = [f"crashes={self.ids[0]}"]
        one = self.boards / "one-machine"
        self.one_machine(one, *crashes)
        self.write(("a", self.command("a", *crashes)), ("b", self.command("b", *crashes)))
        self.check(self.run_devices(), same=False)
        self.assertEqual(digest(self.out), digest(one))
        self.assertEqual(statuses(self.out)[self.ids[0]], "crash")

    def test_a_case_without_values_shows_no_device(self):
        # unsupported may come from the host: it shows that a device works only if nothing else does.
        crashes = [f"crashes={self.case}"]
        self.write(("a", self.command("a", *crashes)), ("b", self.command("b", *crashes)))
        code, out, err = self.run_devices("--filter", "logical_and/*", "--filter", self.case)
        self.assertEqual(code, 0, err)
        self.assertEqual(statuses(self.out)[self.case], "crash")

    def test_reported_crashes_alone(self):
        # A living adapter says so itself, and nothing else is known.
        one = self.boards / "one-machine"
        self.one_machine(one, "reports=all")
        self.write(("a", self.command("a", "reports=all")), ("b", self.command("b", "reports=all")))
        self.check(self.run_devices(), same=False)
        self.assertEqual(digest(self.out), digest(one))

    def test_reported_crash(self):
        one = self.boards / "one-machine"
        reports = [f"reports={self.case}", "batch=4"]
        self.one_machine(one, *reports)
        self.write(("a", self.command("a", *reports)), ("b", self.command("b", *reports)))
        run = self.check(self.run_devices(), same=False)
        self.assertEqual(digest(self.out), digest(one))
        self.assertNotIn("unexplained", run)

    def test_driver_lost_behind_a_worker_that_lives_on(self):
        self.write(("a", self.command("a", f"waits=2:known:{self.boards}/b.events")),
                   ("b", self.command("b", "reports=all")))
        self.check(self.run_devices(), lost=["b"])

    # ---- 2: an outage of the network is no crash ------------------------------------------------

    def test_outage_in_the_middle(self):
        for worker in (True, False):
            for starts in (0, 1, 2, 5):
                self.again()
                # There is no other board to answer.
                self.write(("a", self.command("a", f"outage=6:{starts}")), pauses=[0] * 6)
                run = self.check(self.run_devices(worker=worker))
                self.assertNotIn("unexplained", run)

    def test_start_fails_for_a_while(self):
        for code in (2, 126, 127, 255):
            for worker in (True, False):
                self.again()
                self.write(("a", self.command("a", f"starts=1-3:{code}")), pauses=[0] * 4)
                run = self.check(self.run_devices(worker=worker))
                self.assertNotIn("unexplained", run)

    def test_every_other_start_fails(self):
        for code in (2, 255):
            self.again()
            self.write(("a", self.command("a", f"starts=2-2:{code}", "batch=3")),
                       ("b", self.command("b", f"starts=1-1:{code}")), pauses=[0] * 4)
            self.check(self.run_devices())

    def test_connection_that_ends_at_one_case(self):
        # Nothing tells the case from the network.
        ends = f"unreached={self.case}"
        for worker in (True, False):
            self.again()
            self.write(("a", self.command("a", ends)), ("b", self.command("b", ends)))
            found = self.check_blames_nothing(
                self.run_devices(worker=worker), "1 cases have no result, and none of them is to blame",
                self.case + ": the adapter ended 3 times as it ends without a connection", "--resume")
            self.assertEqual(len(found), len(self.ids) - 1)
        self.write(("c", self.command("c")))
        code, out, err = self.run_devices("--resume", worker=False)
        self.assertEqual(code, 0, err)
        self.assertEqual(digest(self.out), self.reference)

    def test_killed_in_the_middle(self):
        self.write(("a", self.command("a", f"waits=3:.:{self.boards}/b.dead.seen")),
                   ("b", self.command("b", "dies=5", "batch=3")), pauses=[0, 0])

        def see():
            wait_for(self.boards / "b.events", "is lost")
            (self.boards / "b.dead.seen").write_text(".")
        sees = threading.Thread(target=see)
        sees.start()
        run = self.check(self.run_devices(), lost=["b"])
        sees.join()
        self.assertIn("ssh: connect to host b port 22: Connection refused", run["devices"][1]["lost"])
        self.assertNotIn("unexplained", run)

    def test_cannot_start(self):
        for worker in (True, False):
            self.again()
            self.write(("a", self.command("a", "starts=1-99:2")), ("b", self.command("b")))
            run = self.check(self.run_devices(worker=worker), lost=["a"])
            self.assertIn("no license for this board", (self.boards / "a.events").read_text())
            self.assertNotIn("unexplained", run)

    def test_none_can_start(self):
        for worker in (True, False):
            self.again()
            self.write(("a", self.command("a", "starts=1-99:2")), ("b", "no-such-program"))
            self.check_blames_nothing(self.run_devices(worker=worker), "no device is left",
                                      "no license for this board", "no such command", kept=False)

    # ---- 3: failures of the host are errors of the run -------------------------------------------

    def test_host_without_pipes(self):
        self.write(("a", self.command("a")))
        failed = 0
        for files in range(6, 40):
            if self.out.exists():
                shutil.rmtree(self.out)
            code, out, err = self.run_devices(
                "--filter", self.case, worker=False,
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (files, files)))
            self.assertIn(code, (0, 2), err)
            self.assertLessEqual(set(statuses(self.out).values()), {"ok"}, err)
            if "no pipe: Too many open files" in err:
                self.assertEqual(code, 2)
                failed += 1
        self.assertGreater(failed, 0)

    def test_host_that_cannot_store(self):
        for worker in (True, False):
            self.again()
            self.write(("a", self.command("a", f"blocks={self.out}/identity")))
            code, out, err = self.run_devices(worker=worker)
            self.assertEqual(code, 2, out + err)
            self.assertIn(f"{self.out}/identity", err)
            self.assertLessEqual(set(statuses(self.out).values()), {"ok", "unsupported"}, err)

    def test_log_that_cannot_be_written(self):
        self.write(("a", self.command("a")))
        (self.boards / "a.events").mkdir()
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        self.assertIn("a.events: the log of a device, cannot be written", err)

    # ---- 4: no case gets lost --------------------------------------------------------------------

    def test_no_case_gets_lost(self):
        # b holds a crash that it reported when it dies with the next case, and the others are done.
        for options in ((), ("--pack",)):
            self.again()
            self.write(("a", self.command("a", f"reports={self.case}")),
                       ("b", self.command("b", f"reports={self.case}", "batch=4", "dies=7")),
                       ("c", self.command("c", f"reports={self.case}", "dies=6")))
            code, out, err = self.run_devices(*options)
            self.assertEqual(code, 0, out + err)
            self.assertEqual(sorted(load(self.out / "results.json")["cases"]), sorted(self.ids))
            run = load(self.out / "run.json")
            self.assertEqual(sorted(p for device in run["devices"] for p in device["positions"]),
                             list(range(len(self.ids))))

    def test_all_dead_then_resumed(self):
        for options in ((), ("--pack",)):
            self.again()
            self.write(("a", self.command("a", "dies=9")), ("b", self.command("b", "dies=11")))
            code, out, err = self.run_devices(*options)
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
            code, out, err = self.run_devices("--resume", *options)
            self.assertEqual(code, 0, out + err)
            run = load(self.out / "run.json")
            self.assertEqual([device["name"] for device in run["devices"]], ["a", "c", "b"])
            self.assertEqual(run["devices"][2]["positions"], before)
            self.assertEqual(sum(device["cases"] for device in run["devices"]), len(self.ids))
            self.assertNotIn("lost", run["devices"][0])
            self.assertEqual(sorted(load(self.out / "results.json")["cases"]), sorted(self.ids))
            if not options:
                self.assertEqual(digest(self.out), self.reference)

    # ---- 5: each device has a thread -------------------------------------------------------------

    @unittest.skipIf(os.getuid() != 0, "only root may become a user with a limit of processes")
    def test_too_few_threads(self):
        user = 54321
        self.write(*((name, self.command(name)) for name in "abcd"))
        os.chown(self.boards, user, user)

        def limited():
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            resource.setrlimit(resource.RLIMIT_NPROC, (3, 3))
        code, out, err = self.run_devices(preexec_fn=limited)
        self.assertEqual(code, 2, out + err)
        self.assertIn("cannot start a thread for each of the 4 devices", err)
        self.assertEqual(statuses(self.out), {})

    # ---- 6: --resume, and devices with files of their own ------------------------------------------

    def test_resume_without_a_device_that_has_its_own_script(self):
        scripts = {}
        for name in "ab":
            (self.boards / f"code-{name}").mkdir()
            scripts[name] = self.boards / f"code-{name}" / "board.py"
            scripts[name].write_text(BOARD)
        both = [(name, self.command(name, "dies=6", script=scripts[name])) for name in "ab"]
        self.write(*both)
        self.assertEqual(self.run_devices()[0], 2)
        run = load(self.out / "run.json")
        self.assertEqual([[file["path"] for file in device["files"] if "board.py" in file["path"]]
                          for device in run["devices"]], [[str(scripts["a"])], [str(scripts["b"])]])
        (self.boards / "a.dead").unlink()
        # The script of b changes: b cannot go on, and a can without b.
        scripts["b"].write_text(BOARD + "\n")
        code, out, err = self.run_devices("--resume")
        self.assertEqual(code, 2, out + err)
        self.assertIn(f"results of another adapter: its file {scripts['b']}", err)
        self.write(both[0])
        code, out, err = self.run_devices("--resume")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(digest(self.out), self.reference)
        after = load(self.out / "run.json")["devices"]
        self.assertEqual(after[1], run["devices"][1])
        self.assertEqual(sum(device["cases"] for device in after), len(self.ids))

    def test_resume_refuses_another_command_under_a_name(self):
        self.write(("a", self.command("a", "dies=9")))
        self.assertEqual(self.run_devices()[0], 2)
        self.write(("a", self.command("a", "dies=0")))
        code, out, err = self.run_devices("--resume")
        self.assertEqual(code, 2, out + err)
        self.assertIn("holds results of the device a with the adapter", err)

    def test_resume_with_a_crash_alone(self):
        # What the first part knew shows that the device of the second one works.
        self.write(("a", self.command("a", f"unreached={self.case}")))
        self.assertEqual(self.run_devices()[0], 2)
        self.write(("b", self.command("b", f"crashes={self.case}")))
        code, out, err = self.run_devices("--resume")
        self.assertEqual(code, 0, out + err)
        self.assertEqual(statuses(self.out)[self.case], "crash")

    def test_lock(self):
        self.write(("a", self.command("a")), ("b", self.command("b")))
        with open(self.boards / "a.lock", "w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            run = self.check(self.run_devices(), lost=["a"])
            self.assertIn("another run uses it, and has locked", run["devices"][0]["lost"])
        self.assertEqual(run["devices"][0]["cases"], 0)

    def test_two_runs_share_no_board(self):
        # The lock in the folder for temporary files belongs to the command.
        command = self.command("a", f"waits=2:.:{self.boards}/never")
        self.file.write_text(json.dumps({"devices": [{"name": "a", "adapter": command}]}))
        first = subprocess.Popen([CTS, "run", str(self.suite), "--devices", str(self.file), "--worker", "--out",
                                  str(self.boards / "first")], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_for(self.boards / "a.log")
        self.file.write_text(json.dumps({"devices": [{"name": "z", "adapter": command}]}))
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        self.assertIn("no device is left. z: another run uses it", err)
        first.send_signal(signal.SIGINT)
        self.assertIn("go on with the same command and --resume", first.communicate()[1].decode())
        name = hashlib.sha256(command.encode()).hexdigest()[:16]
        (pathlib.Path(tempfile.gettempdir()) / f"tensor-cts-device-{name}.lock").unlink()

    # ---- 7: what became of a device stays when the run stops ---------------------------------------

    def test_interrupted_in_a_pause(self):
        self.write(("a", self.command("a", "outage=4:99")), pauses=[1000])
        run = subprocess.Popen([CTS, "run", str(self.suite), "--devices", str(self.file), "--worker", "--out",
                                str(self.out)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        wait_for(self.boards / "a.events", "is not known to answer")
        run.send_signal(signal.SIGINT)
        err = run.communicate(timeout=LIMIT)[1].decode()
        self.assertEqual(run.returncode, -signal.SIGINT, err)
        self.assertIn("the device a is not known to answer", err)
        device = load(self.out / "run.json")["devices"][0]
        self.assertIn("Connection refused", device["silent"])
        self.assertLessEqual(set(statuses(self.out).values()), {"ok", "unsupported"})
        (self.boards / "a.outage").unlink()
        self.check(self.run_devices("--resume"))

    def test_error_of_one_device_while_others_wait(self):
        # b hangs for good, a announces something else: the error ends the run, and names both.
        self.write(("b", self.command("b", f"waits=2:.:{self.boards}/never", version="2")),
                   ("a", self.command("a", f"waits=1:.:{self.boards}/never")))
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        self.assertIn("expected devices of one kind", err)

    # ---- Who is to blame ---------------------------------------------------------------------------

    def test_case_that_crashes_everywhere(self):
        crashes = f"crashes={self.case}"
        for worker in (True, False):
            one = self.boards / f"one-{worker}"
            self.one_machine(one, crashes, worker=worker)
            self.again()
            self.write(("a", self.command("a", crashes)), ("b", self.command("b", crashes)))
            run = self.check(self.run_devices(worker=worker), same=False)
            self.assertEqual(statuses(self.out)[self.case], "crash")
            self.assertNotIn("unexplained", run)
            self.assertEqual(digest(self.out), digest(one))
            asked = [self.case in (self.boards / f"{name}.log").read_text() for name in "ab"]
            self.assertEqual(asked, [True, True])

    def test_case_that_hangs_everywhere(self):
        hangs = f"hangs={self.case}"
        self.write(("a", self.command("a", hangs)), ("b", self.command("b", hangs)))
        run = self.check(self.run_devices("--timeout", 10), same=False)
        found = statuses(self.out)
        self.assertEqual([id for id in found if found[id] == "timeout"], [self.case])
        self.assertNotIn("unexplained", run)

    def test_case_that_crashes_on_one_device_alone(self):
        # b gets a case only when a has had this one.
        self.write(("a", self.command("a", f"crashes={self.case}")),
                   ("b", self.command("b", f"waits=1:{self.case}:{self.boards}/a.log")))
        run = self.check(self.run_devices(worker=False))
        self.assertEqual(run["unexplained"]["count"], 1)
        self.assertIn(f"with {self.case} in hand, the device a gave no answer", run["unexplained"]["first"])

    def test_worker_killed_once(self):
        # The board answers again: as with one machine, a fault that no case shows.
        self.write(("a", self.command("a", f"ends_once={self.case}")))
        run = self.check(self.run_devices())
        self.assertEqual(run["unexplained"]["count"], 1)

    def test_case_that_kills_boards(self):
        # After two boards the others go on without the case. A board that dies with its very first case
        # does not count.
        kills = f"dies={self.case}"
        self.write(*((name, self.command(name, kills)) for name in "abcd"))
        found = self.check_blames_nothing(
            self.run_devices(), f"{self.case}: with this case in hand, devices stopped answering 2 times")
        self.assertEqual(len(found), len(self.ids) - 1)
        self.assertIn(sum("lost" in device for device in load(self.out / "run.json")["devices"]), (2, 3))

    def test_boards_that_differ(self):
        # b crashes until it is asked for a case that a has answered, and answers it otherwise.
        self.write(("a", self.command("a", f"waits=9:.:{self.boards}/never")),
                   ("b", self.command("b", f"waits=1:{self.ids[4]}:{self.boards}/a.log", "crashes_until=2",
                                      "wrong=yes")))
        code, out, err = self.run_devices()
        self.assertEqual(code, 2, out + err)
        self.assertRegex(err, "the device b answered the case identity/.* otherwise than the device a before")
        self.assertNotIn("crash", statuses(self.out).values())

    def test_wrong_answers_are_recorded(self):
        self.write(("a", self.command("a", "wrong=yes")))
        self.check(self.run_devices(), same=False)
        self.assertEqual(digest(self.out), self.one_machine(self.boards / "one-machine", "wrong=yes"))

    # ---- One kind ----------------------------------------------------------------------------------

    def test_versions_differ(self):
        def other(*devices):
            self.again()
            # Each waits for the other one, so that both get a case.
            self.write(*((name, self.command(name, *options, f"waits=2:.:{self.boards}/{who}.log", version=version))
                         for name, who, version, options in devices))
            code, out, err = self.run_devices()
            self.assertEqual(code, 2, out + err)
            return err
        err = other(("a", "b", "1", ()), ("b", "a", "2", ()))
        self.assertRegex(err, 'the device (a|b) announced itself as "npu", version "[12]", the device '
                         '(a|b) as "npu", version "[12]": expected devices of one kind')
        err = other(("a", "b", "1", ["hardware=rev-A"]), ("b", "a", "1", ["hardware=rev-B"]))
        self.assertRegex(err, 'version "1", hardware "rev-[AB]", the device (a|b) as "npu", version "1", '
                         'hardware "rev-[AB]": expected devices of one kind')
        err = other(("a", "b", "1", ()), ("b", "a", "none", ()))
        self.assertIn("expected devices of one kind, which announce the same name and version", err)

    def test_hardware_stays_the_same_after_resume(self):
        self.write(("a", self.command("a", "dies=6", "hardware=rev-A")))
        self.assertEqual(self.run_devices()[0], 2)
        self.assertEqual(load(self.out / "run.json")["devices"][0]["hardware"], "rev-A")
        self.write(("b", self.command("b", "hardware=rev-B")))
        code, out, err = self.run_devices("--resume")
        self.assertEqual(code, 2, out + err)
        self.assertIn('holds results of the device a with the hardware "rev-A", now a worker says "rev-B"', err)

    # ---- 8: where the positions go -----------------------------------------------------------------

    def test_merge_and_unblind_keep_the_positions(self):
        blind, answers, whole = self.boards / "blind", self.boards / "answers.json", self.boards / "whole"
        code, out, err = cts("generate", "--recipe", "smoke", "--filter", "identity/i*", "--filter",
                             "logical_and/bool-*", "--blind", answers, "--out", blind)
        self.assertEqual(code, 0, err)
        log = {}  # the blind ids that a board was asked
        for shard in (1, 2):
            self.write(("a", self.command(f"a{shard}")), ("b", self.command(f"b{shard}")))
            code, out, err = cts("run", blind, "--devices", self.file, "--worker", "--shard", f"{shard}/2",
                                 "--out", self.boards / f"shard-{shard}")
            self.assertEqual(code, 0, err)
        code, out, err = cts("merge", self.boards / "shard-1", self.boards / "shard-2", "--out", whole)
        self.assertEqual(code, 0, err)
        run = load(whole / "run.json")
        blind_ids = [case["id"] for case in load(blind / "suite.json")["cases"]]

        def positions(run):
            return [sorted(p for device in shard["devices"] for p in device["positions"])
                    for shard in run["shards"]]
        self.assertEqual(sorted(sum(positions(run), [])), list(range(len(blind_ids))))
        for shard in run["shards"]:
            for device in shard["devices"]:
                name = f"{device['name']}{shard['shard']['index']}"
                path = self.boards / f"{name}.log"
                asked = path.read_text().split() if path.exists() else []
                self.assertEqual([blind_ids[p] for p in device["positions"]], sorted(asked))
                log[name] = {(whole / id / "result.json").read_bytes(): id for id in asked}
        code, out, err = cts("unblind", whole, "--answers", answers, "--out", self.boards / "open")
        self.assertEqual(code, 0, err)
        opened = self.boards / "open"
        run = load(opened / "results" / "run.json")
        ids = [case["id"] for case in load(opened / "suite" / "suite.json")["cases"]]
        self.assertEqual(sorted(sum(positions(run), [])), list(range(len(ids))))
        for shard in run["shards"]:
            for device in shard["devices"]:
                name = f"{device['name']}{shard['shard']['index']}"
                # result.json has the seconds, which tell the results apart.
                found = {(opened / "results" / ids[p] / "result.json").read_bytes() for p in device["positions"]}
                self.assertEqual(found, set(log[name]))

    # ---- Two real connections ----------------------------------------------------------------------

    @unittest.skipUnless(shutil.which("sshd", path="/usr/sbin:/usr/bin") and shutil.which("ssh") and os.getuid() == 0,
                         "needs sshd, and the rights to start it")
    def test_two_hosts_by_ssh_of_which_one_goes_away(self):
        os.makedirs("/run/sshd", exist_ok=True)
        key = self.boards / "key"
        for name in (key, self.boards / "host"):
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", name], check=True)
        servers, commands = {}, []
        for name in "ab":
            with socket.socket() as free:
                free.bind(("127.0.0.1", 0))
                port = free.getsockname()[1]
            servers[name] = subprocess.Popen(
                ["/usr/sbin/sshd", "-D", "-f", "/dev/null", "-p", str(port), "-h", str(self.boards / "host"), "-o",
                 "ListenAddress=127.0.0.1", "-o", f"AuthorizedKeysFile={key}.pub", "-o", "StrictModes=no", "-o",
                 "UsePAM=no", "-o", f"PidFile={self.boards}/{name}.pid", "-o", "PermitRootLogin=yes"],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True)
            ssh = (f"ssh -q -F /dev/null -p {port} -i {key} -o BatchMode=yes -o StrictHostKeyChecking=no "
                   f"-o UserKnownHostsFile=/dev/null root@127.0.0.1")
            end = time.monotonic() + 60
            while subprocess.run([*ssh.split(), "true"], stdin=subprocess.DEVNULL).returncode != 0:
                if servers[name].poll() is not None or time.monotonic() > end:
                    self.skipTest("sshd does not take a connection here")
                time.sleep(0.1)
            options = [f"waits=4:known:{self.boards}/b.events"] if name == "a" else \
                [f"waits=5:.:{self.boards}/never"]
            commands.append((name, f"{ssh} {self.command(name, *options)}"))
        self.write(*commands, pauses=[0, 0])

        def pull_the_plug():
            # The server of b goes away with all its connections, with the fifth case in hand.
            wait_for(self.boards / "b.log", "\n", count=5)
            tree = [servers["b"].pid]
            for pid in tree:
                tree += map(int, pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split())
            for pid in tree:
                os.kill(pid, signal.SIGKILL)
        plug = threading.Thread(target=pull_the_plug)
        plug.start()
        try:
            done = self.run_devices()
            plug.join()
            run = self.check(done, lost=["b"])
            self.assertGreaterEqual(run["devices"][1]["cases"], 3)
            self.assertGreater(run["devices"][0]["cases"], 3)
            self.assertNotIn("unexplained", run)
        finally:
            for server in servers.values():
                if server.poll() is None:
                    server.terminate()
                server.wait()

    # ---- The file ------------------------------------------------------------------------------------

    def test_bad_files(self):
        good = {"name": "a", "adapter": "x"}
        for devices, words in (
                ("[", "line 1, column"),
                ({}, 'missing required member "devices"'),
                ({"devices": []}, "/devices: found [], expected at least 1"),
                ({"devices": [{"name": "a"}]}, '/devices/0: missing required member "adapter"'),
                ({"devices": [{"name": "a b", "adapter": "x"}]}, '/devices/0/name: found "a b"'),
                ({"devices": [dict(good, port=1)]}, '/devices/0: found unknown member "port"'),
                ({"devices": [good], "pauses": [-1]}, "/pauses/0: found -1"),
                ({"devices": [good, dict(good, adapter="y")]},
                 '/devices/1/name: found "a", as /devices/0 has it, expected another name'),
                ({"devices": [good, dict(good, name="b")]},
                 "/devices/1/adapter: found the command of /devices/0, expected another one"),
                ({"devices": [dict(good, lock="l"), {"name": "b", "adapter": "y", "lock": "./l"}]},
                 f"/devices/1/lock: found {os.getcwd()}/l, as /devices/0/lock has it, expected another file"),
                ({"devices": [dict(good, log="l"), {"name": "b", "adapter": "y", "log": "./l"}]},
                 f"/devices/1/log: found {os.getcwd()}/l, as /devices/0/log has it, expected another file")):
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

#!/usr/bin/env python3
"""What the environment refuses is exit code 2, never a verdict: a call to the system fails in turn.

Usage: failing_calls_test.py TENSOR_CTS FAILING_CALLS
TENSOR_CTS_WHOLE in the environment: not a few calls of each kind, but every call with every error; of allocations, of
which there are a hundred thousand, the first and the last by every distinct call stack. Two stacks are told apart by
their 24 innermost return addresses where one run serves all faults, by 6 where each takes a run. Where evidence is
written or read, which makes tens of thousands of calls and a million allocations, all calls are chosen so (by 16
addresses, allocations by 6), and every 50th that is no allocation is added.
TENSOR_CTS_EVERY=N beside it: every N-th of these faults, where there is no time for all.
"""
import base64
import ctypes
import errno
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest

TENSOR_CTS = ""
LIBRARY = ""
ACME = pathlib.Path(__file__).resolve().parents[2] / "develop/testdata/acme"
WHOLE = "TENSOR_CTS_WHOLE" in os.environ
EVERY = int(os.environ.get("TENSOR_CTS_EVERY", 1))
SHORT = 0
ERRORS = {"open": (errno.EIO, errno.ESTALE, errno.EMFILE, errno.ENOMEM),
          "read": (errno.EIO, errno.ESTALE, errno.EINTR, SHORT),
          "write": (errno.EIO, errno.ENOSPC, errno.EINTR, SHORT),
          "rename": (errno.EIO, errno.ENOSPC),
          "link": (errno.EIO, errno.EMLINK),
          "mmap": (errno.ENOMEM,),
          "fsync": (errno.EIO,),
          "stat": (errno.EIO, errno.ESTALE, errno.ENOMEM),
          "opendir": (errno.EIO, errno.EMFILE, errno.ENOMEM),
          "readdir": (errno.EIO, errno.ESTALE),
          "malloc": (errno.ENOMEM,)}
KILL = -signal.SIGKILL
STRIDE = 50
ADDR_NO_RANDOMIZE = 0x0040000
VERDICT_FILES = ("certificate.intoto.json", "failure.intoto.json", ".tar.zst")


def fixed_addresses():
    """What depends on addresses, such as the order of a hash table, is the same in each run."""
    ctypes.CDLL(None).personality(ADDR_NO_RANDOMIZE)


def run(*arguments, fault=None, reached=None, timeout=100, output=subprocess.PIPE):
    environment = dict(os.environ)
    if fault:
        call, at, error = fault
        environment.update(TMPDIR=str(pathlib.Path(reached).parent / "tmp"), LD_PRELOAD=LIBRARY, CTS_FAIL_CALL=call, CTS_FAIL_AT=str(at),
                           CTS_FAIL_WITH=str(error), CTS_FAIL_REACHED=str(reached))
    done = subprocess.run([TENSOR_CTS, *map(str, arguments)], stdin=subprocess.DEVNULL,
                          stdout=output, stderr=subprocess.PIPE, timeout=timeout,
                          env=environment, preexec_fn=fixed_addresses if fault else None)
    return done.returncode, (done.stdout or b"").decode(), done.stderr.decode()


def digest(path):
    """What a file says, but for times."""
    if path.name in ("result.json", "run.json", "results.json", "report.json", *VERDICT_FILES):
        json.loads(path.read_text())  # whole
        return ""
    if path.name in ("SHA256SUMS", "SIZES", "report.html", "report.txt"):
        return ""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def files(folder):
    if folder.is_file():  # an archive, which holds times
        return {folder.name: ""}
    return {str(path.relative_to(folder)): digest(path)
            for path in sorted(folder.rglob("*")) if path.is_file()}


class FailingCalls(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="failing_calls-"))
        cls.suite, cls.results = cls.root / "suite", cls.root / "results"
        cls.temporary = cls.root / "tmp"
        cls.temporary.mkdir()
        cls.generate = ("generate", "--recipe", "smoke", "--operator", "ABS", "--type", "fp16",
                        "--type", "i32", *(("--id", "abs/*-61-const-*", "--id", "abs/*type_row*-2") if WHOLE else ()),
                        "--jobs", 1)
        cls.ok("generate", *cls.generate[1:], "--out", cls.suite)
        cls.ok("run", cls.suite, "--implementation", "builtin:native", "--out", cls.results,
               "--jobs", 1)
        cls.case = json.loads((cls.suite / "suite.json").read_text())["cases"][0]["id"]
        cls.shards = [cls.root / f"shard-{i}" for i in (1, 2)]
        for i, shard in enumerate(cls.shards, 1):
            cls.ok("run", cls.suite, "--implementation", "builtin:native", "--out", shard,
                   "--shard", f"{i}/2", "--jobs", 1)

        cls.make_evidence()

    @classmethod
    def make_evidence(cls):
        """Evidence of a claim about an edition of one operator, which takes half a second."""
        edition = cls.root / "edition"
        shutil.copytree(ACME, edition)
        kept = ("CONST", "PERMUTE")
        json_file = edition / "acme-0.1.json"
        content = json.loads(json_file.read_text())
        content["operators"] = [one for one in content["operators"] if one["name"] in kept]
        for one in content["operators"]:
            one["type_rows"] = [row for row in one["type_rows"] if "i32" in row["types"].values()]
        json_file.write_text(json.dumps(content))
        precision = edition / "precision/acme-0.1.json"
        content = json.loads(precision.read_text())
        # Only rows of CONST stay: PERMUTE keeps integers alone, which no row of precision binds.
        content["rows"] = [row for row in content["rows"] if row["operator"] == "CONST"]
        precision.write_text(json.dumps(content))
        cls.edition = ("--edition-file", json_file)
        claim, key, public = (cls.root / name for name in ("claim.json", "key.pem", "key.pub"))
        claim.write_text(json.dumps({
            "format": "tensor-cts-claim-1", "name": "n", "version": "1", "vendor": "v",
            "hardware": "h", "edition": "acme-0.1", "profiles": ["BASE"], "extensions": [],
            "level": "8K"}))
        for command in (("genpkey", "-algorithm", "ed25519", "-out", key),
                        ("pkey", "-in", key, "-pubout", "-out", public)):
            subprocess.run(["openssl", *map(str, command)], check=True, stderr=subprocess.DEVNULL)
        cls.certify = ("certify", *cls.edition, "--claim", claim, "--key", key,
                       "--implementation", "builtin:native", "--jobs", 1)
        cls.evidence = cls.root / "evidence"
        cls.ok(*cls.certify, "--out", cls.evidence)
        cls.verify = ("verify", *cls.edition, cls.evidence, "--key", public, "--jobs", 1)
        cls.archive = cls.root / "evidence.tar.zst"
        cls.ok(*cls.certify, "--archive", "--out", cls.archive)
        cls.verify_archive = [cls.archive if word == cls.evidence else word for word in cls.verify]

        answers, blind, cls.blind_results = (cls.root / name for name in ("answers", "blind", "blind_results"))
        cls.ok("generate", *cls.generate[1:], "--blind", answers, "--out", blind)
        cls.ok("run", blind, "--implementation", "builtin:native", "--out", cls.blind_results)
        cls.make_challenge()
        cls.unblind = ("unblind", cls.blind_results, "--answers", answers, "--jobs", 1)

    @classmethod
    def make_challenge(cls):
        """The key of the evidence is that of both sides."""
        cls.challenge, cls.key = ("challenge", *cls.edition), cls.root / "key.pem"
        cls.opened, cls.opened_results, cls.answered = (cls.root / f"challenge{name}" for name in ("", "-results", "-answer"))
        cls.ok(*cls.challenge, "open", "--claim", cls.root / "claim.json", "--key", cls.key, "--vendor", cls.root / "key.pub",
               "--issuer", "i", "--until", "9999-12-31", "--out", cls.opened)
        cls.ok("run", *cls.edition, cls.opened / "public/suite", "--implementation", "builtin:native", "--out", cls.opened_results)
        cls.ok(*cls.challenge, "answer", "--challenge", cls.opened / "public", "--results", cls.opened_results, "--key", cls.key,
               "--out", cls.answered)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    @classmethod
    def ok(cls, *arguments):
        code, out, err = run(*arguments)
        assert code == 0, out + err
        return out

    def walk(self, *arguments, writes=False, each=4, name="out", one_run=False, by_stack=False):
        """Makes `each` calls of each kind in the command fail, spread over all of them.
        If it `writes`, its last argument is --out with this name. `one_run`: it writes nothing and starts no
        process, so that one run serves all faults. `by_stack`: if there are too many calls, only those with
        distinct call stacks."""
        out = self.root / name
        reached = self.root / "reached"
        everything = [*arguments, *(("--out", out) if writes else ())]

        def is_reached(call, at, error):
            self.clean(reached)
            answer = run(*everything, fault=(call, at, error), reached=reached)
            return answer if reached.exists() else None

        self.clean(reached)
        code, right, err = run(*everything)
        self.assertEqual(code, 0, right + err)
        made = files(out) if writes else {}
        for call, errors in ERRORS.items():
            self.clean(reached)
            begun, injected = time.monotonic(), 0
            if WHOLE and (call == "malloc" or by_stack):
                os.environ["CTS_FAIL_STACKS"] = "16" if call != "malloc" else "24" if one_run and not by_stack else "6"
            run(*everything, fault=(call, 0, SHORT), reached=reached)
            stacks = [tuple(map(int, line.split())) for line in reached.read_text().splitlines()]
            places = self.places(stacks, each, STRIDE if WHOLE and by_stack and call != "malloc" else None)
            # Few calls: each with one of the errors in turn.
            faults = [(at, error) for k, at in enumerate(places)
                      for error in (errors if WHOLE else errors[k % len(errors):][:1])][::EVERY]
            if EVERY > 1:  # otherwise it splits at each new stack as well
                os.environ.pop("CTS_FAIL_STACKS", None)
            if WHOLE and one_run:
                for error in errors:
                    if chosen := [at for at, one in faults if one == error]:
                        injected += self.walk_in_one_run(call, error, chosen, arguments, right, reached)
                faults = []
            os.environ.pop("CTS_FAIL_STACKS", None)
            for at, error in faults:
                answer = is_reached(call, at, error)
                if answer is None:
                    continue
                injected += 1
                with self.subTest(command=arguments[0], call=call, at=at, error=error,
                                  path=reached.read_text()):
                    self.judge(answer, right, out, made, call, error, reached.read_text())
            if WHOLE:
                print(f"{self.id().rpartition('.test_')[2]} {call}: {injected} faults, "
                      f"{time.monotonic() - begun:.0f} s", flush=True)
        self.clean(reached)

    def clean(self, reached):
        for path in [*self.root.glob("out*"), *self.temporary.iterdir()]:
            if path.is_dir():
                shutil.rmtree(path)
            else:
                path.unlink()
        reached.unlink(missing_ok=True)

    def walk_in_one_run(self, call, error, places, arguments, right, reached):
        """Each of these calls fails in a child of one run. Returns how many did."""
        (self.root / "places").write_text("".join(f"{at}\n" for at in places))
        reached.unlink(missing_ok=True)
        os.environ["CTS_FAIL_PLACES"] = str(self.root / "places")
        try:
            with open(self.root / "said", "wb") as said:
                answer = run(*arguments, fault=(call, 0, error), reached=reached, timeout=3000,
                             output=said)
        finally:
            del os.environ["CTS_FAIL_PLACES"]
        said = (self.root / "said").read_text()
        self.assertEqual((answer[0], said), (0, right), answer[2])
        children = [line.split(" ", 3) for line in reached.read_text().splitlines()]
        self.assertGreater(len(children), 0.9 * len(places))
        for at, status, before, path in children:
            outputs = [self.root / f"reached.{at}.{name}" for name in ("out", "err")]
            texts = [output.read_text() for output in outputs]
            for output in outputs:
                output.unlink()
            # Words from before it split stand in the output of the run itself.
            texts[0] = said.encode()[:int(before)].decode() + texts[0]
            answer = (os.waitstatus_to_exitcode(int(status)), *texts)
            with self.subTest(command=arguments[0], call=call, at=at, error=error, path=path):
                self.judge(answer, right, self.root / "out", {}, call, error, path)
        return len(children)

    @staticmethod
    def places(stacks, each, stride=None):
        """The numbers of the calls that are to fail."""
        count = max((last for _, last in stacks), default=0)
        if len(stacks) > 1 or stride and count > stride:
            return sorted({at for ends in stacks for at in ends} |
                          set(range(stride, count, stride) if stride else ()))
        if WHOLE or count <= each:
            return range(1, count + 1)
        # Near together at the beginning, then further and further apart.
        return sorted({1 + round((count - 1) * (k / (each - 1)) ** 2) for k in range(each)})

    def judge(self, answer, right, out, made, call, error, path):
        code, stdout, stderr = answer
        # The C library ends the process itself where it has no room to note a thread's destructor.
        by_libc = call == "malloc" and code == -signal.SIGABRT and stderr.startswith("Fatal glibc error:")
        if not by_libc:
            self.assertIn(code, (0, 2), stdout + stderr)
        if call in ("read", "write", "rename"):  # others fail where files are removed, too
            self.assertEqual(list(self.temporary.iterdir()), [])
        found = files(out) if out.exists() else {}
        if code == 0:
            self.assertEqual(stdout.splitlines()[-1:], right.splitlines()[-1:])
            self.assertEqual(found, made)
            return
        self.assertFalse(call in ("read", "write") and error in (errno.EINTR, SHORT), stderr)
        if not by_libc:
            self.assertIn("tensor-cts", stderr)
        self.assertNotIn("DOES NOT HOLD", stdout)
        self.assertNotIn("NOT CONFORMANT", stdout)
        self.assertNotIn("generate it again", stderr)
        for name, content in found.items():
            # The words about evidence that is complete could not be printed.
            if call == "malloc" and found == made:
                break
            self.assertFalse(name.endswith(VERDICT_FILES), name)
            if call != "malloc":
                self.assertNotIn(".tmp", name)
            # A file that is there already is whole.
            if name in made and ".partial" not in name:
                self.assertEqual(content, made[name], name)
        if call != "malloc":
            self.assertEqual([str(p) for p in self.root.glob("out.tmp*")], [])
        name = pathlib.PurePath(path).name
        if path.startswith(str(self.root)) and ".tmp" not in path and call in (
                "open", "read", "stat", "opendir", "readdir"):
            self.assertIn(name, stderr)

    def test_check(self):
        self.walk("check", self.suite, self.results, "--jobs", 1, one_run=True)

    def test_gate(self):
        self.walk("gate", "--suite", self.suite, "--implementation", "builtin:native")

    def test_coverage(self):
        suite = self.root / "all"  # a filtered suite has holes
        self.ok("generate", "--recipe", "smoke", "--operator", "ABS", "--type", "i32", "--out", suite)
        self.walk("coverage", suite, "--jobs", 1, one_run=True)

    def test_explain(self):
        self.walk("explain", "--suite", self.suite, self.results, self.case,
                  one_run=True)

    def test_run(self):
        self.walk("run", self.suite, "--implementation", "builtin:native", "--jobs", 1,
                  writes=True)

    def test_merge(self):
        self.walk("merge", *self.shards, writes=True)

    def test_generate(self):
        self.walk(*self.generate, writes=True)

    def test_certify(self):
        self.walk(*self.certify, writes=True, each=3, by_stack=True)

    def test_verify(self):
        self.walk(*self.verify, each=3, one_run=True, by_stack=True)

    def test_certify_archive(self):
        self.walk(*self.certify, "--archive", writes=True, each=2, name="out.tar.zst",
                  by_stack=True)

    def test_verify_archive(self):
        self.walk(*self.verify_archive, each=2, by_stack=True)

    def test_unblind(self):
        self.walk(*self.unblind, writes=True, each=3)

    def test_challenge_answer(self):
        self.walk(*self.challenge, "answer", "--challenge", self.opened / "public", "--results", self.opened_results,
                  "--key", self.key, "--jobs", 1, writes=True, each=3)

    def test_challenge_open(self):
        """Its files are drawn anew each time, so none is compared: each challenge is whole, or there is none."""
        out, reached = self.root / "out", self.root / "reached"
        command = (*self.challenge, "open", "--claim", self.root / "claim.json", "--key", self.key, "--vendor", self.root / "key.pub",
                   "--issuer", "i", "--until", "9999-12-31", "--jobs", 1, "--out", out)
        for call, at, error in self.faults(command, each=4):
            self.clean(reached)
            code, stdout, stderr = run(*command, fault=(call, at, error), reached=reached)
            with self.subTest(call=call, at=at, error=error):
                self.assertIn(code, (0, 2), stdout + stderr)
                self.assertEqual([path.name for path in self.root.glob("out*")], ["out"] if out.exists() else [])
                self.assertEqual(out.exists(), code == 0 or "out is complete, but may not outlast a power failure" in stderr)
                if out.exists():
                    self.assertEqual(set(files(out)), {"public/challenge.json", "public/claim.json", "public/suite/suite.json",
                                                       "public/suite/case.tar", "secret/answers.json"})
        self.clean(reached)

    def test_challenge_receive(self):
        """Whatever fails, and whenever the call is killed: a receipt is about an answer that is there as a whole, and without
        a receipt the next call takes the answer."""
        out, reached = self.root / "out", self.root / "reached"
        command = (*self.challenge, "receive", "--challenge", out, "--answer", self.answered, "--key", self.key, "--jobs", 1)

        def begin():
            self.clean(reached)
            shutil.copytree(self.opened, out)

        at_receipt, not_synced = set(), set()
        for call, at, error in [*self.faults(command, each=12, begin=begin), *self.last_faults(command, begin)]:
            begin()
            code, stdout, stderr = run(*command, fault=(call, at, error), reached=reached)
            path = reached.read_text() if reached.exists() else ""
            if path == str(out) or "receipt.json" in path:
                at_receipt.add(call)
            with self.subTest(call=call, at=at, error=error, path=path):
                self.assertIn(code, (KILL,) if error == KILL and path else (0, 2), stdout + stderr)
                receipt = out / "receipt.json"
                if receipt.exists():
                    payload = json.loads(base64.b64decode(json.loads(receipt.read_text())["payload"]))
                    kept = out / "received" / payload["answer"]
                    for name in ("answer.json", "results/run.json", "results/results.json", "results/case.tar"):
                        self.assertEqual((kept / name).read_bytes(), (self.answered / name).read_bytes())
                    self.assertNotIn("took no answer", stderr)
                    self.assertNotIn("nothing was written", stderr)
                    if code == 2:
                        self.assertIn("may not outlast a power failure", stderr)
                        self.assertIn("the answer was taken: copy the receipt, and go on with challenge verdict", stderr)
                    before = receipt.read_bytes()
                    code, _, stderr = run(*command)
                    self.assertEqual(code, 2)
                    self.assertIn("a challenge takes one answer; this call took no answer", stderr)
                    self.assertEqual(receipt.read_bytes(), before)
                else:
                    self.assertNotEqual(code, 0)
                    if call == "fsync" and code == 2:
                        not_synced.add(re.sub(r"^.*/received/[^/]*|^.*/", "received/DIGEST" if "/received/" in path else "", path))
                    if code == 2:
                        self.assertEqual([one for one in out.rglob("*") if ".tmp" in one.name], [])
                    if code == 2 and "edition" not in path:
                        self.assertIn("; this call took no answer", stderr)
                    code, _, stderr = run(*command)
                    self.assertEqual(code, 0, stderr)
                self.assertEqual(len([one for one in (out / "received").iterdir() if ".tmp" not in one.name]), 1)
        self.clean(reached)
        self.assertLessEqual({"open", "write", "link", "fsync"}, at_receipt)
        kept = ("", "/answer.json", "/results", *(f"/results/{name}" for name in ("run.json", "results.json", "case.tar")))
        self.assertLessEqual({f"received/DIGEST{name}" for name in kept} | {"received"}, not_synced)

    def faults(self, command, each, begin=lambda: None):
        """A few calls of each kind, each with one of the errors in turn."""
        reached, faults = self.root / "reached", []
        for call, errors in ERRORS.items():
            if call == "malloc":
                continue  # the walks over certify have the same code
            self.clean(reached)
            begin()
            run(*command, fault=(call, 0, SHORT), reached=reached)
            stacks = [tuple(map(int, line.split())) for line in reached.read_text().splitlines()]
            faults += [(call, at, errors[k % len(errors)]) for k, at in enumerate(self.places(stacks, each))]
        return faults

    def last_faults(self, command, begin):
        """The last calls, by which the receipt is written: each with each error, or killed there."""
        reached, faults = self.root / "reached", []
        for call in ("open", "write", "link", "rename", "fsync"):
            self.clean(reached)
            begin()
            run(*command, fault=(call, 0, SHORT), reached=reached)
            count = max((int(line.split()[-1]) for line in reached.read_text().splitlines()), default=0)
            for at in range(max(1, count - (15 if call == "fsync" else 7)), count + 1):
                faults += [(call, at, error) for error in (*ERRORS[call], KILL)]
        return faults

    def test_killed(self):
        """The next call for the same output removes the remains of a killed call, and leaves the files of living
        processes."""
        report = self.root / "report.json"
        self.ok("check", self.suite, self.results, "--json", report)
        case = self.suite / self.case
        place = self.root / "out"
        commands = [
            ("check", self.suite, self.results, "--html", place / "a.html", "--json", place / "a.json",
             "--junit", place / "a.xml"),
            ("compare", report, report, "--html", place / "a.html", "--json", place / "a.json"),
            ("render", case, "--format", "mlir", "--out", place / "a.mlir"),
            ("gate", "--suite", self.suite, "--implementation", "builtin:native", "--sarif", place / "a.sarif", "--sarif-file", report,
             "--write-baseline", place / "a.json")]
        if WHOLE:
            commands += [
                ("coverage", self.suite, "--html", place / "a.html"),
                ("explain", "--suite", self.suite, self.results, self.case, "--html", place / "a.html"),
                (*self.generate, "--blind", place / "answers.json", "--out", place / "suite"),
                ("export", self.suite, "--format", "tosa", "--out", place / "suite"),
                ("merge", *self.shards, "--out", place / "results"),
                (*self.unblind, "--out", place / "judged"),
                (*self.certify, "--out", place / "evidence")]
        for arguments in commands:
            with self.subTest(command=arguments[0]):
                self.killed(arguments, place)

    def killed(self, arguments, place):
        reached = self.root / "reached"
        self.clean(reached)
        code, out, err = run(*arguments)
        self.assertIn(code, (0, 1), out + err)
        made = self.names(place)
        self.assertEqual(list(self.temporary.iterdir()), [])
        left = 0
        for call in ("write", "rename"):
            self.clean(reached)
            run(*arguments, fault=(call, 0, SHORT), reached=reached)
            count = int((reached.read_text().split() or [0])[-1])
            for at in self.places([(1, count)], 2):
                self.clean(reached)
                code, _, err = run(*arguments, fault=(call, at, KILL), reached=reached)
                self.assertEqual(code, KILL, err)
                remains = self.names(place) - made | self.names(self.temporary)
                left += len(remains)
                for path in place.iterdir() if place.is_dir() else ():
                    # A whole output that is there already would be refused by some.
                    if path.is_dir() and ".tmp" not in path.name:
                        shutil.rmtree(path)
                    elif ".tmp" not in path.name:
                        path.unlink()
                run(*arguments, fault=("none", 1, SHORT), reached=reached)
                self.assertEqual(self.names(place), made, f"killed at {call} {at}")
                self.assertEqual(list(self.temporary.iterdir()), [], f"killed at {call} {at}")
        self.assertGreater(left, 0)

    @staticmethod
    def names(folder):
        """What lies in it, and what is no part of anything in it: a blind suite is in a drawn order."""
        return {str(path.relative_to(folder)) for path in folder.rglob("*")
                if path.parent == folder or ".tmp" in path.name}

    def test_too_little_memory(self):
        """Ends with a message, not by a signal, and not with a verdict."""
        out = self.root / "out"
        least = next(kib for kib in range(10000, 1 << 20, 1000)
                     if self.limited(kib, "version")[0] == 0)
        for command in (self.verify, self.verify_archive, ("check", self.suite, self.results),
                        ("run", self.suite, "--implementation", "builtin:native", "--out", out)):
            for more in range(0, 60000, 2000 if WHOLE else 12000):
                shutil.rmtree(out, ignore_errors=True)
                code, stdout, stderr = self.limited(least + more, *command)
                with self.subTest(command=command[0], kib=least + more):
                    self.assertIn(code, (0, 2), stdout + stderr)
                    if code == 2:
                        self.assertIn("memory", stderr)
        shutil.rmtree(out, ignore_errors=True)

    @staticmethod
    def limited(kib, *command):
        done = subprocess.run(["sh", "-c", f'ulimit -v {kib}; exec "$@"', "sh", TENSOR_CTS,
                               *map(str, command)], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=100)
        return done.returncode, done.stdout.decode(), done.stderr.decode()


if __name__ == "__main__":
    LIBRARY = sys.argv.pop(2)
    TENSOR_CTS = sys.argv.pop(1)
    unittest.main()

#!/usr/bin/python3
"""One command for a suite on many machines: processes here for real, Slurm, Kubernetes and ssh with programs that stand in for
theirs.  Usage: launch_test.py TENSOR_CTS PLUGIN"""
import fcntl
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

CTS, PLUGIN = (pathlib.Path(path).resolve() for path in sys.argv[1:3])
PYTHON = sys.executable
# Answers every case, and obeys files beside it. At a case of KILL it kills its run once, at a case of ALWAYS each time. SLOW has
# the seconds for a case. ASKED gets a line for each case.
ADAPTER = """
import json, os, pathlib, signal, sys, time
HERE = pathlib.Path(os.environ.get("TEST_PLACE") or __file__).resolve()
HERE = HERE if HERE.is_dir() else HERE.parent
def read(name):
    path = HERE / name
    return path.read_text().split() if path.exists() else []
def run_of(pid):
    while os.path.basename(os.readlink(f"/proc/{pid}/exe")) != "tensor-cts":
        pid = int(pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return pid
for line in sys.stdin:
    asked = json.loads(line)
    name = asked["case"].rstrip("/").split("/")[-1]
    with open(HERE / "ASKED", "a") as log:
        log.write(name + "\\n")
    always = name in read("ALWAYS")
    if always or name in read("KILL"):
        try:
            if not always:
                os.close(os.open(HERE / f"killed-{name}", os.O_CREAT | os.O_EXCL))
            os.kill(run_of(os.getppid()), signal.SIGKILL)
            time.sleep(60)
        except FileExistsError:
            pass
    for seconds in read("SLOW"):
        time.sleep(float(seconds))
    print(json.dumps({"case": asked["case"], "status": "unsupported"}), flush=True)
"""

# Runs the tasks one after the other, as Slurm does with one processor.
SBATCH = r"""
import os, re, subprocess, sys, pathlib
place = pathlib.Path(os.environ["TEST_PLACE"])
with open(place / "sbatch.log", "a") as log:
    log.write("\t".join(sys.argv[1:]) + "\n")
if (place / "REFUSE").exists():
    sys.exit("sbatch: error: invalid partition specified: none")
option = {word.split("=", 1)[0]: word.split("=", 1)[1] for word in sys.argv[1:] if "=" in word}
tasks = []
for part in option["--array"].split("%")[0].split(","):
    first, _, last = part.partition("-")
    tasks += range(int(first), int(last or first) + 1)
print(4711)  # as Slurm's, it reaches a pipe at the end
worst = 0
for task in tasks:
    environment = {**os.environ, "SLURM_ARRAY_TASK_ID": str(task), "SLURM_CPUS_PER_TASK": option["--cpus-per-task"]}
    with open(option["--output"].replace("%a", str(task)), "a") as log:
        code = subprocess.run([sys.argv[-1]] if os.access(sys.argv[-1], os.X_OK) else ["sh", sys.argv[-1]],
                              cwd=option["--chdir"], env=environment, stdout=log, stderr=log, stdin=subprocess.DEVNULL).returncode
    worst = max(worst, abs(code))
sys.exit(min(worst, 255))
"""

# One Job at a time: its pods run one after the other, each as often as the Job says.
KUBECTL = r"""
import json, os, pathlib, re, subprocess, sys, time
place = pathlib.Path(os.environ["TEST_PLACE"])
def expanded(text, variables):
    return re.sub(r"\$\$|\$\(([^)]*)\)", lambda found: "$" if found[1] is None else variables.get(found[1], found[0]), text)
words = [word for word in sys.argv[1:] if not word.startswith("--namespace")]
with open(place / "kubectl.log", "a") as log:
    log.write("\t".join(sys.argv[1:]) + "\n")
status = place / "job-status.json"
if words[0] == "delete":
    if "--wait=false" in words and (place / "HANGS").exists():
        time.sleep(60)
    if "--wait=false" in words and (place / "FAILS").exists():
        sys.exit("error: You must be logged in to the server (Unauthorized)")
    status.unlink(missing_ok=True)
elif words[0] == "apply":
    if (place / "REFUSE").exists():
        sys.exit("error: the namespace \"none\" was not found")
    job = json.loads(pathlib.Path(words[2]).read_text())
    (place / "applied.json").write_text(json.dumps(job))
    container, = job["spec"]["template"]["spec"]["containers"]
    failed = 0
    for index in range(job["spec"]["completions"]):
        variables = {"JOB_COMPLETION_INDEX": str(index)}
        command = [expanded(word, variables) for word in container["command"]]
        for _ in range(1 + job["spec"]["backoffLimitPerIndex"]):
            if subprocess.run(command, env={**os.environ, **variables}, cwd="/", stdin=subprocess.DEVNULL).returncode == 0:
                break
        else:
            failed += 1
    status.write_text(json.dumps({"status": {"conditions": [
        {"type": "Suspended", "status": "False"}, {"type": "Failed" if failed else "Complete", "status": "True"}]}}))
elif words[0] == "wait":
    kind = words[1].removeprefix("--for=condition=")
    if kind not in [one["type"] for one in json.loads(status.read_text())["status"]["conditions"] if one["status"] == "True"]:
        sys.exit("error: timed out waiting for the condition on jobs/x")
elif words[0] == "get":
    print(status.read_text())
else:
    sys.exit("not expected: " + words[0])
"""

# The host "dies" ends its first run of a shard after a moment, as a host does that loses its power; "gone" cannot be reached.
# The results of "late" appear after two seconds.
SSH = r"""
import os, pathlib, re, subprocess, sys, time
place = pathlib.Path(os.environ["TEST_PLACE"])
words = sys.argv[1:]
while words[0] == "-o":
    words = words[2:]
host, command = words[0], " ".join(words[1:])
with open(place / "ssh.log", "a") as log:
    log.write(host + "\t" + command + "\n")
if host == "gone":
    print("ssh: connect to host gone port 22: No route to host", file=sys.stderr)
    sys.exit(255)
if host == "lacking" and " run " in command:
    sys.exit(127)
run = subprocess.Popen(["sh", "-c", command], cwd="/", start_new_session=True)
if host == "dies" and " run " in command:
    time.sleep(0.5)
    os.killpg(run.pid, 9)
    run.wait()
    print("client_loop: send disconnect: Broken pipe", file=sys.stderr)
    sys.exit(255)
code = run.wait()
if host == "late" and " run " in command:
    record = place / "results" / ("shard-" + re.search(r"i=(\d+);", command)[1]) / "run.json"
    record.rename(f"{record}.late")
    subprocess.Popen(["sh", "-c", 'sleep 2; mv "$0.late" "$0"', record], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                     stderr=subprocess.DEVNULL, start_new_session=True)
sys.exit(code if code >= 0 else 255)
"""


class Launch(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="launch_test-"))
        cls.suite = cls.shared / "suite"
        done = subprocess.run([CTS, "generate", "--recipe", "smoke", "--operator", "abs", "--type", "fp32", "--type", "fp16",
                               "--out", cls.suite], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        cls.cases = [case["id"] for case in json.loads((cls.suite / "suite.json").read_text())["cases"]]
        assert len(cls.cases) >= 12, cls.cases
        for name, text in (("sbatch", SBATCH), ("kubectl", KUBECTL), ("ssh", SSH), ("scancel", SCANCEL)):
            path = cls.shared / "bin" / name
            path.parent.mkdir(exist_ok=True)
            path.write_text(f"#!{PYTHON}\n{text}")
            path.chmod(0o755)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.shared))
        self.out = self.here / "results"
        self.adapter = self.here / "adapter.py"
        self.adapter.write_text(ADAPTER)
        self.environment = {**os.environ, "TEST_PLACE": str(self.here), "PATH": f"{self.shared / 'bin'}:{os.environ['PATH']}"}

    def words(self, engine, *more, shards=3, adapter=True):
        implementation = ("--adapter", f"{PYTHON} {self.adapter}", "--worker") if adapter else ("--implementation", "builtin:native")
        return [CTS, "launch", self.suite, "--engine", engine, "--shards", shards, *implementation, "--out", self.out, *more]

    def launch(self, engine, *more, code=1, **options):
        """Its output, both streams. The adapter supports nothing, so 1 is the code of a launch that came to its end."""
        done = subprocess.run([*map(str, self.words(engine, *more, **options))], cwd=self.here, env=self.environment, text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=100)
        self.assertEqual(done.returncode, code, done.stdout)
        return done.stdout

    def id_of(self, shard, position, shards=3):
        """The name of a case of a shard."""
        return self.cases[shard - 1 + position * shards].split("/")[-1]

    def run_of(self, shard):
        return json.loads((self.out / f"shard-{shard}/run.json").read_text())

    def asked(self):
        return sorted((self.here / "ASKED").read_text().split())

    def expect_only_asked_twice(self, name):
        """And perhaps the case before it, whose answer was on its way: what had come before a kill was kept."""
        asked = self.asked()
        twice = {name for name in asked if asked.count(name) > 1}
        self.assertIn(name, twice)
        self.assertLessEqual(len(twice), 2)

    def expect_whole(self, shards=3):
        whole = json.loads((self.out / "whole/run.json").read_text())
        self.assertEqual([one["shard"] for one in whole["shards"]], [{"index": k, "of": shards} for k in range(1, shards + 1)])
        self.assertTrue(whole["complete"])
        report = json.loads(subprocess.run([CTS, "check", self.suite, self.out / "whole", "--json", "-"], stdout=subprocess.PIPE).stdout)
        self.assertEqual(sorted(case["id"] for case in report["cases"]), sorted(self.cases))
        self.assertEqual({case["verdict"] for case in report["cases"]} - {"unsupported", "pass"}, set())

    def start(self, *more, engine="local", cases=8):
        """A launch that has asked some cases."""
        process = subprocess.Popen([*map(str, self.words(engine, *more))], cwd=self.here, env=self.environment, text=True,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        for _ in range(400):
            if (self.here / "ASKED").exists() and len(self.asked()) >= cases:
                return process
            time.sleep(0.05)
        process.kill()
        self.fail("no case was asked: " + process.communicate()[0])

    def living(self):
        """The processes that know this folder."""
        found = []
        for path in pathlib.Path("/proc").glob("[0-9]*/cmdline"):
            try:
                words = path.read_bytes()
            except OSError:
                continue
            if str(self.here).encode() in words and path.parent.name != str(os.getpid()):
                found.append(words)
        return found

    def log(self, name):
        path = self.here / name
        return [line.split("\t") for line in path.read_text().splitlines()] if path.exists() else []


SCANCEL = """
import os, pathlib, sys
place = pathlib.Path(os.environ["TEST_PLACE"])
(place / "scancel.log").write_text("\\t".join(sys.argv[1:]) + "\\n")
if (place / "FAILS").exists():
    sys.exit("scancel: error: slurm_load_jobs error: Unable to contact slurm controller")
"""


class Local(Launch):
    def test_all_shards_are_run_merged_and_judged_once(self):
        said = self.launch("local")
        self.assertIn(f"launch: 3 shards of smoke ({len(self.cases)} cases) by local: 1-3 to run, each at most 3 times", said)
        self.assertIn(f"NOT CONFORMANT: 0 wrong, {len(self.cases)} not supported", said)
        self.assertIn(f"all failures: tensor-cts check {self.suite} {self.out / 'whole'}", said)
        self.expect_whole()
        before = self.asked()
        self.assertEqual(before, sorted(case.split("/")[-1] for case in self.cases))
        self.assertIn("1-3 there, none to run", self.launch("local"))
        self.assertEqual(self.asked(), before)
        self.expect_whole()

    def test_the_exit_code_is_that_of_check_and_reports_are_written(self):
        said = self.launch("local", "--json", "report.json", "--jobs", 1, adapter=False, code=0, shards=2)
        self.assertIn(f"CONFORMANT on this suite: all {len(self.cases)} cases passed", said)
        self.assertEqual(len(json.loads((self.here / "report.json").read_text())["cases"]), len(self.cases))
        self.assertTrue((self.out / "shard-1/abs.tar").is_file())
        self.out = self.here / "alone"
        done = subprocess.run([*map(str, self.words("local", "--json", "-"))], stdout=subprocess.PIPE, env=self.environment)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(len(json.loads(done.stdout)["cases"]), len(self.cases))
        self.out = self.here / "quiet"
        self.assertEqual(self.launch("local", "--quiet", adapter=False, code=0).count("\n"), 1)

    def test_a_run_that_is_killed_is_started_again_and_goes_on(self):
        (self.here / "KILL").write_text(self.id_of(2, 2))
        said = self.launch("local", "--jobs", 1)
        self.assertIn("launch: shard 2 was killed by signal 9 (Killed); it goes on, 2 retries left", said)
        self.expect_whole()
        self.assertEqual([len(self.run_of(k).get("resumed", [])) for k in (1, 2, 3)], [0, 1, 0])
        self.expect_only_asked_twice(self.id_of(2, 2))

    def test_what_never_comes_is_named_and_the_same_command_goes_on(self):
        (self.here / "ALWAYS").write_text(self.id_of(2, 1))
        said = self.launch("local", "--retries", 1, "--jobs", 1, code=2)
        self.assertIn("launch: 1 of 3 shards missing: 2; shard 2 was killed by signal 9 (Killed); nothing is judged. Finished "
                      f"shards are kept in {self.out}: the same command goes on", said)
        self.assertEqual(said.count("was killed by signal 9"), 3)  # twice as news, and at the end
        self.assertFalse((self.out / "whole").exists())
        (self.here / "ALWAYS").unlink()
        kept = {k: (self.out / f"shard-{k}/abs.tar").stat().st_mtime_ns for k in (1, 3)}
        self.assertIn("1,3 there, 2 to run", self.launch("local", "--retries", 1, "--jobs", 1))
        self.expect_whole()
        self.assertEqual({k: (self.out / f"shard-{k}/abs.tar").stat().st_mtime_ns for k in (1, 3)}, kept)

    def test_an_adapter_that_does_not_start_is_tried_once(self):
        self.adapter.write_text("raise SystemExit(2)")
        said = self.launch("local", "--at-once", 1, code=2)
        self.assertIn("3 of 3 shards missing: 1-3; shard 1 exited with code 2", said)
        self.assertIn("the adapter does not start", said)
        self.assertEqual(said.count("does not start"), 1)

    def test_ctrl_c_ends_all_and_the_same_command_goes_on(self):
        (self.here / "SLOW").write_text("0.2")
        process = self.start("--at-once", "2")
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[0]
        self.assertEqual(process.returncode, -signal.SIGINT, said)
        self.assertIn("launch: interrupted; finished shards are kept, the same command goes on", said)
        self.assertEqual(self.living(), [])
        (self.here / "SLOW").unlink()
        before = len(self.asked())
        self.launch("local", "--at-once", 2)
        self.expect_whole()
        # An answer that had come is kept; cases under way are asked again.
        self.assertLess(len(self.asked()), before + len(self.cases))

    def test_a_launch_that_is_killed_leaves_no_run_behind(self):
        (self.here / "SLOW").write_text("0.2")
        process = self.start("--at-once", "2")
        process.kill()
        process.communicate(timeout=30)
        for _ in range(200):
            if not self.living():
                break
            time.sleep(0.05)
        self.assertEqual(self.living(), [])
        (self.here / "SLOW").unlink()
        self.launch("local")
        self.expect_whole()

    def test_a_shard_in_whose_folder_another_run_still_writes_is_waited_for(self):
        (self.out / "shard-2").mkdir(parents=True)
        lock = os.open(self.out / "shard-2", os.O_RDONLY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        launch = subprocess.Popen([*map(str, self.words("local", "--retries", 0))], cwd=self.here, env=self.environment, text=True,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        while not all((self.out / f"shard-{k}/abs.tar").exists() for k in (1, 3)):
            time.sleep(0.05)
        os.close(lock)
        said = launch.communicate(timeout=30)[0]
        self.assertEqual(launch.returncode, 1, said)
        self.assertNotIn("launch: shard 2", said)
        self.expect_whole()

    def test_one_launch_at_a_time(self):
        (self.here / "SLOW").write_text("0.2")
        process = self.start("--at-once", "1")
        self.assertIn("another run writes here", self.launch("local", code=2))
        process.terminate()
        process.communicate(timeout=30)

    def test_results_of_something_else_are_refused(self):
        self.launch("local", adapter=False, code=0)
        self.assertIn("shard-1: holds results of", self.launch("local", code=2))
        self.assertIn("found results of shard 1/3, expected those of shard 1/4", self.launch("local", shards=4, adapter=False, code=2))
        self.assertIn("shard-3: found a shard of more than 2 (--shards)", self.launch("local", shards=2, adapter=False, code=2))
        (self.out / "whole/run.json").unlink()
        self.assertIn("whole: found no merged results", self.launch("local", adapter=False, code=2))
        self.out = self.here / "one"
        subprocess.run([CTS, "run", self.suite, "--implementation", "builtin:native", "--out", self.out], check=True,
                       stdout=subprocess.DEVNULL)
        self.assertIn("holds the results of a run", self.launch("local", adapter=False, code=2))

    def test_another_adapter_under_the_same_name_is_refused(self):
        self.launch("local")
        self.adapter.write_text(ADAPTER + "\n# Mended.\n")
        self.assertIn(f"results of another adapter: its file {self.adapter} is not the one that ran", self.launch("local", code=2))

    def test_a_plugin_is_known_again(self):
        words = [CTS, "launch", self.suite, "--engine", "local", "--shards", "2", "--plugin", PLUGIN, "--out", self.out]
        for state in ("1-2 to run", "1-2 there, none to run"):
            done = subprocess.run([*map(str, words)], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
            self.assertIn(state, done.stdout)
            self.assertTrue((self.out / "whole/run.json").is_file(), done.stdout)

    def test_shards_by_the_seconds_of_a_report(self):
        self.launch("local", "--json", "report.json", adapter=False, code=0)
        self.out = self.here / "balanced"
        self.launch("local", "--balance", "report.json", adapter=False, code=0)
        self.assertIn("balanced_by", self.run_of(1)["shard"])
        self.launch("local", "--balance", "report.json", adapter=False, code=0)
        self.assertIn("by the seconds of report", self.launch("local", adapter=False, code=2))

    def test_options_are_those_of_run(self):
        said = self.launch("local", "--dry-run", "--timeout", 7, "--memory", 99, "--code", self.adapter, "--repeat", 2, "--jobs", 3,
                           code=0)
        self.assertIn(f"--code {self.adapter} --worker --timeout 7 --memory 99 --repeat 2 --jobs 3 --shard \"$i/3\" --resume --pack", said)
        self.assertFalse(self.out.exists())
        self.assertIn("--adapter", self.launch("local", "--python", "x.py:f", code=2))
        self.assertIn("expected at most", self.launch("local", shards=len(self.cases) + 1, code=2))
        self.assertIn("--hosts, expected it with --engine ssh alone, found --engine local", self.launch("local", "--hosts", self.hosts("a"), code=2))

    def hosts(self, *names):
        path = self.here / "hosts"
        path.write_text("# The machines.\n\n" + "\n".join(names) + "\n")
        return path


class Slurm(Launch):
    def test_missing_tasks_alone_are_submitted_again(self):
        (self.here / "KILL").write_text(self.id_of(2, 2))
        said = self.launch("slurm", "--sbatch=--partition=long", "--sbatch=--mem=1G")
        self.assertIn("of job 4711 shards 2 did not come", said)
        self.expect_whole()
        calls = self.log("sbatch.log")
        self.assertEqual([next(word for word in call if word.startswith("--array")) for call in calls], ["--array=1-3", "--array=2"])
        for call in calls:
            self.assertLessEqual({"--wait", "--parsable", "--no-requeue", "--dependency=singleton", "--cpus-per-task=1",
                                  "--partition=long", "--mem=1G"}, set(call))
            self.assertEqual(call[-1], str(self.out / "launch/slurm.sh"))
        self.expect_only_asked_twice(self.id_of(2, 2))
        # All is there: nothing is submitted.
        self.launch("slurm")
        self.assertEqual(len(self.log("sbatch.log")), 2)

    def test_a_shard_that_never_comes_ends_the_launch(self):
        (self.here / "ALWAYS").write_text(self.id_of(3, 0))
        said = self.launch("slurm", "--retries", 1, "--jobs", 2, code=2)
        self.assertIn("1 of 3 shards missing: 3; shard 3 has no whole results after its task", said)
        self.assertEqual([next(word for word in call if word.startswith("--array")) for call in self.log("sbatch.log")],
                         ["--array=1-3", "--array=3"])
        self.assertIn("--jobs \"$SLURM_CPUS_PER_TASK\"", (self.out / "launch/slurm.sh").read_text())
        (self.here / "ALWAYS").unlink()
        self.launch("slurm")
        self.expect_whole()

    def test_what_sbatch_refuses_is_not_tried_again(self):
        (self.here / "REFUSE").touch()
        said = self.launch("slurm", code=2)
        self.assertIn("sbatch submitted nothing: it exited with code 1: sbatch: error: invalid partition specified: none", said)
        self.assertEqual(len(self.log("sbatch.log")), 1)

    def test_without_slurm_it_says_so(self):
        self.environment["PATH"] = str(self.here)
        said = self.launch("slurm", code=2)
        self.assertIn("exited with code 127 (from the shell: no such command)", said)

    def test_ctrl_c_cancels_the_job(self):
        (self.here / "SLOW").write_text("5")
        for fails in (False, True):
            (self.here / "ASKED").unlink(missing_ok=True)
            if fails:
                (self.here / "FAILS").touch()
            process = self.start(engine="slurm", cases=1)
            process.send_signal(signal.SIGTERM)
            said = process.communicate(timeout=30)[0]
            self.assertEqual(process.returncode, -signal.SIGTERM, said)
            name, = self.log("scancel.log")[0]
            self.assertIn(name.replace("--name", "--job-name"), self.log("sbatch.log")[-1])
            self.assertEqual(f"Unable to contact slurm controller; the job may go on: call scancel {name}\n" in said, fails, said)

    def test_a_dry_run_shows_the_script_and_the_call(self):
        said = self.launch("slurm", "--dry-run", "--at-once", 2, code=0)
        self.assertIn("i=$SLURM_ARRAY_TASK_ID\n", said)
        self.assertIn("--array=1-3%2 ", said)
        self.assertFalse(self.out.exists())


# The fields of batch/v1 that a Job of ours has, and why; the Kubernetes API reference has all.
FIELDS = {
    "apiVersion": "of every object", "kind": "of every object", "metadata": "of every object", "metadata.name": "of every object",
    "metadata.namespace": "--namespace", "spec": "JobSpec",
    "spec.completionMode": "Indexed: a pod knows its number", "spec.completions": "the shards", "spec.parallelism": "--at-once",
    "spec.backoffLimitPerIndex": "--retries, for each shard", "spec.ttlSecondsAfterFinished": "a Job goes after a day",
    "spec.template": "PodTemplateSpec", "spec.template.spec": "PodSpec",
    "spec.template.spec.restartPolicy": "Never, which backoffLimitPerIndex demands",
    "spec.template.spec.terminationGracePeriodSeconds": "run ends within two seconds",
    "spec.template.spec.containers": "one", "spec.template.spec.containers[].name": "of every container",
    "spec.template.spec.containers[].image": "--image", "spec.template.spec.containers[].command": "the shell with the shard",
    "spec.template.spec.containers[].resources": "ResourceRequirements",
    "spec.template.spec.containers[].resources.requests": "of the scheduler",
    "spec.template.spec.containers[].resources.requests.cpu": "--jobs",
    "spec.template.spec.containers[].volumeMounts": "one", "spec.template.spec.containers[].volumeMounts[].name": "of the volume",
    "spec.template.spec.containers[].volumeMounts[].mountPath": "--mount",
    "spec.template.spec.volumes": "one", "spec.template.spec.volumes[].name": "of the volume",
    "spec.template.spec.volumes[].persistentVolumeClaim": "PersistentVolumeClaimVolumeSource",
    "spec.template.spec.volumes[].persistentVolumeClaim.claimName": "--volume-claim",
}


def fields(value, place=""):
    """The names of all members, as in FIELDS, each with its values."""
    found = {}
    if isinstance(value, list):
        for one in value:
            for name, values in fields(one, place + "[]").items():
                found.setdefault(name, []).extend(values)
    if isinstance(value, dict):
        for key, one in value.items():
            name = f"{place}.{key}" if place else key
            found.setdefault(name, []).append(one)
            for inner, values in fields(one, name).items():
                found.setdefault(inner, []).extend(values)
    return found


class Kubernetes(Launch):
    def options(self, *more):
        return ("--image", "registry.example.org/mine:1", "--volume-claim", "claim", "--mount", self.shared, "--program", CTS, *more)

    def job(self):
        return json.loads((self.here / "applied.json").read_text())

    def test_a_job_of_all_shards(self):
        (self.here / "KILL").write_text(self.id_of(2, 2))
        self.launch("kubernetes", *self.options("--namespace", "tests", "--jobs", 2, "--at-once", 2))
        self.expect_whole()
        self.assertEqual([(call[0], call[1]) for call in self.log("kubectl.log")],
                         [("--namespace=tests", name) for name in ("delete", "apply", "wait")])
        found = fields(self.job())
        self.assertEqual({name for name in found if name not in FIELDS}, set())
        self.assertEqual({name for name in FIELDS if name not in found}, set())
        spec = self.job()["spec"]
        self.assertEqual([spec[name] for name in ("completionMode", "completions", "parallelism", "backoffLimitPerIndex")],
                         ["Indexed", 3, 2, 2])
        # Kubernetes wants these types, and of a name that it is one of DNS.
        for name, kind in (("spec.completions", int), ("spec.template.spec.terminationGracePeriodSeconds", int),
                           ("spec.template.spec.containers[].resources.requests.cpu", str)):
            self.assertIs(type(found[name][0]), kind, name)
        self.assertRegex(found["metadata.name"][0], r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")
        self.assertEqual(found["spec.template.spec.containers[].volumeMounts[].name"], found["spec.template.spec.volumes[].name"])

    def test_missing_shards_alone_are_in_the_next_job(self):
        (self.here / "ALWAYS").write_text(f"{self.id_of(1, 0)} {self.id_of(3, 0)}")
        said = self.launch("kubernetes", *self.options("--retries", 0), code=2)
        self.assertIn("2 of 3 shards missing: 1,3; shard 1 has no whole results though the Job is Failed", said)
        self.assertIn("kubectl logs --prefix --selector=job-name=tensor-cts-", said)
        self.assertIn("get", [call[0] for call in self.log("kubectl.log")])
        name = self.job()["metadata"]["name"]
        (self.here / "ALWAYS").unlink()
        self.launch("kubernetes", *self.options("--retries", 0))
        self.assertEqual(self.job()["spec"]["completions"], 2)
        self.assertEqual(self.job()["metadata"]["name"], name)
        self.expect_whole()
        # As another volume has it at the same path.
        shutil.rmtree(self.out)
        self.launch("kubernetes", *self.options())
        self.assertNotEqual(self.job()["metadata"]["name"], name)

    def test_kubernetes_replaces_nothing_in_the_command(self):
        self.out = self.here / "of $$ $(JOB_COMPLETION_INDEX)"
        self.launch("kubernetes", *self.options())
        self.expect_whole()

    def test_ctrl_c_deletes_the_job(self):
        (self.here / "SLOW").write_text("5")
        for how, why in (("", ""), ("FAILS", "exited with code 1: error: You must be logged in to the server (Unauthorized)"),
                         ("HANGS", "was ended by a signal")):
            for name in ("ASKED", "kubectl.log"):
                (self.here / name).unlink(missing_ok=True)
            if how:
                (self.here / how).touch()
            process = self.start(*self.options(), engine="kubernetes", cases=1)
            process.send_signal(signal.SIGINT)
            while self.log("kubectl.log")[-1][0] != "delete":
                time.sleep(0.05)
            if how == "HANGS":
                process.send_signal(signal.SIGINT)
            said = process.communicate(timeout=20)[0]
            self.assertEqual(process.returncode, -signal.SIGINT, said)
            self.assertEqual([call[0] for call in self.log("kubectl.log")], ["delete", "apply", "delete"])
            cancel = "kubectl " + " ".join(self.log("kubectl.log")[-1])
            self.assertEqual("the job may go on" in said, bool(how), said)
            if how:
                self.assertIn(f"launch: {cancel} {why}; the job may go on: call {cancel}\n", said)
                (self.here / how).unlink()

    def test_what_kubectl_refuses_and_what_pods_cannot_see(self):
        (self.here / "REFUSE").touch()
        self.assertIn('exited with code 1: error: the namespace "none" was not found', self.launch("kubernetes", *self.options(), code=2))
        self.assertIn(f"SUITE: found {self.suite}, expected a path in {self.here} (--mount)",
                      self.launch("kubernetes", *self.options("--mount", self.here)[-2:], *self.options()[:4], code=2))
        self.assertIn("expected --image IMAGE, --volume-claim", self.launch("kubernetes", code=2))


class Ssh(Launch):
    def hosts(self, *names):
        path = self.here / "hosts"
        path.write_text("# The machines.\n\n" + "\n".join(names) + "\n")
        return "--hosts", path

    def test_a_dead_host_gives_its_shard_to_the_others(self):
        (self.here / "SLOW").write_text("0.06")
        said = self.launch("ssh", *self.hosts("one", "dies"), "--jobs", 1)
        self.assertRegex(said, r"launch: dies is gone \(exited with code 255: client_loop: send disconnect: Broken pipe\); shard \d goes")
        self.expect_whole()
        self.assertEqual([call[0] for call in self.log("ssh.log")].count("dies"), 1)

    def test_no_host_is_left(self):
        said = self.launch("ssh", *self.hosts("gone"), code=2)
        self.assertIn("3 of 3 shards missing: 1-3; shard 1 exited with code 255: ssh: connect to host gone port 22: No route", said)
        self.assertIn("launch: gone is gone (exited with code 255: ssh: connect to host gone port 22: No route to host); no host is left\n",
                      said)

    def test_a_host_without_the_program_does_not_fail_all_shards(self):
        (self.here / "SLOW").write_text("0.06")
        said = self.launch("ssh", *self.hosts("lacking", "one"), "--jobs", 1)
        self.assertIn("launch: lacking gets no more shards: 2 shards in a row failed there", said)
        self.expect_whole()

    def test_one_host_does_not_end_the_launch_when_there_are_few_retries(self):
        (self.here / "SLOW").write_text("0.06")
        said = self.launch("ssh", *self.hosts("lacking", "one"), "--jobs", 1, "--retries", 1, shards=2)
        self.assertRegex(said, r"shard [12] on lacking exited with code 127 .*; it goes on, 1 retry left")
        self.expect_whole(shards=2)
        self.assertEqual([call[0] for call in self.log("ssh.log")].count("lacking"), 1)
        shutil.rmtree(self.out)
        said = self.launch("ssh", *self.hosts("lacking", "one"), "--jobs", 1, "--retries", 0, shards=4, code=2)
        self.assertIn("2 of 4 shards missing", said)
        # All hosts fail: that is not tried for all shards.
        shutil.rmtree(self.out)
        (self.here / "ssh.log").unlink()
        self.launch("ssh", *self.hosts("lacking"), "--retries", 0, shards=4, code=2)
        self.assertEqual(len(self.log("ssh.log")), 1)

    def test_a_shared_folder_that_is_late_is_waited_for(self):
        said = self.launch("ssh", *self.hosts("late"), "--retries", 0, shards=2)
        self.assertNotIn("has no whole results", said)
        self.expect_whole(shards=2)

    def test_ctrl_c_ends_the_runs_on_all_hosts(self):
        (self.here / "SLOW").write_text("0.3")
        process = self.start(*self.hosts("one", "two"), engine="ssh", cases=4)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=30)[0]
        self.assertEqual(process.returncode, -signal.SIGINT, said)
        self.assertIn("launch: interrupted; finished shards are kept, the same command goes on", said)
        for _ in range(100):
            if not self.living():
                break
            time.sleep(0.05)
        self.assertEqual(self.living(), [])
        (self.here / "SLOW").unlink()
        self.launch("ssh", *self.hosts("one", "two"))
        self.expect_whole()

    def remote(self):
        """The folder on a host of the last call."""
        place = pathlib.Path(re.findall(r"/tmp/tensor-cts-\w+", (self.here / "ssh.log").read_text())[-1])
        self.addCleanup(shutil.rmtree, place, ignore_errors=True)
        return place

    def lose_shards(self):
        for path in self.out.glob("shard-*"):
            shutil.rmtree(path)
        shutil.rmtree(self.out / "whole", ignore_errors=True)

    def test_with_copies(self):
        self.adapter = pathlib.Path("adapter.py")  # below the folder that is sent
        said = self.launch("ssh", *self.hosts("one", "one"), "--copy", "--send", "adapter.py", "--dry-run", code=0)
        self.assertIn("cd /tmp/tensor-cts-XXXXXXXXXX/sent", said)
        self.assertIn("XXXXXXXXXX: digits that the first call chooses\n", said)
        (self.here / "KILL").write_text(self.id_of(2, 2))
        said = self.launch("ssh", *self.hosts("one", "one"), "--copy", "--send", "adapter.py", "--jobs", 1)
        self.assertIn("shard 2 on one was killed by signal 9 (Killed); it goes on", said)
        self.expect_whole()
        remote = self.remote()
        self.assertFalse(remote.exists())
        sent = [call for call in self.log("ssh.log") if "tar -C suite -xf -" in call[1]]
        self.assertEqual(len(sent), 1)
        # Another adapter, and what the host has of the launch before: a launch that lost its folder starts anew.
        (self.here / "ALWAYS").write_text(self.id_of(2, 3))
        self.lose_shards()
        self.launch("ssh", *self.hosts("one"), "--copy", "--send", "adapter.py", "--jobs", 1, "--retries", 0, code=2)
        self.assertTrue((remote / "results/shard-2/run.json").exists())
        (self.here / "ALWAYS").unlink()
        (self.here / "adapter.py").write_text(ADAPTER + "\n# Mended.\n")
        self.lose_shards()
        self.assertIn("results of another adapter", self.launch("ssh", *self.hosts("one"), "--copy", "--send", "adapter.py", "--retries", 1))
        self.expect_whole()

    def test_what_was_sent_before_goes_and_results_stay(self):
        (self.here / "lib").mkdir()
        (self.here / "lib/old.py").touch()
        self.adapter = pathlib.Path("adapter.py")
        (self.here / "ALWAYS").write_text(self.id_of(2, 3))
        words = ("--copy", "--send", "adapter.py", "--send", "lib", "--jobs", 1, "--retries", 0)
        # Two names of one machine: what one sends stays.
        self.launch("ssh", *self.hosts("one", "two"), *words, code=2)
        self.assertEqual({call[0] for call in self.log("ssh.log")}, {"one", "two"})
        remote = self.remote()
        self.assertTrue((remote / "sent/lib/old.py").exists())
        (remote / "suite/old").touch()
        (self.here / "lib/old.py").rename(self.here / "lib/new.py")
        self.launch("ssh", *self.hosts("one"), *words, code=2)
        self.assertEqual(self.remote(), remote)
        self.assertEqual([path.name for path in (remote / "sent/lib").iterdir()], ["new.py"])
        self.assertFalse((remote / "suite/old").exists())
        (self.here / "ALWAYS").unlink()
        self.launch("ssh", *self.hosts("one"), *words)
        self.expect_whole()
        self.assertEqual(len(self.run_of(2)["resumed"]), 2)
        self.assertFalse(remote.exists())

    def test_a_link_in_the_place_of_the_folder_is_refused(self):
        (self.out / "launch").mkdir(parents=True)
        (self.out / "launch/token").write_text("0123456789\n")
        words = (*self.hosts("one"), "--copy")
        remote = re.search(r"cd (/tmp/tensor-cts-\w+)/sent", self.launch("ssh", *words, "--dry-run", code=0))[1]
        (self.here / "mine/suite").mkdir(parents=True)
        os.symlink(self.here / "mine", remote)
        self.addCleanup(os.unlink, remote)
        said = self.launch("ssh", *words, code=2)
        self.assertIn(f"one is gone (sending exited with code 2: {remote}: is no folder of this user); no host is left", said)
        self.assertEqual([path.name for path in (self.here / "mine").rglob("*")], ["suite"])

    def test_with_copies_by_the_seconds_of_a_report(self):
        self.launch("local", "--json", "report.json", adapter=False, code=0)
        self.out = self.here / "balanced"
        words = (*self.hosts("one"), "--copy", "--balance", "report.json")
        self.launch("ssh", *words, adapter=False, code=0)
        self.assertEqual(len({self.run_of(k)["shard"]["balanced_by"] for k in (1, 2, 3)}), 1)
        self.assertTrue(json.loads((self.out / "whole/run.json").read_text())["complete"])
        self.assertFalse(self.remote().exists())
        self.assertIn("1-3 there, none to run", self.launch("ssh", *words, adapter=False, code=0))

    def test_hosts_that_are_options_are_refused(self):
        self.assertIn('line 3: found "-oProxyCommand=x", expected a host or user@host',
                      self.launch("ssh", *self.hosts("-oProxyCommand=x"), code=2))
        self.assertIn("found no host, expected one a line", self.launch("ssh", *self.hosts("#one"), code=2))
        self.assertIn("expected a path below this folder", self.launch("ssh", *self.hosts("a"), "--copy", "--send", "../x", code=2))


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + sys.argv[3:], verbosity=2)

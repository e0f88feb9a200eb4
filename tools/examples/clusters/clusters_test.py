#!/usr/bin/python3
"""The examples for clusters, run for real as far as this machine can. Exits with 77 if it cannot.
Usage: clusters_test.py TENSOR_CTS local|slurm"""
import getpass
import json
import os
import pathlib
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import unittest

CTS = pathlib.Path(sys.argv[1]).resolve()
HERE = pathlib.Path(__file__).resolve().parent
SLURM = ["slurmctld", "slurmd", "munged", "munge", "sbatch", "squeue", "scontrol"]


def report_of(path):
    """Returns what a report says of every case."""
    report = json.loads(path.read_text())
    return {case["id"]: case["verdict"] for case in report["cases"]}


class Clusters(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = pathlib.Path(tempfile.mkdtemp(prefix="clusters-"))
        (cls.root / "bin").mkdir()
        (cls.root / "bin/tensor-cts").symlink_to(CTS)
        cls.adapter = f"/usr/bin/python3 {HERE.parents[1] / 'adapters/skeleton.py'}"
        path = f"{cls.root / 'bin'}:{os.environ['PATH']}:/usr/sbin"
        cls.environment = dict(os.environ, PATH=path)
        cls.call("tensor-cts generate --recipe smoke --operator add --out suite", cls.root)
        # The verdicts that one machine alone gives.
        cls.call(f"tensor-cts run suite --adapter '{cls.adapter}' --worker --out alone", cls.root)
        cls.call("tensor-cts check suite alone --json alone.json", cls.root, code=1)
        cls.expected = report_of(cls.root / "alone.json")
        assert {"pass", "unsupported"} <= set(cls.expected.values())

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root, ignore_errors=True)

    @classmethod
    def call(cls, command, place, code=0, **environment):
        done = subprocess.run(["bash", "-e", "-c", command], cwd=place, text=True, timeout=300,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, env=dict(cls.environment, **environment))
        assert done.returncode == code, f"{command}: exit code {done.returncode}\n{done.stdout}"
        return done.stdout

    def expect_the_whole(self, results):
        run = json.loads((results / "whole/run.json").read_text())
        self.assertEqual([shard["shard"]["index"] for shard in run["shards"]], [1, 2, 3, 4])
        self.assertTrue(run["complete"])
        self.assertEqual(report_of(results / "report.json"), self.expected)


class Local(Clusters):
    def test_github_matrix_runs_every_shard_once(self):
        import yaml
        workflow = yaml.safe_load((HERE / "github-matrix.yml").read_text())
        matrix = workflow["jobs"]["shard"]["strategy"]["matrix"]["shard"]
        artifacts = self.root / "artifacts"
        for name, numbers in [("shard", matrix), ("check", [None])]:
            job = workflow["jobs"][name]
            for number in numbers:
                fill = lambda text: (text.replace("${{ matrix.shard }}", str(number))
                                     .replace("${{ strategy.job-total }}", str(len(matrix))))
                place = self.root / f"machine-{number}"
                place.mkdir()
                (place / "tools").symlink_to(HERE.parents[1])
                environment = {key: fill(value) for key, value in
                               {**workflow["env"], **job.get("env", {})}.items()}
                environment.update(RECIPE="smoke", ADAPTER=self.adapter)
                for step in job["steps"]:
                    if step.get("uses", "").startswith("actions/upload-artifact"):
                        source = place / fill(step["with"]["path"])
                        if source.is_dir():
                            shutil.copytree(source, artifacts / fill(step["with"]["name"]))
                        else:
                            self.assertIn("<testsuites", source.read_text())
                    elif step.get("uses", "").startswith("actions/download-artifact"):
                        for artifact in artifacts.glob(step["with"]["pattern"]):
                            shutil.copytree(artifact, place / step["with"]["path"] / artifact.name)
                    elif "uses" not in step and step.get("name") != "install":
                        # Small enough for a test; the machines generate it anew.
                        command = step["run"].replace("generate", "generate --operator add")
                        self.assertNotIn("${{", command)
                        fails = "tensor-cts check" in command
                        self.call(command, place, code=1 if fails else 0, **environment)
        place = self.root / "machine-None"
        self.call("tensor-cts check suite results/whole --json results/report.json", place, code=1)
        self.expect_the_whole(place / "results")

    def test_a_task_of_an_engine_knows_its_shard(self):
        run = f"tensor-cts run suite --adapter '{self.adapter}' --worker"
        said = self.call(f"{run} --shard auto --out auto-2", self.root, CI_NODE_INDEX="2", CI_NODE_TOTAL="3")
        self.assertIn("; shard 2/3 only", said)
        self.call(f"{run} --shard 2/3 --out two", self.root)
        auto, two = (json.loads((self.root / name / "run.json").read_text()) for name in ("auto-2", "two"))
        self.assertEqual((auto["shard"], auto["cases"]), (two["shard"], two["cases"]))
        self.assertEqual(auto["shard"], {"index": 2, "of": 3})
        said = self.call(f"{run} --shard auto --out none", self.root, code=2)
        self.assertIn("--shard I/N", said)
        self.assertFalse((self.root / "none").exists())

    def test_shards_cut_by_the_seconds_of_an_earlier_run_are_the_whole(self):
        results = self.root / "balanced"
        for shard in (1, 2, 3):
            self.call(f"tensor-cts run suite --shard {shard}/3 --balance alone.json --adapter '{self.adapter}' --worker "
                      f"--out {results}/shard-{shard}", self.root)
        seconds = {case["id"]: case["seconds"] for case in json.loads((self.root / "alone.json").read_text())["cases"]}
        slowest = sorted(seconds, key=seconds.get)[-3:]
        # Each of the three slowest cases is in another shard.
        self.assertEqual([len(list(results.glob(f"shard-*/{case}/result.json"))) for case in slowest], [1, 1, 1])
        self.assertEqual([sum((results / f"shard-{k}" / case).exists() for case in slowest) for k in (1, 2, 3)], [1, 1, 1])
        self.call(f"tensor-cts check suite {results}/shard-2 --json {results}/two.json", self.root, code=1)
        two = report_of(results / "two.json")
        self.assertEqual(two, {case: self.expected[case] for case in two})
        self.call(f"tensor-cts merge {results}/shard-* --out {results}/whole", self.root)
        self.call(f"tensor-cts check suite {results}/whole --json {results}/report.json", self.root, code=1)
        self.assertEqual(report_of(results / "report.json"), self.expected)

    def test_a_missing_shard_is_named(self):
        results = self.root / "gap"
        for shard in ["1", "3"]:
            self.call(f"tensor-cts run suite --shard {shard}/3 --adapter '{self.adapter}' --out {results}/shard-{shard}", self.root)
        text = self.call(f"tensor-cts merge {results}/shard-* --out {results}/whole", self.root, code=2)
        self.assertIn("1 of 3 shards missing: 2", text)


class Slurm(Clusters):
    """A cluster of one node, with its own key, configuration and ports."""

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.daemons = []
        place = cls.root / "slurm"
        for name in ["munge", "state", "spool"]:
            (place / name).mkdir(parents=True, mode=0o700)
        key = place / "munge/key"
        key.write_bytes(os.urandom(1024))
        key.chmod(0o400)
        munge = place / "munge"
        host = socket.gethostname().split(".")[0]
        ports = []
        for _ in range(2):
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                ports.append(probe.getsockname()[1])
        user = getpass.getuser()
        (place / "slurm.conf").write_text(f"""
ClusterName=test
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={ports[0]}
SlurmdPort={ports[1]}
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={munge}/socket
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SchedulerType=sched/backfill
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
MpiDefault=none
ReturnToService=2
SwitchType=switch/none
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 State=UNKNOWN
PartitionName=all Nodes={host} Default=YES MaxTime=INFINITE State=UP
""")
        cls.environment.update(SLURM_CONF=str(place / "slurm.conf"))
        cls.start("munged", "--foreground", "--force", f"--key-file={key}",
                  f"--socket={munge}/socket", f"--pid-file={munge}/pid", f"--log-file={munge}/log",
                  f"--seed-file={munge}/seed")
        cls.wait("munge", f"munge -n --socket={munge}/socket")
        cls.start("slurmctld", "-D", "-i", "-f", str(place / "slurm.conf"))
        cls.start("slurmd", "-D", "-f", str(place / "slurm.conf"))
        cls.wait("the node", "sinfo -h -o %T | grep -q idle")

    @classmethod
    def tearDownClass(cls):
        for daemon in reversed(cls.daemons):
            daemon.terminate()
        for daemon in cls.daemons:
            try:
                daemon.wait(timeout=20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        super().tearDownClass()

    @classmethod
    def start(cls, name, *arguments):
        with open(cls.root / f"slurm/{name}.log", "w") as log:
            cls.daemons.append(subprocess.Popen([name, *arguments], env=cls.environment, stdout=log,
                                                stderr=log, stdin=subprocess.DEVNULL))

    @classmethod
    def wait(cls, what, command, seconds=60):
        for _ in range(seconds * 5):
            if subprocess.run(["bash", "-c", command], env=cls.environment, capture_output=True
                              ).returncode == 0:
                return
            time.sleep(0.2)
        logs = "".join(f"--- {path}\n{path.read_text()[-3000:]}"
                       for path in sorted((cls.root / "slurm").glob("*.log")))
        cls.tearDownClass()
        raise AssertionError(f"{what}: not within {seconds} seconds\n{logs}")

    def launch(self, results, *more, adapter=None, shards=4, code=1):
        words = ["tensor-cts", "launch", "suite", "--engine", "slurm", "--shards", shards, "--worker", "--adapter",
                 adapter or self.adapter, "--out", results, "--json", results.with_suffix(".json"), *more]
        return self.call(shlex.join(map(str, words)), self.root, code=code)

    def slow(self, *lines, seconds=0.1):
        """An adapter that takes its time for a case, and then does what the lines say."""
        path = self.root / f"slow-{len(list(self.root.glob('slow-*')))}.py"
        path.write_text("\n".join(["import json, os, pathlib, signal, sys, time", "for line in sys.stdin:", "    case = json.loads(line)['case']",
                                   f"    time.sleep({seconds})", *(f"    {line}" for line in lines),
                                   "    print(json.dumps({'case': case, 'status': 'unsupported'}), flush=True)", ""]))
        return f"/usr/bin/python3 {path}"

    def test_one_command_gives_what_one_machine_gives(self):
        results = self.root / "array"
        said = self.launch(results, "--jobs", 2)
        # The skeleton supports little: checked, and found wanting.
        self.assertIn("NOT CONFORMANT", said)
        run = json.loads((results / "whole/run.json").read_text())
        self.assertEqual([shard["shard"]["index"] for shard in run["shards"]], [1, 2, 3, 4])
        self.assertEqual(report_of(self.root / "array.json"), self.expected)

    def test_a_task_that_is_killed_comes_back_within_the_same_command(self):
        results, mark = self.root / "killed", self.root / "mark"
        # The first task that has answered a few cases: its run gets the signal 9.
        adapter = self.slow(f"mark = pathlib.Path({str(mark)!r})",
                            "seen = globals().get('seen', 0) + 1",
                            "if seen == 5 and os.environ['SLURM_ARRAY_TASK_ID'] == '2' and not mark.exists():",
                            "    mark.touch()",
                            "    os.kill(int(os.popen('ps -o ppid= -p %d' % os.getppid()).read()) if 'tensor-cts' not in "
                            "os.readlink('/proc/%d/exe' % os.getppid()) else os.getppid(), signal.SIGKILL)",
                            "    time.sleep(60)")
        said = self.launch(results, adapter=adapter)
        self.assertRegex(said, r"launch: of job \d+ shards 2 did not come; shard 2 has no whole results after its task")
        resumed = {k: len(json.loads((results / f"shard-{k}/run.json").read_text()).get("resumed", [])) for k in (1, 2, 3, 4)}
        self.assertEqual(resumed, {1: 0, 2: 1, 3: 0, 4: 0})
        self.assertTrue(json.loads((results / "whole/run.json").read_text())["complete"])

    def test_ctrl_c_cancels_and_the_same_command_goes_on(self):
        results, adapter = self.root / "cancelled", self.slow()
        launch = subprocess.Popen(["tensor-cts", "launch", "suite", "--engine", "slurm", "--shards", "2", "--adapter", adapter, "--worker",
                                   "--out", results], cwd=self.root, env=self.environment, text=True, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.wait("results", f"[ -s {results}/shard-1/results.unsorted ] && [ -s {results}/shard-2/results.unsorted ]")
        launch.send_signal(signal.SIGINT)
        said = launch.communicate(timeout=60)[0]
        self.assertEqual(launch.returncode, -signal.SIGINT, said)
        self.wait("the end", '[ -z "$(squeue -h)" ]', seconds=60)
        self.launch(results, adapter=adapter, shards=2)
        for shard in (1, 2):
            self.assertEqual(len(json.loads((results / f"shard-{shard}/run.json").read_text())["resumed"]), 1)

    def test_a_launch_that_was_killed_leaves_tasks_for_which_the_next_one_waits(self):
        results, adapter = self.root / "orphans", self.slow(seconds=0.3)
        launch = subprocess.Popen(["tensor-cts", "launch", "suite", "--engine", "slurm", "--shards", "2", "--adapter", adapter, "--worker",
                                   "--out", results], cwd=self.root, env=self.environment, stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.wait("results", f"[ -s {results}/shard-1/results.unsorted ] && [ -s {results}/shard-2/results.unsorted ]")
        launch.kill()
        launch.wait()
        # Their tasks hold the folders of the shards: a task beside them would fail, and there is room for one.
        self.launch(results, "--retries", 0, adapter=adapter, shards=2)
        whole = json.loads((results / "whole/run.json").read_text())
        self.assertTrue(whole["complete"])
        # The shards themselves ran side by side.
        self.assertLess(max(shard["started"] for shard in whole["shards"]), min(shard["ended"] for shard in whole["shards"]))


if __name__ == "__main__":
    kind = sys.argv[2]
    if kind == "slurm":
        lacking = [name for name in SLURM if not shutil.which(name, path=os.environ["PATH"] + ":/usr/sbin")]
        if lacking:
            print("skipped: not installed:", *lacking)
            sys.exit(77)
    unittest.main(argv=[sys.argv[0], kind.capitalize()], verbosity=2)

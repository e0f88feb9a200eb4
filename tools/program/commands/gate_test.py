#!/usr/bin/python3
"""The gate as a vendor's CI calls it, and the examples of tools/examples/ci.  Usage: gate_test.py TENSOR_CTS"""
import hashlib
import importlib.util
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest
import xml.etree.ElementTree
import zipfile

import yaml

CTS = ""
CI = pathlib.Path(__file__).resolve().parents[2] / "examples/ci"

# Answers integers by copying what is expected. $WRONG: operators that crash; CLZ is unsupported
# in what smoke combines.
ADAPTER = """#!/usr/bin/python3
import json, os, shutil, sys
wrong = os.environ.get("WRONG", "").split()
for request in map(json.loads, sys.stdin):
    folder = request["case_dir"]
    case = json.load(open(folder + "/case.json"))
    operator = request["case"].split("/")[0]
    if operator in wrong:
        sys.exit(3)
    status = "error" if case["outcome"] == "error" else "ok"
    if request["case"].startswith("clz/i32-") and status == "ok":
        status = "unsupported"
    if status == "ok":
        for k, outputs in enumerate([case["outputs"]] + [
                later["outputs"] for later in case.get("later_executions", [])]):
            for output in outputs:
                name = output["name"] + (".%d" % k if k else "") + ".npy"
                shutil.copy(folder + "/" + output["answers"][0]["expected"],
                            request["result_dir"] + "/" + name)
    print(json.dumps({"case": request["case"], "status": status}), flush=True)
"""


def shell_of_github(text):
    # test_the_program_comes_from_a_release runs the step that installs.
    blocks = re.findall(r"^( *)- name: (?!Install).*\n\1  run: \|\n((?:\1   .*\n)+)", text, re.M)
    return "".join(textwrap.dedent(block) for _, block in blocks)


def shell_of_gitlab(text):
    script = re.search(r"^  script:\n((?:    .*\n)+)", text, re.M).group(1)
    commands = re.split(r"^    - ", script, flags=re.M)[1:]
    return "".join(" ".join(command.replace(">-\n", "").split()) + "\n" for command in commands)


def shell_of_jenkins(text):
    return textwrap.dedent(re.search(r"sh '''\n(.*?)'''", text, re.S).group(1))


EXAMPLES = {"github-actions.yml": (shell_of_github, ["bash", "-e"]),
            "gitlab-ci.yml": (shell_of_gitlab, ["sh", "-e"]),
            "Jenkinsfile": (shell_of_jenkins, ["sh", "-xe"])}


class Gate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.shared = pathlib.Path(tempfile.mkdtemp(prefix="gate_test-"))
        (cls.shared / "bin").mkdir()
        (cls.shared / "bin/tensor-cts").symlink_to(CTS)
        cls.suite = cls.shared / "suite"
        done = subprocess.run([CTS, "generate", "--recipe", "smoke", "--operator", "clz",
                               "--operator", "reverse", "--profile", "pro-int", "--out",
                               cls.suite], stdout=subprocess.DEVNULL)
        assert done.returncode == 0

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.shared)

    def setUp(self):
        self.here = pathlib.Path(tempfile.mkdtemp(dir=self.shared))
        self.adapter = self.here / "my-adapter"
        self.adapter.write_text(ADAPTER)
        self.adapter.chmod(0o755)

    def environment(self, wrong=""):
        return {**os.environ, "WRONG": wrong, "PATH": f"{self.shared}/bin:{os.environ['PATH']}",
                "GITHUB_STEP_SUMMARY": str(self.here / "summary.md")}

    def gate(self, *arguments, wrong="", own=True, suite=None):
        """Runs the gate, with the adapter unless `own` is false."""
        adapter = ["--adapter", "./my-adapter", "--worker"] if own else []
        return subprocess.run([CTS, "gate", "--suite", suite or self.suite, *adapter, *map(str, arguments)],
                              cwd=self.here, env=self.environment(wrong), text=True,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, timeout=120)

    def expect(self, code, done, *words):
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        for word in words:
            self.assertIn(word, done.stderr if code == 2 else done.stdout)
        self.assertLessEqual(done.stdout.count("\n"), 40)

    def waivers(self, **changes):
        """Writes the waivers of the documentation, with these members replaced."""
        text = re.search(r"```json waivers.json\n(.*?)```", (CI / "README.md").read_text(), re.S)
        waivers = json.loads(text.group(1))
        waivers[0].update({"expires": "2099-12-31", **changes})
        path = self.here / "waivers.json"
        path.write_text(json.dumps(waivers))
        return path

    def test_flaky_cases(self):
        """One case is answered wrong except in its second and fourth run, another one never right."""
        flaky, wrong = sorted(case.parent.name for case in self.suite.glob("reverse/*/case.json")
                              if json.loads(case.read_text())["outcome"] == "valid")[:2]
        self.adapter.write_text(ADAPTER.replace('    if operator in wrong:\n', f'''
    name = request["case"].split("/")[1]
    asked = "{self.here}/" + name + ".asked"
    open(asked, "a").write("x")
    if name == "{wrong}" or (name == "{flaky}" and os.path.getsize(asked) not in (2, 4)):
        print(json.dumps({{"case": request["case"], "status": "error", "message": "busy"}}), flush=True)
        continue
    if operator in wrong:
'''))
        asked = lambda name: (self.here / f"{name}.asked").stat().st_size
        clz = {"pattern": "clz/*", "reason": "r", "owner": "o", "expires": "2099-12-31", "verdicts": ["unsupported"]}
        waivers = self.here / "waivers.json"
        waivers.write_text(json.dumps([{**clz, "pattern": "clz/i32-*"}]))
        report = self.here / "report.json"

        def gate(*more):
            for name in (flaky, wrong):
                (self.here / f"{name}.asked").unlink(missing_ok=True)
            return self.gate("--jobs", "1", "--waivers", waivers, *more)

        self.expect(1, gate(), "2 newly failed")
        self.assertEqual(asked(flaky), 1)
        done = gate("--rerun", "3", "--json", report, "--write-baseline", self.here / "baseline.json")
        self.expect(1, done, "2 newly failed", "1 case is flaky", "  flaky: ", "passed 2 of 3 times when it ran again; first: expected a result",
                    "passed 0 of 3 times when it ran again; first: expected a result")
        self.assertEqual((asked(flaky), asked(wrong)), (4, 4))
        self.assertEqual(asked(next(path.name for path in self.suite.glob("reverse/*") if path.name not in (flaky, wrong))), 2)
        self.assertIn(f"reverse/{flaky}: flaky: failed, and passed 2 of 3 times when it ran again", json.loads(report.read_text())["notes"])
        self.assertEqual(list(json.loads((self.here / "baseline.json").read_text())["failures"]), [f"reverse/{wrong}"])
        baseline = ("--baseline", self.here / "baseline.json", "--rerun", "3")
        self.expect(1, gate(*baseline), "1 newly failed", "1 case is flaky")
        self.assertEqual(asked(wrong), 1, "a failure of the baseline does not run again")
        # A case that a waiver covers does not run again, unless the waiver is for flaky cases.
        for verdict, runs in (("wrong_outcome", 1), ("flaky", 4)):
            waivers.write_text(json.dumps([{**clz, "pattern": "clz/i32-*"}, {**clz, "pattern": f"reverse/{flaky}", "verdicts": [verdict]}]))
            self.expect(0, gate(*baseline), "waived", "GATE PASSED")
            self.assertEqual(asked(flaky), runs)
        self.expect(2, self.gate("--results", self.here, "--rerun", "1", wrong="reverse", own=False), "excludes")

    def test_only_the_same_adapter_tells_flaky_cases(self):
        """The adapter's command names a file that is there only after the first run."""
        done = self.gate("--adapter", "./my-adapter out/results.json", "--worker", "--out", "out", "--rerun", "1", wrong="reverse", own=False)
        self.expect(2, done, "gate: --rerun: ", "out/results.json: a file of the adapter, changed since the first run")
        self.assertEqual(done.stdout, "")

    def test_passes_and_leaves_nothing_behind(self):
        folder = self.here / "tmp"
        folder.mkdir()
        done = subprocess.run([CTS, "gate", "--suite", self.suite, "--implementation",
                               "builtin:native"], env={**os.environ, "TMPDIR": str(folder)},
                              text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.expect(0, done, "GATE PASSED")
        self.assertTrue(done.stdout.endswith("GATE PASSED\n"))
        self.assertEqual(list(folder.iterdir()), [])

    def test_interrupted_at_any_time_nothing_is_left(self):
        folder = self.here / "tmp"
        folder.mkdir()
        command = [CTS, "gate", "--suite", self.suite, "--implementation", "builtin:native"]
        interruptions, delay = 0, 0.0
        while True:
            process = subprocess.Popen(command, env={**os.environ, "TMPDIR": str(folder)}, text=True,
                                       stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            # Before there is anything to leave the signal just ends it.
            while process.poll() is None and not list(folder.iterdir()):
                time.sleep(0.001)
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            stdout, stderr = process.communicate(timeout=100)
            self.assertEqual(list(folder.iterdir()), [], f"after {delay} s")
            if process.returncode == 0:
                break
            self.assertEqual(process.returncode, -signal.SIGINT, stdout + stderr)
            self.assertIn("gate: interrupted, nothing was judged", stderr)
            interruptions += 1
            delay += 0.003
        self.assertGreater(interruptions, 0)

    def test_baseline_and_back(self):
        self.expect(1, self.gate(), "GATE FAILED", "clz/i32", "unsupported: tensor-cts explain ")
        self.expect(1, self.gate("--write-baseline", "b.json"), "GATE FAILED")
        self.expect(0, self.gate("--baseline", "b.json"), "GATE PASSED", "0 newly failed")
        # unsupported, then crash.
        done = self.gate("--baseline", "b.json", wrong="clz")
        self.expect(1, done, "New failures, by cause:\n  CLZ, crash, ")
        self.assertRegex(done.stdout, r"  CLZ, crash, \d+ cases: tensor-cts explain ")
        self.expect(1, self.gate("--baseline", "b.json", wrong="reverse"), "  REVERSE, crash, ")
        fixed = self.gate("--implementation", "builtin:native", "--baseline", "b.json", own=False)
        self.expect(0, fixed, "Fixed since the baseline (", "--write-baseline", "note: the baseline")

    def test_the_command_that_it_names_explains(self):
        done = self.gate("--out", "results")
        command = re.search(r"unsupported: (tensor-cts explain .*)", done.stdout).group(1)
        explained = subprocess.run(["sh", "-c", command], cwd=self.here, env=self.environment(),
                                   text=True, stdout=subprocess.PIPE)
        self.assertEqual(explained.returncode, 0)
        self.assertIn("clz/i32", explained.stdout)
        self.expect(2, self.gate("--out", "results"), "results: holds results already",
                    "--results")

    def test_waivers(self):
        self.expect(0, self.gate("--waivers", self.waivers(), "--out", "r"), "0 newly failed",
                    "GATE PASSED")
        again = ["--results", "r", "--waivers"]
        expired = self.waivers(expires="2026-01-31")
        self.expect(0, self.gate(*again, expired, "--today", "2026-01-31", own=False),
                    "waivers as of 2026-01-31")
        self.expect(1, self.gate(*again, expired, "--today", "2026-02-01", own=False),
                    "expired on 2026-01-31", "GATE FAILED")
        self.expect(1, self.gate(*again, self.waivers(pattern="clz/*"), own=False), "pass, such as")
        self.expect(1, self.gate(*again, self.waivers(pattern="nothing/*"), own=False),
                    "matches nothing")
        self.expect(1, self.gate(*again, self.waivers(verdicts=["crash"]), own=False),
                    "covers none of the verdicts")
        self.expect(2, self.gate(*again, self.waivers(reason=""), own=False), "waivers.json: /0/reason")
        self.expect(2, self.gate(*again, self.waivers(expires="2026-02-30"), own=False),
                    "waivers.json: /0/expires", "2026-02-30")

    def test_a_declaration_tells_what_is_owed(self):
        declared = self.here / "declared.json"

        def declare(**members):
            declared.write_text(json.dumps({"format": "tensor-cts-declared-1", "edition": "tosa-1.0", **members}))
            return ["--declared", declared]
        # The adapter has no CLZ of i32, and says so.
        done = self.gate("--out", "r", *declare(operators=["REVERSE"]))
        self.expect(0, done, "0 newly failed, 0 newly not supported", "GATE PASSED")
        self.assertRegex(done.stdout, "\n[1-9][0-9]* more are not supported, not declared, and tolerated\n")
        again = ["--results", "r"]
        self.expect(1, self.gate(*again, *declare(operators=["REVERSE", "CLZ"]), own=False),
                    "declared by ", "not answered: ", " 0 newly not supported", "GATE FAILED")
        self.expect(1, self.gate(*again, own=False), " 0 newly failed, ", "GATE FAILED")
        self.expect(1, self.gate(*declare(operators=["CLZ"]), wrong="reverse"), "  REVERSE, crash, ")
        for members, words in [(dict(operators=["CLS"]), '/operators/0: found "CLS", expected an operator of tosa-1.0'),
                               (dict(edition="rvtensor"), '/edition: found "rvtensor", expected "tosa-1.0"'),
                               (dict(kernels=[]), 'unknown member "kernels"')]:
            self.expect(2, self.gate(*declare(**members)), "--declared: ", "declared.json: ", words)
        self.expect(2, self.gate("--declared", "none.json"), "--declared: none.json: no such file",
                    "schemas/declared.schema.json")

    def test_reports_are_those_of_check(self):
        self.gate("--out", "r", "--junit", "j.xml", "--json", "j.json")
        check = subprocess.run([CTS, "check", self.suite, self.here / "r", "--json", "-"],
                               text=True, stdout=subprocess.PIPE)
        self.assertEqual(json.loads(check.stdout), json.loads((self.here / "j.json").read_text()))
        root = xml.etree.ElementTree.parse(self.here / "j.xml").getroot()
        unsupported = json.loads(check.stdout)["totals"]["unsupported"]
        self.assertGreater(unsupported, 0)
        self.assertEqual(len(list(root.iter("skipped"))), unsupported)
        self.assertEqual(int(root.get("failures")), 0)
        self.gate("--results", "r", "--junit", "j.xml", "--junit-unsupported", "failure", own=False)
        root = xml.etree.ElementTree.parse(self.here / "j.xml").getroot()
        self.assertEqual(list(root.iter("skipped")), [])
        self.assertEqual(int(root.get("failures")), unsupported)

    def test_bad_input(self):
        self.expect(2, self.gate(own=False), "--adapter COMMAND, --python FILE.py:FUNCTION, --plugin LIB.so")
        self.expect(2, self.gate("--results", "r"), "--results judges an existing run")
        self.expect(2, self.gate("--results", "none", own=False), "none")
        self.expect(2, self.gate("--baseline", "none.json"), "--baseline: none.json: no such file, "
                    "expected a file that gate --write-baseline wrote")
        self.expect(2, self.gate("--waivers", "none.json"), "--waivers: none.json: no such file, "
                    "expected a list of waivers")
        self.expect(2, self.gate("--today", "2026-13-01"), "--today: found 2026-13-01")
        self.expect(2, self.gate("--json", "-", "--junit", "-"),
                    "expected a place of its own for each")
        (self.here / "b.json").write_text('{"format": "tensor-cts-baseline-1", "suite": 1, "x": 2}')
        self.expect(2, self.gate("--baseline", "b.json"), "b.json: ", "/suite")
        # An adapter that does not start is no implementation that fails, and no baseline.
        done = self.gate("--adapter", "./none", "--write-baseline", "w.json", own=False)
        self.expect(2, done, "the adapter does not start: ")
        self.assertFalse((self.here / "w.json").exists())

    def test_sarif_places_failures_at_a_file_of_the_repository(self):
        def places(*arguments, cwd=self.here):
            done = subprocess.run([CTS, "gate", "--suite", self.suite, *map(str, arguments), "--quiet", "--sarif", "-"], cwd=cwd, text=True,
                                  env=self.environment("reverse"), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
            self.assertEqual(done.returncode, 1, done.stderr)
            results = json.loads(done.stdout)["runs"][0]["results"]
            self.assertTrue(results)
            return {r["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] for r in results}

        repository = self.here / "repository"
        (repository / ".git").mkdir(parents=True)
        scripts = repository / "my tools"
        scripts.mkdir()
        shutil.copy(self.adapter, scripts / "adapter")
        adapter = ("--adapter", "./adapter", "--worker")
        self.assertEqual(places(*adapter, "--out", self.here / "results", cwd=scripts), {"my%20tools/adapter"})
        self.assertEqual(places("--results", self.here / "results", cwd=scripts), {"my%20tools/adapter"})
        (repository / "kernels.c").touch()
        self.assertEqual(places("--results", self.here / "results", "--sarif-file", "kernels.c", cwd=repository), {"kernels.c"})
        # The adapter is not within.
        self.expect(2, self.gate("--implementation", "builtin:native", "--sarif", "x.sarif", own=False),
                    "--sarif: found no script of the adapter within", "--sarif-file FILE")
        self.expect(2, self.gate("--sarif", "x.sarif", "--sarif-file", "none.c"), "--sarif-file: none.c: no such file")
        self.expect(2, self.gate("--sarif-file", "none.c"), "--sarif")

    def test_examples(self):
        """Runs the examples' commands in a project that has what they name."""
        project = self.here / "project"
        (project / "conformance").mkdir(parents=True)
        shutil.copy(self.adapter, project)
        shutil.copy(self.waivers(pattern="clz/i32-2x3x4x5-*"), project / "conformance")
        for name, (extract, shell) in EXAMPLES.items():
            commands = extract((CI / name).read_text())
            self.assertEqual(commands.count("tensor-cts"), 2, commands)
            # Few operators: it is the commands that are looked at.
            commands = commands.replace("--profile pro-int",
                                        "--profile pro-int --operator clz --operator reverse")
            with self.subTest(name):
                def run(wrong=""):
                    for left in ("suite", "results"):
                        shutil.rmtree(project / left, ignore_errors=True)
                    return subprocess.run([*shell, "-c", commands], cwd=project, text=True,
                                          env=self.environment(wrong), stdin=subprocess.DEVNULL,
                                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
                # The baseline is there from the first time on.
                baseline = project / "conformance/baseline.json"
                baseline.unlink(missing_ok=True)
                self.assertEqual(run().returncode, 2)
                subprocess.run([CTS, "gate", "--suite", self.suite, "--adapter", "./my-adapter",
                                "--worker", "--waivers", "conformance/waivers.json",
                                "--write-baseline", baseline], cwd=project,
                               stdout=subprocess.DEVNULL, env=self.environment())
                done = run()
                self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
                self.assertIn("GATE PASSED", done.stdout)
                self.assertIn("1 waived", done.stdout)
                xml.etree.ElementTree.parse(project / "conformance.xml")
                json.loads((project / "conformance.json").read_text())
                self.assertIn("<h1>", (project / "conformance.html").read_text())
                done = run(wrong="reverse")
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.assertIn("GATE FAILED", done.stdout)
                if name == "github-actions.yml":
                    self.assertRegex(done.stdout, "GATE FAILED.*\n::error title=REVERSE%2C crash::[0-9]+ cases, first reverse/")
                    self.assertIn("## Gate failed: ", (self.here / "summary.md").read_text())
                    results = json.loads((project / "conformance.sarif").read_text())["runs"][0]["results"]
                    self.assertEqual({r["baselineState"] for r in results}, {"new"})
                    self.assertTrue(results and all("reverse/" in r["message"]["text"] for r in results))

    def test_the_program_comes_from_a_release(self):
        """From its address with its digest, or as an image: the user's repository holds no wheel."""
        clusters = CI.parent / "clusters"
        for path in [*CI.iterdir(), *clusters.iterdir()]:
            if path.is_file() and path.name != "Dockerfile" and path.suffix != ".py":
                self.assertNotRegex(path.read_text(), r"conformance/[^ ]*\.whl|checked in or fetched|install-tensor-cts", path.name)
        for path in (CI / "gitlab-ci.yml", CI / "Jenkinsfile"):
            self.assertIn("registry.example.org/tensor-cts:", path.read_text())
        image = (CI / "Dockerfile").read_text()
        self.assertIn("registry.example.org/tensor-cts:", image)

    def test_the_step_that_installs_takes_the_digest_s_wheel_alone(self):
        if importlib.util.find_spec("ensurepip") is None:
            self.skipTest("python3-venv is not installed")
        wheel = self.here / "tensor_cts-0.3.0-py3-none-any.whl"
        about = "tensor_cts-0.3.0.dist-info"
        with zipfile.ZipFile(wheel, "w") as archive:
            archive.writestr("tensor_cts/__init__.py", "")
            program = zipfile.ZipInfo("tensor_cts-0.3.0.data/scripts/tensor-cts")
            program.external_attr = 0o100755 << 16
            archive.writestr(program, "#!/bin/sh\necho of the release\n")
            archive.writestr(f"{about}/METADATA", "Metadata-Version: 2.1\nName: tensor-cts\nVersion: 0.3.0\n")
            archive.writestr(f"{about}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
            archive.writestr(f"{about}/RECORD", "")
        digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
        found = set()
        for path in (CI / "github-actions.yml", CI.parent / "clusters/github-matrix.yml"):
            text = path.read_text()
            self.assertRegex(text, r"(?m)^  TENSOR_CTS: https://\S+\.whl#sha256=[0-9a-f]{64}$", path.name)
            found.update(step for _, step in re.findall(r"^( *)- name: [Ii]nstall\n\1  run: \|\n((?:\1    .*\n)+)", text, re.M))
        step, = found
        for given, code in ((digest, 0), ("0" * 64, 1)):
            place = pathlib.Path(tempfile.mkdtemp(dir=self.here))
            environment = {**os.environ, "RUNNER_TEMP": str(place), "GITHUB_PATH": str(place / "path"),
                           "TENSOR_CTS": f"{wheel.as_uri()}#sha256={given}", "PIP_NO_INDEX": "1",
                           "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
            done = subprocess.run(["bash", "-e", "-c", textwrap.dedent(step)], env=environment, cwd=place,
                                  stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
            self.assertEqual(done.returncode, code, done.stdout)
            if code == 0:
                program = pathlib.Path((place / "path").read_text().strip()) / "tensor-cts"
                self.assertEqual(subprocess.check_output([program], text=True), "of the release\n")

    def test_the_action(self):
        """Runs the steps of action.yml as GitHub would: inputs come through the environment."""
        action = yaml.safe_load((CI.parents[2] / "action.yml").read_text())
        self.assertEqual(action["runs"]["using"], "composite")
        install, *steps = action["runs"]["steps"]
        used = set()
        for step in [install, *steps]:
            self.assertNotIn("${{", step["run"], "an input in a script would be code")
            used.update(re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", value).group(1) for value in step["env"].values())
        self.assertEqual(used, set(action["inputs"]))
        environment = {**os.environ, "RUNNER_TEMP": str(self.here), "GITHUB_PATH": str(self.here / "path"),
                       "PACKAGE": "https://example.org/tensor_cts.whl"}
        done = subprocess.run(["bash", "-e", "-c", install["run"]], env=environment, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        self.assertEqual(done.returncode, 2)
        self.assertIn("expected an address that ends with #sha256=", done.stdout)

        def run(out, wrong="", **inputs):
            given = {name: one.get("default", "") for name, one in action["inputs"].items()}
            given.update(inputs, out=out)
            for step in steps:
                environment = {name: given[value[len("${{ inputs."):-len(" }}")]] for name, value in step["env"].items()}
                done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=self.here,
                                      env={**self.environment(wrong), **environment}, text=True, stdin=subprocess.DEVNULL,
                                      stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=300)
                if done.returncode != 0:
                    break
            return done
        recipe = self.here / "few.json"
        recipe.write_text(json.dumps({**json.loads((self.suite / "suite.json").read_text())["recipe"]}))
        inputs = {"adapter": "./my-adapter", "recipe": "few.json"}
        self.expect(1, run("first", **inputs), "GATE FAILED")  # CLZ is unsupported in part
        self.waivers(pattern="clz/i32-2x3x4x5-*")
        subprocess.run([CTS, "gate", "--suite", self.suite, "--adapter", "./my-adapter", "--worker", "--write-baseline",
                        "baseline.json"], cwd=self.here, stdout=subprocess.DEVNULL, env=self.environment())
        done = run("a b", **inputs, profiles="PRO-INT EXT-INT16", baseline="baseline.json")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        for name in ("junit.xml", "report.json", "report.html", "report.sarif", "results/run.json", "suite/suite.json"):
            self.assertTrue((self.here / "a b" / name).exists(), name)
        recipe_made = json.loads((self.here / "a b/suite/suite.json").read_text())["recipe"]
        self.assertEqual(recipe_made["profiles"], ["PRO-INT", "EXT-INT16"])
        self.assertEqual(run("wrong", "reverse", **inputs, baseline="baseline.json").returncode, 1)
        self.assertIn("## Gate failed: ", (self.here / "summary.md").read_text())
        self.assertEqual(run("none", **inputs, baseline="missing.json").returncode, 2)
        self.assertEqual(run("slow", **inputs, worker="false").returncode, 2)  # this adapter is a worker alone

    def test_options_of_every_example_are_known(self):
        """Also of commands that no test runs: each option is in the command's --help."""
        asked, helps = set(), {}
        for folder in (CI, CI.parent / "clusters"):
            for path in sorted(folder.iterdir()):
                if path.suffix == ".py" or not path.is_file():
                    continue
                text = path.read_text().replace("\\\n", " ")
                for command, rest in re.findall(r"\btensor-cts ([a-z]+) ([^\n|;&`#]*)", text):
                    asked.update((path.name, command, option)
                                 for option in re.findall(r"(?<![\w-])--[a-z][a-z-]*", rest))
        self.assertGreater(len(asked), 40)
        for name, command, option in sorted(asked):
            if command not in helps:
                helps[command] = subprocess.run([CTS, command, "--help"], text=True,
                                                stdout=subprocess.PIPE, check=True).stdout
            self.assertRegex(helps[command], rf"(?<![\w-]){option}(?![\w-])", f"{name}: {command}")

    def test_accuracy(self):
        suite = self.here / "sin"
        subprocess.run([CTS, "generate", "--recipe", "smoke", "--operator", "sin", "--out", suite],
                       stdout=subprocess.DEVNULL, check=True)
        def gate(*more):
            return self.gate("--implementation", "builtin:native", *more, own=False, suite=suite)
        again = ["--accuracy", "a.json"]
        self.expect(0, gate("--write-accuracy", "a.json"), "GATE PASSED")
        self.expect(0, gate(*again), "GATE PASSED")
        path = self.here / "a.json"
        accuracy = json.loads(path.read_text())
        row = next(row for row in accuracy["rows"] if row["mean_ulp"] > 0)
        row["mean_ulp"] /= 2
        path.write_text(json.dumps(accuracy))
        self.expect(1, gate(*again), "Legal, but less accurate than a.json:\n  SIN, ", ": mean error ",
                    "GATE FAILED: 0 new failures, 0 newly not supported, 0 waivers to mend, 1 less accurate")
        accuracy["slack"] = 1
        path.write_text(json.dumps(accuracy))
        self.expect(0, gate(*again, "--write-accuracy", "b.json"), "GATE PASSED")
        self.assertEqual(json.loads((self.here / "b.json").read_text())["slack"], 1)
        self.expect(2, self.gate("--accuracy", "a.json"), "a.json: /suite/digest: found ", "--write-accuracy")
        self.expect(2, self.gate("--accuracy", "none.json"), "--accuracy: none.json: no such file, expected a file that "
                    "gate --write-accuracy wrote")
        self.expect(2, self.gate("--annotations", "--json", "-"), "--json and --annotations: found - for both")


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    CTS = os.path.abspath(sys.argv.pop(1))
    unittest.main()

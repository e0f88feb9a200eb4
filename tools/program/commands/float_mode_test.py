#!/usr/bin/env python3
"""A floating-point mode that was set before main, or that a plugin sets, changes no answer of any command.

Usage: float_mode_test.py TENSOR_CTS FLOAT_MODE PLUGIN
"""
import hashlib
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest

TENSOR_CTS = LIBRARY = PLUGIN = ""
ACME = pathlib.Path(__file__).resolve().parents[2] / "develop/testdata/acme"
MODES = ("flush-to-zero", "denormals-are-zero", "flush", "up", "down", "zero", "x87-24", "x87-53", "unmasked", "all")
OPERATORS = ("MAXIMUM", "SUB", "MATMUL", "EXP", "CAST")
NATIVE = ("--implementation", "builtin:native")
# They hand over to a script, or have another test.
NOT_HERE = {"legalize": "what it starts is Python", "help": "prints texts", "init": "writes texts", "complete": "prints words",
            "plugin-host": "run starts it", "sweep-host": "sweep starts it"}
NETWORK = """
func.func @main(%x: tensor<2x3xf32>, %y: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %a = tosa.add %x, %y : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %b = tosa.sigmoid %a : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c = tosa.clamp %b {min_val = 1.0e-39 : f32, max_val = 0.7 : f32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return %c : tensor<2x3xf32>
}
"""
# 1 / 3e38 is 3.33333...e-39, a subnormal number of fp32: it may be flushed, and it may not be 3.3333e-39.
RECIPROCAL = ("--operator", "RECIPROCAL", "--type", "fp32", "--input", "3e38", "--result")


def run(*arguments, mode=None, stdin="", check=True, timeout=300):
    environment = dict(os.environ)
    if mode:
        environment.update(LD_PRELOAD=LIBRARY, CTS_FLOAT_MODE=mode)
    done = subprocess.run([TENSOR_CTS, *map(str, arguments)], env=environment, timeout=timeout, input=stdin.encode(),
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert not check or done.returncode == 0, (arguments, done.returncode, done.stdout, done.stderr)
    return done.returncode, done.stdout.decode(errors="backslashreplace"), done.stderr.decode()


def without_times(text):
    text = re.sub(r'"(seconds|started|finished|when|time|median_seconds|judged_per_second|host|cpu)": ?("[^"]*"|[0-9.e+-]+)', "", text)
    return re.sub(r"\b[0-9][0-9.,e+-]*( ?(seconds|min|s|ms|us|ns|h|d)\b| (million |billion )?(inputs|answers|questions) (a|per) second)", "", text)


def answer_of(result):
    """What a result.json says, but for times."""
    result = json.loads(result)
    return result["status"], result.get("message")


def files(folder):
    """What the files say, but for times, and what is signed over them."""
    found = {}
    for path in sorted(folder.rglob("*")) if folder.is_dir() else [folder]:
        name = str(path.relative_to(folder.parent))
        if path.is_dir() or path.name in ("run.json", "results.json", "SHA256SUMS", "SIZES", "report.html", "report.txt",
                                          "report.json", "certificate.intoto.json"):
            found[name] = ""
        elif path.name == "result.json":
            found[name] = answer_of(path.read_text())
        elif path.suffix == ".tar":
            with tarfile.open(path) as pack:
                for one in pack:
                    content = pack.extractfile(one).read() if one.isfile() else b""
                    found[f"{name}/{one.name}"] = (answer_of(content) if one.name.endswith("/result.json")
                                                   else hashlib.sha256(content).hexdigest())
        else:
            content = without_times(path.read_text()).encode() if path.suffix == ".md" else path.read_bytes()
            found[name] = hashlib.sha256(content).hexdigest()
    return found


class FloatMode(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.root = root = pathlib.Path(tempfile.mkdtemp(prefix="float_mode-"))
        cls.place = lambda name: root / name
        for name, operators, types, implementation in (
                ("suite", ("RECIPROCAL", "ABS"), ("fp32", "fp16"), "builtin:native"),
                ("wrong", ("TILE",), ("fp32",), "builtin:fault:tile.mirrors")):
            run("generate", "--recipe", "smoke", *(f"--operator={one}" for one in operators),
                *(f"--type={one}" for one in types), "--out", root / name)
            run("run", root / name, "--implementation", implementation, "--out", root / f"{name}-results")
        run("check", root / "suite", root / "suite-results", "--json", root / "report.json")
        for k in (1, 2):
            run("run", root / "suite", *NATIVE, "--shard", f"{k}/2", "--out", root / f"shard-{k}")
        run("generate", "--recipe", "smoke", "--operator", "ABS", "--type", "fp16", "--blind", root / "answers", "--out", root / "blind")
        run("run", root / "blind", *NATIVE, "--out", root / "blind-results")
        run("generate", "--recipe", "symbolic", "--operator", "MAXIMUM", "--out", root / "symbolic")
        entries = json.loads((root / "symbolic/suite.json").read_text())["cases"]
        cls.symbolic = root / "symbolic" / next(one["id"] for one in entries if one["outcome"] == "valid")
        entries = json.loads((root / "suite/suite.json").read_text())["cases"]
        cls.case = next(one["id"] for one in entries if one["outcome"] == "valid" and one["operator"] == "RECIPROCAL")
        entries = json.loads((root / "wrong-results/run.json").read_text())
        code, out, _ = run("check", root / "wrong", root / "wrong-results", "--json", "-", check=False)
        assert code == 1, out
        cls.wrong = next(one["id"] for one in json.loads(out)["cases"] if one["verdict"] == "fail")
        (root / "network.mlir").write_text(NETWORK)
        run("export", root / "suite", "--format", "hex", "--out", root / "images")
        (root / "dump.hex").write_text((root / "images/results.hex").read_text())
        cls.make_claim()

    @classmethod
    def make_claim(cls):
        """Takes an edition of one operator: half a second."""
        edition = shutil.copytree(ACME, cls.root / "edition")
        for path, key, keep in ((edition / "acme-0.1.json", "operators", ("CONST", "PERMUTE")),
                                (edition / "precision/acme-0.1.json", "rows", ("CONST",))):
            content = json.loads(path.read_text())
            content[key] = [one for one in content[key] if one.get("name", one.get("operator")) in keep]
            for one in content["operators"] if key == "operators" else ():
                one["type_rows"] = [row for row in one["type_rows"] if "i32" in row["types"].values()]
            path.write_text(json.dumps(content))
        (cls.root / "claim.json").write_text(json.dumps({
            "format": "tensor-cts-claim-1", "name": "n", "version": "1", "vendor": "v", "hardware": "h",
            "edition": "acme-0.1", "profiles": ["BASE"], "extensions": [], "level": "8K"}))
        for command in (("genpkey", "-algorithm", "ed25519", "-out", cls.root / "key.pem"),
                        ("pkey", "-in", cls.root / "key.pem", "-pubout", "-out", cls.root / "key.pub")):
            subprocess.run(["openssl", *map(str, command)], check=True, stderr=subprocess.DEVNULL)
        cls.acme = ("--edition-file", edition / "acme-0.1.json")
        run(*cls.certify(), cls.root / "evidence")
        cls.make_registry()
        cls.open_challenge(cls.root / "challenge")
        run("run", *cls.acme, cls.root / "challenge/public/suite", *NATIVE, "--out", cls.root / "challenge-results")

    @classmethod
    def make_registry(cls):
        """With the positive control, which is verified and then refused."""
        registry = cls.root / "registry"
        shutil.copytree(cls.root / "evidence", registry / "products/A/evidence")
        (registry / "keys").mkdir()
        shutil.copy(cls.root / "key.pub", registry / "keys/signer.pem")
        claim = json.loads((cls.root / "claim.json").read_text())
        del claim["format"]
        statement = (cls.root / "evidence/certificate.intoto.json").read_bytes()
        (registry / "registry.json").write_text(json.dumps(
            {"format": "tensor-cts-registry-1", "issuer": "i", "editions": [claim["edition"]]}))
        (registry / "products/A/registration.json").write_text(json.dumps({
            "format": "tensor-cts-registration-1", "number": "A", "issued": "2026-01-01", "valid_until": "2026-12-31",
            "signer": "signer", "statement": hashlib.sha256(statement).hexdigest(), "product": claim}))

    @classmethod
    def challenge(cls, action, part=""):
        return ("challenge", *cls.acme, action, "--challenge", cls.root / "challenge" / part)

    @classmethod
    def open_challenge(cls, out, mode=None):
        run("challenge", *cls.acme, "open", "--claim", cls.root / "claim.json", "--key", cls.root / "key.pem", "--vendor", cls.root / "key.pub",
            "--issuer", "i", "--until", "9999-12-31", "--out", out, mode=mode)

    @classmethod
    def certify(cls):
        return ("certify", *cls.acme, "--claim", cls.root / "claim.json", "--key", cls.root / "key.pem", *NATIVE, "--out")

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.root)

    def commands(self):
        """One call or several of every command. "OUT" is what it writes."""
        root = self.root
        suite, results = root / "suite", root / "suite-results"
        question = json.dumps({"operator": "CLAMP", "arguments": {
            "input": {"dtype": "fp32", "shape": [2], "data": [1e-40, 0.1]}, "min_val": 1e-41, "max_val": 3.3333e-39,
            "nan_mode": "PROPAGATE"}})
        (root / "calls.jsonl").write_text(question + "\n")
        return {
            "generate": [("generate", "--recipe", "smoke", *(f"--operator={one}" for one in OPERATORS), "--jobs", 2, "--out", "OUT")],
            "run": [("run", suite, *NATIVE, "--jobs", 2, "--out", "OUT"), ("run", suite, "--plugin", PLUGIN, "--out", "OUT")],
            "check": [("check", suite, results, "--verbose"), ("check", root / "wrong", root / "wrong-results", "--json", "-")],
            "compare": [("compare", root / "report.json", root / "report.json", "--json", "-")],
            "launch": [("launch", suite, "--engine", "local", "--shards", 2, *NATIVE, "--out", "OUT")],
            "merge": [("merge", root / "shard-1", root / "shard-2", "--out", "OUT")],
            "explain": [("explain", results, self.case), ("explain", root / "wrong-results", self.wrong)],
            "shrink": [("shrink", root / "wrong", self.wrong, "--implementation", "builtin:fault:tile.mirrors", "--out", "OUT")],
            "which": [("which", root / "network.mlir", "--random", 1, *NATIVE, "--out", "OUT")],
            "gate": [("gate", "--suite", suite, *NATIVE), ("gate", "--suite", suite, "--results", results, "--markdown", "-")],
            "audit": [("audit", "--recipe", "smoke", "--operator", "RECIPROCAL", "--fault", "*.accepted", "--json", "-"),
                      ("audit", "--recipe", "smoke", "--operator", "RECIPROCAL", "--legal")],
            "certify": [(*self.certify(), "OUT")],
            "verify": [("verify", *self.acme, root / "evidence", "--key", root / "key.pub")],
            "registry": [("registry", *self.acme, "check", root / "registry", "--today", "2026-07-01")],
            "challenge": [(*self.challenge("answer", "public"), "--results", root / "challenge-results", "--key", root / "key.pem", "--out", "OUT")],
            "unblind": [("unblind", root / "blind-results", "--answers", root / "answers", "--out", "OUT")],
            "coverage": [("coverage", suite, "--json", "-")],
            "diagnose": [("diagnose", root / "wrong", root / "wrong-results", "--json")],
            "eval": [("eval", suite / self.case), ("eval", "--calls", root / "calls.jsonl")],
            "import": [("import", root / "network.mlir", "--random", 1, "--out", "OUT")],
            "ask": [("ask", "--operator", "RECIPROCAL", "--type", "fp32", "--seed", 1)],
            "judge": [("judge", *RECIPROCAL, "3.3333e-39"), ("judge", *RECIPROCAL, "0"), ("judge", *RECIPROCAL, "3.3333333e-39"),
                      ("judge", "--operator", "EXP", "--type", "fp32", "--input", "1", "--result", "2.7182817")],
            "list": [("list", "operators", "--json"), ("list", "cases", suite)],
            "quantize": [("quantize", "--input-scale=0.0152309639", "--weight-scale=0.0156368669", "--output-scale=0.0784313753", "--json")],
            "render": [("render", suite / self.case, "--format", "mlir"), ("render", suite / self.case, "--format", "tosa")],
            "resolve": [("resolve", self.symbolic, *self.bindings(), "--out", "OUT")],
            "export": [("export", suite, "--format", "tosa", "--out", "OUT")],
            "import-results": [("import-results", suite, root / "dump.hex", "--manifest", root / "images/manifest.json", "--out", "OUT")],
            "sweep": [("sweep", "--operator", "RECIPROCAL", "--type", "fp16", "--plugin", PLUGIN, "--json")],
            "version": [("version",)],
            "manual": [("manual", "--out", "OUT")],
        }

    def bindings(self):
        case = json.loads((self.symbolic / "case.json").read_text())
        return [word for name, size in case["binding"].items() for word in ("--bind", f"{name}={size}")]

    def answer(self, call, mode):
        """Exit code, output, files."""
        out = self.root / "out" / "made"
        out.parent.mkdir()
        try:
            code, said, complaint = run(*(out if word == "OUT" else word for word in call), mode=mode, check=False)
            self.assertIn(code, (0, 1), (call, said[-500:], complaint))
            return code, without_times(said), files(out) if out.exists() else {}
        finally:
            shutil.rmtree(out.parent)

    def code_of(self, call):
        """The exit code that the call has to have: what is wrong on purpose is found to be."""
        wrong = self.root / "wrong"
        return 1 if call[0] == "registry" or (call[0] == "check" and wrong in call) or "3.3333e-39" in call else 0

    def test_every_command_is_here(self):
        words = {line.split("\t")[0].split(":")[0] for line in run("complete", "--line", "tensor-cts ")[1].splitlines()}
        self.assertGreater(len(words), 20)
        self.assertEqual({word for word in words if word[0] != "-"} - {*self.commands(), *NOT_HERE}, set())

    def test_no_answer_of_any_command_changes(self):
        for name, calls in self.commands().items():
            for call in calls:
                right = self.answer(call, None)
                self.assertEqual(right[0], self.code_of(call), call)
                for mode in MODES:
                    with self.subTest(command=name, mode=mode, call=call[:4]):
                        self.assertEqual(self.answer(call, mode), right)

    def test_a_challenge_draws_a_suite_that_can_be_made_again(self):
        """open draws another suite each time, so the verdict makes the suite again, without the mode."""
        out = self.root / "out"
        key = ("--key", self.root / "key.pem")
        for mode in MODES:
            with self.subTest(mode=mode):
                out.mkdir()
                self.open_challenge(out / "challenge", mode=mode)
                run("run", *self.acme, out / "challenge/public/suite", *NATIVE, "--out", out / "results")
                given = ("--challenge", out / "challenge")
                run("challenge", *self.acme, "answer", "--challenge", out / "challenge/public", "--results", out / "results", *key,
                    "--out", out / "answer", mode=mode)
                run("challenge", *self.acme, "receive", *given, "--answer", out / "answer", *key, mode=mode)
                run("challenge", *self.acme, "verdict", *given, *key, "--out", out / "evidence")
                run("verify", *self.acme, out / "evidence", "--key", self.root / "key.pub", mode=mode)
                shutil.rmtree(out)

    def test_judge_takes_the_text_for_what_it_says(self):
        for mode in (None, *MODES):
            with self.subTest(mode=mode):
                self.assertEqual([run("judge", *RECIPROCAL, text, mode=mode, check=False)[0] for text in ("3.3333e-39", "3.3333333e-39", "0")],
                                 [1, 0, 0])

    def test_a_plugin_keeps_its_mode_to_itself(self):
        """Constructor, table and functions set the mode: what the host writes and judges is the same, and so is what the plugin
        answers, for it copies."""
        calls = [("run", self.root / "suite", "--plugin", LIBRARY, "--out", "OUT"),
                 ("sweep", "--operator", "ABS", "--type", "fp16", "--plugin", LIBRARY, "--json")]
        for call in calls:
            os.environ.pop("CTS_PLUGIN_MODE", None)
            right = self.answer(call, None)
            for mode in MODES:
                with self.subTest(mode=mode, call=call[0]):
                    os.environ["CTS_PLUGIN_MODE"] = mode
                    try:
                        self.assertEqual(self.answer(call, None), right)
                    finally:
                        del os.environ["CTS_PLUGIN_MODE"]


if __name__ == "__main__":
    PLUGIN = sys.argv.pop(3)
    LIBRARY = sys.argv.pop(2)
    TENSOR_CTS = sys.argv.pop(1)
    unittest.main()

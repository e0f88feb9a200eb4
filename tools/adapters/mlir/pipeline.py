"""From case bundles to a shared library: rendering, the legality check, lowering, compiling.

All tools take many cases at once and still answer for each: a diagnostic is traced to its case by
its line, and where a tool dies without saying which case it was, the cases are halved.
"""

import bisect
import glob
import itertools
import os
import re
import shutil
import signal
import subprocess

# TOSA's profiles and extensions as `tosa-attach-target` names them. All are attached: whether a
# type row is offered is then decided by the dialect and its lowering, not by the adapter.
PROFILES = "pro_int,pro_fp"
EXTENSIONS = (
    "int4,int16,bf16,fp8e4m3,fp8e5m2,fft,variable,controlflow,doubleround,inexactround,dynamic"
)
SPECIFICATION_VERSIONS = {"tosa-1.0": "1.0"}

# LLVM's own rewriting of narrow floats where it has any, APFloat calls where it has none (fp8).
EXPAND_ARITH = "func.func(arith-expand)"
EXPAND_ARITH_FP8 = "convert-arith-to-apfloat"

LOWERING = """
tosa-to-mlprogram, func.func(tosa-to-scf), func.func(tosa-optional-decompositions),
func.func(canonicalize), func.func(tosa-infer-shapes), func.func(tosa-make-broadcastable),
func.func(tosa-to-linalg-named), func.func(canonicalize), func.func(tosa-layerwise-constant-fold),
func.func(tosa-make-broadcastable), func.func(tosa-to-linalg), func.func(tosa-to-tensor),
func.func(tosa-to-arith{include-apply-rescale=true}), canonicalize,
one-shot-bufferize{bufferize-function-boundaries=true
function-boundary-type-conversion=identity-layout-map allow-return-allocs-from-loops=true},
func.func(convert-linalg-to-loops), expand-strided-metadata, lower-affine,
func.func(convert-scf-to-cf), convert-complex-to-standard, canonicalize, EXPAND_ARITH,
convert-math-to-llvm, convert-math-to-libm, convert-complex-to-llvm, finalize-memref-to-llvm,
convert-arith-to-llvm, convert-index-to-llvm, convert-func-to-llvm, convert-cf-to-llvm,
convert-ub-to-llvm, reconcile-unrealized-casts
"""

# Instructions that flush subnormals of bf16 or whose presence would make the result depend on the
# machine.
DISABLED_CPU_FEATURES = ("avx512bf16", "avx512fp16")

RUNTIME_LIBRARIES = ("mlir_c_runner_utils", "mlir_float16_utils", "mlir_apfloat_wrappers")

SEPARATOR = "// -----\n"
NOTHING = "cts_nothing"  # mlir-runner wants a function to call
PREFIX = "case"


class EnvironmentFault(Exception):
    """Something that this adapter needs is missing or does not work."""


class ToolDied(Exception):
    """A tool failed on cases and did not say on which; `crashed`: by a signal."""

    def __init__(self, message, crashed):
        super().__init__(message)
        self.crashed = crashed


class Case:
    """One request of a batch and what has become of it."""

    def __init__(self, index, request, bundle):
        self.index = index
        self.id = request["case"]
        self.case_dir = request["case_dir"]
        self.result_dir = request["result_dir"]
        self.bundle = bundle
        self.function = f"{PREFIX}_{index}"
        self.text = ""  # its function in MLIR
        self.status = None  # ok, error, unsupported: answered; crash, hang: not answered
        self.message = ""

    def settle(self, status, message=""):
        self.status = status
        self.message = message


def open_cases(cases):
    return [case for case in cases if case.status is None]


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:400] if lines else "no message"


def death(result):
    """What a tool died of, if it did: a signal, or LLVM's own end with a message."""
    reasons = [line.strip()[:400] for line in result.stderr.splitlines() if "LLVM ERROR" in line]
    if result.returncode >= 0 and not reasons:
        return None
    tool = os.path.basename(result.args[0])
    if result.returncode >= 0:
        return f"{tool}: {reasons[0]}"
    name = signal.Signals(-result.returncode).name
    return ": ".join([f"{tool} died of {name}", *reasons[:1]])


def needs_fp8(cases):
    return any("f8E" in case.text for case in cases)


class Pipeline:
    def __init__(self, tensor_cts, mlir_opt, mlir_runner, linker):
        self.tensor_cts = self.find(tensor_cts, "give its path with --tensor-cts")
        self.mlir_opt = self.find(mlir_opt, "install mlir-22-tools")
        self.mlir_runner = self.find(mlir_runner, "install mlir-22-tools")
        self.linker = self.find(linker, "install gcc")
        version = self.run([self.mlir_opt, "--version"], None).stdout
        self.version = re.search(r"version (\S+)", version).group(1)
        self.libraries = [self.find_library(name) for name in RUNTIME_LIBRARIES]
        self.cpu_attributes = self.disabled_features()

    @staticmethod
    def find(program, remedy):
        path = shutil.which(program)
        if path is None:
            raise EnvironmentFault(f"{program}: not found; {remedy}")
        return path

    def find_library(self, name):
        lib = os.path.join(os.path.dirname(os.path.realpath(self.mlir_runner)), "..", "lib")
        found = sorted(glob.glob(os.path.join(lib, f"lib{name}.so*")))
        if not found:
            raise EnvironmentFault(f"lib{name}.so: not found in {lib}; install mlir-22-tools")
        return os.path.realpath(found[0])

    @staticmethod
    def disabled_features():
        if os.uname().machine != "x86_64":
            return []
        return ["--mattr=" + ",".join("-" + feature for feature in DISABLED_CPU_FEATURES)]

    @staticmethod
    def run(command, timeout, environment=None):
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            env=environment,
        )

    @staticmethod
    def timeout(cases):
        """Seconds for one tool; a case alone is left to the runner's own limit."""
        return None if len(cases) == 1 else 30 + len(cases)

    # --- Rendering ---------------------------------------------------------------------------

    def render(self, cases):
        command = [self.tensor_cts, "render", "--format", "mlir", "--prefix", PREFIX]
        result = self.run(command + [case.case_dir for case in cases], self.timeout(cases))
        if result.returncode != 0:
            raise EnvironmentFault(f"tensor-cts render: {last_line(result.stderr)}")
        chunks = result.stdout.split(SEPARATOR)
        if len(chunks) != len(cases):
            raise EnvironmentFault(
                f"tensor-cts render: {len(chunks)} chunks of text for {len(cases)} cases"
            )
        for case, chunk in zip(cases, chunks):
            refused = re.match(rf"// {PREFIX}_\d+ unsupported: (.*)", chunk)
            if refused:
                case.settle("unsupported", refused.group(1))
            case.text = chunk

    # --- Legality ----------------------------------------------------------------------------

    def check(self, cases, directory):
        """Settles every case that the dialect's verifiers or tosa-validate refuse."""
        targets = {}
        for case in cases:
            version = SPECIFICATION_VERSIONS.get(case.bundle["edition"])
            if version is None:
                case.settle("unsupported", f"edition {case.bundle['edition']}")
                continue
            targets.setdefault((version, case.bundle["level"].lower()), []).append(case)
        for (version, level), group in targets.items():
            self.halving(group, lambda part: self.check_once(part, version, level, directory))

    def check_once(self, cases, version, level, directory):
        passes = (
            f"builtin.module(tosa-attach-target{{specification_version={version} "
            f"profiles={PROFILES} extensions={EXTENSIONS} level={level}}}, "
            "tosa-validate{strict-op-spec-alignment})"
        )
        source = os.path.join(directory, "check.mlir")
        lines = self.write(source, cases, SEPARATOR)
        command = [self.mlir_opt, "--split-input-file", f"--pass-pipeline={passes}"]
        result = self.run(command + [source, "-o", os.devnull], self.timeout(cases))
        if reason := death(result):
            raise ToolDied(reason, True)
        errors = self.diagnostics(result.stderr, source, cases, lines)
        if result.returncode != 0 and not errors:
            raise ToolDied(last_line(result.stderr), False)
        for case, message in errors.items():
            # What does not come from an operator is about the text: not a verdict on the graph.
            if message.startswith("'tosa."):
                case.settle("error", message)
            else:
                case.settle("unsupported", f"mlir-opt cannot read it: {message}")

    @staticmethod
    def write(path, cases, separator=""):
        """Writes the cases' text; returns the first line of each."""
        first_lines, line = [], 1
        with open(path, "w", encoding="utf-8") as file:
            for case in cases:
                text = case.text + separator
                file.write(text)
                first_lines.append(line)
                line += text.count("\n")
        return first_lines

    @staticmethod
    def diagnostics(stderr, source, cases, first_lines):
        """The first error of each case."""
        errors = {}
        pattern = rf"^{re.escape(source)}:(\d+):\d+: error: (.*)"
        for match in re.finditer(pattern, stderr, re.MULTILINE):
            case = cases[bisect.bisect(first_lines, int(match.group(1))) - 1]
            errors.setdefault(case, match.group(2)[:1000])
        return errors

    # --- Lowering and compiling --------------------------------------------------------------

    def build(self, cases, directory):
        """Settles what cannot be compiled; the rest comes back as (library, cases) pairs."""
        built = []
        names = (os.path.join(directory, f"part{i}") for i in itertools.count())

        def attempt(part):
            name = next(names)
            part = self.compile(self.lower(part, name), name)
            if part:
                built.append((name + ".so", part))

        self.halving([case for case in cases if not needs_fp8([case])], attempt)
        self.halving([case for case in cases if needs_fp8([case])], attempt)
        return built

    def lower(self, cases, name):
        """Writes `name`.llvm.mlir; returns the cases that are in it."""
        expand_arith = EXPAND_ARITH_FP8 if needs_fp8(cases) else EXPAND_ARITH
        passes = " ".join(LOWERING.replace("EXPAND_ARITH", expand_arith).split())
        source = name + ".mlir"
        while cases:
            lines = self.write(source, cases)
            with open(source, "a", encoding="utf-8") as file:
                file.write(f"func.func @{NOTHING}() {{ return }}\n")
            command = [self.mlir_opt, f"--pass-pipeline=builtin.module({passes})", source]
            result = self.run(command + ["-o", name + ".llvm.mlir"], self.timeout(cases))
            if result.returncode == 0:
                return cases
            if reason := death(result):
                raise ToolDied(reason, True)
            errors = self.diagnostics(result.stderr, source, cases, lines)
            if not errors:
                raise ToolDied(last_line(result.stderr), False)
            for case, message in errors.items():
                case.settle("unsupported", f"does not lower: {message}")
            cases = open_cases(cases)
        return cases

    def compile(self, cases, name):
        """Writes `name`.so; returns the cases that are in it."""
        if cases:
            cases = self.without_leftovers(cases, name)
        if not cases:
            return []
        shared = [f"--shared-libs={library}" for library in self.libraries]
        command = [self.mlir_runner, "-e", NOTHING, "--entry-point-result=void", "-O0"]
        command += self.cpu_attributes + shared
        command += ["--dump-object-file", f"--object-filename={name}.o", name + ".llvm.mlir"]
        # LLVM's JIT leaves a record for profilers, in ~/.debug or the like unless it is told where.
        environment = dict(os.environ, JITDUMPDIR=os.path.dirname(name))
        result = self.run(command, self.timeout(cases), environment)
        if reason := death(result):
            raise ToolDied(reason, True)
        if result.returncode != 0 or not os.path.exists(name + ".o"):
            raise ToolDied(last_line(result.stderr), False)
        library_path = os.path.dirname(self.libraries[0])
        command = [self.linker, "-shared", f"-Wl,-z,defs,--as-needed,-rpath,{library_path}"]
        command += [name + ".o", "-o", name + ".so", *self.libraries, "-lm"]
        result = self.run(command, self.timeout(cases))
        if result.returncode != 0:
            reasons = [line for line in result.stderr.splitlines() if "undefined reference" in line]
            raise ToolDied(reasons[0] if reasons else last_line(result.stderr), False)
        return cases

    def without_leftovers(self, cases, name):
        """Operations that no pass has lowered do not make mlir-opt fail: drops their cases."""
        by_function = {case.function: case for case in cases}
        leftover = re.compile(r"\s+(?:%[\w:, %]+ = )?\"?((?!llvm\.|module\b)[a-z_]+\.[a-z_0-9.]+)")
        current = None
        with open(name + ".llvm.mlir", encoding="utf-8") as file:
            for line in file:
                if match := re.match(r"\s+(?:llvm\.func|func\.func) @(\w+)\(", line):
                    current = by_function.get(match.group(1).removeprefix("_mlir_ciface_"))
                elif current and (match := leftover.match(line)) and current.status is None:
                    operation = match.group(1)
                    current.settle("unsupported", f"does not lower: {operation} is left over")
        if len(open_cases(cases)) == len(cases):
            return cases
        return self.lower(open_cases(cases), name)

    # --- Who was it --------------------------------------------------------------------------

    def halving(self, cases, attempt):
        """Runs attempt(cases); where a tool dies of it, on either half, down to the one case."""
        cases = open_cases(cases)
        if not cases:
            return
        try:
            attempt(cases)
        except ToolDied as death:
            cases = open_cases(cases)
            if len(cases) > 1:
                middle = len(cases) // 2
                self.halving(cases[:middle], attempt)
                self.halving(cases[middle:], attempt)
            elif cases:
                cases[0].settle("crash" if death.crashed else "unsupported", str(death))

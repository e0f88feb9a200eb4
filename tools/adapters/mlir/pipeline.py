"""From case bundles to a shared library: rendering, the legality check, lowering, compiling.

All tools take many cases at once and still answer for each: the line of a diagnostic leads to its
case. If a tool dies without saying which case it was, the cases are halved.
"""

import bisect
import dataclasses
import glob
import itertools
import os
import re
import resource
import shutil
import signal
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, os.pardir))
from common.cases import SEPARATOR, EnvironmentFault, open_cases  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Version:
    """Says what one version of MLIR is called and how it is asked."""

    mlir_opt: str
    mlir_runner: str
    libraries: tuple  # that compiled code may call
    homes: tuple  # where they may lie, from the directory of mlir-runner
    packages: str
    editions: tuple  # that its dialect is, or that are rendered by way of it
    lowering: str  # the passes that --pipeline replaces
    check: str  # the passes of the legality check; {level}, {version}: of the case

    @property
    def install(self):
        return f"apt-get install --no-install-recommends {self.packages} gcc python3-numpy"


# TOSA's profiles and extensions as `tosa-attach-target` names them. All are attached: whether a
# type row is offered is then decided by the dialect and its lowering, not by the adapter.
TARGET_22 = (
    "profiles=pro_int,pro_fp extensions=int4,int16,bf16,fp8e4m3,fp8e5m2,"
    "fft,variable,controlflow,doubleround,inexactround,dynamic"
)
# For 1.0 tosa-validate refuses every dimension that is not known, whatever else a program does.
STATIC_VERSION, SYMBOLIC_VERSION = "1.0", "1.1.draft"

VERSIONS = {
    "22": Version(
        mlir_opt="mlir-opt-22",
        mlir_runner="mlir-runner-22",
        libraries=("mlir_c_runner_utils", "mlir_float16_utils", "mlir_apfloat_wrappers"),
        homes=("../lib",),
        packages="mlir-22-tools",
        editions=("tosa-1.0", "rvtensor"),
        lowering=os.path.join(HERE, "lowering.pipeline"),
        check=f"tosa-attach-target{{{{specification_version={{version}} {TARGET_22} level={{level}}}}}}, "
        "tosa-validate{{strict-op-spec-alignment}}",
    ),
    # Its strict-op-spec-alignment wants constant weights of FULLY_CONNECTED, which TOSA does not,
    # and constants where the text has constants anyway. Without a profile it takes them all.
    "19": Version(
        mlir_opt="mlir-opt-19",
        mlir_runner="mlir-cpu-runner-19",
        libraries=("mlir_c_runner_utils", "mlir_float16_utils"),
        # Debian has no libmlir-19 beside libmlir-22; the functions are the same in both.
        homes=("../lib", "../../llvm-22/lib"),
        packages="mlir-19-tools libmlir-22",
        editions=("tosa-0.100",),
        lowering=os.path.join(HERE, "lowering-19.pipeline"),
        check="tosa-validate{{level={level}}}",
    ),
}
DEFAULT_VERSION = "22"

# Instructions that flush subnormals of bf16 or whose presence would make the result depend on the
# machine.
DISABLED_CPU_FEATURES = ("avx512bf16", "avx512fp16")

NOTHING = "cts_nothing"  # mlir-runner wants a function to call
PREFIX = "case"


class ToolDied(Exception):
    """A tool failed on cases and did not say on which; `crashed`: by a signal."""

    def __init__(self, message, crashed):
        super().__init__(message)
        self.crashed = crashed


def last_line(text):
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip()[:400] if lines else "no message"


def death(result):
    """Says what a tool died of, if it did: a signal, or LLVM's own end with a message."""
    reasons = [line.strip()[:400] for line in result.stderr.splitlines() if "LLVM ERROR" in line]
    if result.returncode >= 0 and not reasons:
        return None
    tool = os.path.basename(result.args[0])
    if result.returncode >= 0:
        return f"{tool}: {reasons[0]}"
    name = signal.Signals(-result.returncode).name
    return ": ".join([f"{tool} died of {name}", *reasons[:1]])


def read_pipeline(path):
    """The lowering that a file describes: {True: with fp8 types, False: without}, as mlir-opt
    takes them."""
    passes = {True: [], False: []}
    depth, targets = 0, ()
    try:
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
    except (OSError, UnicodeDecodeError) as fault:
        raise EnvironmentFault(f"{path}: cannot be read: {fault}") from fault
    for number, line in enumerate(lines, 1):
        line = line.strip()
        if not line or line.startswith("#"):
            continue
        if depth == 0:  # otherwise it goes on with the line before
            prefix = re.match(r"(fp8|others):\s*", line)
            targets = (True, False) if prefix is None else (prefix.group(1) == "fp8",)
            line = line[prefix.end() :] if prefix else line
        for target in targets:
            if depth > 0:
                passes[target][-1] += " " + line
            elif line.strip(","):
                passes[target].append(line.strip(", "))
        depth += sum(map(line.count, "({")) - sum(map(line.count, ")}"))
        if depth < 0:
            raise EnvironmentFault(f"{path}:{number}: found a bracket that nothing opens")
    if depth > 0:
        raise EnvironmentFault(f"{path}: found the end inside of a bracket, expected it closed")
    return {fp8: ", ".join(lines) for fp8, lines in passes.items()}


def limit_cpu(seconds):
    """Limits the CPU time of this process from now on; beyond it SIGXCPU comes."""
    if seconds is not None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, resource.RLIM_INFINITY))


def needs_fp8(cases):
    return any("f8E" in case.text for case in cases)


class Pipeline:
    def __init__(
        self, tensor_cts, version, linker, mlir_opt=None, mlir_runner=None, flags=(), lowering=None
    ):
        self.asked = version
        self.mlir = VERSIONS[version]
        self.tensor_cts = self.find(tensor_cts, "give its path with --tensor-cts")
        install = f"install MLIR {version} with: {self.mlir.install}"
        self.mlir_opt = self.find(mlir_opt or self.mlir.mlir_opt, install)
        self.mlir_runner = self.find(mlir_runner or self.mlir.mlir_runner, install)
        self.linker = self.find(linker, install)
        answer = self.run([self.mlir_opt, "--version"], None).stdout
        found = re.search(r"version (\S+)", answer)
        if found is None:
            raise EnvironmentFault(f"{mlir_opt} --version: found no version of MLIR; {install}")
        self.version = found.group(1)
        if self.version.split(".")[0] != version:
            raise EnvironmentFault(f"{self.mlir_opt}: found version {self.version}, expected {version}; {install}")
        self.libraries = [self.find_library(name, install) for name in self.mlir.libraries]
        self.cpu_attributes = self.disabled_features()
        self.flags = list(flags)
        self.prefixes = itertools.count()
        self.lowering = read_pipeline(lowering or self.mlir.lowering)
        if self.flags or lowering:
            self.try_out(lowering or self.mlir.lowering)

    @staticmethod
    def find(program, remedy):
        path = shutil.which(program)
        if path is None:
            raise EnvironmentFault(f"{program}: not found; {remedy}")
        return path

    def find_library(self, name, remedy):
        runner = os.path.dirname(os.path.realpath(self.mlir_runner))
        for home in self.mlir.homes:
            found = sorted(glob.glob(os.path.join(runner, home, f"lib{name}.so*")))
            if found:
                return os.path.realpath(found[0])
        places = " or ".join(os.path.normpath(os.path.join(runner, h)) for h in self.mlir.homes)
        raise EnvironmentFault(f"lib{name}.so: not found in {places}; {remedy}")

    def try_out(self, lowering):
        """Tries the passes on an empty module: an unknown pass would look like a fault of every case."""
        for passes in set(self.lowering.values()):
            result = self.run([*self.opt(passes), "-"], None)
            if result.returncode != 0:
                words = " ".join(["mlir-opt", *self.flags])
                raise EnvironmentFault(
                    f"{words} with the passes of {lowering} refuses an empty module: "
                    + " ".join(result.stderr.split())[:1000]
                )

    def opt(self, passes):
        return [self.mlir_opt, *self.flags, f"--pass-pipeline=builtin.module({passes})"]

    @staticmethod
    def disabled_features():
        if os.uname().machine != "x86_64":
            return []
        return ["--mattr=" + ",".join("-" + feature for feature in DISABLED_CPU_FEATURES)]

    @staticmethod
    def run(command, seconds, **variables):
        """`seconds` of CPU time, which unlike the clock does not depend on what else runs. A tool
        that dies names no functions: it would leave files in TMPDIR."""
        return subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            preexec_fn=lambda: limit_cpu(seconds),
            env=dict(os.environ, LLVM_DISABLE_SYMBOLIZATION="1", **variables),
        )

    @staticmethod
    def limit(cases):
        """Seconds for one tool; a case alone is left to the runner's own limit."""
        return None if len(cases) == 1 else 30 + len(cases)

    # --- Rendering ---------------------------------------------------------------------------

    def render(self, cases):
        """Renders all cases, in one call where that works. A call fails for an illegal graph that no text can say."""
        for case in cases:
            edition = case.bundle["edition"]
            if edition not in self.mlir.editions:
                others = [name for name, mlir in VERSIONS.items() if edition in mlir.editions]
                taken = f"--mlir {others[0]} takes it" if others else "no --mlir takes it"
                refusal = f"edition {edition} is not of MLIR {self.asked}: {taken}"
                case.settle("unsupported", refusal)
        self.halving(cases, self.render_once)

    def render_once(self, cases):
        prefix = f"{PREFIX}{next(self.prefixes)}"
        command = [self.tensor_cts, "render", "--format", "mlir", "--prefix", prefix]
        result = self.run(command + [case.case_dir for case in cases], self.limit(cases))
        if result.returncode != 0:  # whatever it is, it is no crash of the implementation
            raise ToolDied(f"no rendering: {last_line(result.stderr)}", False)
        chunks = result.stdout.split(SEPARATOR)
        if len(chunks) != len(cases):
            raise EnvironmentFault(
                f"tensor-cts render: {len(chunks)} chunks of text for {len(cases)} cases"
            )
        for i, (case, chunk) in enumerate(zip(cases, chunks)):
            case.function = f"{prefix}_{i}"
            refused = re.match(rf"// {case.function} unsupported: (.*)", chunk)
            if refused:
                case.settle("unsupported", refused.group(1))
            case.text = chunk

    # --- Legality ----------------------------------------------------------------------------

    def check(self, cases, directory):
        """Settles every case that the dialect's verifiers or tosa-validate refuse."""
        targets = {}
        for case in cases:
            version = SYMBOLIC_VERSION if "binding" in case.bundle else STATIC_VERSION
            targets.setdefault((version, case.bundle["level"].lower()), []).append(case)
        for (version, level), group in targets.items():
            self.halving(group, lambda part: self.check_once(part, version, level, directory))

    def check_once(self, cases, version, level, directory):
        passes = self.mlir.check.format(version=version, level=level)
        source = os.path.join(directory, "check.mlir")
        lines = self.write(source, cases, SEPARATOR)
        command = [*self.opt(passes), "--split-input-file"]
        result = self.run(command + [source, "-o", os.devnull], self.limit(cases))
        if reason := death(result):
            raise ToolDied(reason, True)
        errors = self.diagnostics(result.stderr, source, cases, lines)
        if result.returncode != 0 and not errors:
            raise ToolDied(last_line(result.stderr), False)
        for case, messages in errors.items():
            # A message that comes neither from an operator nor from an enumeration of the dialect
            # is about the text: it is not a verdict on the graph. An operator may say why before it
            # says who.
            own = ("'tosa.", "expected ::mlir::tosa::")
            verdict = next((i for i, said in enumerate(messages) if said.startswith(own)), None)
            if verdict is not None:
                case.settle("error", "; ".join(messages[: verdict + 1]))
            else:
                case.settle("unsupported", f"mlir-opt cannot read it: {messages[0]}")

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
        """The errors of each case. MLIR 19 counts lines from that of the separator."""
        errors = {}
        place = rf"(?:within split at )?{re.escape(source)}:(\d+)(?: offset :(\d+))?:\d+"
        pattern = rf"^{place}: error: (.*)"
        for match in re.finditer(pattern, stderr, re.MULTILINE):
            line = int(match.group(1)) + int(match.group(2) or 1) - 1
            case = cases[bisect.bisect(first_lines, line) - 1]
            errors.setdefault(case, []).append(match.group(3)[:1000])
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

    NO_PATTERN = "failed to legalize"

    def lower(self, cases, name):
        """Writes `name`.llvm.mlir; returns the cases that are in it."""
        source = name + ".mlir"
        while cases:
            lines = self.write(source, cases)
            with open(source, "a", encoding="utf-8") as file:
                file.write(f"func.func @{NOTHING}() {{ return }}\n")
            command = self.opt(self.lowering[needs_fp8(cases)])
            result = self.run(command + [source, "-o", name + ".llvm.mlir"], self.limit(cases))
            if result.returncode == 0:
                return cases
            if reason := death(result):
                raise ToolDied(reason, True)
            errors = self.diagnostics(result.stderr, source, cases, lines)
            if not errors:
                raise ToolDied(last_line(result.stderr), False)
            for case, messages in errors.items():
                # A pass that has no pattern says nothing of the graph; a verifier calls it wrong.
                is_missing = messages[0].startswith(self.NO_PATTERN)
                status = "unsupported" if is_missing else "error"
                case.settle(status, f"does not lower: {messages[0]}")
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
        result = self.run(command, self.limit(cases), JITDUMPDIR=os.path.dirname(name))
        if reason := death(result):
            raise ToolDied(reason, True)
        if result.returncode != 0 or not os.path.exists(name + ".o"):
            raise ToolDied(last_line(result.stderr), False)
        library_path = os.path.dirname(self.libraries[0])
        command = [self.linker, "-shared", f"-Wl,-z,defs,--as-needed,-rpath,{library_path}"]
        command += [name + ".o", "-o", name + ".so", *self.libraries, "-lm"]
        result = self.run(command, self.limit(cases))
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
                if death.crashed and not any(case.status == "crash" for case in cases):
                    # It died over none of them alone, so the worth of the answers is unknown. The
                    # adapter dies, and the runner counts a fault that no case shows.
                    cases[0].settle("crash", f"{death}, over {len(cases)} cases together only")
            elif cases:
                cases[0].settle("crash" if death.crashed else "unsupported", str(death))

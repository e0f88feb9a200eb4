"""The cases of a batch, and what became of each."""

import itertools
import json
import os
import re
import subprocess
import tempfile

SEPARATOR = "// -----\n"


class EnvironmentFault(Exception):
    """Something that an adapter needs is missing or does not work."""


class Unsupported(Exception):
    """The implementation does not offer what a case asks for; the text says what."""


class Refused(Exception):
    """The implementation refused a graph as illegal; the text is its own."""


class Case:
    """One request of a batch and what has become of it."""

    def __init__(self, request, bundle=None):
        self.id = request["case"]
        self.case_dir = request["case_dir"]
        self.result_dir = request["result_dir"]
        self.bundle = bundle or read_bundle(self.case_dir)
        self.function = None  # its name in rendered text
        self.text = ""
        self.status = None  # ok, error, accepted, unsupported; crash, hang: no answer
        self.message = ""

    @property
    def block(self):
        return self.bundle["graph"]["regions"][0]["blocks"][0]

    @property
    def tensors(self):
        return {tensor["name"]: tensor for tensor in self.block["tensors"]}

    @property
    def executions(self):
        return [self.bundle, *self.bundle.get("later_executions", [])]

    def settle(self, status, message=""):
        self.status = status
        self.message = " ".join(message.split())[:4000]

    def needs_only(self, profiles):
        """Whether the case is one of these profiles and extensions, and of no more."""
        return any(set(names) <= set(profiles) for names in self.bundle["profiles"])

    def input_path(self, execution, name):
        return os.path.join(self.case_dir, execution["inputs"][name])

    def output_path(self, number, name):
        """Where output `name` of execution `number`, from 0, belongs."""
        return os.path.join(self.result_dir, f"{name}.{number}.npy" if number else f"{name}.npy")


def read_bundle(case_dir):
    with open(os.path.join(case_dir, "case.json"), encoding="utf-8") as file:
        return json.load(file)


def open_cases(cases):
    return [case for case in cases if case.status is None]


def serialized(tensor_cts, case):
    """The .tosa file of a case."""
    with tempfile.TemporaryDirectory(prefix="tensor-cts-tosa-") as folder:
        path = os.path.join(folder, "graph.tosa")
        done = subprocess.run(
            [tensor_cts, "render", "--format", "tosa", case.case_dir, "--out", path],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
        )
        if done.returncode != 0:
            raise Unsupported(f"no .tosa file: {done.stderr.strip()}")
        with open(path, "rb") as file:
            return file.read()


def without_values(case):
    """Returns an input for which an execution has no file, as when a binding is wrong; otherwise
    None."""
    for execution in case.executions:
        for name in case.block["inputs"]:
            if name not in execution["inputs"]:
                return name
    return None


class Renderer:
    """MLIR text of cases, by `tensor-cts render`."""

    def __init__(self, tensor_cts, flags=()):
        self.command = [tensor_cts, "render", "--format", "mlir", *flags]
        self.prefixes = itertools.count()

    def render(self, cases):
        """The text of each case, in one call where that works: it fails for a graph that no text can say."""
        if not cases:
            return
        prefix = f"case{next(self.prefixes)}"
        command = [*self.command, "--prefix", prefix, *(case.case_dir for case in cases)]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
        except OSError as fault:
            raise EnvironmentFault(
                f"{command[0]}: {fault.strerror}; give its path with --tensor-cts"
            ) from fault
        if done.returncode != 0 and len(cases) > 1:
            half = len(cases) // 2
            self.render(cases[:half])
            self.render(cases[half:])
            return
        if done.returncode != 0:
            cases[0].settle("unsupported", f"no rendering: {done.stderr.strip()}")
            return
        chunks = done.stdout.split(SEPARATOR)
        if len(chunks) != len(cases):
            raise EnvironmentFault(
                f"tensor-cts render: {len(chunks)} chunks of text for {len(cases)} cases"
            )
        for number, (case, chunk) in enumerate(zip(cases, chunks)):
            case.function = f"{prefix}_{number}"
            refused = re.match(rf"// {case.function} unsupported: (.*)", chunk)
            if refused:
                case.settle("unsupported", refused.group(1))
            case.text = chunk if chunk.endswith("\n") else chunk + "\n"

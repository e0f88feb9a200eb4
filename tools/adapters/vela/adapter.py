#!/usr/bin/python3
"""Tensor CTS adapter for Vela, Arm's compiler for Ethos-U: a case is compiled, and shows no values.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import os
import re
import resource
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import children, worker  # noqa: E402
from common.cases import Case, Unsupported, serialized  # noqa: E402

try:
    VERSION = worker.version("vela", "ethos-u-vela")

    from ethosu.vela import vela
except ImportError as missing:  # PackageNotFoundError is one
    worker.missing(missing, "vela")

BATCH = 32
FLOATING = ("bf16", "fp16", "fp32", "fp8e4m3", "fp8e5m2")
SECONDS = 300  # of CPU time for a case: kernels of 33,000 elements of i16 take 120
EDITION = "tosa-1.0"
# What Vela offers: of a case that needs more, these words say nothing on legality.
PROFILES = {"PRO-INT"}
OF_PROFILES = re.compile(r"data type not supported|Failed to create \w+ operation|must be a compile time constant", re.I)
REFUSED = "Compilation failed: "
# Words of the stages behind the validator, on operators that the hardware lacks.
NOT_OFFERED = re.compile(r"could not run on NPU", re.I)


def words_of(text):
    """What Vela says of a graph, in one line."""
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()]
    return "; ".join(dict.fromkeys(lines))[:600] or "no message"


def missing_for_vela(case):
    """The reason why Vela cannot take a case; otherwise empty."""
    if case.bundle["edition"] != EDITION:
        return f"edition {case.bundle['edition']}: expected {EDITION}"
    if floating := [dtype for dtype in case.bundle["types"].values() if dtype in FLOATING]:
        return f"type {floating[0]}: Vela offers PRO-INT"  # "data type not supported", it says of every one
    if any("binding" in execution for execution in case.executions):
        return "symbolic programs: a .tosa file has sizes"
    return ""


def settle_refused(case, said):
    """Tells a graph that Vela calls illegal from one that it, or the hardware, does not offer."""
    words = words_of(said)
    if NOT_OFFERED.search(said) or (OF_PROFILES.search(said) and not case.needs_only(PROFILES)):
        case.settle("unsupported", words)
    else:
        case.settle("error", words)


def compile_case(case, graph, accelerator):
    with tempfile.TemporaryDirectory(prefix="tensor-cts-vela-") as folder:
        path = os.path.join(folder, "graph.tosa")
        with open(path, "wb") as file:
            file.write(graph)
        try:
            vela.main([path, "--accelerator-config", accelerator, "--output-dir", folder])
        except Exception as fault:
            if isinstance(fault, RuntimeError) and (str(fault).startswith(REFUSED) or NOT_OFFERED.search(str(fault))):
                settle_refused(case, str(fault))
            else:  # an exception from inside is no diagnostic
                case.settle("crash", f"vela ended by {type(fault).__name__}: {fault}")
            return
        made = [name for name in os.listdir(folder) if name.startswith("graph_vela.")]
    case.settle("accepted", f"compiled for {accelerator}") if made else case.settle("error", "nothing was written")


def run_batch_for(tensor_cts, accelerator):
    def work(cases, tell):
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, resource.RLIM_INFINITY))
        for case in cases:
            compile_case(case, case.text, accelerator)
            tell(case)

    def run_batch(requests):
        cases = [Case(request) for request in requests]
        for case in cases:
            if words := missing_for_vela(case):
                case.settle("unsupported", words)
                continue
            try:
                case.text = serialized(tensor_cts, case)
            except Unsupported as what:
                case.settle("unsupported", str(what))
        for case in cases:  # a child for each: what one leaves behind reaches no other
            children.settle_all([case], work, "vela")
        return cases

    return run_batch


def prepare(options):
    return f"vela-{options.accelerator}", VERSION, run_batch_for(options.tensor_cts, options.accelerator)


def main():
    parser = worker.parser(__doc__, BATCH)
    parser.add_argument("--accelerator", default="ethos-u85-256", help="as vela's --accelerator-config (%(default)s)")
    worker.serve(parser, prepare)


if __name__ == "__main__":
    main()

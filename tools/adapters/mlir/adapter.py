#!/usr/bin/python3
"""Tensor CTS adapter for MLIR: runs cases through the lowering of the tosa dialect.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import argparse
import json
import os
import shlex
import signal
import sys
import tempfile

import pipeline

try:
    import execute
except ImportError as missing:
    version = pipeline.VERSIONS[pipeline.DEFAULT_VERSION]
    print(f"{sys.executable}: {missing}; install with: {version.install}", file=sys.stderr)
    sys.exit(2)

BATCH = 128
SECONDS_PER_CALL = 10  # of CPU time, before a batch gives up on a case
EXIT_CRASH = 70
EXIT_ENVIRONMENT = 2


def log(text):
    print(text, file=sys.stderr, flush=True)


def read_bundle(case_dir):
    with open(os.path.join(case_dir, "case.json"), encoding="utf-8") as file:
        return json.load(file)


def run_batch(tools, requests):
    """Settles every case of the batch and returns them."""
    cases = [
        pipeline.Case(request, read_bundle(request["case_dir"])) for request in requests
    ]
    with tempfile.TemporaryDirectory(prefix="tensor-cts-mlir-") as directory:
        tools.render(cases)
        tools.check(pipeline.open_cases(cases), directory)
        seconds = None if len(cases) == 1 else SECONDS_PER_CALL
        for library, part in tools.build(pipeline.open_cases(cases), directory):
            execute.execute(library, part, seconds)
    return cases


def answer(cases):
    """Writes one line for each case. At a crash the adapter dies instead, so that the runner records a crash."""
    for case in cases:
        line = {"case": case.id, "status": case.status}
        if case.message:
            line["message"] = case.message
        crashed = case.status in ("crash", "hang")
        if crashed and len(cases) == 1:
            log(f"{case.id}: {case.status}: {case.message}")
            sys.exit(EXIT_CRASH)
        if crashed:
            # No log: the runner cannot tell which case of a batch it is about. All that has no
            # answer runs again alone; where no case crashes then, this is what it knows.
            line = {"case": case.id, "fault": f"{case.status}: {case.message}"}
        print(json.dumps(line), flush=True)
        if crashed:
            sys.exit(EXIT_CRASH)


def batches(stream):
    batch = []
    for line in stream:
        if not line.strip():
            continue
        request = json.loads(line)
        batch.append(request)
        if not request.get("more", False):
            yield batch
            batch = []


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensor-cts", default="tensor-cts", help="the tensor-cts binary")
    parser.add_argument(
        "--mlir",
        default=pipeline.DEFAULT_VERSION,
        choices=sorted(pipeline.VERSIONS),
        help="the version: 22 takes "
        + ", 19 ".join(" and ".join(pipeline.VERSIONS[v].editions) for v in ("22", "19"))
        + " (%(default)s)",
    )
    parser.add_argument("--mlir-opt", help="another mlir-opt than that of the version")
    parser.add_argument("--mlir-runner", help="another mlir-runner, likewise")
    parser.add_argument("--linker", default="gcc", help="makes a shared library of an object file")
    parser.add_argument(
        "--mlir-flags", default="", metavar="FLAGS", help="more flags for every call of mlir-opt"
    )
    parser.add_argument(
        "--pipeline",
        metavar="FILE",
        help="another lowering than that of the version; its format: README.md",
    )
    parser.add_argument("--batch", type=int, default=BATCH, help="cases at once (%(default)s)")
    parser.add_argument("--worker", action="store_true", help="answer requests from standard input")
    parser.add_argument("case_dir", nargs="?")
    parser.add_argument("result_dir", nargs="?")
    options = parser.parse_args()
    if options.worker == (options.result_dir is not None):
        parser.error("expected either --worker or CASE_DIR RESULT_DIR")

    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # temporary files go
    try:
        tools = pipeline.Pipeline(
            options.tensor_cts,
            options.mlir,
            options.linker,
            options.mlir_opt,
            options.mlir_runner,
            shlex.split(options.mlir_flags),
            options.pipeline,
        )
        if not options.worker:
            request = {"case_dir": options.case_dir, "result_dir": options.result_dir}
            request["case"] = read_bundle(options.case_dir)["id"]
            answer(run_batch(tools, [request]))
            return
        greeting = {"worker": "mlir", "version": tools.version, "batch": options.batch}
        print(json.dumps(greeting), flush=True)
        for batch in batches(sys.stdin):
            answer(run_batch(tools, batch))
    except (pipeline.EnvironmentFault, OSError) as fault:
        log(str(fault))
        sys.exit(EXIT_ENVIRONMENT)


if __name__ == "__main__":
    main()

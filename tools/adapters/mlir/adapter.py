#!/usr/bin/python3
"""Tensor CTS adapter for MLIR: runs cases through the lowering of the tosa dialect.

One case: adapter.py CASE_DIR RESULT_DIR. Many: adapter.py --worker, see ../README.md.
"""

import os
import shlex
import sys
import tempfile

import pipeline

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir))
from common import worker  # noqa: E402
from common.cases import Case, open_cases  # noqa: E402

try:
    import execute
except ImportError as missing:
    version = pipeline.VERSIONS[pipeline.DEFAULT_VERSION]
    print(f"{sys.executable}: {missing}; install with: {version.install}", file=sys.stderr)
    sys.exit(2)

BATCH = 128
SECONDS_PER_CALL = 10  # of CPU time, before a batch gives up on a case


def run_batch(tools, requests):
    """Settles every case of the batch and returns them."""
    cases = [Case(request) for request in requests]
    with tempfile.TemporaryDirectory(prefix="tensor-cts-mlir-") as directory:
        tools.render(cases)
        tools.check(open_cases(cases), directory)
        seconds = None if len(cases) == 1 else SECONDS_PER_CALL
        for library, part in tools.build(open_cases(cases), directory):
            execute.execute(library, part, seconds)
    return cases


def main():
    parser = worker.parser(__doc__, BATCH)
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
    worker.serve(parser, prepare, [version.lowering for version in pipeline.VERSIONS.values()])


def prepare(options):
    tools = pipeline.Pipeline(
        options.tensor_cts,
        options.mlir,
        options.linker,
        options.mlir_opt,
        options.mlir_runner,
        shlex.split(options.mlir_flags),
        options.pipeline,
    )
    return "mlir", tools.version, lambda requests: run_batch(tools, requests)


if __name__ == "__main__":
    main()

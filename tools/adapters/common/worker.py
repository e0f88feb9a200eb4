"""The protocol of ../README.md: one case, or a worker that takes batches of them."""

import argparse
import importlib.metadata
import json
import os
import re
import signal
import sys
import types

from .cases import EnvironmentFault, read_bundle

EXIT_CRASH = 70
EXIT_ENVIRONMENT = 2


def log(text):
    print(text, file=sys.stderr, flush=True)


def missing(what, folder):
    """Ends an adapter whose packages are not there."""
    log(
        f"{sys.executable}: {what}; "
        f"install with: pip install --require-hashes -r tools/adapters/{folder}/requirements.txt"
    )
    sys.exit(EXIT_ENVIRONMENT)


def version(folder, *packages):
    """The first package's. An ImportError if one is missing or older than the folder's requirements.txt, with which the adapter was tried."""
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), os.pardir, folder, "requirements.txt")) as file:
        pinned = dict(re.findall(r"^([\w.-]+)==(\S+)", file.read(), re.MULTILINE))
    found = {package: importlib.metadata.version(package) for package in packages}
    for package in packages:
        if release(found[package]) < release(pinned[package]):
            raise ImportError(f"{package} {found[package]} is too old, expected {pinned[package]} or later")
    return found[packages[0]]


def release(text):
    """The numbers of a version, to be compared: 2.15.0 of 2.15.0+cu130."""
    numbers = [int(number) for number in re.match(r"[\d.]*", text).group().split(".") if number]
    return numbers + [0] * (6 - len(numbers))


def answer(cases):
    """Writes one line for each case. At a crash in a batch the adapter dies instead, and all that has no answer runs again, alone."""
    for case in cases:
        line = {"case": case.id, "status": case.status}
        if case.message:
            line["message"] = case.message
        crashed = case.status in ("crash", "hang")
        if crashed:
            # Where no case of a batch crashes alone, the fault is what the runner knows.
            what = f"{case.status}: {case.message}"
            line = {"case": case.id, "status": "crash", "message": what} if len(cases) == 1 else {"case": case.id, "fault": what}
        print(json.dumps(line), flush=True)
        if crashed and len(cases) > 1:
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


def parser(description, batch):
    made = argparse.ArgumentParser(description=description.splitlines()[0])
    made.add_argument("--tensor-cts", default="tensor-cts", help="the tensor-cts binary")
    made.add_argument("--batch", type=int, default=batch, help="cases at once (%(default)s)")
    made.add_argument("--worker", action="store_true", help="answer requests from standard input")
    made.add_argument("case_dir", nargs="?")
    made.add_argument("result_dir", nargs="?")
    return made


def code(others=()):
    """The adapter's code, to be announced: modules of its folder and of this one that are loaded, and `others`.

    What it imports later from its folder, and what it reads or executes there, has to be among `others`.
    """
    files = [vars(module).get("__file__") for module in list(sys.modules.values()) if isinstance(module, types.ModuleType)]
    script = os.path.abspath(vars(sys.modules["__main__"]).get("__file__", __file__))
    # Some packages put modules there whose file is a name alone. A link in the path of a script is followed for modules.
    loaded = [file for file in files if isinstance(file, str) and os.path.isabs(file) and os.path.isfile(file)]
    folders = {os.path.dirname(os.path.realpath(file)) for file in (script, __file__)}
    own = {os.path.abspath(file) for file in (script, *loaded) if os.path.dirname(os.path.realpath(file)) in folders}
    return sorted(own | {os.path.abspath(file) for file in others})


def serve(made, prepare, others=()):
    """Parses the command line and answers what is asked.

    prepare(options) returns (name, version, run_batch) or (name, version, run_batch, declared); run_batch(requests)
    settles and returns cases, declared says what is supported (schemas/declared.schema.json). A worker announces its
    code, so that what stands beside it costs no run: modules have to be loaded by then; `others` are files besides.
    """
    options = made.parse_args()
    if options.worker == (options.result_dir is not None):
        made.error("expected either --worker or CASE_DIR RESULT_DIR")
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # temporary files go
    try:
        name, version, run_batch, *declared = prepare(options)
        if not options.worker:
            request = {"case_dir": options.case_dir, "result_dir": options.result_dir}
            request["case"] = read_bundle(options.case_dir)["id"]
            answer(run_batch([request]))
            return
        greeting = {"worker": name, "version": version, "batch": options.batch, "code": code(others)}
        if declared:
            greeting["declared"] = declared[0]
        print(json.dumps(greeting), flush=True)
        for batch in batches(sys.stdin):
            answer(run_batch(batch))
    except (EnvironmentFault, OSError) as fault:
        log(str(fault))
        sys.exit(EXIT_ENVIRONMENT)
    finally:
        sys.stdout.flush()


def keep_output_for_protocol():
    """Sends what libraries print to standard output to standard error; returns nothing."""
    kept = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = os.fdopen(kept, "w", encoding="utf-8")

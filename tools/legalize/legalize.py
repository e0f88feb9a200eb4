#!/usr/bin/env python3
"""Judges a converter to TOSA: a framework's operator on its own kernels against the converted graph by the reference of tensor-cts.

Exit code 0: no graph is illegal, and no graph deviates; 1: some are or do; 2: usage or environment.
"""

import argparse
import collections
import concurrent.futures
import ctypes
import datetime
import fnmatch
import importlib
import importlib.metadata
import json
import multiprocessing
import os
import pathlib
import re
import shlex
import shutil
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
TORCH = "torch==2.15.0 mpmath==1.3.0 packaging pyyaml"
CONVERTER = "tosa-converter-for-tflite {model} --text -o {out}"
SOURCES = {"tflite": "tflite_source", "torch": "torch_source"}
PACKAGES = {
    "tflite": ("ai-edge-litert", "flatbuffers", "mpmath", "numpy"),
    "torch": ("torch", "torch-mlir", "mpmath", "numpy"),
}
FAULTS = ("illegal graph", "deviates")
SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
READ = (*FAULTS, "unpredictable", "kernels disagree")  # verdicts that a person has to read
SURE = 4  # a set of kernels is wrong if it is this many times farther from the exact result than another one
KEPT = 2  # cases of a deviation whose files are kept


def fail(message):
    print(f"tensor-cts: legalize: {message}", file=sys.stderr)
    sys.exit(2)


def install_line(source):
    """What brings the packages of a source, and makes the command find them."""
    if source == "torch":
        pip = f"legalize/bin/pip install {TORCH} && legalize/bin/pip install --no-deps torch-mlir==20261001"
    elif HERE.parent.name == "tensor_cts":  # a wheel, whose extra "legalize" these are
        return "pip install ai-edge-litert flatbuffers mpmath tosa-converter-for-tflite"
    else:
        pip = f"legalize/bin/pip install --require-hashes -r {shlex.quote(str(HERE / 'requirements.txt'))}"
    return f"python3 -m venv legalize && {pip}; then give --python legalize/bin/python3"


class Interrupted(BaseException):
    """A signal that ends the run; no `except Exception` catches it."""


def remember_signals():
    def interrupt(number, _):
        for each in SIGNALS:
            signal.signal(each, signal.SIG_IGN)  # one is enough
        raise Interrupted(number)

    for number in SIGNALS:
        if signal.getsignal(number) == signal.SIG_DFL or number == signal.SIGINT:
            signal.signal(number, interrupt)


def end_by_signal(number):
    print("tensor-cts: legalize: interrupted", file=sys.stderr, flush=True)
    signal.signal(number, signal.SIG_DFL)
    os.kill(os.getpid(), number)
    os._exit(128 + number)  # the first process of a container does not die of a signal


def begin_worker():
    """A process group of its own, so that its end is the end of whatever it started."""
    for number in SIGNALS:
        signal.signal(number, signal.SIG_DFL)
    os.setpgrp()
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG: it does not outlive the run


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", choices=("tflite", "torch"), default="tflite", help="the framework")
    parser.add_argument(
        "--converter",
        default=CONVERTER,
        help=f"of tflite: its command, with {{model}} and {{out}} (default: {CONVERTER})",
    )
    parser.add_argument("--tensor-cts", default="tensor-cts", help="the program tensor-cts")
    parser.add_argument("--operator", action="append", default=[], help="such as CONV_2D; may be repeated")
    parser.add_argument(
        "--type", action="append", default=[], help="such as int8: what the operands have; may be repeated"
    )
    parser.add_argument(
        "--case", action="append", default=[], help="a pattern of ids, such as 'add/int8-*'; may be repeated"
    )
    parser.add_argument(
        "--within",
        type=int,
        default=1,
        help="so many last places between quantized results are no deviation (default 1)",
    )
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="print the ids and end")
    parser.add_argument("--quiet", action="store_true", help="print errors and the last line")
    parser.add_argument("--verbose", action="store_true", help="name every graph that is wrong; show progress also without a terminal")
    parser.add_argument(
        "--shrink",
        action="store_true",
        help="make the smallest model of each deviation that is not listed: minutes each",
    )
    parser.add_argument(
        "--out",
        type=pathlib.Path,
        help="folder for legalize.json, legalize.html, deviations/: a new or empty one",
    )
    return parser.parse_args()


def selected(options, cases, type_of):
    def wanted(case):
        return (
            (not options.operator or case.model.operator in options.operator)
            and (not options.type or type_of(case).split(" ")[0] in options.type)
            and (not options.case or any(fnmatch.fnmatchcase(case.id, pattern) for pattern in options.case))
        )

    return [case for case in cases() if wanted(case)]


class Worker:
    """What a process needs to try a case; made once in each."""

    cases, options, folder = [], None, None

    @classmethod
    def try_(cls, number):
        import pipeline

        case = cls.cases[number]
        place = cls.folder / str(os.getpid())
        steps = pipeline.Steps(
            cls.options.module, cls.options.tensor_cts, cls.options.converter, place, cls.options.within
        )
        began = time.monotonic()
        try:
            record, ours, theirs = examined(steps, case)
            if record["class"] in READ:
                keep(
                    steps, case, record, ours, theirs, cls.options.converter, cls.options.out / "deviations" / case.id
                )
        except Exception:  # a bug here, of which the run is to tell
            record = {
                "id": case.id,
                "operator": case.model.operator,
                "types": pipeline.type_of(case),
                "class": "not judged",
                "detail": "a fault of legalize: " + " ".join(traceback.format_exc().split())[-400:],
                "owner": "legalize",
            }
        record["seconds"] = round(time.monotonic() - began, 3)
        return record


def examined(steps, case):
    """The record of a case with what is said of it beside its class: diagnosis, wrong kernels, owner; and its outputs."""
    import diagnose
    import pipeline

    record, ours, theirs = pipeline.run(steps, case)
    if ours is not None and record["class"] in ("deviates", "kernels disagree", "within N"):
        best = record["nearest kernels"]
        record["diagnosis"] = diagnose.diagnosis(steps, case, ours, pipeline.kernel_shape(ours, theirs[best]))
    if "kernels" in record and record["kernels"]["worst"] > steps.within:
        a, b = record["kernels"]["sets"]
        record["kernels"]["exact"] = known = pipeline.nearer(case, theirs[a], theirs[b])
        if known and max(known["farthest ours"], known["farthest theirs"]) > SURE * max(
            1, min(known["farthest ours"], known["farthest theirs"])
        ):
            record["wrong kernels"] = a if known["farthest ours"] > known["farthest theirs"] else b
    record["owner"] = owner(record)
    return record, ours, theirs


def owner(record):
    """Whose fault it is: the converter's, the kernel's, or unknown."""
    kind = record["class"]
    if kind in ("converter refuses", "operations left", "illegal graph", "shape unknown"):
        return "converter"
    known = record.get("exact")
    if kind in ("deviates", "kernels disagree") and known:
        if known["theirs"] and not known["ours"]:
            return "converter"
        if known["ours"] and not known["theirs"]:
            return "kernel"
        if known["farthest ours"] != known["farthest theirs"]:
            return "converter" if known["farthest ours"] > known["farthest theirs"] else "kernel"
    return "not known" if kind in ("deviates", "kernels disagree") else ""


def keep(steps, case, record, ours, theirs, converter, place):
    """The files of a deviation, and the lines that repeat it."""
    place.mkdir(parents=True, exist_ok=True)
    import numpy as np

    for name in (steps.source.FILE, "network.mlir", *(f"input{n}.npy" for n in range(len(case.inputs)))):
        if (steps.folder / name).is_file():
            shutil.copy(steps.folder / name, place / name)
    written = set()
    for name, outputs in theirs.items():
        for number, values in enumerate(outputs):
            if (number, values.tobytes()) not in written:  # the sets that are not there made the same
                np.save(place / f"kernels-{name}-{number}.npy", values)
                written.add((number, values.tobytes()))
    for number, values in enumerate(ours or []):
        np.save(place / f"graph-{number}.npy", values)
    (place / "REPEAT.md").write_text(repeat(case, record, steps.source.lines(case, converter)))


def repeat(case, record, lines):
    inputs = "".join(f" --input {n}=input{n}.npy" for n in range(len(case.inputs)))
    return f"""# {case.id}: {record['class']}

{record['detail']}

{record.get('diagnosis', '')}

Owner: {record.get('owner') or 'nobody'}. In this folder, with the converter and the runtime alone:

{lines}
What the graph says, by the reference:

    tensor-cts import network.mlir{inputs} --out suite        # expected/ has the result
"""


def known_deviations(source):
    path = HERE.parent / "findings" / source / "deviations.json"
    return json.loads(path.read_text()) if path.is_file() else []


def fits(record, entry):
    """Whether a listed deviation explains a record."""
    return all(re.search(pattern, str(record.get(field) or "")) for field, pattern in entry["match"].items())


def match(records, known):
    """Each record gets the id of the first listed deviation that explains it; one of the kernels alone stands apart."""

    for record in records:
        for field, entries in (
            ("deviation", [e for e in known if "wrong kernels" not in e["match"]]),
            ("kernel deviation", [e for e in known if "wrong kernels" in e["match"]]),
        ):
            if field == "deviation" and record["class"] in ("equal", "within N", "judged"):
                continue
            found = next((entry for entry in entries if fits(record, entry)), None)
            if found:
                record[field] = found["id"]
                if field == "deviation":
                    record["owner"] = found["owner"]  # who read it knows better than the distances
                    record["counted"] = found["counted"]
        record["wrong graph"] = is_wrong(record)


def is_wrong(record):
    """Whether the graph is wrong, and not the kernels, nor anything that is merely told."""
    if "counted" in record:
        return record["counted"] and record["owner"] == "converter"
    return record["class"] in FAULTS and record["owner"] != "kernel"


def of_deviation(records, name):
    return [record for record in records if name in (record.get("deviation"), record.get("kernel deviation"))]


def cause(record):
    """Records of one cause have one text."""
    if "deviation" in record:
        return record["deviation"]
    return " ".join((record["operator"], record["types"], record["class"], record.get("diagnosis", "")))


def prune(records, out):
    """Leaves the files of the smallest cases of each cause."""
    by_cause = collections.defaultdict(list)
    for record in records:
        place = out / "deviations" / record["id"]
        if place.is_dir():
            by_cause[cause(record)].append((sum(path.stat().st_size for path in place.iterdir()), place))
    for found in by_cause.values():
        for _, place in sorted(found)[KEPT:]:
            shutil.rmtree(place)
    for place in sorted((out / "deviations").glob("*")):
        if not any(place.iterdir()):
            place.rmdir()


def shrink_all(options, cases, records):
    """The smallest model of each cause, in smallest/."""
    import pipeline
    import shrink

    by_id = {case.id: case for case in cases}
    by_cause = collections.defaultdict(list)
    for record in records:
        if record["class"] in READ:
            by_cause[cause(record)].append((by_id[record["id"]], record))
    with tempfile.TemporaryDirectory(prefix="legalize-") as folder:
        steps = pipeline.Steps(
            options.module, options.tensor_cts, options.converter, pathlib.Path(folder) / "shrink", options.within
        )
        for name, found in sorted(by_cause.items()):
            case, first = min(found, key=lambda pair: shrink.size_of(pair[0]))
            record, ours, theirs = pipeline.run(steps, case)
            case, record, ours, theirs = shrink.shrink(steps, case, record, ours, theirs)
            record, ours, theirs = pipeline.run(steps, case)
            record.update({"owner": first["owner"], "diagnosis": first.get("diagnosis", "")})
            keep(
                steps,
                case,
                record,
                ours,
                theirs,
                options.converter,
                options.out / "smallest" / "-".join(name.lower().split())[:80],
            )


def run(options, cases):
    Worker.cases, Worker.options = cases, options
    with tempfile.TemporaryDirectory(prefix="legalize-") as folder:
        Worker.folder = pathlib.Path(folder)
        pool = concurrent.futures.ProcessPoolExecutor(
            options.jobs, multiprocessing.get_context("fork"), initializer=begin_worker
        )
        try:
            records, began = [], time.monotonic()
            for record in pool.map(Worker.try_, range(len(cases)), chunksize=4):
                records.append(record)
                show(options, len(records), len(cases), time.monotonic() - began)
        except Interrupted:
            threading.excepthook = lambda _: None  # the pool's own thread would tell that its workers are gone
            for process in list((pool._processes or {}).values()):
                kill_group(process.pid)
            raise
        pool.shutdown()
    if sys.stderr.isatty() and not options.quiet:
        print(file=sys.stderr)
    return records


def kill_group(worker):
    for kill in (os.killpg, os.kill):  # a worker that has just begun has no group yet
        try:
            kill(worker, signal.SIGKILL)
            return
        except ProcessLookupError:
            continue


def show(options, done, total, seconds):
    """How far the run is: on a terminal in place; with --verbose elsewhere a line for each tenth."""
    text = f"{done} of {total}, {seconds:.0f} s"
    if sys.stderr.isatty() and not options.quiet:
        print(f"\r{text}", end="", file=sys.stderr, flush=True)
    elif options.verbose and done * 10 // total > (done - 1) * 10 // total:
        print(text, file=sys.stderr, flush=True)


def summary(records):
    import pipeline

    counts = collections.Counter(record["class"] for record in records)
    return {name: counts[name] for name in (*pipeline.CLASSES, "not judged") if counts[name]}


def check_environment(options):
    missing = [name for name in PACKAGES[options.source] if not installed(name)]
    if missing:
        fail(f"found no {', '.join(missing)}; install with: {install_line(options.source)}")
    programs = [options.tensor_cts] + ([shlex.split(options.converter)[0]] if options.source == "tflite" else [])
    for program in programs:
        if shutil.which(program) is None:
            fail(
                f"found no program {program}; --tensor-cts and --converter name them. Install the converter with: {install_line(options.source)}"
            )
    options.tensor_cts = shutil.which(options.tensor_cts)
    if "{model}" not in options.converter or "{out}" not in options.converter:
        fail(f'--converter: found "{options.converter}", expected {{model}} and {{out}} in it')


def installed(name):
    try:
        importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return False
    return True


def main():
    warnings.simplefilter("ignore")
    options = arguments()
    sys.stdout.reconfigure(line_buffering=True)
    # The packages' commands lie beside this Python.
    os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    if options.list:
        if not installed("numpy"):
            fail(f"found no numpy; install with: {install_line(options.source)}")
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a reader may have seen enough
        # The table alone, which needs no framework.
        table = "operators" if options.source == "tflite" else "torch_source"
        for case in importlib.import_module(table).cases():
            print(case.id)
        return 0
    check_environment(options)
    options.module = importlib.import_module(SOURCES[options.source])
    if options.out is None:
        fail("--out DIR is missing")
    if options.out.exists() and (not options.out.is_dir() or any(options.out.iterdir())):
        fail(f"{options.out}: expected a folder that does not exist, or is empty")
    import pipeline

    chosen = selected(options, options.module.cases, pipeline.type_of)
    if not chosen:
        fail("no case is so: --operator, --type and --case leave none; --list prints the ids")
    made = not options.out.exists()
    options.out.mkdir(parents=True, exist_ok=True)
    options.out = options.out.resolve()
    try:
        return judge(options, chosen)
    except Interrupted:  # nothing half-written is left
        for path in options.out.iterdir():
            shutil.rmtree(path) if path.is_dir() else path.unlink()
        if made:
            options.out.rmdir()
        raise


def judge(options, chosen):
    """Runs the cases and writes the report; returns the exit code."""
    import page

    options.module.prepare()
    began = time.monotonic()
    records = run(options, chosen)
    known = known_deviations(options.source)
    match(records, known)
    prune(records, options.out)
    if options.shrink:
        shrink_all(options, chosen, records)
    report = {
        "format": "tensor-cts-legalize-1",
        "source": options.source,
        "converter": options.converter,
        "within": options.within,
        "versions": {"python": sys.version.split()[0], **options.module.versions(options.converter)},
        "seconds": round(time.monotonic() - began, 1),
        "began": datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="seconds"),
        "classes": summary(records),
        "deviations": [{**entry, "cases": [r["id"] for r in of_deviation(records, entry["id"])]} for entry in known],
        "cases": records,
    }
    (options.out / "legalize.json").write_text(json.dumps(report, indent=1, default=str) + "\n")
    (options.out / "legalize.html").write_text(page.page(report))
    for name, count in report["classes"].items():
        if not options.quiet:
            print(f"{count:6} {name}")
    for record in records:
        if options.verbose and record["wrong graph"]:
            print(f"{record['id']}: {record['class']}: {record['detail']}")
    unread = [r for r in records if r["class"] in (*READ, "not judged") and "deviation" not in r]
    print(
        f"{len(records)} cases in {report['seconds']} s; {sum(1 for e in report['deviations'] if e['cases'])} listed deviations, "
        f"{len(unread)} cases that no listed one explains: {options.out}/legalize.html"
    )
    return 1 if any(r["wrong graph"] for r in records) else 0


if __name__ == "__main__":
    remember_signals()
    try:
        sys.exit(main())
    except Interrupted as caught:
        end_by_signal(caught.args[0])

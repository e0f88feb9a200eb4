#!/usr/bin/env python3
"""Whether the listed deviations' models are the smallest: no single step of shrinking leaves a model that shows the deviation.

smallest.py [--source tflite|torch] [--shrink] [ID ...]: a step is a dimension cut or dropped, an attribute at its default, an optional
operand left out, a scale of 1, a zero point of 0, an element 0 or 1. --shrink goes on until none is left, and writes models.tar again.
Exit code 0: every one is; 1: some are not; 2: usage or environment.
"""

import argparse
import importlib
import os
import pathlib
import shutil
import sys
import tempfile
import time

import legalize

TOOLS = pathlib.Path(__file__).resolve().parents[1]
sys.path.append(str(TOOLS / "develop"))
import archive  # noqa: E402


def named(folder):
    """The id of the case that a folder's model was made from."""
    return (folder / "REPEAT.md").read_text().split(":", 1)[0].removeprefix("# ")


def begin(source, options, place):
    """The case to begin from: a folder's, or one of the table."""
    if not options.from_case:
        return source.read_case(place, named(place))
    found = [case for case in source.cases() if case.id == options.from_case]
    if not found:
        raise ValueError(f"--from-case {options.from_case}: no such case; legalize.py --list prints the ids")
    return found[0]


class Search:
    """The steps from one listed model."""

    def __init__(self, steps, known, name, case):
        import pipeline
        import shrink

        self.pipeline, self.shrink = pipeline, shrink
        self.steps, self.known, self.name, self.tried, self.at = steps, known, name, 0, 0
        steps.fresh()
        self.case = shrink.fitted(steps, case)
        self.found = None if self.case is None else legalize.examined(steps, self.case)
        self.owner = None if self.found is None else self.found[0]["owner"]
        self.entry = next(entry for entry in known if entry["id"] == name)
        # Enclosures leave some listed models open: the graph may be right, though native arithmetic is far off.
        self.open = self.found is not None and self.found[0]["class"] == "unchecked"
        self.apart = min(1, self.least_apart(self.found[0])) if self.open else 0
        if self.found is None or not self.shows(self.found[0]):
            said = "the kernels refuse it" if self.found is None else f"{self.found[0]['class']}: {self.found[0]['detail']}"
            raise ValueError(f"does not show the deviation that it is listed for: {said}")

    def shows(self, record):
        """Whether the deviation explains the record, and by the same side's fault."""
        if self.open:
            return record["class"] == "unchecked" and self.least_apart(record) >= self.apart > 0
        record = dict(record)
        if record["class"] in ("deviates", "kernels disagree") and record["owner"] != self.owner:
            return False
        legalize.match([record], self.known)
        return self.name in (record.get("deviation"), record.get("kernel deviation"))

    def least_apart(self, record):
        """How far native arithmetic is from the nearest set of kernels."""
        return min((off["worst"] for off in record.get("against", {}).values()), default=0)

    def is_model(self, candidate):
        """Whether a step made a model that may be asked: with results, and with the attributes that the deviation is about."""
        kept = self.entry.get("needs", [])
        same = not kept or all(candidate.model.options[1][n] == self.case.model.options[1][n] for n in kept)
        return same and not self.shrink.reads_beyond(candidate) and all(0 not in t.shape for t in candidate.model.outputs)

    def step(self):
        """(what it does, case, record and outputs) of the first step to a smaller model that shows it; None if there is none."""
        size = self.shrink.measure(self.steps.source, self.case)
        ways = list(self.shrink.single_steps(self.steps.source, self.case))
        # From where the last one was found, once around: steps before it have failed already, for a larger model.
        for at in [*range(self.at, len(ways)), *range(min(self.at, len(ways)))]:
            what, candidate = ways[at]
            try:
                candidate = self.shrink.fitted(self.steps, candidate) if self.is_model(candidate) else None
                smaller = candidate is not None and self.is_model(candidate)
                if not smaller or self.shrink.measure(self.steps.source, candidate) >= size:
                    continue
                self.tried += 1
                found = legalize.examined(self.steps, candidate)
            except (ValueError, IndexError, KeyError, OSError, TypeError):
                continue
            if self.shows(found[0]):
                self.at = at
                return what, candidate, found
        return None


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--source", choices=tuple(legalize.SOURCES), default="tflite")
    parser.add_argument("--tensor-cts", default="tensor-cts", help="the program tensor-cts")
    parser.add_argument("--converter", default=legalize.CONVERTER, help="of tflite: its command")
    parser.add_argument("--shrink", action="store_true", help="make them the smallest, and write their files")
    parser.add_argument("--from-case", metavar="CASE", help="with --shrink and one ID: begin from a case of the table, such as cast/float32-int8-plain")
    parser.add_argument("id", nargs="*", help="of the list; all that have a model if none is given")
    options = parser.parse_args()
    if options.from_case and (not options.shrink or len(options.id) != 1):
        parser.error("--from-case: expected --shrink and one ID")
    options.within = 1
    return options


def main():
    options = arguments()
    os.environ["PATH"] = f"{pathlib.Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    legalize.check_environment(options)
    import pipeline

    source = importlib.import_module(legalize.SOURCES[options.source])
    known = legalize.known_deviations(options.source)
    packed = TOOLS / "findings" / options.source / "models.tar"
    left = 0
    with tempfile.TemporaryDirectory(prefix="smallest-") as folder:
        models = pathlib.Path(folder) / "models"
        archive.unpack(packed, models)
        wanted = options.id or [entry["id"] for entry in known if (models / entry["id"]).is_dir()]
        for name in wanted:
            if not (models / name).is_dir():
                legalize.fail(f"{packed}: no model {name}")
        source.prepare()
        steps = pipeline.Steps(source, options.tensor_cts, options.converter, pathlib.Path(folder) / "try", options.within)
        for name in wanted:
            began = time.monotonic()
            said, smallest = judged(steps, options, known, name, models / name)
            left += not smallest
            if options.shrink:
                archive.pack(models, packed)
            print(f"{name}: {said} ({time.monotonic() - began:.1f} s)", flush=True)
    print(f"{len(wanted) - left} of {len(wanted)} are the smallest")
    return 1 if left else 0


def judged(steps, options, known, name, place):
    """(what came of it, whether the model is the smallest)"""
    try:
        search = Search(steps, known, name, begin(steps.source, options, place))
    except (ValueError, OSError) as error:
        return str(error), False
    went = []
    while True:
        smaller = search.step()
        if smaller is None:
            break
        what, search.case, search.found = smaller
        went.append(what)
        if not options.shrink:
            return f"not the smallest: {what} shows it, too: {search.found[0]['detail'][:200]}", False
    if went or options.from_case:
        write(steps, options, known, name, place, search)
    return f"no step of {search.tried} shows it" + (f", after {len(went)}: {'; '.join(went)}" if went else ""), True


def write(steps, options, known, name, place, search):
    """The files again, from a run of the smallest model."""
    record, ours, theirs = legalize.examined(steps, search.case)
    legalize.match([record], known)
    record["owner"] = next(entry["owner"] for entry in known if entry["id"] == name)
    shutil.rmtree(place)
    legalize.keep(steps, search.case, record, ours, theirs, options.converter, place)


if __name__ == "__main__":
    sys.exit(main())

#!/usr/bin/python3
"""Makes the pages of tools/findings, what was found in other people's software: make_pages.py OUT

OUT/implementations.html has all implementations with a tally, OUT/STACK/deviations.md and OUT/STACK/supported.md what one of
them does and does not, OUT/STACK/deviations/ID.md is the report of a fault, OUT/STACK/ID/ a converter's smallest model.
"""

import importlib.util
import json
import pathlib
import sys

TOOLS = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(TOOLS / "develop"), str(TOOLS / "adapters")]
import archive  # noqa: E402
import sweeps  # noqa: E402
from common import overview, tables  # noqa: E402

FINDINGS = pathlib.Path(tables.FINDINGS)


def module(path):
    """A module of another folder that has a name of this one."""
    spec = importlib.util.spec_from_file_location(str(path), TOOLS / path)
    found = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(found)
    return found


def of_converter(folder):
    """The pages of a converter, beside the files of each smallest model."""
    files = archive.read(folder / "models.tar")
    run, known = (json.loads((folder / name).read_text()) for name in ("run.json", "deviations.json"))
    page = module("legalize/tables.py").table(folder.name, run, known, {name.split("/")[0] for name in files})
    return {"deviations.md": page, **files}


def of_mlir():
    mlir, written = module("adapters/mlir/tables.py"), {}
    for version in mlir.EDITIONS:
        written |= mlir.pages(mlir.read_tally_of(version), mlir.read_deviations(version), version)
    return written


def of_stack(folder):
    """{name: text or bytes}"""
    if (folder / "models.tar").exists():
        return of_converter(folder)
    written = of_mlir() if folder.name == "mlir" else tables.pages(str(folder))
    for path in folder.glob("sweeps.tsv"):
        written["sweeps.md"] = sweeps.page(path.read_text())
    return written


def pages():
    """{path: text or bytes}"""
    written = {}
    for folder in sorted(path for path in FINDINGS.iterdir() if path.is_dir()):
        written |= {f"{folder.name}/{name}": text for name, text in of_stack(folder).items()}
    return {"implementations.html": overview.page(written), **written}


def main(arguments):
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    for name, text in pages().items():
        path = pathlib.Path(arguments[0], name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

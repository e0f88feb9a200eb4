#!/usr/bin/python3
"""Compares the outputs of two runs over the same cases, byte by byte.

    same_bytes.py RESULTS OTHER_RESULTS

Prints how many cases both answered, those whose bytes differ, and those that only one answered. Exit code 1: one
differs. Headers of .npy do not count, so bf16 may stand as <V2 or <u2.
"""

import json
import pathlib
import sys

NPY = b"\x93NUMPY"


def data(path):
    """The bytes behind the header of a .npy."""
    content = path.read_bytes()
    if not content.startswith(NPY):
        sys.exit(f"{path}: found no .npy file")
    wide = content[6] > 1
    length = int.from_bytes(content[8 : 12 if wide else 10], "little")
    return content[(12 if wide else 10) + length :]


def answered(results):
    """The files of each case whose status is ok, by id."""
    found = {}
    if packs := [*pathlib.Path(results).glob("*.tar"), *pathlib.Path(results).glob("results.unsorted")]:
        print(f"{packs[0]}: found packed results, expected folders: unpack them into another folder, tar -xf {packs[0]} -C FOLDER",
              file=sys.stderr)  # fmt: skip
        sys.exit(2)
    for path in sorted(pathlib.Path(results).rglob("result.json")):
        if json.loads(path.read_text())["status"] == "ok":
            found[path.parent.relative_to(results).as_posix()] = sorted(path.parent.glob("*.npy"))
    return found


def first_difference(ours, theirs):
    """Where two lists of files differ; "" if they do not."""
    if [path.name for path in ours] != [path.name for path in theirs]:
        return f"files {[path.name for path in ours]}, {[path.name for path in theirs]}"
    for one, other in zip(ours, theirs):
        a, b = data(one), data(other)
        if a != b:
            at = next((i for i, (x, y) in enumerate(zip(a, b)) if x != y), min(len(a), len(b)))
            count = sum(x != y for x, y in zip(a, b)) + abs(len(a) - len(b))
            return f"{one.name}: {count} of {len(a)} bytes, the first {at}"
    return ""


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    ours, theirs = answered(sys.argv[1]), answered(sys.argv[2])
    both = sorted(ours.keys() & theirs.keys())
    differ = {id: text for id in both if (text := first_difference(ours[id], theirs[id]))}
    print(f"{len(both)} cases answered by both, {len(differ)} with other bytes")
    for id, text in differ.items():
        print(f"{id}: {text}")
    for results, only in ((sys.argv[1], ours.keys() - theirs.keys()), (sys.argv[2], theirs.keys() - ours.keys())):
        for id in sorted(only):
            print(f"{id}: answered in {results} alone")
    sys.exit(1 if differ or not both else 0)


if __name__ == "__main__":
    main()

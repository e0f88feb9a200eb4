#!/usr/bin/env python3
"""Measures how long recipes take: suites/seconds.json, which `tensor-cts list recipes` shows.

    tools/develop/recipe_seconds.py --tensor-cts build/release/tools/tensor-cts [RECIPE ...]

Generates the suites of the named recipes, or of all recipes, and writes the processor's seconds. Recipes that
are not named keep theirs. The suites are written to a temporary directory (TMPDIR) and removed.
"""
import argparse
import json
import os
import pathlib
import platform
import resource
import subprocess
import sys
import tempfile

FILE = pathlib.Path(__file__).resolve().parents[2] / "suites" / "seconds.json"


def processor():
    """The name of the processor, as Linux has it."""
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def seconds_of(program, recipe):
    """The processor's seconds for one recipe."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryDirectory() as directory:
        command = [program, "generate", "--recipe", recipe, "--jobs", "1", "--out",
                   os.path.join(directory, "suite")]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"recipe_seconds.py: {' '.join(command)}: exit code {done.returncode}, expected 0: "
                 f"{done.stderr.strip()[:2000]}")
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return round(used, 1) if used < 10 else round(used)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tensor-cts", required=True, help="the program")
    parser.add_argument("recipes", nargs="*", help="all, if none is named")
    arguments = parser.parse_args()
    listed = subprocess.run([arguments.tensor_cts, "list", "recipes", "--json"],
                            capture_output=True, text=True, check=True)
    known = [row["name"] for row in json.loads(listed.stdout)]
    for recipe in arguments.recipes:
        if recipe not in known:
            parser.error(f"found recipe {recipe}, expected one of {', '.join(known)}")
    found = json.loads(FILE.read_text())
    found["machine"] = processor()
    for recipe in arguments.recipes or known:
        found["seconds"][recipe] = seconds_of(arguments.tensor_cts, recipe)
        print(recipe, found["seconds"][recipe], flush=True)
    found["seconds"] = {name: found["seconds"][name] for name in known if name in found["seconds"]}
    FILE.write_text(json.dumps(found, indent=2) + "\n")


if __name__ == "__main__":
    main()

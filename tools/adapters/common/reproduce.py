#!/usr/bin/python3
"""Runs the program of every deviation with the stack's own tools, and compares what it prints.

reproduce.py FOLDER [ID...]     with the Python of the stack's virtual environment

Exit code: 0 all print what deviations.json says, 1 some do not (a deviation has gone, or was none).
"""

import json
import os
import subprocess
import sys


def run(deviation, folder):
    """What the program prints."""
    text = "\n".join(deviation["program"]) + "\n"
    if deviation.get("language", "python") == "python":
        command = [sys.executable, "-c", text]
    else:
        command = ["bash", "-c", text]
    here = os.path.dirname(sys.executable)
    path = os.pathsep.join([here, os.environ.get("PATH", "/usr/bin:/bin")])
    environment = {**os.environ, "PYTHONPATH": folder, "PATH": path}
    done = subprocess.run(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    )
    return done.stdout.splitlines()


def fits_this_machine(deviation):
    """Whether the processor has the instructions that a deviation needs ("avx512_fp16"), or lacks them ("not avx512_fp16"),
    and a GPU of NVIDIA is there where `gpu` names one."""
    if "gpu" in deviation and not os.path.exists("/dev/nvidiactl"):
        return False
    words = deviation.get("cpu", "").split()
    if not words:
        return True
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        return (words[-1] in file.read().split()) == (len(words) == 1)


def main(arguments):
    folder, chosen = os.path.abspath(arguments[0]), arguments[1:]
    with open(os.path.join(folder, "deviations.json"), encoding="utf-8") as file:
        about = json.load(file)
    deviations = about if isinstance(about, list) else about["deviations"]
    wrong = 0
    for deviation in deviations:
        if "program" not in deviation or (chosen and deviation["id"] not in chosen):
            continue
        if not fits_this_machine(deviation):
            needs = deviation.get("gpu") or f"processors with: {deviation['cpu']}"
            print(f"{deviation['id']}: not tried, it is of {needs}", flush=True)
            continue
        printed = run(deviation, folder)
        same = printed == deviation["prints"]
        wrong += not same
        print(f"{deviation['id']}: {'as listed' if same else 'prints ' + repr(printed)}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))

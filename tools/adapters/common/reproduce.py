#!/usr/bin/python3
"""Runs the program of every deviation, as its report has it, in an empty folder with the stack's own tools, and compares
what it prints.

reproduce.py tools/findings/STACK [ID...]     with the Python of the stack's virtual environment

Exit code: 0 all print what the list says, 1 some do not: a deviation has gone, or never was one.
"""

import json
import os
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
from common import reports, tables  # noqa: E402


def run(language, text):
    """What the program prints."""
    command = [sys.executable, "-c", text] if language == "python" else ["bash", "-c", text]
    here = os.path.dirname(sys.executable)
    path = os.pathsep.join([here, os.environ.get("PATH", "/usr/bin:/bin")])
    environment = {name: value for name, value in {**os.environ, "PATH": path}.items() if name != "PYTHONPATH"}
    with tempfile.TemporaryDirectory(prefix="reproduce-") as folder:
        done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                              text=True, env=environment, cwd=folder)  # fmt: skip
    return done.stdout.splitlines()


def fits_this_machine(deviation, there=None):
    """Whether the processor has the instructions that a deviation needs ("avx512_fp16"), or lacks them ("not avx512_vnni avx_vnni"),
    and a GPU of NVIDIA is there where `gpu` names one. `there`: the instructions of another processor."""
    if "gpu" in deviation and not os.path.exists("/dev/nvidiactl"):
        return False
    words = deviation.get("cpu", "").split()
    if not words:
        return True
    if there is None:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            there = set(file.read().split())
    return there.isdisjoint(words[1:]) if words[0] == "not" else there.issuperset(words)


def main(arguments):
    folder, chosen = os.path.abspath(arguments[0]), arguments[1:]
    about = json.loads(reports.read_text(os.path.join(folder, "deviations.json")))
    deviations = about if isinstance(about, list) else about["deviations"]
    wrong = 0
    for deviation in deviations:
        if "program" not in deviation or (chosen and deviation["id"] not in chosen):
            continue
        cpu = deviation.get("program_cpu", deviation.get("cpu", ""))
        if not fits_this_machine({**deviation, "cpu": cpu}):
            needs = deviation.get("gpu") or f"processors with: {cpu}".replace("with: not", "without:")
            print(f"{deviation['id']}: not tried, it is of {needs}", flush=True)
            continue
        printed = run(deviation.get("language", "python"), reports.whole(deviation, tables.code_of(folder)))
        wrong += printed != deviation["prints"]
        print(f"{deviation['id']}: {'as listed' if printed == deviation['prints'] else 'prints ' + repr(printed)}", flush=True)
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1:]))

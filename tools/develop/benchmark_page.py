#!/usr/bin/env python3
"""Runs the benchmarks of a build and whole commands, and writes a page of figures as Markdown.

  tools/develop/benchmark_page.py --build build/release --recipe smoke --out FILE    tools/develop/benchmark.sh calls it so

All times are of the processor (user and system), so that a machine that others use, too, gives nearly
the same; seconds of the wall stand beside them for whole commands."""
import argparse
import dataclasses
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]

# Arm's reference model and its generator of conformance tests, measured on 2 cores beside ours in one
# run at commit 8262825.
PEER = (
    ("cases generated a second", "7.3", "1,729"),
    ("convolution in fp64, GFLOP/s", "1.5", "13"),
    ("FFT2D of 128 x 128, seconds", "11.8", "26.4"),
    ("RESIZE, time relative to the peer's", "1", "1.9"),
    ("TRANSPOSE, time relative to the peer's", "1", "1.1"),
    ("MATMUL, time relative to the peer's", "1", "0.4"),
)

MOVES = ("Identity", "Reshape", "Transpose", "Reverse", "Slice", "Tile", "Concat", "Pad", "Gather",
         "Scatter", "Resize")
SUMS = ("Conv2d", "DepthwiseConv2d", "Matmul")
TRANSFORMS = ("Transform", "PlainTransform")


@dataclasses.dataclass
class Cost:
    cpu: float  # seconds of the processor
    wall: float
    peak: int  # bytes


def run_benchmark(program, pattern=""):
    """Returns the results of a Google Benchmark program, by name."""
    if not program.exists():
        sys.exit(f"{program}: no such file; build it with -DTENSOR_CTS_BUILD_BENCHMARKS=ON")
    done = subprocess.run([program, "--benchmark_format=json", f"--benchmark_filter={pattern}"], check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    results = {each["name"]: each for each in json.loads(done.stdout)["benchmarks"]}
    for name, each in results.items():
        if "error_message" in each:
            sys.exit(f"{program}: {name}: {each['error_message']}; expected a figure")
    return results


def cost_of(command):
    """Runs a command that must succeed; code 1 is a verdict."""
    began = time.monotonic()
    pid = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).pid
    _, status, usage = os.wait4(pid, 0)
    if os.waitstatus_to_exitcode(status) not in (0, 1):
        sys.exit(f"{' '.join(map(str, command))}: ended with {os.waitstatus_to_exitcode(status)}")
    return Cost(usage.ru_utime + usage.ru_stime, time.monotonic() - began, usage.ru_maxrss * 1024)


def size_of(folder):
    files = [path for path in folder.rglob("*") if path.is_file()]
    return len(files), sum(path.stat().st_size for path in files)


def text_of(command):
    try:
        return subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=ROOT,
                              text=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return "unknown"


def processor():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.machine()


def machine():
    memory = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") / 2**30
    yield "| | |\n|---|---|"
    yield f"| processor | {processor()}, {os.cpu_count()} cores |"
    yield f"| memory | {memory:.0f} GiB |"
    yield f"| system | {platform.system()} {platform.release().split('-')[0]} |"
    yield f"| compiler | {text_of(['c++', '--version']).splitlines()[0]} |"
    yield f"| commit | {text_of(['git', 'rev-parse', '--short=12', 'HEAD'])} |"
    yield f"| others' load when the page was begun | {os.getloadavg()[0]:.1f} |"


def giga(value):
    return f"{value / 1e9:.2f}"


def parts(build):
    peak = run_benchmark(build / "reference/machine_benchmark")
    operators = run_benchmark(build / "reference/operator_benchmark")
    fma = peak["FmaPeak"]["operations"]
    copy, fresh = (peak[name]["bytes_per_second"] for name in ("CopyOfMemory", "CopyIntoNewMemory"))
    yield "\n## The machine's own rates, on one core\n\n| | |\n|---|---|"
    yield f"| fused multiply-adds in fp64 | {giga(fma)} GFLOP/s |"
    yield f"| memory, read | {giga(peak['ReadOfMemory']['bytes_per_second'])} GB/s |"
    yield f"| memory, copied (read and written) | {giga(copy)} GB/s |"
    yield f"| the same into new memory | {giga(fresh)} GB/s |"

    def chosen(names):
        return [(name, each) for name, each in operators.items() if name.split("/")[0] in names]

    yield ("\n## Sums of products, on one core\n\nA multiplication and an addition are two operations.\n\n"
           "| benchmark | GFLOP/s | of the machine's peak |\n|---|---|---|")
    for name, each in chosen(SUMS):
        yield f"| {name} | {giga(each['operations'])} | {each['operations'] / fma:.0%} |"
    yield ("\n## Transforms, on one core\n\nA term is a complex product and its sum. The plain loop computes the same sums.\n\n"
           "| benchmark | seconds | G terms/s | plain loop's time |\n|---|---|---|---|")
    for name, each in chosen(TRANSFORMS):
        plain = operators.get("PlainTransform/" + "/".join(name.split("/")[-2:]))
        ratio = f"{plain['cpu_time'] / each['cpu_time']:.1f} times" if plain else ""
        yield f"| {name} | {each['cpu_time'] / 1e3:.3f} | {giga(each['operations'])} | {ratio} |"
    yield ("\n## Data movement, on one core\n\nThe figures count bytes read and written; floating-point results are kept in fp64. "
           "Results lie in memory that the program has used before; the system clears new memory first.\n\n"
           "| benchmark | GB/s | of a copy |\n|---|---|---|")
    for name, each in chosen(MOVES):
        yield f"| {name} | {giga(each['bytes_per_second'])} | {each['bytes_per_second'] / copy:.0%} |"
    yield "\n## Elementwise, on one core\n\n| benchmark | million elements a second |\n|---|---|"
    for name, each in operators.items():
        if "items_per_second" in each:
            yield f"| {name} | {each['items_per_second'] / 1e6:.1f} |"
    yield "\n## The rules of the checker, on one core\n\n| benchmark | GB/s |\n|---|---|"
    for name, each in run_benchmark(build / "checker/rules_benchmark").items():
        yield f"| {name} | {each['bytes_per_second'] / 1e9:.2f} |"


def sweeps(build):
    found = run_benchmark(build / "tools/sweep_benchmark", "^(Sweep|PlainLoop)/|^BlocksByHand")
    loops = {name.split("/")[1]: each for name, each in found.items() if name.startswith("PlainLoop/")}
    yield ("\n## Sweeps, on one core\n\nWhole sweeps, with a plugin that costs next to nothing, are measured in the processor time of all their processes. "
           "The plain loop calls the C library for the same inputs, from memory to memory, on as many cores as the sweep.\n\n| benchmark | million inputs a second | loop | ratio |\n|---|---|---|---|")
    for name, each in found.items():
        kind, what = (name.split("/") + [""])[:2]
        if kind != "Sweep":
            continue
        rate = each["items_per_second"]
        plain = loops.get(what)
        beside = (f"{plain['items_per_second'] / 1e6:,.0f} | {rate / plain['items_per_second']:.2f}" if plain else " | ")
        yield f"| {what} | {rate / 1e6:,.0f} | {beside} |"
    by_hand, loop = found["BlocksByHand"]["items_per_second"], loops["abs"]["items_per_second"]
    yield (f"\n`BlocksByHand` does what a sweep of ABS does to every block, but in one process, without a plugin's process beside it. It writes operands, "
           "copies\nresults as the plugin does, takes and overwrites them, looks for late writes, and compares. It handled "
           f"{by_hand / 1e6:,.0f} million inputs a second, {by_hand / loop:.2f} of the loop, which shares memory with those on the other cores.")


def commands(build, recipe, jobs):
    tool = build / "tools/tensor-cts"
    with tempfile.TemporaryDirectory(prefix="tensor-cts-benchmark-") as place:
        work = pathlib.Path(place)
        rows = []

        def measure(what, command, copied=None):
            cost = cost_of([str(word) for word in command])
            cpu, wall = ((f"{cost.cpu / copied[0]:.1f}", f"{cost.wall / copied[1]:.1f}") if copied else ("", ""))
            rows.append(f"| {what} | {cost.cpu:.1f} | {cpu} | {cost.wall:.1f} | {wall} | {cost.peak / 2**20:.0f} |")
            return cost

        def copy(what, name):
            cost = measure(what, ["cp", "-r", work / name, work / "copy"])
            shutil.rmtree(work / "copy")
            return cost.cpu, cost.wall

        run = [tool, "run", "--implementation", "builtin:native", "--jobs", jobs]
        forms = {"suite": [], "packed": ["--pack"]}
        for name, pack in forms.items():  # caches are warm from here on
            cost_of([str(word) for word in [tool, "generate", "--recipe", recipe, "--jobs", jobs, *pack, "--out", work / name]])
            cost_of([str(word) for word in [*run, *pack, work / name, "--out", work / f"results-{name}"]])
        files, size = size_of(work / "suite")
        results, results_size = size_of(work / "results-suite")
        packs = size_of(work / "packed")[0] + size_of(work / "results-packed")[0]
        suite = copy("copy of the suite's folders (`cp -r`)", "suite")
        results_copy = copy("copy of the results' folders", "results-suite")
        both = tuple(map(sum, zip(suite, results_copy)))
        copy("copy of the suite's packs", "packed")
        copy("copy of the results' packs", "results-packed")
        for name in ("suite", "packed", "results-suite", "results-packed"):
            shutil.rmtree(work / name)
        for name, pack in forms.items():
            form = " ".join(["", *pack])
            made = work / f"results-{name}"
            measure(f"`generate{form}`", [tool, "generate", "--recipe", recipe, "--jobs", jobs, *pack, "--out", work / name], suite)
            measure(f"`run --implementation builtin:native{form}`", [*run, *pack, work / name, "--out", made], both)
            measure(f"`check`{' of packs' if pack else ''}", [tool, "check", work / name, made, "--jobs", jobs], both)
        yield (f"\n## Whole commands on `{recipe}`, {jobs} threads\n\nAs folders, the suite has {files:,} files with {size / 1e6:,.0f} MB, and the results have "
               f"{results:,} files with {results_size / 1e6:,.0f} MB; as packs, both together have {packs} files. The ratios compare a command with a copy of the\nfolders that it reads or "
               "writes: the suite's, and for `run` and `check` also the results'. `cp` has one thread. All files are in TMPDIR.\n\n"
               "| command | seconds of the processor | ratio | seconds | ratio | peak memory, MiB |\n|---|---|---|---|---|---|")
        yield from rows


def peer():
    yield ("\n## The peer\n\nThe table compares Arm's reference model and its generator with this project at commit 8262825, in one run on 2 "
           "cores. This project's present figures are above.\n\n| | peer | this project then |\n|---|---|---|")
    for what, theirs, ours in PEER:
        yield f"| {what} | {theirs} | {ours} |"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, required=True)
    parser.add_argument("--recipe", default="certify")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    parser.add_argument("--out", type=pathlib.Path, required=True)
    given = parser.parse_args()
    lines = ["# Figures of speed\n",
             "Written by `tools/develop/benchmark.sh`. **The figures are of one machine, on one day**: compare the ratios, and "
             "measure again on your machine.\n", "## Machine\n"]
    for section in (machine(), parts(given.build), sweeps(given.build), commands(given.build, given.recipe, given.jobs), peer()):
        lines.extend(section)
    given.out.parent.mkdir(parents=True, exist_ok=True)
    given.out.write_text("\n".join(lines) + "\n")
    print(f"benchmark: {given.out}")


if __name__ == "__main__":
    main()

#!/usr/bin/env bash
# Builds the benchmarks and writes a page of figures. Exit code 0: the page is there.
set -euo pipefail

usage() {
  cat <<'USAGE'
Usage: tools/develop/benchmark.sh [--recipe NAME] [--jobs N] [--out FILE]

Measures the parts (Google Benchmark), then whole commands over the suite of a recipe, and writes
them as Markdown, each beside what the machine can do: a copy of the same bytes, its memory's
bandwidth, its fused multiply-adds. Let nothing else run meanwhile: the figures are of processor
time, but caches and memory are shared.

  --recipe NAME  suite for the whole commands (default: certify; smoke is done in minutes)
  --jobs N       threads of the whole commands (default: one per core)
  --out FILE     the page (default: tools/BENCHMARKS.md)
USAGE
}

recipe=certify
jobs=$(nproc)
out=tools/BENCHMARKS.md
while [ $# -gt 0 ]; do
  case "$1" in
    --recipe | --jobs | --out)
      [ $# -ge 2 ] || { echo "benchmark.sh: $1: found no value, expected one" >&2; exit 2; }
      case "$1" in --recipe) recipe=$2 ;; --jobs) jobs=$2 ;; --out) out=$2 ;; esac
      shift 2 ;;
    -h | --help) usage; exit 0 ;;
    *) echo "benchmark.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
done
case "$out" in /*) ;; *) out=$PWD/$out ;; esac
cd "$(dirname "$0")/../.."

cmake --preset release -DTENSOR_CTS_BUILD_BENCHMARKS=ON >/dev/null
cmake --build build/release -j "$(nproc)" --target tensor-cts machine_benchmark operator_benchmark \
  rules_benchmark sweep_benchmark
python3 tools/develop/benchmark_page.py --build build/release --recipe "$recipe" --jobs "$jobs" --out "$out"

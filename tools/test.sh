#!/usr/bin/env bash
# Installs what the tests need, checks the format, builds, runs the tests. Exit code 0: all is well.
set -euo pipefail

usage() {
  cat <<'EOF'
Usage: tools/test.sh [--all | --lint | --fuzz | --locks]

Without an option: format, g++, how strong smoke is, and every test but those that take longest: a
quarter of an hour on two cores.

  --all    what CI runs: also clang++ with sanitizers, the fuzz targets, the linter, samples of a
           converter, of tosa_serializer and of implementations from PyPI, every test
  --lint   only run the linter, over every file; --all lints the newest 5 of those that the last
           30 commits touched
  --fuzz   only run each fuzz target, for a minute (FUZZ_SECONDS for another time); --all runs each
           for nine seconds
  --locks  only what the tests leave out because it takes long: make every recipe's suite and compare it
           with its lock, the slow ones as well (16 GB of room); legal implementations over every recipe;
           the tests that take samples, over all cases; build a copy of the sources with the operator of
           reference/ADDING_AN_OPERATOR.md
EOF
}

all=false
fuzz=false
locks=false
lint=false
case "${1:-}" in
  "") ;;
  --all) all=true ;;
  --fuzz) fuzz=true ;;
  --lint) lint=true ;;
  --locks) locks=true ;;
  -h | --help) usage; exit 0 ;;
  *) echo "test.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
esac

cd "$(dirname "$0")/.."
. tools/develop/packages.sh
unset PYTHONDONTWRITEBYTECODE  # bytecode is made of what is loaded
jobs=$(nproc)
lint_most=5
# Half of the tests' time: suites of whole profiles, and programs that are run again and again.
long='^(Recipes/Lock\.HoldsWhatTheRecipeYields/(certify|random|rvtensor|exhaustive)|Recipes/MlirRoundTrip.*/smoke( |$)'
long+='|Evidence\.(EveryMissing|OneFlippedBit)|Audit\.Fp64|(evidence|second_checker|failing_calls|other_publisher)$'
long+='|(shrink_command|conformance_layout|explain_python|oracle|mlir_read_back|packages)$)'
step() { printf '\n== %s (%ds)\n' "$1" "$SECONDS"; }

# Builds targets with sanitizers by clang++: build_fuzz FOLDER PRESET FLAGS TARGETS, in build/FOLDER.
# Where they run for seconds the optimizer would take longer than it saves; so would words about
# undefined behaviour, where a trap says the line.
build_fuzz() {
  local folder=$1 preset=$2 flags=$3 alone=OFF
  # Release compiles some sources by flags of their own, which clang++ takes no header of others for.
  [ "$preset" = dev ] || alone=ON
  cmake --preset "ci-$preset" -B "build/$folder" -DCMAKE_CXX_COMPILER=clang++-14 -DTENSOR_CTS_FUZZ=ON \
    -DCMAKE_CXX_FLAGS_DEBUG="$flags" -DTENSOR_CTS_UNITY=ON -DTENSOR_CTS_BUILD_TESTS=OFF \
    -DCMAKE_DISABLE_PRECOMPILE_HEADERS=$alone >/dev/null
  cmake --build "build/$folder" -j "$jobs" --target "${@:4}"
}

# Feeds one target its seeds, what it learned before, and then for some seconds what comes to the
# fuzzer's mind. What it learns stays in build/; what it breaks on lies there, too.
fuzz_target() {
  local target=$1 seconds=$2 build=build/$3
  local log=$build/$target.log corpus=$build/corpus/$target
  mkdir -p "$corpus"
  tools/develop/archive.py unpack "tools/develop/fuzz/seeds/$target.tar" "$build/seeds/$target"
  # Each target says by TimeLimit what takes too long, by the processor's clock; -timeout is by
  # the wall's. Inputs of some kilobytes say all that there is to say, and leave time for many. The
  # places that asked for memory are remembered in short, and the plainest of all schedules is
  # taken: both cost a third.
  if ! ASAN_OPTIONS=malloc_context_size=4:quarantine_size_mb=16 "$build/tools/develop/fuzz/cts_fuzz" \
    "--target=$target" "-seed=${FUZZ_SEED:-0}" -max_total_time="$seconds" -max_len=4096 -entropic=0 -timeout=100 \
    -rss_limit_mb=2048 -malloc_limit_mb=1024 -print_final_stats=1 \
    -artifact_prefix="$build/$target-" "$corpus" "$build/seeds/$target" >"$log" 2>&1; then
    grep -v '^#' "$log" | tail -n 40 >&2
    echo "test.sh: fuzz target $target: see $log" >&2
    return 255  # which ends xargs
  fi
  awk -v target="$target" '/number_of_executed_units/ {runs = $2} /average_exec_per_sec/ {rate = $2}
    END {printf "%-12s %9d runs, %6d a second\n", target, runs, rate}' "$log"
}

# Every target of build/$1 for $2 seconds, $3 at a time: as many as there are cores.
fuzz_all() {
  export -f fuzz_target
  "build/$1/tools/develop/fuzz/cts_fuzz" --targets |
    xargs -P "${3:-$jobs}" -I TARGET bash -c "fuzz_target TARGET $2 $1"
}

if $fuzz; then
  require_packages build fuzz
  step "Build: fuzz targets"
  build_fuzz fuzz release "" cts_fuzz
  step "Fuzz"
  fuzz_all fuzz "${FUZZ_SECONDS:-60}"
  exit 0
fi

configure_lint() {
  # Each source alone, without precompiled headers: one that misses an include shows.
  cmake --preset ci-dev -B build/lint -DCMAKE_CXX_COMPILER=clang++-14 -DTENSOR_CTS_BUILD_TESTS=OFF \
    -DTENSOR_CTS_BUILD_BENCHMARKS=ON -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null
  cmake --build build/lint -j "$jobs" --target cts_generated_headers
}

# The files on standard input that the linter reads: tests, examples and what is no code of ours are
# left out.
lint_sources() { grep -vE '_(test|fuzz)\.cc$|/(testdata|examples)/' || true; }

# Lints the files that standard input names.
lint_files() {
  # Findings go to standard output. Standard error counts what clang-tidy suppressed in the system's
  # headers, and says why where it could not do its work.
  if ! xargs -r -P "$jobs" -n 1 clang-tidy-14 --quiet -p build/lint --warnings-as-errors='*' \
      --extra-arg=-Wno-unknown-warning-option 2>build/lint.log; then
    grep -vE '^[0-9]+ warnings?( and [0-9]+ errors?)? generated' build/lint.log >&2 || true
    echo "test.sh: clang-tidy found something, or failed" >&2
    exit 1
  fi
}

if $lint; then
  require_packages build lint
  step "Lint: every file"
  configure_lint
  git ls-files '*.cc' | lint_sources | lint_files
  exit 0
fi

# A folder for what the tests write, in memory where there are $1 GiB of room for it: suites are some
# hundred thousand small files.
make_scratch() {
  local scratch=${TMPDIR:-/tmp} free_kib
  free_kib=$(df --output=avail /dev/shm 2>/dev/null | tail -n 1) || free_kib=0
  if [ "${free_kib:-0}" -gt $(($1 << 20)) ] && [ -w /dev/shm ]; then scratch=/dev/shm; fi
  TMPDIR=$(mktemp -d "$scratch/tensor-cts.XXXXXX")
  chmod 755 "$TMPDIR"  # a test goes on as another user
  export TMPDIR TEST_TMPDIR=$TMPDIR/
  trap 'wait; rm -rf "$TMPDIR"' EXIT
}

if $locks; then
  require_packages build test mlir
  make_scratch 16
  step "Build: g++, Release"
  cmake --preset ci-release >/dev/null
  cmake --build --preset release -j "$jobs"
  step "Locks"
  CTS_LARGE_LOCKS=1 ctest --preset release -R '^(Recipes/)?(Slow)?Lock\.' --no-tests=error -j "$jobs" \
    --output-on-failure
  step "No legal implementation is refused, in every recipe"
  for recipe in suites/*.json; do
    case $recipe in *.lock.json) continue ;; esac
    name=$(basename "$recipe" .json)
    [ "$name" != seconds ] || continue  # chooses by time
    said=$(build/release/tools/tensor-cts audit --legal --recipe "$name" | tail -n 1)
    echo "$name: $said"
  done
  step "Whole suites where the tests take samples"
  TENSOR_CTS_WHOLE=1 ctest --preset release -R '^(second_checker|conformance_layout)$|MlirRoundTrip' -j "$jobs" \
    --output-on-failure
  step "The operator of ADDING_AN_OPERATOR.md in a copy of the sources"
  TENSOR_CTS_WHOLE=1 /usr/bin/python3 tools/develop/adding_an_operator_test.py
  step "The page of accumulators"
  TENSOR_CTS_WHOLE=1 build/release/tools/tools_audit_test --gtest_filter='AccumulatorsPage.*'
  exit 0
fi

require_packages build test lint fuzz onednn
# These packages weigh most, and only tests start them: they come while the compiler works.
{
  require_packages mlir mlir19 page
  if $all; then
    require_packages pypi vulkan
    make_environment docs tools/develop/docs/requirements.txt
    make_environment legalize tools/legalize/requirements.txt
    make_environment wheel tools/bindings/python/requirements-build.txt
    for name in iree jax litert ml-sdk openvino tosa-tools vela vulkan; do
      make_environment "$name" "tools/adapters/$name/requirements.txt"
    done
  fi
} &
installing=$!

make_scratch 8

step "Format"
git ls-files '*.h' '*.cc' | xargs clang-format-14 --dry-run --Werror

step "Build: g++, Release"
cmake --preset ci-release >/dev/null
cmake --build --preset release -j "$jobs"

if $all; then
  step "Build: clang++, Debug, with sanitizers"
  build_fuzz fuzz-quick dev -fsanitize-trap=undefined cts_fuzz tensor-cts

  step "The same suites, bit for bit"
  for suite in "smoke --shard 1/8" "certify --shard 1/80"; do
    rm -rf "$TMPDIR/clang" "$TMPDIR/gcc"
    # shellcheck disable=SC2086  # a name and its options
    build/fuzz-quick/tools/tensor-cts generate --recipe $suite --jobs 8 --out "$TMPDIR/clang" &
    # shellcheck disable=SC2086
    build/release/tools/tensor-cts generate --recipe $suite --jobs 1 --out "$TMPDIR/gcc"
    wait $!
    diff -r "$TMPDIR/clang" "$TMPDIR/gcc"
  done

  # Every target on its seeds, and for a few seconds: a longer look is --fuzz. From the same seed, so
  # that two runs look at the same inputs as far as they get.
  step "Fuzz"
  FUZZ_SEED=1 fuzz_all fuzz-quick "${FUZZ_SECONDS:-9}" "$((2 * jobs))"

  # A change of the whole house would take the linter half an hour: the newest files are read here,
  # every file by --lint.
  step "Lint: what changed of late"
  configure_lint
  git log -n 30 --name-only --format= -- '*.cc' | awk '!seen[$0]++' |
    while IFS= read -r file; do if [ -f "$file" ]; then echo "$file"; fi; done |
    lint_sources >build/lint.list
  head -n "$lint_most" build/lint.list | lint_files
  left=$(($(wc -l <build/lint.list) - lint_most))
  if [ "$left" -gt 0 ]; then echo "Left to tools/test.sh --lint: $left files"; fi
fi

step "How strong smoke is"
timeout 300 build/release/tools/tensor-cts audit --recipe smoke --least 80 --json build/audit-smoke.json |
  tail -n 1
tools/develop/score.py --check suites/STRENGTH.md build/audit-smoke.json

step "No legal implementation is refused"
for recipe in smoke smoke-0.100; do
  build/release/tools/tensor-cts audit --legal --recipe "$recipe" | tail -n 1
done
diff <(build/release/tools/tensor-cts audit --slack --recipe smoke) \
  <(sed '1,/<!-- slack -->/d' schemas/editions/slack.md)

step "Tests"
wait "$installing"
if $all; then
  TENSOR_CTS_PYPI=1 build/pypi/legalize/bin/python tools/legalize/legalize_test.py \
    build/release/tools/tensor-cts Sample
  for script in tools/program/exchange/{serializer_round_trip,public_runner}_test.py tools/adapters/tosa-tools/adapter_test.py; do
    build/pypi/tosa-tools/bin/python "$script" build/release/tools/tensor-cts
  done
fi
# Some wait more than they reckon.
tests=(--preset release -j "$((jobs + 2))" --output-on-failure)
if $all; then
  layer=$(echo "$PWD"/build/pypi/vulkan/lib/python3*/site-packages/emulation_layer/deploy)
  TENSOR_CTS_EMULATION_LAYER=$layer TENSOR_CTS_STACKS=$PWD/build/pypi ctest "${tests[@]}"
else
  ctest "${tests[@]}" --exclude-regex "$long"
  echo "Left to tools/test.sh --all: $(ctest --preset release -N --tests-regex "$long" | grep -c '  Test ') tests"
fi

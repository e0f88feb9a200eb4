#!/usr/bin/env bash
# install_test.sh BUILD CXX CXXFLAGS: installs a build, then builds and runs a project that knows
# nothing but the installation.
set -euo pipefail
build=$1 cxx=$2 flags=$3
here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=$work/prefix
export CMAKE_GENERATOR=Ninja  # what cmake takes by itself may not be installed

cmake --install "$build" --prefix "$prefix" >/dev/null
share=$prefix/share/tensor-cts
for file in schemas/case.schema.json schemas/editions/tosa-1.0.json suites/smoke.json \
  adapters/README.md examples/vendor_test/main.c adapters/skeleton.py adapters/mlir/adapter.py \
  legalize/legalize.py legalize/requirements.txt legalize/report_page.html \
  findings/tflite/deviations.json findings/iree/deviations.json examples/plugin/plugin.c ../../include/tensor-cts/plugin.h ../../lib/libtensor_cts.so \
  ../../include/tensor-cts/tensor_cts_reference.h ../../include/tensor-cts/tensor_cts.h ../../lib/pkgconfig/tensor-cts.pc ../doc/tensor-cts/LICENSE \
  ../doc/tensor-cts/CHANGELOG.md ../man/man1/tensor-cts.1 ../man/man1/tensor-cts-gate.1 \
  ../bash-completion/completions/tensor-cts ../zsh/vendor-completions/_tensor-cts \
  ../fish/vendor_completions.d/tensor-cts.fish; do
  [ -s "$share/$file" ] || { echo "not installed: $share/$file" >&2; exit 1; }
done
"$prefix/bin/tensor-cts" generate --recipe "$share/suites/smoke.json" --operator MAXIMUM \
  --out "$work/suite"
"$prefix/bin/tensor-cts" run "$work/suite" --implementation builtin:native --out "$work/results"

# It finds its scripts, which say what they need: this Python has none of it, or no folder to write to.
code=0
said=$("$prefix/bin/tensor-cts" legalize --python /usr/bin/python3 --out "$work/suite" 2>&1) || code=$?
case "$code $said" in
  "2 tensor-cts: legalize: found no "*"pip install"*) ;;
  "2 tensor-cts: legalize: $work/suite: expected a folder that does not exist, or is empty"*) ;;
  *) echo "install_test.sh: legalize ends with $code: $said" >&2; exit 1 ;;
esac

cp -r "$here/testdata/consumer" "$work/source"
# Every installed header: one that includes what is not installed would not compile.
(cd "$prefix/include/tensor-cts" && find . -name '*.h') | sed 's|^\./\(.*\)|#include "\1"|' \
  >"$work/source/headers.cc"
cmake -S "$work/source" -B "$work/build" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_BUILD_TYPE=Debug >/dev/null
cmake --build "$work/build"
"$work/build/consumer" "$work/suite" "$work/results"

# The example of a vendor's own test, from the installation as well.
cmake -S "$share/examples/vendor_test" -B "$work/example" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" \
  -DCMAKE_BUILD_TYPE=Debug -DSUITE="$work/suite" >/dev/null
cmake --build "$work/example"
ctest --test-dir "$work/example" --output-on-failure

# With a wrong kernel it says so: the smaller of two numbers is not the larger.
sed -i 's/a\[i\] > b\[i\]/a[i] < b[i]/' "$share/examples/vendor_test/main.c"
cmake --build "$work/example"
if "$work/example/vendor_test_c" "$work/suite"; then
  echo "install_test.sh: the example accepts a wrong kernel" >&2
  exit 1
fi

# The reference from C, C++ and, where there is a compiler, Rust: from the shared library.
cmake -S "$share/examples/reference" -B "$work/reference" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS="$flags" -DCMAKE_C_FLAGS="$flags" >/dev/null
cmake --build "$work/reference"
"$work/reference/reference_c" | grep -x 'EXP: accept '
"$work/reference/reference_cc" | grep -x 'CLAMP: -1 0.25 1.5 (exact)'
if [ -z "$flags" ] && command -v pkg-config >/dev/null; then
  # shellcheck disable=SC2046
  cc "$share/examples/reference/main.c" -o "$work/reference_pc" \
    $(PKG_CONFIG_PATH=$prefix/lib/pkgconfig pkg-config --cflags --libs tensor-cts) -lm
  LD_LIBRARY_PATH=$prefix/lib "$work/reference_pc" | grep -x 'EXP: accept '
fi
if [ -z "$flags" ] && command -v rustc >/dev/null; then
  rustc --edition 2021 -o "$work/reference_rs" "$share/examples/reference/main.rs" -L "$prefix/lib" -l tensor_cts
  LD_LIBRARY_PATH=$prefix/lib "$work/reference_rs" | grep -x 'EXP: accept '
fi

# The example of a plugin, which needs no C++ and nothing but the header. On everything it answers it is right.
cmake -S "$share/examples/plugin" -B "$work/plugin" -DCMAKE_PREFIX_PATH="$prefix" \
  -DCMAKE_C_FLAGS="-Wall -Wextra -Werror" >/dev/null
cmake --build "$work/plugin"
"$prefix/bin/tensor-cts" generate --recipe smoke --operator SUB --type i32 --out "$work/sub"
"$prefix/bin/tensor-cts" run "$work/sub" --plugin "$work/plugin/libplugin.so" --out "$work/by-plugin"
"$prefix/bin/tensor-cts" check "$work/sub" "$work/by-plugin" --json "$work/by-plugin.json" >/dev/null || true
python3 - "$work/by-plugin.json" <<'PYTHON'
import collections, json, sys
verdicts = collections.Counter(case["verdict"] for case in json.load(open(sys.argv[1]))["cases"])
assert verdicts["pass"] >= 8 and set(verdicts) == {"pass", "unsupported"}, verdicts
PYTHON

# The same without one result is not conformant: the consumer really looked.
result=$(find "$work/results" -name result.json -print -quit)
rm "$result"
if "$work/build/consumer" "$work/suite" "$work/results"; then
  echo "install_test.sh: conformant without $result" >&2
  exit 1
fi

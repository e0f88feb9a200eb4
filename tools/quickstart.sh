#!/usr/bin/env bash
# Installs what is missing, builds, generates the smoke suite, runs it on an implementation and says
# what came of it. See --help.
set -euo pipefail

usage() {
  cat <<'EOF'
Usage: tools/quickstart.sh [--mlir] [--out DIR]

Builds tensor-cts, generates the smoke suite, runs an implementation over it and checks the results.

  --mlir      try MLIR 22 (a real implementation) instead of the embedded one
  --out DIR   where suite, results and report go (default: out)

Exit code: 0 conformant, 1 not conformant, 2 something is missing or did not work.
EOF
}

mlir=false
out=out
while [ $# -gt 0 ]; do
  case "$1" in
    --mlir) mlir=true ;;
    --out) [ $# -ge 2 ] || { usage >&2; exit 2; }; out=$2; shift ;;
    -h | --help) usage; exit 0 ;;
    *) echo "quickstart.sh: unknown option $1" >&2; usage >&2; exit 2 ;;
  esac
  shift
done

cd "$(dirname "$0")/.."
. tools/packages.sh
groups=(build)
$mlir && groups+=(mlir)
require_packages "${groups[@]}"

echo "Building ..."
log=$(mktemp)
if ! { cmake --preset release -DTENSOR_CTS_BUILD_TESTS=OFF -B build/quickstart &&
  cmake --build build/quickstart --target tensor-cts; } >"$log" 2>&1; then
  tail -n 40 "$log" >&2
  echo "The build failed; the whole log: $log" >&2
  exit 2
fi
rm -f "$log"
cts=build/quickstart/tools/tensor-cts

if $mlir; then name=mlir; else name=native; fi
mkdir -p "$out"
rm -rf "$out/smoke" "$out/results-$name"
"$cts" generate --recipe smoke --out "$out/smoke"
if $mlir; then
  "$cts" run "$out/smoke" --adapter "/usr/bin/python3 tools/adapters/mlir/adapter.py --tensor-cts $cts" \
    --worker --out "$out/results-$name"
else
  "$cts" run "$out/smoke" --implementation builtin:native --out "$out/results-$name"
fi
code=0
"$cts" check "$out/smoke" "$out/results-$name" --json "$out/report-$name.json" \
  --junit "$out/report-$name.xml" || code=$?
echo
echo "Reports:  $out/report-$name.json  $out/report-$name.xml"
exit $code

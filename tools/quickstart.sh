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
. tools/develop/packages.sh
groups=(build)
$mlir && groups+=(mlir)
require_packages "${groups[@]}"

# Runs a build, whose output goes to $1, and says how far it is: [done/all] and the seconds so far, in one
# line that changes on a terminal, as a line every 20 seconds elsewhere.
build_with_progress() {
  local log=$1 state="[0/?]" next=0 code=0
  shift
  "$@" >"$log" 2>&1 &
  local build=$!
  # shellcheck disable=SC2064  # this build
  trap "kill $build 2>/dev/null" EXIT
  while kill -0 "$build" 2>/dev/null; do
    state=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1) || state="[0/?]"
    if [ -t 1 ]; then
      printf '\rBuilding %s %ds ' "$state" "$SECONDS"
    elif [ "$SECONDS" -ge "$next" ]; then
      echo "Building $state ${SECONDS}s"
      next=$((SECONDS + 20))
    fi
    sleep 1
  done
  wait "$build" || code=$?
  trap - EXIT
  [ -t 1 ] && printf '\r'
  state=$(grep -o '^\[[0-9]*/[0-9]*\]' "$log" | tail -n 1) || state="[0/0]"
  if [ "$code" -eq 0 ]; then echo "Built $state ${SECONDS}s"; fi
  return "$code"
}

log=$(mktemp)
if ! cmake --preset release -DTENSOR_CTS_BUILD_TESTS=OFF -B build/quickstart >"$log" 2>&1 ||
  ! build_with_progress "$log" cmake --build build/quickstart --target tensor-cts; then
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
  --junit "$out/report-$name.xml" --html "$out/report-$name.html" || code=$?
echo
echo "After ${SECONDS}s. The report, to look at: $(cd "$out" && pwd)/report-$name.html"
echo "For programs: $out/report-$name.json  $out/report-$name.xml"
exit $code

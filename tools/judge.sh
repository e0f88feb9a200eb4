#!/usr/bin/env bash
# Installs implementations, runs a suite with the adapter of each and puts the reports side by side.
# See --help.
set -euo pipefail

# name, folder of its adapter, options of the adapter, group of packages.txt or "-" for a virtual environment
stacks='
mlir                  mlir        -                      mlir
iree-llvm-cpu         iree        --target=llvm-cpu      -
iree-vmvx             iree        --target=vmvx          -
iree-vulkan-spirv     iree        --target=vulkan-spirv  -
litert-reference      litert      --kernels=reference    -
litert-optimized      litert      --kernels=optimized    -
litert-xnnpack        litert      --kernels=xnnpack      -
tosa-reference-model  tosa-tools  --judge=model          -
tosa-opt              tosa-tools  --judge=tosa-opt       -
pytorch               pytorch     -                      -
jax                   jax         -                      -
openvino              openvino    -                      -
vela-u85              vela        --accelerator=ethos-u85-256  -
vela-u55              vela        --accelerator=ethos-u55-128  -
'

usage() {
  cat <<'EOF'
Usage: tools/judge.sh [NAME ...] [--recipe RECIPE | --suite DIR] [--filter PATTERN]... [--out DIR] [--jobs N]

Installs each implementation, runs a suite with its adapter, and writes two pages that compare
them: DIR/page.html with cases, DIR/summary.html without. Without names: all of them.

  --recipe RECIPE    the recipe of the suite (default: certify)
  --suite DIR        a suite that is there
  --filter PATTERN   only cases whose id matches
  --out DIR          where everything goes (default: out/judge)
  --jobs N           adapters at a time (default: 2)
  --tensor-cts PATH  the program (default: the one in PATH, or that of build/release)
  --offline          install nothing: what is not there is left out

EOF
  printf '%s\n' 'Names:' "$(awk 'NF { print "  " $1 }' <<<"$stacks")"
  cat <<'EOF'

An implementation that cannot be installed, or whose adapter does not start, is one line that says how
to install it; the others go on. What an earlier call finished is kept, and done again only if the
suite is another.

Exit code: 0 all ran, whatever the verdicts; 1 some could not; 2 usage, or none could.
EOF
}

fail() {
  echo "judge.sh: $1" >&2
  exit 2
}

names=() filters=() recipe=certify suite="" out=out/judge jobs=2 cts="" offline=false
while [ $# -gt 0 ]; do
  case "$1" in
    --recipe | --suite | --filter | --out | --jobs | --tensor-cts)
      [ $# -ge 2 ] || fail "$1: a value is missing; see --help"
      case "$1" in
        --recipe) recipe=$2 ;;
        --suite) suite=$2 ;;
        --filter) filters+=(--filter "$2") ;;
        --out) out=$2 ;;
        --jobs) jobs=$2 ;;
        --tensor-cts) cts=$2 ;;
      esac
      shift
      ;;
    --offline) offline=true ;;
    -h | --help) usage; exit 0 ;;
    -*) fail "unknown option $1; see --help" ;;
    *)
      awk -v name="$1" '$1 == name { found = 1 } END { exit !found }' <<<"$stacks" ||
        fail "unknown implementation $1; known: $(awk 'NF { printf "%s ", $1 }' <<<"$stacks")"
      names+=("$1")
      ;;
  esac
  shift
done
[ ${#names[@]} -gt 0 ] || mapfile -t names < <(awk 'NF { print $1 }' <<<"$stacks")

tools=$(cd "$(dirname "$0")" && pwd)
if [ -z "$cts" ]; then
  cts=$(command -v tensor-cts || true)
  [ -n "$cts" ] || cts=$tools/../build/release/tools/tensor-cts
fi
[ -x "$cts" ] || fail "$cts: no such program; build it, or give its path with --tensor-cts"
cts=$(realpath "$cts")
mkdir -p "$out"
out=$(realpath "$out")

# Installs the virtual environment of an adapter's folder into $out/venv; its mark is the digest of
# requirements.txt, so that an environment which was not finished, or is of others, is made again.
virtual_environment() {
  local folder=$1 venv=$out/venv/$1 requirements=$tools/adapters/$1/requirements.txt mark
  mark=$(sha256sum <"$requirements")
  [ "$(cat "$venv/installed" 2>/dev/null)" = "$mark" ] && return 0
  $offline && return 1
  rm -rf "$venv"
  python3 -m venv "$venv" >"$out/$folder.install.log" 2>&1 &&
    "$venv/bin/pip" install --no-input --require-hashes --no-deps -r "$requirements" >>"$out/$folder.install.log" 2>&1 &&
    echo "$mark" >"$venv/installed"
}

# The command of an adapter, or nothing after a line that says what is missing.
command_of() {
  local name=$1 folder options group python
  read -r _ folder options group < <(awk -v name="$name" '$1 == name' <<<"$stacks")
  [ "$options" = - ] && options=
  if [ "$group" != - ]; then
    python=/usr/bin/python3
    if ! $offline && ! (. "$tools/packages.sh" && require_packages "$group") >"$out/$folder.install.log" 2>&1; then
      echo "$name: not installed: $(tail -n 1 "$out/$folder.install.log")" >&2
      return
    fi
  elif virtual_environment "$folder"; then
    python=$out/venv/$folder/bin/python
  else
    echo "$name: not installed; python3 -m venv VENV &&" \
      "VENV/bin/pip install --require-hashes -r tools/adapters/$folder/requirements.txt" \
      "(the log: $out/$folder.install.log)" >&2
    return
  fi
  echo "'$python' '$tools/adapters/$folder/adapter.py' --tensor-cts='$cts' $options"
}

if [ -n "$suite" ]; then
  [ -e "$suite/suite.json" ] || fail "$suite/suite.json: no such file; expected the folder of a suite"
  recipe=$(basename "$suite")
else
  suite=$out/suite-$recipe
fi
if [ ! -e "$suite/suite.json" ]; then
  rm -rf "$suite" "$suite.new"
  "$cts" generate --recipe "$recipe" --out "$suite.new" || fail "no suite of recipe $recipe"
  mv "$suite.new" "$suite"
fi

# Runs one implementation; its report appears when it is whole.
judge() {
  local name=$1 results=$out/results-$recipe/$1 report=$out/$1.json command log=$out/$1.log
  command=$(command_of "$name")
  [ -n "$command" ] || return 1
  local resume=()
  [ -e "$results/run.json" ] && resume=(--resume)
  mkdir -p "$out/results-$recipe"
  if ! "$cts" run "$suite" --adapter "$command" --worker --jobs "$jobs" "${filters[@]}" "${resume[@]}" \
    --out "$results" >"$log" 2>&1; then
    echo "$name: did not run: $(tail -n 1 "$log")" >&2
    return 1
  fi
  "$cts" check "$suite" "$results" "${filters[@]}" --json "$report.new" >"$log" 2>&1 || [ $? -eq 1 ] || {
    echo "$name: cannot be checked: $(tail -n 1 "$log")" >&2
    return 1
  }
  mv "$report.new" "$report"
  echo "$name: $(tail -n 1 "$log")"
}

reports=() code=0
for name in "${names[@]}"; do
  if judge "$name"; then reports+=("$out/$name.json"); else code=1; fi
done
case ${#reports[@]} in
  0) fail "none of the implementations could be judged" ;;
  1) echo "one implementation: nothing to compare; its report: ${reports[0]}" ;;
  *)
    "$cts" compare "${reports[@]}" --html "$out/page.html.new" >/dev/null || fail "cannot compare the reports"
    mv "$out/page.html.new" "$out/page.html"
    "$cts" compare "${reports[@]}" --summary --html "$out/summary.html.new" >/dev/null || fail "cannot compare the reports"
    mv "$out/summary.html.new" "$out/summary.html"
    echo "compared in $out/page.html; without cases: $out/summary.html"
    ;;
esac
exit $code

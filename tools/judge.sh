#!/usr/bin/env bash
# Installs implementations, runs a suite with the adapter of each and puts the reports side by side.
# See --help.
set -euo pipefail

# name, folder of its adapter, options of the adapter, groups of packages.txt that it needs: pypi is a
# virtual environment of its requirements.txt as well, onnx what npm installs of its package-lock.json
stacks='
mlir                  mlir         -                              mlir
iree-llvm-cpu         iree         --target=llvm-cpu              pypi
iree-vmvx             iree         --target=vmvx                  pypi
iree-vulkan-spirv     iree         --target=vulkan-spirv          pypi,vulkan
litert-reference      litert       --kernels=reference            pypi
litert-optimized      litert       --kernels=optimized            pypi
litert-xnnpack        litert       --kernels=xnnpack              pypi
tosa-reference-model  tosa-tools   --judge=model                  pypi
tosa-opt              tosa-tools   --judge=tosa-opt               pypi
tosa-deserialize      tosa-tools   --judge=tosa-deserialize       pypi
pytorch               pytorch      -                              pypi
jax                   jax          -                              pypi
openvino              openvino     -                              pypi
vela-u85              vela         --accelerator=ethos-u85-256    pypi
vela-u55              vela         --accelerator=ethos-u55-128    pypi
vulkan                vulkan       -                              pypi,vulkan
ml-sdk                ml-sdk       -                              pypi,vulkan
onnxruntime           onnxruntime  -                              onnx
onednn                onednn       -                              onednn
'

usage() {
  cat <<'EOF'
Usage: tools/judge.sh [NAME ...] [--recipe RECIPE | --suite DIR] [--filter PATTERN]... [--out DIR] [--jobs N]

Installs each implementation, runs a suite with its adapter, and writes two pages that compare
them: DIR/page.html with cases, DIR/summary.html without. Without names: all of them. Of one
alone DIR/page.html is the report. DIR/NAME.json is the report of each.

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

vulkan and ml-sdk run on Mesa's driver for the CPU with Arm's emulation layer. vulkan is a program
of the build, onednn a plugin; neither is made here. Not among them: MLIR 19, whose suites are
those of tosa-0.100, and the C library, which is asked by tensor-cts sweep.

An implementation that cannot be installed, or whose adapter does not start, is one line that says how
to install it; nothing of it is left but logs, and the others go on. Reports and pages of an earlier
call are removed. Its results are kept, each suite and choice of cases in a folder of its own; what is
there is not done again.

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
. "$tools/develop/packages.sh"

# Unfinished files are removed at the end.
begun=
trap 'rm -rf "$out"/*.new ${begun:+"$begun"}' EXIT
trap 'exit 130' INT

# The line of an installer's log that says why it failed.
cause_in() {
  grep -E '^(ERROR|E): ' "$1" | tail -n 1 | grep . ||
    grep -E '^npm (ERR!|error) ' "$1" | grep -vE '(ERR!|error) (code|errno|syscall|path)' | head -n 1 | grep . ||
    tr '\n' ' ' <"$1" | grep -oE '[^.]*ensurepip is not +available' | grep . ||
    grep . "$1" | tail -n 1
}

# The functions below that install set `reason` where they fail.

# The packages of these groups.
packages() {
  local missing cause log=$out/packages.log
  missing=$(missing_packages "$@" | awk '{ printf " %s", $1 }')
  [ -n "$missing" ] || return 0
  reason="missing:$missing"
  $offline && return 1
  (require_packages "$@") >"$log" 2>&1 && return 0
  cause=$(grep '^E: ' "$log" | tail -n 1) && reason+=" ($cause)"
  return 1
}

# Sets `python` to one that the wheels of a requirements.txt are for; its first line has the version.
find_python() {
  local wanted=$1 name version found=
  for name in python3 "python$wanted" /usr/bin/python3; do
    version=$("$name" -c 'import sys; print("%d.%d" % sys.version_info[:2])' 2>/dev/null) || continue
    python=$name
    [ "$version" = "${wanted:-$version}" ] && return 0
    found=${found:-$version}
  done
  reason="found Python ${found:-nowhere}, its wheels are for Python $wanted"
  return 1
}

# The version of Python that a folder's requirements.txt is for; of any: nothing.
python_of() {
  sed -n '1s/.*Python \([0-9]*\.[0-9]*\).*/\1/p' "$tools/adapters/$1/requirements.txt"
}

# Sets `venv` to the virtual environment of an adapter's folder; its mark is the digest of
# requirements.txt, so that an environment which was not finished, or is of others, is made again.
virtual_environment() {
  local requirements=$tools/adapters/$1/requirements.txt log=$out/$1.install.log mark
  venv=$out/venv/$1
  mark=$(sha256sum <"$requirements")
  [ -x "$venv/bin/python" ] && [ "$(cat "$venv/installed" 2>/dev/null)" = "$mark" ] && return 0
  reason="$venv: no environment of $requirements"
  $offline && return 1
  find_python "$(python_of "$1")" || return 1
  "$python" -c 'import ensurepip' 2>/dev/null || packages pypi || return 1
  rm -rf "$venv"
  begun=$venv
  if "$python" -m venv "$venv" >"$log" 2>&1 &&
    "$venv/bin/pip" install --no-input --disable-pip-version-check --require-hashes --no-deps -r "$requirements" >>"$log" 2>&1; then
    echo "$mark" >"$venv/installed"
    begun=
    return 0
  fi
  rm -rf "$venv"
  reason="$(cause_in "$log") (the log: $log)"
  return 1
}

# Sets `modules` to what npm installs of an adapter's folder, likewise.
node_modules() {
  local folder=$tools/adapters/$1 log=$out/$1.install.log mark
  modules=$out/npm/$1
  mark=$(sha256sum <"$folder/package-lock.json")
  [ "$(cat "$modules/installed" 2>/dev/null)" = "$mark" ] && return 0
  reason="$modules: no packages of $folder/package-lock.json"
  $offline && return 1
  rm -rf "$modules" "$out/npm.new"
  mkdir -p "$out/npm" "$out/npm.new"
  cp "$folder/package.json" "$folder/package-lock.json" "$out/npm.new"
  if npm ci --ignore-scripts --no-audit --no-fund --prefix "$out/npm.new" >"$log" 2>&1; then
    echo "$mark" >"$out/npm.new/installed"
    mv "$out/npm.new" "$modules"
    return 0
  fi
  reason="$(cause_in "$log") (the log: $log)"
  return 1
}

# Sets `environment` to a device of Vulkan: Mesa's driver for the CPU with Arm's emulation layer.
emulated_device() {
  local log=$out/vulkan.log
  virtual_environment vulkan || return 1
  mapfile -t environment < <("$venv/bin/python" "$tools/adapters/vulkan/emulated.py" --keep-glslang \
    "$venv"/lib/python3*/site-packages/emulation_layer/deploy "$venv/layers" 2>"$log" |
    sed -n "s/^export \([A-Z_]*\)='\(.*\)'$/\1=\2/p")
  reason=$(last_word "$log")
  [ ${#environment[@]} -gt 0 ] || return 1
  environment+=(LP_NUM_THREADS=0)
}

# A file of the build, or of the installation, that the program belongs to.
find_built() {
  built=$(dirname "$cts")/$1
  [ -e "$built" ] || built=$(compgen -G "$(dirname "$cts")/../lib*/tensor-cts/$(basename "$1")" | head -n 1)
  [ -n "$built" ] && return 0
  reason="$(dirname "$cts")/$1: no such file"
  return 1
}

# How the implementation of a row is started: sets `how`, options of run, and `environment`.
prepare() {
  local python=/usr/bin/python3 venv modules built groups
  environment=()
  case $folder in
    onednn) find_built adapters/onednn/libcts_onednn.so || return 1 ;;
    vulkan) find_built tensor-cts-vulkan || return 1 ;;
  esac
  groups=$(tr , '\n' <<<"$needs" | grep -vxF -e pypi -e onednn || true)  # a plugin that is built needs no headers
  # shellcheck disable=SC2086  # words
  packages $groups || return 1
  case $folder in
    vulkan | ml-sdk) emulated_device || return 1 ;;
  esac
  case $needs in
    *pypi*)
      virtual_environment "$folder" || return 1
      python=$venv/bin/python
      ;;
    onnx)
      node_modules "$folder" || return 1
      environment=(NODE_PATH="$modules/node_modules")
      ;;
  esac
  case $folder in
    onednn)
      environment=(OMP_NUM_THREADS=1)
      how=(--plugin "$built")
      ;;
    vulkan) how=(--worker --adapter "'$built'") ;;
    onnxruntime) how=(--worker --adapter "node '$tools/adapters/$folder/adapter.mjs'") ;;
    *) how=(--worker --adapter "'$python' '$tools/adapters/$folder/adapter.py' --tensor-cts='$cts' $options") ;;
  esac
}

# The commands that install the implementation of a row.
install_line() {
  local line="apt-get install --no-install-recommends" one python
  line+=$(awk -v needs=",$needs," '!/^#/ && NF && index(needs, "," $1 ",") { printf " %s", $2 }' "$tools/develop/packages.txt")
  case $needs in
    *pypi*)
      for one in $(printf '%s\n' "$folder" "${folder/ml-sdk/vulkan}" | sort -u); do
        python=$(python_of "$one")
        line+=" && python${python:-3} -m venv VENV && VENV/bin/pip install --require-hashes --no-deps"
        line+=" -r tools/adapters/$one/requirements.txt"
      done
      ;;
    onnx) line+=" && npm ci --ignore-scripts --prefix tools/adapters/$folder" ;;
  esac
  case $folder in onednn | vulkan) line+=" && cmake --preset release && cmake --build --preset release" ;; esac
  echo "$line"
}

if [ -n "$suite" ]; then
  [ -e "$suite/suite.json" ] || fail "$suite/suite.json: no such file; expected the folder of a suite"
  recipe=$(basename "$suite")
else
  suite=$out/suite-$recipe
fi
# What an earlier call said is not of this one.
rm -f "$out/page.html" "$out/summary.html"
for name in $(awk '{ print $1 }' <<<"$stacks"); do rm -f "$out/$name.json"; done
if [ ! -e "$suite/suite.json" ]; then
  rm -rf "$suite" "$suite.new"
  "$cts" generate --recipe "$recipe" --out "$suite.new" || fail "no suite of recipe $recipe"
  mv "$suite.new" "$suite"
fi

# Results are of a suite and a choice of its cases.
key=$({ cat "$suite/suite.json"; printf '%s\n' "${filters[@]}"; } | sha256sum | head -c 8)

# Whether no worker has said who it is: then whatever happened is no word about an implementation.
nobody_announced() {
  [ ! -e "$1/run.json" ] || grep -q '^    "version": "unknown"' "$1/run.json"
}

# The line of a log by which run ended, without its own advice.
last_word() {
  local line
  line=$(grep '^tensor-cts: ' "$1" | tail -n 1) || line=$(tail -n 1 "$1")
  line=${line#tensor-cts: } line=${line%%; install *} line=${line%%; mend that *}
  echo "${line%%. Mend the adapter *}"
}

# Runs one implementation; its report appears when it is whole.
judge() {
  local name=$1 report=$out/$1.json log=$out/$1.log folder options needs how environment reason word ran=true
  read -r _ folder options needs < <(awk -v name="$name" '$1 == name' <<<"$stacks")
  [ "$options" = - ] && options=
  results=$out/results-$recipe-$key/$name
  if ! prepare; then
    echo "$name: not installed: $reason; install with: $(install_line)" >&2
    return 1
  fi
  local resume=()
  [ -e "$results/run.json" ] && resume=(--resume)
  mkdir -p "$results"
  env "${environment[@]}" "$cts" run "$suite" "${how[@]}" --jobs "$jobs" "${filters[@]}" "${resume[@]}" \
    --out "$results" >"$log" 2>&1 || ran=false
  if nobody_announced "$results"; then
    ran=false
    rm -rf "$results"
    rmdir --ignore-fail-on-non-empty "$(dirname "$results")"
  fi
  if ! $ran; then
    word=$(last_word "$log")
    case $word in
      *"give another directory") word="${word%give*}remove it, and all of it runs again" ;;
      "the adapter does not start"*) word+="; install with: $(install_line)" ;;
      *) [ -e "$results" ] || word+="; install with: $(install_line)" ;;
    esac
    echo "$name: did not run: $word" >&2
    return 1
  fi
  "$cts" check "$suite" "$results" "${filters[@]}" --json "$report.new" >"$log" 2>&1 || [ $? -eq 1 ] || {
    echo "$name: cannot be checked: $(last_word "$log")" >&2
    return 1
  }
  mv "$report.new" "$report"
  echo "$name: $(tail -n 1 "$log")"
}

reports=() code=0
for name in "${names[@]}"; do
  if judge "$name"; then reports+=("$out/$name.json") judged=$results; else code=1; fi
done
case ${#reports[@]} in
  0) fail "none of the implementations could be judged" ;;
  1)
    "$cts" check "$suite" "$judged" "${filters[@]}" --html "$out/page.html.new" >/dev/null || [ $? -eq 1 ] ||
      fail "cannot write its page"
    mv "$out/page.html.new" "$out/page.html"
    echo "one implementation, nothing to compare: its page: $out/page.html; its report: ${reports[0]}"
    ;;
  *)
    "$cts" compare "${reports[@]}" --html "$out/page.html.new" >/dev/null || fail "cannot compare the reports"
    mv "$out/page.html.new" "$out/page.html"
    "$cts" compare "${reports[@]}" --summary --html "$out/summary.html.new" >/dev/null || fail "cannot compare the reports"
    mv "$out/summary.html.new" "$out/summary.html"
    echo "compared in $out/page.html; without cases: $out/summary.html"
    ;;
esac
exit $code

#!/usr/bin/env bash
# regenerate.sh [--locks] [--scores] [--build DIR]: renews the committed files that are made from others.
#   without options  the index of operators: seconds
#   --locks          also every suites/*.lock.json: minutes. Say in the commit which cases changed and why
#   --scores         also the tables of suites/STRENGTH.md and suites/README.md: minutes, both cores
#   --build DIR      the build tree whose programs are called; default: build/release
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build=$root/build/release locks=false scores=false
while [ $# -gt 0 ]; do
  case "$1" in
    --locks) locks=true ;;
    --scores) scores=true ;;
    --build) build=${2:?regenerate.sh: --build: expected a folder}; shift ;;
    *) echo "regenerate.sh: found $1, expected --locks, --scores or --build DIR" >&2; exit 2 ;;
  esac
  shift
done
cd "$root"

tools/develop/operators_index.py --write

if $locks; then
  CTS_RENEW_LOCKS=1 CTS_LARGE_LOCKS=1 "$build/generator/lock_test" --gtest_brief=1
fi

if $scores; then
  cts=$build/tools/tensor-cts work=$(mktemp -d)
  trap 'rm -rf "$work"' EXIT
  audit() { "$cts" audit --recipe "$1" --json "$work/$1.audit.json" >/dev/null || [ $? -eq 1 ]; }
  for recipe in certify smoke certify-0.100 smoke-0.100; do audit "$recipe"; done
  tools/develop/score.py --into suites/STRENGTH.md "$work/certify.audit.json" "$work/smoke.audit.json"
  # The recipes that the page has.
  coverage=()
  for recipe in $(sed -n 's/^| `\([a-z0-9.-]*\)` | [a-z].*/\1/p' suites/README.md); do
    "$cts" generate --recipe "$recipe" --pack --out "$work/suite" >/dev/null
    "$cts" coverage "$work/suite" --json "$work/$recipe.json" >/dev/null || [ $? -eq 1 ]
    rm -rf "$work/suite"
    coverage+=("$work/$recipe.json")
  done
  tools/develop/score.py --into suites/README.md --coverage "${coverage[@]}" -- "$work"/{certify,smoke}-0.100.audit.json
fi
git status --short -- reference suites tools

#!/usr/bin/env bash
# docs.sh [--program PROGRAM] [--out DIR]
#
# Makes the documentation site: pages of the repository, and what is made from the program's help, the schemas, the headers and
# the Python module. It needs a built program, and the environment build/pypi/docs, which it makes.
#   --program PROGRAM  the program whose help is shown; default: the first of build/{release,dev,quickstart,wheel}/tools/tensor-cts
#   --out DIR          where the site goes, in place of what lies there; default: out/site
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
program= out=$root/out/site
while [ $# -gt 0 ]; do
  case "$1" in
    -h | --help) sed -n '2,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
    --program | --out) [ $# -ge 2 ] || { echo "docs.sh: expected a value behind $1" >&2; exit 2; } ;;
    *) echo "docs.sh: found $1, expected --program or --out" >&2; exit 2 ;;
  esac
  if [ "$1" = --out ]; then out=$(realpath -m "$2"); else program=$(realpath -m "$2"); fi
  shift 2
done
cd "$root"
for build in release dev quickstart wheel; do
  [ -n "$program" ] || [ ! -x "build/$build/tools/tensor-cts" ] || program=build/$build/tools/tensor-cts
done
[ -x "$program" ] || { echo "docs.sh: found no program, expected one that tools/quickstart.sh builds, or --program" >&2; exit 2; }

. tools/develop/packages.sh
unset PYTHONDONTWRITEBYTECODE
cmp -s tools/develop/docs/requirements.txt build/pypi/docs/requirements.txt || require_packages pypi
make_environment docs tools/develop/docs/requirements.txt

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
/usr/bin/python3 tools/develop/docs/gather.py --program "$program" --out "$work"
mkdir -p "$(dirname "$out")"
if ! NO_MKDOCS_2_WARNING=1 build/pypi/docs/bin/python -m mkdocs build --strict --config-file "$work/mkdocs.yml" \
  --site-dir "$work/site" >"$work/log" 2>&1; then
  grep -E '^(WARNING|ERROR|Aborted)' "$work/log" >&2 || tail -n 20 "$work/log" >&2
  exit 1
fi
# Keeps the licence of the theme; drops words of other languages, and the maps for developers of the theme.
cp build/pypi/docs/lib/python3*/site-packages/mkdocs_material-*.dist-info/licenses/LICENSE "$work/site/assets/LICENSE.theme"
rm -rf "$work/site/assets/javascripts/lunr"
find "$work/site/assets" -name '*.map' -delete
rm -rf "$out"
mv "$work/site" "$out"
echo "$out/index.html"

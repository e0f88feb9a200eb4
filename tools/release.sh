#!/usr/bin/env bash
# release.sh [--build DIR] [--out DIR] [--python PYTHON]...
# release.sh --freeze [--build DIR]
#
# With --freeze: makes the suites of all claims in suites/released/claims.json, and writes what they are into
# suites/released/VERSION/, with the cases of all other claims, and a small evidence into tools/develop/testdata/released/VERSION/. Three
# hours; the second call goes on where the first one stopped. The sources must be committed as they are. Commit what it writes: from then on every version verifies
# certificates of this one (STABILITY.md).
#
# Without it:
# Makes the wheel of Python's module, command and pytest plugin, and the sdist, twice, and compares the bytes. Then installs the wheel into a clean
# virtual environment of each PYTHON (the default: Debian's python3) and runs the module's tests, the plugin's, the examples and mypy there.
# Then makes the documentation site, as one archive and for its package.
# Then makes Debian's packages, twice, compares their bytes and uses what is in them (package_test.sh).
#   --build DIR    a build tree of the release preset, to take what is in it; default: build/wheel, which is configured and built
#   --out DIR      where the wheel, the sdist and the packages go; default: out/wheel
set -euo pipefail
root=$(cd "$(dirname "$0")/.." && pwd)
build= out=$root/out/wheel pythons=() freeze=false
while [ $# -gt 0 ]; do
  if [ "$1" = --freeze ]; then
    freeze=true
    shift
    continue
  fi
  [ $# -ge 2 ] || { sed -n '2,16s/^# \{0,1\}//p' "$0" >&2; exit 2; }
  case "$1" in
    --build) build=$2 ;;
    --out) out=$2 ;;
    --python) pythons+=("$2") ;;
    *) echo "release.sh: found $1, expected --freeze, --build, --out or --python" >&2; exit 2 ;;
  esac
  shift 2
done
[ ${#pythons[@]} -gt 0 ] || pythons=(/usr/bin/python3)

source "$root/tools/develop/packages.sh"
require_packages build release
if [ -z "$build" ]; then
  build=$root/build/wheel
  cmake --preset release -S "$root" -B "$build" -DTENSOR_CTS_BUILD_TESTS=OFF >/dev/null
  cmake --build "$build"
fi
version=$(sed -n 's/^project(tensor-cts VERSION \([0-9.]*\).*/\1/p' "$root/CMakeLists.txt")
suffix=$(sed -n 's/^set(TENSOR_CTS_VERSION_SUFFIX *\(.*\))$/\1/p' "$root/CMakeLists.txt")
if $freeze; then
  [ -z "$suffix" ] || { echo "release.sh: found the version $version$suffix, expected that of a release: empty TENSOR_CTS_VERSION_SUFFIX" >&2; exit 2; }
  cmake --build "$build" --target freeze-release
  "$build/tools/freeze-release" "$version" "$(date -u +%F)" "$root/suites/released/claims.json" \
    "$root/suites/released/$version" "$root/tools/develop/testdata/released/$version"
  exit
fi
build=$(realpath "$build")
program=$build/tools/tensor-cts
# The sdist has what lies here, and the wheel what lies in the build tree: both have to be of the commit that they name.
if [ -e "$root/.git" ]; then
  [ -z "$(git -C "$root" status --porcelain)" ] ||
    { echo "release.sh: found changes or files that are not committed, expected a clean checkout: git status" >&2; exit 2; }
  made_of=$("$program" version | sed -n 's/^commit *//p')
  [ "$made_of" = "$(git -C "$root" rev-parse HEAD)" ] ||
    { echo "release.sh: found $program of commit $made_of, expected that of the checkout: build it again" >&2; exit 2; }
fi
# The time of the sources, not of the clock.
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1
unset PYTHONPATH TENSOR_CTS_COMMAND TENSOR_CTS_LIBRARY

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# environment DIR PYTHON REQUIREMENTS: a clean one with just these packages, each held against its hash.
environment() {
  "$2" -m venv "$1"
  "$1/bin/pip" install --quiet --disable-pip-version-check --require-hashes --only-binary :all: -r "$3"
}
environment "$work/tools" /usr/bin/python3 "$root/tools/bindings/python/requirements-build.txt"
for turn in first second; do
  {
    (cd "$root" && "$work/tools/bin/python" -c '
import sys
from scikit_build_core import build
build.build_sdist(sys.argv[1])
build.build_wheel(sys.argv[1] + "/made", {"cmake.define.TENSOR_CTS_WHEEL_OF": sys.argv[2], "cmake.define.TENSOR_CTS_WHEEL_LICENSES": "ON"})' \
      "$work/$turn" "$build")
    PATH=$work/tools/bin:$PATH auditwheel repair --plat manylinux_2_34_x86_64 --wheel-dir "$work/$turn" "$work/$turn"/made/*.whl
  } >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
done
wheel=$(basename "$work"/first/*.whl)
sdist=$(basename "$work"/first/*.tar.gz)
for file in "$wheel" "$sdist"; do cmp "$work/first/$file" "$work/second/$file"; done
mkdir -p "$out"
cp "$work/first/$wheel" "$work/first/$sdist" "$out/"

# The tests lie beside the module's sources: from another folder, and without those.
cp "$root"/tools/bindings/python/{module_test,pytest_test,examples_test,typed_user}.py "$work/"
cp -r "$root/tools/bindings/python/examples" "$work/examples"
for python in "${pythons[@]}"; do
  place=$work/$(basename "$python")-environment
  rm -rf "$place"
  environment "$place" "$python" "$root/tools/bindings/python/requirements-test.txt"
  "$place/bin/pip" install --quiet --disable-pip-version-check --no-deps "$out/$wheel"
  (
    cd "$work"
    export PATH=$place/bin:$PATH
    "$place/bin/tensor-cts" version | head -1
    for test in *_test.py; do
      python "$test" >"$work/log" 2>&1 || { cat "$work/log" >&2; echo "release.sh: $test fails with $python" >&2; exit 1; }
    done
    mypy --strict --cache-dir "$work/mypy" typed_user.py >"$work/log" || { cat "$work/log" >&2; exit 1; }
  )
  echo "$("$python" --version): installed, tested"
done
"$root/tools/docs.sh" --program "$program" --out "$build/site"
site=tensor-cts-site-$version.tar.gz
tar --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --mode=u=rwX,go=rX -C "$build" -cf - site |
  gzip -9n >"$out/$site"
(cd "$out" && sha256sum "$wheel" "$sdist" "$site" && du -h "$wheel" "$sdist" "$site")
"$root/tools/develop/package_test.sh" "$build" "$out"

#!/usr/bin/env bash
# package_test.sh BUILD [OUT]: makes the packages of a build tree for Debian, looks into them, and uses what is in them
# from a folder of its own. With OUT they are compressed, made twice and compared byte by byte, and put there.
set -euo pipefail
build=$(realpath "$1") out=${2:-}
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
SOURCE_DATE_EPOCH=${SOURCE_DATE_EPOCH:-$(git -C "$root" log -1 --format=%ct 2>/dev/null || echo 315532800)}
export SOURCE_DATE_EPOCH PYTHONDONTWRITEBYTECODE=1
fail() { echo "package_test.sh: $*" >&2; exit 1; }

# make FOLDER [OPTION ...]: the packages in FOLDER.
make() {
  (mkdir "$1" && cd "$1" && cpack --config "$build/CPackConfig.cmake" "${@:2}" >"$work/log" 2>&1) || { cat "$work/log" >&2; exit 1; }
  rm -rf "$1/_CPack_Packages"
}
if [ -n "$out" ]; then
  make "$work/made"
  make "$work/again"
  for file in "$work"/made/*.deb; do cmp "$file" "$work/again/$(basename "$file")"; done
else
  # As a user calls it: the time is that of the last commit.
  (git -C "$root" log -1 >/dev/null 2>&1 && unset SOURCE_DATE_EPOCH; make "$work/made" -D CPACK_DEBIAN_COMPRESSION_TYPE=none)
fi

# The library has the version of its interface in its name.
so=$(sed -n 's/^project(tensor-cts VERSION \([0-9]*\.[0-9]*\).*/\1/p' "$root/CMakeLists.txt")
names=$(for file in "$work"/made/*.deb; do dpkg-deb --field "$file" Package; done | sort | tr '\n' ' ')
wanted="libtensor-cts-dev libtensor-cts$so python3-tensor-cts tensor-cts "
[ ! -e "$build/site/index.html" ] || wanted+="tensor-cts-doc "
[ "$names" = "$wanted" ] || fail "found the packages $names, expected $wanted"
for file in "$work"/made/*.deb; do
  package=$(dpkg-deb --field "$file" Package)
  dpkg-deb --extract "$file" "$work/root"
  for doc in copyright changelog.gz; do
    [ -s "$work/root/usr/share/doc/$package/$doc" ] || fail "$package has no $doc"
  done
done
depends=$(dpkg-deb --field "$work"/made/tensor-cts_*.deb Depends)
grep -q 'python3.*libmpfr6' <<<"$depends" || fail "tensor-cts does not name what it needs"
# Their packages have other names elsewhere (libarchive13t64 on Debian 13).
for library in libarchive.so.13 'libicui18n.so.[0-9][0-9]'; do
  package=$(dpkg-query --search "*/$library" | head -n 1 | cut -d: -f1)
  [[ $depends =~ (^|, )$package(,|$) ]] || fail "tensor-cts does not name $package, which has $library: found $depends"
done
dpkg-deb --field "$work/made/libtensor-cts$so"_*.deb Depends | grep -q 'libmpfr6' || fail "the library does not name what it needs"

# Nothing is used here but what lies in the packages.
usr=$work/root/usr
for binary in "$usr/bin/tensor-cts" "$usr"/lib/libtensor_cts.so.*; do
  if grep -qaF -e "$root/" -e "$build/" "$binary"; then fail "$binary says where it was built"; fi
done
gzip -dc "$usr/share/man/man1/tensor-cts-check.1.gz" | grep -q 'EXIT STATUS' || fail "no manual page of check"
[ -s "$usr/share/tensor-cts/legalize/legalize.py" ] || fail "no scripts of legalize"
if [ -e "$build/site/index.html" ]; then
  diff -rq "$build/site" "$usr/share/doc/tensor-cts/html" || fail "tensor-cts-doc has not the site"
fi
cd "$work"
"$usr/bin/tensor-cts" generate --recipe "$usr/share/tensor-cts/suites/smoke.json" --operator CLZ --out suite
"$usr/bin/tensor-cts" run suite --adapter "/usr/bin/python3 $usr/share/tensor-cts/adapters/skeleton.py" --worker --out results
PATH=$usr/bin:$PATH PYTHONPATH=$usr/lib/python3/dist-packages /usr/bin/python3 -c '
import importlib.metadata, numpy, tensor_cts
assert any(e.name == "tensor-cts" for e in importlib.metadata.entry_points(group="pytest11")), "no plugin for pytest"
answer = tensor_cts.reference("EXP", input1=numpy.zeros(3, numpy.float32))
print("EXP(0):", answer.outputs["output"].value)'
# Without errors, where lintian is installed.
if command -v lintian >/dev/null; then
  suppressed=bad-distribution-in-changes-file
  [ -n "$out" ] || suppressed+=,uses-no-compression-for-data-tarball
  lintian --allow-root --fail-on error --suppress-tags "$suppressed" "$work"/made/*.deb || fail "lintian found errors"
else
  echo "not looked at by lintian, which is not installed"
fi
if [ -n "$out" ]; then
  mkdir -p "$out"
  cp "$work"/made/*.deb "$out/"
  (cd "$out" && sha256sum ./*.deb && du -h ./*.deb)
fi

# Sourced by the scripts beside it: require_packages GROUP..., make_environment NAME REQUIREMENTS.
os_release=${os_release:-/etc/os-release}

# Whether what a line of packages.txt probes for is there.
have_probe() {
  case "$1" in
    command:*) command -v "${1#command:}" >/dev/null 2>&1 ;;
    file:*) [ -e "${1#file:}" ] ;;
    header:*) [ -e "/usr/include/${1#header:}" ] || [ -e "/usr/local/include/${1#header:}" ] ||
      ls /usr/include/*/"${1#header:}" >/dev/null 2>&1 ;;
    python:*) [ -x /usr/bin/python3 ] && /usr/bin/python3 -c "import ${1#python:}" >/dev/null 2>&1 ;;
    *) echo "packages.txt: unknown probe $1" >&2; exit 2 ;;
  esac
}

# Prints the packages of the groups that are missing, each with what it provides.
missing_packages() {
  local group package probe what
  while read -r group package probe what; do
    case " $* " in *" $group "*) have_probe "$probe" || echo "$package $what" ;; esac
  done < <(grep -v '^#' "$(dirname "${BASH_SOURCE[0]}")/packages.txt" | grep -v '^ *$')
}

# The systems that have a package by this name.
systems_with() {
  case "$1" in *-14 | *-14-dev) echo "Debian 12" ;; *) echo "Debian 12 and 13" ;; esac
}

# Installs the packages of the groups that are missing. Where that is not possible, says what is
# missing and exits with 2.
require_packages() {
  local list package what missing=() described=()
  list=$(missing_packages "$@") || exit 2
  [ -n "$list" ] || return 0
  while read -r package what; do
    missing+=("$package")
    described+=("  $what (on $(systems_with "$package"): $package)")
  done <<<"$list"

  local distribution=unknown
  [ -r "$os_release" ] && distribution=$(. "$os_release" && echo "$ID-${VERSION_ID:-}")
  if [ "$distribution" != debian-12 ] && [ "$distribution" != debian-13 ]; then
    { echo "This is $distribution; packages are installed automatically on Debian 12 and 13 only."
      echo "Please install, then run the same command again:"
      printf '%s\n' "${described[@]}"; } >&2
    exit 2
  fi
  local foreign
  foreign=$(printf '%s\n' "${described[@]}" | grep -F '(on Debian 12:' || true)
  if [ "$distribution" = debian-13 ] && [ -n "$foreign" ]; then
    { echo "Debian 13 does not have these packages; run this on Debian 12:"
      echo "$foreign"; } >&2
    exit 2
  fi
  local sudo=()
  if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null 2>&1; then
      { echo "Neither root nor sudo: please have installed, then run the same command again:"
        printf '%s\n' "${described[@]}"; } >&2
      exit 2
    fi
    sudo=(sudo)
  fi
  echo "Installing: ${missing[*]}"
  local log
  log=$(mktemp)
  if ! { "${sudo[@]}" apt-get update &&
    "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
      apt-get install -y --no-install-recommends "${missing[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    echo "apt-get could not install: ${missing[*]} (the whole log: $log)" >&2
    exit 2
  fi
  rm -f "$log"
}

# A virtual environment build/pypi/NAME with what $2 names; made anew where that has changed. One pip
# serves all of them, and bytecode is made only of what is loaded: both cost more than what they
# install. To be called at the top of the sources.
make_environment() {
  local folder=build/pypi/$1
  cmp -s "$2" "$folder/requirements.txt" && return 0
  rm -rf "$folder"
  [ -x build/pypi/pip/bin/pip ] || /usr/bin/python3 -m venv build/pypi/pip
  /usr/bin/python3 -m venv --without-pip "$folder"
  build/pypi/pip/bin/pip --python "$folder/bin/python" install --quiet --disable-pip-version-check --no-compile \
    --no-deps --require-hashes -r "$2"
  cp "$2" "$folder/requirements.txt"
}

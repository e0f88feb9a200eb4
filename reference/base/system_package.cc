#include "reference/base/system_package.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "reference/base/file.h"

namespace cts {
namespace {

// os-release(5): NAME=VALUE, one a line, the value perhaps in quotes.
std::string_view ValueOf(std::string_view os_release, std::string_view name) {
  while (!os_release.empty()) {
    std::string_view line = os_release.substr(0, os_release.find('\n'));
    os_release.remove_prefix(std::min(os_release.size(), line.size() + 1));
    if (!line.starts_with(name) || line.substr(name.size(), 1) != "=") continue;
    line.remove_prefix(name.size() + 1);
    if (line.size() >= 2 && line.front() == line.back() &&
        (line.front() == '"' || line.front() == '\'')) {
      line = line.substr(1, line.size() - 2);
    }
    return line;
  }
  return "";
}

std::pair<int, int> VersionIn(std::string_view text) {
  std::pair<int, int> version = {std::numeric_limits<int>::max(), 0};
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, version.first);
  if (error == std::errc() && rest != end && *rest == '.') {
    std::from_chars(rest + 1, end, version.second);
  }
  return version;
}

}  // namespace

std::string InstallIt(const std::vector<SystemPackage>& packages, std::string_view os_release) {
  const std::string_view system = ValueOf(os_release, "ID");
  const std::pair<int, int> version = VersionIn(ValueOf(os_release, "VERSION_ID"));
  std::string_view name;
  for (const SystemPackage& each : packages) {
    if (each.system == system && each.since <= version) name = each.package;
  }
  return name.empty() ? "install it" : StrCat("install it (apt-get install ", name, ")");
}

std::string InstallIt(const std::vector<SystemPackage>& packages) {
  constexpr uint64_t kMost = 1 << 16;
  const StatusOr<std::string> os_release = ReadFile("/etc/os-release", kMost);
  return InstallIt(packages, os_release.ok() ? *os_release : "");
}

}  // namespace cts

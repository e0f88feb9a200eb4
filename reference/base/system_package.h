// The name that this system gives the package of a library, for messages that say what to install.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cts {

struct SystemPackage {
  std::string_view system;    // ID of /etc/os-release
  std::pair<int, int> since;  // VERSION_ID: 24.04 is {24, 4}
  std::string_view package;   // up to the next row of this system
};

// "install it (apt-get install libarchive13t64)", by the last of these rows that applies to the
// system; "install it" if no row applies. A system without a version, such as Debian's testing,
// counts as newer than all.
std::string InstallIt(const std::vector<SystemPackage>& packages);
std::string InstallIt(const std::vector<SystemPackage>& packages, std::string_view os_release);

}  // namespace cts

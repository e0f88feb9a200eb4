// Finds the name that the running system gives to the package of a library. Messages then tell the
// user which package to install.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cts {

struct SystemPackage {
  std::string_view system;    // ID in /etc/os-release
  std::pair<int, int> since;  // the least VERSION_ID; 24.04 is {24, 4}
  std::string_view package;   // its name from version `since` on, unless a later row applies
};

// Returns "install it (apt-get install libarchive13t64)", with the package of the last row that
// applies. A row applies if `system` is the ID of the running system, and `since` is not newer than
// the version of the running system. Returns "install it" if no row applies. A system without a
// version, such as Debian testing, counts as newer than all versions. `os_release` is the text of
// /etc/os-release.
std::string InstallIt(const std::vector<SystemPackage>& packages);
std::string InstallIt(const std::vector<SystemPackage>& packages, std::string_view os_release);

}  // namespace cts

// Finds the name of a library's package in the running system, for messages that tell the user what
// to install.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cts {

struct SystemPackage {
  std::string_view system;    // ID in /etc/os-release
  std::pair<int, int> since;  // the least VERSION_ID; 24.04 is {24, 4}
  std::string_view package;   // its name, until a later row of the system applies
};

// Returns "install it (apt-get install libarchive13t64)", with the package of the last row that
// applies to the system, or "install it" if no row applies. A system without a version, such as
// Debian testing, counts as newer than all versions.
std::string InstallIt(const std::vector<SystemPackage>& packages);
std::string InstallIt(const std::vector<SystemPackage>& packages, std::string_view os_release);

}  // namespace cts

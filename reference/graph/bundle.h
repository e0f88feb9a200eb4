// The files of a case as they lie on disk.
#pragma once

#include <filesystem>
#include <string>

#include "reference/base/status.h"

namespace cts {

// What BundleDigest says of the bundle in a folder: case.json, then every tensor file that it
// names, by path.
StatusOr<std::string> BundleDigestOnDisk(const std::filesystem::path& directory);

}  // namespace cts

// Reading and writing files so that nobody ever finds half of one.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// The whole of a regular file of at most `max_bytes`. Errors name the path, and say whether it is
// missing, not a regular file, too large or unreadable.
StatusOr<std::string> ReadFile(const std::filesystem::path& path, uint64_t max_bytes = 1ull << 31);

// Writes beside `path` and renames, so that the file is whole or absent. Creates the directory.
Status WriteFile(const std::filesystem::path& path, std::string_view bytes);

// A path inside `root` for a relative `name` out of a file that we do not trust: no absolute path,
// no `..`, no link that leaves `root`.
StatusOr<std::filesystem::path> PathInside(const std::filesystem::path& root,
                                           std::string_view name);

}  // namespace cts

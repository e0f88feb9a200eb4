// The kinds of things that have a name in the file system. If the kind cannot be found out, that is
// an error, never "nothing": a disk that fails must not read as a file that is missing.
#pragma once

#include <filesystem>

#include "reference/base/status.h"

namespace cts {

// The kind of what has this name; file_type::not_found if nothing has. Links are followed: one that
// leads nowhere is nothing. Errors are those of ReadFile: kPermissionDenied, kUnavailable.
StatusOr<std::filesystem::file_type> TypeOf(const std::filesystem::path& path);
// The same, of a link itself.
StatusOr<std::filesystem::file_type> TypeOfLink(const std::filesystem::path& path);

StatusOr<bool> Exists(const std::filesystem::path& path);
// Whether anything has this name, even a link that leads nowhere.
StatusOr<bool> IsTaken(const std::filesystem::path& path);
StatusOr<bool> IsDirectory(const std::filesystem::path& path);
StatusOr<bool> IsRegularFile(const std::filesystem::path& path);
// Whether it is a directory, or a link to one, with nothing in it.
StatusOr<bool> IsEmptyDirectory(const std::filesystem::path& path);

}  // namespace cts

// The types of file system entries: regular file, directory, link and so on. If a type cannot be
// determined, that is an error, never "not found": a failing disk must not look like a missing
// file.
#pragma once

#include <filesystem>

#include "reference/base/status.h"

namespace cts {

// The type of the entry with this path; file_type::not_found if there is no entry. TypeOf follows
// links; if a link leads nowhere, the type is not_found. An error is kPermissionDenied or
// kUnavailable.
StatusOr<std::filesystem::file_type> TypeOf(const std::filesystem::path& path);
// Like TypeOf, but does not follow links: for a link the type is file_type::symlink.
StatusOr<std::filesystem::file_type> TypeOfLink(const std::filesystem::path& path);

StatusOr<bool> Exists(const std::filesystem::path& path);
// Whether any entry has this path, even a link that leads nowhere.
StatusOr<bool> IsTaken(const std::filesystem::path& path);
StatusOr<bool> IsDirectory(const std::filesystem::path& path);
StatusOr<bool> IsRegularFile(const std::filesystem::path& path);
// Whether the path is an empty directory, or a link to an empty directory.
StatusOr<bool> IsEmptyDirectory(const std::filesystem::path& path);

}  // namespace cts

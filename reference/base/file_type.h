// The types of file system entries: regular file, directory, link and so on. A type that cannot be
// determined is an error and not file_type::not_found, so that a failing disk does not look like a
// missing file.
#pragma once

#include <filesystem>

#include "reference/base/status.h"

namespace cts {

// The type of the entry with this path: regular, directory, or unknown for any other type;
// not_found if no entry has this path. TypeOf follows links; for a broken link, the type is
// not_found. An error is kPermissionDenied or kUnavailable.
StatusOr<std::filesystem::file_type> TypeOf(const std::filesystem::path& path);
// Like TypeOf, but does not follow links: for a link the type is file_type::symlink.
StatusOr<std::filesystem::file_type> TypeOfLink(const std::filesystem::path& path);

// Whether an entry has this path. Follows links, so a broken link does not count.
StatusOr<bool> Exists(const std::filesystem::path& path);
// Whether any entry has this path, even a broken link.
StatusOr<bool> IsTaken(const std::filesystem::path& path);
// IsDirectory and IsRegularFile follow links. They return false if no entry has the path.
StatusOr<bool> IsDirectory(const std::filesystem::path& path);
StatusOr<bool> IsRegularFile(const std::filesystem::path& path);
// Whether the path is an empty directory, or a link to an empty directory.
StatusOr<bool> IsEmptyDirectory(const std::filesystem::path& path);

}  // namespace cts

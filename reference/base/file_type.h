// The kinds of things that have a name in the file system. An unknown kind is an error, never
// "nothing": a failing disk must not look like a missing file.
#pragma once

#include <filesystem>

#include "reference/base/status.h"

namespace cts {

// The kind of the thing with this name; file_type::not_found if there is nothing. Follows links: a
// link that leads nowhere counts as nothing. Errors are those of ReadFile: kPermissionDenied,
// kUnavailable.
StatusOr<std::filesystem::file_type> TypeOf(const std::filesystem::path& path);
// The same for a link itself.
StatusOr<std::filesystem::file_type> TypeOfLink(const std::filesystem::path& path);

StatusOr<bool> Exists(const std::filesystem::path& path);
// Whether something has this name, even a link that leads nowhere.
StatusOr<bool> IsTaken(const std::filesystem::path& path);
StatusOr<bool> IsDirectory(const std::filesystem::path& path);
StatusOr<bool> IsRegularFile(const std::filesystem::path& path);
// Whether it is an empty directory, or a link to one.
StatusOr<bool> IsEmptyDirectory(const std::filesystem::path& path);

}  // namespace cts

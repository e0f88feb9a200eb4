#include "reference/base/file_type.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace cts {
namespace {

namespace fs = std::filesystem;

// `examine`: stat or lstat.
StatusOr<fs::file_type> Examine(int (*examine)(const char*, struct stat*), const fs::path& path) {
  struct stat info {};
  int failed = 0;
  do {
    failed = examine(path.c_str(), &info);
  } while (failed != 0 && errno == EINTR);
  if (failed != 0) {
    const int error = errno;
    if (error == ENOENT || error == ENOTDIR || error == ELOOP || error == ENAMETOOLONG) {
      return fs::file_type::not_found;
    }
    const std::string message =
        StrCat(path.string(), ": cannot be examined: ", std::generic_category().message(error));
    if (error == EACCES) return absl::PermissionDeniedError(message);
    return Unavailable(message);
  }
  switch (info.st_mode & S_IFMT) {
    case S_IFREG:
      return fs::file_type::regular;
    case S_IFDIR:
      return fs::file_type::directory;
    case S_IFLNK:
      return fs::file_type::symlink;
    default:
      return fs::file_type::unknown;
  }
}

}  // namespace

StatusOr<fs::file_type> TypeOf(const fs::path& path) { return Examine(::stat, path); }
StatusOr<fs::file_type> TypeOfLink(const fs::path& path) { return Examine(::lstat, path); }

StatusOr<bool> Exists(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(path));
  return type != fs::file_type::not_found;
}

StatusOr<bool> IsTaken(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(path));
  return type != fs::file_type::not_found;
}

StatusOr<bool> IsDirectory(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(path));
  return type == fs::file_type::directory;
}

StatusOr<bool> IsRegularFile(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(path));
  return type == fs::file_type::regular;
}

StatusOr<bool> IsEmptyDirectory(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const bool directory, IsDirectory(path));
  if (!directory) return false;
  std::error_code error;
  const bool empty = fs::is_empty(path, error);
  if (error) return Unavailable(path.string(), ": cannot be read: ", error.message());
  return empty;
}

}  // namespace cts

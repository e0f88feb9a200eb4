// Reading and writing files. Writing replaces a file as a whole, so a reader never finds half of
// it.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// Returns the contents of a regular file of at most `max_bytes` bytes. Errors name the path, and
// say whether the file is missing, not a regular file, too large or unreadable. A file without read
// permission counts as unreadable, like a file on a broken disk: an adapter that ran as another
// user may have left it.
StatusOr<std::string> ReadFile(const std::filesystem::path& path, uint64_t max_bytes = 1ull << 31);

// Writes a temporary file beside `path` and renames it, so that an incomplete file never has the
// name `path`. Creates the directory if necessary.
Status WriteFile(const std::filesystem::path& path, std::string_view bytes);

// Returns the path inside `root` for a relative `name` from an untrusted file. Refuses an absolute
// path, `..`, and a link that leaves `root`.
StatusOr<std::filesystem::path> PathInside(const std::filesystem::path& root,
                                           std::string_view name);

// A directory with untrusted files, or a folder in a pack (pack.h) with such files. Each file is
// opened once, and its path is checked at that moment. The functions accept the same names as
// PathInside, and return the same errors.
class Folder {
 public:
  // `path` itself may be a link.
  static StatusOr<Folder> Open(const std::filesystem::path& path);
  // Opens a directory within this one.
  StatusOr<Folder> Inside(std::string_view name) const;

  // Like ReadFile. The error is kNotFound only if nothing has that name, not even a broken link.
  StatusOr<std::string> Read(std::string_view name, uint64_t max_bytes) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  class Handle;
  Folder(std::filesystem::path path, std::shared_ptr<const Handle> handle)
      : path_(std::move(path)), handle_(std::move(handle)) {}
  // Opens `name` without following any link. Returns -1 and sets errno on failure.
  int OpenWithin(std::string_view name, int flags) const;

  std::filesystem::path path_;
  std::shared_ptr<const Handle> handle_;
};

}  // namespace cts

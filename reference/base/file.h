// Reads and writes files. WriteFile replaces a whole file at once, so a reader never finds a
// half-written file.
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
// permission counts as unreadable (kUnavailable), like a file on a broken disk, since an adapter
// that ran as another user may have written the file.
StatusOr<std::string> ReadFile(const std::filesystem::path& path, uint64_t max_bytes = 1ull << 31);

// Writes a temporary file beside `path` and renames it, so that an incomplete file never has the
// name `path`. Creates missing directories of `path`.
Status WriteFile(const std::filesystem::path& path, std::string_view bytes);

// Returns the path inside `root` for a relative path `name`, which comes from an untrusted file. An
// error if `name` is empty or absolute, has a NUL byte or a part `..`, or contains a link that is
// broken or leads out of `root`.
StatusOr<std::filesystem::path> PathInside(const std::filesystem::path& root,
                                           std::string_view name);

// A directory with untrusted files, or a folder in a pack (pack.h) with such files. The functions
// accept the same names as PathInside, and return the same errors. A path without links is checked
// while the file is opened. A path with links is checked by PathInside before the file is opened.
class Folder {
 public:
  // Opens the directory, or the folder in a pack, that has this path. `path` itself may be a link.
  static StatusOr<Folder> Open(const std::filesystem::path& path);
  // Opens a directory or folder within this one.
  StatusOr<Folder> Inside(std::string_view name) const;

  // Reads a file like ReadFile. The error is kNotFound only if no entry has this name. A broken
  // link is an entry; its error is kInvalidArgument.
  StatusOr<std::string> Read(std::string_view name, uint64_t max_bytes) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  class Handle;
  Folder(std::filesystem::path path, std::shared_ptr<const Handle> handle)
      : path_(std::move(path)), handle_(std::move(handle)) {}
  // Opens `name` without following links, and returns the descriptor. On failure, returns -1 and
  // sets errno.
  int OpenWithin(std::string_view name, int flags) const;

  std::filesystem::path path_;
  std::shared_ptr<const Handle> handle_;
};

}  // namespace cts

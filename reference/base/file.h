// Reading and writing files. No reader ever finds half of a file.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// The whole of a regular file of at most `max_bytes`. Errors name the path, and say whether it is
// missing, not a regular file, too large or unreadable. A file without permission to read is
// unreadable, as on a broken disk: an adapter that ran as another user may have left it.
StatusOr<std::string> ReadFile(const std::filesystem::path& path, uint64_t max_bytes = 1ull << 31);

// Writes beside `path` and renames, so that the file is whole or absent. Creates the directory if
// necessary.
Status WriteFile(const std::filesystem::path& path, std::string_view bytes);

// A path inside `root` for a relative `name` out of an untrusted file. Refuses an absolute path,
// `..`, and a link that leaves `root`.
StatusOr<std::filesystem::path> PathInside(const std::filesystem::path& root,
                                           std::string_view name);

// A directory with untrusted files. Each file is opened once and checked while it is opened. Names
// and errors are as for PathInside.
class Folder {
 public:
  // The path itself may be a link.
  static StatusOr<Folder> Open(const std::filesystem::path& path);
  // A directory within this one.
  StatusOr<Folder> Inside(std::string_view name) const;

  // As ReadFile. kNotFound only if nothing has that name, not even a broken link.
  StatusOr<std::string> Read(std::string_view name, uint64_t max_bytes) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  class Handle;
  Folder(std::filesystem::path path, std::shared_ptr<const Handle> handle)
      : path_(std::move(path)), handle_(std::move(handle)) {}
  // Descends to `name` without following a link; -1 with errno on failure.
  int OpenWithin(std::string_view name, int flags) const;

  std::filesystem::path path_;
  std::shared_ptr<const Handle> handle_;
};

}  // namespace cts

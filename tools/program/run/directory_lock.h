// A lock on a folder, so that only one run at a time writes into it.
#pragma once

#include <filesystem>
#include <string_view>

#include "reference/base/status.h"

namespace cts {

// The text in Lock's error if another run has locked the directory.
inline constexpr std::string_view kAnotherRun = "another run writes here";

// Locks a directory for one run at a time, without a lock file.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  Status Lock(const std::filesystem::path& directory);
  // Writes all cached data of the directory's file system to disk.
  void Sync() const;

 private:
  int fd_ = -1;
};

}  // namespace cts

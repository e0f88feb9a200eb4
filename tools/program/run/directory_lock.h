// One run at a time writes into a folder.
#pragma once

#include <filesystem>

#include "reference/base/status.h"

namespace cts {

// Holds a directory for one run at a time, without a file in it.
class DirectoryLock {
 public:
  DirectoryLock() = default;
  ~DirectoryLock();
  DirectoryLock(const DirectoryLock&) = delete;
  DirectoryLock& operator=(const DirectoryLock&) = delete;

  Status Lock(const std::filesystem::path& directory);
  // Writes everything to the disk of its file system, not only to memory.
  void Sync() const;

 private:
  int fd_ = -1;
};

}  // namespace cts

#include "tools/program/run/directory_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace cts {

DirectoryLock::~DirectoryLock() {
  if (fd_ >= 0) close(fd_);
}

Status DirectoryLock::Lock(const std::filesystem::path& directory) {
  fd_ = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd_ < 0) {
    return Unavailable(directory.string(), ": cannot be opened: ", std::strerror(errno));
  }
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
    return Unavailable(directory.string(), ": ", kAnotherRun, "; wait for it to end");
  }
  return absl::OkStatus();
}

void DirectoryLock::Sync() const { syncfs(fd_); }

}  // namespace cts

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

FileLock::~FileLock() {
  if (fd_ >= 0) close(fd_);
}

Status FileLock::Lock(const std::filesystem::path& file) {
  // First without O_CREAT: in a folder such as /tmp the kernel may refuse that for the file of
  // another user. Reading is enough for a lock.
  constexpr int kHow = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK;
  fd_ = open(file.c_str(), kHow);
  if (fd_ < 0 && errno == ENOENT) fd_ = open(file.c_str(), kHow | O_CREAT, 0644);
  if (fd_ < 0) {
    return Unavailable(file.string(), ": cannot be opened for its lock: ", std::strerror(errno));
  }
  if (flock(fd_, LOCK_EX | LOCK_NB) == 0) return absl::OkStatus();
  if (errno == EWOULDBLOCK)
    return Unavailable("another run uses it, and has locked ", file.string());
  return Unavailable(file.string(), ": cannot be locked: ", std::strerror(errno));
}

void DirectoryLock::Sync() const { syncfs(fd_); }

}  // namespace cts

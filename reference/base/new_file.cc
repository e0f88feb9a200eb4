#include "reference/base/new_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "reference/base/digest.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr size_t kLongestName = 255;  // Linux, NAME_MAX
// The most processes that may write one file at a time.
constexpr int kWriters = 100;

std::string TextOf(int error) { return std::generic_category().message(error); }

// The name of the n-th that writes to the place at the same time, from 1. A name without a
// process's number: the next call finds it without reading a directory, which may be large.
fs::path BesideOf(const fs::path& place, int n) {
  const std::string begin = StrCat(".tmp-tensor-cts-", n, "-");
  std::string name = place.filename().string();
  if (begin.size() + name.size() > kLongestName) name = Sha256(name);
  return place.parent_path() / StrCat(begin, name);
}

enum class Found { kNothing, kRemains, kSomebodys };

// Removes a file of ours that no process holds.
Found ClearFile(const fs::path& path) {
  // To lock a file of NFS it must be open for writing.
  const int fd = ::open(path.c_str(), O_RDWR | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (fd < 0) return errno == ENOENT ? Found::kNothing : Found::kSomebodys;
  struct stat held = {}, there = {};
  // By now another may have removed it and made one of the same name.
  const bool dead = ::fstat(fd, &held) == 0 && S_ISREG(held.st_mode) &&
                    held.st_uid == ::geteuid() && ::flock(fd, LOCK_EX | LOCK_NB) == 0 &&
                    ::lstat(path.c_str(), &there) == 0 && there.st_dev == held.st_dev &&
                    there.st_ino == held.st_ino;
  const bool removed = dead && ::unlink(path.c_str()) == 0;
  ::close(fd);
  return removed ? Found::kRemains : Found::kSomebodys;
}

// Whether a file that was made just now is still there and ours: before it was locked, another
// process may have taken it for remains. A file system without locks does without.
bool LockNew(int fd) {
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) return false;
  struct stat info = {};
  return ::fstat(fd, &info) != 0 || info.st_nlink > 0;
}

// 0 or errno.
int WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), std::min(bytes.size(), size_t{1} << 30));
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return errno;
    if (written == 0) return ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// 0 or errno. Network file systems report a full disk where a descriptor is closed; the lock holds
// until the last of a file is.
int Flush(int fd) {
  const int other = ::fcntl(fd, F_DUPFD_CLOEXEC, 0);
  return other < 0 || ::close(other) != 0 ? errno : 0;
}

// 0 or errno.
int SyncPath(const fs::path& path) {
  const int fd = ::open(path.empty() ? "." : path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) return errno;
  const int failure = ::fsync(fd) != 0 ? errno : 0;
  ::close(fd);
  return failure;
}

// Whether the path is a name of the open file.
bool IsAt(int fd, const fs::path& path) {
  struct stat held = {}, there = {};
  return ::fstat(fd, &held) == 0 && ::lstat(path.c_str(), &there) == 0 &&
         there.st_dev == held.st_dev && there.st_ino == held.st_ino;
}

}  // namespace

StatusOr<NewFile> NewFile::Beside(const fs::path& place, unsigned mode) {
  fs::path beside;
  int fd = -1, n = 1, failure = EEXIST;
  for (bool again = false; fd < 0 && n <= kWriters;) {
    beside = BesideOf(place, n);
    fd = ::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    if (fd >= 0) {
      if (LockNew(fd)) break;
      ::close(fd);
      fd = -1;
      continue;
    }
    failure = errno;
    if (failure == EINTR) continue;
    if (failure != EEXIST) break;
    // A file that came again belongs to a living process.
    if (again || ClearFile(beside) == Found::kSomebodys) {
      ++n;
      again = false;
    } else {
      again = true;
    }
  }
  if (fd < 0) {
    const fs::path parent = place.parent_path();
    return Unavailable(place.string(), ": cannot create a file in ",
                       parent.empty() ? "." : parent.string(), ": ", TextOf(failure));
  }
  NewFile file(place, std::move(beside), fd);
  while (++n <= kWriters && ClearFile(BesideOf(place, n)) != Found::kNothing) {
  }
  return file;
}

NewFile::~NewFile() {
  if (!beside_.empty()) ::unlink(beside_.c_str());
  if (fd_ >= 0) ::close(fd_);
}

Status NewFile::Put(std::string_view bytes, bool keep) {
  int failure = WriteAll(fd_, bytes);
  if (failure == 0) failure = Flush(fd_);
  if (failure == 0 && keep && ::link(beside_.c_str(), place_.c_str()) != 0) failure = errno;
  if (failure == 0 && !keep && ::rename(beside_.c_str(), place_.c_str()) != 0) failure = errno;
  if (failure != 0) {
    return Unavailable(place_.string(), ": cannot write ", bytes.size(),
                       " bytes: ", TextOf(failure));
  }
  if (!keep) beside_.clear();  // with a link, it has two names until the end
  return absl::OkStatus();
}

Status NewFile::PutForGood(std::string_view bytes) {
  int failure = WriteAll(fd_, bytes);
  if (failure == 0 && ::fsync(fd_) != 0) failure = errno;
  if (failure == 0) failure = Flush(fd_);
  // A network file system may lose the reply to a request that succeeded, or repeat the request and
  // then find the link there.
  if (failure == 0 && ::link(beside_.c_str(), place_.c_str()) != 0) {
    failure = errno;
    if (IsAt(fd_, place_)) failure = 0;
    if (failure == EEXIST) {
      return absl::AlreadyExistsError(StrCat(place_.string(), ": exists already"));
    }
  }
  if (failure != 0) {
    return Unavailable(place_.string(), ": cannot write ", bytes.size(),
                       " bytes: ", TextOf(failure));
  }
  failure = SyncPath(place_.parent_path());
  if (failure == 0) return absl::OkStatus();
  return absl::DataLossError(StrCat(
      place_.string(), ": was written, but may not outlast a power failure: ", TextOf(failure)));
}

Status SyncToDisk(const fs::path& path) {
  const int failure = SyncPath(path);
  if (failure == 0) return absl::OkStatus();
  return Unavailable(path.string(), ": cannot be synced to the disk: ", TextOf(failure));
}

}  // namespace cts

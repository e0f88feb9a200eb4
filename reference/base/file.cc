#include "reference/base/file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <system_error>

namespace cts {
namespace {

namespace fs = std::filesystem;

std::string ErrorText(int error) { return std::generic_category().message(error); }

// A file descriptor, closed at the end.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;

  int get() const { return fd_; }
  // Closes now; network file systems report a full disk only here.
  bool Close() {
    const int fd = fd_;
    fd_ = -1;
    return ::close(fd) == 0;
  }

 private:
  int fd_;
};

// Creates a file that did not exist, beside its destination. Sets `path`, returns -1 with errno.
int CreateTemporary(const fs::path& directory, fs::path* path) {
  static std::atomic<uint64_t> counter{0};
  while (true) {
    *path = directory / StrCat(".tmp-", ::getpid(), "-", counter.fetch_add(1));
    const int fd = ::open(path->c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    // A process of the same number may have died here before.
    if (fd >= 0 || errno != EEXIST) return fd;
  }
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

bool IsInside(const fs::path& root, const fs::path& path) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

}  // namespace

StatusOr<std::string> ReadFile(const fs::path& path, uint64_t max_bytes) {
  // O_NONBLOCK: a named pipe must not keep us waiting for a writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  if (file.get() < 0) {
    if (errno == ENOENT) return NotFound(path.string(), ": no such file");
    return Unavailable(path.string(), ": cannot be opened: ", ErrorText(errno));
  }
  struct stat info {};
  if (::fstat(file.get(), &info) != 0) {
    return Unavailable(path.string(), ": cannot be examined: ", ErrorText(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument(path.string(), ": found ",
                           S_ISDIR(info.st_mode) ? "a directory" : "a special file",
                           ", expected a regular file");
  }
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size > max_bytes) {
    return InvalidArgument(path.string(), ": found ", size, " bytes, expected at most ", max_bytes);
  }
  std::string bytes(size, '\0');
  uint64_t done = 0;
  while (done < size) {
    const ssize_t got = ::read(file.get(), bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unavailable(path.string(), ": cannot be read: ", ErrorText(errno));
    if (got == 0) break;
    done += static_cast<uint64_t>(got);
  }
  char more = 0;
  if (done != size || ::read(file.get(), &more, 1) > 0) {
    return Unavailable(path.string(), ": changed its size while being read; is it still written?");
  }
  return bytes;
}

Status WriteFile(const fs::path& path, std::string_view bytes) {
  if (!path.has_filename()) {
    return InvalidArgument("'", path.string(), "': expected the path of a file");
  }
  const fs::path directory = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::error_code error;
  fs::create_directories(directory, error);
  if (error) {
    return Unavailable(path.string(), ": cannot create directory ", directory.string(), ": ",
                       error.message());
  }
  fs::path temporary;
  Descriptor file(CreateTemporary(directory, &temporary));
  if (file.get() < 0) {
    return Unavailable(path.string(), ": cannot create a file in ", directory.string(), ": ",
                       ErrorText(errno));
  }
  int failure = WriteAll(file.get(), bytes);
  if (!file.Close() && failure == 0) failure = errno;
  if (failure == 0 && ::rename(temporary.c_str(), path.c_str()) != 0) failure = errno;
  if (failure == 0) return absl::OkStatus();
  ::unlink(temporary.c_str());
  return Unavailable(path.string(), ": cannot write ", bytes.size(),
                     " bytes: ", ErrorText(failure));
}

StatusOr<fs::path> PathInside(const fs::path& root, std::string_view name) {
  const fs::path relative(name);
  if (name.empty() || name.find('\0') != std::string_view::npos || relative.is_absolute()) {
    return InvalidArgument("path '", name, "': expected a relative path inside ", root.string());
  }
  std::error_code error;
  fs::path real_root = fs::weakly_canonical(fs::absolute(root, error), error);
  if (error) return Unavailable(root.string(), ": cannot be resolved: ", error.message());
  if (!real_root.has_filename()) real_root = real_root.parent_path();
  fs::path place = real_root;
  for (const fs::path& part : relative) {
    if (part == "..") {
      return InvalidArgument("path '", name, "': found '..', expected a path inside ",
                             root.string());
    }
    if (part.empty() || part == ".") continue;
    place /= part;
    if (!fs::is_symlink(fs::symlink_status(place, error))) continue;
    place = fs::canonical(place, error);
    if (error || !IsInside(real_root, place)) {
      return InvalidArgument("path '", name, "': found the link '", part.string(), "' that ",
                             error ? "leads nowhere" : "leaves the directory",
                             ", expected a path inside ", root.string());
    }
  }
  return (root / relative).lexically_normal();
}

}  // namespace cts

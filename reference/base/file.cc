#include "reference/base/file.h"

#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <mutex>
#include <new>
#include <system_error>

#include "reference/base/new_file.h"
#include "reference/base/out_of_memory.h"
#include "reference/base/pack.h"

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

 private:
  const int fd_;
};

bool IsInside(const fs::path& root, const fs::path& path) {
  return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

// The bytes of an open file. `path` is its place, made only for messages.
template <class MakePath>
StatusOr<std::string> ReadOpened(int fd, const MakePath& path, uint64_t max_bytes) {
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    return Unavailable(path().string(), ": cannot be examined: ", ErrorText(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument(path().string(), ": found ",
                           S_ISDIR(info.st_mode) ? "a directory" : "a special file",
                           ", expected a regular file");
  }
  const uint64_t size = static_cast<uint64_t>(info.st_size);
  if (size > max_bytes) {
    return InvalidArgument(path().string(), ": found ", size, " bytes, expected at most ",
                           max_bytes);
  }
  std::string bytes;
  try {
    bytes.resize(size);
  } catch (const std::bad_alloc&) {
    return OutOfMemory(StrCat(path().string(), ": cannot be read, it has ", size, " bytes"));
  }
  uint64_t done = 0;
  char more = 0;
  while (true) {
    // The last read asks for a byte beyond the end.
    const bool whole = done == size;
    const ssize_t got = whole ? ::read(fd, &more, 1) : ::read(fd, bytes.data() + done, size - done);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unavailable(path().string(), ": cannot be read: ", ErrorText(errno));
    if (whole && got == 0) return bytes;
    if (whole || got == 0) {
      return Unavailable(path().string(),
                         ": changed its size while being read; is it still written?");
    }
    done += static_cast<uint64_t>(got);
  }
}

// Network file systems may end `open` for a signal.
template <class Open>
int OpenAgain(Open open) {
  int fd = 0;
  do {
    fd = open();
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// O_NONBLOCK: a named pipe must not keep us waiting for a writer.
constexpr int kReadFlags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY;

Status CannotOpen(const fs::path& path, int error) {
  if (error == ENOENT) return NotFound(path.string(), ": no such file");
  // These errors come from the file that was put there: a link to itself, a socket.
  if (error == ELOOP || error == ENOTDIR || error == ENXIO) {
    return InvalidArgument(path.string(), ": cannot be opened: ", ErrorText(error));
  }
  return Unavailable(path.string(), ": cannot be opened: ", ErrorText(error));
}

// Says what is wrong with the name of a file within `root`, apart from links.
Status CheckRelative(const fs::path& root, std::string_view name) {
  if (name.empty() || name.find('\0') != std::string_view::npos || name.front() == '/') {
    return InvalidArgument("path '", name, "': expected a relative path inside ", root.string());
  }
  for (size_t at = 0; at < name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    if (name.substr(at, end - at) == "..") {
      return InvalidArgument("path '", name, "': found '..', expected a path inside ",
                             root.string());
    }
    at = end + 1;
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<std::string> ReadFile(const fs::path& path, uint64_t max_bytes) {
  const Descriptor file(OpenAgain([&] { return ::open(path.c_str(), kReadFlags); }));
  if (file.get() < 0) return CannotOpen(path, errno);
  return ReadOpened(
      file.get(), [&] { return path; }, max_bytes);
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
  CTS_ASSIGN_OR_RETURN(NewFile file, NewFile::Beside(path));
  return file.Put(bytes);
}

StatusOr<fs::path> PathInside(const fs::path& root, std::string_view name) {
  CTS_RETURN_IF_ERROR(CheckRelative(root, name));
  const fs::path relative(name);
  std::error_code error;
  fs::path real_root = fs::weakly_canonical(fs::absolute(root, error), error);
  if (error) return Unavailable(root.string(), ": cannot be resolved: ", error.message());
  if (!real_root.has_filename()) real_root = real_root.parent_path();
  fs::path place = real_root;
  for (const fs::path& part : relative) {
    if (part.empty() || part == ".") continue;
    place /= part;
    const fs::file_status status = fs::symlink_status(place, error);
    if (status.type() == fs::file_type::none) {
      return Unavailable((root / relative).string(), ": cannot be resolved: ", error.message());
    }
    if (!fs::is_symlink(status)) continue;
    place = fs::canonical(place, error);
    const bool leads_nowhere = error == std::errc::no_such_file_or_directory ||
                               error == std::errc::not_a_directory ||
                               error == std::errc::too_many_symbolic_link_levels;
    if (error && !leads_nowhere) {
      return Unavailable((root / relative).string(), ": cannot be resolved: ", error.message());
    }
    if (error || !IsInside(real_root, place)) {
      return InvalidArgument("path '", name, "': found the link '", part.string(), "' that ",
                             error ? "leads nowhere" : "leaves the directory",
                             ", expected a path inside ", root.string());
    }
  }
  return (root / relative).lexically_normal();
}

// A directory, or a folder within a pack.
class Folder::Handle {
 public:
  explicit Handle(int fd) : descriptor_(fd) {}
  Handle(std::shared_ptr<const Pack> pack, std::string prefix)
      : descriptor_(-1), pack_(std::move(pack)), prefix_(std::move(prefix)) {}

  int fd() const { return descriptor_.get(); }
  const std::shared_ptr<const Pack>& pack() const { return pack_; }
  // The name in the pack of a name in this folder.
  std::string Packed(std::string_view name) const {
    return prefix_.empty() ? std::string(name) : StrCat(prefix_, "/", name);
  }

  // The pack that holds `name` of this directory, found once. kNotFound if there is none.
  StatusOr<std::shared_ptr<const Pack>> PackOf(const fs::path& directory,
                                               std::string_view name) const {
    const std::string first(name.substr(0, name.find('/')));
    const std::lock_guard<std::mutex> lock(mutex_);
    if (const auto known = packs_.find(first); known != packs_.end()) return known->second;
    // What a folder lacks is not taken from a pack beside it.
    struct stat info {};
    if (fstatat(descriptor_.get(), first.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0) {
      return NotFound((directory / name).string(), ": no such file");
    }
    CTS_ASSIGN_OR_RETURN(auto pack, Pack::Open(directory / StrCat(first, kPackSuffix)));
    packs_.emplace(first, pack);
    return pack;
  }

 private:
  Descriptor descriptor_;
  std::shared_ptr<const Pack> pack_;
  std::string prefix_;
  mutable std::mutex mutex_;  // of packs_
  mutable std::map<std::string, std::shared_ptr<const Pack>> packs_;
};

namespace {

// A folder that a pack holds: SUITE/abs or SUITE/abs/case, of SUITE/abs.tar. kNotFound if there is
// none. A tar beside something else than a suite or results is no pack.
struct PackedFolder {
  std::shared_ptr<const Pack> pack;
  std::string name;
};
StatusOr<PackedFolder> FindPacked(const fs::path& path) {
  fs::path folder = path.lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path();
  std::string name = folder.filename().string();
  for (int level = 0; level < 2 && folder.has_filename(); ++level) {
    const fs::path root = folder.parent_path();
    std::error_code error;
    if (fs::exists(root / "suite.json", error) || fs::exists(root / "run.json", error)) {
      CTS_ASSIGN_OR_RETURN(auto pack, Pack::Open(folder.string() + std::string(kPackSuffix)));
      if (pack->HasFolder(name)) return PackedFolder{std::move(pack), std::move(name)};
      return NotFound(pack->path().string(), ": ", name, ": no such folder");
    }
    folder = root;
    name = StrCat(folder.filename().string(), "/", name);
  }
  return NotFound(path.string(), ": no such folder");
}

}  // namespace

StatusOr<Folder> Folder::Open(const fs::path& path) {
  const int fd = OpenAgain([&] { return ::open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC); });
  if (fd >= 0) return Folder(path, std::make_shared<const Handle>(fd));
  const int failure = errno;
  if (failure == ENOENT) {
    StatusOr<PackedFolder> packed = FindPacked(path);
    if (packed.ok()) {
      return Folder(
          path, std::make_shared<const Handle>(std::move(packed->pack), std::move(packed->name)));
    }
    if (!absl::IsNotFound(packed.status())) return packed.status();
  }
  return CannotOpen(path, failure);
}

int Folder::OpenWithin(std::string_view name, int flags) const {
  // One call, if the kernel has it (Linux 5.6) and allows it.
  struct open_how how {};
  how.flags = static_cast<uint64_t>(flags);
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS;
  const std::string whole(name);
  int fd =
      static_cast<int>(::syscall(SYS_openat2, handle_->fd(), whole.c_str(), &how, sizeof(how)));
  if (fd >= 0 || errno == ENOENT || errno == ELOOP || errno == ENOTDIR) return fd;
  fd = handle_->fd();
  while (true) {
    while (name.starts_with('/')) name.remove_prefix(1);
    const size_t slash = name.find('/');
    const std::string part(name.empty() ? "." : name.substr(0, slash));
    const bool last = slash == std::string_view::npos;
    const int next = OpenAgain([&] {
      return ::openat(fd, part.c_str(),
                      O_NOFOLLOW | (last ? flags : O_PATH | O_DIRECTORY | O_CLOEXEC));
    });
    const int error = errno;
    if (fd != handle_->fd()) ::close(fd);
    errno = error;
    if (next < 0 || last) return next;
    fd = next;
    name.remove_prefix(slash + 1);
  }
}

StatusOr<Folder> Folder::Inside(std::string_view name) const {
  CTS_RETURN_IF_ERROR(CheckRelative(path_, name));
  fs::path path = path_ / name;
  std::shared_ptr<const Pack> pack = handle_->pack();
  if (pack == nullptr) {
    const int fd = OpenWithin(name, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) return Folder(std::move(path), std::make_shared<const Handle>(fd));
    const int failure = errno;
    if (failure == ENOENT) {
      auto found = handle_->PackOf(path_, name);
      if (!found.ok() && !absl::IsNotFound(found.status())) return found.status();
      if (found.ok()) pack = *std::move(found);
    }
    if (pack == nullptr && failure != ELOOP && failure != ENOTDIR) return CannotOpen(path, failure);
  }
  if (pack != nullptr) {
    std::string packed = handle_->Packed(name);
    if (!pack->HasFolder(packed)) return CannotOpen(path, ENOENT);
    return Folder(std::move(path),
                  std::make_shared<const Handle>(std::move(pack), std::move(packed)));
  }
  // A link, or no directory.
  CTS_RETURN_IF_ERROR(PathInside(path_, name).status());
  return Open(path);
}

StatusOr<std::string> Folder::Read(std::string_view name, uint64_t max_bytes) const {
  CTS_RETURN_IF_ERROR(CheckRelative(path_, name));
  const auto path = [&] { return path_ / name; };
  if (handle_->pack() != nullptr)
    return handle_->pack()->ReadFile(handle_->Packed(name), max_bytes);
  const Descriptor file(OpenWithin(name, kReadFlags));
  if (file.get() >= 0) return ReadOpened(file.get(), path, max_bytes);
  if (errno == ENOENT) {
    const auto pack = handle_->PackOf(path_, name);
    if (pack.ok()) return (*pack)->ReadFile(name, max_bytes);
    if (!absl::IsNotFound(pack.status())) return pack.status();
    return CannotOpen(path(), ENOENT);
  }
  if (errno != ELOOP && errno != ENOTDIR) return CannotOpen(path(), errno);
  CTS_RETURN_IF_ERROR(PathInside(path_, name).status());
  return ReadFile(path(), max_bytes);
}

}  // namespace cts

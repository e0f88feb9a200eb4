#include "tools/program/certify/archive.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <system_error>

#include "checker/evidence/evidence.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// The files of evidence beside suite/ and results/.
constexpr std::array kFiles = {kClaimFile,
                               kSumsFile,
                               kSizesFile,
                               kAnswersFile,
                               kCertificateFile,
                               kFailureFile,
                               std::string_view("report.json"),
                               std::string_view("report.txt"),
                               std::string_view("report.html")};

// NAME_MAX, and PATH_MAX less a folder to unpack to: more cannot be a file.
constexpr size_t kLongestPart = 255;
constexpr size_t kLongestPath = 3000;

std::string ErrorText(int error) { return std::generic_category().message(error); }

thread_local int libarchive_scopes = 0;

// exit() runs this on the thread that called it.
void EndWithoutVerdict() {
  if (libarchive_scopes == 0) return;
  constexpr std::string_view kMessage =
      "tensor-cts: not enough memory; free some, or allow more (ulimit -v)\n";
  while (::write(2, kMessage.data(), kMessage.size()) < 0 && errno == EINTR) {
  }
  ::_exit(2);
}

}  // namespace

std::string FaultOfEntryName(std::string_view name) {
  if (name.empty()) return "found no name";
  if (!std::all_of(name.begin(), name.end(), [](char c) { return c > ' ' && c <= '~'; })) {
    return "found characters beyond printable ASCII in its name";
  }
  if (name.size() > kLongestPath) return "found a path of more than 3000 bytes";
  if (name.front() == '/') return "found an absolute path";
  for (size_t at = 0; at <= name.size();) {
    const size_t end = std::min(name.find('/', at), name.size());
    const std::string_view part = name.substr(at, end - at);
    if (part.size() > kLongestPart) return "found a name of more than 255 bytes in its path";
    if (part == "..") return "found '..' in its path";
    if (part.empty() || part == ".") return "found a path that is not in its shortest form";
    at = end + 1;
  }
  const size_t folder = kArchiveFolder.size();
  if (name.starts_with(kArchiveFolder) && name.substr(folder).starts_with('/')) {
    const std::string_view inside = name.substr(folder + 1);
    if (Contains(kFiles, inside)) return "";
    const size_t challenge = kChallengeFolder.size();
    if (inside.starts_with(kChallengeFolder) && inside.substr(challenge).starts_with('/') &&
        Contains(kChallengeFiles, inside.substr(challenge + 1))) {
      return "";
    }
    if (inside.starts_with("suite/") || inside.starts_with("results/")) return "";
  }
  return "found a file that is no part of evidence";
}

StatusOr<PlainFile> PlainFile::Open(const fs::path& path) {
  int fd = 0;
  do {
    // O_NONBLOCK: a named pipe must not keep us waiting for a writer.
    fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return Unavailable(path.string(), ": cannot be opened: ", ErrorText(errno));
  PlainFile file(path, 0, fd);
  struct stat info {};
  if (::fstat(fd, &info) != 0) {
    return Unavailable(path.string(), ": cannot be examined: ", ErrorText(errno));
  }
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument(path.string(), ": expected a regular file");
  }
  file.size_ = static_cast<uint64_t>(info.st_size);
  return file;
}

StatusOr<PlainFile> PlainFile::Create(const fs::path& path) {
  int fd = 0;
  do {
    fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666);
  } while (fd < 0 && errno == EINTR);
  if (fd < 0) return Unavailable(path.string(), ": cannot be created: ", ErrorText(errno));
  return PlainFile(path, 0, fd);
}

PlainFile::~PlainFile() {
  if (fd_ >= 0) ::close(fd_);
}

StatusOr<size_t> PlainFile::Read(char* bytes, size_t size) {
  while (true) {
    const ssize_t got = ::read(fd_, bytes, size);
    if (got >= 0) return static_cast<size_t>(got);
    if (errno != EINTR) {
      return Unavailable(path_.string(), ": cannot be read: ", ErrorText(errno));
    }
  }
}

Status PlainFile::Write(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      return Unavailable(path_.string(),
                         ": cannot be written: ", ErrorText(written < 0 ? errno : ENOSPC));
    }
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return absl::OkStatus();
}

Status PlainFile::Close() {
  // Network file systems report a full disk only here.
  if (::close(std::exchange(fd_, -1)) == 0) return absl::OkStatus();
  return Unavailable(path_.string(), ": cannot be written: ", ErrorText(errno));
}

LibarchiveScope::LibarchiveScope() {
  [[maybe_unused]] static const int registered = std::atexit(EndWithoutVerdict);
  ++libarchive_scopes;
}

LibarchiveScope::~LibarchiveScope() { --libarchive_scopes; }

}  // namespace cts

// Evidence as one file: a tar archive, compressed by Zstandard. This header has the form that
// pack.h and unpack.h share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include "reference/base/status.h"

namespace cts {

inline constexpr std::string_view kArchiveSuffix = ".tar.zst";
// The folder that every file of an archive lies in, so that `tar -xf` makes one folder.
inline constexpr std::string_view kArchiveFolder = "evidence";
// The distance that the compressed data refer back, in bits: 128 MiB, the most that zstd unpacks
// unasked.
inline constexpr int kArchiveWindowLog = 27;

// The most bytes that an archive of `packed` bytes may unpack to. Digests do not compress: evidence
// unpacks to four times its size, and a bomb to ten thousand times.
constexpr uint64_t MostUnpacked(uint64_t packed) {
  constexpr uint64_t kTimes = 100;
  constexpr uint64_t kAlways = uint64_t{1} << 26;
  return packed > (UINT64_MAX - kAlways) / kTimes ? UINT64_MAX : packed * kTimes + kAlways;
}

// Says what is wrong with the name of a file within an archive of evidence; empty if nothing is.
std::string FaultOfEntryName(std::string_view name);

// A file that is read or written piece by piece. Errors name it.
class PlainFile {
 public:
  // A regular file.
  static StatusOr<PlainFile> Open(const std::filesystem::path& path);
  // A new file: nothing has this name yet.
  static StatusOr<PlainFile> Create(const std::filesystem::path& path);
  PlainFile(PlainFile&& other) noexcept
      : path_(std::move(other.path_)), size_(other.size_), fd_(std::exchange(other.fd_, -1)) {}
  PlainFile& operator=(PlainFile&&) = delete;
  ~PlainFile();

  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }  // as it was when it was opened

  // The number of bytes read; 0 at the end.
  StatusOr<size_t> Read(char* bytes, size_t size);
  Status Write(std::string_view bytes);
  // Says whether all written bytes have arrived.
  Status Close();

 private:
  PlainFile(std::filesystem::path path, uint64_t size, int fd)
      : path_(std::move(path)), size_(size), fd_(fd) {}

  std::filesystem::path path_;
  uint64_t size_;
  int fd_;
};

// While one lives, a lack of memory in libarchive ends the program with exit code 2. libarchive
// itself calls exit(1), which would be a verdict.
class LibarchiveScope {
 public:
  LibarchiveScope();
  LibarchiveScope(const LibarchiveScope&) = delete;
  LibarchiveScope& operator=(const LibarchiveScope&) = delete;
  ~LibarchiveScope();
};

}  // namespace cts

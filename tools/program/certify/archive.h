// Evidence as one file: a tar archive, compressed by Zstandard. This header defines what pack.h and
// unpack.h share.
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
// The folder that contains every file of an archive, so that `tar -xf` makes one folder.
inline constexpr std::string_view kArchiveFolder = "evidence";
// The base-2 logarithm of the compression's window size: 128 MiB, the largest window that zstd
// accepts without an option.
inline constexpr int kArchiveWindowLog = 27;

// The most bytes that may be unpacked from an archive of `packed` bytes. Evidence contains digests,
// which do not compress; its unpacked size is about four times the size of the archive. The
// unpacked size of a decompression bomb is ten thousand times the size of the archive.
constexpr uint64_t MostUnpacked(uint64_t packed) {
  constexpr uint64_t kTimes = 100;
  constexpr uint64_t kAlways = uint64_t{1} << 26;
  return packed > (UINT64_MAX - kAlways) / kTimes ? UINT64_MAX : packed * kTimes + kAlways;
}

// Says what is wrong with the name of a file in an archive of evidence; returns an empty text if
// the name is valid.
std::string FaultOfEntryName(std::string_view name);

// A file that is read or written piece by piece. Errors name the file.
class PlainFile {
 public:
  // Opens a regular file.
  static StatusOr<PlainFile> Open(const std::filesystem::path& path);
  // Creates a new file; no file of this name may exist.
  static StatusOr<PlainFile> Create(const std::filesystem::path& path);
  PlainFile(PlainFile&& other) noexcept
      : path_(std::move(other.path_)), size_(other.size_), fd_(std::exchange(other.fd_, -1)) {}
  PlainFile& operator=(PlainFile&&) = delete;
  ~PlainFile();

  const std::filesystem::path& path() const { return path_; }
  uint64_t size() const { return size_; }  // the size when the file was opened

  // Returns the number of bytes read; 0 at the end of the file.
  StatusOr<size_t> Read(char* bytes, size_t size);
  Status Write(std::string_view bytes);
  // Returns an error if a written byte could not be stored.
  Status Close();

 private:
  PlainFile(std::filesystem::path path, uint64_t size, int fd)
      : path_(std::move(path)), size_(size), fd_(fd) {}

  std::filesystem::path path_;
  uint64_t size_;
  int fd_;
};

// While an object of this class exists, the program ends with exit code 2 if libarchive runs out of
// memory. libarchive itself calls exit(1), but exit code 1 is a verdict of the program.
class LibarchiveScope {
 public:
  LibarchiveScope();
  LibarchiveScope(const LibarchiveScope&) = delete;
  LibarchiveScope& operator=(const LibarchiveScope&) = delete;
  ~LibarchiveScope();
};

}  // namespace cts

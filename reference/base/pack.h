// A pack is one tar file in place of a folder with many small files, such as SUITE/abs.tar in place
// of SUITE/abs. The pack contains the files uncompressed, so that each file can be read without the
// others.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "reference/base/status.h"

namespace cts {

inline constexpr std::string_view kPackSuffix = ".tar";

// The header of a file takes one block, and the contents of the file are padded to whole blocks. A
// pack ends with two blocks of zeros. kPackBlock is the size of a block in bytes. kPackEnd is the
// size of the last two blocks in bytes.
inline constexpr uint64_t kPackBlock = 512;
inline constexpr uint64_t kPackEnd = 2 * kPackBlock;

// Returns the bytes of one file in a pack: the header, the contents, and zeros up to a whole block.
// The same name and contents give the same bytes. An error in two cases: the name is too long for
// the format or is not a relative path of printable ASCII characters; the contents have 8 GiB or
// more.
StatusOr<std::string> PackedFile(std::string_view name, std::string_view contents);

// Writes a pack piece by piece, so that a file may be larger than memory.
class PackWriter {
 public:
  // Receives the bytes of the pack, in order. The writer collects bytes, so that calls are rare.
  using Sink = std::function<Status(std::string_view)>;
  explicit PackWriter(Sink sink) : sink_(std::move(sink)) {}

  // Begins a file of `size` bytes. Add appends bytes to the file. End returns an error unless the
  // file has `size` bytes.
  Status Begin(std::string_view name, uint64_t size);
  Status Add(std::string_view piece);
  Status End();
  // Passes all bytes that are still buffered to the sink.
  Status Flush();

  // The number of bytes of the pack so far, buffered bytes included. Right after Begin, this number
  // is the offset of the file's contents in the pack.
  uint64_t at() const { return at_; }

 private:
  Status Put(std::string_view bytes);

  const Sink sink_;
  std::string name_, waiting_;
  uint64_t at_ = 0, size_ = 0, added_ = 0;
};

// Writes a new pack to disk.
class PackFile {
 public:
  PackFile() = default;
  ~PackFile();
  PackFile(const PackFile&) = delete;

  // Creates the file; replaces an existing file.
  Status Create(const std::filesystem::path& path);
  PackWriter& writer() { return writer_; }
  // Writes the two blocks of zeros and closes the file. A file without these blocks is not a pack.
  Status Close();

 private:
  Status Write(std::string_view bytes) const;

  std::filesystem::path path_;
  int fd_ = -1;
  PackWriter writer_{[this](std::string_view bytes) { return Write(bytes); }};
};

// A file in a pack. `offset` is the position of its contents in the pack. A header has only the
// name and the size, so ReadPackedHeader sets `offset` to 0. ReadPackedHeader returns an error
// unless the header is exactly as PackedFile writes it.
struct PackedEntry {
  std::string name;
  uint64_t offset = 0, size = 0;
};
StatusOr<PackedEntry> ReadPackedHeader(const std::array<char, kPackBlock>& block);
// The number of bytes that the contents of a file of this size take, padding included.
uint64_t PackedSize(uint64_t size);

// An open, untrusted pack. Each header must be exactly as PackedFile writes it. The pack is read
// and not mapped into memory: if another process shortened a mapped pack, the program would be
// killed.
class Pack {
 public:
  struct File {
    uint64_t offset = 0, size = 0;
  };

  // Reads the pack from the descriptor `fd`, and takes ownership of `fd`. `path` appears in
  // messages only. Every file name must be below `folder` and occur only once, and no name may be
  // both a file and a folder.
  static StatusOr<std::shared_ptr<const Pack>> Read(int fd, const std::filesystem::path& path,
                                                    std::string_view folder);
  // Opens the pack at `path`. If the file at `path` is X.tar, every name in the pack must begin
  // with "X/". A limited number of open packs is cached. If the file at `path` has changed, Open
  // reads the new file.
  static StatusOr<std::shared_ptr<const Pack>> Open(const std::filesystem::path& path);

  Pack(const Pack&) = delete;
  ~Pack();

  const std::filesystem::path& path() const { return path_; }
  bool HasFolder(std::string_view name) const { return folders_.count(std::string(name)) > 0; }
  const File* Find(std::string_view name) const;
  // The names of all files, in ascending order.
  std::vector<std::string> Names() const;
  // The names of the files and folders directly in `folder`, in ascending order.
  std::vector<std::string> NamesIn(std::string_view folder) const;
  // Reads a file like cts::ReadFile. The error is kNotFound if the pack has no file or folder of
  // this name.
  StatusOr<std::string> ReadFile(std::string_view name, uint64_t max_bytes) const;
  // Passes the bytes of a file of this pack to `take`, piece by piece. Stops if `take` returns an
  // error, and returns this error.
  Status ReadPieces(const File& file, const std::function<Status(std::string_view)>& take) const;

 private:
  Pack(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  Status ReadIndex(std::string_view folder);
  StatusOr<std::array<char, kPackBlock>> ReadBlock(uint64_t at) const;
  Status AddName(std::string name, std::string_view folder, const File& file);
  void AddToFolder(std::string_view name);

  const int fd_;
  const std::filesystem::path path_;
  std::unordered_map<std::string, File> files_;
  std::unordered_map<std::string, std::vector<std::string>> folders_;  // names in each folder
};

// Lists the files in `bytes`. `bytes` must consist of results of PackedFile, one after the other,
// without the two blocks that end a pack. For tests, fuzzing, and packs that are still being
// written.
StatusOr<std::vector<PackedEntry>> EntriesOfPacked(std::string_view bytes);

}  // namespace cts

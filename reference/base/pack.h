// A pack is one tar file in place of a folder of many small files: SUITE/abs.tar in place of
// SUITE/abs. It holds the files unchanged, so that each can be read by itself.
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

// A header takes one block, and the contents of a file are padded to whole blocks. Two blocks of
// zeros end a pack. In bytes, kPackBlock is the size of a block, and kPackEnd the size of the two
// blocks at the end.
inline constexpr uint64_t kPackBlock = 512;
inline constexpr uint64_t kPackEnd = 2 * kPackBlock;

// The bytes of one file in a pack: its header, its contents, and zeros up to a whole block. The
// same name and contents give the same bytes. An error if the name is too long for the format, or
// is not a path within a folder.
StatusOr<std::string> PackedFile(std::string_view name, std::string_view contents);

// Writes a pack piece by piece, so that a file may be larger than memory.
class PackWriter {
 public:
  // Receives the bytes of the pack in order, many at a time.
  using Sink = std::function<Status(std::string_view)>;
  explicit PackWriter(Sink sink) : sink_(std::move(sink)) {}

  // Begins a file of `size` bytes. Add appends bytes, and End checks their number.
  Status Begin(std::string_view name, uint64_t size);
  Status Add(std::string_view piece);
  Status End();
  // Passes all bytes that are still buffered to the sink.
  Status Flush();

  // The number of bytes written so far. After Begin this is the offset of the file's first byte.
  uint64_t at() const { return at_; }

 private:
  Status Put(std::string_view bytes);

  const Sink sink_;
  std::string name_, waiting_;
  uint64_t at_ = 0, size_ = 0, added_ = 0;
};

// A new pack on disk.
class PackFile {
 public:
  PackFile() = default;
  ~PackFile();
  PackFile(const PackFile&) = delete;

  // Replaces an existing file.
  Status Create(const std::filesystem::path& path);
  PackWriter& writer() { return writer_; }
  // Ends the pack. A file without this end is not a pack.
  Status Close();

 private:
  Status Write(std::string_view bytes) const;

  std::filesystem::path path_;
  int fd_ = -1;
  PackWriter writer_{[this](std::string_view bytes) { return Write(bytes); }};
};

// A file in a pack. A header states only the file's name and size, so ReadPackedHeader leaves
// `offset` 0. ReadPackedHeader returns an error unless the header is exactly as PackedFile writes
// it.
struct PackedEntry {
  std::string name;
  uint64_t offset = 0, size = 0;
};
StatusOr<PackedEntry> ReadPackedHeader(const std::array<char, kPackBlock>& block);
// The number of bytes that a file of this size takes after its header.
uint64_t PackedSize(uint64_t size);

// An open, untrusted pack. Each header must be exactly as PackedFile writes it. Files are read and
// not mapped into memory: if a mapped file shrank, the program would be killed.
class Pack {
 public:
  struct File {
    uint64_t offset = 0, size = 0;
  };

  // Takes ownership of the descriptor. `path` is for messages. Every name must be below `folder`
  // and occur once, and no name may be both a file and a folder.
  static StatusOr<std::shared_ptr<const Pack>> Read(int fd, const std::filesystem::path& path,
                                                    std::string_view folder);
  // Opens the pack at a path; the file name without ".tar" is the folder. Open packs are cached, up
  // to a fixed number. If the file at the path has been replaced, Open reads the new one.
  static StatusOr<std::shared_ptr<const Pack>> Open(const std::filesystem::path& path);

  Pack(const Pack&) = delete;
  ~Pack();

  const std::filesystem::path& path() const { return path_; }
  bool HasFolder(std::string_view name) const { return folders_.count(std::string(name)) > 0; }
  const File* Find(std::string_view name) const;
  // The names of all files, in ascending order.
  std::vector<std::string> Names() const;
  // The names of the files and folders directly in a folder, in ascending order.
  std::vector<std::string> NamesIn(std::string_view folder) const;
  // Like cts::ReadFile; kNotFound if the pack has no file or folder of that name.
  StatusOr<std::string> ReadFile(std::string_view name, uint64_t max_bytes) const;
  // Passes the bytes of a file of this pack to `take`, piece by piece. Stops at the first error of
  // `take`.
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
  std::unordered_map<std::string, std::vector<std::string>> folders_;  // names directly in each
};

// Lists the files in `bytes`. `bytes` has results of PackedFile, one after the other, without the
// two blocks that end a pack. For tests, fuzzing, and packs that are still being written.
StatusOr<std::vector<PackedEntry>> EntriesOfPacked(std::string_view bytes);

}  // namespace cts

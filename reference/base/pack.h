// A folder of many small files as one file, which any `tar` unpacks: SUITE/abs.tar in the place of
// SUITE/abs. Files lie in it unchanged, so that each can be read by itself.
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

// Headers and contents are whole blocks, and two blocks of zeros end a pack.
inline constexpr uint64_t kPackBlock = 512;
inline constexpr uint64_t kPackEnd = 2 * kPackBlock;

// The bytes of one file in a pack: its header, its contents, and zeros up to a whole block. The
// same name and contents give the same bytes. An error if the name is too long for the format, or
// is not a path within a folder.
StatusOr<std::string> PackedFile(std::string_view name, std::string_view contents);

// The same, piece by piece: a file may be larger than memory.
class PackWriter {
 public:
  // Takes the bytes of the pack in their order, many at a time.
  using Sink = std::function<Status(std::string_view)>;
  explicit PackWriter(Sink sink) : sink_(std::move(sink)) {}

  // Begins a file of `size` bytes. Add gives the bytes, and End checks their number.
  Status Begin(std::string_view name, uint64_t size);
  Status Add(std::string_view piece);
  Status End();
  // Gives the sink all bytes that it has not taken yet.
  Status Flush();

  // The number of bytes so far: after Begin, the place of the file's first byte.
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

  // Replaces a file that is there.
  Status Create(const std::filesystem::path& path);
  PackWriter& writer() { return writer_; }
  // Ends the pack. Without this the file is not a pack.
  Status Close();

 private:
  Status Write(std::string_view bytes) const;

  std::filesystem::path path_;
  int fd_ = -1;
  PackWriter writer_{[this](std::string_view bytes) { return Write(bytes); }};
};

// The contents of a header: name and size of the file behind it. An error if it is not one of ours.
struct PackedEntry {
  std::string name;
  uint64_t offset = 0, size = 0;
};
StatusOr<PackedEntry> ReadPackedHeader(const std::array<char, kPackBlock>& block);
// The bytes that a file takes behind its header.
uint64_t PackedSize(uint64_t size);

// An untrusted pack that is open. Only PackedFile's headers are accepted. Files are read, not
// mapped: a file that shrinks meanwhile would end a program that has mapped it.
class Pack {
 public:
  struct File {
    uint64_t offset = 0, size = 0;
  };

  // Takes the descriptor. `path` is for messages. Every name must lie below `folder` and occur
  // once, and no name may be both a file and a folder.
  static StatusOr<std::shared_ptr<const Pack>> Read(int fd, const std::filesystem::path& path,
                                                    std::string_view folder);
  // The same for a path, whose stem is the folder. Packs stay open until others take their place. A
  // pack that was written anew is read anew.
  static StatusOr<std::shared_ptr<const Pack>> Open(const std::filesystem::path& path);

  Pack(const Pack&) = delete;
  ~Pack();

  const std::filesystem::path& path() const { return path_; }
  bool HasFolder(std::string_view name) const { return folders_.count(std::string(name)) > 0; }
  const File* Find(std::string_view name) const;
  // In ascending order.
  std::vector<std::string> Names() const;
  // The names of files and folders right in a folder, in ascending order.
  std::vector<std::string> NamesIn(std::string_view folder) const;
  // As cts::ReadFile; kNotFound if no file has that name.
  StatusOr<std::string> ReadFile(std::string_view name, uint64_t max_bytes) const;
  // The bytes of a file that is there, piece by piece, until `take` has an error.
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
  std::unordered_map<std::string, std::vector<std::string>> folders_;  // names right in them
};

// The files of packed bytes, as PackedFile makes them, without an end. For tests, fuzzing, and
// packs that are still being written.
StatusOr<std::vector<PackedEntry>> EntriesOfPacked(std::string_view bytes);

}  // namespace cts

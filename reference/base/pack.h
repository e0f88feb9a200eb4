// A folder of many small files as one file, which any `tar` unpacks: SUITE/abs.tar in the place of
// SUITE/abs. Files lie in it as they are, so that each can be read by itself.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "reference/base/status.h"

namespace cts {

inline constexpr std::string_view kPackSuffix = ".tar";

// Headers and contents are whole blocks, and two blocks of zeros end a pack.
inline constexpr uint64_t kPackBlock = 512;
inline constexpr uint64_t kPackEnd = 2 * kPackBlock;

// The bytes of one file in a pack: its header, its contents, and zeros up to a whole block. The
// same name and contents give the same bytes. An error if the name is too long for the format, or
// no path within a folder.
StatusOr<std::string> PackedFile(std::string_view name, std::string_view contents);

// A pack that somebody else wrote, open. Nothing but PackedFile's headers is accepted. Files are
// read, not mapped: one that shrinks meanwhile would end a program that has mapped it.
class Pack {
 public:
  struct File {
    uint64_t offset = 0, size = 0;
  };

  // Takes the descriptor. `path` is for messages. Every name must lie below `folder`, none twice,
  // and none be both a file and a folder.
  static StatusOr<std::shared_ptr<const Pack>> Read(int fd, const std::filesystem::path& path,
                                                    std::string_view folder);
  // The same for a path, whose stem is the folder. Packs stay open until others took their place;
  // one that was written anew is read anew.
  static StatusOr<std::shared_ptr<const Pack>> Open(const std::filesystem::path& path);

  Pack(const Pack&) = delete;
  ~Pack();

  const std::filesystem::path& path() const { return path_; }
  bool HasFolder(std::string_view name) const { return folders_.count(std::string(name)) > 0; }
  const File* Find(std::string_view name) const;
  // In ascending order.
  std::vector<std::string> Names() const;
  // As cts::ReadFile; kNotFound where no file has that name.
  StatusOr<std::string> ReadFile(std::string_view name, uint64_t max_bytes) const;

 private:
  Pack(int fd, std::filesystem::path path) : fd_(fd), path_(std::move(path)) {}
  Status ReadIndex(std::string_view folder);
  StatusOr<std::array<char, kPackBlock>> ReadBlock(uint64_t at) const;
  Status AddName(std::string name, std::string_view folder, const File& file);

  const int fd_;
  const std::filesystem::path path_;
  std::unordered_map<std::string, File> files_;
  std::unordered_set<std::string> folders_;
};

// The files of packed bytes, as PackedFile makes them, without an end. For tests, fuzzing, and what
// is written at this moment.
struct PackedEntry {
  std::string name;
  uint64_t offset = 0, size = 0;
};
StatusOr<std::vector<PackedEntry>> EntriesOfPacked(std::string_view bytes);

}  // namespace cts

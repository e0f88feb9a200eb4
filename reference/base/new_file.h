// A file that others find whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// The file is written beside its place, then moved there. It is removed if it is never moved. While
// it is written it is locked, so that other processes can tell it from the remains of a killed
// call.
class NewFile {
 public:
  // The directory must exist. `mode` is as for open(). Removes the remains of a killed call for the
  // same place; files of living processes stay.
  static StatusOr<NewFile> Beside(const std::filesystem::path& place, unsigned mode = 0666);
  NewFile(NewFile&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        fd_(std::exchange(other.fd_, -1)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // The path at which it is written.
  const std::filesystem::path& path() const { return beside_; }
  // Writes all bytes and moves the file to its place, where it replaces an existing file.
  Status Put(std::string_view bytes) { return Put(bytes, false); }
  // The same, but an existing file stays and is an error. Needs a file system with links.
  Status PutWhereNothingIs(std::string_view bytes) { return Put(bytes, true); }

 private:
  NewFile(std::filesystem::path place, std::filesystem::path beside, int fd)
      : place_(std::move(place)), beside_(std::move(beside)), fd_(fd) {}
  Status Put(std::string_view bytes, bool keep);

  std::filesystem::path place_, beside_;  // beside_: empty once it is put or moved from
  int fd_ = -1;                           // locked until the end
};

}  // namespace cts

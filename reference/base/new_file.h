// A new file that other processes see only once it is complete.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// The file is written under a temporary name, and then moved to `place`, a path in the same
// directory. A file that is never moved is removed. The file is locked while it is written, so that
// other processes can tell it from a file that a killed process left.
class NewFile {
 public:
  // Creates the temporary file. The directory must exist. `mode` is as for open(). Removes
  // temporary files for the same place that killed processes left. Temporary files of living
  // processes stay.
  static StatusOr<NewFile> Beside(const std::filesystem::path& place, unsigned mode = 0666);
  NewFile(NewFile&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        fd_(std::exchange(other.fd_, -1)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // The temporary path.
  const std::filesystem::path& path() const { return beside_; }
  // Writes all bytes and moves the file to its place. Replaces an existing file.
  Status Put(std::string_view bytes) { return Put(bytes, false); }
  // Like Put, but if the place already has a file, leaves that file there and returns an error.
  // Needs a file system with hard links.
  Status PutWhereNothingIs(std::string_view bytes) { return Put(bytes, true); }

 private:
  NewFile(std::filesystem::path place, std::filesystem::path beside, int fd)
      : place_(std::move(place)), beside_(std::move(beside)), fd_(fd) {}
  Status Put(std::string_view bytes, bool keep);

  std::filesystem::path place_, beside_;  // beside_ is empty after Put or a move
  int fd_ = -1;                           // locked until the destructor runs
};

}  // namespace cts

// A file that others find whole or not at all.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// Written beside its place, then put there. It is removed if that does not happen. While it is
// written it is locked, so that others tell it from what a killed call left.
class NewFile {
 public:
  // The directory exists. `mode` is as for open(). Removes what a call for the same place left when
  // it was killed; what somebody writes who lives stays.
  static StatusOr<NewFile> Beside(const std::filesystem::path& place, unsigned mode = 0666);
  NewFile(NewFile&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        fd_(std::exchange(other.fd_, -1)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // The path at which it is written.
  const std::filesystem::path& path() const { return beside_; }
  // Writes all bytes and puts the file where it belongs, in the place of what is there.
  Status Put(std::string_view bytes) { return Put(bytes, false); }
  // The same, but what is there stays, and that is an error. Needs a file system that has links.
  Status PutWhereNothingIs(std::string_view bytes) { return Put(bytes, true); }

 private:
  NewFile(std::filesystem::path place, std::filesystem::path beside, int fd)
      : place_(std::move(place)), beside_(std::move(beside)), fd_(fd) {}
  Status Put(std::string_view bytes, bool keep);

  std::filesystem::path place_, beside_;  // beside_: empty once it is put or moved from
  int fd_ = -1;                           // locked until the end
};

}  // namespace cts

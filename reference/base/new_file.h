// A new file that other processes see only once it is complete.
#pragma once

#include <filesystem>
#include <string_view>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// The file is written under a temporary name, and then moved to `place`, a path in the same
// directory. The destructor removes a file that was not moved. The file is locked until the
// destructor runs, so that other processes can distinguish it from a file that a killed process
// left behind.
class NewFile {
 public:
  // Creates the temporary file. The directory must exist. `mode` has the same meaning as for
  // open(). Removes temporary files that killed processes left behind for the same place, but no
  // temporary file of a running process.
  static StatusOr<NewFile> Beside(const std::filesystem::path& place, unsigned mode = 0666);
  NewFile(NewFile&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        fd_(std::exchange(other.fd_, -1)) {}
  NewFile& operator=(NewFile&&) = delete;
  ~NewFile();

  // The temporary path.
  const std::filesystem::path& path() const { return beside_; }
  // Writes all bytes and moves the file to `place`. Replaces an existing file at `place`.
  Status Put(std::string_view bytes) { return Put(bytes, false); }
  // Like Put, but if a file already exists at `place`, keeps that file and returns an error. Needs
  // a file system with hard links.
  Status PutWhereNothingIs(std::string_view bytes) { return Put(bytes, true); }
  // Like PutWhereNothingIs, but the file also outlasts a power failure. kAlreadyExists if the place
  // has a file, which stays. kDataLoss if the file is in its place, but the disk may not have it
  // yet. After any other error nothing is in the place.
  Status PutForGood(std::string_view bytes);

 private:
  NewFile(std::filesystem::path place, std::filesystem::path beside, int fd)
      : place_(std::move(place)), beside_(std::move(beside)), fd_(fd) {}
  Status Put(std::string_view bytes, bool keep);

  // beside_ is the temporary path, which the destructor removes. It is empty after Put or after a
  // move of the object. It is not empty after PutWhereNothingIs, which only adds a second link.
  std::filesystem::path place_, beside_;
  int fd_ = -1;  // locked until the destructor runs
};

// Returns once the disk has the file or the folder at this path. The files of a folder are not
// meant.
Status SyncToDisk(const std::filesystem::path& path);

}  // namespace cts

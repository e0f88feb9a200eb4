// A new folder that other processes see only once it is complete.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// Returns an error if `place` exists and is not an empty folder.
Status RequireNoFolder(const std::filesystem::path& place);

// Removes a folder that the program created. On failure, prints a message that names the folder to
// standard error. For destructors and other functions that cannot return an error.
void RemoveOrSay(const std::filesystem::path& folder);

// The caller fills the folder under a temporary name, and then moves it to `place`, a path in the
// same parent folder. The destructor removes a folder that was neither moved nor kept.
class NewFolder {
 public:
  // Creates the temporary folder and missing parent folders. Removes temporary folders that killed
  // processes left behind for the same place, but no temporary folder of a running process.
  static StatusOr<NewFolder> Beside(const std::filesystem::path& place);
  NewFolder(NewFolder&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        lock_(std::exchange(other.lock_, -1)) {}
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  // The temporary path, at which the caller fills the folder.
  const std::filesystem::path& path() const { return beside_; }
  // Moves the folder to `place`, and gives it the permissions of the folder `like`.
  Status PutWithPermissionsOf(const std::filesystem::path& like);
  // Leaves the folder under its temporary name. The destructor then does not remove the folder.
  void Keep();

 private:
  NewFolder(std::filesystem::path place, std::filesystem::path beside)
      : place_(std::move(place)), beside_(std::move(beside)) {}

  std::filesystem::path place_, beside_;  // beside_: empty after Put..., Keep or a move
  int lock_ = -1;                         // a lock in the folder, held until the destructor runs
};

}  // namespace cts

// A new folder that other processes see only once it is complete.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// An error if the path exists and is not an empty folder.
Status RequireNoFolder(const std::filesystem::path& place);

// Removes a folder that the program created. If that fails, a message on standard error names the
// folder. Destructors call this function, because they cannot return an error.
void RemoveOrSay(const std::filesystem::path& folder);

// The folder is filled under a temporary name, and then moved to `place`, a path in the same
// folder. A folder that is never moved is removed.
class NewFolder {
 public:
  // Creates the temporary folder and missing parent folders. Removes temporary folders for the same
  // place that killed processes left. Temporary folders of living processes stay.
  static StatusOr<NewFolder> Beside(const std::filesystem::path& place);
  NewFolder(NewFolder&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        lock_(std::exchange(other.lock_, -1)) {}
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  // The temporary path, at which the caller fills the folder.
  const std::filesystem::path& path() const { return beside_; }
  // Moves the folder to its place, and gives it the permissions of the folder `like`.
  Status PutWithPermissionsOf(const std::filesystem::path& like);
  // Keeps the folder permanently under its temporary name.
  void Keep();

 private:
  NewFolder(std::filesystem::path place, std::filesystem::path beside)
      : place_(std::move(place)), beside_(std::move(beside)) {}

  std::filesystem::path place_, beside_;  // beside_: empty once put, kept or moved from
  int lock_ = -1;                         // of the temporary folder, held until the destructor runs
};

}  // namespace cts

// A folder that others find whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// An error if something has this name that is not an empty folder.
Status RequireNoFolder(const std::filesystem::path& place);

// Removes a folder of ours at the end of a scope, where an error cannot be returned: a message on
// standard error names a folder that cannot be removed.
void RemoveOrSay(const std::filesystem::path& folder);

// The folder is filled beside its place, then moved there. It is removed if it is never moved.
class NewFolder {
 public:
  // Creates the folders above, too. Removes the remains of a killed call for the same place;
  // folders of living processes stay.
  static StatusOr<NewFolder> Beside(const std::filesystem::path& place);
  NewFolder(NewFolder&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        lock_(std::exchange(other.lock_, -1)) {}
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  // The path at which to fill it.
  const std::filesystem::path& path() const { return beside_; }
  // Moves it to its place, with the permissions of `like`.
  Status PutWithPermissionsOf(const std::filesystem::path& like);
  // Leaves it for good where it was filled.
  void Keep();

 private:
  NewFolder(std::filesystem::path place, std::filesystem::path beside)
      : place_(std::move(place)), beside_(std::move(beside)) {}

  std::filesystem::path place_, beside_;  // beside_: empty once it is put or moved from
  int lock_ = -1;                         // of beside_, held until the end
};

}  // namespace cts

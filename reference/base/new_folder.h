// A folder that others find whole or not at all.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "reference/base/status.h"

namespace cts {

// An error if something has this name that is not an empty folder.
Status RequireNoFolder(const std::filesystem::path& place);

// Removes a folder of ours at the end of a scope, where nobody waits for an error: a folder that
// cannot be removed is named on standard error.
void RemoveOrSay(const std::filesystem::path& folder);

// Filled beside its place, then put there. It is removed if that does not happen.
class NewFolder {
 public:
  // Creates the folders above, too. Removes what a call for the same place left when it was killed;
  // what belongs to a process that lives stays.
  static StatusOr<NewFolder> Beside(const std::filesystem::path& place);
  NewFolder(NewFolder&& other) noexcept
      : place_(std::move(other.place_)),
        beside_(std::exchange(other.beside_, {})),
        lock_(std::exchange(other.lock_, -1)) {}
  NewFolder& operator=(NewFolder&&) = delete;
  ~NewFolder();

  // The path at which to fill it.
  const std::filesystem::path& path() const { return beside_; }
  // Puts it where it belongs, with the permissions of `like`.
  Status PutWithPermissionsOf(const std::filesystem::path& like);
  // Leaves it where it was filled, for good.
  void Keep();

 private:
  NewFolder(std::filesystem::path place, std::filesystem::path beside)
      : place_(std::move(place)), beside_(std::move(beside)) {}

  std::filesystem::path place_, beside_;  // beside_: empty once it is put or moved from
  int lock_ = -1;                         // of beside_, held until the end
};

}  // namespace cts

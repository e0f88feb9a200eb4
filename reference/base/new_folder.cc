#include "reference/base/new_folder.h"

#include <cerrno>
#include <cstdlib>
#include <system_error>

namespace cts {

namespace fs = std::filesystem;

Status RequireNoFolder(const fs::path& place) {
  std::error_code error;
  const bool taken = fs::exists(fs::symlink_status(place, error)) &&
                     !(fs::is_directory(place, error) && fs::is_empty(place, error));
  if (!taken) return absl::OkStatus();
  return InvalidArgument(place.string(), ": expected a folder that does not exist yet, or ",
                         "an empty one");
}

StatusOr<NewFolder> NewFolder::Beside(const fs::path& place) {
  std::error_code error;
  fs::path out = fs::absolute(place, error).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  fs::create_directories(out.parent_path(), error);
  std::string beside = StrCat(out.string(), ".tmp-XXXXXX");
  if (mkdtemp(beside.data()) == nullptr) {
    return Unavailable(out.string(),
                       ": cannot be created: ", std::generic_category().message(errno));
  }
  return NewFolder(std::move(out), beside);
}

NewFolder::~NewFolder() {
  std::error_code ignored;
  if (!beside_.empty()) fs::remove_all(beside_, ignored);
}

Status NewFolder::PutWithPermissionsOf(const fs::path& like) {
  std::error_code error;
  fs::permissions(beside_, fs::status(like, error).permissions(), error);
  fs::rename(beside_, place_, error);
  if (error) return Unavailable(place_.string(), ": cannot be put here: ", error.message());
  beside_.clear();
  return absl::OkStatus();
}

}  // namespace cts

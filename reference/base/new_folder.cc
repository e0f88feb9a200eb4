#include "reference/base/new_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <system_error>
#include <vector>

#include "reference/base/file_type.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSuffix = ".tmp-";
constexpr size_t kRandom = 6;  // as mkdtemp wants them
// Marks a folder that is not put yet as ours: a user may have a folder of the same name.
constexpr char kMark[] = ".tensor-cts-new-folder";

// A mark, locked for as long as the process lives; -1 with errno.
int Lock(const fs::path& folder, int flags) {
  const int fd = ::open((folder / kMark).c_str(), flags | O_RDWR | O_NOFOLLOW | O_CLOEXEC, 0600);
  if (fd < 0 || ::flock(fd, LOCK_EX | LOCK_NB) == 0) return fd;
  const int error = errno;
  ::close(fd);
  errno = error;
  return -1;
}

bool IsOurs(const fs::path& folder) {
  struct stat found = {};
  return ::lstat(folder.c_str(), &found) == 0 && S_ISDIR(found.st_mode) &&
         found.st_uid == ::geteuid();
}

// Removes what calls that were killed left beside `place`.
void ClearRemains(const fs::path& place) {
  std::vector<fs::path> remains;
  std::error_code error;
  const std::string begin = StrCat(place.filename().string(), kSuffix);
  for (fs::directory_iterator it(place.parent_path(), error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(begin) && name.size() == begin.size() + kRandom) {
      remains.push_back(it->path());
    }
  }
  for (const fs::path& folder : remains) {
    if (!IsOurs(folder)) continue;
    const int lock = Lock(folder, 0);
    if (lock < 0) continue;  // of a process that lives, or no folder of ours
    RemoveOrSay(folder);
    ::close(lock);
  }
}

}  // namespace

void RemoveOrSay(const fs::path& folder) {
  std::error_code error;
  fs::remove_all(folder, error);
  // The cause of a first failure, such as a full table of files, may be over.
  if (error) fs::remove_all(folder, error);
  if (!error) return;
  const std::string text =
      StrCat("tensor-cts: ", folder.string(), ": cannot be removed: ", error.message(),
             "; remove it, nothing needs it\n");
  std::fputs(text.c_str(), stderr);
}

Status RequireNoFolder(const fs::path& place) {
  CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(place));
  if (!taken) return absl::OkStatus();
  CTS_ASSIGN_OR_RETURN(const bool empty, IsEmptyDirectory(place));
  if (empty) return absl::OkStatus();
  return InvalidArgument(place.string(), ": expected a folder that does not exist yet, or ",
                         "an empty one");
}

StatusOr<NewFolder> NewFolder::Beside(const fs::path& place) {
  std::error_code error;
  fs::path out = fs::absolute(place, error).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  fs::create_directories(out.parent_path(), error);
  ClearRemains(out);
  std::string beside = StrCat(out.string(), kSuffix, std::string(kRandom, 'X'));
  if (mkdtemp(beside.data()) == nullptr) {
    return Unavailable(out.string(),
                       ": cannot be created: ", std::generic_category().message(errno));
  }
  NewFolder folder(std::move(out), beside);
  // A file system without locks does without.
  folder.lock_ = Lock(beside, O_CREAT | O_EXCL);
  return folder;
}

NewFolder::~NewFolder() {
  if (!beside_.empty()) RemoveOrSay(beside_);
  if (lock_ >= 0) ::close(lock_);
}

Status NewFolder::PutWithPermissionsOf(const fs::path& like) {
  std::error_code error;
  const fs::perms wanted = fs::status(like, error).permissions();
  // The mark must go once the folder is put, even if its permissions then forbid writing.
  fs::permissions(beside_, wanted | fs::perms::owner_write | fs::perms::owner_exec, error);
  fs::rename(beside_, place_, error);
  if (error) return Unavailable(place_.string(), ": cannot be put here: ", error.message());
  beside_.clear();
  fs::remove(place_ / kMark, error);
  fs::permissions(place_, wanted, error);
  return absl::OkStatus();
}

void NewFolder::Keep() {
  std::error_code error;
  fs::remove(beside_ / kMark, error);
  beside_.clear();
}

}  // namespace cts

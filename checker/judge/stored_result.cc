#include "checker/judge/stored_result.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "reference/base/contains.h"
#include "reference/base/file_type.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

fs::path PackOf(const fs::path& results, const std::string& op) {
  return results / StrCat(op, kPackSuffix);
}

// The names of directories right in another one.
StatusOr<std::vector<std::string>> DirectoriesIn(const fs::path& parent) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator it(parent, error), end; !error && it != end; it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    CTS_ASSIGN_OR_RETURN(const bool directory, IsDirectory(it->path()));
    if (directory) names.push_back(std::move(name));
  }
  if (error) return Unavailable(parent.string(), ": cannot be read: ", error.message());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Status ReadInPieces(const fs::path& path, const TakePieces& take, const std::atomic<bool>* stop) {
  // A link or a pipe may have taken its place since it was listed.
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (fd < 0) return Unavailable(path.string(), ": cannot be opened: ", std::strerror(errno));
  struct CloseAtEnd {
    int fd;
    ~CloseAtEnd() { close(fd); }
  } const close_at_end{fd};
  struct stat info {};
  if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
    return Unavailable(path.string(), ": changed while it was read");
  }
  const auto size = static_cast<uint64_t>(info.st_size);
  CTS_RETURN_IF_ERROR(take.begin(size));
  std::string bytes(std::clamp<uint64_t>(size, 1, 1 << 20), '\0');
  for (uint64_t left = size; left > 0;) {
    if (stop != nullptr && *stop) return absl::CancelledError("interrupted");
    const ssize_t got = read(fd, bytes.data(), std::min<uint64_t>(left, bytes.size()));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Unavailable(path.string(), ": cannot be read: ", std::strerror(errno));
    if (got == 0) return Unavailable(path.string(), ": changed while it was read");
    CTS_RETURN_IF_ERROR(take.piece(std::string_view(bytes).substr(0, static_cast<size_t>(got))));
    left -= static_cast<uint64_t>(got);
  }
  return absl::OkStatus();
}

StatusOr<StoredResult> StoredResult::Find(const fs::path& results, const std::string& id) {
  StoredResult result;
  result.place_ = results / id;
  result.id_ = id;
  const fs::path parent = result.place_.parent_path();
  CTS_ASSIGN_OR_RETURN(const fs::file_type above, TypeOfLink(parent));
  if (above == fs::file_type::not_found) {
    CTS_ASSIGN_OR_RETURN(result.pack_, Pack::Open(PackOf(results, id.substr(0, id.find('/')))));
    if (!result.pack_->HasFolder(id)) {
      return NotFound(result.pack_->path().string(), ": ", id, ": no such folder");
    }
    for (std::string& name : result.pack_->NamesIn(id)) {
      const Pack::File* const file = result.pack_->Find(StrCat(id, "/", name));
      if (file == nullptr) {
        return InvalidArgument(result.pack_->path().string(), ": ", id, "/", name,
                               ": expected a regular file, as run leaves it");
      }
      if (!name.starts_with('.')) result.files_.push_back({std::move(name), file->size});
    }
    return result;
  }
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(result.place_));
  if (type == fs::file_type::not_found) {
    return NotFound(result.place_.string(), ": no such directory");
  }
  for (const auto& [path, kind] : {std::pair(parent, above), std::pair(result.place_, type)}) {
    if (kind == fs::file_type::directory) continue;
    return InvalidArgument(path.string(), ": expected a directory with results of ", id);
  }
  std::error_code error;
  for (fs::directory_iterator it(result.place_, error), end; !error && it != end;
       it.increment(error)) {
    std::string name = it->path().filename().string();
    if (name.starts_with('.')) continue;
    const bool regular = !it->is_symlink(error) && it->is_regular_file(error);
    if (!error && !regular) {
      return InvalidArgument(it->path().string(), ": expected a regular file, as run leaves it");
    }
    const uint64_t size = error ? 0 : it->file_size(error);
    if (error) {
      return Unavailable(it->path().string(), ": cannot be read: ", error.message());
    }
    result.files_.push_back({std::move(name), size});
  }
  if (error) return Unavailable(result.place_.string(), ": cannot be read: ", error.message());
  std::sort(result.files_.begin(), result.files_.end(),
            [](const File& a, const File& b) { return a.name < b.name; });
  return result;
}

bool StoredResult::Has(std::string_view name) const {
  return std::any_of(files_.begin(), files_.end(),
                     [&](const File& file) { return file.name == name; });
}

Status StoredResult::Read(const std::string& name, const TakePieces& take,
                          const std::atomic<bool>* stop) const {
  if (pack_ == nullptr) return ReadInPieces(place_ / name, take, stop);
  const Pack::File* const file = pack_->Find(StrCat(id_, "/", name));
  if (file == nullptr) return NotFound(pack_->path().string(), ": ", id_, "/", name, ": no file");
  CTS_RETURN_IF_ERROR(take.begin(file->size));
  return pack_->ReadPieces(*file, [&](std::string_view piece) {
    if (stop != nullptr && *stop) return Status(absl::CancelledError("interrupted"));
    return take.piece(piece);
  });
}

StatusOr<std::vector<std::string>> StoredOperators(const fs::path& results) {
  CTS_ASSIGN_OR_RETURN(std::vector<std::string> names, DirectoriesIn(results));
  std::vector<std::string> packed;
  std::error_code error;
  for (fs::directory_iterator it(results, error), end; !error && it != end; it.increment(error)) {
    if (it->path().extension() != kPackSuffix) continue;
    std::string name = it->path().stem().string();
    if (name.starts_with('.') || std::binary_search(names.begin(), names.end(), name)) continue;
    Status pack = Pack::Open(it->path()).status();
    if (absl::IsUnavailable(pack)) return pack;
    // Anything may lie there, as other files may beside folders. CheckWhole knows what must be one.
    if (pack.ok()) packed.push_back(std::move(name));
  }
  if (error) return Unavailable(results.string(), ": cannot be read: ", error.message());
  names.insert(names.end(), packed.begin(), packed.end());
  std::sort(names.begin(), names.end());
  return names;
}

StatusOr<std::vector<std::string>> StoredCases(const fs::path& results, const std::string& op) {
  CTS_ASSIGN_OR_RETURN(const bool folder, IsTaken(results / op));
  if (folder) return DirectoriesIn(results / op);
  CTS_ASSIGN_OR_RETURN(const std::shared_ptr<const Pack> pack, Pack::Open(PackOf(results, op)));
  std::vector<std::string> cases = pack->NamesIn(op);
  std::erase_if(cases,
                [&](const std::string& name) { return !pack->HasFolder(StrCat(op, "/", name)); });
  return cases;
}

namespace {

// Refuses a pack of another run beside a folder of the same operator. Another file with a pack's
// name may lie there.
Status CheckNoOtherPack(const fs::path& results, const std::vector<std::string>& packs) {
  std::error_code error;
  for (fs::directory_iterator it(results, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().stem().string();
    if (it->path().extension() != kPackSuffix || name.starts_with('.') || Contains(packs, name)) {
      continue;
    }
    CTS_ASSIGN_OR_RETURN(const bool folder, IsTaken(results / name));
    Status pack = folder ? Pack::Open(it->path()).status() : NotFound("");
    if (absl::IsUnavailable(pack)) return pack;
    if (pack.ok()) {
      return InvalidArgument(it->path().string(), ": found the folder ", name, " beside it, and ",
                             "run.json: /packs does not list it: it is of another run; remove it");
    }
  }
  if (error) return Unavailable(results.string(), ": cannot be read: ", error.message());
  return absl::OkStatus();
}

}  // namespace

Status CheckWhole(const fs::path& results, const std::vector<std::string>& packs) {
  const fs::path unsorted = results / kUnsortedResults;
  CTS_ASSIGN_OR_RETURN(const bool unpacked, IsTaken(unsorted));
  if (unpacked) {
    return InvalidArgument(unsorted.string(), ": the run with --pack is not over, or was ended ",
                           "before its results were packed: wait for it, or go on with the same ",
                           "command and --resume");
  }
  for (const std::string& op : packs) {
    const fs::path path = PackOf(results, op);
    CTS_ASSIGN_OR_RETURN(const bool folder, IsTaken(results / op));
    CTS_ASSIGN_OR_RETURN(const bool pack, IsTaken(path));
    if (folder && pack) {
      return InvalidArgument(path.string(), ": found the folder ", op, " beside it, expected one ",
                             "of the two: remove that which is not the results");
    }
    if (folder) continue;
    if (!pack) {
      return InvalidArgument(path.string(), ": no such file, expected it and others as run.json: ",
                             "/packs says: copy all files of these results");
    }
    Status whole = Pack::Open(path).status();
    if (absl::IsUnavailable(whole)) return whole;
    if (!whole.ok()) {
      return InvalidArgument(Message(whole), "; copy these results again, or remove this file and ",
                             "go on with run --resume");
    }
    CTS_ASSIGN_OR_RETURN(const std::vector<std::string> cases, StoredCases(results, op));
    if (cases.empty()) {
      return InvalidArgument(path.string(), ": found no result of ", op, ", expected those that ",
                             "run --pack left there: copy these results again");
    }
  }
  return CheckNoOtherPack(results, packs);
}

}  // namespace cts

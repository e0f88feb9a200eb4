#include "generator/partial_suite.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <system_error>

#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr char kJournal[] = "journal.jsonl";

std::string ErrorText(int error) { return std::generic_category().message(error); }

Status CannotWrite(const fs::path& path, int error) {
  return Unavailable(path.string(), ": cannot be written: ", ErrorText(error));
}

// 0 or errno.
int WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return written < 0 ? errno : ENOSPC;
    bytes.remove_prefix(static_cast<size_t>(written));
  }
  return 0;
}

// Nobody knows this file yet: there is no need to write beside it and rename.
Status WriteUnseen(const fs::path& path, std::string_view bytes) {
  const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (fd < 0) return CannotWrite(path, errno);
  int failure = WriteAll(fd, bytes);
  if (::close(fd) != 0 && failure == 0) failure = errno;
  return failure == 0 ? absl::OkStatus() : CannotWrite(path, failure);
}

Status MakeDirectory(const fs::path& path) {
  if (::mkdir(path.c_str(), 0777) == 0 || errno == EEXIST) return absl::OkStatus();
  if (errno != ENOENT) return CannotWrite(path, errno);
  std::error_code error;
  fs::create_directories(path, error);
  return error ? Unavailable(path.string(), ": cannot be created: ", error.message())
               : absl::OkStatus();
}

constexpr std::string_view kHeader = "{\"generator\":\"tensor-cts";

// Whether a folder is one of ours: with a journal, or left before there was one.
StatusOr<bool> IsOurs(const fs::path& folder) {
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (it->path().filename().string().starts_with(".tmp-")) continue;
    const StatusOr<std::string> journal = ReadFile(folder / kJournal);
    if (absl::IsUnavailable(journal.status())) return journal.status();
    return journal.ok() && journal->starts_with(kHeader);
  }
  if (error) return Unavailable(folder.string(), ": cannot be read: ", error.message());
  return true;
}

// The first line of a journal: the facts that must be the same for a run that resumes.
std::string HeaderOf(const Suite& suite) {
  return Json({{"generator", suite.generator}, {"recipe", Json::parse(suite.recipe)}}).dump();
}

}  // namespace

std::string JournalLine(const FinishedCase& finished) {
  return Json({{"entry", SuiteEntryToJson(finished.entry)}, {"files", finished.files}}).dump();
}

std::optional<FinishedCase> ParseJournalLine(std::string_view line) {
  const StatusOr<Json> json = ParseJson(line, kJournal);
  if (!json.ok() || !json->is_object() || !json->contains("entry") || !json->contains("files")) {
    return std::nullopt;
  }
  const Json &entry = (*json)["entry"], &files = (*json)["files"];
  const auto is_string = [](const Json& value) { return value.is_string(); };
  for (const char* member : {"id", "operator", "outcome", "digest"}) {
    if (!entry.contains(member) || !entry[member].is_string()) return std::nullopt;
  }
  // `teeth` and `neighbour` may be missing. The id becomes a path.
  if (!IsCaseId(entry["id"].get_ref<const std::string&>()) ||
      !entry.value("teeth", Json(0.0)).is_number() ||
      !entry.value("neighbour", Json("")).is_string()) {
    return std::nullopt;
  }
  if (!entry.contains("conditions") || !entry["conditions"].is_array() || !files.is_array() ||
      !std::all_of(entry["conditions"].begin(), entry["conditions"].end(), is_string) ||
      !std::all_of(files.begin(), files.end(), is_string)) {
    return std::nullopt;
  }
  return FinishedCase{SuiteEntryFromJson(entry), files.get<std::vector<std::string>>()};
}

fs::path PartialSuite::PathFor(const fs::path& out) { return out.string() + ".partial"; }

PartialSuite::~PartialSuite() {
  std::error_code ignored;
  if (journal_ >= 0) ::close(journal_);
  if (!keep_ && directory_ >= 0) fs::remove_all(path_, ignored);
  if (directory_ >= 0) ::close(directory_);
}

Status PartialSuite::Open(const fs::path& out, const Suite& suite, bool resume) {
  path_ = PathFor(out);
  std::error_code error;
  fs::create_directories(path_, error);
  if (error) return Unavailable(path_.string(), ": cannot be created: ", error.message());
  const int fd = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0) return CannotWrite(path_, errno);
  if (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    ::close(fd);
    return Unavailable(path_.string(), ": another process writes this suite at this moment; wait ",
                       "for it, or choose another --out");
  }
  const StatusOr<bool> ours = IsOurs(path_);
  if (!ours.ok() || !*ours) {
    ::close(fd);
    if (!ours.ok()) return ours.status();
    return InvalidArgument(path_.string(),
                           ": exists and is no suite of ours that was interrupted; ",
                           "move it away, or choose another --out");
  }
  const std::string header = HeaderOf(suite);
  const fs::path journal = path_ / kJournal;
  StatusOr<std::string> text = ReadFile(journal);
  if (!absl::IsNotFound(text.status())) {
    if (absl::IsUnavailable(text.status())) {
      ::close(fd);
      return text.status();
    }
    const bool same = text.ok() && text->starts_with(header + "\n");
    if (resume && !same) {
      ::close(fd);
      return InvalidArgument(path_.string(), ": was begun with another recipe, other options or ",
                             "another version; give the same, or generate without --resume, "
                             "which begins anew");
    }
    if (resume) old_journal_ = *std::move(text);
  }
  directory_ = fd;
  if (!old_journal_.empty()) {
    keep_ = true;
    // A line that was cut off must not run together with ours.
    old_journal_.resize(old_journal_.rfind('\n') + 1);
  } else {
    for (fs::directory_iterator it(path_, error), end; !error && it != end; it.increment(error)) {
      std::error_code ignored;  // what stays is written over, or is in the way then
      fs::remove_all(it->path(), ignored);
    }
    if (error) return Unavailable(path_.string(), ": cannot be read: ", error.message());
    old_journal_ = header + "\n";
  }
  CTS_RETURN_IF_ERROR(WriteFile(journal, old_journal_));
  journal_ = ::open(journal.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  return journal_ >= 0 ? absl::OkStatus() : CannotWrite(journal, errno);
}

std::map<std::string, SuiteEntry> PartialSuite::Complete() const {
  std::map<std::string, SuiteEntry> complete;
  size_t begin = old_journal_.find('\n') + 1;
  for (size_t end; (end = old_journal_.find('\n', begin)) != old_journal_.npos; begin = end + 1) {
    std::optional<FinishedCase> finished =
        ParseJournalLine(std::string_view(old_journal_).substr(begin, end - begin));
    if (!finished) continue;  // it will be made again
    // A killed run may have lost data that the machine had not written yet.
    std::vector<BundleFile> files;
    for (const std::string& name : finished->files) {
      StatusOr<std::string> bytes = ReadFile(path_ / finished->entry.id / name);
      if (!bytes.ok()) break;
      files.push_back({name, *std::move(bytes)});
    }
    SuiteEntry& entry = finished->entry;
    if (BundleDigest(files) == entry.digest) complete[entry.id] = std::move(entry);
  }
  return complete;
}

Status PartialSuite::Write(const SuiteEntry& entry, const std::vector<BundleFile>& files) {
  const fs::path directory = path_ / entry.id;
  CTS_RETURN_IF_ERROR(MakeDirectory(directory));
  std::set<fs::path> made;
  FinishedCase finished{entry, {}};
  for (const BundleFile& file : files) {
    const fs::path path = directory / file.path;
    if (made.insert(path.parent_path()).second) {
      CTS_RETURN_IF_ERROR(MakeDirectory(path.parent_path()));
    }
    CTS_RETURN_IF_ERROR(WriteUnseen(path, file.bytes));
    finished.files.push_back(file.path);
  }
  const std::string text = JournalLine(finished) + "\n";
  const std::lock_guard<std::mutex> lock(mutex_);
  const int failure = WriteAll(journal_, text);
  return failure == 0 ? absl::OkStatus() : CannotWrite(path_ / kJournal, failure);
}

Status PartialSuite::MoveTo(const fs::path& out, const Suite& suite) {
  CTS_RETURN_IF_ERROR(SaveJson(path_ / "suite.json", SuiteToJson(suite)));
  std::error_code error;
  fs::rename(path_, out, error);  // replaces an empty directory
  if (error) return Unavailable(out.string(), ": cannot be created: ", error.message());
  keep_ = true;
  fs::remove(out / kJournal, error);
  return absl::OkStatus();
}

Status CheckFree(const fs::path& out) {
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(out));
  if (type == fs::file_type::not_found && !out.empty()) return absl::OkStatus();
  if (type == fs::file_type::directory) {
    CTS_ASSIGN_OR_RETURN(const bool empty, IsEmptyDirectory(out));
    if (empty) return absl::OkStatus();
  }
  return InvalidArgument(out.empty() ? "the suite" : out.string(),
                         ": expected a path that does not exist, or an empty directory");
}

StatusOr<Suite> WriteSuiteOf(const Case& c, std::string_view name, const fs::path& out) {
  const std::vector<BundleFile> files = EncodeCase(c);
  Suite suite;
  suite.name = name;
  suite.edition = c.edition;
  suite.level = c.level;
  suite.generator = "tensor-cts " CTS_VERSION;
  suite.recipe = "{}";
  PartialSuite partial;
  CTS_RETURN_IF_ERROR(partial.Open(out, suite, /*resume=*/false));
  suite.recipe.clear();
  suite.cases = {{c.id, c.op, std::string(Name(c.outcome)), BundleDigest(files), {}, {}, ""}};
  if (!c.condition.empty()) suite.cases[0].conditions = {c.condition};
  suite.digest = SuiteDigest(suite.cases);
  CTS_RETURN_IF_ERROR(partial.Write(suite.cases[0], files));
  CTS_RETURN_IF_ERROR(partial.MoveTo(out, suite));
  return suite;
}

}  // namespace cts

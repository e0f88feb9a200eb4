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
#include "reference/base/pack.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr char kJournal[] = "journal.jsonl";
constexpr char kUnsorted[] = "cases.unsorted";

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

// No other process knows this file yet: there is no need to write beside it and rename.
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
std::string HeaderOf(const Suite& suite, bool pack) {
  Json header = {{"generator", suite.generator}, {"recipe", Json::parse(suite.recipe)}};
  if (pack) header["pack"] = true;
  return header.dump();
}

// Appends a part of a file to another.
Status CopyPart(int from, uint64_t offset, uint64_t size, int to, const fs::path& path) {
  std::string buffer;
  while (size > 0) {
    buffer.resize(static_cast<size_t>(std::min<uint64_t>(size, 1 << 20)));
    const ssize_t got = ::pread(from, buffer.data(), buffer.size(), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return CannotWrite(path, got < 0 ? errno : EIO);
    const int failure = WriteAll(to, std::string_view(buffer).substr(0, static_cast<size_t>(got)));
    if (failure != 0) return CannotWrite(path, failure);
    offset += static_cast<uint64_t>(got);
    size -= static_cast<uint64_t>(got);
  }
  return absl::OkStatus();
}

}  // namespace

std::string JournalLine(const FinishedCase& finished) {
  Json line = {{"entry", SuiteEntryToJson(finished.entry)}, {"files", finished.files}};
  if (finished.packed) line["packed"] = {finished.packed->offset, finished.packed->size};
  return line.dump();
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
  FinishedCase finished{SuiteEntryFromJson(entry), files.get<std::vector<std::string>>()};
  if (json->contains("packed")) {
    const Json& packed = (*json)["packed"];
    if (!packed.is_array() || packed.size() != 2 || !packed[0].is_number_unsigned() ||
        !packed[1].is_number_unsigned()) {
      return std::nullopt;
    }
    finished.packed = {packed[0].get<uint64_t>(), packed[1].get<uint64_t>()};
  }
  return finished;
}

fs::path PartialSuite::PathFor(const fs::path& out) { return out.string() + ".partial"; }

PartialSuite::~PartialSuite() {
  std::error_code ignored;
  if (journal_ >= 0) ::close(journal_);
  if (unsorted_ >= 0) ::close(unsorted_);
  if (!keep_ && directory_ >= 0) fs::remove_all(path_, ignored);
  if (directory_ >= 0) ::close(directory_);
}

Status PartialSuite::Open(const fs::path& out, const Suite& suite, bool resume, bool pack) {
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
  const std::string header = HeaderOf(suite, pack);
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
  if (journal_ < 0) return CannotWrite(journal, errno);
  return pack ? OpenUnsorted() : absl::OkStatus();
}

Status PartialSuite::OpenUnsorted() {
  const fs::path path = path_ / kUnsorted;
  unsorted_ = ::open(path.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  struct stat info {};
  if (unsorted_ < 0 || ::fstat(unsorted_, &info) != 0) return CannotWrite(path, errno);
  unsorted_size_ = static_cast<uint64_t>(info.st_size);
  return absl::OkStatus();
}

std::map<std::string, SuiteEntry> PartialSuite::Complete() {
  std::map<std::string, SuiteEntry> complete;
  size_t begin = old_journal_.find('\n') + 1;
  for (size_t end; (end = old_journal_.find('\n', begin)) != old_journal_.npos; begin = end + 1) {
    std::optional<FinishedCase> finished =
        ParseJournalLine(std::string_view(old_journal_).substr(begin, end - begin));
    if (!finished) continue;  // it will be made again
    // A killed run may have lost data that the machine had not written yet.
    const StatusOr<std::vector<BundleFile>> files = FilesOf(*finished);
    SuiteEntry& entry = finished->entry;
    if (!files.ok() || BundleDigest(*files) != entry.digest) continue;
    if (finished->packed) places_[entry.id] = *finished->packed;
    complete[entry.id] = std::move(entry);
  }
  return complete;
}

StatusOr<std::string> PartialSuite::ReadPacked(const FinishedCase::Place& place) const {
  if (place.offset > unsorted_size_ || place.size > unsorted_size_ - place.offset) {
    return InvalidArgument((path_ / kUnsorted).string(), ": is shorter than the journal says");
  }
  std::string bytes(static_cast<size_t>(place.size), '\0');
  const ssize_t got =
      ::pread(unsorted_, bytes.data(), bytes.size(), static_cast<off_t>(place.offset));
  if (got == static_cast<ssize_t>(bytes.size())) return bytes;
  return Unavailable((path_ / kUnsorted).string(), ": cannot be read");
}

StatusOr<std::vector<BundleFile>> PartialSuite::FilesOf(const FinishedCase& finished) const {
  std::vector<BundleFile> files;
  if (unsorted_ < 0) {
    for (const std::string& name : finished.files) {
      CTS_ASSIGN_OR_RETURN(std::string bytes, ReadFile(path_ / finished.entry.id / name));
      files.push_back({name, std::move(bytes)});
    }
    return files;
  }
  if (!finished.packed) return InvalidArgument(finished.entry.id, ": has no place");
  CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadPacked(*finished.packed));
  CTS_ASSIGN_OR_RETURN(const std::vector<PackedEntry> entries, EntriesOfPacked(bytes));
  const std::string folder = finished.entry.id + "/";
  for (const PackedEntry& entry : entries) {
    if (!entry.name.starts_with(folder)) return InvalidArgument(entry.name, ": of another case");
    files.push_back({entry.name.substr(folder.size()), bytes.substr(entry.offset, entry.size)});
  }
  return files;
}

Status PartialSuite::Write(const SuiteEntry& entry, const std::vector<BundleFile>& files) {
  if (unsorted_ >= 0) return WritePacked(entry, files);
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
  const std::lock_guard<std::mutex> lock(mutex_);
  return AppendToJournal(finished);
}

Status PartialSuite::WritePacked(const SuiteEntry& entry, const std::vector<BundleFile>& files) {
  FinishedCase finished{entry, {}};
  std::string bytes;
  for (const BundleFile& file : files) {
    CTS_ASSIGN_OR_RETURN(const std::string packed,
                         PackedFile(StrCat(entry.id, "/", file.path), file.bytes));
    bytes += packed;
    finished.files.push_back(file.path);
  }
  const std::lock_guard<std::mutex> lock(mutex_);
  if (const int failure = WriteAll(unsorted_, bytes); failure != 0) {
    return CannotWrite(path_ / kUnsorted, failure);
  }
  finished.packed = {unsorted_size_, bytes.size()};
  unsorted_size_ += bytes.size();
  places_[entry.id] = *finished.packed;
  return AppendToJournal(finished);
}

Status PartialSuite::AppendToJournal(const FinishedCase& finished) {
  const int failure = WriteAll(journal_, JournalLine(finished) + "\n");
  return failure == 0 ? absl::OkStatus() : CannotWrite(path_ / kJournal, failure);
}

// Threads end their cases in any order; in a pack they lie in that of the manifest.
Status PartialSuite::MakePacks(const Suite& suite) const {
  std::map<std::string, std::vector<FinishedCase::Place>> folders;
  for (const SuiteEntry& entry : suite.cases) {
    folders[entry.id.substr(0, entry.id.find('/'))].push_back(places_.at(entry.id));
  }
  for (const auto& [folder, places] : folders) {
    const fs::path path = path_ / StrCat(folder, kPackSuffix);
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd < 0) return CannotWrite(path, errno);
    Status status;
    for (const FinishedCase::Place& place : places) {
      if (status.ok()) status = CopyPart(unsorted_, place.offset, place.size, fd, path);
    }
    int failure = WriteAll(fd, std::string(kPackEnd, '\0'));
    if (::close(fd) != 0 && failure == 0) failure = errno;
    CTS_RETURN_IF_ERROR(status);
    if (failure != 0) return CannotWrite(path, failure);
  }
  return absl::OkStatus();
}

Status PartialSuite::MoveTo(const fs::path& out, const Suite& suite) {
  std::error_code error;
  if (unsorted_ >= 0) {
    CTS_RETURN_IF_ERROR(MakePacks(suite));
    fs::remove(path_ / kUnsorted, error);
  }
  CTS_RETURN_IF_ERROR(SaveJson(path_ / "suite.json", SuiteToJson(suite)));
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
  suite.generator = kSuiteGenerator;
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

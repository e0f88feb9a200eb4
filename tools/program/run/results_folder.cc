#include "tools/program/run/results_folder.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>

#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/run/compare_repeats.h"
#include "tools/program/run/signals.h"

namespace cts {

namespace fs = std::filesystem;

namespace {

Status Rename(const fs::path& from, const fs::path& to) {
  std::error_code error;
  fs::rename(from, to, error);
  if (error) {
    return Unavailable(to.string(), ": cannot be moved here from ", from.string(), ": ",
                       error.message());
  }
  return absl::OkStatus();
}

}  // namespace

Status MakeEmpty(const fs::path& directory) {
  std::error_code error;
  fs::remove_all(directory, error);
  if (!error) fs::create_directories(directory, error);
  if (error) return Unavailable(directory.string(), ": cannot be created: ", error.message());
  return absl::OkStatus();
}

Status WriteNew(const fs::path& path, const std::string& bytes, unsigned mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode);
  bool good = fd >= 0;
  for (size_t done = 0; good && done < bytes.size();) {
    const ssize_t written = write(fd, bytes.data() + done, bytes.size() - done);
    if (written < 0 && errno == EINTR) continue;
    good = written > 0;
    done += good ? static_cast<size_t>(written) : 0;
  }
  const int failure = errno;
  // Network file systems report a full disk only here.
  if (fd >= 0 && close(fd) != 0 && good) {
    return Unavailable(path.string(), ": cannot write it: ", std::strerror(errno));
  }
  if (good) return absl::OkStatus();
  return Unavailable(path.string(), ": cannot write ", bytes.size(),
                     " bytes: ", std::strerror(failure));
}

Status ResultChanged(const fs::path& place) {
  return InvalidArgument(place.string(), ": was changed after the result came, expected that an ",
                         "answer is given once; run again into a new folder");
}

Status ResultsFolder::Open(const std::set<std::string>&) {
  CTS_RETURN_IF_ERROR(MakeEmpty(out_ / ".tmp"));
  std::string name = (out_ / ".tmp" / "XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) {
    return Unavailable(name, ": cannot be created: ", std::strerror(errno));
  }
  temporary_ = name;
  return absl::OkStatus();
}

void ResultsFolder::Close() const {
  std::error_code ignored;
  fs::remove_all(out_ / ".tmp", ignored);
}

StatusOr<std::optional<ResultsFolder::Kept>> ResultsFolder::TakeKept(const std::string& id) {
  const fs::path place = out_ / id;
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(place));
  if (!there) return std::optional<Kept>();
  const auto json = LoadJson(place / "result.json", "result");
  if (json.ok()) return std::optional<Kept>(KeptFromJson(*json));
  // A result that only cannot be read at the moment must not be removed.
  if (absl::IsUnavailable(json.status())) return json.status();
  std::error_code error;
  fs::remove_all(place, error);
  if (error) return Unavailable(place.string(), ": cannot be removed: ", error.message());
  return std::optional<Kept>();
}

ResultsFolder::Kept ResultsFolder::KeptFromJson(const Json& json) {
  return {CaseResultFromJson(json), json.value("repeats", 1), json.value("differs", "")};
}

StatusOr<uint64_t> ResultsFolder::LongestFile(const std::string& id) const {
  uint64_t longest = 0;
  std::error_code error;
  for (fs::directory_iterator it(out_ / id, error), end; !error && it != end; it.increment(error)) {
    const bool regular = !it->is_symlink(error) && it->is_regular_file(error);
    if (!error && regular) longest = std::max<uint64_t>(longest, it->file_size(error));
    if (error) break;
  }
  if (error) return Unavailable((out_ / id).string(), ": cannot be read: ", error.message());
  return longest;
}

Status ResultsFolder::Drop(const std::string& id) {
  std::error_code error;
  fs::remove_all(out_ / id, error);
  if (!error) return absl::OkStatus();
  return Unavailable((out_ / id).string(), ": cannot be removed: ", error.message());
}

StatusOr<fs::path> ResultsFolder::NewStaging() {
  fs::path staging = temporary_ / std::to_string(stagings_++);
  if (mkdir(staging.c_str(), 0777) != 0) {
    return Unavailable(staging.string(), ": cannot be created: ", std::strerror(errno));
  }
  return staging;
}

Status ResultsFolder::Put(const CaseTask& task, const CaseResult& result) {
  std::error_code error;
  // Outputs are kept of `ok` only.
  fs::path done = task.staging;
  if (result.status != CaseStatus::kOk || result.files) {
    CTS_ASSIGN_OR_RETURN(done, NewStaging());
  }
  if (result.status == CaseStatus::kOk && result.files) {
    for (const auto& [name, bytes] : *result.files) {
      CTS_RETURN_IF_ERROR(WriteNew(done / name, bytes));
    }
  }
  CTS_RETURN_IF_ERROR(WriteNew(done / "result.json", FormatJson(CaseResultToJson(result))));
  const fs::path place = out_ / task.id();
  if (rename(done.c_str(), place.c_str()) != 0) {
    fs::create_directories(place.parent_path(), error);
    if (error) return Unavailable(place.string(), ": cannot be created: ", error.message());
    CTS_RETURN_IF_ERROR(Rename(done, place));
  }
  if (done != task.staging && !task.staging.empty()) fs::remove_all(task.staging, error);
  CTS_ASSIGN_OR_RETURN(std::string digest, DigestNow(task.id()));
  Remember(task.id(), std::move(digest));
  return absl::OkStatus();
}

StatusOr<std::string> ResultsFolder::Compare(
    const CaseTask& task, const CaseResult& result, int pass,
    const std::function<Status(const std::string&)>& changes) {
  CTS_RETURN_IF_ERROR(CheckUnchanged(task.id()));
  CTS_ASSIGN_OR_RETURN(Json kept, ReadFirst(task.id()));
  CTS_ASSIGN_OR_RETURN(
      std::string difference,
      DifferenceOf(task, *CaseStatusOf(kept["status"].get<std::string>()), result, pass));
  kept["repeats"] = pass;
  if (difference.empty() || kept.contains("differs")) {
    difference.clear();
  } else {
    kept["differs"] = difference;
  }
  CTS_ASSIGN_OR_RETURN(std::string digest, DigestWith(task.id(), kept));
  CTS_RETURN_IF_ERROR(changes(digest));
  CTS_RETURN_IF_ERROR(Replace(task.id(), kept));
  Remember(task.id(), std::move(digest));
  std::error_code ignored;
  if (!task.staging.empty()) fs::remove_all(task.staging, ignored);
  return difference;
}

StatusOr<std::string> ResultsFolder::DifferenceOf(const CaseTask& task, CaseStatus first_status,
                                                  const CaseResult& now, int pass) const {
  if (first_status != now.status) {
    return StrCat("status ", Name(first_status), " the first time, ", Name(now.status),
                  " in repeat ", pass, now.message.empty() ? "" : ": ",
                  now.message.substr(0, 1000));
  }
  if (first_status != CaseStatus::kOk) return "";
  for (const auto& [file, limit] : task.files) {
    const auto first = ReadFirstFile(task.id(), file);
    const auto second = ReadOutputFile(task, now, file);
    for (const auto& read : {first.status(), second.status()}) {
      if (absl::IsUnavailable(read)) return read;
    }
    if (!first.ok() && !second.ok()) continue;  // the checker says so
    std::string difference;
    if (first.ok() && second.ok()) {
      difference = FirstDifference(*first, *second, pass);
    } else {
      difference = StrCat(first.ok() ? "there" : "missing", " the first time, ",
                          first.ok() ? "missing" : "there", " in repeat ", pass);
    }
    if (difference.empty()) continue;
    return StrCat("output ", file.substr(0, file.size() - 4), ", ", difference);
  }
  return "";
}

void ResultsFolder::Remember(const std::string& id, std::string digest) {
  const std::lock_guard<std::mutex> lock(mutex_);
  digests_[id] = std::move(digest);
}

std::string ResultsFolder::Remembered(const std::string& id) {
  const std::lock_guard<std::mutex> lock(mutex_);
  return digests_.at(id);
}

StatusOr<Json> ResultsFolder::ReadFirst(const std::string& id) const {
  return LoadJson(out_ / id / "result.json", "result");
}

StatusOr<std::string> ResultsFolder::ReadFirstFile(const std::string& id,
                                                   const std::string& name) const {
  return ReadFile(out_ / id / name);
}

StatusOr<std::string> ResultsFolder::DigestNow(const std::string& id) const {
  return ResultDigest(out_, id, &Interrupted());
}

StatusOr<std::string> ResultsFolder::DigestWith(const std::string& id, const Json& result) const {
  const std::string text = FormatJson(result);
  return ResultDigest(out_, id, &Interrupted(), &text);
}

Status ResultsFolder::Replace(const std::string& id, const Json& result) {
  CTS_ASSIGN_OR_RETURN(const fs::path beside, NewStaging());
  CTS_RETURN_IF_ERROR(WriteNew(beside / "result.json", FormatJson(result)));
  CTS_RETURN_IF_ERROR(Rename(beside / "result.json", out_ / id / "result.json"));
  std::error_code ignored;
  fs::remove(beside, ignored);
  return absl::OkStatus();
}

Status ResultsFolder::CheckUnchanged(const std::string& id) {
  std::string then;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto known = digests_.find(id);
    if (known == digests_.end()) return absl::OkStatus();
    then = known->second;
  }
  CTS_ASSIGN_OR_RETURN(const std::string now, DigestNow(id));
  return now == then ? absl::OkStatus() : ResultChanged(out_ / id);
}

}  // namespace cts

#include "tools/program/certify/draft.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <sstream>
#include <system_error>
#include <utility>

#include "reference/base/contains.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/new_folder.h"
#include "tools/program/certify/archive.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kJournal = "journal";
constexpr uint64_t kMaxJournal = uint64_t{1} << 30;
constexpr std::string_view kFact = "fact", kRecord = "record", kPlaced = "placed", kNext = "next",
                           kResult = "result";

// What is signed for a line. The first words keep it apart from everything else that the key signs.
std::string Signed(const std::string& signature_before, std::string_view line) {
  return StrCat("tensor-cts-journal-1\n", signature_before, "\n", std::string(line));
}

bool HasResultLine(const std::string& journal) {
  return journal.find(StrCat(" ", std::string(kResult), " ")) != std::string::npos;
}

Status RequireNothing(const fs::path& out) {
  CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(out));
  if (!taken) return absl::OkStatus();
  return InvalidArgument(out.string(), ": exists already: remove it, or choose another");
}

// Whether a call that was killed left the place, and no implementation had answered yet.
StatusOr<bool> IsWorthless(const fs::path& place, const fs::path& out) {
  std::error_code error;
  for (fs::directory_iterator it(place, error), end; !error && it != end; it.increment(error)) {
    const fs::path name = it->path().filename();
    if (name != kJournal && name != kArchiveFolder && name != out.filename()) return false;
  }
  if (error) return Unavailable(place.string(), ": cannot be read: ", error.message());
  const StatusOr<std::string> journal = ReadFile(place / kJournal, kMaxJournal);
  if (absl::IsNotFound(journal.status())) {
    CTS_ASSIGN_OR_RETURN(const bool empty, IsEmptyDirectory(place));
    return empty;
  }
  CTS_RETURN_IF_ERROR(journal.status());
  return !HasResultLine(*journal);
}

}  // namespace

fs::path Draft::PlaceFor(const fs::path& out) {
  fs::path place = out;
  place += ".partial";
  return place;
}

fs::path Draft::path() const { return place_ / kArchiveFolder; }

Draft::Draft(fs::path out, const Ed25519Key& key)
    : out_(std::move(out)), place_(PlaceFor(out_)), key_(key) {}

StatusOr<std::unique_ptr<Draft>> Draft::Of(const fs::path& out, const Ed25519Key& key,
                                           bool resume) {
  CTS_RETURN_IF_ERROR(RequireNothing(out));
  std::unique_ptr<Draft> draft(new Draft(out, key));
  CTS_RETURN_IF_ERROR(resume ? draft->GoOn() : draft->Begin());
  return draft;
}

Draft::~Draft() {
  if (journal_ >= 0) close(journal_);
  if (owned_ && !Stays()) RemoveOrSay(place_);
}

bool Draft::Stays() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return !discard_ && !results_.empty();
}

Status Draft::Begin() {
  std::error_code error;
  fs::create_directories(place_.parent_path(), error);
  if (mkdir(place_.c_str(), 0700) != 0) {
    if (errno != EEXIST) {
      return Unavailable(place_.string(), ": cannot be created: ", std::strerror(errno));
    }
    CTS_RETURN_IF_ERROR(lock_.Lock(place_));
    CTS_ASSIGN_OR_RETURN(const bool worthless, IsWorthless(place_, out_));
    if (!worthless) {
      return InvalidArgument(place_.string(), ": exists already, with the results of an ",
                             "interrupted call or with files of others: go on with the same ",
                             "command and --resume, or remove it");
    }
    for (const auto& entry : fs::directory_iterator(place_, error)) {
      fs::remove_all(entry.path(), error);
    }
  } else {
    CTS_RETURN_IF_ERROR(lock_.Lock(place_));
  }
  owned_ = true;
  fs::create_directory(path(), error);
  journal_ =
      open((place_ / kJournal).c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0666);
  if (!error && journal_ >= 0) return absl::OkStatus();
  return Unavailable(place_.string(),
                     ": cannot be written: ", error ? error.message() : std::strerror(errno));
}

Status Draft::GoOn() {
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(place_ / kJournal));
  if (!there) {
    return NotFound((place_ / kJournal).string(), ": no such file, expected the journal of an ",
                    "interrupted call for the same --out; leave --resume out to begin");
  }
  CTS_RETURN_IF_ERROR(lock_.Lock(place_));
  CTS_RETURN_IF_ERROR(Read());
  earlier_ = results_;
  owned_ = true;
  // All else is made again, and so is a suite that was not whole yet.
  const auto stays = [&](const fs::path& entry) {
    const fs::path name = entry.filename();
    return Knows("suite") && (name == "suite" || name == "results");
  };
  std::error_code error;
  fs::remove(place_ / out_.filename(), error);  // an archive
  fs::create_directory(path(), error);
  for (fs::directory_iterator it(path(), error), end; !error && it != end; it.increment(error)) {
    if (!stays(it->path())) fs::remove_all(it->path(), error);
  }
  if (!error) return absl::OkStatus();
  return Unavailable(path().string(), ": cannot be emptied: ", error.message());
}

// Reads the journal, and opens it for further lines. A line without an end was cut off when its
// call was killed.
Status Draft::Read() {
  const fs::path file = place_ / kJournal;
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxJournal));
  size_t at = 0;
  for (size_t line = 1; text.find('\n', at) != std::string::npos; ++line) {
    const size_t end = text.find('\n', at);
    std::istringstream words(text.substr(at, end - at));
    std::array<std::string, 6> word;
    for (std::string& each : word) words >> each;
    const auto& [time, kind, name, digest, signature, more] = word;
    const StatusOr<std::string> bytes = FromBase64(signature);
    const std::string body = StrCat(time, " ", kind, " ", name, " ", digest);
    if (!more.empty() || !bytes.ok() || !key_.Verify(Signed(last_signature_, body), *bytes)) {
      return InvalidArgument(file.string(), ": line ", line, ": found no signature of this line ",
                             "behind the lines before it by the key ", key_.id(),
                             ": another --key "
                             "began, or the journal was changed; expected it as certify wrote it");
    }
    Take(time, kind, name, digest);
    last_signature_ = signature;
    at = end + 1;
  }
  journal_ = open(file.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
  if (journal_ >= 0 && ftruncate(journal_, static_cast<off_t>(at)) == 0) return absl::OkStatus();
  return Unavailable(file.string(), ": cannot be written: ", std::strerror(errno));
}

void Draft::Take(const std::string& time, const std::string& kind, const std::string& name,
                 const std::string& digest) {
  if (kind == kFact) {
    facts_[name] = digest;
  } else if (kind == kRecord) {
    records_.push_back(digest);
  } else if (kind == kPlaced) {
    records_ = {digest};
  } else if (kind == kNext) {
    next_[name] = digest;
  } else if (kind == kResult) {
    next_.erase(name);
    results_[name] = digest;
    last_result_ = time;
  }
}

Status Draft::Append(std::string_view kind, const std::string& name, const std::string& digest) {
  const std::lock_guard<std::mutex> lock(mutex_);
  CTS_RETURN_IF_ERROR(failed_);
  const std::string time = UtcNow();
  const std::string body = StrCat(time, " ", std::string(kind), " ", name, " ", digest);
  CTS_ASSIGN_OR_RETURN(const std::string signature, key_.Sign(Signed(last_signature_, body)));
  std::string encoded = Base64(signature);
  failed_ = WriteLine(StrCat(body, " ", encoded, "\n"));
  CTS_RETURN_IF_ERROR(failed_);
  last_signature_ = std::move(encoded);
  if (kind == kFact) facts_[name] = digest;
  if (kind == kResult) results_[name] = digest;
  return absl::OkStatus();
}

// The whole line or nothing of it: another line behind half of it could never be read.
Status Draft::WriteLine(const std::string& line) const {
  const off_t before = lseek(journal_, 0, SEEK_END);
  for (size_t done = 0; done < line.size();) {
    const ssize_t written = write(journal_, line.data() + done, line.size() - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      const int error = written < 0 ? errno : ENOSPC;
      // If this fails, too, Read cuts it off.
      [[maybe_unused]] const bool cut = before >= 0 && ftruncate(journal_, before) == 0;
      return Unavailable((place_ / kJournal).string(),
                         ": cannot be written: ", std::strerror(error));
    }
    done += static_cast<size_t>(written);
  }
  return absl::OkStatus();
}

Status Draft::Hold(std::string_view what, const std::string& digest, const std::string& place) {
  const auto known = facts_.find(std::string(what));
  if (known == facts_.end()) return Append(kFact, std::string(what), digest);
  if (known->second == digest) return absl::OkStatus();
  return InvalidArgument(place, ": found the digest ", digest, ", expected ", known->second,
                         " of the ", what, " with which the interrupted call began; go on with ",
                         "that, or remove ", place_.string(), " and begin anew");
}

Status Draft::CheckRecord() const {
  const fs::path file = path() / "results" / "run.json";
  const StatusOr<std::string> text = ReadFile(file);
  std::string found;
  if (text.ok()) {
    found = Sha256(*text);
  } else if (!absl::IsNotFound(text.status())) {
    return text.status();
  }
  // The journal has a line before the file has its contents, and another one after that.
  if (Contains(records_, found)) return absl::OkStatus();
  return InvalidArgument(file.string(), ": was changed since the interrupted call: found ",
                         found.empty() ? "no file" : StrCat("the digest ", found), ", expected ",
                         records_.back().empty() ? "none" : records_.back(), " as in ",
                         (place_ / kJournal).string());
}

Status Draft::WritesRecord(const std::string& digest) {
  return Append(kRecord, "run.json", digest);
}

Status Draft::WroteRecord(const std::string& digest) { return Append(kPlaced, "run.json", digest); }

Status Draft::WillBe(const std::string& id, const std::string& digest) {
  return Append(kNext, id, digest);
}

Status Draft::Came(const std::string& id, const std::string& digest) {
  return Append(kResult, id, digest);
}

std::optional<std::string> Draft::DigestOf(const std::string& id) const {
  const auto found = earlier_.find(id);
  if (found == earlier_.end()) return std::nullopt;
  return found->second;
}

std::string Draft::NextDigestOf(const std::string& id) const {
  const auto found = next_.find(id);
  return found == next_.end() ? "" : found->second;
}

Status Draft::Put(const fs::path& whole) {
  CTS_RETURN_IF_ERROR(RequireNothing(out_));
  std::error_code error;
  fs::rename(whole, out_, error);
  if (error) return Unavailable(out_.string(), ": cannot be written: ", error.message());
  discard_ = true;
  return absl::OkStatus();
}

}  // namespace cts

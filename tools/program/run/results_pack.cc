#include "tools/program/run/results_pack.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "checker/judge/stored_result.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/out_of_memory.h"
#include "tools/program/run/signals.h"

namespace cts {

namespace fs = std::filesystem;

namespace {

// Ends a result in results.unsorted. The runner's own, as all names with a dot.
constexpr std::string_view kWhole = ".whole";
constexpr std::string_view kResult = "result.json";

Status CannotWritePack(const fs::path& path, int error) {
  return Unavailable(path.string(), ": cannot be written: ", std::strerror(error));
}

Status WriteAt(int fd, std::string_view bytes, uint64_t offset, const fs::path& path) {
  while (!bytes.empty()) {
    const ssize_t done = pwrite(fd, bytes.data(), bytes.size(), static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return CannotWritePack(path, done < 0 ? errno : ENOSPC);
    bytes.remove_prefix(static_cast<size_t>(done));
    offset += static_cast<uint64_t>(done);
  }
  return absl::OkStatus();
}

std::string OperatorOf(const std::string& id) { return id.substr(0, id.find('/')); }

}  // namespace

// Appends one result. Others wait only while bytes are written, which are few most often.
class ResultsPack::Appender {
 public:
  Appender(ResultsPack& pack, std::string id)
      : pack_(pack),
        id_(std::move(id)),
        lock_(pack.mutex_, std::defer_lock),
        writer_([this](std::string_view bytes) { return Write(bytes); }) {}
  ~Appender() {
    // Half a result must not stand behind those that come.
    if (lock_.owns_lock() && written_ > 0) {
      (void)!ftruncate(pack_.unsorted_, static_cast<off_t>(pack_.size_));
    }
  }
  Appender(const Appender&) = delete;

  // Names come in ascending order.
  TakePieces Take(const std::string& name) {
    return {[this, name](uint64_t size) -> Status {
              CTS_RETURN_IF_ERROR(EndFile());
              digest_.Add(DigestedHead(name, size));
              CTS_RETURN_IF_ERROR(writer_.Begin(StrCat(id_, "/", name), size));
              record_.files[name] = {writer_.at(), size};
              in_file_ = true;
              return absl::OkStatus();
            },
            [this](std::string_view piece) {
              digest_.Add(piece);
              return writer_.Add(piece);
            }};
  }
  Status Add(const std::string& name, std::string_view bytes) {
    const TakePieces take = Take(name);
    CTS_RETURN_IF_ERROR(take.begin(bytes.size()));
    return take.piece(bytes);
  }
  // A file of the result before, which stays where it is.
  Status Keep(const std::string& name, const File& file) {
    kept_[name] = file;
    return pack_.AddDigested(name, file, &digest_);
  }

  // The result counts from now on. Returns its digest.
  StatusOr<std::string> End() {
    CTS_RETURN_IF_ERROR(EndFile());
    record_.digest = digest_.Finish();
    CTS_RETURN_IF_ERROR(writer_.Begin(StrCat(id_, "/", kWhole), record_.digest.size()));
    CTS_RETURN_IF_ERROR(writer_.Add(record_.digest));
    CTS_RETURN_IF_ERROR(writer_.End());
    CTS_RETURN_IF_ERROR(writer_.Flush());
    for (auto& [name, file] : record_.files) file.offset += pack_.size_;
    record_.files.merge(kept_);
    pack_.size_ += std::exchange(written_, 0);
    std::string digest = record_.digest;
    pack_.records_[id_] = std::move(record_);
    return digest;
  }

 private:
  Status EndFile() { return std::exchange(in_file_, false) ? writer_.End() : absl::OkStatus(); }

  Status Write(std::string_view bytes) {
    if (!lock_.owns_lock()) lock_.lock();
    written_ += bytes.size();
    return WriteAt(pack_.unsorted_, bytes, pack_.size_ + written_ - bytes.size(), pack_.place());
  }

  ResultsPack& pack_;
  const std::string id_;
  std::unique_lock<std::mutex> lock_;
  PackWriter writer_;
  Sha256Stream digest_;
  Record record_;
  std::map<std::string, File> kept_;
  uint64_t written_ = 0;
  bool in_file_ = false;
};

ResultsPack::~ResultsPack() {
  if (unsorted_ >= 0) close(unsorted_);
}

fs::path ResultsPack::place() const { return out() / kUnsortedResults; }

Status ResultsPack::Open(const std::set<std::string>& operators) {
  CTS_RETURN_IF_ERROR(ResultsFolder::Open(operators));
  for (const std::string& op : operators) {
    CTS_ASSIGN_OR_RETURN(const bool folder, IsTaken(out() / op));
    if (!folder) continue;
    return InvalidArgument((out() / op).string(), ": found a folder, expected ", op, kPackSuffix,
                           " as run --pack left it: results that were unpacked cannot be gone on ",
                           "with; give another directory");
  }
  CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(place()));
  CTS_RETURN_IF_ERROR(there ? OpenUnsorted() : Unpack(operators));
  // From here on results.unsorted has all that they have.
  for (const std::string& op : operators) {
    std::error_code error;
    fs::remove(out() / StrCat(op, kPackSuffix), error);
    if (error) {
      return Unavailable((out() / StrCat(op, kPackSuffix)).string(),
                         ": cannot be removed: ", error.message());
    }
  }
  return absl::OkStatus();
}

// Puts the packs of a run that ended into a new results.unsorted.
Status ResultsPack::Unpack(const std::set<std::string>& operators) {
  const fs::path beside = temporary() / kUnsortedResults;
  unsorted_ = open(beside.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (unsorted_ < 0) return CannotWritePack(beside, errno);
  for (const std::string& op : operators) {
    const fs::path path = out() / StrCat(op, kPackSuffix);
    CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(path));
    if (!there) continue;
    StatusOr<std::vector<std::string>> cases = StoredCases(out(), op);
    if (!cases.ok()) {
      return Status(cases.status().code(),
                    StrCat(Message(cases.status()), "; remove it, and its cases run again"));
    }
    for (const std::string& name : *cases) {
      const std::string id = StrCat(op, "/", name);
      CTS_ASSIGN_OR_RETURN(const StoredResult result, StoredResult::Find(out(), id));
      if (!result.Has(kResult)) continue;
      Appender appender(*this, id);
      for (const StoredResult::File& file : result.files()) {
        CTS_RETURN_IF_ERROR(result.Read(file.name, appender.Take(file.name), &Interrupted()));
      }
      CTS_RETURN_IF_ERROR(appender.End().status());
    }
  }
  std::error_code error;
  // The packs go once it is there.
  if (fsync(unsorted_) != 0) return CannotWritePack(beside, errno);
  fs::rename(beside, place(), error);
  if (error) return Unavailable(place().string(), ": cannot be created: ", error.message());
  return absl::OkStatus();
}

Status ResultsPack::OpenUnsorted() {
  unsorted_ = open(place().c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  struct stat info {};
  if (unsorted_ < 0 || fstat(unsorted_, &info) != 0) return CannotWritePack(place(), errno);
  if (!S_ISREG(info.st_mode)) {
    return InvalidArgument(place().string(), ": expected a regular file, as run --pack leaves it");
  }
  CTS_RETURN_IF_ERROR(ReadUnsorted(static_cast<uint64_t>(info.st_size)));
  if (ftruncate(unsorted_, static_cast<off_t>(size_)) == 0) return absl::OkStatus();
  return CannotWritePack(place(), errno);
}

// Finds the results that are whole, up to the place where no file begins.
Status ResultsPack::ReadUnsorted(uint64_t size) {
  std::string id;
  Record record;
  for (uint64_t at = 0; size - at >= kPackBlock;) {
    if (Interrupted()) return absl::CancelledError("interrupted");
    std::array<char, kPackBlock> block;
    Status read = ReadAt({at, kPackBlock}, [&, to = block.begin()](std::string_view piece) mutable {
      to = std::copy(piece.begin(), piece.end(), to);
      return absl::OkStatus();
    });
    CTS_RETURN_IF_ERROR(read);
    const StatusOr<PackedEntry> entry = ReadPackedHeader(block);
    if (!entry.ok()) break;
    const File file = {at + kPackBlock, entry->size};
    if (size - file.offset < PackedSize(file.size)) break;
    at = file.offset + PackedSize(file.size);
    const size_t slash = entry->name.rfind('/');
    if (slash == std::string::npos) break;
    const std::string name = entry->name.substr(slash + 1);
    if (const std::string of = entry->name.substr(0, slash); of != id) {
      id = of;
      record = Record();
    }
    if (name != kWhole) {
      record.files[name] = file;
      continue;
    }
    // Repeated: the outputs are those of the first time.
    if (const auto before = records_.find(id); before != records_.end()) {
      for (const auto& [kept, where] : before->second.files) record.files.emplace(kept, where);
    }
    CTS_RETURN_IF_ERROR(ReadAt(file, [&](std::string_view piece) {
      record.digest += piece.substr(0, 64);
      return absl::OkStatus();
    }));
    CTS_ASSIGN_OR_RETURN(const std::string digest, DigestOfFiles(record));
    if (digest == record.digest) {
      records_[id] = std::move(record);
      size_ = at;
    }
    id.clear();
    record = Record();
  }
  return absl::OkStatus();
}

StatusOr<std::optional<ResultsFolder::Kept>> ResultsPack::TakeKept(const std::string& id) {
  if (records_.count(id) == 0) return std::optional<Kept>();
  const StatusOr<Json> json = ReadFirst(id);
  if (json.ok()) return std::optional<Kept>(KeptFromJson(*json));
  if (absl::IsUnavailable(json.status())) return json.status();
  records_.erase(id);
  return std::optional<Kept>();
}

// Its bytes stay in results.unsorted until others of the same case come behind them.
Status ResultsPack::Drop(const std::string& id) {
  records_.erase(id);
  return absl::OkStatus();
}

Status ResultsPack::Put(const CaseTask& task, const CaseResult& result) {
  const std::string json = FormatJson(CaseResultToJson(result));
  std::set<std::string> names = {std::string(kResult)};
  if (result.status == CaseStatus::kOk) {
    for (const auto& [name, limit] : task.files) names.insert(name);
  }
  Appender appender(*this, task.id());
  for (const std::string& name : names) {
    if (name == kResult) {
      CTS_RETURN_IF_ERROR(appender.Add(name, json));
    } else if (result.files) {
      const auto found = result.files->find(name);
      if (found != result.files->end()) CTS_RETURN_IF_ERROR(appender.Add(name, found->second));
    } else {
      const fs::path path = task.staging / name;
      CTS_ASSIGN_OR_RETURN(const bool there, IsTaken(path));
      if (there) CTS_RETURN_IF_ERROR(ReadInPieces(path, appender.Take(name), &Interrupted()));
    }
  }
  CTS_ASSIGN_OR_RETURN(std::string digest, appender.End());
  Remember(task.id(), std::move(digest));
  std::error_code ignored;
  if (!task.staging.empty()) fs::remove_all(task.staging, ignored);
  return absl::OkStatus();
}

Status ResultsPack::Replace(const std::string& id, const Json& result) {
  Record before;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    before = records_.at(id);
  }
  Appender appender(*this, id);
  for (const auto& [name, file] : before.files) {
    CTS_RETURN_IF_ERROR(name == kResult ? appender.Add(name, FormatJson(result))
                                        : appender.Keep(name, file));
  }
  return appender.End().status();
}

StatusOr<std::string> ResultsPack::DigestWith(const std::string& id, const Json& result) const {
  Record record;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    record = records_.at(id);
  }
  const std::string text = FormatJson(result);
  Sha256Stream stream;
  for (const auto& [name, file] : record.files) {
    if (name == kResult) {
      stream.Add(DigestedHead(name, text.size()));
      stream.Add(text);
    } else {
      CTS_RETURN_IF_ERROR(AddDigested(name, file, &stream));
    }
  }
  return stream.Finish();
}

Status ResultsPack::ReadAt(const File& file,
                           const std::function<Status(std::string_view)>& take) const {
  std::string bytes(static_cast<size_t>(std::min<uint64_t>(file.size, 1 << 20)), '\0');
  for (uint64_t done = 0; done < file.size;) {
    const uint64_t wanted = std::min<uint64_t>(file.size - done, bytes.size());
    const ssize_t got =
        pread(unsorted_, bytes.data(), wanted, static_cast<off_t>(file.offset + done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      return Unavailable(place().string(),
                         ": cannot be read: ", got < 0 ? std::strerror(errno) : "it is shorter");
    }
    CTS_RETURN_IF_ERROR(take(std::string_view(bytes).substr(0, static_cast<size_t>(got))));
    done += static_cast<uint64_t>(got);
  }
  return absl::OkStatus();
}

Status ResultsPack::AddDigested(const std::string& name, const File& file,
                                Sha256Stream* stream) const {
  stream->Add(DigestedHead(name, file.size));
  return ReadAt(file, [&](std::string_view piece) {
    if (Interrupted()) return Status(absl::CancelledError("interrupted"));
    stream->Add(piece);
    return absl::OkStatus();
  });
}

StatusOr<std::string> ResultsPack::DigestOfFiles(const Record& record) const {
  Sha256Stream stream;
  for (const auto& [name, file] : record.files) {
    CTS_RETURN_IF_ERROR(AddDigested(name, file, &stream));
  }
  return stream.Finish();
}

StatusOr<std::string> ResultsPack::ReadWhole(const std::string& id, const std::string& name) const {
  File file;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    const Record& record = records_.at(id);
    const auto found = record.files.find(name);
    if (found == record.files.end()) return NotFound(id, "/", name, ": no such file");
    file = found->second;
  }
  return CatchBadAlloc(StrCat(id, "/", name), [&]() -> StatusOr<std::string> {
    std::string bytes;
    bytes.reserve(file.size);
    CTS_RETURN_IF_ERROR(ReadAt(file, [&](std::string_view piece) {
      bytes += piece;
      return absl::OkStatus();
    }));
    return bytes;
  });
}

StatusOr<Json> ResultsPack::ReadFirst(const std::string& id) const {
  const std::string where = StrCat(place().string(), ": ", id, "/", kResult);
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadWhole(id, std::string(kResult)));
  CTS_ASSIGN_OR_RETURN(Json json, ParseJson(text, where));
  CTS_RETURN_IF_ERROR(ValidateJson(json, "result", where));
  return json;
}

StatusOr<std::string> ResultsPack::ReadFirstFile(const std::string& id,
                                                 const std::string& name) const {
  return ReadWhole(id, name);
}

StatusOr<std::string> ResultsPack::DigestNow(const std::string& id) const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return records_.at(id).digest;
}

ResultDigests ResultsPack::AllDigests() const {
  ResultDigests digests;
  for (const auto& [id, record] : records_) digests[id] = record.digest;
  return digests;
}

StatusOr<std::vector<std::string>> ResultsPack::MakePacks() const {
  std::vector<std::string> operators;
  for (auto it = records_.begin(); it != records_.end();) {
    const std::string op = OperatorOf(it->first);
    PackFile pack;
    CTS_RETURN_IF_ERROR(pack.Create(temporary() / StrCat(op, kPackSuffix)));
    for (; it != records_.end() && OperatorOf(it->first) == op; ++it) {
      CTS_RETURN_IF_ERROR(CopyTo(it->first, it->second, pack.writer()));
    }
    CTS_RETURN_IF_ERROR(pack.Close());
    operators.push_back(op);
  }
  for (const std::string& op : operators) {
    std::error_code error;
    const fs::path path = out() / StrCat(op, kPackSuffix);
    fs::rename(temporary() / path.filename(), path, error);
    if (error) return Unavailable(path.string(), ": cannot be created: ", error.message());
  }
  return operators;
}

// Copies a result into a pack. The bytes that are copied must have its digest.
Status ResultsPack::CopyTo(const std::string& id, const Record& record, PackWriter& writer) const {
  Sha256Stream stream;
  for (const auto& [name, file] : record.files) {
    stream.Add(DigestedHead(name, file.size));
    CTS_RETURN_IF_ERROR(writer.Begin(StrCat(id, "/", name), file.size));
    CTS_RETURN_IF_ERROR(ReadAt(file, [&](std::string_view piece) {
      stream.Add(piece);
      return writer.Add(piece);
    }));
    CTS_RETURN_IF_ERROR(writer.End());
  }
  return stream.Finish() == record.digest ? absl::OkStatus() : ResultChanged(out() / id);
}

}  // namespace cts

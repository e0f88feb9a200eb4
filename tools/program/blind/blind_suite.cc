#include "tools/program/blind/blind_suite.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <set>
#include <system_error>
#include <utility>

#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/new_file.h"
#include "reference/base/new_folder.h"
#include "reference/base/pack.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/bundle.h"
#include "reference/spec/edition.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr const char* kNeutralOperator = "case";

Status DrawBytes(void* bytes, size_t count) {
  if (getentropy(bytes, count) == 0) return absl::OkStatus();
  return Unavailable("the system gives no random bytes: ", std::strerror(errno));
}

// Removes the answers unless the suite that they belong to got into its place.
class AnswersFile {
 public:
  explicit AnswersFile(fs::path path) : path_(std::move(path)) {}
  AnswersFile(const AnswersFile&) = delete;
  AnswersFile& operator=(const AnswersFile&) = delete;
  ~AnswersFile() {
    std::error_code ignored;
    if (written_) fs::remove(path_, ignored);
  }

  // No other user can read it, not even while it is written, and it is whole or absent.
  Status Write(const std::string& text) {
    std::error_code error;
    if (path_.has_parent_path()) fs::create_directories(path_.parent_path(), error);
    CTS_ASSIGN_OR_RETURN(NewFile file, NewFile::Beside(path_, 0600));
    const Status put = file.PutWhereNothingIs(text);
    if (!put.ok()) {
      return Unavailable(Message(put), "; choose another place, on a file system that has links");
    }
    written_ = true;
    return absl::OkStatus();
  }
  void Keep() { written_ = false; }

 private:
  const fs::path path_;
  bool written_ = false;
};

// The cases were written in the order that everybody knows: all files get one time.
Status ForgetTimes(const fs::path& root) {
  std::error_code error;
  const auto now = fs::file_time_type::clock::now();
  for (fs::recursive_directory_iterator it(root, error), end; !error && it != end;
       it.increment(error)) {
    fs::last_write_time(it->path(), now, error);
    if (error) break;
  }
  if (!error) return absl::OkStatus();
  return Unavailable(root.string(), ": its files cannot be given one time: ", error.message());
}

SuiteEntry SealedEntry(const Case& sealed, const std::vector<BundleFile>& files) {
  return {sealed.id, sealed.op, std::string(Name(sealed.outcome)), BundleDigest(files), {}, {}, ""};
}

void SortById(std::vector<SuiteEntry>* entries) {
  std::sort(entries->begin(), entries->end(),
            [](const SuiteEntry& a, const SuiteEntry& b) { return a.id < b.id; });
}

// Puts the cases, which all have the same operator in their ids, into one pack.
Status PackCases(const fs::path& root, const std::vector<SuiteEntry>& cases,
                 const std::atomic<bool>* stop) {
  const fs::path folder = root / kNeutralOperator;
  PackFile pack;
  CTS_RETURN_IF_ERROR(pack.Create(folder.string() + std::string(kPackSuffix)));
  for (const SuiteEntry& entry : cases) {
    if (stop != nullptr && *stop) return absl::CancelledError("interrupted");
    CTS_ASSIGN_OR_RETURN(const std::set<std::string> names, BundleFileNames(root / entry.id));
    for (const std::string& name : names) {
      CTS_ASSIGN_OR_RETURN(const std::string bytes, ReadFile(root / entry.id / name));
      CTS_RETURN_IF_ERROR(pack.writer().Begin(StrCat(entry.id, "/", name), bytes.size()));
      CTS_RETURN_IF_ERROR(pack.writer().Add(bytes));
      CTS_RETURN_IF_ERROR(pack.writer().End());
    }
  }
  CTS_RETURN_IF_ERROR(pack.Close());
  std::error_code error;
  fs::remove_all(folder, error);
  if (!error) return absl::OkStatus();
  return Unavailable(folder.string(), ": cannot be removed: ", error.message());
}

}  // namespace

Json AnswersToJson(const SealedAnswers& answers) {
  return {{"format", "tensor-cts-answers-1"},
          {"generator", answers.generator},
          {"salt", answers.salt},
          {"recipe", RecipeToJson(answers.recipe)},
          {"suite", answers.suite},
          {"blind", answers.blind}};
}

StatusOr<SealedAnswers> AnswersFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "answers", origin));
  SealedAnswers answers;
  answers.generator = json["generator"];
  answers.salt = json["salt"];
  answers.suite = json["suite"];
  answers.blind = json["blind"];
  CTS_ASSIGN_OR_RETURN(answers.recipe, RecipeFromJson(json["recipe"], StrCat(origin, ": /recipe")));
  return answers;
}

StatusOr<SealedAnswers> ReadAnswers(const fs::path& file) {
  constexpr uint64_t kMaxBytes = 16 << 20;
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(file, "", kMaxBytes));
  return AnswersFromJson(json, file.string());
}

StatusOr<std::string> DrawSalt() {
  unsigned char bytes[32];
  CTS_RETURN_IF_ERROR(DrawBytes(bytes, sizeof(bytes)));
  std::string salt;
  for (const unsigned char byte : bytes) {
    constexpr std::string_view kDigits = "0123456789abcdef";
    salt += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return salt;
}

StatusOr<uint64_t> DrawSeed() {
  constexpr int kSeedBits = 53;  // what JSON carries
  uint64_t seed = 0;
  CTS_RETURN_IF_ERROR(DrawBytes(&seed, sizeof(seed)));
  return seed >> (64 - kSeedBits);
}

std::map<std::string, std::string> NeutralIds(const std::vector<std::string>& ids,
                                              const std::string& salt) {
  std::vector<std::pair<std::string, std::string>> order;
  order.reserve(ids.size());
  for (const std::string& id : ids) order.emplace_back(Sha256(StrCat(salt, "\n", id)), id);
  std::sort(order.begin(), order.end());
  std::map<std::string, std::string> neutral;
  for (size_t i = 0; i < order.size(); ++i) {
    char text[32];
    std::snprintf(text, sizeof(text), "%s/%07zu", kNeutralOperator, i + 1);
    neutral.emplace(std::move(order[i].second), text);
  }
  return neutral;
}

Case Sealed(const Case& c, const std::string& neutral_id) {
  Case sealed;
  sealed.id = neutral_id;
  sealed.edition = c.edition;
  sealed.level = c.level;
  sealed.op = c.op;
  sealed.data_set = "sealed";
  sealed.graph = c.graph;
  sealed.inputs = c.inputs;
  sealed.later_inputs = c.later_inputs;
  sealed.bindings = c.bindings;
  sealed.outcome = Outcome::kSealed;
  return sealed;
}

StatusOr<BlindSuite> GenerateBlind(const GenerateOptions& options, const std::string& salt,
                                   const fs::path& file) {
  CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(file));
  if (taken) {
    return InvalidArgument(file.string(), ": exists already: the answers of another suite cannot ",
                           "be told from others once they are lost; choose another path");
  }
  CTS_RETURN_IF_ERROR(RequireNoFolder(options.out));
  CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(options.recipe.edition));
  CTS_ASSIGN_OR_RETURN(const std::vector<PlannedCase> planned, PlanCases(options.recipe));
  std::vector<std::string> ids;
  ids.reserve(planned.size());
  for (const PlannedCase& c : planned) ids.push_back(c.id);
  const std::map<std::string, std::string> neutral = NeutralIds(ids, salt);

  CTS_ASSIGN_OR_RETURN(NewFolder folder, NewFolder::Beside(options.out));
  // Some file systems list folders in the order in which they were made, and so does an archive: in
  // that of the names, which was drawn.
  std::vector<std::string> drawn;
  drawn.reserve(neutral.size());
  for (const auto& [id, name] : neutral) drawn.push_back(name);
  std::sort(drawn.begin(), drawn.end());
  for (const std::string& name : drawn) {
    std::error_code failed;
    fs::create_directories(folder.path() / name, failed);
    if (failed) {
      return Unavailable((folder.path() / name).string(),
                         ": cannot be created: ", failed.message());
    }
  }
  std::vector<SuiteEntry> entries(planned.size()), blind(planned.size());
  const auto write = [&](size_t i, const Case& c) -> Status {
    entries[i].id = c.id;
    entries[i].digest = BundleDigest(EncodeCase(c));
    const Case sealed = Sealed(c, neutral.at(c.id));
    const std::vector<BundleFile> files = EncodeCase(sealed);
    for (const BundleFile& each : files) {
      CTS_RETURN_IF_ERROR(WriteFile(folder.path() / sealed.id / each.path, each.bytes));
    }
    blind[i] = SealedEntry(sealed, files);
    return absl::OkStatus();
  };
  CTS_RETURN_IF_ERROR(ForEachCase(options, write));
  SortById(&blind);
  if (options.pack) CTS_RETURN_IF_ERROR(PackCases(folder.path(), blind, options.stop));

  BlindSuite made{planned.size(), {}, ""};
  SealedAnswers& answers = made.answers;
  answers.generator = kSuiteGenerator;
  answers.salt = salt;
  answers.recipe = options.recipe;
  answers.suite = SuiteDigest(entries);
  answers.blind = SuiteDigest(blind);
  const std::string text = FormatJson(AnswersToJson(answers));
  made.answers_digest = Sha256(text);

  Suite suite;
  suite.name = "blind";
  suite.edition = edition->id;
  suite.level = options.recipe.level;
  suite.generator = answers.generator;
  suite.cases = std::move(blind);
  suite.digest = answers.blind;
  suite.answers = made.answers_digest;
  CTS_RETURN_IF_ERROR(SaveJson(folder.path() / "suite.json", SuiteToJson(suite)));
  CTS_RETURN_IF_ERROR(ForgetTimes(folder.path()));
  AnswersFile sealed(file);
  CTS_RETURN_IF_ERROR(sealed.Write(text));
  std::error_code error;
  const fs::path out = fs::absolute(options.out, error).lexically_normal();
  CTS_RETURN_IF_ERROR(folder.PutWithPermissionsOf(
      out.has_filename() ? out.parent_path() : out.parent_path().parent_path()));
  sealed.Keep();
  return made;
}

StatusOr<std::string> BlindDigest(const fs::path& directory, const Suite& suite,
                                  const std::string& salt, int jobs,
                                  const std::atomic<bool>* stop) {
  std::vector<std::string> ids;
  ids.reserve(suite.cases.size());
  for (const SuiteEntry& entry : suite.cases) ids.push_back(entry.id);
  const std::map<std::string, std::string> neutral = NeutralIds(ids, salt);
  std::vector<SuiteEntry> blind(ids.size());
  CTS_RETURN_IF_ERROR(
      ParallelFor(ids.size(), {.jobs = jobs, .stop = stop}, [&](size_t i) -> Status {
        CTS_ASSIGN_OR_RETURN(const Case c, ReadCaseInputs(directory / ids[i]));
        const Case sealed = Sealed(c, neutral.at(c.id));
        blind[i] = SealedEntry(sealed, EncodeCase(sealed));
        return absl::OkStatus();
      }));
  SortById(&blind);
  return SuiteDigest(blind);
}

}  // namespace cts

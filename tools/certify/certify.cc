#include "tools/certify/certify.h"

#include <algorithm>
#include <csignal>
#include <mutex>
#include <set>
#include <system_error>
#include <thread>

#include "checker/dsse.h"
#include "checker/html.h"
#include "checker/printable.h"
#include "checker/report.h"
#include "checker/run_record.h"
#include "cts_locks.h"
#include "generator/generate.h"
#include "generator/plan.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/json.h"
#include "reference/bundle/bundle.h"
#include "reference/spec/edition.h"
#include "tools/ask/element_origin.h"
#include "tools/run/result_digests.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr uint64_t kMaxText = uint64_t{1} << 28;
constexpr std::string_view kGenerator = "tensor-cts " CTS_VERSION;

// The part of a recipe that determines the cases: without its name, and with all profiles by name.
StatusOr<Json> EssenceOf(Recipe recipe) {
  recipe.name = "";
  recipe.summary = "";
  if (recipe.profiles.empty()) {
    CTS_ASSIGN_OR_RETURN(const Edition* const edition, FindEdition(recipe.edition));
    for (const ProfileSpec& profile : edition->profiles) recipe.profiles.push_back(profile.name);
  }
  std::sort(recipe.profiles.begin(), recipe.profiles.end());
  return RecipeToJson(recipe);
}

// The differences between a suite on disk and the suite that the recipe yields; stops after a few.
StatusOr<std::vector<std::string>> CompareManifest(const Suite& suite, const Recipe& recipe,
                                                   const Lock& lock) {
  constexpr size_t kShown = 5;
  const std::string file = "suite/suite.json: ";
  std::vector<std::string> faults;
  const auto other = [&](const char* member, const std::string& has, const std::string& wants) {
    faults.push_back(StrCat(file, "/", member, ": found ", Shortened(Printable(has), 100),
                            ", expected ", wants, " for this claim"));
  };
  // In another edition everything else differs, too.
  if (suite.edition != recipe.edition) {
    other("edition", suite.edition, recipe.edition);
    return faults;
  }
  const Json expected = RecipeToJson(recipe);
  CTS_ASSIGN_OR_RETURN(const Json found,
                       ParseJson(suite.recipe.empty() ? "{}" : suite.recipe, "recipe"));
  for (const std::string& difference : Differences(found, expected)) {
    faults.push_back(StrCat(file, "/recipe", difference, " for this claim"));
  }
  if (suite.level != recipe.level) other("level", suite.level, recipe.level);
  if (suite.name != recipe.name) other("name", suite.name, recipe.name);
  if (suite.seed != recipe.seed) {
    faults.push_back(StrCat(file, "/seed: found ", suite.seed, ", expected ", recipe.seed));
  }
  CTS_ASSIGN_OR_RETURN(const std::vector<PlannedCase> planned, PlanCases(recipe));
  std::vector<std::string> wanted(planned.size());
  std::vector<std::string> present(suite.cases.size());
  std::transform(planned.begin(), planned.end(), wanted.begin(), [](auto& c) { return c.id; });
  std::transform(suite.cases.begin(), suite.cases.end(), present.begin(),
                 [](auto& entry) { return entry.id; });
  const auto report = [&](const std::vector<std::string>& a, const std::vector<std::string>& b,
                          const char* what) {
    std::vector<std::string> only;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(only));
    for (size_t i = 0; i < std::min(only.size(), kShown); ++i) {
      faults.push_back(StrCat(file, "case ", only[i], " ", what));
    }
    if (only.size() > kShown) {
      faults.push_back(StrCat(file, only.size() - kShown, " more like that"));
    }
  };
  report(wanted, present, "is mandatory for this claim, and missing");
  report(present, wanted, "is not mandatory for this claim: expected the mandatory ones alone");
  if (!lock.name.empty() && suite.digest != lock.suite) {
    faults.push_back(StrCat(file, "/digest: found ", suite.digest, ", expected ", lock.suite,
                            " as in ", lock.name, ": the cases are not those of the recipe"));
  }
  return faults;
}

// Makes every case of the recipe again, in memory, and names those that differ from the manifest.
StatusOr<std::vector<std::string>> CompareRegenerated(const Suite& suite, const Recipe& recipe,
                                                      int jobs, const StageProgress& progress,
                                                      const std::atomic<bool>* stop) {
  GenerateOptions options;
  options.recipe = recipe;
  options.jobs = jobs;
  options.stop = stop;
  if (progress) {
    options.progress = [&](size_t done, size_t total) { progress("regenerate", done, total); };
  }
  std::mutex mutex;
  std::vector<std::string> faults;
  CTS_RETURN_IF_ERROR(ForEachCase(options, [&](size_t, const Case& c) -> Status {
    const SuiteEntry* const entry = suite.Find(c.id);
    const std::string digest = BundleDigest(EncodeCase(c));
    const std::lock_guard<std::mutex> lock(mutex);
    if (entry == nullptr) {
      faults.push_back(StrCat("suite/suite.json: case ", c.id, " is missing"));
    } else if (entry->digest != digest || entry->op != c.op || entry->outcome != Name(c.outcome)) {
      faults.push_back(StrCat("suite/", c.id, ": found the digest ", entry->digest, ", made again ",
                              "it is ", digest));
    }
    return absl::OkStatus();
  }));
  std::sort(faults.begin(), faults.end());
  return faults;
}

// The files of a suite that lies in `root`, with `prefix` before their paths.
StatusOr<std::set<std::string>> SuiteFiles(const fs::path& root, const Suite& suite,
                                           const std::string& prefix) {
  std::set<std::string> known = {prefix + "suite.json"};
  for (const SuiteEntry& entry : suite.cases) {
    CTS_ASSIGN_OR_RETURN(const std::set<std::string> bundle, BundleFileNames(root / entry.id));
    for (const std::string& name : bundle) known.insert(StrCat(prefix, entry.id, "/", name));
  }
  return known;
}

// Files that do not belong in evidence: they belong to no case, or to no part of one.
StatusOr<std::vector<std::string>> StrayFiles(const fs::path& root, const FileDigests& files,
                                              const Report& report) {
  CTS_ASSIGN_OR_RETURN(std::set<std::string> known,
                       SuiteFiles(root / "suite", report.suite, "suite/"));
  known.insert({std::string(kClaimFile), "report.json", "report.txt", "report.html",
                "results/run.json", "results/results.json"});
  for (const CaseReport& c : report.cases) {
    CTS_ASSIGN_OR_RETURN(const Case header, ReadCaseHeader(root / "suite" / c.id));
    known.insert(StrCat("results/", c.id, "/result.json"));
    for (const std::string& name : ResultFileNames(header)) {
      known.insert(StrCat("results/", c.id, "/", name));
    }
  }
  std::vector<std::string> faults;
  for (const auto& [path, digest] : files) {
    if (known.count(path) > 0) continue;
    faults.push_back(StrCat(Shortened(Printable(path), 300), ": is no part of evidence"));
  }
  return faults;
}

// Judges suite/ and results/ of an evidence directory. A case that ran again is a finding: nothing
// may be retried.
StatusOr<Report> Judge(const fs::path& evidence, int jobs, const StageProgress& progress,
                       const std::atomic<bool>* stop) {
  CheckOptions options{evidence / "suite", evidence / "results", jobs};
  options.stop = stop;
  options.meaning = MeaningOf;
  if (progress) {
    options.progress = [&](size_t done, size_t total) { progress("check", done, total); };
  }
  CTS_ASSIGN_OR_RETURN(Report report, CheckSuite(options));
  CTS_ASSIGN_OR_RETURN(const RunRecord run, ReadRunRecord(evidence / "results"));
  for (const auto& [member, there] :
       {std::pair("filter", run.filter.has_value()), std::pair("shard", run.shard.has_value()),
        std::pair("shards", !run.shards.empty()), std::pair("resumed", !run.resumed.empty())}) {
    if (!there) continue;
    return InvalidArgument("results/run.json: found /", member, ": nothing may be left out, put ",
                           "together or gone on with for a certificate");
  }
  if (const int64_t restarts = run.restarts.value_or(0); restarts > 0) {
    report.findings.push_back(
        {"worker_restarted",
         StrCat(restarts, restarts == 1 ? " worker" : " workers",
                " did something wrong, and what they had in hand ran again: nothing may be "
                "retried for a certificate"),
         {}});
  }
  return report;
}

// The differences between report.json and a check made now.
std::vector<std::string> CompareReport(const Json& json, const Report& report) {
  std::map<std::string, std::string> verdicts;
  const Json cases = json.is_object() && json.contains("cases") && json["cases"].is_array()
                         ? json["cases"]
                         : Json::array();
  std::vector<std::string> faults;
  for (const Json& c : cases) {
    if (!c.is_object() || !c.contains("id") || !c["id"].is_string() || !c.contains("verdict") ||
        !c["verdict"].is_string() || !verdicts.emplace(c["id"], c["verdict"]).second) {
      return {"report.json: /cases: expected id and verdict of every case, once"};
    }
  }
  for (const CaseReport& c : report.cases) {
    const auto found = verdicts.find(c.id);
    const std::string says = found == verdicts.end() ? "nothing" : Printable(found->second);
    if (says != Name(c.verdict)) {
      faults.push_back(StrCat("results/", c.id, ": checked again it is ", Name(c.verdict),
                              c.message.empty() ? "" : " (" + Shortened(c.message, 200) + ")",
                              ", but report.json says ", says));
    }
    if (found != verdicts.end()) verdicts.erase(found);
  }
  for (const auto& [id, verdict] : verdicts) {
    faults.push_back(
        StrCat("report.json: case ", Shortened(Printable(id), 300), " is not of the suite"));
  }
  const Json conformant = json.is_object() ? json.value("conformant", Json()) : Json();
  if (conformant != Json(Conformant(report))) {
    faults.push_back(StrCat("report.json: /conformant: found ", conformant.dump(), ", expected ",
                            Conformant(report) ? "true" : "false"));
  }
  return faults;
}

// OUT.partial; removed at the end unless it became OUT.
class Partial {
 public:
  explicit Partial(const fs::path& out) : out_(out), path_(out.string() + ".partial") {}
  Partial(const Partial&) = delete;
  Partial& operator=(const Partial&) = delete;
  ~Partial() {
    std::error_code ignored;
    if (created_) fs::remove_all(path_, ignored);
  }

  const fs::path& path() const { return path_; }

  Status Create() {
    std::error_code error;
    for (const fs::path& path : {out_, path_}) {
      if (fs::exists(fs::symlink_status(path, error))) {
        return InvalidArgument(path.string(), ": exists already: remove it, or choose another");
      }
    }
    if (out_.has_parent_path()) fs::create_directories(out_.parent_path(), error);
    // The directory is new: anybody else who writes there fails.
    created_ = !error && fs::create_directory(path_, error);
    if (created_) return absl::OkStatus();
    return Unavailable(path_.string(), ": cannot be created: ", error.message());
  }

  Status Finish() {
    std::error_code error;
    fs::rename(path_, out_, error);
    if (error) return Unavailable(out_.string(), ": cannot be written: ", error.message());
    created_ = false;
    return absl::OkStatus();
  }

 private:
  const fs::path out_, path_;
  bool created_ = false;
};

Status CheckStopped(const std::atomic<bool>* stop) {
  if (stop == nullptr || !*stop) return absl::OkStatus();
  return Unavailable("certify: interrupted; nothing was written");
}

// The suite for the claim, in `place`: made, or copied from a suite that is exactly the same.
StatusOr<Suite> PutSuite(const CertifyOptions& options, const Recipe& recipe, const Lock& lock,
                         const fs::path& place) {
  if (options.suite.empty()) {
    GenerateOptions generate;
    generate.recipe = recipe;
    generate.out = place;
    generate.jobs = options.jobs;
    generate.stop = options.stop;
    if (options.progress) {
      generate.progress = [&](size_t done, size_t total) {
        options.progress("generate", done, total);
      };
    }
    StatusOr<Suite> suite = Generate(generate);
    CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
    return suite;
  }
  CTS_ASSIGN_OR_RETURN(Suite suite, ReadSuite(options.suite));
  CTS_ASSIGN_OR_RETURN(std::vector<std::string> faults, CompareManifest(suite, recipe, lock));
  // Without a lock, only making the suite again shows that nobody has changed the expectations.
  if (faults.empty() && lock.name.empty()) {
    CTS_ASSIGN_OR_RETURN(
        faults, CompareRegenerated(suite, recipe, options.jobs, options.progress, options.stop));
  }
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  if (!faults.empty()) {
    return InvalidArgument(options.suite.string(), ": ", faults.front(),
                           "; leave --suite out, and the suite is generated");
  }
  std::error_code error;
  fs::copy(options.suite, place, fs::copy_options::recursive | fs::copy_options::copy_symlinks,
           error);
  if (error) {
    return Unavailable(options.suite.string(), ": cannot be copied to ", place.string(), ": ",
                       error.message());
  }
  // Checked before anything runs: files that do not belong to the suite cannot be part of evidence.
  faults.clear();
  CTS_ASSIGN_OR_RETURN(const FileDigests files,
                       DigestFiles(place, options.jobs, &faults, options.stop));
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  CTS_ASSIGN_OR_RETURN(const std::set<std::string> known, SuiteFiles(place, suite, ""));
  for (const auto& [path, digest] : files) {
    if (known.count(path) == 0) {
      faults.push_back(StrCat(Shortened(Printable(path), 300), ": is no part of the suite"));
    }
  }
  if (faults.empty()) return suite;
  return InvalidArgument(options.suite.string(), ": ", faults.front(),
                         "; remove it, or leave --suite out");
}

// Where the suite will lie, so that `explain` finds it.
Status MoveSuitePath(const fs::path& results, const fs::path& suite) {
  CTS_ASSIGN_OR_RETURN(RunRecord run, ReadRunRecord(results));
  run.suite_path = suite.string();
  return WriteRunRecord(results, run);
}

// The reports on the results, for people and for programs.
std::vector<std::pair<std::string, std::string>> ReportFiles(const Report& report) {
  return {{"report.json", FormatJson(ReportToJson(report))},
          {"report.html", FormatHtml(report)},
          {"report.txt", FormatText(report)}};
}

}  // namespace

StatusOr<Recipe> CertifyRecipe(const std::string& edition) {
  // "certify-0.100" for version 0.100 of the default edition's operator set; else the recipe with
  // the edition's name.
  const std::vector<std::string> known = RecipeNames();
  std::string name = "certify";
  for (const std::string& own :
       {edition, StrCat("certify-", edition.substr(edition.find('-') + 1))}) {
    if (std::find(known.begin(), known.end(), own) != known.end()) name = own;
  }
  CTS_ASSIGN_OR_RETURN(Recipe recipe, FindRecipe(name));
  recipe.edition = edition;
  return recipe;
}

StatusOr<Recipe> MandatoryRecipe(const Claim& claim, const BaseRecipe& base) {
  CTS_ASSIGN_OR_RETURN(Recipe recipe, base(claim.edition));
  recipe.level = claim.level;
  recipe.symbolic = claim.symbolic;
  recipe.profiles = claim.profiles;
  recipe.profiles.insert(recipe.profiles.end(), claim.extensions.begin(), claim.extensions.end());
  return recipe;
}

StatusOr<Lock> FindLock(const Recipe& recipe) {
  constexpr std::string_view kSuffix = ".lock.json";
  CTS_ASSIGN_OR_RETURN(const Json wanted, EssenceOf(recipe));
  for (const EmbeddedFile& file : EmbeddedLocks()) {
    CTS_ASSIGN_OR_RETURN(const Recipe other,
                         FindRecipe(file.name.substr(0, file.name.size() - kSuffix.size())));
    CTS_ASSIGN_OR_RETURN(const Json essence, EssenceOf(other));
    if (essence != wanted) continue;
    CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(file.text, file.name));
    return Lock{std::string(file.name), Sha256(file.text), json["digest"]};
  }
  return Lock();
}

namespace {

StatusOr<Certified> MakeEvidence(const CertifyOptions& options) {
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key, Ed25519Key::ReadPrivate(options.key));
  CTS_ASSIGN_OR_RETURN(const std::string claim_text, ReadFile(options.claim, kMaxText));
  CTS_ASSIGN_OR_RETURN(const Json claim_json, ParseJson(claim_text, options.claim.string()));
  CTS_ASSIGN_OR_RETURN(const Claim claim, ClaimFromJson(claim_json, options.claim.string()));
  CTS_ASSIGN_OR_RETURN(const Recipe recipe, MandatoryRecipe(claim, options.recipe));
  // An edition of which there are no cases.
  if (const StatusOr<Plan> parts = MakeParts(recipe); !parts.ok()) {
    return Annotate(parts.status(), options.claim.string());
  }
  CTS_ASSIGN_OR_RETURN(const Lock lock, FindLock(recipe));

  std::error_code error;
  fs::path out = fs::absolute(options.out, error).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  Partial partial(out);
  CTS_RETURN_IF_ERROR(partial.Create());
  CTS_ASSIGN_OR_RETURN(const Suite suite,
                       PutSuite(options, recipe, lock, partial.path() / "suite"));

  RunOptions run = options.run;
  run.suite = partial.path() / "suite";
  run.out = partial.path() / "results";
  run.symbolic = claim.symbolic && run.builtin.empty();
  const Progress progress = [&](int done, int total) {
    // A signal that came before the run began to listen.
    if (options.stop != nullptr && *options.stop) std::raise(SIGINT);
    if (options.progress) {
      options.progress("run", static_cast<size_t>(done), static_cast<size_t>(total));
    }
  };
  CTS_ASSIGN_OR_RETURN(const RunSummary summary, RunSuite(run, progress));
  if (summary.interrupted) return Unavailable("certify: interrupted; nothing was written");
  if (!summary.IsOfImplementation()) {
    return Unavailable("certify: no case got an answer; the first, ", summary.first_id,
                       ", ended as ", Printable(summary.first_message), "; nothing was written");
  }
  CTS_RETURN_IF_ERROR(MoveSuitePath(run.out, out / "suite"));
  StatusOr<Report> judged = Judge(partial.path(), options.jobs, options.progress, options.stop);
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  CTS_ASSIGN_OR_RETURN(Report report, std::move(judged));
  if (report.suite.digest != suite.digest) {
    return InvalidArgument(run.suite.string(), ": was changed while the implementation ran");
  }
  report.suite_path = "suite";
  report.results_path = "results";
  CTS_RETURN_IF_ERROR(WriteFile(partial.path() / kClaimFile, claim_text));
  for (const auto& [name, text] : ReportFiles(report)) {
    CTS_RETURN_IF_ERROR(WriteFile(partial.path() / name, text));
  }

  std::vector<std::string> faults;
  CTS_ASSIGN_OR_RETURN(const FileDigests digests,
                       DigestFiles(partial.path(), options.jobs, &faults, options.stop));
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> strays,
                       StrayFiles(partial.path(), digests, report));
  faults.insert(faults.end(), strays.begin(), strays.end());
  if (!faults.empty()) return InvalidArgument(partial.path().string(), ": ", faults.front());
  const std::string sums = FormatSums(digests);
  CTS_RETURN_IF_ERROR(WriteFile(partial.path() / kSumsFile, sums));
  const Json statement = MakeStatement({claim, report, digests, sums, lock});
  CTS_ASSIGN_OR_RETURN(const std::string envelope,
                       SealEnvelope(key, kPayloadType, FormatJson(statement)));
  const std::string_view name = Conformant(report) ? kCertificateFile : kFailureFile;
  CTS_RETURN_IF_ERROR(WriteFile(partial.path() / name, envelope));
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  CTS_RETURN_IF_ERROR(partial.Finish());
  report.suite_path = options.out / "suite";
  report.results_path = options.out / "results";
  return Certified{std::move(report), options.out / name};
}

// The steps of verifying; the first that finds a fault is the last.
class Verifier {
 public:
  explicit Verifier(const VerifyOptions& options) : options_(options), root_(options.evidence) {}

  StatusOr<Verification> Run() {
    CTS_ASSIGN_OR_RETURN(const Ed25519Key key, Ed25519Key::ReadPublic(options_.key));
    out_.key_id = key.id();
    std::error_code error;
    if (!fs::is_directory(root_, error)) {
      return NotFound(root_.string(), ": expected a directory as tensor-cts certify writes it",
                      error ? ": " + error.message() : "");
    }
    key_ = &key;
    for (const auto step : {&Verifier::Signature, &Verifier::Files, &Verifier::Mandatory,
                            &Verifier::Results, &Verifier::Regenerated, &Verifier::Records}) {
      CTS_RETURN_IF_ERROR((this->*step)());
      if (!out_.faults.empty()) break;
    }
    return std::move(out_);
  }

 private:
  template <class... What>
  Status Fault(const What&... what) {
    out_.faults.push_back(StrCat(what...));
    return absl::OkStatus();
  }
  // If a file cannot be read, the environment is at fault; all other faults are the evidence's.
  Status FaultUnlessUnavailable(const Status& status) {
    return absl::IsUnavailable(status) ? status : Fault(Message(status));
  }

  // The statement that the key has signed.
  Status Signature() {
    std::error_code error;
    for (const std::string_view name : {kCertificateFile, kFailureFile}) {
      if (!fs::exists(fs::symlink_status(root_ / name, error))) continue;
      if (!file_.empty()) return Fault(file_, " and ", name, ": expected only one of them");
      file_ = name;
    }
    if (file_.empty()) {
      return Fault(kCertificateFile, ": is missing, and so is ", kFailureFile,
                   ": expected one of them");
    }
    if (!fs::is_regular_file(fs::symlink_status(root_ / file_, error))) {
      return Fault(file_, ": expected a regular file");
    }
    const StatusOr<std::string> text = ReadFile(root_ / file_, kMaxText);
    if (!text.ok()) return FaultUnlessUnavailable(text.status());
    const StatusOr<std::string> payload = OpenEnvelope(*key_, kPayloadType, *text, file_);
    if (!payload.ok()) return Fault(Message(payload.status()));
    StatusOr<Json> statement = ParseJson(*payload, file_ + ": statement");
    if (!statement.ok()) return Fault(Message(statement.status()));
    statement_ = *std::move(statement);
    const Status valid = ValidateJson(statement_, "statement", file_ + ": statement");
    return valid.ok() ? valid : Fault(Message(valid));
  }

  // The list of files that the statement names, and the files that it lists.
  Status Files() {
    if (options_.progress) options_.progress("files", 0, 1);
    CTS_ASSIGN_OR_RETURN(digests_, DigestFiles(root_, options_.jobs, &out_.faults));
    out_.files = digests_.size();
    if (!out_.faults.empty()) return absl::OkStatus();
    std::string signed_digest;
    for (const Json& subject : statement_["subject"]) {
      if (subject["name"] == kSumsFile) signed_digest = subject["digest"]["sha256"];
    }
    const auto found = digests_.find(std::string(kSumsFile));
    if (found == digests_.end()) {
      return Fault(kSumsFile, ": is missing");
    }
    if (found->second != signed_digest) {
      return Fault(kSumsFile, ": was changed: found the digest ", found->second, ", expected ",
                   signed_digest, " as ", file_, " says");
    }
    CTS_ASSIGN_OR_RETURN(sums_, ReadFile(root_ / kSumsFile, kMaxText));
    digests_.erase(found);
    digests_.erase(file_);
    out_.faults = CompareWithSums(sums_, digests_);
    return absl::OkStatus();
  }

  // The suite is what the claim makes mandatory.
  Status Mandatory() {
    StatusOr<Claim> claim = ReadClaim(root_ / kClaimFile);
    StatusOr<Suite> suite = ReadSuite(root_ / "suite");
    if (!claim.ok()) return FaultUnlessUnavailable(claim.status());
    if (!suite.ok()) return FaultUnlessUnavailable(suite.status());
    out_.claim = *std::move(claim);
    if (suite->generator != kGenerator) {
      return InvalidArgument(root_.string(), ": the suite was made by ",
                             Shortened(Printable(suite->generator), 100), ", this is ", kGenerator,
                             ": verify with that, another version may ask for other cases");
    }
    CTS_ASSIGN_OR_RETURN(recipe_, MandatoryRecipe(out_.claim, options_.recipe));
    CTS_ASSIGN_OR_RETURN(out_.lock, FindLock(recipe_));
    CTS_ASSIGN_OR_RETURN(out_.faults, CompareManifest(*suite, recipe_, out_.lock));
    return absl::OkStatus();
  }

  // Judging every result again must give the same as the report and the statement.
  Status Results() {
    StatusOr<Report> report = Judge(root_, options_.jobs, options_.progress, nullptr);
    if (!report.ok()) return FaultUnlessUnavailable(report.status());
    out_.report = *std::move(report);
    Report report_there = out_.report;
    report_there.suite_path = "suite";
    report_there.results_path = "results";
    report_files_ = ReportFiles(report_there);
    if (!IsReport("report.json")) {
      const StatusOr<Json> json = LoadJson(root_ / "report.json", "");
      if (!json.ok()) return FaultUnlessUnavailable(json.status());
      out_.faults = CompareReport(*json, out_.report);
    }
    const StatusOr<std::vector<std::string>> strays = StrayFiles(root_, digests_, out_.report);
    if (!strays.ok()) return FaultUnlessUnavailable(strays.status());
    out_.faults.insert(out_.faults.end(), strays->begin(), strays->end());
    const Json expected = MakeStatement({out_.claim, out_.report, digests_, sums_, out_.lock});
    for (const std::string& difference : Differences(statement_, expected)) {
      out_.faults.push_back(StrCat(file_, ": ", difference));
    }
    if ((file_ == kCertificateFile) != Conformant(out_.report)) {
      return Fault(file_, ": is the wrong name for the result ", ResultOf(out_.report));
    }
    return absl::OkStatus();
  }

  Status Regenerated() {
    // Without a lock nothing else shows that the expectations are the generator's.
    if (!options_.regenerate && !out_.lock.name.empty()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(out_.faults, CompareRegenerated(out_.report.suite, recipe_, options_.jobs,
                                                         options_.progress, nullptr));
    out_.regenerated = true;
    return absl::OkStatus();
  }

  // The reports, and the records of the run, must match the results, to the byte.
  Status Records() {
    for (const auto& [name, text] : report_files_) {
      if (!IsReport(name)) {
        out_.faults.push_back(StrCat(name, ": is not what follows from the results"));
      }
    }
    if (FormatSums(digests_) != sums_) {
      out_.faults.push_back(StrCat(kSumsFile, ": expected every file in order, one a line"));
    }
    std::vector<std::string> ids;
    for (const CaseReport& c : out_.report.cases) ids.push_back(c.id);
    const StatusOr<ResultDigests> results =
        DigestResults(root_ / "results", ids, options_.jobs, nullptr);
    if (!results.ok()) return FaultUnlessUnavailable(results.status());
    const StatusOr<ResultDigests> listed = ReadResultDigests(root_ / "results");
    if (!listed.ok()) return FaultUnlessUnavailable(listed.status());
    if (*listed != *results) {
      out_.faults.push_back("results/results.json: its digests are not those of the results");
    }
    CTS_ASSIGN_OR_RETURN(const RunRecord record, ReadRunRecord(root_ / "results"));
    const Json run = RunRecordToJson(record);
    for (const auto& [member, expected] :
         {std::pair("complete", Json(true)), std::pair("cases", Json(ids.size())),
          std::pair("results_digest", Json(DigestOf(*results))),
          std::pair("suite", Json(out_.report.suite.name)),
          std::pair("suite_cases", Json(ids.size())), std::pair("tensor_cts", Json(CTS_VERSION)),
          std::pair("repeats", Json())}) {
      if (run.value(member, Json()) == expected) continue;
      out_.faults.push_back(StrCat("results/run.json: /", member, ": found ",
                                   Shortened(Printable(run.value(member, Json()).dump()), 100),
                                   ", expected ", expected.is_null() ? "none" : expected.dump()));
    }
    return absl::OkStatus();
  }

  // Whether the file is the report that follows from the results. It may have any size.
  bool IsReport(const std::string& name) const {
    for (const auto& [report, text] : report_files_) {
      const auto found = digests_.find(name);
      if (report == name) return found != digests_.end() && found->second == Sha256(text);
    }
    return false;
  }

  const VerifyOptions& options_;
  const fs::path root_;
  const Ed25519Key* key_ = nullptr;
  Verification out_;
  std::string file_, sums_;
  Json statement_;
  FileDigests digests_;
  Recipe recipe_;
  std::vector<std::pair<std::string, std::string>> report_files_;  // names and bytes
};

}  // namespace

StatusOr<Certified> Certify(const CertifyOptions& options) {
  StatusOr<Certified> certified = MakeEvidence(options);
  if (absl::IsCancelled(certified.status())) CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  return certified;
}

StatusOr<Verification> VerifyEvidence(const VerifyOptions& options) {
  return Verifier(options).Run();
}

std::string FormatVerification(const VerifyOptions& options, const Verification& verification) {
  constexpr size_t kShown = 20;
  const std::string place = options.evidence.string();
  std::string text;
  if (!verification.Holds()) {
    const std::vector<std::string>& faults = verification.faults;
    for (size_t i = 0; i < std::min(faults.size(), kShown); ++i) text += faults[i] + "\n";
    if (faults.size() > kShown) text += StrCat("... and ", faults.size() - kShown, " more\n");
    return StrCat(text, "DOES NOT HOLD: ", place, ": ", faults.size(),
                  faults.size() == 1 ? " fault\n" : " faults\n");
  }
  const Claim& claim = verification.claim;
  const Report& report = verification.report;
  std::string names;
  for (const auto* list : {&claim.profiles, &claim.extensions}) {
    for (const std::string& name : *list) names += " " + name;
  }
  text += StrCat("claim     ", claim.vendor, " ", claim.name, " ", claim.version, " on ",
                 claim.hardware, ": ", claim.edition, names, ", level ", claim.level, "\n");
  text += StrCat("ran       ", report.run.name, " ", report.run.version, ", ", report.run.started,
                 ", ", report.run.host, "\n");
  text += StrCat("signed    by the key ", verification.key_id, "\n");
  text += StrCat("files     ", verification.files, ", as listed\n");
  text +=
      StrCat("suite     ", report.cases.size(), " mandatory cases, digest ", report.suite.digest,
             verification.lock.name.empty() ? "" : " as in " + verification.lock.name,
             verification.regenerated ? ", made again: the same" : "", "\n");
  const VerdictCounts counts = CountVerdicts(report);
  text += StrCat("results   ", counts[static_cast<size_t>(Verdict::kPass)], " of ",
                 report.cases.size(), " passed, each checked again\n");
  for (const Finding& finding : report.findings) {
    text += StrCat("finding   ", finding.kind, ": ", Printable(finding.message), "\n");
  }
  const std::string_view result = ResultOf(report);
  if (result == "FAILED") return StrCat(text, "HOLDS: ", place, ": NOT CONFORMANT\n");
  if (result == "WARNED") {
    return StrCat(text, "HOLDS: ", place,
                  ": the positive control passed; this is not evidence of conformance\n");
  }
  return StrCat(text, "HOLDS: ", place, ": CONFORMANT on the mandatory suite\n");
}

}  // namespace cts

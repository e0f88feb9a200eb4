#include "tools/certify/verify.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <system_error>
#include <utility>

#include "checker/build_state.h"
#include "checker/dsse.h"
#include "checker/printable.h"
#include "checker/report.h"
#include "checker/run_record.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/certify/archive.h"
#include "tools/certify/judged_evidence.h"
#include "tools/certify/unpack.h"
#include "tools/run/result_digests.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kGenerator = "tensor-cts " CTS_VERSION;

// Returns the build that made a statement, as the statement says; null if it does not.
Json BuildOf(const Json& statement) {
  const Json::json_pointer place("/predicate/configuration");
  if (!statement.contains(place) || !statement[place].is_array()) return nullptr;
  for (const Json& part : statement[place]) {
    if (part.is_object() && part.value("name", Json()) == kBuildName) {
      return part.value("annotations", Json());
    }
  }
  return nullptr;
}

// The steps of verifying; the first that finds a fault is the last.
class Verifier {
 public:
  explicit Verifier(const VerifyOptions& options) : options_(options), root_(options.evidence) {}

  StatusOr<Verification> Run() {
    CTS_ASSIGN_OR_RETURN(const Ed25519Key key, Ed25519Key::ReadPublic(options_.key));
    out_.key_id = key.id();
    key_ = &key;
    const Status verified = Steps();
    if (options_.stop != nullptr && *options_.stop) {
      return Unavailable("verify: interrupted; nothing was judged");
    }
    if (!verified.ok()) return Status(verified.code(), WithoutTemporary(Message(verified)));
    for (std::string& fault : out_.faults) fault = WithoutTemporary(std::move(fault));
    return std::move(out_);
  }

 private:
  Status Steps() {
    CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(root_));
    if (type == fs::file_type::regular) {
      CTS_ASSIGN_OR_RETURN(NewFolder temporary, TemporaryFolder());
      temporary_.emplace(std::move(temporary));
      CTS_RETURN_IF_ERROR(Unpack());
      root_ = temporary_->path() / kArchiveFolder;
    } else if (type != fs::file_type::directory) {
      return NotFound(root_.string(), ": expected a directory or an archive as tensor-cts certify ",
                      "writes it",
                      type == fs::file_type::not_found ? ": No such file or directory" : "");
    }
    for (const auto step :
         {&Verifier::Signature, &Verifier::Files, &Verifier::Mandatory, &Verifier::Results,
          &Verifier::Blind, &Verifier::Regenerated, &Verifier::Records}) {
      CTS_RETURN_IF_ERROR((this->*step)());
      if (!out_.faults.empty()) break;
    }
    return absl::OkStatus();
  }

  Status Unpack() const {
    const std::string place = temporary_->path().string();
    Status unpacked = UnpackEvidence(options_.evidence, place, options_.progress, options_.stop);
    if (Message(unpacked).find(place) == std::string::npos) return unpacked;
    return Status(unpacked.code(), StrCat(Message(unpacked), "; make room for temporary files, or ",
                                          "give another folder for them in TMPDIR"));
  }

  // Names files as those of the archive, not where they were unpacked.
  std::string WithoutTemporary(std::string text) const {
    if (!temporary_) return text;
    const std::string there = root_.string();
    for (size_t at = 0; (at = text.find(there, at)) != std::string::npos;) {
      text.replace(at, there.size(), options_.evidence.string());
      at += options_.evidence.string().size();
    }
    return text;
  }

  template <class... What>
  Status Fault(const What&... what) {
    out_.faults.push_back(StrCat(what...));
    return absl::OkStatus();
  }
  // If a file cannot be read, the environment is at fault; all other faults are the evidence's.
  Status FaultUnlessUnavailable(const Status& status) {
    const bool unread = absl::IsUnavailable(status) || absl::IsPermissionDenied(status) ||
                        absl::IsCancelled(status);
    return unread ? status : Fault(Message(status));
  }

  // The statement that the key has signed.
  Status Signature() {
    for (const std::string_view name : {kCertificateFile, kFailureFile}) {
      CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(root_ / name));
      if (type == fs::file_type::not_found) continue;
      if (!file_.empty()) return Fault(file_, " and ", name, ": expected only one of them");
      file_ = name;
    }
    if (file_.empty()) {
      return Fault(kCertificateFile, ": is missing, and so is ", kFailureFile,
                   ": expected one of them");
    }
    CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOfLink(root_ / file_));
    if (type != fs::file_type::regular) {
      return Fault(file_, ": expected a regular file");
    }
    const StatusOr<std::string> text = ReadFile(root_ / file_, kMaxEvidenceText);
    if (!text.ok()) return FaultUnlessUnavailable(text.status());
    const StatusOr<std::string> payload = OpenEnvelope(*key_, kPayloadType, *text, file_);
    if (!payload.ok()) return FaultUnlessUnavailable(payload.status());
    StatusOr<Json> statement = ParseJson(*payload, file_ + ": statement");
    if (!statement.ok()) return FaultUnlessUnavailable(statement.status());
    statement_ = *std::move(statement);
    // The statement of another version may have another form.
    const Json build = BuildOf(statement_);
    const Json expected = BuildStateToJson(ThisBuild());
    const Status valid = ValidateJson(statement_, "statement", file_ + ": statement");
    if (build == expected) return valid.ok() ? valid : Fault(Message(valid));
    if (build.is_null() && !valid.ok()) return Fault(Message(valid));
    std::string differences;
    for (const std::string& difference : Differences(build, expected)) {
      differences += StrCat(differences.empty() ? "" : "; ", difference);
    }
    return InvalidArgument(root_.string(), ": ", file_,
                           ": made by another version of tensor-cts: ", differences,
                           ": verify with that version, as `tensor-cts version` ",
                           "shows it; this one may judge otherwise");
  }

  // The list of files that the statement names, and the files that it lists.
  Status Files() {
    if (options_.progress) options_.progress("files", 0, 1);
    CTS_ASSIGN_OR_RETURN(std::vector<std::string> paths, ListFiles(root_, &out_.faults));
    out_.files = paths.size();
    if (!out_.faults.empty()) return absl::OkStatus();
    std::string signed_digest;
    for (const Json& subject : statement_["subject"]) {
      if (subject["name"] == kSumsFile) signed_digest = subject["digest"]["sha256"];
    }
    if (std::erase(paths, kSumsFile) == 0) return Fault(kSumsFile, ": is missing");
    std::erase(paths, file_);
    StatusOr<std::string> sums = ReadFile(root_ / kSumsFile, kMaxEvidenceText);
    if (!sums.ok()) return FaultUnlessUnavailable(sums.status());
    sums_ = *std::move(sums);
    if (const std::string digest = Sha256(sums_); digest != signed_digest) {
      return Fault(kSumsFile, ": was changed: found the digest ", digest, ", expected ",
                   signed_digest, " as ", file_, " says");
    }
    out_.faults = Unlisted(sums_, paths);
    if (!out_.faults.empty()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(digests_, DigestFiles(root_, paths, options_.jobs, options_.stop));
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
    StatusOr<std::optional<Answers>> answers = FindAnswers(root_);
    if (!answers.ok()) return FaultUnlessUnavailable(answers.status());
    out_.answers = *std::move(answers);
    if (out_.answers) {
      StatusOr<Recipe> recipe =
          BlindRecipe(recipe_, *out_.answers, (root_ / kAnswersFile).string());
      if (!recipe.ok()) return FaultUnlessUnavailable(recipe.status());
      recipe_ = *std::move(recipe);
    }
    CTS_ASSIGN_OR_RETURN(out_.lock, FindLock(recipe_));
    CTS_ASSIGN_OR_RETURN(out_.faults, CompareManifest(*suite, recipe_, out_.lock));
    return absl::OkStatus();
  }

  // Judging every result again must give the same as the report and the statement.
  Status Results() {
    StatusOr<Report> report =
        JudgeEvidence(root_, out_.claim, options_.jobs, options_.progress, options_.stop);
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
    const Json expected =
        MakeStatement({out_.claim, out_.report, digests_, sums_, out_.lock, NameOf(out_.answers)});
    for (const std::string& difference : Differences(statement_, expected)) {
      out_.faults.push_back(StrCat(file_, ": ", difference));
    }
    if ((file_ == kCertificateFile) != Conformant(out_.report)) {
      return Fault(file_, ": is the wrong name for the result ", ResultOf(out_.report));
    }
    return absl::OkStatus();
  }

  Status Blind() {
    StatusOr<std::vector<std::string>> faults =
        BlindFaults(root_, out_.answers, out_.report, options_.jobs, nullptr);
    if (!faults.ok()) return FaultUnlessUnavailable(faults.status());
    out_.faults = *std::move(faults);
    return absl::OkStatus();
  }

  Status Regenerated() {
    // Without a lock nothing else shows that the expectations are the generator's.
    if (!options_.regenerate && !out_.lock.name.empty()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(out_.faults, CompareRegenerated(out_.report.suite, recipe_, options_.jobs,
                                                         options_.progress, options_.stop));
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
        DigestResults(root_ / "results", ids, options_.jobs, options_.stop);
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
          std::pair("suite_cases", Json(ids.size())), std::pair("tensor_cts", Json(CTS_VERSION))}) {
      if (run.value(member, Json()) == expected) continue;
      out_.faults.push_back(StrCat("results/run.json: /", member, ": found ",
                                   Shortened(Printable(run.value(member, Json()).dump()), 100),
                                   ", expected ", expected.dump()));
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
  std::optional<NewFolder> temporary_;  // of an archive
  fs::path root_;
  const Ed25519Key* key_ = nullptr;
  Verification out_;
  std::string file_, sums_;
  Json statement_;
  FileDigests digests_;
  Recipe recipe_;
  std::vector<std::pair<std::string, std::string>> report_files_;  // names and bytes
};

}  // namespace

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
  const RunInfo& run = report.run;
  text +=
      StrCat("ran       ", run.name, " ",
             run.name == run.command && run.version == kUnknownVersion ? "(it did not say its name)"
                                                                       : run.version,
             ", ", run.started, ", ", run.host, "\n");
  if (!run.code.empty() || run.announced_code) text += StrCat("code      ", CodeText(run), "\n");
  if (run.under_load) {
    text += "load      a sample ran three times more, twice as many at a time\n";
  }
  text += StrCat("by        tensor-cts ", run.tensor_cts, ", commit ", run.commit, "\n");
  text += StrCat("signed    by the key ", verification.key_id, "\n");
  text += StrCat("files     ", verification.files, ", as listed\n");
  text +=
      StrCat("suite     ", report.cases.size(), " mandatory cases, digest ", report.suite.digest,
             verification.lock.name.empty() ? "" : " as in " + verification.lock.name,
             verification.regenerated ? ", made again: the same" : "", "\n");
  if (verification.answers) {
    text += StrCat("blind     run without answers as the suite ", verification.answers->blind,
                   ", made from the seed ", verification.answers->recipe.seed, "\n");
  }
  const VerdictCounts counts = CountVerdicts(report);
  text += StrCat("results   ", counts[static_cast<size_t>(Verdict::kPass)], " of ",
                 report.cases.size(), " passed, each checked again\n");
  if (const int disputed = Count(CountStandings(report), Standing::kDisputed); disputed > 0) {
    text +=
        StrCat("disputed  ", disputed,
               " did not pass where the text disagrees with itself: ", "these decide nothing\n");
  }
  for (const Finding& finding : report.findings) {
    text += StrCat(finding.waived ? "waived    " : "finding   ", finding.kind, ": ",
                   Printable(finding.message), "\n");
  }
  for (const std::string& line : ChoiceLines(report)) text += StrCat("choice    ", line, "\n");
  const std::string_view result = ResultOf(report);
  if (result == "FAILED") return StrCat(text, "HOLDS: ", place, ": NOT CONFORMANT\n");
  if (result == "WARNED") {
    return StrCat(text, "HOLDS: ", place,
                  ": the positive control passed; this is not evidence of conformance\n");
  }
  return StrCat(text, "HOLDS: ", place, ": CONFORMANT on the mandatory suite\n");
}

}  // namespace cts

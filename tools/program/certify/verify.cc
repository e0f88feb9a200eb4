#include "tools/program/certify/verify.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "checker/evidence/dsse.h"
#include "checker/judge/build_state.h"
#include "checker/judge/run_record.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/pack.h"
#include "reference/spec/edition.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/judged_evidence.h"
#include "tools/program/certify/unpack.h"
#include "tools/program/run/merge.h"
#include "tools/program/run/result_digests.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

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
    CTS_RETURN_IF_ERROR(ReadKeys());
    const Status verified = Steps();
    if (options_.stop != nullptr && *options_.stop) {
      return Unavailable("verify: interrupted; nothing was judged");
    }
    if (!verified.ok()) return Status(verified.code(), WithoutTemporary(Message(verified)));
    for (std::string& fault : out_.faults) fault = WithoutTemporary(std::move(fault));
    return std::move(out_);
  }

 private:
  Status ReadKeys() {
    std::vector<fs::path> paths{options_.key};
    paths.insert(paths.end(), options_.more_keys.begin(), options_.more_keys.end());
    for (const fs::path& path : paths) {
      CTS_ASSIGN_OR_RETURN(Ed25519Key key, Ed25519Key::ReadPublic(path));
      for (const Ed25519Key& other : keys_) {
        if (other.id() != key.id()) continue;
        return InvalidArgument("--key: found the key ", key.id(), " twice, expected each key once");
      }
      keys_.push_back(std::move(key));
    }
    if (options_.threshold <= keys_.size()) return absl::OkStatus();
    return InvalidArgument("--threshold: found ", options_.threshold, ", expected at most ",
                           keys_.size(), ", the number of keys that are given by --key");
  }

  // Returns the payload if as many keys have signed it as must.
  StatusOr<std::string> Payload(const std::string& text) {
    std::string payload;
    Status missing;  // of the first key that has not signed
    for (const Ed25519Key& key : keys_) {
      StatusOr<std::string> opened = OpenEnvelope(key, kPayloadType, text, file_);
      if (opened.ok()) {
        out_.signers.push_back(key.id());
        payload = *std::move(opened);
      } else {
        missing.Update(opened.status());
      }
    }
    const size_t needed = options_.threshold == 0 ? keys_.size() : options_.threshold;
    if (out_.signers.size() >= needed) return payload;
    if (keys_.size() == 1) return missing;
    return Annotate(missing, StrCat("signed by ", out_.signers.size(), " of ", keys_.size(),
                                    " keys, expected ", needed));
  }

  // The time stamp of the statement's file, if one is given.
  Status Stamped() {
    if (options_.timestamp.empty()) return absl::OkStatus();
    constexpr uint64_t kMostReply = 1 << 20;
    CTS_ASSIGN_OR_RETURN(const std::string reply, ReadFile(options_.timestamp, kMostReply));
    StatusOr<TimeStamp> stamp = CheckTimeStamp(reply, options_.timestamp_ca, out_.statement_digest,
                                               options_.timestamp.string());
    if (absl::IsInvalidArgument(stamp.status())) return Fault(Message(stamp.status()));
    CTS_ASSIGN_OR_RETURN(out_.timestamp, std::move(stamp));
    return absl::OkStatus();
  }

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
    const StatusOr<std::string> text = ReadFile(root_ / file_, kMaxStatement);
    if (!text.ok()) return FaultUnlessUnavailable(text.status());
    out_.statement_file = file_;
    out_.statement_digest = Sha256(*text);
    const StatusOr<std::string> payload = Payload(*text);
    if (!payload.ok()) return FaultUnlessUnavailable(payload.status());
    out_.payload_digest = Sha256(*payload);
    CTS_RETURN_IF_ERROR(Stamped());
    StatusOr<Json> statement = ParseJson(*payload, file_ + ": statement");
    if (!statement.ok()) return FaultUnlessUnavailable(statement.status());
    statement_ = *std::move(statement);
    const Status valid = ValidateJson(statement_, "statement", file_ + ": statement");
    // The statement of another version may have another form.
    const Json build = BuildOf(statement_);
    CTS_RETURN_IF_ERROR(FindBuild(build));
    if (out_.by_this || release_) return valid.ok() ? valid : Fault(Message(valid));
    if (build.is_null() && !valid.ok()) return Fault(Message(valid));
    std::string differences;
    for (const std::string& difference : Differences(build, BuildStateToJson(ThisBuild()))) {
      differences += StrCat(differences.empty() ? "" : "; ", difference);
    }
    return InvalidArgument(
        root_.string(), ": ", file_,
        ": made by another version of tensor-cts, which is no release that this ",
        "one knows: ", differences, ": verify with that version, as ",
        "`tensor-cts version` shows it; this one may judge otherwise");
  }

  // Finds the build that made the evidence: this one, or a release. Digests decide, never a name.
  Status FindBuild(const Json& build) {
    out_.by_this = build == BuildStateToJson(ThisBuild());
    CTS_ASSIGN_OR_RETURN(const std::vector<Release> releases, options_.releases());
    for (const Release& release : releases) {
      if (release.build != build) continue;
      out_.release = release.name;
      if (!out_.by_this) release_ = release;
    }
    if (!release_ || !options_.regenerate) return absl::OkStatus();
    return InvalidArgument("--regenerate: found evidence of the release ", release_->name,
                           ", whose cases it alone can make again: leave --regenerate out, or ",
                           "verify with that release");
  }

  // The list of files that the statement names, and the files that it lists.
  Status Files() {
    if (options_.progress) options_.progress("files", 0, 1);
    CTS_ASSIGN_OR_RETURN(std::vector<std::string> paths, ListFiles(root_, &out_.faults));
    out_.files = paths.size();
    if (!out_.faults.empty()) return absl::OkStatus();
    std::erase(paths, file_);
    CTS_RETURN_IF_ERROR(Sizes(paths));
    if (!out_.faults.empty()) return absl::OkStatus();
    if (std::erase(paths, kSumsFile) == 0) return Fault(kSumsFile, ": is missing");
    CTS_ASSIGN_OR_RETURN(const std::optional<std::string> sums, SignedList(kSumsFile));
    if (!sums) return absl::OkStatus();
    sums_ = *sums;
    out_.faults = Unlisted(sums_, paths);
    if (!out_.faults.empty()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(digests_, DigestFiles(root_, paths, options_.jobs, options_.stop));
    out_.faults = CompareWithSums(sums_, digests_);
    return absl::OkStatus();
  }

  // A list of files, if its digest is the one that is signed; nothing after a fault.
  StatusOr<std::optional<std::string>> SignedList(std::string_view name) {
    std::string signed_digest = "none";
    for (const Json& subject : statement_["subject"]) {
      if (subject["name"] == name) signed_digest = subject["digest"]["sha256"];
    }
    StatusOr<std::string> text = ReadFile(root_ / name, MostBytesOf(name));
    if (!text.ok()) {
      CTS_RETURN_IF_ERROR(FaultUnlessUnavailable(text.status()));
      return std::optional<std::string>();
    }
    const std::string digest = Sha256(*text);
    if (digest == signed_digest) return std::optional<std::string>(*std::move(text));
    CTS_RETURN_IF_ERROR(Fault(name, ": was changed: found the digest ", digest, ", expected ",
                              signed_digest, " as ", file_, " says"));
    return std::optional<std::string>();
  }

  // Every file has as many bytes as SIZES says; in evidence of format 1, no more than its kind has.
  // No other file was read until here. Takes SIZES from `paths`.
  Status Sizes(std::vector<std::string>& paths) {
    const Json& subjects = statement_["subject"];
    const bool listed = std::any_of(subjects.begin(), subjects.end(), [](const Json& subject) {
      return subject["name"] == kSizesFile;
    });
    if (listed && std::erase(paths, kSizesFile) == 0) return Fault(kSizesFile, ": is missing");
    StatusOr<FileSizes> sizes = SizesOf(root_, paths);
    CTS_RETURN_IF_ERROR(sizes.status());
    if (!listed) {
      out_.faults = TooLarge(*sizes);
      return absl::OkStatus();
    }
    CTS_ASSIGN_OR_RETURN(sizes_, SignedList(kSizesFile));
    if (sizes_) out_.faults = CompareWithSizes(*sizes_, *std::move(sizes));
    return absl::OkStatus();
  }

  // The suite is what the claim makes mandatory.
  Status Mandatory() {
    StatusOr<Claim> claim = ReadClaim(root_ / kClaimFile);
    StatusOr<Suite> suite = ReadSuite(root_ / "suite");
    if (!claim.ok()) return FaultUnlessUnavailable(claim.status());
    if (!suite.ok()) return FaultUnlessUnavailable(suite.status());
    out_.claim = *std::move(claim);
    if (release_) return MandatoryOfRelease(*suite);
    if (suite->generator != kSuiteGenerator) {
      return InvalidArgument(root_.string(), ": the suite was made by ",
                             Shortened(Printable(suite->generator), 100), ", this makes suites of ",
                             kSuiteGenerator, ": verify with a version that makes the former");
    }
    CTS_ASSIGN_OR_RETURN(recipe_, MandatoryRecipe(out_.claim, options_.recipe));
    StatusOr<std::optional<SealedAnswers>> answers = FindAnswers(root_);
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

  // The same of a release: what it froze, which stands in the sources of this program.
  Status MandatoryOfRelease(const Suite& suite) {
    const ReleasedSuite* const released = release_->Find(out_.claim);
    std::optional<ReleasedCases> cases;
    if (released == nullptr) {
      CTS_ASSIGN_OR_RETURN(cases, release_->FindCases(out_.claim));
      if (!cases) {
        return InvalidArgument(root_.string(), ": ", kClaimFile, ": found a claim for whose ",
                               "profiles, extensions and level the release ", release_->name,
                               " has no frozen suite here: verify with that release");
      }
    }
    StatusOr<std::optional<SealedAnswers>> answers = FindAnswers(root_);
    if (!answers.ok()) return FaultUnlessUnavailable(answers.status());
    out_.answers = *std::move(answers);
    if (!out_.answers && released != nullptr) out_.lock = released->lock;
    StatusOr<std::vector<std::string>> faults =
        released != nullptr ? CompareWithReleased(suite, digests_, *released, out_.answers)
                            : CompareWithGroups(suite, out_.claim, *release_, *cases, out_.answers);
    if (!faults.ok()) return FaultUnlessUnavailable(faults.status());
    out_.faults = *std::move(faults);
    if (suite.generator == release_->generator) return absl::OkStatus();
    return Fault("suite/suite.json: /generator: found \"",
                 Shortened(Printable(suite.generator), 100), "\", expected \"", release_->generator,
                 "\"");
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
    if (release_ || !IsReport("report.json")) {
      const StatusOr<Json> json = LoadJson(root_ / "report.json", "");
      if (!json.ok()) return FaultUnlessUnavailable(json.status());
      if (release_) CTS_RETURN_IF_ERROR(Rulings(*json));
      if (!out_.faults.empty()) return absl::OkStatus();
      out_.faults = CompareReport(*json, out_.report);
    }
    const StatusOr<std::vector<std::string>> strays = StrayFiles(root_, digests_, out_.report);
    if (!strays.ok()) return FaultUnlessUnavailable(strays.status());
    out_.faults.insert(out_.faults.end(), strays->begin(), strays->end());
    const Json expected = MakeStatement({out_.claim, out_.report, digests_, sums_, sizes_,
                                         out_.lock, NameOf(out_.answers), Build()});
    for (const std::string& difference :
         release_ ? CompareStatements(statement_, expected, out_.by_rulings)
                  : Differences(statement_, expected)) {
      out_.faults.push_back(StrCat(file_, ": ", difference));
    }
    if ((file_ == kCertificateFile) != Conformant(out_.report)) {
      return Fault(file_, ": is the wrong name for the result ", ResultOf(out_.report));
    }
    return absl::OkStatus();
  }

  // The verdicts of this version beside those of the release; only rulings may tell them apart.
  Status Rulings(const Json& json) {
    CTS_ASSIGN_OR_RETURN(const std::vector<Erratum> errata, options_.errata());
    StatusOr<ByRulings> by_rulings = ApplyErrata(out_.report, json, *release_, errata);
    if (!by_rulings.ok()) return FaultUnlessUnavailable(by_rulings.status());
    for (const auto& [place, expected] :
         {std::pair("/checker", release_->build),
          std::pair("/suite/digest", Json(out_.report.suite.digest))}) {
      const Json& found = json[Json::json_pointer(place)];
      if (found == expected) continue;
      CTS_RETURN_IF_ERROR(
          Fault("report.json: ", place, ": found ", found.dump(), ", expected ", expected.dump()));
    }
    out_.by_rulings = *std::move(by_rulings);
    out_.report = out_.by_rulings.as_signed;
    return absl::OkStatus();
  }

  // The build that made the evidence.
  Json Build() const { return release_ ? release_->build : BuildStateToJson(ThisBuild()); }

  Status Blind() {
    StatusOr<std::vector<std::string>> faults =
        BlindFaults(root_, out_.answers, out_.report, options_.jobs, nullptr);
    if (!faults.ok()) return FaultUnlessUnavailable(faults.status());
    out_.faults = *std::move(faults);
    if (!out_.faults.empty()) return absl::OkStatus();
    StatusOr<std::optional<ChallengeFacts>> challenge =
        FindChallenge(root_, out_.answers, &out_.faults);
    if (!challenge.ok()) return FaultUnlessUnavailable(challenge.status());
    out_.challenge = *std::move(challenge);
    if (out_.challenge) {
      out_.challenge->issuer_known = std::any_of(
          keys_.begin(), keys_.end(),
          [&](const Ed25519Key& key) { return key.id() == out_.challenge->issuer_key; });
    }
    return absl::OkStatus();
  }

  Status Regenerated() {
    if (release_) return absl::OkStatus();  // by no other build
    // Without a lock nothing else shows that the expectations are the generator's.
    if (!options_.regenerate && !out_.lock.name.empty()) return absl::OkStatus();
    CTS_ASSIGN_OR_RETURN(out_.faults, CompareRegenerated(out_.report.suite, recipe_, options_.jobs,
                                                         options_.progress, options_.stop));
    out_.regenerated = true;
    return absl::OkStatus();
  }

  // The reports, and the records of the run, must match the results, to the byte. The reports of a
  // release are in its words, but for what CompareReport has looked at.
  Status Records() {
    for (const auto& [name, text] : report_files_) {
      if (release_ ? digests_.count(name) == 0 : !IsReport(name)) {
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
    return Run(ids, *results);
  }

  // Checks that results/run.json says nothing wrong about the suite and the results, and has no
  // unknown member.
  Status Run(const std::vector<std::string>& ids, const ResultDigests& results) {
    CTS_ASSIGN_OR_RETURN(std::set<std::string> packs, PackedOperators(root_ / "results", ids));
    CTS_ASSIGN_OR_RETURN(
        const std::vector<std::string> faults,
        RecordFaults(root_ / "results", {out_.report.suite, results, std::move(packs), Build()}));
    for (const std::string& fault : faults) {
      out_.faults.push_back(StrCat("results/run.json: ", fault));
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
  std::vector<Ed25519Key> keys_;
  Verification out_;
  std::string file_, sums_;
  std::optional<std::string> sizes_;  // the text of SIZES
  std::optional<Release> release_;    // that made it, if this build did not
  Json statement_;
  FileDigests digests_;
  Recipe recipe_;
  std::vector<std::pair<std::string, std::string>> report_files_;  // names and bytes
};

}  // namespace

bool Verification::Passed() const {
  return Holds() && Conformant(report) && (by_this || Conformant(by_rulings.now));
}

StatusOr<Verification> VerifyEvidence(const VerifyOptions& options) {
  return Verifier(options).Run();
}

Status Countersign(const VerifyOptions& options, const Verification& verification,
                   const Ed25519Key& key) {
  CTS_ASSIGN_OR_RETURN(const fs::file_type type, TypeOf(options.evidence));
  if (type != fs::file_type::directory) {
    return InvalidArgument("--countersign: found the archive ", options.evidence.string(),
                           ", expected evidence in a folder: unpack the archive by tar");
  }
  if (!verification.Holds()) {
    return absl::FailedPreconditionError(
        "--countersign: the evidence does not hold, nothing was signed");
  }
  const fs::path file = options.evidence / verification.statement_file;
  CTS_ASSIGN_OR_RETURN(const std::string text, ReadFile(file, kMaxStatement));
  if (Sha256(text) != verification.statement_digest) {
    return Unavailable(file.string(), ": changed after it was verified: verify it again");
  }
  CTS_ASSIGN_OR_RETURN(const std::string both,
                       Countersigned(key, kPayloadType, text, file.string()));
  return WriteFile(file, both);
}

}  // namespace cts

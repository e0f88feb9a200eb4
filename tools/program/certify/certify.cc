#include "tools/program/certify/certify.h"

#include <csignal>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "checker/evidence/dsse.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/run_record.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "generator/generate.h"
#include "generator/plan/parts.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "reference/base/new_folder.h"
#include "tools/program/blind/unblind.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/judged_evidence.h"
#include "tools/program/certify/libarchive.h"
#include "tools/program/certify/pack.h"
#include "tools/program/run/runner.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// Evidence that is not whole yet. It is gone at the end unless it was put.
class Draft {
 public:
  static StatusOr<Draft> Of(const fs::path& out) {
    CTS_RETURN_IF_ERROR(RequireNothing(out));
    CTS_ASSIGN_OR_RETURN(NewFolder work, NewFolder::Beside(out));
    Draft draft(out, std::move(work));
    std::error_code error;
    fs::create_directory(draft.path(), error);
    if (!error) return draft;
    return Unavailable(draft.path().string(), ": cannot be created: ", error.message());
  }

  fs::path path() const { return work_.path() / kArchiveFolder; }

  // Puts it where it belongs, as one file if `options` ask for that.
  Status Put(const CertifyOptions& options) const {
    fs::path whole = path();
    if (options.archive) {
      whole = work_.path() / out_.filename();
      CTS_RETURN_IF_ERROR(PackEvidence(path(), whole, options.progress, options.stop));
    }
    CTS_RETURN_IF_ERROR(RequireNothing(out_));
    std::error_code error;
    fs::rename(whole, out_, error);
    if (error) return Unavailable(out_.string(), ": cannot be written: ", error.message());
    return absl::OkStatus();
  }

 private:
  Draft(fs::path out, NewFolder work) : out_(std::move(out)), work_(std::move(work)) {}

  static Status RequireNothing(const fs::path& out) {
    CTS_ASSIGN_OR_RETURN(const bool taken, IsTaken(out));
    if (!taken) return absl::OkStatus();
    return InvalidArgument(out.string(), ": exists already: remove it, or choose another");
  }

  fs::path out_;
  NewFolder work_;
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
    generate.pack = options.run.pack;
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
  // Without a lock, only making the suite again shows that the expectations are unchanged.
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

// Writes into the record where the suite will lie, so that `explain` finds it.
Status MoveSuitePath(const fs::path& results, const fs::path& suite) {
  CTS_ASSIGN_OR_RETURN(RunRecord run, ReadRunRecord(results));
  run.suite_path = suite.string();
  return WriteRunRecord(results, run);
}

// The folder that the evidence is, or that an archive of it becomes when it is unpacked beside it.
fs::path FolderOf(const CertifyOptions& options, const fs::path& out) {
  return options.archive ? out.parent_path() / kArchiveFolder : out;
}

// A file is called as what it is, and nothing else is.
Status CheckNameOfOut(const CertifyOptions& options) {
  if (options.out.filename().string().ends_with(kArchiveSuffix) == options.archive) {
    // The library that makes the archive must be there now, not after hours.
    return options.archive ? Libarchive::Get().status() : absl::OkStatus();
  }
  return InvalidArgument(
      "--out: found ", options.out.string(), ", expected ",
      options.archive ? "a name that ends with " : "a folder, whose name does not end with ",
      kArchiveSuffix, options.archive ? " for --archive" : "; add --archive for a file");
}

// The run of what the claim is about.
RunOptions RunOf(const CertifyOptions& options, const Claim& claim) {
  RunOptions run = options.run;
  run.symbolic = claim.symbolic && run.builtin.empty();
  run.claimed = {claim.name, claim.version, options.claim.string()};
  return run;
}

// The suite with answers and the results of a blind run, in the evidence; `place` is where they
// will lie.
StatusOr<Suite> PutBlindRun(const CertifyOptions& options, const Recipe& recipe,
                            const SealedAnswers& answers, const fs::path& evidence,
                            const fs::path& place) {
  UnblindOptions unblind;
  unblind.results = options.results;
  unblind.answers = answers;
  unblind.answers.recipe = recipe;
  unblind.jobs = options.jobs;
  unblind.stop = options.stop;
  if (options.progress) {
    unblind.progress = [&](size_t done, size_t total) {
      options.progress("generate", done, total);
    };
  }
  StatusOr<Suite> suite = Unblind(unblind, evidence, place);
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  CTS_RETURN_IF_ERROR(suite.status());
  CTS_ASSIGN_OR_RETURN(const std::string text,
                       ReadFile(options.answers, MostBytesOf(kAnswersFile)));
  CTS_RETURN_IF_ERROR(WriteFile(evidence / kAnswersFile, text));
  return suite;
}

// Runs the implementation over the suite in the evidence.
Status PutResults(const CertifyOptions& options, const Claim& claim, const fs::path& evidence,
                  const fs::path& place) {
  RunOptions run = RunOf(options, claim);
  run.suite = evidence / "suite";
  run.out = evidence / "results";
  const Progress progress = [&](int done, int total, const RunSummary&) {
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
  return MoveSuitePath(run.out, place / "suite");
}

StatusOr<Certified> MakeEvidence(const CertifyOptions& options) {
  CTS_RETURN_IF_ERROR(CheckNameOfOut(options));
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key, Ed25519Key::ReadPrivate(options.key));
  CTS_ASSIGN_OR_RETURN(const std::string claim_text,
                       ReadFile(options.claim, MostBytesOf(kClaimFile)));
  CTS_ASSIGN_OR_RETURN(const Json claim_json, ParseJson(claim_text, options.claim.string()));
  CTS_ASSIGN_OR_RETURN(const Claim claim, ClaimFromJson(claim_json, options.claim.string()));
  CTS_ASSIGN_OR_RETURN(Recipe recipe, MandatoryRecipe(claim, options.recipe));
  std::optional<SealedAnswers> answers;
  if (!options.answers.empty()) {
    CTS_ASSIGN_OR_RETURN(answers, ReadAnswers(options.answers));
    CTS_ASSIGN_OR_RETURN(recipe, BlindRecipe(recipe, *answers, options.answers.string()));
  }
  // An edition that has no cases.
  if (const StatusOr<Parts> parts = MakeParts(recipe); !parts.ok()) {
    return Annotate(parts.status(), options.claim.string());
  }
  CTS_ASSIGN_OR_RETURN(const Lock lock, FindLock(recipe));
  CTS_RETURN_IF_ERROR(CheckPluginName(RunOf(options, claim)));

  std::error_code error;
  fs::path out = fs::absolute(options.out, error).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  CTS_ASSIGN_OR_RETURN(const Draft draft, Draft::Of(out));
  const fs::path evidence = draft.path();
  const fs::path place = FolderOf(options, out);
  Suite suite;
  if (answers) {
    CTS_ASSIGN_OR_RETURN(suite, PutBlindRun(options, recipe, *answers, evidence, place));
  } else {
    CTS_ASSIGN_OR_RETURN(suite, PutSuite(options, recipe, lock, evidence / "suite"));
    CTS_RETURN_IF_ERROR(PutResults(options, claim, evidence, place));
  }
  StatusOr<Report> judged =
      JudgeEvidence(evidence, claim, options.jobs, options.progress, options.stop);
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  CTS_ASSIGN_OR_RETURN(Report report, std::move(judged));
  if (report.suite.digest != suite.digest) {
    return InvalidArgument((evidence / "suite").string(),
                           ": was changed while the implementation ran");
  }
  report.suite_path = "suite";
  report.results_path = "results";
  CTS_RETURN_IF_ERROR(WriteFile(evidence / kClaimFile, claim_text));
  for (const auto& [name, text] : ReportFiles(report)) {
    CTS_RETURN_IF_ERROR(WriteFile(evidence / name, text));
  }

  std::vector<std::string> faults;
  CTS_ASSIGN_OR_RETURN(const FileDigests digests,
                       DigestFiles(evidence, options.jobs, &faults, options.stop));
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> strays,
                       StrayFiles(evidence, digests, report));
  faults.insert(faults.end(), strays.begin(), strays.end());
  if (!faults.empty()) return InvalidArgument(evidence.string(), ": ", faults.front());
  const std::string sums = FormatSums(digests);
  CTS_RETURN_IF_ERROR(WriteFile(evidence / kSumsFile, sums));
  std::vector<std::string> paths = {std::string(kSumsFile)};
  for (const auto& [path, digest] : digests) paths.push_back(path);
  CTS_ASSIGN_OR_RETURN(const FileSizes files, SizesOf(evidence, paths));
  const std::string sizes = FormatSizes(files);
  CTS_RETURN_IF_ERROR(WriteFile(evidence / kSizesFile, sizes));
  const Json statement =
      MakeStatement({claim, report, digests, sums, sizes, lock, NameOf(answers)});
  CTS_ASSIGN_OR_RETURN(const std::string envelope,
                       SealEnvelope(key, kPayloadType, FormatJson(statement)));
  if (envelope.size() > kMaxStatement) {
    return InvalidArgument("certify: found a statement of ", envelope.size(),
                           " bytes, expected at most ", kMaxStatement, ", which verify reads");
  }
  const std::string_view name = Conformant(report) ? kCertificateFile : kFailureFile;
  CTS_RETURN_IF_ERROR(WriteFile(evidence / name, envelope));
  CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  const fs::path folder = FolderOf(options, options.out);
  report.suite_path = folder / "suite";
  report.results_path = folder / "results";
  // Nothing is left to fail when the evidence is in its place.
  Certified certified{std::move(report), folder / name, ""};
  certified.text = StrCat(
      FormatText(certified.report), "statement: ",
      options.archive ? StrCat(name, " in ", options.out.string()) : (folder / name).string(),
      ", which says ", ResultOf(certified.report), "\n");
  CTS_RETURN_IF_ERROR(draft.Put(options));
  return certified;
}

}  // namespace

StatusOr<Certified> Certify(const CertifyOptions& options) {
  StatusOr<Certified> certified = MakeEvidence(options);
  if (absl::IsCancelled(certified.status())) CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
  return certified;
}

}  // namespace cts

#include "tools/program/certify/certify.h"

#include <csignal>
#include <memory>
#include <optional>
#include <set>
#include <system_error>
#include <utility>

#include "checker/evidence/dsse.h"
#include "checker/evidence/evidence.h"
#include "checker/judge/build_state.h"
#include "checker/judge/run_record.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "generator/generate.h"
#include "generator/plan/parts.h"
#include "reference/base/digest.h"
#include "reference/base/file.h"
#include "reference/base/file_type.h"
#include "reference/base/json.h"
#include "tools/program/blind/unblind.h"
#include "tools/program/certify/archive.h"
#include "tools/program/certify/blind_evidence.h"
#include "tools/program/certify/draft.h"
#include "tools/program/certify/judged_evidence.h"
#include "tools/program/certify/libarchive.h"
#include "tools/program/certify/pack.h"
#include "tools/program/certify/releases.h"
#include "tools/program/run/merge.h"
#include "tools/program/run/runner.h"
#include "tools/program/run/surroundings.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

Status CheckStopped(const std::atomic<bool>* stop) {
  if (stop == nullptr || !*stop) return absl::OkStatus();
  return Unavailable("certify: interrupted");
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

// The suite of an interrupted call, which made it or compared it.
StatusOr<Suite> TakeSuite(const Draft& draft, const Recipe& recipe, const Lock& lock) {
  const fs::path place = draft.path() / "suite";
  CTS_ASSIGN_OR_RETURN(Suite suite, ReadSuite(place));
  CTS_ASSIGN_OR_RETURN(const std::vector<std::string> faults, CompareManifest(suite, recipe, lock));
  if (faults.empty()) return suite;
  return InvalidArgument(place.string(), ": ", faults.front());
}

// Writes into the record where the suite will lie, so that `explain` finds it.
Status MoveSuitePath(const fs::path& results, const fs::path& suite, Draft& draft) {
  CTS_ASSIGN_OR_RETURN(RunRecord run, ReadRunRecord(results));
  run.suite_path = suite.string();
  return RecordRun(results, run, &draft);
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
  for (const auto& [name, content] : options.challenge) {
    CTS_RETURN_IF_ERROR(WriteFile(evidence / kChallengeFolder / name, content));
  }
  return suite;
}

// Runs the implementation over the suite in the evidence.
Status PutResults(const CertifyOptions& options, const Claim& claim, Draft& draft,
                  const fs::path& place) {
  CTS_RETURN_IF_ERROR(draft.CheckRecord());
  RunOptions run = RunOf(options, claim);
  run.suite = draft.path() / "suite";
  run.out = draft.path() / "results";
  run.resume = options.resume;
  run.witness = &draft;
  const Progress progress = [&](int done, int total, const RunSummary&) {
    // A signal that came before the run began to listen.
    if (options.stop != nullptr && *options.stop) std::raise(SIGINT);
    if (options.progress) {
      options.progress("run", static_cast<size_t>(done), static_cast<size_t>(total));
    }
  };
  CTS_ASSIGN_OR_RETURN(const RunSummary summary, RunSuite(run, progress));
  if (summary.interrupted) return Unavailable("certify: interrupted");
  if (!summary.IsOfImplementation()) {
    draft.Discard();
    return Unavailable("certify: no case got an answer; the first, ", summary.first_id,
                       ", ended as ", Printable(summary.first_message));
  }
  return MoveSuitePath(run.out, place / "suite", draft);
}

// Takes results that are there already. `verify` holds all of the evidence against one build.
Status PutGivenResults(const CertifyOptions& options, const Suite& suite, const fs::path& evidence,
                       const fs::path& place) {
  const fs::path results = evidence / "results";
  CTS_ASSIGN_OR_RETURN(RunRecord run,
                       CopyWholeResults({options.results, results, options.stop}, suite));
  const std::string file = (options.results / "run.json").string();
  if (run.blind) {
    return InvalidArgument(file, ": /blind: found results of a blind run with their answers: give ",
                           "the results as the vendor's run left them, and --blind");
  }
  const BuildState& build = ThisBuild();
  const BuildDigests own{.editions = std::string(build.editions),
                         .recipes = std::string(build.recipes),
                         .checker = std::string(build.checker)};
  if (run.tensor_cts.value_or("") != CTS_VERSION || run.build != own) {
    return InvalidArgument(file, ": /build: found results of tensor-cts ",
                           Printable(run.tensor_cts.value_or("unknown")), ", commit ",
                           Printable(run.commit.value_or("unknown")), ", this is ", CTS_VERSION,
                           ", commit ", build.commit, ": certify with the build that ran");
  }
  run.given = {UtcNow()};
  run.suite_path = (place / "suite").string();
  return WriteRunRecord(results, run);
}

// Suite and results, as the options say where they come from.
StatusOr<Suite> PutSuiteAndResults(const CertifyOptions& options, const Claim& claim,
                                   const Recipe& recipe, const Lock& lock, Draft& draft,
                                   const fs::path& place) {
  const fs::path suite_place = draft.path() / "suite";
  StatusOr<Suite> suite = draft.Knows("suite") ? TakeSuite(draft, recipe, lock)
                                               : PutSuite(options, recipe, lock, suite_place);
  CTS_RETURN_IF_ERROR(suite.status());
  if (!options.results.empty()) {
    const Status put = PutGivenResults(options, *suite, draft.path(), place);
    CTS_RETURN_IF_ERROR(CheckStopped(options.stop));
    CTS_RETURN_IF_ERROR(put);
    return suite;
  }
  CTS_RETURN_IF_ERROR(draft.Hold("suite", suite->digest, suite_place.string()));
  CTS_RETURN_IF_ERROR(PutResults(options, claim, draft, place));
  return suite;
}

// Refuses records of the vendor that `verify` would not accept: nothing is signed that does not
// hold.
Status CheckRecords(const CertifyOptions& options, const fs::path& evidence, const Suite& suite,
                    const std::optional<SealedAnswers>& answers) {
  std::vector<std::string> ids;
  for (const SuiteEntry& entry : suite.cases) ids.push_back(entry.id);
  const fs::path results = evidence / "results";
  CTS_ASSIGN_OR_RETURN(const ResultDigests digests, ReadResultDigests(results));
  CTS_ASSIGN_OR_RETURN(std::set<std::string> packs, PackedOperators(results, ids));
  CTS_ASSIGN_OR_RETURN(
      std::vector<std::string> faults,
      RecordFaults(results, {suite, digests, std::move(packs), BuildStateToJson(ThisBuild())}));
  if (!faults.empty()) {
    const fs::path shown = options.results.empty() ? "results" : options.results;
    return InvalidArgument((shown / "run.json").string(), ": ", faults.front());
  }
  CTS_RETURN_IF_ERROR(FindChallenge(evidence, answers, &faults).status());
  return faults.empty() ? absl::OkStatus() : InvalidArgument(faults.front());
}

// `made_in`: where the evidence is made, once that has begun.
StatusOr<Certified> MakeEvidence(const CertifyOptions& options, std::unique_ptr<Draft>* made_in) {
  CTS_RETURN_IF_ERROR(CheckNameOfOut(options));
  CTS_ASSIGN_OR_RETURN(const Ed25519Key key,
                       Ed25519Key::ReadPrivate(options.key, options.passphrase));
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
  CTS_ASSIGN_OR_RETURN(const std::vector<Release> releases, KnownReleases());
  CTS_ASSIGN_OR_RETURN(const std::string verifiers, WhoCanVerify(claim, releases));
  // An edition that has no cases.
  if (const StatusOr<Parts> parts = MakeParts(recipe); !parts.ok()) {
    return Annotate(parts.status(), options.claim.string());
  }
  CTS_ASSIGN_OR_RETURN(const Lock lock, FindLock(recipe));
  CTS_RETURN_IF_ERROR(CheckPluginName(RunOf(options, claim)));

  std::error_code error;
  fs::path out = fs::absolute(options.out, error).lexically_normal();
  if (!out.has_filename()) out = out.parent_path();
  CTS_ASSIGN_OR_RETURN(*made_in, Draft::Of(out, key, options.resume));
  Draft& draft = **made_in;
  CTS_RETURN_IF_ERROR(draft.Hold("claim", Sha256(claim_text), options.claim.string()));
  const fs::path evidence = draft.path();
  const fs::path place = FolderOf(options, out);
  Suite suite;
  if (answers) {
    CTS_ASSIGN_OR_RETURN(suite, PutBlindRun(options, recipe, *answers, evidence, place));
  } else {
    CTS_ASSIGN_OR_RETURN(suite, PutSuiteAndResults(options, claim, recipe, lock, draft, place));
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
  CTS_RETURN_IF_ERROR(CheckRecords(options, evidence, suite, answers));
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
  CTS_ASSIGN_OR_RETURN(FileSizes files, SizesOf(evidence, paths));
  const std::string sizes = FormatSizes(files);
  CTS_RETURN_IF_ERROR(WriteFile(evidence / kSizesFile, sizes));
  // Nothing is signed that verify does not read.
  files.emplace(kSizesFile, sizes.size());
  if (const std::vector<std::string> large = TooLarge(files); !large.empty()) {
    return InvalidArgument("certify: ", large.front());
  }
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
      ", which says ", ResultOf(certified.report), "\nverified by: ", verifiers, "\n");
  fs::path whole = evidence;
  if (options.archive) {
    whole = evidence.parent_path() / out.filename();
    CTS_RETURN_IF_ERROR(PackEvidence(evidence, whole, options.progress, options.stop));
  }
  CTS_RETURN_IF_ERROR(draft.Put(whole));
  return certified;
}

}  // namespace

StatusOr<Certified> Certify(const CertifyOptions& options) {
  if (options.resume && !options.results.empty()) {
    return InvalidArgument("certify: --resume goes on with a run, and with --results nothing runs");
  }
  std::unique_ptr<Draft> draft;
  StatusOr<Certified> certified = MakeEvidence(options, &draft);
  if (certified.ok()) return certified;
  Status failed = certified.status();
  if (const Status stopped = CheckStopped(options.stop); !stopped.ok()) failed = stopped;
  if (draft == nullptr) return failed;
  if (!draft->Stays()) {
    return Status(failed.code(),
                  StrCat(Message(failed), options.challenge.empty()
                                              ? "; nothing was written"
                                              : "; no evidence was written, and the answer that "
                                                "was taken stays"));
  }
  return Status(failed.code(), StrCat(Message(failed), "; the results that came are kept in ",
                                      draft->path().parent_path().string(),
                                      ": go on with the same command and --resume"));
}

}  // namespace cts

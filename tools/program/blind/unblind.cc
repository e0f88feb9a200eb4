#include "tools/program/blind/unblind.h"

#include <map>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "checker/judge/run_record.h"
#include "checker/judge/stored_result.h"
#include "checker/text/printable.h"
#include "reference/base/file.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"
#include "tools/program/run/case_result.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// A whole run of the blind suite, as it was when it ended.
Status CheckRun(const UnblindOptions& options, const RunRecord& run) {
  const std::string file = (options.results / "run.json").string();
  if (run.suite_digest != options.answers.blind) {
    return InvalidArgument(
        file, ": /suite_digest: found ", run.suite_digest, ", expected ", options.answers.blind,
        " of the blind suite that these answers seal: ", "give the answers that were made with it");
  }
  if (run.shard || run.filter || !run.complete.value_or(false) || !run.results_digest) {
    return InvalidArgument(file, ": expected a complete run of every case: finish it with ",
                           "--resume, or merge its shards");
  }
  return absl::OkStatus();
}

StatusOr<ResultDigests> CheckedDigests(const UnblindOptions& options, const RunRecord& run,
                                       const std::map<std::string, std::string>& neutral) {
  std::vector<std::string> ids;
  ids.reserve(neutral.size());
  for (const auto& [id, blind] : neutral) ids.push_back(blind);
  CTS_ASSIGN_OR_RETURN(const ResultDigests digests,
                       DigestResults(options.results, ids, options.jobs, options.stop));
  if (DigestOf(digests) == *run.results_digest) return digests;
  CTS_ASSIGN_OR_RETURN(const ResultDigests listed, ReadResultDigests(options.results));
  for (const auto& [id, digest] : digests) {
    const auto found = listed.find(id);
    if (found != listed.end() && found->second == digest) continue;
    return InvalidArgument((options.results / id).string(), ": was changed since the run ended: ",
                           "expected the results as run left them");
  }
  return InvalidArgument((options.results / "run.json").string(),
                         ": /results_digest: is not that of the results");
}

Status CopyResult(const fs::path& results, const std::string& id, const fs::path& to) {
  std::error_code error;
  fs::create_directories(to, error);
  if (error) return Unavailable(to.string(), ": cannot be created: ", error.message());
  CTS_ASSIGN_OR_RETURN(const StoredResult result, StoredResult::Find(results, id));
  for (const StoredResult::File& file : result.files()) {
    std::string bytes;
    const TakePieces take = {[&](uint64_t size) {
                               bytes.reserve(size);
                               return absl::OkStatus();
                             },
                             [&](std::string_view piece) {
                               bytes += piece;
                               return absl::OkStatus();
                             }};
    CTS_RETURN_IF_ERROR(result.Read(file.name, take, nullptr));
    CTS_RETURN_IF_ERROR(WriteFile(to / file.name, bytes));
  }
  return absl::OkStatus();
}

}  // namespace

StatusOr<Suite> Unblind(const UnblindOptions& options, const fs::path& out, const fs::path& place) {
  const SealedAnswers& answers = options.answers;
  if (answers.generator != kSuiteGenerator) {
    return InvalidArgument("the answers are of a suite of ", answers.generator,
                           ", this makes suites of ", kSuiteGenerator,
                           ": unblind with a version that makes the former");
  }
  CTS_ASSIGN_OR_RETURN(RunRecord run, ReadRunRecord(options.results));
  CTS_RETURN_IF_ERROR(CheckRun(options, run));
  // `verify` holds all of the evidence against one version.
  if (const std::string version = run.tensor_cts.value_or(CTS_VERSION); version != CTS_VERSION) {
    return InvalidArgument((options.results / "run.json").string(), ": /tensor_cts: found ",
                           Printable(version), ", this is ", CTS_VERSION,
                           ": unblind with the version that ran the suite");
  }

  GenerateOptions generate;
  generate.recipe = answers.recipe;
  generate.out = out / "suite";
  generate.jobs = options.jobs;
  generate.stop = options.stop;
  generate.progress = options.progress;
  CTS_ASSIGN_OR_RETURN(Suite suite, Generate(generate));
  if (suite.digest != answers.suite) {
    return InvalidArgument("the recipe of the answers makes a suite of digest ", suite.digest,
                           ", expected ", answers.suite, ": the answers are of another state of ",
                           kSuiteGenerator, ", or were changed");
  }
  std::vector<std::string> ids;
  ids.reserve(suite.cases.size());
  for (const SuiteEntry& entry : suite.cases) ids.push_back(entry.id);
  const std::map<std::string, std::string> neutral = NeutralIds(ids, answers.salt);
  // This comes before anything is read: files that no run leaves may be of any size.
  CTS_RETURN_IF_ERROR(
      ParallelFor(ids.size(), {.jobs = options.jobs, .stop = options.stop}, [&](size_t i) {
        const StatusOr<Case> c = ReadCaseHeader(generate.out / ids[i]);
        return c.ok() ? CheckResultSize(options.results, neutral.at(ids[i]), *c) : c.status();
      }));
  CTS_ASSIGN_OR_RETURN(const ResultDigests before, CheckedDigests(options, run, neutral));

  const fs::path results = out / "results";
  CTS_RETURN_IF_ERROR(ParallelFor(
      ids.size(), {.jobs = options.jobs, .stop = options.stop},
      [&](size_t i) { return CopyResult(options.results, neutral.at(ids[i]), results / ids[i]); }));
  // The digests must be those of the files that will be judged: the results may have changed
  // meanwhile.
  CTS_ASSIGN_OR_RETURN(const ResultDigests digests,
                       DigestResults(results, ids, options.jobs, options.stop));
  if (BlindResultsDigest(digests, answers.salt) != DigestOf(before)) {
    return Unavailable(options.results.string(), ": changed while it was read; unblind again");
  }
  run.blind = {.suite_digest = run.suite_digest, .results_digest = *run.results_digest};
  run.suite = suite.name;
  run.suite_digest = suite.digest;
  std::error_code error;
  run.suite_path = (fs::absolute(place, error).lexically_normal() / "suite").string();
  run.results_digest = DigestOf(digests);
  run.packs.reset();  // they were written as folders
  CTS_RETURN_IF_ERROR(WriteResultDigests(results, digests));
  CTS_RETURN_IF_ERROR(WriteRunRecord(results, run));
  return suite;
}

Status CheckResultSize(const fs::path& results, const std::string& id, const Case& c) {
  constexpr uint64_t kMaxResultJson = 16 << 20;
  std::map<std::string, uint64_t> limits = ResultLimits(c);
  limits["result.json"] = kMaxResultJson;
  const StatusOr<StoredResult> result = StoredResult::Find(results, id);
  // A file that cannot be examined is named when it is read.
  if (!result.ok()) return absl::OkStatus();
  for (const StoredResult::File& file : result->files()) {
    const std::string place = (result->place() / file.name).string();
    const auto limit = limits.find(file.name);
    if (limit == limits.end()) {
      return InvalidArgument(place, ": is no part of a result: expected the results ",
                             "as run left them");
    }
    if (file.size <= limit->second) continue;
    return InvalidArgument(place, ": found ", file.size, " bytes, expected at most ", limit->second,
                           ", and the results as run left them");
  }
  return absl::OkStatus();
}

std::string BlindResultsDigest(const ResultDigests& results, const std::string& salt) {
  std::vector<std::string> ids;
  ids.reserve(results.size());
  for (const auto& [id, digest] : results) ids.push_back(id);
  ResultDigests blind;
  for (const auto& [id, neutral] : NeutralIds(ids, salt)) blind.emplace(neutral, results.at(id));
  return DigestOf(blind);
}

}  // namespace cts

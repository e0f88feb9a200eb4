// The gate of a vendor's CI. It lists the failures that are new and not waived.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check.h"
#include "checker/report/accuracy.h"
#include "reference/base/json_fwd.h"

namespace cts {

// A known failure that is waived for a while (schemas/waivers.schema.json).
struct Waiver {
  std::string pattern;  // a pattern of case ids: reference/base/pattern.h
  std::string reason, owner;
  std::string expires;  // YYYY-MM-DD: the last day on which the waiver is valid, in UTC
  // The verdicts that the waiver covers. If the list is empty and `flaky` is false, the waiver
  // covers all verdicts.
  std::vector<Verdict> verdicts;
  // Whether the waiver covers flaky cases. A waiver that covers only flaky cases may also match
  // cases that pass now.
  bool flaky = false;

  bool CoversAll() const { return verdicts.empty() && !flaky; }
};

// The reruns of a failed case: `of` counts all reruns, and `passed` counts those that passed.
struct Reruns {
  int passed = 0, of = 0;
};

// Errors name the file, or `origin`, and the JSON pointer.
StatusOr<std::vector<Waiver>> WaiversFromJson(const Json& json, std::string_view origin);
StatusOr<std::vector<Waiver>> ReadWaivers(const std::filesystem::path& path);

// The failures of an earlier run (schemas/baseline.schema.json). A Finding of the report counts as
// a failure with the verdict fail and an id such as "finding/mixed_flushing/CASE".
struct Baseline {
  std::string suite, edition, level, digest;
  std::string implementation, version;
  std::map<std::string, Verdict> failures;
};

// Errors name the file, or `origin`, and the JSON pointer.
StatusOr<Baseline> BaselineFromJson(const Json& json, std::string_view origin);
StatusOr<Baseline> ReadBaseline(const std::filesystem::path& path);
Json BaselineToJson(const Baseline& baseline);

struct GateOptions {
  std::optional<Baseline> baseline;                   // without a baseline, every failure is new
  std::filesystem::path baseline_path, waivers_path;  // for messages
  std::vector<Waiver> waivers;
  std::string today;  // YYYY-MM-DD
  // The accuracy that the results must keep. If it is nullopt, results need only be legal.
  std::optional<Accuracy> accuracy = {};
  std::filesystem::path accuracy_path = {};
  // Whether to tolerate unsupported cases that no declaration includes. Set this to true only if
  // people maintain the declaration. An implementation that loses a feature may drop the feature
  // from its own declaration, and the loss would be tolerated.
  bool tolerate_undeclared = false;
  // The file to which the SARIF output attaches the failures, as a path from the root of the user's
  // repository.
  std::filesystem::path sarif_file = {};
  // The failed cases that ran again, by id. Such a case is flaky if it passed in at least one
  // rerun. Unless it is waived, a flaky case is a new failure, even if the baseline has the case.
  std::map<std::string, Reruns> reruns = {};
};

struct GateFailure {
  std::string id;
  Verdict verdict = Verdict::kFail;
  Standing standing = Standing::kWrong;
  std::string message, explain;   // one line each
  std::optional<Verdict> before;  // the verdict in the baseline
  Reruns reruns = {};

  bool IsFlaky() const { return reruns.passed > 0; }
};

// Returns "flaky" if the failure is flaky, otherwise the name of its verdict.
std::string_view VerdictName(const GateFailure& failure);

struct GateResult {
  size_t cases = 0, passed = 0;
  size_t not_checked = 0;  // cases that are not checked, and do not count as passed
  // Unsupported cases that are tolerated, because no declaration includes them.
  size_t undeclared = 0;
  size_t flaky = 0;     // failed cases that passed in at least one rerun
  size_t disputed = 0;  // cases of Standing::kDisputed
  // New failures: those that are neither waived, tolerated nor known.
  std::vector<GateFailure> fresh;
  // Failures that the baseline has with the same verdict. A failure with the verdict kAccepted is
  // also known if the baseline has it with another verdict, unless that verdict is fail, malformed
  // or missing. With these three verdicts, the case may have shown values in the earlier run.
  std::vector<GateFailure> known;
  std::vector<GateFailure> waived;  // never counted as passed
  // Ids of baseline cases that pass now, and ids of baseline findings that the report does not
  // have.
  std::vector<std::string> fixed;
  std::vector<std::string> gone;  // ids of cases in the baseline that the report does not have
  // Faults of waivers. A waiver is at fault if it has expired or matches nothing. Unless it covers
  // only flaky cases, it is also at fault if it covers no failure or matches a case that passes.
  std::vector<std::string> faults;
  std::vector<std::string> worse;  // results that became less accurate, though they are legal
  std::vector<std::string> notes;
  // A baseline for later runs: every failure that is neither waived, tolerated, flaky nor disputed.
  Baseline now;

  // True if there is no new failure, no fault of a waiver and nothing worse, and if at least one
  // case is neither tolerated as undeclared nor disputed.
  bool Passed() const {
    return cases > undeclared + disputed && fresh.empty() && faults.empty() && worse.empty();
  }
};

// Returns an error if the baseline is of another edition or level, because the same ids may then
// belong to other cases. Also returns an error if the accuracy is of another suite.
StatusOr<GateResult> ApplyGate(const Report& report, const GateOptions& options);

// Returns the ids of the cases that should run again: the cases among the new failures that are
// wrong or did not run. Leaves out findings, which are no cases.
std::vector<std::string> CasesToRunAgain(const GateResult& result);

// Returns at most 45 lines of about 200 characters each. The last line is the verdict.
std::string FormatGate(const Report& report, const GateOptions& options, const GateResult& result);

// Returns the result as Markdown, for example for a job summary on GitHub. The new failures are
// grouped by cause. Text from outside never becomes markup.
std::string FormatGateMarkdown(const Report& report, const GateOptions& options,
                               const GateResult& result);
// Returns the new failures as workflow commands of GitHub, "::error title=...::...". There is one
// line for each of the first ten causes, because GitHub shows only ten for each step.
std::string GateAnnotations(const Report& report, const GateResult& result);

// Returns SARIF 2.1.0 with the new failures. Each pair of operator and verdict, and each kind of
// finding, is a rule. The location of every failure is GateOptions::sarif_file, because services
// such as code scanning show only locations within the repository.
Json GateSarif(const Report& report, const GateOptions& options, const GateResult& result);

// Whether a waiver covers a failure on the day `today`, YYYY-MM-DD.
bool Waives(const Waiver& waiver, const std::string& today, const GateFailure& failure);
// The first waiver that covers a failure on the day `options.today`; nullptr if no waiver covers
// it.
const Waiver* WaiverThatCovers(const GateOptions& options, const GateFailure& failure);

// Whether the text has the form YYYY-MM-DD and is a day of the calendar. Two such texts compare, as
// strings, like their dates.
bool IsDate(const std::string& text);
// Returns the current date in UTC, YYYY-MM-DD.
std::string Today();

}  // namespace cts

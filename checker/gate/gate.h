// The gate of a vendor's CI: it lists failures that are new and not waived.
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
  std::string pattern;  // of case ids: reference/base/pattern.h
  std::string reason, owner;
  std::string expires;            // YYYY-MM-DD: the last day on which it holds, in UTC
  std::vector<Verdict> verdicts;  // the verdicts that it covers; all, if these two say none
  bool flaky = false;  // it covers flaky cases; without verdicts it may stand while they pass

  bool CoversAll() const { return verdicts.empty() && !flaky; }
};

// How often a failed case passed when it ran again.
struct Reruns {
  int passed = 0, of = 0;
};

// Errors name the file, or `origin`, and the JSON pointer.
StatusOr<std::vector<Waiver>> WaiversFromJson(const Json& json, std::string_view origin);
StatusOr<std::vector<Waiver>> ReadWaivers(const std::filesystem::path& path);

// The failures of an earlier time (schemas/baseline.schema.json). Findings have ids of their own,
// "finding/mixed_flushing", and the verdict fail.
struct Baseline {
  std::string suite, edition, level, digest;
  std::string implementation, version;
  std::map<std::string, Verdict> failures;
};

// Likewise.
StatusOr<Baseline> BaselineFromJson(const Json& json, std::string_view origin);
StatusOr<Baseline> ReadBaseline(const std::filesystem::path& path);
Json BaselineToJson(const Baseline& baseline);

struct GateOptions {
  std::optional<Baseline> baseline;                   // without one every failure is new
  std::filesystem::path baseline_path, waivers_path;  // for messages
  std::vector<Waiver> waivers;
  std::string today;  // YYYY-MM-DD
  // Results must be as accurate as this. If it is nullopt, they need only be legal.
  std::optional<Accuracy> accuracy = {};
  std::filesystem::path accuracy_path = {};
  // Tolerate cases that are neither supported nor declared. Only for a declaration that people
  // maintain: an implementation's own declaration would excuse every loss.
  bool tolerate_undeclared = false;
  // The file of the repository at which SARIF places failures, from the repository's root.
  std::filesystem::path sarif_file = {};
  // Failed cases that ran again. One that passed at least once is flaky, which is a failure of its
  // own: no baseline knows it.
  std::map<std::string, Reruns> reruns = {};
};

struct GateFailure {
  std::string id;
  Verdict verdict = Verdict::kFail;
  Standing standing = Standing::kWrong;
  std::string message, explain;   // one line each
  std::optional<Verdict> before;  // in the baseline
  Reruns reruns = {};

  bool IsFlaky() const { return reruns.passed > 0; }
};

// "flaky", or the name of the verdict.
std::string_view VerdictName(const GateFailure& failure);

struct GateResult {
  size_t cases = 0, passed = 0;
  size_t not_checked = 0;           // not passed: the finding of that name has each of them
  size_t undeclared = 0;            // not supported, not declared, and tolerated
  size_t flaky = 0;                 // of all lists: they passed when they ran again
  size_t disputed = 0;              // not as expected where the text disagrees with itself
  std::vector<GateFailure> fresh;   // not in the baseline, or with another verdict there
  std::vector<GateFailure> known;   // in the baseline, with this verdict or, if accepted, none
  std::vector<GateFailure> waived;  // never counted as passed
  std::vector<std::string> fixed;   // in the baseline, and pass now
  std::vector<std::string> gone;    // in the baseline, but not in the suite
  std::vector<std::string> faults;  // of waivers: expired, without a match, with one that passes
  std::vector<std::string> worse;   // results that became less accurate, though they are legal
  std::vector<std::string> notes;
  // Every failure that is not waived.
  Baseline now;

  // True if there is no new failure, no fault, nothing worse, and something was checked.
  bool Passed() const {
    return cases > undeclared + disputed && fresh.empty() && faults.empty() && worse.empty();
  }
};

// An error if the baseline is of another edition or level, where ids may mean other cases, or if
// the accuracy is of another suite.
StatusOr<GateResult> ApplyGate(const Report& report, const GateOptions& options);

// The failed cases to run again: the new failures with a wrong answer or none.
std::vector<std::string> CasesToRunAgain(const GateResult& result);

// At most 45 lines of at most 200 characters or so; the verdict is the last.
std::string FormatGate(const Report& report, const GateOptions& options, const GateResult& result);

// The same as Markdown, such as for a step's summary at GitHub, with the new failures by cause.
// Text from outside never becomes markup.
std::string FormatGateMarkdown(const Report& report, const GateOptions& options,
                               const GateResult& result);
// The new failures as GitHub's workflow commands, "::error title=...::...", a line for each of the
// first ten causes: GitHub shows only ten for each step.
std::string GateAnnotations(const Report& report, const GateResult& result);

// SARIF 2.1.0 with the new failures. Each operator and verdict is a rule. The place is
// GateOptions::sarif_file: a service such as code scanning shows nothing that the repository lacks.
Json GateSarif(const Report& report, const GateOptions& options, const GateResult& result);

// Whether a waiver covers a failure on a day, YYYY-MM-DD.
bool Waives(const Waiver& waiver, const std::string& today, const GateFailure& failure);
// The first waiver that covers a failure on the day of `options`; nullptr if none does.
const Waiver* WaiverThatCovers(const GateOptions& options, const GateFailure& failure);

// Whether the text is YYYY-MM-DD and a day of the calendar. Such dates compare as text.
bool IsDate(const std::string& text);
// In UTC.
std::string Today();

}  // namespace cts

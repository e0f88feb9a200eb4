// Verdicts: results against a suite.
#pragma once

#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check_report.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// Says in words how an error case breaks its condition; empty if that is not known.
using Meaning = std::function<std::string(const Case& c)>;

struct CheckOptions {
  std::filesystem::path suite, results;
  int jobs = 0;                          // 0: one per core; the report does not depend on it
  std::vector<std::string> filter = {};  // judge only cases that match a pattern; all if empty
  // Judges only cases that have a result. The report is partial if any has none.
  bool partial = false;
  // A declaration of the suite's edition, beside the implementation's own.
  std::optional<DeclaredBy> declared = {};
  // Called after every case, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  // Once true, checking ends with an error.
  const std::atomic<bool>* stop = nullptr;
  // Called for error cases that do not pass, by several threads at a time.
  Meaning meaning = {};
};

// Errors: a suite or a run.json that is missing, broken or changed, and results of another suite. A
// fault of the implementation is a verdict, never an error.
StatusOr<Report> CheckSuite(const CheckOptions& options);

// True if a case passed, every other did or is disputed, and there is no finding.
bool AllPassed(const Report& report);
// The same for the whole suite: a shard, a selection of cases or a partial report is never
// conformant.
bool Conformant(const Report& report);

// Brings the finding "not_checked" up to date. It lists cases that passed although the values of
// some output were not judged (RuleKind::kUnchecked), or enclosures limit too few of them.
void FindUnchecked(Report* report);

// "12 % of elements judged (16 of 128), 112 not limited by the enclosure, 3 of the judged ones
// wide". Empty if all of them are judged and no interval is wide.
std::string LimitsText(const Limits& limits);
// The elements of cases, by the standing of the cases.
using LimitsByStanding = std::array<Limits, kStandingCount>;
LimitsByStanding CountLimits(const Report& report);

// Directories, as "conv2d/case" or "conv2d", that belong to no case. Directories whose names begin
// with a dot are the runner's.
StatusOr<std::vector<std::string>> StrayDirectories(const std::filesystem::path& directory,
                                                    const Suite& suite);
// "a, b, c, d, e, ...": the first five, printable.
std::string FirstNames(const std::vector<std::string>& names);

// Counts cases by verdict: those of operator `op`, or all if it is empty.
using VerdictCounts = std::array<int, kVerdictCount>;
VerdictCounts CountVerdicts(const Report& report, std::string_view op = {});

Standing StandingOf(const CaseReport& c);

// Cases by standing; they add up to all.
using Standings = std::array<int, kStandingCount>;
Standings CountStandings(const Report& report);
// Counts the wrong cases that are declared as supported and were answered `unsupported`.
int CountDeclaredNotAnswered(const Report& report);
inline int Count(const Standings& standings, Standing standing) {
  return standings[static_cast<size_t>(standing)];
}

// Reads run.json and compares its suite digest with the digest of the suite.
StatusOr<RunInfo> ReadRun(const std::filesystem::path& results, const Suite& suite,
                          const std::filesystem::path& suite_path);

// Returns the declarations for a suite of this edition: by a file, and by the implementation in
// run.json.
std::vector<DeclaredBy> WhoDeclares(const std::optional<DeclaredBy>& file, const RunInfo& run,
                                    std::string_view edition);
// Fills in whether a case is declared, which part of it is beyond, and which declarations call it
// conformant. A case that is declared and not answered says so. `symbolic`: the implementation
// accepts symbolic programs.
void CompareWithDeclared(const std::vector<DeclaredBy>& declared, bool symbolic, const Case& c,
                         CaseReport* known);

// The entry of a case. Errors: an unknown id, with those nearest to it.
StatusOr<const SuiteEntry*> FindCase(const Suite& suite, std::string_view id,
                                     const std::filesystem::path& suite_path);

// Checks that results can be judged by every answer of a case. An error is the suite's fault, never
// the implementation's.
Status ValidateAnswers(const Case& c);

// Where the edition's clauses disagree about a case, an unexpected answer is disputed: neither
// right nor wrong. The message says the verdict that it had, and both clauses. The case stays wrong
// if the point does not affect a wrong output.
void SetDisputed(CaseReport* report);
// "MESSAGE; disputed, and decides nothing: POINT"
std::string DisputedMessage(const std::string& message, const std::string& point);

// Judges a tensor of the output's type and shape. The verdict is kMalformed if CheckElements
// refuses the tensor. One of the answers must accept it as a whole. If `answer` is not null, it
// becomes the accepted answer; if there is none, the nearest one.
OutputReport JudgeTensor(const ExpectedOutput& output, const Tensor& result,
                         size_t* answer = nullptr);

// One case with everything that is needed to explain it.
struct CheckedCase {
  Case expected;
  CaseReport report;
  struct Output {
    std::optional<Tensor> result;
    size_t answer = 0;  // the accepted one; if there is none, the nearest
  };
  std::vector<Output> outputs;  // in step with report.outputs
};
StatusOr<CheckedCase> CheckCase(const std::filesystem::path& suite, const SuiteEntry& entry,
                                std::string_view edition, const std::filesystem::path& results);

// The same for a case that is read already and for results that need not lie on a disk: `read`
// returns the bytes of a file such as "add/case/result.json", or kNotFound where there is none. An
// error means that results cannot be judged by an answer of `expected`. kUnavailable means that a
// file could not be read, which is no verdict.
using ReadResultFile =
    std::function<StatusOr<std::string>(std::string_view name, uint64_t max_bytes)>;
StatusOr<CheckedCase> CheckCase(Case expected, const ReadResultFile& read);

}  // namespace cts

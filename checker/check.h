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

#include "checker/check_report.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// In words, how an error case breaks its condition; empty if that is not known.
using Meaning = std::function<std::string(const Case& c)>;

struct CheckOptions {
  std::filesystem::path suite, results;
  int jobs = 0;  // 0: one per core; the report does not depend on it
  // Called after every case, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  // Once true, checking ends with an error.
  const std::atomic<bool>* stop = nullptr;
  // Asked about error cases that do not pass, by several threads at a time.
  Meaning meaning = {};
};

// Errors: a suite or a run.json that is missing, broken or changed, and results of another suite.
// Whatever the implementation did wrong is a verdict, never an error.
StatusOr<Report> CheckSuite(const CheckOptions& options);

// Every case passed, there was one, and there is no finding.
bool AllPassed(const Report& report);
// The same of the whole suite: a shard is never conformant.
bool Conformant(const Report& report);

// Brings the finding "not_checked" up to date: cases that passed although nobody looked at the
// values of some output (RuleKind::kUnchecked).
void FindUnchecked(Report* report);

// Directories, as "conv2d/case" or "conv2d", that belong to no case. Names that begin with a dot
// are the runner's.
std::vector<std::string> StrayDirectories(const std::filesystem::path& directory,
                                          const Suite& suite);
// "a, b, c, d, e, ...": the first five, printable.
std::string FirstNames(const std::vector<std::string>& names);

// Cases by verdict; of one operator unless `op` is empty.
using VerdictCounts = std::array<int, kVerdictCount>;
VerdictCounts CountVerdicts(const Report& report, std::string_view op = {});

// Reads run.json and holds its digest against the suite's.
StatusOr<RunInfo> ReadRun(const std::filesystem::path& results, const Suite& suite,
                          const std::filesystem::path& suite_path);

// The entry of a case. Errors: an unknown id, with those nearest to it.
StatusOr<const SuiteEntry*> FindCase(const Suite& suite, std::string_view id,
                                     const std::filesystem::path& suite_path);

// Whether every answer of a case is such that results can be judged by it. An error is the suite's
// fault, never the implementation's.
Status ValidateAnswers(const Case& c);

// Judges a tensor of the output's type and shape. One of the answers must accept it as a whole;
// `answer`, if not null, becomes that one or else the nearest.
OutputReport JudgeTensor(const ExpectedOutput& output, const Tensor& result,
                         size_t* answer = nullptr);

// One case with everything that explaining it needs.
struct CheckedCase {
  Case expected;
  CaseReport report;
  struct Output {
    std::optional<Tensor> result;
    size_t answer = 0;  // the accepted one, or else the nearest
  };
  std::vector<Output> outputs;  // in step with report.outputs
};
StatusOr<CheckedCase> CheckCase(const std::filesystem::path& suite, const SuiteEntry& entry,
                                std::string_view edition, const std::filesystem::path& results);

// The same of a case that was read, and results that need not lie on a disk: `read` gives a file
// such as "add/case/result.json", kNotFound where there is none. An error is an answer of
// `expected` that nobody can be judged by.
using ReadResultFile =
    std::function<StatusOr<std::string>(std::string_view name, uint64_t max_bytes)>;
StatusOr<CheckedCase> CheckCase(Case expected, const ReadResultFile& read);

}  // namespace cts

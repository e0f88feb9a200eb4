// Several reports of one suite side by side: which implementations are right in which cases, where
// they differ, and what changed between two runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "checker/report/causes.h"
#include "reference/base/json_fwd.h"

namespace cts {

// A report and its name beside the others: "NPU 2.1", with the file's name if two names would be
// equal.
struct Compared {
  std::string label, file;
  Report report;
  std::string checker;  // the digest of the checker that judged
};

struct ComparedCase {
  std::vector<const CaseReport*> of;  // one for each report, or null, in their order

  // The first report of the case. Facts that are the same in all reports are read from it.
  const CaseReport& any() const;
  // Whether two reports have different standings. A report without the case has no standing.
  bool Differs() const;
  // Whether it is wrong in some report.
  bool IsWrong() const;
};

// Failures that look alike (checker/report/causes.h), and the number of cases in each report.
struct ComparedCause {
  Cause all;                               // of all reports; of each case the first that has it
  std::vector<int> counts;                 // of each report
  std::vector<const ComparedCase*> cases;  // cases that have it in some report, by id
};

struct Comparison {
  std::vector<Compared> reports;
  std::vector<ComparedCase> cases;    // of all reports, by id
  std::vector<ComparedCause> causes;  // by what they cost

  // The number of cases where the first is right and the second wrong.
  int RightWhereWrong(size_t right, size_t wrong) const;
  // The cases whose standings in the first and the last report differ, those of legal graphs first.
  std::vector<const ComparedCase*> Changed(Standing from, Standing to) const;

  Comparison() = default;
  Comparison(const Comparison&) = delete;  // other members point into it
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;
};

// Compares files of `check --json`: at least two, of suites with one digest. Verdicts of different
// versions of the checker can be compared; the labels of the page then say so.
StatusOr<Comparison> CompareReports(const std::vector<std::filesystem::path>& files);

// For people, no line wider than `width`.
std::string FormatComparison(const Comparison& comparison, size_t width);
// As schemas/comparison.schema.json has it.
Json ComparisonToJson(const Comparison& comparison);
// One page that loads nothing and is read without its script as well: either with cases, each with
// its result, the expected one and the command that repeats it; or only with operators, types and
// implementations, small enough for a repository.
enum class ComparedDetail { kCases, kSummary };
std::string ComparisonPage(const Comparison& comparison,
                           ComparedDetail detail = ComparedDetail::kCases);

}  // namespace cts

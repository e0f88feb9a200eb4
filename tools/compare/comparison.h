// Several reports of one suite side by side: who is right where, who differs from whom, and what
// changed between two runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checker/check.h"
#include "reference/base/json_fwd.h"

namespace cts {

// A report, and what it is called beside the others: "NPU 2.1", with the file's name where two
// would be called the same.
struct Compared {
  std::string label, file;
  Report report;
  std::string checker;  // the digest of the checker that judged
};

struct ComparedCase {
  std::vector<const CaseReport*> of;  // each report's, in their order; null where it has none

  // The first report that there is: all that is the same in all of them is read from it.
  const CaseReport& any() const;
  // Whether some report has another standing than another. A report without the case
  // has none.
  bool Differs() const;
  // Whether it is wrong in some report.
  bool IsWrong() const;
};

// Failures of one operator in the same words (checker/causes.h), and how many cases of each report
// have them.
struct ComparedCause {
  std::string op, gist;
  Verdict verdict = Verdict::kFail;
  std::vector<int> counts;                   // of each report
  std::vector<const ComparedCase*> cases{};  // that have it in some report, by id

  bool OnIllegalGraphs() const;  // all of them
};

struct Comparison {
  std::vector<Compared> reports;
  std::vector<ComparedCase> cases;    // of all reports, by id
  std::vector<ComparedCause> causes;  // those of legal graphs first, then the largest

  // The number of cases where the first is right and the second wrong.
  int RightWhereWrong(size_t right, size_t wrong) const;
  // The cases whose standing was one in the first report and is another in the last, those of legal
  // graphs first.
  std::vector<const ComparedCase*> Changed(Standing from, Standing to) const;

  Comparison() = default;
  Comparison(const Comparison&) = delete;  // pointers lead into it
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;
};

// Compares what `check --json` wrote: at least two files, of suites with one digest. Verdicts of
// different versions of the checker can be compared; the labels of the page say that they are.
StatusOr<Comparison> CompareReports(const std::vector<std::filesystem::path>& files);

// For people, no line wider than `width`.
std::string FormatComparison(const Comparison& comparison, size_t width);
// As schemas/comparison.schema.json has it.
Json ComparisonToJson(const Comparison& comparison);
// One page without a script, which loads nothing: with cases, each with what came, what was due and
// how to repeat it; or operators, types and implementations alone, small enough for a repository.
enum class ComparedDetail { kCases, kSummary };
std::string ComparisonPage(const Comparison& comparison,
                           ComparedDetail detail = ComparedDetail::kCases);

}  // namespace cts

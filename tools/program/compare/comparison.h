// Compares several reports on one suite: which implementations are right in which cases, where they
// differ, and what changed between two runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "checker/report/causes.h"
#include "reference/base/json_fwd.h"

namespace cts {

// A report, and the label that distinguishes it from the other reports: "NPU 2.1". If two labels
// would be equal, they also have the names of the files.
struct Compared {
  std::string label, file;
  Report report;
  std::string checker;  // the digest of the checker that judged
};

struct ComparedCase {
  // The case in each report, in the order of the reports; null if a report lacks it.
  std::vector<const CaseReport*> of;

  // Returns the case in the first report that contains it, for facts that are the same in all
  // reports.
  const CaseReport& any() const;
  // Whether two reports that have the case give it different standings.
  bool Differs() const;
  // Whether the case is wrong in at least one report.
  bool IsWrong() const;
};

// Failures that look alike (checker/report/causes.h), and the number of cases with such a failure
// in each report.
struct ComparedCause {
  // The cause over all reports. Each case is taken from the first report in which it has this
  // cause.
  Cause all;
  std::vector<int> counts;                 // one for each report
  std::vector<const ComparedCase*> cases;  // cases with this cause in at least one report, by id
};

struct Comparison {
  std::vector<Compared> reports;
  std::vector<ComparedCase> cases;    // the cases of all reports, by id
  std::vector<ComparedCause> causes;  // in the order of CostsMore (causes.h)

  // The number of cases that are right in report `right` and wrong in report `wrong`.
  int RightWhereWrong(size_t right, size_t wrong) const;
  // The cases with standing `from` in the first report and `to` in the last one; cases with legal
  // graphs come first.
  std::vector<const ComparedCase*> Changed(Standing from, Standing to) const;

  Comparison() = default;
  Comparison(const Comparison&) = delete;  // other members point into `reports`
  Comparison(Comparison&&) = default;
  Comparison& operator=(Comparison&&) = default;
};

// Compares files of `check --json`: at least two, on suites with the same digest. The reports may
// come from different versions of the checker. In that case, the page (ComparisonPage) names the
// checker of each report.
StatusOr<Comparison> CompareReports(const std::vector<std::filesystem::path>& files);

// The comparison as text for people, with lines of at most `width` columns.
std::string FormatComparison(const Comparison& comparison, size_t width);
// The comparison in the form of schemas/comparison.schema.json.
Json ComparisonToJson(const Comparison& comparison);
// One self-contained page that is also readable without its script. With kCases the page has each
// case with its result, the expected result and the command that repeats the case. With kSummary it
// has only operators, types and implementations, and is small enough for a repository.
enum class ComparedDetail { kCases, kSummary };
std::string ComparisonPage(const Comparison& comparison,
                           ComparedDetail detail = ComparedDetail::kCases);

}  // namespace cts

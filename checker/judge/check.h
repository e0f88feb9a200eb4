// Judges results against a suite.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check_case.h"
#include "checker/judge/check_report.h"
#include "checker/judge/standing.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

// Returns a text that says how an error case breaks its condition; returns an empty text if this is
// not known.
using Meaning = std::function<std::string(const Case& c)>;

struct CheckOptions {
  std::filesystem::path suite, results;
  // The number of threads; 0: one per core; does not affect the report.
  int jobs = 0;
  // Judge only cases whose ids match one of these patterns; empty: judge all cases.
  std::vector<std::string> filter = {};
  // Whether to judge only the cases that have a result. The report is then partial if some case has
  // no result.
  bool partial = false;
  // A declaration for the suite's edition, in addition to the implementation's own.
  std::optional<DeclaredBy> declared = {};
  // Called after every case, by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  // Once `*stop` is true, checking ends with an error.
  const std::atomic<bool>* stop = nullptr;
  // Called for each error case that does not pass. Several threads may call it at the same time.
  Meaning meaning = {};
};

// Errors include a suite or results that are missing, broken or changed, results of another suite,
// a pattern that matches no case, and a file that cannot be read. A fault of the implementation is
// a verdict, never an error.
StatusOr<Report> CheckSuite(const CheckOptions& options);

// Reads run.json and compares its suite digest with the digest of the suite.
StatusOr<RunInfo> ReadRun(const std::filesystem::path& results, const Suite& suite,
                          const std::filesystem::path& suite_path);

// Returns the declarations for a suite of this edition. They are `file`, if it is set, and the
// implementation's own declaration from run.json, if run.json has one for this edition.
std::vector<DeclaredBy> WhoDeclares(const std::optional<DeclaredBy>& file, const RunInfo& run,
                                    std::string_view edition);
// `known` is the report of case `c`. The function stores three facts in it: whether the case is
// declared, which part of the case exceeds the declarations, and which declarations call the case's
// profiles conformant. If a declared case is unsupported, the function adds the source of the
// declaration to the message of the report. `symbolic` says whether the implementation accepts
// symbolic programs.
void CompareWithDeclared(const std::vector<DeclaredBy>& declared, bool symbolic, const Case& c,
                         CaseReport* known);

// Returns the entry of a case. An unknown id is an error that lists the nearest ids.
StatusOr<const SuiteEntry*> FindCase(const Suite& suite, std::string_view id,
                                     const std::filesystem::path& suite_path);

}  // namespace cts

// Verdicts: results against a suite.
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

}  // namespace cts

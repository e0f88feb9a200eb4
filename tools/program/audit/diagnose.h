// Finds the rule that a failing implementation follows instead of the right one: the faults that
// reproduce the implementation's answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "checker/judge/check.h"
#include "reference/base/json_fwd.h"
#include "reference/faults/fault.h"
#include "tools/program/audit/diagnose_accumulator.h"

namespace cts {

// One fault, compared with the implementation's results for its operator.
struct Diagnosis {
  const Fault* fault = nullptr;
  // The part of the operator in which the implementation has the fault, as features of cases: "mode
  // signed 8". The counts below are of the cases with all these features. Empty: the whole
  // operator.
  std::vector<std::string> part = {};
  // `cases` counts the failing cases that the fault reproduces: it gives the implementation's wrong
  // outcome or wrong shape, or exactly its wrong elements. `of_cases` counts the failing cases on
  // which the fault was tried. `first` holds the ids of the first three reproduced cases.
  uint64_t cases = 0, of_cases = 0;
  std::vector<std::string> first;
  // The number of wrong elements in the reproduced cases. A case with a wrong outcome or shape adds
  // 0.
  uint64_t elements = 0;
  // `contradicted` counts the passing cases that the fault would have made fail. `of_passing`
  // counts the passing cases on which the fault was tried.
  uint64_t contradicted = 0, of_passing = 0;
  std::string meaning = {};  // how the first case breaks its condition, if it is an error case
  bool illegal = false;      // all cases that the fault reproduces are illegal graphs

  // Whether the fault is only a guess, because passing cases contradict it.
  bool IsGuess() const { return contradicted > 0; }
};

struct OperatorDiagnosis {
  std::string op;
  // Cases with a wrong value, a wrong outcome or, in symbolic programs, a wrong shape.
  uint64_t failing = 0;
  // The failing cases on which faults were tried; 0 if `op` is not an operator of the edition, as
  // for networks.
  uint64_t tried = 0;
  uint64_t explained = 0;  // tried cases that at least one of `faults` reproduces in its part
  // The faults that reproduce at least one case, each with the part where it fits best
  // (tools/program/audit/diagnose_part.h). Faults whose `illegal` is false come before the others.
  // Within each of the two groups, faults are in descending order of `cases` minus `contradicted`.
  // If a case has several operators, the fault may belong to another operator than `op`. A fault
  // may be missing if it reproduces none of the cases that are tried first, and if other faults
  // reproduce all cases that it reproduces.
  std::vector<Diagnosis> faults;
  // For a sample of the cases that none of `faults` reproduces: what their wrong elements have in
  // common, such as "5 of 7: zero is answered (ID)".
  std::vector<std::string> in_common = {};
  // The accumulator with which the operator's sums of products fail, if an accumulator model gives
  // the same results or similar ones.
  std::optional<AccumulatorDiagnosis> accumulator = {};
};

struct DiagnoseOptions {
  std::filesystem::path suite, results;
  int jobs = 0;  // 0: one per core; the diagnosis does not depend on it
  // The greatest numbers of failing and of passing cases that are tried for each operator. The
  // tried cases are evenly spaced.
  uint64_t most_failing = 200;
  uint64_t most_passing = 300;
  // Gets the number of failing and passing cases that were tried; called by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  // Called in the same way during the check of the results, which comes first.
  std::function<void(size_t done, size_t total)> check_progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// Checks the results, and tries the faults of every operator that has failing cases. The returned
// operators are in the order of the causes of their failures (checker/report/causes.h). Errors are
// those of CheckSuite.
StatusOr<std::vector<OperatorDiagnosis>> Diagnose(const DiagnoseOptions& options);
// Does the same for results that have been checked already.
StatusOr<std::vector<OperatorDiagnosis>> Diagnose(const Report& report,
                                                  const DiagnoseOptions& options);

// Returns the diagnosis in the form of schemas/diagnosis.schema.json.
Json DiagnosisToJson(const std::vector<OperatorDiagnosis>& diagnoses);
// Returns the diagnosis as text for people.
std::string FormatDiagnosis(const std::vector<OperatorDiagnosis>& diagnoses);
// Lines for a report: for each operator, the accumulator if a model gives the same results, and the
// best fault if there is one. The line of a fault says how many other faults fit equally well, and
// whether the fault is only a guess. It says "answers as fault ..." only if the fault reproduces
// every failing case that was tried, and no passing case contradicts it.
std::vector<std::string> NotesOf(const std::vector<OperatorDiagnosis>& diagnoses);
// One line: "for mode signed 8 alone: 12 of 12 failing cases, all 364 wrong elements; contradicted
// by 0 of 211 passing cases".
std::string Evidence(const Diagnosis& diagnosis);

}  // namespace cts

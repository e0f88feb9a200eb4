// Finds the rule that a failing implementation follows instead of the right one: the faults that
// reproduce its answers.
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

// One fault, compared with the results of its operator.
struct Diagnosis {
  const Fault* fault = nullptr;
  // The part in which the implementation has it: "mode signed 8". The counts are for the cases with
  // all these features. Empty: the whole operator.
  std::vector<std::string> part = {};
  // `cases` counts the failing cases that the fault reproduces: it gives the wrong outcome, or
  // exactly the wrong elements of the implementation. `of_cases` counts those of the operator that
  // it could touch. `first` holds the first three.
  uint64_t cases = 0, of_cases = 0;
  std::vector<std::string> first;
  // The wrong elements of these cases. A wrong outcome has none.
  uint64_t elements = 0;
  // Passing cases that the fault would have failed, and the number of tried ones.
  uint64_t contradicted = 0, of_passing = 0;
  std::string meaning = {};  // if the first case is an error case: how it breaks its condition
  bool illegal = false;      // all cases that it reproduces are illegal graphs

  // Passing cases contradict it: the name is no more than a guess.
  bool IsGuess() const { return contradicted > 0; }
};

struct OperatorDiagnosis {
  std::string op;
  uint64_t failing = 0;    // cases with a wrong value, a wrong outcome or, for symbols, a wrong
                           // shape
  uint64_t tried = 0;      // of these; empty for an operator that is not the edition's (networks)
  uint64_t explained = 0;  // tried cases that some fault of `faults` explains
  // The faults that reproduce something, each with the part where it fits best
  // (tools/program/audit/diagnose_part.h). Faults of legal graphs come before those of illegal
  // ones, and the best come first. A fault may be missing if it reproduces none of the cases that
  // are tried first, and no case that all other faults fail to explain.
  std::vector<Diagnosis> faults;
  // What the wrong elements of cases have in common that no fault explains: "5 of 7: zero is
  // answered (ID)". Some such cases are looked at.
  std::vector<std::string> in_common = {};
  // The accumulator by which its sums of products fail, if a model of an accumulator is equal or
  // near.
  std::optional<AccumulatorDiagnosis> accumulator = {};
};

struct DiagnoseOptions {
  std::filesystem::path suite, results;
  int jobs = 0;                 // 0: one per core; the diagnosis does not depend on it
  uint64_t most_failing = 200;  // failing cases of an operator that are tried, evenly spaced
  uint64_t most_passing = 300;  // passing ones, evenly spaced
  // Counts failing and passing cases that were tried; called by one thread at a time.
  std::function<void(size_t done, size_t total)> progress = {};
  // The same of the check before.
  std::function<void(size_t done, size_t total)> check_progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// Checks the results and tries the faults of every operator that has failing cases, in the order of
// the causes of failures (checker/report/causes.h). Errors: as CheckSuite.
StatusOr<std::vector<OperatorDiagnosis>> Diagnose(const DiagnoseOptions& options);
// The same for results that were checked.
StatusOr<std::vector<OperatorDiagnosis>> Diagnose(const Report& report,
                                                  const DiagnoseOptions& options);

// As schemas/diagnosis.schema.json has it.
Json DiagnosisToJson(const std::vector<OperatorDiagnosis>& diagnoses);
// The same for people.
std::string FormatDiagnosis(const std::vector<OperatorDiagnosis>& diagnoses);
// A line for the best fault of each operator that has one, for a report. It says how many other
// faults fit as well. It says "answers as fault ..." only if that explains every failing case that
// was tried and contradicts no passing one. A guess is called one.
std::vector<std::string> NotesOf(const std::vector<OperatorDiagnosis>& diagnoses);
// One line: "for mode signed 8 alone: 12 of 12 failing cases, all 364 wrong elements; contradicted
// by 0 of 211 passing cases".
std::string Evidence(const Diagnosis& diagnosis);

}  // namespace cts

// The smallest case that an implementation still fails in the same way.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "checker/check.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"

namespace cts {

// Gives a case to the implementation and judges what comes back. Nothing: it was interrupted.
using Trial = std::function<StatusOr<std::optional<CheckedCase>>(const Case&)>;

// In which way a case fails; empty if it passes. Two failures are of one kind if their words are
// the same: "a wrong value", "crash: signal 11". Numbers, addresses, shapes and paths in
// what the implementation says are left out, so that they may change while the case gets smaller.
std::string FailureKind(const CaseReport& report);

struct ShrinkOptions {
  int max_runs = 1000;
  int repeats = 3;  // of the case as it was given
  // Called after every run.
  std::function<void(int runs)> progress = {};
};

// How large a case is. What comes first counts more; a step never makes it greater.
struct CaseSize {
  int64_t operators = 0;  // but constants
  int64_t executions = 0;
  int64_t elements = 0;    // of inputs and constants
  int64_t ranks = 0;       // their sum
  int64_t attributes = 0;  // how far attributes and operands of type shape are from 0, 1 and false
  int64_t outputs = 0;     // elements of the outputs
  int64_t values = 0;      // how far the elements are from 0, 1 and -1

  // NOLINTNEXTLINE(modernize-use-nullptr): the compiler's own comparison with 0
  auto operator<=>(const CaseSize&) const = default;
};
CaseSize SizeOf(const Case& c);

// What was tried in one way.
struct ShrinkStep {
  std::string what;   // "dimensions"
  int runs = 0;       // of the implementation
  int kept = 0;       // of those, the ones that failed likewise
  int undefined = 0;  // not run: the reference does not call them valid, or an error for one reason
};

struct Shrunk {
  Case smallest;
  CheckedCase failure;  // what the implementation made of it
  std::string kind;
  CaseSize before, after;
  std::vector<ShrinkStep> steps;
  int runs = 0;
  bool limit_reached = false;  // of runs: something could be left to leave out
  bool interrupted = false;
  bool statistics_only = false;  // of many results; the case stays as it is
};

// Errors: a case that does not fail, a failure that does not repeat, and those of the trial.
StatusOr<Shrunk> Shrink(const Case& given, const Trial& trial, const ShrinkOptions& options);

}  // namespace cts

// The failures that a gate found to be new, by cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/gate/gate.h"

namespace cts {

// New failures of one cause.
struct FreshCause {
  std::string what;   // "ADD, fail"; of a finding "finding/mixed_flushing"
  std::string words;  // the clause, where the message does not say it
  std::vector<std::string> ids;
  size_t of_graphs = 0;           // of these: graphs that contain the operator
  std::string message, explain;   // of the first
  std::optional<Verdict> before;  // in the baseline, if all cases had the same one
};

// Findings over several cases, then cases that are wrong or did not run, in the order of
// checker/report/causes.h, then flaky cases, each by itself. Unsupported cases are separate.
std::vector<FreshCause> FreshCauses(const Report& report, const GateResult& result);

}  // namespace cts

// The failures that a gate found to be new, by cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/gate/gate.h"

namespace cts {

// New failures of one cause.
struct FreshCause {
  std::string what;  // "ADD, fail"; for a finding its id
  std::string gist;  // the clause, the condition, or the message without its figures
  std::vector<std::string> ids;
  std::string message, explain;   // of the first
  std::optional<Verdict> before;  // in the baseline, if all cases had the same one
  bool illegal = false;           // all its cases are on illegal graphs
};

// Cases that are wrong or did not run, the largest cause first; then findings; then cases on
// illegal graphs. Unsupported cases are separate.
std::vector<FreshCause> FreshCauses(const Report& report, const GateResult& result);

}  // namespace cts

// The failures that a gate found to be new, by cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/gate.h"

namespace cts {

// New failures of one cause.
struct FreshCause {
  std::string what;  // "ADD, fail"; of a finding its id
  std::string gist;  // the clause, the condition, or what was said without its figures
  std::vector<std::string> ids;
  std::string message, explain;   // of the first
  std::optional<Verdict> before;  // in the baseline, if it was the same for all
  bool illegal = false;           // all its cases are on illegal graphs
};

// Cases that are wrong or did not run, the largest cause first; then findings; then those on
// illegal graphs. Cases that are not supported are apart.
std::vector<FreshCause> FreshCauses(const Report& report, const GateResult& result);

}  // namespace cts

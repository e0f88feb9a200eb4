// Groups the new failures of a gate by cause.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "checker/gate/gate.h"

namespace cts {

// New failures of one cause.
struct FreshCause {
  // "ADD, fail"; for a finding "finding/mixed_flushing"; for a flaky case "flaky"
  std::string what;
  std::string words;  // the words of WordsOf (causes.h); empty if they equal `message`
  std::vector<std::string> ids;
  // The number of those cases in `ids` that Cause::of_graphs counts, too.
  size_t of_graphs = 0;
  std::string message, explain;  // as in the first failure (GateFailure)
  // The verdict in the baseline; nullopt if it is not the same for all cases.
  std::optional<Verdict> before;
};

// Returns the causes in this order: findings over several cases; causes of cases that are wrong or
// did not run; flaky cases. CausesOf (checker/report/causes.h) orders the second group. Each flaky
// case is a cause of its own. Unsupported cases are left out.
std::vector<FreshCause> FreshCauses(const Report& report, const GateResult& result);

}  // namespace cts

// The facts that coverage needs about a case of a suite.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "generator/draft/labels.h"
#include "generator/plan/parts.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/bundle/suite.h"

namespace cts {

struct CaseFacts {
  std::string id, op, mode;
  Outcome outcome = Outcome::kError;
  std::string condition;
  std::vector<std::vector<std::string>> profiles;
  Labels labels;  // the labels of all axes, including the data set
  // Names of the relations that hold (RelationsOf). Empty if the case is not valid, if the data set
  // is S0, or if the case would accept a trivial result (trivial_results.h).
  std::vector<std::string> relations;
  // The rungs of the ladder of sizes that the case covers, and the lengths of long sums that it
  // covers (reference/ops/size_ladder.h). Each entry is the name of the dimension and Rung::above.
  // Empty if the case is not valid, or if it would accept a trivial result.
  std::vector<std::pair<std::string, int64_t>> rungs;
  std::vector<std::string> patterns;  // names of the patterns in the graph of a valid case
};

// Errors: a case that cannot be read or that differs from the manifest.
StatusOr<CaseFacts> ReadFacts(const std::filesystem::path& directory, const Suite& suite,
                              const SuiteEntry& entry);

bool IsOfGraph(const CaseFacts& facts);
// Whether the case is built only from its labels. Error cases, cases at limits and the like are
// changed after they are built.
bool IsAsChosen(const CaseFacts& facts);
bool IsCaseOf(const CaseFacts& facts, const Part& part);

}  // namespace cts

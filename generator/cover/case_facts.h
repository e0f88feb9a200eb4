// The facts about a case of a suite that coverage needs.
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
  Labels labels;  // including the data set
  // Names of the relations that hold (RelationsOf). Empty if the data set is S0, or if the case
  // would accept a trivial answer.
  std::vector<std::string> relations;
  // The rungs of the ladder of sizes (reference/ops/size_ladder.h) that the case covers, each as
  // the name of the dimension and Rung::above. Empty if the case would accept a trivial answer.
  std::vector<std::pair<std::string, int64_t>> rungs;
  std::vector<std::string> patterns;  // names of the patterns in the graph of a valid case
};

// Errors: a case that cannot be read or that differs from the manifest.
StatusOr<CaseFacts> ReadFacts(const std::filesystem::path& directory, const Suite& suite,
                              const SuiteEntry& entry);

bool IsOfGraph(const CaseFacts& facts);
// Whether the case is built from its parameters alone. Error cases, cases at limits and the like
// are changed afterwards.
bool IsAsChosen(const CaseFacts& facts);
bool IsCaseOf(const CaseFacts& facts, const Part& part);

}  // namespace cts

// The facts of a case of a suite that coverage looks at.
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
  // Names of the relations that hold (RelationsOf), if a trivial answer would be noticed.
  std::vector<std::string> relations;
  // Rungs of the ladder of sizes that the case has, likewise: the name of the dimension, and the
  // size below the rung.
  std::vector<std::pair<std::string, int64_t>> rungs;
  std::vector<std::string> patterns;  // of a valid graph: names of the patterns that it has
};

// Errors: a case that cannot be read or that differs from the manifest.
StatusOr<CaseFacts> ReadFacts(const std::filesystem::path& directory, const Suite& suite,
                              const SuiteEntry& entry);

bool IsOfGraph(const CaseFacts& facts);
// Whether the case's parameters were not changed afterwards.
bool IsAsChosen(const CaseFacts& facts);
bool IsCaseOf(const CaseFacts& facts, const Part& part);

}  // namespace cts

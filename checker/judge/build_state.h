// The state of the sources of this build. Two builds give the same verdicts if they differ only in
// the commit.
#pragma once

#include <string_view>

#include "reference/base/json_fwd.h"

namespace cts {

struct BuildState {
  std::string_view version;  // "0.2.0"
  // The commit of the sources, or "unknown". ", modified" follows the commit if the sources differ
  // from it.
  std::string_view commit;
  // Digests (SHA-256): of the editions and their tables of precision, of the recipes and their
  // locks, of the sources of checker/ and reference/.
  std::string_view editions, recipes, checker;
};

const BuildState& ThisBuild();

// Returns all members except the commit, in the form that reports and evidence have: {"version":
// ..., "editions": ..., ...}.
Json BuildStateToJson(const BuildState& state);

}  // namespace cts

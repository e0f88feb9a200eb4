// A graph that holds an operator several times.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/draft/case_draft.h"

namespace cts {

// Returns a draft whose graph has the operators of all drafts. The names of a draft's operands and
// results begin with the draft's name and `_`. Drafts share equal operands that come from outside
// of the graph. Every result is an output of the graph. This function is for operators with
// hundreds of relations (reference/ops/relation.h): a case for each relation would make too many
// cases.
CaseDraft SideBySide(const Setting& setting,
                     const std::vector<std::pair<std::string, CaseDraft>>& drafts);

}  // namespace cts

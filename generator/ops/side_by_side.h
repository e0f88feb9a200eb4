// A graph that holds an operator several times.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/draft/case_draft.h"

namespace cts {

// The names of a draft's operands and results begin with its name and `_`. Drafts share operands
// that are equal; every result is an output of the graph. For operators with hundreds of relations,
// for which one case each would be too many.
CaseDraft SideBySide(const Setting& setting,
                     const std::vector<std::pair<std::string, CaseDraft>>& drafts);

}  // namespace cts

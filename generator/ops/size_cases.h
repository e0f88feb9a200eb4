// The cases of the ladder of sizes (reference/ops/size_ladder.h). In each case, one dimension of an
// operator has the size of a rung of the ladder, and the other dimensions are small.
#pragma once

#include <string_view>

#include "generator/ops/domain.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// Whether an operator has cases of the ladder. `op` is its name in OperatorSpec::Seen.
bool HasSizeCases(std::string_view op);

// Builds the domain's case in which `dimension` has the smallest size of `rung`. If the dimension
// is a product of several dimensions, its size may be a little larger. `start` is a draft of the
// domain; its CaseDraft::built_from must be set.
CaseDraft BuildAtSize(const Domain& domain, const SizedDimension& dimension, const Rung& rung,
                      const CaseDraft& start);

// Returns an error if the dimension's size in the graph does not belong to the rung, or if the
// graph lacks the operator.
Status CheckSize(const Setting& setting, const SizedDimension& dimension, const Rung& rung,
                 const Graph& graph);

}  // namespace cts

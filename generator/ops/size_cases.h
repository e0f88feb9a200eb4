// The cases of the ladder of sizes (reference/ops/size_ladder.h): in each, one dimension of an
// operator is large and the rest are small.
#pragma once

#include <string_view>

#include "generator/ops/domain.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// Whether an operator has cases of the ladder. `op` is its name in OperatorSpec::Seen.
bool HasSizeCases(std::string_view op);

// Builds the domain's case in which the dimension has the smallest size of the rung. If the
// dimension is a product of several dimensions, its size may be a little larger. `start` is a draft
// of the domain; its CaseDraft::built_from must be set.
CaseDraft BuildAtSize(const Domain& domain, const SizedDimension& dimension, const Rung& rung,
                      const CaseDraft& start);

// An error if the dimension's size in the graph does not belong to the rung, or if the graph lacks
// the operator.
Status CheckSize(const Setting& setting, const SizedDimension& dimension, const Rung& rung,
                 const Graph& graph);

}  // namespace cts

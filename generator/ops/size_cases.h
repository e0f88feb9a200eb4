// The cases of the ladder of sizes (reference/ops/size_ladder.h): in each, one dimension of an
// operator is large and the rest are small.
#pragma once

#include <string_view>

#include "generator/ops/domain.h"
#include "reference/ops/size_ladder.h"

namespace cts {

// Whether there are cases of an operator, by the name of its text.
bool HasSizeCases(std::string_view op);

// The domain's case in which the dimension has the size that the rung begins with; a product may be
// a few larger. `start` is a draft of the domain (CaseDraft::built_from).
CaseDraft BuildAtSize(const Domain& domain, const SizedDimension& dimension, const Rung& rung,
                      const CaseDraft& start);

// The size that the dimension has in the graph. An error if the rung does not have it, or if the
// graph lacks the operator.
Status CheckSize(const Setting& setting, const SizedDimension& dimension, const Rung& rung,
                 const Graph& graph);

}  // namespace cts

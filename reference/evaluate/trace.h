// The elements from which one element of a graph's tensor was computed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/machine/read_element.h"
#include "reference/spec/edition.h"

namespace cts {

// The elements that were read for element `offset` of a tensor in the last execution, in the order
// of the operator's text. If control flow makes the tensor, the operator within that computes it is
// traced. Empty if no operator computes it or the graph is not valid.
StatusOr<std::vector<ReadElement>> TraceSequence(const Graph& graph, const InputSequence& inputs,
                                                 const Edition& edition, const Level& level,
                                                 std::string_view output, int64_t offset);

}  // namespace cts

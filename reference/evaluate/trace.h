// Finds the elements from which one element of a tensor was computed.
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

// Returns the elements that an operator read to compute element `offset` of tensor `output` in the
// last execution, in the order of reading. If an operator of control flow yields the tensor, the
// function traces the operator that computes it inside the graph that control flow ran last. Empty
// if no operator computed the tensor.
StatusOr<std::vector<ReadElement>> TraceSequence(const Graph& graph, const InputSequence& inputs,
                                                 const Edition& edition, const Level& level,
                                                 std::string_view output, int64_t offset);

}  // namespace cts

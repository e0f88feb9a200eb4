// For tests: calls TraceSequence with a single execution.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/tensor.h"
#include "reference/evaluate/trace.h"

namespace cts {

inline StatusOr<std::vector<ReadElement>> TraceElement(const Graph& graph,
                                                       const std::map<std::string, Tensor>& inputs,
                                                       const Edition& edition, const Level& level,
                                                       std::string_view output, int64_t offset) {
  return TraceSequence(graph, {&inputs}, edition, level, output, offset);
}

}  // namespace cts

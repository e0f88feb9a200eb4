// Executes a graph with the embedded implementation, `builtin:native`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/answer/answer.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/graph.h"
#include "reference/machine/departure.h"
#include "reference/spec/edition.h"

namespace cts {

// The result of the embedded implementation `builtin:native`. This implementation runs the same
// operator code as the reference, but rounds to the type after every step. `outputs` has the main
// block's outputs by name.
struct NativeResult {
  Outcome outcome = Outcome::kValid;
  std::string message;
  std::map<std::string, Tensor> outputs;
};
StatusOr<NativeResult> ExecuteNative(const Graph& graph,
                                     const std::map<std::string, Tensor>& inputs,
                                     const Edition& edition, const Level& level);

// Executes one graph several times, in order; variables keep their values from one execution to the
// next. Returns one result for each execution, up to and including the first that is not valid. If
// `departure` is not null, the implementation differs from `builtin:native` in the way that
// `departure` describes.
StatusOr<std::vector<NativeResult>> ExecuteNativeSequence(const Graph& graph,
                                                          const InputSequence& inputs,
                                                          const Edition& edition,
                                                          const Level& level,
                                                          const Departure* departure = nullptr);

}  // namespace cts

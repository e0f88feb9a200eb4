// Executes a graph of one operator with a fault, for the tests of this folder.
#pragma once

#include <string_view>

#include "reference/faults/catalogue.h"
#include "reference/ops/testing.h"

namespace cts {

inline Tensor RunFault(std::string_view id, const OneOperator& op) {
  const StatusOr<const Fault*> fault = FindFault(op.edition(), id);
  if (!fault.ok()) {
    ADD_FAILURE() << Message(fault.status());
    return Tensor(DType::kI8, {1});
  }
  const Graph graph = op.graph();
  const auto results =
      ExecuteFaulty(**fault, graph, {&op.inputs()}, op.edition(), *op.edition().FindLevel("8K"));
  if (!results.ok() || results->front().outcome != Outcome::kValid) {
    ADD_FAILURE() << id << ": no result";
    return Tensor(DType::kI8, {1});
  }
  return results->front().outputs.at("out");
}

}  // namespace cts

// For tests and benchmarks: simple cases.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "reference/bundle/case.h"

namespace cts {

// Returns a case without tensors, operators and expected outputs.
inline Case EmptyCase(std::string id, std::string op, std::vector<std::string> inputs,
                      std::vector<std::string> outputs) {
  Case c;
  c.id = std::move(id);
  c.edition = "tosa-1.0";
  c.level = "8K";
  c.op = std::move(op);
  c.mode = "mode";
  c.data_set = "special";
  c.graph = EmptyGraph();
  c.graph.main().inputs = std::move(inputs);
  c.graph.main().outputs = std::move(outputs);
  return c;
}

// Returns a case of one operator: `output` is the IDENTITY of `input`. Both have the type and shape
// of `values`, and `values` are the values of the input.
inline Case IdentityCase(std::string id, const std::string& input, const std::string& output,
                         const Tensor& values) {
  Case c = EmptyCase(std::move(id), "IDENTITY", {input}, {output});
  for (const std::string& name : {input, output}) {
    c.graph.main().tensors.push_back({name, values.dtype(), values.shape(), nullptr});
  }
  c.graph.main().operators = {{"IDENTITY", {input}, {output}, {}}};
  c.inputs.emplace(input, values);
  return c;
}

// The rule for integer outputs.
inline Rule ExactRule() { return {.kind = RuleKind::kExact, .form = "tosa-1.0", .clause = "1.3"}; }

}  // namespace cts

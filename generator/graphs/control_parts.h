// What the graphs of control flow share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"

namespace cts::control_parts {

// The condition's shape: one element, or a scalar where the argument tables allow it. Some
// implementations take only scalars.
Axis ConditionAxis(const Setting& setting);
// An input for a condition, of the shape chosen.
GraphBuilder::Name ConditionInput(GraphBuilder& builder, const Choice& choice,
                                  const GraphBuilder::Name& name, bool value);
// One element in the shape chosen.
GraphBuilder::Name AsCondition(GraphBuilder& builder, const Choice& choice,
                               const GraphBuilder::Name& condition);

Tensor OneInteger(int64_t value);

// Parameters of the region that is being built, called after it.
GraphBuilder::Names Parameters(GraphBuilder& builder, const std::string& region,
                               const std::vector<std::pair<DType, Shape>>& types);
// A region "more" that says whether the first of its operands is below the last.
void AddBelow(GraphBuilder& builder, const Choice& choice,
              const std::vector<std::pair<DType, Shape>>& types);

}  // namespace cts::control_parts

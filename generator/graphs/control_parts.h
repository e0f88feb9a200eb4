// Parts that the graphs of control flow share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"

namespace cts::control_parts {

// The axis of the condition's shape. Its values are "1" and, if the argument tables allow a scalar,
// "scalar". Some implementations accept only scalars.
Axis ConditionAxis(const Setting& setting);
// Adds an input that holds a condition. The input has the shape that `choice` has for the
// condition.
GraphBuilder::Name ConditionInput(GraphBuilder& builder, const Choice& choice,
                                  const GraphBuilder::Name& name, bool value);
// Converts a tensor of one element to the shape that `choice` has for the condition.
GraphBuilder::Name AsCondition(GraphBuilder& builder, const Choice& choice,
                               const GraphBuilder::Name& condition);

Tensor OneInteger(int64_t value);

// Adds parameters to the region that is being built. Their names begin with the name of the region.
GraphBuilder::Names Parameters(GraphBuilder& builder, const std::string& region,
                               const std::vector<std::pair<DType, Shape>>& types);
// Adds a region "more" that returns whether its first operand is less than its last operand.
void AddBelow(GraphBuilder& builder, const Choice& choice,
              const std::vector<std::pair<DType, Shape>>& types);

}  // namespace cts::control_parts

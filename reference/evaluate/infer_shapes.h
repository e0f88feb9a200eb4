// Shapes of an operator's results, before the graph declares them.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "reference/base/status.h"
#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The shapes of the operator's outputs, by tensor. `block` declares its inputs, `values` holds
// those of the shape operands (padding, shape, start, size, multiples, scale, offset, border);
// outputs need no declaration, and a declaration is ignored. For CONST and CONST_SHAPE the shape is
// that of the values, which the declared tensor holds.
//
// `surroundings` gives COND_IF, VARIABLE_READ and similar operators the graph and its variables.
// Only an implementation knows what a CUSTOM yields.
//
// An error if the argument tables refuse the inputs, if no shape follows from them, or if a shape
// has a dimension below 1 or more than 2^62 elements. An operator whose shapes follow may still be
// illegal: its conditions may refuse it.
StatusOr<std::map<std::string, Shape>> InferShapes(
    const GraphOperator& op, const Block& block,
    const std::map<std::string, std::shared_ptr<const Tensor>>& values, const Edition& edition,
    const Level& level, const Surroundings& surroundings = {});

}  // namespace cts

// Shapes of what an operator computes, before anybody declares them.
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
// outputs need no declaration, and are not looked at. Of CONST and CONST_SHAPE only the values
// know, which stand with the tensor that the block declares.
//
// COND_IF, VARIABLE_READ and what else needs them are told the graph and its variables by
// `surroundings`; what a CUSTOM yields only an implementation knows.
//
// An error if the argument tables refuse the inputs, if no shape follows from them, or if one has a
// dimension below 1 or more than 2^62 elements. A shape that follows does not make the operator
// legal: its conditions may refuse it all the same.
StatusOr<std::map<std::string, Shape>> InferShapes(
    const GraphOperator& op, const Block& block,
    const std::map<std::string, std::shared_ptr<const Tensor>>& values, const Edition& edition,
    const Level& level, const Surroundings& surroundings = {});

}  // namespace cts

// Infers the shapes of an operator's results, before the graph declares them.
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

// Returns the shapes of the operator's outputs, by tensor name. `block` must declare the operator's
// inputs. `values` must hold the values of the shape operands (padding, shape, start, size,
// multiples, scale, offset, border). Declarations of outputs are not needed and are ignored. The
// exceptions are CONST and CONST_SHAPE: their shape is that of the values in their declared output.
//
// Control flow and variable operators need the graph and its variables in `surroundings`. The
// shapes of a CUSTOM cannot be inferred, since only an implementation knows its results.
//
// Returns an error if the argument tables refuse the inputs, if no shape follows from them, or if a
// shape has a dimension below 1 or more than 2^62 elements. As an exception, an output of type
// `shape` may have 0 elements. If shapes are returned, the operator may still be illegal, because
// its conditions are not checked.
StatusOr<std::map<std::string, Shape>> InferShapes(
    const GraphOperator& op, const Block& block,
    const std::map<std::string, std::shared_ptr<const Tensor>>& values, const Edition& edition,
    const Level& level, const Surroundings& surroundings = {});

}  // namespace cts

// Computes operators whose operands are known only within bounds. This file handles two cases in
// which the comparison rules of the operands alone determine the result: moved elements, and some
// CASTs.
#pragma once

#include <memory>

#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/machine/operator_machine.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

// Whether MoveAnswers can make the operator's result. The operator must only move elements of its
// first argument, and each tensor of this argument must have an answer (expected values and a rule)
// in place of known values. A moved element has the same accepted values as before, except that the
// sign of a zero no longer counts (schemas/editions/notes.md, Graphs). The dot-product rule judges
// a tensor as a whole, so with this rule no element may be missing or occur twice. All operands of
// CONCAT must have the same rule apart from the sign of zeros, since the output has only one rule.
// PAD does not qualify, since it adds elements without a rule.
bool MovesAnswers(const Call& call, const Answers& answers);

// Makes the output's answer from the answers for the first argument, and stores it in `frame`.
// MovesAnswers must have returned true.
void MoveAnswers(const Operator& op, const Call& call, const Block& block,
                 const GraphOperator& node, const Level& level, Frame& frame);

// The result of a CAST from a floating-point type to an integer type, if every number that the
// operand's rule accepts gives the same result. Null in all other cases: accepted numbers give
// different results or break a REQUIRE, the operand's rule is not kUlp, or the operator is not such
// a CAST. Rounding is monotonic, so the function casts only the two ends of the accepted range.
// Each end is at least normal_min away from the reference result, since a comparing function may
// accept any number up to normal_min in place of a smaller number.
std::shared_ptr<const Tensor> SettledByCast(const Operator& op, const Call& call,
                                            const Block& block, const GraphOperator& node,
                                            const Level& level, const Frame& frame);

}  // namespace cts

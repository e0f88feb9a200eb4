// The results of an operator whose operands are known only within bounds. This file has the cases
// in which the rules of the operands alone determine these results.
#pragma once

#include <memory>

#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/graph/graph.h"
#include "reference/machine/operator_machine.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

// Whether the operator only moves the elements of its first argument, which are known only within
// bounds. A moved element then has the same accepted values as before, except that the sign of a
// zero no longer counts (schemas/editions/notes.md, Graphs). With the dot-product rule, which
// judges a tensor as a whole, no element may be missing or occur twice. CONCAT's operands must all
// have the same rule, since its output has only one rule. PAD does not qualify, since it adds
// elements without a rule.
bool MovesAnswers(const Call& call, const Answers& answers);

// Moves the answers for the first argument to the output. MovesAnswers must hold.
void MoveAnswers(const Operator& op, const Call& call, const Block& block,
                 const GraphOperator& node, const Level& level, Frame& frame);

// The result of a CAST to an integer type, if every number that the operand's rule accepts gives
// the same result. Null if accepted numbers give different results, if the operand's rule is not
// kUlp, and for any other operator. Rounding is monotonic, so only the least and the greatest
// accepted number are cast. Each of these two is taken at least normal_min away from the reference,
// since the comparing functions may accept any number up to normal_min in place of a smaller
// number.
std::shared_ptr<const Tensor> SettledByCast(const Operator& op, const Call& call,
                                            const Block& block, const GraphOperator& node,
                                            const Level& level, const Frame& frame);

}  // namespace cts

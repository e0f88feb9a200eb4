// Which rule binds an operator's outputs, and with which bound, in the words of each edition.
#pragma once

#include <map>
#include <string>

#include "reference/graph/case.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"

namespace cts {

// The rule of one output with one answer.
struct RuledAnswer {
  Rule rule;
  Answer answer;
};

// Judges what `computation`, a reference run of `call`, computed. `data_set` is S of the
// dot-product rule.
std::map<std::string, RuledAnswer> ApplyPrecision(const Operator& op, const Call& call,
                                                  Computation& computation, bool flushed,
                                                  int data_set);

// --- One function for each family; each fills in rule and answer. -------------------------------

// Section Dot product accuracy requirements: convolutions, MATMUL, REDUCE_SUM, AVG_POOL2D.
RuledAnswer DotProductRule(const Operator& op, const Call& call, const Tensor& ref, bool flushed,
                           int data_set);
// Operators whose bound is a function of input and reference: EXP, RESIZE, REDUCE_PRODUCT.
RuledAnswer ExpRule(const Call& call, Computation& computation);
RuledAnswer ResizeRule(const Call& call, Computation& computation);
RuledAnswer ReduceProductRule(const Call& call, const Tensor& ref);
// CAST to a floating-point type from another.
RuledAnswer CastRule(const Call& call, const Tensor& ref);
// RESCALE with INEXACT_ROUND.
RuledAnswer InexactRescaleRule(const Call& call, const Tensor& ref);

// calcAbsErrorBound<type>(magnitude, factor, 0, 1) of tosa-1.0's numeric accuracy helpers.
double AbsoluteErrorBound(DType type, double magnitude, double factor);

// A bound of zero marks a value of a special-value table. One that only underflowed to zero is
// raised to the least positive number, which no comparison in the output's type can tell from it.
double Positive(double bound);

}  // namespace cts

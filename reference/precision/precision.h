// Which rule binds an operator's outputs, and with which bound, in the words of each edition.
#pragma once

#include <map>
#include <string>

#include "reference/bundle/case.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"

namespace cts {

// The rule of one output with one answer.
struct RuledAnswer {
  Rule rule;
  Answer answer;
};

// Judges what `computation`, a reference run of `call`, computed, and takes its outputs. `data_set`
// is S of the dot-product rule.
std::map<std::string, RuledAnswer> ApplyPrecision(const Operator& op, const Call& call,
                                                  Computation& computation, bool flushed,
                                                  int data_set);

// --- One function for each family; each fills in rule and answer. `ref` is what was computed. ----

// Section Dot product accuracy requirements: convolutions, MATMUL, REDUCE_SUM, AVG_POOL2D, FFT2D,
// RFFT2D.
RuledAnswer DotProductRule(const Operator& op, const Call& call, const std::string& output,
                           Tensor ref, bool flushed, int data_set);
// MIN_DOT_PRODUCTS of appendix A: below so many dot products the statistics mean nothing, and a
// data set need not pass.
inline constexpr int64_t kMinDotProducts = 1000;
// The limits of `outputs` dot products of length KS. `bias`: whether one is not zero, which 1.0
// does not ask. `enough`: whether there are enough for the statistics.
Rule DotProductLimits(const std::string& edition, int64_t kernel_size, bool bias, DType out_t,
                      DType acc_t, int64_t outputs, bool enough, int data_set);

// Functions of one number that have a table of special values or a bound of their own: EXP, LOG,
// TANH, ...; whether an operator is one of them.
bool HasElementwiseRule(std::string_view op);
RuledAnswer ElementwiseRule(const Call& call, Computation& computation, Tensor ref);
RuledAnswer PowRule(const Call& call, Computation& computation, Tensor ref);
// Operators whose bound is a function of all inputs or of the reference: RESIZE, REDUCE_PRODUCT.
RuledAnswer ResizeRule(const Call& call, Computation& computation, Tensor ref);
RuledAnswer ReduceProductRule(const Call& call, Tensor ref);
// CAST to a floating-point type from another.
RuledAnswer CastRule(const Call& call, const Tensor& ref);
// RESCALE with INEXACT_ROUND.
RuledAnswer InexactRescaleRule(const Call& call, const Tensor& ref);

// calcAbsErrorBound<type>(magnitude, factor, lower_bound, 1) of 1.0's numeric accuracy helpers.
double AbsoluteErrorBound(DType type, double magnitude, double factor, double lower_bound = 0);

// The bound of `count` units in the last place of a reference, as the comparing function takes it.
double UlpErrorBound(DType type, double reference, double count);

// The bound where the reference leaves fp64 and the error may be `part` of it: 0, for exactly that
// infinity, unless the error may be as large as the reference; then there is no limit.
double BoundOfInfinity(double part);

// A bound of zero marks a value of a special-value table. One that only underflowed to zero is
// raised to the least positive number, which no comparison in the output's type can tell from it.
// An infinite one means that anything is accepted.
double Positive(double bound);

}  // namespace cts

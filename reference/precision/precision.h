// How the outputs of an operator are judged, and with which bound: what the rows of an edition's
// precision table (spec/precision_table.h) mean.
#pragma once

#include <limits>
#include <map>
#include <string>

#include "reference/bundle/case.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"
#include "reference/spec/precision_table.h"

namespace cts {

// Bounds without a limit: no finite result is outside of the first, none at all of the second.
inline constexpr double kGreatestDouble = std::numeric_limits<double>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The rule of one output with one answer.
struct RuledAnswer {
  Rule rule;
  Answer answer;
};

// Judges what `computation`, a reference run of `call`, computed, and takes its outputs. `data_set`
// is S of the dot-product rule. An error if the edition's table has no row for an output.
StatusOr<std::map<std::string, RuledAnswer>> ApplyPrecision(const Operator& op, const Call& call,
                                                            Computation& computation, bool flushed,
                                                            int data_set);

// --- One function for each class of rows; each fills in rule and answer. `ref` is what was
// computed.

// Section Dot product accuracy requirements. `numbers`: those of the edition.
RuledAnswer DotProductRule(const PrecisionRow& row, const DotProductNumbers& numbers,
                           const Operator& op, const Call& call, const std::string& output,
                           Tensor ref, bool flushed, int data_set);
// MIN_DOT_PRODUCTS of appendix A: below so many dot products the statistics mean nothing, and a
// data set need not pass.
inline constexpr int64_t kMinDotProducts = 1000;
// The limits of `outputs` dot products of length KS. `bias`: whether one is not zero, which not
// every edition asks. `enough`: whether there are enough for the statistics.
Rule DotProductLimits(const DotProductNumbers& numbers, const std::string& form,
                      int64_t kernel_size, bool bias, DType out_t, DType acc_t, int64_t outputs,
                      bool enough, int data_set);

RuledAnswer ElementwiseRule(const PrecisionRow& row, const Call& call, Computation& computation,
                            const std::string& output, Tensor ref);
RuledAnswer RelativeAndAbsoluteRule(const PrecisionRow& row, Tensor ref);
RuledAnswer PowerRule(const PrecisionRow& row, const Call& call, Computation& computation,
                      Tensor ref);
RuledAnswer LargestInputRule(const PrecisionRow& row, const Call& call, Computation& computation,
                             Tensor ref);
RuledAnswer ProductRule(const PrecisionRow& row, const Call& call, Tensor ref);
// CAST to a floating-point type from another.
RuledAnswer CastRule(const PrecisionRow& row, const Call& call, const Tensor& ref);
// RESCALE with INEXACT_ROUND.
RuledAnswer InexactRescaleRule(const PrecisionRow& row, const Call& call, const Tensor& ref);

// --- What they share -----------------------------------------------------------------------------

// A rule of a row, with its form, its clause and its sign of zero.
Rule RuleOf(const PrecisionRow& row, RuleKind kind);

// What makes a bound of the argument x: scale * (constant + slope * |x|).
double BoundFactor(const PrecisionRow& row, DType type, double x);
// The bound of kElementwise for a finite reference: the factor times what it grows with.
double ScaledBound(const PrecisionRow& row, DType type, double factor, double ref);

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

// Makes the rules for the outputs of an operator from the rows of an edition's precision table
// (spec/precision_table.h), and computes their bounds.
#pragma once

#include <limits>
#include <map>
#include <string>

#include "reference/answer/answer.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"
#include "reference/spec/precision_table.h"

namespace cts {

// Bounds without a limit: the first accepts every finite result, the second accepts every result.
inline constexpr double kGreatestDouble = std::numeric_limits<double>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Among the operators that lead to a tensor, the one at which the enclosure widened most
// (reference/enclosure/enclosure.h).
struct Widening {
  std::string at;     // the operator: "RECIPROCAL (operator 4)"; empty: nowhere
  double factor = 1;  // how many times wider the operator's result is than its operands
};

// The rule of one output with one answer.
struct RuledAnswer {
  Rule rule;
  Answer answer;
  Widening widened = {};  // only with rule.enclosure
  // Whether an infinity in `answer` may stand for a finite number that is beyond fp64 or beyond the
  // type.
  bool overflows = false;
};

// Makes the rules and answers for the outputs of `computation`, a reference run of `call`. Moves
// the outputs into the answers. `data_set` is S of the dot-product rule. An error if the edition's
// table has no row for an output.
StatusOr<std::map<std::string, RuledAnswer>> ApplyPrecision(const Operator& op, const Call& call,
                                                            Computation& computation, bool flushed,
                                                            int data_set);

// --- One function for each class of rows. Each function makes the rule and the answer by the
// numbers of its class. `ref` is the computed result.

// Section Dot product accuracy requirements. `bounds` is the result of DotProductBounds, with the
// bounds of all outputs; the function moves the bounds of `output` out of it.
RuledAnswer DotProductRule(const PrecisionRow& row, const DotProductPrecision& sum,
                           const DotProductNumbers& numbers, const Call& call,
                           const std::string& output, Tensor ref, Computation& bounds,
                           int data_set);
Computation DotProductBounds(const DotProductPrecision& sum, const DotProductNumbers& numbers,
                             const Operator& op, const Call& call, bool flushed);
// MIN_DOT_PRODUCTS of appendix A. With fewer dot products the statistics mean nothing, and are not
// judged.
inline constexpr int64_t kMinDotProducts = 1000;
// The limits of `outputs` dot products of length KS. `bias`: whether any bias is nonzero, which
// matters only in some editions. `enough`: whether there are enough dot products for the
// statistics.
Rule DotProductLimits(const DotProductNumbers& numbers, const std::string& form,
                      int64_t kernel_size, bool bias, DType out_t, DType acc_t, int64_t outputs,
                      bool enough, int data_set);

RuledAnswer ElementwiseRule(const PrecisionRow& row, const ElementwisePrecision& numbers,
                            const Call& call, Computation& computation, const std::string& output,
                            Tensor ref);
RuledAnswer RelativeAndAbsoluteRule(const PrecisionRow& row,
                                    const RelativeAndAbsolutePrecision& numbers, Tensor ref);
RuledAnswer PowerRule(const PrecisionRow& row, const PowerPrecision& power, const Call& call,
                      Computation& computation, Tensor ref);
RuledAnswer LargestInputRule(const PrecisionRow& row, const LargestInputPrecision& numbers,
                             const Call& call, Computation& computation, Tensor ref);
RuledAnswer ProductRule(const PrecisionRow& row, const ProductPrecision& product, const Call& call,
                        Tensor ref);
// CAST from one floating-point type to another.
RuledAnswer CastRule(const PrecisionRow& row, IntervalEnds ends, const Call& call,
                     const Tensor& ref);
// RESCALE with INEXACT_ROUND.
RuledAnswer InexactRescaleRule(const PrecisionRow& row, const Call& call, const Tensor& ref);

// --- Helpers of these functions ------------------------------------------------------------------

// A rule of the kind `kind`, with the row's form, its clause and its members about zero.
Rule RuleOf(const PrecisionRow& row, RuleKind kind);

// The factor of a bound at the argument x: scale * (constant + slope * |x|).
double BoundFactor(const ElementwisePrecision& numbers, DType type, double x);
// The bound for a finite reference: `factor` times the unit of `numbers` times the quantity that
// numbers.magnitude names, but at least the least bound of `numbers`.
double ScaledBound(const ElementwisePrecision& numbers, DType type, double factor, double ref);

// calcAbsErrorBound<type>(magnitude, factor, lower_bound, 1) of 1.0's numeric accuracy helpers.
double AbsoluteErrorBound(DType type, double magnitude, double factor, double lower_bound = 0);

// `count` units in the last place of a reference, as the comparing function computes them.
double UlpErrorBound(DType type, double reference, double count);

// The bound for an infinite reference that stands for a number beyond fp64. `part` is the relative
// error of that number. The bound is 0, which accepts only this infinity, or infinite if the error
// may be as large as the number.
double BoundOfInfinity(double part);

// Returns the least positive number for a bound that underflowed to zero. No comparison in the
// output's type can tell this number from zero. A bound of zero would mark a value of a
// special-value table.
double Positive(double bound);

}  // namespace cts

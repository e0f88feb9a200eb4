// Makes the rules for the outputs of an operator from the rows of an edition's precision table
// (spec/precision_table.h), and computes the bounds of these rules.
#pragma once

#include <limits>
#include <map>
#include <string>

#include "reference/answer/answer.h"
#include "reference/ops/computation.h"
#include "reference/ops/operator.h"
#include "reference/spec/precision_table.h"

namespace cts {

// Two bounds that allow errors of any size. kGreatestDouble, the bound of a finite reference,
// accepts every number and both infinities. kInfinity also accepts a NaN, unless the reference is a
// number and the comparing function is kWidenedEndsName.
inline constexpr double kGreatestDouble = std::numeric_limits<double>::max();
inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The operator at which the enclosure became wider by the greatest factor, among the operators on
// which a tensor depends (reference/enclosure/enclosure.h).
struct Widening {
  std::string at;     // "RECIPROCAL (operator 4)"; empty if no enclosure became wider
  double factor = 1;  // the width of the operator's result, relative to its operands
};

// The rule of one output, and one of the output's answers.
struct RuledAnswer {
  Rule rule;
  Answer answer;
  Widening widened = {};  // only with rule.enclosure
  // Whether an infinity in `answer` may represent a finite number that is beyond the range of fp64
  // or of the type.
  bool overflows = false;
};

// Makes the rule and one answer for each output of `computation`, which is a reference run of
// `call`. The keys of the result are the names of the output arguments. Moves the outputs into the
// answers. `flushed` says whether the run flushed subnormals. `data_set` is the number S of the
// dot-product rule's data set, or -1 for other data. An error if the edition's table has no row for
// an output.
StatusOr<std::map<std::string, RuledAnswer>> ApplyPrecision(const Operator& op, const Call& call,
                                                            Computation& computation, bool flushed,
                                                            int data_set);

// --- One function for each class of rows. Each function makes the rule and the answer from the
// numbers of its class. `ref` is the computed result.

// See section Dot product accuracy requirements. `bounds` is the result of DotProductBounds, with
// the bounds of all outputs. DotProductRule moves the bounds of `output` out of `bounds`.
RuledAnswer DotProductRule(const PrecisionRow& row, const DotProductPrecision& sum,
                           const DotProductNumbers& numbers, const Call& call,
                           const std::string& output, Tensor ref, Computation& bounds,
                           int data_set);
Computation DotProductBounds(const DotProductPrecision& sum, const DotProductNumbers& numbers,
                             const Operator& op, const Call& call, bool flushed);
// MIN_DOT_PRODUCTS of appendix A. With fewer dot products, the variance and the bias of the errors
// mean nothing, and are not judged.
inline constexpr int64_t kMinDotProducts = 1000;
// Returns the rule with the limits for `outputs` dot products, each a sum of `kernel_size`
// products. `bias` says whether the operator's argument `bias` has a nonzero element, which matters
// only in some editions. `enough` says whether there are at least kMinDotProducts dot products.
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

// Returns a rule of kind `kind` with the form, the clause, zero_sign and zero_choice of the row.
Rule RuleOf(const PrecisionRow& row, RuleKind kind);

// Returns the factor of a bound at the argument x: scale * (constant + slope * |x|), with the
// numbers of the row.
double BoundFactor(const ElementwisePrecision& numbers, DType type, double x);
// Returns the bound for a finite reference `ref`: the product of `factor`, the unit of `numbers`,
// and the quantity that numbers.magnitude names. If this product is below the least bound of
// `numbers`, returns the least bound.
double ScaledBound(const ElementwisePrecision& numbers, DType type, double factor, double ref);

// Returns calcAbsErrorBound<type>(magnitude, factor, lower_bound, 1), a numeric accuracy helper of
// 1.0.
double AbsoluteErrorBound(DType type, double magnitude, double factor, double lower_bound = 0);

// Returns the size of `count` units in the last place of `reference`, as the comparing function
// computes it. Returns 0 if `reference` is zero or not finite.
double UlpErrorBound(DType type, double reference, double count);

// Returns the bound for an infinite reference that represents a number beyond the range of fp64.
// `part` is the relative error of this number. If `part` is below 1, the bound is 0, which accepts
// only this infinity. Otherwise the error may be as large as the number, and the bound is infinite.
double BoundOfInfinity(double part);

// Returns the least positive fp64 number for a bound that underflowed to zero, and any other bound
// unchanged. A bound of zero would mark a value of a special-value table. In the output's type, a
// comparison with the least positive fp64 number gives the same result as a comparison with zero.
double Positive(double bound);

}  // namespace cts

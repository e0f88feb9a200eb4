// The certified filter of `tensor-cts sweep`. It finds results of an elementary function that are
// surely acceptable, many at a time, from approximations in fp64 with proven error bounds. It never
// refuses: results that it does not accept are left to the reference and the rules of the checker.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "checker/rules/ulp_histogram.h"
#include "reference/base/dtype.h"

namespace cts {

// The greatest number of elements that a call looks at. Arrays have room for so many.
inline constexpr int64_t kFilterBlock = 512;

// Errors that the filter measures differ from the checker's by less than this part of a unit in the
// last place. Errors below it count as none.
inline constexpr double kFilterResolution = 0x1p-20;

// How the bound of a rule follows from argument and reference: at least max(least, scale *
// magnitude * (constant + slope * |x|)). The magnitude is 1, that of the reference, as it is or
// raised to normal_min, or its binade.
enum class FilterBoundKind { kOfArgument, kOfReference, kOfRaisedReference, kOfBinade };

struct FilterBound {
  FilterBoundKind kind = FilterBoundKind::kOfArgument;
  double scale = 0, constant = 1, slope = 0, least = 0;
  // POW: the error of y log |x|, in units of its last place, and what |y| has at least of them. Its
  // `constant` and `slope` have the scale in them.
  double log_scale = 0, log_least = 0;
  // The type.
  double unit = 0;  // 2^-fraction_bits
  double normal_min = 0, max = 0;
  int fraction_bits = 0;
  // Of the approximation.
  double relative = 0;
};

// The filter's findings about the elements that it looked at.
struct FilterFigures {
  int64_t clear = 0;                          // accepted
  int64_t above[UlpHistogram::kEnds.size()];  // of those, with an error above kEnds[k]
  int64_t doubtful_count = 0;
  uint16_t doubtful[kFilterBlock];  // positions of the others, in order
  int64_t candidate_count = 0;
  uint16_t candidates[kFilterBlock];  // accepted ones with an error above `least_worst`, in order
  double errors[kFilterBlock];        // of all, in ulp; 0 for those that are not clear
};

// Arrays have kFilterBlock elements, all of which are numbers of fp32 or narrower types, or NaN.
class SweepFilter {
 public:
  // Nothing for an operator, type or edition without a filter. The bound is that of the edition's
  // precision table.
  static std::optional<SweepFilter> For(std::string_view op, std::string_view edition, DType type);

  bool binary() const { return function_ == Function::kPow; }
  const FilterBound& bound() const { return bound_; }

  // |values[i] - reference| <= |values[i]| * bound().relative + 2^-1000 for the reference value
  // that the edition prescribes for x[i] (and y[i]). The value is NaN where NaN is expected, and
  // infinite where the filter does not know. Beyond 2^900 it bounds the magnitude from
  // below only. bounds[i] is at most what the rule allows there.
  void Approximate(const double* x, const double* y, int64_t count, double* values,
                   double* bounds) const;

  // Judges results[i] for x[i] and y[i].
  void Look(const double* x, const double* y, const double* results, int64_t count,
            double least_worst, FilterFigures& figures) const;

 private:
  enum class Function {
    kCos,
    kErf,
    kExp,
    kLog,
    kPow,
    kReciprocal,
    kRsqrt,
    kSigmoid,
    kSin,
    kTanh,
  };
  SweepFilter() = default;

  Function function_ = Function::kExp;
  FilterBound bound_;
};

}  // namespace cts

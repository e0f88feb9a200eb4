// The certified filter of `tensor-cts sweep`. It computes approximations in fp64 with proven error
// bounds, many at a time. By these approximations, it finds the results of an elementary function
// that are certainly acceptable. It never rejects a result: the reference and the rules of the
// checker judge all other results.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "reference/base/dtype.h"
#include "tools/program/sweep/filter_bound.h"
#include "tools/program/sweep/filter_compare.h"
#include "tools/program/sweep/filter_functions.h"

namespace cts {

// Arrays have room for kFilterBlock elements. All elements are numbers of fp32 or narrower types,
// or NaN.
class SweepFilter {
 public:
  // nullopt for an operator, type or edition without a filter. The function follows from the
  // operator of the specification, even if the edition gives the operator another name. The bound
  // follows from the edition's precision table. Arguments have the type `in`.
  static std::optional<SweepFilter> For(std::string_view op, std::string_view edition, DType type,
                                        DType in);
  static std::optional<SweepFilter> For(std::string_view op, std::string_view edition, DType type) {
    return For(op, edition, type, type);
  }

  bool binary() const { return power() || function_ >= FilterFunction::kAdd; }
  // Whether SettleReciprocals may judge the results.
  bool reciprocal() const {
    return (function_ == FilterFunction::kReciprocal || of_roots()) && bound_.fraction_bits == 23 &&
           bound_.kind == FilterBoundKind::kOfBinade && bound_.scale >= bound_.unit &&
           bound_.constant >= 1 && bound_.slope >= 0;
  }
  bool of_roots() const { return function_ == FilterFunction::kRsqrt; }
  bool power() const { return function_ == FilterFunction::kPow; }
  const FilterBound& bound() const { return bound_; }

  // Computes values with |values[i] - reference| <= |values[i]| * bound().relative + 2^-1000, where
  // `reference` is the value that the edition prescribes for x[i] (and y[i]). The value is NaN if
  // NaN is expected, and infinite if the filter cannot compute it. A value beyond 2^900 is only a
  // lower bound of the magnitude. bounds[i] gets a lower bound of the rule's bound for x[i] (and
  // y[i]).
  void Approximate(const double* x, const double* y, int64_t count, double* values,
                   double* bounds) const;

  // Judges results[i] for x[i] and y[i].
  void Look(const double* x, const double* y, const double* results, int64_t count,
            double least_worst, FilterFigures& figures) const;

 private:
  SweepFilter() = default;

  // Computes the values. For POW, also computes the bounds.
  void Evaluate(const double* x, const double* y, int64_t count, double* values,
                double* bounds) const;

  FilterFunction function_ = FilterFunction::kExp;
  FilterBound bound_;
};

}  // namespace cts

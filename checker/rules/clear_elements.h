// Accepts elements of a floating-point tensor that one comparison decides, many at a time. The
// functions of the rules decide elements that are near a limit, are refused or are no ordinary
// numbers.
#pragma once

#include <cstdint>

#include "checker/rules/ulp_histogram.h"
#include "reference/answer/answer.h"

namespace cts {

// The number of elements that a call looks at.
inline constexpr int64_t kClearBlock = 512;

// Narrow floating-point types and fp32 as fp64, exact. `bits`: elements as Tensor stores them.
void WidenFloats(DType dtype, const uint8_t* bits, int64_t count, double* values);

// The facts that the clear elements of one rule have in common.
struct ClearElements {
  ClearElements(const Rule& rule, DType dtype);

  RuleKind kind;
  bool zero_sign;
  double normal_min;
  int fraction_bits;
  double ulp;           // kUlp
  double limit;         // kDotProduct: the limit of one error
  double unit_factor;   // likewise: 2^(-1-normal_frac)
  double bound_factor;  // kDotProduct: the factor of the bound in the test for overflow
  double max;

  // Figures of the clear elements: exactly those of ElementJudge.
  int64_t above[UlpHistogram::kEnds.size()] = {};  // with an error in ulp above kEnds[k]
  int64_t ulp_sum = 0;                             // as in UlpHistogram
  double worst_ulp = 0;
  double worst_of_bound = 0;  // kAbsoluteBound

  // Looks at `count` elements, at most kClearBlock. `expected` and `second` (bound or upper end)
  // are fp64 as Tensor stores them. A clear element is accepted. The positions that are not clear
  // are written in order; their number is returned. kDotProduct: `errors` gets the error of every
  // clear element.
  int64_t Look(const double* results, const uint8_t* expected, const uint8_t* second, int64_t count,
               uint16_t* doubtful, double* errors);
};

}  // namespace cts

// A fast path for floating-point tensors: it handles many elements at a time and accepts those that
// are clearly right. The slower functions of the rules decide elements that are near a limit,
// wrong, or not ordinary numbers.
#pragma once

#include <cstdint>

#include "checker/rules/ulp_histogram.h"
#include "reference/answer/answer.h"

namespace cts {

// The maximum number of elements of one call.
inline constexpr int64_t kClearBlock = 512;

// Converts elements of fp32, or of a narrower floating-point type, to fp64 exactly. `bits` holds
// the elements as Tensor stores them.
void WidenFloats(DType dtype, const uint8_t* bits, int64_t count, double* values);

// The constants of one rule and type, and the figures of the clear elements: those that Look
// accepts.
struct ClearElements {
  ClearElements(const Rule& rule, DType dtype);

  RuleKind kind;
  bool zero_sign;
  double normal_min;
  int fraction_bits;
  double ulp;           // kUlp
  double limit;         // kDotProduct: the limit of one error
  double unit_factor;   // kDotProduct: 2^(-1-normal_frac)
  double bound_factor;  // kDotProduct: the factor of the bound in the test for overflow
  double max;

  // Figures of the clear elements. ElementJudge would compute the same figures. `above[k]` is the
  // number of elements with an error above kEnds[k] ulp.
  int64_t above[UlpHistogram::kEnds.size()] = {};
  int64_t ulp_sum = 0;  // as in UlpHistogram
  double worst_ulp = 0;
  double worst_of_bound = 0;  // kAbsoluteBound

  // Checks `count` elements, at most kClearBlock. `expected` and `second` (bound or upper end) are
  // fp64 as Tensor stores them. Accepts every clear element. Writes the positions of all others to
  // `doubtful` in ascending order, and returns their number. For kDotProduct, `errors` gets the
  // error of every clear element.
  int64_t Look(const double* results, const uint8_t* expected, const uint8_t* second, int64_t count,
               uint16_t* doubtful, double* errors);
};

}  // namespace cts

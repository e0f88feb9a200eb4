// A fast path for floating-point tensors: it handles many elements at a time, and accepts the
// elements that are clearly right. The slower functions of the rules decide the other elements,
// which are near a limit, wrong, or not ordinary numbers.
#pragma once

#include <cstdint>

#include "checker/rules/ulp_histogram.h"
#include "reference/answer/answer.h"

namespace cts {

// The maximum number of elements that one call of ClearElements::Look takes.
inline constexpr int64_t kClearBlock = 512;

// Converts `count` elements of fp32, or of a narrower floating-point type, to fp64 exactly. `bits`
// holds the elements as Tensor stores them.
void WidenFloats(DType dtype, const uint8_t* bits, int64_t count, double* values);

// The constants of one rule and type, and the figures of the clear elements. An element is clear if
// Look accepts it.
struct ClearElements {
  ClearElements(const Rule& rule, DType dtype);

  RuleKind kind;
  bool zero_sign;
  double normal_min;
  int fraction_bits;
  double ulp;           // kUlp: the number of ulp that the rule allows
  double limit;         // kDotProduct: the limit of one error
  double unit_factor;   // kDotProduct: 2^(-1-normal_frac), the factor of the bound in the unit of
                        // the errors
  double bound_factor;  // kDotProduct: the factor of the bound in the test for overflow
  double max;

  // Figures of the clear elements. ElementJudge would compute the same figures. `above[k]` is the
  // number of clear elements with an error above UlpHistogram::kEnds[k] ulp.
  int64_t above[UlpHistogram::kEnds.size()] = {};
  int64_t ulp_sum = 0;  // as UlpHistogram::sum
  double worst_ulp = 0;
  double worst_of_bound = 0;  // kAbsoluteBound: the greatest error as a share of its bound

  // Checks `count` elements, at most kClearBlock. `expected`, and `second` (the bounds or the upper
  // ends), hold fp64 elements as Tensor stores them. Adds the clear elements to the figures above.
  // Writes the positions of the elements that are not clear to `doubtful`, in ascending order, and
  // returns their number. For kDotProduct, `errors` gets the error of every clear element.
  int64_t Look(const double* results, const uint8_t* expected, const uint8_t* second, int64_t count,
               uint16_t* doubtful, double* errors);
};

}  // namespace cts

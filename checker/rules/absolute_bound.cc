#include "checker/rules/absolute_bound.h"

#include <cmath>

#include "checker/rules/exact.h"

namespace cts {

bool WithinAbsoluteBound(const ComparingFunction& compare, double result, double expected,
                         double bound, bool zero_sign) {
  if (std::isinf(bound)) {
    return compare.form() == Form::kFlushedZeros || std::isnan(expected) || !std::isnan(result);
  }
  // A zero of the table is exact; 0.100's function would let anything up to the least normal pass.
  if (bound == 0 && expected == 0) return EqualFloats(result, expected, zero_sign);
  return compare.Accepts(result, expected, bound);
}

}  // namespace cts

#include "checker/rules/ulp.h"

#include <algorithm>
#include <cmath>

#include "reference/base/float_format.h"

namespace cts {

double ReferenceUlp(DType dtype, double reference) {
  if (reference == 0 || !std::isfinite(reference)) return 0;
  const FloatFormat& format = Format(dtype);
  const int exponent = std::max(std::ilogb(reference), format.min_exponent);
  return std::ldexp(1.0, exponent - format.fraction_bits);
}

}  // namespace cts

#include "checker/rules/interval.h"

#include <cmath>

#include "checker/rules/comparing_function.h"
#include "reference/base/float_format.h"

namespace cts {

bool WithinInterval(DType dtype, double result, double least, double greatest, bool zero_sign) {
  if (std::isnan(least)) return std::isnan(result);
  const FloatFormat& format = Format(dtype);
  const bool overflows_up = greatest > format.max;
  const bool overflows_down = least < -format.max;
  if (std::isnan(result)) return !format.has_infinity && (overflows_up || overflows_down);
  if (std::isinf(result)) return result > 0 ? overflows_up : overflows_down;

  bool inside = least <= result && result <= greatest;
  if (result != 0) return inside;
  if (ZeroMayBeFlushed(dtype)) {
    const double nearest_to_zero = least > 0 ? least : greatest < 0 ? -greatest : 0;
    inside = inside || nearest_to_zero < format.normal_min();
  }
  if (!inside) return false;
  const bool both_signs = least < 0 && greatest > 0;
  return !zero_sign || both_signs || std::signbit(result) == std::signbit(least);
}

}  // namespace cts

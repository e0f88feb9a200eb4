#include "checker/rules/exact.h"

#include <cmath>

namespace cts {

bool EqualFloats(double result, double expected, bool zero_sign, bool zero_choice) {
  if (std::isnan(expected) || std::isnan(result)) return std::isnan(expected) && std::isnan(result);
  if (result != expected) return false;
  if (!zero_sign || std::signbit(result) == std::signbit(expected)) return true;
  return zero_choice && result == 0 && std::signbit(expected);
}

}  // namespace cts

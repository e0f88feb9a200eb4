#include "checker/rules/exact.h"

#include <cmath>

namespace cts {

bool EqualFloats(double result, double expected, bool zero_sign) {
  if (std::isnan(expected) || std::isnan(result)) return std::isnan(expected) && std::isnan(result);
  if (result != expected) return false;
  return !zero_sign || std::signbit(result) == std::signbit(expected);
}

}  // namespace cts

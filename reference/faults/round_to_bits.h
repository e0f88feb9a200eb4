// Rounds numbers to fewer bits than fp64 has.
#pragma once

#include <cmath>

namespace cts {

// Rounds the significand to `bits` bits, to nearest even. The exponent has no limits.
inline double RoundToBits(double x, int bits) {
  if (!std::isfinite(x) || x == 0) return x;
  int exponent = 0;
  const double significand = std::frexp(x, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(significand, bits)), exponent - bits);
}

}  // namespace cts

// Numbers that the functions of the sweep's filter are computed with.
#pragma once

namespace cts {

struct FilterTables {
  // For the exponents of the numbers of fp32, -149 to 127: (2 / pi) * 2^(e - 23) modulo 4, cut into
  // 29, 29 and 53 bits and times 2^(23 - e).
  static constexpr int kLeastExponent = -149, kExponents = 277;
  double turns[3][kExponents];
  // The Taylor coefficients of erf at (i + 1/2) / 16.
  static constexpr int kSteps = 96, kDegree = 8;
  double erf[kDegree + 1][kSteps];
};

// Made once, by MPFR.
const FilterTables& TheFilterTables();

}  // namespace cts

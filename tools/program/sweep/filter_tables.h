// Tables for the functions of the sweep's filter.
#pragma once

namespace cts {

struct FilterTables {
  // For each exponent e of a number of fp32, -149 to 127: (2 / pi) * 2^(e - 23) modulo 4, split
  // into parts of 29, 29 and 53 bits. Each part is multiplied by 2^(23 - e).
  static constexpr int kLeastExponent = -149, kExponents = 277;
  double turns[3][kExponents];
  // The Taylor coefficients of erf at (i + 1/2) / 16.
  static constexpr int kSteps = 96, kDegree = 8;
  double erf[kDegree + 1][kSteps];
};

// Returns the tables, which MPFR computes once.
const FilterTables& TheFilterTables();

}  // namespace cts

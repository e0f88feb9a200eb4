// Elementary functions without MPFR, where their rounding is certain.
//
// Each function returns its value correctly rounded to fp64 (nearest, ties to even), the same on
// every machine. It returns nullopt if the rounding is in doubt (about once in 5,000 or more
// rarely), or if the proof of its error bound does not cover the arguments. The error bound of each
// function is derived beside its code.
#pragma once

#include <optional>

namespace cts {

std::optional<double> FastLog(double x);       // for normal numbers above 0
std::optional<double> FastSin(double x);       // for finite numbers, in radians
std::optional<double> FastCos(double x);       // for finite numbers, in radians
std::optional<double> FastTanh(double x);      // for every number except NaN
std::optional<double> FastErf(double x);       // for |x| of at least 2^-900
std::optional<double> FastLogistic(double x);  // 1 / (1 + e^-x); not for x from -746 to -600
// For normal bases above 0 and finite exponents. The result must be between 2^-1009 and 2^1009, or
// outside the range of fp64.
std::optional<double> FastPow(double x, double y);

}  // namespace cts

// Computes elementary functions without MPFR, if the rounding is certain.
//
// Each function returns its value correctly rounded to fp64 (nearest, ties to even), the same on
// every machine. It returns nullopt if the rounding is in doubt (about once in 5,000 calls, or more
// rarely). It also returns nullopt if the proof of its error bound does not cover the arguments;
// the comments below say which arguments the proofs cover. The error bound of each function is
// derived beside its code.
#pragma once

#include <optional>

namespace cts {

std::optional<double> FastLog(double x);       // for normal numbers above 0
std::optional<double> FastSin(double x);       // for finite numbers, in radians
std::optional<double> FastCos(double x);       // for finite numbers, in radians
std::optional<double> FastTanh(double x);      // for every number except NaN
std::optional<double> FastErf(double x);       // for |x| of at least 2^-900
std::optional<double> FastLogistic(double x);  // 1 / (1 + e^-x), for x < -746 or x >= -600
// For normal x above 0 and finite y. The result must be between 2^-1009 and 2^1009, or so large or
// small that it rounds to infinity or zero.
std::optional<double> FastPow(double x, double y);

}  // namespace cts

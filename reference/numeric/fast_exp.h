// Computes e^x without MPFR, if the rounding is certain.
#pragma once

#include <optional>

namespace cts {

// Returns e^x correctly rounded to fp64 (nearest, ties to even), the same on every machine. Returns
// nullopt if the rounding is in doubt (about once in 8,000 calls, or more rarely). Also returns
// nullopt if x is NaN or |x| > 700, since the result may then be special or subnormal, or may
// overflow.
std::optional<double> FastExp(double x);

}  // namespace cts

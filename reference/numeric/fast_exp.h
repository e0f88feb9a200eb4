// e^x without MPFR, where that is certain to round the same.
#pragma once

#include <optional>

namespace cts {

// e^x correctly rounded to fp64 (nearest, ties to even); nothing where the rounding is in doubt
// (at most about once in 8,000) and where the result may overflow, be subnormal or is special. The
// same on every machine.
std::optional<double> FastExp(double x);

}  // namespace cts

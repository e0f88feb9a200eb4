// e^x without MPFR, where its rounding is certain.
#pragma once

#include <optional>

namespace cts {

// e^x correctly rounded to fp64 (nearest, ties to even). nullopt if the rounding is in doubt (at
// most about once in 8,000), or if the result may overflow, may be subnormal or is special. The
// result is the same on every machine.
std::optional<double> FastExp(double x);

}  // namespace cts

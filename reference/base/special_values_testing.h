#pragma once

#include <limits>

namespace cts {

// Values that tests of floating point ask for by name.
inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace cts

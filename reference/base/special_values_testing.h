// For tests: names for the infinity and the NaN of fp64.
#pragma once

#include <limits>

namespace cts {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace cts

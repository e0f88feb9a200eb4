// The special values of fp64 by name, for tests.
#pragma once

#include <limits>

namespace cts {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

}  // namespace cts

// The promise that an answer comes within two seconds of processor time, so that a busy machine
// does not break it.
#pragma once

#include <ctime>

#include "tools/fuzz/fuzz.h"

namespace cts {

class TimeLimit {
 public:
  TimeLimit() = default;
  TimeLimit(const TimeLimit&) = delete;
  ~TimeLimit() { Assert(Seconds() - begin_ < kMost, "an answer takes less than two seconds"); }

 private:
#ifdef __OPTIMIZE__
  static constexpr double kMost = 2;
#else
  static constexpr double kMost = 20;  // sanitized code without optimization
#endif
  static double Seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }
  const double begin_ = Seconds();
};

}  // namespace cts

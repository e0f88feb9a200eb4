// The fuzz targets and their common parts: reading inputs, and assertions that end the process if
// they fail.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>

namespace cts {

// Each target is a function of one input. It ends the process if an assertion fails.
#define FUZZ_TARGET(name, function) void function(std::string_view bytes);
#include "tools/develop/fuzz/targets.def"  // NOLINT(bugprone-suspicious-include)
#undef FUZZ_TARGET

inline void Assert(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Removes the first byte and returns it; returns 0 if there is no byte.
inline uint8_t TakeByte(std::string_view* bytes) {
  if (bytes->empty()) return 0;
  const char first = bytes->front();
  bytes->remove_prefix(1);
  return static_cast<uint8_t>(first);
}

// Asserts that less than kMost seconds of processor time pass while the object exists. Processor
// time, unlike elapsed time, does not grow on a busy machine.
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

// For tests: the floating-point modes that somebody in the process may have set.
#pragma once

#include <gtest/gtest.h>

#include <cfenv>

namespace cts {

// Calls `f` in each rounding, and in each with subnormals flushed as results, as operands, as both.
// The mode must be the same when it returns.
template <class F>
void InEveryFloatMode(F f) {
  std::fenv_t before;
  std::fegetenv(&before);
  for (const int rounding : {FE_TONEAREST, FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO}) {
#ifdef __SSE2__
    for (const unsigned int flush : {0u, 0x8000u, 0x0040u, 0x8040u}) {
#else
    for (const unsigned int flush : {0u}) {
#endif
      std::fesetround(rounding);
#ifdef __SSE2__
      __builtin_ia32_ldmxcsr((__builtin_ia32_stmxcsr() & ~0x8040u) | flush);
#endif
      f();
      const bool kept = std::fegetround() == rounding;
#ifdef __SSE2__
      const unsigned int now = __builtin_ia32_stmxcsr() & 0x8040;
#else
      const unsigned int now = 0;
#endif
      std::fesetenv(&before);
      EXPECT_TRUE(kept) << "rounding " << rounding;
      EXPECT_EQ(now, flush) << "rounding " << rounding;
    }
  }
}

}  // namespace cts

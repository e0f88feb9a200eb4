// For tests: the floating-point modes that other code in the process may have set.
#pragma once

#include <gtest/gtest.h>

#include "reference/base/foreign_modes_testing.h"

namespace cts {

// Calls `f` in each mode of kForeignModes, and restores the caller's mode after each call. The test
// fails if `f` changes the mode.
template <class F>
void InEveryFloatMode(F f) {
  std::fenv_t before;
  std::fegetenv(&before);
  for (const ForeignMode& mode : kForeignModes) {
    SetForeignMode(mode);
    const ForeignControls set = ForeignControls::Now();
    f();
    const ForeignControls left = ForeignControls::Now();
    std::fesetenv(&before);
    EXPECT_EQ(left, set) << mode.name;
  }
}

}  // namespace cts

// The floating-point mode in which numbers here are right.
#pragma once

#include <cfenv>

namespace cts {

// Rounding to nearest, with subnormals kept, until the end of a scope; then the mode that was there
// before. Somebody in the process may have set another: a library built with -ffast-math, a test
// for its kernels. Every public function that computes has one, and so has every worker thread.
class PlainArithmetic {
 public:
  PlainArithmetic() {
    std::fegetenv(&saved_);
    std::fesetenv(FE_DFL_ENV);
  }
  ~PlainArithmetic() { std::fesetenv(&saved_); }
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
  std::fenv_t saved_;
};

}  // namespace cts

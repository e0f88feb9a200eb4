// The floating-point mode in which numbers here are right: the one place that knows modes.
//
// The mode belongs to a thread, and new threads inherit it. So each entry to our code sets it:
// - the start of every main, and every public function of the rooms that computes or reads numbers,
//   since a C++ program of a user may call it;
// - the border of the C interface (checker/c/c_border.h);
// - the opening of every library, and every call of a plugin;
// - in the Python module, the functions that compute in NumPy.
// In a program of ours the first of these suffices; nothing below tools/ needs another.
#pragma once

#include <cfenv>
#include <cstdint>

namespace cts {

// Rounding to nearest, subnormals kept, exceptions masked, all 64 bits of x87's significands: for
// the rest of this thread, and all threads that it starts. Other code in the process may have set
// another mode: a library built with -ffast-math, a test for its kernels.
inline void SetPlainArithmetic() {
  std::fesetenv(FE_DFL_ENV);
#ifdef __aarch64__
  // glibc leaves FPCR.FZ16, DN, AHP and the trap of denormals as they are.
  __asm__ volatile("msr fpcr, xzr");
#endif
}

// The saved mode of a thread.
class KeptArithmetic {
 public:
  KeptArithmetic() { Keep(); }

  void Keep() {
    std::fegetenv(&environment_);
#ifdef __aarch64__
    __asm__ volatile("mrs %0, fpcr" : "=r"(control_));
#endif
  }
  void Restore() const {
    std::fesetenv(&environment_);
#ifdef __aarch64__
    // Also restores the bits that the C library leaves unchanged.
    __asm__ volatile("msr fpcr, %0" : : "r"(control_));
#endif
  }

 private:
  std::fenv_t environment_;
#ifdef __aarch64__
  uint64_t control_ = 0;
#endif
};

// Plain arithmetic until the end of a scope; then the mode that was there before.
class PlainArithmetic {
 public:
  PlainArithmetic() { SetPlainArithmetic(); }
  ~PlainArithmetic() { before_.Restore(); }
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
  KeptArithmetic before_;
};

// The mode of foreign code, kept from one call to the next, so that neither side sees the other's
// mode. At first it is the mode of the thread that makes this object.
class ForeignArithmetic {
 public:
  // Our code must not compute between the two calls.
  void Enter() const { mode_.Restore(); }
  void Leave() {
    mode_.Keep();
    SetPlainArithmetic();
  }

 private:
  KeptArithmetic mode_;
};

}  // namespace cts

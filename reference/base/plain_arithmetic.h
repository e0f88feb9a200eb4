// Sets and restores the floating-point mode that this project's computations require. Only this
// header and tests set modes.
//
// The mode belongs to a thread, and new threads inherit it. So the following parts of our code set
// the mode:
// - the start of every main;
// - every public function that computes or reads numbers, since a user's C++ program may call it;
// - every function of the C interface (checker/c/c_border.h);
// - code that has opened a library or called a plugin, since either may have changed the mode;
// - in the Python module, the functions that compute in NumPy.
// In our own programs main sets it, so code in tools/ need not set it again.
#pragma once

#include <cfenv>
#include <cstdint>

namespace cts {

// Sets the mode for the rest of this thread and for all threads that it starts: rounding to
// nearest, subnormals kept, exceptions masked, and 64-bit x87 significands. Other code in the
// process, such as a library built with -ffast-math, may have set another mode.
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

// Sets the mode of SetPlainArithmetic until the end of a scope, and then restores the previous
// mode.
class PlainArithmetic {
 public:
  PlainArithmetic() { SetPlainArithmetic(); }
  ~PlainArithmetic() { before_.Restore(); }
  PlainArithmetic(const PlainArithmetic&) = delete;
  PlainArithmetic& operator=(const PlainArithmetic&) = delete;

 private:
  KeptArithmetic before_;
};

// Saves the floating-point mode of foreign code from one call of that code to the next, so that our
// code and foreign code never run in each other's mode. The constructor saves the current mode of
// the thread.
class ForeignArithmetic {
 public:
  // Enter sets the mode of the foreign code. Leave saves that mode and sets the mode of our code.
  // Between Enter and Leave, our code must not compute.
  void Enter() const { mode_.Restore(); }
  void Leave() {
    mode_.Keep();
    SetPlainArithmetic();
  }

 private:
  KeptArithmetic mode_;
};

}  // namespace cts

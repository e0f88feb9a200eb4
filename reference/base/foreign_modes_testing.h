// For tests: a table of floating-point modes, and a function that sets a mode. x86-64 processors
// have all of these modes; other processors have only some of them.
#pragma once

#include <cfenv>
#include <cstdint>

namespace cts {

struct ForeignMode {
  const char* name;
  int rounding = FE_TONEAREST;
  bool results_flush = false;   // MXCSR.FTZ on x86-64; FPCR.FZ, FZ16 and DN on AArch64
  bool operands_flush = false;  // MXCSR.DAZ on x86-64; the bits of results_flush on AArch64
  int x87_bits = 64;            // of the significand of x87 results
  bool unmasked = false;        // every exception raises SIGFPE, even inexact and denormal
};

constexpr ForeignMode kForeignModes[] = {
    {.name = "plain"},
    {.name = "flush-to-zero", .results_flush = true},
    {.name = "denormals-are-zero", .operands_flush = true},
    {.name = "flush", .results_flush = true, .operands_flush = true},
    {.name = "up", .rounding = FE_UPWARD},
    {.name = "down", .rounding = FE_DOWNWARD},
    {.name = "zero", .rounding = FE_TOWARDZERO},
    {.name = "x87-24", .x87_bits = 24},
    {.name = "x87-53", .x87_bits = 53},
    {.name = "unmasked", .unmasked = true},
    {.name = "all",
     .rounding = FE_UPWARD,
     .results_flush = true,
     .operands_flush = true,
     .x87_bits = 24,
     .unmasked = true},
};

// The control bits of the thread's floating-point registers, without the exception flags.
struct ForeignControls {
  uint64_t vector = 0, x87 = 0;

  bool operator==(const ForeignControls&) const = default;

  static ForeignControls Now() {
    ForeignControls now;
#if defined(__x86_64__)
    constexpr unsigned kFlags = 0x3F;
    uint16_t word = 0;
    __asm__ volatile("fnstcw %0" : "=m"(word));
    now.vector = __builtin_ia32_stmxcsr() & ~kFlags;
    now.x87 = word;
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(now.vector));
#else
    now.vector = static_cast<uint64_t>(std::fegetround());
#endif
    return now;
  }
};

inline void SetForeignMode(const ForeignMode& mode) {
  std::fesetenv(FE_DFL_ENV);
  std::fesetround(mode.rounding);
#if defined(__x86_64__)
  constexpr unsigned kFlush = 0x8000, kDenormalsAreZero = 0x40, kMasks = 0x1F80;
  unsigned vector = __builtin_ia32_stmxcsr();
  if (mode.results_flush) vector |= kFlush;
  if (mode.operands_flush) vector |= kDenormalsAreZero;
  if (mode.unmasked) vector &= ~kMasks;
  uint16_t word = 0;
  __asm__ volatile("fnstcw %0" : "=m"(word));
  constexpr uint16_t kPrecision = 0x300, k53 = 0x200, kX87Masks = 0x3F;
  if (mode.x87_bits < 64) word = static_cast<uint16_t>(word & ~kPrecision);
  if (mode.x87_bits == 53) word |= k53;
  if (mode.unmasked) word = static_cast<uint16_t>(word & ~kX87Masks);
  __asm__ volatile("fldcw %0" : : "m"(word));
  __builtin_ia32_ldmxcsr(vector);
#elif defined(__aarch64__)
  uint64_t control = 0;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  constexpr uint64_t kFlush = 1 << 24, kFlushFp16 = 1 << 19, kDefaultNan = 1 << 25;
  if (mode.results_flush || mode.operands_flush) control |= kFlush | kFlushFp16 | kDefaultNan;
  if (mode.unmasked) control |= 0x9F00;  // has no effect if the processor has no traps
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
#endif
}

}  // namespace cts

// Preloaded into a command by a test: sets a floating-point mode before main, as a library that was
// linked with -ffast-math does. CTS_FLOAT_MODE: flush (FTZ and DAZ), up, down or zero.
#include <cfenv>
#include <cstdlib>
#include <cstring>

#if defined(__SSE__)
#include <xmmintrin.h>
#endif

namespace {

__attribute__((constructor)) void SetMode() {
  const char* const mode = std::getenv("CTS_FLOAT_MODE");
  if (mode == nullptr) return;
  if (std::strcmp(mode, "up") == 0) std::fesetround(FE_UPWARD);
  if (std::strcmp(mode, "down") == 0) std::fesetround(FE_DOWNWARD);
  if (std::strcmp(mode, "zero") == 0) std::fesetround(FE_TOWARDZERO);
#if defined(__SSE__)
  constexpr unsigned kFlush = 0x8040;  // FTZ, DAZ
  if (std::strcmp(mode, "flush") == 0) _mm_setcsr(_mm_getcsr() | kFlush);
#endif
}

}  // namespace

#include "tools/program/sweep/consecutive.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/program/sweep/consecutive.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

template <class T>
HWY_INLINE void WriteAll(T first, int64_t count, T* to) {
  const hn::ScalableTag<T> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto numbers = hn::Iota(d, first);
  const auto step = hn::Set(d, static_cast<T>(lanes));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(numbers, d, to + i);
    numbers = hn::Add(numbers, step);
  }
  for (; i < count; ++i) to[i] = static_cast<T>(first + static_cast<T>(i));
}

void Write16(uint16_t first, int64_t count, uint16_t* to) { WriteAll(first, count, to); }
void Write32(uint32_t first, int64_t count, uint32_t* to) { WriteAll(first, count, to); }

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(Write16);
HWY_EXPORT(Write32);

void WriteConsecutive(uint32_t first, int64_t count, uint32_t* to) {
  HWY_DYNAMIC_DISPATCH(Write32)(first, count, to);
}
void WriteConsecutive(uint16_t first, int64_t count, uint16_t* to) {
  HWY_DYNAMIC_DISPATCH(Write16)(first, count, to);
}

}  // namespace cts
#endif

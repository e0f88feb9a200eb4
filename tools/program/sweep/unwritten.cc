#include "tools/program/sweep/unwritten.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/program/sweep/unwritten.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<uint8_t>;

bool AllAre(const uint8_t* results, size_t bytes, uint8_t filling) {
  const Bytes d;
  const size_t lanes = hn::Lanes(d);
  const auto expected = hn::Set(d, filling);
  const auto differs = [&](size_t at)
                           HWY_ATTR { return hn::Xor(hn::LoadU(d, results + at), expected); };
  auto some = hn::Zero(d), others = hn::Zero(d);
  size_t at = 0;
  for (; at + 4 * lanes <= bytes; at += 4 * lanes) {
    some = hn::Or(some, hn::Or(differs(at), differs(at + lanes)));
    others = hn::Or(others, hn::Or(differs(at + 2 * lanes), differs(at + 3 * lanes)));
  }
  if (!hn::AllTrue(d, hn::Eq(hn::Or(some, others), hn::Zero(d)))) return false;
  for (; at < bytes; ++at) {
    if (results[at] != filling) return false;
  }
  return true;
}

void Take(uint8_t* results, size_t bytes, uint8_t* copy, uint8_t filling) {
  const Bytes d;
  const size_t lanes = hn::Lanes(d);
  const auto filled = hn::Set(d, filling);
  size_t at = 0;
  for (; at + lanes <= bytes; at += lanes) {
    hn::StoreU(hn::LoadU(d, results + at), d, copy + at);
    hn::StoreU(filled, d, results + at);
  }
  for (; at < bytes; ++at) {
    copy[at] = results[at];
    results[at] = filling;
  }
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(AllAre);
HWY_EXPORT(Take);

bool IsFilled(const uint8_t* results, size_t bytes, uint8_t filling) {
  return HWY_DYNAMIC_DISPATCH(AllAre)(results, bytes, filling);
}
void TakeResults(uint8_t* results, size_t bytes, uint8_t* copy, uint8_t filling) {
  HWY_DYNAMIC_DISPATCH(Take)(results, bytes, copy, filling);
}

}  // namespace cts
#endif

#include "tools/sweep/unwritten.h"

#include "tools/sweep/sweep_judge.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/sweep/unwritten.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Bytes = hn::ScalableTag<uint8_t>;

static_assert(SweepResults::kUnwritten == 0xFF);

bool AllUnwritten(const uint8_t* results, size_t bytes) {
  const Bytes d;
  const size_t lanes = hn::Lanes(d);
  const auto unwritten = hn::Set(d, uint8_t{SweepResults::kUnwritten});
  auto all = unwritten, others = unwritten;
  size_t at = 0;
  for (; at + 4 * lanes <= bytes; at += 4 * lanes) {
    all = hn::And(all, hn::And(hn::LoadU(d, results + at), hn::LoadU(d, results + at + lanes)));
    others = hn::And(others, hn::And(hn::LoadU(d, results + at + 2 * lanes),
                                     hn::LoadU(d, results + at + 3 * lanes)));
  }
  if (!hn::AllTrue(d, hn::Eq(hn::And(all, others), unwritten))) return false;
  for (; at < bytes; ++at) {
    if (results[at] != SweepResults::kUnwritten) return false;
  }
  return true;
}

void Take(uint8_t* results, size_t bytes, uint8_t* copy) {
  const Bytes d;
  const size_t lanes = hn::Lanes(d);
  const auto unwritten = hn::Set(d, uint8_t{SweepResults::kUnwritten});
  size_t at = 0;
  for (; at + lanes <= bytes; at += lanes) {
    hn::StoreU(hn::LoadU(d, results + at), d, copy + at);
    hn::StoreU(unwritten, d, results + at);
  }
  for (; at < bytes; ++at) {
    copy[at] = results[at];
    results[at] = SweepResults::kUnwritten;
  }
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(AllUnwritten);
HWY_EXPORT(Take);

bool IsUnwritten(const uint8_t* results, size_t bytes) {
  return HWY_DYNAMIC_DISPATCH(AllUnwritten)(results, bytes);
}
void TakeResults(uint8_t* results, size_t bytes, uint8_t* copy) {
  HWY_DYNAMIC_DISPATCH(Take)(results, bytes, copy);
}

}  // namespace cts
#endif

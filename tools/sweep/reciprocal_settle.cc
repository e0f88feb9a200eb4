#include "tools/sweep/reciprocal_settle.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/sweep/reciprocal_settle.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Words = hn::ScalableTag<uint32_t>;
using Integers = hn::RebindToSigned<Words>;
using Floats = hn::RebindToFloat<Words>;

// A product and a sum, rounded once. Other instruction sets settle nothing.
#if HWY_NATIVE_FMA
constexpr bool kFused = true;
#else
constexpr bool kFused = false;
#endif

constexpr uint32_t kSign = 0x8000'0000, kFraction = 0x007F'FFFF, kTwoTo23 = 0x4B00'0000;

// The error of g for 1 / x, in units in the last place, as bits: those of numbers that are not
// negative are in their order, and NaN is above them.
//
// x = m 2^k with m from 1 + 2^-23 to 2 - 2^-23. 1 / x lies in the binade of 2^(-k-1), whose unit is
// 2^(-k-24). x g - 1, rounded once, is r: g is off by r / x, which is r 2^24 / m units. The
// fraction of g, as a number f from 1 to 2, is 2 (1 + r) / m if g lies in that binade. So the error
// is e = |r| f 2^23. Where e < 1, |r| < 2^-23, and e is off by less than 2^-22 of itself: 2^-23 for
// the r in f, and 2^-24 for each rounding.
//
// Where g lies in another binade, e is at least 1. From 2^-k on, x g >= m and r >= 2^-23. For
// g = f 2^(-k-2), one binade below, |r| = 1 - m f / 4, and f |r| is least for one of the ends of f:
// more than 1/2 for 1, more than 2^-23 for 2 - 2^-23. Anywhere else |r| > 1/2.
HWY_INLINE hn::Vec<Integers> ErrorOf(hn::Vec<Words> x, hn::Vec<Floats> g) {
  const Words d;
  const Floats df;
  const auto r = hn::MulAdd(hn::BitCast(df, x), g, hn::Set(df, -1.0F));
  const auto f = hn::OrAnd(hn::Set(d, kTwoTo23), hn::BitCast(d, g), hn::Set(d, kFraction));
  return hn::BitCast(Integers(), hn::Abs(hn::Mul(r, hn::BitCast(df, f))));
}

HWY_INLINE int64_t CountAbove(float end, uint32_t first, const float* results, int64_t count) {
  const Words d;
  const Integers di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto step = hn::Set(d, static_cast<uint32_t>(lanes));
  const auto limit = hn::BitCast(di, hn::Set(Floats(), end));
  auto x = hn::Iota(d, first);
  int64_t found = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const auto error = ErrorOf(x, hn::LoadU(Floats(), results + i));
    found += static_cast<int64_t>(hn::CountTrue(di, hn::Gt(error, limit)));
    x = hn::Add(x, step);
  }
  return found;
}

// FilterCompare measures in fp64, off by less than 2^-28 units: 2^-53 of the quotient, and of the
// distance. Beyond 2^-8 units, both are on the same side of what e is not within 2^-20 of. It
// counts none below 2^-20 units, and all ends are powers of two.
bool Settle(uint32_t first, const uint8_t* results, int64_t count, double most,
            int64_t (&above)[2]) {
  // Numbers of one binade, but a power of two, whose reciprocals are normal numbers.
  const uint32_t binade = (first & ~kSign) >> 23, fraction = first & kFraction;
  const bool inside = fraction > 0 && fraction + count <= kFraction + 1;
  if (!kFused || !inside || binade < 1 || binade > 252 || most < 0x1p-8) return false;
  static_assert(kFilterBlock % static_cast<int64_t>(hn::MaxLanes(Words())) == 0);
  const double limit = (most < 1 ? most : 1) * (1 - 0x1p-19);
  const auto* const given = reinterpret_cast<const float*>(results);
  const Words d;
  const Integers di;
  const Floats df;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  constexpr int32_t kNear = 1 << (23 - 19);
  const auto near = hn::Set(di, kNear), all_ones = hn::Set(di, static_cast<int32_t>(kFraction));
  const auto quarter = hn::BitCast(di, hn::Set(df, 0.25F));
  const auto step = hn::Set(d, static_cast<uint32_t>(lanes));
  auto x = hn::Iota(d, first);
  auto least = hn::BitCast(di, hn::Set(df, 1.0F)), greatest = hn::Zero(di), nearest = all_ones;
  int64_t over_quarter = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const auto error = ErrorOf(x, hn::LoadU(df, given + i));
    least = hn::Min(least, error), greatest = hn::Max(greatest, error);
    // Near to a power of two from both sides.
    nearest = hn::Min(nearest, hn::And(hn::Add(error, near), all_ones));
    over_quarter += static_cast<int64_t>(hn::CountTrue(di, hn::Gt(error, quarter)));
    x = hn::Add(x, step);
  }
  const float worst = hn::GetLane(hn::BitCast(df, hn::MaxOfLanes(di, greatest)));
  const float best = hn::GetLane(hn::BitCast(df, hn::MinOfLanes(di, least)));
  const bool near_an_end = hn::GetLane(hn::MinOfLanes(di, nearest)) < 2 * kNear;
  if (!(worst <= limit) || best < 0x1.2p-20F || near_an_end) return false;
  above[0] = over_quarter;
  above[1] = worst > 0.5F ? CountAbove(0.5F, first, given, count) : 0;
  return true;
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(Settle);

bool SettleReciprocals(uint32_t first, const uint8_t* results, int64_t count, double most,
                       int64_t (&above)[2]) {
  return HWY_DYNAMIC_DISPATCH(Settle)(first, results, count, most, above);
}

}  // namespace cts
#endif

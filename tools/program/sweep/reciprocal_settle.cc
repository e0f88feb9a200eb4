#include "tools/program/sweep/reciprocal_settle.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/program/sweep/reciprocal_settle.cc"
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

constexpr uint32_t kSign = 0x8000'0000, kFraction = 0x007F'FFFF;
constexpr uint32_t kTwoTo22 = 0x4A80'0000, kTwoTo23 = 0x4B00'0000;

// The error of a result g, in units in the last place, as bits. The bits of numbers that are not
// negative have their order, NaN is above them, and numbers with a sign are below.

// x = m 2^k with m from 1 + 2^-23 to 2 - 2^-23. 1 / x lies in the binade of 2^(-k-1), whose unit is
// 2^(-k-24). x g - 1, rounded once, is r: g is off by r / x, which is r 2^24 / m units. The
// fraction of g, as a number f from 1 to 2, is 2 (1 + r) / m if g lies in that binade. So the error
// is e = |r| f 2^23. Where e < 1, |r| < 2^-23, and e is off by less than 2^-22 of itself: 2^-23 for
// the r in f, and 2^-24 for each rounding.
//
// Where g lies in another binade, e is at least 1. From 2^-k on, x g >= m and r >= 2^-23. For
// g = f 2^(-k-2), one binade below, |r| = 1 - m f / 4, and f |r| is least for one of the ends of f:
// more than 1/2 for 1, more than 2^-23 for 2 - 2^-23. Anywhere else |r| > 1/2.
struct OfNumber {
  static constexpr uint32_t kLastBinade = 252, kFirstFraction = 1;  // 1 / x is a normal number

  static HWY_INLINE hn::Vec<Integers> ErrorOf(hn::Vec<Words> x, hn::Vec<Floats> g) {
    const Words d;
    const Floats df;
    const auto r = hn::MulAdd(hn::BitCast(df, x), g, hn::Set(df, -1.0F));
    const auto f = hn::OrAnd(hn::Set(d, kTwoTo23), hn::BitCast(d, g), hn::Set(d, kFraction));
    return hn::BitCast(Integers(), hn::Abs(hn::Mul(r, hn::BitCast(df, f))));
  }
};

// x is 4^k times a number from 1 + 2^-20 to 4 - 2^-22; 1 / sqrt(x) lies in the binade of 2^(-k-1).
// With a relative error t of g, x g^2 - 1 = r = 2 t + t^2. g is off by t / (1 + t) times g, which
// is f 2^23 units as above: e = |r| f 2^22. Where e < 1, |t| < 2^-23, and e is off by less than 3/2
// |t| of itself for what it leaves out. g^2 is the sum of `high` and `low`, as it has no digit
// below 2^-148 if x < 2^101; `low` may be subnormal, which PlainArithmetic keeps. The first sum is
// rounded by 2^-24 of |r| + 2^-24, the second and the product by 2^-24 of themselves: e is off by
// less than 2^-21 of itself and 2^-25.
//
// Where g lies in another binade, e is at least 1. From 2^-k on, r >= 2^-20. For g = f 2^(-k-2),
// |r| > 1 - (1 - 2^-24) f^2 / 4, and f |r| is least for one of the ends of f: more than 1/2 for 1,
// nearly 6 * 2^-24 for 2 - 2^-23. Farther below |r| > 3/4. A negative g keeps its sign.
struct OfRoot {
  static constexpr uint32_t kLastBinade = 227, kFirstFraction = 8;

  static HWY_INLINE hn::Vec<Integers> ErrorOf(hn::Vec<Words> x, hn::Vec<Floats> g) {
    const Words d;
    const Floats df;
    const auto number = hn::BitCast(df, x);
    const auto high = hn::Mul(g, g);
    const auto low = hn::MulSub(g, g, high);
    const auto r = hn::MulAdd(number, low, hn::MulAdd(number, high, hn::Set(df, -1.0F)));
    const auto f = hn::OrAnd(hn::Set(d, kTwoTo22), hn::BitCast(d, g), hn::Set(d, kFraction));
    const auto error = hn::BitCast(d, hn::Abs(hn::Mul(r, hn::BitCast(df, f))));
    return hn::BitCast(Integers(), hn::OrAnd(error, hn::BitCast(d, g), hn::Set(d, kSign)));
  }
};

template <class Of>
HWY_INLINE int64_t CountAbove(float end, uint32_t first, const float* results, int64_t count) {
  const Words d;
  const Integers di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto step = hn::Set(d, static_cast<uint32_t>(lanes));
  const auto limit = hn::BitCast(di, hn::Set(Floats(), end));
  auto x = hn::Iota(d, first);
  int64_t found = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const auto error = Of::ErrorOf(x, hn::LoadU(Floats(), results + i));
    found += static_cast<int64_t>(hn::CountTrue(di, hn::Gt(error, limit)));
    x = hn::Add(x, step);
  }
  return found;
}

// FilterCompare measures in fp64, off by less than 2^-27 units: for the quotient, its root, and the
// distance. Beyond 2^-4 units, both are on the same side of what e is not within 2^-20 of. It
// counts none below 2^-20 units, and all ends are powers of two.
template <class Of>
HWY_INLINE bool SettleOf(uint32_t first, const uint8_t* results, int64_t count, double most,
                         int64_t (&above)[2]) {
  // Normal numbers of one binade, but a power of two.
  const uint32_t binade = (first & ~kSign) >> 23, fraction = first & kFraction;
  const bool inside = fraction >= Of::kFirstFraction && fraction + count <= kFraction + 1;
  if (!kFused || !inside || binade < 1 || binade > Of::kLastBinade || most < 0x1p-4) return false;
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
    const auto error = Of::ErrorOf(x, hn::LoadU(df, given + i));
    least = hn::Min(least, error), greatest = hn::Max(greatest, error);
    // Near to a power of two from both sides.
    nearest = hn::Min(nearest, hn::And(hn::Add(error, near), all_ones));
    over_quarter += static_cast<int64_t>(hn::CountTrue(di, hn::Gt(error, quarter)));
    x = hn::Add(x, step);
  }
  const float worst = hn::GetLane(hn::BitCast(df, hn::MaxOfLanes(di, greatest)));
  const bool near_an_end = hn::GetLane(hn::MinOfLanes(di, nearest)) < 2 * kNear;
  const int32_t enough = hn::GetLane(hn::BitCast(di, hn::Set(df, 0x1.2p-20F)));
  if (!(worst <= limit) || hn::GetLane(hn::MinOfLanes(di, least)) < enough || near_an_end) {
    return false;
  }
  above[0] = over_quarter;
  above[1] = worst > 0.5F ? CountAbove<Of>(0.5F, first, given, count) : 0;
  return true;
}

bool Settle(bool of_roots, uint32_t first, const uint8_t* results, int64_t count, double most,
            int64_t (&above)[2]) {
  return of_roots ? SettleOf<OfRoot>(first, results, count, most, above)
                  : SettleOf<OfNumber>(first, results, count, most, above);
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(Settle);

bool SettleReciprocals(bool of_roots, uint32_t first, const uint8_t* results, int64_t count,
                       double most, int64_t (&above)[2]) {
  return HWY_DYNAMIC_DISPATCH(Settle)(of_roots, first, results, count, most, above);
}

}  // namespace cts
#endif

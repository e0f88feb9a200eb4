// Vectors of the sweep's filter, and the margin of its bounds. A file that Highway compiles for
// every instruction set includes this header once for each instruction set.
//
// The filter uses no fused multiply-add, so that every instruction set gives the same numbers.
#if defined(CTS_FILTER_VECTORS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef CTS_FILTER_VECTORS_INL_H_
#undef CTS_FILTER_VECTORS_INL_H_
#else
#define CTS_FILTER_VECTORS_INL_H_
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::CappedTag<double, 8>;
using Words = hn::RebindToUnsigned<Doubles>;
using Signed = hn::RebindToSigned<Doubles>;
using Vec = hn::Vec<Doubles>;

HWY_INLINE Vec Set(double value) { return hn::Set(Doubles(), value); }

// a * b + c, rounded twice.
HWY_INLINE Vec Step(Vec a, Vec b, Vec c) { return hn::Add(hn::Mul(a, b), c); }

constexpr double kTiny = 0x1p-1000;

// Every lower bound is multiplied by this factor. The margin, 1 - kLess, is larger than the
// rounding errors and the errors of the values.
constexpr double kLess = 1 - 0x1p-30;

// A lower bound of the magnitude of the exact value that `value` approximates.
HWY_INLINE Vec LeastMagnitude(Vec value) {
  return hn::Max(hn::Sub(hn::Mul(hn::Abs(value), Set(kLess)), Set(kTiny)), hn::Zero(Doubles()));
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif

#include "tools/program/sweep/filter_compare.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/program/sweep/filter_compare.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

#include "tools/program/sweep/filter_vectors-inl.h"

#ifndef CTS_FILTER_COMPARE_ENDS
#define CTS_FILTER_COMPARE_ENDS
namespace cts {

// Used as they stand there. If an inline function of a header were compiled for one instruction
// set, it could end up in the rest of the program, on any CPU.
constexpr double kFilterEnds[] = {
    UlpHistogram::kEnds[0], UlpHistogram::kEnds[1], UlpHistogram::kEnds[2],
    UlpHistogram::kEnds[3], UlpHistogram::kEnds[4], UlpHistogram::kEnds[5],
    UlpHistogram::kEnds[6], UlpHistogram::kEnds[7], UlpHistogram::kEnds[8]};
static_assert(sizeof(kFilterEnds) / sizeof(double) == UlpHistogram::kEnds.size());

}  // namespace cts
#endif

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

void Bounds(const FilterBound& bound, const double* x, const double* values, int64_t count,
            double* bounds) {
  const Doubles d;
  const double less = bound.exact ? 1 : kLess;
  const Vec scale = Set(bound.scale * less), least = Set(bound.least * less);
  const Vec normal_min = Set(bound.normal_min);
  const Vec exponent_bits = hn::BitCast(d, hn::Set(Words(), uint64_t{0x7FF} << 52));
  const Vec slope = Set(bound.slope), constant = Set(bound.constant);
  const FilterBoundKind kind = bound.kind;
  const bool exact = bound.exact;
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const Vec given = hn::Abs(hn::LoadU(d, x + i));
    const Vec value = hn::LoadU(d, values + i);
    Vec magnitude = exact ? hn::Abs(value) : LeastMagnitude(value);
    switch (kind) {
      case FilterBoundKind::kOfArgument:
        magnitude = Set(1);
        break;
      case FilterBoundKind::kOfReference:
        break;
      case FilterBoundKind::kOfRaisedReference:
        magnitude = hn::Max(magnitude, normal_min);
        break;
      case FilterBoundKind::kOfBinade:
        magnitude = hn::Max(hn::And(magnitude, exponent_bits), normal_min);
        break;
    }
    const Vec factor = Step(given, slope, constant);
    hn::StoreU(hn::Max(hn::Mul(hn::Mul(magnitude, scale), factor), least), d, bounds + i);
  }
}

void Compare(const FilterBound& bound, const double* values, const double* bounds,
             const double* results, int64_t count, double least_worst, FilterFigures& figures) {
  const Doubles d;
  const Words dw;
  constexpr size_t kSlots = sizeof(kFilterEnds) / sizeof(double);
  const Vec zero = hn::Zero(d), infinity = Set(__builtin_inf());
  const Vec normal_min = Set(bound.normal_min);
  const Vec exponent_bits = hn::BitCast(d, hn::Set(dw, uint64_t{0x7FF} << 52));
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  // The distance itself rounds, unless it is exact.
  const Vec tiny = Set(bound.exact ? 0 : kTiny), margin = Set(bound.exact ? 0 : 0x1p-50);
  // Read before the loop, whose stores might change them for all that the compiler knows.
  const Vec relative = Set(bound.relative), max = Set(bound.max);
  const Vec less = Set(1 - 2 * bound.relative), more = Set(1 + 2 * bound.relative);
  const auto units = hn::Set(dw, static_cast<uint64_t>(2046 + bound.fraction_bits) << 52);
  const Vec end0 = Set(kFilterEnds[0]), end1 = Set(kFilterEnds[1]), end2 = Set(kFilterEnds[2]);
  const Vec candidate = Set(least_worst);
  int64_t above0 = 0, above1 = 0, above2 = 0;
  int64_t above[kSlots] = {}, clear_count = 0, doubtful = 0, candidates = 0;
  Vec worst = zero;
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec value = hn::LoadU(d, values + i), result = hn::LoadU(d, results + i);
    const Vec limit = hn::LoadU(d, bounds + i);
    const Vec size = hn::Abs(value), magnitude = hn::Abs(result);
    const Vec distance = hn::Abs(hn::Sub(result, value));
    const Vec error = hn::Add(Step(size, relative, tiny), hn::Mul(distance, margin));
    const auto near = hn::And(hn::Le(hn::Add(distance, error), limit), hn::Lt(size, Set(0x1p900)));
    auto numbers = near, right = near;
    if (!hn::AllTrue(d, near)) {
      // Zero stands for what lies below the least normal number.
      const auto flushed =
          hn::And(hn::Eq(result, zero), hn::Lt(hn::Mul(size, Set(1 + 0x1p-30)), normal_min));
      // An infinity is right where the reference itself overflows. The sign of `value` is right.
      const auto overflowed =
          hn::And(hn::And(hn::Eq(magnitude, infinity), hn::Gt(hn::Mul(result, value), zero)),
                  hn::And(hn::Gt(LeastMagnitude(value), max), hn::Lt(size, infinity)));
      const auto nan = hn::And(hn::IsNaN(value), hn::IsNaN(result));
      numbers = hn::Or(near, flushed);
      right = hn::Or(numbers, hn::Or(overflowed, nan));
    }
    // The error in units in the last place. If the binade of the reference is not certain, the
    // error is not either.
    const Vec binade = hn::Max(hn::And(value, exponent_bits), normal_min);
    const auto per_ulp = hn::Sub(units, hn::BitCast(dw, binade));
    Vec ulp = hn::IfThenElseZero(numbers, hn::Mul(distance, hn::BitCast(d, per_ulp)));
    ulp = hn::IfThenElseZero(hn::Ge(ulp, Set(kFilterResolution)), ulp);
    const Vec low = hn::And(hn::Mul(size, less), exponent_bits);
    const Vec high = hn::And(hn::Mul(size, more), exponent_bits);
    const auto measured = hn::Or(hn::Eq(low, high), hn::Eq(ulp, zero));
    const auto clear = hn::And(right, measured);
    ulp = hn::IfThenElseZero(clear, ulp);
    hn::StoreU(ulp, d, figures.errors + i);

    uint8_t bits[8] = {};
    const int64_t left = count - i;
    const unsigned present = left >= lanes ? (1U << lanes) - 1 : (1U << left) - 1;
    if (left >= lanes && hn::AllTrue(d, clear)) {
      clear_count += lanes;
    } else {
      hn::StoreMaskBits(d, clear, bits);
      const unsigned accepted = bits[0] & present;
      clear_count += __builtin_popcount(accepted);
      for (unsigned rest = present & ~accepted; rest != 0; rest &= rest - 1) {
        figures.doubtful[doubtful++] = static_cast<uint16_t>(i + __builtin_ctz(rest));
      }
    }
    if (left < lanes) ulp = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(left)), ulp);
    worst = hn::Max(worst, ulp);
    above0 += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(ulp, end0)));
    above1 += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(ulp, end1)));
    const auto beyond = hn::Gt(ulp, end2);
    if (!hn::AllFalse(d, beyond)) {
      above2 += static_cast<int64_t>(hn::CountTrue(d, beyond));
      for (size_t k = 3; k < kSlots; ++k) {
        above[k] += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(ulp, Set(kFilterEnds[k]))));
      }
    }
    const auto worse = hn::Gt(ulp, candidate);
    if (!hn::AllFalse(d, worse)) {
      hn::StoreMaskBits(d, worse, bits);
      for (unsigned rest = bits[0] & present; rest != 0; rest &= rest - 1) {
        figures.candidates[candidates++] = static_cast<uint16_t>(i + __builtin_ctz(rest));
      }
    }
  }
  figures.worst = hn::GetLane(hn::MaxOfLanes(d, worst));
  figures.clear = clear_count;
  figures.doubtful_count = doubtful;
  figures.candidate_count = candidates;
  above[0] = above0, above[1] = above1, above[2] = above2;
  for (size_t k = 0; k < kSlots; ++k) figures.above[k] = above[k];
}

// The number of units in the last place that Compare accepts for each of the arguments, if the
// value is a normal number, for kOfArgument less than 2, and not near a power of two. The result of
// Bounds is at least scale * (constant + slope * |x|) of the value's binade, less 2^-29 of it; a
// unit is bound.unit of that binade. Compare adds to the distance the value's error, of a number
// below two binades, and 2^-50 of the distance.
double SureUlps(const FilterBound& bound, const double* x, int64_t count) {
  const Doubles d;
  if (bound.exact) return bound.scale / bound.unit;
  if (bound.relative > 0x1p-46 || bound.slope < 0) return 0;
  double factor = bound.constant;
  if (factor == 0) {
    Vec least = Set(bound.max);
    for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
      least = hn::Min(least, hn::Abs(hn::LoadU(d, x + i)));
    }
    factor = bound.slope * hn::GetLane(hn::MinOfLanes(d, least));
  }
  return (bound.scale * factor * (1 - 0x1p-20) - 4 * bound.relative) / bound.unit;
}

// Compare finds every value here clear, with the same errors, which are the same products.
bool Settle(const FilterBound& bound, const double* x, const double* values, const double* results,
            int64_t count, double least_worst, FilterFigures& figures) {
  const Doubles d;
  const Words dw;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  if (count % lanes != 0) return false;
  const double sure = SureUlps(bound, x, count);
  constexpr uint64_t kNear = uint64_t{1} << (52 - 28);
  const auto exponent_bits = hn::Set(dw, uint64_t{0x7FF} << 52);
  // An exact value is nowhere near: no number's bits are 0.
  const auto near = hn::Set(dw, bound.exact ? 0 : kNear);
  const auto nearest = hn::Set(dw, bound.exact ? 0 : 2 * kNear - 1);
  const auto fraction_bits = hn::Set(dw, bound.exact ? ~uint64_t{0} : (uint64_t{1} << 52) - 1);
  const auto units = hn::Set(dw, static_cast<uint64_t>(2046 + bound.fraction_bits) << 52);
  const Vec resolution = Set(kFilterResolution);
  const Vec most = Set(sure < least_worst ? sure : least_worst);
  const Vec low = Set(2 * bound.normal_min);
  const Vec high = Set(bound.kind == FilterBoundKind::kOfArgument ? 1 : bound.max);
  Vec worst = hn::Zero(d);
  int64_t above = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec value = hn::LoadU(d, values + i), result = hn::LoadU(d, results + i);
    const auto bits = hn::BitCast(dw, value);
    const auto binade = hn::And(bits, exponent_bits);
    const Vec per_ulp = hn::BitCast(d, hn::Sub(units, binade));
    Vec ulp = hn::Mul(hn::Abs(hn::Sub(result, value)), per_ulp);
    const Vec size = hn::BitCast(d, binade);
    const auto away =
        hn::RebindMask(d, hn::Lt(nearest, hn::And(hn::Add(bits, near), fraction_bits)));
    // NaN is nowhere.
    const auto inside =
        hn::And(hn::And(hn::Ge(size, low), hn::Le(size, high)), hn::And(away, hn::Le(ulp, most)));
    if (!hn::AllTrue(d, inside)) return false;
    const auto counts = hn::Ge(ulp, resolution);
    ulp = hn::IfThenElseZero(counts, ulp);
    above += static_cast<int64_t>(hn::CountTrue(d, counts));
    worst = hn::Max(worst, ulp);
    hn::StoreU(ulp, d, figures.errors + i);
  }
  figures.worst = hn::GetLane(hn::MaxOfLanes(d, worst));
  figures.clear = count;
  figures.doubtful_count = figures.candidate_count = 0;
  figures.above[0] = above;
  for (size_t k = 1; k < sizeof(kFilterEnds) / sizeof(double); ++k) {
    figures.above[k] = 0;
    if (figures.worst <= kFilterEnds[k]) continue;
    const Vec end = Set(kFilterEnds[k]);
    for (int64_t i = 0; i < count; i += lanes) {
      const auto beyond = hn::Gt(hn::LoadU(d, figures.errors + i), end);
      figures.above[k] += static_cast<int64_t>(hn::CountTrue(d, beyond));
    }
  }
  return true;
}

// Zero, taken for an integer and less 1, is the greatest of all.
bool HasSubnormal(const double* x, int64_t count, double normal_min) {
  const Doubles d;
  const Words dw;
  const auto one = hn::Set(dw, uint64_t{1});
  const auto end = hn::Sub(hn::BitCast(dw, Set(normal_min)), one);
  auto found = hn::Zero(dw);
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const auto bits = hn::BitCast(dw, hn::Abs(hn::LoadU(d, x + i)));
    found = hn::Or(found, hn::VecFromMask(dw, hn::Lt(hn::Sub(bits, one), end)));
  }
  return !hn::AllFalse(dw, hn::Ne(found, hn::Zero(dw)));
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(Bounds);
HWY_EXPORT(HasSubnormal);
HWY_EXPORT(Settle);
HWY_EXPORT(Compare);

void FilterBounds(const FilterBound& bound, const double* x, const double* values, int64_t count,
                  double* bounds) {
  HWY_DYNAMIC_DISPATCH(Bounds)(bound, x, values, count, bounds);
}

bool FilterSettle(const FilterBound& bound, const double* x, const double* values,
                  const double* results, int64_t count, double least_worst,
                  FilterFigures& figures) {
  return HWY_DYNAMIC_DISPATCH(Settle)(bound, x, values, results, count, least_worst, figures);
}

void FilterCompare(const FilterBound& bound, const double* values, const double* bounds,
                   const double* results, int64_t count, double least_worst,
                   FilterFigures& figures) {
  HWY_DYNAMIC_DISPATCH(Compare)(bound, values, bounds, results, count, least_worst, figures);
}

bool AnySubnormal(const double* x, int64_t count, double normal_min) {
  return HWY_DYNAMIC_DISPATCH(HasSubnormal)(x, count, normal_min);
}

}  // namespace cts
#endif

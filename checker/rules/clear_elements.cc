#include "checker/rules/clear_elements.h"

#include <cmath>

#include "checker/rules/comparing_function.h"
#include "reference/base/float_format.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "checker/rules/clear_elements.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

constexpr size_t kSlots = UlpHistogram::kEnds.size();
// Used as it stands there. If an inline function of a header were compiled here, it could end up in
// the rest of the program, on any CPU.
constexpr double kEnds[] = {UlpHistogram::kEnds[0], UlpHistogram::kEnds[1], UlpHistogram::kEnds[2],
                            UlpHistogram::kEnds[3], UlpHistogram::kEnds[4], UlpHistogram::kEnds[5],
                            UlpHistogram::kEnds[6], UlpHistogram::kEnds[7], UlpHistogram::kEnds[8]};
static_assert(sizeof(kEnds) / sizeof(double) == kSlots);

using Doubles = hn::CappedTag<double, 8>;

// Magnitudes move up to the fraction of fp32. Normal numbers also get the difference of the
// exponents' biases.
template <class Stored, int kFraction, int kMinExponent, uint32_t kInfinity, uint32_t kLastNumber>
HWY_INLINE void WidenVector(const Stored* from, double* to) {
  const Doubles d;
  const hn::Rebind<float, Doubles> df;
  const hn::Rebind<uint32_t, Doubles> du;
  const hn::Rebind<Stored, Doubles> ds;
  constexpr int kBits = 8 * sizeof(Stored);
  constexpr uint32_t kMagnitude = (1u << (kBits - 1)) - 1;
  constexpr uint32_t kHidden = 1u << 23;
  constexpr uint32_t kRebias = static_cast<uint32_t>(127 + kMinExponent - 1) << 23;
  const auto stored = hn::PromoteTo(du, hn::LoadU(ds, from));
  const auto magnitude = hn::And(stored, hn::Set(du, kMagnitude));
  const auto sign = hn::ShiftLeft<32 - kBits>(hn::AndNot(hn::Set(du, kMagnitude), stored));
  const auto raised = hn::Add(hn::ShiftLeft<23 - kFraction>(magnitude), hn::Set(du, kRebias));
  // Below the least normal number: the hidden bit is set, and its value is subtracted again.
  const auto least_normal = hn::BitCast(df, hn::Set(du, kRebias + kHidden));
  const auto hidden = hn::BitCast(df, hn::Add(raised, hn::Set(du, kHidden)));
  const auto subnormal = hn::BitCast(du, hn::Sub(hidden, least_normal));
  const auto number =
      hn::IfThenElse(hn::Lt(magnitude, hn::Set(du, 1u << kFraction)), subnormal, raised);
  const auto special = hn::IfThenElse(hn::Eq(magnitude, hn::Set(du, kInfinity)),
                                      hn::Set(du, 0x7F800000u), hn::Set(du, 0x7FC00000u));
  const auto value = hn::IfThenElse(hn::Gt(magnitude, hn::Set(du, kLastNumber)), special, number);
  hn::StoreU(hn::PromoteTo(d, hn::BitCast(df, hn::Or(value, sign))), d, to);
}

template <class Stored, int kFraction, int kMinExponent, uint32_t kInfinity, uint32_t kLastNumber>
void Widen(const uint8_t* bits, int64_t count, double* values) {
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(Doubles()));
  const Stored* const from = reinterpret_cast<const Stored*>(bits);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    WidenVector<Stored, kFraction, kMinExponent, kInfinity, kLastNumber>(from + i, values + i);
  }
  if (i == count) return;
  Stored rest[8] = {};
  double last[8];
  for (int64_t k = 0; k < 8 && i + k < count; ++k) {
    __builtin_memcpy(rest + k, from + i + k, sizeof(Stored));
  }
  WidenVector<Stored, kFraction, kMinExponent, kInfinity, kLastNumber>(rest, last);
  for (int64_t k = 0; k < 8 && i + k < count; ++k) values[i + k] = last[k];
}

void WidenFp8E4M3(const uint8_t* bits, int64_t count, double* values) {
  Widen<uint8_t, 3, -6, ~0u, 0x7E>(bits, count, values);  // no infinity
}
void WidenFp8E5M2(const uint8_t* bits, int64_t count, double* values) {
  Widen<uint8_t, 2, -14, 0x7C, 0x7B>(bits, count, values);
}
void WidenFp16(const uint8_t* bits, int64_t count, double* values) {
  Widen<uint16_t, 10, -14, 0x7C00, 0x7BFF>(bits, count, values);
}
void WidenBf16(const uint8_t* bits, int64_t count, double* values) {
  Widen<uint16_t, 7, -126, 0x7F80, 0x7F7F>(bits, count, values);
}

void WidenFp32(const uint8_t* bits, int64_t count, double* values) {
  const Doubles d;
  const hn::Rebind<float, Doubles> df;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const float* const from = reinterpret_cast<const float*>(bits);
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(df, from + i)), d, values + i);
  }
  for (; i < count; ++i) {
    float value = 0;
    __builtin_memcpy(&value, bits + 4 * i, sizeof(value));
    values[i] = value;
  }
}

// 1 / ulp of each number, by subtraction from the exponent; ulp is that of normal_min at least.
HWY_INLINE hn::Vec<Doubles> PerUlp(const ClearElements& all, hn::Vec<Doubles> wanted) {
  const Doubles d;
  const hn::RebindToUnsigned<Doubles> du;
  const auto power = hn::And(wanted, hn::BitCast(d, hn::Set(du, uint64_t{0x7FF} << 52)));
  const auto binade = hn::Max(power, hn::Set(d, all.normal_min));
  return hn::BitCast(d, hn::Sub(hn::Set(du, static_cast<uint64_t>(2046 + all.fraction_bits) << 52),
                                hn::BitCast(du, binade)));
}

// Counts the errors above each end of the histogram. Few are above the third: the others are looked
// at only then.
HWY_INLINE void CountAbove(hn::Vec<Doubles> ulp, int64_t* above) {
  const Doubles d;
  constexpr size_t kFew = 3;
  const auto count = [&](size_t k) HWY_ATTR {
    above[k] += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(ulp, hn::Set(d, kEnds[k]))));
  };
  for (size_t k = 0; k < kFew; ++k) count(k);
  if (hn::AllFalse(d, hn::Gt(ulp, hn::Set(d, kEnds[kFew - 1])))) return;
  for (size_t k = kFew; k < kSlots; ++k) count(k);
}

template <RuleKind kKind>
int64_t Look(ClearElements& all, const double* results, const uint8_t* expected,
             const uint8_t* second, int64_t count, uint16_t* doubtful, double* errors) {
  const Doubles d;
  const hn::RebindToUnsigned<Doubles> du;
  constexpr bool kMeasured = kKind == RuleKind::kUlp || kKind == RuleKind::kAbsoluteBound ||
                             kKind == RuleKind::kDotProduct;
  const double* const expected64 = reinterpret_cast<const double*>(expected);
  const double* const second64 = reinterpret_cast<const double*>(second);
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  const auto zero = hn::Zero(d);
  const auto infinity = hn::Set(d, __builtin_inf());
  // Beyond this no element is clear: the unit in the last place, and so its inverse, must be a
  // number of fp64.
  const auto greatest = hn::Set(d, 0x1p200);
  auto worst_ulp = zero, worst_of_bound = zero, ulp_sum = zero;
  int64_t above[kSlots] = {};
  int64_t unclear = 0;
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    const auto result = hn::LoadU(d, results + i);
    const auto wanted = hn::LoadU(d, expected64 + i);
    auto clear = hn::Lt(hn::Abs(wanted), greatest);
    auto ulp = zero;
    if constexpr (kKind == RuleKind::kExact) {
      // Equal numbers that are stored differently are the two zeros.
      clear = all.zero_sign
                  ? hn::RebindMask(d, hn::Eq(hn::BitCast(du, result), hn::BitCast(du, wanted)))
                  : hn::Eq(result, wanted);
      clear = hn::Or(clear, hn::And(hn::Ne(result, result), hn::Ne(wanted, wanted)));
    } else if constexpr (kKind == RuleKind::kInterval) {
      clear = hn::And(hn::Le(wanted, result), hn::Le(result, hn::LoadU(d, second64 + i)));
      clear = hn::And(clear, hn::Lt(hn::Abs(result), infinity));
      if (all.zero_sign) clear = hn::And(clear, hn::Ne(result, zero));
    }
    if constexpr (kMeasured) {
      // Rounded once. Rounding is monotonic: if this is below a bound, so is the exact distance. A
      // result that is infinite or NaN is not below any bound.
      const auto distance = hn::Abs(hn::Sub(result, wanted));
      const auto same = hn::Eq(distance, zero);
      ulp = hn::Mul(distance, PerUlp(all, wanted));
      if constexpr (kKind == RuleKind::kUlp) {
        // A zero has no unit in the last place.
        const auto near = hn::And(hn::Lt(ulp, hn::Set(d, all.ulp)), hn::Ne(wanted, zero));
        clear = hn::And(clear, hn::Or(near, same));
      } else if constexpr (kKind == RuleKind::kAbsoluteBound) {
        const auto bound = hn::LoadU(d, second64 + i);
        const auto equal = all.zero_sign ? hn::And(same, hn::Ne(wanted, zero)) : same;
        const auto near = hn::Or(hn::Lt(distance, bound), equal);
        clear = hn::And(clear, hn::And(near, hn::Lt(bound, infinity)));
        const auto ratio = hn::IfThenZeroElse(same, hn::Div(distance, bound));
        worst_of_bound = hn::Max(worst_of_bound, hn::IfThenElseZero(clear, ratio));
      } else {
        const auto bound = hn::LoadU(d, second64 + i);
        const auto limited =
            hn::And(hn::Le(hn::Mul(bound, hn::Set(d, all.bound_factor)), hn::Set(d, all.max)),
                    hn::Gt(bound, zero));
        const auto unit =
            hn::Max(hn::Mul(bound, hn::Set(d, all.unit_factor)), hn::Set(d, all.normal_min));
        const auto error = hn::Div(hn::Sub(result, wanted), unit);
        clear = hn::And(clear, hn::And(limited, hn::Le(hn::Abs(error), hn::Set(d, all.limit))));
        hn::StoreU(error, d, errors + i);
      }
      ulp = hn::IfThenElseZero(clear, ulp);
      worst_ulp = hn::Max(worst_ulp, ulp);
      // Whole numbers of at most 32 bits: a block's sum of them is exact. To add a number and take
      // it away again rounds as nearbyint does.
      const auto whole = hn::Set(d, 0x1.8p52);
      const auto parts =
          hn::Mul(hn::Min(ulp, hn::Set(d, UlpHistogram::kMost)), hn::Set(d, UlpHistogram::kParts));
      ulp_sum = hn::Add(ulp_sum, hn::Sub(hn::Add(parts, whole), whole));
      CountAbove(ulp, above);
    }
    if (!hn::AllTrue(d, clear)) {
      uint8_t bits[8] = {};
      hn::StoreMaskBits(d, clear, bits);
      for (int64_t lane = 0; lane < lanes; ++lane) {
        if ((bits[0] >> lane & 1) == 0) doubtful[unclear++] = static_cast<uint16_t>(i + lane);
      }
    }
  }
  for (; i < count; ++i) doubtful[unclear++] = static_cast<uint16_t>(i);
  if constexpr (kMeasured) {
    const double ulp = hn::GetLane(hn::MaxOfLanes(d, worst_ulp));
    const double ratio = hn::GetLane(hn::MaxOfLanes(d, worst_of_bound));
    if (ulp > all.worst_ulp) all.worst_ulp = ulp;
    all.ulp_sum += static_cast<int64_t>(hn::GetLane(hn::SumOfLanes(d, ulp_sum)));
    if (ratio > all.worst_of_bound) all.worst_of_bound = ratio;
    for (size_t k = 0; k < kSlots; ++k) all.above[k] += above[k];
  }
  return unclear;
}

int64_t LookExact(ClearElements& all, const double* results, const uint8_t* expected,
                  const uint8_t* second, int64_t count, uint16_t* doubtful, double* errors) {
  return Look<RuleKind::kExact>(all, results, expected, second, count, doubtful, errors);
}
int64_t LookUlp(ClearElements& all, const double* results, const uint8_t* expected,
                const uint8_t* second, int64_t count, uint16_t* doubtful, double* errors) {
  return Look<RuleKind::kUlp>(all, results, expected, second, count, doubtful, errors);
}
int64_t LookAbsoluteBound(ClearElements& all, const double* results, const uint8_t* expected,
                          const uint8_t* second, int64_t count, uint16_t* doubtful,
                          double* errors) {
  return Look<RuleKind::kAbsoluteBound>(all, results, expected, second, count, doubtful, errors);
}
int64_t LookDotProduct(ClearElements& all, const double* results, const uint8_t* expected,
                       const uint8_t* second, int64_t count, uint16_t* doubtful, double* errors) {
  return Look<RuleKind::kDotProduct>(all, results, expected, second, count, doubtful, errors);
}
int64_t LookInterval(ClearElements& all, const double* results, const uint8_t* expected,
                     const uint8_t* second, int64_t count, uint16_t* doubtful, double* errors) {
  return Look<RuleKind::kInterval>(all, results, expected, second, count, doubtful, errors);
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(WidenFp8E4M3);
HWY_EXPORT(WidenFp8E5M2);
HWY_EXPORT(WidenFp16);
HWY_EXPORT(WidenBf16);
HWY_EXPORT(WidenFp32);
HWY_EXPORT(LookExact);
HWY_EXPORT(LookUlp);
HWY_EXPORT(LookAbsoluteBound);
HWY_EXPORT(LookDotProduct);
HWY_EXPORT(LookInterval);

void WidenFloats(DType dtype, const uint8_t* bits, int64_t count, double* values) {
  switch (dtype) {
    case DType::kFp8E4M3:
      return HWY_DYNAMIC_DISPATCH(WidenFp8E4M3)(bits, count, values);
    case DType::kFp8E5M2:
      return HWY_DYNAMIC_DISPATCH(WidenFp8E5M2)(bits, count, values);
    case DType::kFp16:
      return HWY_DYNAMIC_DISPATCH(WidenFp16)(bits, count, values);
    case DType::kBf16:
      return HWY_DYNAMIC_DISPATCH(WidenBf16)(bits, count, values);
    default:
      return HWY_DYNAMIC_DISPATCH(WidenFp32)(bits, count, values);
  }
}

ClearElements::ClearElements(const Rule& rule, DType dtype)
    : kind(rule.kind),
      zero_sign(rule.zero_sign),
      normal_min(Format(dtype).normal_min()),
      fraction_bits(Format(dtype).fraction_bits),
      ulp(rule.ulp),
      limit(rule.absolute_limit),
      unit_factor(std::ldexp(1.0, -1 - fraction_bits)),
      bound_factor(rule.form == kFlushedZerosName ? 1 + rule.absolute_limit * unit_factor : 1),
      max(Format(dtype).max) {}

int64_t ClearElements::Look(const double* results, const uint8_t* expected, const uint8_t* second,
                            int64_t count, uint16_t* doubtful, double* errors) {
  switch (kind) {
    case RuleKind::kExact:
      return HWY_DYNAMIC_DISPATCH(LookExact)(*this, results, expected, second, count, doubtful,
                                             errors);
    case RuleKind::kUlp:
      return HWY_DYNAMIC_DISPATCH(LookUlp)(*this, results, expected, second, count, doubtful,
                                           errors);
    case RuleKind::kAbsoluteBound:
      return HWY_DYNAMIC_DISPATCH(LookAbsoluteBound)(*this, results, expected, second, count,
                                                     doubtful, errors);
    case RuleKind::kDotProduct:
      return HWY_DYNAMIC_DISPATCH(LookDotProduct)(*this, results, expected, second, count, doubtful,
                                                  errors);
    case RuleKind::kInterval:
      return HWY_DYNAMIC_DISPATCH(LookInterval)(*this, results, expected, second, count, doubtful,
                                                errors);
    case RuleKind::kUnchecked:
      break;
  }
  return 0;
}

}  // namespace cts
#endif

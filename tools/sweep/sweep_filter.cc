#include "tools/sweep/sweep_filter.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

#include "checker/rules/comparing_function.h"
#include "reference/base/float_format.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/spec/edition.h"
#include "reference/spec/precision_table.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
// There is no fused multiply-add in it, so that every one of them gives the same numbers.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/sweep/sweep_filter.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

#ifndef CTS_SWEEP_FILTER_TABLES
#define CTS_SWEEP_FILTER_TABLES
namespace cts {

// Used as they stand there. If an inline function of a header were compiled for one instruction
// set, it could end up in the rest of the program, on any CPU.
constexpr double kFilterEnds[] = {
    UlpHistogram::kEnds[0], UlpHistogram::kEnds[1], UlpHistogram::kEnds[2],
    UlpHistogram::kEnds[3], UlpHistogram::kEnds[4], UlpHistogram::kEnds[5],
    UlpHistogram::kEnds[6], UlpHistogram::kEnds[7], UlpHistogram::kEnds[8]};
static_assert(sizeof(kFilterEnds) / sizeof(double) == UlpHistogram::kEnds.size());

// What the kernels read; made once, by MPFR.
struct FilterTables {
  // For the exponents of the numbers of fp32, -149 to 127: (2 / pi) * 2^(e - 23) modulo 4, cut into
  // 29, 29 and 53 bits and times 2^(23 - e).
  static constexpr int kLeastExponent = -149, kExponents = 277;
  double turns[3][kExponents];
  // The Taylor coefficients of erf at (i + 1/2) / 16.
  static constexpr int kSteps = 96, kDegree = 8;
  double erf[kDegree + 1][kSteps];
};

}  // namespace cts
#endif

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

// coefficients[0] + x * (coefficients[1] + ...).
template <size_t n>
HWY_INLINE Vec Horner(Vec x, const double (&coefficients)[n]) {
  Vec sum = Set(coefficients[n - 1]);
  for (size_t i = n - 1; i-- > 0;) sum = Step(sum, x, Set(coefficients[i]));
  return sum;
}

// Added to a number below 2^51 this leaves it rounded to an integer, in the lowest bits too.
constexpr double kShifter = 0x1.8p52;

struct Power {
  Vec scale, rest;
};

// e^x = scale * (1 + rest) for |x| <= 710, where scale is a power of two and |rest| < 0.42.
//
// x = k ln 2 + r with |r| < 0.3467. ln2_high has 32 bits, so that k ln2_high is exact, and with
// ln2_low it is ln 2 to 2^-85. r is off by 2^-53 |r| + 2^-74, by nothing if k = 0. The series
// leaves out less than r^14 / 14!, which is 2^-55 |r|, and its roundings add less than 2^-51 of it:
// |error| < 2^-50 |rest| + 2^-73.
HWY_INLINE Power PowerOfE(Vec x) {
  constexpr double kLog2E = 0x1.71547652b82fep+0;
  constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
  const Vec shifted = Step(x, Set(kLog2E), Set(kShifter));
  const Vec k = hn::Sub(shifted, Set(kShifter));
  const Vec r = hn::Sub(hn::Sub(x, hn::Mul(k, Set(kLn2High))), hn::Mul(k, Set(kLn2Low)));
  constexpr double kSeries[] = {1.0 / 2,       1.0 / 6,        1.0 / 24,        1.0 / 120,
                                1.0 / 720,     1.0 / 5040,     1.0 / 40320,     1.0 / 362880,
                                1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};
  const Words dw;
  const auto biased = hn::Add(hn::BitCast(dw, shifted), hn::Set(dw, uint64_t{1023}));
  return {hn::BitCast(Doubles(), hn::ShiftLeft<52>(biased)),
          Step(hn::Mul(r, r), Horner(r, kSeries), r)};
}

// Results below e^-700 are less than kTiny, and those above e^700 beyond every type.
constexpr double kFarExponent = 700;
constexpr double kTiny = 0x1p-1000;

// Every lower bound is multiplied by this. The margin is larger than the roundings and the errors
// of the values.
constexpr double kLess = 1 - 0x1p-30;

// A lower bound of the magnitude that a value stands for.
HWY_INLINE Vec LeastMagnitude(Vec value) {
  return hn::Max(hn::Sub(hn::Mul(hn::Abs(value), Set(kLess)), Set(kTiny)), hn::Zero(Doubles()));
}

HWY_INLINE Vec Exponential(Vec x) {
  const Power power = PowerOfE(hn::Max(Set(-kFarExponent), hn::Min(x, Set(kFarExponent))));
  return Step(power.scale, power.rest, power.scale);
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)), and ln m = 2 (f + f^3 / 3 + ...), f = (m - 1) / (m +
// 1), |f| < 0.1716. Only m + 1 and the quotient round before the series: 2^-52 of f. The series
// leaves out f^19 / 19 ..., 2^-50 of f. What is added to k ln 2 cannot cancel it, as |ln m| <
// 0.3466: together less than 2^-47 of the result.
HWY_INLINE Vec Logarithm(Vec x) {
  const Signed ds;
  constexpr int64_t kRootOfHalf = 0x3FE6A09E667F3BCD;
  const auto bits = hn::BitCast(ds, x);
  const auto k = hn::ShiftRight<52>(hn::Sub(bits, hn::Set(ds, kRootOfHalf)));
  const Vec m = hn::BitCast(Doubles(), hn::Sub(bits, hn::ShiftLeft<52>(k)));
  constexpr int64_t kShifterBits = 0x4338000000000000;
  const Vec steps =
      hn::Sub(hn::BitCast(Doubles(), hn::Add(k, hn::Set(ds, kShifterBits))), Set(kShifter));
  const Vec f = hn::Div(hn::Sub(m, Set(1)), hn::Add(m, Set(1)));
  constexpr double kSeries[] = {2.0 / 3,  2.0 / 5,  2.0 / 7,  2.0 / 9,
                                2.0 / 11, 2.0 / 13, 2.0 / 15, 2.0 / 17};
  const Vec square = hn::Mul(f, f);
  const Vec fraction = Step(hn::Mul(f, square), Horner(square, kSeries), hn::Add(f, f));
  constexpr double kLn2High = 0x1.62e42feep-1, kLn2Low = 0x1.a39ef35793c76p-33;
  return Step(steps, Set(kLn2High), Step(steps, Set(kLn2Low), fraction));
}

// x = (n + t) pi / 2 with |t| < 0.51.
//
// Modulo 4, x 2/pi is the sum of x turns[j][e], e the exponent of x; a factor 2^(23-e) makes x an
// integer of 24 bits, so that the first two products are exact. What turns leaves out is
// 2^-111 * 2^26. x is at least 2^-32 away from any multiple of pi / 2 (the test looks for the
// nearest), and the third product lies below 2^-32 / 2: t is off by less than 2^-50 of itself.
struct Angle {
  Vec t;
  hn::Vec<Words> n;
};

HWY_INLINE Angle Turns(const FilterTables& tables, Vec x) {
  const Signed ds;
  const auto magnitude = hn::BitCast(ds, hn::Abs(x));
  const auto row = hn::Sub(hn::ShiftRight<52>(magnitude),
                           hn::Set(ds, int64_t{1023 + FilterTables::kLeastExponent}));
  const Vec first = hn::Mul(x, hn::GatherIndex(Doubles(), tables.turns[0], row));
  const Vec second = hn::Mul(x, hn::GatherIndex(Doubles(), tables.turns[1], row));
  const Vec third = hn::Mul(x, hn::GatherIndex(Doubles(), tables.turns[2], row));
  const Vec shifted = hn::Add(hn::Add(first, second), Set(kShifter));
  const Vec n = hn::Sub(shifted, Set(kShifter));
  const Vec t = hn::Add(hn::Add(hn::Sub(first, n), second), third);
  return {t, hn::BitCast(Words(), shifted)};
}

// sin((n + t) pi / 2). With |r| < 0.81 the series leave out less than r^16 / 17! of sin r and
// r^16 / 16! of cos r, 2^-52 and 2^-48; roundings add a few times 2^-53.
HWY_INLINE Vec SineOfTurns(Vec t, hn::Vec<Words> n) {
  constexpr double kHalfPi = 0x1.921fb54442d18p+0;
  constexpr double kSine[] = {
      -1.0 / 6,        1.0 / 120,          -1.0 / 5040,           1.0 / 362880,
      -1.0 / 39916800, 1.0 / 6227020800.0, -1.0 / 1307674368000.0};
  constexpr double kCosine[] = {-1.0 / 2,       1.0 / 24,        -1.0 / 720,          1.0 / 40320,
                                -1.0 / 3628800, 1.0 / 479001600, -1.0 / 87178291200.0};
  const Words dw;
  const Vec r = hn::Mul(t, Set(kHalfPi));
  const Vec square = hn::Mul(r, r);
  const Vec sine = Step(hn::Mul(r, square), Horner(square, kSine), r);
  const Vec cosine = Step(square, Horner(square, kCosine), Set(1));
  const auto odd = hn::Ne(hn::And(n, hn::Set(dw, uint64_t{1})), hn::Zero(dw));
  const Vec value = hn::IfThenElse(hn::RebindMask(Doubles(), odd), cosine, sine);
  const auto sign = hn::ShiftLeft<62>(hn::And(n, hn::Set(dw, uint64_t{2})));
  return hn::Xor(value, hn::BitCast(Doubles(), sign));
}

// Each gives a value that is off by less than 2^-46 of itself for finite x but 0.

struct CosFunction {
  static HWY_INLINE Vec Of(const FilterTables& tables, Vec x) {
    const Angle angle = Turns(tables, x);
    return SineOfTurns(angle.t, hn::Add(angle.n, hn::Set(Words(), uint64_t{1})));
  }
};

struct SinFunction {
  static HWY_INLINE Vec Of(const FilterTables& tables, Vec x) {
    const Angle angle = Turns(tables, x);
    return SineOfTurns(angle.t, angle.n);
  }
};

struct ExpFunction {
  static HWY_INLINE Vec Of(const FilterTables&, Vec x) { return Exponential(x); }
};

struct LogFunction {
  static HWY_INLINE Vec Of(const FilterTables&, Vec x) {
    const Vec value = Logarithm(hn::Abs(x));
    return hn::IfThenElse(hn::Lt(x, hn::Zero(Doubles())), Set(__builtin_nan("")), value);
  }
};

// The reference's own operations.
struct ReciprocalFunction {
  static HWY_INLINE Vec Of(const FilterTables&, Vec x) { return hn::Div(Set(1), x); }
};
struct RsqrtFunction {
  static HWY_INLINE Vec Of(const FilterTables&, Vec x) { return hn::Div(Set(1), hn::Sqrt(x)); }
};

// e^-|x| / (1 + e^-|x|), or 1 / (1 + e^-|x|): sums of positive numbers.
struct SigmoidFunction {
  static HWY_INLINE Vec Of(const FilterTables&, Vec x) {
    const Vec power = Exponential(hn::Neg(hn::Abs(x)));
    const Vec numerator = hn::IfThenElse(hn::Lt(x, hn::Zero(Doubles())), power, Set(1));
    return hn::Div(numerator, hn::Add(Set(1), power));
  }
};

// (e^2|x| - 1) / (e^2|x| + 1). With k = 0 the difference is `rest` itself; with k >= 1 it is at
// least 0.41, and scale - 1 is exact: off by less than 2^-48. From 2|x| = 80 on it is 1 to 2^-114.
struct TanhFunction {
  static HWY_INLINE Vec Of(const FilterTables&, Vec x) {
    const Vec magnitude = hn::Abs(x);
    const Power power = PowerOfE(hn::Min(hn::Add(magnitude, magnitude), Set(80)));
    const Vec difference = Step(power.scale, power.rest, hn::Sub(power.scale, Set(1)));
    return hn::CopySign(hn::Div(difference, hn::Add(difference, Set(2))), x);
  }
};

// Below 1/16 the series of erf, which leaves out x^10 / 1320 of it, less than 2^-50. To 6 Taylor's
// polynomial of degree 8 about the middle of a step of 1/16: the ninth derivative of erf is
// H_8(x) e^(-x^2) 2 / sqrt(pi), at most 1.09 * 2^4 * sqrt(8!) * 2 / sqrt(pi) < 3960 (Cramer's
// inequality), and (1/32)^9 / 9! of that is less than 2^-51, of erf >= 0.07 less than 2^-47. Beyond
// it is 1 to 2^-55.
struct ErfFunction {
  static HWY_INLINE Vec Of(const FilterTables& tables, Vec x) {
    constexpr double kTwoBySqrtPi = 0x1.20dd750429b6dp+0;
    constexpr double kSeries[] = {1, -1.0 / 3, 1.0 / 10, -1.0 / 42, 1.0 / 216};
    const Vec magnitude = hn::Abs(x);
    const Vec near = hn::Mul(hn::Mul(magnitude, Set(kTwoBySqrtPi)),
                             Horner(hn::Mul(magnitude, magnitude), kSeries));
    const Vec step = hn::Floor(hn::Mul(hn::Min(magnitude, Set(5.99)), Set(16)));
    const Vec t = hn::Sub(magnitude, hn::Mul(hn::Add(step, Set(0.5)), Set(1.0 / 16)));
    const Signed ds;
    const auto row =
        hn::And(hn::BitCast(ds, hn::Add(step, Set(kShifter))), hn::Set(ds, int64_t{127}));
    Vec middle = hn::GatherIndex(Doubles(), tables.erf[FilterTables::kDegree], row);
    for (int i = FilterTables::kDegree; i-- > 0;) {
      middle = Step(middle, t, hn::GatherIndex(Doubles(), tables.erf[i], row));
    }
    const Vec far = hn::IfThenElse(hn::Lt(magnitude, Set(6)), middle, Set(1));
    const Vec value = hn::IfThenElse(hn::Lt(magnitude, Set(1.0 / 16)), near, far);
    return hn::CopySign(value, x);
  }
};

template <class Function>
HWY_INLINE void Evaluate(const FilterTables& tables, const double* x, int64_t count,
                         double* values) {
  const Doubles d;
  const Vec infinity = Set(__builtin_inf());
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const Vec given = hn::LoadU(d, x + i);
    // Zeros and infinities stand in tables of the edition: not known.
    const auto special = hn::Or(hn::Eq(given, hn::Zero(d)), hn::Eq(hn::Abs(given), infinity));
    const auto nan = hn::IsNaN(given);
    const Vec value = Function::Of(tables, hn::IfThenElse(hn::Or(special, nan), Set(1), given));
    // A result of zero, such as that of LOG(1), has no binade; it has a bound of its own.
    const auto unknown = hn::Or(special, hn::Eq(value, hn::Zero(d)));
    hn::StoreU(hn::IfThenElse(nan, given, hn::IfThenElse(unknown, infinity, value)), d, values + i);
  }
}

void EvaluateCos(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<CosFunction>(tables, x, count, values);
}
void EvaluateErf(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<ErfFunction>(tables, x, count, values);
}
void EvaluateExp(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<ExpFunction>(tables, x, count, values);
}
void EvaluateLog(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<LogFunction>(tables, x, count, values);
}
void EvaluateReciprocal(const FilterTables& tables, const double* x, int64_t count,
                        double* values) {
  Evaluate<ReciprocalFunction>(tables, x, count, values);
}
void EvaluateRsqrt(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<RsqrtFunction>(tables, x, count, values);
}
void EvaluateSigmoid(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<SigmoidFunction>(tables, x, count, values);
}
void EvaluateSin(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<SinFunction>(tables, x, count, values);
}
void EvaluateTanh(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<TanhFunction>(tables, x, count, values);
}

// x^y = e^(y ln x) for positive bases, where y ln x is off by less than 2^-46 of at most 700, the
// result by less than 2^-36. Beyond 700 as in Exponential.
void EvaluatePow(const FilterBound& bound, const double* x, const double* y, int64_t count,
                 double* values, double* bounds) {
  const Doubles d;
  const Vec zero = hn::Zero(d), infinity = Set(__builtin_inf());
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const Vec base = hn::LoadU(d, x + i), exponent = hn::LoadU(d, y + i);
    const auto base_known = hn::And(hn::Gt(base, zero), hn::Lt(base, infinity));
    const auto exponent_known =
        hn::And(hn::Lt(hn::Abs(exponent), infinity), hn::Ne(exponent, zero));
    const auto known = hn::And(base_known, exponent_known);
    const Vec log = hn::Mul(exponent, Logarithm(hn::IfThenElse(known, base, Set(1))));
    const Vec value = Exponential(log);
    hn::StoreU(hn::IfThenElse(known, value, infinity), d, values + i);
    const Vec magnitude = LeastMagnitude(value), log_size = hn::Abs(log);
    const Vec unit = Set(bound.unit);
    const Vec slope = Set(bound.slope), constant = Set(bound.constant);
    Vec limit = bound.kind == FilterBoundKind::kOfRaisedReference
                    ? hn::Max(magnitude, Set(bound.normal_min))
                    : magnitude;
    limit = hn::Mul(limit, unit);
    if (bound.log_scale == 0) {
      limit = hn::Mul(limit, Step(log_size, slope, constant));
    } else {
      // expm1(z) >= z. |log + mul_error| >= |log| - mul_error, and at least mul_error if log is
      // positive; the first will do.
      const Vec mul_error =
          hn::Mul(unit, hn::Max(hn::Mul(log_size, Set(bound.log_scale)),
                                hn::Mul(hn::Abs(exponent), Set(bound.log_least))));
      const Vec left = hn::Max(hn::Sub(log_size, hn::Add(mul_error, mul_error)), zero);
      limit = Step(limit, Step(left, slope, constant), hn::Mul(magnitude, mul_error));
    }
    hn::StoreU(hn::Mul(limit, Set(kLess)), d, bounds + i);
  }
}

void Bounds(const FilterBound& bound, const double* x, const double* values, int64_t count,
            double* bounds) {
  const Doubles d;
  const Vec scale = Set(bound.scale * kLess), least = Set(bound.least * kLess);
  const Vec normal_min = Set(bound.normal_min);
  const Vec exponent_bits = hn::BitCast(d, hn::Set(Words(), uint64_t{0x7FF} << 52));
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const Vec given = hn::Abs(hn::LoadU(d, x + i));
    Vec magnitude = LeastMagnitude(hn::LoadU(d, values + i));
    switch (bound.kind) {
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
    const Vec factor = Step(given, Set(bound.slope), Set(bound.constant));
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
  int64_t above[kSlots] = {}, clear_count = 0, doubtful = 0, candidates = 0;
  for (int64_t i = 0; i < count; i += lanes) {
    const Vec value = hn::LoadU(d, values + i), result = hn::LoadU(d, results + i);
    const Vec limit = hn::LoadU(d, bounds + i);
    const Vec size = hn::Abs(value), magnitude = hn::Abs(result);
    const Vec distance = hn::Abs(hn::Sub(result, value));
    // The distance itself rounds.
    const Vec error =
        hn::Add(Step(size, Set(bound.relative), Set(kTiny)), hn::Mul(distance, Set(0x1p-50)));
    const auto near = hn::And(hn::Le(hn::Add(distance, error), limit), hn::Lt(size, Set(0x1p900)));
    // Zero stands for what lies below the least normal number.
    const auto flushed =
        hn::And(hn::Eq(result, zero), hn::Lt(hn::Mul(size, Set(1 + 0x1p-30)), normal_min));
    // An infinity is right where the reference itself overflows. The sign of `value` is right.
    const auto overflowed =
        hn::And(hn::And(hn::Eq(magnitude, infinity), hn::Gt(hn::Mul(result, value), zero)),
                hn::And(hn::Gt(LeastMagnitude(value), Set(bound.max)), hn::Lt(size, infinity)));
    const auto nan = hn::And(hn::IsNaN(value), hn::IsNaN(result));
    // The error in units in the last place. If the binade of the reference is not certain, the
    // error is not either.
    const Vec binade = hn::Max(hn::And(value, exponent_bits), normal_min);
    const auto per_ulp =
        hn::Sub(hn::Set(dw, static_cast<uint64_t>(2046 + bound.fraction_bits) << 52),
                hn::BitCast(dw, binade));
    const auto numbers = hn::Or(near, flushed);
    Vec ulp = hn::IfThenElseZero(numbers, hn::Mul(distance, hn::BitCast(d, per_ulp)));
    ulp = hn::IfThenElseZero(hn::Ge(ulp, Set(kFilterResolution)), ulp);
    const Vec low = hn::And(hn::Mul(size, Set(1 - 2 * bound.relative)), exponent_bits);
    const Vec high = hn::And(hn::Mul(size, Set(1 + 2 * bound.relative)), exponent_bits);
    const auto measured = hn::Or(hn::Eq(low, high), hn::Eq(ulp, zero));
    const auto clear = hn::And(hn::Or(numbers, hn::Or(overflowed, nan)), measured);
    ulp = hn::IfThenElseZero(clear, ulp);
    hn::StoreU(ulp, d, figures.errors + i);

    uint8_t bits[8] = {};
    const int64_t left = count - i;
    const unsigned present = left >= lanes ? (1U << lanes) - 1 : (1U << left) - 1;
    hn::StoreMaskBits(d, clear, bits);
    const unsigned accepted = bits[0] & present;
    clear_count += __builtin_popcount(accepted);
    for (unsigned rest = present & ~accepted; rest != 0; rest &= rest - 1) {
      figures.doubtful[doubtful++] = static_cast<uint16_t>(i + __builtin_ctz(rest));
    }
    if (left < lanes) ulp = hn::IfThenElseZero(hn::FirstN(d, static_cast<size_t>(left)), ulp);
    constexpr size_t kFew = 3;
    for (size_t k = 0; k < kFew; ++k) {
      above[k] += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(ulp, Set(kFilterEnds[k]))));
    }
    if (!hn::AllFalse(d, hn::Gt(ulp, Set(kFilterEnds[kFew - 1])))) {
      for (size_t k = kFew; k < kSlots; ++k) {
        above[k] += static_cast<int64_t>(hn::CountTrue(d, hn::Gt(ulp, Set(kFilterEnds[k]))));
      }
    }
    const auto worse = hn::Gt(ulp, Set(least_worst));
    if (!hn::AllFalse(d, worse)) {
      hn::StoreMaskBits(d, worse, bits);
      for (unsigned rest = bits[0] & present; rest != 0; rest &= rest - 1) {
        figures.candidates[candidates++] = static_cast<uint16_t>(i + __builtin_ctz(rest));
      }
    }
  }
  figures.clear = clear_count;
  figures.doubtful_count = doubtful;
  figures.candidate_count = candidates;
  for (size_t k = 0; k < kSlots; ++k) figures.above[k] = above[k];
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(EvaluateCos);
HWY_EXPORT(EvaluateErf);
HWY_EXPORT(EvaluateExp);
HWY_EXPORT(EvaluateLog);
HWY_EXPORT(EvaluatePow);
HWY_EXPORT(EvaluateReciprocal);
HWY_EXPORT(EvaluateRsqrt);
HWY_EXPORT(EvaluateSigmoid);
HWY_EXPORT(EvaluateSin);
HWY_EXPORT(EvaluateTanh);
HWY_EXPORT(Bounds);
HWY_EXPORT(Compare);

namespace {

constexpr mpfr_prec_t kTablePrecision = 400;

// The next bits of `rest`, toward zero; they are taken off it.
double Cut(MpfrFloat& rest, mpfr_prec_t bits) {
  MpfrFloat part(bits);
  mpfr_set(part.raw(), rest.raw(), MPFR_RNDZ);
  rest = Sub(rest, part);
  return part.ToDouble();
}

FilterTables MakeTables() {
  FreeMpfrCachesAtThreadExit();
  FilterTables tables;
  const auto integer = [](int64_t value) { return MpfrFloat::FromInteger(value, kTablePrecision); };
  MpfrFloat pi(kTablePrecision);
  mpfr_const_pi(pi.raw(), MPFR_RNDN);
  const MpfrFloat two_by_pi = Div(integer(2), pi);
  for (int i = 0; i < FilterTables::kExponents; ++i) {
    const int exponent = FilterTables::kLeastExponent + i;
    MpfrFloat turns(kTablePrecision);
    mpfr_mul_2si(turns.raw(), two_by_pi.raw(), exponent - 23, MPFR_RNDN);
    mpfr_fmod(turns.raw(), turns.raw(), integer(4).raw(), MPFR_RNDN);
    tables.turns[0][i] = std::ldexp(Cut(turns, 29), 23 - exponent);
    tables.turns[1][i] = std::ldexp(Cut(turns, 29), 23 - exponent);
    tables.turns[2][i] = std::ldexp(turns.ToDouble(), 23 - exponent);
  }
  // Derivative n + 1 of erf is (-1)^n H_n(x) e^(-x^2) 2 / sqrt(pi), with Hermite's polynomials
  // H_0 = 1, H_1 = 2x, H_n+1 = 2x H_n - 2n H_n-1.
  MpfrFloat root_of_pi(kTablePrecision);
  mpfr_sqrt(root_of_pi.raw(), pi.raw(), MPFR_RNDN);
  for (int i = 0; i < FilterTables::kSteps; ++i) {
    const MpfrFloat x = Div(integer(2 * i + 1), integer(32));
    MpfrFloat value(kTablePrecision);
    mpfr_erf(value.raw(), x.raw(), MPFR_RNDN);
    tables.erf[0][i] = value.ToDouble();
    MpfrFloat factor = Sub(integer(0), Mul(x, x));
    mpfr_exp(factor.raw(), factor.raw(), MPFR_RNDN);
    factor = Div(Mul(factor, integer(2)), root_of_pi);
    MpfrFloat before = integer(0), hermite = integer(1);
    for (int n = 0; n < FilterTables::kDegree; ++n) {
      factor = Div(factor, integer(n + 1));
      const MpfrFloat coefficient = Mul(factor, hermite);
      tables.erf[n + 1][i] =
          n % 2 == 0 ? coefficient.ToDouble() : Sub(integer(0), coefficient).ToDouble();
      const MpfrFloat next = Sub(Mul(Mul(integer(2), x), hermite), Mul(integer(2 * n), before));
      before = hermite;
      hermite = next;
    }
  }
  return tables;
}

const FilterTables& Tables() {
  static const FilterTables tables = MakeTables();
  return tables;
}

}  // namespace

namespace {

// The row that binds results of a type; null if there is none, or the comparing function is not one
// that the filter knows.
const PrecisionRow* FindRow(std::string_view op, std::string_view edition_id, DType type) {
  const StatusOr<const Edition*> edition = FindEdition(edition_id);
  if (!edition.ok() || (*edition)->precision == nullptr) return nullptr;
  const OperatorSpec* const spec = (*edition)->FindOperator(op);
  const PrecisionTable& precision = *(*edition)->precision;
  if (spec == nullptr || !ParseForm(precision.form()).ok()) return nullptr;
  for (const TypeRow& types : spec->type_rows) {
    if (types.Type("in_out_t") != type) continue;
    const auto row = precision.Find(op, types, type, [](const std::string&) { return ""; });
    if (row.ok()) return *row;
  }
  return nullptr;
}

FilterBoundKind KindOf(Magnitude magnitude) {
  switch (magnitude) {
    case Magnitude::kOne:
      return FilterBoundKind::kOfArgument;
    case Magnitude::kReference:
      return FilterBoundKind::kOfReference;
    case Magnitude::kRaisedReference:
      return FilterBoundKind::kOfRaisedReference;
    case Magnitude::kBinade:
      break;
  }
  return FilterBoundKind::kOfBinade;
}

// The numbers of a row; false for a rule that is no multiple of anything.
bool SetBound(const PrecisionRow& row, DType type, FilterBound& bound) {
  const int frac = Format(type).fraction_bits;
  const double unit = std::ldexp(1.0, -(row.half_of_the_fraction ? frac / 2 : frac));
  bound.scale = row.scale * unit;
  switch (row.kind) {
    case PrecisionClass::kUlp:
      bound.kind = FilterBoundKind::kOfBinade;
      return true;
    case PrecisionClass::kElementwise:
      bound.kind = KindOf(row.magnitude);
      bound.constant = row.Constant(type);
      bound.slope = row.slope;
      bound.least = std::max(row.least * unit, row.least_normal_min * bound.normal_min);
      return true;
    case PrecisionClass::kPower:
      bound.kind = KindOf(row.magnitude);
      bound.constant = row.scale * row.Constant(type);
      bound.slope = row.scale * row.slope;
      bound.log_scale = row.logarithm_scale;
      bound.log_least = row.logarithm_least;
      return true;
    default:
      return false;
  }
}

}  // namespace

std::optional<SweepFilter> SweepFilter::For(std::string_view op, std::string_view edition,
                                            DType type) {
  constexpr std::pair<std::string_view, Function> kFunctions[] = {
      {"COS", Function::kCos},     {"ERF", Function::kErf},
      {"EXP", Function::kExp},     {"LOG", Function::kLog},
      {"POW", Function::kPow},     {"RECIPROCAL", Function::kReciprocal},
      {"RSQRT", Function::kRsqrt}, {"SIGMOID", Function::kSigmoid},
      {"SIN", Function::kSin},     {"TANH", Function::kTanh}};
  if (type != DType::kFp16 && type != DType::kBf16 && type != DType::kFp32) return std::nullopt;
  const auto* const function = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                            [&](const auto& each) { return each.first == op; });
  if (function == std::end(kFunctions)) return std::nullopt;
  SweepFilter filter;
  filter.function_ = function->second;
  if (filter.binary() && type == DType::kFp32) return std::nullopt;
  const PrecisionRow* const row = FindRow(op, edition, type);
  const FloatFormat& format = Format(type);
  FilterBound& bound = filter.bound_;
  bound.unit = std::ldexp(1.0, -format.fraction_bits);
  bound.normal_min = format.normal_min();
  bound.max = format.max;
  bound.fraction_bits = format.fraction_bits;
  bound.relative = filter.binary() ? 0x1p-34 : 0x1p-46;
  if (row == nullptr || !SetBound(*row, type, bound)) return std::nullopt;
  return filter;
}

void SweepFilter::Approximate(const double* x, const double* y, int64_t count, double* values,
                              double* bounds) const {
  const FilterTables& tables = Tables();
  switch (function_) {
    case Function::kPow:
      return HWY_DYNAMIC_DISPATCH(EvaluatePow)(bound_, x, y, count, values, bounds);
    case Function::kCos:
      HWY_DYNAMIC_DISPATCH(EvaluateCos)(tables, x, count, values);
      break;
    case Function::kErf:
      HWY_DYNAMIC_DISPATCH(EvaluateErf)(tables, x, count, values);
      break;
    case Function::kExp:
      HWY_DYNAMIC_DISPATCH(EvaluateExp)(tables, x, count, values);
      break;
    case Function::kLog:
      HWY_DYNAMIC_DISPATCH(EvaluateLog)(tables, x, count, values);
      break;
    case Function::kReciprocal:
      HWY_DYNAMIC_DISPATCH(EvaluateReciprocal)(tables, x, count, values);
      break;
    case Function::kRsqrt:
      HWY_DYNAMIC_DISPATCH(EvaluateRsqrt)(tables, x, count, values);
      break;
    case Function::kSigmoid:
      HWY_DYNAMIC_DISPATCH(EvaluateSigmoid)(tables, x, count, values);
      break;
    case Function::kSin:
      HWY_DYNAMIC_DISPATCH(EvaluateSin)(tables, x, count, values);
      break;
    case Function::kTanh:
      HWY_DYNAMIC_DISPATCH(EvaluateTanh)(tables, x, count, values);
      break;
  }
  HWY_DYNAMIC_DISPATCH(Bounds)(bound_, x, values, count, bounds);
}

void SweepFilter::Look(const double* x, const double* y, const double* results, int64_t count,
                       double least_worst, FilterFigures& figures) const {
  double values[kFilterBlock], bounds[kFilterBlock];
  Approximate(x, y, count, values, bounds);
  HWY_DYNAMIC_DISPATCH(Compare)(bound_, values, bounds, results, count, least_worst, figures);
}

}  // namespace cts
#endif

#include "tools/program/sweep/filter_functions.h"

#include "tools/program/sweep/filter_tables.h"

// Highway compiles this file once for each instruction set and takes the best one when it runs.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tools/program/sweep/filter_functions.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

#include "tools/program/sweep/filter_vectors-inl.h"

HWY_BEFORE_NAMESPACE();
namespace cts::HWY_NAMESPACE {

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

HWY_INLINE Vec Exponential(Vec x) {
  const Power power = PowerOfE(hn::Max(Set(-kFarExponent), hn::Min(x, Set(kFarExponent))));
  return Step(power.scale, power.rest, power.scale);
}

// x = 2^k m with m in [sqrt(1/2), sqrt(2)), and ln m = 2 (f + f^3 / 3 + ...), f = (m - 1) / (m +
// 1), |f| < 0.1716. Only m + 1 and the quotient round before the series: 2^-52 of f. The series
// leaves out f^19 / 19 ..., 2^-50 of f. The number added to k ln 2 cannot cancel it, as |ln m| <
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
// integer of 24 bits, so that the first two products are exact. `turns` leaves out 2^-111 * 2^26. x
// is at least 2^-32 away from any multiple of pi / 2 (the test looks for the nearest), and the
// third product lies below 2^-32 / 2: t is off by less than 2^-50 of itself.
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
  const auto odd =
      hn::RebindMask(Doubles(), hn::Ne(hn::And(n, hn::Set(dw, uint64_t{1})), hn::Zero(dw)));
  // Each lane takes the coefficients of its own function.
  constexpr size_t kTerms = sizeof(kSine) / sizeof(double);
  static_assert(sizeof(kCosine) == sizeof(kSine));
  const auto term = [&](size_t i)
                        HWY_ATTR { return hn::IfThenElse(odd, Set(kCosine[i]), Set(kSine[i])); };
  Vec sum = term(kTerms - 1);
  for (size_t i = kTerms - 1; i-- > 0;) sum = Step(sum, square, term(i));
  const Vec factor = hn::IfThenElse(odd, square, hn::Mul(r, square));
  const Vec value = Step(factor, sum, hn::IfThenElse(odd, Set(1), r));
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
struct CastFunction {
  static HWY_INLINE Vec Of(const FilterTables&, Vec x) { return x; }
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

void Widen(const int32_t* integers, int64_t count, double* numbers) {
  const Doubles d;
  const hn::Rebind<int32_t, Doubles> di;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    hn::StoreU(hn::PromoteTo(d, hn::LoadU(di, integers + i)), d, numbers + i);
  }
  for (; i < count; ++i) numbers[i] = integers[i];
}

void EvaluateCast(const FilterTables& tables, const double* x, int64_t count, double* values) {
  Evaluate<CastFunction>(tables, x, count, values);
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

template <class Function>
HWY_INLINE void EvaluatePairs(const FilterBound& bound, bool of_numbers, const double* x,
                              const double* y, int64_t count, double* values,
                              const Function& function) {
  const Doubles d;
  const Vec infinity = Set(__builtin_inf()), normal_min = Set(bound.normal_min);
  const Vec max = Set(bound.max), beyond = Set(2 * bound.max);
  const auto is_normal = [&](Vec given) HWY_ATTR {
    const Vec size = hn::Abs(given);
    return hn::And(hn::Ge(size, normal_min), hn::Lt(size, infinity));
  };
  for (int64_t i = 0; i < count; i += static_cast<int64_t>(hn::Lanes(d))) {
    const Vec a = hn::LoadU(d, x + i), b = hn::LoadU(d, y + i);
    Vec value = function(a, b);
    const Vec size = hn::Abs(value);
    const auto is_number =
        hn::And(hn::Gt(size, hn::Zero(d)), hn::Or(hn::Le(size, max), hn::Ge(size, beyond)));
    const auto known = hn::And(hn::And(is_normal(a), is_normal(b)), is_number);
    value = hn::IfThenElse(known, value, infinity);
    if (!of_numbers) {
      const auto is_small = [&](Vec given) HWY_ATTR { return hn::Lt(hn::Abs(given), normal_min); };
      const auto nan =
          hn::Or(hn::AndNot(is_small(b), hn::IsNaN(a)), hn::AndNot(is_small(a), hn::IsNaN(b)));
      value = hn::IfThenElse(nan, Set(__builtin_nan("")), value);
    }
    hn::StoreU(value, d, values + i);
  }
}

void Pairs(FilterFunction function, const FilterBound& bound, const double* x, const double* y,
           int64_t count, double* values) {
  switch (function) {
    case FilterFunction::kAdd:
      return EvaluatePairs(bound, false, x, y, count, values,
                           [](Vec a, Vec b) HWY_ATTR { return hn::Add(a, b); });
    case FilterFunction::kSub:
      return EvaluatePairs(bound, false, x, y, count, values,
                           [](Vec a, Vec b) HWY_ATTR { return hn::Sub(a, b); });
    case FilterFunction::kMul:
      return EvaluatePairs(bound, false, x, y, count, values,
                           [](Vec a, Vec b) HWY_ATTR { return hn::Mul(a, b); });
    case FilterFunction::kMaximum:
      return EvaluatePairs(bound, true, x, y, count, values, [](Vec a, Vec b) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(a, b), b, a);
      });
    case FilterFunction::kMinimum:
      return EvaluatePairs(bound, true, x, y, count, values, [](Vec a, Vec b) HWY_ATTR {
        return hn::IfThenElse(hn::Lt(b, a), b, a);
      });
    default:
      return;
  }
}

}  // namespace cts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {

HWY_EXPORT(EvaluateCast);
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
HWY_EXPORT(Pairs);
HWY_EXPORT(Widen);

void WidenIntegers(const uint8_t* integers, int64_t count, double* numbers) {
  HWY_DYNAMIC_DISPATCH(Widen)(reinterpret_cast<const int32_t*>(integers), count, numbers);
}

void FilterValues(FilterFunction function, const double* x, int64_t count, double* values) {
  const FilterTables& tables = TheFilterTables();
  switch (function) {
    case FilterFunction::kCast:
      return HWY_DYNAMIC_DISPATCH(EvaluateCast)(tables, x, count, values);
    case FilterFunction::kCos:
      return HWY_DYNAMIC_DISPATCH(EvaluateCos)(tables, x, count, values);
    case FilterFunction::kErf:
      return HWY_DYNAMIC_DISPATCH(EvaluateErf)(tables, x, count, values);
    case FilterFunction::kExp:
      return HWY_DYNAMIC_DISPATCH(EvaluateExp)(tables, x, count, values);
    case FilterFunction::kLog:
      return HWY_DYNAMIC_DISPATCH(EvaluateLog)(tables, x, count, values);
    case FilterFunction::kReciprocal:
      return HWY_DYNAMIC_DISPATCH(EvaluateReciprocal)(tables, x, count, values);
    case FilterFunction::kRsqrt:
      return HWY_DYNAMIC_DISPATCH(EvaluateRsqrt)(tables, x, count, values);
    case FilterFunction::kSigmoid:
      return HWY_DYNAMIC_DISPATCH(EvaluateSigmoid)(tables, x, count, values);
    case FilterFunction::kSin:
      return HWY_DYNAMIC_DISPATCH(EvaluateSin)(tables, x, count, values);
    case FilterFunction::kTanh:
      return HWY_DYNAMIC_DISPATCH(EvaluateTanh)(tables, x, count, values);
    default:  // FilterPowers, FilterPairs
      return;
  }
}

void FilterPairs(FilterFunction function, const FilterBound& bound, const double* x,
                 const double* y, int64_t count, double* values) {
  HWY_DYNAMIC_DISPATCH(Pairs)(function, bound, x, y, count, values);
}

void FilterPowers(const FilterBound& bound, const double* x, const double* y, int64_t count,
                  double* values, double* bounds) {
  HWY_DYNAMIC_DISPATCH(EvaluatePow)(bound, x, y, count, values, bounds);
}

}  // namespace cts
#endif

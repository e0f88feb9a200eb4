#include "reference/numeric/fast_exp.h"

#include <array>
#include <cmath>
#include <cstdint>

#include "reference/numeric/mpfr_float.h"

namespace cts {
namespace {

// A number as the sum of two, the second of which is at most half a unit of the first's last place.
struct Pair {
  double high = 0, low = 0;
};

Pair PairOf(const MpfrFloat& value) {
  const double high = value.ToDouble();
  return {high, Sub(value, MpfrFloat::FromDouble(high)).ToDouble()};
}

constexpr int kSteps = 128;  // per factor of two

// ln(2) / 128 = ln_high + ln_middle + ln_low, where the first two have at most 36 bits, so that
// their products with an integer below 2^17 are exact; and 2^(j / 128).
struct Table {
  double ln_high, ln_middle, ln_low;
  std::array<Pair, kSteps> power;

  Table() {
    FreeMpfrCachesAtThreadExit();
    MpfrFloat ln;
    mpfr_const_log2(ln.raw(), MPFR_RNDN);
    ln = Div(ln, MpfrFloat::FromInteger(kSteps));
    const auto cut = [](double x) {  // toward zero, to 36 bits
      int exponent = 0;
      const double fraction = std::frexp(x, &exponent);
      return std::ldexp(std::trunc(std::ldexp(fraction, 36)), exponent - 36);
    };
    ln_high = cut(ln.ToDouble());
    ln = Sub(ln, MpfrFloat::FromDouble(ln_high));
    ln_middle = cut(ln.ToDouble());
    ln_low = Sub(ln, MpfrFloat::FromDouble(ln_middle)).ToDouble();
    for (int j = 0; j < kSteps; ++j) {
      MpfrFloat value = Div(MpfrFloat::FromInteger(j), MpfrFloat::FromInteger(kSteps));
      mpfr_exp2(value.raw(), value.raw(), MPFR_RNDN);
      power[static_cast<size_t>(j)] = PairOf(value);
    }
  }
};

// a + b exactly (Knuth); or if |a| >= |b| or a is zero (Dekker).
Pair TwoSum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
Pair FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}

}  // namespace

// x = k ln(2) / 128 + r and e^x = 2^(k / 128) e^r, with k = 128 m + j and |r| < 2^-8.5.
//
// Errors. r is known to 2^-110: k ln_high and k ln_middle are exact, TwoSum too, and the other
// addends lie below 2^-61. The value q = e^r - 1 - r, below 2^-18, is off by
//   2^-69.4   three roundings of at most 2^-53 relative: z^2, the last sum of the polynomial, and
//             their product; roundings within the polynomial add 2^-61 relative
//   2^-70.5   the part of r that it leaves out, r.high * r.low
//   2^-72     adding r.low
//   2^-83     the terms after r^7
// together less than 2^-68.5. The table and the products and sums of low parts add less than
// 2^-100. So the sum of `high` and `low` is off by less than 2^-68 of it, and 2^-67 leaves room for
// the rounding of low +- error itself. If both ends of that interval round to the same number, so
// does e^x, as rounding is monotonic (Ziv's test).
std::optional<double> FastExp(double x) {
  const double magnitude = std::fabs(x);
  // 1 - 2^-54 and 1 + 2^-53 are the ends of what rounds to 1.
  if (magnitude < 0x1p-54) return 1;
  if (!(magnitude <= 700)) return std::nullopt;  // e^700 < 2^1010; NaN
  static const Table table;

  constexpr double kStepsByLn2 = 0x1.71547652b82fep+7;  // 128 / ln(2), to fp64
  const auto k = static_cast<int64_t>(x * kStepsByLn2 + (x < 0 ? -0.5 : 0.5));
  const double steps = static_cast<double>(k);
  const Pair r1 = TwoSum(x, -steps * table.ln_high);
  const Pair r2 = TwoSum(r1.high, -steps * table.ln_middle);
  const Pair r = TwoSum(r2.high, r2.low + (r1.low - steps * table.ln_low));

  const double z = r.high;
  const double q =
      z * z *
      (1.0 / 2 + z * (1.0 / 6 + z * (1.0 / 24 + z * (1.0 / 120 + z * (1.0 / 720 + z / 5040)))));
  const Pair p = FastTwoSum(r.high, q + r.low);  // e^r - 1

  // 2^(j / 128) (1 + p).
  const int64_t j = k & (kSteps - 1), m = (k - j) / kSteps;
  const Pair t = table.power[static_cast<size_t>(j)];
  const double product = t.high * p.high;
  const double rest = std::fma(t.high, p.high, -product);  // exact
  const Pair sum = FastTwoSum(t.high, product);
  const double high = sum.high;
  const double low = sum.low + (t.low + (rest + t.high * p.low + t.low * p.high));
  const double error = high * 0x1p-67;
  const double least = high + (low - error), greatest = high + (low + error);
  if (least != greatest) return std::nullopt;
  return std::ldexp(least, static_cast<int>(m));  // exact: a normal number
}

}  // namespace cts

#include "reference/numeric/fast_functions.h"

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "reference/numeric/mpfr_float.h"

// Highway compiles this file once for each instruction set: only some have a fused multiply-add,
// which is a slow call elsewhere and gives the same.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "reference/numeric/fast_functions.cc"
#include <hwy/foreach_target.h>  // must stand before highway.h
#include <hwy/highway.h>

#ifndef CTS_REFERENCE_NUMERIC_FAST_FUNCTIONS_ONCE
#define CTS_REFERENCE_NUMERIC_FAST_FUNCTIONS_ONCE
namespace cts::fast {

// A number as the sum of two, the second of which is at most about a unit of the first's last
// place.
struct Pair {
  double high = 0, low = 0;
};

inline constexpr int kPowers = 128;     // of 2, per factor of two
inline constexpr int kInverses = 1024;  // of the numbers from 1 to 2
inline constexpr int kArcs = 1024;      // of pi/512: a turn
inline constexpr int kQuarter = kArcs / 4;
inline constexpr int kErrorSteps = 385;  // of 1/64: erf(x) rounds to 1 from x = 6 on
inline constexpr int kErrorPairs = 4;    // coefficients of a step's series as pairs,
inline constexpr int kErrorDoubles = 7;  // and those that follow
inline constexpr int kWordsOfTwoByPi = 21;

struct Tables {
  double ln_high, ln_middle, ln_low;        // ln(2) / 128; the first two have at most 36 bits
  double ln2_high, ln2_middle, ln2_low;     // ln(2); likewise
  double arc_high, arc_middle, arc_low;     // pi / 512; likewise
  double ln2_coarse, ln2_rest;              // ln(2), as a multiple of 2^-42 and what is left
  Pair third, arc;                          // 1/3, pi / 512
  std::array<Pair, kPowers> power;          // 2^(j / 128)
  std::array<double, kInverses> inverse;    // of the middle of a step, about
  std::array<Pair, kInverses> minus_log;    // -ln(inverse)
  std::array<Pair, kInverses> coarse;       // the same, as a multiple of 2^-42 and what is left
  std::array<Pair, kArcs + kQuarter> sine;  // of j pi / 512
  // erf(j / 64 + z) by powers of z, from the 0th to the 3rd and from the 4th to the 10th.
  std::array<std::array<Pair, kErrorPairs>, kErrorSteps> error_pairs;
  std::array<std::array<double, kErrorDoubles>, kErrorSteps> error_doubles;
  // 64 zero bits, then those of 2 / pi that follow the binary point.
  std::array<uint64_t, kWordsOfTwoByPi> two_by_pi;

  Tables();
  static const Tables& Get();
};

using Wide = unsigned __int128;

inline constexpr double kInDoubt = std::numeric_limits<double>::quiet_NaN();

}  // namespace cts::fast
#endif

HWY_BEFORE_NAMESPACE();
namespace cts::fast::HWY_NAMESPACE {

// Errors below are absolute or relative as they say. A unit u is 2^-53: a rounding is off by at
// most u of its result. Products and sums of pairs, as below, are off by less than 2^-100 of the
// product, or of the sum of the magnitudes (Joldes, Muller, Popescu, Tight and Rigorous Error
// Bounds for Basic Building Blocks of Double-Word Arithmetic: less than 8u^2), as nothing
// underflows here.

// a + b exactly (Knuth); or if |a| >= |b| or a is zero (Dekker).
inline Pair TwoSum(double a, double b) {
  const double sum = a + b, part = sum - a;
  return {sum, (a - (sum - part)) + (b - part)};
}
inline Pair FastTwoSum(double a, double b) {
  const double sum = a + b;
  return {sum, b - (sum - a)};
}
inline Pair Add(Pair a, Pair b) {
  const Pair high = TwoSum(a.high, b.high), low = TwoSum(a.low, b.low);
  const Pair sum = FastTwoSum(high.high, high.low + low.high);
  return FastTwoSum(sum.high, sum.low + low.low);
}
inline Pair Mul(Pair a, double b) {
  const double product = a.high * b;
  return FastTwoSum(product, std::fma(a.high, b, -product) + a.low * b);
}
inline Pair Mul(Pair a, Pair b) {
  const double product = a.high * b.high;
  const double rest = std::fma(a.high, b.high, -product);
  return FastTwoSum(product, rest + (a.high * b.low + a.low * b.high));
}
// The remainder of the first quotient is exact but for the low parts: off by less than 2^-100.
inline Pair Div(Pair a, Pair b) {
  const double quotient = a.high / b.high;
  const double rest = std::fma(-quotient, b.high, a.high) + (a.low - quotient * b.low);
  return FastTwoSum(quotient, rest / b.high);
}
inline Pair Minus(Pair a) { return {-a.high, -a.low}; }

// Ziv's test: the number that everything within `relative` of the value rounds to. Rounding is
// monotonic, so that it is enough to look at both ends. `relative` has room for the rounding of
// low +- error, 2^-104 of the value.
inline double Decide(Pair value, double relative) {
  const double error = std::fabs(value.high) * relative;
  const double least = value.high + (value.low - error);
  const double greatest = value.high + (value.low + error);
  return least == greatest ? least : kInDoubt;
}

// x = k ln(2) / 128 + r and e^x = 2^(k / 128) (1 + result), for |x| <= 709.
//
// k has at most 17 bits, so that its products with ln_high and ln_middle, of 36 bits, are exact.
// TwoSum is exact. The other addends lie below 2^-43 and are rounded three times: r is off by less
// than 2^-94, and not at all if k = 0. |r| < 2^-8.5.
//
// The result is r + r^2/2 + r^3 (1/6 + r/24 + ...). The first two are pairs, off by 2^-100. The
// third, below 2^-28, has seven roundings that count, those of the square, of z for r (three times
// u/2, doubled), of the cube, of 1/6, of the last sum, of the product and of adding it: 7u of
// 2^-28, 2^-78.2. The terms after r^8 are below r^9/9! < 2^-94. So the result is off by less than
// 2^-78; for k = 0, where r^2 < 2^-17, by less than 7u r^2/6 (1 + r) < 2^-69.7 of it.
inline Pair ExpOfPair(Pair x, int64_t* k) {
  const Tables& table = Tables::Get();
  constexpr double kStepsByLn2 = 0x1.71547652b82fep+7;  // 128 / ln(2), to fp64
  *k = static_cast<int64_t>(x.high * kStepsByLn2 + (x.high < 0 ? -0.5 : 0.5));
  const double steps = static_cast<double>(*k);
  const Pair r1 = TwoSum(x.high, -steps * table.ln_high);
  const Pair r2 = TwoSum(r1.high, -steps * table.ln_middle);
  const Pair r = TwoSum(r2.high, r2.low + (r1.low + (x.low - steps * table.ln_low)));
  const Pair square = Mul(r, r);
  const double z = r.high;
  const double cubic =
      square.high * z *
      (1.0 / 6 + z * (1.0 / 24 + z * (1.0 / 120 + z * (1.0 / 720 + z * (1.0 / 5040 + z / 40320)))));
  const Pair sum = Add(r, {0.5 * square.high, 0.5 * square.low});
  return FastTwoSum(sum.high, sum.low + cubic);
}

// 2^(j / 128) (1 + p), where k = 128 m + j. Off by less than 2^-78 + 2^-99 of it, since the table
// is off by 2^-106.
inline Pair Scaled(Pair p, int64_t k, int* m) {
  const int64_t j = k & (kPowers - 1);
  *m = static_cast<int>((k - j) / kPowers);
  const Pair power = Tables::Get().power[static_cast<size_t>(j)];
  return Add(power, Mul(power, p));
}

// A power of two, of a normal number.
inline double Exp2(int m) { return std::bit_cast<double>(static_cast<uint64_t>(1023 + m) << 52); }

// x = 2^e m with m from about 1/sqrt(2) to sqrt(2); c is the inverse of the middle of m's step, and
// r = m c - 1 an exact pair. A fused multiply-add gives m c as a pair, and m c - 1 is exact in
// fp64, as m c lies between 1/2 and 2. So ln(x) = e ln(2) - ln(c) + ln(1 + r).
//
// c = 1 in the steps on either side of 1, where |r| < 2^-10 and |r| < |ln(x)| (1 + 2^-9). Elsewhere
// |r| is about half of a step, |r| <= 2^-11, and |r| < 0.51 |ln(x)|.
struct Scaling {
  double exponent = 0;
  size_t step = 0;
  Pair r;
};
inline Scaling ScalingOf(double x) {
  const auto bits = std::bit_cast<uint64_t>(x);
  const auto step = static_cast<size_t>(bits >> 42 & (kInverses - 1));
  const uint64_t upper = step >= 424 ? 1 : 0;  // 1 + 424 / 1024 < sqrt(2)
  const auto exponent = static_cast<int64_t>((bits >> 52) + upper) - 1023;
  const double m =
      std::bit_cast<double>((bits & ((uint64_t{1} << 52) - 1)) | (uint64_t{1023} - upper) << 52);
  const double c = Tables::Get().inverse[step];
  const double product = m * c;
  return {static_cast<double>(exponent), step, FastTwoSum(product - 1, std::fma(m, c, -product))};
}

// ln(1 + r) is r - r^2/2 + r^3/3, as pairs, and r^4 (-1/4 + r/5 - ...), which has eight roundings
// that count: 8u r^3/4 < 2^-82 of r. The terms after r^9 are below r^9/10 < 2^-93 of r. The pairs
// are off by 2^-100 of their magnitudes: e ln2_high and e ln2_middle are exact, e ln2_low is off by
// 2^-110. Altogether less than 2^-81 of ln(x).
inline Pair LogOf(double x) {
  const Tables& table = Tables::Get();
  const Scaling scaling = ScalingOf(x);
  const Pair r = scaling.r;
  const Pair square = Mul(r, r);
  const double z = r.high;
  const double fourth =
      square.high * square.high *
      (-1.0 / 4 + z * (1.0 / 5 - z * (1.0 / 6 - z * (1.0 / 7 - z * (1.0 / 8 - z / 9)))));
  Pair sum = Add(r, {-0.5 * square.high, -0.5 * square.low});
  sum = Add(sum, Mul(Mul(square, r), table.third));
  sum = FastTwoSum(sum.high, sum.low + fourth);
  const double e = scaling.exponent;
  Pair whole = FastTwoSum(e * table.ln2_high, e * table.ln2_middle);
  whole.low += e * table.ln2_low;
  return Add(Add(whole, table.minus_log[scaling.step]), sum);
}

// The same in a third of the operations, off by less than 2^-71.5 of it.
//
// e ln2_coarse is a multiple of 2^-42 below 2^10 and exact, as is its sum with the table's. That
// sum is 0 or larger than |z| + z^2/2, so that both FastTwoSums are exact. Off are r^3/3 - ... -
// r^8/8, which has five roundings that count, and the three sums of low parts that contain it: 8u
// r^3/3. Where e = 0 and c = 1, |ln(x)| is about |r| < 2^-10, and that is 2^-71.58 of it; elsewhere
// |r| <= 2^-11, |ln(x)| > 2^-10.1, and it is 2^-74.5 of it. The part of r.low that r^3 leaves out
// adds 2^-76; r^9 and the rests of the tables add less than 2^-83.
inline Pair QuickLogOf(double x) {
  const Tables& table = Tables::Get();
  const Scaling scaling = ScalingOf(x);
  const double z = scaling.r.high, square = z * z;
  const double square_rest = std::fma(z, z, -square);
  const double cubic =
      square * z *
      (1.0 / 3 - z * (1.0 / 4 - z * (1.0 / 5 - z * (1.0 / 6 - z * (1.0 / 7 - z / 8)))));
  const Pair coarse = table.coarse[scaling.step];
  const double e = scaling.exponent;
  const Pair first = FastTwoSum(e * table.ln2_coarse + coarse.high, z);
  const Pair second = FastTwoSum(first.high, -0.5 * square);
  const double small = cubic + (e * table.ln2_rest + coarse.low);
  const double rest = scaling.r.low - (z * scaling.r.low + 0.5 * square_rest);
  return FastTwoSum(second.high, (first.low + second.low) + (small + rest));
}

inline bool IsNormalAboveZero(double x) {
  return x >= std::numeric_limits<double>::min() && x <= std::numeric_limits<double>::max();
}

double Log(double x) {
  if (!IsNormalAboveZero(x)) return kInDoubt;
  const double quick = Decide(QuickLogOf(x), 0x1p-71);
  return quick == quick ? quick : Decide(LogOf(x), 0x1p-75);
}

// e^x = 2^m value for |x| <= 700, as in FastExp, off by less than 2^-68 of it by the same account.
// Here k has 17 bits, and r is off by 2^-94.5. The difference x - k ln_high is exact: if k is not 0
// both are multiples of 2^-61, and their difference is below 2^-8.4. x.low may be 2^-42.8, so that
// r is
// made a pair again.
inline Pair QuickExpOf(Pair x, int* m) {
  const Tables& table = Tables::Get();
  constexpr double kStepsByLn2 = 0x1.71547652b82fep+7;  // 128 / ln(2), to fp64
  const auto k = static_cast<int64_t>(x.high * kStepsByLn2 + std::copysign(0.5, x.high));
  const double steps = static_cast<double>(k);
  const Pair part = TwoSum(x.high - steps * table.ln_high, -steps * table.ln_middle);
  const Pair r = TwoSum(part.high, part.low + (x.low - steps * table.ln_low));
  const double z = r.high;
  const double q =
      z * z *
      (1.0 / 2 + z * (1.0 / 6 + z * (1.0 / 24 + z * (1.0 / 120 + z * (1.0 / 720 + z / 5040)))));
  const Pair p = FastTwoSum(r.high, q + r.low);
  const int64_t j = k & (kPowers - 1);
  *m = static_cast<int>((k - j) / kPowers);
  const Pair power = table.power[static_cast<size_t>(j)];
  const double product = power.high * p.high;
  const double rest = std::fma(power.high, p.high, -product);
  const Pair sum = FastTwoSum(power.high, product);
  return {sum.high, sum.low + (power.low + (rest + power.high * p.low + power.low * p.high))};
}

// y ln(x) is off by 2^-81 + 2^-100 of it, 2^-71.4 where it is below 709, and e^x by 2^-77.9:
// together less than 2^-71.3. The quick way: 2^-71.5 y ln(x), 2^-68, and 2^-104 for their products.
double Pow(double x, double y) {
  if (!IsNormalAboveZero(x) || !std::isfinite(y)) return kInDoubt;
  const Pair quick_log = QuickLogOf(x);
  const double product = quick_log.high * y;
  // Beyond what fp64 holds: e^710 > 2^1024, e^-746 < 2^-1075.
  if (product > 710) return std::numeric_limits<double>::infinity();
  if (product < -746) return 0;
  // 1 - 2^-54 and 1 + 2^-53 are the ends of what rounds to 1.
  const double size = std::fabs(product);
  if (size < 0x1p-55) return 1;
  if (size > 700) return kInDoubt;
  int m = 0;
  const Pair value =
      QuickExpOf({product, std::fma(quick_log.high, y, -product) + quick_log.low * y}, &m);
  double decided = Decide(value, 0x1p-67 + size * 0x1p-71);
  if (decided != decided) {
    int64_t k = 0;
    const Pair p = ExpOfPair(Mul(LogOf(x), y), &k);
    decided = Decide(Scaled(p, k, &m), 0x1p-70);
  }
  return decided * Exp2(m);  // exact: a normal number
}

// 1 / (1 + E) is off by less than E is, 2^-77.9, and 2^-98.
double Logistic(double x) {
  if (x >= 40) return 1;              // 1 - e^-40 > 1 - 2^-57
  if (x < -746) return 0;             // less than e^-746 < 2^-1075
  if (!(x >= -600)) return kInDoubt;  // e^600 < 2^866: no rest is subnormal
  int64_t k = 0;
  int m = 0;
  const Pair p = ExpOfPair({-x, 0}, &k);
  const Pair value = Scaled(p, k, &m);
  const double scale = Exp2(m);
  return Decide(Div({1, 0}, Add({1, 0}, {value.high * scale, value.low * scale})), 0x1p-74);
}

// P / (P + 2) with P = e^2|x| - 1. For k = 0 P is off by 2^-69.7 of it. Otherwise |2x| > 2^-8.6, so
// that P > 2^-8.6 e^2|x|, and P is off by 2^-77.9 e^2|x| < 2^-69.3 P. tanh is off by no more than P
// is, relatively, since P / (P + 2) grows more slowly than P; and 2^-98.
double Tanh(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude >= 20) return std::copysign(1.0, x);  // 1 - 2 e^-40 > 1 - 2^-56
  // x - tanh(x) < x^3 / 3, less than 2^-55 x.
  if (magnitude < 0x1p-27) return x;
  if (!(magnitude < 20)) return kInDoubt;  // NaN
  int64_t k = 0;
  int m = 0;
  Pair p = ExpOfPair({2 * magnitude, 0}, &k);
  if (k != 0) {
    const Pair value = Scaled(p, k, &m);
    const double scale = Exp2(m);
    p = Add({value.high * scale, value.low * scale}, {-1, 0});
  }
  return std::copysign(Decide(Div(p, Add(p, {2, 0})), 0x1p-68), x);
}

// x >= 0 to the nearest integer, exactly: x + 0.5 might be rounded up to the next. So x <= 2j (for
// j > 0, where x >= j - 1/2 >= j/2) and their difference is exact in fp64 (Sterbenz).
inline size_t Nearest(double x) {
  const auto below = static_cast<size_t>(x);
  return x - static_cast<double>(below) >= 0.5 ? below + 1 : below;
}

// x = step pi/512 + rest modulo a turn, |rest| <= pi/1024 (1 + 2^-30).
struct Turned {
  int64_t step = 0;
  Pair rest;  // not reduced: the low part may be 2^-60
  bool known = false;
};

// Payne and Hanek's reduction. x = M 2^E with an integer M of 53 bits. The bits of 2/pi whose
// product with 2^E is a multiple of 4 turn x by whole turns: the first 256 other bits are taken. M
// times that integer, modulo 2^256, is 2^254 times x (2/pi) modulo 4, less what the bits that were
// not taken would add, below 2^53. The first 10 bits are the step. 192 bits of a step's fraction
// are kept, off by less than 2^-191; one below 2^-64 is left to MPFR, and 106 of the bits that
// follow its zeros count: the rest is off by less than 2^-126, by 2^-105, and by 2^-100 for its
// product with pi/512, of it.
inline Turned ReduceFar(double x) {
  const std::array<uint64_t, kWordsOfTwoByPi>& table = Tables::Get().two_by_pi;
  const auto bits = std::bit_cast<uint64_t>(std::fabs(x));
  const int exponent = static_cast<int>(bits >> 52) - 1023 - 52;
  const uint64_t integer = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{1} << 52;
  // Bit p after the point, times 2^E, is a multiple of 4 if p <= E - 2. Bit 1 is bit 64 of the
  // table.
  const int first = exponent + 62;
  const auto word = static_cast<size_t>(first / 64);
  const int shift = first % 64;
  const auto taken = [&](size_t i) {
    return shift == 0 ? table[word + i]
                      : table[word + i] << shift | table[word + i + 1] >> (64 - shift);
  };
  uint64_t product[4];  // the most significant first
  Wide carry = 0;
  for (size_t i = 4; i-- > 0;) {
    carry += static_cast<Wide>(taken(i)) * integer;
    product[i] = static_cast<uint64_t>(carry);
    carry >>= 64;
  }
  auto step = static_cast<int64_t>(product[0] >> 54);
  uint64_t high = product[0] << 10 | product[1] >> 54, middle = product[1] << 10 | product[2] >> 54;
  uint64_t low = product[2] << 10 | product[3] >> 54;
  const bool negative = high >> 63 != 0;  // more than half a step: nearer to the next
  if (negative) {
    ++step;
    high = ~high, middle = ~middle, low = ~low;  // short of the negative by 2^-192
  }
  if (high == 0) return {};
  const int zeros = std::countl_zero(high);
  if (zeros > 0) {
    high = high << zeros | middle >> (64 - zeros);
    middle = middle << zeros | low >> (64 - zeros);
  }
  const double scale = Exp2(-zeros);
  const Pair fraction =
      FastTwoSum(static_cast<double>(high >> 11) * 0x1p-53,
                 static_cast<double>((high & 0x7ff) << 42 | middle >> 22) * 0x1p-106);
  const Pair rest = Mul({fraction.high * scale, fraction.low * scale}, Tables::Get().arc);
  const bool flipped = negative != (x < 0);
  return {x < 0 ? -step : step, flipped ? Minus(rest) : rest, true};
}

// Below 800 a step has at most 17 bits, so that its products with arc_high and arc_middle, of 36
// bits, are exact. The difference x - step arc_high is exact: if step is not 0 both are multiples
// of 2^-61, as |x| > 2^-8.4, and their difference is below 2^-8. TwoSum is exact. The other addends
// lie below 2^-61: the rest is off by less than 2^-113, and by 2^-73 of it, unless it is below
// 2^-40 (or by nothing, if step is 0).
inline Turned Reduce(double x) {
  const Tables& table = Tables::Get();
  if (std::fabs(x) < 800) {
    constexpr double kStepsByPi = 0x1.45f306dc9c883p+7;  // 512 / pi, to fp64
    const auto step = static_cast<int64_t>(x * kStepsByPi + std::copysign(0.5, x));
    const double steps = static_cast<double>(step);
    const Pair part = TwoSum(x - steps * table.arc_high, -steps * table.arc_middle);
    if (step == 0 || std::fabs(part.high) >= 0x1p-40) {
      return {step, {part.high, part.low - steps * table.arc_low}, true};
    }
  }
  return ReduceFar(x);
}

// The sine of the sum of an angle A = step pi/512 and the rest r, |r| < 2^-8.34:
// sin(A) + (cos(A) sin(r) + sin(A) (cos(r) - 1)). Either sin(A) is 0 or |sin(A)| > 2^-7.36, larger
// than r. So FastTwoSum is exact, and the result V is at least half of sin(A).
//
// Off are, with M = r^2/2 < 2^-17.68 and parts of sin(A): cos(r) - 1, by roundings of the square,
// the sum and the product, 3u M; by the part r.high r.low that it leaves out, 2^-69.3; by the
// product with sin(A), two sums of low parts and Decide's own, of M each: 4u M. Together 2^-67.4 of
// sin(A), 2^-66.4 of V. sin(r) - r and the sums and products of low parts have twelve roundings
// that count: 12u r^3/6 < 2^-77, which is less than 2^-68.6 of V, and so is 12u r^2/6 where sin(A)
// is 0. The part r^2/2 r.low that sin(r) leaves out is below 2^-70.3 of V; what follows r^7 and r^6
// is below 2^-81 of either. Altogether less than 2^-66 of V; 2^-65.5 leaves room.
inline double SineOf(const Turned& angle) {
  const Tables& table = Tables::Get();
  const auto j = static_cast<size_t>(angle.step & (kArcs - 1));
  const Pair sine = table.sine[j], cosine = table.sine[j + kQuarter];
  const double z = angle.rest.high, square = z * z;
  const double cubic = square * z * (1.0 / 6 - square * (1.0 / 120 - square / 5040));
  const double fallen = square * (square * (1.0 / 24 - square / 720) - 0.5);
  const double product = cosine.high * z;
  const double rest = std::fma(cosine.high, z, -product);
  const Pair sum = FastTwoSum(sine.high, product);
  const double small =
      sine.low + (rest + (cosine.high * (angle.rest.low - cubic) + cosine.low * z));
  return Decide({sum.high, sum.low + (sine.high * fallen + small)}, 0x1.6ap-66);
}

double Sin(double x) {
  // x - sin(x) < x^3 / 6, less than 2^-56 x.
  if (std::fabs(x) < 0x1p-27) return x;
  if (!std::isfinite(x)) return kInDoubt;
  const Turned angle = Reduce(x);
  return angle.known ? SineOf(angle) : kInDoubt;
}

double Cos(double x) {
  if (std::fabs(x) < 0x1p-27) return 1;  // 1 - x^2/2 > 1 - 2^-55
  if (!std::isfinite(x)) return kInDoubt;
  Turned angle = Reduce(x);
  angle.step += kQuarter;
  return angle.known ? SineOf(angle) : kInDoubt;
}

// |x| = j/64 + z with |z| <= 2^-7, exact. erf(j/64 + z) by its series in z: the n-th coefficient
// for n > 0 is 2/sqrt(pi) e^-t^2 H(n-1, -t) / n!, with Hermite's polynomials, and is below
// 1.23 2^((n-1)/2) / (n sqrt((n-1)!)) by Cramer's inequality: 0.36 for n = 4, 2^-9.4 for n = 11.
//
// The rest behind n = 10 is below 2^-86 for all z, and below 2^-79 of the result, which is at least
// z for j = 0 and at least erf(1/128) > 2^-6.9 for others. The powers from the 4th on have eight
// roundings that count: 8u 0.36 z^4 < 2^-79.4, or 2^-72.5 of the result; for j = 0, where the 4th
// is 0 and the 5th 0.12, 8u 0.12 z^4 < 2^-80 of the result. The pairs are off by 2^-98. So erf is
// off by less than 2^-72.4.
double Erf(double x) {
  const double magnitude = std::fabs(x);
  if (magnitude >= 6) return std::copysign(1.0, x);  // 1 - erf(6) < 2^-55
  if (!(magnitude >= 0x1p-900)) return kInDoubt;     // a rest might be subnormal; NaN
  const Tables& table = Tables::Get();
  const size_t j = Nearest(magnitude * 64);
  const double z = magnitude - static_cast<double>(j) / 64;
  const std::array<double, kErrorDoubles>& far = table.error_doubles[j];
  double sum = far[kErrorDoubles - 1];
  for (size_t n = kErrorDoubles - 1; n-- > 0;) sum = far[n] + z * sum;
  const std::array<Pair, kErrorPairs>& near = table.error_pairs[j];
  Pair value = Add(near[3], {sum * z, 0});
  for (size_t n = 3; n-- > 0;) value = Add(near[n], Mul(value, z));
  return std::copysign(Decide(value, 0x1p-71), x);
}

}  // namespace cts::fast::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cts {
namespace fast {

HWY_EXPORT(Log);
HWY_EXPORT(Sin);
HWY_EXPORT(Cos);
HWY_EXPORT(Tanh);
HWY_EXPORT(Erf);
HWY_EXPORT(Logistic);
HWY_EXPORT(Pow);

namespace {

Pair PairOf(const MpfrFloat& value) {
  const double high = value.ToDouble();
  return {high, Sub(value, MpfrFloat::FromDouble(high)).ToDouble()};
}

// Cuts a number into two of at most 36 bits and a rest.
void Cut(MpfrFloat value, double* high, double* middle, double* low) {
  const auto cut = [](double x) {  // toward zero
    int exponent = 0;
    const double fraction = std::frexp(x, &exponent);
    return std::ldexp(std::trunc(std::ldexp(fraction, 36)), exponent - 36);
  };
  *high = cut(value.ToDouble());
  value = Sub(value, MpfrFloat::FromDouble(*high));
  *middle = cut(value.ToDouble());
  *low = Sub(value, MpfrFloat::FromDouble(*middle)).ToDouble();
}

// Cuts a number into a multiple of 2^-42 and a rest.
Pair CoarseOf(const MpfrFloat& value) {
  const double high = std::nearbyint(value.ToDouble() * 0x1p42) * 0x1p-42;
  return {high, Sub(value, MpfrFloat::FromDouble(high)).ToDouble()};
}

MpfrFloat Quotient(int64_t a, int64_t b) {
  return Div(MpfrFloat::FromInteger(a), MpfrFloat::FromInteger(b));
}

// The coefficients of erf(t + z) by powers of z, t = j / 64, from the derivative's:
// 2/sqrt(pi) e^-t^2 times the h(n) of e^(-2tz - z^2), (n + 1) h(n + 1) = -2t h(n) - 2 h(n - 1).
void ExpandError(int64_t j, std::array<Pair, kErrorPairs>& pairs,
                 std::array<double, kErrorDoubles>& doubles) {
  const MpfrFloat t = Quotient(j, 64), minus_two = MpfrFloat::FromInteger(-2);
  MpfrFloat value, factor, root;
  mpfr_erf(value.raw(), t.raw(), MPFR_RNDN);
  pairs[0] = PairOf(value);
  const MpfrFloat square = Mul(t, t);
  mpfr_neg(factor.raw(), square.raw(), MPFR_RNDN);
  mpfr_exp(factor.raw(), factor.raw(), MPFR_RNDN);
  mpfr_const_pi(root.raw(), MPFR_RNDN);
  mpfr_sqrt(root.raw(), root.raw(), MPFR_RNDN);
  factor = Div(Mul(factor, MpfrFloat::FromInteger(2)), root);
  MpfrFloat before, h = MpfrFloat::FromInteger(1);  // h(-1) = 0, h(0) = 1
  for (int n = 1; n < kErrorPairs + kErrorDoubles; ++n) {
    const MpfrFloat coefficient = Div(Mul(factor, h), MpfrFloat::FromInteger(n));
    if (n < kErrorPairs) {
      pairs[static_cast<size_t>(n)] = PairOf(coefficient);
    } else {
      doubles[static_cast<size_t>(n - kErrorPairs)] = coefficient.ToDouble();
    }
    MpfrFloat next = Div(Mul(minus_two, Add(Mul(t, h), before)), MpfrFloat::FromInteger(n));
    before = std::move(h);
    h = std::move(next);
  }
}

std::optional<double> Decided(double x) { return x == x ? std::optional<double>(x) : std::nullopt; }

}  // namespace

Tables::Tables() {
  FreeMpfrCachesAtThreadExit();
  MpfrFloat ln2, value, pi;
  mpfr_const_log2(ln2.raw(), MPFR_RNDN);
  Cut(Div(ln2, MpfrFloat::FromInteger(kPowers)), &ln_high, &ln_middle, &ln_low);
  Cut(ln2, &ln2_high, &ln2_middle, &ln2_low);
  third = PairOf(Quotient(1, 3));
  mpfr_const_pi(pi.raw(), MPFR_RNDN);
  arc = PairOf(Div(pi, MpfrFloat::FromInteger(kArcs / 2)));
  Cut(Div(pi, MpfrFloat::FromInteger(kArcs / 2)), &arc_high, &arc_middle, &arc_low);
  const Pair ln2_split = CoarseOf(ln2);
  ln2_coarse = ln2_split.high, ln2_rest = ln2_split.low;
  for (int j = 0; j < kPowers; ++j) {
    const MpfrFloat exponent = Quotient(j, kPowers);
    mpfr_exp2(value.raw(), exponent.raw(), MPFR_RNDN);
    power[static_cast<size_t>(j)] = PairOf(value);
  }
  for (int j = 0; j < kInverses; ++j) {
    const auto i = static_cast<size_t>(j);
    if (j == 0 || j == kInverses - 1) {
      inverse[i] = 1, minus_log[i] = {}, coarse[i] = {};
      continue;
    }
    const int64_t twice_middle = 2 * (kInverses + j) + 1;
    inverse[i] = Quotient((j < 424 ? 2 : 4) * kInverses, twice_middle).ToDouble();
    const MpfrFloat c = MpfrFloat::FromDouble(inverse[i]);
    mpfr_log(value.raw(), c.raw(), MPFR_RNDN);
    mpfr_neg(value.raw(), value.raw(), MPFR_RNDN);
    minus_log[i] = PairOf(value);
    coarse[i] = CoarseOf(value);
  }
  for (int j = 0; j < kArcs + kQuarter; ++j) {
    // The angle lies in the first eighth of a turn, so that zeros and ones are exact.
    const int quarters = (j + kQuarter / 2) / kQuarter, left = j - quarters * kQuarter;
    const MpfrFloat angle =
        Div(Mul(pi, MpfrFloat::FromInteger(left)), MpfrFloat::FromInteger(kArcs / 2));
    (quarters % 2 == 0 ? mpfr_sin : mpfr_cos)(value.raw(), angle.raw(), MPFR_RNDN);
    if (quarters % 4 >= 2) mpfr_neg(value.raw(), value.raw(), MPFR_RNDN);
    sine[static_cast<size_t>(j)] = PairOf(value);
  }
  for (int j = 0; j < kErrorSteps; ++j) {
    ExpandError(j, error_pairs[static_cast<size_t>(j)], error_doubles[static_cast<size_t>(j)]);
  }
  // 64 bits at a time, exactly: nothing is rounded but the quotient, 2^-1500.
  MpfrFloat rest(1536), two(1536);
  mpfr_const_pi(rest.raw(), MPFR_RNDN);
  mpfr_set_ui(two.raw(), 2, MPFR_RNDN);
  mpfr_div(rest.raw(), two.raw(), rest.raw(), MPFR_RNDN);
  two_by_pi[0] = 0;
  for (size_t i = 1; i < two_by_pi.size(); ++i) {
    two_by_pi[i] = 0;
    for (int half = 0; half < 2; ++half) {  // what an unsigned long holds everywhere
      mpfr_mul_2ui(rest.raw(), rest.raw(), 32, MPFR_RNDN);
      const auto digit = static_cast<uint64_t>(mpfr_get_ui(rest.raw(), MPFR_RNDZ));
      mpfr_sub_ui(rest.raw(), rest.raw(), static_cast<unsigned long>(digit), MPFR_RNDN);
      two_by_pi[i] = two_by_pi[i] << 32 | digit;
    }
  }
}

const Tables& Tables::Get() {
  static const Tables tables;
  return tables;
}

std::optional<double> CallLog(double x) { return Decided(HWY_DYNAMIC_DISPATCH(Log)(x)); }
std::optional<double> CallSin(double x) { return Decided(HWY_DYNAMIC_DISPATCH(Sin)(x)); }
std::optional<double> CallCos(double x) { return Decided(HWY_DYNAMIC_DISPATCH(Cos)(x)); }
std::optional<double> CallTanh(double x) { return Decided(HWY_DYNAMIC_DISPATCH(Tanh)(x)); }
std::optional<double> CallErf(double x) { return Decided(HWY_DYNAMIC_DISPATCH(Erf)(x)); }
std::optional<double> CallLogistic(double x) { return Decided(HWY_DYNAMIC_DISPATCH(Logistic)(x)); }
std::optional<double> CallPow(double x, double y) {
  return Decided(HWY_DYNAMIC_DISPATCH(Pow)(x, y));
}

}  // namespace fast

std::optional<double> FastLog(double x) { return fast::CallLog(x); }
std::optional<double> FastSin(double x) { return fast::CallSin(x); }
std::optional<double> FastCos(double x) { return fast::CallCos(x); }
std::optional<double> FastTanh(double x) { return fast::CallTanh(x); }
std::optional<double> FastErf(double x) { return fast::CallErf(x); }
std::optional<double> FastLogistic(double x) { return fast::CallLogistic(x); }
std::optional<double> FastPow(double x, double y) { return fast::CallPow(x, y); }

}  // namespace cts
#endif

// Arbitrary-precision binary floating-point numbers: a small wrapper that owns an MPFR number.
//
// Every number has its own precision in bits. A result has the precision of its most precise
// operand, and is rounded to nearest even. Exponents are unbounded for all practical purposes, so
// nothing overflows, underflows or is subnormal before ToDouble. With the default precision, sums
// and products of fp64 numbers are far more exact than in fp64.
#pragma once

#include <mpfr.h>

#include <compare>
#include <cstdint>

namespace cts {

class MpfrFloat {
 public:
  static constexpr mpfr_prec_t kDefaultPrecision = 256;

  // Positive zero.
  explicit MpfrFloat(mpfr_prec_t precision = kDefaultPrecision);
  MpfrFloat(const MpfrFloat& other);
  MpfrFloat(MpfrFloat&& other) noexcept;
  MpfrFloat& operator=(MpfrFloat other) noexcept;
  ~MpfrFloat();

  // Exact if the precision is at least 53 bits (64 for integers); otherwise rounded to nearest
  // even.
  static MpfrFloat FromDouble(double value, mpfr_prec_t precision = kDefaultPrecision);
  static MpfrFloat FromInteger(int64_t value, mpfr_prec_t precision = kDefaultPrecision);

  // Rounded once to fp64, to nearest even, also if the result is subnormal or overflows to
  // infinity.
  double ToDouble() const;

  // The same number at another precision, rounded to nearest even.
  MpfrFloat RoundTo(mpfr_prec_t precision) const;

  mpfr_prec_t precision() const { return mpfr_get_prec(value_); }
  mpfr_srcptr raw() const { return value_; }
  mpfr_ptr raw() { return value_; }

 private:
  mpfr_t value_;
};

MpfrFloat Add(const MpfrFloat& a, const MpfrFloat& b);
MpfrFloat Sub(const MpfrFloat& a, const MpfrFloat& b);
MpfrFloat Mul(const MpfrFloat& a, const MpfrFloat& b);
MpfrFloat Div(const MpfrFloat& a, const MpfrFloat& b);

// Comparisons as in IEEE 754: NaN is unordered, and zeros of either sign are equal. Precisions are
// not compared.
bool operator==(const MpfrFloat& a, const MpfrFloat& b);
std::partial_ordering operator<=>(const MpfrFloat& a, const MpfrFloat& b);

// After a call of this function, MPFR's caches of this thread are freed when the thread ends. Call
// it before an MPFR function that caches constants (exp, log, pi, ...), because MPFR itself never
// frees its caches.
void FreeMpfrCachesAtThreadExit();

}  // namespace cts

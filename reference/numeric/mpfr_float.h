// Arbitrary-precision binary floating-point numbers: a small owning wrapper of MPFR.
//
// Precision policy: every number carries its precision in bits; a result has the greater precision
// of its operands and is rounded to nearest even. Exponents are unbounded for all practical
// purposes, so nothing overflows, underflows or is subnormal before ToDouble. The default suffices
// for sums and products of fp64 to be far more exact than fp64.
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

  // Exact if the precision is at least 53 (64 for integers), rounded to nearest even otherwise.
  static MpfrFloat FromDouble(double value, mpfr_prec_t precision = kDefaultPrecision);
  static MpfrFloat FromInteger(int64_t value, mpfr_prec_t precision = kDefaultPrecision);

  // Rounded once to fp64, nearest even, subnormals and overflow to infinity included.
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

// As IEEE 754: NaN is unordered, zeros of either sign are equal. Precision does not count.
bool operator==(const MpfrFloat& a, const MpfrFloat& b);
std::partial_ordering operator<=>(const MpfrFloat& a, const MpfrFloat& b);

// Frees MPFR's caches of this thread when the thread ends. Call it before an MPFR function that
// keeps constants (exp, log, pi, ...): MPFR itself leaves that to the program.
void FreeMpfrCachesAtThreadExit();

}  // namespace cts

// Arbitrary-precision binary floating-point numbers: a small wrapper that owns an MPFR number.
//
// Every number has its own precision in bits. A result has the precision of its most precise
// operand, and is rounded to nearest even. The range of exponents is so large that no result
// overflows, underflows or is subnormal before ToDouble. With the default precision, sums and
// products of fp64 numbers have far smaller errors than in fp64.
#pragma once

#include <mpfr.h>

#include <compare>
#include <cstdint>

namespace cts {

class MpfrFloat {
 public:
  static constexpr mpfr_prec_t kDefaultPrecision = 256;

  // Makes a positive zero.
  explicit MpfrFloat(mpfr_prec_t precision = kDefaultPrecision);
  MpfrFloat(const MpfrFloat& other);
  MpfrFloat(MpfrFloat&& other) noexcept;
  MpfrFloat& operator=(MpfrFloat other) noexcept;
  ~MpfrFloat();

  // FromDouble is exact if the precision is at least 53 bits, and FromInteger if it is at least 64
  // bits. With a lower precision, the number is rounded to nearest even.
  static MpfrFloat FromDouble(double value, mpfr_prec_t precision = kDefaultPrecision);
  static MpfrFloat FromInteger(int64_t value, mpfr_prec_t precision = kDefaultPrecision);

  // Rounds the number to fp64, to nearest even. The number is rounded only once, even if the result
  // is subnormal or infinite.
  double ToDouble() const;

  // Returns the number rounded to another precision, to nearest even.
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

// Compare numbers as in IEEE 754: a NaN is unordered, and +0 equals -0. The precision of the
// numbers does not matter.
bool operator==(const MpfrFloat& a, const MpfrFloat& b);
std::partial_ordering operator<=>(const MpfrFloat& a, const MpfrFloat& b);

// Makes the current thread free its MPFR caches when the thread ends. Call this function before an
// MPFR function that caches constants (exp, log, pi, ...), because MPFR itself does not free its
// caches.
void FreeMpfrCachesAtThreadExit();

}  // namespace cts

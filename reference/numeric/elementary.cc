#include "reference/numeric/elementary.h"

#include <mpfr.h>

#include <cmath>
#include <limits>
#include <optional>

#include "reference/numeric/fast_exp.h"
#include "reference/numeric/fast_functions.h"
#include "reference/numeric/mpfr_float.h"

namespace cts {
namespace {

// fp64 in MPFR's terms, where a significand lies in [1/2, 1): the least subnormal number is
// 2^-1074 = 1/2 * 2^-1073, the greatest number lies below 2^1024.
constexpr mpfr_prec_t kPrecision = 53;
constexpr mpfr_exp_t kMinExponent = -1073;
constexpr mpfr_exp_t kMaxExponent = 1024;

// MPFR keeps its exponent range per thread.
class Fp64ExponentRange {
 public:
  Fp64ExponentRange() : min_(mpfr_get_emin()), max_(mpfr_get_emax()) {
    mpfr_set_emin(kMinExponent);
    mpfr_set_emax(kMaxExponent);
  }
  ~Fp64ExponentRange() {
    mpfr_set_emin(min_);
    mpfr_set_emax(max_);
  }
  Fp64ExponentRange(const Fp64ExponentRange&) = delete;
  Fp64ExponentRange& operator=(const Fp64ExponentRange&) = delete;

 private:
  const mpfr_exp_t min_;
  const mpfr_exp_t max_;
};

// Undoes the rounding to 53 bits by its direction, since a subnormal result must be rounded only
// once.
double Finish(mpfr_ptr value, int rounded) {
  mpfr_subnormalize(value, rounded, MPFR_RNDN);
  if (mpfr_nan_p(value) != 0) return std::numeric_limits<double>::quiet_NaN();
  return mpfr_get_d(value, MPFR_RNDN);
}

double Apply(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), double x) {
  FreeMpfrCachesAtThreadExit();
  const Fp64ExponentRange range;
  MPFR_DECL_INIT(value, kPrecision);
  mpfr_set_d(value, x, MPFR_RNDN);
  const int rounded = function(value, value, MPFR_RNDN);
  return Finish(value, rounded);
}

constexpr mpfr_prec_t kExactPrecision = 200;

MpfrFloat Apply(int (*function)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t), const MpfrFloat& x) {
  FreeMpfrCachesAtThreadExit();
  MpfrFloat value(kExactPrecision);
  function(value.raw(), x.raw(), MPFR_RNDN);
  return value;
}

}  // namespace

double Exp(double x) {
  if (const std::optional<double> fast = FastExp(x)) return *fast;
  return Apply(mpfr_exp, x);
}
double Expm1(double x) { return Apply(mpfr_expm1, x); }
double Log(double x) {
  if (const std::optional<double> fast = FastLog(x)) return *fast;
  return Apply(mpfr_log, x);
}
// IEEE 754 rounds a root correctly. Its NaN may have a sign.
double Sqrt(double x) { return x >= 0 ? std::sqrt(x) : std::numeric_limits<double>::quiet_NaN(); }
double Sin(double x) {
  if (const std::optional<double> fast = FastSin(x)) return *fast;
  return Apply(mpfr_sin, x);
}
double Cos(double x) {
  if (const std::optional<double> fast = FastCos(x)) return *fast;
  return Apply(mpfr_cos, x);
}
double Tanh(double x) {
  if (const std::optional<double> fast = FastTanh(x)) return *fast;
  return Apply(mpfr_tanh, x);
}
double Erf(double x) {
  if (const std::optional<double> fast = FastErf(x)) return *fast;
  return Apply(mpfr_erf, x);
}

double Pow(double x, double y) {
  if (const std::optional<double> fast = FastPow(x, y)) return *fast;
  FreeMpfrCachesAtThreadExit();
  const Fp64ExponentRange range;
  MPFR_DECL_INIT(base, kPrecision);
  MPFR_DECL_INIT(exponent, kPrecision);
  mpfr_set_d(base, x, MPFR_RNDN);
  mpfr_set_d(exponent, y, MPFR_RNDN);
  const int rounded = mpfr_pow(base, base, exponent, MPFR_RNDN);
  return Finish(base, rounded);
}

MpfrFloat Exp(const MpfrFloat& x) { return Apply(mpfr_exp, x); }
MpfrFloat Log(const MpfrFloat& x) { return Apply(mpfr_log, x); }
MpfrFloat Sqrt(const MpfrFloat& x) { return Apply(mpfr_sqrt, x); }
MpfrFloat Sin(const MpfrFloat& x) { return Apply(mpfr_sin, x); }
MpfrFloat Cos(const MpfrFloat& x) { return Apply(mpfr_cos, x); }
MpfrFloat Tanh(const MpfrFloat& x) { return Apply(mpfr_tanh, x); }
MpfrFloat Erf(const MpfrFloat& x) { return Apply(mpfr_erf, x); }

MpfrFloat Pow(const MpfrFloat& x, const MpfrFloat& y) {
  FreeMpfrCachesAtThreadExit();
  MpfrFloat value(kExactPrecision);
  mpfr_pow(value.raw(), x.raw(), y.raw(), MPFR_RNDN);
  return value;
}

}  // namespace cts

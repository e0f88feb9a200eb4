#include "reference/numeric/mpfr_float.h"

#include <algorithm>

namespace cts {
namespace {

using Operation = int(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);

MpfrFloat Apply(Operation* operation, const MpfrFloat& a, const MpfrFloat& b) {
  MpfrFloat result(std::max(a.precision(), b.precision()));
  operation(result.raw(), a.raw(), b.raw(), MPFR_RNDN);
  return result;
}

}  // namespace

MpfrFloat::MpfrFloat(mpfr_prec_t precision) {
  mpfr_init2(value_, precision);
  mpfr_set_zero(value_, 1);
}

MpfrFloat::MpfrFloat(const MpfrFloat& other) {
  mpfr_init2(value_, other.precision());
  mpfr_set(value_, other.value_, MPFR_RNDN);
}

MpfrFloat::MpfrFloat(MpfrFloat&& other) noexcept : MpfrFloat(MPFR_PREC_MIN) {
  mpfr_swap(value_, other.value_);
}

MpfrFloat& MpfrFloat::operator=(MpfrFloat other) noexcept {
  mpfr_swap(value_, other.value_);
  return *this;
}

MpfrFloat::~MpfrFloat() { mpfr_clear(value_); }

MpfrFloat MpfrFloat::FromDouble(double value, mpfr_prec_t precision) {
  MpfrFloat result(precision);
  mpfr_set_d(result.value_, value, MPFR_RNDN);
  return result;
}

MpfrFloat MpfrFloat::FromInteger(int64_t value, mpfr_prec_t precision) {
  static_assert(sizeof(long) == sizeof(int64_t));
  MpfrFloat result(precision);
  mpfr_set_si(result.value_, value, MPFR_RNDN);
  return result;
}

// mpfr_get_d rounds directly to the bits that a subnormal has, once.
double MpfrFloat::ToDouble() const { return mpfr_get_d(value_, MPFR_RNDN); }

MpfrFloat MpfrFloat::RoundTo(mpfr_prec_t precision) const {
  MpfrFloat result(precision);
  mpfr_set(result.value_, value_, MPFR_RNDN);
  return result;
}

MpfrFloat Add(const MpfrFloat& a, const MpfrFloat& b) { return Apply(mpfr_add, a, b); }
MpfrFloat Sub(const MpfrFloat& a, const MpfrFloat& b) { return Apply(mpfr_sub, a, b); }
MpfrFloat Mul(const MpfrFloat& a, const MpfrFloat& b) { return Apply(mpfr_mul, a, b); }
MpfrFloat Div(const MpfrFloat& a, const MpfrFloat& b) { return Apply(mpfr_div, a, b); }

bool operator==(const MpfrFloat& a, const MpfrFloat& b) {
  return mpfr_equal_p(a.raw(), b.raw()) != 0;
}

std::partial_ordering operator<=>(const MpfrFloat& a, const MpfrFloat& b) {
  if (mpfr_unordered_p(a.raw(), b.raw()) != 0) return std::partial_ordering::unordered;
  return mpfr_cmp(a.raw(), b.raw()) <=> 0;
}

void FreeMpfrCachesAtThreadExit() {
  struct Guard {
    ~Guard() { mpfr_free_cache2(MPFR_FREE_LOCAL_CACHE); }
  };
  static thread_local Guard guard;
  static_cast<void>(guard);
}

}  // namespace cts

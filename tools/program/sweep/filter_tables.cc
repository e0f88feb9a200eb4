#include "tools/program/sweep/filter_tables.h"

#include <cmath>
#include <cstdint>

#include "reference/numeric/mpfr_float.h"

namespace cts {
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

}  // namespace

const FilterTables& TheFilterTables() {
  static const FilterTables tables = MakeTables();
  return tables;
}

}  // namespace cts

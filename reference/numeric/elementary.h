// Elementary functions, correctly rounded to fp64 (nearest, ties to even) through MPFR: the host's
// libm differs between machines. Special values as in IEEE 754; every NaN is the positive quiet
// one. Safe to call from several threads.
#pragma once

namespace cts {

double Exp(double x);
double Sqrt(double x);

}  // namespace cts

// Elementary functions, correctly rounded to fp64 (nearest, ties to even) through MPFR: the host's
// libm differs between machines. Special values as in IEEE 754; every NaN is the positive quiet
// one. Safe to call from several threads.
#pragma once

namespace cts {

double Exp(double x);
double Expm1(double x);
double Log(double x);
double Sqrt(double x);
double Sin(double x);  // of an angle in radians
double Cos(double x);
double Tanh(double x);
double Erf(double x);
double Pow(double x, double y);

}  // namespace cts

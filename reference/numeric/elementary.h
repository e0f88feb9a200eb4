// Elementary functions, correctly rounded to fp64 (nearest, ties to even). They return the result
// of fast_exp.h or fast_functions.h if its rounding is certain. Otherwise they use MPFR. They do
// not use the host's libm, whose results differ between machines. Special values are those of IEEE
// 754; every NaN result is the positive quiet NaN. Safe to call from several threads.
#pragma once

namespace cts {

class MpfrFloat;

double Exp(double x);
double Expm1(double x);
double Log(double x);
double Sqrt(double x);
double Sin(double x);  // of an angle in radians
double Cos(double x);
double Tanh(double x);
double Erf(double x);
double Pow(double x, double y);

// The same functions, rounded to 200 bits, for the arithmetic Exact (arithmetic_exact.h).
MpfrFloat Exp(const MpfrFloat& x);
MpfrFloat Log(const MpfrFloat& x);
MpfrFloat Sqrt(const MpfrFloat& x);
MpfrFloat Sin(const MpfrFloat& x);
MpfrFloat Cos(const MpfrFloat& x);
MpfrFloat Tanh(const MpfrFloat& x);
MpfrFloat Erf(const MpfrFloat& x);
MpfrFloat Pow(const MpfrFloat& x, const MpfrFloat& y);

}  // namespace cts

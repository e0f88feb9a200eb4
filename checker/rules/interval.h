// The rule `interval`: a result lies between the least and the greatest accepted value.
//
// tosa-1.0, CAST (between floating-point types: rounding to nearest or toward zero) and RESCALE
// (INEXACT_ROUND: any integer within the error bound); tosa-0.100, Main Inference precision
// requirements, CAST to fp8.
#pragma once

#include <cstdint>

#include "reference/base/dtype.h"

namespace cts {

inline bool WithinIntegers(int64_t result, int64_t least, int64_t greatest) {
  return least <= result && result <= greatest;
}

// Returns the number that a rule compares for a stored integer. An unsigned output of type i8
// stores 200 as -56.
inline int64_t ComparedAs(DType dtype, int64_t stored, bool is_unsigned) {
  return is_unsigned && stored < 0 ? stored + (int64_t{1} << Info(dtype).bits) : stored;
}

// Requires `least` <= `greatest`, or NaN for both. If both are NaN, the result must be NaN. As in
// the comparing function, an end beyond the greatest finite number is infinite, and an infinity
// that the type lacks (fp8e4m3) is NaN. In bf16, fp16 and fp32, a zero is also accepted if the
// interval has numbers with a magnitude below the least normal number, because such numbers may be
// flushed to zero.
//
// If `zero_sign` is true, a zero must have the sign of `least`. Even then, an interval that has
// numbers of both signs accepts zeros of both signs.
bool WithinInterval(DType dtype, double result, double least, double greatest, bool zero_sign);

}  // namespace cts

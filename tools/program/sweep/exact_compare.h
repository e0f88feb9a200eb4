// Exact functions of 32 bits, many values at a time, and the comparison of results with them.
#pragma once

#include <cstdint>

namespace cts {

// The functions, of a number of fp32 or i32. Results have `out_bits` bits: those of the type, or
// the lower bits of integers.
enum class ExactFunction {
  kAbs,
  kNegate,
  kCeil,
  kFloor,
  kClamp,
  kNarrow,     // fp32 to fewer bits, to nearest, ties to even, or toward zero
  kToInteger,  // likewise to an integer, saturated
  kAbsInteger,
  kNot,
  kLeadingZeros,
  kLowBits,    // i32 to fewer bits
  kIsNotZero,  // i32 to bool
};

struct ExactOperator {
  ExactFunction function = ExactFunction::kAbs;
  int out_bits = 32;
  // kClamp: bits of the limits.
  uint32_t least = 0, greatest = 0;
  // kNarrow: the type, and magnitudes as bits of fp32. Below `zero_below` the result is a zero;
  // from normal_min to max it is a normal number; from `over` on it is over_result. The filter does
  // not decide numbers between them.
  int fraction_bits = 0;
  uint32_t exponent_step = 0;  // of the biases, in the result's bits
  uint32_t zero_below = 0, normal_min = 0, max = 0, over = 0, over_result = 0;
  // kNarrow: whether a normal number may be rounded toward zero as well.
  bool toward_zero = false;
};

// The greatest number of elements of a call. Arrays have room for this number.
inline constexpr int64_t kExactBlock = 4096;

// The results of `count` inputs, and the second right result of each; if there is only one, the
// same again. `known` has 0 where the filter does not decide: always for zeros, subnormal numbers,
// infinities and NaN of fp32, and where the result might be subnormal.
void ExactValues(const ExactOperator& op, const uint32_t* in, int64_t count, uint32_t* results,
                 uint32_t* others, uint32_t* known);

// Compares results of the inputs from `first` on, as a tensor stores them. Writes the positions, in
// order, of results with other bits and of undecided ones; returns their number.
int64_t ExactCompare(const ExactOperator& op, uint32_t first, const uint8_t* results, int64_t count,
                     uint16_t* doubtful);

}  // namespace cts

// Computes exact functions of 32-bit values, many at a time, and compares results with them. The
// filter of a sweep uses this (exact_filter.h).
#pragma once

#include <cstdint>

namespace cts {

// The functions of one fp32 or i32 number. Results have ExactOperator::out_bits bits, as many as a
// tensor stores for one element of the result's type.
enum class ExactFunction {
  kAbs,
  kNegate,
  kCeil,
  kFloor,
  kClamp,
  kNarrow,     // fp32 to fewer bits; rounds to nearest (ties to even) or toward zero
  kToInteger,  // fp32 to an integer; rounds to nearest (ties to even), and saturates
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
  // kNarrow: the result's type, and limits for the magnitude of the input, as bits of fp32. Below
  // `zero_below` the result is a zero; from normal_min to max it is a normal number; from `over` on
  // it is over_result. For all other magnitudes, the filter does not decide.
  int fraction_bits = 0;
  // The difference of the exponent biases, shifted to the exponent bits of the result.
  uint32_t exponent_step = 0;
  uint32_t zero_below = 0, normal_min = 0, max = 0, over = 0, over_result = 0;
  // kNarrow: whether a normal number may also be rounded toward zero.
  bool toward_zero = false;
};

// The greatest `count` of ExactFilter::Look. Callers give `doubtful` this size, so that it has room
// for every position.
inline constexpr int64_t kExactBlock = 4096;

// Computes the right results of `count` inputs. `others` gets the second right result of each
// input, or the same result again if there is only one. `known` is 0 for inputs for which the
// filter does not decide: zeros, subnormal numbers, infinities and NaN of fp32, the least i32 for
// kAbsInteger, and magnitudes outside of the ranges of kNarrow.
void ExactValues(const ExactOperator& op, const uint32_t* in, int64_t count, uint32_t* results,
                 uint32_t* others, uint32_t* known);

// Compares `count` results, as a tensor stores them, of the inputs from `first` on. Writes the
// positions of wrong and of undecided results to `doubtful`, in order, and returns the number of
// these positions.
int64_t ExactCompare(const ExactOperator& op, uint32_t first, const uint8_t* results, int64_t count,
                     uint16_t* doubtful);

}  // namespace cts

// Values of a type as bit patterns and as numbers, in the form of questions and answers.
#pragma once

#include <cstdint>
#include <string>

#include "reference/base/dtype.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"

namespace cts {

// The reading of bare text such as "10": as the digits of a bit pattern, or as a decimal number.
enum class Digits { kPattern, kNumber };

namespace judging {

// The bits that a type has.
uint64_t PatternMask(DType dtype);
// All hexadecimal digits of the type: "3f800000".
std::string Pattern(DType dtype, uint64_t bits);
// A tensor of one element.
Tensor OfBits(DType dtype, const Shape& shape, uint64_t bits);
// A bit pattern, or a number that is rounded to the type. `unsigned_too`: an integer beyond the
// signed range is taken as the value of an unsigned type of the width.
StatusOr<uint64_t> BitsFromJson(const Json& json, DType dtype, Digits digits, bool unsigned_too);
// In the form that operator_call reads.
Json ValueOf(DType dtype, uint64_t bits);

}  // namespace judging
}  // namespace cts

// The two forms of a value in questions to `judge` and in its answers: a bit pattern, and a number.
#pragma once

#include <cstdint>
#include <string>

#include "reference/base/dtype.h"
#include "reference/base/json.h"
#include "reference/base/status.h"
#include "reference/base/tensor.h"

namespace cts {

// How bare text such as "10" is read: as the digits of a bit pattern, or as a decimal number.
enum class Digits { kPattern, kNumber };

namespace judging {

// A mask of the bits that a type has.
uint64_t PatternMask(DType dtype);
// The bits in hexadecimal, with leading zeros: "3f800000".
std::string Pattern(DType dtype, uint64_t bits);
// A tensor of one element.
Tensor OfBits(DType dtype, const Shape& shape, uint64_t bits);
// Returns the bits of a JSON value, which is a bit pattern or a number. A number is rounded to the
// type. `unsigned_too`: an integer above the signed range is read as a value of the unsigned type
// of the same width.
StatusOr<uint64_t> BitsFromJson(const Json& json, DType dtype, Digits digits, bool unsigned_too);
// A value in the JSON form that reference/calls/operator_call.h reads.
Json ValueOf(DType dtype, uint64_t bits);

}  // namespace judging
}  // namespace cts

// Detects memory that has not been written. Uses vector instructions, since a sweep checks every
// result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/base/dtype.h"

namespace cts {

// The value that every byte of a result has before a call, as tools/adapters/plugin.h promises.
// Bytes with this value form a NaN, or a number that is rarely a right result.
constexpr uint8_t Unwritten(DType type) { return IsFloat(type) ? 0xFF : 0xA5; }

// Whether every byte is `filling`.
bool IsFilled(const uint8_t* results, size_t bytes, uint8_t filling);

// Copies results to `copy`, and fills the memory that they occupied with `filling`.
void TakeResults(uint8_t* results, size_t bytes, uint8_t* copy, uint8_t filling);

}  // namespace cts

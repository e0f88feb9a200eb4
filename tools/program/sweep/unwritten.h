// Memory that has not been written. Uses vectors, since a sweep passes over every result.
#pragma once

#include <cstddef>
#include <cstdint>

#include "reference/base/dtype.h"

namespace cts {

// The bytes of unwritten results, as plugin.h promises: NaN, or a number that is seldom right.
constexpr uint8_t Unwritten(DType type) { return IsFloat(type) ? 0xFF : 0xA5; }

// Whether every byte is this one.
bool IsFilled(const uint8_t* results, size_t bytes, uint8_t filling);

// Copies results, and fills their place.
void TakeResults(uint8_t* results, size_t bytes, uint8_t* copy, uint8_t filling);

}  // namespace cts

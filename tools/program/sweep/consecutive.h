// Fills memory with consecutive numbers.
#pragma once

#include <cstdint>

namespace cts {

// Sets to[i] = first + i, modulo 2^32 or 2^16.
void WriteConsecutive(uint32_t first, int64_t count, uint32_t* to);
void WriteConsecutive(uint16_t first, int64_t count, uint16_t* to);

}  // namespace cts

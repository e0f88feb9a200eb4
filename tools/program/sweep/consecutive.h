// Memory full of numbers that follow one another.
#pragma once

#include <cstdint>

namespace cts {

// to[i] = first + i, modulo the type.
void WriteConsecutive(uint32_t first, int64_t count, uint32_t* to);
void WriteConsecutive(uint16_t first, int64_t count, uint16_t* to);

}  // namespace cts

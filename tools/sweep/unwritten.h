// Memory in which nobody has written: every byte of it is SweepResults::kUnwritten. With vectors,
// as a sweep passes over every result.
#pragma once

#include <cstddef>
#include <cstdint>

namespace cts {

bool IsUnwritten(const uint8_t* results, size_t bytes);

// Copies results, and leaves none.
void TakeResults(uint8_t* results, size_t bytes, uint8_t* copy);

}  // namespace cts

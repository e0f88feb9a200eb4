// The targets, and their common parts: inputs, and claims that end the process if they do not hold.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace cts {

// Each target is a function of one input. It ends the process if a claim does not hold.
#define FUZZ_TARGET(name, function) void function(std::string_view bytes);
#include "tools/fuzz/targets.def"  // NOLINT(bugprone-suspicious-include)
#undef FUZZ_TARGET

inline void Assert(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

// Removes the first byte and returns it; 0 if there is none.
inline uint8_t TakeByte(std::string_view* bytes) {
  if (bytes->empty()) return 0;
  const char first = bytes->front();
  bytes->remove_prefix(1);
  return static_cast<uint8_t>(first);
}

}  // namespace cts

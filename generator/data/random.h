// Random bits that are the same on every machine: Philox4x32-10, a counter-based generator (Salmon,
// Moraes, Dror, Shaw: Parallel Random Numbers: As Easy as 1, 2, 3. SC 2011).
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace cts {

// One block of the generator: ten rounds over a 128-bit counter with a 64-bit key.
std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key);

// The stream of one tensor of one case. Its key is the first 64 bits of the SHA-256 of
// "<seed>\n<case id>\n<tensor>"; block i has counter i.
class Random {
 public:
  Random(uint64_t seed, std::string_view case_id, std::string_view tensor);

  uint32_t Next32();
  uint64_t Next64();

  // Uniform over [0, bound), without bias. `bound` must be above 0.
  uint64_t Below(uint64_t bound);
  // Uniform over [low, high]. `low` must not exceed `high`; both may be any int64.
  int64_t Between(int64_t low, int64_t high);
  // Uniform over the multiples of 2^-53 in [0, 1).
  double Unit() { return static_cast<double>(Next64() >> 11) * 0x1p-53; }

 private:
  std::array<uint32_t, 2> key_;
  uint64_t block_ = 0;
  int used_ = 4;  // the number of words of words_ that are used up
  std::array<uint32_t, 4> words_{};
};

}  // namespace cts

#include "generator/data/random.h"

#include <string>

#include "reference/base/digest.h"
#include "reference/base/status.h"

namespace cts {

std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  // Multipliers and Weyl increments of the paper.
  constexpr uint64_t kMultiplier0 = 0xD2511F53, kMultiplier1 = 0xCD9E8D57;
  constexpr uint32_t kWeyl0 = 0x9E3779B9, kWeyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const uint64_t product0 = kMultiplier0 * counter[0];
    const uint64_t product1 = kMultiplier1 * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<uint32_t>(product0)};
    key[0] += kWeyl0;
    key[1] += kWeyl1;
  }
  return counter;
}

Random::Random(uint64_t seed, std::string_view case_id, std::string_view tensor) {
  const std::string digest = Sha256(StrCat(seed, "\n", case_id, "\n", tensor));
  for (int i = 0; i < 2; ++i) {
    key_[i] = static_cast<uint32_t>(std::stoul(digest.substr(8 * i, 8), nullptr, 16));
  }
}

uint32_t Random::Next32() {
  if (used_ == 4) {
    words_ = Philox4x32({static_cast<uint32_t>(block_), static_cast<uint32_t>(block_ >> 32), 0, 0},
                        key_);
    ++block_;
    used_ = 0;
  }
  return words_[used_++];
}

uint64_t Random::Next64() {
  const uint64_t low = Next32();
  return low | uint64_t{Next32()} << 32;
}

uint64_t Random::Below(uint64_t bound) {
  // The greatest multiple of `bound` that fits: numbers beyond it would favour small results.
  const uint64_t excess = (UINT64_MAX % bound + 1) % bound;
  uint64_t bits = Next64();
  while (bits > UINT64_MAX - excess) bits = Next64();
  return bits % bound;
}

int64_t Random::Between(int64_t low, int64_t high) {
  const uint64_t span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  const uint64_t step = span == UINT64_MAX ? Next64() : Below(span + 1);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + step);
}

}  // namespace cts

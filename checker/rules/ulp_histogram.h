// Counts the errors of the elements of a tensor.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace cts {

// Counts errors in units in the last place; for integers, plain differences. Slot 0 counts the
// elements without an error. Slot k counts errors above kEnds[k - 1] and up to kEnds[k]. The last
// slot counts all greater errors, and elements that cannot be compared.
struct UlpHistogram {
  static constexpr std::array<double, 9> kEnds = {0, 0.25, 0.5, 1, 2, 4, 16, 256, 65536};
  std::array<int64_t, kEnds.size() + 1> counts{};
  // The sum of the errors in units of 1 / kParts ulp. Each error is rounded to this unit, and an
  // error above kMost ulp counts as kMost. So the sum is a whole number, and does not depend on the
  // order.
  static constexpr double kParts = 4096, kMost = 1048576;
  int64_t sum = 0;

  // `ulp` is not negative; it may be infinite.
  void Add(double ulp) {
    const auto slot = std::lower_bound(kEnds.begin(), kEnds.end(), ulp) - kEnds.begin();
    ++counts[static_cast<size_t>(slot)];
    sum += static_cast<int64_t>(std::nearbyint(std::min(ulp, kMost) * kParts));
  }
  void Add(const UlpHistogram& other) {
    for (size_t i = 0; i < counts.size(); ++i) counts[i] += other.counts[i];
    sum += other.sum;
  }
  // The sum of the errors in ulp.
  double Sum() const { return static_cast<double>(sum) / kParts; }
};

}  // namespace cts

// Every instruction set that this machine has against the plain loop, bit for bit.
#include "reference/numeric/multiply_panel.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

uint64_t Bits(double x) {
  return std::bit_cast<uint64_t>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x);
}

// fp32 numbers of every size and sign, subnormals included, and now and then a special one.
std::vector<double> Numbers(int64_t count, uint64_t seed, bool special) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;  // Knuth's multiplier for 64 bits
    const double x = std::bit_cast<float>(static_cast<uint32_t>(seed >> 32));
    const bool allowed = std::isfinite(x) ? x != 0 : special;
    numbers.push_back(allowed ? x : std::ldexp(1.0, static_cast<int>(seed >> 24 & 63) - 32));
    if (special && (seed >> 16 & 63) == 0) numbers.back() = std::copysign(0.0, x);
    if (special && (seed >> 16 & 1023) == 1) {
      numbers.back() = std::copysign(std::numeric_limits<double>::infinity(), x);
    }
  }
  return numbers;
}

void ExpectPlainLoop(int64_t depth, int64_t count, bool special) {
  const std::vector<double> panel = Numbers(depth * kPanelLanes, 1, special);
  const std::vector<double> rows = Numbers(count * depth, 2, special);
  std::vector<double> sums(static_cast<size_t>(count * kPanelLanes), -1);
  MultiplyPanel(panel.data(), rows.data(), depth, count, sums.data());
  for (int64_t c = 0; c < count; ++c) {
    for (int64_t lane = 0; lane < kPanelLanes; ++lane) {
      double sum = 0;
      for (int64_t k = 0; k < depth; ++k) {
        const volatile double product = panel[k * kPanelLanes + lane] * rows[c * depth + k];
        sum += product;
      }
      ASSERT_EQ(Bits(sums[c * kPanelLanes + lane]), Bits(sum)) << c << " " << lane;
    }
  }
}

TEST(MultiplyPanel, GivesTheSumsOfThePlainLoopOnEveryTarget) {
  OnEveryTarget([] {
    for (int64_t count : {1, 2, 3, 4, 5, 7, 8, 64}) {
      for (int64_t depth : {1, 2, 3, 16, 577}) {
        ExpectPlainLoop(depth, count, false);
        ExpectPlainLoop(depth, count, true);
      }
    }
  });
}

TEST(MultiplyPanel, ReallyTakesTheTargetThatATestAsksFor) {
  std::vector<int64_t> chosen;
  OnEveryTarget([&] {
    ExpectPlainLoop(1, 1, false);
    chosen.push_back(hwy::SupportedTargets());
  });
  EXPECT_EQ(chosen, hwy::SupportedAndGeneratedTargets());
}

TEST(MultiplyPanel, BeginsWithPositiveZero) {
  OnEveryTarget([] {
    const std::vector<double> panel(kPanelLanes, 0.0), rows = {-1.0};
    std::vector<double> sums(kPanelLanes, 1.0);
    MultiplyPanel(panel.data(), rows.data(), 1, 1, sums.data());
    for (double sum : sums) EXPECT_EQ(Bits(sum), Bits(0.0));
  });
}

}  // namespace
}  // namespace cts

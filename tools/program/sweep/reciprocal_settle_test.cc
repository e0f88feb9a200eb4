#include "tools/program/sweep/reciprocal_settle.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>
#include <vector>

#include "reference/numeric/vector_targets_testing.h"
#include "tools/program/sweep/sweep_filter.h"

namespace cts {
namespace {

float Moved(float x, int steps) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(x) + static_cast<uint32_t>(steps));
}

class ReciprocalsTest : public testing::TestWithParam<const char*> {
 protected:
  double Exact(uint32_t input) const {
    const double x = std::bit_cast<float>(input);
    return filter_->of_roots() ? 1 / std::sqrt(x) : 1 / x;
  }

  std::vector<float> Rounded(uint32_t first) const {
    std::vector<float> results;
    for (uint32_t k = 0; k < kReciprocalBlock; ++k) {
      results.push_back(static_cast<float>(Exact(first + k)));
    }
    return results;
  }

  void SetUp() override {
    int64_t above[2];
    if (!Settles(0x3fb1'2345, Rounded(0x3fb1'2345), HUGE_VAL, above)) {
#ifdef __x86_64__
      ASSERT_FALSE(__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
          << "right results are not settled, though the processor has what it needs";
#endif
      GTEST_SKIP() << "needs a fused multiply-add";
    }
  }

  bool Settles(uint32_t first, const std::vector<float>& results, double most,
               int64_t (&above)[2]) const {
    return SettleReciprocals(filter_->of_roots(), first,
                             reinterpret_cast<const uint8_t*>(results.data()),
                             static_cast<int64_t>(results.size()), most, above);
  }

  // Expects that a settled figure is the one that the filter measures in fp64. Returns whether the
  // results are settled.
  bool ExpectAsTheFilterMeasures(uint32_t first, const std::vector<float>& results, double most) {
    int64_t above[2], measured[3] = {};
    if (!Settles(first, results, most, above)) return false;
    FilterFigures figures;
    for (size_t start = 0; start < results.size(); start += kFilterBlock) {
      double x[kFilterBlock], given[kFilterBlock];
      for (size_t k = 0; k < static_cast<size_t>(kFilterBlock); ++k) {
        x[k] = std::bit_cast<float>(first + static_cast<uint32_t>(start + k));
        given[k] = results[start + k];
      }
      filter_->Look(x, x, given, kFilterBlock, HUGE_VAL, figures);
      EXPECT_EQ(figures.clear, kFilterBlock) << std::hex << first;
      EXPECT_LE(figures.worst, most) << std::hex << first;
      for (int k = 0; k < 3; ++k) measured[k] += figures.above[k];
      EXPECT_EQ(figures.above[3], 0) << std::hex << first;
    }
    EXPECT_EQ(measured[0], kReciprocalBlock) << std::hex << first;
    EXPECT_EQ(measured[1], above[0]) << std::hex << first;
    EXPECT_EQ(measured[2], above[1]) << std::hex << first;
    return true;
  }

  std::optional<SweepFilter> filter_ = SweepFilter::For(GetParam(), "tosa-1.0", DType::kFp32);
};

// Blocks of right results, of results that lie up to a step beside them, and of one that is one or
// two steps away: around what is allowed. All inputs with TENSOR_CTS_WHOLE in the environment.
TEST_P(ReciprocalsTest, AreSettledAsTheFilterMeasuresThem) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  constexpr auto kBlock = static_cast<uint32_t>(kReciprocalBlock);
  const uint32_t all = (1u << 31) / kBlock * 2, blocks = whole ? all : 300;
  std::mt19937 random(1);
  int64_t right = 0, beside = 0, moved = 0, refused = 0;
  for (uint32_t block = 0; block < blocks && !HasFailure(); ++block) {
    const uint32_t first = whole ? block * kBlock : static_cast<uint32_t>(random());
    std::vector<float> results = Rounded(first);
    right += ExpectAsTheFilterMeasures(first, results, HUGE_VAL) ? 1 : 0;
    ExpectAsTheFilterMeasures(first, results, 0.49);
    float& one = results[random() % results.size()];
    const float kept = one;
    for (const int steps : {-2, -1, 1, 2}) {
      one = Moved(kept, steps);
      ++(ExpectAsTheFilterMeasures(first, results, HUGE_VAL) ? moved : refused);
    }
    one = kept;
    for (size_t k = 0; k < results.size(); ++k) {
      if (random() % 2 == 0) continue;
      const double exact = Exact(first + static_cast<uint32_t>(k));
      results[k] = Moved(results[k], std::fabs(results[k]) < std::fabs(exact) ? 1 : -1);
    }
    beside += ExpectAsTheFilterMeasures(first, results, HUGE_VAL) ? 1 : 0;
  }
  // Roots of positive numbers below 2^101.
  const int64_t asked = filter_->of_roots() ? blocks * int64_t{227} / 512 : blocks;
  EXPECT_GT(right, asked * 8 / 10);
  EXPECT_GT(beside, asked / 2);
  EXPECT_GT(moved, asked / 2);
  EXPECT_GT(refused, asked);
  std::printf("%s: %lld of %lld blocks settled, %lld beside, %lld moved\n", GetParam(),
              static_cast<long long>(right), static_cast<long long>(blocks),
              static_cast<long long>(beside), static_cast<long long>(moved));
}

TEST_P(ReciprocalsTest, AreNotSettledWhereOneIsWrongOrSpecial) {
  OnEveryTarget([&] {
    for (const uint32_t first :
         {0x3f80'0001u, 0x3fb1'2345u, 0x3fff'f800u, 0xbf80'0001u, 0x0080'0001u, 0x7eff'f800u}) {
      std::vector<float> results = Rounded(first);
      int64_t above[2];
      const bool settles = ExpectAsTheFilterMeasures(first, results, HUGE_VAL);
      for (const size_t at : {size_t{0}, size_t{1}, size_t{1234}, results.size() - 1}) {
        float& one = results[at];
        const float kept = one;
        for (const float wrong :
             {-kept, 0.0F, -0.0F, kept * 2, kept / 2, kept * 4, kept / 4, 0x1p-140F, HUGE_VALF,
              -HUGE_VALF, std::nanf(""), -std::nanf(""), Moved(kept, 2), Moved(kept, -2), 0.5F,
              1.0F, std::exp2(std::ceil(std::log2(std::fabs(kept)))),
              std::exp2(std::floor(std::log2(std::fabs(kept))))}) {
          one = wrong;
          if (std::fabs(wrong - kept) <= std::fabs(kept) * 0x1p-23F) continue;
          EXPECT_FALSE(Settles(first, results, HUGE_VAL, above))
              << std::hex << first << " " << wrong;
        }
        one = kept;
      }
      EXPECT_EQ(Settles(first, results, HUGE_VAL, above), settles);
    }
    // Powers of two, zeros, subnormal numbers and what they are of, infinities and NaN.
    for (const uint32_t first :
         {0x0000'0000u, 0x0000'0001u, 0x007f'ff00u, 0x3f80'0000u, 0x3f7f'ff00u, 0x7e80'0000u,
          0x7f00'0001u, 0x7f7f'ff00u, 0x7f80'0000u, 0xff80'0001u}) {
      int64_t above[2];
      EXPECT_FALSE(Settles(first, Rounded(first), HUGE_VAL, above)) << std::hex << first;
    }
  });
}

INSTANTIATE_TEST_SUITE_P(All, ReciprocalsTest, testing::Values("RECIPROCAL", "RSQRT"),
                         [](const auto& asked) { return asked.param; });

}  // namespace
}  // namespace cts

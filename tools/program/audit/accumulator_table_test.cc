#include "tools/program/audit/accumulator_table.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <filesystem>

#include "reference/base/file.h"

namespace cts {
namespace {

constexpr DType kFp16 = DType::kFp16, kFp32 = DType::kFp32;

AccumulatorShare Try(std::string_view id, int64_t kernel_size, DType in = kFp16,
                     DType out = kFp32) {
  const auto share =
      TryAccumulator(**FindEdition("tosa-1.0"), {in, out, kernel_size}, FindAccumulatorModel(id));
  EXPECT_TRUE(share.ok()) << share.status();
  return *share;
}

// The edge of the rule: the number of terms of a step does not matter there.
TEST(Accumulators, OfFp32KeepTwentyThreeFractionBits) {
  for (const int64_t kernel_size : {27, 90, 256, 1024, 4096}) {
    for (const char* const terms : {"4", "8", "16"}) {
      SCOPED_TRACE(StrCat(terms, " terms, KS ", kernel_size));
      EXPECT_TRUE(Try(StrCat("align_", terms, "x23"), kernel_size).accepted);
      const AccumulatorShare refused = Try(StrCat("align_", terms, "x22"), kernel_size);
      EXPECT_FALSE(refused.accepted);
      EXPECT_EQ(refused.limit, "variance");
    }
  }
}

// More bits, and the sum rounded toward zero once a step: a bias that grows with the number of
// steps.
TEST(Accumulators, ThatTruncateLeaveTheVarianceOfS2InLongSums) {
  for (const auto& [id, passes, fails] : std::vector<std::tuple<const char*, int64_t, int64_t>>{
           {"align_8x24", 256, 1024}, {"align_16x25", 1024, 2048}, {"align_16x24", 2048, 4096}}) {
    SCOPED_TRACE(id);
    EXPECT_TRUE(Try(id, passes).accepted);
    const AccumulatorShare refused = Try(id, fails);
    EXPECT_FALSE(refused.accepted);
    EXPECT_EQ(refused.set, 2);
    EXPECT_EQ(refused.limit, "variance");
    EXPECT_NEAR(refused.share, 1.13, 0.05);
  }
}

TEST(Accumulators, AreAsTheRuleLetsOneDerive) {
  for (const char* const id : {"align_4x23", "align_8x24", "align_16x25", "align_4x25",
                               "align_4x22", "align_16x21", "toward_zero"}) {
    for (const int64_t kernel_size : {256, 1024, 4096}) {
      const AccumulatorShare share = Try(id, kernel_size);
      const double derived = *DerivedShareOfS2(FindAccumulatorModel(id), kernel_size);
      EXPECT_EQ(share.set, 2) << id;
      EXPECT_LT(std::fabs(share.share - derived), 0.1 + 0.15 * derived)
          << id << " KS " << kernel_size << ": " << share.share << ", derived " << derived;
    }
  }
  EXPECT_FALSE(DerivedShareOfS2(FindAccumulatorModel("pairwise"), 256).has_value());
}

TEST(Accumulators, OfOtherTypesAreRefused) {
  EXPECT_FALSE(Try("fp16_sums", 27).accepted);
  EXPECT_FALSE(Try("bf16_sums", 27).accepted);
  EXPECT_FALSE(Try("tf32", 27, kFp32).accepted);
  EXPECT_FALSE(Try("tf32_align_4x24", 27, kFp32).accepted);
  EXPECT_TRUE(Try("pairwise", 256, kFp32).accepted);
  EXPECT_TRUE(Try("fp32_sums", 256, kFp16, kFp16).accepted);
}

TEST(TryAccumulator, NeedsATypeRowOfMatmul) {
  const auto share =
      TryAccumulator(**FindEdition("tosa-1.0"), {kFp32, kFp16, 27}, FindAccumulatorModel("fused"));
  EXPECT_EQ(share.status().message(), "MATMUL of tosa-1.0 has no type row of fp32 to fp16");
}

// Takes minutes.
TEST(AccumulatorsPage, IsUpToDate) {
  if (std::getenv("TENSOR_CTS_WHOLE") == nullptr) GTEST_SKIP() << "TENSOR_CTS_WHOLE is not set";
  const auto tables = FormatAccumulators(**FindEdition("tosa-1.0"), 0);
  ASSERT_TRUE(tables.ok()) << tables.status();
  const auto page = ReadFile(std::filesystem::path(CTS_SOURCE_DIR) / "suites/ACCUMULATORS.md");
  ASSERT_TRUE(page.ok()) << page.status();
  const std::string mark = "<!-- accumulators -->\n";
  const size_t begin = page->find(mark);
  ASSERT_NE(begin, page->npos);
  EXPECT_EQ(page->substr(begin + mark.size()), *tables)
      << "suites/ACCUMULATORS.md: make the tables again: tensor-cts audit --accumulators "
         "--recipe smoke";
}

}  // namespace
}  // namespace cts

#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Table(DType type, const std::vector<int64_t>& input, const std::vector<int64_t>& table,
                  std::string_view edition = kDefaultEdition) {
  OneOperator op("TABLE", edition);
  const Shape shape = {static_cast<int64_t>(input.size())};
  op.Integers(type, shape, input);
  op.Integers(type, {static_cast<int64_t>(table.size())}, table);
  return op.Out(type == DType::kI8 ? DType::kI8 : DType::kI32, shape);
}

TEST(Table, LooksUpEveryInt8) {
  const std::vector<int64_t> input = EveryValue(DType::kI8), table = Numbers(256, -128, 127);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Table(DType::kI8, input, table, edition).Run().Integers(), table);
  }
}

TEST(Table, InterpolatesEveryInt16) {
  const std::vector<int64_t> input = EveryValue(DType::kI16), table = Numbers(513, -16384, 16383);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor result = Table(DType::kI16, input, table, edition).Run();
    // Inputs count up from -32768: entry n stands for every 128th, the others lie on the line
    // between their two entries; 128 times the value is an integer.
    for (int64_t i = 0; i < result.size(); ++i) {
      const int64_t n = i / 128, right = i % 128;
      ASSERT_EQ(result.Integer(i), table[n] * (128 - right) + table[n + 1] * right);
    }
  }
}

TEST(Table, IsUnpredictableWhereNeighboursAreTooFarApart) {
  std::vector<int64_t> table(513, 0);
  table[256] = 32767, table[257] = -1;  // a slope of -32768: still an int16_t
  EXPECT_EQ(Table(DType::kI16, {5}, table).Verdict(), "valid");
  table[257] = -2;
  EXPECT_EQ(Table(DType::kI16, {5}, table).Verdict(), "unpredictable: apply_lookup_s.slope_range");
  // Entries that no input reaches do not matter.
  EXPECT_EQ(Table(DType::kI16, {5 + 256}, table).Verdict(), "valid");
}

TEST(Table, RequiresTableSizeEntries) {
  EXPECT_FALSE(Table(DType::kI8, {1}, std::vector<int64_t>(256)).Breaks("table.size"));
  EXPECT_TRUE(Table(DType::kI8, {1}, std::vector<int64_t>(255)).Breaks("table.size"));
  EXPECT_TRUE(Table(DType::kI8, {1}, std::vector<int64_t>(513)).Breaks("table.size"));
  EXPECT_FALSE(Table(DType::kI16, {1}, std::vector<int64_t>(513)).Breaks("table.size"));
  EXPECT_NE(Table(DType::kI16, {1}, std::vector<int64_t>(512)).Verdict(), "valid");
}

TEST(Table, LimitsTheRankToTheLevel) {
  const OneOperator op = Table(DType::kI8, {1, 2}, std::vector<int64_t>(256));
  EXPECT_TRUE(op.Breaks("table.level_rank", {{"MAX_RANK", 0}}));
  EXPECT_FALSE(op.Breaks("table.level_rank", {{"MAX_RANK", 1}}));
}

}  // namespace
}  // namespace cts

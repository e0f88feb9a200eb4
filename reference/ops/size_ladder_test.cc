#include "reference/ops/size_ladder.h"

#include <gtest/gtest.h>

#include <map>
#include <set>

namespace cts {
namespace {

class SizeLadder : public testing::TestWithParam<const char*> {
 protected:
  const Edition& edition() const { return **FindEdition(GetParam()); }
};

TEST_P(SizeLadder, NamesEachDimensionOnce) {
  for (const OperatorSpec& spec : edition().operators) {
    std::set<std::string> names;
    for (const SizedDimension& dimension : DimensionsOf(spec.Seen().name)) {
      EXPECT_TRUE(names.insert(dimension.name).second) << spec.name << " " << dimension.name;
      EXPECT_FALSE(dimension.meaning.empty()) << spec.name << " " << dimension.name;
      EXPECT_NE(dimension.size, nullptr) << spec.name << " " << dimension.name;
      EXPECT_FALSE(dimension.rungs.empty()) << spec.name << " " << dimension.name;
    }
  }
}

TEST_P(SizeLadder, HasRungsThatRise) {
  for (const OperatorSpec& spec : edition().operators) {
    for (const SizedDimension& dimension : DimensionsOf(spec.Seen().name)) {
      int64_t below = 0;
      for (const Rung& rung : dimension.rungs) {
        EXPECT_GE(rung.above, below) << spec.name << " " << dimension.name;
        EXPECT_GT(rung.up_to, rung.above) << spec.name << " " << dimension.name;
        below = rung.up_to;
      }
    }
  }
}

// An operator without dimensions climbs nothing, and one with some climbs in each kind of numbers
// that it has, once.
TEST_P(SizeLadder, IsClimbedByOneTypeRowOfEachKind) {
  for (const OperatorSpec& spec : edition().operators) {
    if (DimensionsOf(spec.Seen().name).empty()) continue;
    std::map<std::string, int> rows;
    for (const TypeRow& row : spec.type_rows) {
      if (const std::string_view kind = LadderKind(spec, row); !kind.empty()) {
        ++rows[std::string(kind)];
      }
    }
    EXPECT_FALSE(rows.empty()) << spec.name;
    for (const auto& [kind, count] : rows) EXPECT_EQ(count, 1) << spec.name << " " << kind;
  }
}

INSTANTIATE_TEST_SUITE_P(Editions, SizeLadder,
                         testing::Values("tosa-1.0", "tosa-0.100", "rvtensor"));

// An operator that is forgotten would be asked of no size. The others have no size of their own.
TEST(DimensionsOf, EveryOperatorThatComputesTensorsHasSome) {
  for (const std::string& id : EditionIds()) {
    const Edition& edition = **FindEdition(id);
    if (!edition.Has(Feature::kExecuted)) continue;
    for (const OperatorSpec& spec : edition.operators) {
      const bool has_none = spec.group == "variable" || spec.group == "control-flow" ||
                            spec.group == "shape" || spec.group == "custom" ||
                            IsConstant(spec.name) || spec.name == "DIM";
      EXPECT_EQ(DimensionsOf(spec.Seen().name).empty(), has_none) << id << " " << spec.name;
    }
  }
}

TEST(LadderKind, PrefersEightBitsAndThirtyTwo) {
  const Edition& edition = **FindEdition("tosa-1.0");
  const OperatorSpec& conv2d = *edition.FindOperator("CONV2D");
  for (const TypeRow& row : conv2d.type_rows) {
    const std::string_view kind = LadderKind(conv2d, row);
    if (kind == "integer") {
      EXPECT_EQ(row.PlainType("in_t"), DType::kI8);
      EXPECT_EQ(row.PlainType("weight_t"), DType::kI8);
    } else if (kind == "float") {
      EXPECT_EQ(row.PlainType("in_t"), DType::kFp32);
    }
  }
}

TEST(Rung, SaysItsSizes) {
  EXPECT_EQ(Text({16, 32}), "17 to 32");
  EXPECT_EQ(Text({6, 7}), "7");
  EXPECT_EQ(Text(DimensionsOf("MATMUL")[0].rungs.back()), "1025 or more");
  EXPECT_FALSE((Rung{16, 32}.Has(16)));
  EXPECT_TRUE((Rung{16, 32}.Has(17)));
  EXPECT_TRUE((Rung{16, 32}.Has(32)));
  EXPECT_FALSE((Rung{16, 32}.Has(33)));
}

}  // namespace
}  // namespace cts

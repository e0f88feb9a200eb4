#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

const std::vector<std::string> kNames = {"EQUAL", "GREATER", "GREATER_EQUAL"};

OneOperator Compare(const std::string& name, Tensor x, Tensor y, Shape out,
                    std::string_view edition = kDefaultEdition) {
  OneOperator op(name, edition);
  return op.In(std::move(x)).In(std::move(y)).Out(DType::kBool, std::move(out));
}

bool Expected(const std::string& name, double x, double y) {
  return name == "EQUAL" ? x == y : name == "GREATER" ? x > y : x >= y;
}

TEST(Comparison, IsIeeesForEveryPairOfFp8Values) {
  // fp16 and bf16 hold every fp8e5m2: zeros of both signs, infinities and NaN among them; none of
  // them is subnormal there but for fp16's own.
  const Tensor fp8 = EveryPattern(DType::kFp8E5M2);
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const std::string& name : kNames) {
      for (DType type : {DType::kFp16, DType::kBf16, DType::kFp32}) {
        const Tensor result =
            Compare(name, Tensor::OfFloats(type, {256, 1}, fp8.Elements()),
                    Tensor::OfFloats(type, {1, 256}, fp8.Elements()), {256, 256}, edition)
                .Run();
        for (int64_t i = 0; i < 65536; ++i) {
          const double x = fp8.Element(i / 256), y = fp8.Element(i % 256);
          ASSERT_EQ(result.Integer(i), Expected(name, x, y)) << name << " " << x << " " << y;
        }
      }
    }
  }
}

TEST(Comparison, OrdersIntegersExactly) {
  const std::vector<int64_t> values = {INT32_MIN, INT32_MIN + 1, -1,       0, 1, 16777216,
                                       16777217,  INT32_MAX - 1, INT32_MAX};
  for (const std::string& name : kNames) {
    const Tensor result = Compare(name, Tensor::OfIntegers(DType::kI32, {9, 1}, values),
                                  Tensor::OfIntegers(DType::kI32, {1, 9}, values), {9, 9})
                              .Run();
    for (int64_t i = 0; i < 81; ++i) {
      const int64_t order = i / 9 - i % 9;  // the values ascend
      EXPECT_EQ(result.Integer(i), name == "EQUAL"     ? order == 0
                                   : name == "GREATER" ? order > 0
                                                       : order >= 0);
    }
  }
}

TEST(Comparison, HasAnotherAnswerWhereSubnormalsAreFlushed) {
  const double least = std::ldexp(1, -24);  // fp16
  const Tensor x = Tensor::OfFloats(DType::kFp16, {4}, {least, 2 * least, -least, 1});
  const Tensor y = Tensor::OfFloats(DType::kFp16, {4}, {0, least, 0, 1});
  const std::map<std::string, std::pair<std::vector<int64_t>, std::vector<int64_t>>> expected = {
      {"EQUAL", {{0, 0, 0, 1}, {1, 1, 1, 1}}},
      {"GREATER", {{1, 1, 0, 0}, {0, 0, 0, 0}}},
      {"GREATER_EQUAL", {{1, 1, 0, 1}, {1, 1, 1, 1}}}};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const std::string& name : kNames) {
      const ExpectedOutput output = Compare(name, x, y, {4}, edition).Output();
      EXPECT_EQ(output.rule.kind, RuleKind::kExact);
      ASSERT_EQ(output.answers.size(), 2u);
      EXPECT_EQ(output.answers[0].expected.Integers(), expected.at(name).first) << name;
      EXPECT_EQ(output.answers[1].expected.Integers(), expected.at(name).second) << name;
      EXPECT_TRUE(output.answers[1].flushed);
    }
  }
}

TEST(Comparison, BroadcastsOrRejectsTheShapes) {
  const Tensor a = Tensor::OfIntegers(DType::kI32, {2, 1}, {1, 5});
  const Tensor b = Tensor::OfIntegers(DType::kI32, {1, 3}, {0, 1, 5});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Compare("GREATER", a, b, {2, 3}, edition).Run().Integers(),
              (std::vector<int64_t>{1, 0, 0, 1, 1, 0}));
    for (const auto& [name, id] : std::map<std::string, std::string>{
             {"EQUAL", "equal"}, {"GREATER", "greater"}, {"GREATER_EQUAL", "greater_equal"}}) {
      const std::string error = "error: " + id + ".broadcast";
      EXPECT_EQ(Compare(name, a, b, {2, 3}, edition).Verdict(), "valid");
      EXPECT_EQ(Compare(name, a, b, {2, 4}, edition).Verdict(), error);
      EXPECT_EQ(Compare(name, Tensor(DType::kI32, {2, 2}), b, {2, 3}, edition).Verdict(), error);
      EXPECT_EQ(Compare(name, Tensor(DType::kI32, {3}), b, {1, 3}, edition).Verdict(), error);
      EXPECT_TRUE(
          Compare(name, a, b, {2, 3}, edition).Breaks(id + ".level_rank", {{"MAX_RANK", 1}}));
      EXPECT_FALSE(
          Compare(name, a, b, {2, 3}, edition).Breaks(id + ".level_rank", {{"MAX_RANK", 2}}));
    }
  }
}

}  // namespace
}  // namespace cts

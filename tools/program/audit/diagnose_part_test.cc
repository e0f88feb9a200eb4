#include "tools/program/audit/diagnose_part.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "reference/base/status.h"
#include "reference/bundle/case_testing.h"

namespace cts {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TriedCase Failing(std::vector<std::string> features, bool reproduced) {
  TriedCase tried{.features = std::move(features), .failing = true};
  if (reproduced) tried.elements = 3;
  return tried;
}

TriedCase Passing(std::vector<std::string> features, bool contradicts) {
  return {.features = std::move(features), .contradicts = contradicts};
}

TEST(BestPart, IsTheWholeOperatorWhereNothingContradicts) {
  const auto best = BestPart({Failing({"a"}, true), Failing({"b"}, true), Passing({"c"}, false)});
  ASSERT_TRUE(best.has_value());
  EXPECT_THAT(best->part, IsEmpty());
  EXPECT_EQ(best->cases, 2U);
  EXPECT_EQ(best->elements, 6U);
  EXPECT_EQ(best->of_passing, 1U);
}

TEST(BestPart, LeavesOutThePassingCasesOfOtherKernels) {
  std::vector<TriedCase> tried = {Failing({"a", "x"}, true), Failing({"a", "y"}, true)};
  for (int k = 0; k < 10; ++k) tried.push_back(Passing({"b", "x"}, true));
  tried.push_back(Passing({"a", "y"}, false));
  const auto best = BestPart(tried);
  ASSERT_TRUE(best.has_value());
  EXPECT_THAT(best->part, ElementsAre("a"));
  EXPECT_EQ(best->contradicted, 0U);
  EXPECT_EQ(best->of_passing, 1U);
}

TEST(BestPart, TakesSeveralFeaturesWhereOneIsNotEnough) {
  const auto best =
      BestPart({Failing({"a", "x"}, true), Failing({"a", "x"}, true), Passing({"a", "y"}, true),
                Passing({"a", "y"}, true), Passing({"b", "x"}, true), Passing({"b", "x"}, true)});
  ASSERT_TRUE(best.has_value());
  EXPECT_THAT(best->part, ElementsAre("a", "x"));
}

// A refusal has no wrong elements: nothing but a passing case can speak against it.
TEST(BestPart, IsNoneWhereEverythingIsRefused) {
  std::vector<TriedCase> tried = {Failing({"a"}, true), Failing({"a"}, true)};
  tried[0].elements = tried[1].elements = 0;
  for (int k = 0; k < 2; ++k) tried.push_back(Passing({"b"}, true));
  EXPECT_FALSE(BestPart(tried).has_value());
  tried.push_back(Passing({"a"}, false));
  EXPECT_TRUE(BestPart(tried).has_value());
}

TEST(BestPart, IsOfOneFeatureWhereOutcomesAreWrong) {
  std::vector<TriedCase> tried = {Failing({"a", "x"}, true), Failing({"a", "x"}, true)};
  for (int k = 0; k < 2; ++k) {
    tried.push_back(Passing({"a", "y"}, true));
    tried.push_back(Passing({"b", "x"}, true));
  }
  tried.push_back(Passing({"a", "x"}, false));
  EXPECT_TRUE(BestPart(tried).has_value());
  tried[0].elements = tried[1].elements = 0;
  EXPECT_FALSE(BestPart(tried).has_value());
}

TEST(BestPart, IsNoneWhereEveryPassingCaseContradicts) {
  EXPECT_FALSE(BestPart({Failing({}, true), Failing({}, true), Failing({}, true), Failing({}, true),
                         Failing({}, true), Passing({}, true), Passing({}, true), Passing({}, true),
                         Passing({}, true)})
                   .has_value());
}

// One case that fits by chance finds a part of its own.
TEST(BestPart, IsNoneOfASingleCaseOrOfFewOfMany) {
  EXPECT_FALSE(BestPart({Failing({"a"}, true), Passing({"b"}, true)}).has_value());
  EXPECT_FALSE(BestPart({Failing({"a"}, true), Failing({"a"}, true), Failing({"a"}, false),
                         Failing({"a"}, false), Failing({"a"}, false), Passing({"b"}, true),
                         Passing({"b"}, true)})
                   .has_value());
}

TEST(BestPart, IsNoneWithoutACaseThatIsReproduced) {
  EXPECT_FALSE(BestPart({}).has_value());
  EXPECT_FALSE(BestPart({Failing({"a"}, false), Passing({"a"}, false)}).has_value());
}

// An i32 output of shape [8], with an operand of the same shape.
std::vector<std::string> Common(const std::vector<int64_t>& expected,
                                const std::vector<int64_t>& got, DType dtype = DType::kI32) {
  const Case c = IdentityCase("identity/a", "input", "output",
                              Tensor::OfIntegers(DType::kI32, {8}, {9, 8, 7, 6, 5, 4, 3, 2}));
  ExpectedOutput output{.name = "output", .dtype = dtype, .shape = {8}};
  output.rule.form = "tosa-1.0";
  const Answer answer{false, Tensor::OfIntegers(dtype, {8}, expected), {}, {}};
  std::vector<int64_t> wrong;
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] != expected[i]) wrong.push_back(static_cast<int64_t>(i));
  }
  return InCommon(c, output, answer, Tensor::OfIntegers(dtype, {8}, got), wrong);
}

TEST(InCommon, NamesWhatTheWrongValuesShare) {
  const std::vector<int64_t> right = {10, 20, 30, 40, 50, 60, 70, 80};
  using Words = std::vector<std::string>;
  EXPECT_EQ(Common(right, right), Words());
  EXPECT_EQ(Common(right, {10, 0, 30, 0, 50, 60, 0, 80}), Words{"zero is answered"});
  EXPECT_EQ(Common(right, {11, 20, 30, 40, 51, 60, 70, 80}), Words{"every one is one more"});
  EXPECT_EQ(Common(right, {11, 20, 30, 40, 49, 60, 70, 80}),
            Words{"every one is one more or one less"});
  EXPECT_EQ(Common(right, {10, -20, 30, 40, -50, 60, 70, 80}), Words{"the sign is the other one"});
  EXPECT_EQ(Common(right, {10, 8, 30, 6, 50, 60, 70, 80}),
            Words{"the operand input is handed through"});
  EXPECT_EQ(Common(right, {10, 7, 30, 7, 50, 60, 70, 80}), Words{"one value is answered, 7"});
  EXPECT_EQ(Common(right, {10, 7, 30, 6, 50, 60, 70, 85}), Words());
  EXPECT_EQ(Common(right, {0, 0, 0, 0, 0, 0, 0, 0}), (Words{"zero is answered", "every element"}));
}

// fp64 would not tell these apart.
TEST(InCommon, ComparesIntegersOf64Bits) {
  constexpr int64_t kLarge = int64_t{1} << 60;
  const std::vector<int64_t> right = {10, kLarge, kLarge, 40, 50, 60, 70, 80};
  const auto got = [&](int64_t by) {
    return std::vector<int64_t>{10, kLarge + by, kLarge + by, 40, 50, 60, 70, 80};
  };
  using Words = std::vector<std::string>;
  EXPECT_EQ(Common(right, got(1), DType::kI64), Words{"every one is one more"});
  EXPECT_EQ(Common(right, got(5), DType::kI64),
            Words{StrCat("one value is answered, ", kLarge + 5)});
}

TEST(InCommon, TellsTheSignOfAZeroFromZeros) {
  const Case c =
      IdentityCase("identity/a", "input", "output", Tensor::OfIntegers(DType::kI32, {2}, {9, 8}));
  ExpectedOutput output{.name = "output", .dtype = DType::kFp32, .shape = {2}};
  output.rule.form = "tosa-1.0";
  const Answer answer{false, Tensor::OfFloats(DType::kFp64, {2}, {1, 0.0}), {}, {}};
  const Tensor got = Tensor::OfFloats(DType::kFp32, {2}, {1, -0.0});
  EXPECT_EQ(InCommon(c, output, answer, got, {1}).front(), "the sign is the other one");
}

TEST(MostFrequent, CountsWordsWhateverTheirFigures) {
  EXPECT_EQ(MostFrequent({{"a", {"index 3 of axis 1", "zero is answered"}},
                          {"b", {"index 5 of axis 2"}},
                          {"c", {"something else"}}}),
            std::vector<std::string>{"2 of 3: such as index 3 of axis 1 (a)"});
  EXPECT_EQ(MostFrequent({{"a", {"index 3 of axis 1"}}, {"b", {"index 3 of axis 1"}}}),
            std::vector<std::string>{"2 of 2: index 3 of axis 1 (a)"});
  EXPECT_TRUE(MostFrequent({}).empty());
}

}  // namespace
}  // namespace cts

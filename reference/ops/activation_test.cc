#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

OneOperator Clamp(Tensor input, AttributeValue low, AttributeValue high,
                  std::string_view edition = kDefaultEdition,
                  const std::string& nan_mode = "PROPAGATE") {
  OneOperator op("CLAMP", edition);
  const DType type = input.dtype();
  const Shape shape = input.shape();
  op.In(std::move(input)).Set("min_val", std::move(low)).Set("max_val", std::move(high));
  if (edition != "tosa-0.100") op.Set("nan_mode", nan_mode);
  return op.Out(type, shape);
}

TEST(Clamp, BoundsEveryInteger) {
  for (DType type : {DType::kI8, DType::kI16}) {
    const std::vector<int64_t> values = EveryValue(type);
    const Tensor input = Tensor::OfIntegers(type, {static_cast<int64_t>(values.size())}, values);
    for (const auto& [low, high] : std::vector<std::pair<int64_t, int64_t>>{
             {-128, 127}, {-5, 100}, {7, 7}, {-128, -128}, {127, 127}}) {
      const Tensor result = Clamp(input, low, high).Run();
      for (size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(result.Integer(i), std::max(low, std::min(high, values[i])));
      }
    }
  }
}

TEST(Clamp, BoundsEveryFp16AndTreatsNanByMode) {
  const Tensor input = EveryPattern(DType::kFp16);
  for (const std::string mode : {"PROPAGATE", "IGNORE"}) {
    const OneOperator op = Clamp(input, -2.5, 1.0, "tosa-1.0", mode);
    const Tensor result = op.Run(), native = op.RunNative();
    for (int64_t i = 0; i < input.size(); ++i) {
      const double x = input.Element(i);
      if (std::isnan(x) && mode == "PROPAGATE") {
        ASSERT_TRUE(std::isnan(result.Element(i)) && std::isnan(native.Element(i)));
        continue;
      }
      const double expected = std::isnan(x) ? -2.5 : std::fmax(-2.5, std::fmin(1.0, x));
      ASSERT_EQ(result.Element(i), expected);
      ASSERT_EQ(native.Element(i), expected);
    }
  }
}

TEST(Clamp, KeepsNanIn0100) {
  const Tensor input = Tensor::OfFloats(DType::kBf16, {2}, {kNan, 9});
  const Tensor result = Clamp(input, -1.0, 2.0, "tosa-0.100").Run();
  EXPECT_TRUE(std::isnan(result.Element(0)));
  EXPECT_EQ(result.Element(1), 2);
}

TEST(Clamp, TakesInfiniteBounds) {
  const Tensor input = Tensor::OfFloats(DType::kFp32, {2}, {-3, INFINITY});
  EXPECT_EQ(Clamp(input, -INFINITY, INFINITY).Run().Elements(), input.Elements());
}

// apply_clip_s would make it unpredictable, too: the ERROR_IF is taken to end the operator.
TEST(Clamp, RejectsMaximumBelowMinimum) {
  const Tensor input(DType::kI8, {3});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(Clamp(input, int64_t{3}, int64_t{3}, edition).Verdict(), "valid");
    EXPECT_EQ(Clamp(input, int64_t{4}, int64_t{3}, edition).Verdict(), "error: clamp.bounds_order");
  }
}

TEST(Clamp, RejectsNanBoundsWhichTheDraftLeavesUnpredictable) {
  const Tensor input(DType::kFp16, {3});
  EXPECT_EQ(Clamp(input, 0.0, 1.0).Verdict(), "valid");
  EXPECT_EQ(Clamp(input, kNan, 1.0).Verdict(), "error: clamp.nan_bounds");
  EXPECT_EQ(Clamp(input, 0.0, kNan).Verdict(), "error: clamp.nan_bounds");
  EXPECT_EQ(Clamp(input, 0.0, kNan, "tosa-0.100").Verdict(), "unpredictable: apply_clip_s.bounds");
}

TEST(Clamp, LimitsTheRankToTheLevel) {
  const OneOperator op = Clamp(Tensor(DType::kI8, {1, 1, 1}), int64_t{0}, int64_t{1});
  EXPECT_TRUE(op.Breaks("clamp.level_rank", {{"MAX_RANK", 2}}));
  EXPECT_FALSE(op.Breaks("clamp.level_rank", {{"MAX_RANK", 3}}));
}

// --- ERF, SIGMOID and TANH.

OneOperator Function(const std::string& name, Tensor input,
                     std::string_view edition = kDefaultEdition) {
  OneOperator op(name, edition);
  const DType type = input.dtype();
  const Shape shape = input.shape();
  return op.In(std::move(input)).Out(type, shape);
}

constexpr mpfr_prec_t kBits = 192;

// 1 - erfc(x) where that does not cancel more than half of the bits.
MpfrFloat ErfOfMpfr(const MpfrFloat& x) {
  MpfrFloat result(kBits);
  if (std::fabs(x.ToDouble()) < 0x1p-20) {
    mpfr_erf(result.raw(), x.raw(), MPFR_RNDN);
    return result;
  }
  mpfr_erfc(result.raw(), x.raw(), MPFR_RNDN);
  return Sub(MpfrFloat::FromInteger(1, kBits), result);
}

// e^x / (1 + e^x); large arguments by their sign.
MpfrFloat SigmoidOfMpfr(const MpfrFloat& x) {
  const double value = x.ToDouble();
  if (std::fabs(value) > 1000) return MpfrFloat::FromInteger(value > 0 ? 1 : 0, kBits);
  MpfrFloat exp(kBits);
  mpfr_exp(exp.raw(), x.raw(), MPFR_RNDN);
  return Div(exp, Add(MpfrFloat::FromInteger(1, kBits), exp));
}

// (e^2x - 1) / (e^2x + 1); large arguments by their sign.
MpfrFloat TanhOfMpfr(const MpfrFloat& x) {
  const double value = x.ToDouble();
  if (std::fabs(value) > 100) return MpfrFloat::FromInteger(value > 0 ? 1 : -1, kBits);
  MpfrFloat expm1(kBits);
  mpfr_mul_2ui(expm1.raw(), x.raw(), 1, MPFR_RNDN);
  mpfr_expm1(expm1.raw(), expm1.raw(), MPFR_RNDN);
  return Div(expm1, Add(expm1, MpfrFloat::FromInteger(2, kBits)));
}

TEST(ActivationFunctions, AreTheMpfrFunctionsForEveryPattern) {
  FreeMpfrCachesAtThreadExit();
  struct Oracle {
    std::string name;
    MpfrFloat (*function)(const MpfrFloat&);
  };
  for (const Oracle& oracle :
       {Oracle{"ERF", ErfOfMpfr}, Oracle{"SIGMOID", SigmoidOfMpfr}, Oracle{"TANH", TanhOfMpfr}}) {
    for (DType type : {DType::kFp16, DType::kBf16}) {
      const Tensor input = EveryPattern(type);
      const Tensor result = Function(oracle.name, input).Run();
      for (int64_t i = 0; i < input.size(); ++i) {
        const double x = input.Element(i), y = result.Element(i);
        if (std::isnan(x)) {
          ASSERT_TRUE(std::isnan(y));
        } else if (std::isfinite(x) && x != 0) {
          const double expected = oracle.function(MpfrFloat::FromDouble(x, kBits)).ToDouble();
          ASSERT_EQ(y, expected) << oracle.name << " " << x;
        }
      }
    }
  }
}

TEST(ActivationFunctions, HaveTheSpecialValuesOfTheirTables) {
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor x = Tensor::OfFloats(DType::kFp32, {5}, {-inf, inf, -0.0, 0.0, kNan});
  const std::map<std::string, std::vector<double>> tables = {
      {"ERF", {-1, 1, -0.0, 0.0}}, {"SIGMOID", {0, 1, 0.5, 0.5}}, {"TANH", {-1, 1, -0.0, 0.0}}};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const auto& [name, values] : tables) {
      const OneOperator op = Function(name, x, edition);
      for (const Tensor& result : {op.Run(), op.RunNative()}) {
        for (int64_t i = 0; i < 4; ++i) {
          EXPECT_EQ(result.Element(i), values[i]) << name;
          EXPECT_EQ(std::signbit(result.Element(i)), std::signbit(values[i])) << name;
        }
        EXPECT_TRUE(std::isnan(result.Element(4))) << name;
      }
    }
  }
}

TEST(ActivationFunctions, LimitTheRankToTheLevel) {
  for (const auto& [name, id] : std::map<std::string, std::string>{
           {"ERF", "erf"}, {"SIGMOID", "sigmoid"}, {"TANH", "tanh"}}) {
    const OneOperator op = Function(name, Tensor(DType::kFp32, {1, 1}));
    EXPECT_TRUE(op.Breaks(id + ".level_rank", {{"MAX_RANK", 1}}));
    EXPECT_FALSE(op.Breaks(id + ".level_rank", {{"MAX_RANK", 2}}));
  }
}

}  // namespace
}  // namespace cts

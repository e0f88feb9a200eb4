#include <algorithm>

#include "reference/ops/testing.h"

namespace cts {
namespace {

struct Parameters {
  DType in_t = DType::kI8, out_t = DType::kI8;
  std::vector<int64_t> multiplier = {1 << 30}, shift = {30};  // by 1
  int64_t input_zp = 0, output_zp = 0;
  bool scale32 = true;
  std::string rounding = "SINGLE_ROUND";
  bool per_channel = false, input_unsigned = false, output_unsigned = false;
  Shape shape = {1};
  std::string_view edition = kDefaultEdition;
};

OneOperator Rescale(const Parameters& p, const std::vector<int64_t>& input) {
  OneOperator op("RESCALE", p.edition);
  const Shape channels = {static_cast<int64_t>(p.multiplier.size())};
  op.Integers(p.in_t, p.shape, input);
  op.Integers(p.scale32 ? DType::kI32 : DType::kI16, channels, p.multiplier);
  op.Integers(DType::kI8, channels, p.shift);
  op.Set("scale32", p.scale32).Set("per_channel", p.per_channel);
  op.Set("input_unsigned", p.input_unsigned).Set("output_unsigned", p.output_unsigned);
  if (p.edition == "tosa-0.100") {
    op.Set("input_zp", p.input_zp).Set("output_zp", p.output_zp);
    op.Set("double_round", p.rounding == "DOUBLE_ROUND");
  } else {
    op.Integers(p.in_t, {1}, {p.input_zp}).Integers(p.out_t, {1}, {p.output_zp});
    op.Set("rounding_mode", p.rounding);
  }
  return op.Out(p.out_t, p.shape);
}

std::string VerdictOf(const Parameters& p) {
  return Rescale(p, std::vector<int64_t>(ElementCount(p.shape))).Verdict();
}

// value * multiplier / 2^shift to the nearest integer, a half upward, exactly.
int64_t Nearest(int64_t value, int64_t multiplier, int64_t shift) {
  using Wide = __int128;
  const Wide twice = 2 * Wide{value} * multiplier + (Wide{1} << shift);
  const Wide divisor = Wide{1} << (shift + 1);
  return static_cast<int64_t>((twice - ((twice % divisor + divisor) % divisor)) / divisor);
}

TEST(Rescale, IsTheExactQuotientForEveryInput) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (DType in_t : {DType::kI8, DType::kI16}) {
      for (DType out_t : {DType::kI8, DType::kI16, DType::kI32}) {
        for (int64_t shift : {20, 30, 37}) {
          const std::vector<int64_t> input = EveryValue(in_t);
          Parameters p{.in_t = in_t, .out_t = out_t, .multiplier = {1234567891}, .shift = {shift}};
          p.input_zp = in_t == DType::kI8 ? -3 : 0;
          p.output_zp = out_t == DType::kI8 ? 5 : 0;
          p.shape = {static_cast<int64_t>(input.size())};
          p.edition = edition;
          const Tensor result = Rescale(p, input).Run();
          for (size_t i = 0; i < input.size(); ++i) {
            const int64_t expected =
                Nearest(input[i] - p.input_zp, 1234567891, shift) + p.output_zp;
            ASSERT_EQ(result.Integer(i),
                      std::clamp(expected, IntegerMin(out_t), IntegerMax(out_t)));
          }
        }
      }
    }
  }
}

TEST(Rescale, ScalesInt48WithA16BitMultiplier) {
  Parameters p{.in_t = DType::kI48, .out_t = DType::kI32, .multiplier = {32767}, .shift = {46}};
  p.scale32 = false;
  p.shape = {4};
  const std::vector<int64_t> input = {IntegerMax(DType::kI48), IntegerMin(DType::kI48), 0,
                                      -12345678901};
  std::vector<int64_t> expected;
  for (int64_t x : input) expected.push_back(Nearest(x, 32767, 46));
  EXPECT_EQ(Rescale(p, input).Run().Integers(), expected);
}

TEST(Rescale, ReadsUnsignedElementsAndZeroPointsAsBitPatterns) {
  const std::vector<int64_t> input = EveryValue(DType::kI8);
  // uint8 with zero point 200, stored as -56, to int16.
  Parameters p{.in_t = DType::kI8, .out_t = DType::kI16, .input_zp = -56};
  p.input_unsigned = true;
  p.shape = {256};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    p.edition = edition;
    const Tensor result = Rescale(p, input).Run();
    for (int64_t i = 0; i < 256; ++i) {
      const int64_t byte = input[i] < 0 ? input[i] + 256 : input[i];
      ASSERT_EQ(result.Integer(i), byte - 200);
    }
  }
}

TEST(Rescale, ClipsToTheUnsignedRangeFromZero) {
  Parameters p{.in_t = DType::kI16, .out_t = DType::kI8, .output_zp = -128};  // 128
  p.output_unsigned = true;
  p.shape = {6};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    p.edition = edition;
    // 128 + x, clipped to 0 and 255, stored in 8 bits.
    EXPECT_EQ(Rescale(p, {-32768, -129, -128, 0, 127, 128}).Run().Integers(),
              (std::vector<int64_t>{0, 0, 0, -128, -1, -1}));
  }
}

TEST(Rescale, TurnsInt16IntoUint16About32768) {
  const std::vector<int64_t> input = EveryValue(DType::kI16);
  Parameters p{.in_t = DType::kI16, .out_t = DType::kI16, .output_zp = -32768};
  p.output_unsigned = true;
  p.shape = {65536};
  const Tensor result = Rescale(p, input).Run();
  for (int64_t i = 0; i < 65536; ++i) ASSERT_EQ(result.Bits(i), static_cast<uint64_t>(i));
  p.input_zp = -32768, p.output_zp = 0;
  p.input_unsigned = true, p.output_unsigned = false;
  const Tensor back = Rescale(p, result.Integers()).Run();
  EXPECT_EQ(back.Integers(), input);
}

TEST(Rescale, TakesChannelsFromTheLastAxis) {
  Parameters p{.in_t = DType::kI32, .out_t = DType::kI32};
  p.multiplier = {1 << 30, 1 << 30, 1 << 30}, p.shift = {30, 31, 29};
  p.per_channel = true;
  p.shape = {2, 3};
  EXPECT_EQ(Rescale(p, {8, 8, 8, -6, -6, -6}).Run().Integers(),
            (std::vector<int64_t>{8, 4, 16, -6, -3, -12}));
}

TEST(Rescale, RoundsOnceOrTwice) {
  Parameters p{.in_t = DType::kI32, .out_t = DType::kI32, .shift = {32}};
  // 1 * 2^30 / 2^32 = 0.25: twice by way of 1/2.
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    p.edition = edition;
    p.rounding = "SINGLE_ROUND";
    EXPECT_EQ(Rescale(p, {1}).Run().Integer(0), 0);
    p.rounding = "DOUBLE_ROUND";
    EXPECT_EQ(Rescale(p, {1}).Run().Integer(0), 1);
  }
}

TEST(Rescale, AcceptsTheSingleRoundingWhereInexactIsAllowed) {
  const std::vector<int64_t> input = EveryValue(DType::kI8);
  Parameters p{.out_t = DType::kI16, .multiplier = {1234567891}, .shift = {28}};
  p.shape = {256};
  const Tensor exact = Rescale(p, input).Run();
  p.rounding = "INEXACT_ROUND";
  EXPECT_EQ(Rescale(p, input).RunNative(), exact);
  const Tensor least = Rescale(p, input).Run();
  for (int64_t i = 0; i < 256; ++i) EXPECT_LE(least.Integer(i), exact.Integer(i));
}

TEST(Rescale, IsUnpredictableWhereScalingIs) {
  Parameters p{.in_t = DType::kI32, .out_t = DType::kI32};
  const auto verdict = [&](int64_t multiplier, int64_t shift, int64_t value) {
    p.multiplier = {multiplier}, p.shift = {shift};
    return Rescale(p, {value}).Verdict();
  };
  EXPECT_EQ(verdict(1, 2, 1), "valid");
  EXPECT_EQ(verdict(-1, 2, 1), "unpredictable: apply_scale_32.multiplier_negative");
  EXPECT_EQ(verdict(1, 1, 1), "unpredictable: apply_scale_32.shift_range");
  EXPECT_EQ(verdict(1, 2, 2), "unpredictable: apply_scale_32.value_range");
  p.in_t = DType::kI48, p.scale32 = false;
  EXPECT_EQ(verdict(1, 2, int64_t{1} << 32), "valid");
  EXPECT_EQ(verdict(1, 2, int64_t{1} << 33), "unpredictable: apply_scale_16.result_range");
  EXPECT_EQ(verdict(-1, 2, 1), "unpredictable: apply_scale_16.multiplier_negative");
  EXPECT_EQ(verdict(1, 63, 1), "unpredictable: apply_scale_16.shift_range");
}

TEST(Rescale, IsUnpredictableWhenTheZeroPointOverflows) {
  Parameters p{.in_t = DType::kI32, .out_t = DType::kI8, .output_zp = 1};
  p.multiplier = {INT32_MAX}, p.shift = {31};
  EXPECT_EQ(Rescale(p, {1 << 29}).Verdict(), "valid");
  // The greatest multiplier at the shift that fits the value leaves 2^31 - 1 + 1 out of reach in
  // most types; an i48 comes to it exactly.
  p.in_t = DType::kI48, p.scale32 = false, p.multiplier = {4}, p.shift = {2};
  EXPECT_EQ(Rescale(p, {INT32_MAX - 1}).Verdict(), "valid");
  EXPECT_EQ(Rescale(p, {INT32_MAX}).Verdict(), "unpredictable: integer.overflow");
}

TEST(Rescale, RejectsZeroPointsOfTypesWithoutOne) {
  const DType i8 = DType::kI8, i16 = DType::kI16, i32 = DType::kI32;
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(
        VerdictOf({.in_t = i8, .out_t = i8, .input_zp = 7, .output_zp = -7, .edition = edition}),
        "valid");
    EXPECT_EQ(VerdictOf({.in_t = i16, .input_zp = 1, .edition = edition}),
              "error: rescale.input_zp");
    EXPECT_EQ(VerdictOf({.in_t = i32, .input_zp = 1, .edition = edition}),
              "error: rescale.input_zp");
    EXPECT_EQ(VerdictOf({.out_t = i16, .output_zp = 1, .edition = edition}),
              "error: rescale.output_zp");
    EXPECT_EQ(VerdictOf({.out_t = i32, .output_zp = 1, .edition = edition}),
              "error: rescale.output_zp");
  }
}

TEST(Rescale, RejectsZeroPointsOfUint16OtherThan32768) {
  const auto in = [](int64_t zp, std::string_view edition) {
    return VerdictOf(
        {.in_t = DType::kI16, .input_zp = zp, .input_unsigned = true, .edition = edition});
  };
  const auto out = [](int64_t zp, std::string_view edition) {
    return VerdictOf(
        {.out_t = DType::kI16, .output_zp = zp, .output_unsigned = true, .edition = edition});
  };
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(in(0, edition), "valid");
    EXPECT_EQ(in(-32768, edition), "valid");
    EXPECT_EQ(in(32767, edition), "error: rescale.input_zp_uint16");
    EXPECT_EQ(out(-32768, edition), "valid");
    EXPECT_EQ(out(-1, edition), "error: rescale.output_zp_uint16");
  }
  EXPECT_EQ(in(32768, "tosa-0.100"), "valid");  // an attribute may be written as a number
}

TEST(Rescale, RejectsA32BitMultiplierForInt48) {
  EXPECT_EQ(VerdictOf({.in_t = DType::kI48, .multiplier = {1}, .scale32 = false}), "valid");
  EXPECT_EQ(VerdictOf({.in_t = DType::kI48}), "error: rescale.scale32_i48");
}

TEST(Rescale, RejectsDoubleRoundingOf16BitMultipliers) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(VerdictOf({.multiplier = {1}, .scale32 = false, .edition = edition}), "valid");
    EXPECT_EQ(
        VerdictOf(
            {.multiplier = {1}, .scale32 = false, .rounding = "DOUBLE_ROUND", .edition = edition}),
        "error: rescale.double_round_scale16");
    EXPECT_EQ(VerdictOf({.rounding = "DOUBLE_ROUND", .edition = edition}), "valid");
  }
}

TEST(Rescale, RejectsUnsignedOnBothSides) {
  EXPECT_EQ(VerdictOf({.input_unsigned = true}), "valid");
  EXPECT_EQ(VerdictOf({.output_unsigned = true}), "valid");
  EXPECT_EQ(VerdictOf({.input_unsigned = true, .output_unsigned = true}),
            "error: rescale.both_unsigned");
}

TEST(Rescale, RejectsUnsignedTogetherWithWideTypes) {
  const DType i32 = DType::kI32, i48 = DType::kI48;
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    EXPECT_EQ(VerdictOf({.out_t = i32, .input_unsigned = true, .edition = edition}),
              "error: rescale.unsigned_input_to_i32");
    EXPECT_EQ(VerdictOf({.in_t = i32, .output_unsigned = true, .edition = edition}),
              "error: rescale.i32_to_unsigned_output");
    EXPECT_EQ(VerdictOf({.in_t = i48,
                         .multiplier = {1},
                         .scale32 = false,
                         .output_unsigned = true,
                         .edition = edition}),
              "error: rescale.i48_to_unsigned_output");
  }
}

// In 0.100 only the introduction forbids these; no condition speaks of them.
TEST(Rescale, RejectsUnsignedWideTypesWhichTheDraftLeavesUnpredictable) {
  const auto verdict = [](DType in_t, DType out_t, bool input, std::string_view edition) {
    const bool scale32 = in_t != DType::kI48;
    return VerdictOf({.in_t = in_t,
                      .out_t = out_t,
                      .multiplier = {1},
                      .scale32 = scale32,
                      .input_unsigned = input,
                      .output_unsigned = !input,
                      .edition = edition});
  };
  const DType i8 = DType::kI8, i32 = DType::kI32, i48 = DType::kI48;
  EXPECT_EQ(verdict(i32, i8, true, "tosa-1.0"), "error: rescale.unsigned_i32_input");
  EXPECT_EQ(verdict(i48, i8, true, "tosa-1.0"), "error: rescale.unsigned_i48_input");
  EXPECT_EQ(verdict(i8, i32, false, "tosa-1.0"), "error: rescale.unsigned_i32_output");
  EXPECT_EQ(verdict(i8, i8, false, "tosa-1.0"), "valid");
  for (auto [in_t, out_t, input] : {std::tuple(i32, i8, true), {i48, i8, true}, {i8, i32, false}}) {
    EXPECT_EQ(verdict(in_t, out_t, input, "tosa-0.100"), "unpredictable: rescale.unsigned_type");
  }
}

TEST(Rescale, RejectsPerChannelScalars) {
  EXPECT_EQ(VerdictOf({.per_channel = true, .shape = {1}}), "valid");
  EXPECT_EQ(VerdictOf({.per_channel = false, .shape = {}}), "valid");
  EXPECT_EQ(VerdictOf({.per_channel = true, .shape = {}}), "error: rescale.per_channel_rank");
  EXPECT_EQ(VerdictOf({.per_channel = true, .shape = {}, .edition = "tosa-0.100"}),
            "unpredictable: tensor_index_to_offset.index_range");
}

TEST(Rescale, LimitsTheRankToTheLevel) {
  const OneOperator op = Rescale({.shape = {1, 1}}, {0});
  EXPECT_TRUE(op.Breaks("rescale.level_rank", {{"MAX_RANK", 1}}));
  EXPECT_FALSE(op.Breaks("rescale.level_rank", {{"MAX_RANK", 2}}));
}

}  // namespace
}  // namespace cts

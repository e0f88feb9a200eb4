#include <algorithm>
#include <cmath>

#include "reference/ops/testing.h"

namespace cts {
namespace {

// The parameters of one case; the output's size follows from them.
struct Parameters {
  std::vector<int64_t> scale = {1, 1, 1, 1}, offset = {0, 0}, border = {0, 0};
  std::string mode = "NEAREST_NEIGHBOR";
  std::string_view edition = kDefaultEdition;

  int64_t Out(int64_t in, int axis) const {
    return ((in - 1) * scale[2 * axis] - offset[axis] + border[axis]) / scale[2 * axis + 1] + 1;
  }
};

OneOperator Resize(Tensor input, const Parameters& p, DType out_t, Shape out = {}) {
  const Shape in = input.shape();
  if (out.empty()) out = {in[0], p.Out(in[1], 0), p.Out(in[2], 1), in[3]};
  OneOperator op("RESIZE", p.edition);
  op.In(std::move(input)).ShapeIn(p.scale).ShapeIn(p.offset).ShapeIn(p.border);
  return op.Set("mode", p.mode).Out(out_t, std::move(out));
}

// 0.5 rounded up, clamped to the input.
int64_t Nearest(int64_t position, int64_t n, int64_t in) {
  const double index = std::floor((2.0 * static_cast<double>(position) + static_cast<double>(n)) /
                                  (2.0 * static_cast<double>(n)));
  return std::clamp<int64_t>(static_cast<int64_t>(index), 0, in - 1);
}

// The weight of input `i` at an output position, times n: a tent of half-width 1 about it, the
// position clamped to the input.
int64_t Tent(int64_t position, int64_t n, int64_t in, int64_t i) {
  position = std::clamp<int64_t>(position, 0, (in - 1) * n);
  return std::max<int64_t>(0, n - std::abs(position - i * n));
}

const std::vector<Parameters>& SomeParameters() {
  static const std::vector<Parameters> all = {
      {},
      {.scale = {2, 1, 4, 1}},
      {.scale = {4, 2, 4, 2}, .offset = {-1, -1}, .border = {1, 1}},
      {.scale = {3, 2, 5, 3}, .offset = {-3, 2}, .border = {2, 1}},
      {.scale = {1, 4, 1, 3}, .offset = {0, 0}, .border = {0, 0}},
      {.scale = {7, 5, 7, 11}, .offset = {4, 0}, .border = {-3, 2}},
      {.scale = {2048, 2047, 6, 31}, .offset = {0, 5}, .border = {1 - 2044, 0}},
  };
  return all;
}

// Makes the output's size of a case divide, by its border.
Parameters Fitted(Parameters p, int64_t height, int64_t width) {
  for (int axis : {0, 1}) {
    const int64_t in = axis == 0 ? height : width, d = p.scale[2 * axis + 1];
    const int64_t rest = ((in - 1) * p.scale[2 * axis] - p.offset[axis] + p.border[axis]) % d;
    p.border[axis] -= rest;
  }
  return p;
}

TEST(Resize, TakesTheNearestInput) {
  const Shape in = {2, 5, 7, 3};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (Parameters p : SomeParameters()) {
      p = Fitted(p, in[1], in[2]);
      p.edition = edition;
      const Tensor input = Tensor::OfIntegers(DType::kI16, in, Numbers(210, -32768, 32767));
      const Tensor result = Resize(input, p, DType::kI16).Run();
      for (int64_t i = 0; i < result.size(); ++i) {
        Shape index = Index(result.shape(), i);
        index[1] = Nearest(index[1] * p.scale[1] + p.offset[0], p.scale[0], in[1]);
        index[2] = Nearest(index[2] * p.scale[3] + p.offset[1], p.scale[2], in[2]);
        ASSERT_EQ(result.Integer(i), input.Integer(Offset(in, index)));
      }
    }
  }
}

TEST(Resize, InterpolatesIntegersWithTentsAsWeights) {
  const Shape in = {2, 5, 7, 2};
  for (DType in_t : {DType::kI8, DType::kI16}) {
    for (Parameters p : SomeParameters()) {
      p = Fitted(p, in[1], in[2]);
      p.mode = "BILINEAR";
      const Tensor input =
          Tensor::OfIntegers(in_t, in, Numbers(140, IntegerMin(in_t), IntegerMax(in_t)));
      const Tensor result = Resize(input, p, in_t == DType::kI8 ? DType::kI32 : DType::kI48).Run();
      for (int64_t i = 0; i < result.size(); ++i) {
        const Shape at = Index(result.shape(), i);
        int64_t expected = 0;
        for (int64_t y = 0; y < in[1]; ++y) {
          for (int64_t x = 0; x < in[2]; ++x) {
            expected += input.Integer(Offset(in, {at[0], y, x, at[3]})) *
                        Tent(at[1] * p.scale[1] + p.offset[0], p.scale[0], in[1], y) *
                        Tent(at[2] * p.scale[3] + p.offset[1], p.scale[2], in[2], x);
          }
        }
        ASSERT_EQ(result.Integer(i), expected);
      }
    }
  }
}

TEST(Resize, InterpolatesFloatsExactlyWhereThePositionsAreExact) {
  const Shape in = {1, 4, 3, 1};
  Parameters p{.scale = {8, 2, 4, 2}, .offset = {-3, -1}, .border = {3, 1}, .mode = "BILINEAR"};
  const std::vector<int64_t> values = Numbers(12, -100, 100);
  const Tensor integers = Resize(Tensor::OfIntegers(DType::kI8, in, values), p, DType::kI32).Run();
  for (DType type : {DType::kFp16, DType::kBf16, DType::kFp32}) {
    const Tensor input = Tensor::OfFloats(type, in, {values.begin(), values.end()});
    const Tensor result = Resize(input, p, type).Run();
    for (int64_t i = 0; i < result.size(); ++i) {
      ASSERT_EQ(result.Element(i) * 8 * 4, static_cast<double>(integers.Integer(i)));
    }
  }
}

TEST(Resize, ByOneIsTheIdentity) {
  const Tensor input = EveryPattern(DType::kFp16);
  Tensor image(DType::kFp16, {1, 256, 32, 8});
  for (int64_t i = 0; i < image.size(); ++i) {
    const double x = input.Element(i);
    image.SetElement(i, std::isfinite(x) ? x : 0);
  }
  for (const std::string mode : {"NEAREST_NEIGHBOR", "BILINEAR"}) {
    const OneOperator op = Resize(image, {.mode = mode}, DType::kFp16);
    EXPECT_EQ(op.Run().Elements(), image.Elements());
    EXPECT_EQ(op.RunNative().Elements(), image.Elements());
  }
}

TEST(Resize, MultipliesTapsOfWeightZeroToo) {
  const Tensor input = Tensor::OfFloats(DType::kFp32, {1, 1, 2, 1}, {1, INFINITY});
  const Tensor result = Resize(input, {.mode = "BILINEAR"}, DType::kFp32).Run();
  EXPECT_TRUE(std::isnan(result.Element(0)));
  EXPECT_EQ(Resize(input, {}, DType::kFp32).Run().Element(0), 1);
}

TEST(Resize, TakesTheNearestByTheExactPositionInNarrowTypes) {
  // The second output lies 1023 / 2047 past the first input: nearer to it, although bf16 rounds
  // that to 0.5.
  const Parameters p{.scale = {1, 1, 2047, 1023}, .offset = {0, 0}, .border = {0, 1023 - 2047}};
  const Tensor input = Tensor::OfFloats(DType::kBf16, {1, 1, 2, 1}, {3, 4});
  const OneOperator op = Resize(input, p, DType::kBf16);
  EXPECT_EQ(op.Run().Elements(), (std::vector<double>{3, 3}));
  EXPECT_EQ(op.RunNative().Elements(), (std::vector<double>{3, 3}));
}

// The verdict on an input of [1,2,3,1] with one parameter changed.
std::string VerdictOf(const Parameters& p, Shape out = {}) {
  for (int axis : {0, 1}) {
    if (out.empty() && p.scale[2 * axis + 1] > 0 && p.Out(2 + axis, axis) < 1) out = {1, 1, 1, 1};
  }
  if (out.empty() && std::min(p.scale[1], p.scale[3]) < 1) out = {1, 2, 3, 1};
  return Resize(Tensor(DType::kI8, {1, 2, 3, 1}), p, DType::kI8, std::move(out)).Verdict();
}

TEST(Resize, RejectsSizesOf16384) {
  const auto verdict = [](int64_t height, int64_t width, const Parameters& p) {
    return Resize(Tensor(DType::kI8, {1, height, width, 1}), p, DType::kI8).Verdict();
  };
  EXPECT_EQ(verdict(16383, 1, {}), "valid");
  EXPECT_EQ(verdict(16384, 1, {}), "error: resize.size_limit");
  EXPECT_EQ(verdict(1, 16384, {}), "error: resize.size_limit");
  EXPECT_EQ(verdict(1, 8192, {.scale = {1, 1, 2, 1}}), "valid");
  EXPECT_EQ(verdict(1, 8193, {.scale = {1, 1, 2, 1}}), "error: resize.size_limit");
}

TEST(Resize, RejectsScalesThatAreNotPositive) {
  EXPECT_EQ(VerdictOf({}), "valid");
  for (int i = 0; i < 4; ++i) {
    for (int64_t bad : {int64_t{0}, int64_t{-1}, INT64_MIN}) {
      Parameters p;
      p.scale[i] = bad;
      const Tensor input(DType::kI8, {1, 2, 3, 1});
      const OneOperator op = Resize(input, p, DType::kI8, {1, 2, 3, 1});
      EXPECT_EQ(op.Verdict({{"MAX_LOG2_SIZE", 63}}), "error: resize.scale_positive");
    }
  }
}

TEST(Resize, RejectsNumeratorsAbove2048) {
  EXPECT_EQ(VerdictOf({.scale = {2048, 2048, 1, 1}}), "valid");
  EXPECT_EQ(VerdictOf({.scale = {2049, 2049, 1, 1}}), "error: resize.scale_numerator_limit");
  EXPECT_EQ(VerdictOf({.scale = {1, 1, 2049, 2049}}), "error: resize.scale_numerator_limit");
}

TEST(Resize, RejectsADownscaleOf16) {
  EXPECT_EQ(VerdictOf({.scale = {1, 15, 1, 1}, .border = {-1, 0}}), "valid");
  EXPECT_EQ(VerdictOf({.scale = {1, 16, 1, 1}, .border = {-1, 0}}),
            "error: resize.downscale_limit");
  EXPECT_EQ(VerdictOf({.scale = {1, 1, 2, 32}, .border = {0, -4}}),
            "error: resize.downscale_limit");
}

TEST(Resize, RejectsOffsetsOutOfRange) {
  EXPECT_EQ(VerdictOf({.offset = {-1, -1}, .border = {-1, -1}}), "valid");
  EXPECT_EQ(VerdictOf({.offset = {-2, 0}, .border = {-2, 0}}), "error: resize.offset_y");
  EXPECT_EQ(VerdictOf({.offset = {0, -2}, .border = {0, -2}}), "error: resize.offset_x");
  // In all of the range above, the output size ends first: 15 of 17 inputs are left out.
  const Tensor input(DType::kI8, {1, 18, 18, 1});
  const auto verdict = [&](const Parameters& p) { return Resize(input, p, DType::kI8).Verdict(); };
  EXPECT_EQ(verdict({.offset = {15, 15}}), "valid");
  EXPECT_EQ(verdict({.offset = {16, 0}}), "error: resize.offset_y");
  EXPECT_EQ(verdict({.offset = {0, 16}}), "error: resize.offset_x");
}

TEST(Resize, RejectsBordersOutOfRange) {
  EXPECT_EQ(VerdictOf({.scale = {3, 1, 3, 1}, .border = {2, 2}}), "valid");
  EXPECT_EQ(VerdictOf({.scale = {3, 1, 3, 1}, .border = {3, 2}}), "error: resize.border_y");
  EXPECT_EQ(VerdictOf({.scale = {3, 1, 3, 1}, .border = {2, 3}}), "error: resize.border_x");
  const Tensor input(DType::kI8, {1, 18, 18, 1});
  const auto verdict = [&](const Parameters& p) { return Resize(input, p, DType::kI8).Verdict(); };
  EXPECT_EQ(verdict({.border = {-16, -16}}), "valid");
  EXPECT_EQ(verdict({.border = {-17, -16}}), "error: resize.border_y");
  EXPECT_EQ(verdict({.border = {-16, -17}}), "error: resize.border_x");
}

TEST(Resize, RejectsOutputsOfAnotherSize) {
  const Parameters p{.scale = {2, 2, 3, 2}};
  EXPECT_EQ(VerdictOf(p, {1, 2, 4, 1}), "valid");
  EXPECT_EQ(VerdictOf(p, {1, 1, 4, 1}), "error: resize.output_height");
  EXPECT_EQ(VerdictOf(p, {1, 2, 5, 1}), "error: resize.output_width");
  EXPECT_EQ(VerdictOf({.scale = {3, 2, 3, 2}}, {1, 2, 4, 1}), "error: resize.output_height");
  EXPECT_EQ(VerdictOf({.scale = {2, 2, 5, 4}}, {1, 2, 3, 1}), "error: resize.output_width");
}

TEST(Resize, LimitsTheRatioOfTheScaleAndNotItsNumerator) {
  const auto verdict = [](const Parameters& p) {
    return Resize(Tensor(DType::kI8, {1, 1, 1, 1}), p, DType::kI8).Verdict();
  };
  EXPECT_EQ(verdict({.scale = {256, 1, 256, 1}}), "valid");
  EXPECT_EQ(verdict({.scale = {257, 1, 1, 1}}), "unpredictable: resize.level_scale_y");
  EXPECT_EQ(verdict({.scale = {1, 1, 257, 1}}), "unpredictable: resize.level_scale_x");
  EXPECT_EQ(verdict({.scale = {1024, 4, 512, 2}}), "valid");
  // 513 / 2 lies above 256; divided as integers it would not.
  EXPECT_EQ(verdict({.scale = {1, 1, 513, 2}}), "unpredictable: resize.level_scale_x");
}

TEST(Resize, RejectsModesAndTypesThatDoNotGoTogether) {
  const Tensor input(DType::kI8, {1, 1, 1, 1});
  EXPECT_EQ(Resize(input, {.mode = "BILINEAR"}, DType::kI8).Verdict(), "error: graph.type_row");
  EXPECT_EQ(Resize(input, {}, DType::kI32).Verdict(), "error: graph.type_row");
  EXPECT_EQ(Resize(input, {.mode = "NEAREST"}, DType::kI8).Verdict(), "error: graph.attribute");
}

}  // namespace
}  // namespace cts

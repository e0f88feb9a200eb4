#include <mpfr.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "reference/numeric/elementary.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

// Reproducible numbers from -1 to 1 that fp32 holds.
std::vector<double> Data(int64_t count, uint64_t seed) {
  std::vector<double> values;
  for (int64_t x : Numbers(count, -1 << 20, 1 << 20, seed)) {
    values.push_back(static_cast<double>(x) * 0x1p-20);
  }
  return values;
}

OneOperator Fft(const Shape& shape, const std::vector<double>& real,
                const std::vector<double>& imag, bool inverse = false,
                std::string_view edition = kDefaultEdition) {
  OneOperator op("FFT2D", edition);
  op.Floats(DType::kFp32, shape, real).Floats(DType::kFp32, shape, imag).Set("inverse", inverse);
  return op.Out(DType::kFp32, shape).AndOut(DType::kFp32, shape);
}

OneOperator RealFft(const Shape& shape, const std::vector<double>& real,
                    std::string_view edition = kDefaultEdition) {
  OneOperator op("RFFT2D", edition);
  const Shape out = {shape[0], shape[1], shape[2] / 2 + 1};
  return op.Floats(DType::kFp32, shape, real).Out(DType::kFp32, out).AndOut(DType::kFp32, out);
}

const std::vector<Shape>& Shapes() {
  static const std::vector<Shape> shapes = {{1, 1, 1}, {2, 1, 2}, {1, 2, 1}, {1, 2, 2},
                                            {2, 4, 2}, {1, 1, 8}, {1, 8, 1}, {2, 8, 4}};
  return shapes;
}

// The discrete Fourier transform of its definition, term by term in 256 bits, for one image, with
// the exact angle of every term, not the pseudocode's.
void Transform(const Shape& shape, const double* real, const double* imag, int sign, int64_t oy,
               int64_t ox, double* out_real, double* out_imag) {
  MpfrFloat sum_real, sum_imag, pi, sin, cos;
  mpfr_const_pi(pi.raw(), MPFR_RNDN);
  const int64_t height = shape[1], width = shape[2];
  for (int64_t iy = 0; iy < height; ++iy) {
    for (int64_t ix = 0; ix < width; ++ix) {
      const int64_t turns = iy * oy * width + ix * ox * height;  // of 1 / (H * W)
      const MpfrFloat angle = Mul(pi, Div(MpfrFloat::FromInteger(2 * sign * turns),
                                          MpfrFloat::FromInteger(height * width)));
      mpfr_sin_cos(sin.raw(), cos.raw(), angle.raw(), MPFR_RNDN);
      const MpfrFloat re = MpfrFloat::FromDouble(real[iy * width + ix]);
      const MpfrFloat im = MpfrFloat::FromDouble(imag == nullptr ? 0 : imag[iy * width + ix]);
      sum_real = Add(sum_real, Sub(Mul(re, cos), Mul(im, sin)));
      sum_imag = Add(sum_imag, Add(Mul(re, sin), Mul(im, cos)));
    }
  }
  *out_real = sum_real.ToDouble();
  *out_imag = sum_imag.ToDouble();
}

// fp64 rounds every coefficient, product and sum by at most 2^-52 of something below 2, and angles
// below 4 * pi by 2^-49.
double Tolerance(const Shape& shape) { return static_cast<double>(shape[1] * shape[2]) * 0x1p-47; }

TEST(Fft2d, IsTheTransformOfItsDefinition) {
  FreeMpfrCachesAtThreadExit();
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Shape& shape : Shapes()) {
      const int64_t image = shape[1] * shape[2];
      const std::vector<double> real = Data(shape[0] * image, 1), imag = Data(shape[0] * image, 2);
      for (bool inverse : {false, true}) {
        const OneOperator op = Fft(shape, real, imag, inverse, edition);
        const Tensor out_real = op.Run(0), out_imag = op.Run(1);
        ASSERT_EQ(out_real.shape(), shape);
        for (int64_t i = 0; i < out_real.size(); ++i) {
          const int64_t n = i / image, oy = i / shape[2] % shape[1], ox = i % shape[2];
          double re = 0, im = 0;
          Transform(shape, &real[n * image], &imag[n * image], inverse ? 1 : -1, oy, ox, &re, &im);
          ASSERT_NEAR(out_real.Element(i), re, Tolerance(shape));
          ASSERT_NEAR(out_imag.Element(i), im, Tolerance(shape));
        }
      }
    }
  }
}

TEST(Rfft2d, IsTheLeftHalfOfTheTransform) {
  FreeMpfrCachesAtThreadExit();
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const Shape& shape : Shapes()) {
      const int64_t image = shape[1] * shape[2], columns = shape[2] / 2 + 1;
      const std::vector<double> real = Data(shape[0] * image, 3);
      const OneOperator op = RealFft(shape, real, edition);
      const Tensor out_real = op.Run(0), out_imag = op.Run(1);
      ASSERT_EQ(out_imag.shape(), (Shape{shape[0], shape[1], columns}));
      const OneOperator whole =
          Fft(shape, real, std::vector<double>(real.size(), 0), false, edition);
      const Tensor whole_real = whole.Run(0), whole_imag = whole.Run(1);
      for (int64_t i = 0; i < out_real.size(); ++i) {
        const int64_t row = i / columns, oy = row % shape[1], ox = i % columns;
        double re = 0, im = 0;
        Transform(shape, &real[row / shape[1] * image], nullptr, -1, oy, ox, &re, &im);
        ASSERT_NEAR(out_real.Element(i), re, Tolerance(shape));
        ASSERT_NEAR(out_imag.Element(i), im, Tolerance(shape));
        const int64_t same = row * shape[2] + ox;
        ASSERT_EQ(out_real.Element(i), whole_real.Element(same));
        ASSERT_NEAR(out_imag.Element(i), whole_imag.Element(same), Tolerance(shape));
      }
    }
  }
}

// --- The pseudocode in fp64, term by term and in its order: the same bits, of results and bounds.

// The least magnitude of a number in a bound run; nothing outside of one. 0.100 leaves magnitudes
// as they are, and skips what RFFT2D skips; 1.0 raises them, and multiplies everywhere.
using Least = std::optional<double>;

// One term's cosine and sine. The bound run has their magnitudes, and 1 where they are zero in the
// reals at an angle that is not.
std::pair<double, double> CosineAndSine(const Shape& in, int64_t ay, int64_t ax, Least least) {
  const double turns = static_cast<double>(ay) / static_cast<double>(in[1]) +
                       static_cast<double>(ax) / static_cast<double>(in[2]);
  static std::map<double, std::pair<double, double>> known;
  const double angle = 2 * 3.141592653589793 * turns;
  const auto [found, inserted] = known.try_emplace(angle);
  if (inserted) found->second = {Cos(angle), Sin(angle)};
  const auto [cosine, sine] = found->second;
  if (!least.has_value()) return {cosine, sine};
  const bool zero_cosine = 4 * turns == std::floor(4 * turns) && std::fmod(4 * turns, 2) == 1;
  const bool zero_sine = turns != 0 && 2 * turns == std::floor(2 * turns);
  return {zero_cosine ? 1 : std::max(std::fabs(cosine), *least),
          zero_sine ? 1 : std::max(std::fabs(sine), *least)};
}

// Element `i` of both outputs. `imag`: null for RFFT2D.
std::pair<double, double> Sums(const Shape& in, int64_t columns, const double* real,
                               const double* imag, bool inverse, Least least, int64_t i) {
  const bool magnitudes = least.has_value();
  const auto element = [&](double x) { return magnitudes ? std::max(std::fabs(x), *least) : x; };
  const double sign = inverse && !magnitudes ? -1 : 1, other_sign = magnitudes ? 1 : -sign;
  const int64_t ox = i % columns, oy = i / columns % in[1], n = i / columns / in[1];
  double sum_real = 0, sum_imag = 0;
  for (int64_t iy = 0; iy < in[1]; ++iy) {
    for (int64_t ix = 0; ix < in[2]; ++ix) {
      const int64_t ay = iy * oy % in[1], ax = ix * ox % in[2], at = (n * in[1] + iy) * in[2] + ix;
      const auto [cosine, sine] = CosineAndSine(in, ay, ax, least);
      const double re = element(real[at]);
      if (imag != nullptr) {
        const double im = element(imag[at]);
        sum_real += re * cosine + im * (sign * sine);
        sum_imag += re * (other_sign * sine) + im * cosine;
        continue;
      }
      sum_real += re * cosine;
      const bool is_real = 2 * ay % in[1] == 0 && 2 * ax % in[2] == 0;
      if (least > 0.0 || !is_real) sum_imag += re * (other_sign * sine);
    }
  }
  return {sum_real, sum_imag};
}

void ExpectPseudocode(const OneOperator& op, const Shape& in, const std::vector<double>& real,
                      const std::vector<double>* imag, bool inverse) {
  const ExpectedOutput first = op.Output(-1, 0), second = op.Output(-1, 1);
  const Answer &out_real = first.answers[0], &out_imag = second.answers[0];
  const int64_t columns = out_real.expected.shape()[2];
  const double least = op.edition().id == "tosa-1.0" ? 0x1p-126 : 0;
  const double* const im = imag == nullptr ? nullptr : imag->data();
  for (int64_t i = 0; i < out_real.expected.size(); ++i) {
    const auto value = Sums(in, columns, real.data(), im, inverse, {}, i);
    const auto bound = Sums(in, columns, real.data(), im, inverse, least, i);
    const auto bits = [](double x) { return std::bit_cast<uint64_t>(x); };
    ASSERT_EQ(out_real.expected.Bits(i), bits(value.first)) << ToString(in) << ", element " << i;
    ASSERT_EQ(out_imag.expected.Bits(i), bits(value.second)) << ToString(in) << ", element " << i;
    ASSERT_EQ(out_real.bound->Bits(i), bits(bound.first)) << ToString(in) << ", bound " << i;
    ASSERT_EQ(out_imag.bound->Bits(i), bits(bound.second)) << ToString(in) << ", bound " << i;
  }
}

// Both sides of the size from which vectors are used, and zeros and subnormals among the elements.
std::vector<Shape> VectorShapes() {
  std::vector<Shape> shapes = {{1, 1, 128}, {1, 128, 1}, {2, 16, 32}, {3, 4, 8}};
  for (int64_t height : {1, 2, 4, 8, 16}) {
    for (int64_t width : {1, 2, 4, 8, 16}) shapes.push_back({1, height, width});
  }
  return shapes;
}
std::vector<double> DataWithZeros(const Shape& shape, uint64_t seed) {
  std::vector<double> values = Data(ElementCount(shape), seed);
  for (size_t i = 0; i < values.size(); i += 5) values[i] = i % 2 == 0 ? 0.0 : -0.0;
  values.back() = 0x1p-140;
  return values;
}

TEST(Fft2d, HasTheBitsOfThePseudocode) {
  FreeMpfrCachesAtThreadExit();
  for (const Shape& shape : VectorShapes()) {
    const std::vector<double> real = DataWithZeros(shape, 7), imag = DataWithZeros(shape, 8);
    for (bool inverse : {false, true}) {
      for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
        OneOperator op = Fft(shape, real, imag, inverse, edition);
        ExpectPseudocode(op.Set("local_bound", true), shape, real, &imag, inverse);
      }
    }
  }
}

TEST(Rfft2d, HasTheBitsOfThePseudocode) {
  FreeMpfrCachesAtThreadExit();
  for (const Shape& shape : VectorShapes()) {
    const std::vector<double> real = DataWithZeros(shape, 9);
    for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
      OneOperator op = RealFft(shape, real, edition);
      ExpectPseudocode(op.Set("local_bound", true), shape, real, nullptr, false);
    }
  }
}

// An infinity at a place whose angle is always a multiple of pi changes no imaginary part.
TEST(Rfft2d, SkipsInfinitiesAtRealAngles) {
  std::vector<double> real = Data(16, 10);
  const Tensor before = RealFft({1, 1, 16}, real).Run(1);
  real[0] = std::numeric_limits<double>::infinity();
  const Tensor after = RealFft({1, 1, 16}, real).Run(1);
  EXPECT_EQ(before, after);
}

TEST(Rfft2d, IsRealAtFourPositions) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor imag = RealFft({1, 8, 4}, Data(32, 4), edition).Run(1);
    int zeros = 0;
    for (int64_t i = 0; i < imag.size(); ++i) zeros += imag.Element(i) == 0;
    EXPECT_EQ(zeros, 4);
    for (int64_t y : {0, 4}) {
      for (int64_t x : {0, 2}) EXPECT_EQ(imag.Element(y * 3 + x), 0);
    }
  }
}

TEST(Fft2d, ReturnsToItsInputTimesItsSize) {
  const Shape shape = {2, 4, 8};
  const std::vector<double> real = Data(64, 5), imag = Data(64, 6);
  const OneOperator forward = Fft(shape, real, imag);
  const OneOperator back =
      Fft(shape, forward.RunNative(0).Elements(), forward.RunNative(1).Elements(), true);
  const Tensor out_real = back.Run(0), out_imag = back.Run(1);
  for (int64_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(out_real.Element(i), 32 * real[i], 1e-3);  // fp32 in between
    EXPECT_NEAR(out_imag.Element(i), 32 * imag[i], 1e-3);
  }
}

// A worked example: {1, 2, 3, 4} has the transform {10, -2 + 2i, -2, -2 - 2i}.
TEST(Fft2d, TransformsOneToFour) {
  const OneOperator op = Fft({1, 1, 4}, {1, 2, 3, 4}, {0, 0, 0, 0});
  const std::vector<double> real = {10, -2, -2, -2}, imag = {0, 2, 0, -2};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(op.Run(0).Element(i), real[i], 1e-14);
    EXPECT_NEAR(op.Run(1).Element(i), imag[i], 1e-14);
    EXPECT_NEAR(op.RunNative(0).Element(i), real[i], 1e-5);
    EXPECT_NEAR(op.RunNative(1).Element(i), imag[i], 1e-5);
  }
}

TEST(Fft, RejectsSizesThatAreNoPowersOfTwo) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const auto& [shape, what] : std::vector<std::pair<Shape, std::string>>{
             {{1, 3, 4}, ".height"}, {{1, 4, 6}, ".width"}, {{3, 4, 4}, ""}, {{1, 1, 1}, ""}}) {
      const std::vector<double> zeros(static_cast<size_t>(ElementCount(shape)), 0);
      EXPECT_EQ(Fft(shape, zeros, zeros, false, edition).Verdict(),
                what.empty() ? "valid" : "error: fft2d" + what);
      EXPECT_EQ(RealFft(shape, zeros, edition).Verdict(),
                what.empty() ? "valid" : "error: rfft2d" + what);
    }
  }
}

TEST(Fft, LimitsBothSizesToTheLevel) {
  const std::vector<double> zeros(8, 0);
  const OneOperator fft = Fft({1, 4, 2}, zeros, zeros), rfft = RealFft({1, 2, 4}, zeros);
  EXPECT_EQ(fft.Verdict({{"MAX_KERNEL", 4}}), "valid");
  EXPECT_EQ(fft.Verdict({{"MAX_KERNEL", 3}}), "unpredictable: fft2d.level_height");
  EXPECT_EQ(rfft.Verdict({{"MAX_KERNEL", 4}}), "valid");
  EXPECT_EQ(rfft.Verdict({{"MAX_KERNEL", 3}}), "unpredictable: rfft2d.level_width");
  EXPECT_EQ(Fft({1, 2, 4}, zeros, zeros).Verdict({{"MAX_KERNEL", 3}}),
            "unpredictable: fft2d.level_width");
  EXPECT_EQ(RealFft({1, 4, 2}, zeros).Verdict({{"MAX_KERNEL", 3}}),
            "unpredictable: rfft2d.level_height");
}

TEST(Fft, RejectsOutputsOfOtherShapes) {
  const Tensor input(DType::kFp32, {1, 2, 4});
  OneOperator one("RFFT2D"), both("RFFT2D"), missing("RFFT2D"), wide("FFT2D");
  EXPECT_EQ(one.In(input).Out(DType::kFp32, {1, 2, 3}).AndOut(DType::kFp32, {1, 2, 4}).Verdict(),
            "error: graph.shape");
  EXPECT_EQ(both.In(input).Out(DType::kFp32, {1, 2, 4}).AndOut(DType::kFp32, {1, 2, 4}).Verdict(),
            "error: graph.output_shape");
  EXPECT_EQ(missing.In(input).Out(DType::kFp32, {1, 2, 3}).Verdict(), "error: graph.operand_count");
  wide.In(input).In(input).Set("inverse", false).Out(DType::kFp32, {1, 2, 4});
  EXPECT_EQ(wide.AndOut(DType::kFp32, {1, 2, 8}).Verdict(), "error: graph.shape");
}

}  // namespace
}  // namespace cts

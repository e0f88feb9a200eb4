#include <mpfr.h>

#include <cmath>

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

// The discrete Fourier transform of its definition, term by term in 256 bits, of one image: the
// exact angle of every term, not the pseudocode's.
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
          ASSERT_NEAR(out_real.Float(i), re, Tolerance(shape));
          ASSERT_NEAR(out_imag.Float(i), im, Tolerance(shape));
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
        ASSERT_NEAR(out_real.Float(i), re, Tolerance(shape));
        ASSERT_NEAR(out_imag.Float(i), im, Tolerance(shape));
        const int64_t same = row * shape[2] + ox;
        ASSERT_EQ(out_real.Float(i), whole_real.Float(same));
        ASSERT_NEAR(out_imag.Float(i), whole_imag.Float(same), Tolerance(shape));
      }
    }
  }
}

TEST(Rfft2d, IsRealAtFourPositions) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    const Tensor imag = RealFft({1, 8, 4}, Data(32, 4), edition).Run(1);
    int zeros = 0;
    for (int64_t i = 0; i < imag.size(); ++i) zeros += imag.Float(i) == 0;
    EXPECT_EQ(zeros, 4);
    for (int64_t y : {0, 4}) {
      for (int64_t x : {0, 2}) EXPECT_EQ(imag.Float(y * 3 + x), 0);
    }
  }
}

TEST(Fft2d, ReturnsToItsInputTimesItsSize) {
  const Shape shape = {2, 4, 8};
  const std::vector<double> real = Data(64, 5), imag = Data(64, 6);
  const OneOperator forward = Fft(shape, real, imag);
  const OneOperator back =
      Fft(shape, forward.RunNative(0).Floats(), forward.RunNative(1).Floats(), true);
  const Tensor out_real = back.Run(0), out_imag = back.Run(1);
  for (int64_t i = 0; i < 64; ++i) {
    EXPECT_NEAR(out_real.Float(i), 32 * real[i], 1e-3);  // fp32 in between
    EXPECT_NEAR(out_imag.Float(i), 32 * imag[i], 1e-3);
  }
}

// A worked example: {1, 2, 3, 4} has the transform {10, -2 + 2i, -2, -2 - 2i}.
TEST(Fft2d, TransformsOneToFour) {
  const OneOperator op = Fft({1, 1, 4}, {1, 2, 3, 4}, {0, 0, 0, 0});
  const std::vector<double> real = {10, -2, -2, -2}, imag = {0, 2, 0, -2};
  for (int64_t i = 0; i < 4; ++i) {
    EXPECT_NEAR(op.Run(0).Float(i), real[i], 1e-14);
    EXPECT_NEAR(op.Run(1).Float(i), imag[i], 1e-14);
    EXPECT_NEAR(op.RunNative(0).Float(i), real[i], 1e-5);
    EXPECT_NEAR(op.RunNative(1).Float(i), imag[i], 1e-5);
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

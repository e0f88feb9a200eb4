// Every instruction set that this machine has against the plain loop, bit for bit.
#include "reference/numeric/transform_sums.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

uint64_t Bits(double x) {
  return std::bit_cast<uint64_t>(std::isnan(x) ? std::numeric_limits<double>::quiet_NaN() : x);
}

// Numbers of 53 bits from 2^-32 to 2^32 of either sign. Products of two are never exact, so that
// fusing a product and a sum, or another order, gives other bits.
std::vector<double> Numbers(int64_t count, uint64_t seed) {
  std::vector<double> numbers;
  for (int64_t i = 0; i < count; ++i) {
    seed = seed * 6364136223846793005u + 1442695040888963407u;  // Knuth's multiplier for 64 bits
    const double x = std::ldexp(static_cast<double>(seed >> 11 | 1), -53);
    numbers.push_back(std::ldexp(seed >> 63 ? -x : x, static_cast<int>(seed >> 40 & 63) - 32));
  }
  return numbers;
}

double Product(double x, double y) {
  const volatile double product = x * y;
  return product;
}

// Coefficients are any numbers: a wrong place of the table shows, however close its angle.
void ExpectPlainLoop(int64_t height, int64_t width, int64_t columns, bool complex, bool drops) {
  const int64_t parts = std::max(height, width);
  const Transform t = {height, width, columns, Numbers(2 * parts - 1, 1), Numbers(2 * parts - 1, 2),
                       drops};
  const std::vector<double> re = Numbers(height * width, 3), im = Numbers(height * width, 4),
                            turned = Numbers(height * width, 5);
  std::vector<double> real(static_cast<size_t>(height * columns), -1), imag = real;
  const TransformSums sums(t);
  sums.Compute(re.data(), complex ? im.data() : nullptr, turned.data(), real.data(), imag.data());
  for (int64_t oy = 0; oy < height; ++oy) {
    for (int64_t ox = 0; ox < columns; ++ox) {
      double sum_real = 0, sum_imag = 0;
      for (int64_t iy = 0; iy < height; ++iy) {
        for (int64_t ix = 0; ix < width; ++ix) {
          const int64_t ay = iy * oy % height, ax = ix * ox % width, i = iy * width + ix;
          const int64_t angle = ay * (parts / height) + ax * (parts / width);
          const bool dropped = drops && 2 * ay % height == 0 && 2 * ax % width == 0;
          const double cosine = t.cosines[angle], sine = dropped ? 0 : t.sines[angle];
          if (complex) {
            sum_real += Product(re[i], cosine) + Product(im[i], sine);
            sum_imag += Product(im[i], cosine) + Product(turned[i], sine);
          } else {
            sum_real += Product(re[i], cosine);
            sum_imag += Product(turned[i], sine);
          }
        }
      }
      ASSERT_EQ(Bits(real[oy * columns + ox]), Bits(sum_real))
          << height << "x" << width << ", output " << oy << "," << ox;
      ASSERT_EQ(Bits(imag[oy * columns + ox]), Bits(sum_imag))
          << height << "x" << width << ", output " << oy << "," << ox;
    }
  }
}

TEST(TransformSums, AreThoseOfThePlainLoopOnEveryTarget) {
  OnEveryTarget([] {
    for (int64_t height = 1; height <= 32; height *= 2) {
      for (int64_t width = 1; width <= 32; width *= 2) {
        if (std::max(height, width) < kTransformLanes) continue;
        for (bool complex : {false, true}) {
          for (bool drops : {false, true}) ExpectPlainLoop(height, width, width, complex, drops);
        }
      }
    }
  });
}

// Any number of columns, so that every number of the last lanes goes unused.
TEST(TransformSums, AreThoseOfThePlainLoopForAnyNumberOfColumns) {
  OnEveryTarget([] {
    for (int64_t height : {1, 4, 8, 16}) {
      for (int64_t columns = 1; columns <= 16; ++columns) {
        ExpectPlainLoop(height, 16, columns, false, true);
        ExpectPlainLoop(height, 16, columns, true, false);
      }
    }
  });
}

TEST(TransformSums, AreThoseOfThePlainLoopForLongSides) {
  OnEveryTarget([] {
    for (bool complex : {false, true}) {
      ExpectPlainLoop(1, 1024, complex ? 1024 : 513, complex, !complex);
      ExpectPlainLoop(1024, 1, 1, complex, !complex);
      ExpectPlainLoop(2, 256, complex ? 256 : 129, complex, !complex);
      ExpectPlainLoop(64, 4, complex ? 4 : 3, complex, !complex);
    }
  });
}

TEST(TransformSums, CarryInfinitiesAndNans) {
  OnEveryTarget([] {
    const double inf = std::numeric_limits<double>::infinity();
    const Transform t = {1, 8, 8, std::vector<double>(15, 1.0), std::vector<double>(15, 1.0)};
    std::vector<double> re(8, 1.0), im(8, 1.0), real(8), imag(8);
    re[3] = inf;
    TransformSums(t).Compute(re.data(), im.data(), im.data(), real.data(), imag.data());
    for (double sum : real) EXPECT_EQ(sum, inf);
    for (double sum : imag) EXPECT_EQ(sum, 16);
    im[5] = -inf;
    TransformSums(t).Compute(re.data(), im.data(), re.data(), real.data(), imag.data());
    for (double sum : real) EXPECT_TRUE(std::isnan(sum));
  });
}

TEST(TransformSums, BeginWithPositiveZero) {
  OnEveryTarget([] {
    const std::vector<double> ones(15, 1.0), zeros(8, -0.0);
    const Transform t = {8, 1, 1, ones, ones};
    std::vector<double> real(8, 1), imag(8, 1);
    TransformSums(t).Compute(zeros.data(), nullptr, zeros.data(), real.data(), imag.data());
    for (double sum : real) EXPECT_EQ(Bits(sum), Bits(0.0));
    for (double sum : imag) EXPECT_EQ(Bits(sum), Bits(0.0));
  });
}

}  // namespace
}  // namespace cts

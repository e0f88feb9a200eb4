#include <cmath>
#include <optional>

#include "reference/base/special_values_testing.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using List = std::vector<int64_t>;

struct Parameters {
  DType type = DType::kI8, acc_t = DType::kI32;
  Shape input = {1, 4, 5, 2};
  List kernel = {2, 3}, stride = {1, 1}, pad = {0, 0, 0, 0};
  int64_t input_zp = 0, output_zp = 0;
  std::string nan_mode = "PROPAGATE";
  std::string_view edition = kDefaultEdition;

  Shape Out() const {
    const auto size = [&](size_t axis) {
      const int64_t span = input[1 + axis] + pad[2 * axis] + pad[2 * axis + 1] - kernel[axis];
      return stride[axis] < 1 ? 1 : span / stride[axis] + 1;
    };
    return {input[0], size(0), size(1), input[3]};
  }
};

OneOperator Pool(const std::string& op, const Parameters& p, Tensor input, Shape out = {}) {
  OneOperator one(op, p.edition);
  one.In(std::move(input));
  if (op == "AVG_POOL2D") {
    if (p.edition == "tosa-0.100") {
      one.Set("input_zp", p.input_zp).Set("output_zp", p.output_zp);
    } else {
      for (int64_t zp : {p.input_zp, p.output_zp}) {
        IsFloat(p.type) ? one.Floats(p.type, {1}, {static_cast<double>(zp)})
                        : one.Integers(p.type, {1}, {zp});
      }
    }
    one.Set("acc_type", std::string(p.acc_t == DType::kI32    ? "INT32"
                                    : p.acc_t == DType::kFp16 ? "FP16"
                                                              : "FP32"));
  } else if (p.edition != "tosa-0.100") {
    one.Set("nan_mode", p.nan_mode);
  }
  one.Set("kernel", p.kernel).Set("stride", p.stride).Set("pad", p.pad);
  return one.Out(p.type, out.empty() ? p.Out() : std::move(out));
}

std::string VerdictOf(const std::string& op, const Parameters& p, Shape out = {},
                      const std::map<std::string, int64_t>& maxima = {}) {
  return Pool(op, p, Tensor(p.type, p.input), std::move(out)).Verdict(maxima);
}

// Returns the input elements in a window: each element is asked.
std::vector<int64_t> InWindow(const Parameters& p, int64_t output) {
  const Shape at = Index(p.Out(), output);
  std::vector<int64_t> found;
  for (int64_t i = 0; i < ElementCount(p.input); ++i) {
    const Shape from = Index(p.input, i);
    const int64_t y = from[1] + p.pad[0] - at[1] * p.stride[0];
    const int64_t x = from[2] + p.pad[2] - at[2] * p.stride[1];
    if (from[0] == at[0] && from[3] == at[3] && 0 <= y && y < p.kernel[0] && 0 <= x &&
        x < p.kernel[1]) {
      found.push_back(i);
    }
  }
  return found;
}

const std::vector<Parameters>& SomeParameters() {
  static const std::vector<Parameters> all = {
      {},
      {.input = {2, 5, 7, 3}, .kernel = {3, 3}, .stride = {2, 2}, .pad = {1, 1, 1, 1}},
      {.input = {1, 3, 2, 2}, .kernel = {4, 5}, .stride = {2, 3}, .pad = {3, 2, 4, 2}},
      {.input = {1, 1, 1, 3}, .kernel = {3, 6}, .pad = {2, 2, 5, 5}},
      {.input = {1, 9, 8, 1}, .kernel = {7, 8}, .pad = {0, 0, 7, 7}},
  };
  return all;
}

// The mean to the nearest integer, a half away from zero: reciprocal_scale's + 1 makes the product
// exceed the exact quotient in magnitude, by less than what lies between two quotients.
int64_t RoundedMean(int64_t sum, int64_t count) {
  const int64_t magnitude = (2 * std::abs(sum) + count) / (2 * count);
  return sum < 0 ? -magnitude : magnitude;
}

TEST(AvgPool2d, IsTheMeanOfWhatIsNotPadding) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (Parameters p : SomeParameters()) {
      p.edition = edition;
      for (DType type : {DType::kI8, DType::kI16}) {
        p.type = type;
        for (const auto& [input_zp, output_zp] :
             {std::pair<int64_t, int64_t>{0, 0}, {-128, 127}, {127, -128}, {3, -5}}) {
          if (type == DType::kI16 && input_zp != 0) continue;
          p.input_zp = input_zp, p.output_zp = output_zp;
          const List x = Numbers(ElementCount(p.input), IntegerMin(type), IntegerMax(type));
          const Tensor result = Pool("AVG_POOL2D", p, Tensor::OfIntegers(type, p.input, x)).Run();
          for (int64_t i = 0; i < result.size(); ++i) {
            const List window = InWindow(p, i);
            int64_t sum = 0;
            for (int64_t element : window) sum += x[element] - input_zp;
            const int64_t mean = RoundedMean(sum, static_cast<int64_t>(window.size())) + output_zp;
            ASSERT_EQ(result.Integer(i), std::clamp(mean, IntegerMin(type), IntegerMax(type)));
          }
        }
      }
    }
  }
}

// Every pair of i8, in windows of two.
TEST(AvgPool2d, RoundsEveryHalfAwayFromZero) {
  const List all = EveryValue(DType::kI8);
  for (int64_t zp : {0, -128}) {
    List x;
    for (int64_t first : all) {
      for (int64_t second : all) x.insert(x.end(), {first, second});
    }
    Parameters p{.input = {1, 65536, 2, 1}, .kernel = {1, 2}};
    p.input_zp = zp;
    const Tensor result = Pool("AVG_POOL2D", p, Tensor::OfIntegers(p.type, p.input, x)).Run();
    for (int64_t i = 0; i < result.size(); ++i) {
      const int64_t mean = RoundedMean(x[2 * i] + x[2 * i + 1] - 2 * zp, 2);
      ASSERT_EQ(result.Integer(i), std::min<int64_t>(mean, 127));
    }
  }
}

TEST(AvgPool2d, OfFloatsThatHoldItIsTheExactMean) {
  using enum DType;
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (auto [type, acc_t] : {std::pair(kFp8E4M3, kFp16),
                               {kFp8E5M2, kFp16},
                               {kFp16, kFp16},
                               {kFp16, kFp32},
                               {kBf16, kFp32},
                               {kFp32, kFp32}}) {
      for (Parameters p : SomeParameters()) {
        p.type = type, p.acc_t = acc_t, p.edition = edition;
        std::vector<double> x;
        for (int64_t v : Numbers(ElementCount(p.input), -3, 3)) x.push_back(static_cast<double>(v));
        const Tensor result = Pool("AVG_POOL2D", p, Tensor::OfFloats(type, p.input, x)).Run();
        for (int64_t i = 0; i < result.size(); ++i) {
          const List window = InWindow(p, i);
          double sum = 0;  // exact
          for (int64_t element : window) sum += x[element];
          ASSERT_EQ(result.Element(i), sum / static_cast<double>(window.size()));
        }
      }
    }
  }
}

// 17 elements of 17 / 16 in fp8e4m3, in which 17 itself would round to 16.
TEST(AvgPool2d, CountsExactlyInNarrowTypes) {
  Parameters p{.type = DType::kFp8E4M3, .acc_t = DType::kFp16};
  p.input = {1, 1, 17, 1}, p.kernel = {1, 17};
  const Tensor ones = Tensor::OfFloats(p.type, p.input, std::vector<double>(17, 1));
  EXPECT_EQ(Pool("AVG_POOL2D", p, ones).Run().Element(0), 1);
  EXPECT_EQ(Pool("AVG_POOL2D", p, ones).RunNative().Element(0), 1);
}

TEST(AvgPool2d, IsUnpredictableWhenTheSumOverflows) {
  // 2^16 elements of -2^15 sum to just -2^31.
  Parameters p{.type = DType::kI16, .input = {1, 512, 128, 1}, .kernel = {512, 128}};
  const auto verdict = [&] {
    const List x(static_cast<size_t>(ElementCount(p.input)), -32768);
    return Pool("AVG_POOL2D", p, Tensor::OfIntegers(p.type, p.input, x)).Verdict();
  };
  EXPECT_EQ(verdict(), "valid");
  p.input = {1, 512, 129, 1}, p.kernel = {512, 129};
  EXPECT_EQ(verdict(), "unpredictable: integer.overflow");
}

TEST(AvgPool2d, RejectsZeroPointsUnlessInt8) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    Parameters p{.edition = edition};
    p.input_zp = p.output_zp = 1;
    EXPECT_EQ(VerdictOf("AVG_POOL2D", p), "valid");
    p.type = DType::kI16;
    EXPECT_EQ(VerdictOf("AVG_POOL2D", p), "error: avg_pool2d.input_zp, avg_pool2d.output_zp");
    p.input_zp = 0;
    EXPECT_EQ(VerdictOf("AVG_POOL2D", p), "error: avg_pool2d.output_zp");
    p.input_zp = 1, p.output_zp = 0;
    EXPECT_EQ(VerdictOf("AVG_POOL2D", p), "error: avg_pool2d.input_zp");
  }
}

TEST(MaxPool2d, IsTheGreatestOfTheWindow) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (Parameters p : SomeParameters()) {
      p.edition = edition;
      for (DType type : {DType::kI8, DType::kI16, DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16,
                         DType::kBf16, DType::kFp32}) {
        p.type = type;
        const int64_t limit = IsFloat(type) ? 8 : IntegerMax(type);
        // Below zero, so that a padding that counted would win.
        const List x = Numbers(ElementCount(p.input), -limit, -1);
        const Tensor input = IsFloat(type) ? Tensor::OfFloats(type, p.input, {x.begin(), x.end()})
                                           : Tensor::OfIntegers(type, p.input, x);
        const Tensor result = Pool("MAX_POOL2D", p, input).Run();
        for (int64_t i = 0; i < result.size(); ++i) {
          int64_t greatest = INT64_MIN;
          for (int64_t element : InWindow(p, i)) greatest = std::max(greatest, x[element]);
          if (IsFloat(type)) {
            ASSERT_EQ(result.Element(i), static_cast<double>(greatest));
          } else {
            ASSERT_EQ(result.Integer(i), greatest);
          }
        }
      }
    }
  }
}

// Every pair of bit patterns, in windows of two.
TEST(MaxPool2d, OrdersEveryPairOfFp8) {
  for (DType type : {DType::kFp8E4M3, DType::kFp8E5M2}) {
    const std::vector<double> all = EveryPattern(type).Elements();
    Parameters p{.type = type, .input = {1, 65536, 2, 1}, .kernel = {1, 2}};
    std::vector<double> x;
    for (double first : all) {
      for (double second : all) x.insert(x.end(), {first, second});
    }
    const Tensor input = Tensor::OfFloats(type, p.input, x);
    for (const auto& [edition, mode] :
         {std::pair<std::string_view, std::string>{"tosa-1.0", "PROPAGATE"},
          {"tosa-1.0", "IGNORE"},
          {"tosa-0.100", "PROPAGATE"}}) {
      p.edition = edition, p.nan_mode = mode;
      const OneOperator pool = Pool("MAX_POOL2D", p, input);
      for (const Tensor& result : {pool.Run(), pool.RunNative()}) {
        for (int64_t i = 0; i < result.size(); ++i) {
          const double a = x[2 * i], b = x[2 * i + 1];
          // fmax ignores NaN.
          const double expected = mode == "IGNORE"                 ? std::fmax(a, b)
                                  : std::isnan(a) || std::isnan(b) ? kNan
                                                                   : std::fmax(a, b);
          if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(result.Element(i))) << a << " " << b;
          } else {
            ASSERT_EQ(result.Element(i), expected) << a << " " << b;
          }
        }
      }
    }
  }
}

TEST(MaxPool2d, PropagatesNanOfTheWindowOnly) {
  Parameters p{.type = DType::kFp32, .input = {1, 1, 4, 1}, .kernel = {1, 2}};
  const Tensor input = Tensor::OfFloats(p.type, p.input, {-kInf, kNan, -3, kInf});
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    p.edition = edition;
    const Tensor result = Pool("MAX_POOL2D", p, input).Run();
    EXPECT_TRUE(std::isnan(result.Element(0)));
    EXPECT_TRUE(std::isnan(result.Element(1)));
    EXPECT_EQ(result.Element(2), kInf);
  }
  p.edition = "tosa-1.0", p.nan_mode = "IGNORE";
  const Tensor ignored = Pool("MAX_POOL2D", p, input).Run();
  EXPECT_EQ(ignored.Element(0), -kInf);
  EXPECT_EQ(ignored.Element(1), -3);
  const Tensor all_nan = Tensor::OfFloats(p.type, p.input, {kNan, kNan, kNan, 1});
  EXPECT_TRUE(std::isnan(Pool("MAX_POOL2D", p, all_nan).Run().Element(0)));
  EXPECT_EQ(Pool("MAX_POOL2D", p, all_nan).Run().Element(2), 1);
}

TEST(MaxPool2d, LeavesTheSignOfZeroFree) {
  Parameters p{.type = DType::kFp16, .input = {1, 1, 2, 1}, .kernel = {1, 2}};
  const Tensor zeros = Tensor::OfFloats(p.type, p.input, {-0.0, 0.0});
  const ExpectedOutput out = Pool("MAX_POOL2D", p, zeros).Output();
  EXPECT_EQ(out.rule.kind, RuleKind::kExact);
  EXPECT_FALSE(out.rule.zero_sign);
}

class Pooling : public testing::TestWithParam<std::string> {
 protected:
  // "error: avg_pool2d.pad_x" for "pad_x".
  std::string Error(std::string_view id) { return StrCat("error: ", Prefix(), ".", id); }
  std::string Level(std::string_view id) { return StrCat("unpredictable: ", Prefix(), ".", id); }
  std::string Prefix() { return GetParam() == "AVG_POOL2D" ? "avg_pool2d" : "max_pool2d"; }
};

INSTANTIATE_TEST_SUITE_P(Both, Pooling, testing::Values("AVG_POOL2D", "MAX_POOL2D"),
                         [](const auto& name) { return name.param; });

// A pad reaches such a kernel always; that condition presupposes a kernel.
TEST_P(Pooling, RejectsKernelsAndStridesBelowOne) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (size_t axis : {0, 1}) {
      for (int64_t bad : {0, -1}) {
        Parameters p{.input = {1, 4, 4, 1}, .kernel = {1, 1}, .edition = edition};
        p.kernel[axis] = bad;
        EXPECT_EQ(VerdictOf(GetParam(), p), Error("kernel_below_one"));
        Parameters q{.input = {1, 4, 4, 1}, .kernel = {1, 1}, .edition = edition};
        q.stride[axis] = bad;
        EXPECT_EQ(VerdictOf(GetParam(), q), Error("stride_below_one"));
      }
    }
  }
}

TEST_P(Pooling, RejectsPadsThatAreNegativeOrReachTheKernel) {
  for (size_t side = 0; side < 4; ++side) {
    Parameters p{.input = {1, 5, 5, 1}, .kernel = {2, 3}};
    p.pad[side] = -1;
    EXPECT_EQ(VerdictOf(GetParam(), p), Error("pad_negative"));
    p.pad[side] = side < 2 ? 1 : 2;
    EXPECT_EQ(VerdictOf(GetParam(), p), "valid");
    p.pad[side] += 1;
    EXPECT_EQ(VerdictOf(GetParam(), p), Error(side < 2 ? "pad_y" : "pad_x"));
  }
}

TEST_P(Pooling, RejectsOutputsOfAnotherSize) {
  Parameters p{.input = {1, 6, 6, 1}, .kernel = {2, 2}};
  EXPECT_EQ(VerdictOf(GetParam(), p, {1, 5, 5, 1}), "valid");
  EXPECT_EQ(VerdictOf(GetParam(), p, {1, 4, 5, 1}), Error("output_height"));
  EXPECT_EQ(VerdictOf(GetParam(), p, {1, 5, 6, 1}), Error("output_width"));
  // (6 - 2) / 4 + 1 = 2 divides, by 3 it does not.
  p.stride = {4, 4};
  EXPECT_EQ(VerdictOf(GetParam(), p), "valid");
  p.stride = {3, 4};
  EXPECT_EQ(VerdictOf(GetParam(), p), Error("output_height"));
  p.stride = {4, 3};
  EXPECT_EQ(VerdictOf(GetParam(), p), Error("output_width"));
}

TEST_P(Pooling, LimitsKernelPadAndStrideToTheLevel) {
  const char* const sides[] = {"top", "bottom", "left", "right"};
  for (size_t axis = 0; axis < 2; ++axis) {
    const char* const name = axis == 0 ? "y" : "x";
    Parameters p{.input = {1, 7, 7, 1}, .kernel = {1, 1}};
    p.kernel[axis] = 5;
    EXPECT_EQ(VerdictOf(GetParam(), p, {}, {{"MAX_KERNEL", 5}}), "valid");
    EXPECT_EQ(VerdictOf(GetParam(), p, {}, {{"MAX_KERNEL", 4}}),
              Level(StrCat("level_kernel_", name)));
    p.stride[axis] = 2;
    EXPECT_EQ(VerdictOf(GetParam(), p, {}, {{"MAX_STRIDE", 2}}), "valid");
    EXPECT_EQ(VerdictOf(GetParam(), p, {}, {{"MAX_STRIDE", 1}}),
              Level(StrCat("level_stride_", name)));
  }
  // A pad beyond the limit implies a kernel beyond it.
  for (size_t side = 0; side < 4; ++side) {
    Parameters p{.input = {1, 7, 7, 1}, .kernel = {6, 6}};
    p.pad[side] = 5;
    const OneOperator pool = Pool(GetParam(), p, Tensor(p.type, p.input));
    const std::string id = StrCat(Prefix(), ".level_pad_", sides[side]);
    EXPECT_FALSE(pool.Breaks(id, {{"MAX_KERNEL", 5}}));
    EXPECT_TRUE(pool.Breaks(id, {{"MAX_KERNEL", 4}}));
  }
}

// With smaller pads than the kernel every window has an element of the input, so that neither the
// mean nor the maximum of nothing is ever asked.
TEST_P(Pooling, HasNoEmptyWindow) {
  int64_t geometries = 0;
  for (int64_t size = 1; size <= 4; ++size) {
    for (int64_t kernel = 1; kernel <= 5; ++kernel) {
      for (int64_t stride = 1; stride <= 6; ++stride) {
        for (int64_t before = 0; before < kernel; ++before) {
          for (int64_t after = 0; after < kernel; ++after) {
            const int64_t span = size + before + after - kernel;
            if (span < 0 || span % stride != 0) continue;
            Parameters p{.input = {1, 1, size, 1}, .kernel = {1, kernel}};
            p.stride = {1, stride}, p.pad = {0, 0, before, after};
            const List ones(static_cast<size_t>(size), -1);
            const Tensor input = Tensor::OfIntegers(p.type, p.input, ones);
            const List expected(static_cast<size_t>(span / stride + 1), -1);
            ASSERT_EQ(Pool(GetParam(), p, input).Run().Integers(), expected);
            ++geometries;
          }
        }
      }
    }
  }
  EXPECT_GT(geometries, 300);
}

}  // namespace
}  // namespace cts

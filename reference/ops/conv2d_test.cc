#include <cmath>

#include "reference/base/float_format.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

struct Parameters {
  DType in_t = DType::kI8, weight_t = DType::kI8, acc_t = DType::kI32, out_t = DType::kI32;
  Shape input = {1, 4, 5, 2}, weight = {3, 2, 3, 2};
  int64_t bias = 1;  // BC
  std::vector<int64_t> pad = {0, 0, 0, 0}, stride = {1, 1}, dilation = {1, 1};
  int64_t input_zp = 0, weight_zp = 0;
  std::string_view edition = kDefaultEdition;

  Shape Out() const {
    const auto size = [&](int axis) {
      return (input[1 + axis] - 1 + pad[2 * axis] + pad[2 * axis + 1] -
              (weight[1 + axis] - 1) * dilation[axis]) /
                 stride[axis] +
             1;
    };
    return {input[0], size(0), size(1), weight[0]};
  }
};

struct Data {
  std::vector<int64_t> input, weight, bias;
};

Data RandomData(const Parameters& p) {
  const int64_t limit = IsFloat(p.in_t) ? 8 : IntegerMax(p.in_t);
  const int64_t weight_limit = IsFloat(p.weight_t) ? 8 : IntegerMax(p.weight_t);
  return {Numbers(ElementCount(p.input), -limit, limit, 1),
          Numbers(ElementCount(p.weight), -weight_limit, weight_limit, 2),
          Numbers(p.bias, -100, 100, 3)};
}

OneOperator Conv2d(const Parameters& p, const Data& data, Shape out = {}) {
  OneOperator op("CONV2D", p.edition);
  const auto tensor = [&](DType type, Shape shape, const std::vector<int64_t>& values) {
    if (!IsFloat(type)) return op.Integers(type, std::move(shape), values);
    return op.Floats(type, std::move(shape), {values.begin(), values.end()});
  };
  tensor(p.in_t, p.input, data.input);
  tensor(p.weight_t, p.weight, data.weight);
  tensor(p.out_t, {p.bias}, data.bias);
  if (p.edition == "tosa-0.100") {
    op.Set("input_zp", p.input_zp).Set("weight_zp", p.weight_zp);
  } else {
    tensor(p.in_t, {1}, {p.input_zp});
    tensor(p.weight_t, {1}, {p.weight_zp});
  }
  const std::map<DType, std::string> names = {{DType::kI32, "INT32"},
                                              {DType::kI48, "INT48"},
                                              {DType::kFp16, "FP16"},
                                              {DType::kFp32, "FP32"}};
  op.Set("pad", p.pad).Set("stride", p.stride).Set("dilation", p.dilation);
  op.Set("acc_type", names.at(p.acc_t)).Set("local_bound", false);
  return op.Out(p.out_t, out.empty() ? p.Out() : std::move(out));
}

std::string VerdictOf(const Parameters& p, Shape out = {}) {
  return Conv2d(p, RandomData(p), std::move(out)).Verdict();
}

// Adds every input element where its products belong, in the opposite direction to the operator.
std::vector<int64_t> Scattered(const Parameters& p, const Data& data) {
  const Shape out = p.Out();
  std::vector<int64_t> result(ElementCount(out));
  for (int64_t i = 0; i < ElementCount(out); ++i) {
    result[i] = data.bias[p.bias == 1 ? 0 : i % p.bias];
  }
  for (size_t i = 0; i < data.input.size(); ++i) {
    const Shape at = Index(p.input, static_cast<int64_t>(i));  // n, y, x, ic
    for (size_t w = 0; w < data.weight.size(); ++w) {
      const Shape tap = Index(p.weight, static_cast<int64_t>(w));  // oc, ky, kx, ic
      if (tap[3] != at[3]) continue;
      const int64_t y = at[1] + p.pad[0] - tap[1] * p.dilation[0];
      const int64_t x = at[2] + p.pad[2] - tap[2] * p.dilation[1];
      if (y < 0 || x < 0 || y % p.stride[0] != 0 || x % p.stride[1] != 0) continue;
      const Shape to = {at[0], y / p.stride[0], x / p.stride[1], tap[0]};
      if (to[1] >= out[1] || to[2] >= out[2]) continue;
      result[Offset(out, to)] += (data.input[i] - p.input_zp) * (data.weight[w] - p.weight_zp);
    }
  }
  return result;
}

const std::vector<Parameters>& SomeParameters() {
  static const std::vector<Parameters> all = {
      {},
      {.bias = 3, .pad = {1, 2, 3, 0}},
      {.input = {2, 7, 8, 2}, .pad = {0, 1, 1, 2}, .stride = {2, 3}, .dilation = {3, 2}},
      {.input = {1, 1, 1, 2}, .pad = {4, 7, 6, 7}, .stride = {3, 1}, .dilation = {2, 5}},
      {.input = {1, 9, 9, 1}, .weight = {4, 1, 1, 1}, .bias = 4, .stride = {4, 8}},
  };
  return all;
}

TEST(Conv2d, EqualsTheScatteredSum) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (Parameters p : SomeParameters()) {
      p.edition = edition;
      p.input_zp = -7, p.weight_zp = 12;
      const Data data = RandomData(p);
      EXPECT_EQ(Conv2d(p, data).Run().Integers(), Scattered(p, data));
      p.input_zp = -128, p.weight_zp = 0;
      p.weight_t = DType::kI4;
      const Data narrow = RandomData(p);
      EXPECT_EQ(Conv2d(p, narrow).Run().Integers(), Scattered(p, narrow));
      p.in_t = DType::kI16, p.weight_t = DType::kI8, p.acc_t = p.out_t = DType::kI48;
      p.input_zp = 0;
      const Data wide = RandomData(p);
      EXPECT_EQ(Conv2d(p, wide).Run().Integers(), Scattered(p, wide));
    }
  }
}

TEST(Conv2d, EqualsTheScatteredSumInFloatsThatHoldIt) {
  const DType fp8a = DType::kFp8E4M3, fp8b = DType::kFp8E5M2;
  const DType fp16 = DType::kFp16, bf16 = DType::kBf16, fp32 = DType::kFp32;
  for (auto [in_t, acc_t, out_t] : {std::tuple(fp8a, fp16, fp16),
                                    {fp8b, fp16, fp16},
                                    {fp16, fp16, fp16},
                                    {fp16, fp32, fp16},
                                    {bf16, fp32, bf16},
                                    {fp32, fp32, fp32}}) {
    for (Parameters p : SomeParameters()) {
      p.in_t = p.weight_t = in_t, p.acc_t = acc_t, p.out_t = out_t;
      Data data = RandomData(p);
      for (auto* values : {&data.input, &data.weight, &data.bias}) {
        for (int64_t& x : *values) x %= 4;  // sums below 256
      }
      const std::vector<int64_t> expected = Scattered(p, data);
      const std::vector<double> floats(expected.begin(), expected.end());
      EXPECT_EQ(Conv2d(p, data).Run().Elements(), floats);
      EXPECT_EQ(Conv2d(p, data).RunNative().Elements(), floats);
    }
  }
}

TEST(Conv2d, ByAOneHotKernelIsAShift) {
  Parameters p{.input = {1, 6, 6, 1}, .weight = {1, 3, 3, 1}, .pad = {1, 1, 1, 1}};
  for (int64_t tap = 0; tap < 9; ++tap) {
    Data data = RandomData(p);
    data.bias = {0};
    data.weight.assign(9, 0);
    data.weight[tap] = 1;
    const Tensor result = Conv2d(p, data).Run();
    for (int64_t y = 0; y < 6; ++y) {
      for (int64_t x = 0; x < 6; ++x) {
        const int64_t from_y = y + tap / 3 - 1, from_x = x + tap % 3 - 1;
        const bool inside = 0 <= from_y && from_y < 6 && 0 <= from_x && from_x < 6;
        ASSERT_EQ(result.Integer(6 * y + x), inside ? data.input[6 * from_y + from_x] : 0);
      }
    }
  }
}

TEST(Conv2d, IsUnpredictableWhenTheBiasOverflows) {
  Parameters p{.input = {1, 1, 1, 1}, .weight = {1, 1, 1, 1}};
  EXPECT_EQ(Conv2d(p, {{1}, {1}, {2147483646}}).Verdict(), "valid");
  EXPECT_EQ(Conv2d(p, {{1}, {1}, {2147483647}}).Verdict(), "unpredictable: integer.overflow");
}

// 0.100 casts each operand through out_t before it is multiplied.
TEST(Conv2d, HasOperandsThatEveryResultTypeOfTheDraftHolds) {
  int rows = 0;
  for (const TypeRow& row : (*FindEdition("tosa-0.100"))->FindOperator("CONV2D")->type_rows) {
    const DType out_t = *row.PlainType("out_t");
    for (const char* operand : {"in_t", "weight_t"}) {
      const DType type = *row.PlainType(operand);
      if (type == out_t) continue;
      ++rows;
      ASSERT_EQ(IsFloat(type), IsFloat(out_t)) << row.mode;
      if (!IsFloat(type)) {
        EXPECT_GE(IntegerMin(type), IntegerMin(out_t)) << row.mode;
        EXPECT_LE(IntegerMax(type), IntegerMax(out_t)) << row.mode;
        continue;
      }
      const Tensor every = EveryPattern(type);
      for (int64_t i = 0; i < every.size(); ++i) {
        const double value = every.Element(i);
        ASSERT_TRUE(std::isnan(value) || RoundTo(out_t, value) == value) << row.mode << value;
      }
    }
  }
  EXPECT_GT(rows, 4);
}

TEST(Conv2d, RejectsZeroPointsUnlessInt8) {
  const Parameters i16{.in_t = DType::kI16, .acc_t = DType::kI48, .out_t = DType::kI48};
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    Parameters p{.input_zp = 1, .weight_zp = 1, .edition = edition};
    EXPECT_EQ(VerdictOf(p), "valid");
    p.weight_t = DType::kI4;
    EXPECT_EQ(VerdictOf(p), "error: conv2d.weight_zp");
    p = i16;
    p.edition = edition;
    p.weight_zp = 1;
    EXPECT_EQ(VerdictOf(p), "valid");
    p.input_zp = 1;
    EXPECT_EQ(VerdictOf(p), "error: conv2d.input_zp");
  }
}

TEST(Conv2d, RejectsNegativePads) {
  // 0.100 types sizes as unsigned, in which no pad could be negative. It means int32_t attributes.
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (int i = 0; i < 4; ++i) {
      Parameters p;
      p.edition = edition;
      p.pad[i] = -1;
      EXPECT_EQ(VerdictOf(p), "error: conv2d.pad_negative");
    }
  }
}

TEST(Conv2d, RejectsStridesAndDilationsBelowOne) {
  const Shape out = {1, 3, 3, 3};
  EXPECT_EQ(VerdictOf({}, out), "valid");
  for (int i : {0, 1}) {
    for (int64_t bad : {0, -1}) {
      Parameters p;
      p.stride[i] = bad;
      EXPECT_EQ(VerdictOf(p, out), "error: conv2d.stride_below_one");
      Parameters q;
      q.dilation[i] = bad;
      EXPECT_EQ(VerdictOf(q), "error: conv2d.dilation_below_one");
    }
  }
}

TEST(Conv2d, RejectsOutputsOfAnotherSize) {
  EXPECT_EQ(VerdictOf({}, {1, 2, 3, 3}), "error: conv2d.output_height");
  EXPECT_EQ(VerdictOf({}, {1, 3, 4, 3}), "error: conv2d.output_width");
  // (4 - 1 - 1) / 2 + 1 = 2 and (5 - 1 - 2) / 2 + 1 = 2 divide; by 3 they do not.
  EXPECT_EQ(VerdictOf({.stride = {2, 2}}), "valid");
  EXPECT_EQ(VerdictOf({.stride = {3, 2}}), "error: conv2d.output_height");
  EXPECT_EQ(VerdictOf({.stride = {2, 3}}), "error: conv2d.output_width");
}

TEST(Conv2d, RejectsABiasOfOtherChannels) {
  EXPECT_EQ(VerdictOf({.bias = 1}), "valid");
  EXPECT_EQ(VerdictOf({.bias = 3}), "valid");
  EXPECT_EQ(VerdictOf({.bias = 2}), "error: conv2d.bias_channels");
}

TEST(Conv2d, LimitsKernelPadAndStrideToTheLevel) {
  const auto verdict = [](const Parameters& p, int64_t kernel, int64_t stride) {
    return Conv2d(p, RandomData(p)).Verdict({{"MAX_KERNEL", kernel}, {"MAX_STRIDE", stride}});
  };
  EXPECT_EQ(verdict({.input = {1, 6, 5, 2}, .dilation = {2, 1}}, 4, 1), "valid");
  EXPECT_EQ(verdict({.input = {1, 6, 5, 2}, .dilation = {2, 1}}, 3, 1),
            "unpredictable: conv2d.level_kernel_y");
  EXPECT_EQ(verdict({.dilation = {1, 2}}, 6, 1), "valid");
  EXPECT_EQ(verdict({.dilation = {1, 2}}, 5, 1), "unpredictable: conv2d.level_kernel_x");
  const char* const sides[] = {"top", "bottom", "left", "right"};
  for (int i = 0; i < 4; ++i) {
    Parameters p;
    p.pad[i] = 4;
    EXPECT_EQ(verdict(p, 4, 1), "valid");
    EXPECT_EQ(verdict(p, 3, 1), StrCat("unpredictable: conv2d.level_pad_", sides[i]));
  }
  EXPECT_EQ(verdict({.stride = {2, 2}}, 3, 2), "valid");
  EXPECT_EQ(verdict({.stride = {2, 1}}, 3, 1), "unpredictable: conv2d.level_stride_y");
  EXPECT_EQ(verdict({.stride = {1, 2}}, 3, 1), "unpredictable: conv2d.level_stride_x");
}

}  // namespace
}  // namespace cts

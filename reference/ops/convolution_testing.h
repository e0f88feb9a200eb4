// Graphs of one convolution for the tests of this folder.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "reference/ops/testing.h"

namespace cts {

// The types, operands, zero points and list attributes of a convolution.
struct ConvolutionCase {
  std::string op;
  DType in_t = DType::kI8, weight_t = DType::kI8, acc_t = DType::kI32, out_t = DType::kI32;
  Shape input, weight, output;
  int64_t bias_channels = 1;  // BC
  int64_t input_zp = 0, weight_zp = 0;
  std::map<std::string, std::vector<int64_t>> lists = {};  // "pad", "stride", ...
  std::string_view edition = kDefaultEdition;
  std::vector<int64_t> x, w, b;  // the elements; empty: Fill sets them

  // Fills empty operands with numbers that every tested type holds. For floating-point types the
  // sums of the convolution stay below 256.
  void Fill() {
    const auto fill = [](std::vector<int64_t>& values, int64_t count, DType type, uint64_t seed) {
      if (!values.empty()) return;
      const int64_t limit = IsFloat(type) ? 2 : IntegerMax(type);
      values = Numbers(count, -limit, limit, seed);
    };
    fill(x, ElementCount(input), in_t, 1);
    fill(w, ElementCount(weight), weight_t, 2);
    if (b.empty()) b = Numbers(bias_channels, -100, 100, 3);
  }

  OneOperator Make() {
    Fill();
    OneOperator one(op, edition);
    const auto tensor = [&](DType type, Shape shape, const std::vector<int64_t>& values) {
      if (!IsFloat(type)) return one.Integers(type, std::move(shape), values);
      return one.Floats(type, std::move(shape), {values.begin(), values.end()});
    };
    tensor(in_t, input, x);
    tensor(weight_t, weight, w);
    tensor(out_t, {bias_channels}, b);
    if (edition == "tosa-0.100") {
      one.Set("input_zp", input_zp).Set("weight_zp", weight_zp);
    } else {
      tensor(in_t, {1}, {input_zp});
      tensor(weight_t, {1}, {weight_zp});
    }
    for (const auto& [name, values] : lists) one.Set(name, values);
    static const std::map<DType, std::string> kNames = {{DType::kI32, "INT32"},
                                                        {DType::kI48, "INT48"},
                                                        {DType::kFp16, "FP16"},
                                                        {DType::kFp32, "FP32"}};
    if (op != "FULLY_CONNECTED") one.Set("acc_type", kNames.at(acc_t)).Set("local_bound", false);
    return one.Out(out_t, output);
  }
  std::string Verdict(const std::map<std::string, int64_t>& maxima = {}) {
    return Make().Verdict(maxima);
  }
};

// The type rows of the convolutions: in_t, weight_t, acc_t, out_t.
struct ConvolutionTypes {
  DType in_t, weight_t, acc_t, out_t;
};
inline const std::vector<ConvolutionTypes>& EveryConvolutionTypes() {
  using enum DType;
  static const std::vector<ConvolutionTypes> all = {{kI8, kI8, kI32, kI32},
                                                    {kI8, kI4, kI32, kI32},
                                                    {kI16, kI8, kI48, kI48},
                                                    {kFp8E4M3, kFp8E4M3, kFp16, kFp16},
                                                    {kFp8E5M2, kFp8E5M2, kFp16, kFp16},
                                                    {kFp16, kFp16, kFp16, kFp16},
                                                    {kFp16, kFp16, kFp32, kFp16},
                                                    {kBf16, kBf16, kFp32, kBf16},
                                                    {kFp32, kFp32, kFp32, kFp32}};
  return all;
}

// Expects that the case's result is `expected(c)` in every type row of tosa-1.0 and tosa-0.100.
// Floating-point types hold these numbers exactly, so the embedded implementation must give the
// same result.
template <class Expected>
void ExpectInEveryType(ConvolutionCase c, const Expected& expected) {
  for (std::string_view edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const ConvolutionTypes& types : EveryConvolutionTypes()) {
      c.edition = edition;
      c.in_t = types.in_t, c.weight_t = types.weight_t;
      c.acc_t = types.acc_t, c.out_t = types.out_t;
      c.input_zp = types.in_t == DType::kI8 ? -7 : 0;
      c.weight_zp = types.weight_t == DType::kI8 ? 12 : 0;
      c.x.clear(), c.w.clear(), c.b.clear();
      c.Fill();
      const std::vector<int64_t> sums = expected(c);
      const OneOperator one = c.Make();
      if (!IsFloat(c.out_t)) {
        EXPECT_EQ(one.Run().Integers(), sums) << c.op << " " << Name(c.in_t);
        continue;
      }
      const std::vector<double> floats(sums.begin(), sums.end());
      EXPECT_EQ(one.Run().Elements(), floats) << c.op << " " << Name(c.in_t);
      EXPECT_EQ(one.RunNative().Elements(), floats) << c.op << " " << Name(c.in_t);
    }
  }
}

// An output with the bias in every element. The caller adds the sums.
inline std::vector<int64_t> BiasEverywhere(const ConvolutionCase& c) {
  std::vector<int64_t> result(static_cast<size_t>(ElementCount(c.output)));
  for (size_t i = 0; i < result.size(); ++i) result[i] = c.b[i % c.b.size()];
  return result;
}

}  // namespace cts

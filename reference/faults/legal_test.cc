// Legal implementations of examples that can be worked out by hand.
#include "reference/faults/legal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "reference/evaluate/native.h"
#include "reference/faults/fault.h"
#include "reference/ops/testing.h"

namespace cts {
namespace {

using testing::ElementsAre;

NativeResult Execute(std::string_view id, const OneOperator& op) {
  for (const LegalImplementation& legal : LegalImplementations()) {
    if (legal.id != id) continue;
    Case c;
    c.graph = op.graph();
    c.inputs = op.inputs();
    const auto results = ExecuteLegal(legal, c, op.edition(), *op.edition().FindLevel("8K"));
    if (results.ok() && results->front().outcome == Outcome::kValid) return results->front();
  }
  ADD_FAILURE() << id << ": no result";
  return {};
}

TEST(LegalImplementations, AreThirtyOrMore) { EXPECT_GE(LegalImplementations().size(), 30u); }

TEST(LegalImplementations, HaveTheClauseOfTheEditionsSums) {
  for (const LegalImplementation& legal : LegalImplementations()) {
    if (legal.id == "sum_pairwise") {
      EXPECT_EQ(ClauseOf(legal, **FindEdition("tosa-1.0")),
                "tosa-1.0, Dot product accuracy requirements: any order, any precision within "
                "bounds");
    }
    if (legal.id == "flush_all") {
      EXPECT_EQ(ClauseOf(legal, **FindEdition("tosa-1.0")), legal.clause);
    }
  }
}

TEST(LegalImplementations, TransformByHalves) {
  const auto fft = [](const Shape& shape, const std::vector<double>& real, bool inverse) {
    OneOperator one("FFT2D");
    one.Floats(DType::kFp32, shape, real);
    one.Floats(DType::kFp32, shape, std::vector<double>(real.size()));
    one.Set("inverse", inverse).Set("local_bound", false);
    one.Out(DType::kFp32, shape).AndOut(DType::kFp32, shape);
    return Execute("fft_by_halves", one);
  };
  const NativeResult square = fft({1, 2, 2}, {1, 2, 3, 4}, false);
  EXPECT_THAT(square.outputs.at("out").Elements(), ElementsAre(10, -2, -4, 0));
  EXPECT_THAT(square.outputs.at("out2").Elements(), ElementsAre(0, 0, 0, 0));
  // The second of four: 1, -i, -1, i; turned the other way by the inverse.
  EXPECT_THAT(fft({1, 1, 4}, {0, 1, 0, 0}, false).outputs.at("out2").Elements(),
              ElementsAre(0, -1, testing::DoubleNear(0, 1e-6), 1));
  EXPECT_THAT(fft({1, 4, 1}, {0, 1, 0, 0}, true).outputs.at("out2").Elements(),
              ElementsAre(0, 1, testing::DoubleNear(0, 1e-6), -1));
}

// 0.100 allows a single product an error of half a unit in the last place and no more. The loss by
// the lesser parts shows only in longer sums.
TEST(LegalImplementations, SplitFactorsOfSumsOnly) {
  const auto product = [](std::string_view id, std::string_view edition, int64_t terms, double x) {
    const auto n = static_cast<size_t>(terms);
    std::vector<double> a(n, x), b(n, x);
    for (size_t k = 1; k < n; ++k) a[k] = b[k] = 0x1p-40;  // nothing beside the first
    OneOperator one("MATMUL", edition);
    one.Floats(DType::kFp32, {1, 1, terms}, a).Floats(DType::kFp32, {1, terms, 1}, b);
    if (edition == "tosa-1.0") {
      one.Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
    } else {
      one.Set("A_zp", 0.0).Set("B_zp", 0.0);
    }
    return Execute(id, one.Out(DType::kFp32, {1, 1, 1})).outputs.at("out").Element(0);
  };
  for (const char* edition : {"tosa-1.0", "tosa-0.100"}) {
    bool differs = false;
    for (int i = 0; i < 1000; ++i) {
      const double x = 1 + (2 * i * 4099 % 8388608 + 1) * 0x1p-23;
      const double right = static_cast<double>(static_cast<float>(x * x));
      EXPECT_EQ(product("sum_split_bf16", edition, 1, x), right) << edition << " " << x;
      differs |= product("sum_split_bf16", edition, 2, x) != right;
    }
    EXPECT_TRUE(differs) << edition;
  }
}

TEST(LegalImplementations, SplitFactorsAndKeepTheBiasOfAProductOfZero) {
  OneOperator one("CONV2D");
  one.Floats(DType::kFp32, {1, 1, 1, 1}, {0})
      .Floats(DType::kFp32, {1, 1, 1, 1}, {2})
      .Floats(DType::kFp32, {1}, {0.5});
  one.Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
  one.Set("pad", std::vector<int64_t>(4)).Set("stride", std::vector<int64_t>{1, 1});
  one.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("FP32"));
  one.Set("local_bound", true).Out(DType::kFp32, {1, 1, 1, 1});
  EXPECT_THAT(Execute("sum_split_bf16", one).outputs.at("out").Elements(), ElementsAre(0.5));
}

// A window whose second element lies in the padding.
TEST(LegalImplementations, MultiplyPaddingOnly) {
  const auto sums = [](double weight) {
    OneOperator one("CONV2D");
    one.Floats(DType::kFp32, {1, 1, 2, 1}, {1, 3})
        .Floats(DType::kFp32, {1, 1, 2, 1}, {2, weight})
        .Floats(DType::kFp32, {1}, {0.5});
    one.Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
    one.Set("pad", std::vector<int64_t>{0, 0, 0, 1}).Set("stride", std::vector<int64_t>{1, 1});
    one.Set("dilation", std::vector<int64_t>{1, 1}).Set("acc_type", std::string("FP32"));
    one.Set("local_bound", true).Out(DType::kFp32, {1, 1, 2, 1});
    return Execute("multiply_padding", one).outputs.at("out").Elements();
  };
  EXPECT_THAT(sums(4), ElementsAre(14.5, 6.5));
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(sums(infinity), ElementsAre(infinity, testing::IsNan()));
}

TEST(LegalImplementations, FlushOneTypeAlone) {
  const auto negated = [](std::string_view id, DType type, double x) {
    OneOperator negate("NEGATE");
    negate.Floats(type, {1}, {x}).Floats(type, {1}, {0}).Floats(type, {1}, {0});
    return Execute(id, negate.Out(type, {1})).outputs.at("out").Element(0);
  };
  EXPECT_EQ(negated("flush_fp16", DType::kFp16, 0x1p-24), 0);
  EXPECT_EQ(negated("flush_fp16", DType::kFp32, 0x1p-140), -0x1p-140);
  EXPECT_EQ(negated("flush_all", DType::kFp32, 0x1p-140), 0);
}

// 0 - x: +0 for +0. A subnormal becomes a subnormal, and that a zero of its sign.
TEST(LegalImplementations, SubtractFromZeroAndFlush) {
  OneOperator negate("NEGATE");
  negate.Floats(DType::kFp32, {3}, {0.0, 0x1p-140, -0x1p-140});
  negate.Floats(DType::kFp32, {1}, {0}).Floats(DType::kFp32, {1}, {0});
  const NativeResult result = Execute("flush_negate_from_zero", negate.Out(DType::kFp32, {3}));
  const Tensor& zeros = result.outputs.at("out");
  EXPECT_THAT(zeros.Elements(), ElementsAre(0, 0, 0));
  EXPECT_FALSE(std::signbit(zeros.Element(0)));
  EXPECT_TRUE(std::signbit(zeros.Element(1)));
  EXPECT_FALSE(std::signbit(zeros.Element(2)));
}

// Passes every operation on. A text cannot read its operands at once.
class OneByOne : public ArithmeticFault {
 public:
  explicit OneByOne(ArithmeticFault& all) : all_(all) {}
  void Begin(DType type, int64_t offset) override { all_.Begin(type, offset); }
  double End(DType type, double value) override { return all_.End(type, value); }
  double Load(const Operand& operand, int64_t i) override { return all_.Load(operand, i); }
  double Add(DType type, double x, double y) override { return all_.Add(type, x, y); }
  double Sub(DType type, double x, double y) override { return all_.Sub(type, x, y); }
  double Mul(DType type, double x, double y) override { return all_.Mul(type, x, y); }
  double Cast(DType type, double x) override { return all_.Cast(type, x); }

 private:
  ArithmeticFault& all_;
};

class ByLegal : public Departure {
 public:
  ByLegal(const LegalImplementation& legal, bool one_by_one)
      : legal_(legal), one_by_one_(one_by_one) {}
  std::optional<OperatorOutputs> Compute(const Operator& op, const Call& call) const override {
    const auto arithmetic = legal_.arithmetic();
    OneByOne each(*arithmetic);
    return ComputeWith(op, call, one_by_one_ ? static_cast<ArithmeticFault&>(each) : *arithmetic);
  }

 private:
  const LegalImplementation& legal_;
  const bool one_by_one_;
};

std::vector<double> Spread(DType type, int64_t count, int64_t step) {
  std::vector<double> values;
  for (int64_t k = 0; k < count; ++k) {
    const int64_t x = k * step % 1009 - 504;
    // One infinity, which makes few sums NaN; zeros of both signs; subnormal numbers.
    const double special = k == 42      ? std::numeric_limits<double>::infinity()
                           : k % 2 == 0 ? -0.0
                                        : Format(type).subnormal_min();
    values.push_back(k % 7 == 3    ? 0
                     : k % 37 == 5 ? special
                                   : RoundTo(type, static_cast<double>(x) / 97 * 0x1p-3));
  }
  return values;
}

OneOperator Convolution(std::string_view op, DType type, const Shape& weight, const Shape& out) {
  OneOperator one{std::string(op)};
  one.Floats(type, {1, 5, 6, 3}, Spread(type, 90, 389));
  one.Floats(type, weight, Spread(type, ElementCount(weight), 613));
  one.Floats(type, {out[3]}, Spread(type, out[3], 17));
  one.Floats(type, {1}, {0}).Floats(type, {1}, {0});
  one.Set("pad", std::vector<int64_t>{1, 1, 2, 0}).Set("stride", std::vector<int64_t>{2, 1});
  one.Set("dilation", std::vector<int64_t>{1, 2}).Set("acc_type", std::string("FP32"));
  one.Set("local_bound", true).Out(type, out);
  return one;
}

// A transform of numbers of about this size.
OneOperator Transform(std::string_view op, double size) {
  const auto spread = [size](int64_t step) {
    std::vector<double> values = Spread(DType::kFp32, 64, step);
    for (double& value : values) value = RoundTo(DType::kFp32, value * size);
    return values;
  };
  OneOperator one{std::string(op)};
  one.Floats(DType::kFp32, {2, 4, 8}, spread(389));
  one.Set("local_bound", false);
  if (op == "RFFT2D") {
    return one.Out(DType::kFp32, {2, 4, 5}).AndOut(DType::kFp32, {2, 4, 5});
  }
  one.Floats(DType::kFp32, {2, 4, 8}, spread(613));
  return one.Set("inverse", true).Out(DType::kFp32, {2, 4, 8}).AndOut(DType::kFp32, {2, 4, 8});
}

// Reading once and summing in one go gives the same as the operator's text, operation by operation.
TEST(LegalImplementations, SumAtOnceAsTheTextDoes) {
  int alike = 0;
  for (const DType type : {DType::kFp32, DType::kFp16}) {
    OneOperator matmul("MATMUL");
    matmul.Floats(type, {2, 3, 70}, Spread(type, 420, 389));
    matmul.Floats(type, {2, 70, 4}, Spread(type, 560, 613));
    matmul.Floats(type, {1}, {0}).Floats(type, {1}, {0}).Out(DType::kFp32, {2, 3, 4});
    for (const OneOperator& one :
         {Convolution("CONV2D", type, {4, 3, 3, 3}, {1, 3, 4, 4}),
          Convolution("DEPTHWISE_CONV2D", type, {3, 3, 3, 2}, {1, 3, 4, 6}), matmul,
          Transform("FFT2D", 1), Transform("RFFT2D", 1),
          // Products and sums below the least normal number, and above.
          Transform("FFT2D", 0x1p-124), Transform("RFFT2D", 0x1p-124)}) {
      const Graph graph = one.graph();
      for (const LegalImplementation& legal : LegalImplementations()) {
        if (legal.arithmetic == nullptr) continue;
        alike += legal.arithmetic()->ReadsAlike();
        std::vector<std::map<std::string, Tensor>> outputs;
        for (const bool one_by_one : {false, true}) {
          const ByLegal departure(legal, one_by_one);
          const auto results = ExecuteNativeSequence(graph, {&one.inputs()}, one.edition(),
                                                     *one.edition().FindLevel("8K"), &departure);
          ASSERT_TRUE(results.ok()) << results.status();
          ASSERT_EQ(results->front().outcome, Outcome::kValid) << results->front().message;
          outputs.push_back(results->front().outputs);
        }
        EXPECT_TRUE(outputs[0] == outputs[1]) << legal.id << " " << graph.main().operators[0].op;
      }
    }
  }
  EXPECT_GT(alike, 10 * 25);
}

// 0x7D01 is a signalling NaN of fp16, 0x7E00 a quiet one; 0x4000 is 2, 0x4200 3, 0x4500 5.
Tensor Patterns(Shape shape, const std::vector<uint64_t>& bits) {
  Tensor tensor(DType::kFp16, std::move(shape));
  for (size_t i = 0; i < bits.size(); ++i) tensor.SetBits(static_cast<int64_t>(i), bits[i]);
  return tensor;
}

// By the definitions of IEEE 754: maxNum makes a quiet NaN of a signalling one, which the next
// maxNum passes over.
TEST(LegalImplementations, TakeTheExtremaOfBothVersionsOfIeee754) {
  const auto maximum = [](std::string_view id) {
    OneOperator one("MAXIMUM");
    one.In(Patterns({4}, {0x7D01, 0x7E00, 0x4200, 0x8000}));
    one.In(Patterns({4}, {0x4000, 0x4000, 0x4000, 0x0000}));
    one.Set("nan_mode", std::string("IGNORE")).Out(DType::kFp16, {4});
    return Execute(id, one).outputs.at("out").Elements();
  };
  EXPECT_THAT(maximum("max_num_2008"), ElementsAre(testing::IsNan(), 2, 3, 0));
  EXPECT_THAT(maximum("maximum_number_2019"), ElementsAre(2, 2, 3, 0));
  const auto reduced = [](std::string_view id) {
    OneOperator one("REDUCE_MAX");
    one.In(Patterns({3, 3}, {0x4500, 0x7D01, 0x4000,     // 5, NaN, 2
                             0x4000, 0x4500, 0x7D01,     // 2, 5, NaN
                             0x7E00, 0x4000, 0x7E00}));  // NaN, 2, NaN, both quiet
    one.Set("axis", int64_t{1}).Set("nan_mode", std::string("IGNORE")).Out(DType::kFp16, {3, 1});
    return Execute(id, one).outputs.at("out").Elements();
  };
  EXPECT_THAT(reduced("max_num_2008"), ElementsAre(2, testing::IsNan(), 2));
  EXPECT_THAT(reduced("maximum_number_2019"), ElementsAre(5, 5, 2));
  const auto clamped = [](std::string_view id) {
    OneOperator one("CLAMP");
    one.In(Patterns({3}, {0x7D01, 0x7E00, 0x4500})).Set("min_val", -1.0).Set("max_val", 3.0);
    one.Set("nan_mode", std::string("IGNORE")).Out(DType::kFp16, {3});
    return Execute(id, one).outputs.at("out").Elements();
  };
  EXPECT_THAT(clamped("max_num_2008"), ElementsAre(3, -1, 3));
  EXPECT_THAT(clamped("maximum_number_2019"), ElementsAre(-1, -1, 3));
  const auto pooled = [](std::string_view id) {
    OneOperator one("MAX_POOL2D");
    one.In(Patterns({1, 1, 4, 1}, {0x4500, 0x7D01, 0x4000, 0x4200}));
    one.Set("kernel", std::vector<int64_t>{1, 3}).Set("stride", std::vector<int64_t>{1, 1});
    one.Set("pad", std::vector<int64_t>{0, 0, 1, 0}).Set("nan_mode", std::string("IGNORE"));
    return Execute(id, one.Out(DType::kFp16, {1, 1, 3, 1})).outputs.at("out").Elements();
  };
  EXPECT_THAT(pooled("max_num_2008"), ElementsAre(testing::IsNan(), 2, 3));
  EXPECT_THAT(pooled("maximum_number_2019"), ElementsAre(5, 5, 3));
  const auto index = [](std::string_view id) {
    OneOperator one("ARGMAX");
    one.In(Patterns({2, 3}, {0x4500, 0x7D01, 0x4000, 0x7E00, 0x4000, 0x4000}));
    one.Set("axis", int64_t{1}).Set("nan_mode", std::string("IGNORE")).Out(DType::kI32, {2});
    return Execute(id, one).outputs.at("out").Integers();
  };
  EXPECT_THAT(index("max_num_2008"), ElementsAre(2, 1));
  EXPECT_THAT(index("maximum_number_2019"), ElementsAre(0, 1));
}

}  // namespace
}  // namespace cts

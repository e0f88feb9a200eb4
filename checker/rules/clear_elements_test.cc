#include "checker/rules/clear_elements.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <map>
#include <random>

#include "checker/rules/interval.h"
#include "checker/rules/match.h"
#include "reference/base/special_values_testing.h"
#include "reference/numeric/vector_targets_testing.h"

namespace cts {
namespace {

constexpr DType kFloats[] = {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16,
                             DType::kBf16,    DType::kFp32,    DType::kFp64};

TEST(WidenFloats, IsTheDecodedValueOfEveryPattern) {
  OnEveryTarget([] {
    for (const DType dtype : kFloats) {
      if (dtype == DType::kFp64) continue;
      // All patterns; of fp32 those that end in the patterns of a byte, so that 2^24 are enough.
      const int bits = std::min(Info(dtype).bits, 16);
      std::vector<uint64_t> patterns;
      for (uint64_t high = 0; high < uint64_t{1} << bits; ++high) {
        if (dtype != DType::kFp32) {
          patterns.push_back(high);
          continue;
        }
        for (const uint64_t low : {0u, 1u, 0x8000u, 0xFFFFu}) patterns.push_back(high << 16 | low);
      }
      Tensor tensor(dtype, {static_cast<int64_t>(patterns.size())});
      for (size_t i = 0; i < patterns.size(); ++i) {
        tensor.SetBits(static_cast<int64_t>(i), patterns[i]);
      }
      std::vector<double> values(patterns.size());
      WidenFloats(dtype, tensor.bytes().data(), tensor.size(), values.data());
      for (size_t i = 0; i < patterns.size(); ++i) {
        const double expected = DecodeFloat(dtype, patterns[i]);
        if (std::isnan(expected)) {
          ASSERT_TRUE(std::isnan(values[i])) << Name(dtype) << " " << patterns[i];
        } else {
          ASSERT_EQ(std::bit_cast<uint64_t>(values[i]), std::bit_cast<uint64_t>(expected))
              << Name(dtype) << " " << patterns[i];
        }
      }
      // Counts that end within a vector, and write nothing behind their end.
      for (int64_t count = 0; count < 20; ++count) {
        std::vector<double> some(21, -7.0);
        WidenFloats(dtype, tensor.bytes().data() + 3 * StorageBytes(dtype), count, some.data());
        for (int64_t i = 0; i < count; ++i) {
          ASSERT_EQ(some[static_cast<size_t>(i)], values[static_cast<size_t>(i + 3)]);
        }
        ASSERT_EQ(some[static_cast<size_t>(count)], -7.0);
      }
    }
  });
}

// Returns what MeasureTensor must return: it takes one element after the other.
TensorErrors OneByOne(const ExpectedOutput& output, const Answer& answer, const Tensor& result) {
  const ElementJudge judge(output, answer, result);
  TensorErrors errors;
  if (output.rule.kind == RuleKind::kDotProduct) errors.figures.emplace();
  for (int64_t i = 0; i < result.size(); ++i) {
    if (!judge.Accepts(i) && errors.mismatches++ == 0) errors.first = i;
    if (errors.figures) errors.figures->Add(judge.DotProduct(i));
    const ElementError error = judge.Measure(i);
    errors.worst_ulp = std::max(errors.worst_ulp, error.ulp);
    errors.ulps.Add(error.ulp);
    if (error.of_bound) {
      errors.worst_of_bound = std::max(errors.worst_of_bound.value_or(0), *error.of_bound);
    }
  }
  errors.accepted = errors.mismatches == 0;
  if (errors.figures) {
    errors.accepted = errors.accepted && errors.figures->BiasAccepted(output.rule) &&
                      errors.figures->VarianceAccepted(output.rule);
  }
  return errors;
}

void ExpectSame(const TensorErrors& got, const TensorErrors& expected, const std::string& where) {
  ASSERT_EQ(got.accepted, expected.accepted) << where;
  ASSERT_EQ(got.mismatches, expected.mismatches) << where;
  ASSERT_EQ(got.first, expected.first) << where;
  ASSERT_EQ(got.worst_ulp, expected.worst_ulp) << where;
  ASSERT_EQ(got.worst_of_bound, expected.worst_of_bound) << where;
  ASSERT_EQ(got.ulps.counts, expected.ulps.counts) << where;
  ASSERT_EQ(got.figures.has_value(), expected.figures.has_value()) << where;
  if (!got.figures) return;
  ASSERT_EQ(got.figures->elements, expected.figures->elements) << where;
  ASSERT_EQ(got.figures->unlimited, expected.figures->unlimited) << where;
  ASSERT_EQ(got.figures->worst_error, expected.figures->worst_error) << where;
  ASSERT_EQ(got.figures->error_sum, expected.figures->error_sum) << where;
  ASSERT_EQ(got.figures->squared_error_sum, expected.figures->squared_error_sum) << where;
}

// Values that rules treat apart, and their neighbours.
std::vector<double> Edges(DType dtype) {
  const FloatFormat& format = Format(dtype);
  std::vector<double> edges = {0.0,  1.0,   0x1p-1074, 0x1p-1022, 0x1p200,  0x1.8p199,
                               1e30, 1e300, kInf,      1.5,       0x1p1023, 0x1.FFFFFFFFFFFFFp1023};
  for (const double value : {format.normal_min(), format.subnormal_min(), format.max}) {
    for (const double factor : {0.5, 0.75, 1.0, 1.25, 1.0 + 0x1p-40}) {
      edges.push_back(value * factor);
    }
  }
  const size_t count = edges.size();
  for (size_t i = 0; i < count; ++i) edges.push_back(-edges[i]);
  edges.push_back(kNan);
  return edges;
}

class Draw {
 public:
  explicit Draw(uint32_t seed) : random_(seed) {}
  uint64_t Below(uint64_t n) { return random_() % n; }
  // From the edges, or anything: all signs and exponents around those of the type.
  double Number(DType dtype, bool wild) {
    static const std::map<DType, std::vector<double>> edges = [] {
      std::map<DType, std::vector<double>> all;
      for (const DType each : kFloats) all.emplace(each, Edges(each));
      return all;
    }();
    if (wild && Below(2) == 0) return edges.at(dtype)[Below(edges.at(dtype).size())];
    const int span = dtype == DType::kFp32 || dtype == DType::kBf16 ? 150 : 20;
    const double fraction = 1 + static_cast<double>(random_() >> 11) * 0x1p-53;
    const int exponent = static_cast<int>(Below(static_cast<uint64_t>(2 * span))) - span;
    return std::ldexp(Below(2) == 0 ? fraction : -fraction, wild ? exponent : exponent / 16);
  }

 private:
  std::mt19937_64 random_;
};

// Tensors in which most elements are right and some are not, at and around every limit.
TEST(MeasureTensor, IsWhatTheElementsSayOneByOne) {
  int64_t compared = 0;
  OnEveryTarget([&compared] {
    for (const DType dtype : kFloats) {
      for (const RuleKind kind : {RuleKind::kExact, RuleKind::kUlp, RuleKind::kAbsoluteBound,
                                  RuleKind::kDotProduct, RuleKind::kInterval}) {
        for (uint32_t seed = 0; seed < 24; ++seed) {
          Draw draw(seed);
          const bool wild = seed % 2 == 1;
          const auto size = static_cast<int64_t>(1 + draw.Below(seed < 12 ? 40 : 1300));
          ExpectedOutput output{.name = "out", .dtype = dtype, .shape = {size}};
          output.rule.kind = kind;
          output.rule.form = seed % 4 < 2 ? "tosa-1.0" : "tosa-0.100";
          output.rule.zero_sign = seed % 3 == 0;
          output.rule.ulp = std::vector<double>{0, 0.5, 1, 5, 0.3}[seed % 5];
          output.rule.absolute_limit = seed % 7 == 6 ? 0 : 8;
          output.rule.bias_limit = 10;
          output.rule.variance_limit = 100;
          Answer answer{false, Tensor(DType::kFp64, {size}), {}, {}};
          Tensor second(DType::kFp64, {size}), result(dtype, {size});
          for (int64_t i = 0; i < size; ++i) {
            double wanted = draw.Number(dtype, wild);
            if (kind == RuleKind::kExact) wanted = RoundTo(dtype, wanted);
            const double unit =
                std::isfinite(wanted) && wanted != 0
                    ? std::ldexp(1.0, std::max(std::ilogb(wanted), Format(dtype).min_exponent) -
                                          Format(dtype).fraction_bits)
                    : 1;
            // As far off as a bound, one step less or more, or anything.
            double bound = unit * std::vector<double>{0, 0.5, 0.75, 1, 3, 1000}[draw.Below(6)];
            if (kind == RuleKind::kDotProduct) bound = std::fabs(wanted) * (1 + draw.Below(3));
            if (wild && draw.Below(8) == 0) bound = std::fabs(draw.Number(dtype, true));
            if (kind == RuleKind::kAbsoluteBound && std::isnan(bound)) bound = kInf;
            const double off = unit * std::vector<double>{0, 0, 0.5, -1, 1, 2.5}[draw.Below(6)];
            result.SetElement(i, draw.Below(40) == 0 ? draw.Number(dtype, true) : wanted + off);
            if (kind == RuleKind::kInterval) {
              bound = wanted + unit * static_cast<double>(draw.Below(3));
              if (std::isnan(wanted)) bound = wanted;
            }
            answer.expected.SetElement(i, wanted);
            second.SetElement(i, bound);
            if (kind == RuleKind::kAbsoluteBound && draw.Below(4) == 0) {
              // Just at the bound.
              answer.expected.SetElement(i, result.Element(i) + bound);
            }
          }
          if (kind == RuleKind::kInterval) {
            answer.upper = second;
          } else {
            answer.bound = second;
          }
          ExpectSame(MeasureTensor(output, answer, result), OneByOne(output, answer, result),
                     std::string(Name(kind)) + " " + std::string(Name(dtype)) + " seed " +
                         std::to_string(seed));
          if (testing::Test::HasFatalFailure()) return;
          compared += size;
        }
      }
    }
  });
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_GT(compared, 200000);
}

TEST(MeasureTensor, IsWhatIntegersSayOneByOne) {
  int64_t compared = 0;
  for (const DType dtype : {DType::kBool, DType::kI4, DType::kI8, DType::kI16, DType::kI32,
                            DType::kI48, DType::kI64, DType::kShape}) {
    for (const bool interval : {false, true}) {
      for (uint32_t seed = 0; seed < 40; ++seed) {
        Draw draw(seed);
        const auto size = static_cast<int64_t>(1 + draw.Below(3000));
        ExpectedOutput output{.name = "out", .dtype = dtype, .shape = {size}};
        output.rule.kind = interval ? RuleKind::kInterval : RuleKind::kExact;
        output.rule.form = "tosa-1.0";
        output.rule.is_unsigned = seed % 2 == 1 && IsInteger(dtype) && Info(dtype).bits < 64;
        Answer answer{false, Tensor(dtype, {size}), Tensor(dtype, {size}), {}};
        answer.upper = Tensor(dtype, {size});
        Tensor result(dtype, {size});
        const auto number = [&] {
          const int64_t ends[] = {IntegerMin(dtype), IntegerMax(dtype), 0, -1, 1};
          const int64_t drawn = ends[draw.Below(5)];
          return dtype == DType::kBool ? drawn & 1 : drawn;
        };
        for (int64_t i = 0; i < size; ++i) {
          // Mostly right, in most blocks of the tensor entirely.
          int64_t low = number(), high = number(), got = low;
          const auto compared_as = [&](int64_t x) {
            return ComparedAs(dtype, x, output.rule.is_unsigned);
          };
          if (compared_as(low) > compared_as(high)) std::swap(low, high);
          got = draw.Below(2) == 0 ? low : interval ? high : low;
          if (seed % 3 == 0 && draw.Below(1000) == 0) got = number();
          if (dtype == DType::kBool && got == 1 && draw.Below(3) == 0) got = 2;
          answer.expected.SetInteger(i, low);
          answer.upper->SetInteger(i, high);
          result.SetInteger(i, got);
        }
        ExpectSame(MeasureTensor(output, answer, result), OneByOne(output, answer, result),
                   std::string(Name(dtype)) + " seed " + std::to_string(seed));
        if (testing::Test::HasFatalFailure()) return;
        compared += size;
      }
    }
  }
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_GT(compared, 500000);
}

}  // namespace
}  // namespace cts

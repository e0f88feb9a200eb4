#include "tools/program/sweep/sweep_filter.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <random>

#include "checker/rules/clear_elements.h"
#include "checker/rules/ulp.h"
#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/numeric/vector_targets_testing.h"
#include "reference/spec/edition.h"
#include "tools/program/sweep/sweep_judge.h"

namespace cts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// Random inputs for each operator; a proof with millions says more.
int64_t Count() {
  const char* const count = std::getenv("CTS_SWEEP_INPUTS");
  return count == nullptr ? 1 << 14 : std::atoll(count);
}

constexpr const char* kUnary[] = {"COS",   "ERF",     "EXP", "LOG", "RECIPROCAL",
                                  "RSQRT", "SIGMOID", "SIN", "TANH"};

constexpr const char* kPairs[] = {"POW", "ADD", "MAXIMUM", "MINIMUM", "MUL", "SUB"};

struct AskedLine {
  std::string op, type, edition;
};

class FilterTest : public testing::TestWithParam<AskedLine> {
 protected:
  void SetUp() override {
    const AskedLine& asked = GetParam();
    SweepQuestion question{asked.op, asked.type, "", asked.edition, {}};
    if (asked.op.ends_with("IMUM") && asked.edition == kDefaultEdition) {
      question.attributes["nan_mode"] = "PROPAGATE";
    }
    StatusOr<SweepDomain> domain = SweepDomain::Of(question);
    ASSERT_TRUE(domain.ok()) << domain.status();
    domain_.emplace(*std::move(domain));
    filter_ = SweepFilter::For(asked.op, asked.edition, domain_->type());
    ASSERT_TRUE(filter_.has_value());
  }

  // Inputs of all sizes; those next to zero, one, infinity and the limits of overflow among them.
  std::vector<uint64_t> Inputs(int64_t count) {
    std::vector<uint64_t> inputs;
    const uint64_t size = domain_->size();
    const auto add = [&](uint64_t input) {
      if (domain_->Defined(input % size)) inputs.push_back(input % size);
    };
    if (domain_->operands() == 1) {
      const uint64_t half = size / 2;
      const auto one = EncodeFloat(domain_->type(), 1);
      for (const double center :
           {0.0,        0x1p-20,   0.0625,    0.34657359, 0.5,   0.70710678, 1.0,
            1.41421356, 1.5707963, 3.1415927, 6.0,        11.09, 17.0,       88.722839,
            103.97,     710.0,     100000.0,  4194302.5,  1e30,  3.4e38}) {
        const uint64_t bits = EncodeFloat(domain_->type(), center) % half;
        for (uint64_t k = 0; k < 400; ++k) {
          add(bits + k - 200);
          add(half + bits + k - 200);
        }
      }
      for (uint64_t k = 0; k < 400; ++k) add(one + k - 200);
    }
    while (static_cast<int64_t>(inputs.size()) < count) add(random_());
    return inputs;
  }

  double Operand(uint64_t input, int k) const {
    return DecodeFloat(domain_->in_type(), domain_->Bits(input, k));
  }

  // The inputs from `first` on that the filter takes at once, and their operands.
  std::vector<uint64_t> BlockOf(const std::vector<uint64_t>& inputs, size_t first, double* x,
                                double* y) const {
    const size_t count = std::min<size_t>(kFilterBlock, inputs.size() - first);
    const auto begin = inputs.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<uint64_t> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    for (size_t k = 0; k < count; ++k) {
      x[k] = Operand(some[k], 0);
      if (filter_->binary()) y[k] = Operand(some[k], 1);
    }
    return some;
  }

  std::mt19937_64 random_{7};
  std::optional<SweepDomain> domain_;
  std::optional<SweepFilter> filter_;
};

TEST_P(FilterTest, KeepsItsErrorBoundAgainstMpfr) {
  const std::vector<uint64_t> inputs = Inputs(Count());
  double x[kFilterBlock] = {}, y[kFilterBlock] = {}, values[kFilterBlock], bounds[kFilterBlock];
  int64_t known = 0;
  double worst = 0;
  for (size_t first = 0; first < inputs.size(); first += kFilterBlock) {
    const std::vector<uint64_t> some = BlockOf(inputs, first, x, y);
    const size_t count = some.size();
    filter_->Approximate(x, y, static_cast<int64_t>(count), values, bounds);
    const StatusOr<ExpectedOutput> expected = domain_->Expect(domain_->Operands(some));
    ASSERT_TRUE(expected.ok()) << expected.status();
    const Answer& answer = expected->answers[0];
    for (size_t k = 0; k < count; ++k) {
      const double value = values[k], reference = answer.expected.Element(static_cast<int64_t>(k));
      if (std::isinf(value)) continue;  // not known
      ++known;
      SCOPED_TRACE(testing::Message() << domain_->Describe(some[k]) << " " << x[k] << " " << y[k]
                                      << ": " << value << " for " << reference);
      ASSERT_EQ(std::isnan(value), std::isnan(reference));
      if (std::isnan(value)) continue;
      if (std::fabs(value) > 0x1p900) {
        ASSERT_GE(std::fabs(reference), std::fabs(value) * (1 - filter_->bound().relative));
        ASSERT_EQ(reference > 0, value > 0);
        continue;
      }
      // In fp64, whose rounding is within the claim by far.
      const double error = std::fabs(value - reference);
      ASSERT_LE(error, std::fabs(value) * filter_->bound().relative + 0x1p-1000);
      if (std::fabs(value) > 0x1p-900) worst = std::max(worst, error / std::fabs(reference));
      const double bound = answer.bound ? answer.bound->Element(static_cast<int64_t>(k))
                                        : UlpBound(domain_->type(), reference, expected->rule.ulp);
      ASSERT_LE(bounds[k], bound);
    }
  }
  // It has to be of use: but for zeros, infinities and NaN it knows.
  EXPECT_GT(known, static_cast<int64_t>(inputs.size()) * 2 / 5);
  std::printf("%s %s: worst relative error 2^%.1f, claimed 2^%.0f\n", GetParam().op.c_str(),
              GetParam().type.c_str(), std::log2(worst), std::log2(filter_->bound().relative));
}

// Results around the limits of what is accepted, by the functions of the checker.
TEST_P(FilterTest, AcceptsNothingThatTheCheckerRefuses) {
  const std::vector<uint64_t> inputs = Inputs(Count() / 4);
  const DType type = domain_->type();
  const uint64_t half = uint64_t{1} << (Info(type).bits - 1);
  double x[kFilterBlock] = {}, y[kFilterBlock] = {}, wide[kFilterBlock];
  FilterFigures figures;
  int64_t inside = 0, outside = 0, clear_inside = 0;
  for (size_t first = 0; first < inputs.size(); first += kFilterBlock) {
    const std::vector<uint64_t> some = BlockOf(inputs, first, x, y);
    const size_t count = some.size();
    const StatusOr<ExpectedOutput> expected = domain_->Expect(domain_->Operands(some));
    ASSERT_TRUE(expected.ok()) << expected.status();
    const auto n = static_cast<int64_t>(count);
    Tensor result(type, {n});
    const ElementJudge judge(*expected, expected->answers[0], result);
    const auto accepts = [&](int64_t k, uint64_t bits) {
      result.SetBits(k, bits);
      return judge.Accepts(k);
    };
    // The last accepted and the first refused magnitude above and below the reference.
    std::vector<std::vector<uint64_t>> columns(9, std::vector<uint64_t>(count));
    for (int64_t k = 0; k < n; ++k) {
      const auto at = static_cast<size_t>(k);
      const uint64_t nearest = EncodeFloat(type, expected->answers[0].expected.Element(k));
      const uint64_t sign = nearest & half, magnitude = nearest & (half - 1);
      uint64_t low = magnitude, high = half - 1;  // a NaN
      while (high - low > 1 && accepts(k, nearest)) {
        const uint64_t middle = low + (high - low) / 2;
        (accepts(k, sign | middle) ? low : high) = middle;
      }
      columns[0][at] = nearest;
      columns[1][at] = sign | low, columns[2][at] = sign | high;
      low = 0, high = magnitude;
      while (high - low > 1 && accepts(k, nearest)) {
        const uint64_t middle = low + (high - low) / 2;
        (accepts(k, sign | middle) ? high : low) = middle;
      }
      columns[3][at] = sign | high, columns[4][at] = sign | low;
      columns[5][at] = random_() % (2 * half);
      columns[6][at] = sign | ((magnitude + random_() % 64 - 32) & (half - 1));
      columns[7][at] = sign ^ half;                                        // a zero
      columns[8][at] = (random_() & half) | EncodeFloat(type, kInfinity);  // an infinity
    }
    for (const std::vector<uint64_t>& column : columns) {
      for (int64_t k = 0; k < n; ++k) result.SetBits(k, column[static_cast<size_t>(k)]);
      WidenFloats(type, result.bytes().data(), n, wide);
      filter_->Look(x, y, wide, n, 0, figures);
      std::vector<bool> clear(count, true);
      for (int64_t k = 0; k < figures.doubtful_count; ++k) clear[figures.doubtful[k]] = false;
      ASSERT_EQ(figures.clear + figures.doubtful_count, n);
      for (int64_t k = 0; k < n; ++k) {
        const bool accepted = judge.Accepts(k);
        ++(accepted ? inside : outside);
        if (!clear[static_cast<size_t>(k)]) continue;
        SCOPED_TRACE(testing::Message() << domain_->Describe(some[static_cast<size_t>(k)]) << " "
                                        << x[k] << " " << y[k] << ": " << wide[k] << " for "
                                        << expected->answers[0].expected.Element(k));
        ASSERT_TRUE(accepted);
        ++clear_inside;
        ASSERT_NEAR(figures.errors[k], judge.Measure(k).ulp, kFilterResolution);
      }
    }
  }
  EXPECT_GT(inside, 1000);
  EXPECT_GT(outside, 1000);
  // It leaves negative bases of POW in 0.100 to the reference.
  EXPECT_GT(clear_inside, inside / (filter_->binary() ? 6 : 3));
  std::printf("%s %s: %lld inside, %lld of them clear, %lld outside\n", GetParam().op.c_str(),
              GetParam().type.c_str(), static_cast<long long>(inside),
              static_cast<long long>(clear_inside), static_cast<long long>(outside));
}

// The same bits, and the same judgement, on every CPU. NaN is NaN.
TEST_P(FilterTest, IsTheSameOnEveryInstructionSet) {
  const std::vector<uint64_t> inputs = Inputs(20 * kFilterBlock - 3);
  std::vector<double> first_values;
  std::vector<uint16_t> first_doubtful;
  OnEveryTarget([&] {
    std::vector<double> all;
    std::vector<uint16_t> all_doubtful;
    for (size_t first = 0; first < inputs.size(); first += kFilterBlock) {
      const size_t count = std::min<size_t>(kFilterBlock, inputs.size() - first);
      double x[kFilterBlock] = {}, y[kFilterBlock] = {}, results[kFilterBlock] = {};
      double values[kFilterBlock], bounds[kFilterBlock];
      FilterFigures figures;
      for (size_t k = 0; k < count; ++k) {
        x[k] = Operand(inputs[first + k], 0);
        if (filter_->binary()) y[k] = Operand(inputs[first + k], 1);
      }
      const auto n = static_cast<int64_t>(count);
      filter_->Approximate(x, y, n, values, bounds);
      for (size_t k = 0; k < count; ++k) {
        const double step = k % 16 == 15 ? 9 : 1 + 0x1p-11 * static_cast<double>(k % 8);
        results[k] = RoundTo(domain_->type(), values[k] * step);
      }
      filter_->Look(x, y, results, n, 0.25, figures);
      for (size_t k = 0; k < count; ++k) {
        all.push_back(std::isnan(values[k]) ? 12345 : values[k]);
        all.push_back(std::isnan(bounds[k]) ? 12345 : bounds[k]);
        all.push_back(figures.errors[k]);
      }
      for (const int64_t above : figures.above) all.push_back(static_cast<double>(above));
      all.push_back(static_cast<double>(figures.candidate_count));
      all_doubtful.insert(all_doubtful.end(), figures.doubtful,
                          figures.doubtful + figures.doubtful_count);
    }
    if (first_values.empty()) {
      first_values = all, first_doubtful = all_doubtful;
    } else {
      EXPECT_EQ(all, first_values);
      EXPECT_EQ(all_doubtful, first_doubtful);
    }
  });
  EXPECT_GT(first_doubtful.size(), 0);
  EXPECT_LT(first_doubtful.size(), inputs.size());
}

// Rows of inputs with right results, some of which are a few steps beside them or around what the
// rule allows. All inputs of fp32 with TENSOR_CTS_WHOLE in the environment.
TEST_P(FilterTest, SettlesAsItCompares) {
  const DType type = domain_->type();
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr && type == DType::kFp32;
  const uint64_t rows = whole ? domain_->size() / kFilterBlock : 1000;
  int64_t settled = 0;
  for (uint64_t row = 0; row < rows && !HasFailure(); ++row) {
    const uint64_t first =
        whole ? row * kFilterBlock : random_() % (domain_->size() - kFilterBlock);
    double x[kFilterBlock] = {}, y[kFilterBlock] = {}, values[kFilterBlock], bounds[kFilterBlock];
    double results[kFilterBlock];
    const double unit = filter_->bound().unit;
    for (size_t k = 0; k < static_cast<size_t>(kFilterBlock); ++k) {
      x[k] = Operand(first + k, 0);
      if (filter_->binary()) y[k] = Operand(first + k, 1);
    }
    filter_->Approximate(x, y, kFilterBlock, values, bounds);
    const int64_t lucky = static_cast<int64_t>(random_() % 64);
    for (int64_t k = 0; k < kFilterBlock; ++k) {
      double moved = values[k];
      if (row % 4 == 1) moved *= 1 + unit * static_cast<double>(k % 8) / 4;
      if (row % 4 == 2 && k % 64 == lucky) moved += bounds[k] * (row % 8 == 2 ? 1 : -1);
      if (row % 4 == 3 && k == 8 * lucky) moved *= 1.25;
      results[k] = RoundTo(type, moved);
    }
    FilterFigures compared, figures;
    for (const double least_worst : {0.45, kInfinity}) {
      if (!FilterSettle(filter_->bound(), x, values, results, kFilterBlock, least_worst, figures)) {
        continue;
      }
      ++settled;
      FilterCompare(filter_->bound(), values, bounds, results, kFilterBlock, least_worst, compared);
      SCOPED_TRACE(testing::Message() << domain_->Describe(first) << " " << row % 8);
      EXPECT_EQ(figures.clear, compared.clear);
      EXPECT_EQ(figures.doubtful_count, compared.doubtful_count);
      EXPECT_EQ(figures.candidate_count, compared.candidate_count);
      EXPECT_EQ(figures.worst, compared.worst);
      EXPECT_TRUE(std::equal(std::begin(figures.above), std::end(figures.above), compared.above));
      EXPECT_TRUE(
          std::equal(std::begin(figures.errors), std::end(figures.errors), compared.errors));
    }
  }
  // Rows of bf16 have powers of two in them.
  const bool can = !filter_->power() && type != DType::kBf16;
  EXPECT_GE(settled, can ? static_cast<int64_t>(rows) / 100 : 0);
  std::printf("%s %s: %lld settled\n", GetParam().op.c_str(), GetParam().type.c_str(),
              static_cast<long long>(settled));
}

std::vector<AskedLine> AllAsked() {
  std::vector<AskedLine> all;
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const char* const type : {"fp32", "fp16", "bf16"}) {
      for (const char* const op : kUnary) all.push_back({op, type, edition});
      if (std::string_view(type) == "fp32") continue;
      for (const char* const op : kPairs) all.push_back({op, type, edition});
    }
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(All, FilterTest, testing::ValuesIn(AllAsked()), [](const auto& asked) {
  const std::string edition = asked.param.edition == "tosa-1.0" ? "10" : "0100";
  return StrCat(asked.param.op, "_", asked.param.type, "_", edition);
});

TEST(SweepFilter, HasNothingForOperatorsWithoutOne) {
  EXPECT_FALSE(SweepFilter::For("CEIL", "tosa-1.0", DType::kFp32).has_value());
  EXPECT_FALSE(SweepFilter::For("POW", "tosa-1.0", DType::kFp32).has_value());
  EXPECT_FALSE(SweepFilter::For("EXP", "tosa-1.0", DType::kI32).has_value());
  EXPECT_FALSE(SweepFilter::For("EXP", "tosa-1.1-draft", DType::kFp32).has_value());
}

// Distances that are not exact are far from a bound of one unit, and may be near to a larger one.
TEST(SweepFilter, TakesSumsOfOneUnitAtMost) {
  namespace fs = std::filesystem;
  const fs::path acme = fs::path(CTS_SOURCE_DIR) / "tools/develop/testdata/acme";
  const fs::path folder = fs::path(testing::TempDir()) / StrCat("sweep_filter-", getpid());
  int number = 0;
  for (const double scale : {0.5, 1.0, 2.0, 256.0}) {
    Json edition = *LoadJson(acme / "acme-0.1.json", "edition");
    Json table = *LoadJson(acme / "precision/acme-0.1.json", "precision");
    const std::string id = StrCat("acme-sums-", ++number);
    edition["id"] = table["edition"] = id;
    table["documents"][id] = table["documents"]["acme-0.1"];
    for (Json& row : table["rows"]) {
      if (row["operator"] == "V_ADD") row["scale"] = scale;
    }
    ASSERT_TRUE(SaveJson(folder / "own.json", edition).ok());
    ASSERT_TRUE(SaveJson(folder / "precision" / (id + ".json"), table).ok());
    const Status added = AddEdition(folder / "own.json");
    fs::remove_all(folder);
    ASSERT_TRUE(added.ok()) << added;
    EXPECT_EQ(SweepFilter::For("V_ADD", id, DType::kFp16).has_value(), scale <= 1) << scale;
    EXPECT_TRUE(SweepFilter::For("V_SUB", id, DType::kFp16).has_value());
  }
}

// The numbers of fp32 that come nearest to a multiple of pi / 2 are where reducing them is hardest:
// 16367173 * 2^72 is 2^-29 or so away (Muller, Elementary Functions).
TEST(SweepFilter, ReducesTheHardestAngle) {
  const StatusOr<SweepDomain> domain = SweepDomain::Of({"COS", "fp32", "", "tosa-1.0", {}});
  ASSERT_TRUE(domain.ok());
  const std::optional<SweepFilter> filter = SweepFilter::For("COS", "tosa-1.0", DType::kFp32);
  const uint64_t input = EncodeFloat(DType::kFp32, std::ldexp(16367173.0, 72));
  double x[kFilterBlock] = {}, values[kFilterBlock], bounds[kFilterBlock];
  x[0] = DecodeFloat(DType::kFp32, input);
  filter->Approximate(x, x, 1, values, bounds);
  const StatusOr<ExpectedOutput> expected = domain->Expect(domain->Operands({input}));
  ASSERT_TRUE(expected.ok());
  const double reference = expected->answers[0].expected.Element(0);
  EXPECT_LT(std::fabs(reference), 0x1p-28);
  EXPECT_LE(std::fabs(values[0] - reference), std::fabs(reference) * 0x1p-46);
}

}  // namespace
}  // namespace cts

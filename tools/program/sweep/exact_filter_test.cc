#include "tools/program/sweep/exact_filter.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "checker/rules/match.h"
#include "reference/numeric/vector_targets_testing.h"
#include "tools/program/sweep/sweep_judge.h"

namespace cts {
namespace {

struct ExactLine {
  std::string name;
  SweepQuestion question;
  double known;  // at least this part of all inputs
};

SweepQuestion ClampQuestion(const char* least, const char* greatest, const char* edition) {
  SweepQuestion question{"CLAMP", "fp32", "", edition, {}};
  question.attributes = {{"min_val", least}, {"max_val", greatest}};
  if (question.edition == kDefaultEdition) question.attributes["nan_mode"] = "PROPAGATE";
  return question;
}

std::vector<ExactLine> AllExactLines() {
  std::vector<ExactLine> all;
  for (const std::string edition : {"tosa-1.0", "tosa-0.100"}) {
    const std::string suffix = edition == kDefaultEdition ? "_10" : "_0100";
    const auto add = [&](const std::string& op, const std::string& type, const std::string& in_type,
                         double known) {
      all.push_back({op + (in_type.empty() ? "" : "_" + in_type) + "_" + type + suffix,
                     {op, type, in_type, edition, {}},
                     known});
    };
    for (const char* const op : {"ABS", "CEIL", "FLOOR", "NEGATE"}) add(op, "fp32", "", 0.99);
    for (const char* const op : {"ABS", "BITWISE_NOT", "CLZ"}) add(op, "i32", "", 0.99);
    for (const char* const type : {"i8", "i16", "i32"}) add("CAST", type, "fp32", 0.99);
    for (const char* const type : {"i8", "i16", "bool"}) add("CAST", type, "i32", 0.99);
    all.push_back({"CLAMP" + suffix, ClampQuestion("-1.5", "1", edition.c_str()), 0.99});
    all.push_back({"CLAMP_of_0" + suffix, ClampQuestion("0", "6", edition.c_str()), 0.99});
  }
  for (const char* const type : {"fp16", "bf16", "fp8e4m3", "fp8e5m2"}) {
    all.push_back({std::string("CAST_fp32_") + type, {"CAST", type, "fp32", "tosa-1.0", {}}, 0.9});
  }
  return all;
}

class ExactFilterTest : public testing::TestWithParam<ExactLine> {
 protected:
  void SetUp() override {
    StatusOr<SweepDomain> domain = SweepDomain::Of(GetParam().question);
    ASSERT_TRUE(domain.ok()) << domain.status();
    domain_.emplace(*std::move(domain));
    filter_ = ExactFilter::For(*domain_);
    ASSERT_TRUE(filter_.has_value());
  }

  // The results of inputs of which something is known, and their inputs.
  void Compute(const std::vector<uint32_t>& in, std::vector<uint64_t>& inputs,
               std::vector<uint64_t>& results) const {
    for (size_t first = 0; first < in.size(); first += static_cast<size_t>(kExactBlock)) {
      const size_t count = std::min(in.size() - first, static_cast<size_t>(kExactBlock));
      std::vector<uint32_t> bits(count), others(count), known(count);
      ExactValues(filter_->op(), in.data() + first, static_cast<int64_t>(count), bits.data(),
                  others.data(), known.data());
      for (size_t i = 0; i < count; ++i) {
        if (known[i] == 0) continue;
        inputs.push_back(in[first + i]), results.push_back(bits[i]);
        if (others[i] != bits[i]) {
          inputs.push_back(in[first + i]), results.push_back(others[i]);
        }
      }
    }
  }

  void ExpectAccepted(const std::vector<uint64_t>& inputs,
                      const std::vector<uint64_t>& results) const {
    const StatusOr<ExpectedOutput> expected = domain_->Expect(domain_->Operands(inputs));
    ASSERT_TRUE(expected.ok()) << expected.status();
    Tensor result(domain_->type(), {static_cast<int64_t>(inputs.size())});
    for (size_t i = 0; i < inputs.size(); ++i) result.SetBits(static_cast<int64_t>(i), results[i]);
    // Whether it flushes subnormal numbers or not: such a result does not show it.
    for (const Answer& answer : expected->answers) {
      const TensorErrors errors = MeasureTensor(*expected, answer, result);
      ASSERT_EQ(errors.mismatches, 0)
          << domain_->Describe(inputs[static_cast<size_t>(errors.first)]) << " -> " << std::hex
          << results[static_cast<size_t>(errors.first)];
      ASSERT_EQ(errors.worst_ulp, 0);
    }
  }

  std::optional<SweepDomain> domain_;
  std::optional<ExactFilter> filter_;
};

// All of them with TENSOR_CTS_WHOLE in the environment, three minutes for each operator.
TEST_P(ExactFilterTest, GivesWhatTheReferenceAcceptsAsExact) {
  const bool whole = std::getenv("TENSOR_CTS_WHOLE") != nullptr;
  const uint64_t blocks = whole ? 1 << 16 : 2;
  std::mt19937 random(1);
  uint64_t known = 0;
  for (uint64_t block = 0; block < blocks; ++block) {
    std::vector<uint32_t> in(1 << 16);
    for (size_t i = 0; i < in.size(); ++i) {
      in[i] = whole ? static_cast<uint32_t>(block << 16 | i) : static_cast<uint32_t>(random());
      // A quarter with few digits: ties.
      if (!whole && i % 4 == 0) in[i] &= 0xFFFF'F000u << (random() % 12);
    }
    std::vector<uint64_t> inputs, results;
    Compute(in, inputs, results);
    known += inputs.size();
    if (!inputs.empty()) ExpectAccepted(inputs, results);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(static_cast<double>(known), GetParam().known * static_cast<double>(blocks << 16));
}

TEST_P(ExactFilterTest, AcceptsNoOtherBitsAndNothingUnknown) {
  std::mt19937 random(2);
  constexpr size_t kRuns = 100, kCount = 27;  // no multiple of any vector's lanes
  size_t refused = 0;
  for (size_t run = 0; run < kRuns; ++run) {
    const auto first = static_cast<uint32_t>(random());
    std::vector<uint32_t> in(kCount), bits(kCount), others(kCount), known(kCount);
    std::iota(in.begin(), in.end(), first);
    ExactValues(filter_->op(), in.data(), kCount, bits.data(), others.data(), known.data());
    Tensor result(domain_->type(), {kCount});
    std::vector<uint16_t> expected;
    for (size_t i = 0; i < kCount; ++i) {
      const bool wrong = i % 7 == 3;
      const uint32_t right = i % 2 == 0 ? bits[i] : others[i];
      const uint32_t given = right ^ (wrong ? 1u << random() % filter_->op().out_bits : 0);
      result.SetBits(static_cast<int64_t>(i), given);
      if ((given != bits[i] && given != others[i]) || known[i] == 0) {
        expected.push_back(static_cast<uint16_t>(i));
      }
    }
    OnEveryTarget([&] {
      std::vector<uint16_t> doubtful(kExactBlock);
      doubtful.resize(static_cast<size_t>(
          filter_->Look(first, result.bytes().data(), kCount, doubtful.data())));
      EXPECT_EQ(doubtful, expected);
    });
    refused += expected.size();
  }
  EXPECT_GT(refused, kRuns * kCount / 16);
  EXPECT_LT(refused, kRuns * kCount / 2);
}

TEST_P(ExactFilterTest, IsTheSameOnEveryInstructionSet) {
  std::mt19937 random(3);
  std::vector<uint32_t> in(4001);
  for (uint32_t& x : in) x = static_cast<uint32_t>(random());
  std::vector<uint32_t> first;
  OnEveryTarget([&] {
    std::vector<uint32_t> bits(in.size()), others(in.size()), known(in.size());
    ExactValues(filter_->op(), in.data(), static_cast<int64_t>(in.size()), bits.data(),
                others.data(), known.data());
    for (size_t i = 0; i < in.size(); ++i) {
      if (known[i] == 0) bits[i] = others[i] = 0;
    }
    bits.insert(bits.end(), others.begin(), others.end());
    bits.insert(bits.end(), known.begin(), known.end());
    if (first.empty()) first = bits;
    EXPECT_EQ(bits, first);
  });
}

INSTANTIATE_TEST_SUITE_P(All, ExactFilterTest, testing::ValuesIn(AllExactLines()),
                         [](const auto& asked) { return asked.param.name; });

// Both ways of rounding that CAST has in 1.0; beyond the numbers it has one.
TEST(ExactFilter, TakesCastsTowardZero) {
  const StatusOr<SweepDomain> domain =
      SweepDomain::Of({"CAST", "fp16", "fp32", std::string(kDefaultEdition), {}});
  ASSERT_TRUE(domain.ok()) << domain.status();
  const std::optional<ExactFilter> filter = ExactFilter::For(*domain);
  ASSERT_TRUE(filter.has_value());
  const auto takes = [&](uint32_t input, uint16_t result) {
    uint16_t doubtful[kExactBlock];
    return filter->Look(input, reinterpret_cast<const uint8_t*>(&result), 1, doubtful) == 0;
  };
  EXPECT_TRUE(takes(0x3f80'1234, 0x3c01));
  EXPECT_TRUE(takes(0x3f80'1234, 0x3c00));
  EXPECT_FALSE(takes(0x3f80'1234, 0x3c02));
  EXPECT_FALSE(takes(0x3f80'0234, 0x3c01));
  EXPECT_TRUE(takes(0xbf80'1234, 0xbc00));
  EXPECT_FALSE(takes(0xbf80'1234, 0xbbff));
  EXPECT_TRUE(takes(0x4780'0000, 0x7c00));
  EXPECT_FALSE(takes(0x4780'0000, 0x7bff));
}

TEST(ExactFilter, HasNothingForOtherOperatorsAndTypes) {
  const auto has = [](const SweepQuestion& question) {
    const StatusOr<SweepDomain> domain = SweepDomain::Of(question);
    EXPECT_TRUE(domain.ok()) << domain.status();
    return domain.ok() && ExactFilter::For(*domain).has_value();
  };
  EXPECT_FALSE(has({"EXP", "fp32"}));
  EXPECT_FALSE(has({"ABS", "fp16"}));
  EXPECT_FALSE(has({"CAST", "fp32", "i32"}));
  // Its rule measures a rounded result by its error.
  EXPECT_FALSE(has({"CAST", "fp16", "fp32", "tosa-0.100"}));
  // Limits that an implementation may flush.
  EXPECT_FALSE(has(ClampQuestion("-1e-40", "1", "tosa-1.0")));
}

}  // namespace
}  // namespace cts

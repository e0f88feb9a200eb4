#include "tools/program/sweep/sweep_judge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <tuple>

#include "reference/base/float_format.h"
#include "reference/base/json.h"
#include "reference/calls/operator_call.h"
#include "reference/evaluate/evaluate.h"

namespace cts {
namespace {

using testing::HasSubstr;

StatusOr<SweepDomain> Domain(const std::string& op, const std::string& type,
                             const std::string& edition = "tosa-1.0",
                             const std::string& in_type = "") {
  SweepQuestion question{op, type, in_type, edition, {}};
  if (op.ends_with("IMUM") && edition == kDefaultEdition) {
    question.attributes["nan_mode"] = "PROPAGATE";
  }
  return SweepDomain::Of(question);
}

// What a plugin is asked: 1 in place of inputs that are not.
std::vector<Tensor> Asked(const SweepDomain& domain, uint64_t first, int64_t count) {
  std::vector<Tensor> operands;
  for (int k = 0; k < domain.operands(); ++k) {
    Tensor& operand = operands.emplace_back(domain.in_type(), Shape{count});
    domain.WriteAsked(first, count, k, operand.bytes().data());
  }
  return operands;
}

// The reference rounded to the type: what a good implementation gives.
Tensor Rounded(const SweepDomain& domain, const std::vector<Tensor>& operands, bool flushed) {
  const StatusOr<ExpectedOutput> expected = domain.Expect(operands);
  EXPECT_TRUE(expected.ok()) << expected.status();
  const Answer& answer = flushed ? expected->answers.back() : expected->answers.front();
  Tensor result(domain.type(), answer.expected.shape());
  for (int64_t i = 0; i < result.size(); ++i) result.SetElement(i, answer.expected.Element(i));
  return result;
}

SweepTotals Judge(SweepJudge& judge, uint64_t first, const Tensor& result) {
  SweepTotals totals;
  const SweepResults results(result.bytes().data(), result.size(), StorageBytes(result.dtype()));
  EXPECT_TRUE(judge.Judge(first, results, {}, &totals).ok());
  return totals;
}

// The error of every element, as the checker measures it under the answer that accepts it.
std::vector<double> Errors(const SweepDomain& domain, uint64_t first, const Tensor& result) {
  std::vector<uint64_t> inputs;
  std::vector<double> errors;
  for (int64_t i = 0; i < result.size(); ++i) {
    if (domain.Defined(first + static_cast<uint64_t>(i))) {
      inputs.push_back(first + static_cast<uint64_t>(i));
    }
  }
  if (inputs.empty()) return {};
  Tensor asked(result.dtype(), {static_cast<int64_t>(inputs.size())});
  for (size_t k = 0; k < inputs.size(); ++k) {
    asked.SetBits(static_cast<int64_t>(k), result.Bits(static_cast<int64_t>(inputs[k] - first)));
  }
  const StatusOr<ExpectedOutput> expected = domain.Expect(domain.Operands(inputs));
  EXPECT_TRUE(expected.ok()) << expected.status();
  const ElementJudge kept(*expected, expected->answers.front(), asked);
  const ElementJudge flushed(*expected, expected->answers.back(), asked);
  for (int64_t i = 0; i < asked.size(); ++i) {
    const double a = kept.Measure(i).ulp, b = flushed.Measure(i).ulp;
    errors.push_back(kept.Accepts(i) ? a : flushed.Accepts(i) ? b : std::min(a, b));
  }
  return errors;
}

void ExpectSame(const SweepTotals& with, const SweepTotals& without,
                const std::vector<double>& errors) {
  EXPECT_EQ(with.inputs, without.inputs);
  EXPECT_EQ(with.accepted, without.accepted);
  EXPECT_EQ(with.rejected, without.rejected);
  EXPECT_EQ(with.undefined, without.undefined);
  EXPECT_EQ(with.by_filter + with.by_reference, without.by_reference);
  EXPECT_EQ(with.kept.has_value(), without.kept.has_value());
  if (with.kept && without.kept) {
    EXPECT_EQ(with.kept->input, without.kept->input);
  }
  EXPECT_EQ(with.flushed.has_value(), without.flushed.has_value());
  if (with.flushed && without.flushed) {
    EXPECT_EQ(with.flushed->input, without.flushed->input);
  }
  ASSERT_EQ(with.refused.size(), without.refused.size());
  for (size_t k = 0; k < with.refused.size(); ++k) {
    EXPECT_EQ(with.refused[k].input, without.refused[k].input);
  }
  // The filter does not see errors below its resolution.
  ASSERT_LE(with.worst.size(), without.worst.size());
  for (size_t k = 0; k < without.worst.size(); ++k) {
    const double error = k < with.worst.size() ? with.worst[k].ulp : 0;
    if (error == without.worst[k].ulp) continue;  // infinite, too
    EXPECT_NEAR(error, without.worst[k].ulp, 2 * kFilterResolution);
  }
  int64_t up_to = 0, exactly = 0;
  for (size_t slot = 0; slot < UlpHistogram::kEnds.size(); ++slot) {
    const double end = UlpHistogram::kEnds[slot];
    const auto count = [&](double limit) {
      return std::count_if(errors.begin(), errors.end(), [&](double e) { return e <= limit; });
    };
    up_to += with.ulps.counts[slot], exactly += without.ulps.counts[slot];
    EXPECT_EQ(exactly, count(end));
    EXPECT_GE(up_to, count(end - kFilterResolution)) << slot;
    EXPECT_LE(up_to, count(end + kFilterResolution)) << slot;
  }
  EXPECT_EQ(up_to + with.ulps.counts.back(), static_cast<int64_t>(errors.size()));
  ASSERT_EQ(with.curve.greatest.size(), without.curve.greatest.size());
  EXPECT_EQ(with.curve.rejected, without.curve.rejected);
  EXPECT_EQ(std::accumulate(with.curve.rejected.begin(), with.curve.rejected.end(), uint64_t{0}),
            with.rejected);
  for (size_t segment = 0; segment < with.curve.greatest.size(); ++segment) {
    const double a = with.curve.greatest[segment], b = without.curve.greatest[segment];
    EXPECT_TRUE(a == b || std::fabs(a - b) <= 2 * kFilterResolution) << segment << ": " << a << b;
  }
}

// The curve without a filter, element by element.
void ExpectCurve(const SweepDomain& domain, uint64_t first, const std::vector<double>& errors,
                 const SweepCurve& curve) {
  std::vector<double> greatest(curve.greatest.size());
  const uint64_t inputs = domain.size() / greatest.size();
  uint64_t input = first;
  for (const double error : errors) {
    while (!domain.Defined(input)) ++input;
    double& most = greatest[input++ / inputs];
    most = std::max(most, error);
  }
  EXPECT_EQ(curve.greatest, greatest);
}

void ExpectSameJudgement(const SweepDomain& domain, uint64_t first, const Tensor& result) {
  SweepJudge with(domain), without(domain);
  without.DropFilter();
  const SweepTotals by_reference = Judge(without, first, result);
  const std::vector<double> errors = Errors(domain, first, result);
  ExpectSame(Judge(with, first, result), by_reference, errors);
  ExpectCurve(domain, first, errors, by_reference.curve);
}

// Every input of 16 bits, with results that are right, nearly right and wrong, some of them with
// flushed subnormal numbers: the outcome is the same with and without the filter.
class SixteenBits : public testing::TestWithParam<std::string> {};

TEST_P(SixteenBits, FilterAndReferenceAgreeOnEveryInput) {
  std::mt19937_64 random(11);
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    for (const char* const type : {"fp16", "bf16"}) {
      SCOPED_TRACE(testing::Message() << type << " " << edition);
      const StatusOr<SweepDomain> domain = Domain(GetParam(), type, edition);
      ASSERT_TRUE(domain.ok()) << domain.status();
      ASSERT_EQ(domain->size(), 1 << 16);
      const std::vector<Tensor> operands = domain->Operands(0, kSweepBlock);
      SweepJudge with(*domain);
      for (const bool flushed : {false, true}) {
        Tensor result = Rounded(*domain, operands, flushed);
        const SweepTotals right = Judge(with, 0, result);
        EXPECT_EQ(right.rejected, 0);
        EXPECT_EQ(right.accepted, 1 << 16);
        EXPECT_FALSE(flushed ? right.kept : right.flushed);
        EXPECT_GT(right.by_filter, right.by_reference * 2);
        ExpectSameJudgement(*domain, 0, result);
        for (int64_t i = 0; i < result.size(); ++i) {
          const uint64_t step = random() % 16;
          if (step < 8) result.SetBits(i, (result.Bits(i) + step * step) & 0xFFFF);
          if (step == 9) result.SetBits(i, random() & 0xFFFF);
        }
        const SweepTotals wrong = Judge(with, 0, result);
        EXPECT_GT(wrong.rejected, 1000);
        ExpectSameJudgement(*domain, 0, result);
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SixteenBits,
                         testing::Values("COS", "ERF", "EXP", "LOG", "RECIPROCAL", "RSQRT",
                                         "SIGMOID", "SIN", "TANH"),
                         [](const auto& op) { return op.param; });

// The same of fp32, in places where something changes.
class SomeOfFp32 : public testing::TestWithParam<std::string> {};

TEST_P(SomeOfFp32, FilterAndReferenceAgree) {
  constexpr int64_t kCount = 3000;
  std::mt19937_64 random(12);
  const StatusOr<SweepDomain> domain = Domain(GetParam(), "fp32");
  ASSERT_TRUE(domain.ok()) << domain.status();
  for (const uint64_t center :
       {0x00000000u, 0x00200000u, 0x00800000u, 0x33800000u, 0x3d800000u, 0x3f800000u, 0x41300000u,
        0x42b17218u, 0x7f7fffffu, 0x80400000u, 0xbf800000u, 0xc2cff1b5u, 0xff800000u}) {
    const uint64_t first = center < kCount / 2 ? 0 : center - kCount / 2;
    const std::vector<Tensor> operands = domain->Operands(first, kCount);
    for (const bool flushed : {false, true}) {
      SCOPED_TRACE(testing::Message() << domain->Describe(center) << " " << flushed);
      Tensor result = Rounded(*domain, operands, flushed);
      ExpectSameJudgement(*domain, first, result);
      for (int64_t i = 0; i < result.size(); ++i) {
        const uint64_t step = random() % 16;
        if (step < 8) result.SetBits(i, (result.Bits(i) + step * step) & 0xFFFFFFFF);
        if (step == 9) result.SetBits(i, random() & 0xFFFFFFFF);
      }
      ExpectSameJudgement(*domain, first, result);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, SomeOfFp32,
                         testing::Values("ABS", "CEIL", "FLOOR", "NEGATE", "COS", "ERF", "EXP",
                                         "LOG", "RECIPROCAL", "RSQRT", "SIGMOID", "SIN", "TANH"),
                         [](const auto& op) { return op.param; });

// Pairs: an operand with places where something changes in the other.
class PairsOf16Bits : public testing::TestWithParam<std::string> {};

TEST_P(PairsOf16Bits, FilterAndReferenceAgree) {
  std::mt19937_64 random(13);
  for (const char* const type : {"fp16", "bf16"}) {
    const StatusOr<SweepDomain> domain = Domain(GetParam(), type);
    ASSERT_TRUE(domain.ok()) << domain.status();
    ASSERT_EQ(domain->size(), uint64_t{1} << 32);
    SweepJudge with(*domain);
    for (const uint64_t base : {0x0001u, 0x0400u, 0x3c01u, 0x4400u, 0x7bffu, 0x7f7fu, 0x8000u,
                                0xbc00u, 0xfc00u, 0x7e00u}) {
      SCOPED_TRACE(testing::Message() << type << " " << base);
      for (const uint64_t part :
           {0x0000u, 0x03f0u, 0x3a00u, 0x3c00u, 0x7a00u, 0x8000u, 0xc400u, 0xfc00u}) {
        const uint64_t first = base << 16 | part;
        constexpr int64_t kCount = 700;
        const std::vector<Tensor> operands = Asked(*domain, first, kCount);
        for (const bool flushed : {false, true}) {
          Tensor result = Rounded(*domain, operands, flushed);
          const SweepTotals right = Judge(with, first, result);
          EXPECT_EQ(right.rejected, 0);
          EXPECT_FALSE(flushed ? right.kept : right.flushed);
          ExpectSameJudgement(*domain, first, result);
          for (int64_t i = 0; i < kCount; i += 3) {
            result.SetBits(i, (result.Bits(i) + static_cast<uint64_t>(i) / 7) & 0xFFFF);
            if (i % 4 == 0) result.SetBits(i + 1, result.Bits(i + 1) ^ 0x8000);
            if (i % 4 == 1) result.SetBits(i + 1, random() & 0xFFFF);
            if (i % 8 == 2) result.SetElement(i + 1, HUGE_VAL);
          }
          ExpectSameJudgement(*domain, first, result);
        }
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, PairsOf16Bits,
                         testing::Values("POW", "ADD", "MAXIMUM", "MINIMUM", "MUL", "SUB"),
                         [](const auto& op) { return op.param; });

// All second operands of one number: the filter leaves few of them.
TEST(SweepJudge, FilterDecidesMostSums) {
  for (const char* const op : {"ADD", "MAXIMUM", "MINIMUM", "MUL", "SUB"}) {
    const StatusOr<SweepDomain> domain = Domain(op, "fp16");
    ASSERT_TRUE(domain.ok()) << domain.status();
    SweepJudge judge(*domain);
    const std::vector<Tensor> operands = domain->Operands(0x3c01'0000, kSweepBlock);
    const SweepTotals totals = Judge(judge, 0x3c01'0000, Rounded(*domain, operands, false));
    EXPECT_EQ(totals.accepted, static_cast<uint64_t>(kSweepBlock)) << op;
    EXPECT_GT(totals.by_filter, static_cast<uint64_t>(kSweepBlock) * 9 / 10) << op;
  }
}

// Base and exponent: tosa-1.0 wants them finite, the base not negative and, if the exponent is
// not above zero, above zero.
TEST(SweepJudge, LeavesOutPairsOfPowWithoutAResult) {
  const StatusOr<SweepDomain> domain = Domain("POW", "fp16");
  ASSERT_TRUE(domain.ok());
  EXPECT_TRUE(domain->Defined(0x3c00'c000));   // 1, -2
  EXPECT_TRUE(domain->Defined(0x0000'3c00));   // 0, 1
  EXPECT_TRUE(domain->Defined(0x8000'3c00));   // -0, 1
  EXPECT_FALSE(domain->Defined(0x0000'0000));  // 0, 0
  EXPECT_FALSE(domain->Defined(0x0000'bc00));  // 0, -1
  EXPECT_FALSE(domain->Defined(0xbc00'3c00));  // -1, 1
  EXPECT_FALSE(domain->Defined(0x7c00'3c00));  // infinity
  EXPECT_FALSE(domain->Defined(0x3c00'7e00));  // NaN
}

TEST(SweepJudge, JudgesByTheReferenceAlone) {
  const StatusOr<SweepDomain> domain = Domain("ADD", "fp16");
  ASSERT_TRUE(domain.ok());
  EXPECT_EQ(domain->Describe(0x3c00'4000), "0x3c00 0x4000");
  const uint64_t first = 0x3c00'0000;  // 1 and everything
  const std::vector<Tensor> operands = domain->Operands(first, kSweepBlock);
  EXPECT_EQ(operands[0].Element(5), 1);
  EXPECT_EQ(operands[1].Bits(0x1234), 0x1234);
  Tensor result = Rounded(*domain, operands, false);
  SweepJudge judge(*domain);
  judge.DropFilter();
  EXPECT_EQ(Judge(judge, first, result).accepted, 1 << 16);
  result.SetBits(0x3c00, 0x4001);  // 1 + 1 is not 2 + 2^-9
  const SweepTotals wrong = Judge(judge, first, result);
  EXPECT_EQ(wrong.rejected, 1);
  ASSERT_EQ(wrong.refused.size(), 1);
  EXPECT_EQ(wrong.refused[0].input, first + 0x3c00);
  EXPECT_EQ(wrong.refused[0].result, 0x4001);
  EXPECT_EQ(wrong.by_filter, 0);
}

// Where a cast's results begin to be zeros, subnormal numbers, normal ones and infinities; also
// with rounding toward zero.
TEST(SweepJudge, AgreesWithTheReferenceOnCasts) {
  std::mt19937_64 random(13);
  const StatusOr<SweepDomain> domain = SweepDomain::Of({"CAST", "fp16", "fp32", "tosa-1.0", {}});
  ASSERT_TRUE(domain.ok()) << domain.status();
  for (const uint64_t center : {0x0080'0000u, 0x3300'0000u, 0x3880'0000u, 0x3f80'0000u,
                                0x477f'e000u, 0x477f'f000u, 0x7f80'0000u, 0xbf80'0000u}) {
    constexpr int64_t kCount = 3000;
    const uint64_t first = center - kCount / 2;
    const std::vector<Tensor> operands = domain->Operands(first, kCount);
    for (const bool flushed : {false, true}) {
      SCOPED_TRACE(testing::Message() << domain->Describe(center) << " " << flushed);
      Tensor result = Rounded(*domain, operands, flushed);
      ExpectSameJudgement(*domain, first, result);
      for (int64_t i = 0; i < result.size(); ++i) {
        const uint64_t step = random() % 8;
        if (step < 3) result.SetBits(i, (result.Bits(i) + 0xFFFF + step) & 0xFFFF);
      }
      ExpectSameJudgement(*domain, first, result);
    }
  }
}

// Integers that fp32 holds, ties beyond them, and the ends; neighbours of right results are wrong.
TEST(SweepJudge, AgreesWithTheReferenceOnCastsOfIntegers) {
  std::mt19937_64 random(14);
  for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
    const StatusOr<SweepDomain> domain = Domain("CAST", "fp32", edition, "i32");
    ASSERT_TRUE(domain.ok()) << domain.status();
    SweepJudge with(*domain);
    for (const uint64_t center : {0x0000'0600u, 0x0100'0000u, 0x0200'0000u, 0x4000'0000u,
                                  0x7fff'ff80u, 0x8000'0000u, 0xfeff'ffffu, 0xffff'f000u}) {
      SCOPED_TRACE(testing::Message() << domain->Describe(center) << " " << edition);
      constexpr int64_t kCount = 3000;
      const uint64_t first = center - kCount / 2;
      Tensor result = Rounded(*domain, domain->Operands(first, kCount), false);
      const SweepTotals right = Judge(with, first, result);
      EXPECT_EQ(right.accepted, static_cast<uint64_t>(kCount));
      EXPECT_GE(right.by_filter, static_cast<uint64_t>(kCount) - 1);
      ExpectSameJudgement(*domain, first, result);
      for (int64_t i = 0; i < result.size(); ++i) {
        const uint64_t step = random() % 8;
        if (step < 3) result.SetBits(i, (result.Bits(i) + 0xFFFF'FFFF + step) & 0xFFFF'FFFF);
      }
      EXPECT_GT(Judge(with, first, result).rejected, 100);
      ExpectSameJudgement(*domain, first, result);
    }
  }
}

// Normal numbers by their bits; a wrong result, a subnormal number, a zero, an infinity and a NaN
// are the reference's.
TEST(SweepJudge, AcceptsBitsOfExactFunctions) {
  for (const char* const op : {"ABS", "NEGATE"}) {
    for (const char* const edition : {"tosa-1.0", "tosa-0.100"}) {
      const StatusOr<SweepDomain> domain = Domain(op, "fp32", edition);
      ASSERT_TRUE(domain.ok());
      const uint64_t first = 0xbf80'0000;
      const std::vector<Tensor> operands = domain->Operands(first, 1000);
      Tensor result = Rounded(*domain, operands, false);
      EXPECT_EQ(result.Bits(1), 0x3f80'0001);
      SweepJudge judge(*domain);
      const SweepTotals right = Judge(judge, first, result);
      EXPECT_EQ(right.accepted, 1000);
      EXPECT_EQ(right.by_filter, 1000);
      for (const uint64_t bit : {0, 31}) {
        Tensor wrong = result;
        wrong.SetBits(999, result.Bits(999) ^ uint64_t{1} << bit);
        const SweepTotals totals = Judge(judge, first, wrong);
        EXPECT_EQ(totals.by_filter, 999);
        EXPECT_EQ(totals.by_reference, 1);
        EXPECT_EQ(totals.rejected, 1);
        ASSERT_EQ(totals.refused.size(), 1);
        EXPECT_EQ(totals.refused[0].input, first + 999);
      }
      for (const uint64_t special : {0x0000'0000u, 0x0000'0001u, 0x8000'0000u, 0x807f'ffffu,
                                     0x7f80'0000u, 0x7f80'0001u, 0xff80'0000u, 0xffff'ffffu}) {
        const std::vector<Tensor> one = domain->Operands(special, 1);
        const SweepTotals totals = Judge(judge, special, Rounded(*domain, one, false));
        EXPECT_EQ(totals.by_filter, 0) << special;
        EXPECT_EQ(totals.accepted, 1) << special;
      }
      for (const uint64_t plain : {0x0080'0000u, 0xff7f'ffffu}) {
        const std::vector<Tensor> one = domain->Operands(plain, 1);
        const SweepTotals totals = Judge(judge, plain, Rounded(*domain, one, false));
        EXPECT_EQ(totals.by_filter, 1) << plain;
      }
    }
  }
}

// Around the first NaN, the last one and the change of sign: an undefined input counts as such,
// whatever was answered to the 1 in its place.
TEST(SweepJudge, CountsWhatIsOpenApartWithAndWithoutAFilter) {
  const std::tuple<const char*, const char*, const char*> kQuestions[] = {{"CAST", "i8", "fp32"},
                                                                          {"CAST", "i32", "fp32"},
                                                                          {"CAST", "i16", "bf16"},
                                                                          {"ABS", "i32", ""},
                                                                          {"NEGATE", "i32", ""}};
  for (const auto& [op, type, in_type] : kQuestions) {
    const StatusOr<SweepDomain> domain = SweepDomain::Of({op, type, in_type, "tosa-1.0", {}});
    ASSERT_TRUE(domain.ok()) << domain.status();
    uint64_t open = 0;
    for (const uint64_t center : {0x7f80'0000u, 0x8000'0000u, 0xff80'0000u}) {
      const bool is_wide = Info(domain->in_type()).bits == 32;
      const int64_t count = is_wide ? 3000 : 200;
      const uint64_t first = (is_wide ? center : center >> 16) - static_cast<uint64_t>(count) / 2;
      SCOPED_TRACE(testing::Message() << op << " " << type << " " << domain->Describe(first));
      const std::vector<Tensor> asked = Asked(*domain, first, count);
      const StatusOr<ExpectedOutput> expected = domain->Expect(asked);
      ASSERT_TRUE(expected.ok()) << expected.status();
      Tensor result(domain->type(), {count});
      for (int64_t i = 0; i < count; ++i) {
        result.SetInteger(i, expected->answers[0].expected.Integer(i));
      }
      uint64_t undefined = 0;
      for (uint64_t i = first; i < first + static_cast<uint64_t>(count); ++i) {
        undefined += domain->Defined(i) ? 0 : 1;
      }
      open += undefined;
      SweepJudge judge(*domain);
      const SweepTotals right = Judge(judge, first, result);
      EXPECT_EQ(right.undefined, undefined);
      EXPECT_EQ(right.accepted, static_cast<uint64_t>(count) - undefined);
      ExpectSameJudgement(*domain, first, result);
      for (int64_t i = 0; i < count; i += 3) result.SetBits(i, result.Bits(i) ^ 1);
      ExpectSameJudgement(*domain, first, result);
    }
    EXPECT_GT(open, 0u) << op << " " << type;
  }
}

TEST(SweepJudge, TellsKeepingSubnormalsFromFlushingThem) {
  const StatusOr<SweepDomain> domain = Domain("RECIPROCAL", "fp32");
  ASSERT_TRUE(domain.ok());
  SweepJudge judge(*domain);
  // The reciprocal of 2^-127 is 2^127; if 2^-127 is flushed, it is infinity.
  const std::vector<Tensor> operands = domain->Operands({0x0040'0000});
  Tensor result(DType::kFp32, {1});
  result.SetElement(0, 0x1p127);
  const SweepTotals kept = Judge(judge, 0x0040'0000, result);
  ASSERT_TRUE(kept.kept.has_value());
  EXPECT_EQ(kept.kept->input, 0x0040'0000);
  EXPECT_FALSE(kept.flushed.has_value());
  result.SetElement(0, std::numeric_limits<double>::infinity());
  const SweepTotals flushed = Judge(judge, 0x0040'0000, result);
  ASSERT_TRUE(flushed.flushed.has_value());
  EXPECT_FALSE(flushed.kept.has_value());
  EXPECT_EQ(flushed.accepted, 1);
}

TEST(SweepTotals, AreTheSameInAnyOrder) {
  std::mt19937_64 random(13);
  std::vector<SweepTotals> parts(8);
  for (SweepTotals& part : parts) {
    for (int k = 0; k < 20; ++k) {
      // Equal errors, too: then the input decides.
      const SweepElement element{random() % 1000, 1, static_cast<double>(random() % 4)};
      part.AddWorst(element);
      part.AddRefused(element);
      part.AddKept(element);
      part.accepted += 3, part.ulps.Add(element.ulp);
    }
  }
  SweepTotals forward, backward;
  for (size_t k = 0; k < parts.size(); ++k) {
    forward.Add(parts[k]);
    backward.Add(parts[parts.size() - 1 - k]);
  }
  EXPECT_EQ(forward.accepted, backward.accepted);
  EXPECT_EQ(forward.ulps.counts, backward.ulps.counts);
  ASSERT_EQ(forward.worst.size(), SweepTotals::kExamples);
  ASSERT_EQ(backward.worst.size(), SweepTotals::kExamples);
  for (size_t k = 0; k < SweepTotals::kExamples; ++k) {
    EXPECT_EQ(forward.worst[k].input, backward.worst[k].input);
    EXPECT_EQ(forward.worst[k].ulp, backward.worst[k].ulp);
    EXPECT_EQ(forward.refused[k].input, backward.refused[k].input);
    if (k > 0) {
      EXPECT_GE(forward.worst[k - 1].ulp, forward.worst[k].ulp);
    }
  }
  EXPECT_EQ(forward.kept->input, backward.kept->input);
}

// Sixteen inputs from a NaN on, each answered with a NaN.
TEST(SweepJudge, DisputesSignallingNansThatAreIgnored) {
  const auto judged = [](const std::string& op, const std::string& type, uint64_t first) {
    SweepQuestion question{op, type, "", "tosa-1.0", {{"nan_mode", "IGNORE"}}};
    if (op == "CLAMP") question.attributes["min_val"] = "-1", question.attributes["max_val"] = "6";
    const StatusOr<SweepDomain> domain = SweepDomain::Of(question);
    EXPECT_TRUE(domain.ok()) << domain.status();
    Tensor result(domain->type(), {16});
    for (int64_t i = 0; i < 16; ++i) result.SetElement(i, std::nan(""));
    SweepJudge judge(*domain);
    return Judge(judge, first, result);
  };
  // MAXIMUM of a NaN of fp16 and of zero and the least numbers; CLAMP of NaNs of fp32.
  for (const auto& [op, type, signalling, quiet] :
       {std::tuple("MAXIMUM", "fp16", uint64_t{0x7D010000}, uint64_t{0x7E000000}),
        std::tuple("CLAMP", "fp32", uint64_t{0x7FA00000}, uint64_t{0x7FC00000})}) {
    const SweepTotals disputed = judged(op, type, signalling);
    EXPECT_EQ(disputed.inputs, 16u) << op;
    EXPECT_EQ(disputed.disputed, 16u) << op;
    EXPECT_EQ(disputed.accepted + disputed.rejected, 0u) << op;
    ASSERT_TRUE(disputed.first_disputed) << op;
    EXPECT_EQ(disputed.first_disputed->input, signalling) << op;
    const SweepTotals wrong = judged(op, type, quiet);
    EXPECT_EQ(wrong.rejected, 16u) << op;
    EXPECT_EQ(wrong.disputed, 0u) << op;
  }
}

TEST(SweepFault, HasANameForEachKind) {
  using Kind = SweepFault::Kind;
  for (const auto& [kind, name] :
       {std::pair(Kind::kCrash, "crash"), std::pair(Kind::kTimeout, "timeout"),
        std::pair(Kind::kRefused, "refused")}) {
    EXPECT_EQ(Name(kind), name);
    EXPECT_EQ(ParseSweepFaultKind(name), kind);
  }
  EXPECT_EQ(ParseSweepFaultKind("crashed"), std::nullopt);
}

TEST(SweepDomain, SaysWhatCannotBeSwept) {
  const auto message = [](const StatusOr<SweepDomain>& domain) {
    EXPECT_FALSE(domain.ok());
    return Message(domain.status());
  };
  EXPECT_THAT(message(Domain("CONV2D", "fp32")), HasSubstr("--operator: CONV2D cannot be swept"));
  EXPECT_THAT(message(Domain("EXPP", "fp32")), HasSubstr("EXP"));
  EXPECT_THAT(message(Domain("EXP", "fp31")),
              HasSubstr("--type: found \"fp31\", expected one of fp16, bf16, fp32"));
  EXPECT_THAT(message(Domain("EXP", "i8")),
              HasSubstr("--type: found \"i8\", expected one of fp16"));
  EXPECT_THAT(message(Domain("ADD", "fp32")), HasSubstr("2 operands of 32 bits"));
  EXPECT_THAT(message(Domain("EXP", "fp32", "tosa-9")), HasSubstr("tosa-9"));
  EXPECT_THAT(message(Domain("CAST", "fp32")), HasSubstr("--in-type"));
  EXPECT_TRUE(Domain("CAST", "fp32", "tosa-1.0", "fp16").ok());
  EXPECT_TRUE(Domain("MUL", "i32", "tosa-1.0", "i16").ok());
}

}  // namespace
}  // namespace cts

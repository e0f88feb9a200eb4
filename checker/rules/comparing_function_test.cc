#include "checker/rules/comparing_function.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/spec/edition.h"
#include "reference/spec/precision_table.h"

namespace cts {
namespace {

// One reading of the specification's functions, clause by clause: ends as numbers or infinities,
// then an inclusion. 1200 bits hold every sum of this file exactly; fp64 has 53.
class Reading {
 public:
  Reading(Form form, DType dtype, double reference, double bound, int bits)
      : form_(form),
        dtype_(dtype),
        reference_(reference),
        normal_min_(Exact(std::ldexp(1.0, Format(dtype).min_exponent))),
        least_(Sub(Exact(std::fabs(reference)), Exact(bound)).RoundTo(bits)),
        greatest_(Add(Exact(std::fabs(reference)), Exact(bound)).RoundTo(bits)) {
    const MpfrFloat normal_max = Exact(Format(dtype).max);
    if (greatest_ > normal_max) greatest_ = Exact(kInf);
    if (least_ > normal_max) least_ = Exact(kInf);
    if (least_ < Sub(Exact(0), normal_max)) least_ = Exact(-kInf);
    if (form == Form::kFlushedZeros) return;
    if (greatest_ < normal_min_) greatest_ = normal_min_;
    // Widened only: see the implementation.
    if (least_ < normal_min_ && least_ > Exact(0)) least_ = Exact(0);
  }

  bool Accepts(double result) const {
    if (std::isnan(reference_)) return std::isnan(result);
    if (reference_ < 0) result = -result;
    if (std::isnan(result)) return dtype_ == DType::kFp8E4M3 && greatest_ == Exact(kInf);
    const bool is_fp8 = dtype_ == DType::kFp8E4M3 || dtype_ == DType::kFp8E5M2;
    if (form_ == Form::kFlushedZeros && result == 0 && !is_fp8) return least_ < normal_min_;
    const MpfrFloat exact = Exact(result);
    return exact >= least_ && exact <= greatest_;
  }

 private:
  static MpfrFloat Exact(double value) { return MpfrFloat::FromDouble(value, 1200); }

  Form form_;
  DType dtype_;
  double reference_;
  MpfrFloat normal_min_, least_, greatest_;
};

// Accepts what either reading accepts: that of the reals, and that of fp64.
class Oracle {
 public:
  Oracle(Form form, DType dtype, double reference, double bound)
      : exact_(form, dtype, reference, bound, 1200), rounded_(form, dtype, reference, bound, 53) {}

  bool Accepts(double result) const { return exact_.Accepts(result) || rounded_.Accepts(result); }

 private:
  Reading exact_, rounded_;
};

std::vector<double> AllValues(DType dtype) {
  std::vector<double> values;
  for (uint64_t bits = 0; bits < uint64_t{1} << Info(dtype).bits; ++bits) {
    values.push_back(DecodeFloat(dtype, bits));
  }
  return values;
}

int64_t ExpectSameAsOracle(Form form, DType dtype, const std::vector<double>& references,
                           const std::vector<double>& bounds) {
  const ComparingFunction compare(form, dtype);
  const std::vector<double> results = AllValues(dtype);
  int64_t accepted = 0;
  for (const double reference : references) {
    for (const double bound : bounds) {
      const Oracle oracle(form, dtype, reference, bound);
      for (const double result : results) {
        const bool expected = oracle.Accepts(result);
        accepted += expected;
        EXPECT_EQ(compare.Accepts(result, reference, bound), expected)
            << Name(dtype) << " form " << static_cast<int>(form) << " result " << result
            << " reference " << reference << " bound " << bound;
        if (testing::Test::HasFailure()) return accepted;
      }
    }
  }
  return accepted;
}

class EveryFp8 : public testing::TestWithParam<std::tuple<Form, DType>> {};

TEST_P(EveryFp8, AgreesWithTheTextOnEveryResult) {
  const auto [form, dtype] = GetParam();
  const FloatFormat& format = Format(dtype);
  // Every value, a quarter step beyond each, and past the greatest.
  std::vector<double> references = {kNan, kInf, -kInf, 1e300, format.max * 1.03125};
  for (const double value : AllValues(dtype)) {
    if (!std::isfinite(value)) continue;
    references.push_back(value);
    references.push_back(value + format.subnormal_min() / 4);
    references.push_back(value * 1.03125);
  }
  const std::vector<double> bounds = {
      0,      0x1p-70, format.subnormal_min() / 2, format.subnormal_min(), format.normal_min(),
      0.0625, 1.0,     std::nextafter(1.0, 2.0),   format.max / 2,         format.max * 3};
  EXPECT_GT(ExpectSameAsOracle(form, dtype, references, bounds), 10000);
}

INSTANTIATE_TEST_SUITE_P(ComparingFunction, EveryFp8,
                         testing::Combine(testing::Values(Form::kWidenedEnds, Form::kFlushedZeros),
                                          testing::Values(DType::kFp8E4M3, DType::kFp8E5M2)));

TEST(ComparingFunction, AgreesWithTheTextOnEveryFp16) {
  for (const Form form : {Form::kWidenedEnds, Form::kFlushedZeros}) {
    for (const DType dtype : {DType::kFp16, DType::kBf16}) {
      const FloatFormat& format = Format(dtype);
      EXPECT_GT(
          ExpectSameAsOracle(form, dtype,
                             {0.0, 1.0, -1.5, format.normal_min(), -format.normal_min() * 0.75,
                              format.subnormal_min() / 2, format.max, -format.max * 1.001, kInf},
                             {0.0, std::ldexp(1.0, -format.fraction_bits), format.subnormal_min(),
                              format.max * 1.5}),
          100000);
    }
  }
}

TEST(CompareSum, IsExactWhereFp64Rounds) {
  EXPECT_EQ(CompareSum(1.0, 0x1p-60, 1.0), 1);
  EXPECT_EQ(CompareSum(1.0, -0x1p-60, 1.0), -1);
  EXPECT_EQ(CompareSum(1.0, 0x1p-60, std::nextafter(1.0, 2.0)), -1);
  EXPECT_EQ(CompareSum(0.25, 0.5, 0.75), 0);
  EXPECT_EQ(CompareSum(0x1p-60, 1.0, 1.0), 1);
  EXPECT_EQ(CompareSum(5e-324, 5e-324, 1e-323), 0);
}

TEST(ComparingFunction, DecidesEndsToTheLastBit) {
  const ComparingFunction compare(Form::kFlushedZeros, DType::kFp32);
  const double reference = 1.0 + 0x1p-52;
  const double end = 1.0 + 0x1p-23;
  // end - reference = 2^-23 - 2^-52.
  const double bound = 0x1p-23 - 0x1p-52;
  EXPECT_TRUE(compare.Accepts(end, reference, bound));
  EXPECT_FALSE(compare.Accepts(end, reference, bound - 0x1p-52));
  EXPECT_TRUE(compare.Accepts(end, reference, std::nextafter(bound, 1)));
  EXPECT_TRUE(compare.Accepts(-end, -reference, bound));
  EXPECT_FALSE(compare.Accepts(-end, -reference, bound - 0x1p-52));
}

TEST(ComparingFunction, TakesTheLenientReadingOfTheEnds) {
  const ComparingFunction fp32(Form::kFlushedZeros, DType::kFp32);
  // 1 - 2^-90 and 1 + 2^-52 - 2^-54 miss 1 in the reals, and are 1 in fp64.
  EXPECT_TRUE(fp32.Accepts(1.0, 1.0 - 0x1p-53, 0x1p-53 - 0x1p-90));
  EXPECT_FALSE(fp32.Accepts(1.0, 1.0 - 0x1p-53, 0x1p-55));
  EXPECT_TRUE(fp32.Accepts(1.0, 1.0 + 0x1p-52, 0x1p-52 - 0x1p-54));
  EXPECT_FALSE(fp32.Accepts(1.0, 1.0 + 0x1p-51, 0x1p-52));
  // At the edges the exact ends are the lenient reading: these reach beyond them by 2^-40.
  const ComparingFunction fp16(Form::kFlushedZeros, DType::kFp16);
  EXPECT_TRUE(fp16.Accepts(kInf, 65504.0, 0x1p-40));
  EXPECT_TRUE(fp16.Accepts(0.0, 0x1p-14, 0x1p-90));
  EXPECT_FALSE(fp16.Accepts(0.0, 0x1p-14, 0));
}

// COS of bf16 -0x1.9p+112 is negative, and 2^-3 * (1 + |x|) its bound; SIGMOID of fp16 -142 is
// above zero, and 2^-24 * 2 * (1 + 142) its bound.
TEST(ComparingFunction, TakesTheFarEndOfABoundAsFp64RoundsIt) {
  const auto accepts = [](DType dtype, uint64_t bits, double reference, double bound) {
    const ComparingFunction compare(Form::kFlushedZeros, dtype);
    return compare.Accepts(DecodeFloat(dtype, bits), reference, bound);
  };
  const double sigmoid = 0x1.4p-205;
  EXPECT_TRUE(accepts(DType::kFp16, 0x811e, sigmoid, 286 * 0x1p-24));
  EXPECT_FALSE(accepts(DType::kFp16, 0x811f, sigmoid, 286 * 0x1p-24));
  EXPECT_TRUE(accepts(DType::kFp16, 0x011e, sigmoid, 286 * 0x1p-24));
  EXPECT_FALSE(accepts(DType::kFp16, 0x011f, sigmoid, 286 * 0x1p-24));
  for (const double cosine : {-0.75, -0x1p-30}) {
    EXPECT_TRUE(accepts(DType::kBf16, 0x7648, cosine, 0x1.9p+109));
    EXPECT_FALSE(accepts(DType::kBf16, 0x7649, cosine, 0x1.9p+109));
    EXPECT_TRUE(accepts(DType::kBf16, 0xf648, cosine, 0x1.9p+109));
    EXPECT_FALSE(accepts(DType::kBf16, 0xf649, cosine, 0x1.9p+109));
  }
}

TEST(ComparingFunction, HalfAnUlpAtAPowerOfTwoIsThatOfTheReferencesBinade) {
  const ComparingFunction compare(Form::kFlushedZeros, DType::kFp32);
  EXPECT_TRUE(compare.Accepts(1 - 0x1p-24, 1.0, 0x1p-24));
  EXPECT_FALSE(compare.Accepts(1 - 0x1p-23, 1.0, 0x1p-24));
}

TEST(ComparingFunction, OverflowNeedsAnEndBeyondTheGreatestNumber) {
  const ComparingFunction compare(Form::kFlushedZeros, DType::kFp16);
  EXPECT_FALSE(compare.Accepts(kInf, 65504.0, 0));
  EXPECT_FALSE(compare.Accepts(kInf, 65500.0, 4.0));
  EXPECT_TRUE(compare.Accepts(kInf, 65500.0, std::nextafter(4.0, 5.0)));
  EXPECT_TRUE(compare.Accepts(kInf, 65520.0, 0));
  EXPECT_FALSE(compare.Accepts(65504.0, 65520.0, 0));
  EXPECT_TRUE(compare.Accepts(65504.0, 65520.0, 16.0));
  EXPECT_FALSE(compare.Accepts(-kInf, 65520.0, 16.0));
  EXPECT_TRUE(compare.Accepts(-kInf, 1.0, 70000.0));
}

TEST(ComparingFunction, AnInfiniteReferenceAcceptsOnlyItself) {
  for (const Form form : {Form::kWidenedEnds, Form::kFlushedZeros}) {
    const ComparingFunction compare(form, DType::kFp32);
    EXPECT_TRUE(compare.Accepts(kInf, kInf, 0));
    EXPECT_TRUE(compare.Accepts(-kInf, -kInf, 0));
    for (const double result : {0.0, 1.0, Format(DType::kFp32).max, -kInf, kNan}) {
      EXPECT_FALSE(compare.Accepts(result, kInf, 0)) << result;
    }
  }
}

TEST(ComparingFunction, NanIsNeverAcceptedForANumber) {
  for (const DType dtype : {DType::kFp8E5M2, DType::kFp16, DType::kBf16, DType::kFp32}) {
    for (const Form form : {Form::kWidenedEnds, Form::kFlushedZeros}) {
      EXPECT_FALSE(ComparingFunction(form, dtype).Accepts(kNan, 1.0, 1e38)) << Name(dtype);
      EXPECT_TRUE(ComparingFunction(form, dtype).Accepts(kNan, kNan, 0)) << Name(dtype);
      EXPECT_FALSE(ComparingFunction(form, dtype).Accepts(0.0, kNan, 0)) << Name(dtype);
    }
  }
}

TEST(ComparingFunction, ZeroStandsForSubnormalsOnlyWhereTheyMayBeFlushed) {
  const double fp32 = 0x1p-127;
  EXPECT_TRUE(ComparingFunction(Form::kFlushedZeros, DType::kFp32).Accepts(0.0, fp32, 0));
  EXPECT_TRUE(ComparingFunction(Form::kFlushedZeros, DType::kFp32).Accepts(-0.0, fp32, 0));
  EXPECT_FALSE(ComparingFunction(Form::kFlushedZeros, DType::kFp32).Accepts(0.0, 0x1p-126, 0));
  EXPECT_TRUE(
      ComparingFunction(Form::kFlushedZeros, DType::kFp32).Accepts(0.0, 0x1p-126, 0x1p-149));
  const double fp8 = 0x1p-7;
  EXPECT_FALSE(ComparingFunction(Form::kFlushedZeros, DType::kFp8E4M3).Accepts(0.0, fp8, 0x1p-10));
  EXPECT_TRUE(ComparingFunction(Form::kWidenedEnds, DType::kFp8E4M3).Accepts(0.0, fp8, 0));
}

TEST(ComparingFunction, Edition0100NeverNarrowsANegativeEnd) {
  const ComparingFunction compare(Form::kWidenedEnds, DType::kFp32);
  EXPECT_TRUE(compare.Accepts(-0.25, 0.25, 0.5));
  EXPECT_FALSE(compare.Accepts(-0.5, 0.25, 0.5));
  EXPECT_TRUE(compare.Accepts(0x1p-126, 0x1p-140, 0));
  EXPECT_FALSE(compare.Accepts(0x1.000002p-126, 0x1p-140, 0));
}

// An edition that is not executed may have one that is still to be written.
TEST(ParseForm, KnowsTheFormOfEveryExecutedEdition) {
  for (const std::string& id : EditionIds()) {
    const Edition& edition = **FindEdition(id);
    if (!edition.Has(Feature::kExecuted)) continue;
    const StatusOr<Form> form = ParseForm(edition.precision->form());
    EXPECT_TRUE(form.ok()) << id << ": " << form.status();
  }
}

TEST(ParseForm, NamesWhatItKnows) {
  EXPECT_EQ(*ParseForm("tosa-1.0"), Form::kFlushedZeros);
  EXPECT_EQ(*ParseForm("tosa-0.100"), Form::kWidenedEnds);
  EXPECT_NE(Message(ParseForm("tosa-2").status()).find("tosa-2"), std::string::npos);
}

}  // namespace
}  // namespace cts

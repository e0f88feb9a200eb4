// Every rule on every result of the narrow types, against its text in exact arithmetic (MPFR, no
// function of the rules). Each test says how many verdicts it compared; not one may differ.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <optional>
#include <vector>

#include "checker/rules/match.h"
#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"

namespace cts {
namespace {

constexpr DType kFp8[] = {DType::kFp8E4M3, DType::kFp8E5M2};
constexpr DType kHalf[] = {DType::kFp16, DType::kBf16};
constexpr const char* kForms[] = {"tosa-1.0", "tosa-0.100"};

// Holds every sum and product of this file without rounding.
MpfrFloat Exact(double value) { return MpfrFloat::FromDouble(value, 2300); }
MpfrFloat PowerOfTwo(int exponent) {
  MpfrFloat power = Exact(1);
  mpfr_mul_2si(power.raw(), power.raw(), exponent, MPFR_RNDN);
  return power;
}
MpfrFloat Magnitude(const MpfrFloat& x) { return x < Exact(0) ? Sub(Exact(0), x) : x; }

// The number formats of the introduction.
struct Numbers {
  int frac, min_exponent, max_exponent;
  double max;
  bool is_fp8, is_e4m3;

  explicit Numbers(DType dtype) {
    const std::map<DType, std::array<int, 3>> formats = {{DType::kFp8E4M3, {3, -6, 8}},
                                                         {DType::kFp8E5M2, {2, -14, 15}},
                                                         {DType::kFp16, {10, -14, 15}},
                                                         {DType::kBf16, {7, -126, 127}}};
    frac = formats.at(dtype)[0];
    min_exponent = formats.at(dtype)[1];
    max_exponent = formats.at(dtype)[2];
    is_e4m3 = dtype == DType::kFp8E4M3;
    is_fp8 = is_e4m3 || dtype == DType::kFp8E5M2;
    // e4m3 spends the last pattern of its greatest exponent on NaN.
    max = std::ldexp(2, max_exponent) - std::ldexp(1, max_exponent - frac + (is_e4m3 ? 1 : 0));
  }
};

// All results of a type, and the same as exact numbers.
struct Results {
  Tensor tensor;
  std::vector<MpfrFloat> exact;

  explicit Results(DType dtype) : tensor(dtype, {int64_t{1} << Info(dtype).bits}) {
    for (int64_t bits = 0; bits < tensor.size(); ++bits) {
      tensor.SetBits(bits, static_cast<uint64_t>(bits));
      exact.push_back(Exact(DecodeFloat(dtype, static_cast<uint64_t>(bits))));
    }
  }
  int64_t Negated(int64_t bits) const { return bits ^ (tensor.size() / 2); }
};

const Results& ResultsOf(DType dtype) {
  static std::map<DType, Results> all;
  return all.try_emplace(dtype, dtype).first->second;
}

// The comparing function. 0.100 has three differences: no infinite bound, an end below normal_min
// widened to zero or normal_min, nothing about the least end and fp8e4m3 (notes: Precision and
// verdicts). One reading: the ends are those of the reals, or `rounded` in fp64.
class Reading {
 public:
  Reading(DType dtype, bool latest, double reference, const MpfrFloat& bound, bool rounded)
      : numbers_(dtype), latest_(latest), reference_(reference) {
    const MpfrFloat max = Exact(numbers_.max), normal_min = PowerOfTwo(numbers_.min_exponent);
    least_ = Sub(Exact(std::fabs(reference)), bound);
    greatest_ = Add(Exact(std::fabs(reference)), bound);
    if (rounded) {
      least_ = least_.RoundTo(53);
      greatest_ = greatest_.RoundTo(53);
    }
    flushes_to_zero_ = least_ < normal_min;
    if (greatest_ > max) greatest_ = Exact(kInf);
    if (least_ > max) least_ = Exact(kInf);
    if (least_ < Sub(Exact(0), max)) least_ = Exact(-kInf);
    if (latest) return;
    if (greatest_ < normal_min) greatest_ = normal_min;
    if (flushes_to_zero_ && least_ > Exact(0)) least_ = Exact(0);
  }

  bool Accepts(const Results& results, int64_t bits) const {
    const double value = results.tensor.Element(bits);
    if (std::isnan(reference_)) return std::isnan(value);
    if (std::isnan(value)) return numbers_.is_e4m3 && greatest_ == Exact(kInf);
    if (latest_ && value == 0 && !numbers_.is_fp8) return flushes_to_zero_;
    const MpfrFloat& x =
        results.exact[static_cast<size_t>(reference_ < 0 ? results.Negated(bits) : bits)];
    return x >= least_ && x <= greatest_;
  }

 private:
  Numbers numbers_;
  bool latest_, flushes_to_zero_ = false;
  double reference_;
  MpfrFloat least_, greatest_;
};

// Accepts what either reading accepts.
class Text {
 public:
  Text(DType dtype, bool latest, double reference, const MpfrFloat& bound)
      : exact_(dtype, latest, reference, bound, false),
        rounded_(dtype, latest, reference, bound, true) {}

  bool Accepts(const Results& results, int64_t bits) const {
    return exact_.Accepts(results, bits) || rounded_.Accepts(results, bits);
  }

 private:
  Reading exact_, rounded_;
};

// tosa_reference_ulp times a count; a reference below the numbers of fp64 as if it were normal.
MpfrFloat UlpText(const Numbers& numbers, double reference, double count) {
  if (reference == 0 || !std::isfinite(reference)) return Exact(0);
  const MpfrFloat exact = Exact(reference);
  const int exponent = static_cast<int>(mpfr_get_exp(exact.raw())) - 1;
  return Mul(PowerOfTwo(std::max(exponent, numbers.min_exponent) - numbers.frac), Exact(count));
}

// One reference for every result of a type.
struct Trial {
  ExpectedOutput output;
  Answer answer;

  Trial(DType dtype, RuleKind kind, std::string form, double expected, std::optional<double> second)
      : output{.name = "out", .dtype = dtype, .shape = ResultsOf(dtype).tensor.shape()},
        answer{false, Fill(expected), {}, {}} {
    output.rule.kind = kind;
    output.rule.form = std::move(form);
    if (!second) return;
    (kind == RuleKind::kInterval ? answer.upper : answer.bound) = Fill(*second);
  }
  Tensor Fill(double value) const {
    Tensor tensor(DType::kFp64, output.shape);
    for (int64_t i = 0; i < tensor.size(); ++i) tensor.SetElement(i, value);
    return tensor;
  }
};

// Element by element and as a tensor. Counts what was compared.
template <class Accepts>
void ExpectVerdicts(const Trial& trial, const Accepts& accepts, int64_t* compared) {
  const Results& results = ResultsOf(trial.output.dtype);
  const ElementJudge judge(trial.output, trial.answer, results.tensor);
  int64_t refused = 0;
  for (int64_t bits = 0; bits < results.tensor.size(); ++bits) {
    const bool expected = accepts(bits);
    refused += !expected;
    ASSERT_EQ(judge.Accepts(bits), expected)
        << Name(trial.output.dtype) << " " << trial.output.rule.form << " result "
        << results.tensor.Element(bits) << " expected " << trial.answer.expected.Element(0)
        << " second "
        << (trial.answer.bound   ? trial.answer.bound->Element(0)
            : trial.answer.upper ? trial.answer.upper->Element(0)
                                 : 0);
  }
  ASSERT_EQ(MeasureTensor(trial.output, trial.answer, results.tensor).mismatches, refused);
  *compared += results.tensor.size();
}

// References at, between and beyond the values of fp8: a grid.
std::vector<double> EveryReference(DType dtype) {
  std::vector<double> references = {kNan, kInf, -kInf, 1e300, -1e300, 1e-300, 5e-324};
  for (uint64_t bits = 0; bits < 256; ++bits) {
    const double value = DecodeFloat(dtype, bits);
    if (!std::isfinite(value)) continue;
    references.push_back(value);
    references.push_back(value * 1.03125);
    references.push_back(value + std::copysign(std::ldexp(1, -18), value));
  }
  return references;
}

// Around the ends of the format and of a binade, on values, on ties and beside both.
std::vector<double> SomeReferences(DType dtype) {
  const Numbers numbers(dtype);
  const double ulp = std::ldexp(1, -numbers.frac), least = std::ldexp(1, numbers.min_exponent);
  const double tie = 1 + ulp / 2;
  return {0.0,
          1.0,
          tie,
          std::nextafter(tie, 2),
          -std::nextafter(tie, 1),
          -1.5,
          least,
          -least * (1 - ulp),
          least * ulp,
          -least * ulp / 2,
          1e-320,
          numbers.max,
          -numbers.max * (1 + ulp / 4),
          numbers.max * 4,
          kInf,
          kNan};
}

void BruteForceUlp(const DType dtype, const std::vector<double>& references, int64_t* compared) {
  for (const char* form : kForms) {
    for (const double reference : references) {
      for (const double count : {0.5, 1.0, 2.0, 5.0}) {
        Trial trial(dtype, RuleKind::kUlp, form, reference, {});
        trial.output.rule.ulp = count;
        const Text text(dtype, form == kForms[0], reference,
                        UlpText(Numbers(dtype), reference, count));
        ExpectVerdicts(
            trial, [&](int64_t bits) { return text.Accepts(ResultsOf(dtype), bits); }, compared);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(BruteForce, UlpOnEveryResult) {
  int64_t compared = 0;
  for (const DType dtype : kFp8) BruteForceUlp(dtype, EveryReference(dtype), &compared);
  for (const DType dtype : kHalf) BruteForceUlp(dtype, SomeReferences(dtype), &compared);
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_GT(compared, 19'000'000);
}

// Bounds that end just at a value, one step of fp64 before and behind it, and those that a table of
// special values has: none, and no limit.
std::vector<double> Bounds(DType dtype, double reference, bool all) {
  const Numbers numbers(dtype);
  const double ulp = std::ldexp(1, -numbers.frac), least = std::ldexp(1, numbers.min_exponent);
  std::vector<double> bounds = {0, kInf};
  const double scale = std::isfinite(reference) && reference != 0 ? std::fabs(reference) : 1;
  std::vector<double> at = {3 * ulp * std::exp2(std::floor(std::log2(scale))), least};
  if (all) at.insert(at.end(), {least * ulp, numbers.max, scale});
  for (const double bound : at) {
    bounds.push_back(bound);
    bounds.push_back(std::nextafter(bound, kInf));
    if (bound > 0) bounds.push_back(std::nextafter(bound, 0));
  }
  return bounds;
}

void BruteForceAbsoluteBound(DType dtype, const std::vector<double>& references, bool all,
                             int64_t* compared) {
  const Results& results = ResultsOf(dtype);
  for (const char* form : kForms) {
    for (const double reference : references) {
      for (const double bound : Bounds(dtype, reference, all)) {
        Trial trial(dtype, RuleKind::kAbsoluteBound, form, reference, bound);
        trial.output.rule.zero_sign = bound == 0;
        const Text text(dtype, form == kForms[0], reference, Exact(std::isinf(bound) ? 0 : bound));
        ExpectVerdicts(
            trial,
            [&](int64_t bits) {
              const double value = results.tensor.Element(bits);
              if (std::isinf(bound)) {  // anything; in 0.100 no NaN for a number
                return form == kFlushedZerosName || std::isnan(reference) || !std::isnan(value);
              }
              if (bound == 0 && reference == 0) {  // a zero of a table, with its sign
                return value == 0 && std::signbit(value) == std::signbit(reference);
              }
              return text.Accepts(results, bits);
            },
            compared);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(BruteForce, AbsoluteBoundOnEveryResult) {
  int64_t compared = 0;
  for (const DType dtype : kFp8) {
    std::vector<double> references = EveryReference(dtype);
    references.push_back(-0.0);
    BruteForceAbsoluteBound(dtype, references, true, &compared);
  }
  for (const DType dtype : kHalf) {
    std::vector<double> references = SomeReferences(dtype);
    references.push_back(-0.0);
    BruteForceAbsoluteBound(dtype, references, false, &compared);
  }
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_GT(compared, 45'000'000);
}

// To the last bit: of the results in order, those that a bound accepts are neighbours, and the next
// on either side lies outside, in the reals and rounded.
TEST(BruteForce, AcceptedResultsAreNeighboursUpToTheLastBit) {
  int64_t ends = 0;
  for (const DType dtype : kHalf) {
    const Results& results = ResultsOf(dtype);
    const Numbers numbers(dtype);
    const int64_t infinity = static_cast<int64_t>(EncodeFloat(dtype, kInf));
    for (int64_t at = 1 << numbers.frac; at + 9 < infinity; at += 37) {
      const double reference = results.tensor.Element(at) * (1 + std::ldexp(1, -40));
      for (const int64_t step : {1, 3, 8}) {
        // To a value exactly, and to the number of fp64 before it.
        const double value = results.tensor.Element(at + step);
        const double bound = value - reference;
        ASSERT_EQ(Add(Exact(reference), Exact(bound)), Exact(value));
        Trial trial(dtype, RuleKind::kAbsoluteBound, "tosa-1.0", reference, bound);
        EXPECT_TRUE(ElementJudge(trial.output, trial.answer, results.tensor).Accepts(at + step));
        EXPECT_FALSE(
            ElementJudge(trial.output, trial.answer, results.tensor).Accepts(at + step + 1));
        const double before = std::nextafter(value, 0) - reference;
        ASSERT_EQ(Add(Exact(reference), Exact(before)), Exact(std::nextafter(value, 0)));
        trial.answer.bound = trial.Fill(before);
        EXPECT_TRUE(
            ElementJudge(trial.output, trial.answer, results.tensor).Accepts(at + step - 1));
        EXPECT_FALSE(ElementJudge(trial.output, trial.answer, results.tensor).Accepts(at + step));
        ends += 4;
        if (at % 5 != 0) break;  // filling two tensors takes its time
      }
    }
  }
  RecordProperty("comparisons", std::to_string(ends));
  EXPECT_GT(ends, 7000);
}

// The conditions of the dot-product rule, one by one. fp64 operations of the text are rounded to 53
// bits here; an error that is at most the limit in the reals passes as well.
class DotProductText {
 public:
  DotProductText(DType dtype, bool latest, double limit, double reference, double bound)
      : reference_(reference), bound_(bound), exact_reference_(Exact(reference)) {
    const Numbers numbers(dtype);
    const MpfrFloat part = PowerOfTwo(-1 - numbers.frac);
    MpfrFloat greatest = Exact(bound);
    if (latest) {
      greatest = Mul(greatest, Add(Exact(1), Mul(Exact(limit), part)).RoundTo(53)).RoundTo(53);
    }
    unlimited_ = std::isnan(bound) || greatest > Exact(numbers.max);
    unit_ = Mul(Exact(bound), part);
    if (unit_ < PowerOfTwo(numbers.min_exponent)) unit_ = PowerOfTwo(numbers.min_exponent);
    limit_ = Exact(limit);
    greatest_distance_ = Mul(limit_, unit_);
  }

  bool Accepts(const Results& results, int64_t bits) const {
    const double value = results.tensor.Element(bits);
    if (std::isnan(reference_)) return std::isnan(value);
    if (unlimited_) return true;
    if (bound_ == 0) return reference_ == 0 && value == 0;
    if (!std::isfinite(value)) return false;
    const MpfrFloat distance = Sub(results.exact[static_cast<size_t>(bits)], exact_reference_);
    if (Magnitude(distance) <= greatest_distance_) return true;
    return Magnitude(Div(distance.RoundTo(53), unit_.RoundTo(53))) <= limit_;
  }

 private:
  double reference_, bound_;
  bool unlimited_ = false;
  MpfrFloat exact_reference_, unit_, limit_, greatest_distance_;
};

TEST(BruteForce, DotProductElementsOnEveryResult) {
  int64_t compared = 0;
  for (const DType dtype : {DType::kFp8E5M2, DType::kFp16, DType::kBf16}) {
    const Numbers numbers(dtype);
    const double least = std::ldexp(1, numbers.min_exponent), ulp = std::ldexp(1, -numbers.frac);
    for (const char* form : kForms) {
      for (const double reference : {0.0, 1.0, -1.0 - ulp / 3, least * 0.75, -numbers.max, kNan}) {
        const double scale = std::isnan(reference) ? 1 : std::max(std::fabs(reference), least);
        for (const double bound : {scale, scale * 1.37, scale * 4, least, numbers.max,
                                   numbers.max * (1 + ulp), kInf, kNan}) {
          if (bound < std::fabs(reference)) continue;
          for (const double limit : {1.0, 8.0}) {
            Trial trial(dtype, RuleKind::kDotProduct, form, reference, bound);
            trial.output.rule.absolute_limit = limit;
            const DotProductText text(dtype, form == kForms[0], limit, reference, bound);
            ExpectVerdicts(
                trial, [&](int64_t bits) { return text.Accepts(ResultsOf(dtype), bits); },
                &compared);
            if (HasFatalFailure()) return;
          }
        }
      }
    }
  }
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_GT(compared, 20'000'000);
}

// Sums that are exact in fp64, recomputed: just at a limit they pass, one step of a result further
// they do not.
TEST(BruteForce, DotProductSumsAtTheirLimits) {
  int64_t compared = 0;
  constexpr int64_t kCount = 1024;
  for (const DType dtype : kHalf) {
    const double ulp = std::ldexp(1, -Numbers(dtype).frac);
    for (int seed = 0; seed < 50; ++seed) {
      ExpectedOutput output{.name = "out", .dtype = dtype, .shape = {kCount}};
      output.rule.kind = RuleKind::kDotProduct;
      output.rule.form = kForms[seed % 2];
      output.rule.absolute_limit = 8;
      // Bound 4: errors in units of 2 ulp of one.
      Answer answer{false, Tensor(DType::kFp64, {kCount}), Tensor(DType::kFp64, {kCount}), {}};
      Tensor result(dtype, {kCount});
      MpfrFloat sum = Exact(0), squares = Exact(0);
      uint32_t state = static_cast<uint32_t>(seed);
      for (int64_t i = 0; i < kCount; ++i) {
        state = state * 1664525 + 1013904223;
        const int off = static_cast<int>(state >> 24) % 15;  // skewed, so that there is a bias
        answer.expected.SetElement(i, 1.5);
        answer.bound->SetElement(i, 4);
        result.SetElement(i, 1.5 + (off - 4) * ulp);
        const MpfrFloat error = Div(Sub(Exact(result.Element(i)), Exact(1.5)), Exact(2 * ulp));
        sum = Add(sum, error);
        squares = Add(squares, Mul(error, error));
      }
      const double bias = std::fabs(sum.ToDouble()), variance = squares.ToDouble();
      ASSERT_GT(sum, Exact(0));
      const auto accepts = [&](double bias_limit, double variance_limit) {
        output.rule.bias_limit = bias_limit;
        output.rule.variance_limit = variance_limit;
        ++compared;
        return MeasureTensor(output, answer, result).accepted;
      };
      EXPECT_TRUE(accepts(bias, variance));
      EXPECT_FALSE(accepts(std::nextafter(bias, 0), variance));
      EXPECT_FALSE(accepts(bias, std::nextafter(variance, 0)));
      // One result one step further up: the sum grows by half a unit.
      const double last = result.Element(kCount - 1);
      result.SetElement(kCount - 1, last + ulp);
      EXPECT_FALSE(accepts(bias, 2 * variance));
      EXPECT_TRUE(accepts(bias + 0.5, 2 * variance));
      result.SetElement(kCount - 1, last >= 1.5 ? last + ulp : last - ulp);
      EXPECT_FALSE(accepts(2 * bias, variance));
    }
  }
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_EQ(compared, 600);
}

// Judges as the header of the rule says: ends beyond the greatest number are infinite, infinity is
// NaN in fp8e4m3, a zero that is flushed, signs of zeros.
class IntervalText {
 public:
  IntervalText(DType dtype, double least, double greatest, bool zero_sign)
      : numbers_(dtype), zero_sign_(zero_sign), least_(least), lo_(End(least)), hi_(End(greatest)) {
    const MpfrFloat normal_min = PowerOfTwo(numbers_.min_exponent), zero = Exact(0);
    flushed_ = !numbers_.is_fp8 && lo_ < normal_min && hi_ > Sub(zero, normal_min);
    both_signs_ = lo_ < zero && hi_ > zero;
    overflows_ = hi_ == Exact(kInf) || lo_ == Exact(-kInf);
  }

  bool Accepts(const Results& results, int64_t bits) const {
    const double value = results.tensor.Element(bits);
    if (std::isnan(least_)) return std::isnan(value);
    if (std::isnan(value)) return numbers_.is_e4m3 && overflows_;
    const MpfrFloat& x = results.exact[static_cast<size_t>(bits)];
    const bool inside = x >= lo_ && x <= hi_;
    if (value != 0) return inside;
    const bool right_sign =
        !zero_sign_ || both_signs_ || std::signbit(value) == std::signbit(least_);
    return (inside || flushed_) && right_sign;
  }

 private:
  MpfrFloat End(double end) const {
    if (end > numbers_.max) return Exact(kInf);
    return end < -numbers_.max ? Exact(-kInf) : Exact(end);
  }

  Numbers numbers_;
  bool zero_sign_, flushed_ = false, both_signs_ = false, overflows_ = false;
  double least_;
  MpfrFloat lo_, hi_;
};

TEST(BruteForce, IntervalsOnEveryResult) {
  int64_t compared = 0;
  const auto compare = [&](DType dtype, double least, double greatest) {
    for (const bool zero_sign : {false, true}) {
      Trial trial(dtype, RuleKind::kInterval, "tosa-1.0", least, greatest);
      trial.output.rule.zero_sign = zero_sign;
      const IntervalText text(dtype, least, greatest, zero_sign);
      ExpectVerdicts(
          trial, [&](int64_t bits) { return text.Accepts(ResultsOf(dtype), bits); }, &compared);
    }
  };
  for (const DType dtype : kFp8) {
    std::vector<double> ends = {kInf, -kInf, 1e9, -1e9, 1e-300, -1e-300};
    for (uint64_t bits = 0; bits < 256; bits += bits % 128 < 12 || bits % 128 > 118 ? 1 : 7) {
      if (!std::isfinite(DecodeFloat(dtype, bits))) continue;
      ends.push_back(DecodeFloat(dtype, bits));
      ends.push_back(DecodeFloat(dtype, bits) * 1.03125);
    }
    for (const double least : ends) {
      for (const double greatest : ends) {
        if (least <= greatest) compare(dtype, least, greatest);
        if (HasFatalFailure()) return;
      }
    }
    compare(dtype, kNan, kNan);
  }
  for (const DType dtype : kHalf) {
    std::vector<double> ends = SomeReferences(dtype);
    ends.push_back(-0.0);
    for (const double least : ends) {
      for (const double greatest : ends) {
        if (least <= greatest) compare(dtype, least, greatest);
        if (HasFatalFailure()) return;
      }
    }
    compare(dtype, kNan, kNan);
  }
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_GT(compared, 35'000'000);
}

TEST(BruteForce, ExactFloatsOnEveryPairOrResult) {
  int64_t compared = 0;
  for (const DType dtype : {DType::kFp8E4M3, DType::kFp8E5M2, DType::kFp16, DType::kBf16}) {
    const Results& results = ResultsOf(dtype);
    // The results are, in types of 16 bits, the first and last patterns of either sign, and some
    // between.
    const int64_t half = results.tensor.size() / 2;
    for (int64_t wanted = 0; wanted < results.tensor.size(); ++wanted) {
      const int64_t magnitude = wanted % half;
      const int64_t infinity = static_cast<int64_t>(EncodeFloat(dtype, kInf));
      const bool edge = magnitude < 2 || std::abs(magnitude - infinity) < 2;
      if (half > 128 && !edge && magnitude % 4099 != 0) continue;
      const double expected = results.tensor.Element(wanted);
      for (const bool zero_sign : {false, true}) {
        Trial trial(dtype, RuleKind::kExact, "tosa-1.0", expected, {});
        trial.output.rule.zero_sign = zero_sign;
        ExpectVerdicts(
            trial,
            [&](int64_t bits) {
              // Patterns that are not NaN differ in value, but for the two zeros.
              const bool nan = std::isnan(results.tensor.Element(bits));
              if (nan || std::isnan(expected)) return nan && std::isnan(expected);
              return bits == wanted || (!zero_sign && bits % half == 0 && magnitude == 0);
            },
            &compared);
        if (HasFatalFailure()) return;
      }
    }
  }
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_GT(compared, 6'000'000);
}

// Every least, greatest and result of int8, signed and unsigned; every pair for the exact rule.
TEST(BruteForce, EveryTripleOfInt8) {
  int64_t compared = 0;
  Tensor result(DType::kI8, {256});
  for (int64_t i = 0; i < 256; ++i) result.SetBits(i, static_cast<uint64_t>(i));
  const auto value = [](int64_t bits, bool is_unsigned) {
    return is_unsigned || bits < 128 ? bits : bits - 256;
  };
  ExpectedOutput output{.name = "out", .dtype = DType::kI8, .shape = {256}};
  output.rule.form = "tosa-1.0";
  Answer answer{false, Tensor(DType::kI8, {256}), {}, Tensor(DType::kI8, {256})};
  for (const bool is_unsigned : {false, true}) {
    output.rule.is_unsigned = is_unsigned;
    for (int64_t least = 0; least < 256; ++least) {
      for (int64_t i = 0; i < 256; ++i) answer.expected.SetInteger(i, least);
      output.rule.kind = RuleKind::kExact;
      ASSERT_EQ(MeasureTensor(output, answer, result).mismatches, 255);
      const ElementJudge exact(output, answer, result);
      for (int64_t i = 0; i < 256; ++i) ASSERT_EQ(exact.Accepts(i), i == least);
      output.rule.kind = RuleKind::kInterval;
      for (int64_t greatest = 0; greatest < 256; ++greatest) {
        if (value(least, is_unsigned) > value(greatest, is_unsigned)) continue;
        for (int64_t i = 0; i < 256; ++i) answer.upper->SetInteger(i, greatest);
        const ElementJudge judge(output, answer, result);
        int64_t refused = 0;
        for (int64_t i = 0; i < 256; ++i) {
          const int64_t x = value(i, is_unsigned);
          const bool expected = value(least, is_unsigned) <= x && x <= value(greatest, is_unsigned);
          ASSERT_EQ(judge.Accepts(i), expected) << least << " " << i << " " << greatest;
          refused += !expected;
        }
        ASSERT_EQ(MeasureTensor(output, answer, result).mismatches, refused);
        compared += 256;
      }
    }
  }
  RecordProperty("comparisons", std::to_string(compared));
  EXPECT_EQ(compared, 2 * (256 * 257 / 2) * 256);
}

}  // namespace
}  // namespace cts

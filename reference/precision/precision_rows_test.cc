// Rows that no edition of ours has yet, and results that have none.
#include <gmock/gmock.h>

#include <cmath>
#include <functional>
#include <limits>

#include "cts_precision_tables.h"
#include "reference/base/json.h"
#include "reference/base/special_values_testing.h"
#include "reference/numeric/mpfr_float.h"
#include "reference/ops/testing.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr double kLeast = std::numeric_limits<double>::denorm_min();

// tosa-1.0 with another table of precision.
Edition WithRows(const std::function<void(Json&)>& change) {
  Edition edition = **FindEdition("tosa-1.0");
  for (const EmbeddedFile& file : EmbeddedPrecisionTables()) {
    if (file.name != "tosa-1.0.json") continue;
    Json json = Json::parse(file.text);
    json["documents"]["acme-2"] = {{"publisher", "Acme"}, {"title", "Operators, second edition"}};
    change(json["rows"]);
    StatusOr<PrecisionTable> table = PrecisionTable::FromJson(json, edition);
    EXPECT_TRUE(table.ok()) << table.status();
    if (table.ok()) edition.precision = std::make_shared<PrecisionTable>(*std::move(table));
  }
  return edition;
}

// The row of an operator is this one.
Edition WithRow(const Json& row) {
  return WithRows([&](Json& rows) {
    for (Json& each : rows) {
      if (each["operator"] == row["operator"]) each = row;
    }
  });
}

StatusOr<Evaluation> EvaluateBy(const OneOperator& op, const Edition& edition) {
  return Evaluate(op.graph(), op.inputs(), edition, *edition.FindLevel("8K"));
}

ExpectedOutput OutputBy(const OneOperator& op, const Edition& edition) {
  const StatusOr<Evaluation> evaluation = EvaluateBy(op, edition);
  if (evaluation.ok() && evaluation->outcome == Outcome::kValid) return evaluation->outputs[0];
  ADD_FAILURE() << evaluation.status();
  return {"out", DType::kI8, {1}, {}, {{.expected = Tensor(DType::kI8, {1})}}};
}

OneOperator Add(DType type, const std::vector<double>& x, const std::vector<double>& y) {
  const Shape shape = {static_cast<int64_t>(x.size())};
  OneOperator op("ADD");
  return op.Floats(type, shape, x).Floats(type, shape, y).Out(type, shape);
}

OneOperator Exp(DType type, const std::vector<double>& x) {
  const Shape shape = {static_cast<int64_t>(x.size())};
  OneOperator op("EXP");
  return op.Floats(type, shape, x).Out(type, shape);
}

MpfrFloat ExactExp(double x) {
  MpfrFloat result = MpfrFloat::FromDouble(x, 300);
  mpfr_exp(result.raw(), result.raw(), MPFR_RNDN);
  return result;
}

TEST(PrecisionRows, AnOperatorWithoutARowIsRefused) {
  const Edition edition = WithRows([](Json& rows) {
    for (size_t i = rows.size(); i-- > 0;) {
      if (rows[i]["operator"] == "EXP") rows.erase(i);
    }
  });
  const StatusOr<Evaluation> evaluation = EvaluateBy(Exp(DType::kFp32, {1}), edition);
  ASSERT_FALSE(evaluation.ok());
  EXPECT_THAT(
      Message(evaluation.status()),
      AllOf(StartsWith("graph, EXP"),
            HasSubstr(": tosa-1.0, EXP, type row \"fp32\", result of fp32: no rule of precision is "
                      "known: expected a row in schemas/editions/precision/tosa-1.0.json")));
  // All others are judged as before.
  EXPECT_EQ(OutputBy(Add(DType::kFp32, {1}, {2}), edition).rule.ulp, 0.5);
}

TEST(PrecisionRows, AnEditionWithoutATableIsRefused) {
  Edition edition = **FindEdition("tosa-1.0");
  edition.precision = nullptr;
  const StatusOr<Evaluation> evaluation = EvaluateBy(Exp(DType::kFp32, {1}), edition);
  ASSERT_FALSE(evaluation.ok());
  EXPECT_THAT(Message(evaluation.status()),
              HasSubstr("edition tosa-1.0 has no table of precision"));
}

TEST(PrecisionRows, UnitsInTheLastPlaceFollowTheBinadeOfTheReference) {
  const Edition acme = WithRow({{"operator", "ADD"},
                                {"class", "elementwise"},
                                {"magnitude", "binade"},
                                {"scale", 3.5},
                                {"document", "acme-2"},
                                {"section", "4.1 Sums"},
                                {"text", "within 3.5 ulp"}});
  const double tiny = std::ldexp(1, -149);
  const ExpectedOutput fp32 = OutputBy(
      Add(DType::kFp32, {1, -1, -1, tiny, 1, kInf, kInf}, {2, -7, 1, 0, -0.5, 1, -kInf}), acme);
  EXPECT_EQ(fp32.rule.kind, RuleKind::kAbsoluteBound);
  EXPECT_EQ(fp32.rule.form, "tosa-1.0");
  EXPECT_EQ(fp32.rule.clause, "acme-2, 4.1 Sums: within 3.5 ulp");
  EXPECT_FALSE(fp32.rule.zero_sign);
  // The sums are 3, -8, 0, the least number, 0.5, infinity and NaN. Their units are 2^-22, 2^-20,
  // none, 2^-149, 2^-24. Nothing but itself is an infinity, nor NaN.
  EXPECT_THAT(fp32.answers[0].bound->Elements(),
              ElementsAre(3.5 * 0x1p-22, 3.5 * 0x1p-20, kLeast, 3.5 * tiny, 3.5 * 0x1p-24, 0, 0));
  const ExpectedOutput bf16 = OutputBy(Add(DType::kBf16, {1}, {2}), acme);
  EXPECT_EQ(bf16.answers[0].bound->Element(0), 3.5 * 0x1p-6);
}

TEST(PrecisionRows, UnitsInTheLastPlaceAreThoseOfTheExactFunction) {
  const Edition acme = WithRow({{"operator", "EXP"},
                                {"class", "elementwise"},
                                {"magnitude", "binade"},
                                {"scale", 4},
                                {"text", "within 4 ulp"}});
  const std::vector<double> x = {1.5, -3.25, 0, -0.0, 20, -kInf};
  const Tensor bound = *OutputBy(Exp(DType::kFp32, x), acme).answers[0].bound;
  for (size_t i = 0; i + 1 < x.size(); ++i) {
    // mpfr_get_exp: of a fraction from 0.5 to 1.
    const auto binade = static_cast<int>(mpfr_get_exp(ExactExp(x[i]).raw())) - 1;
    EXPECT_EQ(bound.Element(static_cast<int64_t>(i)), 4 * std::ldexp(1, binade - 23)) << x[i];
  }
  // exp(-infinity) is 0, for which there is no table.
  EXPECT_EQ(bound.Element(5), kLeast);
}

Json RelativeAndAbsolute(const char* op, double relative, double absolute) {
  return {{"operator", op},
          {"class", "relative_and_absolute"},
          {"relative", relative},
          {"absolute", absolute},
          {"text", "relative and absolute"}};
}

TEST(PrecisionRows, RelativeAndAbsoluteErrorsAddUp) {
  const Edition acme = WithRow(RelativeAndAbsolute("ADD", 0x1p-8, 0x1p-10));
  const ExpectedOutput out =
      OutputBy(Add(DType::kFp32, {1, -1, -1, kInf, kInf}, {2, -2, 1, 1, -kInf}), acme);
  EXPECT_EQ(out.rule.kind, RuleKind::kAbsoluteBound);
  EXPECT_EQ(out.rule.clause, "tosa-1.0, ADD: relative and absolute");
  // 2^-10 + 3 * 2^-8 = 13 * 2^-10 on both sides of zero; of 0 the absolute part alone.
  EXPECT_THAT(out.answers[0].bound->Elements(),
              ElementsAre(13 * 0x1p-10, 13 * 0x1p-10, 0x1p-10, 0, 0));
  EXPECT_TRUE(std::isnan(out.answers[0].expected.Element(4)));
}

TEST(PrecisionRows, RelativeAndAbsoluteErrorsAreThoseOfTheExactFunction) {
  const double relative = 1e-3, absolute = 1e-5;
  const Edition acme = WithRow(RelativeAndAbsolute("EXP", relative, absolute));
  const std::vector<double> x = {0, 1, -1, 5.5, -20, 88.5};
  const Tensor bound = *OutputBy(Exp(DType::kFp32, x), acme).answers[0].bound;
  for (size_t i = 0; i < x.size(); ++i) {
    MpfrFloat exact = ExactExp(x[i]);
    exact = Mul(exact, MpfrFloat::FromDouble(relative, 300));
    exact = Add(exact, MpfrFloat::FromDouble(absolute, 300));
    // Three roundings of fp64.
    EXPECT_NEAR(bound.Element(static_cast<int64_t>(i)) / exact.ToDouble(), 1, 0x1p-51) << x[i];
  }
}

TEST(PrecisionRows, RelativeErrorsOfWhatLeavesFp64) {
  const OneOperator beyond = Exp(DType::kFp32, {1000});
  const auto bound = [&](double relative) {
    return OutputBy(beyond, WithRow(RelativeAndAbsolute("EXP", relative, 1)))
        .answers[0]
        .bound->Element(0);
  };
  EXPECT_EQ(bound(0.5), 0);   // that infinity
  EXPECT_EQ(bound(1), kInf);  // an error as large as the result
  // Zero is no value of a table where the absolute part is 0.
  const ExpectedOutput zero =
      OutputBy(Add(DType::kFp32, {1}, {-1}), WithRow(RelativeAndAbsolute("ADD", 0.5, 0)));
  EXPECT_EQ(zero.answers[0].bound->Element(0), kLeast);
}

}  // namespace
}  // namespace cts

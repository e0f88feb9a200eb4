#include "checker/report/accuracy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "reference/base/json.h"

namespace cts {
namespace {

using testing::HasSubstr;

CaseReport CaseOf(const std::string& id, DType dtype, RuleKind rule, std::vector<double> ulps,
                  std::optional<double> of_bound) {
  CaseReport c;
  c.id = id;
  c.op = "SIN";
  c.data_set = "unit";
  c.verdict = Verdict::kPass;
  OutputReport output;
  output.dtype = dtype;
  output.rule.kind = rule;
  output.elements = static_cast<int64_t>(ulps.size());
  output.worst_of_bound = of_bound;
  for (const double ulp : ulps) {
    output.ulps.Add(ulp);
    output.worst_ulp = std::max(output.worst_ulp, ulp);
  }
  c.outputs = {output};
  return c;
}

TEST(UlpHistogram, SumsInPartsOfAnUlpWhateverTheOrder) {
  UlpHistogram one, other;
  one.Add(0.1);
  one.Add(1e30);
  one.Add(std::numeric_limits<double>::infinity());
  other.Add(std::numeric_limits<double>::infinity());
  other.Add(0.1);
  other.Add(1e30);
  EXPECT_EQ(one.sum, other.sum);
  EXPECT_EQ(one.Sum(), 2 * 1048576 + 410.0 / 4096);  // 0.1 * 4096 = 409.6
}

TEST(Accuracy, AddsUpAcceptedResultsOfOneOperatorTypeAndRange) {
  Report report;
  report.cases = {CaseOf("sin/a", DType::kFp32, RuleKind::kUlp, {0, 1}, 0.25),
                  CaseOf("sin/b", DType::kFp32, RuleKind::kUlp, {0.5, 0.5}, 0.75),
                  CaseOf("sin/c", DType::kFp32, RuleKind::kUlp, {0.25}, 0.75),
                  CaseOf("sin/d", DType::kFp16, RuleKind::kDotProduct, {3}, std::nullopt),
                  CaseOf("sin/e", DType::kFp32, RuleKind::kExact, {0}, std::nullopt),
                  CaseOf("sin/f", DType::kI32, RuleKind::kUlp, {1}, 1)};
  report.cases.push_back(CaseOf("sin/g", DType::kFp32, RuleKind::kUlp, {9}, 3));
  report.cases.back().outputs[0].verdict = Verdict::kFail;
  report.cases.push_back(CaseOf("sin/h", DType::kFp32, RuleKind::kUlp, {2}, 0.5));
  report.cases.back().data_set = "special";
  const std::vector<AccuracyRow> rows = AccuracyOf(report);
  ASSERT_EQ(rows.size(), 3u);
  const auto row = [&](DType dtype, const std::string& range) {
    for (const AccuracyRow& each : rows) {
      if (each.dtype == dtype && each.range == range) return each;
    }
    ADD_FAILURE() << range;
    return AccuracyRow();
  };
  const AccuracyRow unit = row(DType::kFp32, "unit");
  EXPECT_EQ(unit.elements, 5);
  EXPECT_EQ(unit.mean_ulp, 2.25 / 5);
  EXPECT_EQ(unit.greatest_ulp, 1);
  EXPECT_EQ(unit.greatest_of_bound, 0.75);
  EXPECT_EQ(unit.worst_case, "sin/b");
  EXPECT_EQ(Title(unit), "SIN, fp32, unit");
  EXPECT_FALSE(row(DType::kFp16, "unit").greatest_of_bound.has_value());
  EXPECT_EQ(row(DType::kFp32, "special").mean_ulp, 2);
}

TEST(Accuracy, IsReadAsItWasWritten) {
  Report report;
  report.suite.digest = std::string(64, 'a');
  report.cases = {CaseOf("sin/a", DType::kFp32, RuleKind::kAbsoluteBound, {0, 1.0 / 3, 1e300},
                         std::numeric_limits<double>::infinity()),
                  CaseOf("sin/d", DType::kFp16, RuleKind::kDotProduct, {0.7}, std::nullopt)};
  report.cases[1].mode = "mode";
  const Accuracy written = AccuracyNow(report);
  const Json json = *ParseJson(FormatJson(AccuracyToJson(written)), "a.json");
  const auto read = AccuracyFromJson(json, "a.json");
  ASSERT_TRUE(read.ok()) << read.status();
  EXPECT_EQ(AccuracyToJson(*read), json);
  ASSERT_EQ(read->rows.size(), 2u);
  EXPECT_EQ(read->rows[0].mean_ulp, written.rows[0].mean_ulp);

  Json twice = json;
  twice["rows"].push_back(json["rows"][0]);
  EXPECT_THAT(Message(AccuracyFromJson(twice, "a.json").status()),
              HasSubstr("a.json: /rows/2: found SIN, "));
  Json unknown = json;
  unknown["rows"][0]["dtype"] = "fp7";
  EXPECT_THAT(Message(AccuracyFromJson(unknown, "a.json").status()),
              HasSubstr("a.json: /rows/0/dtype: found \"fp7\", expected"));
  Json negative = json;
  negative["slack"] = -1;
  EXPECT_THAT(Message(AccuracyFromJson(negative, "a.json").status()), HasSubstr("/slack"));
}

}  // namespace
}  // namespace cts

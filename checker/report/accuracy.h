// The accuracy of accepted results. These figures may get worse while every result stays legal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check.h"
#include "reference/base/json_fwd.h"

namespace cts {

// The errors of the accepted floating-point outputs of one operator, type and range of data. Only
// outputs whose rule allows an error count.
struct AccuracyRow {
  std::string op;
  std::string mode;  // "" or that of the type row
  DType dtype = DType::kFp32;
  RuleKind rule = RuleKind::kUlp;
  std::string range;  // the cases' data set: "unit", "S3"
  int64_t elements = 0;
  double greatest_ulp = 0;
  double mean_ulp = 0;  // greater errors count as UlpHistogram::kMost
  // The greatest error as a share of the bound that the rule allows; nullopt if no element has a
  // limit.
  std::optional<double> greatest_of_bound;
  std::string worst_case;  // the first case with greatest_of_bound, otherwise with greatest_ulp

  // Whether both rows have the same operator, type, rule and range.
  bool SameAs(const AccuracyRow& other) const {
    return op == other.op && mode == other.mode && dtype == other.dtype && rule == other.rule &&
           range == other.range;
  }
};

// In the order of operators, modes, types, rules and ranges.
std::vector<AccuracyRow> AccuracyOf(const Report& report);
// For reports and for files of accuracy.
Json AccuracyToJson(const std::vector<AccuracyRow>& rows);
// "SIN, fp32, unit".
std::string Title(const AccuracyRow& row);

// The accuracy that an earlier run reached (schemas/accuracy.schema.json).
struct Accuracy {
  std::string suite, edition, level, digest;
  std::string implementation, version;
  // The share of itself by which a figure may grow: 0.05. For implementations whose sums have
  // another order in every run.
  double slack = 0;
  std::vector<AccuracyRow> rows;
};

Accuracy AccuracyNow(const Report& report);
// Errors name the file, or `origin`, and the JSON pointer.
StatusOr<Accuracy> AccuracyFromJson(const Json& json, std::string_view origin);
StatusOr<Accuracy> ReadAccuracy(const std::filesystem::path& path);
Json AccuracyToJson(const Accuracy& accuracy);

// A line for each row whose greatest share of its bound or whose mean error is greater than
// `before` and its slack allow. Rows that only one of the two has are not compared: the gate
// reports results that are gone. An error if `before` is of another suite, because figures of other
// data cannot be compared.
struct AccuracyComparison {
  std::vector<std::string> worse;    // a line each
  size_t compared = 0, figures = 0;  // figures of the report, and how many there were before
};
StatusOr<AccuracyComparison> WorseThan(const Accuracy& before, const Report& report,
                                       std::string_view origin);

}  // namespace cts

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

// The errors of all accepted floating-point outputs that have the same operator, mode, type, rule
// and range. Outputs whose rule allows no error are left out.
struct AccuracyRow {
  std::string op;
  std::string mode;  // the mode of the type row; empty if it has none
  DType dtype = DType::kFp32;
  RuleKind rule = RuleKind::kUlp;
  std::string range;  // the cases' data set: "unit", "S3"
  int64_t elements = 0;
  double greatest_ulp = 0;
  double mean_ulp = 0;  // errors above UlpHistogram::kMost count as kMost
  // The greatest error as a share of the bound that the rule allows; nullopt if no output of the
  // row has such a share.
  std::optional<double> greatest_of_bound;
  // The id of the first case with the error `greatest_of_bound` or, if `greatest_of_bound` is
  // nullopt, with the error `greatest_ulp`.
  std::string worst_case;

  // Whether both rows have the same operator, mode, type, rule and range.
  bool SameAs(const AccuracyRow& other) const {
    return op == other.op && mode == other.mode && dtype == other.dtype && rule == other.rule &&
           range == other.range;
  }
};

// Returns the rows in the order of operators, modes, types, rules and ranges.
std::vector<AccuracyRow> AccuracyOf(const Report& report);
// Returns the rows in the form that reports and accuracy files have.
Json AccuracyToJson(const std::vector<AccuracyRow>& rows);
// "SIN, fp32, unit".
std::string Title(const AccuracyRow& row);

// The accuracy that an earlier run reached (schemas/accuracy.schema.json).
struct Accuracy {
  std::string suite, edition, level, digest;
  std::string implementation, version;
  // The fraction by which a figure may grow, such as 0.05. It is meant for implementations that add
  // in a different order in every run.
  double slack = 0;
  std::vector<AccuracyRow> rows;
};

Accuracy AccuracyNow(const Report& report);
// Errors name the file, or `origin`, and the JSON pointer.
StatusOr<Accuracy> AccuracyFromJson(const Json& json, std::string_view origin);
StatusOr<Accuracy> ReadAccuracy(const std::filesystem::path& path);
Json AccuracyToJson(const Accuracy& accuracy);

// The result of comparing a report with the accuracy of an earlier run.
struct AccuracyComparison {
  std::vector<std::string> worse;  // one line for each row that became worse
  // `figures` is the number of the report's rows. `compared` is the number of those rows that the
  // earlier accuracy has, too.
  size_t compared = 0, figures = 0;
};
// A row is worse if its greatest share of the bound, or its mean error, is greater than the same
// figure of `before` by more than the fraction `before.slack`. A row that only the report or only
// `before` has is not compared. (The gate reports missing results.) Returns an error if `before` is
// of another suite, because figures of other data cannot be compared.
StatusOr<AccuracyComparison> WorseThan(const Accuracy& before, const Report& report,
                                       std::string_view origin);

}  // namespace cts

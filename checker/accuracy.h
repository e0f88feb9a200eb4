// The accuracy of accepted results: figures that may get worse though every result stays legal.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "checker/check.h"
#include "reference/base/json_fwd.h"

namespace cts {

// The errors of the accepted floating-point outputs of one operator, type and range of data, whose
// rule allows an error.
struct AccuracyRow {
  std::string op;
  std::string mode;  // "" or that of the type row
  DType dtype = DType::kFp32;
  RuleKind rule = RuleKind::kUlp;
  std::string range;  // the cases' data set: "unit", "S3"
  int64_t elements = 0;
  double greatest_ulp = 0;
  double mean_ulp = 0;  // errors above UlpHistogram::kMost count as that
  // The greatest error as a share of what the rule allows; 1 is all of it. Nothing: no element has
  // a limit.
  std::optional<double> greatest_of_bound;
  std::string worst_case;  // the first case that has greatest_of_bound, else greatest_ulp

  // Whether both rows are figures of the same thing.
  bool SameAs(const AccuracyRow& other) const {
    return op == other.op && mode == other.mode && dtype == other.dtype && rule == other.rule &&
           range == other.range;
  }
};

// In the order of operators, modes, types, rules and ranges.
std::vector<AccuracyRow> AccuracyOf(const Report& report);
// For reports and for a file of accuracy alike.
Json AccuracyToJson(const std::vector<AccuracyRow>& rows);
// "SIN, fp32, unit".
std::string Title(const AccuracyRow& row);

// The accuracy that an earlier run reached (schemas/accuracy.schema.json).
struct Accuracy {
  std::string suite, edition, level, digest;
  std::string implementation, version;
  // The share of itself by which a figure may grow: 0.05. For implementations whose sums take
  // another order at every run.
  double slack = 0;
  std::vector<AccuracyRow> rows;
};

Accuracy AccuracyNow(const Report& report);
// Errors name the file, or `origin`, and the JSON pointer.
StatusOr<Accuracy> AccuracyFromJson(const Json& json, std::string_view origin);
StatusOr<Accuracy> ReadAccuracy(const std::filesystem::path& path);
Json AccuracyToJson(const Accuracy& accuracy);

// A line for each row whose greatest share of its bound or whose mean error is greater than
// `before` and its slack allow. Rows that only one of the two has are not compared: what is gone
// failed, which is the gate's to say. An error if `before` is of another suite: figures of other
// data say nothing.
struct AccuracyComparison {
  std::vector<std::string> worse;    // a line each
  size_t compared = 0, figures = 0;  // figures of the report, and how many there were before
};
StatusOr<AccuracyComparison> WorseThan(const Accuracy& before, const Report& report,
                                       std::string_view origin);

}  // namespace cts

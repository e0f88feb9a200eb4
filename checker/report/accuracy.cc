#include "checker/report/accuracy.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <tuple>
#include <utility>

#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"

namespace cts {
namespace {

bool AllowsAnError(RuleKind rule) {
  return rule == RuleKind::kUlp || rule == RuleKind::kAbsoluteBound ||
         rule == RuleKind::kDotProduct;
}

// Sums of one row.
struct Sums {
  int64_t elements = 0;
  UlpHistogram ulps;
  double greatest_ulp = 0;
  std::optional<double> greatest_of_bound;
  std::string worst_case;

  void Add(const OutputReport& output, const std::string& id) {
    elements += output.elements;
    ulps.Add(output.ulps);
    const bool worse = output.worst_of_bound.has_value() || greatest_of_bound.has_value()
                           ? output.worst_of_bound.value_or(-1) > greatest_of_bound.value_or(-1)
                           : output.worst_ulp > greatest_ulp;
    if (worse || worst_case.empty()) worst_case = id;
    greatest_ulp = std::max(greatest_ulp, output.worst_ulp);
    if (output.worst_of_bound) {
      greatest_of_bound = std::max(greatest_of_bound.value_or(0), *output.worst_of_bound);
    }
  }
};

Json SuiteToJson(const Accuracy& accuracy) {
  return {{"name", accuracy.suite},
          {"edition", accuracy.edition},
          {"level", accuracy.level},
          {"digest", accuracy.digest}};
}

StatusOr<AccuracyRow> RowFrom(const Json& json, const std::string& place) {
  AccuracyRow row;
  row.op = json["operator"];
  row.mode = json.value("mode", "");
  const std::string dtype = json["dtype"];
  const auto* const info = std::find_if(std::begin(kDTypes), std::end(kDTypes),
                                        [&](const DTypeInfo& each) { return each.name == dtype; });
  if (info == std::end(kDTypes)) {
    return InvalidArgument(place, "/dtype: found \"", Printable(dtype),
                           "\", expected the name of a type");
  }
  row.dtype = info->dtype;
  row.rule = RuleKindOf(json["rule"].get<std::string>());
  row.range = json["range"];
  row.elements = json["elements"];
  row.greatest_ulp = DoubleFromJson(json["greatest_ulp"]).value_or(0);
  row.mean_ulp = json["mean_ulp"];
  if (json.contains("greatest_of_bound")) {
    row.greatest_of_bound = DoubleFromJson(json["greatest_of_bound"]).value_or(0);
  }
  row.worst_case = json["worst_case"];
  return row;
}

std::string Percent(double share) { return StrCat(FormatFigure(100 * share), " %"); }

// Why a row is worse than it was; empty if it is not.
std::string Worse(const AccuracyRow& before, const AccuracyRow& now, double slack) {
  const double most = 1 + slack;
  std::string text;
  if (now.greatest_of_bound.value_or(0) > before.greatest_of_bound.value_or(0) * most) {
    text = StrCat("greatest error ", Percent(*now.greatest_of_bound), " of the bound, was ",
                  Percent(before.greatest_of_bound.value_or(0)), " (", now.worst_case, ")");
  }
  if (now.mean_ulp > before.mean_ulp * most) {
    text += StrCat(text.empty() ? "" : "; ", "mean error ", FormatFigure(now.mean_ulp),
                   " ulp, was ", FormatFigure(before.mean_ulp));
  }
  return text;
}

}  // namespace

std::vector<AccuracyRow> AccuracyOf(const Report& report) {
  std::map<std::tuple<std::string, std::string, DType, RuleKind, std::string>, Sums> sums;
  for (const CaseReport& c : report.cases) {
    for (const OutputReport& output : c.outputs) {
      if (!AllowsAnError(output.rule.kind) || !IsFloat(output.dtype)) continue;
      if (output.verdict != Verdict::kPass || output.elements == 0) continue;
      sums[{c.op, c.mode, output.dtype, output.rule.kind, c.data_set}].Add(output, c.id);
    }
  }
  std::vector<AccuracyRow> rows;
  rows.reserve(sums.size());
  for (const auto& [key, sum] : sums) {
    const auto& [op, mode, dtype, rule, range] = key;
    rows.push_back({op, mode, dtype, rule, range, sum.elements, sum.greatest_ulp,
                    sum.ulps.Sum() / static_cast<double>(sum.elements), sum.greatest_of_bound,
                    sum.worst_case});
  }
  return rows;
}

Json AccuracyToJson(const std::vector<AccuracyRow>& rows) {
  Json json = Json::array();
  for (const AccuracyRow& row : rows) {
    json.push_back({{"operator", Printable(row.op)},
                    {"dtype", Name(row.dtype)},
                    {"rule", Name(row.rule)},
                    {"range", Printable(row.range)},
                    {"elements", row.elements},
                    {"greatest_ulp", DoubleToJson(row.greatest_ulp)},
                    {"mean_ulp", row.mean_ulp},
                    {"worst_case", row.worst_case}});
    if (!row.mode.empty()) json.back()["mode"] = Printable(row.mode);
    if (row.greatest_of_bound) {
      json.back()["greatest_of_bound"] = DoubleToJson(*row.greatest_of_bound);
    }
  }
  return json;
}

std::string Title(const AccuracyRow& row) {
  return StrCat(Printable(row.op), row.mode.empty() ? "" : ", " + Printable(row.mode), ", ",
                Name(row.dtype), ", ", Printable(row.range));
}

Accuracy AccuracyNow(const Report& report) {
  return {report.suite.name,
          report.suite.edition,
          report.suite.level,
          report.suite.digest,
          report.run.name,
          report.run.version,
          0,
          AccuracyOf(report)};
}

StatusOr<Accuracy> AccuracyFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "accuracy", origin));
  const Json& suite = json["suite"];
  Accuracy accuracy{suite["name"],
                    suite["edition"],
                    suite["level"],
                    suite["digest"],
                    json["implementation"]["name"],
                    json["implementation"]["version"],
                    json["slack"],
                    {}};
  for (size_t i = 0; i < json["rows"].size(); ++i) {
    CTS_ASSIGN_OR_RETURN(AccuracyRow row, RowFrom(json["rows"][i], StrCat(origin, ": /rows/", i)));
    const auto twice = std::find_if(accuracy.rows.begin(), accuracy.rows.end(),
                                    [&](const AccuracyRow& other) { return row.SameAs(other); });
    if (twice != accuracy.rows.end()) {
      return InvalidArgument(origin, ": /rows/", i, ": found ", Title(row), " again, as /rows/",
                             twice - accuracy.rows.begin(), " is: expected it once");
    }
    accuracy.rows.push_back(std::move(row));
  }
  return accuracy;
}

StatusOr<Accuracy> ReadAccuracy(const std::filesystem::path& path) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(path, ""));
  return AccuracyFromJson(json, path.string());
}

Json AccuracyToJson(const Accuracy& accuracy) {
  return {{"format", "tensor-cts-accuracy-1"},
          {"suite", SuiteToJson(accuracy)},
          {"implementation", {{"name", accuracy.implementation}, {"version", accuracy.version}}},
          {"slack", accuracy.slack},
          {"rows", AccuracyToJson(accuracy.rows)}};
}

StatusOr<AccuracyComparison> WorseThan(const Accuracy& before, const Report& report,
                                       std::string_view origin) {
  if (before.digest != report.suite.digest) {
    return InvalidArgument(origin, ": /suite/digest: found ", before.digest.substr(0, 12), " of ",
                           Printable(before.suite), ", expected ",
                           report.suite.digest.substr(0, 12), " of ", Printable(report.suite.name),
                           ": figures of other data say nothing; write new ones by "
                           "--write-accuracy");
  }
  AccuracyComparison comparison;
  for (const AccuracyRow& now : AccuracyOf(report)) {
    ++comparison.figures;
    const auto was = std::find_if(before.rows.begin(), before.rows.end(),
                                  [&](const AccuracyRow& row) { return row.SameAs(now); });
    if (was == before.rows.end()) continue;
    ++comparison.compared;
    const std::string text = Worse(*was, now, before.slack);
    if (!text.empty()) comparison.worse.push_back(StrCat(Title(now), ": ", text));
  }
  return comparison;
}

}  // namespace cts

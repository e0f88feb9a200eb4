#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "checker/report/report.h"
#include "reference/base/json.h"

namespace cts {
namespace {

std::string TextAt(const Json& json, const char* member) { return json.value(member, ""); }

// The schema admits numbers and the names of those that JSON has not.
double FigureAt(const Json& json, const char* member) {
  const auto found = json.find(member);
  return found == json.end() ? 0 : DoubleFromJson(*found).value_or(0);
}

std::map<std::string, std::string> TextsAt(const Json& json, const char* member) {
  return json.value(member, std::map<std::string, std::string>());
}

DotProductFigures FiguresFrom(const Json& json, Rule* rule) {
  rule->absolute_limit = FigureAt(json, "error_limit");
  if (json.contains("bias_limit")) rule->bias_limit = FigureAt(json, "bias_limit");
  if (json.contains("variance_limit")) rule->variance_limit = FigureAt(json, "variance_limit");
  return {json["elements"].get<int64_t>(), json["without_limit"].get<int64_t>(),
          FigureAt(json, "worst_error"), FigureAt(json, "error_sum"),
          FigureAt(json, "squared_error_sum")};
}

Limits LimitsFrom(const Json& json) {
  const auto count = [&](const char* member) { return json.value(member, int64_t{0}); };
  return {.elements = count("all"),
          .limited = count("judged"),
          .wide = count("wide"),
          .undefined = count("undefined"),
          .unlimited = count("unlimited"),
          .unchecked = count("unchecked")};
}

StatusOr<OutputReport> OutputFrom(const Json& json, const std::string& place) {
  OutputReport output;
  output.name = TextAt(json, "name");
  const std::string dtype = TextAt(json, "dtype");
  const auto* const info = std::find_if(std::begin(kDTypes), std::end(kDTypes),
                                        [&](const DTypeInfo& each) { return each.name == dtype; });
  if (info == std::end(kDTypes)) {
    return InvalidArgument(place, "/dtype: found \"", dtype, "\", expected the name of a type");
  }
  output.dtype = info->dtype;
  output.verdict = *VerdictOf(TextAt(json, "verdict"));
  output.message = TextAt(json, "message");
  output.rule.kind = RuleKindOf(TextAt(json["rule"], "kind"));
  output.rule.form = TextAt(json["rule"], "form");
  output.rule.clause = TextAt(json["rule"], "clause");
  output.elements = json["elements"].get<int64_t>();
  output.limits = {.elements = output.elements,
                   .limited = json.value("judged", int64_t{0}),
                   .undefined = json.value("undefined", int64_t{0})};
  output.mismatches = json.value("mismatches", int64_t{0});
  output.worst_ulp = FigureAt(json, "worst_ulp");
  if (json.contains("worst_of_bound")) output.worst_of_bound = FigureAt(json, "worst_of_bound");
  if (json.contains("ulps")) output.ulps.counts = json["ulps"];
  output.ulps.sum = std::llround(FigureAt(json, "ulp_sum") * UlpHistogram::kParts);
  output.answer = TextAt(json, "answer");
  if (json.contains("first")) {
    const Json& first = json["first"];
    output.first = 0;  // where exactly, its index says
    output.first_index = TextAt(first, "element");
    output.first_expected = TextAt(first, "expected");
    output.first_got = TextAt(first, "got");
  }
  if (json.contains("enclosure")) {
    const Json& figures = json["enclosure"];
    output.rule.enclosure = true;
    output.enclosure = EnclosureFigures{.elements = output.elements,
                                        .unlimited = figures["unlimited"].get<int64_t>(),
                                        .wide = figures["wide"].get<int64_t>(),
                                        .median_width = FigureAt(figures, "median_width")};
    output.limits = LimitsOf(*output.enclosure);
  }
  if (json.contains("dot_product")) {
    output.figures = FiguresFrom(json["dot_product"], &output.rule);
  }
  return output;
}

StatusOr<CaseReport> CaseFrom(const Json& json, const std::string& place) {
  CaseReport c;
  c.id = TextAt(json, "id");
  c.op = TextAt(json, "operator");
  c.mode = TextAt(json, "mode");
  c.data_set = TextAt(json, "data_set");
  c.types = TextsAt(json, "types");
  c.profiles = json.value("profiles", c.profiles);
  c.parameters = TextsAt(json, "parameters");
  c.graph = json.value("graph", c.graph);
  c.wrong_operator = TextAt(json, "wrong_operator");
  c.outcome = TextAt(json, "expected") == Name(Outcome::kError) ? Outcome::kError : Outcome::kValid;
  c.condition = TextAt(json, "condition");
  c.disputed = TextAt(json, "disputed");
  c.verdict = *VerdictOf(TextAt(json, "verdict"));
  c.message = TextAt(json, "message");
  c.answered = CaseStatusOf(TextAt(json, "answered"));
  c.said = TextAt(json, "said");
  if (json.contains("declared")) c.declared = json["declared"].get<bool>();
  c.beyond = TextAt(json, "beyond");
  if (json.contains("exit_code")) c.exit_code = json["exit_code"].get<int64_t>();
  if (json.contains("signal")) c.signal = json["signal"].get<int64_t>();
  c.seconds = FigureAt(json, "seconds");
  if (json.contains("elements")) c.limits = LimitsFrom(json["elements"]);
  c.unchecked = json.value("not_checked", false);
  const Json outputs = json.value("outputs", Json::array());
  for (size_t i = 0; i < outputs.size(); ++i) {
    CTS_ASSIGN_OR_RETURN(OutputReport output,
                         OutputFrom(outputs[i], StrCat(place, "/outputs/", i)));
    c.rules.push_back(output.rule.kind);
    c.outputs.push_back(std::move(output));
  }
  return c;
}

void ReadRunInfo(const Json& json, RunInfo* run) {
  const Json& member = json["run"];
  run->name = TextAt(json["implementation"], "name");
  run->version = TextAt(json["implementation"], "version");
  run->command = TextAt(member, "command");
  run->host = TextAt(member, "host");
  run->started = TextAt(member, "started");
  run->seconds = FigureAt(member, "seconds");
  run->tensor_cts = TextAt(member, "tensor_cts");
  run->commit = TextAt(member, "commit");
  for (const Json& named : member.value("code", Json::array())) {
    run->code.push_back(named.get<std::string>());
  }
  if (member.contains("announced_code"))
    run->announced_code = member["announced_code"].get<int64_t>();
  run->under_load = member.value("under_load", false);
  if (!member.contains("shard")) return;
  run->shard = Shard{member["shard"]["index"].get<int>(), member["shard"]["of"].get<int>()};
}

}  // namespace

StatusOr<Report> ReportFromJson(const Json& json, const std::string& origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "report", origin));
  Report report;
  const Json& suite = json["suite"];
  report.suite.name = TextAt(suite, "name");
  report.suite.edition = TextAt(suite, "edition");
  report.suite.level = TextAt(suite, "level");
  report.suite.generator = TextAt(suite, "generator");
  report.suite.seed = suite["seed"].get<uint64_t>();
  report.suite.digest = TextAt(suite, "digest");
  ReadRunInfo(json, &report.run);
  if (json.contains("partial")) report.missing = json["partial"]["missing"].get<size_t>();
  if (json.contains("filter")) report.filter = json["filter"]["patterns"];
  for (const Json& each : json.value("declared", Json::array())) {
    CTS_ASSIGN_OR_RETURN(Declared declared,
                         DeclaredFromJson(each["declared"], StrCat(origin, ": /declared")));
    report.declared.push_back({TextAt(each, "by"), std::move(declared)});
  }
  const Json& cases = json["cases"];
  for (size_t i = 0; i < cases.size(); ++i) {
    CTS_ASSIGN_OR_RETURN(CaseReport c, CaseFrom(cases[i], StrCat(origin, ": /cases/", i)));
    report.cases.push_back(std::move(c));
  }
  for (const Json& each : json["findings"]) {
    report.findings.push_back({TextAt(each, "kind"), TextAt(each, "message"),
                               each["cases"].get<std::vector<std::string>>(),
                               each.value("waived", false)});
  }
  report.notes = json["notes"].get<std::vector<std::string>>();
  return report;
}

}  // namespace cts

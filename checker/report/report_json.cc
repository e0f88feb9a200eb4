#include <utility>

#include "checker/judge/build_state.h"
#include "checker/report/accuracy.h"
#include "checker/report/report.h"
#include "checker/report/summary.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"

namespace cts {
namespace {

Json FiguresToJson(const DotProductFigures& figures, const Rule& rule) {
  Json json = {{"elements", figures.elements},
               {"without_limit", figures.unlimited},
               {"worst_error", DoubleToJson(figures.worst_error)},
               {"error_limit", DoubleToJson(rule.absolute_limit)},
               {"error_sum", DoubleToJson(figures.error_sum)},
               {"squared_error_sum", DoubleToJson(figures.squared_error_sum)}};
  if (rule.bias_limit) json["bias_limit"] = DoubleToJson(*rule.bias_limit);
  if (rule.variance_limit) json["variance_limit"] = DoubleToJson(*rule.variance_limit);
  return json;
}

// Leaves out counts of 0.
Json LimitsToJson(const Limits& limits) {
  Json json = {{"all", limits.elements}, {"judged", limits.limited}};
  for (const auto& [name, count] :
       {std::pair("wide", limits.wide), std::pair("undefined", limits.undefined),
        std::pair("unlimited", limits.unlimited), std::pair("unchecked", limits.unchecked)}) {
    if (count > 0) json[name] = count;
  }
  return json;
}

Json OutputToJson(const OutputReport& output) {
  Json json = {{"name", Printable(output.name)},
               {"dtype", Name(output.dtype)},
               {"verdict", Name(output.verdict)},
               {"rule",
                {{"kind", Name(output.rule.kind)},
                 {"form", Printable(output.rule.form)},
                 {"clause", Printable(output.rule.clause)}}},
               {"elements", output.elements},
               {"judged", output.limits.limited}};
  if (output.limits.undefined > 0) json["undefined"] = output.limits.undefined;
  if (!output.message.empty()) json["message"] = output.message;
  if (!HasFigures(output)) return json;
  json["mismatches"] = output.mismatches;
  json["worst_ulp"] = DoubleToJson(output.worst_ulp);
  if (output.worst_of_bound) json["worst_of_bound"] = DoubleToJson(*output.worst_of_bound);
  json["ulps"] = output.ulps.counts;
  json["ulp_sum"] = DoubleToJson(output.ulps.Sum());
  if (!output.answer.empty()) json["answer"] = output.answer;
  if (output.first >= 0) {
    json["first"] = {{"element", output.first_index},
                     {"expected", output.first_expected},
                     {"got", output.first_got}};
  }
  if (const auto& figures = output.enclosure) {
    json["enclosure"] = {{"unlimited", figures->unlimited},
                         {"wide", figures->wide},
                         {"median_width", DoubleToJson(figures->median_width)}};
  }
  if (output.figures) json["dot_product"] = FiguresToJson(*output.figures, output.rule);
  return json;
}

Json Texts(const std::map<std::string, std::string>& texts) {
  Json json = Json::object();
  for (const auto& [name, text] : texts) json[Printable(name)] = Printable(text);
  return json;
}

}  // namespace

Json CaseToJson(const CaseReport& c) {
  Json json = {{"id", c.id},
               {"operator", c.op},
               {"mode", Printable(c.mode)},
               {"data_set", Printable(c.data_set)},
               {"expected", Name(c.outcome)},
               {"verdict", Name(c.verdict)},
               {"seconds", DoubleToJson(c.seconds)}};
  if (!c.types.empty()) json["types"] = Texts(c.types);
  if (!c.parameters.empty()) json["parameters"] = Texts(c.parameters);
  if (!c.profiles.empty()) {
    json["profiles"] = Json::array();
    for (const std::vector<std::string>& all_of : c.profiles) {
      Json names = Json::array();
      for (const std::string& name : all_of) names.push_back(Printable(name));
      json["profiles"].push_back(std::move(names));
    }
  }
  if (!c.graph.empty()) json["graph"] = c.graph;
  if (!c.wrong_operator.empty()) json["wrong_operator"] = c.wrong_operator;
  if (!c.condition.empty()) json["condition"] = Printable(c.condition);
  if (!c.disputed.empty()) json["disputed"] = c.disputed;
  if (c.declared) json["declared"] = *c.declared;
  if (!c.beyond.empty()) json["beyond"] = c.beyond;
  if (c.answered) json["answered"] = Name(*c.answered);
  if (!c.message.empty()) json["message"] = c.message;
  if (!c.said.empty()) json["said"] = c.said;
  if (c.exit_code) json["exit_code"] = *c.exit_code;
  if (c.signal) json["signal"] = *c.signal;
  if (c.limits.elements > 0) json["elements"] = LimitsToJson(c.limits);
  if (StandingOf(c) == Standing::kNotChecked) json["not_checked"] = true;
  if (!c.outputs.empty()) {
    json["outputs"] = Json::array();
    for (const OutputReport& output : c.outputs) json["outputs"].push_back(OutputToJson(output));
  }
  return json;
}

namespace {

Json CountsToJson(const VerdictCounts& counts) {
  Json json = {{"cases", Total(counts)}};
  for (int i = 0; i < kVerdictCount; ++i) {
    json[std::string(Name(static_cast<Verdict>(i)))] = counts[i];
  }
  return json;
}

Json StandingsToJson(const Standings& standings) {
  Json json = Json::object();
  for (int i = 0; i < kStandingCount; ++i) {
    json[std::string(Name(static_cast<Standing>(i)))] = standings[static_cast<size_t>(i)];
  }
  return json;
}

Json SummaryToJson(const Summary& summary) {
  Json groups = Json::object();
  for (const Group& group : summary.groups) {
    groups[Printable(group.name)] = CountsToJson(group.counts);
  }
  return {{"partition", summary.partition}, {"groups", std::move(groups)}};
}

}  // namespace

Json ElementsToJson(const Report& report) {
  const LimitsByStanding by_standing = CountLimits(report);
  Json json = Json::object();
  Limits all;
  for (size_t i = 0; i < by_standing.size(); ++i) {
    if (by_standing[i].elements == 0) continue;
    all.Add(by_standing[i]);
    json[std::string(Name(static_cast<Standing>(i)))] = LimitsToJson(by_standing[i]);
  }
  json["all"] = LimitsToJson(all);
  return json;
}

Json ReportToJson(const Report& report) {
  Json summaries = Json::object();
  for (const GroupBy by : kGroupings) {
    summaries[std::string(Name(by))] = SummaryToJson(Summarize(report, by));
  }
  Json findings = Json::array();
  for (const Finding& finding : report.findings) {
    findings.push_back({{"kind", Printable(finding.kind)},
                        {"message", Printable(finding.message)},
                        {"cases", finding.cases}});
    if (finding.waived) findings.back()["waived"] = true;
  }
  Json choices = Json::array();
  for (const ChosenOption& chosen : report.choices) {
    choices.push_back(
        {{"choice", chosen.choice}, {"sentence", chosen.sentence}, {"type", Name(chosen.type)}});
    if (!chosen.option.empty()) choices.back()["option"] = chosen.option;
    if (!chosen.means.empty()) choices.back()["means"] = chosen.means;
  }
  Json histograms = Json::array();
  for (const RuleHistogram& histogram : Histograms(report)) {
    histograms.push_back({{"rule", Name(histogram.rule)},
                          {"dtype", Name(histogram.dtype)},
                          {"ulps", histogram.ulps.counts}});
  }
  Json cases = Json::array();
  for (const CaseReport& c : report.cases) cases.push_back(CaseToJson(c));
  Json run = {{"command", report.run.command}, {"seconds", DoubleToJson(report.run.seconds)}};
  if (!report.run.host.empty()) run["host"] = report.run.host;
  if (!report.run.started.empty()) run["started"] = report.run.started;
  if (!report.run.tensor_cts.empty()) run["tensor_cts"] = report.run.tensor_cts;
  if (!report.run.commit.empty()) run["commit"] = report.run.commit;
  if (!report.run.code.empty()) run["code"] = report.run.code;
  if (report.run.announced_code) run["announced_code"] = *report.run.announced_code;
  if (report.run.under_load) run["under_load"] = true;
  if (report.run.shard) {
    run["shard"] = {{"index", report.run.shard->index},
                    {"of", report.run.shard->of},
                    {"passed", AllPassed(report)}};
  }
  Json json = {{"format", "tensor-cts-report-1"},
               {"suite",
                {{"name", Printable(report.suite.name)},
                 {"edition", report.suite.edition},
                 {"level", report.suite.level},
                 {"generator", Printable(report.suite.generator)},
                 {"seed", report.suite.seed},
                 {"digest", report.suite.digest}}},
               {"checker", BuildStateToJson(ThisBuild())},
               {"implementation", {{"name", report.run.name}, {"version", report.run.version}}},
               {"run", std::move(run)},
               {"conformant", Conformant(report)},
               {"positive_control", IsPositiveControl(report)},
               {"totals", CountsToJson(CountVerdicts(report))},
               {"standings", StandingsToJson(CountStandings(report))},
               {"elements", ElementsToJson(report)},
               {"summaries", std::move(summaries)},
               {"findings", std::move(findings)},
               {"choices", std::move(choices)},
               {"ulp_ends", UlpHistogram::kEnds},
               {"histograms", std::move(histograms)},
               {"accuracy", AccuracyToJson(AccuracyOf(report))},
               {"notes", report.notes},
               {"cases", std::move(cases)}};
  for (const DeclaredBy& each : report.declared) {
    json["declared"].push_back(
        {{"by", Printable(each.by)}, {"declared", DeclaredToJson(each.declared)}});
  }
  if (!report.declared.empty()) {
    json["standings"]["declared_not_answered"] = CountDeclaredNotAnswered(report);
  }
  if (report.missing) {
    json["partial"] = {{"missing", *report.missing}, {"passed", AllPassed(report)}};
  }
  if (!report.filter.empty()) {
    json["filter"] = {{"patterns", Json::array()}, {"passed", AllPassed(report)}};
    for (const std::string& pattern : report.filter) {
      json["filter"]["patterns"].push_back(Printable(pattern));
    }
  }
  return json;
}

}  // namespace cts

#include <cstddef>
#include <optional>

#include "checker/judge/build_state.h"
#include "checker/report/report.h"
#include "reference/base/json.h"
#include "tools/program/certify/certificate.h"

namespace cts {
namespace {

Json RunToJson(const RunInfo& run) {
  Json json = {{"name", run.name},
               {"version", run.version},
               {"started", run.started},
               {"host", run.host},
               {"command", run.command}};
  if (const std::vector<std::string> course = CourseOf(run); !course.empty()) {
    json["course"] = course;
  }
  return json;
}

// The builds: which one made the evidence, and which one looked at it.
Json BuildsToJson(const Verification& verification) {
  const RunInfo& run = verification.report.run;
  Json json = {{"made_by", {{"version", run.tensor_cts}, {"commit", run.commit}}},
               {"judged_by", {{"version", ThisBuild().version}, {"commit", ThisBuild().commit}}}};
  if (!verification.release.empty()) json["made_by"]["release"] = verification.release;
  return json;
}

Json SuiteToJson(const Verification& verification) {
  Json json = {{"digest", verification.report.suite.digest},
               {"cases", verification.report.cases.size()},
               {"made_again", verification.regenerated}};
  if (!verification.lock.name.empty()) json["lock"] = verification.lock.name;
  if (verification.answers) {
    json["blind"] = {{"digest", verification.answers->blind},
                     {"seed", verification.answers->recipe.seed}};
  }
  if (const auto& challenge = verification.challenge) {
    json["challenge"] = {
        {"number", challenge->number},         {"issuer_key", challenge->issuer_key},
        {"issuer_says", challenge->issuer},    {"opened", challenge->opened},
        {"until", challenge->until},           {"received", challenge->received},
        {"vendor_key", challenge->vendor_key}, {"issuer_known", challenge->issuer_known}};
  }
  return json;
}

Json FindingsToJson(const Report& report) {
  Json json = Json::array();
  for (const Finding& finding : report.findings) {
    json.push_back(
        {{"kind", finding.kind}, {"message", finding.message}, {"waived", finding.waived}});
  }
  return json;
}

Json RulingsToJson(const ByRulings& by) {
  Json json = {{"rulings", by.rulings}, {"changed", Json::array()}};
  for (const Ruled& one : by.changed) {
    json["changed"].push_back(
        {{"id", one.id}, {"then", one.then}, {"now", one.now}, {"erratum", one.erratum}});
  }
  return json;
}

}  // namespace

Json VerificationToJson(const VerifyOptions& options, const Verification& verification) {
  Json json = {{"format", "tensor-cts-verification-1"},
               {"evidence", options.evidence.string()},
               {"holds", verification.Holds()},
               {"passed", verification.Passed()},
               {"faults", verification.faults}};
  if (!verification.Holds()) return json;
  const Report& report = verification.report;
  const Standings standings = CountStandings(report);
  json["result"] = ResultOf(report);
  const std::string verdict = VerdictLine(verification, options.evidence.string());
  json["verdict"] = verdict.substr(0, verdict.size() - 1);
  json["claim"] = ClaimToJson(verification.claim);
  json["key"] = verification.signers.front();
  json["keys"] = verification.signers;
  json["statement"] = {{"file", verification.statement_file},
                       {"sha256", verification.statement_digest}};
  if (const auto& stamp = verification.timestamp) {
    json["timestamp"] = {{"time", stamp->time}, {"authority", stamp->authority}};
  }
  if (const auto& registered = verification.registered) {
    json["registered"] = {{"number", registered->number},
                          {"issuer", registered->issuer},
                          {"issued", registered->issued},
                          {"valid_until", registered->valid_until},
                          {"sequence", registered->sequence}};
  }
  json["files"] = verification.files;
  json["run"] = RunToJson(report.run);
  json.update(BuildsToJson(verification));
  json["suite"] = SuiteToJson(verification);
  Json& cases = json["cases"] = Json::object();
  for (int i = 0; i < kStandingCount; ++i) {
    const auto standing = static_cast<Standing>(i);
    if (const int count = Count(standings, standing); count > 0) {
      cases[std::string(Name(standing))] = count;
    }
  }
  json["elements"] = ElementsText(report);
  json["findings"] = FindingsToJson(report);
  json["choices"] = ChoiceLines(report);
  if (!verification.by_this) json["rulings"] = RulingsToJson(verification.by_rulings);
  return json;
}

}  // namespace cts

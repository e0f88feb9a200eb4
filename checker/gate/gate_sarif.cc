#include <map>
#include <string>
#include <utility>

#include "checker/gate/gate.h"
#include "checker/judge/build_state.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/json.h"

namespace cts {
namespace {

// GitHub refuses a run with more results.
constexpr size_t kMostResults = 25000;

// For the path of an address.
std::string ForPath(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string result;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    const bool letter =
        (byte >= '0' && byte <= '9') || ((byte | 0x20U) >= 'a' && (byte | 0x20U) <= 'z');
    if (letter || std::string_view("-._~/").find(c) != std::string_view::npos) {
      result += c;
    } else {
      result += {'%', kHex[byte >> 4U], kHex[byte & 15U]};
    }
  }
  return result;
}

// The rules of one run, by their places.
class Rules {
 public:
  size_t operator()(const std::string& id, const std::string& says) {
    const auto [found, is_new] = places_.emplace(id, places_.size());
    if (is_new) json_.push_back({{"id", id}, {"shortDescription", {{"text", says}}}});
    return found->second;
  }
  Json json() const { return json_; }

 private:
  std::map<std::string, size_t> places_;
  Json json_ = Json::array();
};

class Results {
 public:
  Results(const Report& report, const GateOptions& options) : options_(options) {
    for (const CaseReport& c : report.cases) cases_[c.id] = &c;
  }

  void Add(const GateFailure& failure) {
    if (json_.size() >= kMostResults) return;
    const auto found = cases_.find(failure.id);
    // "finding/KIND/CASE"
    const std::string kind = failure.id.substr(0, failure.id.find('/', sizeof("finding")));
    const bool is_case = found != cases_.end();
    const std::string rule =
        is_case ? StrCat(Printable(found->second->op), "/", VerdictName(failure)) : Printable(kind);
    const std::string says =
        is_case ? StrCat(Printable(found->second->op), ": ", Words(VerdictName(failure)))
                : StrCat("Several cases together: ", Words(Printable(kind)));
    Json place = {{"artifactLocation", {{"uri", ForPath(options_.sarif_file.generic_string())}}},
                  {"region", {{"startLine", 1}}}};
    Json result = {{"ruleId", rule},
                   {"ruleIndex", rules_(rule, says)},
                   {"level", failure.standing == Standing::kNotSupported ||
                                     failure.standing == Standing::kNotShown
                                 ? "note"
                                 : "error"},
                   {"message",
                    {{"text", StrCat(Printable(failure.id), ": ", Printable(failure.message),
                                     failure.explain.empty() ? "" : "\n" + failure.explain)}}},
                   {"locations", Json::array({{{"physicalLocation", std::move(place)}}})},
                   {"partialFingerprints", {{"tensorCtsCase/v1", Printable(failure.id)}}},
                   {"baselineState", failure.before ? "updated" : "new"}};
    json_.push_back(std::move(result));
  }

  Json rules() const { return rules_.json(); }
  Json json() const { return json_; }

 private:
  const GateOptions& options_;
  std::map<std::string_view, const CaseReport*> cases_;
  Rules rules_;
  Json json_ = Json::array();
};

}  // namespace

Json GateSarif(const Report& report, const GateOptions& options, const GateResult& result) {
  Results results(report, options);
  for (const GateFailure& failure : result.fresh) results.Add(failure);
  Json notes = Json::array();
  for (const auto* const texts : {&result.faults, &result.worse, &result.notes}) {
    for (const std::string& text : *texts) {
      notes.push_back({{"level", texts == &result.notes ? "note" : "error"},
                       {"message", {{"text", Printable(text)}}}});
    }
  }
  Json run = Json::object();
  run["tool"]["driver"] = {
      {"name", "tensor-cts"}, {"version", ThisBuild().version}, {"rules", results.rules()}};
  run["automationDetails"]["id"] = StrCat("tensor-cts/", Printable(report.suite.name), "/");
  run["invocations"].push_back(
      {{"executionSuccessful", true}, {"toolExecutionNotifications", std::move(notes)}});
  run["results"] = results.json();
  return {{"$schema", "https://json.schemastore.org/sarif-2.1.0.json"},
          {"version", "2.1.0"},
          {"runs", Json::array({std::move(run)})}};
}

}  // namespace cts

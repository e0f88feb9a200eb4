#include "checker/gate/gate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <set>

#include "checker/report/causes.h"
#include "checker/report/report.h"
#include "checker/text/printable.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/base/pattern.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

constexpr size_t kNameBytes = 120;
constexpr std::string_view kFlaky = "flaky";

bool IsBlank(const std::string& text) {
  return text.find_first_not_of(" \t\r\n") == std::string::npos;
}

// One entry that passes or does not: a case, or a finding across cases.
struct Item {
  std::string id;
  Verdict verdict;
  Standing standing;
  std::string message, explain;
};

// In the order of every list: findings, failures by what they cost, then what passed.
std::vector<Item> ItemsOf(const Report& report) {
  std::vector<Item> items;
  // One entry for each case: another case that shows the same is new.
  std::map<std::string, int> numbers;
  for (const Finding& finding : report.findings) {
    std::vector<std::string> cases = finding.cases;
    if (cases.empty()) cases.emplace_back();
    for (const std::string& of : cases) {
      std::string id = StrCat("finding/", finding.kind, of.empty() ? "" : "/", of);
      if (const int number = ++numbers[id]; number > 1) id += StrCat("-", number);
      items.push_back({id, Verdict::kFail, Standing::kWrong, finding.message,
                       of.empty() ? "" : ExplainCommand(report, of)});
    }
  }
  for (const CaseReport* c : FailuresByCause(report)) {
    items.push_back({c->id, c->verdict, StandingOf(*c), c->message, ExplainCommand(report, c->id)});
  }
  for (const CaseReport& c : report.cases) {
    if (c.verdict == Verdict::kPass)
      items.push_back({c.id, c.verdict, StandingOf(c), c.message, ""});
  }
  return items;
}

bool Matches(const Waiver& waiver, const std::string& id) {
  return MatchesPattern(waiver.pattern, id);
}

bool Covers(const Waiver& waiver, Verdict verdict, bool flaky) {
  if (waiver.CoversAll()) return true;
  return flaky ? waiver.flaky : Contains(waiver.verdicts, verdict);
}

bool IsFlaky(const GateOptions& options, const std::string& id) {
  const auto found = options.reruns.find(id);
  return found != options.reruns.end() && found->second.passed > 0;
}

// Why a waiver makes the gate fail; empty if it does not.
std::string FaultOf(const Waiver& waiver, const std::vector<Item>& items,
                    const GateOptions& options) {
  if (waiver.expires < options.today) {
    return StrCat("expired on ", waiver.expires, ": mend what it covers, or decide again");
  }
  size_t matched = 0;
  size_t passed = 0;
  bool covers = false;
  std::string example, unchecked;
  for (const Item& item : items) {
    if (!Matches(waiver, item.id)) continue;
    ++matched;
    if (item.standing == Standing::kNotChecked) {
      if (unchecked.empty()) unchecked = item.id;
      continue;
    }
    if (item.verdict == Verdict::kPass && passed++ == 0) example = item.id;
    covers |=
        item.verdict != Verdict::kPass && Covers(waiver, item.verdict, IsFlaky(options, item.id));
  }
  if (matched == 0) return "matches nothing: remove it, or correct the pattern";
  if (waiver.flaky && waiver.verdicts.empty()) return "";  // a flaky case may pass today
  if (passed == 0 && covers) return "";
  if (passed == 0 && !unchecked.empty()) {
    return StrCat("matches cases that are not checked, such as ", unchecked,
                  ": their failure is finding/not_checked/", unchecked,
                  ", which a waiver may name");
  }
  if (passed == 0) return "covers none of the verdicts of what it matches: remove it";
  return StrCat(passed, " of the ", matched, " cases that it matches pass, such as ", example,
                ": remove it if the bug is gone; otherwise narrow the pattern",
                waiver.flaky ? ", or name no verdict but flaky" : "");
}

// Whether a failure is one that the baseline knows. A graph that was not even accepted then, and is
// accepted now, lost no value: none was shown before.
bool IsKnown(const std::optional<Verdict>& was, Verdict now) {
  if (!was) return false;
  if (now != Verdict::kAccepted) return *was == now;
  return *was != Verdict::kFail && *was != Verdict::kMalformed && *was != Verdict::kMissing;
}

Status CompareWithBaseline(const Report& report, const GateOptions& options, GateResult* result) {
  const Baseline& baseline = *options.baseline;
  if (baseline.edition != report.suite.edition || baseline.level != report.suite.level) {
    return InvalidArgument(
        options.baseline_path.string(), ": /suite: found a baseline of ",
        Printable(baseline.edition), ", level ", Printable(baseline.level), ", expected one of ",
        report.suite.edition, ", level ", report.suite.level,
        ", as the suite is: the same case may mean something else; write a new one by "
        "--write-baseline");
  }
  if (baseline.digest != report.suite.digest) {
    result->notes.push_back(StrCat("the baseline is of another suite (", Printable(baseline.suite),
                                   ", digest ", baseline.digest.substr(0, 12),
                                   "); cases are compared by id, those it did not have are new"));
  }
  if (baseline.implementation != report.run.name) {
    result->notes.push_back(StrCat("the baseline is of the implementation ",
                                   Shortened(Printable(baseline.implementation), kNameBytes)));
  }
  return absl::OkStatus();
}

}  // namespace

bool IsDate(const std::string& text) {
  constexpr std::string_view kForm = "0000-00-00";
  if (text.size() != kForm.size()) return false;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool digit = text[i] >= '0' && text[i] <= '9';
    if (kForm[i] == '-' ? text[i] != '-' : !digit) return false;
  }
  const auto number = [&](size_t begin, size_t length) {
    int value = 0;
    std::from_chars(text.data() + begin, text.data() + begin + length, value);
    return value;
  };
  return std::chrono::year_month_day(std::chrono::year(number(0, 4)),
                                     std::chrono::month(static_cast<unsigned>(number(5, 2))),
                                     std::chrono::day(static_cast<unsigned>(number(8, 2))))
      .ok();
}

std::string Today() {
  const std::time_t now = std::time(nullptr);
  std::tm parts = {};
  gmtime_r(&now, &parts);
  std::array<char, 16> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d", &parts)};
}

StatusOr<std::vector<Waiver>> WaiversFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "waivers", origin));
  std::vector<Waiver> waivers;
  std::map<std::string, size_t> first;
  for (const Json& item : json) {
    Waiver waiver{item["pattern"], item["reason"], item["owner"], item["expires"], {}, false};
    const size_t i = waivers.size();
    const auto at = [&](const char* member, const auto&... what) {
      return InvalidArgument(origin, ": /", i, "/", member, ": found ",
                             Printable(item[member].dump()), ", ", what...);
    };
    if (IsBlank(waiver.pattern)) return at("pattern", "expected a pattern of case ids");
    if (IsBlank(waiver.reason)) return at("reason", "expected why the failure is tolerated");
    if (IsBlank(waiver.owner)) return at("owner", "expected whom to ask");
    if (!IsDate(waiver.expires)) {
      return at("expires", "expected a day of the calendar as YYYY-MM-DD");
    }
    const auto [before, is_new] = first.emplace(waiver.pattern, i);
    if (!is_new) {
      return at("pattern", "which /", before->second, "/pattern is already: expected it once");
    }
    for (const Json& verdict : item.value("verdicts", Json::array())) {
      if (verdict == kFlaky) {
        waiver.flaky = true;
      } else {
        waiver.verdicts.push_back(*VerdictOf(verdict.get<std::string>()));
      }
    }
    waivers.push_back(std::move(waiver));
  }
  return waivers;
}

StatusOr<std::vector<Waiver>> ReadWaivers(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(path, ""));
  return WaiversFromJson(json, path.string());
}

StatusOr<Baseline> BaselineFromJson(const Json& json, std::string_view origin) {
  CTS_RETURN_IF_ERROR(ValidateJson(json, "baseline", origin));
  const Json& suite = json["suite"];
  Baseline baseline{suite["name"],
                    suite["edition"],
                    suite["level"],
                    suite["digest"],
                    json["implementation"]["name"],
                    json["implementation"]["version"],
                    {}};
  for (const auto& [id, verdict] : json["failures"].items()) {
    baseline.failures.emplace(id, *VerdictOf(verdict.get<std::string>()));
  }
  return baseline;
}

StatusOr<Baseline> ReadBaseline(const fs::path& path) {
  CTS_ASSIGN_OR_RETURN(const Json json, LoadJson(path, ""));
  return BaselineFromJson(json, path.string());
}

Json BaselineToJson(const Baseline& baseline) {
  Json failures = Json::object();
  for (const auto& [id, verdict] : baseline.failures) failures[id] = Name(verdict);
  return {{"format", "tensor-cts-baseline-1"},
          {"suite",
           {{"name", baseline.suite},
            {"edition", baseline.edition},
            {"level", baseline.level},
            {"digest", baseline.digest}}},
          {"implementation", {{"name", baseline.implementation}, {"version", baseline.version}}},
          {"failures", std::move(failures)}};
}

bool Waives(const Waiver& waiver, const std::string& today, const GateFailure& failure) {
  return waiver.expires >= today && Matches(waiver, failure.id) &&
         Covers(waiver, failure.verdict, failure.IsFlaky());
}

std::string_view VerdictName(const GateFailure& failure) {
  return failure.IsFlaky() ? kFlaky : Name(failure.verdict);
}

std::vector<std::string> CasesToRunAgain(const GateResult& result) {
  std::vector<std::string> ids;
  for (const GateFailure& failure : result.fresh) {
    const bool wrong =
        failure.standing == Standing::kWrong || failure.standing == Standing::kNotRun;
    if (wrong && !failure.id.starts_with("finding/")) ids.push_back(failure.id);
  }
  std::sort(ids.begin(), ids.end());
  return ids;
}

const Waiver* WaiverThatCovers(const GateOptions& options, const GateFailure& failure) {
  const auto found =
      std::find_if(options.waivers.begin(), options.waivers.end(),
                   [&](const Waiver& waiver) { return Waives(waiver, options.today, failure); });
  return found == options.waivers.end() ? nullptr : &*found;
}

StatusOr<GateResult> ApplyGate(const Report& report, const GateOptions& options) {
  GateResult result;
  result.now = {report.suite.name,
                report.suite.edition,
                report.suite.level,
                report.suite.digest,
                report.run.name,
                report.run.version,
                {}};
  std::map<std::string, Verdict> before;
  if (options.baseline) {
    CTS_RETURN_IF_ERROR(CompareWithBaseline(report, options, &result));
    before = options.baseline->failures;
  }
  if (options.accuracy) {
    CTS_ASSIGN_OR_RETURN(AccuracyComparison accuracy,
                         WorseThan(*options.accuracy, report, options.accuracy_path.string()));
    result.worse = std::move(accuracy.worse);
    const std::string place = Printable(options.accuracy_path.string());
    result.notes.push_back(StrCat("accuracy: ", accuracy.compared, " of ", accuracy.figures,
                                  " figures compared with ", place, ", slack ",
                                  FormatFigure(options.accuracy->slack)));
    // A file without any figure of this run is a mistake: it would switch the comparison off.
    if (accuracy.compared == 0 && accuracy.figures > 0) {
      result.worse.push_back(StrCat("/rows: found none of the ", accuracy.figures,
                                    " figures of this run; write them by --write-accuracy"));
    }
  }
  const std::vector<Item> items = ItemsOf(report);
  result.cases = report.cases.size();
  for (const Item& item : items) {
    const auto known = before.find(item.id);
    const std::optional<Verdict> was =
        known == before.end() ? std::nullopt : std::optional(known->second);
    if (known != before.end()) before.erase(known);
    if (item.standing == Standing::kNotChecked) {
      ++result.not_checked;  // its finding is the failure
      continue;
    }
    if (item.verdict == Verdict::kPass) {
      ++result.passed;
      if (was) result.fixed.push_back(item.id);
      continue;
    }
    if (item.standing == Standing::kDisputed) {
      ++result.disputed;
      continue;
    }
    GateFailure failure{item.id, item.verdict, item.standing, item.message, item.explain, was};
    if (const auto again = options.reruns.find(item.id); again != options.reruns.end()) {
      failure.reruns = again->second;
      failure.message = StrCat("passed ", again->second.passed, " of ", again->second.of,
                               " times when it ran again; first: ", item.message);
      result.flaky += failure.IsFlaky() ? 1 : 0;
    }
    if (WaiverThatCovers(options, failure) != nullptr) {
      result.waived.push_back(failure);
      continue;
    }
    if (options.tolerate_undeclared && item.standing == Standing::kNotSupported) {
      ++result.undeclared;
      continue;
    }
    // Whether it fails is chance: a baseline that has it would hide the next real failure.
    if (failure.IsFlaky()) {
      result.fresh.push_back(failure);
      continue;
    }
    result.now.failures.emplace(item.id, item.verdict);
    (IsKnown(was, item.verdict) ? result.known : result.fresh).push_back(failure);
  }
  for (const auto& [id, verdict] : before) {
    (id.starts_with("finding/") ? result.fixed : result.gone).push_back(Printable(id));
  }
  for (size_t i = 0; i < options.waivers.size(); ++i) {
    const Waiver& waiver = options.waivers[i];
    const std::string fault = FaultOf(waiver, items, options);
    if (fault.empty()) continue;
    result.faults.push_back(StrCat(options.waivers_path.string(), ": /", i, ": ",
                                   Printable(waiver.pattern), ": ", fault, " (owner ",
                                   Shortened(Printable(waiver.owner), kNameBytes), ")"));
  }
  return result;
}

}  // namespace cts

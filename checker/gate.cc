#include "checker/gate.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <ctime>
#include <set>

#include "checker/printable.h"
#include "checker/report.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/base/pattern.h"

namespace cts {
namespace {

namespace fs = std::filesystem;

// What a log shows of each list.
constexpr size_t kShownByGate = 20;
constexpr size_t kShownOthers = 5;
constexpr size_t kShownUnsupported = 2;
constexpr size_t kShownWaivers = 3;
constexpr size_t kShownMessageBytes = 120;

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

std::vector<Item> ItemsOf(const Report& report) {
  std::vector<Item> items;
  for (const CaseReport& c : report.cases) {
    const bool passed = c.verdict == Verdict::kPass;
    items.push_back(
        {c.id, c.verdict, StandingOf(c), c.message, passed ? "" : ExplainCommand(report, c.id)});
  }
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
  return items;
}

bool Matches(const Waiver& waiver, const std::string& id) {
  return MatchesPattern(waiver.pattern, id);
}

bool Covers(const Waiver& waiver, Verdict verdict) {
  return waiver.verdicts.empty() || Contains(waiver.verdicts, verdict);
}

bool Waives(const Waiver& waiver, const std::string& today, const std::string& id,
            Verdict verdict) {
  return waiver.expires >= today && Matches(waiver, id) && Covers(waiver, verdict);
}

// Why a waiver makes the gate fail; empty if it does not.
std::string FaultOf(const Waiver& waiver, const std::vector<Item>& items,
                    const std::string& today) {
  if (waiver.expires < today) {
    return StrCat("expired on ", waiver.expires, ": mend what it covers, or decide again");
  }
  size_t matched = 0;
  size_t passed = 0;
  bool covers = false;
  std::string example;
  for (const Item& item : items) {
    if (!Matches(waiver, item.id)) continue;
    ++matched;
    if (item.verdict == Verdict::kPass && passed++ == 0) example = item.id;
    covers |= item.verdict != Verdict::kPass && Covers(waiver, item.verdict);
  }
  if (matched == 0) return "matches nothing: remove it, or correct the pattern";
  if (passed == 0 && covers) return "";
  if (passed == 0) return "covers none of the verdicts of what it matches: remove it";
  return StrCat(passed, " of the ", matched, " cases that it matches pass, such as ", example,
                ": remove it if the bug is gone, or else narrow the pattern");
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
    result->notes.push_back(
        StrCat("the baseline is of the implementation ",
               Shortened(Printable(baseline.implementation), kShownMessageBytes)));
  }
  return absl::OkStatus();
}

bool NotSupported(const GateFailure& failure) {
  return failure.standing == Standing::kNotSupported;
}

size_t CountNotSupported(const std::vector<GateFailure>& failures) {
  return static_cast<size_t>(std::count_if(failures.begin(), failures.end(), NotSupported));
}

// The first `shown` of those that are not supported, or of the others.
std::string FreshText(const std::vector<GateFailure>& fresh, bool not_supported, size_t shown) {
  std::string text;
  size_t i = 0;
  for (const GateFailure& failure : fresh) {
    if (NotSupported(failure) != not_supported || i++ >= shown) continue;
    text += StrCat("  ", Name(failure.verdict),
                   failure.before ? StrCat(" (was ", Name(*failure.before), ")") : "", ": ",
                   failure.explain.empty() ? failure.id : failure.explain, "\n");
    // The reasons of the first few. The command tells about all of them.
    if (i <= kShownOthers || failure.explain.empty()) {
      text += StrCat("    ", Shortened(Printable(failure.message), kShownMessageBytes), "\n");
    }
  }
  if (i > shown) text += StrCat("  ... and ", i - shown, " more\n");
  if (i == 0) return text;
  return StrCat(not_supported ? "Newly not supported:\n" : "New failures:\n", text);
}

std::string WorseText(const GateOptions& options, const GateResult& result) {
  if (result.worse.empty()) return "";
  std::string text =
      StrCat("Legal, but less accurate than ", Printable(options.accuracy_path.string()), ":\n");
  for (size_t i = 0; i < std::min(result.worse.size(), kShownOthers); ++i) {
    text += StrCat("  ", Shortened(result.worse[i], 2 * kShownMessageBytes), "\n");
  }
  if (result.worse.size() > kShownOthers) {
    text += StrCat("  ... and ", result.worse.size() - kShownOthers, " more\n");
  }
  return text;
}

std::string Some(const std::vector<std::string>& names) {
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), kShownOthers); ++i) {
    text += StrCat(i == 0 ? "" : ", ", names[i]);
  }
  if (names.size() > kShownOthers) text += StrCat(" and ", names.size() - kShownOthers, " more");
  return text;
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
    Waiver waiver{item["pattern"], item["reason"], item["owner"], item["expires"], {}};
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
      waiver.verdicts.push_back(*VerdictOf(verdict.get<std::string>()));
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

const Waiver* WaiverThatCovers(const GateOptions& options, const GateFailure& failure) {
  const auto found =
      std::find_if(options.waivers.begin(), options.waivers.end(), [&](const Waiver& waiver) {
        return Waives(waiver, options.today, failure.id, failure.verdict);
      });
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
    CTS_ASSIGN_OR_RETURN(result.worse,
                         WorseThan(*options.accuracy, report, options.accuracy_path.string()));
  }
  const std::vector<Item> items = ItemsOf(report);
  result.cases = report.cases.size();
  for (const Item& item : items) {
    const auto known = before.find(item.id);
    const std::optional<Verdict> was =
        known == before.end() ? std::nullopt : std::optional(known->second);
    if (known != before.end()) before.erase(known);
    if (item.verdict == Verdict::kPass) {
      ++result.passed;
      if (was) result.fixed.push_back(item.id);
      continue;
    }
    const GateFailure failure{item.id,      item.verdict, item.standing,
                              item.message, item.explain, was};
    if (WaiverThatCovers(options, failure) != nullptr) {
      result.waived.push_back(failure);
      continue;
    }
    if (options.tolerate_undeclared && item.standing == Standing::kNotSupported) {
      ++result.undeclared;
      continue;
    }
    result.now.failures.emplace(item.id, item.verdict);
    (was == item.verdict ? result.known : result.fresh).push_back(failure);
  }
  for (const auto& [id, verdict] : before) {
    (id.starts_with("finding/") ? result.fixed : result.gone).push_back(Printable(id));
  }
  for (size_t i = 0; i < options.waivers.size(); ++i) {
    const Waiver& waiver = options.waivers[i];
    const std::string fault = FaultOf(waiver, items, options.today);
    if (fault.empty()) continue;
    result.faults.push_back(StrCat(options.waivers_path.string(), ": /", i, ": ",
                                   Printable(waiver.pattern), ": ", fault, " (owner ",
                                   Shortened(Printable(waiver.owner), kShownMessageBytes), ")"));
  }
  return result;
}

std::string FormatGate(const Report& report, const GateOptions& options, const GateResult& result) {
  std::string text = StrCat(
      "gate: ", Printable(report.run.name), " ", Printable(report.run.version), " on ",
      Printable(report.suite.name), " (", report.suite.edition, ", level ", report.suite.level,
      ", digest ", report.suite.digest.substr(0, 12), "), waivers as of ", options.today, "\n");
  for (const std::string& note : result.notes) text += StrCat("note: ", note, "\n");
  const size_t newly_not = CountNotSupported(result.fresh);
  const size_t known_not = CountNotSupported(result.known);
  text +=
      StrCat(result.cases, " cases: ", result.passed, " passed, ", result.fresh.size() - newly_not,
             " newly failed, ", newly_not, " newly not supported, ",
             result.known.size() - known_not, " failed as in the baseline, ", known_not,
             " not supported as in the baseline, ", result.waived.size(), " waived, ",
             report.findings.size(), " findings over several cases among these\n");
  if (options.tolerate_undeclared) {
    text += StrCat(result.undeclared, " more are not supported, not declared, and tolerated\n");
  }
  text += FreshText(result.fresh, false, kShownByGate);
  text += WorseText(options, result);
  text += FreshText(result.fresh, true, kShownUnsupported);
  size_t waivers = 0;
  for (const Waiver& waiver : options.waivers) {
    const auto count =
        std::count_if(result.waived.begin(), result.waived.end(), [&](const GateFailure& failure) {
          return Waives(waiver, options.today, failure.id, failure.verdict);
        });
    if (count == 0 || ++waivers > kShownWaivers) continue;
    text += StrCat("Waived by ", Shortened(Printable(waiver.pattern), kShownMessageBytes), " (",
                   count, ", ", Shortened(Printable(waiver.owner), kShownMessageBytes), ", until ",
                   waiver.expires, "): ", Shortened(Printable(waiver.reason), kShownMessageBytes),
                   "\n");
  }
  if (waivers > kShownWaivers) {
    text += StrCat("  ... and by ", waivers - kShownWaivers, " more waivers\n");
  }
  if (!result.fixed.empty()) {
    text += StrCat("Fixed since the baseline (", result.fixed.size(), "): ", Some(result.fixed),
                   "; refresh it by --write-baseline\n");
  }
  if (!result.gone.empty()) {
    text += StrCat("In the baseline, but not in the suite (", result.gone.size(),
                   "): ", Some(result.gone), "; refresh it by --write-baseline\n");
  }
  if (!result.faults.empty()) text += "Waivers to mend:\n";
  for (size_t i = 0; i < std::min(result.faults.size(), kShownOthers); ++i) {
    text += StrCat("  ", result.faults[i], "\n");
  }
  if (result.faults.size() > kShownOthers) {
    text += StrCat("  ... and ", result.faults.size() - kShownOthers, " more\n");
  }
  if (result.Passed()) return text + "GATE PASSED\n";
  if (result.cases == 0) return text + "GATE FAILED: the suite has no case, nothing was checked\n";
  if (result.undeclared == result.cases) {
    return text + "GATE FAILED: the declaration leaves no case of the suite to be answered\n";
  }
  return StrCat(text, "GATE FAILED: ", result.fresh.size() - newly_not, " new failures, ",
                newly_not, " newly not supported, ", result.faults.size(), " waivers to mend",
                result.worse.empty() ? "" : StrCat(", ", result.worse.size(), " less accurate"),
                "\n");
}

}  // namespace cts

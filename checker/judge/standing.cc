#include "checker/judge/standing.h"

#include <algorithm>

#include "checker/text/printable.h"

namespace cts {
namespace {

constexpr std::string_view kVerdicts[kVerdictCount] = {
    "pass",  "fail",    "wrong_outcome", "missing",  "malformed", "unsupported",
    "crash", "timeout", "protocol",      "accepted", "disputed"};

constexpr std::string_view kStandings[kStandingCount] = {
    "right", "wrong", "not_supported", "not_run", "not_shown", "not_checked", "disputed"};

}  // namespace

std::string_view Name(Verdict verdict) { return kVerdicts[static_cast<int>(verdict)]; }

std::optional<Verdict> VerdictOf(std::string_view name) {
  for (int i = 0; i < kVerdictCount; ++i) {
    if (Name(static_cast<Verdict>(i)) == name) return static_cast<Verdict>(i);
  }
  return std::nullopt;
}

std::string_view Name(Standing standing) { return kStandings[static_cast<int>(standing)]; }

bool Conformant(const Report& report) {
  return AllPassed(report) && !report.run.shard && report.filter.empty() && !report.missing;
}

void FindUnchecked(Report* report) {
  std::erase_if(report->findings, [](const Finding& f) { return f.kind == "not_checked"; });
  Finding finding{"not_checked", "", {}};
  size_t outputs = 0, unseen = 0;
  int64_t silent = 0;
  const CaseReport* first = nullptr;
  for (const CaseReport& c : report->cases) {
    if (StandingOf(c) != Standing::kNotChecked) continue;
    if (first == nullptr) first = &c;
    finding.cases.push_back(c.id);
    outputs += c.rules.size();
    unseen += static_cast<size_t>(std::count(c.rules.begin(), c.rules.end(), RuleKind::kUnchecked));
    silent += c.silent;
  }
  if (first == nullptr) return;
  const auto of_outputs = [&](size_t count) {
    return count < outputs ? StrCat(" for ", count, " of ", outputs, " outputs") : std::string();
  };
  finding.message = StrCat(
      "of ", finding.cases.size(), finding.cases.size() == 1 ? " case" : " cases",
      unseen > 0 ? " only outcome and shapes were checked" + of_outputs(unseen) : "",
      unseen > 0 && silent > 0 ? ", and" : "",
      silent > 0 ? StrCat(" too little can be judged", of_outputs(static_cast<size_t>(silent)))
                 : "",
      ", the first ", first->id, first->message.empty() ? "" : StrCat(" (", first->message, ")"),
      ": hand over its intermediate results, check --intermediates DIR");
  report->findings.push_back(std::move(finding));
}

std::string LimitsText(const Limits& limits) {
  if (limits.limited == limits.elements && limits.wide == 0) return "";
  std::string text = StrCat(PercentText(limits.limited, limits.elements), " of elements judged (",
                            WithCommas(limits.limited), " of ", WithCommas(limits.elements), ")");
  const auto add = [&](int64_t count, std::string_view words) {
    if (count > 0) text += StrCat(", ", WithCommas(count), " ", words);
  };
  add(limits.wide, "of the judged ones wide, not known to half of their magnitude");
  add(limits.undefined, "not limited by the specification");
  add(limits.unlimited, "not limited by an enclosure");
  add(limits.unchecked, "with nothing to compare them with");
  add(limits.Unanswered(), "without a result");
  return text;
}

LimitsByStanding CountLimits(const Report& report) {
  LimitsByStanding limits{};
  for (const CaseReport& c : report.cases) {
    limits[static_cast<size_t>(StandingOf(c))].Add(c.limits);
  }
  return limits;
}

bool AllPassed(const Report& report) {
  const Standings standings = CountStandings(report);
  const int right = Count(standings, Standing::kRight);
  return right > 0 &&
         right + Count(standings, Standing::kDisputed) == static_cast<int>(report.cases.size()) &&
         std::all_of(report.findings.begin(), report.findings.end(),
                     [](const Finding& f) { return f.waived; });
}

VerdictCounts CountVerdicts(const Report& report, std::string_view op) {
  VerdictCounts counts{};
  for (const CaseReport& c : report.cases) {
    if (op.empty() || c.op == op) ++counts[static_cast<int>(c.verdict)];
  }
  return counts;
}

Standing StandingOf(const CaseReport& c) {
  // No answer is due to a disputed case.
  const bool unanswered = c.verdict == Verdict::kUnsupported || c.verdict == Verdict::kAccepted ||
                          (c.verdict == Verdict::kMissing && !c.answered);
  if (unanswered && !c.disputed.empty()) return Standing::kDisputed;
  switch (c.verdict) {
    case Verdict::kPass:
      return c.unchecked ? Standing::kNotChecked : Standing::kRight;
    case Verdict::kUnsupported:
      return c.declared.value_or(false) ? Standing::kWrong : Standing::kNotSupported;
    case Verdict::kAccepted:
      return Standing::kNotShown;
    case Verdict::kDisputed:
      return Standing::kDisputed;
    case Verdict::kMissing:
      // `ok` without its outputs is an answer, and a wrong one.
      return !c.answered ? Standing::kNotRun : Standing::kWrong;
    default:
      return Standing::kWrong;
  }
}

Standings CountStandings(const Report& report) {
  Standings standings{};
  for (const CaseReport& c : report.cases) ++standings[static_cast<size_t>(StandingOf(c))];
  return standings;
}

int CountDeclaredNotAnswered(const Report& report) {
  return static_cast<int>(
      std::count_if(report.cases.begin(), report.cases.end(), [](const CaseReport& c) {
        return c.verdict == Verdict::kUnsupported && StandingOf(c) == Standing::kWrong;
      }));
}

}  // namespace cts

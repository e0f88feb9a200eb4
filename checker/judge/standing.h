// Counts of a report's cases, and what they make of it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "checker/judge/check_report.h"

namespace cts {

// True if a case passed, every other did or is disputed, and there is no finding.
bool AllPassed(const Report& report);
// The same for the whole suite: a shard, a selection of cases or a partial report is never
// conformant.
bool Conformant(const Report& report);

// Brings the finding "not_checked" up to date. It lists cases that passed although the values of
// some output were not judged (RuleKind::kUnchecked), or enclosures limit too few of them.
void FindUnchecked(Report* report);

// "12 % of elements judged (16 of 128), 112 not limited by the enclosure, 3 of the judged ones
// wide". Empty if all of them are judged and no interval is wide.
std::string LimitsText(const Limits& limits);
// The elements of cases, by the standing of the cases.
using LimitsByStanding = std::array<Limits, kStandingCount>;
LimitsByStanding CountLimits(const Report& report);

// Counts cases by verdict: those of operator `op`, or all if it is empty.
using VerdictCounts = std::array<int, kVerdictCount>;
VerdictCounts CountVerdicts(const Report& report, std::string_view op = {});

Standing StandingOf(const CaseReport& c);

// Cases by standing; they add up to all.
using Standings = std::array<int, kStandingCount>;
Standings CountStandings(const Report& report);
// Counts the wrong cases that are declared as supported and were answered `unsupported`.
int CountDeclaredNotAnswered(const Report& report);
inline int Count(const Standings& standings, Standing standing) {
  return standings[static_cast<size_t>(standing)];
}

}  // namespace cts

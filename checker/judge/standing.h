// Counts a report's cases, and decides whether the implementation conforms.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "checker/judge/check_report.h"

namespace cts {

// True if every case is right or disputed, at least one case is right, and every finding is waived.
bool AllPassed(const Report& report);
// Whether AllPassed holds for the whole suite: false for a shard, a selection of cases or a partial
// report.
bool Conformant(const Report& report);

// Adds, replaces or removes the finding "not_checked". The finding lists cases that passed although
// the values of some output were not judged (RuleKind::kUnchecked), or although enclosures limit
// too few elements of some output.
void FindUnchecked(Report* report);

// "12 % of elements judged (16 of 128), 112 not limited by an enclosure". Empty if all elements are
// judged and no element is wide.
std::string LimitsText(const Limits& limits);
// The counts of elements of all cases, by the standing of the cases.
using LimitsByStanding = std::array<Limits, kStandingCount>;
LimitsByStanding CountLimits(const Report& report);

// Counts cases by verdict: only the cases of operator `op`, or all cases if `op` is empty.
using VerdictCounts = std::array<int, kVerdictCount>;
VerdictCounts CountVerdicts(const Report& report, std::string_view op = {});

Standing StandingOf(const CaseReport& c);

// The number of cases of each standing. The numbers add up to all cases.
using Standings = std::array<int, kStandingCount>;
Standings CountStandings(const Report& report);
// Counts the wrong cases that are declared as supported and were answered `unsupported`.
int CountDeclaredNotAnswered(const Report& report);
inline int Count(const Standings& standings, Standing standing) {
  return standings[static_cast<size_t>(standing)];
}

}  // namespace cts

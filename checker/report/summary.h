// The cases of a report in groups, with their outcomes.
#pragma once

#include <string>
#include <vector>

#include "checker/judge/check.h"

namespace cts {

enum class GroupBy { kOperator, kType, kProfile, kRule };
inline constexpr GroupBy kGroupings[] = {GroupBy::kOperator, GroupBy::kType, GroupBy::kProfile,
                                         GroupBy::kRule};
std::string_view Name(GroupBy by);  // "operator", "type", "profile", "rule"

struct Group {
  std::string name;
  int cases = 0;
  VerdictCounts counts{};  // the numbers of cases by verdict; they add up to `cases`
  Standings standings{};   // the numbers of cases by standing; they add up to `cases`, too
};

struct Summary {
  // Whether every case is in exactly one group, so that the numbers of the groups add up to the
  // number of all cases. If false, some cases may be in several groups, and a text beside the table
  // must say so.
  bool partition = true;
  std::vector<Group> groups;  // sorted by name
};

Summary Summarize(const Report& report, GroupBy by);

// The groups to which a case belongs, sorted, at least one:
// - its operator;
// - its type: see TypeOf;
// - each alternative of its type row's profiles: "PRO-INT", or "EXT-A and PRO-FP" if the row needs
//   both; "any" for a row without requirements;
// - the kinds of rules that judge its outputs; "error" for an error case, "none" without outputs.
std::vector<std::string> GroupsOf(const CaseReport& c, GroupBy by);

// The type under which a person looks for a case: the type of the input or, for an operator without
// input, the type of the output. The result is "none" if the type row has no type, as for graphs.
std::string TypeOf(const CaseReport& c);

}  // namespace cts

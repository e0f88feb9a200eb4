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
  VerdictCounts counts{};  // add up to `cases`
  Standings standings{};   // likewise
};

struct Summary {
  // Whether every case stands in exactly one group, so that the groups add up to the manifest.
  // Otherwise no case is missing, but some count more than once: say so beside the table.
  bool partition = true;
  std::vector<Group> groups;  // sorted by name
};

Summary Summarize(const Report& report, GroupBy by);

// The groups that a case counts in, sorted, at least one:
// - its operator;
// - its type: see TypeOf;
// - the alternatives of its type row that admit it, "PRO-INT" or "EXT-A and PRO-FP" where several
// are needed together; a row without requirements is under "any";
// - the kinds of rules that judge its outputs; an error case under "error".
std::vector<std::string> GroupsOf(const CaseReport& c, GroupBy by);

// The type by which a person looks for a case: the type of the input; for an operator without input
// the type of the output; "none" where the type row has no type, as for graphs.
std::string TypeOf(const CaseReport& c);

}  // namespace cts

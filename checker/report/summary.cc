#include "checker/report/summary.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace cts {

std::string_view Name(GroupBy by) {
  constexpr std::string_view kNames[] = {"operator", "type", "profile", "rule"};
  return kNames[static_cast<int>(by)];
}

std::string TypeOf(const CaseReport& c) {
  // The editions' names of an operator's first operand, then of its result.
  for (const char* variable : {"in_out_t", "in_t", "A_t", "var_t", "out_t"}) {
    if (const auto found = c.types.find(variable); found != c.types.end()) return found->second;
  }
  return c.types.empty() ? "none" : c.types.begin()->second;
}

std::vector<std::string> GroupsOf(const CaseReport& c, GroupBy by) {
  std::set<std::string> groups;
  switch (by) {
    case GroupBy::kOperator:
      return {c.op};
    case GroupBy::kType:
      return {TypeOf(c)};
    case GroupBy::kProfile:
      for (const std::vector<std::string>& all_of : c.profiles) {
        const std::set<std::string> sorted(all_of.begin(), all_of.end());
        std::string name;
        for (const std::string& profile : sorted) name += (name.empty() ? "" : " and ") + profile;
        if (!name.empty()) groups.insert(std::move(name));
      }
      if (groups.empty()) groups.insert("any");
      break;
    case GroupBy::kRule:
      if (c.outcome == Outcome::kError) return {"error"};
      for (RuleKind kind : c.rules) groups.insert(std::string(Name(kind)));
      if (groups.empty()) groups.insert("none");
      break;
  }
  return {groups.begin(), groups.end()};
}

Summary Summarize(const Report& report, GroupBy by) {
  Summary summary;
  std::map<std::string, Group> groups;
  for (const CaseReport& c : report.cases) {
    const std::vector<std::string> names = GroupsOf(c, by);
    if (names.size() > 1) summary.partition = false;
    for (const std::string& name : names) {
      Group& group = groups[name];
      group.name = name;
      ++group.cases;
      ++group.counts[static_cast<size_t>(c.verdict)];
      ++group.standings[static_cast<size_t>(StandingOf(c))];
    }
  }
  for (auto& [name, group] : groups) summary.groups.push_back(std::move(group));
  return summary;
}

}  // namespace cts

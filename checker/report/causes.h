// Failures that look alike: they have the same operator, the same clause or condition, and the same
// words.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "checker/judge/check.h"
#include "checker/report/report.h"

namespace cts {

struct Cause {
  std::string op;
  Verdict verdict = Verdict::kFail;
  std::string gist;  // the clause, the condition, or the message without its figures
  std::vector<const CaseReport*> cases;  // at least one, in the order of Failures
  std::map<std::string, int> types;      // TypeOf -> cases

  // Whether all its cases are on illegal graphs. A case on a legal graph would be the first.
  bool OnIllegalGraphs() const { return OnIllegalGraph(*cases.front()); }
};

// Returns the causes of all failures except unsupported cases. Causes of cases that did not run
// come last, and before them causes on illegal graphs only. Otherwise the cause with most cases
// comes first, and the more urgent one of two with equal counts. Every failure has exactly one
// cause.
std::vector<Cause> CausesOf(const Report& report);

// A message without what differs from case to case: figures, file names and the case's id are "#".
std::string Gist(std::string_view message, std::string_view case_id);

}  // namespace cts

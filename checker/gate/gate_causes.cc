#include "checker/gate/gate_causes.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "checker/report/causes.h"
#include "checker/report/report.h"

namespace cts {

std::vector<FreshCause> FreshCauses(const Report& report, const GateResult& result) {
  std::map<std::string_view, const GateFailure*> fresh;
  for (const GateFailure& failure : result.fresh) fresh[failure.id] = &failure;
  std::vector<FreshCause> causes;
  for (const Cause& cause : CausesOf(report)) {
    FreshCause found{
        StrCat(cause.op, ", ", Words(Name(cause.verdict))), cause.gist, {}, "", "", {}, true};
    for (const CaseReport* c : cause.cases) {
      const auto failure = fresh.find(c->id);
      if (failure == fresh.end()) continue;
      if (found.ids.empty()) {
        found.message = failure->second->message;
        found.explain = failure->second->explain;
        found.before = failure->second->before;
      }
      if (found.before != failure->second->before) found.before.reset();
      found.ids.push_back(c->id);
      found.illegal = found.illegal && OnIllegalGraph(*c);
      fresh.erase(failure);
    }
    if (!found.ids.empty()) causes.push_back(std::move(found));
  }
  std::stable_sort(causes.begin(), causes.end(), [](const FreshCause& a, const FreshCause& b) {
    return a.ids.size() > b.ids.size();
  });
  for (const GateFailure& failure : result.fresh) {
    if (fresh.count(failure.id) == 0 || failure.standing == Standing::kNotSupported ||
        failure.standing == Standing::kNotShown) {
      continue;
    }
    causes.push_back(
        {failure.id, "", {failure.id}, failure.message, failure.explain, failure.before});
  }
  std::stable_partition(causes.begin(), causes.end(),
                        [](const FreshCause& cause) { return !cause.illegal; });
  return causes;
}

}  // namespace cts

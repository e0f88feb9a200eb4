#include "checker/gate/gate_causes.h"

#include <map>
#include <string_view>
#include <utility>

#include "checker/report/causes.h"
#include "checker/report/report.h"

namespace cts {

namespace {

void Add(const GateFailure& failure, FreshCause* cause) {
  if (cause->ids.empty()) {
    cause->message = failure.message;
    cause->explain = failure.explain;
    cause->before = failure.before;
  }
  if (cause->before != failure.before) cause->before.reset();
  cause->ids.push_back(failure.id);
}

}  // namespace

std::vector<FreshCause> FreshCauses(const Report& report, const GateResult& result) {
  constexpr std::string_view kFinding = "finding/";
  std::map<std::string_view, const GateFailure*> fresh;
  std::vector<FreshCause> causes;
  std::vector<FreshCause> flaky;
  for (const GateFailure& failure : result.fresh) {
    if (failure.IsFlaky()) {
      flaky.push_back({.what = "flaky"});
      Add(failure, &flaky.back());
      continue;
    }
    if (!failure.id.starts_with(kFinding)) {
      fresh[failure.id] = &failure;
      continue;
    }
    std::string what = failure.id.substr(0, failure.id.find('/', kFinding.size()));
    if (causes.empty() || causes.back().what != what || causes.back().message != failure.message) {
      causes.push_back({.what = std::move(what)});
    }
    Add(failure, &causes.back());
  }
  for (const Cause& cause : CausesOf(report)) {
    FreshCause found{.what = TitleOf(cause), .words = WordsOf(cause)};
    for (size_t i = 0; i < cause.cases.size(); ++i) {
      const auto failure = fresh.find(cause.cases[i]->id);
      if (failure == fresh.end()) continue;
      Add(*failure->second, &found);
      // Graphs stand last.
      if (i + cause.of_graphs >= cause.cases.size()) ++found.of_graphs;
    }
    if (found.words == found.message) found.words.clear();
    if (!found.ids.empty()) causes.push_back(std::move(found));
  }
  causes.insert(causes.end(), flaky.begin(), flaky.end());
  return causes;
}

}  // namespace cts

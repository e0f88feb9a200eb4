// Checks that the cases of a recipe do not refuse legal results. It runs implementations that
// choose differently from the reference wherever the specification allows a choice.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "checker/judge/check_report.h"
#include "generator/recipe/recipe.h"
#include "reference/base/json_fwd.h"
#include "reference/base/status.h"
#include "reference/bundle/case.h"
#include "reference/evaluate/native.h"

namespace cts {

struct LegalRun {
  std::string id, sentence, clause;
  uint64_t cases = 0;    // cases that the implementation computed
  uint64_t differs = 0;  // computed cases with other answers than those of `builtin:native`
  uint64_t refused =
      0;  // false alarms: differing cases that are refused, and findings across cases
  // Differing cases that would be refused, but about which the specification's clauses disagree.
  // Such a case decides nothing.
  uint64_t disputed = 0;
  // `first` is the first refused case in the suite's order. If no case is refused, it is the first
  // case of the first finding. `said` is the message about it.
  std::string first;
  std::string said;
};

struct FalseAlarmOptions {
  Recipe recipe;
  std::vector<std::string> legal;  // patterns, as in AuditOptions::faults; empty: all
  int jobs = 0;                    // 0: one per core; the outcome does not depend on it
  std::function<void(size_t done, size_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// Runs the implementations of reference/faults/legal.h, and three implementations that return the
// ends of the range of accepted values: "lowest", "highest" and "alternating". Cases without a
// choice, such as those with exact integer results, are not counted. Errors: a pattern that no id
// matches (the message has the most similar ids), and those of ForEachCase.
StatusOr<std::vector<LegalRun>> FindFalseAlarms(const FalseAlarmOptions& options);

struct Refused {
  std::string message;    // empty if every output is accepted
  bool disputed = false;  // every refused output depends on a disputed point
};

// Returns the reason why an output of `c` is refused; the reason is empty if no output is refused.
// If `shown` is not null, it gets the reports on the accepted outputs.
Refused RefusalOf(const Case& c, const StatusOr<std::vector<NativeResult>>& results,
                  CaseReport* shown);

// Returns the runs in the form of schemas/false_alarms.schema.json.
Json FalseAlarmsToJson(const std::vector<LegalRun>& runs);
std::string FormatFalseAlarms(const Json& json);

}  // namespace cts

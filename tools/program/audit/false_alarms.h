// Checks that a recipe does not refuse legal results: it runs implementations that choose
// differently from the reference where the specification leaves a choice.
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
  uint64_t cases = 0;    // that it computed
  uint64_t differs = 0;  // computed cases with other answers than `builtin:native`
  uint64_t refused = 0;  // differing cases that are not accepted: false alarms
  uint64_t disputed =
      0;              // differing cases where the text disagrees with itself: they decide nothing
  std::string first;  // the first such case, in order of ids, and its message
  std::string said;
};

struct FalseAlarmOptions {
  Recipe recipe;
  std::vector<std::string> legal;  // patterns, as AuditOptions::faults; all, if empty
  int jobs = 0;                    // 0: one per core; the outcome does not depend on it
  std::function<void(size_t done, size_t total)> progress = {};
  const std::atomic<bool>* stop = nullptr;
};

// Runs the implementations of reference/faults/legal.h, and three that answer with ends of the
// accepted values: "lowest", "highest" and "alternating". Cases without a choice, such as those of
// exact integers, count for no implementation. Errors: a pattern without a match, with the nearest
// ids; as ForEachCase.
StatusOr<std::vector<LegalRun>> FindFalseAlarms(const FalseAlarmOptions& options);

struct Refused {
  std::string message;    // empty: every output is accepted
  bool disputed = false;  // a disputed point reaches every refused output
};

// Why some output of `c` is refused. `shown` gets the reports of the accepted ones, unless null.
Refused RefusalOf(const Case& c, const StatusOr<std::vector<NativeResult>>& results,
                  CaseReport* shown);

// As schemas/false_alarms.schema.json has it.
Json FalseAlarmsToJson(const std::vector<LegalRun>& runs);
std::string FormatFalseAlarms(const Json& json);

}  // namespace cts

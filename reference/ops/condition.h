// Conditions: one row for each ERROR_IF, REQUIRE and LEVEL_CHECK of an operator.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/graph/call.h"
#include "reference/ops/breach.h"

namespace cts {

enum class ConditionKind { kErrorIf, kRequire, kLevel };
std::string_view Name(ConditionKind kind);  // "error_if", "require", "level"

// Says which editions have a condition. An edition has the condition if it meets two requirements;
// a member that is not set requires nothing. `feature`: the edition has the feature, or lacks it if
// `has` is false. `op`: the edition has an operator that this program computes by its code for `op`
// or `other_op`, or an operator whose definition has a step with `op` or `other_op`. Only these
// operators can break the condition.
struct Where {
  std::optional<Feature> feature;
  bool has = true;
  std::string_view op, other_op;
};
constexpr Where With(Feature feature) { return {feature, true, {}, {}}; }
constexpr Where Without(Feature feature) { return {feature, false, {}, {}}; }
constexpr Where WithOperator(std::string_view op, std::string_view other_op = {}) {
  return {{}, true, op, other_op};
}

struct Condition {
  std::string_view id;  // "conv2d.pad_negative"; stable: cases and waivers refer to it
  ConditionKind kind;
  std::string_view paraphrase;  // a sentence about the forbidden state
  // Returns whether and how the call breaks the condition. Null if the condition depends on data,
  // so that only the computation can judge it. Also null for the conditions of graphs and symbols,
  // which other code checks. Only the computation judges the conditions of LibraryConditions
  // (operator.h); a predicate of such a condition only makes the message.
  std::function<Breach(const Call&)> broken;
  Where where = {};
  // For a REQUIRE about data: the operand whose values alone decide whether the REQUIRE holds, if
  // there is such an operand.
  std::string_view operand = {};
};

// Whether the edition has the condition. An edition that the reference does not execute has no
// conditions.
bool StandsIn(const Condition& condition, const Edition& edition);

using Conditions = std::vector<Condition>;

// This is not a condition. It marks the place of the LEVEL_CHECKs among an operator's rows. The
// LEVEL_CHECKs come from the edition. Without this mark the LEVEL_CHECKs follow the rows.
inline const Condition kLevelChecks{"", ConditionKind::kLevel, "", nullptr};

// A broken condition, and the operator that breaks it.
struct Violation {
  std::string condition;  // its id
  std::string op;         // name and position of the operator in its block
  std::string message;    // what was found, and what is expected
};

}  // namespace cts

// Conditions: one row for each ERROR_IF, REQUIRE and LEVEL_CHECK of an operator.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/graph/call.h"

namespace cts {

enum class ConditionKind { kErrorIf, kRequire, kLevel };
std::string_view Name(ConditionKind kind);  // "error_if", "require", "level"

// The editions that have a condition: all, those with a feature, those without it, or those in
// which a text computes an operator (one that calls the helper function to which the condition
// belongs; there are two at most).
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
  std::string_view paraphrase;  // of what is forbidden
  // Whether the call breaks it. Null if only the computation can tell, because it depends on the
  // data. Only the computation judges the library's conditions; their predicates only make the
  // message.
  std::function<bool(const Call&)> broken;
  Where where = {};
  // For a REQUIRE about data: the operand that alone decides it, if there is one.
  std::string_view operand = {};
};

// Whether the edition has the condition. An edition that the reference does not execute has no
// conditions.
bool StandsIn(const Condition& condition, const Edition& edition);

using Conditions = std::vector<Condition>;

// No condition, but a mark among an operator's rows: the place of its LEVEL_CHECKs, which the
// edition has. Without the mark they follow the rows.
inline const Condition kLevelChecks{"", ConditionKind::kLevel, "", nullptr};

// A condition that does not hold, and where.
struct Violation {
  std::string condition;  // its id
  std::string op;         // name and position of the operator in its block
  std::string message;    // what was found, what is expected
};

}  // namespace cts

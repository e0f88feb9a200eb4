// Conditions: one row for each ERROR_IF, REQUIRE and LEVEL_CHECK of an operator.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/graph/call.h"

namespace cts {

enum class ConditionKind { kErrorIf, kRequire, kLevel };
std::string_view Name(ConditionKind kind);  // "error_if", "require", "level"

// The editions in which a condition stands.
enum EditionMask : unsigned {
  kTosa0100 = 1,
  kTosa10 = 2,
  kRvtensor = 4,
  kEveryEdition = kTosa0100 | kTosa10 | kRvtensor,
};
unsigned MaskOf(std::string_view edition_id);

struct Condition {
  std::string_view id;  // "conv2d.pad_negative"; stable: cases and waivers refer to it
  ConditionKind kind;
  std::string_view paraphrase;  // of what is forbidden
  // Whether the call breaks it. Null where only the computation can tell (it depends on the data).
  std::function<bool(const Call&)> broken;
  unsigned editions = kEveryEdition;
};

using Conditions = std::vector<Condition>;

// No condition: where an operator's LEVEL_CHECKs, which the edition has, stand among its rows.
// Without it they stand behind them.
inline const Condition kLevelChecks{"", ConditionKind::kLevel, "", nullptr};

// A condition that does not hold, and where.
struct Violation {
  std::string condition;  // its id
  std::string op;         // name and position of the operator in its block
  std::string message;    // what was found, what is expected
};

}  // namespace cts

// The conditions of an edition's operators: the rows of their texts that stand in the edition, its
// level limits, and the conditions that it describes itself.
#pragma once

#include <string_view>

#include "reference/ops/condition.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

// The conditions of an operator in an edition, in the order in which they are judged. Empty if the
// edition does not have the operator.
Conditions ConditionsOf(const Operator& op, const OperatorSpec& spec, const Edition& edition);
// The same for an operator that the edition has under the name of its text.
Conditions ConditionsOf(const Operator& op, const Edition& edition);

// Finds any condition by its id, as it stands in an edition; those of the library, of graphs and of
// symbols are included. Null if the edition has none of that id.
const Condition* FindCondition(std::string_view id, const Edition& edition);

// An error if the edition gives a condition of its own the id of one that the operator's text has.
// It begins with the JSON pointer.
Status CheckOwnConditions(const Edition& edition);

}  // namespace cts

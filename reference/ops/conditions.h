// The conditions of an edition's operators: the rows of their texts that stand in the edition, its
// level limits, and what it describes itself.
#pragma once

#include <string_view>

#include "reference/ops/condition.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

// The conditions of an operator in an edition, in the order in which they are judged; none of an
// operator that the edition does not have.
Conditions ConditionsOf(const Operator& op, const OperatorSpec& spec, const Edition& edition);
// The same of an operator that the edition has under the name of its text.
Conditions ConditionsOf(const Operator& op, const Edition& edition);

// Any condition by its id, those of the library, of graphs and of symbols included, as it stands in an edition; null if the edition has none of that id.
const Condition* FindCondition(std::string_view id, const Edition& edition);

}  // namespace cts

// The conditions of an edition's operators. They are the rows that apply to the edition
// (condition.h), the edition's level limits, and the conditions that the edition itself describes.
#pragma once

#include <string_view>

#include "reference/ops/condition.h"
#include "reference/ops/operator.h"
#include "reference/spec/edition.h"

namespace cts {

// The conditions of an operator in an edition, in the order in which they are judged. Empty if the
// reference does not execute the edition.
Conditions ConditionsOf(const Operator& op, const OperatorSpec& spec, const Edition& edition);
// The same for the edition's operator whose name is that of `op`; empty if the edition has no such
// operator.
Conditions ConditionsOf(const Operator& op, const Edition& edition);

// Finds a condition of an edition by its id, including those of LibraryConditions, GraphConditions
// and SymbolConditions (operator.h). Null if the edition has no condition of that id.
const Condition* FindCondition(std::string_view id, const Edition& edition);

// An error if a condition that the edition itself describes has the same id as a row of the
// operator (Operator::conditions). The error begins with the JSON pointer of the edition's
// condition.
Status CheckOwnConditions(const Edition& edition);

}  // namespace cts

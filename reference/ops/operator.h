// The operators, with their conditions and semantics.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/ops/computation.h"
#include "reference/ops/condition.h"

namespace cts {

struct OperatorFacts;  // reference/ops/facts.h

struct Operator {
  std::string_view name;  // "CONV2D"
  std::string_view stem;  // "conv2d"
  // The operator's conditions for all editions. ConditionsOf returns the conditions for one
  // edition.
  Conditions (*conditions)();
  // Computes every output. The call must fit the argument tables, and meet the conditions that have
  // a predicate (Condition::broken).
  void (*compute)(const Call&, Computation&);
  OperatorFacts (*facts)();
};

// Every operator of operators.def, in its order.
const std::vector<Operator>& Operators();
const Operator* FindOperator(std::string_view name);

// REQUIREs that the specification states outside of the operators' pseudocode: in its helper
// functions or in the text of its sections. For example, "integer.overflow".
const Conditions& LibraryConditions();

// The requirements of the argument tables and of the rules for graphs, which hold for every
// operator: "graph.type_row".
const Conditions& GraphConditions();

// Conditions of symbolic programs in addition to those of their operators: "symbol.unbound".
const Conditions& SymbolConditions();

#define CTS_OPERATOR(NAME, Function, stem) \
  Conditions Function##Conditions();       \
  OperatorFacts Function##Facts();         \
  void Compute##Function(const Call& call, Computation& computation);
#include "reference/spec/operators.def"
#undef CTS_OPERATOR

}  // namespace cts

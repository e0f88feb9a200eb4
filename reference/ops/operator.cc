#include "reference/ops/operator.h"

#include <map>

namespace cts {

std::string_view Name(ConditionKind kind) {
  switch (kind) {
    case ConditionKind::kErrorIf:
      return "error_if";
    case ConditionKind::kRequire:
      return "require";
    case ConditionKind::kLevel:
      return "level";
  }
  return "";
}

unsigned MaskOf(std::string_view edition_id) {
  if (edition_id == "tosa-0.100") return kTosa0100;
  if (edition_id == "tosa-1.0") return kTosa10;
  if (edition_id == "rvtensor") return kRvtensor;
  return 0;
}

const std::vector<Operator>& Operators() {
  static const std::vector<Operator> operators = {
#define CTS_OPERATOR(NAME, Function, stem) \
  {#NAME, #stem, Function##Conditions, Compute##Function, Infer##Function},
#include "reference/spec/operators.def"
#undef CTS_OPERATOR
  };
  return operators;
}

const Operator* FindOperator(std::string_view name) {
  for (const Operator& op : Operators()) {
    if (op.name == name) return &op;
  }
  return nullptr;
}

const Condition* FindCondition(std::string_view id, std::string_view edition_id) {
  static const std::multimap<std::string_view, Condition> conditions = [] {
    std::multimap<std::string_view, Condition> map;
    const auto add = [&](const Conditions& list) {
      for (const Condition& condition : list) map.emplace(condition.id, condition);
    };
    for (const Operator& op : Operators()) add(op.conditions());
    add(LibraryConditions());
    add(GraphConditions());
    add(SymbolConditions());
    return map;
  }();
  const auto [first, last] = conditions.equal_range(id);
  for (auto it = first; it != last; ++it) {
    if ((it->second.editions & MaskOf(edition_id)) != 0) return &it->second;
  }
  return nullptr;
}

}  // namespace cts

#include "reference/ops/operator.h"

#include <map>
#include <utility>

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

bool StandsIn(const Condition& condition, const Edition& edition) {
  const Where& where = condition.where;
  return edition.Has(Feature::kExecuted) &&
         (!where.feature || edition.Has(*where.feature) == where.has) &&
         (where.op.empty() || edition.FindOperator(where.op) != nullptr);
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

const Condition* FindCondition(std::string_view id, const Edition& edition) {
  // By id: the operator that has it, if it is one's, and the condition.
  static const std::multimap<std::string_view, std::pair<std::string_view, Condition>> conditions =
      [] {
        std::multimap<std::string_view, std::pair<std::string_view, Condition>> map;
        const auto add = [&](std::string_view op, const Conditions& list) {
          for (const Condition& condition : list)
            map.emplace(condition.id, std::pair(op, condition));
        };
        for (const Operator& op : Operators()) add(op.name, op.conditions());
        add("", LibraryConditions());
        add("", GraphConditions());
        add("", SymbolConditions());
        return map;
      }();
  const auto [first, last] = conditions.equal_range(id);
  for (auto it = first; it != last; ++it) {
    const auto& [op, condition] = it->second;
    if (!op.empty() && edition.FindOperator(op) == nullptr) continue;
    if (StandsIn(condition, edition)) return &condition;
  }
  return nullptr;
}

}  // namespace cts

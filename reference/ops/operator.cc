#include "reference/ops/operator.h"

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

}  // namespace cts

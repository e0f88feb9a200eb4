#include "reference/ops/operator.h"

#include <algorithm>

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

namespace {

// Whether an operator of the edition, or a step that makes one, is computed by this text.
bool Computes(const Edition& edition, std::string_view text) {
  return std::any_of(
      edition.operators.begin(), edition.operators.end(), [&](const OperatorSpec& spec) {
        if (spec.definition == nullptr) return spec.Seen().name == text;
        return std::any_of(spec.definition->steps.begin(), spec.definition->steps.end(),
                           [&](const DefinitionStep& step) { return step.op == text; });
      });
}

}  // namespace

bool StandsIn(const Condition& condition, const Edition& edition) {
  const Where& where = condition.where;
  return edition.Has(Feature::kExecuted) &&
         (!where.feature || edition.Has(*where.feature) == where.has) &&
         (where.op.empty() || Computes(edition, where.op) ||
          (!where.other_op.empty() && Computes(edition, where.other_op)));
}

const std::vector<Operator>& Operators() {
  static const std::vector<Operator> operators = {
#define CTS_OPERATOR(NAME, Function, stem) \
  {#NAME, #stem, Function##Conditions, Compute##Function, Function##Facts},
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

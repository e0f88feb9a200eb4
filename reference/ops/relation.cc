#include "reference/ops/relation.h"

#include <map>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
const std::vector<Relation>& RelationsOf(std::string_view op) {
  static const auto& known = *[] {
    auto* const all = new std::map<std::string_view, std::vector<Relation>>;
    for (const Operator& each : Operators()) {
      const auto relations = each.facts().relations;
      if (relations != nullptr) all->emplace(each.name, relations());
    }
    return all;
  }();
  static const auto& none = *new std::vector<Relation>;
  const auto found = known.find(op);
  return found == known.end() ? none : found->second;
}

std::string RelationFamily(const OperatorSpec& spec, const TypeRow& row) {
  for (const ArgumentSpec& argument : spec.arguments) {
    if (argument.category != ArgumentCategory::kInput) continue;
    const std::optional<DType> type = row.PlainType(argument.element_type);
    if (!type) continue;
    if (*type == DType::kI8 || IsFloat(*type)) return std::string(Info(*type).name);
    return "integers";
  }
  return "";
}

}  // namespace cts

#include "reference/ops/facts.h"

#include <map>

#include "reference/ops/operator.h"

namespace cts {

const OperatorFacts& FactsOf(std::string_view op) {
  static const auto& all = *[] {
    auto* const facts = new std::map<std::string_view, OperatorFacts>;
    for (const Operator& each : Operators()) facts->emplace(each.name, each.facts());
    return facts;
  }();
  static const OperatorFacts none;
  const auto found = all.find(op);
  return found == all.end() ? none : found->second;
}

bool IsElementwise(std::string_view op) {
  const OperatorFacts& facts = FactsOf(op);
  const auto dimensions = facts.dimensions;
  return facts.role == GraphRole::kComputes && facts.moves == Moves::kNothing &&
         (dimensions == ElementwiseDimensions || dimensions == FunctionDimensions ||
          dimensions == RescaleDimensions);
}

// Stands here, since the ladder of sizes knows no operator.
const std::vector<SizedDimension>& DimensionsOf(std::string_view op) {
  static const auto& known = *[] {
    auto* const all = new std::map<std::string_view, std::vector<SizedDimension>>;
    for (const Operator& each : Operators()) {
      const auto dimensions = each.facts().dimensions;
      if (dimensions != nullptr) all->emplace(each.name, dimensions());
    }
    return all;
  }();
  static const auto& none = *new std::vector<SizedDimension>;
  const auto found = known.find(op);
  return found == known.end() ? none : found->second;
}

}  // namespace cts

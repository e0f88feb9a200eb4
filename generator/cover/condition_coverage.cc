#include "generator/cover/condition_coverage.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "generator/cover/part_coverage.h"
#include "generator/plan/error_items.h"
#include "generator/recipe/space.h"
#include "reference/base/contains.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Everything that the edition has, whatever the recipe asks for.
StatusOr<Parts> PartsOfEverything(Recipe all) {
  for (auto* names : {&all.operators, &all.profiles, &all.data_sets, &all.types}) names->clear();
  all.needs.clear();
  return MakeParts(all);
}

// Why the recipe wants a condition, or why it does not.
class ConditionJudge {
 public:
  ConditionJudge(const Parts& asked, const Parts& everything)
      : asked_(asked), everything_(everything) {}

  // Sets state and reason; the number of cases is known.
  void Judge(const Condition& condition, ConditionCoverage& measured) const {
    const auto [state, reason] = Answer(condition, measured.op, measured.cases);
    measured.state = state;
    measured.reason = reason;
  }

  // `op`: "*" for any operator. The conditions of any graph may be asked for one operator, too.
  std::pair<ConditionState, std::string_view> Answer(const Condition& condition,
                                                     const std::string& op, uint64_t cases) const {
    const std::string id(condition.id);
    if (condition.kind != ConditionKind::kErrorIf) return {ConditionState::kNeverACase, ""};
    if (cases > 0) return {ConditionState::kCovered, ""};
    if (IsOfSymbolic(condition)) {
      if (!asked_.recipe->symbolic) {
        return {ConditionState::kNotAsked, "the recipe asks for no symbolic programs"};
      }
      if (CanBreakSymbolic(condition.id)) return {ConditionState::kHole, ""};
      return {ConditionState::kNotWithin,
              "no symbolic program of what the recipe asks for breaks it"};
    }
    if (!asked_.recipe->error_cases) {
      return {ConditionState::kNotAsked, "the recipe asks for no error cases"};
    }
    const Recipe& recipe = *asked_.recipe;
    if (!recipe.conditions.empty() && !Contains(recipe.conditions, id)) {
      return {ConditionState::kNotAsked, "none of the conditions that the recipe asks for"};
    }
    const bool is_of_graphs = op == "*";
    if (!is_of_graphs && !HasPart(op, everything_)) return {ConditionState::kNotAsked, kUnknowable};
    if (is_of_graphs ? asked_.parts.empty() : !HasPart(op, asked_)) {
      return {ConditionState::kNotAsked, "no operator, type and profile that the recipe asks for"};
    }
    const auto& not_alone = ConditionsNotBrokenAlone();
    if (const auto known = not_alone.find(id); known != not_alone.end()) {
      return {ConditionState::kNotAlone, known->second};
    }
    if (CanBreak(id, op, asked_)) return {ConditionState::kHole, ""};
    if (CanBreak(id, op, everything_)) {
      if (is_of_graphs && !recipe.operators.empty()) {
        return {ConditionState::kNotAsked, "no operator that the recipe asks for can break it"};
      }
      return {ConditionState::kNotWithin, recipe.profiles.empty() && recipe.needs.empty()
                                              ? "no graph of these types and data sets breaks it"
                                              : "no graph of these profiles breaks it"};
    }
    if (!is_of_graphs && !id.starts_with("graph.")) return {ConditionState::kHole, ""};
    return {ConditionState::kNoBreaker, "the generator knows no graph that breaks it"};
  }

 private:
  static bool IsOfSymbolic(const Condition& condition) {
    return std::any_of(SymbolConditions().begin(), SymbolConditions().end(),
                       [&](const Condition& known) { return known.id == condition.id; });
  }

  // Whether one of the symbolic programs that the recipe asks for has a case that breaks it.
  bool CanBreakSymbolic(std::string_view condition) const {
    const Recipe& recipe = *asked_.recipe;
    if (!recipe.conditions.empty() && !Contains(recipe.conditions, std::string(condition))) {
      return false;
    }
    return std::any_of(asked_.parts.begin(), asked_.parts.end(), [&](const Part& part) {
      return part.is_symbolic &&
             std::any_of(part.domain->breakers.begin(), part.domain->breakers.end(),
                         [&](const Breaker& breaker) {
                           return breaker.condition == condition &&
                                  StartOf(*part.domain, part.setting, recipe, breaker.labels,
                                          breaker.applies);
                         });
    });
  }

  static bool HasPart(std::string_view op, const Parts& parts) {
    return std::any_of(parts.parts.begin(), parts.parts.end(), [&](const Part& part) {
      return !part.is_graph && part.setting.spec->name == op;
    });
  }

  // Whether one of the parts' type rows has a case that breaks it within the recipe's profiles.
  static bool CanBreak(std::string_view condition, std::string_view op, const Parts& parts) {
    const Recipe& recipe = *parts.recipe;
    for (const Part& part : parts.parts) {
      if (part.is_graph || (op != "*" && part.setting.spec->name != op)) continue;
      for (const Breaker& breaker : part.domain->breakers) {
        if (breaker.condition != condition || (breaker.more && !recipe.full_domains) ||
            (breaker.within && op != "*")) {
          continue;
        }
        const std::optional<Labels> labels =
            StartOf(*part.domain, part.setting, recipe, breaker.labels, breaker.applies);
        if (!labels) continue;
        if (recipe.profiles.empty() && recipe.needs.empty()) return true;
        const Choice choice = {part.setting, "", recipe.seed, *labels};
        CaseDraft draft = part.domain->build(choice);
        draft.built_from = &choice;
        breaker.change(part.setting, draft);
        const StatusOr<bool> within = NeedsNoMore(recipe, part.setting, draft);
        if (!within.ok() || *within) return true;
      }
    }
    return false;
  }

  const Parts& asked_;
  const Parts& everything_;
};

}  // namespace

std::string_view Name(ConditionState state) {
  switch (state) {
    case ConditionState::kCovered:
      return "covered";
    case ConditionState::kHole:
      return "hole";
    case ConditionState::kNotAlone:
      return "not_alone";
    case ConditionState::kNotAsked:
      return "not_asked";
    case ConditionState::kNotWithin:
      return "not_within";
    case ConditionState::kNoBreaker:
      return "no_breaker";
    case ConditionState::kNeverACase:
      break;
  }
  return "never_a_case";
}

StatusOr<std::vector<ConditionCoverage>> MeasureConditions(const Parts& asked,
                                                           const std::vector<CaseFacts>& cases) {
  CTS_ASSIGN_OR_RETURN(const Parts everything, PartsOfEverything(*asked.recipe));
  std::map<std::string, uint64_t, std::less<>> broken;
  for (const CaseFacts& facts : cases) {
    if (facts.outcome == Outcome::kError) ++broken[facts.condition];
  }
  const ConditionJudge judge(asked, everything);
  std::vector<ConditionCoverage> measured;
  const auto add = [&](const Conditions& conditions, const std::string& op) {
    for (const Condition& condition : conditions) {
      if (!StandsIn(condition, *asked.edition)) continue;
      ConditionCoverage& row = measured.emplace_back();
      row.id = condition.id;
      row.op = op;
      row.kind = Name(condition.kind);
      const auto found = broken.find(condition.id);
      row.cases = found == broken.end() ? 0 : found->second;
      judge.Judge(condition, row);
    }
  };
  for (const OperatorSpec& spec : asked.edition->operators) {
    if (const Operator* op = OperatorFor(spec)) {
      add(ConditionsOf(*op, spec, *asked.edition), spec.name);
    }
  }
  add(GraphConditions(), "*");
  add(LibraryConditions(), "*");
  add(SymbolConditions(), "*");
  return measured;
}

StatusOr<UnbrokenConditions> UnbrokenConditions::Of(const Recipe& recipe) {
  UnbrokenConditions unbroken;
  CTS_ASSIGN_OR_RETURN(unbroken.asked_, MakeParts(recipe));
  CTS_ASSIGN_OR_RETURN(unbroken.everything_, PartsOfEverything(recipe));
  return unbroken;
}

std::string_view UnbrokenConditions::Reason(std::string_view condition,
                                            const std::string& op) const {
  const Condition* const found = FindCondition(condition, *asked_.edition);
  if (found == nullptr) return "";
  return ConditionJudge(asked_, everything_).Answer(*found, op, 0).second;
}

}  // namespace cts

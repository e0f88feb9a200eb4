#include "generator/plan/parts.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "generator/draft/name_text.h"
#include "generator/graphs/graphs.h"
#include "generator/ops/described.h"
#include "generator/recipe/profiles.h"
#include "generator/recipe/recipe_names.h"
#include "generator/symbolic/symbolic.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

// Whether the recipe's types, if it has any, occur in the row.
bool HasType(const Recipe& recipe, const TypeRow& row) {
  return recipe.types.empty() ||
         std::any_of(row.types.begin(), row.types.end(),
                     [&](const auto& entry) { return Contains(recipe.types, entry.second); });
}

// Every data set that some part has.
std::vector<std::string> DataSetsOf(const std::vector<Part>& parts) {
  std::set<std::string> names;
  for (const Part& part : parts) {
    for (const Axis& axis : part.domain->axes(part.setting)) {
      if (axis.name != "data") continue;
      names.insert(axis.values.begin(), axis.values.end());
      names.insert(axis.more.begin(), axis.more.end());
    }
    for (const DataCase& data : part.domain->data_cases) {
      if (data.applies == nullptr || data.applies(part.setting)) names.emplace(data.data_set);
    }
  }
  return {names.begin(), names.end()};
}

// A breaker of its own for each of Domain::starts.
void ExpandStarts(Domain& domain) {
  if (domain.starts.empty()) return;
  std::vector<Breaker> all;
  for (const Breaker& breaker : domain.breakers) {
    for (const Labels& start : domain.starts) {
      all.push_back(breaker);
      for (const auto& [axis, value] : start.all()) all.back().labels.Set(axis, value);
    }
  }
  domain.breakers = std::move(all);
}

// Adds the parts of one kind after the other.
class PartMaker {
 public:
  explicit PartMaker(Parts& made) : made_(made), recipe_(*made.recipe), edition_(*made.edition) {}

  void AddOperators() {
    for (const OperatorDomain& op : OperatorDomains()) {
      for (const OperatorSpec& spec : edition_.operators) {
        if (spec.definition == nullptr && spec.Seen().name == op.name) {
          AddOperator(spec, OwnDomain(op.name));
        }
      }
    }
    for (const OperatorSpec& spec : edition_.operators) {
      if (spec.definition != nullptr) AddOperator(spec, DescribedDomain());
    }
  }

  // The graphs' parts are called after the folder, "graphs" or "symbolic".
  void AddGraphs(const std::vector<GraphDomain>& graphs, std::string_view folder) {
    for (const GraphDomain& graph : graphs) {
      if (!IsWanted(graph.op)) continue;
      Domain domain = DomainOf(graph);
      const bool is_symbolic = folder == "symbolic";
      if (!is_symbolic && !recipe_.graphs && domain.at_layer == nullptr) continue;
      made_.domains.push_back(std::make_unique<Domain>(std::move(domain)));
      AddRows(*edition_.FindOperator(graph.op), graph.applies,
              {.prefix = StrCat(folder, "/", graph.name, "-"),
               .domain = made_.domains.back().get(),
               .setting = {},
               .is_graph = true,
               .is_symbolic = is_symbolic});
    }
  }

 private:
  bool IsWanted(std::string_view op) const {
    return edition_.FindOperator(op) != nullptr &&  // not another edition's
           (recipe_.operators.empty() || Contains(recipe_.operators, std::string(op)));
  }

  void AddOperator(const OperatorSpec& spec, Domain domain) {
    if (!IsWanted(spec.name) || domain.build == nullptr) return;  // CUSTOM: nothing can be asked
    for (const Breaker& breaker : DescribedBreakers(spec)) domain.breakers.push_back(breaker);
    for (const Breaker& breaker : GraphBreakers()) domain.breakers.push_back(breaker);
    ExpandStarts(domain);
    std::stable_partition(domain.breakers.begin(), domain.breakers.end(),
                          [](const Breaker& breaker) { return !breaker.more; });
    made_.domains.push_back(std::make_unique<Domain>(std::move(domain)));
    AddRows(
        spec, nullptr,
        {.prefix = Lower(spec.name) + "/", .domain = made_.domains.back().get(), .setting = {}});
  }

  // One part like this for each type row; its types follow the prefix.
  void AddRows(const OperatorSpec& spec, bool (*applies)(const Setting&), const Part& like) {
    for (const TypeRow& row : spec.type_rows) {
      if (!IsWithin(row.profiles, recipe_.profiles) || !HasType(recipe_, row)) continue;
      Part part = like;
      part.setting = {&edition_, made_.level, &spec, &row, &recipe_.profiles};
      if (applies != nullptr && !applies(part.setting)) continue;
      part.prefix += TypesLabel(part.setting);
      made_.parts.push_back(std::move(part));
    }
  }

  Parts& made_;
  const Recipe& recipe_;
  const Edition& edition_;
};

}  // namespace

std::string TypesLabel(const Setting& setting) {
  std::string label;
  std::set<std::string> seen;
  std::optional<DType> output;
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) {
      output = setting.row->PlainType(argument.element_type);
    }
    const auto type = setting.row->PlainType(argument.element_type);
    if (!type || argument.category == ArgumentCategory::kAttribute) continue;
    if (seen.insert(argument.element_type).second) {
      label += StrCat(label.empty() ? "" : "-", Name(*type));
    }
  }
  const auto accumulator = setting.row->PlainType("acc_t");
  if (accumulator && accumulator != output) label += StrCat("-acc", Name(*accumulator));
  if (!label.empty()) return label;
  if (setting.spec->group == "control-flow") return "any";
  if (setting.spec->group == "variable") return setting.row->types.begin()->second;
  return "shape";
}

StatusOr<Parts> MakeParts(const Recipe& recipe) {
  Parts made;
  made.recipe = std::make_unique<Recipe>(recipe);
  CTS_ASSIGN_OR_RETURN(made.edition, ResolveRecipe(*made.recipe));
  made.level = made.edition->FindLevel(made.recipe->level);
  PartMaker maker(made);
  maker.AddOperators();
  // The graphs are TOSA's: an edition that follows one has few of their operators.
  // Networks need the graphs of layers, too.
  const bool wants_graphs = recipe.graphs || recipe.networks;
  if (wants_graphs && made.edition->follows.empty()) maker.AddGraphs(GraphDomains(), "graphs");
  if (recipe.symbolic) maker.AddGraphs(SymbolicGraphs(), "symbolic");
  if (!recipe.data_sets.empty()) {
    CTS_RETURN_IF_ERROR(ResolveNames("data set of these operators", DataSetsOf(made.parts),
                                     made.recipe->data_sets));
  }
  return made;
}

}  // namespace cts

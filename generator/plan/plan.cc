#include "generator/plan/plan.h"

#include <algorithm>
#include <optional>
#include <type_traits>
#include <utility>

#include "generator/draft/name_text.h"
#include "generator/ops/described.h"
#include "generator/ops/long_sums.h"
#include "generator/ops/size_cases.h"
#include "generator/plan/error_items.h"
#include "generator/plan/repeated.h"
#include "generator/plan/selection.h"
#include "generator/recipe/space.h"
#include "reference/base/contains.h"
#include "reference/base/plain_arithmetic.h"
#include "reference/ops/relation.h"

namespace cts {
namespace {

bool HasInputs(const OperatorSpec& spec) {
  return std::any_of(spec.arguments.begin(), spec.arguments.end(),
                     [](const ArgumentSpec& a) { return a.category == ArgumentCategory::kInput; });
}

// A row drawn at random from those that are allowed.
Row AnyRow(const Space& space, Random& random) {
  const std::vector<int>& sizes = space.rows().sizes();
  Row row(sizes.size());
  do {
    for (size_t i = 0; i < row.size(); ++i) {
      row[i] = static_cast<int>(random.Below(static_cast<uint64_t>(sizes[i])));
    }
  } while (!space.rows().Allows(row));
  return row;
}

void AddValidItems(const Part& part, const Space& space, Plan& plan) {
  const auto add = [&](Purpose purpose, const Row& row, const std::string& suffix) {
    Choice choice{part.setting, part.prefix, plan.recipe->seed, space.LabelsOf(row)};
    for (const Axis& axis : space.axes()) {
      choice.id += "-" + axis.prefix + Lower(choice[axis.name].text());
    }
    choice.id += suffix;
    plan.items.push_back({std::move(choice), part.domain, std::move(purpose)});
  };
  if (part.is_symbolic || (part.is_graph ? plan.recipe->graphs : plan.recipe->valid_cases)) {
    // Every type row combines the values in its own way: together they cover more.
    const uint64_t seed = Random(plan.recipe->seed, part.prefix, "").Next64();
    const size_t first = plan.items.size();
    for (const Row& row : CoveringArray(space.rows(), plan.recipe->strength, seed)) {
      add(purpose::Combination(), row, "");
    }
    if (plan.recipe->repeats && part.is_graph && !part.is_symbolic) {
      AddRepeatedGraphs(*plan.recipe, part, first, plan.items);
    }
  }
  if (part.is_graph) return;
  Random random(plan.recipe->seed, part.prefix, "samples");
  for (int k = 0; k < plan.recipe->samples; ++k) {
    add(purpose::Sample(), AnyRow(space, random), StrCat("-n", k));
  }
}

void AddMutants(const Part& part, const Space& space, Plan& plan) {
  if (!HasInputs(*part.setting.spec)) return;  // nothing about a constant can be wrong
  const size_t slash = part.prefix.find('/') + 1;
  const std::string prefix =
      StrCat(part.prefix.substr(0, slash), "error-mutant-", part.prefix.substr(slash));
  Random random(plan.recipe->seed, prefix, "mutants");
  for (int k = 0; k < plan.recipe->mutants; ++k) {
    Choice choice{part.setting, StrCat(prefix, "-", k), plan.recipe->seed,
                  space.LabelsOf(AnyRow(space, random))};
    plan.items.push_back({std::move(choice), part.domain, purpose::Mutant()});
  }
}

// The condition of the edition's own that forbids a case beside the combinations; null if there is
// none.
template <class BesideCase>
const DescribedCondition* ForbiddenBy(const BesideCase& beside, const Domain& domain,
                                      const Choice& choice) {
  if (choice.setting.spec->conditions.empty()) return nullptr;
  CaseDraft draft = domain.build(choice);
  draft.built_from = &choice;
  beside.change(choice.setting, draft);
  return ForbiddenBy(choice.setting, draft);
}

// Looks for labels from which the case meets the edition's own conditions: those of `choice`, or
// with another value of one axis that the case leaves open. Returns the condition that forbids the
// case of `choice` if there are no such labels.
template <class BesideCase>
const DescribedCondition* AvoidOwnConditions(const BesideCase& beside, const Part& part,
                                             const Recipe& recipe, Choice& choice) {
  const DescribedCondition* const forbidding = ForbiddenBy(beside, *part.domain, choice);
  if (forbidding == nullptr) return nullptr;
  for (const Axis& axis : part.domain->axes(part.setting)) {
    if (beside.labels.Has(axis.name) || axis.name == "data") continue;
    for (const std::string& value : axis.values) {
      Labels wanted = beside.labels;
      wanted.Set(axis.name, value);
      std::optional<Labels> labels =
          StartOf(*part.domain, part.setting, recipe, wanted, beside.applies);
      if (!labels) continue;
      Choice other = choice;
      other.labels = *std::move(labels);
      if (ForbiddenBy(beside, *part.domain, other) != nullptr) continue;
      choice = std::move(other);
      return nullptr;
    }
  }
  return forbidding;
}

// Notes the relations that hold in a case that is left out.
void NoteRelations(const RelationCase& beside, const Domain& domain, const Choice& choice,
                   LeftOut& left_out) {
  const Setting& setting = choice.setting;
  CaseDraft draft = domain.build(choice);
  draft.built_from = &choice;
  beside.change(setting, draft);
  left_out.relations = RelationsIn(setting, draft);
  left_out.family = RelationFamily(*setting.spec, *setting.row);
}

// Adds a case that stands beside the combinations, if it applies to the part. Its id holds `what`
// before the types.
template <class BesideCase>
void AddBeside(const Part& part, const BesideCase& beside, Purpose purpose, const std::string& what,
               const Recipe& recipe, Plan& plan) {
  std::optional<Labels> labels =
      StartOf(*part.domain, part.setting, recipe, beside.labels, beside.applies);
  if (!labels) return;
  const size_t slash = part.prefix.find('/') + 1;
  const std::string id =
      StrCat(part.prefix.substr(0, slash), what, "-",
             beside.what.empty() ? "" : StrCat(beside.what, "-"), part.prefix.substr(slash));
  Choice choice{part.setting, id, recipe.seed, *std::move(labels)};
  if (const auto* const forbidding = AvoidOwnConditions(beside, part, recipe, choice)) {
    LeftOut left_out{id, forbidding->id, forbidding->paraphrase};
    if constexpr (std::is_same_v<BesideCase, RelationCase>) {
      NoteRelations(beside, *part.domain, choice, left_out);
    }
    plan.left_out.push_back(std::move(left_out));
    return;
  }
  plan.items.push_back({std::move(choice), part.domain, std::move(purpose)});
}

void AddLimits(const Part& part, Plan& plan) {
  for (const LimitCase& limit : part.domain->limits) {
    AddBeside(part, limit, purpose::Limit{&limit}, StrCat("limit-", Lower(limit.limit)),
              *plan.recipe, plan);
  }
}

void AddDataCases(const Part& part, Plan& plan) {
  Recipe recipe = *plan.recipe;
  recipe.data_sets.clear();  // of the case that it starts from
  const std::vector<std::string>& wanted = plan.recipe->data_sets;
  for (const DataCase& data : part.domain->data_cases) {
    if (!wanted.empty() && !Contains(wanted, data.data_set)) continue;
    AddBeside(part, data, purpose::Data{&data}, StrCat("data-", data.data_set), recipe, plan);
  }
}

Status AddRelations(const Part& part, Plan& plan) {
  const std::string& op = part.setting.spec->Seen().name;
  const std::vector<Relation>& relations = RelationsOf(op);
  if (!relations.empty() && part.domain->relations.empty()) {
    return absl::InternalError(StrCat("generator/ops: found no relation cases in the domain of ",
                                      op, ", expected some: it has the relation ",
                                      relations.front().name, " (reference/ops/relation.cc)"));
  }
  for (const RelationCase& relation : part.domain->relations) {
    if (relation.more && !plan.recipe->full_domains) continue;
    AddBeside(part, relation, purpose::Relation{&relation}, "relation", *plan.recipe, plan);
  }
  return absl::OkStatus();
}

// Adds an item whose case `build` makes of the draft of its choice, but where a condition of the
// edition's own forbids that case.
template <class Build>
void AddUnlessForbidden(Item item, Build build, Plan& plan) {
  const Setting& setting = item.choice.setting;
  if (!setting.spec->conditions.empty()) {
    CaseDraft start = item.domain->build(item.choice);
    start.built_from = &item.choice;
    if (const auto* const forbidding = ForbiddenBy(setting, build(start))) {
      plan.left_out.push_back({item.choice.id, forbidding->id, forbidding->paraphrase});
      return;
    }
  }
  plan.items.push_back(std::move(item));
}

// A case for each rung of each dimension, up to the recipe's size.
Status AddSizes(const Part& part, Plan& plan) {
  const Setting& setting = part.setting;
  if (LadderKind(*setting.spec, *setting.row).empty()) return absl::OkStatus();
  const std::string& op = setting.spec->Seen().name;
  for (const SizedDimension& dimension : DimensionsOf(op)) {
    if (!HasSizeCases(op)) {
      return absl::InternalError(StrCat("generator/ops/size_cases.cc: found no cases of ", op,
                                        ", expected some: it has the dimension ", dimension.name,
                                        " (reference/ops/size_ladder.cc)"));
    }
    for (const Rung& rung : dimension.rungs) {
      if (rung.above >= plan.recipe->sizes) continue;
      std::optional<Labels> labels = StartOf(*part.domain, setting, *plan.recipe, {}, nullptr);
      if (!labels) return absl::OkStatus();
      const size_t slash = part.prefix.find('/') + 1;
      const std::string id = StrCat(part.prefix.substr(0, slash), "size-", Lower(dimension.name),
                                    "-", rung.above + 1, "-", part.prefix.substr(slash));
      Item item{{setting, id, plan.recipe->seed, std::move(*labels)},
                part.domain,
                purpose::Size{&dimension, &rung}};
      AddUnlessForbidden(
          std::move(item),
          [&](const CaseDraft& start) { return BuildAtSize(*part.domain, dimension, rung, start); },
          plan);
    }
  }
  return absl::OkStatus();
}

// The type of the first operand.
DType FirstType(const Setting& setting) {
  return setting.row->PlainType("in_t").value_or(
      setting.row->PlainType("in_out_t").value_or(DType::kBool));
}

// Each length that the recipe asks for with each of appendix A's data sets.
void AddLongSums(const Part& part, Plan& plan) {
  const Setting& setting = part.setting;
  const Recipe& recipe = *plan.recipe;
  const SizedDimension* const sums = LongSumsOf(*setting.edition, *setting.spec);
  if (sums == nullptr || !IsFloat(FirstType(setting))) return;
  for (const Rung& rung : sums->rungs) {
    if (rung.up_to > LongestSum(setting.Text(), recipe.long_sums)) continue;
    for (const std::string set : {"S0", "S1", "S2", "S3", "S4", "S5"}) {
      if (!recipe.data_sets.empty() && !Contains(recipe.data_sets, set)) continue;
      const size_t slash = part.prefix.find('/') + 1;
      const std::string id = StrCat(part.prefix.substr(0, slash), "sum-", rung.up_to, "-",
                                    part.prefix.substr(slash), "-", Lower(set));
      std::optional<Labels> labels =
          StartOf(*part.domain, setting, recipe, {{"data", set}}, nullptr);
      std::string_view reason =
          WhyNoLongSum(setting, rung.up_to, DotProductSetNumber(std::string_view(set)));
      // In 0.100 the bound B of a data set goes by the accumulator.
      if (!labels) reason = "the sums leave the type of the result";
      if (!reason.empty()) {
        plan.left_out.push_back({id, "data", std::string(reason)});
        continue;
      }
      plan.items.push_back({{setting, id, recipe.seed, std::move(*labels)},
                            part.domain,
                            purpose::LongSum{{sums, &rung}}});
    }
  }
}

// The types that networks run in; others are a matter of single operators.
bool RunsNetworks(const Setting& setting) {
  constexpr DType kTypes[] = {DType::kI8, DType::kFp16, DType::kBf16, DType::kFp32};
  const DType first = FirstType(setting);
  return Contains(kTypes, first) && setting.row->PlainType("weight_t").value_or(first) == first;
}

// The mode of RESIZE on integers stands in the type row.
bool HasMode(const Setting& setting, const NetworkLayer& layer) {
  const auto mode = setting.row->attributes.find("mode");
  return layer.mode.empty() || mode == setting.row->attributes.end() || mode->second == layer.mode;
}

// The layers at the size that the recipe asks for, of the operators that the edition has.
Status ChooseLayers(Plan& plan) {
  CTS_RETURN_IF_ERROR(PublishedLayers().status());
  std::vector<NetworkLayer> layers;
  for (const NetworkLayer& layer : *PublishedLayers()) {
    const bool is_dense = layer.op == "FULLY_CONNECTED";
    const bool has_operator = plan.edition->FindOperator(layer.op) != nullptr;
    layers.push_back(is_dense && !has_operator ? AsConvolution(layer) : layer);
  }
  plan.layers = DistinctLayers(layers, *plan.recipe->networks);
  // With an accumulator of fp16 the bound of a longer sum accepts any result.
  LayerLimits limits{.products_of_a_sum = 300};
  // Sums of one sign lean when they are rounded to a narrow type: the sum of all errors grows with
  // the number of results, and its limit only with its root (notes.md, "data sets, S3 in 0.100").
  constexpr int64_t kFew = 4096;
  if (plan.edition->Has(Feature::kDotProductSetsOfOneSign)) {
    plan.layers_of_few_sums = DistinctLayers(layers, *plan.recipe->networks, {.sums = kFew});
    limits.sums = kFew;
  }
  plan.layers_of_short_sums = DistinctLayers(layers, *plan.recipe->networks, limits);
  return absl::OkStatus();
}

const std::vector<NetworkLayer>& LayersFor(const Setting& setting, const Labels& labels,
                                           const Plan& plan) {
  // MAX_POOL2D has neither.
  const std::optional<DType> output = setting.row->PlainType("out_t");
  const std::optional<DType> acc = setting.row->PlainType("acc_t");
  if ((acc ? acc : output) == DType::kFp16) return plan.layers_of_short_sums;
  const bool leans = setting.EditionHas(Feature::kDotProductSetsOfOneSign) &&
                     labels.Text(kDataAxis) == "S3" &&
                     (output == DType::kFp16 || output == DType::kBf16);
  return leans ? plan.layers_of_few_sums : plan.layers;
}

void AddNetworks(const Part& part, Plan& plan) {
  const Setting& setting = part.setting;
  const std::string_view block = part.domain->block;
  // Numbers of 16 bits stand within blocks of i8.
  if (part.domain->at_layer == nullptr || (block.empty() && !RunsNetworks(setting))) return;
  const Recipe& recipe = *plan.recipe;
  // Graphs of several operators choose besides: as frameworks emit layers.
  Labels wanted;
  if (part.is_graph && block.empty()) wanted = {{"activation", "relu"}, {"zero_point", "lo"}};
  const DType first = FirstType(setting);
  std::optional<Labels> labels;
  // The large product of S3 shows more than S1 does where the bound is wide.
  if (first == DType::kFp16 || first == DType::kBf16) {
    labels = StartOf(*part.domain, setting, recipe, {{"data", "S3"}}, nullptr);
  }
  if (!labels) labels = StartOf(*part.domain, setting, recipe, wanted, nullptr);
  if (!labels) return;
  const size_t slash = part.prefix.find('/') + 1;
  for (const NetworkLayer& layer : LayersFor(setting, *labels, plan)) {
    const bool is_its_own = block.empty()
                                ? layer.op == setting.spec->Seen().name && HasMode(setting, layer)
                                : layer.block == block;
    if (!is_its_own) continue;
    const std::string id = StrCat(part.prefix.substr(0, slash), "network-", layer.name, "-",
                                  part.prefix.substr(slash));
    Item item{{setting, id, plan.recipe->seed, *labels}, part.domain, purpose::Network{&layer}};
    AddUnlessForbidden(
        std::move(item),
        [&](const CaseDraft& start) { return part.domain->at_layer(start, layer); }, plan);
  }
}

}  // namespace

StatusOr<Plan> MakePlan(const Recipe& recipe) {
  const PlainArithmetic plain;
  CTS_ASSIGN_OR_RETURN(Parts made, MakeParts(recipe));
  Plan plan{std::move(made), {}, {}, {}, {}};
  if (plan.recipe->networks) CTS_RETURN_IF_ERROR(ChooseLayers(plan));
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const Part& part = plan.parts[i];
    const Space space(*part.domain, part.setting, *plan.recipe, part.is_graph);
    if (space.HasCases()) {
      AddValidItems(part, space, plan);
      if (!part.is_graph) AddMutants(part, space, plan);
    }
    if (plan.recipe->relations && !part.is_graph) {
      CTS_RETURN_IF_ERROR(AddRelations(part, plan));
    }
    if (plan.recipe->sizes > 0 && !part.is_graph && !part.is_symbolic) {
      CTS_RETURN_IF_ERROR(AddSizes(part, plan));
    }
    if (plan.recipe->long_sums > 0 && !part.is_graph && !part.is_symbolic) AddLongSums(part, plan);
    if (plan.recipe->networks) AddNetworks(part, plan);
    if (plan.recipe->limits && !part.is_graph) AddLimits(part, plan);
    if (plan.recipe->valid_cases && !part.is_graph) AddDataCases(part, plan);
    if (plan.recipe->repeats && plan.recipe->valid_cases && !part.is_graph) {
      AddRepeatedOperator(*plan.recipe, part, plan.items);
    }
    if (part.is_symbolic) {
      AddSymbolicErrorItems(*plan.recipe, part, plan.items);
      continue;
    }
    // The parts of an operator stand together.
    if (i + 1 < plan.parts.size() && plan.parts[i + 1].domain == part.domain) continue;
    if (part.is_graph && !plan.recipe->graphs) continue;  // it is there for networks alone
    if (!part.is_graph && !plan.recipe->error_cases && !plan.recipe->neighbours) continue;
    std::vector<const Part*> parts;
    for (const Part& other : plan.parts) {
      if (other.domain == part.domain) parts.push_back(&other);
    }
    AddErrorItems(*plan.recipe, std::move(parts), plan.items);
  }
  std::sort(plan.items.begin(), plan.items.end(),
            [](const Item& a, const Item& b) { return a.choice.id < b.choice.id; });
  std::sort(plan.left_out.begin(), plan.left_out.end(),
            [](const LeftOut& a, const LeftOut& b) { return a.id < b.id; });
  for (size_t i = 1; i < plan.items.size(); ++i) {
    if (plan.items[i].choice.id != plan.items[i - 1].choice.id) continue;
    return absl::InternalError(StrCat("two cases have the id ", plan.items[i].choice.id));
  }
  CTS_RETURN_IF_ERROR(Select(*plan.recipe, plan.items));
  CTS_RETURN_IF_ERROR(KeepShard(*plan.recipe, plan.items));
  return plan;
}

}  // namespace cts

#include "generator/plan.h"

#include <fnmatch.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <queue>
#include <set>

#include "generator/graphs/graphs.h"
#include "generator/ops/described.h"
#include "reference/base/contains.h"
#include "reference/base/nearest.h"
#include "reference/evaluate/resolve.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

std::string Lower(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : ", ", name);
  return text;
}

// The types of a row as ids have them: the operands' in the order of the arguments, and the
// accumulator's where it is not the output's.
std::string TypesLabel(const Setting& setting) {
  std::string label;
  std::set<std::string> seen;
  std::optional<DType> output;
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    if (argument.category == ArgumentCategory::kOutput) {
      output = setting.row->Type(argument.element_type);
    }
    const auto type = setting.row->Type(argument.element_type);
    if (!type || argument.category == ArgumentCategory::kAttribute) continue;
    if (seen.insert(argument.element_type).second) {
      label += StrCat(label.empty() ? "" : "-", Name(*type));
    }
  }
  const auto accumulator = setting.row->Type("acc_t");
  if (accumulator && accumulator != output) label += StrCat("-acc", Name(*accumulator));
  if (!label.empty()) return label;
  if (setting.spec->group == "control-flow") return "any";
  if (setting.spec->group == "variable") return setting.row->types.begin()->second;
  return "shape";
}

// --- Names of the recipe, checked and spelled as the edition does.

// Replaces a name by the known one that equals it but for case; of profiles and extensions the
// prefix may be left out ("int16" for EXT-INT16).
Status ResolveName(std::string_view what, const std::vector<std::string>& known,
                   std::string& name) {
  for (const std::string_view prefix : {"", "PRO-", "EXT-"}) {
    for (const std::string& candidate : known) {
      if (Lower(candidate) != Lower(StrCat(prefix, name))) continue;
      name = candidate;
      return absl::OkStatus();
    }
  }
  const bool few = known.size() <= 16;
  return InvalidArgument(
      "found no ", what, ": ", name, "; ", few ? "known are " : "the nearest are ",
      Join(few ? known : NearestNames(known, name, 5)), few ? "" : "; `tensor-cts list` shows all");
}

Status ResolveNames(std::string_view what, const std::vector<std::string>& known,
                    std::vector<std::string>& names) {
  for (std::string& name : names) CTS_RETURN_IF_ERROR(ResolveName(what, known, name));
  return absl::OkStatus();
}

std::vector<std::string> TypesOf(const Edition& edition) {
  std::set<std::string> types;
  for (const OperatorSpec& op : edition.operators) {
    for (const TypeRow& row : op.type_rows) {
      for (const auto& [variable, type] : row.types) {
        if (ParseDType(type)) types.insert(type);
      }
    }
  }
  return {types.begin(), types.end()};
}

// Those of kind error_if.
std::vector<std::string> ErrorIfsOf(const Edition& edition) {
  std::vector<std::string> ids;
  const auto add = [&](const Conditions& conditions) {
    for (const Condition& condition : conditions) {
      if (condition.kind != ConditionKind::kErrorIf) continue;
      if (StandsIn(condition, edition)) ids.emplace_back(condition.id);
    }
  };
  add(GraphConditions());
  add(SymbolConditions());
  for (const OperatorSpec& op : edition.operators) {
    if (const Operator* known = OperatorFor(op)) add(ConditionsOf(*known, op, edition));
  }
  return ids;
}

Status Resolve(Plan& plan) {
  Recipe& recipe = *plan.recipe;
  CTS_ASSIGN_OR_RETURN(plan.edition, FindEdition(recipe.edition));
  const Edition& edition = *plan.edition;
  if (recipe.symbolic && !edition.Has(Feature::kSymbolicPrograms)) {
    return InvalidArgument("recipe ", recipe.name, ": found edition ", recipe.edition,
                           " for symbolic programs, expected ",
                           EditionsThatHave(Feature::kSymbolicPrograms));
  }
  if (!edition.Has(Feature::kExecuted)) {
    return InvalidArgument("edition ", recipe.edition,
                           ": the reference does not have its operators yet; expected one of ",
                           EditionsThatHave(Feature::kExecuted));
  }
  const std::string in_edition = StrCat(" in ", edition.id);
  std::vector<std::string> levels, profiles, extensions, operators;
  for (const Level& level : edition.levels) levels.push_back(level.name);
  for (const ProfileSpec& profile : edition.profiles) {
    profiles.push_back(profile.name);
    if (profile.extension) extensions.push_back(profile.name);
  }
  for (const OperatorSpec& op : edition.operators) operators.push_back(op.name);
  const auto in = [&](std::string_view what) { return StrCat(what, in_edition); };
  CTS_RETURN_IF_ERROR(ResolveName(in("level"), levels, recipe.level));
  plan.level = edition.FindLevel(recipe.level);
  CTS_RETURN_IF_ERROR(ResolveNames(in("profile or extension"), profiles, recipe.profiles));
  if (!recipe.needs.empty()) {
    CTS_RETURN_IF_ERROR(ResolveName(in("extension"), extensions, recipe.needs));
    if (!recipe.profiles.empty() && !Contains(recipe.profiles, recipe.needs)) {
      return InvalidArgument("recipe ", recipe.name, ": needs ", recipe.needs,
                             ", which its profiles do not have; expected it among \"profiles\"");
    }
  }
  CTS_RETURN_IF_ERROR(ResolveNames(in("operator"), operators, recipe.operators));
  CTS_RETURN_IF_ERROR(ResolveNames(in("type"), TypesOf(edition), recipe.types));
  CTS_RETURN_IF_ERROR(ResolveNames(in("condition"), ErrorIfsOf(edition), recipe.conditions));
  if (recipe.shard < 1 || recipe.shard > recipe.shards) {
    return InvalidArgument("recipe ", recipe.name, ": found shard ", recipe.shard, "/",
                           recipe.shards, ", expected I/N with I from 1 to N");
  }
  return absl::OkStatus();
}

// Whether the recipe's types, if it has any, occur in the row.
bool HasType(const Recipe& recipe, const TypeRow& row) {
  return recipe.types.empty() ||
         std::any_of(row.types.begin(), row.types.end(),
                     [&](const auto& entry) { return Contains(recipe.types, entry.second); });
}

// Every alternative of the row has the extension.
bool RowNeeds(const TypeRow& row, const std::string& extension) {
  return std::all_of(row.profiles.begin(), row.profiles.end(),
                     [&](const auto& alternative) { return Contains(alternative, extension); });
}

bool IsExhaustive(std::string_view data_set) { return data_set.starts_with("exhaustive"); }

// The values of an axis that the recipe asks for.
std::vector<std::string> Selected(const Axis& axis, const Setting& setting, const Recipe& recipe) {
  std::vector<std::string> values = axis.values;
  if (recipe.full_domains) values.insert(values.end(), axis.more.begin(), axis.more.end());
  const auto is_left_out = [&](const std::string& value) {
    const auto needs = axis.needs.find(value);
    if (needs != axis.needs.end() && !recipe.profiles.empty() &&
        !Contains(recipe.profiles, needs->second)) {
      return true;
    }
    if (axis.name != "data") return false;
    return recipe.data_sets.empty() ? IsExhaustive(value) : !Contains(recipe.data_sets, value);
  };
  std::erase_if(values, is_left_out);
  // A row that does without the extension: the values that do not, of the axis that has them.
  const bool speaks_of_it =
      std::any_of(axis.needs.begin(), axis.needs.end(),
                  [&](const auto& needs) { return needs.second == recipe.needs; });
  if (!recipe.needs.empty() && !RowNeeds(*setting.row, recipe.needs) && speaks_of_it) {
    std::erase_if(values, [&](const std::string& value) {
      const auto needs = axis.needs.find(value);
      return needs == axis.needs.end() || needs->second != recipe.needs;
    });
  }
  return values;
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
  }
  return {names.begin(), names.end()};
}

// --- The plan.

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

void PlanValidCases(const Part& part, const Space& space, Plan& plan) {
  const auto add = [&](ItemKind kind, const Row& row, const std::string& suffix) {
    Choice choice{part.setting, part.prefix, plan.recipe->seed, space.LabelsOf(row)};
    for (const Axis& axis : space.axes()) {
      choice.id += "-" + axis.prefix + Lower(choice[axis.name].text());
    }
    choice.id += suffix;
    plan.items.push_back({.kind = kind, .choice = std::move(choice), .domain = part.domain});
  };
  if (part.is_symbolic || (part.is_graph ? plan.recipe->graphs : plan.recipe->valid_cases)) {
    // Every type row combines the values in its own way: together they cover more.
    const uint64_t seed = Random(plan.recipe->seed, part.prefix, "").Next64();
    for (const Row& row : CoveringArray(space.rows(), plan.recipe->strength, seed)) {
      add(ItemKind::kValid, row, "");
    }
  }
  if (part.is_graph) return;
  Random random(plan.recipe->seed, part.prefix, "samples");
  for (int k = 0; k < plan.recipe->samples; ++k) {
    add(ItemKind::kSample, AnyRow(space, random), StrCat("-n", k));
  }
}

void PlanMutants(const Part& part, const Space& space, Plan& plan) {
  if (!HasInputs(*part.setting.spec)) return;  // nothing about a constant can be wrong
  const size_t slash = part.prefix.find('/') + 1;
  const std::string prefix =
      StrCat(part.prefix.substr(0, slash), "error-mutant-", part.prefix.substr(slash));
  Random random(plan.recipe->seed, prefix, "mutants");
  for (int k = 0; k < plan.recipe->mutants; ++k) {
    Choice choice{part.setting, StrCat(prefix, "-", k), plan.recipe->seed,
                  space.LabelsOf(AnyRow(space, random))};
    plan.items.push_back(
        {.kind = ItemKind::kMutant, .choice = std::move(choice), .domain = part.domain});
  }
}

void PlanLimits(const Part& part, Plan& plan) {
  for (const LimitCase& limit : part.domain->limits) {
    const Setting& setting = part.setting;
    std::optional<Labels> labels =
        StartOf(*part.domain, setting, *plan.recipe, limit.labels, limit.applies);
    if (!labels) continue;
    const size_t slash = part.prefix.find('/') + 1;
    const std::string id =
        StrCat(part.prefix.substr(0, slash), "limit-", Lower(limit.limit), "-",
               limit.what.empty() ? "" : StrCat(limit.what, "-"), part.prefix.substr(slash));
    plan.items.push_back({.kind = ItemKind::kLimit,
                          .choice = {setting, id, plan.recipe->seed, std::move(*labels)},
                          .domain = part.domain,
                          .limit = &limit});
  }
}

// An implementation may support only integers or only floats, and fp8 apart from other floats: by
// the first operand.
enum Family { kBooleans, kIntegers, kFloats, kFp8s, kFamilies };
Family FamilyOf(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    const auto type = setting.row->Type(argument.element_type);
    if (!type || argument.category != ArgumentCategory::kInput) continue;
    if (*type == DType::kBool) return kBooleans;
    if (!IsFloat(*type)) return kIntegers;
    return Info(*type).bits == 8 ? kFp8s : kFloats;
  }
  return kIntegers;
}

// Whether the condition stands in this edition, for this operator or for every graph.
bool StandsInEdition(std::string_view condition, const Edition& edition, std::string_view op) {
  if (condition.starts_with("graph.")) return true;
  const OperatorSpec& spec = *edition.FindOperator(op);
  const Conditions known = ConditionsOf(*OperatorFor(spec), spec, edition);
  return std::any_of(known.begin(), known.end(),
                     [&](const Condition& each) { return each.id == condition; });
}

bool NeedsExtension(const Edition& edition, const TypeRow& row) {
  return std::all_of(row.profiles.begin(), row.profiles.end(), [&](const auto& alternative) {
    return std::any_of(edition.profiles.begin(), edition.profiles.end(),
                       [&](const auto& p) { return p.extension && Contains(alternative, p.name); });
  });
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

// One case for every type family of the operator's or the graph's parts; most implementations have
// the base profiles, so type rows that need no extension come first. Graphs bring their error cases
// along wherever a recipe has graphs.
void PlanErrorCases(const Domain& domain, std::vector<const Part*> parts, Plan& plan) {
  std::stable_partition(parts.begin(), parts.end(), [&](const Part* part) {
    return !NeedsExtension(*plan.edition, *part->setting.row);
  });
  std::set<std::string> ids;
  std::map<std::string, std::string> legal;  // what neighbours are made from, and their ids
  const auto unique = [&](const std::string& id) {
    // Several ways to break one condition are numbered.
    for (int way = 1;; ++way) {
      std::string numbered = way == 1 ? id : StrCat(id, "-", way);
      if (ids.insert(numbered).second) return numbered;
    }
  };
  Recipe of_all_profiles = *plan.recipe;
  of_all_profiles.profiles.clear();
  of_all_profiles.needs.clear();
  for (const Breaker& breaker : domain.breakers) {
    if (!plan.recipe->conditions.empty() &&
        !Contains(plan.recipe->conditions, std::string(breaker.condition))) {
      continue;
    }
    bool done[kFamilies] = {};
    for (const Part* part : parts) {
      const Setting& setting = part->setting;
      if (!StandsInEdition(breaker.condition, *plan.edition, setting.spec->name)) continue;
      bool& covered = done[FamilyOf(setting)];
      if (covered) continue;
      std::optional<Labels> labels =
          StartOf(domain, setting, *plan.recipe, breaker.labels, breaker.applies);
      covered = labels.has_value();
      if (!covered) {
        // It counts all the same: the numbers of other ways do not depend on the profiles chosen.
        Setting any = setting;
        any.profiles = nullptr;
        labels = StartOf(domain, any, of_all_profiles, breaker.labels, breaker.applies);
      }
      if (!labels) continue;
      const std::string words(breaker.condition.substr(breaker.condition.find('.') + 1));
      const std::string types = TypesLabel(setting);
      const size_t slash = part->prefix.find('/') + 1;
      const std::string folder = part->prefix.substr(0, slash);
      const std::string graph =  // "split-" of "graphs/split-i8"
          part->is_graph ? part->prefix.substr(slash, part->prefix.size() - slash - types.size())
                         : "";
      const std::string rest = StrCat(graph, words, "-", types);
      const auto add = [&](ItemKind kind, const std::string& id) {
        if (!covered) return;
        plan.items.push_back({.kind = kind,
                              .choice = {setting, id, plan.recipe->seed, *labels},
                              .domain = &domain,
                              .breaker = &breaker});
      };
      std::string start = rest;
      for (const auto& [axis, value] : labels->all()) start += StrCat(" ", axis, "=", value);
      if (breaker.legal != nullptr) {
        start += StrCat(" ", reinterpret_cast<uintptr_t>(breaker.legal));
      }
      std::string& neighbour = legal[start];
      if ((part->is_graph || plan.recipe->neighbours) && neighbour.empty()) {
        neighbour = unique(StrCat(folder, "legal-", rest));
        add(ItemKind::kNeighbour, neighbour);
      }
      if (part->is_graph || plan.recipe->error_cases) {
        add(ItemKind::kError, unique(StrCat(folder, "error-", rest)));
        if (covered) plan.items.back().neighbour = neighbour;
      }
    }
  }
}

// What breaks a symbolic program, each beside the program that it is made from.
void PlanSymbolicErrors(const Part& part, Plan& plan) {
  const size_t slash = part.prefix.find('/') + 1;
  std::set<std::string> ids;
  for (const Breaker& breaker : part.domain->breakers) {
    if (!plan.recipe->conditions.empty() &&
        !Contains(plan.recipe->conditions, std::string(breaker.condition))) {
      continue;
    }
    const std::optional<Labels> labels =
        StartOf(*part.domain, part.setting, *plan.recipe, breaker.labels, breaker.applies);
    if (!labels) continue;
    std::string words(breaker.condition);
    std::replace(words.begin(), words.end(), '.', '-');
    const std::string rest = StrCat(words, "-", part.prefix.substr(slash));
    std::string numbered = rest;
    for (int way = 2; !ids.insert(numbered).second; ++way) numbered = StrCat(rest, "-", way);
    const std::string folder = part.prefix.substr(0, slash);
    const auto add = [&](ItemKind kind, const std::string& id) {
      plan.items.push_back({.kind = kind,
                            .choice = {part.setting, id, plan.recipe->seed, *labels},
                            .domain = part.domain,
                            .breaker = &breaker});
    };
    add(ItemKind::kNeighbour, StrCat(folder, "legal-", numbered));
    add(ItemKind::kError, StrCat(folder, "error-", numbered));
    plan.items.back().neighbour = StrCat(folder, "legal-", numbered);
  }
}

// The number of elements and products that a case has, roughly: for balance only.
double CostOf(const Item& item) {
  double cost = 1;
  for (const std::string_view axis : {"shape", "shapes", "output", "size", "kernel"}) {
    if (!item.choice.labels.Has(axis)) continue;
    const std::string& label = item.choice[axis].text();
    double largest = 1, product = 1, number = 0;
    // "1x9+5x1": the largest of several.
    for (const char c : label + "+") {
      if (c >= '0' && c <= '9') {
        number = 10 * number + (c - '0');
      } else {
        product *= std::max(number, 1.0), number = 0;
        if (c == '+') largest = std::max(largest, product), product = 1;
      }
    }
    cost *= largest;
  }
  return 1000 + cost;  // even a case of one element takes time
}

// Keeps the part that the recipe asks for: the costliest cases first, each to the part that has
// least so far.
Status KeepShard(Plan& plan) {
  const Recipe& recipe = *plan.recipe;
  if (recipe.shards == 1) return absl::OkStatus();
  std::vector<size_t> order(plan.items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<double> costs;
  for (const Item& item : plan.items) costs.push_back(CostOf(item));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  using Load = std::pair<double, int>;  // and whose it is
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int shard = 1; shard <= recipe.shards; ++shard) loads.push({0, shard});
  std::vector<bool> kept(plan.items.size(), false);
  for (const size_t i : order) {
    const auto [load, shard] = loads.top();
    loads.pop();
    loads.push({load + costs[i], shard});
    kept[i] = shard == recipe.shard;
  }
  const size_t all = plan.items.size();
  size_t i = 0;
  std::erase_if(plan.items, [&](const Item&) { return !kept[i++]; });
  if (!plan.items.empty()) return absl::OkStatus();
  return InvalidArgument("shard ", recipe.shard, "/", recipe.shards, ": no case is left in it; ",
                         all, " cases make at most ", all, " shards");
}

// Whether the chosen profiles have what the values chosen need, where only the graph says so.
StatusOr<bool> IsSelected(const Recipe& recipe, const Item& item) {
  if (recipe.profiles.empty() && recipe.needs.empty()) return true;
  if (item.kind == ItemKind::kValid) return true;  // Space has seen to it
  CaseDraft draft = item.domain->build(item.choice);
  draft.built_from = &item.choice;
  if (item.kind == ItemKind::kError) item.breaker->change(item.choice.setting, draft);
  return NeedsNoMore(recipe, item.choice.setting, draft);
}

// What to say of a pattern that no id matches: the nearest ids, of the nearest folder.
Status NoSuchId(const Recipe& recipe, const std::vector<Item>& items, const std::string& pattern) {
  const auto folder_of = [](const std::string& id) { return id.substr(0, id.find('/')); };
  std::set<std::string> folders;
  for (const Item& item : items) folders.insert(folder_of(item.choice.id));
  const std::vector<std::string> nearest =
      NearestNames({folders.begin(), folders.end()}, folder_of(pattern), 1);
  std::vector<std::string> ids;
  for (const Item& item : items) {
    if (Contains(nearest, folder_of(item.choice.id))) ids.push_back(item.choice.id);
  }
  return InvalidArgument("recipe ", recipe.name, ": no case has an id like ", pattern,
                         "; the nearest: ", Join(NearestNames(ids, pattern, 5)));
}

Status Select(Plan& plan) {
  const Recipe& recipe = *plan.recipe;
  const auto matches = [](const Item& item, const std::string& pattern) {
    return fnmatch(pattern.c_str(), item.choice.id.c_str(), FNM_NOESCAPE) == 0;
  };
  const std::string message = StrCat("recipe ", recipe.name, ": no case is left");
  if (plan.items.empty()) {
    return InvalidArgument(message, " with these operators, types, profiles and data sets; `",
                           "tensor-cts list types` shows which profile has which");
  }
  for (const std::string& pattern : recipe.ids) {
    if (std::none_of(plan.items.begin(), plan.items.end(),
                     [&](const Item& item) { return matches(item, pattern); })) {
      return NoSuchId(recipe, plan.items, pattern);
    }
  }
  const size_t all = plan.items.size();
  std::vector<Item> selected;
  for (Item& item : plan.items) {
    if (!recipe.ids.empty() &&
        std::none_of(recipe.ids.begin(), recipe.ids.end(),
                     [&](const std::string& pattern) { return matches(item, pattern); })) {
      continue;
    }
    // A neighbour stays with its condition.
    if (!recipe.conditions.empty() && item.breaker == nullptr) continue;
    const StatusOr<bool> is_selected = IsSelected(recipe, item);
    if (!is_selected.ok()) return Annotate(is_selected.status(), item.choice.id);
    if (*is_selected) selected.push_back(std::move(item));
  }
  plan.items = std::move(selected);
  if (!plan.items.empty()) return absl::OkStatus();
  for (const std::string& condition : recipe.conditions) {
    const auto excused = ConditionsNotBrokenAlone().find(condition);
    if (excused == ConditionsNotBrokenAlone().end()) continue;
    return InvalidArgument(message, ": ", condition, " cannot be broken alone: ", excused->second);
  }
  return InvalidArgument(message, " of ", all, " with these ids, profiles and conditions");
}

}  // namespace

std::vector<std::vector<std::string>> ProfilesOf(const TypeRow& row,
                                                 const std::vector<std::string>& extensions) {
  auto profiles = row.profiles;
  for (std::vector<std::string>& alternative : profiles) {
    for (const std::string& extension : extensions) {
      if (!Contains(alternative, extension)) alternative.push_back(extension);
    }
  }
  // What contains another alternative says nothing: the first of the smallest ones are left.
  std::vector<std::vector<std::string>> smallest;
  for (const std::vector<std::string>& alternative : profiles) {
    if (IsWithin(smallest, alternative)) continue;
    std::erase_if(smallest, [&](const auto& other) { return IsWithin({alternative}, other); });
    smallest.push_back(alternative);
  }
  return smallest;
}

bool IsWithin(const std::vector<std::vector<std::string>>& alternatives,
              const std::vector<std::string>& chosen) {
  if (chosen.empty()) return true;
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const auto& alternative) {
    return std::all_of(alternative.begin(), alternative.end(),
                       [&](const std::string& name) { return Contains(chosen, name); });
  });
}

const std::map<std::string, std::string_view>& ConditionsNotBrokenAlone() {
  static const std::map<std::string, std::string_view> conditions = {
      {"slice.list_length",
       "the argument table gives both lists the length rank(shape1): graph.shape comes first"},
  };
  return conditions;
}

std::optional<Labels> StartOf(const Domain& domain, const Setting& setting, const Recipe& recipe,
                              const Labels& labels, bool (*applies)(const Setting&)) {
  if (applies != nullptr && !applies(setting)) return std::nullopt;
  Recipe all = recipe;
  all.full_domains = true;  // labels may name any value
  const Space space(domain, setting, all);
  Labels wanted;
  for (const Axis& axis : space.axes()) {
    if (labels.Has(axis.name)) wanted.Set(axis.name, labels[axis.name].text());
  }
  if (!space.HasCases()) return std::nullopt;
  // Of a dot product's data sets S0 comes first, and its results are zero: any other says more. S1
  // alone has a bias, too, which is all that there is in padding.
  for (const char* const data_set : {"S1", "S3", "S2", ""}) {
    Labels start = wanted;
    if (*data_set != 0 && !wanted.Has("data")) start.Set("data", data_set);
    std::optional<Row> row = space.RowOf(start);
    if (row && space.rows().Complete(*row)) return space.LabelsOf(*row);
  }
  return std::nullopt;
}

StatusOr<bool> NeedsNoMore(const Recipe& recipe, const Setting& setting, const CaseDraft& draft) {
  CTS_ASSIGN_OR_RETURN(const Assembly assembly, AssembleGraph(setting, draft));
  const auto profiles = ProfilesOf(*setting.row, assembly.extensions);
  const bool needs = recipe.needs.empty() ||
                     std::all_of(profiles.begin(), profiles.end(), [&](const auto& alternative) {
                       return Contains(alternative, recipe.needs);
                     });
  return needs && IsWithin(profiles, recipe.profiles);
}

Space::Space(const Domain& domain, const Setting& setting, const Recipe& recipe, bool is_graph)
    : axes_(domain.axes(setting)), declared_(domain.declared) {
  std::vector<int> sizes;
  bool has_needed = recipe.needs.empty() || RowNeeds(*setting.row, recipe.needs);
  for (Axis& axis : axes_) {
    axis.values = Selected(axis, setting, recipe);
    axis.more.clear();
    for (const auto& [value, extension] : axis.needs) has_needed |= extension == recipe.needs;
    sizes.push_back(static_cast<int>(axis.values.size()));
  }
  // Control flow, variables and graphs say what they need when they are built.
  const std::string& group = setting.spec->group;
  is_graph |= group == "control-flow" || group == "variable" || group == "shape";
  has_needed |= is_graph;
  if (!has_needed) sizes.assign(sizes.size(), 0);
  std::vector<RowConstraint> constraints;
  for (const Constraint& constraint : domain.constraints) {
    RowConstraint row_constraint;
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (std::find(constraint.axes.begin(), constraint.axes.end(), axes_[i].name) !=
          constraint.axes.end()) {
        row_constraint.axes.push_back(i);
      }
    }
    row_constraint.holds = [this, setting, holds = constraint.holds, named = &constraint.axes,
                            axes = row_constraint.axes](const Row& row) {
      Labels labels(declared_, named);
      for (const size_t axis : axes) {
        labels.Set(axes_[axis].name, axes_[axis].values[static_cast<size_t>(row[axis])]);
      }
      return holds(setting, labels);
    };
    constraints.push_back(std::move(row_constraint));
    reasons_.push_back(constraint.reason);
  }
  if (is_graph && !(recipe.profiles.empty() && recipe.needs.empty())) {
    RowConstraint needs_no_more;
    needs_no_more.axes.resize(axes_.size());
    std::iota(needs_no_more.axes.begin(), needs_no_more.axes.end(), size_t{0});
    needs_no_more.holds = [this, &domain, setting, &recipe](const Row& row) {
      const Labels labels = LabelsOf(row);
      for (const Constraint& constraint : domain.constraints) {
        if (!constraint.holds(setting, labels)) return true;  // nothing that could be built
      }
      const StatusOr<bool> holds =
          NeedsNoMore(recipe, setting, domain.build({setting, "", recipe.seed, labels}));
      return !holds.ok() || *holds;  // the error comes when the case is made
    };
    constraints.push_back(std::move(needs_no_more));
    reasons_.push_back("it takes other profiles or extensions than the recipe's");
  }
  rows_ = std::make_unique<RowSpace>(std::move(sizes), std::move(constraints));
}

bool Space::HasCases() const {
  const std::vector<int>& sizes = rows_->sizes();
  if (std::find(sizes.begin(), sizes.end(), 0) != sizes.end()) return false;
  Row row(sizes.size(), kUndecided);
  return rows_->Complete(row);
}

Labels Space::LabelsOf(const Row& row) const {
  Labels labels(declared_);
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (row[i] != kUndecided) labels.Set(axes_[i].name, axes_[i].values[row[i]]);
  }
  return labels;
}

std::optional<Row> Space::RowOf(const Labels& labels) const {
  Row row(axes_.size(), kUndecided);
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (!labels.Has(axes_[i].name)) continue;
    const std::string& wanted = labels[axes_[i].name].text();
    const auto& values = axes_[i].values;
    const auto found = std::find(values.begin(), values.end(), wanted);
    if (found == values.end()) return std::nullopt;
    row[i] = static_cast<int>(found - values.begin());
  }
  return row;
}

StatusOr<Plan> MakeParts(const Recipe& recipe) {
  Plan plan;
  plan.recipe = std::make_unique<Recipe>(recipe);
  CTS_RETURN_IF_ERROR(Resolve(plan));
  const auto add_parts = [&](const OperatorSpec& spec, const Domain* domain, std::string_view graph,
                             bool (*applies)(const Setting&), std::string_view folder = "graphs") {
    for (const TypeRow& row : spec.type_rows) {
      if (!IsWithin(row.profiles, plan.recipe->profiles) || !HasType(*plan.recipe, row)) continue;
      const Setting setting{plan.edition, plan.level, &spec, &row, &plan.recipe->profiles};
      if (applies != nullptr && !applies(setting)) continue;
      const std::string types = TypesLabel(setting);
      plan.parts.push_back({graph.empty() ? StrCat(Lower(spec.name), "/", types)
                                          : StrCat(folder, "/", graph, "-", types),
                            domain, setting, !graph.empty(), folder == "symbolic"});
    }
  };
  const auto is_wanted = [&](std::string_view op) {
    return plan.edition->FindOperator(op) != nullptr &&  // not another edition's
           (plan.recipe->operators.empty() || Contains(plan.recipe->operators, std::string(op)));
  };
  const auto add_operator = [&](const OperatorSpec& spec, Domain of_text) {
    if (!is_wanted(spec.name) || of_text.build == nullptr) return;  // CUSTOM: nothing can be asked
    auto domain = std::make_unique<Domain>(std::move(of_text));
    for (const Breaker& breaker : DescribedBreakers(spec)) domain->breakers.push_back(breaker);
    for (const Breaker& breaker : GraphBreakers()) domain->breakers.push_back(breaker);
    ExpandStarts(*domain);
    add_parts(spec, domain.get(), "", nullptr);
    plan.domains.push_back(std::move(domain));
  };
  for (const OperatorDomain& op : OperatorDomains()) {
    for (const OperatorSpec& spec : plan.edition->operators) {
      if (spec.definition == nullptr && spec.Seen().name == op.name) {
        add_operator(spec, OwnDomain(op.name));
      }
    }
  }
  for (const OperatorSpec& spec : plan.edition->operators) {
    if (spec.definition != nullptr) add_operator(spec, DescribedDomain());
  }
  // The graphs are TOSA's: an edition that follows one has few of their operators.
  if (plan.recipe->graphs && plan.edition->follows.empty()) {
    for (const GraphDomain& graph : GraphDomains()) {
      if (!is_wanted(graph.op)) continue;
      plan.domains.push_back(std::make_unique<Domain>(DomainOf(graph)));
      add_parts(*plan.edition->FindOperator(graph.op), plan.domains.back().get(), graph.name,
                graph.applies);
    }
  }
  if (plan.recipe->symbolic) {
    for (const GraphDomain& graph : SymbolicGraphs()) {
      if (!is_wanted(graph.op)) continue;
      plan.domains.push_back(std::make_unique<Domain>(DomainOf(graph)));
      add_parts(*plan.edition->FindOperator(graph.op), plan.domains.back().get(), graph.name,
                graph.applies, "symbolic");
    }
  }
  if (!plan.recipe->data_sets.empty()) {
    CTS_RETURN_IF_ERROR(ResolveNames("data set of these operators", DataSetsOf(plan.parts),
                                     plan.recipe->data_sets));
  }
  return plan;
}

StatusOr<Plan> MakePlan(const Recipe& recipe) {
  CTS_ASSIGN_OR_RETURN(Plan plan, MakeParts(recipe));
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const Part& part = plan.parts[i];
    const Space space(*part.domain, part.setting, *plan.recipe, part.is_graph);
    if (space.HasCases()) {
      PlanValidCases(part, space, plan);
      if (!part.is_graph) PlanMutants(part, space, plan);
    }
    if (plan.recipe->limits && !part.is_graph) PlanLimits(part, plan);
    if (part.is_symbolic) {
      PlanSymbolicErrors(part, plan);
      continue;
    }
    // The parts of an operator stand together.
    if (i + 1 < plan.parts.size() && plan.parts[i + 1].domain == part.domain) continue;
    if (!part.is_graph && !plan.recipe->error_cases && !plan.recipe->neighbours) continue;
    std::vector<const Part*> parts;
    for (const Part& other : plan.parts) {
      if (other.domain == part.domain) parts.push_back(&other);
    }
    PlanErrorCases(*part.domain, std::move(parts), plan);
  }
  std::sort(plan.items.begin(), plan.items.end(),
            [](const Item& a, const Item& b) { return a.choice.id < b.choice.id; });
  for (size_t i = 1; i < plan.items.size(); ++i) {
    if (plan.items[i].choice.id != plan.items[i - 1].choice.id) continue;
    return absl::InternalError(StrCat("two cases have the id ", plan.items[i].choice.id));
  }
  CTS_RETURN_IF_ERROR(Select(plan));
  CTS_RETURN_IF_ERROR(KeepShard(plan));
  return plan;
}

}  // namespace cts

#include "generator/cover/coverage.h"

#include <algorithm>

#include "generator/plan.h"
#include "reference/base/contains.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"
#include "reference/bundle/bundle.h"
#include "reference/bundle/case.h"
#include "reference/graph/symbols.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Why CUSTOM has no case.
constexpr std::string_view kUnknowable =
    "nobody but an implementation knows what the operator does";

// What coverage looks at in a case.
struct Facts {
  std::string id, op, mode;
  Outcome outcome = Outcome::kError;
  std::string condition;
  std::vector<std::vector<std::string>> profiles;
  Labels labels;  // the data set among them
};

std::string Join(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += StrCat(text.empty() ? "" : ", ", name);
  return text;
}

StatusOr<Facts> ReadFacts(const std::filesystem::path& directory, const Suite& suite,
                          const SuiteEntry& entry) {
  const std::filesystem::path bundle = directory / entry.id;
  CTS_ASSIGN_OR_RETURN(const std::string digest, BundleDigestOnDisk(bundle));
  if (digest != entry.digest) {
    return InvalidArgument(bundle.string(), ": found files with the digest ", digest,
                           ", but the manifest has ", entry.digest, "; generate the suite again");
  }
  CTS_ASSIGN_OR_RETURN(Case c, ReadCaseHeader(bundle));
  const auto differs = [&](std::string_view what, std::string_view found,
                           std::string_view expected) {
    return InvalidArgument((bundle / "case.json").string(), ": /", what, ": found ", found,
                           ", but the manifest has ", expected, "; generate the suite again");
  };
  if (c.id != entry.id) return differs("id", c.id, entry.id);
  CTS_RETURN_IF_ERROR(CheckEdition(c, suite.edition, bundle));
  if (c.op != entry.op) return differs("operator", c.op, entry.op);
  if (Name(c.outcome) != entry.outcome) return differs("outcome", Name(c.outcome), entry.outcome);
  const std::string conditions = Join(entry.conditions);
  if (c.condition != conditions) {
    return differs("condition", c.condition.empty() ? "none" : c.condition,
                   conditions.empty() ? "none" : conditions);
  }
  Facts facts{c.id, c.op, c.mode, c.outcome, c.condition, c.profiles, {}};
  for (const auto& [axis, value] : c.parameters) facts.labels.Set(axis, value);
  facts.labels.Set("data", c.data_set);
  return facts;
}

bool IsOfGraph(const Facts& facts) {
  return facts.id.starts_with("graphs/") || facts.id.starts_with("symbolic/");
}

// A case whose parameters were not changed afterwards.
bool IsAsChosen(const Facts& facts) {
  const std::string_view name = std::string_view(facts.id).substr(facts.id.find('/') + 1);
  return !name.starts_with("limit-") && !name.starts_with("legal-") && !name.starts_with("error-");
}

bool IsCaseOf(const Facts& facts, const Part& part) {
  return facts.op == part.setting.spec->name && facts.mode == part.setting.row->mode &&
         (part.is_graph ? facts.id.starts_with(part.prefix + "-") : !IsOfGraph(facts));
}

// The combinations of values of some axes, and which of them occur.
class TupleSet {
 public:
  TupleSet(std::vector<size_t> axes, const std::vector<int>& sizes)
      : axes_(std::move(axes)), sizes_(sizes) {
    size_t count = 1;
    for (const size_t axis : axes_) count *= static_cast<size_t>(sizes[axis]);
    occurs_.assign(count, false);
  }

  size_t size() const { return occurs_.size(); }
  bool occurs(size_t tuple) const { return occurs_[tuple]; }
  void Add(const Row& row) {
    size_t tuple = 0;
    for (const size_t axis : axes_) {
      tuple = tuple * static_cast<size_t>(sizes_[axis]) + static_cast<size_t>(row[axis]);
    }
    occurs_[tuple] = true;
  }
  Row RowOf(size_t tuple) const {
    Row row(sizes_.size(), kUndecided);
    for (size_t i = axes_.size(); i-- > 0;) {
      row[axes_[i]] = static_cast<int>(tuple % static_cast<size_t>(sizes_[axes_[i]]));
      tuple /= static_cast<size_t>(sizes_[axes_[i]]);
    }
    return row;
  }

 private:
  std::vector<size_t> axes_;
  const std::vector<int>& sizes_;
  std::vector<bool> occurs_;
};

// One for every `strength` of the axes.
std::vector<TupleSet> TupleSets(const std::vector<int>& sizes, size_t strength) {
  std::vector<TupleSet> sets;
  std::vector<bool> chosen(sizes.size(), false);
  std::fill_n(chosen.begin(), strength, true);
  do {
    std::vector<size_t> axes;
    for (size_t axis = 0; axis < chosen.size(); ++axis) {
      if (chosen[axis]) axes.push_back(axis);
    }
    sets.emplace_back(std::move(axes), sizes);
  } while (std::prev_permutation(chosen.begin(), chosen.end()));
  return sets;
}

// The row of a case; nothing if the case's parameters are not those of the space.
std::optional<Row> RowOfCase(const Space& space, const Facts& facts) {
  if (facts.labels.all().size() != space.axes().size()) return std::nullopt;
  std::optional<Row> row = space.RowOf(facts.labels);
  if (row && std::find(row->begin(), row->end(), kUndecided) != row->end()) return std::nullopt;
  return row;
}

void MeasureTuples(const Space& space, int strength, const std::vector<Row>& rows,
                   PartCoverage& part) {
  const std::vector<int>& sizes = space.rows().sizes();
  std::vector<TupleSet> sets =
      TupleSets(sizes, std::min(sizes.size(), static_cast<size_t>(strength)));
  for (TupleSet& set : sets) {
    for (const Row& row : rows) set.Add(row);
    for (size_t tuple = 0; tuple < set.size(); ++tuple) {
      ++part.tuples.all;
      if (set.occurs(tuple)) {
        ++part.tuples.covered;
        continue;
      }
      const Row row = set.RowOf(tuple);
      const std::vector<size_t> why = space.rows().WhyImpossible(row);
      if (!why.empty()) {
        ++part.tuples.impossible;
        std::string reason;
        for (const size_t constraint : why) {
          const std::string_view each = space.ReasonOf(constraint);
          if (reason.find(each) != reason.npos) continue;
          reason += StrCat(reason.empty() ? "" : "; ", each);
        }
        ++part.impossible[reason];
        continue;
      }
      OpenTuple hole;
      for (size_t axis = 0; axis < row.size(); ++axis) {
        if (row[axis] == kUndecided) continue;
        const Axis& known = space.axes()[axis];
        hole.values.emplace_back(known.name, known.values[static_cast<size_t>(row[axis])]);
      }
      part.holes.push_back(std::move(hole));
    }
  }
}

// Whether the recipe takes more than whole operators, types and profiles out of the space.
bool IsRestricted(const Recipe& recipe) {
  return !recipe.data_sets.empty() || !recipe.needs.empty() || !recipe.profiles.empty();
}

// The values that some valid case can have, by the extension that they need.
void CountNeeds(const Space& space, std::map<std::string, uint64_t>& needs) {
  if (!space.HasCases()) return;
  for (size_t i = 0; i < space.axes().size(); ++i) {
    const Axis& axis = space.axes()[i];
    for (const auto& [value, extension] : axis.needs) {
      const auto found = std::find(axis.values.begin(), axis.values.end(), value);
      if (found == axis.values.end()) continue;
      Row row(space.axes().size(), kUndecided);
      row[i] = static_cast<int>(found - axis.values.begin());
      if (space.rows().Complete(row)) ++needs[extension];
    }
  }
}

PartCoverage MeasurePart(const Part& part, const Recipe& recipe,
                         const std::vector<const Facts*>& valid_cases) {
  PartCoverage measured;
  measured.prefix = part.prefix;
  measured.op = part.setting.spec->name;
  measured.mode = part.setting.row->mode;
  measured.is_graph = part.is_graph;
  const Space space(*part.domain, part.setting, recipe, part.is_graph);
  measured.axes = space.axes().size();
  CountNeeds(space, measured.needs);
  std::vector<Row> rows;
  for (const Facts* facts : valid_cases) {
    ++measured.any_cases;
    if (!IsAsChosen(*facts)) continue;
    if (std::optional<Row> row = RowOfCase(space, *facts)) rows.push_back(*std::move(row));
  }
  measured.cases = rows.size();
  if (!recipe.conditions.empty()) {
    measured.not_asked = "the recipe asks for some conditions only";
  } else if (!part.is_graph && !recipe.valid_cases) {
    measured.not_asked = "the recipe asks for no valid cases of single operators";
  } else if (space.HasCases()) {
    MeasureTuples(space, recipe.strength, rows, measured);
  } else if (IsRestricted(recipe)) {
    measured.not_asked =
        "no value of some parameter is left by the recipe's data sets, profiles "
        "and needs";
  } else {
    measured.no_row = true;
  }
  return measured;
}

// Why the recipe wants a condition, or why it does not.
class ConditionJudge {
 public:
  ConditionJudge(const Plan& asked, const Plan& everything)
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

  static bool HasPart(std::string_view op, const Plan& plan) {
    return std::any_of(plan.parts.begin(), plan.parts.end(), [&](const Part& part) {
      return !part.is_graph && part.setting.spec->name == op;
    });
  }

  // Whether one of the plan's type rows has a case that breaks it within the recipe's profiles.
  static bool CanBreak(std::string_view condition, std::string_view op, const Plan& plan) {
    const Recipe& recipe = *plan.recipe;
    for (const Part& part : plan.parts) {
      if (part.is_graph || (op != "*" && part.setting.spec->name != op)) continue;
      for (const Breaker& breaker : part.domain->breakers) {
        if (breaker.condition != condition) continue;
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

  const Plan& asked_;
  const Plan& everything_;
};

std::vector<ConditionCoverage> MeasureConditions(const Plan& plan, const Plan& everything,
                                                 const std::vector<Facts>& cases) {
  std::map<std::string, uint64_t, std::less<>> broken;
  for (const Facts& facts : cases) {
    if (facts.outcome == Outcome::kError) ++broken[facts.condition];
  }
  const ConditionJudge judge(plan, everything);
  std::vector<ConditionCoverage> measured;
  const auto add = [&](const Conditions& conditions, const std::string& op) {
    for (const Condition& condition : conditions) {
      if (!StandsIn(condition, *plan.edition)) continue;
      ConditionCoverage& row = measured.emplace_back();
      row.id = condition.id;
      row.op = op;
      row.kind = Name(condition.kind);
      const auto found = broken.find(condition.id);
      row.cases = found == broken.end() ? 0 : found->second;
      judge.Judge(condition, row);
    }
  };
  for (const OperatorSpec& spec : plan.edition->operators) {
    if (const Operator* op = OperatorFor(spec)) {
      add(ConditionsOf(*op, spec, *plan.edition), spec.name);
    }
  }
  add(GraphConditions(), "*");
  add(LibraryConditions(), "*");
  add(SymbolConditions(), "*");
  return measured;
}

// The type rows of the edition that the recipe asks for and that no part stands for.
void AddRowsWithoutPart(const Plan& plan, const std::vector<Facts>& cases,
                        std::vector<PartCoverage>& parts) {
  const Recipe& recipe = *plan.recipe;
  const auto is_among = [](const std::vector<std::string>& names, const std::string& name) {
    return names.empty() || Contains(names, name);
  };
  for (const OperatorSpec& spec : plan.edition->operators) {
    for (const TypeRow& row : spec.type_rows) {
      const bool is_asked =
          is_among(recipe.operators, spec.name) && IsWithin(row.profiles, recipe.profiles) &&
          (recipe.types.empty() ||
           std::any_of(row.types.begin(), row.types.end(),
                       [&](const auto& type) { return is_among(recipe.types, type.second); }));
      const bool has_part =
          std::any_of(plan.parts.begin(), plan.parts.end(),
                      [&](const Part& part) { return !part.is_graph && part.setting.row == &row; });
      if (!is_asked || has_part) continue;
      PartCoverage& part = parts.emplace_back();
      part.prefix = StrCat(spec.name, ", ", row.mode);
      part.op = spec.name;
      part.mode = row.mode;
      part.any_cases =
          static_cast<uint64_t>(std::count_if(cases.begin(), cases.end(), [&](const Facts& facts) {
            return facts.outcome == Outcome::kValid && !IsOfGraph(facts) && facts.op == spec.name &&
                   facts.mode == row.mode;
          }));
      const auto& domains = OperatorDomains();
      const auto domain = std::find_if(domains.begin(), domains.end(),
                                       [&](const auto& known) { return known.name == spec.name; });
      if (domain != domains.end() && domain->domain().build == nullptr) {
        part.not_asked = kUnknowable;
      } else {
        part.no_row = true;
      }
    }
  }
}

// Whether an alternative within the recipe's profiles has the profile.
bool Needs(const std::vector<std::vector<std::string>>& alternatives, const std::string& profile,
           const Recipe& recipe) {
  return std::any_of(alternatives.begin(), alternatives.end(), [&](const auto& alternative) {
    return Contains(alternative, profile) && IsWithin({alternative}, recipe.profiles);
  });
}

std::vector<ProfileCoverage> MeasureProfiles(const Plan& plan,
                                             const std::vector<PartCoverage>& parts,
                                             const std::vector<Facts>& cases) {
  std::vector<ProfileCoverage> measured;
  for (const ProfileSpec& profile : plan.edition->profiles) {
    ProfileCoverage& row = measured.emplace_back();
    row.name = profile.name;
    row.is_extension = profile.extension;
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].not_asked.empty()) continue;
      row.type_rows += !parts[i].is_graph &&
                       Needs(plan.parts[i].setting.row->profiles, profile.name, *plan.recipe);
      const auto needs = parts[i].needs.find(profile.name);
      if (needs != parts[i].needs.end()) row.values += needs->second;
    }
    for (const Facts& facts : cases) {
      row.cases +=
          facts.outcome == Outcome::kValid && Needs(facts.profiles, profile.name, *plan.recipe);
    }
    // Main Training: operators on shapes. Only RESHAPE and the like show any of their results.
    if (profile.status == "In development" && row.type_rows > 0 && row.cases == 0) {
      row.excuse =
          "in development: the edition gives it operators whose results none of its own "
          "operators shows";
    }
  }
  return measured;
}

std::vector<std::string> FiltersOf(const Recipe& recipe) {
  std::vector<std::string> filters;
  const auto add = [&](std::string_view what, const std::vector<std::string>& values) {
    for (const std::string& value : values) filters.push_back(StrCat(what, " ", value));
  };
  add("id", recipe.ids);
  if (recipe.shards != 1) {
    filters.push_back(StrCat("shard ", recipe.shard, "/", recipe.shards));
  }
  return filters;
}

// The recipe of a suite, and the cases of all its shards.
StatusOr<Plan> PlanOf(const std::string& path, const Suite& suite) {
  if (suite.recipe.empty()) {
    return InvalidArgument(path, ": found no \"recipe\", which says what the suite is to cover; ",
                           "generate it again with ", "tensor-cts generate");
  }
  CTS_ASSIGN_OR_RETURN(const Json json, ParseJson(suite.recipe, path));
  CTS_ASSIGN_OR_RETURN(Recipe recipe, RecipeFromJson(json, StrCat(path, ": /recipe")));
  const int shard = recipe.shard, shards = recipe.shards;
  recipe.shard = recipe.shards = 1;
  StatusOr<Plan> plan = MakePlan(recipe);
  if (!plan.ok()) return Annotate(plan.status(), StrCat(path, ": /recipe"));
  if (plan->edition->id != suite.edition || plan->level->name != suite.level) {
    return InvalidArgument(path, ": found a recipe for ", plan->edition->id, ", level ",
                           plan->level->name, ", but a suite of ", suite.edition, ", level ",
                           suite.level, "; generate it again");
  }
  plan->recipe->shard = shard;
  plan->recipe->shards = shards;
  return plan;
}

// Everything that the edition has, whatever the recipe asks for.
StatusOr<Plan> PartsOfEverything(Recipe all) {
  for (auto* names : {&all.operators, &all.profiles, &all.data_sets, &all.types}) names->clear();
  all.needs.clear();
  return MakeParts(all);
}

// Both are sorted by id. A case that breaks another condition than its id says is an error.
Status ComparePlan(const std::string& path, const Plan& plan, Coverage& coverage) {
  coverage.planned.all = plan.items.size();
  const auto is_before = [](const Item& item, const std::string& id) {
    return item.choice.id < id;
  };
  auto item = plan.items.begin();
  for (const SuiteEntry& entry : coverage.suite.cases) {
    const auto next = std::lower_bound(item, plan.items.end(), entry.id, is_before);
    for (; item != next; ++item) coverage.missing.push_back(item->choice.id);
    if (item == plan.items.end() || item->choice.id != entry.id) {
      coverage.unplanned.push_back(entry.id);
      continue;
    }
    const std::string found = entry.outcome == "valid" ? "valid" : Join(entry.conditions);
    const std::string planned(item->is_error() ? item->condition() : "valid");
    if (planned.empty() ? found == "valid" : found != planned) {  // of a mutant only the outcome
      return InvalidArgument(path, ": case ", entry.id, ": found ", found, ", but the recipe has ",
                             planned.empty() ? "an error" : planned, "; generate the suite again");
    }
    ++coverage.planned.covered;
    ++item;
  }
  for (; item != plan.items.end(); ++item) coverage.missing.push_back(item->choice.id);
  return absl::OkStatus();
}

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

Tally& Tally::operator+=(const Tally& other) {
  all += other.all;
  covered += other.covered;
  impossible += other.impossible;
  return *this;
}

StatusOr<Coverage> MeasureCoverage(const std::filesystem::path& directory, int jobs) {
  Coverage coverage;
  CTS_ASSIGN_OR_RETURN(coverage.suite, ReadSuite(directory));
  const Suite& suite = coverage.suite;
  const std::string manifest = (directory / "suite.json").string();
  CTS_ASSIGN_OR_RETURN(const Plan plan, PlanOf(manifest, suite));
  CTS_RETURN_IF_ERROR(ComparePlan(manifest, plan, coverage));
  coverage.recipe = *plan.recipe;
  coverage.filters = FiltersOf(*plan.recipe);

  std::vector<Facts> cases(suite.cases.size());
  CTS_RETURN_IF_ERROR(ParallelFor(cases.size(), {.jobs = jobs}, [&](size_t i) -> Status {
    CTS_ASSIGN_OR_RETURN(cases[i], ReadFacts(directory, suite, suite.cases[i]));
    return absl::OkStatus();
  }));
  std::vector<std::vector<const Facts*>> cases_of(plan.parts.size());
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> parts_of;  // of (op, mode)
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const Setting& setting = plan.parts[i].setting;
    parts_of[{setting.spec->name, setting.row->mode}].push_back(i);
  }
  for (const Facts& facts : cases) {
    ++(facts.outcome == Outcome::kValid ? coverage.valid_cases : coverage.error_cases);
    if (facts.outcome != Outcome::kValid) continue;
    // If the names of several graphs fit, the longest is meant.
    std::optional<size_t> best;
    for (const size_t i : parts_of[{facts.op, facts.mode}]) {
      const Part& part = plan.parts[i];
      if (IsCaseOf(facts, part) &&
          (!best || part.prefix.size() > plan.parts[*best].prefix.size())) {
        best = i;
      }
    }
    if (best) cases_of[*best].push_back(&facts);
  }
  coverage.parts.resize(plan.parts.size());
  CTS_RETURN_IF_ERROR(ParallelFor(plan.parts.size(), {.jobs = jobs}, [&](size_t i) {
    coverage.parts[i] = MeasurePart(plan.parts[i], *plan.recipe, cases_of[i]);
    return absl::OkStatus();
  }));
  for (const PartCoverage& part : coverage.parts) coverage.counted_cases += part.cases;
  coverage.profiles = MeasureProfiles(plan, coverage.parts, cases);
  AddRowsWithoutPart(plan, cases, coverage.parts);

  CTS_ASSIGN_OR_RETURN(const Plan everything, PartsOfEverything(*plan.recipe));
  coverage.conditions = MeasureConditions(plan, everything, cases);
  for (const SuiteEntry& entry : suite.cases) {
    if (entry.teeth && (!coverage.least_teeth || *entry.teeth < coverage.least_teeth->second)) {
      coverage.least_teeth = {entry.id, *entry.teeth};
    }
  }
  return coverage;
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

Tally Coverage::Tuples() const {
  Tally tally;
  for (const PartCoverage& part : parts) tally += part.tuples;
  return tally;
}

Tally Coverage::TypeRows() const {
  Tally tally;
  for (const PartCoverage& part : parts) {
    if (part.is_graph) continue;
    tally += {1, part.not_asked.empty() && part.any_cases > 0, !part.not_asked.empty()};
  }
  return tally;
}

Tally Coverage::Conditions() const {
  Tally tally;
  for (const ConditionCoverage& condition : conditions) {
    if (condition.state == ConditionState::kNeverACase) continue;
    const bool covered = condition.state == ConditionState::kCovered;
    tally += {1, covered, !covered && condition.state != ConditionState::kHole};
  }
  return tally;
}

uint64_t Coverage::Holes() const {
  uint64_t profile_holes = 0;
  for (const ProfileCoverage& profile : profiles) profile_holes += profile.is_hole();
  return Tuples().holes() + TypeRows().holes() + Conditions().holes() + profile_holes +
         planned.holes() + unplanned.size();
}

}  // namespace cts

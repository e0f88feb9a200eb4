#include "generator/cover/coverage.h"

#include <algorithm>

#include "generator/cover/case_facts.h"
#include "generator/draft/name_text.h"
#include "reference/base/json.h"
#include "reference/base/parallel_for.h"

namespace cts {
namespace {

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

StatusOr<Coverage> MeasureCoverage(const std::filesystem::path& directory, int jobs) {
  Coverage coverage;
  CTS_ASSIGN_OR_RETURN(coverage.suite, ReadSuite(directory));
  const Suite& suite = coverage.suite;
  const std::string manifest = (directory / "suite.json").string();
  CTS_ASSIGN_OR_RETURN(const Plan plan, PlanOf(manifest, suite));
  CTS_RETURN_IF_ERROR(ComparePlan(manifest, plan, coverage));
  coverage.recipe = *plan.recipe;
  coverage.left_out = plan.left_out;
  coverage.filters = FiltersOf(*plan.recipe);

  std::vector<CaseFacts> cases(suite.cases.size());
  CTS_RETURN_IF_ERROR(ParallelFor(cases.size(), {.jobs = jobs}, [&](size_t i) -> Status {
    CTS_ASSIGN_OR_RETURN(cases[i], ReadFacts(directory, suite, suite.cases[i]));
    return absl::OkStatus();
  }));
  std::vector<std::vector<const CaseFacts*>> cases_of(plan.parts.size());
  std::map<std::pair<std::string, std::string>, std::vector<size_t>> parts_of;  // of (op, mode)
  for (size_t i = 0; i < plan.parts.size(); ++i) {
    const Setting& setting = plan.parts[i].setting;
    parts_of[{setting.spec->name, setting.row->mode}].push_back(i);
  }
  for (const CaseFacts& facts : cases) {
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
  coverage.relations = MeasureRelations(plan, cases);
  coverage.sizes = MeasureSizes(plan, cases);
  coverage.patterns = MeasurePatterns(plan, cases);
  AddRowsWithoutPart(plan, cases, coverage.parts);

  CTS_ASSIGN_OR_RETURN(coverage.conditions, MeasureConditions(plan, cases));
  for (const SuiteEntry& entry : suite.cases) {
    if (entry.teeth && (!coverage.least_teeth || *entry.teeth < coverage.least_teeth->second)) {
      coverage.least_teeth = {entry.id, *entry.teeth};
    }
  }
  return coverage;
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

Tally Coverage::Relations() const {
  Tally tally;
  for (const RelationCoverage& relation : relations) {
    tally += {1, relation.cases > 0, !relation.impossible.empty()};
  }
  return tally;
}

Tally Coverage::Sizes() const {
  Tally tally;
  for (const SizeCoverage& size : sizes) tally += {1, size.cases > 0, 0};
  return tally;
}

Tally Coverage::Patterns() const {
  Tally tally;
  for (const PatternCoverage& pattern : patterns) {
    tally += {1, pattern.cases > 0, !pattern.impossible.empty()};
  }
  return tally;
}

uint64_t Coverage::Holes() const {
  uint64_t profile_holes = 0;
  for (const ProfileCoverage& profile : profiles) profile_holes += profile.is_hole();
  return Tuples().holes() + TypeRows().holes() + Conditions().holes() + Relations().holes() +
         Sizes().holes() + Patterns().holes() + profile_holes + planned.holes() + unplanned.size();
}

}  // namespace cts

#include "generator/recipe/recipe_names.h"

#include <set>

#include "generator/draft/name_text.h"
#include "reference/base/contains.h"
#include "reference/base/nearest.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Says where all names of the kind that `what` begins with are shown; empty if nowhere.
std::string SeeAll(std::string_view what) {
  for (const std::string_view list : {"operators", "types", "conditions", "levels"}) {
    if (!what.starts_with(list.substr(0, list.size() - 1))) continue;
    return StrCat("; `tensor-cts list ", list, "` shows all");
  }
  return "";
}

// Replaces a name by the known one that equals it but for case; the prefix of profiles and
// extensions may be left out ("int16" for EXT-INT16).
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
  return InvalidArgument("found no ", what, ": ", name, "; ",
                         few ? "known are " : "the nearest are ",
                         Join(few ? known : NearestNames(known, name, 5)), few ? "" : SeeAll(what));
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

// The conditions of kind error_if.
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

}  // namespace

Status ResolveNames(std::string_view what, const std::vector<std::string>& known,
                    std::vector<std::string>& names) {
  for (std::string& name : names) CTS_RETURN_IF_ERROR(ResolveName(what, known, name));
  return absl::OkStatus();
}

StatusOr<const Edition*> ResolveRecipe(Recipe& recipe) {
  CTS_ASSIGN_OR_RETURN(const Edition* const found, FindEdition(recipe.edition));
  const Edition& edition = *found;
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
  return found;
}

}  // namespace cts

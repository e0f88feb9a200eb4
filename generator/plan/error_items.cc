#include "generator/plan/error_items.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "generator/recipe/space.h"
#include "reference/base/contains.h"
#include "reference/ops/conditions.h"
#include "reference/ops/definition.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// An implementation may support only integers or only floats, and fp8 apart from other floats: by
// the first operand.
enum TypeFamily { kBooleans, kIntegers, kFloats, kFp8s, kFamilies };
TypeFamily FamilyOf(const Setting& setting) {
  for (const ArgumentSpec& argument : setting.spec->arguments) {
    const auto type = setting.row->PlainType(argument.element_type);
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

// Whether the recipe asks for cases that break it.
bool IsAsked(const Recipe& recipe, std::string_view condition) {
  return recipe.conditions.empty() || Contains(recipe.conditions, std::string(condition));
}

bool NeedsExtension(const Edition& edition, const TypeRow& row) {
  return std::all_of(row.profiles.begin(), row.profiles.end(), [&](const auto& alternative) {
    return std::any_of(edition.profiles.begin(), edition.profiles.end(),
                       [&](const auto& p) { return p.extension && Contains(alternative, p.name); });
  });
}

}  // namespace

void AddErrorItems(const Recipe& recipe, std::vector<const Part*> parts, std::vector<Item>& items) {
  const Domain& domain = *parts.front()->domain;
  const Edition& edition = *parts.front()->setting.edition;
  std::stable_partition(parts.begin(), parts.end(), [&](const Part* part) {
    return !NeedsExtension(edition, *part->setting.row);
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
  Recipe of_all_profiles = recipe;
  of_all_profiles.profiles.clear();
  of_all_profiles.needs.clear();
  for (const Breaker& breaker : domain.breakers) {
    if (!IsAsked(recipe, breaker.condition)) continue;
    if (breaker.more && !recipe.full_domains) continue;
    bool done[kFamilies] = {};
    for (const Part* part : parts) {
      const Setting& setting = part->setting;
      if (!StandsInEdition(breaker.condition, edition, setting.spec->name)) continue;
      bool& covered = done[FamilyOf(setting)];
      if (covered) continue;
      std::optional<Labels> labels =
          StartOf(domain, setting, recipe, breaker.labels, breaker.applies);
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
      const auto add = [&](const std::string& id, Purpose purpose) {
        if (!covered) return;
        items.push_back({{setting, id, recipe.seed, *labels}, &domain, std::move(purpose)});
      };
      std::string start = rest;
      for (const auto& [axis, value] : labels->all()) start += StrCat(" ", axis, "=", value);
      if (breaker.legal != nullptr) start += StrCat(" ", &breaker - domain.breakers.data());
      std::string& neighbour = legal[start];
      if ((part->is_graph || recipe.neighbours) && neighbour.empty()) {
        neighbour = unique(StrCat(folder, "legal-", rest));
        add(neighbour, purpose::Neighbour{&breaker});
      }
      if (part->is_graph || recipe.error_cases) {
        add(unique(StrCat(folder, "error-", rest)), purpose::Error{&breaker, neighbour});
      }
    }
  }
}

void AddSymbolicErrorItems(const Recipe& recipe, const Part& part, std::vector<Item>& items) {
  const size_t slash = part.prefix.find('/') + 1;
  std::set<std::string> ids;
  for (const Breaker& breaker : part.domain->breakers) {
    if (!IsAsked(recipe, breaker.condition)) continue;
    const std::optional<Labels> labels =
        StartOf(*part.domain, part.setting, recipe, breaker.labels, breaker.applies);
    if (!labels) continue;
    std::string words(breaker.condition);
    std::replace(words.begin(), words.end(), '.', '-');
    const std::string rest = StrCat(words, "-", part.prefix.substr(slash));
    std::string numbered = rest;
    for (int way = 2; !ids.insert(numbered).second; ++way) numbered = StrCat(rest, "-", way);
    const std::string folder = part.prefix.substr(0, slash);
    const auto add = [&](const std::string& id, Purpose purpose) {
      items.push_back({{part.setting, id, recipe.seed, *labels}, part.domain, std::move(purpose)});
    };
    const std::string neighbour = StrCat(folder, "legal-", numbered);
    add(neighbour, purpose::Neighbour{&breaker});
    add(StrCat(folder, "error-", numbered), purpose::Error{&breaker, neighbour});
  }
}

const std::map<std::string, std::string_view>& ConditionsNotBrokenAlone() {
  static const std::map<std::string, std::string_view> conditions = {
      {"slice.list_length",
       "the argument table gives both lists the length rank(shape1): graph.shape comes first"},
  };
  return conditions;
}

}  // namespace cts

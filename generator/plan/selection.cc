#include "generator/plan/selection.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <queue>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "generator/draft/name_text.h"
#include "generator/plan/error_items.h"
#include "generator/recipe/space.h"
#include "reference/base/contains.h"
#include "reference/base/nearest.h"
#include "reference/base/pattern.h"

namespace cts {
namespace {

// The number of elements and products that a case has, roughly: for balance only.
double CostOf(const Item& item) {
  if (item.layer() != nullptr) return static_cast<double>(item.layer()->Products());
  if (const auto* const sum = item.As<purpose::LongSum>()) {
    return 1000.0 * static_cast<double>(sum->rung->up_to);
  }
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

// Whether the chosen profiles have what the values chosen need, where only the graph says so.
StatusOr<bool> IsSelected(const Recipe& recipe, const Item& item) {
  if (recipe.profiles.empty() && recipe.needs.empty()) return true;
  if (item.Is<purpose::Combination>()) return true;  // Space has seen to it
  CaseDraft draft = item.domain->build(item.choice);
  draft.built_from = &item.choice;
  if (item.layer() != nullptr) draft = item.domain->at_layer(draft, *item.layer());
  if (const auto* const error = item.As<purpose::Error>()) {
    error->breaker->change(item.choice.setting, draft);
  }
  return NeedsNoMore(recipe, item.choice.setting, draft);
}

// Tells of a pattern that no id matches: the nearest ids, of the nearest folder.
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

}  // namespace

Status Select(const Recipe& recipe, std::vector<Item>& items) {
  const std::string message = StrCat("recipe ", recipe.name, ": no case is left");
  if (items.empty()) {
    return InvalidArgument(message, " with these operators, types, profiles and data sets; `",
                           "tensor-cts list types` shows which profile has which");
  }
  for (const std::string& pattern : recipe.ids) {
    if (std::none_of(items.begin(), items.end(),
                     [&](const Item& item) { return MatchesPattern(pattern, item.choice.id); })) {
      return NoSuchId(recipe, items, pattern);
    }
  }
  const size_t all = items.size();
  std::vector<Item> selected;
  for (Item& item : items) {
    if (!recipe.ids.empty() && !MatchesAny(recipe.ids, item.choice.id)) continue;
    // A neighbour stays with its condition.
    if (!recipe.conditions.empty() && !item.Is<purpose::Error>() &&
        !item.Is<purpose::Neighbour>()) {
      continue;
    }
    const StatusOr<bool> is_selected = IsSelected(recipe, item);
    if (!is_selected.ok()) return Annotate(is_selected.status(), item.choice.id);
    if (*is_selected) selected.push_back(std::move(item));
  }
  items = std::move(selected);
  if (!items.empty()) return absl::OkStatus();
  for (const std::string& condition : recipe.conditions) {
    const auto excused = ConditionsNotBrokenAlone().find(condition);
    if (excused == ConditionsNotBrokenAlone().end()) continue;
    return InvalidArgument(message, ": ", condition, " cannot be broken alone: ", excused->second);
  }
  return InvalidArgument(message, " of ", all, " with these ids, profiles and conditions");
}

Status KeepShard(const Recipe& recipe, std::vector<Item>& items) {
  if (recipe.shards == 1) return absl::OkStatus();
  std::vector<size_t> order(items.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::vector<double> costs;
  costs.reserve(items.size());
  for (const Item& item : items) costs.push_back(CostOf(item));
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return costs[a] > costs[b]; });
  using Load = std::pair<double, int>;  // and whose it is
  std::priority_queue<Load, std::vector<Load>, std::greater<>> loads;
  for (int shard = 1; shard <= recipe.shards; ++shard) loads.push({0, shard});
  std::vector<bool> kept(items.size(), false);
  for (const size_t i : order) {
    const auto [load, shard] = loads.top();
    loads.pop();
    loads.push({load + costs[i], shard});
    kept[i] = shard == recipe.shard;
  }
  const size_t all = items.size();
  size_t i = 0;
  std::erase_if(items, [&](const Item&) { return !kept[i++]; });
  if (!items.empty()) return absl::OkStatus();
  return InvalidArgument("shard ", recipe.shard, "/", recipe.shards, ": no case is left in it; ",
                         all, " cases make at most ", all, " shards");
}

}  // namespace cts

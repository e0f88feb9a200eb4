#include "reference/base/nearest.h"

#include <algorithm>
#include <numeric>

namespace cts {
namespace {

constexpr size_t kMaxCompared = 300;

// Levenshtein.
size_t EditDistance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), size_t{0});
  for (size_t i = 0; i < a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i + 1;
    for (size_t j = 0; j < b.size(); ++j) {
      const size_t above = row[j + 1];
      row[j + 1] = std::min({above + 1, row[j] + 1, diagonal + (a[i] != b[j])});
      diagonal = above;
    }
  }
  return row.back();
}

}  // namespace

std::vector<std::string> NearestNames(const std::vector<std::string>& names, std::string_view name,
                                      size_t count) {
  struct Ranked {
    bool contains;
    size_t distance;
    const std::string* name;
  };
  std::vector<Ranked> ranked;
  ranked.reserve(names.size());
  for (const std::string& candidate : names) {
    ranked.push_back({!name.empty() && candidate.find(name) != std::string::npos,
                      EditDistance(candidate, name.substr(0, kMaxCompared)), &candidate});
  }
  std::stable_sort(ranked.begin(), ranked.end(), [](const Ranked& a, const Ranked& b) {
    return a.contains != b.contains ? a.contains : a.distance < b.distance;
  });
  std::vector<std::string> nearest;
  for (size_t i = 0; i < std::min(count, ranked.size()); ++i) nearest.push_back(*ranked[i].name);
  return nearest;
}

std::string DidYouMean(const std::vector<std::string>& names, std::string_view name) {
  constexpr size_t kShown = 3;
  name = name.substr(0, kMaxCompared);
  // One letter in three may be wrong, two in a short name: a transposition is two changes.
  size_t least = std::max<size_t>(name.size() / 3, 2);
  std::vector<std::string> nearest;
  for (const std::string& candidate : names) {
    const size_t distance = EditDistance(candidate, name);
    if (distance > least || distance >= candidate.size()) continue;
    if (distance < least) nearest.clear();
    least = distance;
    if (nearest.size() < kShown) nearest.push_back(candidate);
  }
  std::string text;
  for (const std::string& candidate : nearest) {
    text += (text.empty() ? "; did you mean " : " or ") + candidate;
  }
  return text.empty() ? "" : text + "?";
}

}  // namespace cts

#include "generator/cover/pattern_coverage.h"

#include <algorithm>
#include <map>

#include "generator/draft/name_text.h"
#include "generator/graphs/patterns.h"
#include "reference/base/contains.h"

namespace cts {

std::vector<PatternCoverage> MeasurePatterns(const Plan& plan,
                                             const std::vector<CaseFacts>& cases) {
  std::vector<PatternCoverage> measured;
  if (!plan.recipe->graphs || !plan.recipe->conditions.empty()) return measured;
  std::map<std::string_view, uint64_t> counts;
  for (const CaseFacts& facts : cases) {
    for (const std::string& pattern : facts.patterns) ++counts[pattern];
  }
  for (const GraphPattern& pattern : GraphPatterns()) {
    PatternCoverage& one = measured.emplace_back(
        PatternCoverage{std::string(pattern.name), std::string(pattern.meaning),
                        std::string(pattern.reason), counts[pattern.name], ""});
    const bool is_asked = std::any_of(plan.items.begin(), plan.items.end(), [&](const Item& item) {
      return std::any_of(pattern.graphs.begin(), pattern.graphs.end(), [&](std::string_view graph) {
        return item.choice.id.starts_with(StrCat("graphs/", graph, "-"));
      });
    });
    if (one.cases == 0 && !is_asked) {
      std::vector<std::string> graphs(pattern.graphs.begin(), pattern.graphs.end());
      one.impossible = StrCat("the recipe asks for none of its graphs: ", Join(graphs));
    }
  }
  return measured;
}

}  // namespace cts

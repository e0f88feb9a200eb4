#include "generator/cover/size_coverage.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "generator/draft/name_text.h"

namespace cts {

namespace {

void MeasureLongSums(const Plan& plan, const std::vector<CaseFacts>& cases,
                     std::vector<SizeCoverage>& measured) {
  // By operator, mode, rung and data set.
  std::map<std::tuple<std::string, std::string, int64_t, std::string>, uint64_t> counts;
  for (const CaseFacts& facts : cases) {
    for (const auto& [dimension, above] : facts.rungs) {
      if (dimension != "KS") continue;
      ++counts[{facts.op, facts.mode, above, facts.labels.Text(kDataAxis)}];
    }
  }
  for (const Item& item : plan.items) {
    const auto* const sum = item.As<purpose::LongSum>();
    if (sum == nullptr) continue;
    const Setting& setting = item.choice.setting;
    const std::string &op = setting.spec->name, &mode = setting.row->mode;
    const std::string set = item.data_set();
    measured.push_back({op, sum->dimension->name, mode, sum->dimension->meaning, Text(*sum->rung),
                        set, counts[{op, mode, sum->rung->above, set}]});
  }
}

}  // namespace

std::vector<SizeCoverage> MeasureSizes(const Plan& plan, const std::vector<CaseFacts>& cases) {
  // Operator and mode, to the kind of numbers.
  std::map<std::pair<std::string, std::string>, std::string> asked;
  for (const Item& item : plan.items) {
    if (!item.Is<purpose::Size>()) continue;
    const Setting& setting = item.choice.setting;
    asked.emplace(std::pair(setting.spec->name, setting.row->mode),
                  LadderKind(*setting.spec, *setting.row));
  }
  // By operator, kind, dimension and rung.
  std::map<std::tuple<std::string, std::string, std::string, int64_t>, uint64_t> counts;
  for (const CaseFacts& facts : cases) {
    const auto kind = asked.find({facts.op, facts.mode});
    if (kind == asked.end()) continue;
    for (const auto& [dimension, above] : facts.rungs) {
      ++counts[{facts.op, kind->second, dimension, above}];
    }
  }
  // A case that a condition of the edition's own forbids stands among what is left out.
  const auto is_left_out = [&plan](const std::string& begin) {
    return std::any_of(plan.left_out.begin(), plan.left_out.end(),
                       [&](const LeftOut& left_out) { return left_out.id.starts_with(begin); });
  };
  std::vector<SizeCoverage> measured;
  for (const OperatorSpec& spec : plan.edition->operators) {
    std::set<std::string> kinds;
    for (const auto& [row, kind] : asked) {
      if (row.first == spec.name) kinds.insert(kind);
    }
    for (const SizedDimension& dimension : DimensionsOf(spec.Seen().name)) {
      for (const Rung& rung : dimension.rungs) {
        if (rung.above >= plan.recipe->sizes) continue;
        for (const std::string& kind : kinds) {
          const uint64_t found = counts[{spec.name, kind, dimension.name, rung.above}];
          if (found == 0 && is_left_out(StrCat(Lower(spec.name), "/size-", Lower(dimension.name),
                                               "-", rung.above + 1, "-"))) {
            continue;
          }
          measured.push_back(
              {spec.name, dimension.name, kind, dimension.meaning, Text(rung), "", found});
        }
      }
    }
  }
  MeasureLongSums(plan, cases, measured);
  return measured;
}

}  // namespace cts

#include "generator/cover/relation_coverage.h"

#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "generator/draft/name_text.h"
#include "reference/base/contains.h"
#include "reference/ops/relation.h"

namespace cts {
namespace {

// Why no type row of the family has such a case; empty if one has.
std::string WhyImpossible(const Relation& relation, const Edition& edition,
                          const std::vector<const TypeRow*>& rows) {
  std::string reason;
  for (const TypeRow* const row : rows) {
    reason = relation.WhyImpossible(edition, *row);
    if (reason.empty()) return "";
  }
  return reason;
}

}  // namespace

std::vector<RelationCoverage> MeasureRelations(const Plan& plan,
                                               const std::vector<CaseFacts>& cases) {
  std::set<std::pair<const OperatorSpec*, std::string>> asked;  // operator, family
  for (const Item& item : plan.items) {
    if (!item.Is<purpose::Relation>()) continue;
    const Setting& setting = item.choice.setting;
    asked.emplace(setting.spec, RelationFamily(*setting.spec, *setting.row));
  }
  std::map<std::tuple<std::string, std::string, std::string>, uint64_t> counts;
  for (const CaseFacts& facts : cases) {
    if (facts.relations.empty()) continue;
    const OperatorSpec& spec = *plan.edition->FindOperator(facts.op);
    for (const TypeRow& row : spec.type_rows) {
      if (row.mode != facts.mode) continue;
      const std::string family = RelationFamily(spec, row);
      for (const std::string& relation : facts.relations) ++counts[{spec.name, relation, family}];
    }
  }
  // Operator's folder, relation and family to the condition of the edition's own that forbids a
  // case of them.
  std::map<std::tuple<std::string, std::string, std::string>, std::string> forbidden;
  for (const LeftOut& left_out : plan.left_out) {
    const std::string folder = left_out.id.substr(0, left_out.id.find('/'));
    for (const std::string& relation : left_out.relations) {
      forbidden.emplace(std::tuple(folder, relation, left_out.family), left_out.condition);
    }
  }
  std::vector<RelationCoverage> measured;
  for (const OperatorSpec& spec : plan.edition->operators) {
    std::vector<std::string> families;  // in the order of the rows
    std::map<std::string, std::vector<const TypeRow*>> rows;
    for (const TypeRow& row : spec.type_rows) {
      const std::string family = RelationFamily(spec, row);
      if (!asked.contains({&spec, family})) continue;
      if (!Contains(families, family)) families.push_back(family);
      rows[family].push_back(&row);
    }
    for (const Relation& relation : RelationsOf(spec.Seen().name)) {
      for (const std::string& family : families) {
        const uint64_t found = counts[{spec.name, relation.name, family}];
        std::string reason = found > 0 ? "" : WhyImpossible(relation, *plan.edition, rows[family]);
        const auto condition = forbidden.find({Lower(spec.name), relation.name, family});
        if (found == 0 && reason.empty() && condition != forbidden.end()) {
          reason = StrCat("the condition ", condition->second, " forbids its cases");
        }
        measured.push_back(
            {spec.name, relation.name, family, relation.meaning, found, std::move(reason)});
      }
    }
  }
  return measured;
}

}  // namespace cts

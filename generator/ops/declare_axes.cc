#include "generator/ops/domain.h"

namespace cts {
namespace {

// Adds what the domain has in one edition.
void AddAxesOf(const Edition& edition, std::string_view op, bool (*applies)(const Setting&),
               const Domain& domain, DeclaredAxes& declared) {
  const OperatorSpec* spec = edition.FindOperator(op);
  if (spec == nullptr) return;
  const std::vector<std::string> everything;
  for (const Level& level : edition.levels) {
    for (const TypeRow& row : spec->type_rows) {
      // Some labels are for those who have everything, others for those who have not.
      for (const std::vector<std::string>* profiles : {&everything, &row.profiles.front()}) {
        const Setting setting{&edition, &level, spec, &row, profiles};
        if (applies != nullptr && !applies(setting)) continue;
        for (const Axis& axis : domain.axes(setting)) {
          std::set<std::string>& labels = declared.labels[axis.name];
          labels.insert(axis.values.begin(), axis.values.end());
          labels.insert(axis.more.begin(), axis.more.end());
        }
      }
    }
  }
}

void CheckLabels(const Labels& labels, const Labels& all) {
  for (const auto& [axis, label] : labels.all()) (void)all[axis].Other(label);
}

}  // namespace

void DeclareAxes(std::string owner, std::string_view op, bool (*applies)(const Setting&),
                 const DeclaredAxes* also, Domain& domain) {
  if (domain.axes == nullptr) return;  // CUSTOM
  auto declared = std::make_shared<DeclaredAxes>();
  declared->owner = std::move(owner);
  if (also != nullptr) declared->labels = also->labels;
  for (const std::string& id : EditionIds()) {
    const StatusOr<const Edition*> edition = FindEdition(id);
    if (edition.ok()) AddAxesOf(**edition, op, applies, domain, *declared);
  }
  domain.declared = declared;
  const Labels all(domain.declared);
  for (const Constraint& constraint : domain.constraints) {
    for (const std::string_view axis : constraint.axes) (void)all[axis];
  }
  for (const Breaker& breaker : domain.breakers) CheckLabels(breaker.labels, all);
  for (const LimitCase& limit : domain.limits) CheckLabels(limit.labels, all);
  for (const Labels& start : domain.starts) CheckLabels(start, all);
}

}  // namespace cts

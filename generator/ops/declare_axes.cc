#include <algorithm>

#include "generator/ops/domain.h"

namespace cts {
namespace {

// Every type row of the operator in every level of the editions of which cases are made. Each is
// there with all profiles and with only those that it needs: some labels are for one of the two.
std::vector<Setting> SettingsOf(std::string_view op, bool (*applies)(const Setting&)) {
  static const std::vector<std::string> everything;
  std::vector<Setting> settings;
  for (const std::string& id : EditionIds()) {
    const StatusOr<const Edition*> edition = FindEdition(id);
    if (!edition.ok() || !(*edition)->Has(Feature::kExecuted)) continue;
    const OperatorSpec* spec = (*edition)->FindOperator(op);
    if (spec == nullptr) continue;
    for (const Level& level : (*edition)->levels) {
      for (const TypeRow& row : spec->type_rows) {
        for (const std::vector<std::string>* profiles : {&everything, &row.profiles.front()}) {
          const Setting setting{*edition, &level, spec, &row, profiles};
          if (applies == nullptr || applies(setting)) settings.push_back(setting);
        }
      }
    }
  }
  return settings;
}

// `applies` says for which type rows the labels are. Labels for no row are not checked.
void CheckLabels(const Labels& labels, const SettingTest& applies,
                 const std::vector<Setting>& settings, const Labels& all) {
  if (applies != nullptr && std::none_of(settings.begin(), settings.end(), applies)) return;
  for (const auto& [axis, label] : labels.all()) (void)all[axis].Other(label);
}

}  // namespace

void DeclareAxes(std::string owner, std::string_view op, bool (*applies)(const Setting&),
                 const DeclaredAxes* also, Domain& domain) {
  if (domain.axes == nullptr) return;  // CUSTOM
  auto declared = std::make_shared<DeclaredAxes>();
  declared->owner = std::move(owner);
  if (also != nullptr) declared->labels = also->labels;
  const std::vector<Setting> settings = SettingsOf(op, applies);
  for (const Setting& setting : settings) {
    for (const Axis& axis : domain.axes(setting)) {
      std::set<std::string>& labels = declared->labels[axis.name];
      labels.insert(axis.values.begin(), axis.values.end());
      labels.insert(axis.more.begin(), axis.more.end());
    }
  }
  domain.declared = declared;
  const Labels all(domain.declared);
  for (const Constraint& constraint : domain.constraints) {
    for (const std::string_view axis : constraint.axes) (void)all[axis];
  }
  for (const Breaker& breaker : domain.breakers) {
    CheckLabels(breaker.labels, breaker.applies, settings, all);
  }
  for (const LimitCase& limit : domain.limits) {
    CheckLabels(limit.labels, limit.applies, settings, all);
  }
  for (const DataCase& data : domain.data_cases) {
    CheckLabels(data.labels, data.applies, settings, all);
  }
  for (const Labels& start : domain.starts) CheckLabels(start, nullptr, settings, all);
}

}  // namespace cts

#include "generator/recipe/space.h"

#include <algorithm>
#include <string>
#include <utility>

#include "generator/recipe/profiles.h"
#include "reference/base/contains.h"

namespace cts {
namespace {

// Every alternative of the row has the extension.
bool RowNeeds(const TypeRow& row, const std::string& extension) {
  return std::all_of(row.profiles.begin(), row.profiles.end(),
                     [&](const auto& alternative) { return Contains(alternative, extension); });
}

bool IsExhaustive(std::string_view data_set) { return data_set.starts_with("exhaustive"); }

// The values of an axis that the recipe asks for.
std::vector<std::string> Selected(const Axis& axis, const Setting& setting, const Recipe& recipe) {
  std::vector<std::string> values = axis.values;
  if (recipe.full_domains) values.insert(values.end(), axis.more.begin(), axis.more.end());
  const auto is_left_out = [&](const std::string& value) {
    const auto needs = axis.needs.find(value);
    if (needs != axis.needs.end() && !recipe.profiles.empty() &&
        !Contains(recipe.profiles, needs->second)) {
      return true;
    }
    if (axis.name != "data") return false;
    return recipe.data_sets.empty() ? IsExhaustive(value) : !Contains(recipe.data_sets, value);
  };
  std::erase_if(values, is_left_out);
  // A row that does without the extension: the values that do not, of the axis that has them.
  const bool speaks_of_it =
      std::any_of(axis.needs.begin(), axis.needs.end(),
                  [&](const auto& needs) { return needs.second == recipe.needs; });
  if (!recipe.needs.empty() && !RowNeeds(*setting.row, recipe.needs) && speaks_of_it) {
    std::erase_if(values, [&](const std::string& value) {
      const auto needs = axis.needs.find(value);
      return needs == axis.needs.end() || needs->second != recipe.needs;
    });
  }
  return values;
}

}  // namespace

std::optional<Labels> StartOf(const Domain& domain, const Setting& setting, const Recipe& recipe,
                              const Labels& labels, const SettingTest& applies) {
  if (applies != nullptr && !applies(setting)) return std::nullopt;
  Recipe all = recipe;
  all.full_domains = true;  // labels may name any value
  const Space space(domain, setting, all);
  Labels wanted;
  for (const Axis& axis : space.axes()) {
    if (labels.Has(axis.name)) wanted.Set(axis.name, labels[axis.name].text());
  }
  if (!space.HasCases()) return std::nullopt;
  // S0 comes first of a dot product's data sets, and its results are zero: any other says more. S1
  // alone has a bias, too, which is all that there is in padding.
  for (const char* const data_set : {"S1", "S3", "S2", ""}) {
    Labels start = wanted;
    if (*data_set != 0 && !wanted.Has("data")) start.Set("data", data_set);
    std::optional<Row> row = space.RowOf(start);
    if (row && space.rows().Complete(*row)) return space.LabelsOf(*row);
  }
  return std::nullopt;
}

StatusOr<bool> NeedsNoMore(const Recipe& recipe, const Setting& setting, const CaseDraft& draft) {
  CTS_ASSIGN_OR_RETURN(const Assembly assembly, AssembleGraph(setting, draft));
  const auto profiles = ProfilesOf(*setting.row, assembly.extensions);
  const bool needs = recipe.needs.empty() ||
                     std::all_of(profiles.begin(), profiles.end(), [&](const auto& alternative) {
                       return Contains(alternative, recipe.needs);
                     });
  return needs && IsWithin(profiles, recipe.profiles);
}

Space::Space(const Domain& domain, const Setting& setting, const Recipe& recipe, bool is_graph)
    : axes_(domain.axes(setting)), declared_(domain.declared) {
  std::vector<int> sizes;
  bool has_needed = recipe.needs.empty() || RowNeeds(*setting.row, recipe.needs);
  for (Axis& axis : axes_) {
    axis.values = Selected(axis, setting, recipe);
    axis.more.clear();
    for (const auto& [value, extension] : axis.needs) has_needed |= extension == recipe.needs;
    sizes.push_back(static_cast<int>(axis.values.size()));
  }
  // Control flow, variables and graphs say what they need when they are built.
  const std::string& group = setting.spec->group;
  is_graph |= group == "control-flow" || group == "variable" || group == "shape";
  has_needed |= is_graph;
  if (!has_needed) sizes.assign(sizes.size(), 0);
  std::vector<RowConstraint> constraints;
  for (const Constraint& constraint : domain.constraints) {
    RowConstraint row_constraint;
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (Contains(constraint.axes, axes_[i].name)) {
        row_constraint.axes.push_back(i);
      }
    }
    row_constraint.holds = [this, setting, holds = constraint.holds, named = &constraint.axes,
                            axes = row_constraint.axes](const Row& row) {
      Labels labels(declared_, named);
      for (const size_t axis : axes) {
        labels.Set(axes_[axis].name, axes_[axis].values[static_cast<size_t>(row[axis])]);
      }
      return holds(setting, labels);
    };
    constraints.push_back(std::move(row_constraint));
    reasons_.push_back(constraint.reason);
  }
  if (is_graph && !(recipe.profiles.empty() && recipe.needs.empty())) {
    RowConstraint needs_no_more;
    for (size_t i = 0; i < axes_.size(); ++i) {
      if (domain.needs_axes.empty() || Contains(domain.needs_axes, axes_[i].name)) {
        needs_no_more.axes.push_back(i);
      }
    }
    const auto buildable = std::make_shared<const RowSpace>(sizes, constraints);
    needs_no_more.holds = [this, &domain, setting, &recipe, buildable,
                           axes = needs_no_more.axes](const Row& row) {
      Row any(row.size(), kUndecided);
      for (const size_t axis : axes) any[axis] = row[axis];
      if (!buildable->Complete(any)) return true;  // nothing that could be built
      const StatusOr<bool> holds =
          NeedsNoMore(recipe, setting, domain.build({setting, "", recipe.seed, LabelsOf(any)}));
      return !holds.ok() || *holds;  // the error comes when the case is made
    };
    constraints.push_back(std::move(needs_no_more));
    reasons_.push_back("it takes other profiles or extensions than the recipe's");
  }
  rows_ = std::make_unique<RowSpace>(std::move(sizes), std::move(constraints));
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (axes_[i].prefers_first) rows_->PreferFirst(i);
  }
}

bool Space::HasCases() const {
  const std::vector<int>& sizes = rows_->sizes();
  if (Contains(sizes, 0)) return false;
  Row row(sizes.size(), kUndecided);
  return rows_->Complete(row);
}

Labels Space::LabelsOf(const Row& row) const {
  Labels labels(declared_);
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (row[i] != kUndecided) labels.Set(axes_[i].name, axes_[i].values[row[i]]);
  }
  return labels;
}

std::optional<Row> Space::RowOf(const Labels& labels) const {
  Row row(axes_.size(), kUndecided);
  for (size_t i = 0; i < axes_.size(); ++i) {
    if (!labels.Has(axes_[i].name)) continue;
    const std::string& wanted = labels[axes_[i].name].text();
    const auto& values = axes_[i].values;
    const auto found = std::find(values.begin(), values.end(), wanted);
    if (found == values.end()) return std::nullopt;
    row[i] = static_cast<int>(found - values.begin());
  }
  return row;
}

}  // namespace cts

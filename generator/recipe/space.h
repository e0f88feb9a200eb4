// The axes of a type row, as a recipe requests them.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "generator/draft/case_draft.h"
#include "generator/ops/domain.h"
#include "generator/recipe/covering_array.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"

namespace cts {

// The values of the axes, and the constraints on them. A Row (covering_array.h) has a value for
// each axis; do not confuse it with a type row. The domain must outlive this object.
class Space {
 public:
  Space(const Domain& domain, const Setting& setting, const Recipe& recipe, bool is_graph = false);
  Space(const Space&) = delete;

  // False if an axis has no value that the recipe asks for, or if no combination is allowed.
  bool HasCases() const;
  const std::vector<Axis>& axes() const { return axes_; }
  const RowSpace& rows() const { return *rows_; }
  // The reason why a constraint of rows() excludes some rows.
  std::string_view ReasonOf(size_t constraint) const { return reasons_[constraint]; }
  Labels LabelsOf(const Row& row) const;
  // Returns the Row of these labels, with kUndecided for axes without a label. Returns nullopt if a
  // label is not a value of its axis.
  std::optional<Row> RowOf(const Labels& labels) const;

 private:
  std::vector<Axis> axes_;
  std::shared_ptr<const DeclaredAxes> declared_;
  std::unique_ptr<RowSpace> rows_;
  std::vector<std::string_view> reasons_;
};

// Returns the labels of the valid choice that a breaker or a limit changes: `labels` and, for each
// other axis, the first value that fits. For a dot product, data sets S1, S3 and S2 are tried
// first. Returns nullopt if `applies` does not hold for the type row, or if no valid choice has
// these labels.
std::optional<Labels> StartOf(const Domain& domain, const Setting& setting, const Recipe& recipe,
                              const Labels& labels, const SettingTest& applies);

// Whether the draft's case is one that the recipe allows: the case needs only the recipe's
// profiles, and it needs the extension Recipe::needs, if the recipe has one.
StatusOr<bool> NeedsNoMore(const Recipe& recipe, const Setting& setting, const CaseDraft& draft);

}  // namespace cts

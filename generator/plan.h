// What a recipe asks for: the axes of every type row, and the cases to generate.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "generator/case_draft.h"
#include "generator/cover/covering_array.h"
#include "generator/ops/domain.h"
#include "generator/recipe.h"
#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// The axes of a type row as a recipe asks for them: values, and the constraints on them. The domain
// has to outlive it.
class Space {
 public:
  Space(const Domain& domain, const Setting& setting, const Recipe& recipe, bool is_graph = false);
  Space(const Space&) = delete;

  // False if an axis has no value that the recipe asks for, or if no combination is allowed.
  bool HasCases() const;
  const std::vector<Axis>& axes() const { return axes_; }
  const RowSpace& rows() const { return *rows_; }
  // Why a constraint of rows() excludes some.
  std::string_view ReasonOf(size_t constraint) const { return reasons_[constraint]; }
  Labels LabelsOf(const Row& row) const;
  // The row of these labels; kUndecided for axes without a label. Nothing if an axis lacks the
  // value.
  std::optional<Row> RowOf(const Labels& labels) const;

 private:
  std::vector<Axis> axes_;
  std::shared_ptr<const DeclaredAxes> declared_;
  std::unique_ptr<RowSpace> rows_;
  std::vector<std::string_view> reasons_;
};

// A type row of an operator, or a graph of several operators made for it.
struct Part {
  std::string prefix;  // of the ids of its cases: "conv2d/i8-i8-i32"
  const Domain* domain;
  Setting setting;
  bool is_graph = false;
  bool is_symbolic = false;  // and a graph
};

enum class ItemKind {
  kValid,      // a combination of values
  kSample,     // one drawn at random
  kLimit,      // at a limit of the level
  kNeighbour,  // the valid case beside an error case
  kError,      // breaks a condition
  kMutant,     // an error case by a random change
};

// One case to make.
struct Item {
  ItemKind kind = ItemKind::kValid;
  Choice choice;
  const Domain* domain = nullptr;
  std::string neighbour;             // kError: the id of the nearest legal case
  const Breaker* breaker = nullptr;  // kError, kNeighbour
  const LimitCase* limit = nullptr;  // kLimit

  // The condition that the case breaks; empty for a valid case.
  std::string_view condition() const {
    return kind == ItemKind::kError ? breaker->condition : std::string_view();
  }
  bool is_error() const { return kind == ItemKind::kError || kind == ItemKind::kMutant; }
};

// What to make, and what it refers to.
struct Plan {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  std::unique_ptr<Recipe> recipe;  // with names as the edition spells them
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<Part> parts;
  std::vector<Item> items;  // sorted by id
};

// An unknown name of an edition, level, operator, profile, type or condition is an error that lists
// the nearest known names. A filter that leaves nothing is an error, too.
StatusOr<Plan> MakePlan(const Recipe& recipe);

// Only edition, level and parts: what the recipe is about, whichever cases it selects.
StatusOr<Plan> MakeParts(const Recipe& recipe);

// The profiles of the type row; each alternative also has the extensions that the case needs.
std::vector<std::vector<std::string>> ProfilesOf(const TypeRow& row,
                                                 const std::vector<std::string>& extensions);

// Conditions that no graph breaks without breaking another one first, each with the reason.
const std::map<std::string, std::string_view>& ConditionsNotBrokenAlone();

// The valid choice that a breaker or a limit starts from: its labels, and for the other axes the
// first values that fit. Nothing if it does not apply to the type row.
std::optional<Labels> StartOf(const Domain& domain, const Setting& setting, const Recipe& recipe,
                              const Labels& labels, bool (*applies)(const Setting&));

// Whether a draft needs nothing beyond the recipe's profiles, and needs everything in
// Recipe::needs.
StatusOr<bool> NeedsNoMore(const Recipe& recipe, const Setting& setting, const CaseDraft& draft);

// Whether one of the alternatives lies within the chosen profiles. True if no profiles are chosen.
bool IsWithin(const std::vector<std::vector<std::string>>& alternatives,
              const std::vector<std::string>& chosen);

}  // namespace cts

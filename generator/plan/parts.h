// The parts of a recipe: the type rows of operators, and the graphs made for them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "generator/ops/domain.h"
#include "generator/recipe/recipe.h"
#include "reference/base/status.h"
#include "reference/spec/edition.h"

namespace cts {

// Returns the types of a row as ids have them: the types of operands and results in the order of
// the arguments, each type variable once. The type of the accumulator follows if it differs from
// the output's type.
std::string TypesLabel(const Setting& setting);

// A type row of an operator, or a graph of several operators made for it.
struct Part {
  std::string prefix;  // the prefix of its cases' ids: "conv2d/i8-i8-i32"
  const Domain* domain;
  Setting setting;
  bool is_graph = false;
  bool is_symbolic = false;  // if true, `is_graph` is true, too
};

// All parts of a recipe, including parts of which the recipe selects no cases, and the objects to
// which the parts refer.
struct Parts {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  std::unique_ptr<Recipe> recipe;  // a copy, with names as the edition spells them
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<Part> parts;
};

// An unknown name of an edition, level, operator, profile, type or condition is an error that lists
// the nearest known names.
StatusOr<Parts> MakeParts(const Recipe& recipe);

}  // namespace cts

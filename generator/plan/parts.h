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

// The types of a row in the form of ids: those of the operands and results in the order of the
// arguments, each variable once. The accumulator's type follows if it differs from the output's.
std::string TypesLabel(const Setting& setting);

// A type row of an operator, or a graph of several operators made for it.
struct Part {
  std::string prefix;  // the prefix of its cases' ids: "conv2d/i8-i8-i32"
  const Domain* domain;
  Setting setting;
  bool is_graph = false;
  bool is_symbolic = false;  // then `is_graph` is true, too
};

// All parts of a recipe, even those of which it selects no cases, and the objects to which the
// parts refer.
struct Parts {
  const Edition* edition = nullptr;
  const Level* level = nullptr;
  std::unique_ptr<Recipe> recipe;  // with names as the edition spells them
  std::vector<std::unique_ptr<Domain>> domains;
  std::vector<Part> parts;
};

// An unknown name of an edition, level, operator, profile, type or condition is an error that lists
// the nearest known names.
StatusOr<Parts> MakeParts(const Recipe& recipe);

}  // namespace cts

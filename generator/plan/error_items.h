// The error cases of a plan, each beside its legal neighbour.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"

namespace cts {

// The error cases of an operator or a graph with these parts: one case for every type family. Type
// rows that need no extension come first, since most implementations have the base profiles. A
// recipe with graphs also has their error cases.
void AddErrorItems(const Recipe& recipe, std::vector<const Part*> parts, std::vector<Item>& items);

// The error cases of a symbolic program.
void AddSymbolicErrorItems(const Recipe& recipe, const Part& part, std::vector<Item>& items);

// Conditions that no graph breaks without breaking another one first, each with the reason.
const std::map<std::string, std::string_view>& ConditionsNotBrokenAlone();

}  // namespace cts

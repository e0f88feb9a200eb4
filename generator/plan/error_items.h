// The error cases of a plan, and their legal neighbours.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "generator/plan/item.h"
#include "generator/plan/parts.h"

namespace cts {

// Adds the error cases of one operator or graph: for each breaker, one case for every family of
// types (booleans, integers, fp8, other floats). `parts` are the parts (parts.h) of this operator
// or graph. Type rows that need no extension are preferred, because most implementations have the
// base profiles. The error cases of graphs are added even if Recipe::error_cases is false.
void AddErrorItems(const Recipe& recipe, std::vector<const Part*> parts, std::vector<Item>& items);

// Adds the error cases of a symbolic program.
void AddSymbolicErrorItems(const Recipe& recipe, const Part& part, std::vector<Item>& items);

// The ids of conditions that no graph can break without first breaking another condition, each with
// the reason.
const std::map<std::string, std::string_view>& ConditionsNotBrokenAlone();

}  // namespace cts

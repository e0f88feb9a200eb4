// The relations of an operator by its name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/ops/relation_tables.h"

namespace cts {

// The relations of an operator, from its facts (reference/ops/facts.h); empty if the operator has
// no relations. `op` is its name in OperatorSpec::Seen, such as "CONV2D".
const std::vector<Relation>& RelationsOf(std::string_view op);

// A suite covers the relations once for each group of types, because implementations often have the
// same code for all types of a group. The group of a type row is "i8", "integers" (all other
// integer types, and bool), or the name of a floating-point type. The first input whose type the
// row states decides. The result is empty if there is no such input.
std::string RelationFamily(const OperatorSpec& spec, const TypeRow& row);

}  // namespace cts

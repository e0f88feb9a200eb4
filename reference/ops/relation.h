// The relations of an operator by its name: see relation_tables.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "reference/ops/relation_tables.h"

namespace cts {

// The relations of an operator by the name of its text ("CONV2D"); none for operators whose
// relations nobody has written down: see relation.cc.
const std::vector<Relation>& RelationsOf(std::string_view op);

// The types that share the code of an implementation, and so are covered apart: "i8", "integers"
// (all others), or the name of a floating-point type. By the first operand.
std::string RelationFamily(const OperatorSpec& spec, const TypeRow& row);

}  // namespace cts

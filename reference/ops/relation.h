// Relations between the parameters and shapes of a call: two strides that are equal, a kernel as
// large as the input. Software has paths of its own for them, so that a suite asks each of them
// (Domain::relations) and the catalogue of faults breaks each of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/graph/call.h"

namespace cts {

struct Relation {
  std::string name;     // unique within the operator: "stride_equal"
  std::string meaning;  // what holds, for a sentence: "the strides are equal and above 1"
  std::string reason;   // why software may treat it otherwise than its neighbours
  // Of a legal call.
  std::function<bool(const Call&)> holds;
  // Why no case of a type row can show a fault where the relation holds; empty: one can. Null: one
  // can in every row.
  std::function<std::string_view(const Edition&, const TypeRow&)> impossible = nullptr;

  std::string_view WhyImpossible(const Edition& edition, const TypeRow& row) const {
    return impossible == nullptr ? std::string_view() : impossible(edition, row);
  }
};

// The relations of an operator by the name of its text ("CONV2D"); none for operators whose
// relations nobody has written down: see relation.cc.
const std::vector<Relation>& RelationsOf(std::string_view op);

// The types that share the code of an implementation, and so are covered apart: "i8", "integers"
// (all others), or the name of a floating-point type. By the first operand.
std::string RelationFamily(const OperatorSpec& spec, const TypeRow& row);

}  // namespace cts

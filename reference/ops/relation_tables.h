// Relations between the parameters and shapes of a call: two strides that are equal, a kernel as
// large as the input. Software has paths of its own for them, so a suite asks each of them
// (Domain::relations), and the catalogue of faults breaks each of them.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "reference/graph/call.h"

namespace cts {

struct Relation {
  std::string name;     // unique within the operator: "stride_equal"
  std::string meaning;  // the relation in words, for a sentence: "the strides are equal and above
                        // 1"
  std::string reason;   // why software may treat it differently from its neighbours
  // Asked of legal calls only.
  std::function<bool(const Call&)> holds;
  // The reason why no case of a type row can show a fault where the relation holds; empty: a case
  // can. Null: a case can in every row.
  std::function<std::string_view(const Edition&, const TypeRow&)> impossible = nullptr;

  std::string_view WhyImpossible(const Edition& edition, const TypeRow& row) const {
    return impossible == nullptr ? std::string_view() : impossible(edition, row);
  }
};

// The relations of each kind of operator.
std::vector<Relation> Conv2dRelations();
std::vector<Relation> Conv3dRelations();
std::vector<Relation> DepthwiseConv2dRelations();
std::vector<Relation> TransposeConv2dRelations();
std::vector<Relation> AvgPool2dRelations();
std::vector<Relation> MaxPool2dRelations();

// Every pattern of two operands `input1` and `input2`, for ranks 1 to 4.
std::vector<Relation> BroadcastRelations();
// One tensor as both operands. `of_floats`: not for integers, since an integer and itself have only
// one result.
Relation SameOperandsRelation(std::string operand1, std::string operand2, bool of_floats = false);
// The patterns, and one tensor as both operands.
std::vector<Relation> BroadcastOrSameRelations();
std::vector<Relation> BroadcastOrSameFloatsRelations();
// The patterns of SELECT's three operands: every pattern of ranks 1 and 2; for ranks 3 and 4 the
// patterns of one dimension, with the others equal.
std::vector<Relation> SelectRelations();
// Every permutation of ranks 2 to 4; of ranks 5 and 6 every source axis in every place.
std::vector<Relation> TransposeRelations();
std::vector<Relation> ResizeRelations();

// The pattern of a broadcast, a letter for each dimension: which operands have 1 there. Two
// operands: `e` both have more, `l` the left has 1, `r` the right, `b` both. Empty if the ranks
// differ.
std::string BroadcastPattern(const Shape& left, const Shape& right);
// A digit for each dimension of three operands: bit k is set where operand k has 1.
std::string BroadcastPattern(const std::vector<Shape>& shapes);

}  // namespace cts

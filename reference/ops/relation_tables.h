// Relations between the parameters and shapes of a call: two strides that are equal, a kernel as
// large as the input. Software may have separate code for each relation, so a suite tests each
// relation (Domain::relations), and the catalogue of faults has a fault for each relation.
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
  std::string reason;   // why software may treat such calls differently from similar calls
  // Whether the relation holds for a legal call.
  std::function<bool(const Call&)> holds;
  // For a type row: the reason why no case can show a fault where the relation holds. The reason is
  // empty if a case can show such a fault. The function is null if a case can show such a fault in
  // every row.
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

// Every pattern (BroadcastPattern) of the operands `input1` and `input2`, for ranks 1 to 4.
std::vector<Relation> BroadcastRelations();
// The relation that both operands are the same tensor. `of_floats`: only floating-point rows can
// show a fault in this case, since the operator gives the same result for every pair of equal
// integers.
Relation SameOperandsRelation(std::string operand1, std::string operand2, bool of_floats = false);
// The relations of BroadcastRelations and of SameOperandsRelation. BroadcastOrSameFloatsRelations
// sets `of_floats`.
std::vector<Relation> BroadcastOrSameRelations();
std::vector<Relation> BroadcastOrSameFloatsRelations();
// The patterns of SELECT's three operands: every pattern of ranks 1 and 2; for ranks 3 and 4, the
// patterns with sizes of 1 in only one dimension. Also the relation that `input2` and `input3` are
// the same tensor.
std::vector<Relation> SelectRelations();
// Every permutation of ranks 2 to 4; for ranks 5 and 6, every source axis in every place.
std::vector<Relation> TransposeRelations();
std::vector<Relation> ResizeRelations();

// The pattern of a broadcast of two operands, with a letter for each dimension. `e`: neither
// operand has size 1 in the dimension; `l`: only the left operand does; `r`: only the right operand
// does; `b`: both operands do. Empty if the ranks differ.
std::string BroadcastPattern(const Shape& left, const Shape& right);
// The pattern of a broadcast of three operands, with a digit for each dimension: bit k of the digit
// is set if operand k has size 1 in the dimension.
std::string BroadcastPattern(const std::vector<Shape>& shapes);

}  // namespace cts

// The relations of each kind of operator: see relation.h.
#pragma once

#include <vector>

#include "reference/ops/relation.h"

namespace cts {

std::vector<Relation> Conv2dRelations();
std::vector<Relation> Conv3dRelations();
std::vector<Relation> DepthwiseConv2dRelations();
std::vector<Relation> TransposeConv2dRelations();
std::vector<Relation> AvgPool2dRelations();
std::vector<Relation> MaxPool2dRelations();

// Every pattern of ranks 1 to 4, of two operands `input1` and `input2`.
std::vector<Relation> BroadcastRelations();
// Those of SELECT's three operands: every pattern of ranks 1 and 2; of ranks 3 and 4 those of one
// dimension, with the others equal.
std::vector<Relation> SelectRelations();
// Every permutation of ranks 2 to 4; of ranks 5 and 6 every source axis in every place.
std::vector<Relation> TransposeRelations();
std::vector<Relation> ResizeRelations();

// The pattern of a broadcast, a letter for each dimension: which operands have 1 there. Two
// operands: `e` both have more, `l` the left has 1, `r` the right, `b` both. Empty if the ranks
// differ.
std::string BroadcastPattern(const Shape& left, const Shape& right);
// Of three operands, a digit for each dimension: bit k is set where operand k has 1.
std::string BroadcastPattern(const std::vector<Shape>& shapes);

}  // namespace cts

// The steps that make a case smaller, grouped by their source files.
#pragma once

#include <vector>

#include "reference/bundle/case.h"
#include "tools/program/shrink/search.h"

namespace cts {

// operator_edits.cc
void LeaveOutOperators(Search& search);
void LeaveOutExecutions(Search& search);

// dimension_edits.cc

// Crops every input and constant to the smallest box that contains all elements from which one
// wrong element was computed.
void CutOutElement(Search& search);
void CropDimensions(Search& search);
// Removes dimensions of size 1 from all tensors of the same rank.
void DropDimensions(Search& search);
// Returns variants of a case, each with another border of RESIZE. Returns only the unchanged case
// if all shapes of the case are legal, if the case has no RESIZE, or if it is an error case.
// Otherwise returns a variant for each legal border that makes the output 1 to 3 elements high and
// 1 to 3 elements wide, ordered by height, then by width.
std::vector<Case> BorderVariants(const Search& search, Case c);

// value_edits.cc
void SimplifyAttributes(Search& search);
void SimplifyValues(Search& search);

}  // namespace cts

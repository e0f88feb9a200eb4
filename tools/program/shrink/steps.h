// The steps by which a case gets smaller, by the source file that has them.
#pragma once

#include <vector>

#include "reference/bundle/case.h"
#include "tools/program/shrink/search.h"

namespace cts {

// operator_edits.cc
void LeaveOutOperators(Search& search);
void LeaveOutExecutions(Search& search);

// dimension_edits.cc
// The smallest boxes of inputs and constants with all elements from which one wrong element was
// computed.
void CutOutElement(Search& search);
void CropDimensions(Search& search);
// Removes dimensions of size 1 from all tensors of the same rank.
void DropDimensions(Search& search);
// The border of a RESIZE must fit. Tries the case unchanged, and if its border does not fit, with
// fitting borders, the smallest outputs first.
std::vector<Case> BorderVariants(const Search& search, Case c);

// value_edits.cc
void SimplifyAttributes(Search& search);
void SimplifyValues(Search& search);

}  // namespace cts

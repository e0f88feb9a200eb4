// Steps that make tensors smaller.
#pragma once

#include <vector>

#include "reference/bundle/case.h"
#include "tools/shrink/search.h"

namespace cts {

// The smallest boxes of inputs and constants that hold all elements that one wrong element was made
// of.
void CutOutElement(Search& search);
void CropDimensions(Search& search);
// Removes dimensions of size 1 from all tensors of the same rank.
void DropDimensions(Search& search);

// RESIZE wants its border to fit. Tries the case as it is, and if that does not fit, with other
// borders that do, the smallest outputs first.
std::vector<Case> BorderVariants(const Search& search, Case c);

}  // namespace cts

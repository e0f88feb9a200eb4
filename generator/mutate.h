// Random changes to a graph, most of which make it illegal.
#pragma once

#include "generator/data/random.h"
#include "generator/draft/case_draft.h"
#include "reference/spec/edition.h"

namespace cts {

// Changes at most one part of the graph of a case: a dimension, the rank or the type of a tensor,
// an attribute, or an element of a constant. A tensor whose shape or type changes is filled with
// zeros. The reference decides later whether the result is still legal.
void Mutate(Random& random, const Edition& edition, Assembly& assembly);

}  // namespace cts

// Finds, by a trace of the reference, the elements from which an element of a case was computed.
// Also finds the elements whose windows contain padding.
#pragma once

#include "checker/report/explain.h"

namespace cts {

// The origin of an element, for Explain. If the operator that computes the output is one of the
// edition's dot products, the origin also lists the terms of the sum.
ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset);

// Returns sets of the elements of an output, by the sides on which an element's window contains
// padding: one set for any side, one for each single side, and one for no side. TRANSPOSE_CONV2D
// reads its input with zeros inserted between the elements; only the positions outside of this
// widened input are padding. For this operator, one more set contains the elements whose windows
// contain no element of the input. Returns no set unless the output is that of a convolution or a
// pool, or elementwise operators compute it from such an output.
std::vector<NamedSet> WindowSetsOf(const Case& c, const ExpectedOutput& output);

// Says in words how an error case breaks its condition, as `tensor-cts eval` does. Returns the
// condition's paraphrase if the case does not break it, and an empty text if there is no condition.
std::string MeaningOf(const Case& c);

}  // namespace cts

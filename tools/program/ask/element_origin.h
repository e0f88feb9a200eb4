// Finds, by a trace of the reference, the elements from which an element of a case was computed.
// Also finds the elements whose windows contain padding.
#pragma once

#include "checker/report/explain.h"

namespace cts {

// The origin of an element, for Explain. If the operator that computes the output is one of the
// edition's dot products, the origin also lists the terms of the sum.
ElementOrigin OriginOf(const Case& c, const ExpectedOutput& output, int64_t offset);

// Returns sets of the elements of an output: the elements whose windows contain padding; for each
// side, those whose windows contain padding on that side; and those whose windows contain no
// padding. TRANSPOSE_CONV2D reads its input with zeros inserted between the elements; only the
// positions outside of this widened input are padding. For this operator, one more set contains the
// elements whose windows contain no element of the input. Returns sets only for an output of a
// convolution or a pool, and for an output that elementwise operators compute from such an output.
std::vector<NamedSet> WindowSetsOf(const Case& c, const ExpectedOutput& output);

// Says in words how an error case breaks its condition, as `tensor-cts eval` does. Returns the
// condition's paraphrase if the reference does not find that the case breaks it. Returns an empty
// text if the case names no condition.
std::string MeaningOf(const Case& c);

}  // namespace cts

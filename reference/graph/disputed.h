// A point on which the clauses of an edition disagree, so that no verdict may rest on it: a
// signalling NaN where NaN is ignored (schemas/editions/notes.md, Signalling NaNs).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "reference/base/dtype.h"
#include "reference/graph/graph.h"

namespace cts {

// The point, with both clauses.
inline constexpr std::string_view kSignallingNanPoint =
    "a signalling NaN where NaN is ignored: by Number Formats one NaN encoding at least has to be "
    "supported, which need not be this one; by nan_mode IGNORE the result is that of the elements "
    "that are no NaN";

// Whether the type has NaNs of both kinds, and may support one of them alone: fp16, bf16, fp32. Of
// the types of 8 bits every NaN encoding has to be supported.
bool HasSignallingNans(DType dtype);

// Whether the bits are a signalling NaN of such a type: the first bit of the fraction is 0 (IEEE
// 754-2008).
bool IsSignallingNan(DType dtype, uint64_t bits);

// Whether some operator of the graph has nan_mode IGNORE, and an operand of such a type.
bool IgnoresNan(const Graph& graph);

// Makes the signalling NaNs of the tensor quiet ones; sign and payload stay. True if there were
// any.
bool QuietNans(Tensor& tensor);

// The point if a graph that ignores NaN is given a signalling one: by an input of any execution, or
// by a constant. Empty: nothing is disputed. It need not be the tensor that the operator reads:
// what stands between may hand the NaN on.
std::string DisputeOf(const Graph& graph, const InputSequence& inputs);

// Whether the point of a disputed graph reaches this output of the main block: an operator that
// ignores NaN stands behind it, itself, in a graph that control flow runs, or maybe by way of a
// variable.
bool IsDisputed(const Graph& graph, std::string_view output);

}  // namespace cts

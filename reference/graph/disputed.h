// A point on which the clauses of an edition disagree, so that no verdict may rest on it: a
// signalling NaN where NaN is ignored (schemas/editions/notes.md, Signalling NaNs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
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

// Whether the type has NaNs of both kinds, and may support one of them alone: fp16, bf16, fp32. For
// types of 8 bits, every NaN encoding has to be supported.
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
// by a constant. Empty: nothing is disputed. The operator need not read that tensor itself:
// operators in between may hand the NaN on.
std::string DisputeOf(const Graph& graph, const InputSequence& inputs);

// The tensors of the main block that the point reaches in one execution. They stand behind an
// operator that ignores NaN, and a signalling NaN may reach that operator. The operator may be in a
// graph that control flow runs. A variable may hold a NaN of this execution or of one before.
std::set<std::string> DisputedTensors(const Graph& graph, const InputSequence& inputs,
                                      size_t execution);

}  // namespace cts

// Clauses of an edition disagree about the result if an operator ignores NaN and an operand has a
// signalling NaN. No verdict may depend on this disputed point (schemas/editions/notes.md,
// Signalling NaNs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "reference/base/dtype.h"
#include "reference/graph/graph.h"

namespace cts {

// Describes the disputed point and both clauses.
inline constexpr std::string_view kSignallingNanPoint =
    "a signalling NaN where NaN is ignored: by Number Formats one NaN encoding at least has to be "
    "supported, which need not be this one; by nan_mode IGNORE the result is that of the elements "
    "that are no NaN";

// True for fp16, bf16 and fp32: these types have quiet and signalling NaNs, and an implementation
// may support only one of the two kinds. An implementation must support every NaN encoding of an
// 8-bit type.
bool HasSignallingNans(DType dtype);

// Whether HasSignallingNans(dtype) is true and `bits` is a signalling NaN: a NaN whose first
// fraction bit is 0 (IEEE 754-2008).
bool IsSignallingNan(DType dtype, uint64_t bits);

// Whether an operator of the graph ignores NaN: it has nan_mode IGNORE, and an operand of a type
// for which HasSignallingNans is true.
bool IgnoresNan(const Graph& graph);

// Replaces each signalling NaN of the tensor by the quiet NaN with the same sign and payload.
// Returns whether the tensor had a signalling NaN.
bool QuietNans(Tensor& tensor);

// Returns kSignallingNanPoint if IgnoresNan(graph) is true, and an input of any execution or a
// constant has a signalling NaN. Otherwise returns an empty text. The operator that ignores NaN
// need not read this input or constant itself, since other operators may pass the NaN on.
std::string DisputeOf(const Graph& graph, const InputSequence& inputs);

// The tensors of the main block that may be disputed in execution number `execution`, counted from
// 0. A disputed tensor depends on an operator that ignores NaN and that a signalling NaN may reach.
// The operator may be in a graph that control flow runs. Every tensor that depends on a
// VARIABLE_READ is disputed, too, since the variable may have a disputed value of this execution or
// of an earlier one. The set is empty if IgnoresNan(graph) is false, or if neither a constant nor
// an input of this or an earlier execution has a signalling NaN.
std::set<std::string> DisputedTensors(const Graph& graph, const InputSequence& inputs,
                                      size_t execution);

}  // namespace cts

// The disputed point: clauses of an edition disagree about a signalling NaN where NaN is ignored,
// so no verdict may depend on it (schemas/editions/notes.md, Signalling NaNs).
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "reference/base/dtype.h"
#include "reference/graph/graph.h"

namespace cts {

// The disputed point in words, with both clauses.
inline constexpr std::string_view kSignallingNanPoint =
    "a signalling NaN where NaN is ignored: by Number Formats one NaN encoding at least has to be "
    "supported, which need not be this one; by nan_mode IGNORE the result is that of the elements "
    "that are no NaN";

// Whether the type has quiet and signalling NaNs, and an implementation may support only one of the
// two kinds: true for fp16, bf16 and fp32. For types of 8 bits, every NaN encoding must be
// supported.
bool HasSignallingNans(DType dtype);

// Whether the bits are a signalling NaN of such a type: a NaN whose first fraction bit is 0 (IEEE
// 754-2008).
bool IsSignallingNan(DType dtype, uint64_t bits);

// Whether some operator of the graph has nan_mode IGNORE and an operand of a type for which
// HasSignallingNans is true.
bool IgnoresNan(const Graph& graph);

// Replaces each signalling NaN of the tensor by the quiet NaN with the same sign and payload.
// Returns whether there was any.
bool QuietNans(Tensor& tensor);

// Returns kSignallingNanPoint if IgnoresNan(graph) and an input of any execution, or a constant,
// has a signalling NaN. Otherwise returns an empty text. The operator that ignores NaN need not
// read that tensor itself, since other operators may pass the NaN on.
std::string DisputeOf(const Graph& graph, const InputSequence& inputs);

// The tensors of the main block that are disputed in one execution. Such a tensor depends on an
// operator that ignores NaN, and a signalling NaN may reach this operator. The operator may be in a
// graph that control flow runs. A variable may hold a NaN of this execution or of an earlier one.
std::set<std::string> DisputedTensors(const Graph& graph, const InputSequence& inputs,
                                      size_t execution);

}  // namespace cts

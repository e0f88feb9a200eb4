// Text of MLIR's tosa dialect as a graph.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The longest text, and the bytes of all its constants: a splat is a short word for a large tensor.
inline constexpr uint64_t kMaxMlirText = uint64_t{1} << 30;
inline constexpr uint64_t kMaxMlirConstants = uint64_t{512} << 20;

// Reads one `func.func` and the `tosa.variable`s beside it, with or without `module`: what
// RenderMlir writes, and the same after mlir-opt of MLIR 22 has printed it in the dialect's own
// syntax. Tensors and regions have the names that stand there, or made-up ones where those are no
// names of ours or taken; variables lose the function's name where all have it. No values from
// around a region, no locations, no aliases, no dynamic shapes. What MLIR would refuse in types and
// values need not be refused here: the graph is judged later. Nobody vouches for the text; `origin`
// names it in messages, which have line and column. `renamed`, if not null, becomes the names of
// the tensors of the main block that have another one in the text: there, without %, -> in the
// graph.
StatusOr<Graph> ParseMlir(std::string_view text, const Edition& edition, std::string_view origin,
                          std::map<std::string, std::string>* renamed = nullptr);

}  // namespace cts

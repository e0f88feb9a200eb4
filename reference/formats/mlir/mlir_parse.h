// Text of MLIR's tosa dialect as a graph.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The longest text, and the most bytes of all its constants, since a splat is a short word for a
// large tensor.
inline constexpr uint64_t kMaxMlirText = uint64_t{1} << 30;
inline constexpr uint64_t kMaxMlirConstants = uint64_t{512} << 20;

// Reads one `func.func` and the `tosa.variable`s beside it, with or without `module`. It reads text
// of RenderMlir, and such text after mlir-opt of MLIR 22 has printed it in the dialect's own
// syntax. Tensors and regions keep their names; a name that is not valid in a graph, or is taken,
// is replaced by a made-up one. Variables lose the function's name if all have it. Values from
// around a region, locations, aliases and dynamic shapes are not supported. Types and values that
// MLIR would refuse need not be refused here, because the graph is judged later. The text is
// untrusted; `origin` names it in messages, which have line and column. `renamed`, if not null,
// receives the tensors of the main block whose names changed: name in the text, without % -> name
// in the graph.
StatusOr<Graph> ParseMlir(std::string_view text, const Edition& edition, std::string_view origin,
                          std::map<std::string, std::string>* renamed = nullptr);

}  // namespace cts

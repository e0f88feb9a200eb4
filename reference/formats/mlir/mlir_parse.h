// Reads text of MLIR's tosa dialect as a graph.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The limits for the bytes of a text and for the bytes of all its constants. The constants need a
// limit of their own, because a short splat can stand for a large tensor.
inline constexpr uint64_t kMaxMlirText = uint64_t{1} << 30;
inline constexpr uint64_t kMaxMlirConstants = uint64_t{512} << 20;

// Reads one `func.func` and the `tosa.variable`s beside it, with or without `module`. ParseMlir
// accepts the text that RenderMlir writes. It also accepts such text after mlir-opt of MLIR 22 has
// printed it in the dialect's own syntax. Tensors and regions keep their names; a name that is
// taken, or not valid in a graph, is replaced by a new one. If the names of all variables begin
// with the function's name and a dot, this prefix is removed. Locations, aliases, dynamic shapes,
// and values from outside of a region are not supported. ParseMlir may accept types and values that
// MLIR would refuse, because the graph is judged later. The text is untrusted; `origin` names the
// text in messages, which have line and column. `renamed`, if not null, gets the tensors of the
// main block whose names changed. It maps the name in the text, without %, to the name in the
// graph.
StatusOr<Graph> ParseMlir(std::string_view text, const Edition& edition, std::string_view origin,
                          std::map<std::string, std::string>* renamed = nullptr);

}  // namespace cts

// A graph as text of MLIR's tosa dialect, which is TOSA 1.0.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// One `func.func @<function_name>` with `llvm.emit_c_interface`: the main block's inputs are its
// arguments, its outputs the results. Illegal graphs are rendered, too: refusing them is the
// dialect's business. Unimplemented: the edition or something in the graph has no rendering.
// Invalid argument: the graph is not one, such as an operator whose tensor is not declared.
StatusOr<std::string> RenderMlir(const Graph& graph, const Edition& edition,
                                 std::string_view function_name);

}  // namespace cts

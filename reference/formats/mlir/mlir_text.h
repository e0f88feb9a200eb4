// Writes a graph as text of MLIR's tosa dialect, of MLIR 22 (TOSA 1.0) or of MLIR 19 (TOSA 0.100).
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The versions of MLIR with which the text was checked. mlir-opt of each version accepts every
// valid case of our suites, except those that tools/adapters/mlir/README.md lists.
inline constexpr std::string_view kMlirVersions[] = {"19", "22"};

// The version of MLIR whose dialect corresponds to the edition. For an edition that follows a TOSA
// edition, the result is the version for that TOSA edition. The result is empty if there is no such
// version.
std::string_view MlirVersionOf(const Edition& edition);

// Renders one `func.func @<function_name>` with `llvm.emit_c_interface`. The function's arguments
// are the main block's inputs, and its results are the outputs. The variables precede the function,
// as `@<function_name>.<variable>`. The variables belong to the module, so they keep their values
// from one call of the function to the next. Illegal graphs are rendered, too, if MLIR can express
// them; the dialect has to refuse them. Unimplemented if the edition or a part of the graph cannot
// be rendered. Many graphs cannot be expressed in MLIR 19, because zero points, shifts,
// permutations and shapes are attributes or constants in its dialect. Invalid argument if the graph
// is malformed, for example if an operator's tensor is not declared.
StatusOr<std::string> RenderMlir(const Graph& graph, const Edition& edition,
                                 std::string_view function_name);

}  // namespace cts

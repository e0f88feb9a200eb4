// A graph as text of MLIR's tosa dialect, of MLIR 22 (TOSA 1.0) or of MLIR 19 (TOSA 0.100).
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The versions of MLIR with which the text was checked. mlir-opt of each accepts every valid case
// of our suites, except those that tools/adapters/mlir/README.md lists.
inline constexpr std::string_view kMlirVersions[] = {"19", "22"};

// The version of MLIR whose dialect corresponds to the edition, or to the edition that it follows;
// empty if there is no such version.
std::string_view MlirVersionOf(const Edition& edition);

// Renders one `func.func @<function_name>` with `llvm.emit_c_interface`. The main block's inputs
// are its arguments, its outputs the results. The variables stand before it, as
// `@<function_name>.<variable>`. They belong to the module, so that successive calls are successive
// executions. Illegal graphs are rendered, too, as far as MLIR has words for the fault: the dialect
// has to refuse them. Unimplemented if the edition or something in the graph has no rendering. MLIR
// 19 lacks many forms, because zero points, shifts, permutations and shapes are attributes or
// constants there. Invalid argument if the graph is not one, such as an operator whose tensor is
// not declared.
StatusOr<std::string> RenderMlir(const Graph& graph, const Edition& edition,
                                 std::string_view function_name);

}  // namespace cts

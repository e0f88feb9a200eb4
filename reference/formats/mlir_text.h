// A graph as text of MLIR's tosa dialect: of MLIR 22, which is TOSA 1.0, or of MLIR 19, TOSA 0.100.
#pragma once

#include <string>
#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/graph.h"
#include "reference/spec/edition.h"

namespace cts {

// The versions of MLIR that its text was checked with: mlir-opt of each accepts every valid case of
// our suites, but for what tools/adapters/mlir/README.md lists.
inline constexpr std::string_view kMlirVersions[] = {"19", "22"};

// The version whose dialect is the edition, or the one that it follows; empty if none is.
std::string_view MlirVersionOf(const Edition& edition);

// One `func.func @<function_name>` with `llvm.emit_c_interface`: the main block's inputs are its
// arguments, its outputs the results. Before it the variables, `@<function_name>.<variable>`: they
// belong to the module, so that one call after the other is one execution after the other.
// Illegal graphs are rendered, too, as far as MLIR has words for what is wrong: refusing them is
// the dialect's business. Unimplemented: the edition or something in the graph has no rendering; in
// MLIR 19 much, as zero points, shifts, permutations and shapes are attributes or constants there.
// Invalid argument: the graph is not one, such as an operator whose tensor is not declared.
StatusOr<std::string> RenderMlir(const Graph& graph, const Edition& edition,
                                 std::string_view function_name);

}  // namespace cts

#include "reference/evaluate/check_program.h"

#include "reference/graph/structure.h"
#include "reference/graph/symbolic_structure.h"
#include "reference/graph/symbols.h"
#include "reference/ops/definition.h"
#include "reference/precision/precision.h"

namespace cts {

Status CheckProgram(const Graph& graph, const Edition& edition) {
  CTS_RETURN_IF_ERROR(CheckStructure(graph, edition));
  CTS_RETURN_IF_ERROR(PrecisionOf(edition).status());
  for (const Region& region : graph.regions) {
    const Block& block = region.blocks.front();
    for (size_t i = 0; i < block.operators.size(); ++i) {
      const GraphOperator& op = block.operators[i];
      if (IsSymbolic(op) || OperatorFor(*edition.FindOperator(op.op)) != nullptr) continue;
      return InvalidArgument("graph, ", Place(graph, block, i),
                             ": the reference does not have it yet");
    }
  }
  return IsSymbolic(graph) ? CheckSymbolicStructure(graph, edition) : absl::OkStatus();
}

Status CheckGiven(const Graph& graph, const ExecutionInputs& given) {
  CTS_RETURN_IF_ERROR(CheckInputs(graph, *given));
  if (IsSymbolic(graph) == (given.binding != nullptr)) {
    return given.binding == nullptr ? absl::OkStatus() : CheckBinding(graph, *given.binding);
  }
  if (given.binding == nullptr) return RequireStatic(graph);
  return InvalidArgument("graph: found a binding, expected none: it has no symbols");
}

}  // namespace cts

#include "generator/ops/side_by_side.h"

#include "reference/graph/graph.h"

namespace cts {
namespace {

// Takes inputs of the graph for the operands that equal one.
void ShareOperands(const Assembly& assembly, CaseDraft& draft) {
  for (auto& [argument, value] : draft.arguments) {
    auto* const operand = std::get_if<TensorArgument>(&value);
    if (operand == nullptr || operand->list || operand->constant || operand->tensors.empty()) {
      continue;
    }
    for (const auto& [name, input] : assembly.inputs) {
      if (!name.ends_with("_" + argument) || !(input == operand->tensors.front())) continue;
      *operand = {{}, false, false, {name}};
      break;
    }
  }
}

}  // namespace

CaseDraft SideBySide(const Setting& setting,
                     const std::vector<std::pair<std::string, CaseDraft>>& drafts) {
  Assembly assembly;
  assembly.graph = EmptyGraph();
  Block& block = assembly.graph.main();
  CaseDraft all;
  for (auto [name, draft] : drafts) {
    ShareOperands(assembly, draft);
    all.failure = AppendOperator(setting, draft, name + "_", assembly, block);
    if (!all.failure.ok()) return all;
    const std::vector<std::string>& results = block.operators.back().outputs;
    block.outputs.insert(block.outputs.end(), results.begin(), results.end());
  }
  all.whole = std::move(assembly);
  return all;
}

}  // namespace cts

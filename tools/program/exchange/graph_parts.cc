#include "tools/program/exchange/graph_parts.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>
#include <vector>

namespace cts {

bool IsVariableOperator(const GraphOperator& op) {
  return op.op == "VARIABLE" || op.op == "VARIABLE_READ" || op.op == "VARIABLE_WRITE";
}

Graph DownTo(const Graph& graph, const std::string& output) {
  Graph part = graph;
  Block& block = part.main();
  std::set<std::string> wanted = {output};
  std::vector<GraphOperator> needed;
  for (auto op = block.operators.rbegin(); op != block.operators.rend(); ++op) {
    const bool makes = std::any_of(op->outputs.begin(), op->outputs.end(),
                                   [&](const std::string& name) { return wanted.contains(name); });
    if (!makes && op->op != "VARIABLE") continue;
    wanted.insert(op->inputs.begin(), op->inputs.end());
    needed.push_back(std::move(*op));
  }
  block.operators.assign(std::make_move_iterator(needed.rbegin()),
                         std::make_move_iterator(needed.rend()));
  block.outputs = {output};
  std::erase_if(block.inputs, [&](const std::string& name) { return !wanted.contains(name); });
  return part;
}

Graph TakeOut(const Graph& graph, const GraphOperator& op) {
  Graph alone = EmptyGraph();
  // The graphs of control flow.
  alone.regions.insert(alone.regions.end(), graph.regions.begin() + 1, graph.regions.end());
  alone.regions.front().name = graph.regions.front().name;
  const Block& from = graph.main();
  Block& to = alone.main();
  to.name = from.name;
  std::set<std::string> seen;
  for (const std::string& name : op.inputs) {
    if (!seen.insert(name).second) continue;
    to.tensors.push_back(*from.Find(name));
    if (to.tensors.back().values == nullptr) {
      to.inputs.push_back(name);
      continue;
    }
    for (const GraphOperator& maker : from.operators) {
      if (IsConstant(maker) && maker.outputs == std::vector<std::string>{name}) {
        to.operators.push_back(maker);
      }
    }
  }
  for (const std::string& name : op.outputs) {
    to.tensors.push_back(*from.Find(name));
    to.outputs.push_back(name);
  }
  to.operators.push_back(op);
  return alone;
}

void GiveOutputsTensors(Graph* graph) {
  Block& block = graph->main();
  std::set<std::string> taken, ends(block.inputs.begin(), block.inputs.end());
  for (const Region& region : graph->regions) {
    for (const Block& each : region.blocks) {
      for (const GraphTensor& tensor : each.tensors) taken.insert(tensor.name);
    }
  }
  for (std::string& output : block.outputs) {
    if (ends.insert(output).second) continue;
    const GraphTensor* const source = block.Find(output);
    if (source == nullptr) continue;
    GraphTensor own{StrCat(output.substr(0, 90), "_out"), source->dtype, source->shape, nullptr};
    while (!taken.insert(own.name).second) own.name += "_";
    block.operators.push_back({"IDENTITY", {output}, {own.name}, {}});
    output = own.name;
    block.tensors.push_back(std::move(own));
  }
}

}  // namespace cts

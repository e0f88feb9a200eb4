// Faults of COND_IF, WHILE_LOOP: other graphs are executed.
#include <algorithm>

#include "reference/faults/fault.h"

namespace cts::control_flow_faults {
namespace {

// Calls `change` with every operator of a name and its block. Operators that `change` adds are not
// visited.
std::function<void(Graph&)> AtEach(
    const std::string& op, const std::function<void(Graph&, Block&, size_t position)>& change) {
  return [=](Graph& graph) {
    const size_t regions = graph.regions.size();
    for (size_t r = 0; r < regions; ++r) {
      for (size_t i = graph.regions[r].blocks.front().operators.size(); i-- > 0;) {
        Block& block = graph.regions[r].blocks.front();
        if (block.operators[i].op == op) change(graph, block, i);
      }
    }
  };
}

std::function<void(Graph&)> InEach(const std::string& op,
                                   std::function<void(GraphOperator&)> change) {
  return AtEach(op, [change = std::move(change)](Graph&, Block& block, size_t position) {
    change(block.operators[position]);
  });
}

// Another tensor of the same type and shape; its name.
std::string Another(Block& block, const std::string& tensor, const std::string& suffix) {
  GraphTensor other = *block.Find(tensor);
  other.name += suffix;
  other.values = nullptr;
  block.tensors.push_back(other);
  return other.name;
}

// Adds an operator that runs a graph once.
void RunOnce(Block& block, size_t position, const std::string& graph,
             std::vector<std::string> inputs, std::vector<std::string> outputs) {
  const std::string always = StrCat("always", block.tensors.size(), "_", block.name);
  block.tensors.push_back({always,
                           DType::kBool,
                           {1},
                           std::make_shared<Tensor>(Tensor::OfIntegers(DType::kBool, {1}, {1}))});
  inputs.insert(inputs.begin(), always);
  GraphOperator run{"COND_IF",
                    std::move(inputs),
                    std::move(outputs),
                    {{"then_graph", graph}, {"else_graph", graph}}};
  const auto at = block.operators.begin() + static_cast<int64_t>(position);
  block.operators.insert(block.operators.insert(at, std::move(run)),
                         GraphOperator{"CONST", {}, {always}, {}});
}

const std::string& GraphOf(const GraphOperator& op, const char* attribute) {
  return std::get<std::string>(op.attributes.at(attribute));
}

Block& BlockOf(Graph& graph, const std::string& region) {
  for (Region& known : graph.regions) {
    if (known.name == region) return known.blocks.front();
  }
  return graph.main();
}

// The names of the tensors of a list, each replaced by another of the same kind.
std::vector<std::string> Others(Block& block, const std::vector<std::string>& names,
                                const std::string& suffix) {
  std::vector<std::string> others;
  for (size_t k = 0; k < names.size(); ++k) {
    others.push_back(Another(block, names[k], StrCat("_", suffix, k)));
  }
  return others;
}

// Exchanges the first two tensors of a list that are of one kind.
void SwapTwo(const Block& block, std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t j = i + 1; j < names.size(); ++j) {
      const GraphTensor &a = *block.Find(names[i]), &b = *block.Find(names[j]);
      if (names[i] == names[j] || a.dtype != b.dtype || a.shape != b.shape) continue;
      std::swap(names[i], names[j]);
      return;
    }
  }
}

// Nests one less deep than it may.
Fault RefusesGreatestNesting(const std::string& op, const std::string& prefix) {
  return {.id = prefix + "refuses_greatest_nesting",
          .op = op,
          .source = FaultSource::kReported,
          .sentence = "refuses to stand within as many others as the level allows",
          .clause = StrCat(op, ", ", prefix, "nesting"),
          .report = "llvm/llvm-project#136194",
          .does = [](const Call& call) {
            return call.nesting() + 1 >= call.level().Max("MAX_NESTING");
          }};
}

Faults Rewritten(
    const std::string& op, const std::string& prefix, const std::string& clause,
    const std::vector<std::tuple<const char*, const char*, std::function<void(Graph&)>>>&
        rewrites) {
  Faults faults;
  for (const auto& [id, sentence, rewrite] : rewrites) {
    faults.push_back(
        {.id = prefix + id, .op = op, .sentence = sentence, .clause = clause, .does = rewrite});
  }
  return faults;
}

}  // namespace

Faults CondIfFaults() {
  const auto graphs = [](const char* then_graph, const char* else_graph) {
    return InEach("COND_IF", [=](GraphOperator& op) {
      const std::string taken = GraphOf(op, then_graph), other = GraphOf(op, else_graph);
      op.attributes["then_graph"] = taken;
      op.attributes["else_graph"] = other;
    });
  };
  Faults faults = Rewritten(
      "COND_IF", "cond_if.", "COND_IF, which graph is executed, over what",
      {{"swaps_graphs", "takes then_graph for else_graph", graphs("else_graph", "then_graph")},
       {"always_then", "executes then_graph, whatever the condition is",
        graphs("then_graph", "then_graph")},
       {"always_else", "executes else_graph, whatever the condition is",
        graphs("else_graph", "else_graph")},
       {"swaps_inputs", "hands two inputs on in each other's place",
        AtEach("COND_IF",
               [](Graph&, Block& block, size_t position) {
                 std::vector<std::string>& inputs = block.operators[position].inputs;
                 std::vector<std::string> list(inputs.begin() + 1, inputs.end());
                 SwapTwo(block, list);
                 std::copy(list.begin(), list.end(), inputs.begin() + 1);
               })},
       {"swaps_outputs", "returns two outputs in each other's place",
        AtEach("COND_IF",
               [](Graph&, Block& block, size_t position) {
                 SwapTwo(block, block.operators[position].outputs);
               })},
       {"repeats_the_first_input", "hands the first input on for every one of its kind",
        AtEach("COND_IF",
               [](Graph&, Block& block, size_t position) {
                 std::vector<std::string>& inputs = block.operators[position].inputs;
                 for (size_t k = 2; k < inputs.size(); ++k) {
                   const GraphTensor &first = *block.Find(inputs[1]),
                                     &other = *block.Find(inputs[k]);
                   if (first.dtype == other.dtype && first.shape == other.shape) {
                     inputs[k] = inputs[1];
                   }
                 }
               })},
       {"returns_an_input", "returns its input where the graph's result is of the same kind",
        AtEach("COND_IF", [](Graph& graph, Block& block, size_t position) {
          for (const char* attribute : {"then_graph", "else_graph"}) {
            Block& taken = BlockOf(graph, GraphOf(block.operators[position], attribute));
            for (size_t k = 0; k < taken.outputs.size() && k < taken.inputs.size(); ++k) {
              const GraphTensor &in = *taken.Find(taken.inputs[k]),
                                &out = *taken.Find(taken.outputs[k]);
              if (in.dtype == out.dtype && in.shape == out.shape) taken.outputs[k] = in.name;
            }
          }
        })}});
  faults.push_back(RefusesGreatestNesting("COND_IF", "cond_if."));
  return faults;
}

Faults WhileLoopFaults() {
  const auto with = [](void (*change)(Graph&, Block&, size_t)) {
    return AtEach("WHILE_LOOP", change);
  };
  Faults faults = Rewritten(
      "WHILE_LOOP", "while_loop.", "WHILE_LOOP, when the body is executed, over what",
      {{"once_more", "executes the body once more after the condition has become false",
        with([](Graph&, Block& block, size_t position) {
          GraphOperator& loop = block.operators[position];
          const std::vector<std::string> outputs = loop.outputs;
          const std::string body = GraphOf(loop, "body_graph");
          const std::vector<std::string> before = Others(block, outputs, "before");
          block.operators[position].outputs = before;
          RunOnce(block, position + 1, body, before, outputs);
        })},
       {"body_first", "executes the body before the condition is asked for the first time",
        with([](Graph&, Block& block, size_t position) {
          const std::vector<std::string> inputs = block.operators[position].inputs;
          const std::string body = GraphOf(block.operators[position], "body_graph");
          const std::vector<std::string> after = Others(block, inputs, "after");
          block.operators[position].inputs = after;
          RunOnce(block, position, body, inputs, after);
        })},
       {"once_less", "asks the condition about what the body would yield",
        with([](Graph& graph, Block& block, size_t position) {
          GraphOperator& loop = block.operators[position];
          const std::string cond = GraphOf(loop, "cond_graph"), body = GraphOf(loop, "body_graph");
          Block ahead;
          ahead.name = cond + "_ahead";
          loop.attributes["cond_graph"] = ahead.name;
          const Block& given = BlockOf(graph, body);
          for (const std::string& input : given.inputs) {
            GraphTensor tensor = *given.Find(input);
            tensor.name += "_ahead";
            ahead.inputs.push_back(tensor.name);
            ahead.tensors.push_back(std::move(tensor));
          }
          const Block& asked = BlockOf(graph, cond);
          GraphTensor result = *asked.Find(asked.outputs[0]);
          result.name += "_ahead";
          result.values = nullptr;
          ahead.outputs.push_back(result.name);
          ahead.tensors.push_back(std::move(result));
          const std::vector<std::string> next = Others(ahead, ahead.inputs, "next");
          RunOnce(ahead, 0, cond, next, ahead.outputs);
          RunOnce(ahead, 0, body, ahead.inputs, next);
          graph.regions.push_back({ahead.name, {std::move(ahead)}});
        })},
       {"once", "executes the body once, whatever the condition is",
        with([](Graph&, Block& block, size_t position) {
          const GraphOperator loop = block.operators[position];
          block.operators.erase(block.operators.begin() + static_cast<int64_t>(position));
          RunOnce(block, position, GraphOf(loop, "body_graph"), loop.inputs, loop.outputs);
        })},
       {"never", "returns its inputs", with([](Graph&, Block& block, size_t position) {
          const GraphOperator loop = block.operators[position];
          const auto at = block.operators.begin() + static_cast<int64_t>(position);
          std::vector<GraphOperator> moves;
          for (size_t k = 0; k < loop.outputs.size(); ++k) {
            moves.push_back({"IDENTITY", {loop.inputs[k]}, {loop.outputs[k]}, {}});
          }
          block.operators.insert(block.operators.erase(at), moves.begin(), moves.end());
        })},
       {"inverts_the_condition", "goes on as long as the condition is false",
        with([](Graph& graph, Block& block, size_t position) {
          Block& cond = BlockOf(graph, GraphOf(block.operators[position], "cond_graph"));
          const std::string result = cond.outputs[0];
          cond.outputs[0] = Another(cond, result, "_inverted");
          cond.operators.push_back({"LOGICAL_NOT", {result}, {cond.outputs[0]}, {}});
        })},
       {"swaps_inputs", "hands two inputs on in each other's place",
        with([](Graph&, Block& block, size_t position) {
          SwapTwo(block, block.operators[position].inputs);
        })},
       {"swaps_outputs", "returns two outputs in each other's place",
        with([](Graph&, Block& block, size_t position) {
          SwapTwo(block, block.operators[position].outputs);
        })},
       {"swaps_between_iterations", "hands two results of the body on in each other's place",
        with([](Graph& graph, Block& block, size_t position) {
          Block& body = BlockOf(graph, GraphOf(block.operators[position], "body_graph"));
          SwapTwo(body, body.outputs);
        })},
       {"forgets_the_last_result", "goes on from the last input, not from what the body made of it",
        with([](Graph& graph, Block& block, size_t position) {
          Block& body = BlockOf(graph, GraphOf(block.operators[position], "body_graph"));
          body.outputs.back() = body.inputs.back();
        })}});
  faults.push_back(RefusesGreatestNesting("WHILE_LOOP", "while_loop."));
  return faults;
}

}  // namespace cts::control_flow_faults

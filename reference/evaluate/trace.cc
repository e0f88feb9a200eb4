#include "reference/evaluate/trace.h"

#include <algorithm>
#include <utility>

#include "reference/base/plain_arithmetic.h"
#include "reference/evaluate/check_program.h"
#include "reference/evaluate/execution.h"
#include "reference/machine/native_machine.h"
#include "reference/ops/computation.h"

namespace cts {
namespace {

// The embedded implementation, watched where it computes one element.
class TracingMachine : public NativeMachine {
 public:
  TracingMachine(std::string output, int64_t offset)
      : wanted_({std::move(output)}), offset_(offset) {}

  StatusOr<std::string_view> Compute(const Operator& op, const Call& call, Frame& frame) override {
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kOutput) continue;
      if (argument.tensors[0]->name == wanted_.back()) Watch(op, call, argument);
    }
    return NativeMachine::Compute(op, call, frame);
  }

  // Inside a graph that yields the output, trace the operator that yields it there. In a loop the
  // last time counts.
  void Enter(const std::vector<std::string>& outputs, const Block& graph) override {
    const auto found = std::find(outputs.begin(), outputs.end(), wanted_.back());
    const auto k = static_cast<size_t>(found - outputs.begin());
    wanted_.push_back(found == outputs.end() ? "" : graph.outputs[k]);
  }
  void Leave() override { wanted_.pop_back(); }

  // Elements of later executions, instead of those found so far.
  void Forget() { elements_.clear(); }
  const std::vector<ReadElement>& elements() const { return elements_; }

 private:
  void Watch(const Operator& op, const Call& call, const Argument& output) {
    elements_.clear();
    Computation trace(call, ComputationKind::kTrace);
    trace.set_traced(output.spec->name, output.SeenOffset(output.tensors[0]->shape, offset_));
    op.compute(call, trace);
    for (const TracedLoad& load : trace.loads()) {
      ReadElement element = ReadOf(call, trace, load);
      if (!element.tensor.empty()) elements_.push_back(std::move(element));
    }
  }

  std::vector<std::string> wanted_;  // the tensor to watch, in the block that runs; "": none
  const int64_t offset_;
  std::vector<ReadElement> elements_;
};

}  // namespace

StatusOr<std::vector<ReadElement>> TraceSequence(const Graph& graph, const InputSequence& inputs,
                                                 const Edition& edition, const Level& level,
                                                 std::string_view output, int64_t offset) {
  const PlainArithmetic plain;
  CTS_RETURN_IF_ERROR(CheckProgram(graph, edition));
  Variables variables;
  TracingMachine machine(std::string(output), offset);
  for (const ExecutionInputs& given : inputs) {
    CTS_RETURN_IF_ERROR(CheckGiven(graph, given));
    machine.Forget();
    Execution execution(graph, edition, level, variables, machine);
    CTS_RETURN_IF_ERROR(execution.Run(given));
  }
  return machine.elements();
}

}  // namespace cts

#include "reference/evaluate/native.h"

#include <memory>
#include <utility>

#include "reference/base/plain_arithmetic.h"
#include "reference/evaluate/check_call.h"
#include "reference/evaluate/check_program.h"
#include "reference/evaluate/execution.h"
#include "reference/machine/native_machine.h"

namespace cts {

StatusOr<NativeResult> ExecuteNative(const Graph& graph,
                                     const std::map<std::string, Tensor>& inputs,
                                     const Edition& edition, const Level& level) {
  CTS_ASSIGN_OR_RETURN(std::vector<NativeResult> results,
                       ExecuteNativeSequence(graph, {&inputs}, edition, level));
  return std::move(results.front());
}

StatusOr<std::vector<NativeResult>> ExecuteNativeSequence(const Graph& graph,
                                                          const InputSequence& inputs,
                                                          const Edition& edition,
                                                          const Level& level,
                                                          const Departure* departure) {
  const PlainArithmetic plain;
  CTS_RETURN_IF_ERROR(CheckProgram(graph, edition));
  std::vector<NativeResult> results;
  Variables variables;
  for (const ExecutionInputs& given : inputs) {
    CTS_RETURN_IF_ERROR(CheckGiven(graph, given));
    NativeMachine machine(departure);
    Execution execution(graph, edition, level, variables, machine);
    CTS_RETURN_IF_ERROR(execution.Run(given));
    NativeResult& result = results.emplace_back();
    if (!execution.unsupported().empty() && execution.violations().empty()) {
      result.outcome = Outcome::kUnsupported;
      result.message = execution.unsupported();
      return results;
    }
    result.outcome = OutcomeOf(execution.violations(), edition);
    if (result.outcome != Outcome::kValid) {
      const Violation& first = execution.violations().front();
      result.message = StrCat(first.op, ": ", first.condition, ": ", first.message);
      return results;
    }
    for (const std::string& name : graph.main().outputs) {
      CTS_ASSIGN_OR_RETURN(const std::shared_ptr<const Tensor> value, execution.Output(name));
      result.outputs.emplace(name, *value);
    }
  }
  return results;
}

}  // namespace cts

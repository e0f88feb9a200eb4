#include "reference/machine/native_machine.h"

#include <memory>
#include <optional>
#include <string>

#include "reference/ops/computation.h"

namespace cts {
namespace {

void Hand(const Call& call, const OperatorOutputs& results, Frame& frame) {
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    const std::shared_ptr<Tensor>& result = results.at(argument.spec->name);
    frame.values[argument.tensors[0]->name] =
        argument.view_axes.empty() ? result : std::make_shared<Tensor>(argument.Given(*result));
  }
}

}  // namespace

StatusOr<std::string_view> NativeMachine::Compute(const Operator& op, const Call& call,
                                                  Frame& frame) {
  if (departure_ != nullptr) {
    if (const std::optional<OperatorOutputs> results = departure_->Compute(op, call)) {
      Hand(call, *results, frame);
      return "";
    }
  }
  Computation computation(call, ComputationKind::kNative);
  op.compute(call, computation);
  Hand(call, computation.outputs(), frame);
  return computation.broken();
}

}  // namespace cts

#include "reference/ops/computation.h"

#include <cmath>

#include "reference/base/contains.h"

namespace cts {

bool Computation::IsFloating() const {
  for (const Argument& argument : call_.arguments()) {
    for (const GraphTensor* tensor : argument.tensors) {
      if (IsFloat(tensor->dtype)) return true;
    }
  }
  return false;
}

DType Computation::StoredType(std::string_view output) const {
  const DType dtype = call_.dtype(output);
  const bool native = kind_ == ComputationKind::kNative || kind_ == ComputationKind::kFaulty;
  return IsFloat(dtype) && !native ? DType::kFp64 : dtype;
}

Operand Computation::Read(std::string_view argument, int k) const {
  Operand operand{.tensor = call_.values(argument, k).get()};
  const DType dtype = operand.tensor->dtype();
  operand.flush = flush_ && Info(dtype).may_flush;
  if (kind_ == ComputationKind::kBound && IsFloat(dtype)) {
    operand.magnitude = true;
    operand.at_least = raise_to_;
  }
  return operand;
}

const Operand& Computation::In(std::string_view argument, int k) {
  std::unique_ptr<Operand>& slot = operands_[{std::string(argument), k}];
  if (slot != nullptr) return *slot;
  slot = std::make_unique<Operand>(Read(argument, k));
  slot->id = static_cast<int>(names_.size());
  names_.emplace_back(argument, k);

  if (slot->magnitude && Contains(uniform_, argument)) {
    // apply_max_s propagates a NaN, and so does the maximum over all elements.
    double greatest = 0;
    for (const std::string& name : uniform_) {
      const Operand operand = Read(name, 0);
      for (int64_t i = 0; i < operand.tensor->size(); ++i) {
        const double x = operand.Element(i);
        if (std::isnan(x) || x > greatest) greatest = x;  // nothing exceeds a NaN
      }
    }
    slot->uniform = greatest;
  }
  return *slot;
}

bool Computation::RunMoved(std::string_view output, const std::function<bool(Mover&)>& move) {
  if (kind_ != ComputationKind::kReference && kind_ != ComputationKind::kNative) return false;
  auto out = std::make_shared<Tensor>(StoredType(output), call_.shape(output));
  Mover mover(*out);
  if (!move(mover)) return false;
  outputs_[std::string(output)] = std::move(out);
  return true;
}

}  // namespace cts

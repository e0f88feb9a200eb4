#include "reference/ops/computation.h"

#include <algorithm>
#include <cmath>

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
  return IsFloat(dtype) && kind_ != ComputationKind::kNative ? DType::kFp64 : dtype;
}

std::vector<double> Computation::Floats(std::string_view argument, int k) const {
  const Tensor& values = *call_.values(argument, k);
  const DType dtype = values.dtype();
  std::vector<double> floats = values.Floats();
  for (double& x : floats) {
    if (flush_ && Info(dtype).may_flush && IsSubnormal(dtype, x)) x = std::copysign(0.0, x);
    if (kind_ != ComputationKind::kBound) continue;
    x = std::fabs(x);
    if (!std::isnan(x)) x = std::max(x, raise_to_);
  }
  return floats;
}

const Operand& Computation::In(std::string_view argument, int k) {
  std::unique_ptr<Operand>& slot = operands_[{std::string(argument), k}];
  if (slot != nullptr) return *slot;
  slot = std::make_unique<Operand>();
  slot->id = static_cast<int>(names_.size());
  names_.emplace_back(argument, k);

  const Tensor& values = *call_.values(argument, k);
  if (!IsFloat(values.dtype())) {
    slot->integers = values.Integers();
    return *slot;
  }
  slot->floats = Floats(argument, k);
  if (kind_ == ComputationKind::kBound &&
      std::find(uniform_.begin(), uniform_.end(), argument) != uniform_.end()) {
    // apply_max_s propagates a NaN, and so does the maximum over all elements.
    double greatest = 0;
    for (const std::string& name : uniform_) {
      for (double x : Floats(name, 0)) {
        if (std::isnan(x) || x > greatest) greatest = x;  // nothing exceeds a NaN
      }
    }
    std::fill(slot->floats.begin(), slot->floats.end(), greatest);
  }
  return *slot;
}

}  // namespace cts

// Computes operators like the embedded implementation `builtin:native`, except for the differences
// of a departure (departure.h).
#pragma once

#include <string_view>

#include "reference/base/status.h"
#include "reference/graph/call.h"
#include "reference/machine/departure.h"
#include "reference/machine/operator_machine.h"
#include "reference/ops/operator.h"

namespace cts {

class NativeMachine : public OperatorMachine {
 public:
  explicit NativeMachine(const Departure* departure = nullptr) : departure_(departure) {}

  const Departure* departure() const override { return departure_; }
  StatusOr<std::string_view> Compute(const Operator& op, const Call& call, Frame& frame) override;

 private:
  const Departure* departure_;
};

}  // namespace cts

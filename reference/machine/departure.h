// The differences of a wrong implementation from `builtin:native`.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/ops/operator.h"

namespace cts {

// The outputs that an operator computed, by the name of the output argument.
using OperatorOutputs = std::map<std::string, std::shared_ptr<Tensor>>;

// An implementation that departs from `builtin:native`. The departures are in reference/faults.
class Departure {
 public:
  virtual ~Departure() = default;
  // Whether the implementation finds that the call breaks the condition; `broken` says whether the
  // call really breaks it. If the implementation finds nothing wrong with a call that breaks a
  // condition, the graph ends at this call with kUnpredictable.
  virtual bool Sees(std::string_view condition, const Call& call, bool broken) const {
    return (void)condition, (void)call, broken;
  }
  // Whether the implementation refuses this call, which breaks no condition.
  virtual bool Refuses(const Call& call) const { return (void)call, false; }
  // The wrong outputs; nullopt if the outputs are those of `builtin:native`.
  virtual std::optional<OperatorOutputs> Compute(const Operator& op, const Call& call) const {
    return (void)op, (void)call, std::nullopt;
  }
};

}  // namespace cts

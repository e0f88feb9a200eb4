// Departures: the differences between a deliberately wrong implementation and the embedded
// implementation `builtin:native`.
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

// The outputs of an operator. The key is the name of the output argument.
using OperatorOutputs = std::map<std::string, std::shared_ptr<Tensor>>;

// An implementation that differs from `builtin:native`. reference/faults contains the derived
// classes.
class Departure {
 public:
  virtual ~Departure() = default;
  // Whether the implementation finds that the call breaks the condition. `broken` says whether the
  // call really breaks the condition. If a call breaks a condition and the implementation finds no
  // broken condition, the graph ends at this call with the outcome kUnpredictable.
  virtual bool Sees(std::string_view condition, const Call& call, bool broken) const {
    return (void)condition, (void)call, broken;
  }
  // Whether the implementation refuses a call although the call breaks no condition.
  virtual bool Refuses(const Call& call) const { return (void)call, false; }
  // Returns the wrong outputs of the call; nullopt if the outputs are those of `builtin:native`.
  virtual std::optional<OperatorOutputs> Compute(const Operator& op, const Call& call) const {
    return (void)op, (void)call, std::nullopt;
  }
};

}  // namespace cts

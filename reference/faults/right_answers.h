// What `builtin:native` answers, computed once for all implementations that are asked the same.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "reference/evaluate/departure.h"
#include "reference/graph/call.h"
#include "reference/ops/operator.h"

namespace cts {

// While one lives, ComputeRight, and the operators from which a faulty or legal implementation does
// not depart, are computed once on its thread for every call. Whoever runs many implementations
// over one case makes one for that case. Calls are the same if the operator, the attributes and
// every element of the operands are.
class RightAnswers {
 public:
  RightAnswers();
  ~RightAnswers();
  RightAnswers(const RightAnswers&) = delete;
  RightAnswers& operator=(const RightAnswers&) = delete;

  // The one that was made last on this thread; null: none.
  static RightAnswers* OfThread();

  struct Answer {
    OperatorOutputs outputs;  // not to be changed
    bool broken = false;      // a REQUIRE did not hold
  };
  std::shared_ptr<const Answer> Of(const Operator& op, const Call& call);

 private:
  struct Known;

  RightAnswers* const before_;
  std::vector<std::unique_ptr<Known>> known_;
  size_t bytes_ = 0;
};

// Computes the operator as `builtin:native` does.
RightAnswers::Answer ComputeNative(const Operator& op, const Call& call);

// The outputs that this thread knows or can learn of a call that an implementation computes as
// `builtin:native` does. Nothing if it remembers none, or if a REQUIRE does not hold.
std::optional<OperatorOutputs> RememberedAnswer(const Operator& op, const Call& call);

}  // namespace cts

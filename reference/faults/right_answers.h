// The answers of `builtin:native`, computed once for all implementations that get the same call.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "reference/graph/call.h"
#include "reference/machine/departure.h"
#include "reference/ops/operator.h"

namespace cts {

// While an object of this class exists, the thread that made it computes each call only once, up to
// a limit of calls and of memory. This applies to ComputeRight, and to operators that a faulty or
// legal implementation computes like `builtin:native`. Code that runs many implementations over one
// case makes one object for that case. Two calls are the same if they agree in edition, level,
// operator, attributes, types, shapes and every element of the operands.
class RightAnswers {
 public:
  RightAnswers();
  ~RightAnswers();
  RightAnswers(const RightAnswers&) = delete;
  RightAnswers& operator=(const RightAnswers&) = delete;

  // The newest of the objects that the calling thread made and that still exist; null if there is
  // no such object.
  static RightAnswers* OfThread();

  struct Answer {
    OperatorOutputs outputs;  // must not be changed
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

// The outputs of a call that an implementation computes like `builtin:native`, remembered if
// possible. nullopt if this thread has no RightAnswers object, or if a REQUIRE does not hold.
std::optional<OperatorOutputs> RememberedAnswer(const Operator& op, const Call& call);

}  // namespace cts

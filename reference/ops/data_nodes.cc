// CONST and IDENTITY (section Data Nodes).
#include <cassert>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {

OperatorFacts ConstFacts() {
  return {.infer = InferOfValues, .keeping = Keeping::kSilent, .role = GraphRole::kConstant};
}

Conditions ConstConditions() { return {}; }

void ComputeConst(const Call&, Computation&) {
  assert(false && "a constant's values stand with its tensor; nothing is computed");
}

OperatorFacts IdentityFacts() {
  return {.infer = InferAsInput,
          .keeping = Keeping::kSilent,
          .dimensions = ElementwiseDimensions,
          .moves = Moves::kEach};
}

Conditions IdentityConditions() { return {}; }

void ComputeIdentity(const Call&, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  computation.ForEachMoved(
      "output", [&](Mover& mover) { return mover.CopyAll(input1); },
      [&](auto& a, int64_t i) { return a.Load(input1, i); });
}

}  // namespace cts

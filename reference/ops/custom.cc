// CUSTOM (section Custom Operators): only an implementation knows what it does.
#include <cassert>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Only an implementation knows.
StatusOr<Shapes> InferCustom(const Call& c) {
  return Undetermined(c, "it is what an implementation makes of it");
}

}  // namespace

OperatorFacts CustomFacts() {
  return {.infer = InferCustom,
          .keeping = Keeping::kSilent,
          .role = GraphRole::kCustom,
          .reads_values = false};
}

Conditions CustomConditions() { return {}; }

void ComputeCustom(const Call&, Computation&) { assert(false && "only its maker can"); }

}  // namespace cts

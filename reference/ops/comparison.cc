// EQUAL, GREATER and GREATER_EQUAL (section Comparison Operators).
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// `holds(a, x, y)` for every pair of numbers; false beside a NaN. Zeros of either sign are equal.
template <class Holds>
void Compare(const Call& call, Computation& computation, Holds holds) {
  ForEachPair(call, computation, [holds](auto& a, auto x, auto y) -> int64_t {
    return !a.IsNan(x) && !a.IsNan(y) && holds(a, x, y);
  });
}

// Adds what all operators of this file have in common.
OperatorFacts ComparisonFacts(OperatorFacts facts) {
  facts.infer = InferBroadcast;
  facts.keeping = Keeping::kTells;
  facts.dimensions = ElementwiseDimensions;
  facts.alone_with_symbols = true;
  return facts;
}

}  // namespace

OperatorFacts EqualFacts() {
  return ComparisonFacts({.relations = BroadcastOrSameFloatsRelations, .commutes = true});
}

Conditions EqualConditions() { return {CTS_BROADCAST_CONDITIONS("equal")}; }

void ComputeEqual(const Call& call, Computation& computation) {
  Compare(call, computation,
          [](auto& a, auto x, auto y) { return !a.Less(x, y) && !a.Less(y, x); });
}

OperatorFacts GreaterFacts() { return ComparisonFacts({.relations = BroadcastRelations}); }

Conditions GreaterConditions() { return {CTS_BROADCAST_CONDITIONS("greater")}; }

void ComputeGreater(const Call& call, Computation& computation) {
  Compare(call, computation, [](auto& a, auto x, auto y) { return a.Less(y, x); });
}

OperatorFacts GreaterEqualFacts() {
  return ComparisonFacts({.relations = BroadcastOrSameFloatsRelations});
}

Conditions GreaterEqualConditions() { return {CTS_BROADCAST_CONDITIONS("greater_equal")}; }

void ComputeGreaterEqual(const Call& call, Computation& computation) {
  Compare(call, computation, [](auto& a, auto x, auto y) { return !a.Less(x, y); });
}

}  // namespace cts

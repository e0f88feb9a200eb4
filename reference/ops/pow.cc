// POW (section Elementwise Binary Operators).
#include <cmath>

#include "reference/numeric/elementary.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Whether `holds` is false for a base and an exponent as they were given. That an implementation
// may flush them does not make a graph unpredictable for one that does not.
Breach AnyPairBreaks(const Call& call, bool (*holds)(double x, double y)) {
  const Shape &shape = call.shape("output"), &shape1 = call.shape("input1"),
              &shape2 = call.shape("input2");
  if (BroadcastShape(shape1, shape2) != shape) return false;  // another condition's business
  const auto &input1 = call.values("input1"), &input2 = call.values("input2");
  const int64_t size = ElementCount(shape);
  for (int64_t i = 0; i < size; ++i) {
    // In place of an operand that is not known stands 1, which breaks nothing with any other.
    const double x = input1 ? input1->Element(BroadcastOffset(shape, shape1, i)) : 1;
    const double y = input2 ? input2->Element(BroadcastOffset(shape, shape2, i)) : 1;
    if (holds(x, y)) continue;
    return Breach::Showing("base ", NumberText(x), " and exponent ", NumberText(y), " for output",
                           ToString(Index(shape, i)));
  }
  return false;
}

}  // namespace

OperatorFacts PowFacts() {
  return {.infer = InferBroadcast,
          .keeping = Keeping::kTells,
          .dimensions = FunctionDimensions,
          .relations = BroadcastOrSameRelations,
          .alone_with_symbols = true,
          .overflow = Overflows::kAlways};
}

Conditions PowConditions() {
  return {
      {"pow.broadcast", ConditionKind::kErrorIf,
       "the output's shape is not the broadcast of the inputs' shapes",
       [](const Call& c) {
         return BroadcastShape(c.shape("input1"), c.shape("input2")) != c.shape("output");
       }},
      {"pow.base_negative", ConditionKind::kRequire, "the base is negative or a NaN",
       [](const Call& c) { return AnyPairBreaks(c, [](double x, double) { return x >= 0; }); },
       With(Feature::kPowDomain)},
      {"pow.zero_exponent", ConditionKind::kRequire,
       "the base is zero and the exponent not above zero",
       [](const Call& c) {
         return AnyPairBreaks(c, [](double x, double y) { return x > 0 || y > 0; });
       },
       With(Feature::kPowDomain)},
      {"pow.nan", ConditionKind::kRequire, "base or exponent is a NaN",
       [](const Call& c) {
         return AnyPairBreaks(c,
                              [](double x, double y) { return !std::isnan(x) && !std::isnan(y); });
       },
       With(Feature::kPowDomain)},
      {"pow.finite", ConditionKind::kRequire, "base or exponent is not finite",
       [](const Call& c) {
         return AnyPairBreaks(
             c, [](double x, double y) { return std::isfinite(x) && std::isfinite(y); });
       },
       With(Feature::kPowDomain)},
  };
}

void ComputePow(const Call& call, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const Shape &shape = call.shape("output"), &shape1 = call.shape("input1"),
              &shape2 = call.shape("input2");
  const DType type = call.Type("in_out_t");
  computation.ForEach("output", [&](auto& a, int64_t i) {
    const auto value1 = a.Load(input1, BroadcastOffset(shape, shape1, i));
    const auto value2 = a.Load(input2, BroadcastOffset(shape, shape2, i));
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      return a.Apply(
          type, [](const auto& x, const auto& y) { return Pow(x, y); }, value1, value2);
    } else {
      return value1 + value2;  // no type row is an integer
    }
  });
}

}  // namespace cts

// SELECT (section Elementwise Ternary Operators).
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

StatusOr<Shapes> InferSelect(const Call& c) {
  return InferBroadcastOf(c, {"input1", "input2", "input3"});
}

}  // namespace

OperatorFacts SelectFacts() {
  return {.infer = InferSelect,
          .keeping = Keeping::kMoves,
          .dimensions = ElementwiseDimensions,
          .relations = SelectRelations,
          .alone_with_symbols = true};
}

Conditions SelectConditions() {
  return {
      {"select.broadcast", ConditionKind::kErrorIf,
       "the output's shape is not the broadcast of the three inputs' shapes",
       [](const Call& c) {
         const auto pair = BroadcastShape(c.shape("input1"), c.shape("input2"));
         return !pair || BroadcastShape(*pair, c.shape("input3")) != c.shape("output");
       }},
  };
}

void ComputeSelect(const Call& call, Computation& computation) {
  const Operand& input1 = computation.In("input1");
  const Operand& input2 = computation.In("input2");
  const Operand& input3 = computation.In("input3");
  const Shape& shape = call.shape("output");
  const BroadcastMap offset1(shape, call.shape("input1")), offset2(shape, call.shape("input2")),
      offset3(shape, call.shape("input3"));
  // The element that is not selected is read, too. It has no influence, even if it is a NaN.
  computation.ForEach("output", [&](auto& a, int64_t i) {
    const int64_t condition = a.LoadInteger(input1, offset1(i));
    const auto value2 = a.Load(input2, offset2(i));
    const auto value3 = a.Load(input3, offset3(i));
    return condition != 0 ? value2 : value3;
  });
}

}  // namespace cts

// Faults of SELECT.
#include <cmath>

#include "reference/faults/functions.h"
#include "reference/ops/broadcast.h"

namespace cts::elementwise_ternary_faults {
namespace {

// The result for condition c, value x if it holds, and value y if not.
Wrong ByValues(double (*f)(double c, double x, double y)) {
  return [f](const Operator&, const Call& call) -> std::optional<OperatorOutputs> {
    const Shape& shape = call.shape("output");
    const Tensor &c = *call.values("input1"), &x = *call.values("input2"),
                 &y = *call.values("input3");
    auto out = std::make_shared<Tensor>(call.dtype("output"), shape);
    for (int64_t i = 0; i < out->size(); ++i) {
      out->SetElement(i, f(static_cast<double>(c.Integer(BroadcastOffset(shape, c.shape(), i))),
                           x.Element(BroadcastOffset(shape, x.shape(), i)),
                           y.Element(BroadcastOffset(shape, y.shape(), i))));
    }
    return OperatorOutputs{{"output", std::move(out)}};
  };
}

}  // namespace

Faults SelectFaults() {
  const std::string clause = "SELECT: what is not selected has no influence";
  return Together(
      {BroadcastFaults("SELECT"),
       {
           LosesNan("SELECT"),
           NanIsInfinity("SELECT"),
           SaturatesInfinity("SELECT"),
           FlushesSome("SELECT"),
           Hardware("SELECT", "by_multiplying", "adds c * x and (1 - c) * y", clause, FloatRows(),
                    ByValues([](double c, double x, double y) { return c * x + (1 - c) * y; })),
           Hardware("SELECT", "nan_of_either", "makes a NaN if either value is one", clause,
                    FloatRows(), ByValues([](double c, double x, double y) {
                      return std::isnan(x) || std::isnan(y) ? std::nan("") : c != 0 ? x : y;
                    })),
           Hardware("SELECT", "first_condition", "takes the first condition for all elements",
                    "SELECT, its text", nullptr, ByCall([](CallEditor& editor) {
                      Tensor condition = *editor.original().values("input1");
                      for (int64_t i = 1; i < condition.size(); ++i) {
                        condition.SetBits(i, condition.Bits(0));
                      }
                      editor.SetOperand("input1", std::move(condition));
                      return true;
                    })),
           Hardware("SELECT", "condition_of_8_lanes",
                    "takes the condition of the first of eight elements for all of them",
                    "SELECT, its text", nullptr, ByCall([](CallEditor& editor) {
                      Tensor condition = *editor.original().values("input1");
                      for (int64_t i = 0; i < condition.size(); ++i) {
                        condition.SetBits(i, condition.Bits(i / 8 * 8));
                      }
                      editor.SetOperand("input1", std::move(condition));
                      return true;
                    })),
       }});
}

}  // namespace cts::elementwise_ternary_faults

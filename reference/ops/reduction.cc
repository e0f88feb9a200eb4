// REDUCE_SUM (section Reduction Operators).
#include "reference/ops/axis.h"
#include "reference/ops/operator.h"

namespace cts {

Conditions ReduceSumConditions() {
  return {
      {"reduce_sum.axis_range", ConditionKind::kErrorIf, "axis is outside 0 to rank(shape1) - 1",
       [](const Call& c) { return !IsAxisOf(c.shape("input"), c.Integer("axis")); }},
      {"reduce_sum.output_axis", ConditionKind::kErrorIf, "the output's size along axis is not 1",
       [](const Call& c) {
         const int64_t axis = c.Integer("axis");
         if (!IsAxisOf(c.shape("input"), axis)) return false;  // another condition's business
         return !IsAxisOf(c.shape("output"), axis) || c.shape("output")[axis] != 1;
       }},
  };
}

void ComputeReduceSum(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const int64_t axis = call.Integer("axis");
  const AxisView view(call.shape("input"), axis);
  const DType acc_t = call.Type("acc_t"), in_out_t = call.Type("in_out_t");
  // No condition compares the dimensions beside the axis. Where they differ the pseudocode reads or
  // leaves out elements at the wrong places.
  Shape expected = call.shape("input");
  expected[axis] = 1;
  const bool fits = expected == call.shape("output");

  // The pseudocode takes what is left of the axis only if axis > 1; axis > 0 is meant.
  computation.ForEach("output", [&](auto& a, int64_t i) {
    auto acc = a.FromInteger(0);
    a.Require(fits, "tensor_index_to_offset.index_range");
    if (!fits) return acc;
    for (int64_t k = 0; k < view.size; ++k) {
      acc = a.Add(acc_t, acc, a.Cast(acc_t, a.Load(input, view.Offset(i, k))));
    }
    return a.Cast(in_out_t, acc);
  });
}

}  // namespace cts

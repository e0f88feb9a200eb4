// ARGMAX: conditions and semantics (section Tensor Operators).
#include "reference/ops/axis.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// Index of the greatest element of one line of a tensor. `in(k)` loads element k.
template <class A, class In>
int64_t GreatestIndex(A& a, int64_t size, bool ignore_nan, In in) {
  auto greatest = in(0);
  int64_t index = 0;
  for (int64_t k = 1; k < size; ++k) {
    const auto value = in(k);
    // Propagating, a NaN is greater than any number; ignoring, less. NaN equals NaN.
    const bool greater =
        a.IsNan(value) || a.IsNan(greatest)
            ? a.IsNan(ignore_nan ? greatest : value) && !a.IsNan(ignore_nan ? value : greatest)
            : a.Less(greatest, value);
    if (!greater) continue;
    a.Require(k <= IntegerMax(DType::kI32), "argmax.index_range");
    greatest = value;
    index = k;
  }
  return index;
}

// 0.100 in the presence of NaN. By the text a NaN is the greatest, and if all are NaN it means the
// last index. By the pseudocode any element that follows a NaN replaces it, so that the NaN's place
// is forgotten. They agree if all are NaN, and if the only NaN comes last.
template <class A, class In>
int64_t GreatestIndexWithNan(A& a, int64_t size, int64_t nan_count, In in) {
  a.Require(nan_count == size || (nan_count == 1 && a.IsNan(in(size - 1))), "argmax.nan_order");
  return size - 1;
}

StatusOr<Shapes> InferArgmax(const Call& c) {
  CTS_ASSIGN_OR_RETURN(const int64_t axis, InferAxis(c, "input"));
  Shape shape = c.shape("input");
  shape.erase(shape.begin() + axis);
  return Shapes{shape};
}

}  // namespace

OperatorFacts ArgmaxFacts() {
  return {.infer = InferArgmax,
          .keeping = Keeping::kSilent,
          .dimensions = ReductionDimensions,
          .alone_with_symbols = true};
}

Conditions ArgmaxConditions() {
  return {
      {"argmax.axis_range", ConditionKind::kErrorIf, "axis is outside 0 to rank(shape1) - 1",
       [](const Call& c) { return !IsAxisOf(c.shape("input"), c.Integer("axis")); }},
      {"argmax.output_shape", ConditionKind::kErrorIf,
       "the output's shape is not the input's without the axis",
       [](const Call& c) {
         const StatusOr<Shapes> shapes = InferArgmax(c);
         // A call without an axis breaks another condition.
         return shapes.ok() && shapes->front() != c.shape("output");
       }},
      {"argmax.index_range", ConditionKind::kRequire, "the index of the maximum does not fit out_t",
       nullptr, With(Feature::kArgmaxIndexRange)},
  };
}

void ComputeArgmax(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const AxisView view(call.shape("input"), call.Integer("axis"));
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";
  const bool nan_order_unclear = call.EditionHas(Feature::kArgmaxNanOrderUnclear);

  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    const auto in = [&](int64_t k) { return a.Load(input, view.Offset(i, k)); };
    if (nan_order_unclear) {
      int64_t nan_count = 0;
      for (int64_t k = 0; k < view.size; ++k) nan_count += a.IsNan(in(k));
      if (nan_count > 0) return GreatestIndexWithNan(a, view.size, nan_count, in);
    }
    return GreatestIndex(a, view.size, ignore_nan, in);
  });
}

}  // namespace cts

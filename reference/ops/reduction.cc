// The operators of section Reduction Operators.
#include "reference/ops/axis.h"
#include "reference/ops/extremum.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

bool AxisOutOfRange(const Call& c) { return !IsAxisOf(c.shape("input"), c.Integer("axis")); }

bool OutputKeepsAxis(const Call& c) {
  const int64_t axis = c.Integer("axis");
  if (AxisOutOfRange(c)) return false;  // another condition's business
  return !IsAxisOf(c.shape("output"), axis) || c.shape("output")[axis] != 1;
}

// The two conditions that every operator of this group has, under its own ids.
#define CTS_REDUCTION_CONDITIONS(prefix)                                                     \
  {prefix ".axis_range", ConditionKind::kErrorIf, "axis is outside 0 to rank(shape1) - 1",   \
   AxisOutOfRange},                                                                          \
  {                                                                                          \
    prefix ".output_axis", ConditionKind::kErrorIf, "the output's size along axis is not 1", \
        OutputKeepsAxis                                                                      \
  }

// Calls `reduce(arithmetic, size, in)` for every output; `in(k)` loads element k along the axis.
// The pseudocode uses the dimensions left of the axis only if axis > 1. It means axis > 0.
template <class OfLine>
void ForEachLine(const Call& call, Computation& computation, OfLine reduce) {
  const Operand& input = computation.In("input");
  const AxisView view(call.shape("input"), call.Integer("axis"));
  computation.ForEach("output", [&](auto& a, int64_t i) {
    return reduce(a, view.size, [&](int64_t k) { return a.Load(input, view.Offset(i, k)); });
  });
}

// As ForEachLine, for booleans.
template <class OfLine>
void ForEachBooleanLine(const Call& call, Computation& computation, OfLine reduce) {
  const Operand& input = computation.In("input");
  const AxisView view(call.shape("input"), call.Integer("axis"));
  computation.ForEach("output", [&](auto& a, int64_t i) -> int64_t {
    return reduce(view.size, [&](int64_t k) { return a.LoadInteger(input, view.Offset(i, k)); });
  });
}

}  // namespace

OperatorFacts ReduceAllFacts() {
  return {.infer = InferReduced, .keeping = Keeping::kAside, .dimensions = ReductionDimensions};
}

Conditions ReduceAllConditions() { return {CTS_REDUCTION_CONDITIONS("reduce_all")}; }

void ComputeReduceAll(const Call& call, Computation& computation) {
  ForEachBooleanLine(call, computation, [](int64_t size, auto in) {
    bool acc = true;
    for (int64_t k = 0; k < size; ++k) acc = (in(k) != 0) && acc;
    return acc;
  });
}

OperatorFacts ReduceAnyFacts() {
  return {.infer = InferReduced, .keeping = Keeping::kAside, .dimensions = ReductionDimensions};
}

Conditions ReduceAnyConditions() { return {CTS_REDUCTION_CONDITIONS("reduce_any")}; }

void ComputeReduceAny(const Call& call, Computation& computation) {
  ForEachBooleanLine(call, computation, [](int64_t size, auto in) {
    bool acc = false;
    for (int64_t k = 0; k < size; ++k) acc = (in(k) != 0) || acc;
    return acc;
  });
}

// The pseudocode starts from the end of the type, or from a NaN if NaN is ignored. There is a first
// element, and starting from it gives the same.

OperatorFacts ReduceMaxFacts() {
  return {.infer = InferReduced, .keeping = Keeping::kMoves, .dimensions = ReductionDimensions};
}

Conditions ReduceMaxConditions() { return {CTS_REDUCTION_CONDITIONS("reduce_max")}; }

void ComputeReduceMax(const Call& call, Computation& computation) {
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";
  ForEachLine(call, computation, [ignore_nan](auto& a, int64_t size, auto in) {
    auto acc = in(0);
    for (int64_t k = 1; k < size; ++k) acc = Max(a, acc, in(k), ignore_nan);
    return acc;
  });
}

OperatorFacts ReduceMinFacts() {
  return {.infer = InferReduced, .keeping = Keeping::kMoves, .dimensions = ReductionDimensions};
}

Conditions ReduceMinConditions() { return {CTS_REDUCTION_CONDITIONS("reduce_min")}; }

void ComputeReduceMin(const Call& call, Computation& computation) {
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";
  ForEachLine(call, computation, [ignore_nan](auto& a, int64_t size, auto in) {
    auto acc = in(0);
    for (int64_t k = 1; k < size; ++k) acc = Min(a, acc, in(k), ignore_nan);
    return acc;
  });
}

OperatorFacts ReduceProductFacts() {
  return {.infer = InferReduced,
          .keeping = Keeping::kTells,
          .dimensions = ReductionDimensions,
          .overflow = Overflows::kOfNumbers};
}

Conditions ReduceProductConditions() { return {CTS_REDUCTION_CONDITIONS("reduce_product")}; }

void ComputeReduceProduct(const Call& call, Computation& computation) {
  const DType type = call.Type("in_out_t");
  ForEachLine(call, computation, [type](auto& a, int64_t size, auto in) {
    auto acc = a.FromInteger(1);
    for (int64_t k = 0; k < size; ++k) acc = a.Mul(type, acc, in(k));
    return acc;
  });
}

OperatorFacts ReduceSumFacts() {
  return {.infer = InferReduced, .keeping = Keeping::kSilent, .dimensions = ReductionDimensions};
}

Conditions ReduceSumConditions() { return {CTS_REDUCTION_CONDITIONS("reduce_sum")}; }

void ComputeReduceSum(const Call& call, Computation& computation) {
  const DType acc_t = call.Type("acc_t"), in_out_t = call.Type("in_out_t");
  ForEachLine(call, computation, [acc_t, in_out_t](auto& a, int64_t size, auto in) {
    auto acc = a.FromInteger(0);
    for (int64_t k = 0; k < size; ++k) acc = a.Add(acc_t, acc, a.Cast(acc_t, in(k)));
    return a.Cast(in_out_t, acc);
  });
}

}  // namespace cts

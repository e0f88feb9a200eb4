// CONCAT (section Data Layout).
#include <algorithm>

#include "reference/ops/axis.h"
#include "reference/ops/broadcast.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

// shape_dim of the specification: 1 beyond the rank, so that scalars can be concatenated (0.100).
int64_t ShapeDim(const Shape& shape, int64_t axis) {
  return IsAxisOf(shape, axis) ? shape[axis] : 1;
}

// Whether `broken` holds for the shape of any input.
template <class Predicate>
bool AnyShape(const Call& c, Predicate broken) {
  for (int t = 0; t < c.Count("input1"); ++t) {
    if (broken(c.shape("input1", t))) return true;
  }
  return false;
}

bool AxisOutOfRange(const Call& c) {
  if (c.Count("input1") == 0) return false;
  const int64_t rank = static_cast<int64_t>(c.shape("input1").size());
  const int64_t axis = c.Integer("axis");
  return axis < 0 || axis >= std::max<int64_t>(1, rank);
}

int64_t AxisSum(const Call& c, int64_t axis) {
  int64_t sum = 0;
  for (int t = 0; t < c.Count("input1"); ++t) sum += ShapeDim(c.shape("input1", t), axis);
  return sum;
}

}  // namespace

// Each row judges only what the rows above it leave: a list with a first shape, an axis within it.
Conditions ConcatConditions() {
  return {
      {"concat.empty_list", ConditionKind::kErrorIf, "the list of inputs is empty",
       [](const Call& c) { return c.Count("input1") == 0; }, kTosa10},
      {"concat.axis_range", ConditionKind::kErrorIf,
       "axis is outside 0 to the rank of the first input - 1", AxisOutOfRange},
      {"concat.rank_mismatch", ConditionKind::kErrorIf, "the inputs differ in rank",
       [](const Call& c) {
         return AnyShape(c, [&](const Shape& s) { return s.size() != c.shape("input1").size(); });
       }},
      {"concat.dimension_mismatch", ConditionKind::kErrorIf,
       "the inputs differ in a dimension other than axis",
       [](const Call& c) {
         if (AxisOutOfRange(c)) return false;
         return AnyShape(c, [&](const Shape& s) {
           const Shape& first = c.shape("input1");
           for (size_t i = 0; i < std::min(s.size(), first.size()); ++i) {
             if (static_cast<int64_t>(i) != c.Integer("axis") && s[i] != first[i]) return true;
           }
           return false;
         });
       }},
      {"concat.axis_sum", ConditionKind::kErrorIf,
       "the output's size along axis is not the sum of the inputs' sizes",
       [](const Call& c) {
         // 0.100 has no condition for the empty list; its sum is 0, which no dimension is.
         if (c.Count("input1") == 0) return c.Is("tosa-0.100");
         if (AxisOutOfRange(c)) return false;
         const int64_t axis = c.Integer("axis");
         return !IsAxisOf(c.shape("output"), axis) || c.shape("output")[axis] != AxisSum(c, axis);
       }},
      {"concat.level_list_size", ConditionKind::kLevel,
       "the list of inputs is longer than MAX_TENSOR_LIST_SIZE",
       [](const Call& c) { return c.Count("input1") > c.level().Max("MAX_TENSOR_LIST_SIZE"); },
       kTosa10},
      {"concat.level_rank", ConditionKind::kLevel, "rank(shape) exceeds MAX_RANK",
       [](const Call& c) { return RankExceedsLevel(c, "output"); }},
  };
}

void ComputeConcat(const Call& call, Computation& computation) {
  const Shape& out = call.shape("output");
  const int64_t axis = call.Integer("axis");
  const AxisView view(out, axis);
  std::vector<const Operand*> inputs;
  std::vector<int64_t> sizes;  // along the axis
  for (int t = 0; t < call.Count("input1"); ++t) {
    inputs.push_back(&computation.In("input1", t));
    sizes.push_back(ShapeDim(call.shape("input1", t), axis));
  }
  // No condition compares the output's other dimensions with the inputs'. Where they differ
  // elements outside of an input are read.
  Shape expected = call.shape("input1");
  if (expected.empty()) expected = {1};
  expected[axis] = out[axis];
  const bool fits = expected == out;

  computation.ForEach("output", [&](auto& a, int64_t i) {
    a.Require(fits, "tensor_index_to_offset.index_range");
    if (!fits) return a.FromInteger(0);
    const int64_t row = i / view.inner, outer = row / view.size, column = i % view.inner;
    int64_t position = row % view.size;
    size_t t = 0;
    while (position >= sizes[t]) position -= sizes[t++];
    return a.Load(*inputs[t], (outer * sizes[t] + position) * view.inner + column);
  });
}

}  // namespace cts

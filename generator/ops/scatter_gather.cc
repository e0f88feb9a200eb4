// GATHER, SCATTER.
#include <numeric>

#include "generator/ops/domain.h"

namespace cts {
namespace {

// [N, K, C] of the values.
std::vector<std::string> Shapes() { return {"2x13x5", "1x31x1", "4x9x3", "3x16x7"}; }

// How many indices W for K values.
int64_t IndexCount(std::string_view label, int64_t values) {
  return label == "one" ? 1 : label == "half" ? (values + 1) / 2 : values;
}

// [N, W] numbers from 0 to K - 1, in a batch each at most once. `order`: "shuffled", "falling".
Tensor DistinctIndices(const Choice& choice, int64_t batches, int64_t count, int64_t values) {
  Tensor indices(DType::kI32, {batches, count});
  Random random = choice.Stream("indices");
  for (int64_t n = 0; n < batches; ++n) {
    std::vector<int64_t> order(static_cast<size_t>(values));
    std::iota(order.rbegin(), order.rend(), 0);
    for (int64_t w = 0; w < count; ++w) {
      // The last of the falling ones is 0.
      const int64_t from =
          choice["indices"] == "falling" ? (w + values - count) : random.Between(w, values - 1);
      if (choice["indices"] != "falling") {
        std::swap(order[static_cast<size_t>(w)], order[static_cast<size_t>(from)]);
        indices.SetInteger(n * count + w, order[static_cast<size_t>(w)]);
      } else {
        indices.SetInteger(n * count + w, order[static_cast<size_t>(from)]);
      }
    }
  }
  return indices;
}

std::vector<Axis> GatherAxes(const Setting&) {
  return {{"values", "", Shapes()},
          {"count", "", {"half", "one", "all"}},
          {"indices", "", {"shuffled", "falling", "repeated", "ends"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildGather(const Choice& choice) {
  const Shape shape = ParseShape(choice["values"]);
  const int64_t N = shape[0], K = shape[1], C = shape[2];
  const int64_t W = IndexCount(choice["count"], K);
  const DType type = choice.Type("in_out_t");
  Tensor indices = DistinctIndices(choice, N, W, K);
  if (choice["indices"] == "repeated") {
    indices = IntegersBetween(choice.Stream("indices"), DType::kI32, {N, W}, 0, K / 2);
  } else if (choice["indices"] == "ends") {
    for (int64_t i = 0; i < N * W; ++i) indices.SetInteger(i, i % 2 == 0 ? K - 1 : 0);
  }
  Draft draft;
  draft.Input("values", Filled(choice, "values", type, shape));
  draft.Input("indices", std::move(indices));
  draft.output_type = type;
  draft.output_shape = {N, W, C};
  return draft;
}

std::vector<Axis> ScatterAxes(const Setting&) {
  return {{"values", "", Shapes()},
          {"count", "", {"half", "one", "all"}},
          {"indices", "", {"shuffled", "falling"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildScatter(const Choice& choice) {
  const Shape shape = ParseShape(choice["values"]);
  const int64_t N = shape[0], K = shape[1], C = shape[2];
  const int64_t W = IndexCount(choice["count"], K);
  const DType type = choice.Type("in_out_t");
  Draft draft;
  draft.Input("values_in", FullRange(choice.Stream("values_in"), type, shape));
  draft.Input("indices", DistinctIndices(choice, N, W, K));
  draft.Input("input", Filled(choice, "input", type, {N, W, C}));
  draft.output_type = type;
  draft.output_shape = shape;
  return draft;
}

}  // namespace

// Their only conditions are REQUIREs, which no case may break.
Domain GatherDomain() { return {GatherAxes, {}, BuildGather}; }
Domain ScatterDomain() { return {ScatterAxes, {}, BuildScatter}; }

}  // namespace cts

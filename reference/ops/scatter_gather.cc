// GATHER and SCATTER (section Scatter/Gather Operators).
#include "reference/ops/operator.h"

namespace cts {

Conditions GatherConditions() {
  return {
      {"gather.index_range", ConditionKind::kRequire, "an index is outside 0 to K - 1", nullptr},
  };
}

void ComputeGather(const Call& call, Computation& computation) {
  const Operand& values = computation.In("values");
  const Operand& indices = computation.In("indices");
  const int64_t K = call.shape("values")[1], C = call.shape("values")[2];
  const int64_t W = call.shape("indices")[1];

  computation.ForEach("output", [&](auto& a, int64_t i) {
    const int64_t c = i % C, w = i / C % W, n = i / C / W;
    const int64_t k = a.LoadInteger(indices, n * W + w);
    const bool in_range = k >= 0 && k < K;
    a.Require(in_range, "gather.index_range");
    return in_range ? a.Load(values, (n * K + k) * C + c) : a.FromInteger(0);
  });
}

Conditions ScatterConditions() {
  return {
      {"scatter.index_range", ConditionKind::kRequire, "an index is outside 0 to K - 1", nullptr},
      {"scatter.index_repeated", ConditionKind::kRequire, "an index stands twice in a batch",
       nullptr},
  };
}

void ComputeScatter(const Call& call, Computation& computation) {
  const Operand& values_in = computation.In("values_in");
  const Operand& indices = computation.In("indices");
  const Operand& input = computation.In("input");
  const int64_t N = call.shape("values_in")[0], K = call.shape("values_in")[1],
                C = call.shape("values_in")[2], W = call.shape("indices")[1];
  // For [N, K]: which w is written there; -1 where values_in stays.
  std::vector<int64_t> writer(static_cast<size_t>(N * K), -1);
  std::string_view broken;
  std::vector<int64_t> breaking;  // the indices that break it
  for (int64_t i = 0; i < N * W && broken.empty(); ++i) {
    const int64_t n = i / W, k = indices.Integer(i);
    if (k < 0 || k >= K) {
      broken = "scatter.index_range";
      breaking = {i};
    } else if (int64_t& w = writer[static_cast<size_t>(n * K + k)]; w >= 0) {
      broken = "scatter.index_repeated";
      breaking = {n * W + w, i};
    } else {
      w = i % W;
    }
  }

  computation.ForEach("values_out", [&](auto& a, int64_t i) {
    const int64_t c = i % C, n = i / C / K;
    // An index out of range writes no element: the first of its batch stands for it.
    if (!broken.empty() && n == breaking.back() / W) {
      for (const int64_t index : breaking) a.LoadInteger(indices, index);
      a.Require(false, broken);
      return a.FromInteger(0);
    }
    const int64_t w = writer[static_cast<size_t>(i / C)];
    if (w < 0) return a.Load(values_in, i);
    a.LoadInteger(indices, n * W + w);  // one of the elements that a trace names
    return a.Load(input, (n * W + w) * C + c);
  });
}

}  // namespace cts

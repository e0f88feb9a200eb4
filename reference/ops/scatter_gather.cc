// GATHER and SCATTER (section Scatter/Gather Operators).
#include <optional>
#include <vector>

#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

StatusOr<Shapes> InferGather(const Call& c) {
  const Shape &values = c.shape("values"), &indices = c.shape("indices");  // N, K, C and N, W
  return Shapes{{values[0], indices[1], values[2]}};
}

}  // namespace

OperatorFacts GatherFacts() {
  return {.infer = InferGather, .keeping = Keeping::kSilent, .dimensions = GatherDimensions};
}

Conditions GatherConditions() {
  return {
      {"gather.index_range",
       ConditionKind::kRequire,
       "an index is outside 0 to K - 1",
       nullptr,
       {},
       "indices"},
  };
}

void ComputeGather(const Call& call, Computation& computation) {
  const Operand& values = computation.In("values");
  const Operand& indices = computation.In("indices");
  const int64_t K = call.shape("values")[1], C = call.shape("values")[2];
  const int64_t W = call.shape("indices")[1];

  const auto move = [&](Mover& mover) {
    std::vector<MovedRow> rows;
    const int64_t count = call.shape("indices")[0] * W;
    for (int64_t i = 0; i < count; ++i) {
      const int64_t k = indices.Integer(i);
      if (k < 0 || k >= K) return false;
      rows.push_back({(i / W * K + k) * C, i * C});
      if (rows.size() < kMovedRows && i + 1 < count) continue;
      if (!mover.CopyRows(values, rows, C)) return false;
      rows.clear();
    }
    return true;
  };
  computation.ForEachMoved("output", move, [&](auto& a, int64_t i) {
    const int64_t c = i % C, w = i / C % W, n = i / C / W;
    const int64_t k = a.LoadInteger(indices, n * W + w);
    const bool in_range = k >= 0 && k < K;
    a.Require(in_range, "gather.index_range");
    return in_range ? a.Load(values, (n * K + k) * C + c) : a.FromInteger(0);
  });
}

namespace {

// Which row of the input is written where, or why that cannot be said.
struct ScatterPlan {
  ScatterPlan(const Operand& indices, int64_t N, int64_t K, int64_t W)
      : writer(static_cast<size_t>(N * K), -1) {
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
  }

  std::vector<int64_t> writer;  // for [N, K]: the w; -1 where values_in stays
  std::string_view broken;
  std::vector<int64_t> breaking;  // the indices that break it
};

}  // namespace

OperatorFacts ScatterFacts() {
  return {.infer = InferAsInput, .keeping = Keeping::kSilent, .dimensions = ScatterDimensions};
}

Conditions ScatterConditions() {
  return {
      {"scatter.index_range",
       ConditionKind::kRequire,
       "an index is outside 0 to K - 1",
       nullptr,
       {},
       "indices"},
      {"scatter.index_repeated",
       ConditionKind::kRequire,
       "an index stands twice in a batch",
       nullptr,
       {},
       "indices"},
  };
}

void ComputeScatter(const Call& call, Computation& computation) {
  const Operand& values_in = computation.In("values_in");
  const Operand& indices = computation.In("indices");
  const Operand& input = computation.In("input");
  const int64_t N = call.shape("values_in")[0], K = call.shape("values_in")[1],
                C = call.shape("values_in")[2], W = call.shape("indices")[1];
  const auto move = [&](Mover& mover) {
    std::vector<bool> written(static_cast<size_t>(N * K));
    if (!mover.CopyAll(values_in)) return false;
    std::vector<MovedRow> rows;
    for (int64_t i = 0; i < N * W; ++i) {
      const int64_t k = indices.Integer(i);
      const size_t row = static_cast<size_t>(i / W * K + k);
      if (k < 0 || k >= K || written[row]) return false;
      written[row] = true;
      rows.push_back({i * C, static_cast<int64_t>(row) * C});
      if (rows.size() < kMovedRows && i + 1 < N * W) continue;
      if (!mover.CopyRows(input, rows, C)) return false;
      rows.clear();
    }
    return true;
  };
  std::optional<ScatterPlan> plan;  // only where the text is followed
  computation.ForEachMoved("values_out", move, [&](auto& a, int64_t i) {
    if (!plan) plan.emplace(indices, N, K, W);
    const int64_t c = i % C, n = i / C / K;
    // An index out of range writes no element: the first of its batch stands for it.
    if (!plan->broken.empty() && n == plan->breaking.back() / W) {
      for (const int64_t index : plan->breaking) a.LoadInteger(indices, index);
      a.Require(false, plan->broken);
      return a.FromInteger(0);
    }
    const int64_t w = plan->writer[static_cast<size_t>(i / C)];
    if (w < 0) return a.Load(values_in, i);
    a.LoadInteger(indices, n * W + w);  // one of the elements that a trace names
    return a.Load(input, (n * W + w) * C + c);
  });
}

}  // namespace cts

// GATHER, SCATTER.
#include <algorithm>
#include <numeric>

#include "generator/ops/limits.h"
#include "generator/ops/operands.h"

namespace cts::scatter_gather_domain {
namespace {

constexpr char kLarge[] = "1x65539x1";

// [N, K, C] of the values.
constexpr ParsedAxis<Shape> kValuesAxis{"values", "", ParseShape};
Axis Shapes() {
  return kValuesAxis.With({"2x13x5", "1x31x1", "4x9x3", "3x16x7"},
                          {"1x64x1", "7x2x16", "1x1x67", "5x13x1", kLarge});
}

// How many indices W there are.
enum class Count { kHalf, kOne, kAll, kFew, kTwice };
constexpr ListedAxis<Count> kCountAxis{
    "count",
    "",
    {{"half", Count::kHalf}, {"one", Count::kOne}, {"all", Count::kAll}},
    {{"few", Count::kFew}, {"twice", Count::kTwice}}};
enum class Indices { kShuffled, kFalling, kRepeated, kEnds, kSame, kRising };
constexpr ListedAxis<Indices> kIndicesAxis{
    "indices",
    "",
    {{"shuffled", Indices::kShuffled},
     {"falling", Indices::kFalling},
     {"repeated", Indices::kRepeated},
     {"ends", Indices::kEnds}},
    {{"same", Indices::kSame}, {"rising", Indices::kRising}}};

std::vector<Constraint> Constraints() {
  return {
      {{"values", "data", "constant"},
       "large shapes carry full-range data only, and are no constants",
       [](const Setting&, const Labels& labels) {
         return ElementCount(labels[kValuesAxis]) < 65536 ||
                (labels[kDataAxis] == DataSet::kFullRange &&
                 labels[kConstantAxis] == Constants::kNone);
       }},
      {{"values", "count", "indices"},
       "large shapes are for a few indices",
       [](const Setting&, const Labels& labels) {
         return ElementCount(labels[kValuesAxis]) < 65536 ||
                (labels[kCountAxis] == Count::kFew && labels[kIndicesAxis] == Indices::kShuffled);
       }}};
}

int64_t IndexCount(Count count, int64_t values) {
  if (count == Count::kFew) return std::min<int64_t>(values, 16);
  if (count == Count::kOne) return 1;
  if (count == Count::kHalf) return (values + 1) / 2;
  return count == Count::kTwice ? 2 * values : values;
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
      if (choice[kIndicesAxis] == Indices::kRising) {
        indices.SetInteger(n * count + w, w + (n % 2 == 0 ? 0 : values - count));
        continue;
      }
      const int64_t from = choice[kIndicesAxis] == Indices::kFalling
                               ? (w + values - count)
                               : random.Between(w, values - 1);
      if (choice[kIndicesAxis] != Indices::kFalling) {
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
  return {Shapes(), kCountAxis.With({"half", "one", "all"}, {"few", "twice"}),
          kIndicesAxis.With({"shuffled", "falling", "repeated", "ends"}, {"same", "rising"}),
          ConstantAxis(2), kDataAxis.With({"full-range", "special"})};
}

CaseDraft BuildGather(const Choice& choice) {
  const Shape shape = choice[kValuesAxis];
  const int64_t N = shape[0], K = shape[1], C = shape[2];
  const int64_t W = IndexCount(choice[kCountAxis], K);
  const DType type = choice.Type("in_out_t");
  Tensor indices(DType::kI32, {N, W});
  if (W <= K) indices = DistinctIndices(choice, N, W, K);
  if (choice[kIndicesAxis] == Indices::kSame) {
    for (int64_t i = 0; i < N * W; ++i) indices.SetInteger(i, K - 1 - i / W % K);
  } else if (choice[kIndicesAxis] == Indices::kRepeated) {
    indices = IntegersBetween(choice.Stream("indices"), DType::kI32, {N, W}, 0, K / 2);
  } else if (choice[kIndicesAxis] == Indices::kEnds) {
    for (int64_t i = 0; i < N * W; ++i) indices.SetInteger(i, i % 2 == 0 ? K - 1 : 0);
  }
  CaseDraft draft;
  draft.Input("values", Filled(choice, "values", type, shape));
  draft.Input("indices", std::move(indices));
  draft.output_type = type;
  draft.output_shape = {N, W, C};
  SetConstants(choice, draft);
  return draft;
}

std::vector<Axis> ScatterAxes(const Setting&) {
  return {Shapes(), kCountAxis.With({"half", "one", "all"}, {"few"}),
          kIndicesAxis.With({"shuffled", "falling"}, {"rising"}), ConstantAxis(3),
          kDataAxis.With({"full-range", "special"})};
}

CaseDraft BuildScatter(const Choice& choice) {
  const Shape shape = choice[kValuesAxis];
  const int64_t N = shape[0], K = shape[1], C = shape[2];
  const int64_t W = IndexCount(choice[kCountAxis], K);
  const DType type = choice.Type("in_out_t");
  CaseDraft draft;
  draft.Input("values_in", FullRange(choice.Stream("values_in"), type, shape));
  draft.Input("indices", DistinctIndices(choice, N, W, K));
  draft.Input("input", Filled(choice, "input", type, {N, W, C}));
  draft.output_type = type;
  draft.output_shape = shape;
  SetConstants(choice, draft);
  return draft;
}

// Values as embeddings have them: a last dimension that is no multiple of a vector, and short ones.
constexpr const char* kTables[] = {"1x13x19", "2x9x19", "2x9x4", "2x9x8"};

std::vector<RelationCase> GatherRelations() {
  std::vector<RelationCase> cases;
  for (const char* const values : kTables) {
    cases.push_back(RelationAt(StrCat("values_", values), GatherAxes, BuildGather,
                               {{"values", values}, {"count", "all"}}));
  }
  // More indices than values: the look-up of an embedding.
  const auto lookup = [](const Setting&, CaseDraft& draft) {
    Random random = draft.built_from->Stream("looked-up");
    draft = BuildAt(draft, GatherAxes, BuildGather, {{"values", kTables[0]}, {"count", "twice"}});
    Tensor& indices = draft.tensor("indices");
    indices = IntegersBetween(random, DType::kI32, indices.shape(), 0, 12);
  };
  cases.push_back({.what = "lookup", .applies = nullptr, .change = lookup, .more = true});
  return cases;
}

std::vector<RelationCase> ScatterRelations() {
  std::vector<RelationCase> cases;
  for (const char* const values : kTables) {
    cases.push_back(RelationAt(StrCat("values_", values), ScatterAxes, BuildScatter,
                               {{"values", values}, {"count", "half"}}));
  }
  return cases;
}

// As if the indices of one batch were those of all.
Breaker OneRowOfIndices(std::string_view values) {
  return More({"graph.shape", {}, nullptr, [=](const Setting&, CaseDraft& draft) {
                 const auto set_batches = [&](std::string_view name, int64_t batches) {
                   if (!draft.arguments.contains(name)) return;
                   Shape shape = draft.tensor(name).shape();
                   shape[0] = batches;
                   Reshape(draft.tensor(name), shape);
                 };
                 set_batches(values, 2);
                 set_batches("indices", 1);
                 set_batches("input", 2);
                 draft.output_shape[0] = 2;
               }});
}

}  // namespace

// Their own conditions are REQUIREs, which no case may break.
Domain GatherDomain() {
  std::vector<Constraint> constraints = Constraints();
  constraints.push_back({{"count", "indices"},
                         "twice as many indices as values repeat some",
                         [](const Setting&, const Labels& labels) {
                           const Indices indices = labels[kIndicesAxis];
                           return labels[kCountAxis] != Count::kTwice ||
                                  indices == Indices::kRepeated || indices == Indices::kEnds ||
                                  indices == Indices::kSame;
                         }});
  constraints.push_back({{"values", "indices"},
                         "one or two elements would be all that there is in the result",
                         [](const Setting&, const Labels& labels) {
                           const Shape shape = labels[kValuesAxis];
                           const Indices indices = labels[kIndicesAxis];
                           return shape[0] * shape[2] >= 4 ||
                                  (indices != Indices::kSame && indices != Indices::kEnds);
                         }});
  Domain domain = {.axes = GatherAxes, .constraints = std::move(constraints), .build = BuildGather};
  domain.breakers = {OneRowOfIndices("values")};
  domain.relations = GatherRelations();
  return domain;
}
Domain ScatterDomain() {
  Domain domain = {.axes = ScatterAxes, .constraints = Constraints(), .build = BuildScatter};
  domain.breakers = {OneRowOfIndices("values_in")};
  domain.relations = ScatterRelations();
  return domain;
}

}  // namespace cts::scatter_gather_domain

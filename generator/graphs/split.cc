// A tensor split into a list, as frameworks lower it: a SLICE for every part, each through IDENTITY
// where the MLIR dialect once had IDENTITYN (schemas/editions/notes.md, Graphs). The list is the
// graph's outputs.
#include <algorithm>
#include <memory>
#include <utility>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "generator/ops/limits.h"

namespace cts {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;

constexpr int64_t kLast = -1;
constexpr ListedAxis<int64_t> kSplitAxis{
    "axis",
    "",
    {{"last", kLast}, {"first", 0}, {"second", 1}, {"third", 2}, {"fourth", 3}, {"fifth", 4}}};
// The number of parts; each index of the axis is a part by itself.
constexpr int64_t kEach = 0;
constexpr ListedAxis<int64_t> kSplitsAxis{
    "splits", "n", {{"2", 2}, {"3", 3}, {"1", 1}, {"each", kEach}}};
// Whether each part goes through IDENTITY.
constexpr ListedAxis<bool> kCopiedAxis{"list", "", {{"identity", true}, {"slices", false}}};

// The number of the axis; below 0 if it is the last one by another name, or none.
int64_t AxisOf(const Labels& labels, const Shape& shape) {
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  const int64_t axis = labels[kSplitAxis];
  return axis == kLast ? last : axis < last ? axis : -1;
}

std::vector<Axis> SplitAxes(const Setting& setting) {
  // In 0.100 Main Inference has SLICE of booleans, and only Base Inference has IDENTITY of them.
  const DType type = setting.Type("in_out_t");
  const bool may_copy = type != DType::kBool || operand_rows::HasRow(setting, "IDENTITY", type);
  return {kShapeAxis.With({"72", "7x5x4", "4x2x6x3", "3x64", WithMaxRank(setting, "2x3x4x2x3x6")}),
          kSplitAxis.All(), kSplitsAxis.All(),
          may_copy ? kCopiedAxis.All() : kCopiedAxis.With({"slices"}),
          kDataAxis.With({"full-range", "special"})};
}

// The number of parts: no more than the axis has elements. If several names stand for one number,
// the first is used.
int64_t SplitsOf(const Labels& labels) {
  const Shape shape = labels[kShapeAxis];
  const int64_t axis = AxisOf(labels, shape);
  if (axis < 0) return 0;
  const int64_t size = shape[static_cast<size_t>(axis)];
  const int64_t splits = labels[kSplitsAxis];
  if (splits == kEach) return size > 3 ? size : 0;
  return splits <= size ? splits : 0;
}

// The rounding by which the size of a part follows from the axis and the number of parts: down is
// right.
enum class Rounding {
  kDown,
  kUp,          // the last part as it then comes
  kUpToTheEnd,  // the last part up to the axis' end
};

template <Rounding kRounding>
CaseDraft BuildSplit(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const auto axis = static_cast<size_t>(AxisOf(choice.labels, shape));
  const int64_t splits = choice[kSplitsAxis] == kEach ? shape[axis] : choice[kSplitsAxis];
  const int64_t part =
      kRounding == Rounding::kDown ? shape[axis] / splits : (shape[axis] + splits - 1) / splits;
  const Name input =
      builder.Input("input", Filled(choice, "input", choice.Type("in_out_t"), shape));
  Names list;
  for (int64_t k = 0; k < splits; ++k) {
    std::vector<int64_t> start(shape.size(), 0), size = shape;
    start[axis] = k * part;
    size[axis] = part;
    if (kRounding == Rounding::kUpToTheEnd) size[axis] = std::min(part, shape[axis] - k * part);
    list.push_back(builder.Apply("SLICE", {input}, {{"start", start}, {"size", size}}));
  }
  if (choice[kCopiedAxis]) {
    for (Name& name : list) name = builder.Apply("IDENTITY", {name});
  }
  return builder.Finish(list);
}

// The last part reaches beyond the input; every other one is as it should be.
void RoundUp(const Setting&, CaseDraft& draft) {
  draft = BuildAt(draft, SplitAxes, BuildSplit<Rounding::kUp>,
                  {{"shape", "7x5x4"}, {"axis", "first"}, {"splits", "3"}});
}
void RoundUpToTheEnd(const Setting&, CaseDraft& draft) {
  draft = BuildAt(draft, SplitAxes, BuildSplit<Rounding::kUpToTheEnd>,
                  {{"shape", "7x5x4"}, {"axis", "first"}, {"splits", "3"}});
}

// An empty part at the end, as if there were more parts than elements. Its tensor keeps its shape:
// no tensor has a dimension of 0.
void EmptyPart(const Setting&, CaseDraft& draft) {
  Block& main = draft.Whole().graph.main();
  const auto slice = std::find_if(main.operators.rbegin(), main.operators.rend(),
                                  [](const GraphOperator& op) { return op.op == "SLICE"; });
  for (GraphTensor& tensor : main.tensors) {
    if (tensor.name != slice->inputs.back()) continue;
    Tensor size = *tensor.values;
    size.SetInteger(size.size() - 1, 0);
    tensor.values = std::make_shared<const Tensor>(std::move(size));
  }
}

Domain SplitDomain() {
  const Labels uneven = {{"shape", "7x5x4"}, {"axis", "first"}, {"splits", "3"}};
  const Labels each = {{"shape", "7x5x4"}, {"axis", "last"}, {"splits", "each"}};
  return {.axes = SplitAxes,
          .constraints =
              {{{"shape", "axis", "splits"},
                "an axis has one name, and as many elements as parts at least",
                [](const Setting&, const Labels& labels) { return SplitsOf(labels) > 0; }},
               {{"shape", "splits", "data"},
                "a part of one special value may be zero, and so may one of every other boolean",
                [](const Setting& setting, const Labels& labels) {
                  return labels[kSplitsAxis] != kEach || labels[kDataAxis] != DataSet::kSpecial ||
                         (!labels.Is(kShapeAxis, "72") && setting.Type("in_out_t") != DType::kBool);
                }}},
          .build = BuildSplit<Rounding::kDown>,
          .breakers = {{"slice.end_range", uneven, nullptr, RoundUp, RoundUpToTheEnd},
                       {"slice.size_not_positive", each, nullptr, EmptyPart}}};
}

}  // namespace

std::vector<GraphDomain> SplitGraphs() { return {{"split", "SLICE", nullptr, SplitDomain}}; }

}  // namespace cts

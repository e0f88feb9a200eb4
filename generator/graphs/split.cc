// A tensor split into a list, as frameworks lower it: a SLICE for every part, each through IDENTITY
// where the MLIR dialect once had IDENTITYN (schemas/editions/notes.md, Graphs). The list is the
// graph's outputs.
#include <algorithm>
#include <memory>
#include <utility>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/ops/limits.h"

namespace cts {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;

// The number of an axis by its name; the last one has no other name.
int64_t AxisOf(const Label& label, const Shape& shape) {
  constexpr std::string_view kNames[] = {"first", "second", "third", "fourth", "fifth"};
  const auto rank = static_cast<int64_t>(shape.size());
  for (int64_t axis = 0; axis < 5; ++axis) {
    if (label == kNames[axis]) return axis < rank - 1 ? axis : -1;
  }
  return rank - 1;
}

// Whether the profiles that may be used have IDENTITY of the row's type, as they have SLICE. In
// 0.100 Main Inference has SLICE of booleans, and only Base Inference has IDENTITY of them.
bool MayCopy(const Setting& setting) {
  const DType type = setting.Type("in_out_t");
  const OperatorSpec* const copy = setting.edition->FindOperator("IDENTITY");
  if (copy == nullptr) return false;
  const std::vector<TypeRow>& rows = copy->type_rows;
  return std::any_of(rows.begin(), rows.end(), [&](const TypeRow& row) {
    return row.Type("in_out_t") == type &&
           std::any_of(row.profiles.begin(), row.profiles.end(), [&](const auto& together) {
             return std::all_of(together.begin(), together.end(),
                                [&](const std::string& name) { return setting.Has(name); });
           });
  });
}

std::vector<Axis> SplitAxes(const Setting& setting) {
  Axis list = {"list", "", {"slices"}};
  if (setting.Type("in_out_t") != DType::kBool || MayCopy(setting)) {
    list.values.insert(list.values.begin(), "identity");
  }
  return {kShapeAxis.With({"72", "7x5x4", "4x2x6x3", "3x64", WithMaxRank(setting, "2x3x4x2x3x6")}),
          {"axis", "", {"last", "first", "second", "third", "fourth", "fifth"}},
          {"splits", "n", {"2", "3", "1", "each"}},  // each: every index of the axis by itself
          std::move(list),
          kDataAxis.With({"full-range", "special"})};
}

// The number of parts: no more than the axis has elements. If several names stand for one number,
// the first is used.
int64_t SplitsOf(const Labels& labels) {
  const Shape shape = labels[kShapeAxis];
  const int64_t axis = AxisOf(labels["axis"], shape);
  if (axis < 0) return 0;
  const int64_t size = shape[static_cast<size_t>(axis)];
  if (labels["splits"] == "each") return size > 3 ? size : 0;
  const int64_t splits = ParseNumbers(labels["splits"])[0];
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
  const auto axis = static_cast<size_t>(AxisOf(choice["axis"], shape));
  const int64_t splits =
      choice["splits"] == "each" ? shape[axis] : ParseNumbers(choice["splits"])[0];
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
  if (choice["list"] == "identity") {
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
  Block& main = draft.whole->graph.main();
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
                  return labels["splits"] != "each" || labels[kDataAxis] != DataSet::kSpecial ||
                         (!labels.Is(kShapeAxis, "72") && setting.Type("in_out_t") != DType::kBool);
                }}},
          .build = BuildSplit<Rounding::kDown>,
          .breakers = {{"slice.end_range", uneven, nullptr, RoundUp, RoundUpToTheEnd},
                       {"slice.size_not_positive", each, nullptr, EmptyPart}}};
}

}  // namespace

std::vector<GraphDomain> SplitGraphs() { return {{"split", "SLICE", nullptr, SplitDomain}}; }

}  // namespace cts

// CONCAT, PAD, DIM, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE.
#include <algorithm>
#include <limits>
#include <numeric>

#include "generator/ops/domain.h"

namespace cts {
namespace {

std::vector<Axis> ConcatAxes(const Setting& setting) {
  std::vector<std::string> counts = {"2", "1", "3"};
  // tosa-0.100 limits no lists.
  if (setting.level->maxima.contains("MAX_TENSOR_LIST_SIZE")) {
    counts.push_back(StrCat(setting.level->Max("MAX_TENSOR_LIST_SIZE")));
  }
  return {{"inputs", "n", std::move(counts)},
          {"shape", "", {"7x9", "31", "3x2x5", "2x3x4x2", WithMaxRank(setting, "2x3x1x2x3x1")}},
          {"axis", "", {"last", "first", "middle"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildConcat(const Choice& choice) {
  const Shape base = ParseShape(choice["shape"]);
  const DType type = choice.Type("in_out_t");
  const int64_t axis = AxisNumber(choice["axis"], base);
  const int64_t count = ParseNumbers(choice["inputs"])[0];
  Draft draft;
  draft.output_type = type;
  draft.output_shape = base;
  draft.output_shape[axis] = 0;
  TensorArgument operand{{}, true, false};
  for (int64_t k = 0; k < count; ++k) {
    Shape shape = base;
    shape[axis] = 1 + (base[axis] + k) % 4;
    draft.output_shape[axis] += shape[axis];
    operand.tensors.push_back(Filled(choice, StrCat("input1_", k), type, shape));
  }
  draft.arguments["input1"] = std::move(operand);
  draft.Set("axis", axis);
  return draft;
}

// The elements of a list argument.
std::vector<int64_t>& List(Draft& draft, std::string_view argument) {
  auto& value = std::get<AttributeValue>(draft.arguments.find(argument)->second);
  return std::get<std::vector<int64_t>>(value);
}

// A draft with `input1` by the choice's shape and data, and an output of the same type.
Draft WithInput(const Choice& choice, std::string_view input = "input1") {
  Draft draft;
  draft.output_type = choice.Type("in_out_t");
  draft.output_shape = ParseShape(choice["shape"]);
  draft.Input(std::string(input), Filled(choice, input, draft.output_type, draft.output_shape));
  return draft;
}

void AddRank(const Setting&, Draft& draft) { draft.output_shape.push_back(1); }

// --- PAD

std::vector<Axis> PadAxes(const Setting& setting) {
  return {{"shape", "", {"7x9", "31", "3x2x5", "2x3x4x2", WithMaxRank(setting, "2x3x1x2x3x1")}},
          {"padding", "", {"uneven", "none", "start", "end", "wide"}},
          {"pad_const", "c", {"random", "zero", "least"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildPad(const Choice& choice) {
  Draft draft = WithInput(choice);
  const DType type = draft.output_type;
  const std::string& label = choice["padding"];
  std::vector<int64_t> padding;
  for (size_t i = 0; i < draft.output_shape.size(); ++i) {
    const int64_t k = static_cast<int64_t>(i);
    int64_t start = label == "start", end = label == "end";
    if (label == "uneven") start = k % 3, end = (k + 2) % 3;
    // Longer than the dimension, along one axis: nothing may wrap around.
    if (label == "wide" && i == 0) start = draft.output_shape[0] + 2, end = start + 1;
    padding.push_back(start);
    padding.push_back(end);
    draft.output_shape[i] += start + end;
  }
  draft.Set("padding", std::move(padding));
  Tensor constant(type, {1});
  if (choice["pad_const"] == "random") constant = FullRange(choice.Stream("pad_const"), type, {1});
  if (choice["pad_const"] == "least" && IsFloat(type)) {
    constant.SetFloat(0, std::numeric_limits<double>::quiet_NaN());
  } else if (choice["pad_const"] == "least") {
    constant.SetInteger(0, IntegerMin(type));
  }
  // A constant tensor in 1.0, an attribute in 0.100.
  if (IsFloat(type)) {
    draft.Set("pad_const", constant.Float(0));
  } else {
    draft.Set("pad_const", constant.Integer(0));
  }
  return draft;
}

// --- DIM: through a RESHAPE to the one dimension that it yields.

std::vector<Axis> DimAxes(const Setting& setting) {
  return {{"shape", "", {"7x9", "31", "3x2x5", WithMaxRank(setting, "2x3x1x2x3x4")}},
          {"axis", "", {"last", "first", "middle"}},
          {"data", "", {"full-range"}}};
}

Draft BuildDim(const Choice& choice) {
  const Shape shape = ParseShape(choice["shape"]);
  const DType type = choice.Type("in_t");
  const int64_t axis = AxisNumber(choice["axis"], shape);
  const int64_t size = shape[static_cast<size_t>(axis)];
  Draft draft;
  draft.Input("input1", Filled(choice, "input1", type, shape));
  draft.Set("axis", axis);
  draft.output_type = DType::kShape;
  draft.output_shape = {1};
  draft.carrier = {Filled(choice, "carried", type, {1, size}), {size}};
  return draft;
}

// --- RESHAPE

// Tensors of rank 0 came with 1.0.
bool HasScalars(const Setting& setting) {
  return setting.spec->FindArgument("output")->min_rank->constant == 0;
}

std::vector<Axis> ReshapeAxes(const Setting& setting) {
  std::vector<std::string> shapes = SomeShapes(setting, HasScalars(setting));
  std::vector<std::string> to = {"reversed", "flat", "max-rank", "halves", "same"};
  if (HasScalars(setting)) {
    shapes.push_back("1x1");
    to.push_back("scalar");
  }
  return {{"shape", "", std::move(shapes)},
          {"to", "to-", std::move(to)},
          {"data", "", {"full-range", "special"}}};
}

bool ScalarOfOneElement(const Setting&, const Labels& labels) {
  return labels["to"] != "scalar" || ElementCount(ParseShape(labels["shape"])) == 1;
}

Draft BuildReshape(const Choice& choice) {
  Draft draft = WithInput(choice);
  const std::string& to = choice["to"];
  Shape& shape = draft.output_shape;
  const int64_t count = ElementCount(shape);
  if (to == "reversed") std::reverse(shape.begin(), shape.end());
  if (to == "flat") shape = {count};
  if (to == "scalar") shape = {};
  if (to == "halves") shape = count % 2 == 0 ? Shape{2, count / 2} : Shape{1, count};
  if (to == "max-rank") {
    shape.resize(static_cast<size_t>(choice.setting.MaxRank()), 1);
  }
  draft.Set("shape", shape);
  return draft;
}

// --- REVERSE

std::vector<Axis> ReverseAxes(const Setting& setting) {
  return {{"shape", "", SomeShapes(setting, false)},
          {"axis", "", {"last", "first", "middle"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildReverse(const Choice& choice) {
  // Called `input` in 0.100.
  Draft draft = WithInput(choice, choice.setting.Takes("input1") ? "input1" : "input");
  draft.Set("axis", AxisNumber(choice["axis"], draft.output_shape));
  return draft;
}

// --- SLICE

std::vector<Axis> SliceAxes(const Setting& setting) {
  return {{"shape", "", SomeShapes(setting, false)},
          {"part", "", {"inner", "all", "start", "end", "last", "mixed"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildSlice(const Choice& choice) {
  Draft draft = WithInput(choice);
  const std::string& part = choice["part"];
  std::vector<int64_t> start, size;
  for (size_t i = 0; i < draft.output_shape.size(); ++i) {
    const int64_t in = draft.output_shape[i];
    const int64_t some = (2 * in + 2) / 3;  // at least 1
    int64_t from = 0, length = in;
    if (part == "inner") from = in / 3, length = std::max<int64_t>(1, in / 2);
    if (part == "start") length = some;
    if (part == "end") from = in - some, length = some;
    if (part == "last") from = in - 1, length = 1;
    if (part == "mixed" && i % 2 == 0) from = in / 2, length = in - in / 2;
    start.push_back(from);
    size.push_back(length);
  }
  draft.output_shape = size;
  draft.Set("start", std::move(start));
  draft.Set("size", std::move(size));
  return draft;
}

// --- TILE

std::vector<Axis> TileAxes(const Setting& setting) {
  return {{"shape", "", {"5x7", "31", "2x3x5", "2x3x2x3", WithMaxRank(setting, "2x1x3x1x3x2")}},
          {"multiples", "", {"uneven", "ones", "first", "last", "twos"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildTile(const Choice& choice) {
  Draft draft = WithInput(choice);
  const std::string& label = choice["multiples"];
  std::vector<int64_t> multiples;
  for (size_t i = 0; i < draft.output_shape.size(); ++i) {
    const bool last = i + 1 == draft.output_shape.size();
    int64_t multiple = 1;
    if (label == "uneven") multiple = 1 + static_cast<int64_t>(i + 1) % 3;
    if ((label == "first" && i == 0) || (label == "last" && last)) multiple = 4;
    // Not along every axis of a high rank: 2^32 copies are too many.
    if (label == "twos" && i + 6 >= draft.output_shape.size()) multiple = 2;
    if (label == "uneven" && i + 6 < draft.output_shape.size()) multiple = 1;
    multiples.push_back(multiple);
    draft.output_shape[i] *= multiple;
  }
  draft.Set("multiples", std::move(multiples));
  return draft;
}

// --- TRANSPOSE

std::vector<Axis> TransposeAxes(const Setting& setting) {
  return {{"shape", "", {"3x5x7", "9x14", "61", "2x3x4x5", WithMaxRank(setting, "2x3x1x2x4x3")}},
          {"perms", "", {"rotated", "reversed", "identity", "swapped"}},
          {"data", "", {"full-range", "special"}}};
}

Draft BuildTranspose(const Choice& choice) {
  Draft draft = WithInput(choice);
  const Shape shape = draft.output_shape;
  const std::string& label = choice["perms"];
  std::vector<int64_t> perms(shape.size());
  std::iota(perms.begin(), perms.end(), 0);
  // A rotation is not its own inverse, unlike the others.
  if (label == "rotated") std::rotate(perms.begin(), perms.begin() + 1, perms.end());
  if (label == "reversed") std::reverse(perms.begin(), perms.end());
  if (label == "swapped" && perms.size() > 1) std::swap(perms.back(), perms[perms.size() - 2]);
  for (size_t i = 0; i < shape.size(); ++i) {
    draft.output_shape[i] = shape[static_cast<size_t>(perms[i])];
  }
  draft.Set("perms", std::move(perms));
  return draft;
}

}  // namespace

Domain ConcatDomain() {
  const Labels two = {{"inputs", "2"}, {"shape", "3x2x5"}, {"axis", "last"}};
  return {ConcatAxes,
          {},
          BuildConcat,
          {{"concat.empty_list", two, nullptr,
            [](const Setting&, Draft& d) { d.list("input1").clear(); }},
           {"concat.axis_range", two, nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{3}); }},
           {"concat.axis_range", two, nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{-1}); }},
           {"concat.rank_mismatch", two, nullptr,
            [](const Setting&, Draft& d) {
              Shape shape = d.list("input1")[1].shape();
              shape.push_back(1);
              Reshape(d.list("input1")[1], shape);
            }},
           {"concat.dimension_mismatch", two, nullptr,
            [](const Setting&, Draft& d) {
              Shape shape = d.list("input1")[1].shape();
              shape[0] += 1;
              Reshape(d.list("input1")[1], shape);
            }},
           {"concat.axis_sum", two, nullptr,
            [](const Setting&, Draft& d) { d.output_shape[2] += 1; }}}};
}

Domain PadDomain() {
  const Labels none = {{"shape", "3x2x5"}, {"padding", "none"}};
  return {PadAxes,
          {RoomForSpecials()},
          BuildPad,
          {{"pad.rank_mismatch", none, nullptr, AddRank},
           // What is taken away at one end is added at the other.
           {"pad.padding_negative", none, nullptr,
            [](const Setting&, Draft& d) { List(d, "padding") = {0, 0, -1, 1, 0, 0}; }},
           {"pad.padding_negative", none, nullptr,
            [](const Setting&, Draft& d) { List(d, "padding") = {0, 0, 0, 0, 1, -1}; }},
           {"pad.output_dimension", none, nullptr,
            [](const Setting&, Draft& d) { d.output_shape[2] += 1; }},
           {"pad.output_dimension", none, nullptr,
            [](const Setting&, Draft& d) { List(d, "padding")[0] = 1; }}}};
}

Domain DimDomain() {
  return {DimAxes,
          {},
          BuildDim,
          {{"dim.axis_range", {{"shape", "3x2x5"}}, nullptr, [](const Setting&, Draft& d) {
              d.Set("axis", int64_t{3});
            }}}};
}

Domain ReshapeDomain() {
  const auto resize = [](const Setting&, Draft& d) {
    d.output_shape[0] += 1;
    d.Set("shape", d.output_shape);
  };
  return {ReshapeAxes,
          {RoomForSpecials(), {{"to", "shape"}, "reshape.size_mismatch", ScalarOfOneElement}},
          BuildReshape,
          {{"reshape.size_mismatch", {{"shape", "9x14"}, {"to", "reversed"}}, nullptr, resize},
           {"reshape.size_mismatch", {{"shape", "61"}, {"to", "flat"}}, nullptr, resize},
           {"graph.output_shape",
            {{"shape", "9x14"}, {"to", "reversed"}},
            nullptr,
            [](const Setting&, Draft& d) {
              d.output_shape = {9, 14};
            }}}};
}

Domain ReverseDomain() {
  return {ReverseAxes,
          {RoomForSpecials()},
          BuildReverse,
          {{"reverse.axis_range",
            {{"shape", "3x5x7"}},
            nullptr,
            [](const Setting&, Draft& d) { d.Set("axis", int64_t{3}); }},
           {"reverse.axis_range", {{"shape", "3x5x7"}}, nullptr, [](const Setting&, Draft& d) {
              d.Set("axis", int64_t{-1});
            }}}};
}

Domain SliceDomain() {
  const Labels start = {{"shape", "3x5x7"}, {"part", "start"}};
  return {SliceAxes,
          {RoomForSpecials()},
          BuildSlice,
          {{"slice.rank_mismatch", start, nullptr, AddRank},
           {"slice.start_negative", start, nullptr,
            [](const Setting&, Draft& d) { List(d, "start")[1] = -1; }},
           {"slice.size_not_positive", start, nullptr,
            [](const Setting&, Draft& d) { List(d, "size")[1] = 0; }},
           {"slice.size_not_positive", start, nullptr,
            [](const Setting&, Draft& d) { List(d, "size")[2] = -1; }},
           {"slice.end_range", start, nullptr,
            [](const Setting&, Draft& d) { List(d, "start")[2] = 7 - List(d, "size")[2] + 1; }},
           {"slice.output_dimension", start, nullptr,
            [](const Setting&, Draft& d) { d.output_shape[2] += 1; }},
           // start and size of one length, which is not the rank.
           {"graph.shape", start, nullptr, [](const Setting&, Draft& d) {
              List(d, "start").pop_back();
              List(d, "size").pop_back();
            }}}};
}

Domain TileDomain() {
  const Labels uneven = {{"shape", "2x3x5"}, {"multiples", "uneven"}};
  return {TileAxes,
          {RoomForSpecials()},
          BuildTile,
          {{"tile.rank_mismatch", uneven, nullptr, AddRank},
           {"tile.output_dimension", uneven, nullptr,
            [](const Setting&, Draft& d) { List(d, "multiples")[1] = 2; }},
           {"tile.output_dimension", uneven, nullptr,
            [](const Setting&, Draft& d) { d.output_shape[2] += 1; }}}};
}

Domain TransposeDomain() {
  const Labels rotated = {{"shape", "3x5x7"}, {"perms", "rotated"}};
  return {TransposeAxes,
          {RoomForSpecials()},
          BuildTranspose,
          {{"transpose.rank_mismatch", rotated, nullptr, AddRank},
           {"transpose.size_mismatch", rotated, nullptr,
            [](const Setting&, Draft& d) { d.output_shape[0] += 1; }},
           {"transpose.perm_too_large", rotated, nullptr,
            [](const Setting&, Draft& d) { List(d, "perms")[2] = 3; }},
           {"transpose.perm_negative", rotated, nullptr,
            [](const Setting&, Draft& d) { List(d, "perms")[2] = -1; }},
           {"transpose.perm_repeated", rotated, nullptr,
            [](const Setting&, Draft& d) { List(d, "perms")[2] = 1; }},
           {"transpose.output_dimension", rotated, nullptr,
            [](const Setting&, Draft& d) { std::swap(d.output_shape[0], d.output_shape[1]); }},
           {"graph.attribute", rotated, nullptr,
            [](const Setting&, Draft& d) { List(d, "perms").pop_back(); }}}};
}

}  // namespace cts

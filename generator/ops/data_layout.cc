// CONCAT, PAD, DIM, RESHAPE, REVERSE, SLICE, TILE, TRANSPOSE.
#include <algorithm>
#include <limits>
#include <numeric>

#include "generator/ops/domain.h"
#include "generator/ops/limits.h"
#include "generator/ops/operands.h"
#include "generator/ops/side_by_side.h"
#include "reference/base/float_format.h"

namespace cts::data_layout_domain {
namespace {

// Shapes of full domains: powers of two, ones, every rank; and one with a dimension beyond 65536,
// for few cases.
constexpr char kLarge[] = "1x65539";
std::vector<std::string> MoreShapes() {
  return {"13x6", "4x8x16", "1x1x64", "2x3x2x4x3", "3x2x4x1x2x5", kLarge};
}

// Whether no enumerator before this one gives the same for a shape: an axis, a permutation, another
// shape. If several do, the first stands for all: the others would be the same case.
template <class Enumerator, class Make>
bool IsFirstOfItsKind(Enumerator own, const Make& make) {
  const auto made = make(own);
  for (int k = 0; k < static_cast<int>(own); ++k) {
    if (make(static_cast<Enumerator>(k)) == made) return false;
  }
  return true;
}

Constraint OneNameForEachAxis() {
  return {{"axis", "shape"},
          "an axis that several names fit has the first of last, first, middle, second",
          [](const Setting&, const Labels& labels) {
            const Shape shape = labels[kShapeAxis];
            const AxisPlace own = labels[kPlaceAxis];
            if (own == AxisPlace::kSecond && shape.size() < 2) return false;
            return IsFirstOfItsKind(own, [&](AxisPlace place) { return AxisNumber(place, shape); });
          }};
}

// The combinations that every operator here excludes; large shapes are for the value `value` of
// axis `axis`.
std::vector<Constraint> Constraints(std::string_view axis, std::string_view value) {
  std::vector<Constraint> constraints = {
      RoomForSpecials(),
      OnlyWith({"shape", kLarge}, {{"data", "full-range"}, {"constant", "none"}},
               "large shapes carry full-range data only, and are no constants"),
      OnlyWith({"shape", kLarge}, {{axis, value}},
               "large shapes are for few values of the other parameters")};
  if (axis == "axis") constraints.push_back(OneNameForEachAxis());
  return constraints;
}

// The greatest rank, with these labels of other axes.
std::vector<LimitCase> RankLimit(std::vector<Axis> (*axes)(const Setting&),
                                 CaseDraft (*build)(const Choice&), const Labels& others = {}) {
  return {{"MAX_RANK", "", {}, nullptr, [=](const Setting& setting, CaseDraft& draft) {
             Labels labels = others;
             labels.Set("shape", WithMaxRank(setting, "7x4x3"));
             draft = BuildAt(draft, axes, build, labels);
           }}};
}

// The number of operands; "2+same": the first two are one tensor.
struct Operands {
  int64_t count;
  bool same;
};
constexpr ParsedAxis<Operands> kInputsAxis{
    "inputs", "n", [](std::string_view label) -> Operands {
      return {ParseNumber(label.substr(0, label.find('+'))), label.ends_with("+same")};
    }};

std::vector<Axis> ConcatAxes(const Setting& setting) {
  std::vector<std::string> counts = {"2", "1", "3"};
  // 0.100 limits no lists.
  if (setting.level->maxima.contains("MAX_TENSOR_LIST_SIZE")) {
    counts.push_back(StrCat(setting.level->Max("MAX_TENSOR_LIST_SIZE")));
  }
  return {kInputsAxis.With(std::move(counts), {"2+same", "5"}),
          kShapeAxis.With({"7x9", "31", "3x2x5", "2x3x4x2", WithMaxRank(setting, "2x3x1x2x3x1")},
                          MoreShapes()),
          kPlaceAxis.All(), ConstantAxis(), kDataAxis.With({"full-range", "special"})};
}

CaseDraft BuildConcat(const Choice& choice) {
  const Shape base = choice[kShapeAxis];
  const DType type = choice.Type("in_out_t");
  const int64_t axis = AxisNumber(choice[kPlaceAxis], base);
  const auto [count, same] = choice[kInputsAxis];
  CaseDraft draft;
  draft.output_type = type;
  draft.output_shape = base;
  draft.output_shape[axis] = 0;
  TensorArgument operand{{}, true, false};
  for (int64_t k = 0; k < count; ++k) {
    Shape shape = base;
    shape[axis] = base[axis] > 65536 && k == 0 ? base[axis] : 1 + (base[axis] + k) % 4;
    draft.output_shape[axis] += shape[axis];
    if (same && k == 0) {  // twice
      draft.output_shape[axis] += shape[axis];
      operand.same_as = "input1";
      ++k;
    }
    operand.tensors.push_back(Filled(choice, StrCat("input1_", k), type, shape));
  }
  operand.constant = choice[kConstantAxis] == Constants::kAll;
  draft.arguments["input1"] = std::move(operand);
  draft.Set("axis", axis);
  return draft;
}

// A draft with `input1` by the choice's shape and data, and an output of the same type.
CaseDraft WithInput(const Choice& choice, std::string_view input = "input1") {
  CaseDraft draft;
  draft.output_type = choice.Type("in_out_t");
  draft.output_shape = choice[kShapeAxis];
  draft.Input(std::string(input), Filled(choice, input, draft.output_type, draft.output_shape),
              choice[kConstantAxis] == Constants::kAll);
  return draft;
}

void AddRank(const Setting&, CaseDraft& draft) { draft.output_shape.push_back(1); }

// --- PAD

enum class Padding { kUneven, kNone, kStart, kEnd, kWide, kLast, kFar };
constexpr ListedAxis<Padding> kPaddingAxis{"padding",
                                           "",
                                           {{"uneven", Padding::kUneven},
                                            {"none", Padding::kNone},
                                            {"start", Padding::kStart},
                                            {"end", Padding::kEnd},
                                            {"wide", Padding::kWide}},
                                           {{"last", Padding::kLast}, {"far", Padding::kFar}}};
enum class PadConst { kRandom, kZero, kLeast, kGreatest, kNegativeZero };
constexpr ListedAxis<PadConst> kPadConstAxis{
    "pad_const",
    "c",
    {{"random", PadConst::kRandom}, {"zero", PadConst::kZero}, {"least", PadConst::kLeast}},
    {{"greatest", PadConst::kGreatest}, {"negative-zero", PadConst::kNegativeZero}}};

std::vector<Axis> PadAxes(const Setting& setting) {
  std::vector<Axis> axes = {
      kShapeAxis.With({"7x9", "31", "3x2x5", "2x3x4x2", WithMaxRank(setting, "2x3x1x2x3x1")},
                      MoreShapes()),
      kPaddingAxis.All(), kPadConstAxis.All(), ConstantAxis()};
  if (!IsFloat(setting.Type("in_out_t"))) axes[2].more.pop_back();
  AddParametersAxis(setting, {"pad_const"}, axes);
  axes.push_back(kDataAxis.With({"full-range", "special"}));
  return axes;
}

CaseDraft BuildPad(const Choice& choice) {
  CaseDraft draft = WithInput(choice);
  const DType type = draft.output_type;
  const Padding kind = choice[kPaddingAxis];
  std::vector<int64_t> padding;
  for (size_t i = 0; i < draft.output_shape.size(); ++i) {
    const int64_t k = static_cast<int64_t>(i);
    int64_t start = kind == Padding::kStart, end = kind == Padding::kEnd;
    if (kind == Padding::kUneven) start = k % 3, end = (k + 2) % 3;
    // Longer than the dimension, along one axis: nothing may wrap around.
    if (kind == Padding::kWide && i == 0) start = draft.output_shape[0] + 2, end = start + 1;
    if (kind == Padding::kLast && i + 1 == draft.output_shape.size()) start = 1, end = 3;
    if (kind == Padding::kFar && i == 0) end = 64;
    padding.push_back(start);
    padding.push_back(end);
    draft.output_shape[i] += start + end;
  }
  draft.Set("padding", std::move(padding));
  Tensor constant(type, {1});
  switch (choice[kPadConstAxis]) {
    case PadConst::kRandom:
      constant = FullRange(choice.Stream("pad_const"), type, {1});
      break;
    case PadConst::kZero:
      break;
    case PadConst::kLeast:
      IsFloat(type) ? constant.SetValue(0, std::numeric_limits<double>::quiet_NaN())
                    : constant.SetInteger(0, IntegerMin(type));
      break;
    case PadConst::kGreatest:
      if (IsFloat(type)) {
        const FloatFormat& format = Format(type);
        constant.SetValue(
            0, format.has_infinity ? std::numeric_limits<double>::infinity() : format.max);
      } else {
        constant.SetInteger(0, IntegerMax(type));
      }
      break;
    case PadConst::kNegativeZero:
      constant.SetValue(0, -0.0);
      break;
  }
  // A constant tensor in 1.0, an attribute in 0.100.
  if (IsFloat(type)) {
    draft.Set("pad_const", constant.Value(0));
  } else {
    draft.Set("pad_const", constant.Integer(0));
  }
  SetParameters(choice, {"pad_const"}, draft);
  return draft;
}

// --- DIM: through a RESHAPE to the one dimension that it yields.

std::vector<Axis> DimAxes(const Setting& setting) {
  return {kShapeAxis.With({"7x9", "31", "3x2x5", WithMaxRank(setting, "2x3x1x2x3x4")},
                          {"4x8x16x2", "5x2x3x7x3", "3x1x64"}),
          kPlaceAxis.All(), kDataAxis.With({"full-range"})};
}

CaseDraft BuildDim(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  const DType type = choice.Type("in_t");
  const int64_t axis = AxisNumber(choice[kPlaceAxis], shape);
  const int64_t size = shape[static_cast<size_t>(axis)];
  CaseDraft draft;
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

// In the order of IsFirstOfItsKind.
enum class To {
  kFlat,
  kSame,
  kReversed,
  kMaxRank,
  kHalves,
  kScalar,
  kRank2,
  kRank3,
  kRank4,
  kRank5
};
constexpr ListedAxis<To> kToAxis{"to",
                                 "to-",
                                 {{"reversed", To::kReversed},
                                  {"flat", To::kFlat},
                                  {"max-rank", To::kMaxRank},
                                  {"halves", To::kHalves},
                                  {"same", To::kSame},
                                  {"scalar", To::kScalar}},
                                 {{"rank-2", To::kRank2},
                                  {"rank-3", To::kRank3},
                                  {"rank-4", To::kRank4},
                                  {"rank-5", To::kRank5}}};

std::vector<Axis> ReshapeAxes(const Setting& setting) {
  std::vector<std::string> shapes = SomeShapes(setting, HasScalars(setting));
  Axis to = kToAxis.All();
  if (HasScalars(setting)) {
    shapes.push_back("1x1");
  } else {
    to.values.pop_back();
  }
  // From every rank, to every rank.
  return {kShapeAxis.With(std::move(shapes), {"4x8x16", "2x3x2x4x3", "2x3x2x2x4x3", kLarge}),
          std::move(to), ConstantAxis(), kDataAxis.With({"full-range", "special"})};
}

bool ScalarOfOneElement(const Setting&, const Labels& labels) {
  return labels[kToAxis] != To::kScalar || ElementCount(labels[kShapeAxis]) == 1;
}

Shape ReshapedTo(const Setting& setting, To to, const Shape& from) {
  Shape shape = from;
  const int64_t count = ElementCount(shape);
  if (to == To::kReversed) std::reverse(shape.begin(), shape.end());
  if (to == To::kFlat) shape = {count};
  if (to == To::kScalar) shape = {};
  if (to == To::kHalves) shape = count % 2 == 0 ? Shape{2, count / 2} : Shape{1, count};
  if (to >= To::kRank2) {
    // The dimensions in the middle together, or ones among them.
    const size_t rank = 2 + static_cast<size_t>(to) - static_cast<size_t>(To::kRank2);
    while (shape.size() < rank) {
      shape.insert(shape.begin() + static_cast<int64_t>((shape.size() + 1) / 2), 1);
    }
    while (shape.size() > rank) {
      shape[0] *= shape[1];
      shape.erase(shape.begin() + 1);
    }
  }
  if (to == To::kMaxRank) shape.resize(static_cast<size_t>(setting.MaxRank()), 1);
  return shape;
}

bool IsFirstTarget(const Setting& setting, const Labels& labels) {
  const Shape shape = labels[kShapeAxis];
  return IsFirstOfItsKind(labels[kToAxis], [&](To to) { return ReshapedTo(setting, to, shape); });
}

CaseDraft BuildReshape(const Choice& choice) {
  CaseDraft draft = WithInput(choice);
  draft.output_shape = ReshapedTo(choice.setting, choice[kToAxis], draft.output_shape);
  draft.Set("shape", draft.output_shape);
  return draft;
}

// --- REVERSE

std::vector<Axis> ReverseAxes(const Setting& setting) {
  return {kShapeAxis.With(SomeShapes(setting, false), MoreShapes()), kPlaceAxis.All(),
          ConstantAxis(), kDataAxis.With({"full-range", "special"})};
}

CaseDraft BuildReverse(const Choice& choice) {
  // Called `input` in 0.100.
  CaseDraft draft = WithInput(choice, choice.setting.Takes("input1") ? "input1" : "input");
  draft.Set("axis", AxisNumber(choice[kPlaceAxis], draft.output_shape));
  return draft;
}

// --- SLICE

enum class Part { kInner, kAll, kStart, kEnd, kLast, kMixed, kFirst, kOneOff };
constexpr ListedAxis<Part> kPartAxis{"part",
                                     "",
                                     {{"inner", Part::kInner},
                                      {"all", Part::kAll},
                                      {"start", Part::kStart},
                                      {"end", Part::kEnd},
                                      {"last", Part::kLast},
                                      {"mixed", Part::kMixed}},
                                     {{"first", Part::kFirst}, {"one-off", Part::kOneOff}}};

std::vector<Axis> SliceAxes(const Setting& setting) {
  return {kShapeAxis.With(SomeShapes(setting, false), MoreShapes()), kPartAxis.All(),
          ConstantAxis(), kDataAxis.With({"full-range", "special"})};
}

CaseDraft BuildSlice(const Choice& choice) {
  CaseDraft draft = WithInput(choice);
  const Part part = choice[kPartAxis];
  std::vector<int64_t> start, size;
  for (size_t i = 0; i < draft.output_shape.size(); ++i) {
    const int64_t in = draft.output_shape[i];
    const int64_t some = (2 * in + 2) / 3;  // at least 1
    int64_t from = 0, length = in;
    if (part == Part::kInner) from = in / 3, length = std::max<int64_t>(1, in / 2);
    if (part == Part::kStart) length = some;
    if (part == Part::kEnd) from = in - some, length = some;
    if (part == Part::kLast) from = in - 1, length = 1;
    if (part == Part::kFirst) length = 1;
    // All axes but the first and the last, if there are more than two.
    if (part == Part::kOneOff && in > 2) from = 1, length = in - 2;
    if (part == Part::kMixed && i % 2 == 0) from = in / 2, length = in - in / 2;
    start.push_back(from);
    size.push_back(length);
  }
  draft.output_shape = size;
  draft.Set("start", std::move(start));
  draft.Set("size", std::move(size));
  return draft;
}

// --- TILE

// In the order of IsFirstOfItsKind.
enum class Multiples { kUneven, kOnes, kFirst, kLast, kTwos, kMany, kMiddle };
constexpr ListedAxis<Multiples> kMultiplesAxis{
    "multiples",
    "",
    {{"uneven", Multiples::kUneven},
     {"ones", Multiples::kOnes},
     {"first", Multiples::kFirst},
     {"last", Multiples::kLast},
     {"twos", Multiples::kTwos}},
    {{"many", Multiples::kMany}, {"middle", Multiples::kMiddle}}};

std::vector<Axis> TileAxes(const Setting& setting) {
  return {kShapeAxis.With({"5x7", "31", "2x3x5", "2x3x2x3", WithMaxRank(setting, "2x1x3x1x3x2")},
                          MoreShapes()),
          kMultiplesAxis.All(), ConstantAxis(), kDataAxis.With({"full-range", "special"})};
}

std::vector<int64_t> MultiplesOf(Multiples kind, const Shape& shape) {
  std::vector<int64_t> multiples;
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool last = i + 1 == shape.size();
    int64_t multiple = 1;
    if (kind == Multiples::kUneven) multiple = 1 + static_cast<int64_t>(i + 1) % 3;
    if ((kind == Multiples::kFirst && i == 0) || (kind == Multiples::kLast && last)) multiple = 4;
    if (kind == Multiples::kMany && i == 0) multiple = 33;
    if (kind == Multiples::kMiddle && i == shape.size() / 2) multiple = 3;
    // A tensor of high rank is not repeated along every axis: 2^32 copies are too many.
    if (kind == Multiples::kTwos && i + 6 >= shape.size()) multiple = 2;
    if (kind == Multiples::kUneven && i + 6 < shape.size()) multiple = 1;
    multiples.push_back(multiple);
  }
  return multiples;
}

bool AreFirstMultiples(const Setting&, const Labels& labels) {
  const Shape shape = labels[kShapeAxis];
  return IsFirstOfItsKind(labels[kMultiplesAxis],
                          [&](Multiples kind) { return MultiplesOf(kind, shape); });
}

CaseDraft BuildTile(const Choice& choice) {
  CaseDraft draft = WithInput(choice);
  std::vector<int64_t> multiples = MultiplesOf(choice[kMultiplesAxis], draft.output_shape);
  for (size_t i = 0; i < multiples.size(); ++i) draft.output_shape[i] *= multiples[i];
  draft.Set("multiples", std::move(multiples));
  return draft;
}

// --- TRANSPOSE

// In the order of IsFirstOfItsKind.
enum class Perms { kIdentity, kRotated, kReversed, kSwapped, kBack, kSwappedFirst, kInterleaved };
constexpr ListedAxis<Perms> kPermsAxis{"perms",
                                       "",
                                       {{"rotated", Perms::kRotated},
                                        {"reversed", Perms::kReversed},
                                        {"identity", Perms::kIdentity},
                                        {"swapped", Perms::kSwapped}},
                                       // With these, all of rank 3.
                                       {{"back", Perms::kBack},
                                        {"swapped-first", Perms::kSwappedFirst},
                                        {"interleaved", Perms::kInterleaved}}};

std::vector<Axis> TransposeAxes(const Setting& setting) {
  return {kShapeAxis.With({"3x5x7", "9x14", "61", "2x3x4x5", WithMaxRank(setting, "2x3x1x2x4x3")},
                          MoreShapes()),
          kPermsAxis.All(), ConstantAxis(), kDataAxis.With({"full-range", "special"})};
}

std::vector<int64_t> PermsOf(Perms kind, const Shape& shape) {
  std::vector<int64_t> perms(shape.size());
  std::iota(perms.begin(), perms.end(), 0);
  // A rotation is not its own inverse, unlike the others.
  if (kind == Perms::kRotated) std::rotate(perms.begin(), perms.begin() + 1, perms.end());
  if (kind == Perms::kReversed) std::reverse(perms.begin(), perms.end());
  if (kind == Perms::kSwapped && perms.size() > 1) std::swap(perms.back(), perms[perms.size() - 2]);
  if (kind == Perms::kBack) std::rotate(perms.begin(), perms.end() - 1, perms.end());
  if (kind == Perms::kSwappedFirst && perms.size() > 1) std::swap(perms[0], perms[1]);
  if (kind == Perms::kInterleaved) {
    // The even axes, then the odd ones.
    std::stable_partition(perms.begin(), perms.end(), [](int64_t axis) { return axis % 2 == 0; });
  }
  return perms;
}

bool ArePermsFirst(const Setting&, const Labels& labels) {
  const Shape shape = labels[kShapeAxis];
  return IsFirstOfItsKind(labels[kPermsAxis], [&](Perms kind) { return PermsOf(kind, shape); });
}

CaseDraft BuildTranspose(const Choice& choice) {
  CaseDraft draft = WithInput(choice);
  const Shape shape = draft.output_shape;
  std::vector<int64_t> perms = PermsOf(choice[kPermsAxis], shape);
  for (size_t i = 0; i < shape.size(); ++i) {
    draft.output_shape[i] = shape[static_cast<size_t>(perms[i])];
  }
  draft.Set("perms", std::move(perms));
  return draft;
}

// A graph for each of these permutations of one rank. The shape is the end of `sizes`.
CaseDraft Transposed(const CaseDraft& draft, const std::vector<std::vector<int64_t>>& all,
                     const Shape& sizes) {
  std::vector<std::pair<std::string, CaseDraft>> drafts;
  for (const std::vector<int64_t>& perms : all) {
    const size_t rank = perms.size();
    const Shape shape(sizes.end() - static_cast<int64_t>(rank), sizes.end());
    CaseDraft one = draft;
    std::string name = "perms";
    for (const int64_t axis : perms) name += StrCat(axis);
    const DType type = draft.output_type;
    one.Input("input1", Filled(*draft.built_from, StrCat("input1 ", name), type, shape));
    one.output_shape.clear();
    for (const int64_t axis : perms) one.output_shape.push_back(shape[static_cast<size_t>(axis)]);
    one.Set("perms", perms);
    drafts.emplace_back(name, std::move(one));
  }
  return SideBySide(draft.built_from->setting, drafts);
}

// Every permutation of ranks 2 to 4, and rotations of ranks 5 and 6: see TransposeRelations.
std::vector<RelationCase> TransposeRelationCases() {
  std::vector<RelationCase> cases;
  for (size_t rank = 2; rank <= 6; ++rank) {
    std::vector<int64_t> perms(rank);
    std::iota(perms.begin(), perms.end(), 0);
    std::vector<std::vector<int64_t>> all;
    do {
      all.push_back(perms);
      if (rank > 4) std::rotate(perms.begin(), perms.begin() + 1, perms.end());
    } while (rank > 4 ? all.size() < rank : std::next_permutation(perms.begin(), perms.end()));
    const auto add = [&](const std::string& name, const Shape& sizes) {
      cases.push_back({name, nullptr, [all, sizes](const Setting&, CaseDraft& draft) {
                         draft = Transposed(draft, all, sizes);
                       }});
    };
    add(StrCat("rank", rank), {2, 3, 4, 5, 2, 3});
    // Each axis ends with a rest, whichever becomes the last.
    if (rank == 4) add("rank4-odd", {7, 3, 9, 5});
  }
  return cases;
}

// --- Shapes of layers, of full domains: rows of 17 and 19 elements are no multiple of a vector.

// The first input and the output of a draft of this shape.
CaseDraft WithShape(const CaseDraft& draft, const Shape& shape) {
  CaseDraft other = draft;
  other.output_shape = shape;
  other.Input("input1", Filled(*draft.built_from, "input1", draft.output_type, shape));
  return other;
}

// A case of full domains that `change` makes of a draft of this shape.
RelationCase OfShape(std::string what, Shape shape, std::function<void(CaseDraft&)> change) {
  return {
      .what = std::move(what),
      .applies = nullptr,
      .change =
          [shape = std::move(shape), change = std::move(change)](const Setting&, CaseDraft& draft) {
            draft = WithShape(draft, shape);
            change(draft);
          },
      .more = true};
}

// The operands have the shape `rows` and after it one of the widths.
RelationCase ConcatOfRows(std::string what, const Shape& rows, const std::vector<int64_t>& widths) {
  const auto change = [=](const Setting&, CaseDraft& draft) {
    TensorArgument operand{{}, true, false};
    draft.output_shape = rows;
    draft.output_shape.push_back(0);
    for (const int64_t width : widths) {
      Shape shape = rows;
      shape.push_back(width);
      operand.tensors.push_back(Filled(*draft.built_from, StrCat("input1_", operand.tensors.size()),
                                       draft.output_type, shape));
      draft.output_shape.back() += width;
    }
    draft.arguments["input1"] = std::move(operand);
    draft.Set("axis", std::ssize(rows));
  };
  return {.what = std::move(what), .applies = nullptr, .change = change, .more = true};
}

std::vector<RelationCase> ConcatRelationCases() {
  return {ConcatOfRows("widths_6_5_1", {2, 3}, {6, 5, 1}),
          ConcatOfRows("widths_17_19", {5}, {17, 19}),
          RelationAt("rank6", ConcatAxes, BuildConcat, {{"shape", kRank6}, {"axis", "middle"}})};
}

RelationCase Padded(std::string what, Shape shape, const std::vector<int64_t>& padding) {
  return OfShape(std::move(what), std::move(shape), [=](CaseDraft& draft) {
    for (size_t i = 0; i < padding.size(); ++i) draft.output_shape[i / 2] += padding[i];
    draft.Set("padding", padding);
  });
}

std::vector<RelationCase> PadRelationCases() {
  return {Padded("image", {2, 5, 6, 19}, {0, 0, 1, 2, 2, 1, 0, 0}),
          Padded("rows", {5, 19}, {0, 0, 3, 2}),
          RelationAt("rank6", PadAxes, BuildPad, {{"shape", kRank6}, {"padding", "start"}})};
}

std::vector<RelationCase> ReverseRelationCases() {
  return {
      RelationAt("middle", ReverseAxes, BuildReverse, {{"shape", "3x17x5"}, {"axis", "middle"}}),
      RelationAt("rows", ReverseAxes, BuildReverse, {{"shape", "5x19"}, {"axis", "last"}}),
      RelationAt("rank6", ReverseAxes, BuildReverse, {{"shape", kRank6}, {"axis", "middle"}})};
}

std::vector<RelationCase> SliceRelationCases() {
  return {OfShape("rows", {5, 29},
                  [](CaseDraft& draft) {
                    draft.output_shape = {3, 19};
                    draft.Set("start", std::vector<int64_t>{1, 5});
                    draft.Set("size", draft.output_shape);
                  }),
          RelationAt("rank6", SliceAxes, BuildSlice, {{"shape", kRank6}, {"part", "mixed"}})};
}

RelationCase Tiled(std::string what, Shape shape, const std::vector<int64_t>& multiples) {
  return OfShape(std::move(what), std::move(shape), [=](CaseDraft& draft) {
    for (size_t i = 0; i < multiples.size(); ++i) draft.output_shape[i] *= multiples[i];
    draft.Set("multiples", multiples);
  });
}

std::vector<RelationCase> TileRelationCases() {
  return {Tiled("last_of_one", {5, 7, 1}, {1, 1, 3}),
          Tiled("last_of_one_19", {5, 7, 1}, {1, 1, 19}),
          Tiled("batch", {1, 3, 4, 10}, {3, 1, 1, 1}), Tiled("image", {2, 3, 4, 10}, {1, 2, 2, 1}),
          RelationAt("rank6", TileAxes, BuildTile, {{"shape", kRank6}, {"multiples", "last"}})};
}

RelationCase TransposedShape(std::string what, const Shape& shape,
                             const std::vector<int64_t>& perms) {
  return OfShape(std::move(what), shape, [=](CaseDraft& draft) {
    for (size_t i = 0; i < perms.size(); ++i) {
      draft.output_shape[i] = shape[static_cast<size_t>(perms[i])];
    }
    draft.Set("perms", perms);
  });
}

std::vector<RelationCase> TransposedLayers() {
  return {TransposedShape("heads", {2, 5, 3, 17}, {0, 2, 1, 3}),
          TransposedShape("channels_first", {2, 5, 6, 19}, {0, 3, 1, 2}),
          TransposedShape("channels_last", {2, 5, 6, 19}, {0, 2, 3, 1}),
          TransposedShape("matrix", {37, 70}, {1, 0}),
          TransposedShape("matrices", {2, 21, 19}, {0, 2, 1})};
}

void OneMore(Tensor& tensor, size_t dimension) {
  Shape shape = tensor.shape();
  shape[dimension] += 1;
  Reshape(tensor, shape);
}

// A negative axis counts from the end.
void Transpose(CaseDraft& draft, const Shape& shape, const std::vector<int64_t>& perms) {
  const int64_t rank = std::ssize(shape);
  Reshape(draft.tensor("input1"), shape);
  draft.Set("perms", perms);
  draft.output_shape.clear();
  for (const int64_t perm : perms) {
    draft.output_shape.push_back(shape[static_cast<size_t>((perm + rank) % rank)]);
  }
}

}  // namespace

Domain ConcatDomain() {
  const Labels two = {{"inputs", "2"}, {"shape", "3x2x5"}, {"axis", "last"}};
  std::vector<Constraint> constraints = Constraints("axis", "last");
  constraints.erase(constraints.begin());  // operands of their own shapes
  constraints.push_back(
      OnlyWith({"shape", kLarge}, {{"inputs", "2"}}, "MAX_TENSOR_LIST_SIZE is for small shapes"));
  return {
      .axes = ConcatAxes,
      .constraints = std::move(constraints),
      .build = BuildConcat,
      .breakers =
          {{"concat.empty_list", two, nullptr,
            [](const Setting&, CaseDraft& d) { d.list("input1").clear(); }},
           {"concat.axis_range", two, nullptr,
            [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{3}); }},
           {"concat.axis_range", two, nullptr,
            [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{-1}); }},
           {"concat.rank_mismatch", two, nullptr,
            [](const Setting&, CaseDraft& d) {
              Shape shape = d.list("input1")[1].shape();
              shape.push_back(1);
              Reshape(d.list("input1")[1], shape);
            }},
           {"concat.dimension_mismatch", two, nullptr,
            [](const Setting&, CaseDraft& d) {
              Shape shape = d.list("input1")[1].shape();
              shape[0] += 1;
              Reshape(d.list("input1")[1], shape);
            }},
           {"concat.axis_sum", two, nullptr,
            [](const Setting&, CaseDraft& d) { d.output_shape[2] += 1; }},
           {"concat.axis_sum", two, nullptr,
            [](const Setting&, CaseDraft& d) { d.output_shape[2] -= 1; }},
           // For those who compare the second input alone, or only the dimensions before the axis.
           More({"concat.dimension_mismatch",
                 {{"inputs", "3"}, {"shape", "3x2x5"}, {"axis", "last"}},
                 nullptr,
                 [](const Setting&, CaseDraft& d) { OneMore(d.list("input1")[2], 1); }}),
           More({"concat.dimension_mismatch",
                 {{"inputs", "2"}, {"shape", "3x2x5"}, {"axis", "first"}},
                 nullptr,
                 [](const Setting&, CaseDraft& d) { OneMore(d.list("input1")[1], 2); }})},
      .limits = {{"MAX_RANK",
                  "",
                  {},
                  nullptr,
                  [](const Setting& setting, CaseDraft& draft) {
                    draft = BuildAt(draft, ConcatAxes, BuildConcat,
                                    {{"shape", WithMaxRank(setting, "7x4x3")}});
                  }},
                 {"MAX_TENSOR_LIST_SIZE",
                  "",
                  {},
                  [](const Setting& setting) {
                    return setting.level->maxima.contains("MAX_TENSOR_LIST_SIZE");
                  },
                  [](const Setting& setting, CaseDraft& draft) {
                    draft =
                        BuildAt(draft, ConcatAxes, BuildConcat,
                                {{"inputs", StrCat(setting.level->Max("MAX_TENSOR_LIST_SIZE"))}});
                  }}},
      .relations = ConcatRelationCases()};
}

Domain PadDomain() {
  const Labels none = {{"shape", "3x2x5"}, {"padding", "none"}};
  std::vector<Constraint> constraints = Constraints("padding", "last");
  constraints.push_back(OnlyWith({"shape", kLarge}, {{"pad_const", "random"}},
                                 "large shapes are for few values of the other parameters"));
  return {
      .axes = PadAxes,
      .constraints = std::move(constraints),
      .build = BuildPad,
      .breakers = {{"pad.rank_mismatch", none, nullptr, AddRank},
                   // As much is added at one end as is taken away at the other.
                   {"pad.padding_negative", none, nullptr,
                    [](const Setting&, CaseDraft& d) { List(d, "padding") = {0, 0, -1, 1, 0, 0}; }},
                   {"pad.padding_negative", none, nullptr,
                    [](const Setting&, CaseDraft& d) { List(d, "padding") = {0, 0, 0, 0, 1, -1}; }},
                   {"pad.output_dimension", none, nullptr,
                    [](const Setting&, CaseDraft& d) { d.output_shape[2] += 1; }},
                   {"pad.output_dimension", none, nullptr,
                    [](const Setting&, CaseDraft& d) { List(d, "padding")[0] = 1; }}},
      // A pad of every one of 32 axes would be too much.
      .limits = RankLimit(PadAxes, BuildPad, {{"padding", "last"}}),
      .relations = PadRelationCases()};
}

Domain DimDomain() {
  return {.axes = DimAxes,
          .constraints = {OneNameForEachAxis()},
          .build = BuildDim,
          .breakers = {{"dim.axis_range",
                        {{"shape", "3x2x5"}},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{3}); }}},
          .limits = RankLimit(DimAxes, BuildDim)};
}

Domain ReshapeDomain() {
  const auto resize = [](const Setting&, CaseDraft& d) {
    d.output_shape[0] += 1;
    d.Set("shape", d.output_shape);
  };
  std::vector<Constraint> constraints = Constraints("to", "flat");
  constraints.push_back({{"to", "shape"}, "reshape.size_mismatch", ScalarOfOneElement});
  constraints.push_back(
      {{"to", "shape"}, "two names of one shape: the case has the other", IsFirstTarget});
  return {
      .axes = ReshapeAxes,
      .constraints = std::move(constraints),
      .build = BuildReshape,
      .breakers =
          {{"reshape.size_mismatch", {{"shape", "9x14"}, {"to", "reversed"}}, nullptr, resize},
           {"reshape.size_mismatch", {{"shape", "61"}, {"to", "flat"}}, nullptr, resize},
           {"graph.output_shape",
            {{"shape", "9x14"}, {"to", "reversed"}},
            nullptr,
            [](const Setting&, CaseDraft& d) {
              d.output_shape = {9, 14};
            }}},
      .limits =
          {{"MAX_RANK",
            "output",
            {{"to", "max-rank"}},
            nullptr,
            [](const Setting&, CaseDraft& draft) {
              draft = BuildAt(draft, ReshapeAxes, BuildReshape, {{"to", "max-rank"}});
            }},
           {"MAX_RANK",
            "input1",
            {},
            nullptr,
            [](const Setting& setting, CaseDraft& draft) {
              const std::string shape = WithMaxRank(setting, "5x12");
              draft = BuildAt(draft, ReshapeAxes, BuildReshape, {{"shape", shape}, {"to", "flat"}});
            }}},
      .relations = {Rank6(ReshapeAxes, BuildReshape)}};
}

Domain ReverseDomain() {
  return {.axes = ReverseAxes,
          .constraints = Constraints("axis", "last"),
          .build = BuildReverse,
          .breakers = {{"reverse.axis_range",
                        {{"shape", "3x5x7"}},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{3}); }},
                       {"reverse.axis_range",
                        {{"shape", "3x5x7"}},
                        nullptr,
                        [](const Setting&, CaseDraft& d) { d.Set("axis", int64_t{-1}); }}},
          .limits = RankLimit(ReverseAxes, BuildReverse),
          .relations = ReverseRelationCases()};
}

Domain SliceDomain() {
  const Labels start = {{"shape", "3x5x7"}, {"part", "start"}};
  std::vector<Constraint> constraints = Constraints("part", "inner");
  constraints.push_back({{"part", "data"},
                         "one element of special values is zero, and every other one of some is as "
                         "well",
                         [](const Setting&, const Labels& labels) {
                           return labels[kDataAxis] != DataSet::kSpecial ||
                                  (labels[kPartAxis] != Part::kFirst &&
                                   labels[kPartAxis] != Part::kLast &&
                                   labels[kPartAxis] != Part::kOneOff);
                         }});
  return {.axes = SliceAxes,
          .constraints = std::move(constraints),
          .build = BuildSlice,
          .breakers = {{"slice.rank_mismatch", start, nullptr, AddRank},
                       {"slice.start_negative", start, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "start")[1] = -1; }},
                       {"slice.size_not_positive", start, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "size")[1] = 0; }},
                       {"slice.size_not_positive", start, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "size")[2] = -1; }},
                       {"slice.end_range", start, nullptr,
                        [](const Setting&, CaseDraft& d) {
                          List(d, "start")[2] = 7 - List(d, "size")[2] + 1;
                        }},
                       {"slice.output_dimension", start, nullptr,
                        [](const Setting&, CaseDraft& d) { d.output_shape[2] += 1; }},
                       // start and size of one length, which is not the rank.
                       {"graph.shape", start, nullptr,
                        [](const Setting&, CaseDraft& d) {
                          List(d, "start").pop_back();
                          List(d, "size").pop_back();
                        }},
                       // As if -1 meant "to the end", and a negative start counted from there.
                       More({"slice.size_not_positive", start, nullptr,
                             [](const Setting&, CaseDraft& d) {
                               List(d, "start") = {0, 0, 2};
                               List(d, "size") = {3, 5, -1};
                               d.output_shape = {3, 5, 5};
                             }}),
                       More({"slice.start_negative", start, nullptr,
                             [](const Setting&, CaseDraft& d) {
                               List(d, "start") = {0, 0, -2};
                               List(d, "size") = {3, 5, 2};
                               d.output_shape = {3, 5, 2};
                             }})},
          .limits = RankLimit(SliceAxes, BuildSlice),
          .relations = SliceRelationCases()};
}

Domain TileDomain() {
  const Labels uneven = {{"shape", "2x3x5"}, {"multiples", "uneven"}};
  std::vector<Constraint> constraints = Constraints("multiples", "ones");
  constraints.push_back({{"multiples", "shape"},
                         "two names of the same multiples: the case has the other",
                         AreFirstMultiples});
  return {.axes = TileAxes,
          .constraints = std::move(constraints),
          .build = BuildTile,
          .breakers = {{"tile.rank_mismatch", uneven, nullptr, AddRank},
                       {"tile.output_dimension", uneven, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "multiples")[1] = 2; }},
                       {"tile.output_dimension", uneven, nullptr,
                        [](const Setting&, CaseDraft& d) { d.output_shape[2] += 1; }}},
          .limits = RankLimit(TileAxes, BuildTile),
          .relations = TileRelationCases()};
}

Domain TransposeDomain() {
  std::vector<RelationCase> relations = TransposeRelationCases();
  for (RelationCase& relation : TransposedLayers()) relations.push_back(std::move(relation));
  const Labels rotated = {{"shape", "3x5x7"}, {"perms", "rotated"}};
  std::vector<Constraint> constraints = Constraints("perms", "rotated");
  constraints.push_back(
      {{"perms", "shape"}, "two names of one permutation: the case has the other", ArePermsFirst});
  return {.axes = TransposeAxes,
          .constraints = std::move(constraints),
          .build = BuildTranspose,
          .breakers = {{"transpose.rank_mismatch", rotated, nullptr, AddRank},
                       {"transpose.size_mismatch", rotated, nullptr,
                        [](const Setting&, CaseDraft& d) { d.output_shape[0] += 1; }},
                       {"transpose.perm_too_large", rotated, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "perms")[2] = 3; }},
                       {"transpose.perm_negative", rotated, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "perms")[2] = -1; }},
                       {"transpose.perm_repeated", rotated, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "perms")[2] = 1; }},
                       {"transpose.output_dimension", rotated, nullptr,
                        [](const Setting&, CaseDraft& d) {
                          std::swap(d.output_shape[0], d.output_shape[1]);
                        }},
                       {"graph.attribute", rotated, nullptr,
                        [](const Setting&, CaseDraft& d) { List(d, "perms").pop_back(); }},
                       // A negative element that counts from the end gives just this output.
                       More({"transpose.perm_negative", rotated, nullptr,
                             [](const Setting&, CaseDraft& d) {
                               Transpose(d, {3, 5, 7}, {1, -1, 0});
                             }}),
                       // Dimensions of one size: nothing but the repetition is wrong.
                       More({"transpose.perm_repeated", rotated, nullptr,
                             [](const Setting&, CaseDraft& d) {
                               Transpose(d, {4, 4}, {0, 0});
                             }}),
                       More({"transpose.perm_repeated", rotated, nullptr,
                             [](const Setting&, CaseDraft& d) {
                               Transpose(d, {5, 5, 5}, {1, 1, 1});
                             }}),
                       More({"transpose.perm_repeated", rotated, nullptr,
                             [](const Setting&, CaseDraft& d) {
                               Transpose(d, {5, 5, 5}, {0, 2, 2});
                             }}),
                       More({"graph.attribute", rotated, nullptr,
                             [](const Setting&, CaseDraft& d) { List(d, "perms").push_back(3); }})},
          .limits = RankLimit(TransposeAxes, BuildTranspose),
          .relations = std::move(relations)};
}

}  // namespace cts::data_layout_domain

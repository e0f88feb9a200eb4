// Graphs that compilers fold or fuse, and graphs that look alike but must not be folded.
#include <algorithm>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "generator/ops/convolution.h"
#include "reference/base/float_format.h"
#include "reference/base/number.h"
#include "reference/ops/facts.h"

namespace cts {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;
using operand_rows::IsI8OrFp32Row;
using operand_rows::TypeOf;

// ---- The type rows that graphs are made for ----------------------------------------------------

// One integer type and one of floating point, for operators that are the same in every type. The
// integer type is i8 for data layout, where each byte counts (IsI8OrFp32Row), and i32 for
// arithmetic; booleans where there is nothing else.
bool IsI32OrFp32Row(const Setting& setting) {
  const DType type = TypeOf(setting);
  return type == DType::kI32 || type == DType::kFp32 ||
         (type == DType::kBool && setting.spec->type_rows.size() == 1);
}

bool IsIntegerOrFp32Row(const Setting& setting) {
  return IsIntegerRow(setting) || TypeOf(setting) == DType::kFp32;
}

// Random data of the choice's set. No arithmetic on two of them overflows i32, nor does NEGATE or
// ABS.
Tensor SmallInput(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  Tensor values = Filled(choice, name, type, shape);
  if (type != DType::kI32) return values;
  for (int64_t i = 0; i < values.size(); ++i) {
    values.SetInteger(i, values.Integer(i) >> (choice.setting.spec->name == "MUL" ? 16 : 1));
  }
  return values;
}

std::vector<int64_t> Sequence(int64_t count) {
  std::vector<int64_t> numbers;
  for (int64_t i = 0; i < count; ++i) numbers.push_back(i);
  return numbers;
}

// ---- PAD into an operator that has a padding of its own ----------------------------------------

// Whether PAD has a value that the operator's padding does not stand for.
constexpr ListedAxis<bool> kOtherPaddingAxis{
    "pad_const", "c", {{"neutral", false}, {"other", true}}};
// Whether the operator pads, too: below and on the right.
constexpr ListedAxis<bool> kBothPadAxis{"where", "", {{"before", false}, {"both", true}}};

// The operator's own axes, but always with padding.
std::vector<Axis> PadAxes(const Setting& setting) {
  std::vector<Axis> axes = OwnAxes(setting, {"pad", "local_bound"});
  AddAxis(axes, kPadAxis.With({"1-0-1-1", "0-1-2-0"}));
  for (Axis& axis : axes) {
    // Pooling pads less than its kernel.
    const bool pools = !setting.Takes("weight");
    if (axis.name == "kernel" && pools) std::erase(axis.values, "1x1");
  }
  AddAxis(axes, kOtherPaddingAxis.With({"neutral"}));
  // The data sets of appendix A have only zeros as padding.
  const bool has_data_sets = DotProductSetNumber(axes.back().values.front()) >= 0;
  if (!has_data_sets) axes[axes.size() - 2].values.push_back("other");
  AddAxis(axes, kBothPadAxis.All());
  return axes;
}

// PAD takes over the operator's padding, or the part above and left.
CaseDraft BuildPad(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  GraphBuilder builder(choice);
  CaseDraft own = OwnDomain(op).build(choice);
  const Tensor input = own.tensor("input");
  const DType type = input.dtype();
  std::vector<int64_t>& pad = List(own, "pad");
  std::vector<int64_t> padding(8, 0);
  for (size_t side = 0; side < 4; ++side) {
    if (choice[kBothPadAxis] && side % 2 == 1) continue;
    std::swap(padding[2 + side], pad[side]);
  }
  // Neutral: the zero point, and for MAX_POOL2D the lowest value.
  AttributeValue value = int64_t{0};
  if (choice[kOtherPaddingAxis]) {
    value = int64_t{3};
  } else if (op == "MAX_POOL2D") {
    value = IsFloat(type) ? AttributeValue(-Format(type).max) : AttributeValue(IntegerMin(type));
  } else if (own.arguments.contains("input_zp")) {
    value = std::get<AttributeValue>(own.arguments.at("input_zp"));
  }
  const Name padded = builder.Apply("PAD", {builder.Input("input", input)},
                                    {{"padding", padding}, {"pad_const", value}});
  own.Known("input", padded);
  CaseDraft draft = builder.Finish(builder.Append(choice.setting, own));
  draft.one_value = own.one_value;
  return draft;
}

GraphDomain Padded(std::string_view name, std::string_view op, bool (*applies)(const Setting&)) {
  return {name, op, applies, [=] {
            return Domain{
                .axes = PadAxes, .constraints = OwnDomain(op).constraints, .build = BuildPad};
          }};
}

// ---- Data layout, there and back ---------------------------------------------------------------

enum class Perms { kRotate, kSwapFirst, kReverse };
constexpr ListedAxis<Perms> kPermsAxis{
    "perms",
    "",
    {{"rotate", Perms::kRotate}, {"swap-first", Perms::kSwapFirst}, {"reverse", Perms::kReverse}}};
// Whether the second TRANSPOSE undoes the first.
constexpr ListedAxis<bool> kInverseAxis{"then", "", {{"inverse", true}, {"rotate", false}}};

std::vector<Axis> TransposeAxes(const Setting& setting) {
  return {kShapeAxis.With({"3x5x7", "2x3x4x5", "6x9", WithMaxRank(setting, "2x3x1x2x4x3")}),
          kPermsAxis.All(), kInverseAxis.All(), kDataAxis.With({"full-range", "special"})};
}

CaseDraft BuildTransposes(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const auto rank = static_cast<int64_t>(shape.size());
  std::vector<int64_t> first = Sequence(rank), second = Sequence(rank);
  const Perms perms = choice[kPermsAxis];
  if (perms == Perms::kRotate) std::rotate(first.begin(), first.begin() + 1, first.end());
  if (perms == Perms::kSwapFirst) std::swap(first[0], first[1]);
  if (perms == Perms::kReverse) std::reverse(first.begin(), first.end());
  if (choice[kInverseAxis]) {
    for (int64_t i = 0; i < rank; ++i)
      second[static_cast<size_t>(first[static_cast<size_t>(i)])] = i;
  } else {
    std::rotate(second.begin(), second.begin() + 1, second.end());
  }
  const Name input = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  const Name there = builder.Apply("TRANSPOSE", {input}, {{"perms", first}});
  return builder.Finish({builder.Apply("TRANSPOSE", {there}, {{"perms", second}})});
}

Domain TransposesDomain() {
  return {.axes = TransposeAxes,
          .constraints = {OnlyWith({"shape", "6x9"}, {{"perms", "rotate"}, {"then", "inverse"}},
                                   "two axes change places, or do not")},
          .build = BuildTransposes};
}

enum class Through { kFlat, kColumn, kMaxRank, kTranspose };
constexpr ListedAxis<Through> kThroughAxis{"through",
                                           "",
                                           {{"flat", Through::kFlat},
                                            {"column", Through::kColumn},
                                            {"max-rank", Through::kMaxRank},
                                            {"transpose", Through::kTranspose}}};
// Whether the last RESHAPE gives the shape of the first operand.
constexpr ListedAxis<bool> kBackAxis{"then", "", {{"back", true}, {"flat", false}}};

std::vector<Axis> ReshapeAxes(const Setting& setting) {
  return {kShapeAxis.With({"3x4x6", "2x3x4x5", "64", WithMaxRank(setting, "2x3x1x2x4x3")}),
          kThroughAxis.All(), kBackAxis.All(), kDataAxis.With({"full-range", "special"})};
}

// Through 1-D, [n, 1], or as many dimensions as are allowed; or with a TRANSPOSE within, which no
// single RESHAPE can replace.
CaseDraft BuildReshapes(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const int64_t count = ElementCount(shape);
  const Name input = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  const Through kind = choice[kThroughAxis];
  Shape through = {count};
  if (kind == Through::kColumn) through = {count, 1};
  if (kind == Through::kTranspose) through = {count / 2, 2};
  if (kind == Through::kMaxRank) {
    through.assign(static_cast<size_t>(choice.setting.MaxRank()), 1);
    through.front() = 2;
    through.back() = count / 2;
  }
  Name between = builder.Apply("RESHAPE", {input}, {{"shape", through}});
  if (kind == Through::kTranspose) {
    between = builder.Apply("TRANSPOSE", {between}, {{"perms", std::vector<int64_t>{1, 0}}});
  }
  return builder.Finish(
      {builder.Apply("RESHAPE", {between}, {{"shape", choice[kBackAxis] ? shape : Shape{count}}})});
}

enum class Order { kKept, kTurned, kOverlapping, kTwice };
constexpr ListedAxis<Order> kOrderAxis{"order",
                                       "",
                                       {{"kept", Order::kKept},
                                        {"turned", Order::kTurned},
                                        {"overlapping", Order::kOverlapping},
                                        {"twice", Order::kTwice}}};
constexpr ListedAxis<bool> kLastAxis{"axis", "a", {{"first", false}, {"last", true}}};

std::vector<Axis> ConcatAxes(const Setting&) {
  return {kShapeAxis.With({"3x5x7", "2x6x4x5", "61"}), kLastAxis.All(), kOrderAxis.All(),
          kDataAxis.With({"full-range", "special"})};
}

// Slices that make up the input again: in another order, with elements twice, or with the same
// slice twice.
CaseDraft BuildConcatOfSlices(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const int64_t axis = choice[kLastAxis] ? static_cast<int64_t>(shape.size()) - 1 : 0;
  const int64_t size = shape[static_cast<size_t>(axis)];
  const Name input = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  const int64_t cut = (size + 1) / 2;
  const auto slice = [&](int64_t begin, int64_t end) {
    std::vector<int64_t> start(shape.size(), 0), sizes = shape;
    start[static_cast<size_t>(axis)] = begin;
    sizes[static_cast<size_t>(axis)] = end - begin;
    return builder.Apply("SLICE", {input}, {{"start", start}, {"size", sizes}});
  };
  const Order order = choice[kOrderAxis];
  const int64_t overlap = order == Order::kOverlapping ? 1 : 0;
  Names slices = {slice(0, cut), slice(cut - overlap, size)};
  if (order == Order::kTurned) std::swap(slices[0], slices[1]);
  if (order == Order::kTwice) slices.push_back(slices[0]);
  return builder.Finish({builder.Apply("CONCAT", slices, {{"axis", axis}})});
}

enum class Cut { kBack, kShifted, kAll };
constexpr ListedAxis<Cut> kCutAxis{
    "slice", "", {{"back", Cut::kBack}, {"shifted", Cut::kShifted}, {"all", Cut::kAll}}};

std::vector<Axis> SliceOfPadAxes(const Setting&) {
  return {kShapeAxis.With({"3x5x7", "2x6x4x5", "61"}), kCutAxis.All(),
          kDataAxis.With({"full-range", "special"})};
}

// SLICE takes a part of a padded tensor: the input, or the input and some of the padding.
CaseDraft BuildSliceOfPad(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const Name input = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  const Cut cut = choice[kCutAxis];
  std::vector<int64_t> padding, start, size = shape;
  for (size_t axis = 0; axis < shape.size(); ++axis) {
    const int64_t before = axis % 2 == 0 ? 1 : 2;
    padding.insert(padding.end(), {before, 1});
    start.push_back(cut == Cut::kBack ? before : cut == Cut::kShifted ? 1 : 0);
    if (cut == Cut::kShifted) start.back() = axis == 0 ? 2 : before;
    if (cut == Cut::kAll) size[axis] += before + 1;
  }
  const Name padded =
      builder.Apply("PAD", {input}, {{"padding", padding}, {"pad_const", int64_t{1}}});
  return builder.Finish({builder.Apply("SLICE", {padded}, {{"start", start}, {"size", size}})});
}

// ---- CAST --------------------------------------------------------------------------------------

// Whether a CAST and the CAST back leave exact values (schemas/editions/notes.md, Graphs). Integers
// and booleans do either way, except i16, which is i32 with fewer bits. Integers do through a
// floating-point type that holds them, and floating point does through a wider type.
bool CastsBack(const Setting& setting) {
  const DType in = setting.Type("in_t"), out = setting.Type("out_t");
  if (in == DType::kI16 || out == DType::kI16) return false;
  const auto& rows = setting.spec->type_rows;
  if (std::none_of(rows.begin(), rows.end(), [&](const TypeRow& row) {
        return row.Type("in_t") == out && row.Type("out_t") == in;
      })) {
    return false;
  }
  if (!IsFloat(out)) return !IsFloat(in);
  if (!IsFloat(in)) return Info(in).bits <= Format(out).fraction_bits + 2;
  return Info(in).bits < Info(out).bits && setting.EditionHas(Feature::kExactWideningCasts);
}

constexpr ParsedAxis<int64_t> kStepsAxis{"steps", "n", ParseNumber};

std::vector<Axis> CastAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kStepsAxis.With({"2", "3"}));
  return axes;
}

CaseDraft BuildCasts(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType in = choice.Type("in_t"), out = choice.Type("out_t");
  const Shape shape = choice[kShapeAxis];
  Tensor values = Filled(choice, "input", in, shape);
  if (out == DType::kBool) {
    // Half of them zero: all others are true.
    Random random = choice.Stream("zeros");
    for (int64_t i = 0; i < values.size(); ++i) {
      if (random.Below(2) == 0) values.SetInteger(i, 0);
    }
  }
  // Half a unit in the last place is half an integer: in a wider type it may cast to the next one.
  for (int64_t i = 0; !IsFloat(in) && IsFloat(out) && i < values.size(); ++i) {
    const int64_t end = int64_t{1} << Format(out).fraction_bits;
    values.SetInteger(i, std::clamp(values.Integer(i), 1 - end, end - 1));
  }
  Name result = builder.Input("input", std::move(values));
  for (int64_t step = 0; step < choice[kStepsAxis]; ++step) {
    result = builder.Apply("CAST", {result}, {}, step % 2 == 0 ? out : in);
  }
  return builder.Finish({result});
}

// ---- Bounds ------------------------------------------------------------------------------------

// Bounds of two CLAMPs, in 64ths of an integer type's range and of 16 for floating point. Bounds
// that lie apart are left out: every result would be one number.
struct Bounds {
  int64_t low, high;
};
constexpr ListedAxis<std::pair<Bounds, Bounds>> kBoundsAxis{
    "bounds",
    "",
    {{"inside", {{-24, 20}, {-12, 17}}},
     {"outside", {{-12, 17}, {-24, 20}}},
     {"overlapping", {{-20, 8}, {-9, 25}}}}};

std::vector<Axis> ClampAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kBoundsAxis.All());
  return axes;
}

AttributeValue BoundValue(DType type, int64_t bound) {
  if (IsFloat(type)) return static_cast<double>(bound) / 4;
  return bound * (IntegerMax(type) / 32);
}

Tensor ClampInput(const Choice& choice, DType type, const Shape& shape) {
  if (IsFloat(type) && choice.data_set() != DataSet::kSpecial) {
    return FloatsBetween(choice.Stream("input"), type, shape, -8, 8);
  }
  return Filled(choice, "input", type, shape);
}

CaseDraft BuildClamps(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  Name result = builder.Input("input", ClampInput(choice, type, shape));
  const auto [first, second] = choice[kBoundsAxis];
  for (const Bounds& bounds : {first, second}) {
    result = builder.Apply(
        "CLAMP", {result},
        {{"min_val", BoundValue(type, bounds.low)}, {"max_val", BoundValue(type, bounds.high)}});
  }
  return builder.Finish({result});
}

enum class MaxMin { kOne, kChannels, kCrossed };
constexpr ListedAxis<MaxMin> kMaxMinAxis{
    "bounds",
    "",
    {{"one", MaxMin::kOne}, {"channels", MaxMin::kChannels}, {"crossed", MaxMin::kCrossed}}};
constexpr ListedAxis<bool> kMaxFirstAxis{"order", "", {{"max-min", true}, {"min-max", false}}};

std::vector<Axis> MaxMinAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kMaxMinAxis.All());
  AddAxis(axes, kMaxFirstAxis.All());
  return axes;
}

// MAXIMUM and MINIMUM with constants. That is CLAMP if each bound is one number and they are in
// order. "crossed": the bounds of a third of the channels are not in order, so the order of the two
// operators decides.
CaseDraft BuildMaxMin(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  const MaxMin bounds = choice[kMaxMinAxis];
  Shape bounds_shape(shape.size(), 1);
  if (bounds != MaxMin::kOne) bounds_shape.back() = shape.back();
  Tensor low(type, bounds_shape), high(type, bounds_shape);
  for (int64_t c = 0; c < low.size(); ++c) {
    int64_t least = -20 + c % 5, most = 18 - c % 7;
    if (bounds == MaxMin::kCrossed && c % 3 == 0) std::swap(least, most);
    if (IsFloat(type)) {
      low.SetValue(c, static_cast<double>(least) / 4);
      high.SetValue(c, static_cast<double>(most) / 4);
    } else {
      low.SetInteger(c, std::get<int64_t>(BoundValue(type, least)));
      high.SetInteger(c, std::get<int64_t>(BoundValue(type, most)));
    }
  }
  const Name least = builder.Constant("low", low), most = builder.Constant("high", high);
  Name result = builder.Input("input", ClampInput(choice, type, shape));
  const bool max_first = choice[kMaxFirstAxis];
  result = builder.Apply(max_first ? "MAXIMUM" : "MINIMUM", {result, max_first ? least : most});
  result = builder.Apply(max_first ? "MINIMUM" : "MAXIMUM", {result, max_first ? most : least});
  return builder.Finish({result});
}

// ---- Operands that change nothing --------------------------------------------------------------

// Whether the constant has one element, and whether it is the second operand.
constexpr ListedAxis<bool> kOneElementAxis{"constant", "c", {{"one", true}, {"full", false}}};
constexpr ListedAxis<bool> kSecondAxis{"side", "", {{"second", true}, {"first", false}}};

std::vector<Axis> NeutralAxes(const Setting& setting) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kOneElementAxis.All());
  AddAxis(axes, kSecondAxis.With({"second"}));
  if (FactsOf(setting.spec->name).commutes) axes[axes.size() - 2].values.push_back("first");
  return axes;
}

// Twice, since a graph of one operator is that operator's own case.
CaseDraft BuildNeutral(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  ExactNumber value = 0;  // ADD, SUB, BITWISE_OR, BITWISE_XOR, LOGICAL_OR, LOGICAL_XOR, shifts
  if (op == "MUL" || op == "INTDIV" || op == "LOGICAL_AND") value = 1;
  if (op == "BITWISE_AND") value = -1;
  if (op == "MAXIMUM") {
    value = IsFloat(type) ? ExactNumber(-Format(type).max) : IntegerMin(type);
  }
  if (op == "MINIMUM") value = IsFloat(type) ? ExactNumber(Format(type).max) : IntegerMax(type);
  const Shape constant_shape = choice[kOneElementAxis] ? Shape(shape.size(), 1) : shape;
  Tensor constant(type, constant_shape);
  for (int64_t i = 0; i < constant.size(); ++i) {
    IsFloat(type) ? constant.SetValue(i, value.Float()) : constant.SetInteger(i, value.Integer());
  }
  const Name neutral = builder.Constant("neutral", constant);
  const Name input = builder.Input("input", Filled(choice, "input", type, shape));
  const bool second = choice[kSecondAxis];
  GraphBuilder::Parameters parameters;
  if (op == "ARITHMETIC_RIGHT_SHIFT") parameters["round"] = true;
  Name result = input;
  // MUL of i8 and i16 gives i32, so it cannot be applied again; a rounded sum cannot either.
  const bool once = IsFloat(type) ? op == "ADD" || op == "SUB" || op == "MUL"
                                  : op == "MUL" && type != DType::kI32;
  for (int i = 0; i < (once ? 1 : 2); ++i) {
    result =
        builder.Apply(op, second ? Names{result, neutral} : Names{neutral, result}, parameters);
  }
  return builder.Finish({result});
}

Domain NeutralDomain() {
  return {.axes = NeutralAxes, .constraints = {RoomForSpecials()}, .build = BuildNeutral};
}

// ---- The same operator twice -------------------------------------------------------------------

std::vector<Axis> TwiceAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kTimesAxis.With({"2", "3"}));
  return axes;
}

CaseDraft BuildTwice(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  GraphBuilder::Parameters parameters;
  if (op == "REVERSE") parameters["axis"] = static_cast<int64_t>(shape.size()) - 1;
  Name result = builder.Input("input", SmallInput(choice, "input", TypeOf(choice.setting), shape));
  for (int64_t i = 0; i < choice[kTimesAxis]; ++i) {
    result = builder.Apply(op, {result}, parameters);
  }
  return builder.Finish({result});
}

Domain TwiceDomain() {
  return {.axes = TwiceAxes, .constraints = {RoomForSpecials()}, .build = BuildTwice};
}

// ---- One tensor as both operands ---------------------------------------------------------------

std::vector<Axis> SameAxes(const Setting& setting) {
  std::vector<Axis> axes = ShapeAndData();
  if (setting.spec->name == "MATMUL") axes[0].values = {"2x7x7", "1x13x13"};
  return axes;
}

CaseDraft BuildSame(const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const Name x = builder.Input("input", SmallInput(choice, "input", TypeOf(choice.setting), shape));
  Names operands = {x, x};
  if (op == "SELECT") {
    operands.insert(
        operands.begin(),
        builder.Input("condition", FullRange(choice.Stream("condition"), DType::kBool, shape)));
  }
  GraphBuilder::Parameters parameters;
  if (op == "CONCAT") parameters["axis"] = int64_t{0};
  return builder.Finish({builder.Apply(op, operands, parameters)});
}

Domain SameDomain() {
  return {.axes = SameAxes, .constraints = {RoomForSpecials()}, .build = BuildSame};
}

bool IsSmallIntegerProduct(const Setting& setting) {
  return IsI8Row(setting) && setting.Type("out_t") == DType::kI32;
}

}  // namespace

std::vector<GraphDomain> FoldedGraphs() {
  return {
      Padded("pad-conv2d", kConv2d, IsIntegerOrFp32Row),
      Padded("pad-depthwise-conv2d", kDepthwise, IsI8Row),
      Padded("pad-avg-pool2d", "AVG_POOL2D", IsIntegerOrFp32Row),
      Padded("pad-max-pool2d", "MAX_POOL2D", IsIntegerOrFp32Row),
      {"transpose-pair", "TRANSPOSE", IsI8OrFp32Row, TransposesDomain},
      {"reshape-chain", "RESHAPE", IsI8OrFp32Row, Plain(ReshapeAxes, BuildReshapes)},
      {"concat-of-slices", "CONCAT", IsI8OrFp32Row, Plain(ConcatAxes, BuildConcatOfSlices)},
      {"slice-of-pad", "SLICE", IsI8OrFp32Row, Plain(SliceOfPadAxes, BuildSliceOfPad)},
      {"cast-chain", "CAST", CastsBack, Plain(CastAxes, BuildCasts, {RoomForSpecials()})},
      {"clamp-clamp", "CLAMP", nullptr, Plain(ClampAxes, BuildClamps, {RoomForSpecials()})},
      {"maximum-minimum", "MAXIMUM", IsI32OrFp32Row,
       Plain(MaxMinAxes, BuildMaxMin, {RoomForSpecials()})},
      {"matmul-with-itself", "MATMUL", IsSmallIntegerProduct, SameDomain},
      {"add-neutral", "ADD", IsI32OrFp32Row, NeutralDomain},
      {"sub-neutral", "SUB", IsI32OrFp32Row, NeutralDomain},
      {"mul-neutral", "MUL", IsI32OrFp32Row, NeutralDomain},
      {"maximum-neutral", "MAXIMUM", IsI32OrFp32Row, NeutralDomain},
      {"minimum-neutral", "MINIMUM", IsI32OrFp32Row, NeutralDomain},
      {"intdiv-neutral", "INTDIV", IsI32OrFp32Row, NeutralDomain},
      {"bitwise-and-neutral", "BITWISE_AND", IsI32OrFp32Row, NeutralDomain},
      {"bitwise-or-neutral", "BITWISE_OR", IsI32OrFp32Row, NeutralDomain},
      {"bitwise-xor-neutral", "BITWISE_XOR", IsI32OrFp32Row, NeutralDomain},
      {"logical-and-neutral", "LOGICAL_AND", IsI32OrFp32Row, NeutralDomain},
      {"logical-or-neutral", "LOGICAL_OR", IsI32OrFp32Row, NeutralDomain},
      {"arithmetic-right-shift-neutral", "ARITHMETIC_RIGHT_SHIFT", IsI32OrFp32Row, NeutralDomain},
      {"negate-twice", "NEGATE", nullptr, TwiceDomain},
      {"bitwise-not-twice", "BITWISE_NOT", IsI32OrFp32Row, TwiceDomain},
      {"logical-not-twice", "LOGICAL_NOT", IsI32OrFp32Row, TwiceDomain},
      {"reverse-twice", "REVERSE", IsI8OrFp32Row, TwiceDomain},
      {"abs-twice", "ABS", IsI32OrFp32Row, TwiceDomain},
      {"add-same", "ADD", nullptr, SameDomain},
      {"mul-same", "MUL", nullptr, SameDomain},
      {"maximum-same", "MAXIMUM", nullptr, SameDomain},
      {"bitwise-and-same", "BITWISE_AND", IsI32OrFp32Row, SameDomain},
      {"select-same", "SELECT", IsI8OrFp32Row, SameDomain},
      {"concat-same", "CONCAT", IsI8OrFp32Row, SameDomain}};
}

}  // namespace cts

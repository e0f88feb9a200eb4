// Graphs in which a tensor has several readers, and rewrites that look right but do not hold. Where
// a graph goes on from a floating-point result, that result is exact: rules bind single operators.
#include <algorithm>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "reference/base/float_format.h"

namespace cts {
namespace dataflow {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;

using operand_rows::IsFloatRow;
using operand_rows::IsI32Row;
using operand_rows::TypeOf;

// Data of the choice's set, in i32 small enough for a sum. Floating point has no subnormal and no
// zero with a sign: operators within a graph may flush the one and lose the other.
Tensor PlainInput(const Choice& choice, std::string_view name, DType type, const Shape& shape) {
  Tensor values = Filled(choice, name, type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    if (type == DType::kI32) values.SetInteger(i, values.Integer(i) >> 2);
    if (!IsFloat(type)) continue;
    if (values.Value(i) == 0) values.SetValue(i, 0);
    if (IsSubnormal(type, values.Value(i))) values.SetValue(i, 1);
  }
  return values;
}

Tensor Splat(DType type, const Shape& shape, int64_t value) {
  Tensor values(type, shape);
  for (int64_t i = 0; i < values.size(); ++i) {
    IsFloat(type) ? values.SetValue(i, static_cast<double>(value)) : values.SetInteger(i, value);
  }
  return values;
}

// ---- A value with several readers --------------------------------------------------------------

// The sum of two tensors; i8 and i16 are added between RESCALEs.
Name Sum(GraphBuilder& builder, const Name& a, const Name& b) {
  const DType type = builder.TypeOf(a);
  if (type != DType::kI8 && type != DType::kI16) return builder.Apply("ADD", {a, b});
  const Name wide_a = builder.Rescale(a, {300.7}, DType::kI32);
  const Name wide_b = builder.Rescale(b, {300.7}, DType::kI32);
  return builder.Rescale(builder.Apply("ADD", {wide_a, wide_b}), {1 / 601.4}, type);
}

constexpr ListedAxis<bool> kApartAxis{"bounds", "", {{"relu", false}, {"apart", true}}};

std::vector<Axis> ResidualAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kApartAxis.All());
  return axes;
}

// x + CLAMP(x), or x + CLAMP(CLAMP(x)) with bounds that lie apart.
CaseDraft BuildResidual(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const auto bound = [&](int64_t value) {
    return IsFloat(type) ? AttributeValue(static_cast<double>(value)) : AttributeValue(value);
  };
  const Name x = builder.Input("input", PlainInput(choice, "input", type, choice[kShapeAxis]));
  Name clamped = builder.Apply("CLAMP", {x}, {{"min_val", bound(1)}, {"max_val", bound(60)}});
  if (choice[kApartAxis]) {
    clamped = builder.Apply("CLAMP", {clamped}, {{"min_val", bound(70)}, {"max_val", bound(90)}});
  }
  return builder.Finish({Sum(builder, x, clamped)});
}

enum class Outputs { kInOrder, kTurned, kWithInput };
constexpr ListedAxis<Outputs> kOutputsAxis{"outputs",
                                           "",
                                           {{"in-order", Outputs::kInOrder},
                                            {"turned", Outputs::kTurned},
                                            {"with-input", Outputs::kWithInput}}};
// Whether some operators have no reader.
constexpr ListedAxis<bool> kDeadAxis{"dead", "", {{"no", false}, {"yes", true}}};

std::vector<Axis> ReadersAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kOutputsAxis.All());
  AddAxis(axes, kDeadAxis.All());
  return axes;
}

// Results that are outputs and are used further, an input that every operator reads, one constant
// for two operators, and the input itself as an output.
CaseDraft BuildReaders(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  const Name x = builder.Input("input", PlainInput(choice, "input", type, shape));
  const Name y = builder.Input("other", PlainInput(choice, "other", type, shape));
  const Name bound = builder.Constant("bound", Splat(type, Shape(shape.size(), 1), 3));
  const Name size = builder.Apply("ABS", {x});
  if (choice[kDeadAxis]) {
    builder.Apply("MINIMUM", {builder.Apply("ABS", {size}), y});
  }
  const Name more = builder.Apply("MAXIMUM", {size, bound});
  const Name least = builder.Apply("MINIMUM", {x, bound});
  const Name sum = builder.Apply("ADD", {x, y});
  Names outputs = {size, more, least, sum};
  if (choice[kOutputsAxis] == Outputs::kTurned) std::reverse(outputs.begin(), outputs.end());
  if (choice[kOutputsAxis] == Outputs::kWithInput) {
    outputs.insert(outputs.begin() + 1, builder.Apply("IDENTITY", {x}));
  }
  return builder.Finish(outputs);
}

enum class Equal { kConstants, kInputs, kOperators, kNearly };
constexpr ListedAxis<Equal> kEqualAxis{"equal",
                                       "",
                                       {{"constants", Equal::kConstants},
                                        {"inputs", Equal::kInputs},
                                        {"operators", Equal::kOperators},
                                        {"nearly", Equal::kNearly}}};

std::vector<Axis> EqualAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kEqualAxis.All());
  return axes;
}

// Two constants, two inputs or two operators that have the same values and are not the same, or
// that differ in one element.
CaseDraft BuildEqual(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  const Equal equal = choice[kEqualAxis];
  const Tensor values = PlainInput(choice, "input", type, shape);
  const Name x = builder.Input("input", values);
  if (equal == Equal::kInputs) {
    const Name y = builder.Input("same", values);
    return builder.Finish({builder.Apply("MAXIMUM", {x, y}), builder.Apply("ADD", {x, y})});
  }
  if (equal == Equal::kOperators) {
    const Name first = builder.Apply("ABS", {x}), second = builder.Apply("ABS", {x});
    return builder.Finish(
        {builder.Apply("MAXIMUM", {first, x}), builder.Apply("ADD", {second, x})});
  }
  Tensor other = Splat(type, shape, 5);
  if (equal == Equal::kNearly) {
    IsFloat(type) ? other.SetValue(other.size() - 1, 7) : other.SetInteger(other.size() - 1, 7);
  }
  const Name first = builder.Constant("first", Splat(type, shape, 5));
  const Name second = builder.Constant("second", other);
  return builder.Finish(
      {builder.Apply("MAXIMUM", {x, first}), builder.Apply("MINIMUM", {x, second})});
}

// A hundred operators in a row, none of which a compiler may leave out.
CaseDraft BuildChain(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  Name result = builder.Input("input", PlainInput(choice, "input", type, shape));
  for (int64_t i = 0; i < 100; ++i) {
    // Each bound cuts off the end of one channel.
    Shape of_bound(shape.size(), 1);
    of_bound.back() = shape.back();
    Tensor bound = Splat(type, of_bound, i % 2 == 0 ? -1000 + i : 1000 - i);
    const int64_t channel = i % bound.size();
    const int64_t value = i % 2 == 0 ? i - 100 : 100 - i;
    IsFloat(type) ? bound.SetValue(channel, static_cast<double>(value))
                  : bound.SetInteger(channel, value);
    result = builder.Apply(i % 2 == 0 ? "MAXIMUM" : "MINIMUM",
                           {result, builder.Constant(StrCat("bound_", i), bound)});
  }
  return builder.Finish({result});
}

Domain ChainDomain() {
  return {.axes = PlainAxes, .constraints = {RoomForSpecials()}, .build = BuildChain};
}

enum class Rescaled { kTwo, kEqual, kOne };
constexpr ListedAxis<Rescaled> kRescaledAxis{
    "operands",
    "",
    {{"two", Rescaled::kTwo}, {"equal", Rescaled::kEqual}, {"one", Rescaled::kOne}}};

std::vector<Axis> RescaledSumAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kRescaledAxis.All());
  return axes;
}

// The sum of two RESCALEs, which is not the RESCALE of a sum: each is rounded by itself. kEqual:
// two RESCALEs of one tensor; kOne: a RESCALE that is read twice.
CaseDraft BuildRescaledSum(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const auto input = [&](const char* name) {
    return builder.Input(name, Filled(choice, name, DType::kI8, shape));
  };
  const auto rescale = [&](const Name& name) { return builder.Rescale(name, {0.37}, DType::kI32); };
  const Name x = input("input");
  const Name first = rescale(x);
  Name second = first;
  if (choice[kRescaledAxis] == Rescaled::kEqual) second = rescale(x);
  if (choice[kRescaledAxis] == Rescaled::kTwo) second = rescale(input("other"));
  return builder.Finish({builder.Apply("ADD", {first, second})});
}

// ---- Rewrites that do not hold -----------------------------------------------------------------

// Down to fewer bits and up again: what was cut off stays so.
CaseDraft BuildDownAndUp(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType narrow = choice.Type("out_t");
  const double factor = narrow == DType::kI8 ? 0x1.8p-24 : 0x1.8p-16;
  const Name input =
      builder.Input("input", Filled(choice, "input", DType::kI32, choice[kShapeAxis]));
  const Name down = builder.Rescale(input, {factor}, narrow);
  return builder.Finish({builder.Rescale(down, {1000}, DType::kI32)});
}

bool IsI32ToNarrow(const Setting& setting) {
  const auto in = setting.row->PlainType("in_t"), out = setting.row->PlainType("out_t");
  return in == DType::kI32 && (out == DType::kI8 || out == DType::kI16);
}

constexpr ListedAxis<bool> kFullZeroAxis{"constant", "c", {{"full", true}, {"one", false}}};

std::vector<Axis> ZeroAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  axes.back().values = {"special"};  // NaN, infinities, zeros of both signs
  AddAxis(axes, kFullZeroAxis.All());
  return axes;
}

// x * 0 is no zero for NaN and infinity.
CaseDraft BuildTimesZero(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  const Shape of_zero = choice[kFullZeroAxis] ? shape : Shape(shape.size(), 1);
  const Name input = builder.Input("input", Filled(choice, "input", type, shape));
  return builder.Finish(
      {builder.Apply("MUL", {input, builder.Constant("zero", Splat(type, of_zero, 0))})});
}

std::vector<Axis> DifferenceAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  axes.back().values = {"special"};
  return axes;
}

// x - x is no zero for NaN and infinity.
CaseDraft BuildDifference(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const Name x = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  return builder.Finish({builder.Apply("SUB", {x, x})});
}

enum class Factor { kSplat, kMinus, kSeveral, kLeast };
constexpr ListedAxis<Factor> kFactorAxis{"constant",
                                         "c",
                                         {{"splat", Factor::kSplat},
                                          {"minus", Factor::kMinus},
                                          {"several", Factor::kSeveral},
                                          {"least", Factor::kLeast}}};

std::vector<Axis> ProductAxes(const Setting&) {
  std::vector<Axis> axes = ShapeAndData();
  AddAxis(axes, kFactorAxis.All());
  return axes;
}

// A product with a constant on one side.
CaseDraft BuildProduct(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  const Factor factor = choice[kFactorAxis];
  Tensor constant = Splat(type, shape, factor == Factor::kMinus ? -1 : 3);
  for (int64_t i = 0; i < constant.size(); ++i) {
    if (factor == Factor::kSeveral) {
      IsFloat(type) ? constant.SetValue(i, static_cast<double>(i % 7 - 3))
                    : constant.SetInteger(i, i % 7 - 3);
    }
    if (factor == Factor::kLeast && !IsFloat(type))
      constant.SetInteger(i, type == DType::kI8 ? -128 : -256);
  }
  Tensor input = Filled(choice, "input", type, shape);
  for (int64_t i = 0; type == DType::kI32 && i < input.size(); ++i) {
    input.SetInteger(i, input.Integer(i) >> 10);
  }
  return builder.Finish({builder.Apply(
      "MUL", {builder.Input("input", std::move(input)), builder.Constant("constant", constant)})});
}

// The product of two constants, rounded by its shift: 3 * 3 with a shift of 1 is 5.
CaseDraft BuildShiftedProduct(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const Name x = builder.Input("input", PlainInput(choice, "input", DType::kI32, shape));
  const Name first = builder.Constant("first", Splat(DType::kI32, shape, 3));
  const Name second = builder.Constant("second", Splat(DType::kI32, shape, 3));
  const Name product = builder.Apply("MUL", {first, second}, {{"shift", int64_t{1}}});
  return builder.Finish({builder.Apply("ADD", {x, product})});
}

// Reversed on the first axis and on the last one.
CaseDraft BuildReverses(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  const Name x = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), shape));
  const Name once = builder.Apply("REVERSE", {x}, {{"axis", int64_t{0}}});
  return builder.Finish(
      {builder.Apply("REVERSE", {once}, {{"axis", static_cast<int64_t>(shape.size()) - 1}})});
}

std::vector<Axis> ReversesAxes(const Setting&) {
  return {kShapeAxis.With({"2x3x4x5", "7x9"}), kDataAxis.With({"full-range", "special"})};
}
Domain ReversesDomain() {
  return {.axes = ReversesAxes, .constraints = {RoomForSpecials()}, .build = BuildReverses};
}

// Where the part begins, in halves of a tensor that was concatenated.
constexpr ListedAxis<int64_t> kPartAxis{
    "part", "", {{"first", 0}, {"second", 2}, {"third", 4}, {"across", 1}}};

std::vector<Axis> PartAxes(const Setting&) {
  return {kShapeAxis.With({"61", "4x15"}), kPartAxis.All(),
          kDataAxis.With({"full-range", "special"})};
}

// A SLICE that is one of the three tensors that were concatenated, or parts of two.
CaseDraft BuildSliceOfConcat(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Shape shape = choice[kShapeAxis];
  Names parts;
  for (const char* name : {"first", "second", "third"}) {
    parts.push_back(builder.Input(name, Filled(choice, name, type, shape)));
  }
  const Name whole = builder.Apply("CONCAT", parts, {{"axis", int64_t{0}}});
  std::vector<int64_t> start(shape.size(), 0);
  start[0] = choice[kPartAxis] * shape[0] / 2;
  return builder.Finish({builder.Apply("SLICE", {whole}, {{"start", start}, {"size", shape}})});
}

std::vector<GraphDomain> Graphs() {
  return {
      {"residual-of-clamp", "CLAMP", nullptr,
       Plain(ResidualAxes, BuildResidual, {RoomForSpecials()})},
      {"several-readers", "ABS", nullptr, Plain(ReadersAxes, BuildReaders, {RoomForSpecials()})},
      {"equal-values", "MAXIMUM", nullptr, Plain(EqualAxes, BuildEqual, {RoomForSpecials()})},
      {"chain-of-hundred", "MINIMUM", nullptr, ChainDomain},
      {"rescales-added", "ADD", IsI32Row,
       Plain(RescaledSumAxes, BuildRescaledSum, {RoomForSpecials()})},
      {"rescale-down-and-up", "RESCALE", IsI32ToNarrow,
       Plain(PlainAxes, BuildDownAndUp, {RoomForSpecials()})},
      {"mul-by-zero", "MUL", IsFloatRow, Plain(ZeroAxes, BuildTimesZero, {RoomForSpecials()})},
      {"mul-by-constant", "MUL", nullptr, Plain(ProductAxes, BuildProduct, {RoomForSpecials()})},
      {"mul-of-splats-with-shift", "MUL", IsI32Row,
       Plain(PlainAxes, BuildShiftedProduct, {RoomForSpecials()})},
      {"sub-of-itself", "SUB", IsFloatRow,
       Plain(DifferenceAxes, BuildDifference, {RoomForSpecials()})},
      {"reverse-two-axes", "REVERSE", nullptr, ReversesDomain},
      {"slice-of-concat", "CONCAT", nullptr,
       Plain(PartAxes, BuildSliceOfConcat, {RoomForSpecials()})}};
}

}  // namespace
}  // namespace dataflow

std::vector<GraphDomain> DataflowGraphs() { return dataflow::Graphs(); }

}  // namespace cts

// COND_IF and WHILE_LOOP with operators of all kinds within, in each other, and with conditions
// that depend on the data; variables over several executions.
//
// A region sees only its inputs. So a value that a body captures is handed to it, and a loop hands
// it on unchanged.
#include <algorithm>
#include <cstdlib>

#include "generator/graphs/control_parts.h"
#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"

namespace cts {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;
using control_parts::AddBelow;
using control_parts::AsCondition;
using control_parts::ConditionAxis;
using control_parts::ConditionInput;
using control_parts::OneInteger;

// The sum of all elements of an i32 tensor, [1].
Name SumOf(GraphBuilder& builder, Name tensor) {
  const auto rank = static_cast<int64_t>(builder.ShapeOf(tensor).size());
  for (int64_t axis = 0; axis < rank; ++axis) {
    tensor = builder.Apply("REDUCE_SUM", {tensor}, {{"axis", axis}});
  }
  return builder.Apply("RESHAPE", {tensor}, {{"shape", Shape{1}}});
}

// The choice's data. Integers are so small that several sums of them fit. Special values that meet
// stand in reverse order in one of the tensors: equal tensors would hide a swap.
Tensor SmallFilled(const Choice& choice, const std::string& tensor, DType type, const Shape& shape,
                   bool reverse = false) {
  Tensor given = Filled(choice, tensor, type, shape);
  Tensor values = given;
  for (int64_t i = 0; i < values.size(); ++i) {
    const int64_t from = reverse ? values.size() - 1 - i : i;
    values.SetBits(i, given.Bits(from));
    if (!IsFloat(type)) values.SetInteger(i, given.Integer(from) >> 4);
  }
  return values;
}

// ---- COND_IF -----------------------------------------------------------------------------------

// Whether a region is handed its weight, or has a constant of its own.
constexpr ListedAxis<bool> kCapturedAxis{"weight", "w", {{"captured", true}, {"const", false}}};

std::vector<Axis> LayerAxes(const Setting& setting) {
  std::vector<Axis> axes = {kTakenAxis.All(), kCapturedAxis.All(),
                            kDataAxis.With({"full-range", "special"})};
  AddAxis(axes, ConditionAxis(setting));
  return axes;
}

// A convolution on one way, a depthwise one on the other, each with its rescale and bounds. The
// condition is computed: it asks whether the sum of the input is above a threshold. The sum just
// exceeds the threshold, or just does not.
CaseDraft BuildLayers(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {1, 5, 6, 4};
  const Name input = builder.Input("input", Filled(choice, "input", DType::kI8, shape));
  const bool captured = choice[kCapturedAxis];
  const Tensor weights[] = {
      IntegersBetween(choice.Stream("then weight"), DType::kI8, {4, 1, 1, 4}, -127, 127),
      IntegersBetween(choice.Stream("else weight"), DType::kI8, {3, 3, 4, 1}, -127, 127)};
  Names operands = {input};
  if (captured) {
    operands.push_back(builder.Constant("then_weight", weights[0]));
    operands.push_back(builder.Input("else_weight", weights[1]));
  }
  for (const bool then : {true, false}) {
    const std::string region = then ? "then" : "else";
    builder.Begin(region);
    const Name x = builder.Parameter(region + "_x", DType::kI8, shape);
    Names given;
    for (size_t k = 0; captured && k < 2; ++k) {
      given.push_back(
          builder.Parameter(StrCat(region, "_weight", k), DType::kI8, weights[k].shape()));
    }
    const size_t own = then ? 0 : 1;
    const Name weight =
        captured ? given[own] : builder.Constant(region + "_constant", weights[own]);
    const Name bias = builder.Constant(
        region + "_bias", IntegersBetween(choice.Stream(region), DType::kI32, {4}, -9999, 9999));
    const Name sum = then ? builder.Apply("CONV2D", {x, weight, bias}, {{"input_zp", int64_t{5}}})
                          : builder.Apply("DEPTHWISE_CONV2D", {x, weight, bias},
                                          {{"pad", std::vector<int64_t>{1, 1, 1, 1}}});
    // 4 and 9 products of up to 2^14, of either sign: most results keep within i8.
    const Name scaled = builder.Rescale(sum, {then ? 0.004 : 0.003}, DType::kI8);
    builder.End({then ? builder.Apply("CLAMP", {scaled},
                                      {{"min_val", int64_t{-100}}, {"max_val", int64_t{90}}})
                      : scaled});
  }
  const Name sum = SumOf(builder, builder.Apply("CAST", {input}, {}, DType::kI32));
  const int64_t value = builder.Values(sum).Integer(0);
  const Name threshold =
      builder.Constant("threshold", OneInteger(choice[kTakenAxis] ? value - 1 : value));
  const Name condition = builder.Apply("GREATER", {sum, threshold});
  return builder.Finish(
      builder.If(AsCondition(builder, choice, condition), operands, "then", "else"));
}

bool HasFloats(const Setting& setting) {
  return setting.Has(setting.edition->ProfileOf(NumberKind::kFloats));
}

// The types of the computed tensors: those of the profiles that may be used.
Axis TypeAxis(const Setting& setting) {
  Axis axis = kTypeAxis.With({});
  if (HasIntegers(setting)) axis.values.push_back("i32");
  if (HasFloats(setting)) axis.values.push_back("fp32");
  return axis;
}

bool HasEither(const Setting& setting) { return HasIntegers(setting) || HasFloats(setting); }

constexpr ListedAxis<bool> kOuterAxis{"outer", "", {{"then", true}, {"else", false}}};
constexpr ListedAxis<bool> kInnerAxis{"inner", "", {{"then", true}, {"else", false}}};

std::vector<Axis> NestedAxes(const Setting& setting) {
  std::vector<Axis> axes = {kOuterAxis.All(), kInnerAxis.All(), TypeAxis(setting),
                            kDataAxis.With({"full-range", "special"})};
  AddAxis(axes, ConditionAxis(setting));
  return axes;
}

// A COND_IF in either graph of a COND_IF: four ways, each with another operator. The inner
// condition is handed in, and negated on one of the ways.
CaseDraft BuildNestedIfs(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {4, 9};
  const DType type = choice[kTypeAxis];
  const auto parameters = [&](const std::string& region, bool with_condition) {
    Names names;
    if (with_condition) {
      names.push_back(builder.Parameter(region + "_c", DType::kBool, choice[kConditionAxis]));
    }
    names.push_back(builder.Parameter(region + "_a", type, shape));
    names.push_back(builder.Parameter(region + "_b", type, shape));
    return names;
  };
  for (const char* op : {"ADD", "SUB", "MAXIMUM", "MINIMUM"}) {
    const std::string region = StrCat("way_", op);
    builder.Begin(region);
    const Names operands = parameters(region, false);
    builder.End({builder.Apply(op, operands)});
  }
  for (const bool then : {true, false}) {
    const std::string region = then ? "then" : "else";
    builder.Begin(region);
    const Names given = parameters(region, true);
    const Name condition = then ? given[0] : builder.Apply("LOGICAL_NOT", {given[0]});
    builder.End(builder.If(condition, {given[1], given[2]}, then ? "way_ADD" : "way_MAXIMUM",
                           then ? "way_SUB" : "way_MINIMUM"));
  }
  const Name outer = ConditionInput(builder, choice, "outer", choice[kOuterAxis]);
  const Name inner = ConditionInput(builder, choice, "inner", choice[kInnerAxis]);
  Names operands = {inner};
  for (const char* name : {"a", "b"}) {
    operands.push_back(builder.Input(name, SmallFilled(choice, name, type, shape, name[0] == 'b')));
  }
  return builder.Finish(builder.If(outer, operands, "then", "else"));
}

// ---- WHILE_LOOP --------------------------------------------------------------------------------

constexpr ParsedAxis<int64_t> kLimitAxis{"limit", "l", ParseNumber};

std::vector<Axis> HalvingAxes(const Setting& setting) {
  std::vector<Axis> axes = {kLimitAxis.With({"100", "1", "999999999"}),  // the last: no iteration
                            kShapeAxis.With({"3x5", "17"}),
                            kDataAxis.With({"full-range", "special"})};
  AddAxis(axes, ConditionAxis(setting));
  return axes;
}

// Halves i32 numbers until the largest magnitude is below a limit, and counts the steps: their
// number depends on the data.
CaseDraft BuildHalving(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  Tensor values = Filled(choice, "x", DType::kI32, shape);
  for (int64_t i = 0; i < values.size(); ++i) values.SetInteger(i, values.Integer(i) >> 3);
  const auto rank = static_cast<int64_t>(shape.size());
  builder.Begin("too_large");
  builder.Parameter("too_large_n", DType::kI32, {1});
  Name most = builder.Apply("ABS", {builder.Parameter("too_large_x", DType::kI32, shape)});
  const Name limit = builder.Parameter("too_large_limit", DType::kI32, {1});
  for (int64_t axis = 0; axis < rank; ++axis) {
    most = builder.Apply("REDUCE_MAX", {most}, {{"axis", axis}});
  }
  most = builder.Apply("RESHAPE", {most}, {{"shape", Shape{1}}});
  builder.End({AsCondition(builder, choice, builder.Apply("GREATER", {most, limit}))});

  builder.Begin("halve");
  const Name n = builder.Parameter("halve_n", DType::kI32, {1});
  const Name x = builder.Parameter("halve_x", DType::kI32, shape);
  const Name same = builder.Parameter("halve_limit", DType::kI32, {1});
  const Name one = builder.Constant("halve_one", OneInteger(1));
  const Name shift =
      builder.Constant("halve_shift", Tensor::OfIntegers(DType::kI32, Shape(shape.size(), 1), {1}));
  const Name next = builder.Apply("ADD", {n, one});
  builder.End({next, builder.Apply("ARITHMETIC_RIGHT_SHIFT", {x, shift}, {{"round", true}}),
               builder.Apply("IDENTITY", {same})});

  const Name count = builder.Input("n", OneInteger(5));
  const Name input = builder.Input("x", std::move(values));
  const Name below = builder.Input("limit", OneInteger(choice[kLimitAxis]));
  return builder.Finish(builder.While({count, input, below}, "too_large", "halve"));
}

std::vector<Axis> TimesAxes(const Setting& setting) {
  std::vector<Axis> axes = {kTimesAxis.With({"3", "1", "0", "6"}),
                            kDataAxis.With({"full-range", "special"})};
  AddAxis(axes, ConditionAxis(setting));
  return axes;
}

enum class Entered { kThen, kElse, kDirectly };
constexpr ListedAxis<Entered> kEnteredAxis{
    "entered",
    "",
    {{"then", Entered::kThen}, {"else", Entered::kElse}, {"directly", Entered::kDirectly}}};

std::vector<Axis> EnteredAxes(const Setting& setting) {
  std::vector<Axis> axes = TimesAxes(setting);
  AddAxis(axes, kEnteredAxis.All());
  return axes;
}

// A COND_IF within the body of a loop, which asks whether the counter is odd; and that loop within
// one graph of a COND_IF, or by itself. Some implementations can nest no deeper.
CaseDraft BuildIfInLoopInIf(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {3, 7};
  const std::pair<DType, Shape> one = {DType::kI32, {1}}, whole = {DType::kI32, shape};
  for (const char* way : {"odd", "even"}) {
    builder.Begin(way);
    const Name a = builder.Parameter(StrCat(way, "_a"), DType::kI32, shape);
    const Name b = builder.Parameter(StrCat(way, "_b"), DType::kI32, shape);
    const bool odd = way[0] == 'o';
    builder.End({builder.Apply(odd ? "ADD" : "SUB", {a, b}),
                 builder.Apply(odd ? "IDENTITY" : "BITWISE_NOT", {b})});
  }
  AddBelow(builder, choice, {one, whole, whole, one});
  builder.Begin("body");
  const Name i = builder.Parameter("body_i", DType::kI32, {1});
  const Name a = builder.Parameter("body_a", DType::kI32, shape);
  const Name b = builder.Parameter("body_b", DType::kI32, shape);
  const Name times = builder.Parameter("body_times", DType::kI32, {1});
  const Name unit = builder.Constant("body_one", OneInteger(1));
  const Name is_odd = builder.Apply("EQUAL", {builder.Apply("BITWISE_AND", {i, unit}), unit});
  const Names chosen = builder.If(AsCondition(builder, choice, is_odd), {a, b}, "odd", "even");
  builder.End(
      {builder.Apply("ADD", {i, unit}), chosen[0], chosen[1], builder.Apply("IDENTITY", {times})});

  const auto inputs = [&] {
    Names names;
    for (const char* name : {"a", "b"}) {
      names.push_back(
          builder.Input(name, SmallFilled(choice, name, DType::kI32, shape, name[0] == 'b')));
    }
    names.push_back(builder.Input("times", OneInteger(choice[kTimesAxis])));
    return names;
  };
  if (choice[kEnteredAxis] == Entered::kDirectly) {
    Names operands = {builder.Constant("zero", OneInteger(0))};
    for (const Name& name : inputs()) operands.push_back(name);
    const Names after = builder.While(operands, "more", "body");
    return builder.Finish({after[1], after[2]});
  }

  builder.Begin("then");
  const Name then_a = builder.Parameter("then_a", DType::kI32, shape);
  const Name then_b = builder.Parameter("then_b", DType::kI32, shape);
  const Name then_times = builder.Parameter("then_times", DType::kI32, {1});
  const Name zero = builder.Constant("then_zero", OneInteger(0));
  const Names after = builder.While({zero, then_a, then_b, then_times}, "more", "body");
  builder.End({after[1], after[2]});
  builder.Begin("else");
  const Name else_a = builder.Parameter("else_a", DType::kI32, shape);
  const Name else_b = builder.Parameter("else_b", DType::kI32, shape);
  builder.Parameter("else_times", DType::kI32, {1});
  builder.End(
      {builder.Apply("MAXIMUM", {else_a, else_b}), builder.Apply("MINIMUM", {else_a, else_b})});

  const Name enter =
      ConditionInput(builder, choice, "enter", choice[kEnteredAxis] == Entered::kThen);
  return builder.Finish(builder.If(enter, inputs(), "then", "else"));
}

constexpr ListedAxis<bool> kSwappedAxis{"state", "", {{"swapped", true}, {"updated", false}}};

std::vector<Axis> ExchangingAxes(const Setting& setting) {
  std::vector<Axis> axes = TimesAxes(setting);
  axes.back().values = {"full-range"};  // special values are the same for both
  AddAxis(axes, kSwappedAxis.All());
  return axes;
}

// Each of two values is made of what the other was before: none may be written over until both are
// made.
CaseDraft BuildExchangingLoop(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {5, 7};
  const std::pair<DType, Shape> one = {DType::kI32, {1}}, whole = {DType::kI32, shape};
  AddBelow(builder, choice, {one, whole, whole, one});
  builder.Begin("body");
  const Name i = builder.Parameter("body_i", DType::kI32, {1});
  const Name a = builder.Parameter("body_a", DType::kI32, shape);
  const Name b = builder.Parameter("body_b", DType::kI32, shape);
  const Name times = builder.Parameter("body_times", DType::kI32, {1});
  const Name unit = builder.Constant("body_one", OneInteger(1));
  const bool swapped = choice[kSwappedAxis];
  const Name next_a = swapped ? builder.Apply("IDENTITY", {b}) : builder.Apply("ADD", {a, b});
  const Name next_b = swapped ? builder.Apply("IDENTITY", {a}) : builder.Apply("SUB", {b, a});
  builder.End(
      {builder.Apply("ADD", {i, unit}), next_a, next_b, builder.Apply("IDENTITY", {times})});

  Names operands = {builder.Constant("zero", OneInteger(0))};
  for (const char* name : {"a", "b"}) {
    operands.push_back(builder.Input(name, SmallFilled(choice, name, DType::kI32, shape)));
  }
  operands.push_back(builder.Input("times", OneInteger(choice[kTimesAxis])));
  const Names after = builder.While(operands, "more", "body");
  return builder.Finish({after[1], after[2]});
}

// The loop's state goes through RESHAPE, TRANSPOSE and ADD: it has the same shape at the end of
// every iteration, another one within.
CaseDraft BuildReshapingLoop(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {4, 6};
  const std::pair<DType, Shape> one = {DType::kI32, {1}}, whole = {DType::kI32, shape};
  AddBelow(builder, choice, {one, whole, whole, one});
  builder.Begin("body");
  const Name i = builder.Parameter("body_i", DType::kI32, {1});
  const Name x = builder.Parameter("body_x", DType::kI32, shape);
  const Name added = builder.Parameter("body_added", DType::kI32, shape);
  const Name times = builder.Parameter("body_times", DType::kI32, {1});
  const Name turned = builder.Apply("TRANSPOSE", {x}, {{"perms", std::vector<int64_t>{1, 0}}});
  const Name flat = builder.Apply("RESHAPE", {turned}, {{"shape", Shape{24}}});
  const Name reversed = builder.Apply("REVERSE", {flat}, {{"axis", int64_t{0}}});
  const Name back = builder.Apply("RESHAPE", {reversed}, {{"shape", shape}});
  const Name unit = builder.Constant("body_one", OneInteger(1));
  builder.End({builder.Apply("ADD", {i, unit}), builder.Apply("ADD", {back, added}),
               builder.Apply("IDENTITY", {added}), builder.Apply("IDENTITY", {times})});

  const Name counter = builder.Input("i", OneInteger(5));
  const Name input = builder.Input("x", SmallFilled(choice, "x", DType::kI32, shape));
  const Name constant =
      builder.Constant("added", SmallFilled(choice, "added", DType::kI32, shape, true));
  const Name limit = builder.Constant("times", OneInteger(5 + choice[kTimesAxis]));
  const Names after = builder.While({counter, input, constant, limit}, "more", "body");
  return builder.Finish({after[1], after[0]});
}

// The number of iterations is that of the flags that are set. The flags are carried and used up one
// by one. No number counts them, so that an implementation of floating point alone can run it.
std::vector<Axis> FlagAxes(const Setting& setting) {
  std::vector<Axis> axes = {kTimesAxis.With({"3", "1", "0", "6"}), TypeAxis(setting),
                            kDataAxis.With({"full-range", "special"})};
  AddAxis(axes, ConditionAxis(setting));
  return axes;
}

CaseDraft BuildFlags(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = choice[kTypeAxis];
  const Shape shape = {5, 8}, flags_shape = {6};
  const auto parameters = [&](const std::string& region) {
    return Names{builder.Parameter(region + "_flags", DType::kBool, flags_shape),
                 builder.Parameter(region + "_x", type, shape),
                 builder.Parameter(region + "_floor", type, shape)};
  };
  builder.Begin("set");
  const Names asked = parameters("set");
  const Name first = builder.Apply(
      "SLICE", {asked[0]}, {{"start", std::vector<int64_t>{0}}, {"size", std::vector<int64_t>{1}}});
  builder.End({AsCondition(builder, choice, first)});
  builder.Begin("body");
  const Names given = parameters("body");
  const Name rest = builder.Apply(
      "SLICE", {given[0]}, {{"start", std::vector<int64_t>{1}}, {"size", std::vector<int64_t>{5}}});
  const Name none = builder.Constant("body_none", Tensor(DType::kBool, {1}));
  const Name flat = builder.Apply("RESHAPE", {given[1]}, {{"shape", Shape{40}}});
  const Name turned = builder.Apply(
      "RESHAPE", {builder.Apply("REVERSE", {flat}, {{"axis", int64_t{0}}})}, {{"shape", shape}});
  builder.End({builder.Apply("CONCAT", {rest, none}, {{"axis", int64_t{0}}}),
               builder.Apply("MAXIMUM", {turned, given[2]}),
               builder.Apply("REVERSE", {given[2]}, {{"axis", int64_t{1}}})});
  Tensor flags(DType::kBool, flags_shape);
  for (int64_t i = 0; i < choice[kTimesAxis]; ++i) flags.SetInteger(i, 1);
  const Names after =
      builder.While({builder.Input("flags", std::move(flags)),
                     builder.Input("x", SmallFilled(choice, "x", type, shape)),
                     builder.Constant("floor", FullRange(choice.Stream("floor"), type, shape))},
                    "set", "body");
  return builder.Finish({after[1], after[2]});
}

// A layer that is applied again and again to its own result: a recurrent network. The weights are
// the body's own, or captured.
std::vector<Axis> RecurrentAxes(const Setting& setting) {
  std::vector<Axis> axes = TimesAxes(setting);
  AddAxis(axes, kCapturedAxis.All());
  return axes;
}

CaseDraft BuildRecurrent(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {1, 4, 8};
  const Tensor weights = IntegersBetween(choice.Stream("weight"), DType::kI8, {1, 8, 8}, -127, 127);
  const bool captured = choice[kCapturedAxis];
  std::vector<std::pair<DType, Shape>> types = {
      {DType::kI32, {1}}, {DType::kI8, shape}, {DType::kI32, {1}}};
  if (captured) types.insert(types.begin() + 2, {DType::kI8, weights.shape()});
  AddBelow(builder, choice, types);
  builder.Begin("body");
  const Name i = builder.Parameter("body_i", DType::kI32, {1});
  const Name x = builder.Parameter("body_x", DType::kI8, shape);
  const Name weight = captured ? builder.Parameter("body_weight", DType::kI8, weights.shape())
                               : builder.Constant("body_constant", weights);
  const Name times = builder.Parameter("body_times", DType::kI32, {1});
  const Name sum = builder.Apply("MATMUL", {x, weight}, {{"A_zp", int64_t{-3}}});
  // 8 products of about 74 * 74 of either sign: most results keep within i8.
  const Name scaled = builder.Rescale(sum, {0.005}, DType::kI8, {{"output_zp", int64_t{-3}}});
  const Name unit = builder.Constant("body_one", OneInteger(1));
  Names after = {builder.Apply("ADD", {i, unit}), scaled};
  if (captured) after.push_back(builder.Apply("IDENTITY", {weight}));
  after.push_back(builder.Apply("IDENTITY", {times}));
  builder.End(after);

  Names operands = {builder.Constant("zero", OneInteger(0)),
                    builder.Input("x", Filled(choice, "x", DType::kI8, shape))};
  if (captured) operands.push_back(builder.Input("weight", weights));
  operands.push_back(builder.Input("times", OneInteger(choice[kTimesAxis])));
  return builder.Finish({builder.While(operands, "more", "body")[1]});
}

// ---- Variables ---------------------------------------------------------------------------------

std::vector<Axis> VariableAxes(const Setting& setting) {
  return {kShapeAxis.With({"4x9", WithMaxRank(setting, "2x3x1x2x4x3")}),
          kExecutionsAxis.With({"3", "1", "4"}), kDataAxis.With({"full-range", "special"})};
}

DType VariableType(const Setting& setting) {
  return *ParseDType(setting.row->types.begin()->second);
}

// An input of every execution.
Name SeriesInput(GraphBuilder& builder, const Choice& choice, const std::string& name, DType type,
                 const Shape& shape) {
  builder.Input(name, Filled(choice, name, type, shape));
  for (int64_t k = 1; k < choice[kExecutionsAxis]; ++k) {
    // Special values are the same every time: rotated, they make one execution differ from the
    // other.
    const Tensor values = Filled(choice, StrCat(name, " ", k), type, shape);
    Tensor turned = values;
    for (int64_t i = 0; i < values.size(); ++i) {
      turned.SetBits(i, values.Bits((i + k) % values.size()));
    }
    builder.NextInput(name, turned);
  }
  return name;
}

// A sum of i8 over the executions, which keeps the low 8 bits. Floating point is left out: a
// rounded sum has no one value from which the next execution could start.
CaseDraft BuildAccumulator(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  builder.Variable("sum", FullRange(choice.Stream("initial"), DType::kI8, shape));
  const Name input = SeriesInput(builder, choice, "input", DType::kI8, shape);
  const Name before = builder.Read("sum");
  const Name after =
      builder.Apply("CAST",
                    {builder.Apply("ADD", {builder.Apply("CAST", {before}, {}, DType::kI32),
                                           builder.Apply("CAST", {input}, {}, DType::kI32)})},
                    {}, DType::kI8);
  builder.Write("sum", after);
  return builder.Finish({after});
}

bool IsI8Variable(const Setting& setting) { return VariableType(setting) == DType::kI8; }

// The latest rows of an input: all stored rows but the first, and one more.
CaseDraft BuildShiftRegister(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = VariableType(choice.setting);
  Shape shape = choice[kShapeAxis];
  const size_t axis = shape.size() - 1;  // of the rows
  builder.Variable("latest", FullRange(choice.Stream("initial"), type, shape));
  Shape row = shape;
  row[axis] = 1;
  const Name input = SeriesInput(builder, choice, "input", type, row);
  std::vector<int64_t> start(shape.size(), 0), size = shape;
  start[axis] = 1, --size[axis];
  const Name kept =
      builder.Apply("SLICE", {builder.Read("latest")}, {{"start", start}, {"size", size}});
  const Name after = builder.Apply("CONCAT", {kept, input}, {{"axis", static_cast<int64_t>(axis)}});
  builder.Write("latest", after);
  return builder.Finish({after});
}

// Two variables that are exchanged element by element: each is written with values of the other.
CaseDraft BuildSwap(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = VariableType(choice.setting);
  const Shape shape = choice[kShapeAxis];
  builder.Variable("left", FullRange(choice.Stream("left"), type, shape));
  builder.Variable("right", FullRange(choice.Stream("right"), type, shape));
  const Name mask = SeriesInput(builder, choice, "mask", DType::kBool, shape);
  const Name left = builder.Read("left"), right = builder.Read("right");
  const Name new_left = builder.Apply("SELECT", {mask, right, left});
  const Name new_right = builder.Apply("SELECT", {mask, left, right});
  builder.Write("left", new_left);
  builder.Write("right", new_right);
  return builder.Finish({new_left, new_right});
}

// A value that was read stays as it was, whatever is written behind it.
CaseDraft BuildReadAndWrite(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = VariableType(choice.setting);
  const Shape shape = choice[kShapeAxis];
  builder.Variable("state", FullRange(choice.Stream("initial"), type, shape));
  const Name mask = SeriesInput(builder, choice, "mask", DType::kBool, shape);
  const Name input = SeriesInput(builder, choice, "input", type, shape);
  const Name before = builder.Read("state");
  const Name after = builder.Apply("SELECT", {mask, input, before});
  builder.Write("state", after);
  const int64_t last = static_cast<int64_t>(shape.size()) - 1;
  return builder.Finish({builder.Apply("REVERSE", {before}, {{"axis", last}}), after});
}

}  // namespace

std::vector<GraphDomain> ControlFlowGraphs() {
  return {
      {"cond-if-layers", "COND_IF", HasIntegers, Plain(LayerAxes, BuildLayers)},
      {"cond-if-in-cond-if", "COND_IF", HasEither, Plain(NestedAxes, BuildNestedIfs)},
      {"cond-if-in-loop-in-cond-if", "COND_IF", HasIntegers, Plain(EnteredAxes, BuildIfInLoopInIf)},
      {"while-loop-halving", "WHILE_LOOP", HasIntegers, Plain(HalvingAxes, BuildHalving)},
      {"while-loop-exchanging", "WHILE_LOOP", HasIntegers,
       Plain(ExchangingAxes, BuildExchangingLoop)},
      {"while-loop-reshaping", "WHILE_LOOP", HasIntegers, Plain(TimesAxes, BuildReshapingLoop)},
      {"while-loop-flags", "WHILE_LOOP", HasEither, Plain(FlagAxes, BuildFlags)},
      {"while-loop-recurrent", "WHILE_LOOP", HasIntegers, Plain(RecurrentAxes, BuildRecurrent)},
      {"variable-accumulator", "VARIABLE", IsI8Variable, Plain(VariableAxes, BuildAccumulator)},
      {"variable-shift-register", "VARIABLE_READ", nullptr,
       Plain(VariableAxes, BuildShiftRegister)},
      {"variable-read-and-write", "VARIABLE_READ", nullptr, Plain(VariableAxes, BuildReadAndWrite)},
      {"variables-swapped", "VARIABLE_WRITE", nullptr, Plain(VariableAxes, BuildSwap)}};
}

}  // namespace cts

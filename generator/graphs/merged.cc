// Pairs of operators on the same operands that differ in one attribute or one constant, or in the
// order of the operands. A compiler that merges equal operators must not merge these.
#include <optional>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"

namespace cts {
namespace merged {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;
using Parameters = GraphBuilder::Parameters;
using operand_rows::SmallNumbers;
using operand_rows::TypeOf;
using operand_rows::ValueOf;
using List = std::vector<int64_t>;

// The attribute or operand that differs.
constexpr ParsedAxis<std::string_view> kDiffersAxis{"differs", "",
                                                    [](std::string_view label) { return label; }};

std::vector<Axis> AxesOf(std::vector<std::string> differs) {
  return AxesWith(kDiffersAxis.With(std::move(differs)));
}

// The same operator twice, with these parameters and those.
Names Twice(GraphBuilder& builder, std::string_view op, const Names& operands,
            const Parameters& first, const Parameters& second) {
  return {builder.Apply(op, operands, first), builder.Apply(op, operands, second)};
}

// ---- Attributes --------------------------------------------------------------------------------

std::vector<Axis> ClampAxes(const Setting&) { return AxesOf({"max_val", "min_val"}); }

CaseDraft BuildClamps(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const bool is_max = choice.labels.Is(kDiffersAxis, "max_val");
  const Name x = builder.Input("input", SmallNumbers(choice, "input", type, {3, 31}, 15));
  return builder.Finish(Twice(
      builder, "CLAMP", {x}, {{"min_val", ValueOf(type, -6)}, {"max_val", ValueOf(type, 6)}},
      {{"min_val", ValueOf(type, is_max ? -6 : -2)}, {"max_val", ValueOf(type, is_max ? 2 : 6)}}));
}

std::vector<Axis> AlongAxes(const Setting&) { return AxesOf({"axis"}); }

// Along either axis of a square.
CaseDraft BuildAlong(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const std::string& op = choice.setting.spec->name;
  const Name x = builder.Input("input", SmallNumbers(choice, "input", type, {6, 6}, 15));
  if (op != "CONCAT") {
    return builder.Finish(Twice(builder, op, {x}, {{"axis", int64_t{0}}}, {{"axis", int64_t{1}}}));
  }
  const Name y = builder.Input("other", SmallNumbers(choice, "other", type, {6, 6}, 15));
  return builder.Finish(Twice(builder, op, {x, y}, {{"axis", int64_t{0}}}, {{"axis", int64_t{1}}}));
}

Domain AlongDomain() { return {.axes = AlongAxes, .build = BuildAlong}; }

std::vector<Axis> CastAxes(const Setting&) { return AxesOf({"type"}); }

// To i8, which keeps the low bits, and to i16.
CaseDraft BuildCasts(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", SmallNumbers(choice, "input", DType::kI32, {3, 31}, 999));
  return builder.Finish(
      {builder.Apply("CAST", {x}, {}, DType::kI8), builder.Apply("CAST", {x}, {}, DType::kI16)});
}

std::vector<Axis> ShiftAxes(const Setting&) { return AxesOf({"round"}); }

CaseDraft BuildShifts(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const Name x = builder.Input("input", Filled(choice, "input", type, {3, 31}));
  const Name bits = builder.Constant("bits", Tensor::OfIntegers(type, {1, 1}, {2}));
  return builder.Finish(
      Twice(builder, "ARITHMETIC_RIGHT_SHIFT", {x, bits}, {{"round", true}}, {{"round", false}}));
}

// ---- Constants ---------------------------------------------------------------------------------

std::vector<Axis> RescaleAxes(const Setting&) {
  return AxesOf({"multiplier", "shift", "input_zp", "output_zp"});
}

CaseDraft BuildRescales(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI8, {3, 31}));
  Names outputs;
  for (const bool second : {false, true}) {
    const auto changed = [&](const char* what) {
      return second && choice.labels.Is(kDiffersAxis, what);
    };
    const double factor = changed("multiplier") ? 0.61 : changed("shift") ? 0.41 : 0.82;
    outputs.push_back(builder.Rescale(x, {factor}, DType::kI8,
                                      {{"input_zp", int64_t{changed("input_zp") ? -9 : 4}},
                                       {"output_zp", int64_t{changed("output_zp") ? 21 : -13}}}));
  }
  return builder.Finish(outputs);
}

std::vector<Axis> ProductAxes(const Setting&) { return AxesOf({"shift"}); }

CaseDraft BuildProducts(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", SmallNumbers(choice, "input", DType::kI32, {3, 31}, 9999));
  const Name y = builder.Input("other", SmallNumbers(choice, "other", DType::kI32, {3, 31}, 9999));
  return builder.Finish(
      Twice(builder, "MUL", {x, y}, {{"shift", int64_t{3}}}, {{"shift", int64_t{4}}}));
}

std::vector<Axis> PadAxes(const Setting&) { return AxesOf({"pad_const", "padding"}); }

CaseDraft BuildPads(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const bool is_place = choice.labels.Is(kDiffersAxis, "padding");
  const Name x = builder.Input("input", Filled(choice, "input", type, {4, 5}));
  return builder.Finish(Twice(builder, "PAD", {x},
                              {{"padding", List{1, 0, 2, 1}}, {"pad_const", ValueOf(type, 5)}},
                              {{"padding", is_place ? List{0, 1, 1, 2} : List{1, 0, 2, 1}},
                               {"pad_const", ValueOf(type, is_place ? 5 : 7)}}));
}

std::vector<Axis> ShapeAxes(const Setting&) { return AxesOf({"shape"}); }

// RESHAPE and TILE, to as many elements in another shape.
CaseDraft BuildShapes(const Choice& choice) {
  GraphBuilder builder(choice);
  const bool tiles = choice.setting.spec->name == "TILE";
  const Name x = builder.Input("input", Filled(choice, "input", TypeOf(choice.setting), {6, 6}));
  return builder.Finish(
      tiles ? Twice(builder, "TILE", {x}, {{"multiples", List{2, 1}}}, {{"multiples", List{1, 2}}})
            : Twice(builder, "RESHAPE", {x}, {{"shape", Shape{4, 9}}}, {{"shape", Shape{9, 4}}}));
}

Domain ShapeDomain() { return {.axes = ShapeAxes, .build = BuildShapes}; }

std::vector<Axis> TableAxes(const Setting&) { return AxesOf({"table", "one-entry"}); }

// Two tables, or two that differ in the entry of one number.
CaseDraft BuildTables(const Choice& choice) {
  GraphBuilder builder(choice);
  const Tensor first = FullRange(choice.Stream("first"), DType::kI8, {256});
  Tensor second = FullRange(choice.Stream("second"), DType::kI8, {256});
  if (choice.labels.Is(kDiffersAxis, "one-entry")) {
    second = first;
    second.SetInteger(200, first.Integer(200) ^ 1);
  }
  Tensor values = Filled(choice, "input", DType::kI8, {3, 31});
  values.SetInteger(17, 200 - 128);
  const Name x = builder.Input("input", std::move(values));
  return builder.Finish({builder.Apply("TABLE", {x, builder.Constant("first", first)}),
                         builder.Apply("TABLE", {x, builder.Constant("second", second)})});
}

std::vector<Axis> ConvolutionAxes(const Setting&) {
  return AxesOf({"weight", "bias", "input_zp", "weight_zp", "pad", "dilation"});
}

CaseDraft BuildConvolutions(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI8, {1, 6, 7, 3}));
  const auto constant = [&](const std::string& name, DType type, const Shape& shape, int64_t most) {
    return builder.Constant(name, IntegersBetween(choice.Stream(name), type, shape, -most, most));
  };
  const Name weight = constant("weight", DType::kI8, {4, 2, 2, 3}, 127);
  const Name bias = constant("bias", DType::kI32, {4}, 9999);
  Names outputs;
  for (const bool second : {false, true}) {
    const auto changed = [&](const char* what) {
      return second && choice.labels.Is(kDiffersAxis, what);
    };
    const Name own_weight =
        changed("weight") ? constant("second_weight", DType::kI8, {4, 2, 2, 3}, 127) : weight;
    const Name own_bias = changed("bias") ? constant("second_bias", DType::kI32, {4}, 9999) : bias;
    outputs.push_back(
        builder.Apply("CONV2D", {x, own_weight, own_bias},
                      {{"input_zp", int64_t{changed("input_zp") ? -9 : 4}},
                       {"weight_zp", int64_t{changed("weight_zp") ? 3 : 0}},
                       {"dilation", changed("dilation") ? List{2, 2} : List{1, 1}},
                       {"pad", changed("pad") ? List{0, 1, 0, 1} : List{1, 0, 1, 0}}}));
  }
  return builder.Finish(outputs);
}

// ---- The order of operands ---------------------------------------------------------------------

std::vector<Axis> OrderAxes(const Setting&) { return AxesOf({"order"}); }

// op(a, b) and op(b, a), on squares.
CaseDraft BuildOrder(const Choice& choice) {
  GraphBuilder builder(choice);
  const std::string& op = choice.setting.spec->name;
  const DType type = TypeOf(choice.setting);
  const Shape shape = op == "MATMUL" ? Shape{2, 5, 5} : Shape{5, 5};
  Names operands;
  for (const char* name : {"input", "other"}) {
    Tensor values = SmallNumbers(choice, name, type, shape, 8);
    for (int64_t i = 0; i < values.size(); ++i) {
      if (op == "INTDIV") values.SetInteger(i, values.Integer(i) * 7 + 3);
      // Shifts are from 0 to 7.
      if (op == "LOGICAL_LEFT_SHIFT") values.SetInteger(i, values.Integer(i) & 7);
    }
    operands.push_back(builder.Input(name, std::move(values)));
  }
  const auto type_of_output =
      op == "MATMUL" ? std::optional<DType>(choice.Type("out_t")) : std::nullopt;
  const Parameters axis = op == "CONCAT" ? Parameters{{"axis", int64_t{0}}} : Parameters{};
  return builder.Finish({builder.Apply(op, operands, axis, type_of_output),
                         builder.Apply(op, {operands[1], operands[0]}, axis, type_of_output)});
}

Domain OrderDomain() { return {.axes = OrderAxes, .build = BuildOrder}; }

std::vector<GraphDomain> Graphs() {
  using operand_rows::IsFloatOrI32Row, operand_rows::IsI32Row, operand_rows::IsI32ToI8,
      operand_rows::IsI8ByI8, operand_rows::IsI8OrFp32Row, operand_rows::IsI8ToI8,
      operand_rows::IsIntegerOrFloatRow;
  const auto i8_i32_or_fp32 = [](const Setting& setting) {
    return IsI8OrFp32Row(setting) || TypeOf(setting) == DType::kI32;
  };
  return {{"clamps-unequal", "CLAMP", nullptr, Plain(ClampAxes, BuildClamps)},
          {"reduce-sums-unequal", "REDUCE_SUM", i8_i32_or_fp32, AlongDomain},
          {"reduce-maxima-unequal", "REDUCE_MAX", i8_i32_or_fp32, AlongDomain},
          {"reduce-minima-unequal", "REDUCE_MIN", i8_i32_or_fp32, AlongDomain},
          {"argmaxes-unequal", "ARGMAX", i8_i32_or_fp32, AlongDomain},
          {"concats-unequal", "CONCAT", IsI8OrFp32Row, AlongDomain},
          {"casts-unequal", "CAST", IsI32ToI8, Plain(CastAxes, BuildCasts)},
          {"shifts-unequal", "ARITHMETIC_RIGHT_SHIFT", nullptr, Plain(ShiftAxes, BuildShifts)},
          {"rescales-unequal", "RESCALE", IsI8ToI8, Plain(RescaleAxes, BuildRescales)},
          {"muls-unequal", "MUL", IsI32Row, Plain(ProductAxes, BuildProducts)},
          {"pads-unequal", "PAD", IsI8OrFp32Row, Plain(PadAxes, BuildPads)},
          {"reshapes-unequal", "RESHAPE", IsI8OrFp32Row, ShapeDomain},
          {"tiles-unequal", "TILE", IsI8OrFp32Row, ShapeDomain},
          {"tables-unequal", "TABLE", IsI8Row, Plain(TableAxes, BuildTables)},
          {"conv2ds-unequal", kConv2d, IsI8ByI8, Plain(ConvolutionAxes, BuildConvolutions)},
          {"subs-turned", "SUB", IsFloatOrI32Row, OrderDomain},
          {"intdivs-turned", "INTDIV", nullptr, OrderDomain},
          {"left-shifts-turned", "LOGICAL_LEFT_SHIFT", IsI32Row, OrderDomain},
          {"concats-turned", "CONCAT", IsI8OrFp32Row, OrderDomain},
          {"matmuls-turned", "MATMUL", IsIntegerOrFloatRow, OrderDomain}};
}

}  // namespace
}  // namespace merged

std::vector<GraphDomain> MergedGraphs() { return merged::Graphs(); }

}  // namespace cts

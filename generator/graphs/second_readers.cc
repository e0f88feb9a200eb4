// Results that a fusion would swallow and that are read once more: accumulators, padded tensors,
// transposed ones. Zero points that meet and differ, and the edge between two convolutions.
#include <algorithm>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "generator/graphs/quantized_layers.h"

namespace cts {
namespace second_readers {
namespace {

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;
using Parameters = GraphBuilder::Parameters;
using operand_rows::IsI8ByI8;
using operand_rows::TypeOf;

std::vector<int64_t> Ones(size_t count) { return std::vector<int64_t>(count, 1); }

// RESCALE by which the greatest magnitude becomes this part of the greatest number.
Name ScaledTo(GraphBuilder& builder, const Name& x, double part, DType type, int64_t zero_point) {
  const double factor =
      part * static_cast<double>(IntegerMax(type)) / quantized::Largest(builder.Values(x));
  return builder.Rescale(x, {factor}, type, {{"output_zp", zero_point}});
}

// A convolution with constant weights, of the row's type if it has one, and a constant bias.
Name Convolve(GraphBuilder& builder, const Choice& choice, std::string_view op, const Name& x,
              const Shape& shape, const std::string& label, const Parameters& parameters) {
  const DType type = choice.setting.row->PlainType("weight_t").value_or(DType::kI8);
  const DType sums = builder.TypeOf(x) == DType::kI16 ? DType::kI48 : DType::kI32;
  const int64_t most = std::min<int64_t>(IntegerMax(type), 127);
  const int64_t channels = op == kDepthwise ? shape[2] * shape[3] : shape[0];
  const Name weight =
      builder.Constant(label + "_weight",
                       IntegersBetween(choice.Stream(label + "_weight"), type, shape, -most, most));
  const Name bias = builder.Constant(
      label + "_bias",
      IntegersBetween(choice.Stream(label + "_bias"), sums, {channels}, -9999, 9999));
  return builder.Apply(op, {x, weight, bias}, parameters);
}

// ---- Accumulators ------------------------------------------------------------------------------

// What a RESCALE follows in networks: a sum of products, or arithmetic in i32.
Name Accumulate(GraphBuilder& builder, const Choice& choice) {
  const std::string& op = choice.setting.spec->name;
  const DType type = TypeOf(choice.setting);
  const auto input = [&](const char* name, const Shape& shape) {
    return builder.Input(name, type == DType::kI32
                                   ? operand_rows::SmallNumbers(choice, name, type, shape, 9999)
                                   : Filled(choice, name, type, shape));
  };
  const int64_t zero_point = type == DType::kI8 ? 3 : 0;
  if (op == "MATMUL") {
    return builder.Apply("MATMUL", {input("input", {2, 5, 7}), input("other", {2, 7, 6})},
                         {{"A_zp", zero_point}});
  }
  if (op == "REDUCE_SUM") {
    return builder.Apply(op, {input("input", {4, 5, 6})}, {{"axis", int64_t{1}}});
  }
  if (op == "AVG_POOL2D") {
    return builder.Apply(op, {input("input", {1, 6, 7, 5})},
                         {{"kernel", std::vector<int64_t>{2, 3}}});
  }
  if (op == "CONV3D") {
    return Convolve(builder, choice, op, input("input", {1, 4, 5, 6, 3}), {4, 2, 2, 2, 3}, "sum",
                    {{"input_zp", zero_point},
                     {"pad", std::vector<int64_t>(6, 0)},
                     {"stride", Ones(3)},
                     {"dilation", Ones(3)}});
  }
  if (op == kDepthwise) {
    return Convolve(builder, choice, op, input("input", {1, 6, 7, 5}), {3, 3, 5, 2}, "sum",
                    {{"input_zp", zero_point}, {"pad", Ones(4)}});
  }
  if (op == kConv2d) {
    return Convolve(builder, choice, op, input("input", {1, 6, 7, 5}), {4, 3, 3, 5}, "sum",
                    {{"input_zp", zero_point}, {"pad", Ones(4)}});
  }
  return builder.Apply(op, {input("input", {3, 5, 7}), input("other", {3, 5, 7})});
}

constexpr ListedAxis<bool> kReturnedAxis{"readers", "", {{"output", true}, {"rescales", false}}};
std::vector<Axis> AccumulatorAxes(const Setting&) { return AxesWith(kReturnedAxis.All()); }

// The accumulator is rescaled, and is an output as well or goes to another RESCALE, with another
// scale and another zero point.
CaseDraft BuildAccumulator(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name sum = Accumulate(builder, choice);
  const DType narrow = TypeOf(choice.setting) == DType::kI16 ? DType::kI16 : DType::kI8;
  const int64_t zero_point = narrow == DType::kI8 ? -11 : 0;
  const Name scaled = ScaledTo(builder, sum, 1.25, narrow, zero_point);
  if (choice[kReturnedAxis]) return builder.Finish({scaled, sum});
  return builder.Finish({scaled, ScaledTo(builder, sum, 0.625, narrow, -zero_point)});
}

Domain AccumulatorDomain() { return {.axes = AccumulatorAxes, .build = BuildAccumulator}; }

// ---- Other results -----------------------------------------------------------------------------

enum class Reader { kMaximum, kPool, kReversed };
constexpr ListedAxis<Reader> kReaderAxis{
    "reader",
    "",
    {{"maximum", Reader::kMaximum}, {"pool", Reader::kPool}, {"reversed", Reader::kReversed}}};
std::vector<Axis> PaddedAxes(const Setting&) { return AxesWith(kReaderAxis.All()); }

// A padded tensor goes into a convolution, which could pad for itself, and to another reader.
CaseDraft BuildPadded(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI8, {1, 5, 6, 4}));
  const Name padded = builder.Apply(
      "PAD", {x},
      {{"padding", std::vector<int64_t>{0, 0, 1, 1, 1, 1, 0, 0}}, {"pad_const", int64_t{97}}});
  const Name sum =
      Convolve(builder, choice, kConv2d, padded, {3, 3, 3, 4}, "sum", {{"input_zp", int64_t{97}}});
  const Reader reader = choice[kReaderAxis];
  Name other;
  if (reader == Reader::kMaximum)
    other = builder.Apply("REDUCE_MAX", {padded}, {{"axis", int64_t{1}}});
  if (reader == Reader::kPool) {
    other = builder.Apply("MAX_POOL2D", {padded}, {{"kernel", std::vector<int64_t>{2, 2}}});
  }
  if (reader == Reader::kReversed)
    other = builder.Apply("REVERSE", {padded}, {{"axis", int64_t{2}}});
  return builder.Finish({ScaledTo(builder, sum, 1.25, DType::kI8, 5), other});
}

constexpr ListedAxis<bool> kThenClampAxis{"then", "", {{"clamp", true}, {"rescale", false}}};
std::vector<Axis> RescaledAxes(const Setting&) { return AxesWith(kThenClampAxis.All()); }

// The tensor that is clamped or rescaled again is an output as well.
CaseDraft BuildRescaled(const Choice& choice) {
  GraphBuilder builder(choice);
  const Name x = builder.Input(
      "input", operand_rows::SmallNumbers(choice, "input", DType::kI32, {3, 5, 7}, 999999));
  const Name scaled = ScaledTo(builder, x, 1.25, DType::kI8, 9);
  const Name then =
      choice[kThenClampAxis]
          ? builder.Apply("CLAMP", {scaled}, {{"min_val", int64_t{-20}}, {"max_val", int64_t{90}}})
          : builder.Rescale(scaled, {0.37}, DType::kI32);
  return builder.Finish({then, scaled});
}

struct Turned {
  bool operands[2];
};
constexpr ListedAxis<Turned> kTurnedAxis{
    "operand",
    "",
    {{"second", {{false, true}}}, {"first", {{true, false}}}, {"both", {{true, true}}}}};
std::vector<Axis> TurnedAxes(const Setting&) { return AxesWith(kTurnedAxis.All()); }

// A matrix that MATMUL could read as transposed, and which is an output as well. All are square. In
// floating point all sums are exact.
CaseDraft BuildTurned(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = TypeOf(choice.setting);
  const auto input = [&](const char* name) {
    return builder.Input(name, IsFloat(type)
                                   ? operand_rows::SmallNumbers(choice, name, type, {2, 7, 7}, 8)
                                   : Filled(choice, name, type, {2, 7, 7}));
  };
  const auto turned = [&](const Name& x) {
    return builder.Apply("TRANSPOSE", {x}, {{"perms", std::vector<int64_t>{0, 2, 1}}});
  };
  Names operands = {input("input"), input("other")}, outputs;
  for (const size_t k : {size_t{0}, size_t{1}}) {
    if (!choice[kTurnedAxis].operands[k]) continue;
    operands[k] = turned(operands[k]);
    outputs.push_back(builder.Apply("REVERSE", {operands[k]}, {{"axis", int64_t{1}}}));
  }
  outputs.insert(outputs.begin(), builder.Apply("MATMUL", operands, {}, choice.Type("out_t")));
  return builder.Finish(outputs);
}

// ---- Zero points and edges between two operators -----------------------------------------------

constexpr ParsedAxis<std::vector<int64_t>> kZeroPointsAxis{"zero_points", "z", ParseNumbers};
std::vector<Axis> ZeroPointAxes(const Setting&) {
  return AxesWith(kZeroPointsAxis.With({"7-19", "19-0", "0-19"}));
}

// The zero point of a RESCALE is not that of the operator behind it, which pads: two numbers, of
// which neither stands for the other.
CaseDraft BuildZeroPoints(const Choice& choice) {
  GraphBuilder builder(choice);
  const std::string& op = choice.setting.spec->name;
  const Shape shape = {1, 5, 6, 4};
  const std::vector<int64_t> zero_points = choice[kZeroPointsAxis];
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI8, shape));
  const Name scaled = builder.Rescale(x, {0.83}, DType::kI8,
                                      {{"input_zp", int64_t{-5}}, {"output_zp", zero_points[0]}});
  if (op == "AVG_POOL2D") {
    return builder.Finish({builder.Apply(op, {scaled},
                                         {{"kernel", std::vector<int64_t>{3, 3}},
                                          {"pad", Ones(4)},
                                          {"input_zp", zero_points[1]},
                                          {"output_zp", int64_t{-9}}})});
  }
  const Name sum = Convolve(builder, choice, op, scaled,
                            op == kDepthwise ? Shape{3, 3, 4, 2} : Shape{3, 3, 3, 4}, "sum",
                            {{"pad", Ones(4)}, {"input_zp", zero_points[1]}});
  return builder.Finish({ScaledTo(builder, sum, 1.25, DType::kI8, -9)});
}

Domain ZeroPointDomain() { return {.axes = ZeroPointAxes, .build = BuildZeroPoints}; }

constexpr ParsedAxis<int64_t> kOneStrideAxis{"stride", "s", ParseNumber};
constexpr ListedAxis<bool> kDepthwiseAxis{"then", "", {{"conv2d", false}, {"depthwise", true}}};
std::vector<Axis> CascadeAxes(const Setting&) {
  return {kOneStrideAxis.With({"1", "2"}), kDepthwiseAxis.All(), kDataAxis.With({"full-range"})};
}

// Two convolutions of 3x3 that each pad. To compute them by parts of the image takes the rows
// around a part. At the edge of the image it takes the zero point: not what the first convolution
// would make of its own padding.
CaseDraft BuildCascade(const Choice& choice) {
  GraphBuilder builder(choice);
  const int64_t zero_point = -23;
  const Name x = builder.Input("input", Filled(choice, "input", DType::kI8, {1, 20, 20, 5}));
  const Name first = Convolve(builder, choice, kConv2d, x, {6, 3, 3, 5}, "first",
                              {{"pad", Ones(4)}, {"input_zp", int64_t{17}}});
  const Name between = ScaledTo(builder, first, 1.25, DType::kI8, zero_point);
  const bool depthwise = choice[kDepthwiseAxis];
  const std::vector<int64_t> stride(2, choice[kOneStrideAxis]);
  // Rows and columns that a stride of 2 leaves out may not be padded.
  const int64_t end = stride[0] == 1 ? 1 : 0;
  const Name second = Convolve(builder, choice, depthwise ? kDepthwise : kConv2d, between,
                               depthwise ? Shape{3, 3, 6, 1} : Shape{4, 3, 3, 6}, "second",
                               {{"pad", std::vector<int64_t>{1, end, 1, end}},
                                {"stride", stride},
                                {"input_zp", zero_point}});
  return builder.Finish({ScaledTo(builder, second, 1.25, DType::kI8, 11)});
}

// ---- Scales that meet in one tensor ------------------------------------------------------------

constexpr ListedAxis<bool> kRescalesFirstAxis{
    "order", "", {{"rescales-first", true}, {"concat-first", false}}};
std::vector<Axis> JoinedAxes(const Setting&) { return AxesWith(kRescalesFirstAxis.All()); }

// Two tensors with scales of their own become one, or one is rescaled channel by channel.
CaseDraft BuildJoined(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = {3, 4, 4};
  Names parts;
  for (const char* name : {"input", "other"}) {
    parts.push_back(builder.Input(name, Filled(choice, name, DType::kI8, shape)));
  }
  const Parameters axis = {{"axis", int64_t{2}}};
  if (choice[kRescalesFirstAxis]) {
    parts[0] = builder.Rescale(parts[0], {0.83}, DType::kI8,
                               {{"input_zp", int64_t{3}}, {"output_zp", int64_t{-5}}});
    parts[1] = builder.Rescale(parts[1], {0.41}, DType::kI8,
                               {{"input_zp", int64_t{-7}}, {"output_zp", int64_t{-5}}});
    return builder.Finish({builder.Apply("CONCAT", parts, axis)});
  }
  const Name whole = builder.Apply("CONCAT", parts, axis);
  std::vector<double> factors;
  for (int64_t channel = 0; channel < 8; ++channel) {
    factors.push_back(0.3 + 0.1 * static_cast<double>(channel));
  }
  return builder.Finish({builder.Rescale(whole, factors, DType::kI8,
                                         {{"input_zp", int64_t{3}}, {"output_zp", int64_t{-5}}})});
}

std::vector<GraphDomain> Graphs() {
  using operand_rows::IsI32Row, operand_rows::IsI32ToI8, operand_rows::IsI8RowOfIntegers,
      operand_rows::IsIntegerOrFloatRow;
  return {{"conv2d-accumulator-read-again", kConv2d, IsIntegerRow, AccumulatorDomain},
          {"depthwise-conv2d-accumulator-read-again", kDepthwise, IsIntegerRow, AccumulatorDomain},
          {"conv3d-accumulator-read-again", "CONV3D", IsI8Row, AccumulatorDomain},
          {"matmul-accumulator-read-again", "MATMUL", IsIntegerRow, AccumulatorDomain},
          {"avg-pool2d-accumulator-read-again", "AVG_POOL2D", IsI8Row, AccumulatorDomain},
          {"add-accumulator-read-again", "ADD", IsI32Row, AccumulatorDomain},
          {"mul-accumulator-read-again", "MUL", IsI32Row, AccumulatorDomain},
          {"reduce-sum-accumulator-read-again", "REDUCE_SUM", IsI32Row, AccumulatorDomain},
          {"padded-read-again", kConv2d, IsI8ByI8, Plain(PaddedAxes, BuildPadded)},
          {"rescaled-read-again", "RESCALE", IsI32ToI8, Plain(RescaledAxes, BuildRescaled)},
          {"turned-read-again", "MATMUL", IsIntegerOrFloatRow, Plain(TurnedAxes, BuildTurned)},
          {"zero-points-before-conv2d", kConv2d, IsI8ByI8, ZeroPointDomain},
          {"zero-points-before-depthwise-conv2d", kDepthwise, IsI8ByI8, ZeroPointDomain},
          {"zero-points-before-avg-pool2d", "AVG_POOL2D", IsI8Row, ZeroPointDomain},
          {"convolutions-in-cascade", kConv2d, IsI8ByI8, Plain(CascadeAxes, BuildCascade)},
          {"scales-joined", "CONCAT", IsI8RowOfIntegers, Plain(JoinedAxes, BuildJoined)}};
}

}  // namespace
}  // namespace second_readers

std::vector<GraphDomain> SecondReaderGraphs() { return second_readers::Graphs(); }

}  // namespace cts

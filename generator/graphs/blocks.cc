// Blocks of networks in integers: softmax, attention, norms, gates, recurrent steps, bottlenecks.
// Numbers of 16 bits go through interpolated tables, as frameworks lower what integers cannot do.
#include <algorithm>
#include <cmath>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "generator/graphs/quantized_layers.h"
#include "reference/base/contains.h"
#include "reference/numeric/elementary.h"

namespace cts {
namespace blocks {
namespace {

using operand_rows::IsI8ByI8;
using quantized::Accumulators;
using quantized::Activation;
using quantized::AnyScale;
using quantized::kAnyZeroPointAxis;
using quantized::kPerChannelAxis;
using quantized::Layer;
using quantized::Nearest;
using quantized::Quantized;
using quantized::Requantize;
using quantized::Rescale;

using Name = GraphBuilder::Name;
using Names = GraphBuilder::Names;

bool IsI8Table(const Setting& setting) { return setting.Type("in_t") == DType::kI8; }
bool IsI16Table(const Setting& setting) { return setting.Type("in_t") == DType::kI16; }

// The axes of every block here: zero points, rounding, data.
std::vector<Axis> CommonAxes(const Setting& setting, const std::vector<Axis>& own) {
  std::vector<Axis> axes = own;
  axes.push_back(kAnyZeroPointAxis.All());
  axes.push_back(kDataAxis.With({"full-range", "special"}));
  quantized::AddRoundingAxis(setting, true, axes);
  return axes;
}

// The domain of a block that layers of networks name.
Domain BlockOf(std::string_view name, Domain domain,
               CaseDraft (*at_layer)(const CaseDraft&, const NetworkLayer&)) {
  domain.at_layer = at_layer;
  domain.block = name;
  return domain;
}

// An i8 input of the graph, with a scale and a zero point.
Quantized Input(GraphBuilder& builder, const Choice& choice, const Name& name, const Shape& shape) {
  Random random = choice.Stream(name + " scale");
  const int64_t zero_point = choice[kAnyZeroPointAxis] ? random.Between(-100, 100) : 0;
  return {builder.Input(name, Filled(choice, name, DType::kI8, shape)),
          AnyScale(random, 0.03, 0.06), zero_point};
}

// The input in i32, without its zero point.
Name Widened(GraphBuilder& builder, const Choice& choice, const Quantized& input) {
  return Rescale(builder, choice, input.name, {1}, input.zero_point, 0, DType::kI32);
}

// Operators of i32 with one number as an operand. A number that occurs again is the same constant.
class Integers {
 public:
  explicit Integers(GraphBuilder& builder) : builder_(builder) {}

  Name Apply(std::string_view op, const Name& x, int64_t number) {
    return builder_.Apply(op, {x, Number(x, number)});
  }
  Name From(int64_t number, const Name& x) { return builder_.Apply("SUB", {Number(x, number), x}); }
  Name ShiftedRight(const Name& x, int64_t bits, bool round) {
    return builder_.Apply("ARITHMETIC_RIGHT_SHIFT", {x, Number(x, bits)}, {{"round", round}});
  }

 private:
  Name Number(const Name& like, int64_t number) {
    const size_t rank = builder_.ShapeOf(like).size();
    Name name =
        StrCat(number < 0 ? "minus_" : "number_", number < 0 ? -number : number, "_of_rank_", rank);
    if (!Contains(known_, name)) {
      Tensor value(DType::kI32, Shape(rank, 1));
      value.SetInteger(0, number);
      known_.push_back(builder_.Constant(name, value));
    }
    return name;
  }

  GraphBuilder& builder_;
  Names known_;
};

// The table of an i16 operand: the function's values at 513 places from `low` to `high`, times
// 2^15, held outside of them.
Tensor InterpolatedTable(double low, double high, int64_t first, int64_t last,
                         double (*function)(double)) {
  Tensor table(DType::kI16, {513});
  for (int64_t i = 0; i < table.size(); ++i) {
    const int64_t place = std::clamp(i, first, last);
    const double x =
        low + (high - low) * static_cast<double>(place - first) / static_cast<double>(last - first);
    table.SetInteger(i, std::clamp<int64_t>(Nearest(function(x) * 32768), -32768, 32767));
  }
  return table;
}

// TABLE of i16, rounded to 16 bits, in i32.
Name LookUp16(GraphBuilder& builder, Integers& integers, const Name& index, const Name& table) {
  return integers.ShiftedRight(builder.Apply("TABLE", {index, table}), 7, true);
}

// ---- Softmax -----------------------------------------------------------------------------------

double Reciprocal(double x) { return 1 / x; }
double ReciprocalOfRoot(double x) { return 1 / Sqrt(x); }

// Softmax over the last axis: the difference from the largest, a table of exp, the sum brought to
// 31 bits by its leading zeros, a table of reciprocals. The result is i8 from 0 to 255/256.
Quantized Softmax(GraphBuilder& builder, const Choice& choice, const Quantized& logits) {
  Integers integers(builder);
  const auto axis = static_cast<int64_t>(builder.ShapeOf(logits.name).size()) - 1;
  const Name exp_table = builder.Constant(
      "exp_table", InterpolatedTable(-16, 0, 0, 256, [](double x) { return Exp(x); }));
  const Name reciprocals =
      builder.Constant("reciprocals", InterpolatedTable(1, 2, 0, 512, Reciprocal));

  const Name wide = Widened(builder, choice, logits);
  const Name largest = builder.Apply("REDUCE_MAX", {wide}, {{"axis", axis}});
  const Name below = builder.Apply("SUB", {wide, largest});
  // An index of 2048 stands for 1; what is below -16 saturates.
  const Name index = Rescale(builder, choice, below, {logits.scale * 2048}, 0, 0, DType::kI16);
  const Name exps = LookUp16(builder, integers, index, exp_table);
  const Name sum = builder.Apply("REDUCE_SUM", {exps}, {{"axis", axis}});
  // sum * 2^bits is at least 2^30 and below 2^31. Without its first bit it is the fraction.
  const Name bits = integers.Apply("SUB", builder.Apply("CLZ", {sum}), 1);
  const Name normal = builder.Apply("LOGICAL_LEFT_SHIFT", {sum, bits});
  const Name fraction =
      integers.ShiftedRight(integers.Apply("SUB", normal, int64_t{1} << 30), 14, true);
  const Name place =
      Rescale(builder, choice, integers.Apply("SUB", fraction, 32768), {1}, 0, 0, DType::kI16);
  const Name factor = LookUp16(builder, integers, place, reciprocals);
  const Name product = builder.Apply("MUL", {exps, factor});
  const Name quotient = builder.Apply("ARITHMETIC_RIGHT_SHIFT", {product, integers.From(30, bits)},
                                      {{"round", true}});
  return {Rescale(builder, choice, quotient, {0x1p-7}, 0, -128, DType::kI8), 0x1p-8, -128};
}

std::vector<Axis> SoftmaxAxes(const Setting& setting) {
  return CommonAxes(setting, {kShapeAxis.With({"3x17", "2x5x12", "7x64"})});
}

CaseDraft BuildSoftmax(const Choice& choice) {
  GraphBuilder builder(choice);
  const Quantized logits = Input(builder, choice, "input", choice[kShapeAxis]);
  return builder.Finish({Softmax(builder, choice, logits).name});
}

// ---- Attention ---------------------------------------------------------------------------------

enum class Mask { kAdd, kSelect, kNone };
constexpr ListedAxis<Mask> kMaskAxis{
    "mask", "", {{"add", Mask::kAdd}, {"select", Mask::kSelect}, {"none", Mask::kNone}}};

struct AttentionSizes {
  int64_t heads, queries, keys, channels;
};

// Queries see the keys up to their own place: of the last query, all.
bool IsSeen(const AttentionSizes& sizes, int64_t query, int64_t key) {
  return key <= query + sizes.keys - sizes.queries;
}

// The scores in i8. A masked score is far below all others after an ADD, or the lowest number after
// a SELECT.
Quantized MaskedScores(GraphBuilder& builder, const Choice& choice, const AttentionSizes& sizes,
                       const Name& sums, const std::vector<double>& factors) {
  Quantized scores = Requantize(builder, choice, sums, factors, DType::kI8);
  const Mask mask = choice[kMaskAxis];
  if (mask == Mask::kNone) return scores;
  const bool adds = mask == Mask::kAdd;
  Tensor values(adds ? DType::kI32 : DType::kBool, {1, sizes.queries, sizes.keys});
  for (int64_t i = 0; i < values.size(); ++i) {
    const bool seen = IsSeen(sizes, i / sizes.keys, i % sizes.keys);
    values.SetInteger(i, adds ? (seen ? 0 : -(1 << 20)) : (seen ? 1 : 0));
  }
  const Name masks = builder.Constant("mask", values);
  if (adds) {
    const Name sum = builder.Apply("ADD", {Widened(builder, choice, scores), masks});
    scores.name = Rescale(builder, choice, sum, {1}, 0, scores.zero_point, DType::kI8);
    return scores;
  }
  Tensor lowest(DType::kI8, {1, 1, 1});
  lowest.SetInteger(0, -128);
  scores.name = builder.Apply("SELECT", {masks, scores.name, builder.Constant("lowest", lowest)});
  return scores;
}

// Softmax(Q K^T, masked) V.
CaseDraft Attention(const Choice& choice, const AttentionSizes& sizes) {
  GraphBuilder builder(choice);
  const auto input = [&](const char* name, int64_t rows) {
    return Input(builder, choice, name, {sizes.heads, rows, sizes.channels});
  };
  const Quantized q = input("q", sizes.queries), k = input("k", sizes.keys),
                  v = input("v", sizes.keys);
  const Name turned =
      builder.Apply("TRANSPOSE", {k.name}, {{"perms", std::vector<int64_t>{0, 2, 1}}});
  const Name sums =
      builder.Apply("MATMUL", {q.name, turned}, {{"A_zp", q.zero_point}, {"B_zp", k.zero_point}});
  const std::vector<double> factors = quantized::ProductScales(choice, builder.Values(sums), 1);
  const Quantized shares =
      Softmax(builder, choice, MaskedScores(builder, choice, sizes, sums, factors));
  const Name context = builder.Apply("MATMUL", {shares.name, v.name},
                                     {{"A_zp", shares.zero_point}, {"B_zp", v.zero_point}});
  return builder.Finish(
      {Requantize(builder, choice, context, {shares.scale * v.scale}, DType::kI8).name});
}

std::vector<Axis> AttentionAxes(const Setting& setting) {
  return CommonAxes(setting, {kShapeAxis.With({"2x7x7x5", "1x4x9x8"}), kMaskAxis.All()});
}

CaseDraft BuildAttention(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  return Attention(choice, {shape[0], shape[1], shape[2], shape[3]});
}

CaseDraft AttentionAtLayer(const CaseDraft& draft, const NetworkLayer& scores) {
  return Attention(*draft.built_from,
                   {scores.input[0], scores.input[1], scores.output[2], scores.input[2]});
}

Domain AttentionDomain() {
  return BlockOf("attention", {.axes = AttentionAxes, .build = BuildAttention}, AttentionAtLayer);
}

// ---- Norms -------------------------------------------------------------------------------------

constexpr ListedAxis<bool> kLayerNormAxis{"norm", "", {{"rms", false}, {"layer", true}}};

std::vector<Axis> NormAxes(const Setting& setting) {
  return CommonAxes(setting, {kShapeAxis.With({"5x16", "2x3x24"}), kLayerNormAxis.All()});
}

// x / |x| over the last axis, times a weight for each channel; "layer" takes the mean off first.
// The sum of squares has an even number of leading zeros taken off, so that its root has half of
// them.
CaseDraft BuildNorm(const Choice& choice) {
  GraphBuilder builder(choice);
  Integers integers(builder);
  const Shape shape = choice[kShapeAxis];
  const auto axis = static_cast<int64_t>(shape.size()) - 1;
  const auto channels = static_cast<double>(shape.back());
  const Name roots = builder.Constant("roots", InterpolatedTable(0.25, 1, 320, 512, [](double x) {
                                        return ReciprocalOfRoot(x) / 2;
                                      }));

  Name x = Widened(builder, choice, Input(builder, choice, "input", shape));
  if (choice[kLayerNormAxis]) {
    const Name sum = builder.Apply("REDUCE_SUM", {x}, {{"axis", axis}});
    x = builder.Apply("SUB", {x, Rescale(builder, choice, sum, {1 / channels}, 0, 0, DType::kI32)});
  }
  const Name square = builder.Apply("MUL", {x, x});
  const Name sum =
      integers.Apply("MAXIMUM", builder.Apply("REDUCE_SUM", {square}, {{"axis", axis}}), 1);
  const Name even =
      integers.Apply("BITWISE_AND", integers.Apply("SUB", builder.Apply("CLZ", {sum}), 1), -2);
  // From 2^29 to 2^31: of the table's index, the upper three quarters above zero.
  const Name normal = builder.Apply("LOGICAL_LEFT_SHIFT", {sum, even});
  const Name index =
      Rescale(builder, choice, integers.ShiftedRight(normal, 16, false), {1}, 0, 0, DType::kI16);
  const Name root = LookUp16(builder, integers, index, roots);
  const Name product = builder.Apply("MUL", {x, root});
  const Name scaled =
      builder.Apply("LOGICAL_LEFT_SHIFT", {product, integers.ShiftedRight(even, 1, false)});
  // scaled is x / |x| * 2^29.5; a weight is about 1.
  Random random = choice.Stream("weights");
  std::vector<double> factors;
  for (int64_t c = 0; c < shape.back(); ++c) {
    factors.push_back(AnyScale(random, 0.5, 1.5) * Sqrt(channels) * Sqrt(0.5) * 0x1p-29);
  }
  return builder.Finish({Requantize(builder, choice, scaled, factors, DType::kI8).name});
}

// ---- Activations by table ----------------------------------------------------------------------

double HardSigmoid(double x) { return std::clamp((x + 3) / 6, 0.0, 1.0); }
double GeluByErf(double x) { return x * (1 + Erf(x * Sqrt(0.5))) / 2; }
// The constants of Hendrycks and Gimpel, arXiv:1606.08415.
double GeluByTanh(double x) {
  const double inner = 0.7978845608028654 * (x + 0.044715 * x * x * x);
  return x * (1 + Tanh(inner)) / 2;
}

// The function between two quantized tensors of i8.
Tensor TableBetween(const Quantized& input, double output_scale, int64_t output_zp,
                    double (*function)(double)) {
  Tensor table(DType::kI8, {256});
  for (int64_t i = 0; i < table.size(); ++i) {
    const double x = input.scale * static_cast<double>(i - 128 - input.zero_point);
    const int64_t value = Nearest(function(x) / output_scale) + output_zp;
    table.SetInteger(i, std::clamp<int64_t>(value, -128, 127));
  }
  return table;
}

// The shares of a sigmoid, from 0 to 255/256.
Quantized Shares(GraphBuilder& builder, const Quantized& input, double (*function)(double)) {
  const Name table =
      builder.Constant(input.name + "_table", TableBetween(input, 0x1p-8, -128, function));
  return {builder.Apply("TABLE", {input.name, table}), 0x1p-8, -128};
}

// The product of two i8 tensors, the second of which may be broadcast.
Quantized Product(GraphBuilder& builder, const Choice& choice, const Quantized& a,
                  const Quantized& b) {
  const Name product =
      builder.Apply("MUL", {Widened(builder, choice, a), Widened(builder, choice, b)});
  return Requantize(builder, choice, product, {a.scale * b.scale}, DType::kI8);
}

using Function = double (*)(double);
constexpr ListedAxis<Function> kGateAxis{
    "function", "", {{"swish", quantized::Sigmoid}, {"hard-swish", HardSigmoid}}};

std::vector<Axis> GateAxes(const Setting& setting) {
  return CommonAxes(setting, {kShapeAxis.With({"3x5x7", "200"}), kGateAxis.All()});
}

// x * f(x): two readers of x, one of which goes through a table.
CaseDraft BuildGate(const Choice& choice) {
  GraphBuilder builder(choice);
  const Quantized x = Input(builder, choice, "input", choice[kShapeAxis]);
  const Quantized shares = Shares(builder, x, choice[kGateAxis]);
  return builder.Finish({Product(builder, choice, x, shares).name});
}

constexpr ListedAxis<Function> kGeluAxis{
    "function", "", {{"gelu-erf", GeluByErf}, {"gelu-tanh", GeluByTanh}}};

std::vector<Axis> FeedForwardAxes(const Setting& setting) {
  return CommonAxes(setting, {kGeluAxis.All()});
}

// A feed-forward layer of a transformer: a product, GELU by table, a product, the input added.
CaseDraft BuildFeedForward(const Choice& choice) {
  GraphBuilder builder(choice);
  const Quantized x = Input(builder, choice, "input", {2, 5, 6});
  const auto product = [&](const Quantized& input, const char* name, const Shape& shape) {
    const Name weight =
        builder.Constant(name, IntegersBetween(choice.Stream(name), DType::kI8, shape, -127, 127));
    const Name sums = builder.Apply("MATMUL", {input.name, weight}, {{"A_zp", input.zero_point}});
    return Requantize(builder, choice, sums,
                      quantized::ProductScales(choice, builder.Values(sums), 1), DType::kI8);
  };
  const Quantized wide = product(x, "weight_up", {2, 6, 13});
  // The least value of GELU is -0.17.
  const double scale = wide.scale / 2;
  const Name table = builder.Constant("gelu", TableBetween(wide, scale, -100, choice[kGeluAxis]));
  const Quantized active = {builder.Apply("TABLE", {wide.name, table}), scale, -100};
  const Quantized narrow = product(active, "weight_down", {2, 13, 6});
  return builder.Finish({quantized::Sum(builder, choice, x, narrow).name});
}

// ---- Convolutional blocks ----------------------------------------------------------------------

constexpr ListedAxis<bool> kPooledMeanAxis{"mean", "", {{"pool", true}, {"sum", false}}};

struct SqueezeSizes {
  Shape image;
  int64_t squeezed;
};

// A mean over the image, two dense layers, a sigmoid, and a product with the image.
CaseDraft SqueezeAndExcite(const Choice& choice, const SqueezeSizes& sizes) {
  GraphBuilder builder(choice);
  const Quantized x = Input(builder, choice, "input", sizes.image);
  Quantized mean = x;
  if (choice[kPooledMeanAxis]) {
    mean.name = builder.Apply("AVG_POOL2D", {x.name},
                              {{"kernel", Shape{sizes.image[1], sizes.image[2]}},
                               {"input_zp", x.zero_point},
                               {"output_zp", x.zero_point}});
  } else {
    Name sum = Widened(builder, choice, x);
    for (const int64_t axis : {1, 2}) sum = builder.Apply("REDUCE_SUM", {sum}, {{"axis", axis}});
    const auto count = static_cast<double>(sizes.image[1] * sizes.image[2]);
    mean = Requantize(builder, choice, sum, {x.scale / count}, DType::kI8);
  }
  const int64_t channels = sizes.image[3];
  const Quantized squeezed =
      Layer(builder, choice, "CONV2D", mean, {sizes.squeezed, 1, 1, channels}, Activation::kRelu);
  const Quantized excited = Layer(builder, choice, "CONV2D", squeezed,
                                  {channels, 1, 1, sizes.squeezed}, Activation::kNone);
  const Quantized shares = Shares(builder, excited, quantized::Sigmoid);
  return builder.Finish({Product(builder, choice, x, shares).name});
}

std::vector<Axis> SqueezeAxes(const Setting& setting) {
  return CommonAxes(setting, {kPooledMeanAxis.All(), kPerChannelAxis.All()});
}

CaseDraft BuildSqueeze(const Choice& choice) {
  return SqueezeAndExcite(choice, {{2, 5, 6, 12}, 4});
}

// No publication says the image of a dense layer; here it is of 7x7.
CaseDraft SqueezeAtLayer(const CaseDraft& draft, const NetworkLayer& squeeze) {
  return SqueezeAndExcite(*draft.built_from,
                          {{squeeze.input[0], 7, 7, squeeze.input.back()}, squeeze.output.back()});
}

Domain SqueezeDomain() {
  return BlockOf("squeeze-and-excite", {.axes = SqueezeAxes, .build = BuildSqueeze},
                 SqueezeAtLayer);
}

constexpr ListedAxis<bool> kProjectionAxis{
    "shortcut", "", {{"input", false}, {"projection", true}}};

struct BottleneckSizes {
  Shape image;           // whatever its channels
  int64_t narrow, wide;  // channels within the block, and of its input and its result
  bool projects;
};

// Narrow, filter, widen, add the input or its projection, RELU.
CaseDraft Bottleneck(const Choice& choice, const BottleneckSizes& sizes) {
  GraphBuilder builder(choice);
  const int64_t narrow = sizes.narrow, wide = sizes.wide;
  Shape shape = sizes.image;
  shape[3] = wide;
  const Quantized x = Input(builder, choice, "input", shape);
  const Quantized first =
      Layer(builder, choice, "CONV2D", x, {narrow, 1, 1, wide}, Activation::kRelu);
  const Quantized second = Layer(builder, choice, "CONV2D", first, {narrow, 3, 3, narrow},
                                 Activation::kRelu, {{"pad", std::vector<int64_t>(4, 1)}});
  const Quantized third =
      Layer(builder, choice, "CONV2D", second, {wide, 1, 1, narrow}, Activation::kNone);
  Quantized shortcut = x;
  if (sizes.projects) {
    const Accumulators sums =
        quantized::Convolve(builder, choice, "CONV2D", x, {wide, 1, 1, wide}, {}, "_projection");
    shortcut = Requantize(builder, choice, sums.name, sums.factors, DType::kI8);
  }
  const Quantized sum = quantized::Sum(builder, choice, shortcut, third);
  return builder.Finish({quantized::Activate(builder, Activation::kRelu, sum)});
}

std::vector<Axis> BottleneckAxes(const Setting& setting) {
  return CommonAxes(setting, {kProjectionAxis.All(), kPerChannelAxis.All()});
}

CaseDraft BuildBottleneck(const Choice& choice) {
  return Bottleneck(choice, {{1, 5, 6, 1}, 4, 10, choice[kProjectionAxis]});
}

// Around its first or its last layer.
CaseDraft BottleneckAtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  const auto [narrow, wide] = std::minmax(layer.input[3], layer.output[3]);
  return Bottleneck(*draft.built_from, {layer.input, narrow, wide, false});
}

Domain BottleneckDomain() {
  return BlockOf("bottleneck", {.axes = BottleneckAxes, .build = BuildBottleneck},
                 BottleneckAtLayer);
}

// ---- Recurrent steps ---------------------------------------------------------------------------

struct StepSizes {
  int64_t batches, inputs, units;
};

// Gates of i8 or i16 from -8 to 8, and the results of their tables from -1 to 1.
struct GateFormat {
  DType type;
  double scale() const { return type == DType::kI8 ? 16.0 / 255 : 0x1p-12; }
  double share() const { return type == DType::kI8 ? 0x1p-7 : 0x1p-15; }
};

class Step {
 public:
  Step(GraphBuilder& builder, const Choice& choice)
      : builder_(builder), choice_(choice), format_{choice.Type("in_t")} {}

  const GateFormat& format() const { return format_; }
  // A dense layer of [N, 1, 1, C], in the format of gates.
  Name Dense(const Quantized& input, int64_t outputs, std::string_view name) {
    const Shape weight = {outputs, 1, 1, builder_.ShapeOf(input.name)[3]};
    const Accumulators sums =
        quantized::Convolve(builder_, choice_, "CONV2D", input, weight, {}, name);
    std::vector<double> factors = sums.factors;
    for (double& factor : factors) factor /= format_.scale();
    return Scaled(sums.name, factors, format_.type);
  }
  // Gate `k` of several that stand side by side.
  Name Part(const Name& gates, int64_t k, int64_t units) {
    const std::vector<int64_t> start = {0, 0, 0, k * units};
    return builder_.Apply(
        "SLICE", {gates},
        {{"start", start}, {"size", Shape{builder_.ShapeOf(gates)[0], 1, 1, units}}});
  }
  Name LookUp(const Name& gate, double (*function)(double)) {
    const bool is_tanh = function == static_cast<double (*)(double)>(Tanh);
    Name& table = is_tanh ? tanh_ : sigmoid_;
    if (table.empty()) {
      table = builder_.Constant(is_tanh ? "tanh_table" : "sigmoid_table",
                                quantized::TableOf(format_.type, function));
    }
    const Name value = builder_.Apply("TABLE", {gate, table});
    return format_.type == DType::kI8 ? value : Scaled(value, {0x1p-7}, DType::kI16);
  }
  Name Scaled(const Name& x, const std::vector<double>& factors, DType type) {
    return Rescale(builder_, choice_, x, factors, 0, 0, type);
  }

 private:
  GraphBuilder& builder_;
  const Choice& choice_;
  GateFormat format_;
  Name tanh_, sigmoid_;
};

// A state or a result of tanh, from -1 to 1 in i8.
Quantized State(GraphBuilder& builder, const Choice& choice, const Name& name, const Shape& shape) {
  return {builder.Input(name, Filled(choice, name, DType::kI8, shape)), 0x1p-7, 0};
}

// A step of a long short-term memory: c = f c + i g, h = o tanh(c).
CaseDraft Lstm(const Choice& choice, const StepSizes& sizes) {
  GraphBuilder builder(choice);
  Step step(builder, choice);
  const GateFormat format = step.format();
  const Shape of_state = {sizes.batches, 1, 1, sizes.units};
  // Input and state have one scale: they are one operand of the dense layer.
  const Quantized x = State(builder, choice, "input", {sizes.batches, 1, 1, sizes.inputs});
  const Quantized h = State(builder, choice, "state", of_state);
  const Name c = builder.Input("cell", Filled(choice, "cell", format.type, of_state));
  const Quantized both = {builder.Apply("CONCAT", {x.name, h.name}, {{"axis", int64_t{3}}}),
                          x.scale, 0};
  const Name gates = step.Dense(both, 4 * sizes.units, "");
  const auto part = [&](int64_t k) { return step.Part(gates, k, sizes.units); };
  const Name in = step.LookUp(part(0), quantized::Sigmoid);
  const Name forget = step.LookUp(part(1), quantized::Sigmoid);
  const Name candidate = step.LookUp(part(2), Tanh);
  const Name out = step.LookUp(part(3), quantized::Sigmoid);

  const Name kept = builder.Apply("MUL", {forget, c});
  const Name added = step.Scaled(builder.Apply("MUL", {in, candidate}),
                                 {format.share() / format.scale()}, DType::kI32);
  const Name cell = step.Scaled(builder.Apply("ADD", {kept, added}), {format.share()}, format.type);
  const Name product = builder.Apply("MUL", {out, step.LookUp(cell, Tanh)});
  const Name state = step.Scaled(product, {format.share() * format.share() * 128}, DType::kI8);
  return builder.Finish({state, cell});
}

// A step of a gated recurrent unit: n = tanh(W x + r (U h)), h = n + z (h - n).
CaseDraft Gru(const Choice& choice, const StepSizes& sizes) {
  GraphBuilder builder(choice);
  Step step(builder, choice);
  const GateFormat format = step.format();
  const Quantized x = State(builder, choice, "input", {sizes.batches, 1, 1, sizes.inputs});
  const Quantized h = State(builder, choice, "state", {sizes.batches, 1, 1, sizes.units});
  const Quantized both = {builder.Apply("CONCAT", {x.name, h.name}, {{"axis", int64_t{3}}}),
                          x.scale, 0};
  const Name gates = step.Dense(both, 2 * sizes.units, "");
  const auto part = [&](int64_t k) {
    return step.LookUp(step.Part(gates, k, sizes.units), quantized::Sigmoid);
  };
  const Name update = part(0), reset = part(1);
  const Name of_input = step.Dense(x, sizes.units, ""), of_state = step.Dense(h, sizes.units, "");
  const Name damped =
      step.Scaled(builder.Apply("MUL", {reset, of_state}), {format.share()}, DType::kI32);
  const Name sum = builder.Apply("ADD", {step.Scaled(of_input, {1}, DType::kI32), damped});
  const Name fresh =
      step.Scaled(step.LookUp(step.Scaled(sum, {1}, format.type), Tanh), {1}, DType::kI32);
  const Name old = step.Scaled(h.name, {h.scale / format.share()}, DType::kI32);
  const Name difference = builder.Apply("SUB", {old, fresh});
  const int64_t bits = format.type == DType::kI8 ? 7 : 15;
  const Name moved =
      builder.Apply("MUL", {step.Scaled(update, {1}, DType::kI32), difference}, {{"shift", bits}});
  const Name result = builder.Apply("ADD", {fresh, moved});
  return builder.Finish({step.Scaled(result, {format.share() * 128}, DType::kI8)});
}

std::vector<Axis> StepAxes(const Setting& setting) {
  std::vector<Axis> axes = CommonAxes(setting, {kPerChannelAxis.All()});
  std::erase_if(axes, [](const Axis& axis) { return axis.name == "zero_point"; });
  return axes;
}

CaseDraft BuildLstm(const Choice& choice) { return Lstm(choice, {3, 5, 7}); }
CaseDraft BuildGru(const Choice& choice) { return Gru(choice, {3, 5, 7}); }
// Channels of input and state together, and of all four gates.
CaseDraft LstmAtLayer(const CaseDraft& draft, const NetworkLayer& gates) {
  const int64_t units = gates.output.back() / 4;
  return Lstm(*draft.built_from, {gates.input[0], gates.input.back() - units, units});
}
// Channels of the two gates.
CaseDraft GruAtLayer(const CaseDraft& draft, const NetworkLayer& gates) {
  return Gru(*draft.built_from, {gates.input[0], gates.input.back(), gates.output.back() / 2});
}

Domain LstmDomain() {
  return BlockOf("lstm-step", {.axes = StepAxes, .build = BuildLstm}, LstmAtLayer);
}
Domain GruDomain() {
  return BlockOf("gru-step", {.axes = StepAxes, .build = BuildGru}, GruAtLayer);
}

std::vector<GraphDomain> Graphs() {
  return {{"softmax", "TABLE", IsI16Table, Plain(SoftmaxAxes, BuildSoftmax)},
          {"attention", "TABLE", IsI16Table, AttentionDomain},
          {"norm", "TABLE", IsI16Table, Plain(NormAxes, BuildNorm)},
          {"gate-by-table", "TABLE", IsI8Table, Plain(GateAxes, BuildGate)},
          {"feed-forward", "TABLE", IsI8Table, Plain(FeedForwardAxes, BuildFeedForward)},
          {"squeeze-and-excite", "TABLE", IsI8Table, SqueezeDomain},
          {"bottleneck", kConv2d, IsI8ByI8, BottleneckDomain},
          {"lstm-step", "TABLE", nullptr, LstmDomain},
          {"gru-step", "TABLE", nullptr, GruDomain}};
}

}  // namespace
}  // namespace blocks

std::vector<GraphDomain> BlockGraphs() { return blocks::Graphs(); }

}  // namespace cts

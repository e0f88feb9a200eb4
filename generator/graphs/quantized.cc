// The integer chains that frameworks lower quantized operators to (section Quantization): an
// accumulator, RESCALE to the output's scale and zero point, CLAMP for a fused activation.
#include <algorithm>
#include <cmath>

#include "generator/graphs/graph_builder.h"
#include "generator/graphs/graphs.h"
#include "generator/graphs/operand_rows.h"
#include "generator/graphs/quantized_layers.h"
#include "generator/ops/convolution.h"
#include "reference/numeric/elementary.h"

namespace cts {
namespace quantized {
namespace {

using Name = GraphBuilder::Name;

// ---- Sums of products: CONV2D and the like, FULLY_CONNECTED, MATMUL ----------------------------

bool HasChannels(const Setting& setting) { return setting.spec->name != "MATMUL"; }

std::vector<Axis> ProductAxes(const Setting& setting) {
  std::vector<Axis> axes = OwnAxes(setting, {"local_bound"});
  AddAxis(axes, kActivationAxis.All());
  if (HasChannels(setting)) AddAxis(axes, kPerChannelAxis.All());
  if (setting.Type("out_t") != DType::kI48) AddRoundingAxis(setting, true, axes);
  return axes;
}

// A bias of at most a third of the sums of products.
void SetBias(const Choice& choice, CaseDraft& own) {
  Tensor& bias = own.tensor("bias");
  bias = Tensor(bias.dtype(), bias.shape());
  GraphBuilder without(choice);
  const auto most =
      static_cast<int64_t>(Largest(without.Values(without.Append(choice.setting, own)[0])) / 3);
  bias = IntegersBetween(choice.Stream("bias"), bias.dtype(), bias.shape(), -most, most);
}

// The chain behind a sum of products, which is `own`.
CaseDraft AfterProduct(const Choice& choice, CaseDraft own) {
  const Setting& setting = choice.setting;
  GraphBuilder builder(choice);
  // If the weight's zero point were far from the input's, all sums would have one sign.
  const char* weight_zp = HasChannels(setting) ? "weight_zp" : "B_zp";
  if (!choice.labels.Is(kAnyZeroPointAxis, "0") && choice.Type("in_t") == DType::kI8 &&
      setting.Type(HasChannels(setting) ? "weight_t" : "in_t") == DType::kI8) {
    Random random = choice.Stream("weight zero point");
    own.Set(weight_zp, random.Between(-20, 20));
  }
  if (own.arguments.contains("bias")) SetBias(choice, own);
  const Name accumulator = builder.Append(setting, own)[0];
  const bool per_channel = HasChannels(setting) && choice[kPerChannelAxis];
  const int64_t channels = per_channel ? builder.ShapeOf(accumulator).back() : 1;
  const Quantized output =
      Requantize(builder, choice, accumulator,
                 ProductScales(choice, builder.Values(accumulator), channels), choice.Type("in_t"));
  return builder.Finish({Activate(builder, choice[kActivationAxis], output)});
}

CaseDraft BuildProduct(const Choice& choice) {
  return AfterProduct(choice, OwnDomain(choice.setting.spec->name).build(choice));
}

CaseDraft ProductAtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  const Choice& choice = *draft.built_from;
  CaseDraft own;
  own.built_from = &choice;
  return AfterProduct(choice, OwnDomain(choice.setting.spec->name).at_layer(own, layer));
}

GraphDomain Product(std::string_view name, std::string_view op, bool (*applies)(const Setting&)) {
  return {name, op, applies, [=] {
            const Domain& own = OwnDomain(op);
            return Domain{
                .axes = ProductAxes,
                .constraints = own.constraints,
                .build = BuildProduct,
                .at_layer = own.at_layer == nullptr ? nullptr : ProductAtLayer,
                .needs_axes = {"zero_point", "weight", "b", "activation", "channels", "rounding"}};
          }};
}

// ---- Elementwise operators on a common scale ---------------------------------------------------

std::vector<Axis> ElementwiseAxes(const Setting& setting) {
  std::vector<Axis> axes = {kShapeAxis.With({"3x5x7", "2x3x4x5", "90"}),
                            kTypeAxis.With({"i8", "i16"}), kAnyZeroPointAxis.All(),
                            kDataAxis.With({"full-range", "special"})};
  AddRoundingAxis(setting, true, axes);
  return axes;
}

bool ZeroPointIsI8(const Setting&, const Labels& labels) {
  return !labels[kAnyZeroPointAxis] || labels[kTypeAxis] == DType::kI8;
}

// Takes both operands to i32 on a common scale, applies the operator, and goes back. The common
// scale is twice the larger one, refined by 2^20 (i8) or 2^14 (i16), so that a sum of two fits i32;
// or by 2^10, since a multiplier of 16 bits scales by 2^12 at most. MUL needs no common scale,
// comparisons no way back.
CaseDraft BuildElementwise(const Choice& choice) {
  GraphBuilder builder(choice);
  const std::string& op = choice.setting.spec->name;
  const DType type = choice[kTypeAxis];
  const Shape shape = choice[kShapeAxis];
  Random random = choice.Stream("scales");
  std::vector<Quantized> operands;
  for (const char* name : {"input1", "input2"}) {
    Tensor values = Filled(choice, name, type, shape);
    if (operands.size() == 1 && choice.data_set() == DataSet::kSpecial) {
      // A value that differs from the first operand everywhere.
      const Tensor given = values;
      for (int64_t i = 0; i < values.size(); ++i) {
        values.SetBits(i, given.Bits((7 * i + 3) % values.size()));
      }
    }
    const int64_t zero_point = choice[kAnyZeroPointAxis] ? random.Between(-128, 127) : 0;
    operands.push_back(
        {builder.Input(name, std::move(values)), AnyScale(random, 0.01, 0.04), zero_point});
  }
  const bool is_product = op == "MUL";
  const double common = 2 * std::max(operands[0].scale, operands[1].scale);
  const double refined = common / (choice[kRoundingAxis] == Rounding::kScale16 ? 0x1p10
                                   : type == DType::kI8                        ? 0x1p20
                                                                               : 0x1p14);
  GraphBuilder::Names scaled;
  for (const Quantized& operand : operands) {
    const double factor = is_product ? 1 : operand.scale / refined;
    scaled.push_back(
        Rescale(builder, choice, operand.name, {factor}, operand.zero_point, 0, DType::kI32));
  }
  const Name result = builder.Apply(op, scaled);
  if (builder.TypeOf(result) == DType::kBool) return builder.Finish({result});
  const double factor = is_product ? operands[0].scale * operands[1].scale : refined;
  return builder.Finish({Requantize(builder, choice, result, {factor}, type).name});
}

bool IsI32Row(const Setting& setting) {
  const char* variable = setting.row->PlainType("in_t") ? "in_t" : "in_out_t";
  return setting.Type(variable) == DType::kI32 && HasIntegers(setting);
}

Domain ElementwiseDomain() {
  return {.axes = ElementwiseAxes,
          .constraints = {{{"type", "zero_point"}, "rescale.input_zp", ZeroPointIsI8}},
          .build = BuildElementwise};
}

// ---- Tables ------------------------------------------------------------------------------------

using Function = double (*)(double);
// Null: a table of random numbers.
constexpr ListedAxis<Function> kFunctionAxis{
    "table", "t", {{"tanh", Tanh}, {"sigmoid", Sigmoid}, {"random", nullptr}}};

std::vector<Axis> TableAxes(const Setting& setting) {
  std::vector<Axis> axes = {kShapeAxis.With({"3x5x7", "2x3x4x5", "200"}), kFunctionAxis.All(),
                            kDataAxis.With({"full-range", "special"})};
  AddRoundingAxis(setting, true, axes);
  return axes;
}

Tensor ChosenTable(const Choice& choice, DType type) {
  if (const Function function = choice[kFunctionAxis]) return TableOf(type, function);
  // The slope between neighbours must fit i16 in a table that is interpolated.
  if (type == DType::kI8) return FullRange(choice.Stream("table"), type, {256});
  return IntegersBetween(choice.Stream("table"), type, {513}, -16384, 16383);
}

// Rescales an accumulator to the table's type, and applies the table. An interpolated table yields
// 23 bits, which are rescaled back.
CaseDraft BuildTable(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = choice.Type("in_t");
  const Shape shape = choice[kShapeAxis];
  // An accumulator's value: far from the ends of i32.
  Tensor input = choice.data_set() == DataSet::kSpecial
                     ? Special(DType::kI32, shape)
                     : IntegersBetween(choice.Stream("input"), DType::kI32, shape, -99999, 99999);
  for (int64_t i = 0; i < input.size(); ++i) {
    input.SetInteger(i, std::clamp<int64_t>(input.Integer(i), -99999, 99999));
  }
  const Quantized scaled =
      Requantize(builder, choice, builder.Input("input", std::move(input)), {0.0001}, type);
  const Name table = builder.Constant("table", ChosenTable(choice, type));
  const Name looked_up = builder.Apply("TABLE", {scaled.name, table});
  if (type == DType::kI8) return builder.Finish({looked_up});
  return builder.Finish({Rescale(builder, choice, looked_up, {0x1p-7}, 0, 0, DType::kI16)});
}

// ---- Means -------------------------------------------------------------------------------------

std::vector<Axis> QuantizedPoolAxes(const Setting& setting) {
  std::vector<Axis> axes = OwnAxes(setting, {});
  AddRoundingAxis(setting, false, axes);
  return axes;
}

// Another scale than the input's.
CaseDraft BuildQuantizedPool(const Choice& choice) {
  GraphBuilder builder(choice);
  const DType type = choice.Type("in_out_t");
  CaseDraft own = OwnDomain("AVG_POOL2D").build(choice);
  const int64_t zero_point =
      std::get<int64_t>(std::get<AttributeValue>(own.arguments.at("output_zp")));
  const Name pooled = builder.Append(choice.setting, own)[0];
  Random random = choice.Stream("scales");
  const double factor = AnyScale(random, 0.7, 0.95);
  const int64_t output_zp = type == DType::kI8 ? random.Between(-20, 20) : 0;
  return builder.Finish({Rescale(builder, choice, pooled, {factor}, zero_point, output_zp, type)});
}

Domain PoolDomain() {
  return {.axes = QuantizedPoolAxes,
          .constraints = OwnDomain("AVG_POOL2D").constraints,
          .build = BuildQuantizedPool};
}

enum class Summed { kLast, kFirst, kAllButFirst };
constexpr ListedAxis<Summed> kSummedAxis{
    "axes",
    "a",
    {{"last", Summed::kLast}, {"first", Summed::kFirst}, {"all", Summed::kAllButFirst}}};

std::vector<Axis> MeanAxes(const Setting& setting) {
  std::vector<Axis> axes = {kShapeAxis.With({"3x5x7", "2x6x4x5", "12x30"}), kSummedAxis.All(),
                            kAnyZeroPointAxis.All(), kDataAxis.With({"full-range", "special"})};
  AddRoundingAxis(setting, true, axes);
  return axes;
}

// The mean of i8 as frameworks lower it: the sum of i32 along each axis, scaled by one over the
// number of elements. A mean of everything would be one number.
CaseDraft BuildMean(const Choice& choice) {
  GraphBuilder builder(choice);
  const Shape shape = choice[kShapeAxis];
  Random random = choice.Stream("scales");
  const int64_t zero_point = choice[kAnyZeroPointAxis] ? random.Between(-128, 127) : 0;
  const Name input = builder.Input("input", Filled(choice, "input", DType::kI8, shape));
  Name sum = Rescale(builder, choice, input, {1}, zero_point, 0, DType::kI32);
  const auto last = static_cast<int64_t>(shape.size()) - 1;
  const Summed summed = choice[kSummedAxis];
  const int64_t begin = summed == Summed::kLast ? last : summed == Summed::kAllButFirst ? 1 : 0;
  const int64_t end = summed == Summed::kFirst ? 0 : last;
  double count = 1;
  for (int64_t axis = begin; axis <= end; ++axis) {
    sum = builder.Apply("REDUCE_SUM", {sum}, {{"axis", axis}});
    count *= static_cast<double>(shape[static_cast<size_t>(axis)]);
  }
  const double scale = AnyScale(random, 0.01, 0.04);
  return builder.Finish({Requantize(builder, choice, sum, {scale / count}, DType::kI8).name});
}

Domain MeanDomain() {
  return {.axes = MeanAxes,
          .constraints = {Excluded({{"axes", "all"}, {"data", "special"}},
                                   "a mean of all special values is one value")},
          .build = BuildMean};
}

// ---- Unsigned operands -------------------------------------------------------------------------

constexpr ParsedAxis<int64_t> kUnsignedZeroPointAxis{"zero_point", "z", ParseNumber};

std::vector<Axis> UnsignedAxes(const Setting& setting) {
  std::vector<Axis> axes = {kKernelAxis.With({"3x3", "2x1"}),
                            kUnsignedZeroPointAxis.With({"128", "0", "255"}),
                            kDataAxis.With({"full-range", "special"})};
  AddRoundingAxis(setting, false, axes);
  return axes;
}

// Unsigned 8-bit numbers become signed ones, which operators take, and unsigned again. Zero points
// are signless bit patterns.
CaseDraft BuildUnsigned(const Choice& choice) {
  GraphBuilder builder(choice);
  const int64_t unsigned_zp = choice[kUnsignedZeroPointAxis];
  const int64_t bits = unsigned_zp > 127 ? unsigned_zp - 256 : unsigned_zp;
  const int64_t signed_zp = unsigned_zp - 128;
  const Shape kernel = choice[kKernelAxis];
  const Name input = builder.Input("input", Filled(choice, "input", DType::kI8, {2, 6, 7, 5}));
  const Name as_signed =
      Rescale(builder, choice, input, {1}, bits, signed_zp, DType::kI8, {{"input_unsigned", true}});
  const Name pooled = builder.Apply("MAX_POOL2D", {as_signed}, {{"kernel", kernel}});
  return builder.Finish({Rescale(builder, choice, pooled, {0.9}, signed_zp, bits, DType::kI8,
                                 {{"output_unsigned", true}})});
}

// ---- Blocks of networks ------------------------------------------------------------------------

std::vector<Axis> BlockAxes(const Setting& setting) {
  std::vector<Axis> axes = {kActivationAxis.With({"relu6", "relu", "none"}), kPerChannelAxis.All(),
                            kAnyZeroPointAxis.All(), kDataAxis.With({"full-range", "special"})};
  AddRoundingAxis(setting, true, axes);
  return axes;
}

// The inverted residual of mobile networks: widen, filter each channel, narrow, add the input.
CaseDraft BuildResidual(const Choice& choice) {
  GraphBuilder builder(choice);
  Random random = choice.Stream("input scale");
  const int64_t zero_point = choice[kAnyZeroPointAxis] ? random.Between(-128, 127) : 0;
  const Quantized input{builder.Input("input", Filled(choice, "input", DType::kI8, {1, 5, 6, 4})),
                        AnyScale(random, 0.03, 0.06), zero_point};
  const Activation activation = choice[kActivationAxis];
  const Quantized wide = Layer(builder, choice, "CONV2D", input, {8, 1, 1, 4}, activation);
  const Quantized filtered = Layer(builder, choice, "DEPTHWISE_CONV2D", wide, {3, 3, 8, 1},
                                   activation, {{"pad", std::vector<int64_t>(4, 1)}});
  const Quantized narrow = Layer(builder, choice, "CONV2D", filtered, {4, 1, 1, 8}, activation);
  return builder.Finish({Sum(builder, choice, input, narrow).name});
}

std::vector<GraphDomain> Graphs() {
  using operand_rows::IsI8ByI8, operand_rows::IsI8ToI8;
  return {Product("conv2d-rescale-clamp", kConv2d, IsIntegerRow),
          Product("conv3d-rescale-clamp", "CONV3D", IsI8Row),
          Product("depthwise-conv2d-rescale-clamp", kDepthwise, IsIntegerRow),
          Product("transpose-conv2d-rescale-clamp", "TRANSPOSE_CONV2D", IsI8Row),
          Product("fully-connected-rescale-clamp", "FULLY_CONNECTED", IsIntegerRow),
          Product("matmul-rescale-clamp", "MATMUL", IsIntegerRow),
          {"add-between-rescales", "ADD", IsI32Row, ElementwiseDomain},
          {"sub-between-rescales", "SUB", IsI32Row, ElementwiseDomain},
          {"mul-between-rescales", "MUL", IsI32Row, ElementwiseDomain},
          {"maximum-between-rescales", "MAXIMUM", IsI32Row, ElementwiseDomain},
          {"greater-after-rescales", "GREATER", IsI32Row, ElementwiseDomain},
          {"rescale-table", "TABLE", nullptr, Plain(TableAxes, BuildTable)},
          {"avg-pool2d-rescale", "AVG_POOL2D", IsIntegerRow, PoolDomain},
          {"mean", "REDUCE_SUM", IsIntegerRow, MeanDomain},
          {"unsigned-max-pool2d", "RESCALE", IsI8ToI8, Plain(UnsignedAxes, BuildUnsigned)},
          {"inverted-residual", kConv2d, IsI8ByI8, Plain(BlockAxes, BuildResidual)}};
}

}  // namespace
}  // namespace quantized

std::vector<GraphDomain> QuantizedGraphs() { return quantized::Graphs(); }

}  // namespace cts

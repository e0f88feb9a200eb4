// Elementwise unary operators.
#include <cmath>

#include "generator/ops/domain.h"
#include "reference/base/float_format.h"
#include "reference/numeric/elementary.h"

namespace cts::elementwise_unary_domain {
namespace {

CaseDraft Unary(const Choice& choice, Tensor input) {
  CaseDraft draft;
  draft.output_type = input.dtype();
  draft.output_shape = input.shape();
  draft.Input("input1", std::move(input), choice[kOperandAxis]);
  return draft;
}

std::vector<Axis> Axes(const Setting& setting) {
  const DType type = setting.Type("in_out_t");
  Axis data = kDataAxis.With({"full-range", "special"});
  for (const std::string& every : PatternData(type)) data.values.push_back(every);
  return {UnaryShapes(setting, type), UnaryOperand(), std::move(data)};
}

// The least i32 has no negative: ABS and NEGATE of it are unpredictable.
Tensor WithoutLeastI32(Tensor tensor) {
  if (tensor.dtype() != DType::kI32) return tensor;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (tensor.Integer(i) == INT32_MIN) tensor.SetInteger(i, INT32_MIN + 2);
  }
  return tensor;
}

CaseDraft Build(const Choice& choice) {
  const Shape shape = choice[kShapeAxis];
  return Unary(choice, WithoutLeastI32(Filled(choice, "input1", choice.Type("in_out_t"), shape)));
}

Domain PlainDomain() {
  return {.axes = Axes,
          .constraints = UnaryConstraints(),
          .build = Build,
          .limits = {MaxRankLimit()},
          .relations = {Rank6(Axes, Build)}};
}

// The arguments at which the results of a function of floats turn, each with both signs.
std::vector<double> WithNegatives(std::vector<double> values) {
  for (size_t i = 0, count = values.size(); i < count; ++i) values.push_back(-values[i]);
  return values;
}

constexpr double kPi = 3.141592653589793;

// The least number by which 1 can grow.
double Step(DType type) { return std::ldexp(1, -Format(type).fraction_bits); }

// The arguments whose result is neither 0 nor infinite, roughly, by the exponents of the format. At
// the thresholds the result becomes 0, infinite or subnormal, or begins to differ from 1.
CaseDraft BuildExp(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const FloatFormat& format = Format(type);
  const double ln2 = 0.6931471805599453, step = Step(type);
  const std::vector<double> thresholds = {Log(format.max),
                                          Log(format.max * (1 + step / 4)),
                                          Log(format.normal_min()),
                                          Log(format.subnormal_min()),
                                          Log(format.subnormal_min() / 2),
                                          0,
                                          step / 4,
                                          step / 2,
                                          step,
                                          -step / 4,
                                          -step / 2,
                                          ln2,
                                          -ln2,
                                          ln2 / 2,
                                          -ln2 / 2,
                                          1,
                                          -1};
  return BuildFunction(choice, ln2 * (format.min_exponent - format.fraction_bits),
                       ln2 * (1 << (format.exponent_bits - 1)), thresholds);
}

// Halves, whole numbers, and numbers of a size at which there are no halves any more.
CaseDraft BuildWhole(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const FloatFormat& format = Format(type);
  const double last = std::ldexp(1, format.fraction_bits);  // of the numbers with halves
  return BuildFunction(choice, -20, 20,
                       WithNegatives({0, format.normal_min(), 0.5, 1, 1.5, 2, 2.5, 3, 15, 15.5, 16,
                                      last / 2 - 0.5, last / 2, last / 2 + 0.5, last - 0.5, last}));
}

// Zeros and poles of sines and cosines, and their greatest values: multiples of pi / 2.
CaseDraft BuildAngle(const Choice& choice) {
  std::vector<double> angles = {0, kPi / 6, kPi / 4, kPi / 3, 32 * kPi, 1000, 8192};
  for (int k = 1; k <= 8; ++k) angles.push_back(k * kPi / 2);
  CaseDraft draft = BuildFunction(choice, -7, 7, WithNegatives(std::move(angles)));
  if (choice.data_set() == DataSet::kFullRange) {
    // Most cosines of such numbers are 1 or arbitrary. Three of four numbers have a magnitude at
    // which the cosine shows a fault.
    Tensor& input = draft.tensor(draft.arguments.begin()->first);
    Random random = choice.Stream("angles");
    for (int64_t i = 0; i < input.size(); ++i) {
      const double significand = 1 + random.Unit();  // drawn first, whatever the compiler
      const double magnitude = std::ldexp(significand, static_cast<int>(random.Between(-4, 4)));
      if (i % 4 != 3) input.SetValue(i, random.Below(2) == 0 ? magnitude : -magnitude);
    }
  }
  return draft;
}

CaseDraft BuildLog(const Choice& choice) {
  const DType type = choice.Type("in_out_t");
  const FloatFormat& format = Format(type);
  const double step = Step(type);
  return BuildFunction(choice, 0.25, 4,
                       {0,
                        format.subnormal_min(),
                        2 * format.subnormal_min(),
                        format.normal_min(),
                        format.max,
                        1,
                        1 + 2 * step,
                        1 + 4 * step,
                        1 - 2 * step,
                        1.25,
                        0.75,
                        0.5,
                        2,
                        4,
                        0.7071067811865476,
                        1.4142135623730951,
                        2.718281828459045,
                        10,
                        1000,
                        0.001});
}

// The arguments at which the result is subnormal, infinite or exact.
CaseDraft BuildReciprocal(const Choice& choice) {
  const FloatFormat& format = Format(choice.Type("in_out_t"));
  return BuildFunction(
      choice, -4, 4,
      WithNegatives({0, format.subnormal_min(), 1 / format.max, format.normal_min(),
                     1 / format.normal_min(), format.max, format.max / 2, format.max / 4, 1, 2, 3,
                     5, 7, 0.5, 0.1, 1.5}));
}

CaseDraft BuildRsqrt(const Choice& choice) {
  const FloatFormat& format = Format(choice.Type("in_out_t"));
  return BuildFunction(choice, 0.125, 8,
                       {0,
                        format.subnormal_min(),
                        2 * format.subnormal_min(),
                        4 * format.subnormal_min(),
                        8 * format.subnormal_min(),
                        format.normal_min(),
                        2 * format.normal_min(),
                        format.max,
                        format.max / 2,
                        format.max / 4,
                        1,
                        2,
                        4,
                        16,
                        0.25,
                        0.5,
                        0.0625,
                        3,
                        9,
                        100});
}

std::vector<Axis> ClzAxes(const Setting& setting) {
  std::vector<Axis> axes = Axes(setting);
  axes.back().values.push_back("magnitudes");
  return axes;
}

// Numbers with any count of leading zeros.
CaseDraft BuildClz(const Choice& choice) {
  if (choice.data_set() != DataSet::kMagnitudes) return Build(choice);
  Tensor input(choice.Type("in_out_t"), choice[kShapeAxis]);
  Random random = choice.Stream("input1");
  for (int64_t i = 0; i < input.size(); ++i) {
    const int64_t word = random.Between(INT32_MIN, INT32_MAX);
    input.SetInteger(i, (word & 0x7FFFFFFF) >> random.Between(0, 31));
  }
  return Unary(choice, std::move(input));
}

// The input's and the output's. Ends that differ: with two of a kind every result would
// saturate.
using ZeroPoints = std::pair<int64_t, int64_t>;
constexpr ListedAxis<ZeroPoints> kNegateZeroPointAxis{
    "zero_point",
    "z",
    {{"0", {0, 0}}, {"lo", {-128, 127}}, {"hi", {127, -128}}, {"mixed", {-3, 90}}},
    {{"in", {1, 0}}, {"out", {0, -1}}}};

std::vector<Axis> NegateAxes(const Setting& setting) {
  std::vector<Axis> axes = Axes(setting);
  if (setting.Type("in_out_t") == DType::kI8) {
    axes.insert(axes.end() - 1, kNegateZeroPointAxis.All());
  }
  Axis data = std::move(axes.back());
  axes.pop_back();
  AddParametersAxis(setting, {"input1_zp", "output_zp"}, axes);
  axes.push_back(std::move(data));
  return axes;
}

CaseDraft BuildNegate(const Choice& choice) {
  CaseDraft draft = Build(choice);
  const auto [input1_zp, output_zp] = choice[kNegateZeroPointAxis];
  draft.Set("input1_zp", input1_zp);
  draft.Set("output_zp", output_zp);
  SetParameters(choice, {"input1_zp", "output_zp"}, draft);
  return draft;
}

bool NotI8(const Setting& setting) { return setting.Type("in_out_t") != DType::kI8; }
bool IsI32(const Setting& setting) { return setting.Type("in_out_t") == DType::kI32; }

}  // namespace

Domain AbsDomain() { return PlainDomain(); }

Domain BitwiseNotDomain() { return PlainDomain(); }

Domain CeilDomain() { return FunctionDomain(BuildWhole); }

Domain ClzDomain() {
  return {.axes = ClzAxes,
          .constraints = UnaryConstraints(),
          .build = BuildClz,
          .limits = {MaxRankLimit()},
          .relations = {Rank6(ClzAxes, BuildClz, {{"data", "magnitudes"}})}};
}

Domain CosDomain() { return FunctionDomain(BuildAngle); }

Domain ExpDomain() { return FunctionDomain(BuildExp); }

Domain FloorDomain() { return FunctionDomain(BuildWhole); }

Domain LogDomain() { return FunctionDomain(BuildLog); }

Domain LogicalNotDomain() { return PlainDomain(); }

Domain NegateDomain() {
  return {
      .axes = NegateAxes,
      .constraints = UnaryConstraints(),
      .build = BuildNegate,
      .breakers = {{"negate.input1_zp",
                    {},
                    NotI8,
                    [](const Setting&, CaseDraft& d) { d.Set("input1_zp", int64_t{1}); }},
                   {"negate.output_zp",
                    {},
                    NotI8,
                    [](const Setting&, CaseDraft& d) { d.Set("output_zp", int64_t{1}); }},
                   {"negate.input1_zp",
                    {},
                    NotI8,
                    [](const Setting&, CaseDraft& d) { d.Set("input1_zp", int64_t{-1}); }},
                   {"negate.output_zp",
                    {},
                    NotI8,
                    [](const Setting&, CaseDraft& d) { d.Set("output_zp", int64_t{-1}); }},
                   More({"negate.input1_zp",
                         {},
                         IsI32,
                         [](const Setting&, CaseDraft& d) { d.Set("input1_zp", int64_t{1}); }}),
                   More({"negate.output_zp",
                         {},
                         IsI32,
                         [](const Setting&, CaseDraft& d) { d.Set("output_zp", int64_t{1}); }})},
      .limits = {MaxRankLimit()},
      .relations = {Rank6(NegateAxes, BuildNegate)}};
}

Domain ReciprocalDomain() { return FunctionDomain(BuildReciprocal); }

Domain RsqrtDomain() { return FunctionDomain(BuildRsqrt); }

Domain SinDomain() { return FunctionDomain(BuildAngle); }

}  // namespace cts::elementwise_unary_domain

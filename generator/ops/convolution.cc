#include "generator/ops/convolution.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "reference/spec/type_names.h"

namespace cts {

std::string AccumulatorName(DType acc_t) { return std::string(EnumeratorOf(acc_t)); }

Axis DotProductData(DType in_t) {
  if (IsFloat(in_t)) return kDataAxis.With({"S0", "S1", "S2", "S3", "S4", "S5"});
  return kDataAxis.With({"full-range", "special"}, {"extremes", "accumulator"});
}

void AddZeroPointAxis(DType first, DType second, std::vector<Axis>& axes) {
  if (first != DType::kI8 && second != DType::kI8) return;
  axes.push_back(kZeroPointAxis.All());
}

int64_t ZeroPoint(const Choice& choice, DType type, bool first) {
  if (type != DType::kI8 || !choice.labels.Has("zero_point")) return 0;
  const ZeroPoints zero_points = choice[kZeroPointAxis];
  return first ? zero_points.first : zero_points.second;
}

int64_t FarEnd(DType type, int64_t zero_point) {
  return IntegerMax(type) - zero_point > zero_point - IntegerMin(type) ? IntegerMax(type)
                                                                       : IntegerMin(type);
}

Tensor FillIntegers(const Choice& choice, const std::string& operand, DType type,
                    const Shape& shape, int64_t zero_point, int64_t channels) {
  const bool extremes = choice.data_set() == DataSet::kExtremes;
  if (!extremes && choice.data_set() != DataSet::kAccumulator) {
    return Filled(choice, operand, type, shape);
  }
  Random random = choice.Stream(operand);
  Tensor tensor(type, shape);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    int64_t value = FarEnd(type, zero_point);
    if (extremes) value = random.Below(2) == 0 ? IntegerMin(type) : IntegerMax(type);
    // The other elements differ here and there: equal sums would hide much.
    const bool rest = channels == 0 ? 2 * i >= tensor.size() : i % channels != 0;
    const bool other = !extremes && rest && random.Below(13) == 0;
    if (other) value = random.Between(IntegerMin(type), IntegerMax(type));
    tensor.SetInteger(i, value);
  }
  return tensor;
}

namespace {

// Whether appendix A of 0.100 has no set with a bias whose results are numbers. B depends on the
// accumulator, and sums of S1, S4 and S5 for fp32 overflow an output of fp16.
bool LeavesTheOutput(const Setting& setting) {
  return setting.EditionHas(Feature::kDotProductBoundOfAccumulator) &&
         setting.Type("in_t") == DType::kFp16 && setting.Type("out_t") == DType::kFp16 &&
         setting.row->Type("acc_t") == DType::kFp32;
}

}  // namespace

void AddConvolutionAxes(const Setting& setting, std::vector<Axis>& axes) {
  axes.push_back(kBiasAxis.All());
  axes.push_back(kWeightAxis.All());
  if (setting.Takes("local_bound")) axes.push_back(kLocalBoundAxis.All());
  AddZeroPointAxis(setting.Type("in_t"), setting.Type("weight_t"), axes);
  AddParametersAxis(setting, {"input_zp", "weight_zp"}, axes);
  axes.push_back(DotProductData(setting.Type("in_t")));
  // For these type rows any data with 1000 results are normative.
  if (LeavesTheOutput(setting)) axes.back().values.push_back("bias");
}

std::string_view DataOfNumbers(const Setting& setting) {
  return LeavesTheOutput(setting) ? "bias" : "";
}

namespace {

// With fewer products, the errors of correctly rounded results of 0.100's S3 add up to more than
// the limit: in bf16 with 5 products to 1.28 of it.
constexpr int64_t kFewProducts = 7;

Constraint RandomKernel() {
  return {{"kernel", "data"},
          "S2 and S3 have nothing random in a kernel of one; in 0.100 B goes by the accumulator, "
          "and sums of S1, S4 and S5 for fp32 leave an output of fp16; all sums of S3 lie beside a "
          "power of two, where a narrow type rounds what is above more than what is below, so that "
          "few products leave the right results biased",
          [](const Setting& setting, const Labels& labels) {
            const DataSet data = labels[kDataAxis];
            const int64_t products = ElementCount(labels[kKernelAxis]);
            // The large product of 0.100 is 256 in every sum, not 256 or -256 as in 1.0.
            const bool leans = data == DataSet::kS3 &&
                               setting.EditionHas(Feature::kDotProductSetsOfOneSign) &&
                               setting.Type("out_t") != DType::kFp32;
            if (data == DataSet::kS2 || data == DataSet::kS3)
              return products > (leans ? kFewProducts : 1);
            if (data != DataSet::kS1 && data != DataSet::kS4 && data != DataSet::kS5) return true;
            return !LeavesTheOutput(setting);
          }};
}

Constraint OneBiasForAll() {
  return {{"bias", "data"},
          "0.100 adds the bias in a type narrower than the accumulator's. One bias for all results "
          "makes all of them wrong by the same amount. The sum of squares may exceed what S1 "
          "allows",
          [](const Setting& setting, const Labels& labels) {
            if (!labels[kBiasAxis] ||
                (labels[kDataAxis] != DataSet::kS1 && labels[kDataAxis] != DataSet::kBias)) {
              return true;
            }
            return !setting.EditionHas(Feature::kBiasOfOutputType) ||
                   setting.Type("out_t") == DType::kFp32 ||
                   setting.row->Type("acc_t") != DType::kFp32;
          }};
}

// The weights need room for special values.
Constraint WeightsForSpecials(const ParsedAxis<Shape>& axis, size_t channels) {
  return {{axis.name, "kernel", "data"},
          "the first special values are zeros",
          [=](const Setting&, const Labels& labels) {
            return labels[kDataAxis] != DataSet::kSpecial ||
                   ElementCount(labels[kKernelAxis]) * labels[axis][channels] >= 10;
          }};
}

Constraint WithFullSum(const FullSum& full, const ParsedAxis<Shape>& axis) {
  return {{axis.name, "kernel", "data"},
          "a kernel that fills the accumulator is for its data set, and a small output for it",
          [=](const Setting&, const Labels& labels) {
            const bool is_small = labels.Is(axis, full.small);
            if (!labels.Is(kKernelAxis, full.kernel)) return !is_small;
            return is_small && labels[kDataAxis] == DataSet::kAccumulator;
          }};
}

Constraint WithWholeSum(const WholeSum& sum) {
  return {{"kernel", sum.axis.name, sum.pad.name, "data"},
          "S3 is to show how sums are rounded, beneath a bound that is of the whole input",
          [=](const Setting& setting, const Labels& labels) {
            if (setting.Takes("local_bound") || labels[kDataAxis] != DataSet::kS3) return true;
            if (!labels.Is(kKernelAxis, sum.kernel)) return true;
            const std::vector<int64_t> pad = labels[sum.pad];
            return labels.Is(sum.axis, sum.value) &&
                   std::all_of(pad.begin(), pad.end(), [](int64_t side) { return side == 0; });
          }};
}

}  // namespace

std::vector<Constraint> ConvolutionConstraints(Constraint geometry, const ParsedAxis<Shape>& size,
                                               size_t channels, const FullSum& full,
                                               const WholeSum& whole) {
  return {std::move(geometry), RandomKernel(),
          OneBiasForAll(),     WeightsForSpecials(size, channels),
          WithWholeSum(whole), WithFullSum(full, size)};
}

std::vector<Breaker> ConvolutionBreakers(const WindowWays& ways) {
  std::vector<Breaker> breakers = WindowBreakers(ways);
  const auto add = [&](std::string_view condition, bool (*applies)(const Setting&),
                       DraftChange change) {
    breakers.push_back({StrCat(ways.op, condition), ways.labels, applies, std::move(change)});
  };
  add(".input_zp", InputIsNotI8, SetInputZeroPoint);
  add(".weight_zp", WeightIsNotI8, SetWeightZeroPoint);
  add(".bias_channels", nullptr, OtherBiasChannels);
  add(".bias_channels", nullptr, FewerBiasChannels);
  return breakers;
}

namespace {

// The bias of integers. Half of the range leaves the sum of products the other half. At the ends of
// the type it goes as far as `largest_sum`, the greatest possible magnitude of a sum, allows.
Tensor IntegerBias(const Choice& choice, DType type, const Shape& shape, int64_t largest_sum,
                   bool sum_is_negative) {
  Random random = choice.Stream("bias");
  const int64_t half = IntegerMax(type) / 2;
  if (choice.data_set() != DataSet::kExtremes && choice.data_set() != DataSet::kAccumulator) {
    return IntegersBetween(random, type, shape, -half, half);
  }
  Tensor bias(type, shape);
  for (int64_t i = 0; i < bias.size(); ++i) {
    const bool negative =
        choice.data_set() == DataSet::kExtremes ? random.Below(2) == 0 : sum_is_negative;
    bias.SetInteger(i, negative ? IntegerMin(type) + largest_sum : IntegerMax(type) - largest_sum);
  }
  return bias;
}

}  // namespace

void SetConvolutionOperands(const Choice& choice, const ConvolutionShapes& shapes,
                            MakeInput make_input, MakeWeight make_weight, CaseDraft& draft) {
  const DType in_t = choice.Type("in_t"), weight_t = choice.Type("weight_t");
  const DType out_t = choice.Type("out_t");
  const DType acc_t = choice.setting.row->PlainType("acc_t").value_or(out_t);
  const int64_t input_zp = ZeroPoint(choice, in_t, true);
  const int64_t weight_zp = ZeroPoint(choice, weight_t, false);
  const ConstantOperands constant = choice[kWeightAxis];
  if (const int s = DotProductSetNumber(choice.data_set()); IsFloat(in_t)) {
    // "bias" is S1 with a B that depends on the output, in every edition.
    const bool is_set = s >= 0;
    DotProductSet set(is_set ? choice.setting.edition->features : Features(), is_set ? s : 1,
                      shapes.kernel_size, in_t, out_t, acc_t);
    draft.Input("input", make_input(set, in_t, shapes.input, shapes.weight), constant.input);
    draft.Input("weight", make_weight(set, weight_t, shapes.weight), constant.weight);
    draft.Input("bias", Conv2dBias(set, out_t, shapes.bias), constant.bias);
  } else {
    draft.Input("input",
                FillIntegers(choice, "input", in_t, shapes.input, input_zp, shapes.input_channels),
                constant.input);
    draft.Input(
        "weight",
        FillIntegers(choice, "weight", weight_t, shapes.weight, weight_zp, shapes.weight_channels),
        constant.weight);
    const int64_t value = FarEnd(in_t, input_zp) - input_zp;
    const int64_t weight = FarEnd(weight_t, weight_zp) - weight_zp;
    draft.Input("bias",
                IntegerBias(choice, out_t, shapes.bias,
                            shapes.kernel_size * std::abs(value) * std::abs(weight),
                            (value < 0) != (weight < 0)),
                constant.bias);
  }
  draft.Set("input_zp", input_zp);
  draft.Set("weight_zp", weight_zp);
  SetParameters(choice, {"input_zp", "weight_zp"}, draft);
  if (choice.setting.Takes("acc_type")) draft.Set("acc_type", AccumulatorName(acc_t));
  if (choice.labels.Has("local_bound") && choice[kLocalBoundAxis]) draft.Set("local_bound", true);
  draft.output_type = out_t;
}

CaseDraft BuildConvolution(const Choice& choice, const WindowGeometry& geometry,
                           ConvolutionShapes shapes, MakeInput make_input, MakeWeight make_weight) {
  shapes.input = geometry.input;
  shapes.bias = {choice[kBiasAxis] ? 1 : geometry.output.back()};
  shapes.kernel_size = ElementCount(geometry.kernel);

  CaseDraft draft;
  SetConvolutionOperands(choice, shapes, make_input, make_weight, draft);
  draft.Set("pad", geometry.pad);
  draft.Set("stride", geometry.stride);
  draft.Set("dilation", geometry.dilation);
  draft.output_shape = geometry.output;
  return draft;
}

}  // namespace cts

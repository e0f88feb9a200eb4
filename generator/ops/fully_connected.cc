// FULLY_CONNECTED, of tosa-0.100.
#include "generator/ops/convolution.h"
#include "generator/ops/non_finite.h"

namespace cts::fully_connected_domain {
namespace {

constexpr char kFull[] = "2x33025x3";  // 33025 * 255 * 255 < 2^31

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, IC, OC. MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back(kShapeAxis.With(
      is_float ? std::vector<std::string>{"32x40x32", "25x2x41", "8x90x130"}
               : std::vector<std::string>{"4x9x5", "7x30x6", "1x64x8", "13x1x11"},
      is_float ? std::vector<std::string>{"1x9x1021", "1009x4x1", "2x64x512", "64x1x16"}
               : std::vector<std::string>{"17x16x1", "1x1x64", "3x1024x2", kFull}));
  axes.push_back(kBiasAxis.All());
  axes.push_back(kWeightAxis.All());
  AddZeroPointAxis(setting.Type("in_t"), setting.Type("weight_t"), axes);
  axes.push_back(DotProductData(setting.Type("in_t")));
  return axes;
}

CaseDraft Build(const Choice& choice) {
  const Shape size = choice[kShapeAxis];
  ConvolutionShapes shapes;
  shapes.input = {size[0], size[1]};
  shapes.weight = {size[2], size[1]};
  shapes.bias = {choice[kBiasAxis] ? 1 : size[2]};
  shapes.kernel_size = size[1];
  CaseDraft draft;
  SetConvolutionOperands(choice, shapes, FullyConnectedInput, Conv2dWeight, draft);
  draft.output_shape = {size[0], size[2]};
  return draft;
}

CaseDraft At(const CaseDraft& draft, Labels labels) {
  return BuildAt(draft, Axes, Build, std::move(labels));
}

CaseDraft AtLayer(const CaseDraft& draft, const NetworkLayer& layer) {
  Shape shape = layer.input;
  shape.push_back(layer.output[1]);
  Labels labels = {{"shape", SizesLabel(shape)}, {"weight", "const"}};
  if (draft.built_from->setting.Type("in_t") == DType::kI8) labels.Set("zero_point", "mid");
  return At(draft, std::move(labels));
}

}  // namespace

Domain FullyConnectedDomain() {
  return {
      .axes = Axes,
      .constraints =
          {{{"shape", "data"},
            "S2 and S3 have nothing random in a sum of one product; a sum that fills the "
            "accumulator is for its data set",
            [](const Setting&, const Labels& labels) {
              const DataSet data = labels[kDataAxis];
              if (labels.Is(kShapeAxis, kFull)) return data == DataSet::kAccumulator;
              return labels[kShapeAxis][1] > 1 || (data != DataSet::kS2 && data != DataSet::kS3);
            }}},
      .build = Build,
      .breakers = {{"fully_connected.input_zp", {}, InputIsNotI8, SetInputZeroPoint},
                   {"fully_connected.weight_zp", {}, WeightIsNotI8, SetWeightZeroPoint},
                   {"fully_connected.bias_channels", {{"bias", "oc"}}, nullptr, OtherBiasChannels},
                   {"fully_connected.bias_channels", {{"bias", "oc"}}, nullptr, FewerBiasChannels}},
      .data_cases =
          NonFiniteCases(At, {{"plain", {{"shape", "12x8x24"}}, 8},
                              {"constant", {{"shape", "15x9x24"}, {"weight", "const"}}, 9}}),
      .at_layer = AtLayer};
}

}  // namespace cts::fully_connected_domain

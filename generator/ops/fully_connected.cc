// FULLY_CONNECTED, of tosa-0.100.
#include "generator/ops/convolution.h"

namespace cts {
namespace {

std::vector<Axis> Axes(const Setting& setting) {
  const bool is_float = IsFloat(setting.Type("in_t"));
  std::vector<Axis> axes;
  // N, IC, OC. MIN_DOT_PRODUCTS of appendix A: at least 1000 results.
  axes.push_back({"shape", "",
                  is_float ? std::vector<std::string>{"32x40x32", "25x2x41", "8x90x130"}
                           : std::vector<std::string>{"4x9x5", "7x30x6", "1x64x8", "13x1x11"}});
  axes.push_back({"bias", "b", {"oc", "1"}});
  axes.push_back({"weight", "w", {"run", "const"}});
  AddZeroPointAxis(setting.Type("in_t"), axes);
  axes.push_back({"data", "", DotProductDataSets(setting.Type("in_t"))});
  return axes;
}

Draft Build(const Choice& choice) {
  const Shape size = ParseShape(choice["shape"]);
  ConvolutionShapes shapes;
  shapes.input = {size[0], size[1]};
  shapes.weight = {size[2], size[1]};
  shapes.bias = {choice["bias"] == "1" ? 1 : size[2]};
  shapes.kernel_size = size[1];
  Draft draft;
  SetConvolutionOperands(choice, shapes, FullyConnectedInput, Conv2dWeight, draft);
  draft.output_shape = {size[0], size[2]};
  return draft;
}

}  // namespace

Domain FullyConnectedDomain() {
  return {Axes,
          {},
          Build,
          {{"fully_connected.input_zp", {}, InputIsNotI8, SetInputZeroPoint},
           {"fully_connected.weight_zp", {}, WeightIsNotI8, SetWeightZeroPoint},
           {"fully_connected.bias_channels", {{"bias", "oc"}}, nullptr, OtherBiasChannels}}};
}

}  // namespace cts

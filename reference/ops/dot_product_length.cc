#include "reference/ops/dot_product_length.h"

namespace cts {

int64_t LengthOf(DotProductLength length, const Call& call) {
  const auto weight = [&]() -> const Shape& { return call.shape("weight"); };
  const auto image = [&] {
    const Shape& input = call.shape("input_real");  // N, H, W
    return input[1] * input[2];
  };
  switch (length) {
    case DotProductLength::kKernel:
      return call.Integer("kernel", 0) * call.Integer("kernel", 1);
    case DotProductLength::kWeightsOfAnOutput:
      return ElementCount(weight()) / weight()[0];
    case DotProductLength::kWeightsOfAChannel:
      return weight()[0] * weight()[1];  // of KH, KW, C, M
    case DotProductLength::kColumnsOfA:
      return call.shape("A")[2];
    case DotProductLength::kReducedAxis:
      return call.shape("input")[call.Integer("axis")];
    case DotProductLength::kRealTransform:
      return image();
    case DotProductLength::kComplexTransform:
      break;
  }
  return 2 * image();
}

}  // namespace cts

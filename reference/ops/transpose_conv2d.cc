// TRANSPOSE_CONV2D: conditions and semantics (section Tensor Operators).
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"
#include "reference/ops/sum_of_products.h"
#include "reference/ops/window.h"

namespace cts {
namespace {

template <int kAxis>
Breach TransposedSizeDiffers(const Call& c) {
  if (c.Integer("stride", kAxis) < 1) return false;  // another condition's business
  const int64_t found = c.shape("output")[1 + kAxis];
  const std::optional<int64_t> size = TransposedSize(c, kAxis);
  if (size == found) return false;
  return Breach::Differing(found, size ? std::to_string(*size) : kTooWide);
}

// Cropped by the whole kernel, or more.
template <int kAxis>
bool OutPadReachesKernel(const Call& c) {
  const int64_t kernel = c.shape("weight")[1 + kAxis];
  return c.Integer("out_pad", 2 * kAxis) <= -kernel ||
         c.Integer("out_pad", 2 * kAxis + 1) <= -kernel;
}

StatusOr<Shapes> InferTransposeConv2d(const Call& c) {
  const Shape &in = c.shape("input"), &weight = c.shape("weight");  // OC, KH, KW, IC
  return InferOfSizes(c, {in[0], TransposedSize(c, 0), TransposedSize(c, 1), weight[0]});
}

}  // namespace

OperatorFacts TransposeConv2dFacts() {
  return {.infer = InferTransposeConv2d,
          .keeping = Keeping::kTells,
          .dimensions = Conv2dDimensions,
          .relations = TransposeConv2dRelations};
}

Conditions TransposeConv2dConditions() {
  return {
      {"transpose_conv2d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"transpose_conv2d.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8},
      {"transpose_conv2d.out_pad_y", ConditionKind::kErrorIf,
       "out_pad_top or out_pad_bottom is at most -KH", OutPadReachesKernel<0>},
      {"transpose_conv2d.out_pad_x", ConditionKind::kErrorIf,
       "out_pad_left or out_pad_right is at most -KW", OutPadReachesKernel<1>},
      {"transpose_conv2d.stride_below_one", ConditionKind::kErrorIf, "a stride is below 1",
       StrideBelowOne},
      {"transpose_conv2d.output_height", ConditionKind::kErrorIf,
       "OH is not (IH - 1) * stride_y + out_pad_top + out_pad_bottom + KH",
       TransposedSizeDiffers<0>},
      {"transpose_conv2d.output_width", ConditionKind::kErrorIf,
       "OW is not (IW - 1) * stride_x + out_pad_left + out_pad_right + KW",
       TransposedSizeDiffers<1>},
      {"transpose_conv2d.bias_channels", ConditionKind::kErrorIf, "BC is neither OC nor 1",
       BiasHasOtherChannels},
  };
}

// Both editions follow the pseudocode of 1.0. That of 0.100 reads before the input's first element,
// writes beyond the output's last and calls the number of output channels OH.
void ComputeTransposeConv2d(const Call& call, Computation& computation) {
  SumOfProducts products(call, computation, call.Type("acc_t"));
  const Shape& in = call.shape("input");    // N, IH, IW, IC
  const Shape& ker = call.shape("weight");  // OC, KH, KW, IC
  const Shape& out = call.shape("output");  // N, OH, OW, OC
  const int64_t out_pad_top = call.Integer("out_pad", 0), out_pad_left = call.Integer("out_pad", 2);
  const int64_t stride_y = call.Integer("stride", 0), stride_x = call.Integer("stride", 1);

  const SumLayout layout = {.positions = out[0] * out[1] * out[2],
                            .columns = out[3],
                            .taps = ker[1] * ker[2],
                            .run = in[3],
                            .weight_column = ker[1] * ker[2] * ker[3],
                            .weight_product = 1,
                            .output_position = out[3]};
  products.Compute(layout, [&](int64_t position, int64_t tap) {
    const int64_t ox = position % out[2], oy = position / out[2] % out[1];
    const int64_t n = position / out[2] / out[1];
    const int64_t y = oy - out_pad_top - tap / ker[2], x = ox - out_pad_left - tap % ker[2];
    const bool inside = 0 <= y && y < in[1] * stride_y && y % stride_y == 0 &&  //
                        0 <= x && x < in[2] * stride_x && x % stride_x == 0;
    return inside ? ((n * in[1] + y / stride_y) * in[2] + x / stride_x) * in[3]
                  : SumOfProducts::kOutside;
  });
}

}  // namespace cts

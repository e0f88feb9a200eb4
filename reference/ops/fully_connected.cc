// FULLY_CONNECTED: conditions and semantics (section Tensor Operators of 0.100).
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"
#include "reference/ops/sum_of_products.h"
#include "reference/ops/window.h"

namespace cts {
namespace {

StatusOr<Shapes> InferFullyConnected(const Call& c) {
  return Shapes{{c.shape("input")[0], c.shape("weight")[0]}};
}

}  // namespace

OperatorFacts FullyConnectedFacts() {
  return {.infer = InferFullyConnected,
          .keeping = Keeping::kTells,
          .dimensions = FullyConnectedDimensions};
}

Conditions FullyConnectedConditions() {
  return {
      {"fully_connected.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"fully_connected.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8},
      {"fully_connected.bias_channels", ConditionKind::kErrorIf, "BC is neither OC nor 1",
       BiasHasOtherChannels},
  };
}

void ComputeFullyConnected(const Call& call, Computation& computation) {
  SumOfProducts products(call, computation, call.Type("out_t"));       // has no acc_type
  const Shape &in = call.shape("input"), &out = call.shape("output");  // N, IC; N, OC
  const SumLayout layout = {.positions = out[0],
                            .columns = out[1],
                            .run = in[1],
                            .weight_column = in[1],
                            .weight_product = 1,
                            .output_position = out[1]};
  products.Compute(layout, [&](int64_t position, int64_t) { return position * in[1]; });
}

}  // namespace cts

// FULLY_CONNECTED: conditions and semantics (section Tensor Operators); tosa-0.100 only.
#include "reference/ops/operator.h"
#include "reference/ops/window.h"

namespace cts {

Conditions FullyConnectedConditions() {
  return {
      {"fully_connected.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8, kTosa0100},
      {"fully_connected.weight_zp", ConditionKind::kErrorIf,
       "weight_zp is not zero although the weight is not i8", WeightZeroPointUnlessI8, kTosa0100},
      {"fully_connected.bias_channels", ConditionKind::kErrorIf, "BC is neither OC nor 1",
       BiasHasOtherChannels, kTosa0100},
  };
}

void ComputeFullyConnected(const Call& call, Computation& computation) {
  const Products products(call, computation, call.Type("out_t"));  // has no acc_type
  const int64_t input_channels = call.shape("input")[1], output_channels = call.shape("output")[1];
  computation.ForEach("output", [&](auto& a, int64_t i) {
    const int64_t oc = i % output_channels, n = i / output_channels;
    auto acc = a.FromInteger(0);
    for (int64_t ic = 0; ic < input_channels; ++ic) {
      acc = products.Add(a, acc, n * input_channels + ic, oc * input_channels + ic);
    }
    return products.WithBias(a, acc, oc);
  });
}

}  // namespace cts

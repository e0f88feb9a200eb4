// MATMUL: conditions and semantics (section Tensor Operators).
#include "reference/ops/operator.h"

namespace cts {

Conditions MatmulConditions() {
  return {
      // 1.0 writes the condition without its negation; 0.100, the comment and the argument table
      // have it.
      {"matmul.zero_point", ConditionKind::kErrorIf,
       "A_zp or B_zp is not zero although the inputs are not i8",
       [](const Call& c) {
         return c.dtype("A") != DType::kI8 && (c.Number("A_zp") != 0 || c.Number("B_zp") != 0);
       }},
  };
}

void ComputeMatmul(const Call& call, Computation& computation) {
  const Operand& operand_a = computation.In("A");
  const Operand& operand_b = computation.In("B");
  const Shape& shape_a = call.shape("A");   // N, H, C
  const Shape& out = call.shape("output");  // N, H, W
  const int64_t channels = shape_a[2];
  const DType out_t = call.Type("out_t");
  // Zero unless i8, so that subtracting it changes no floating-point value.
  const int64_t a_zp = static_cast<int64_t>(call.Number("A_zp"));
  const int64_t b_zp = static_cast<int64_t>(call.Number("B_zp"));

  computation.ForEach("output", [&](auto& a, int64_t i) {
    const int64_t w = i % out[2], h = i / out[2] % out[1], n = i / out[2] / out[1];
    auto acc = a.FromInteger(0);
    for (int64_t c = 0; c < channels; ++c) {
      auto value1 = a.Load(operand_a, (n * out[1] + h) * channels + c);
      auto value2 = a.Load(operand_b, (n * channels + c) * out[2] + w);
      value1 = a.Sub(out_t, a.Cast(out_t, value1), a.FromInteger(a_zp));
      value2 = a.Sub(out_t, a.Cast(out_t, value2), a.FromInteger(b_zp));
      acc = a.Add(out_t, acc, a.Mul(out_t, value1, value2));
    }
    return acc;
  });
}

}  // namespace cts

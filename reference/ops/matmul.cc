// MATMUL: conditions and semantics (section Tensor Operators).
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"
#include "reference/ops/sum_of_products.h"

namespace cts {
namespace {

// A zero point that is not known says nothing of the other.
bool IsKnownNotToBeZero(const Call& c, std::string_view zero_point) {
  return c.Knows(zero_point) && c.Number(zero_point) != 0;
}

StatusOr<Shapes> InferMatmul(const Call& c) {
  const Shape &a = c.shape("A"), &b = c.shape("B");  // N, H, C and N, C, W
  return Shapes{{a[0], a[1], b[2]}};
}

}  // namespace

OperatorFacts MatmulFacts() {
  return {.infer = InferMatmul, .keeping = Keeping::kTells, .dimensions = MatmulDimensions};
}

Conditions MatmulConditions() {
  return {
      // 1.0 writes the condition without its negation; 0.100, the comment and the argument table
      // have it.
      {"matmul.zero_point", ConditionKind::kErrorIf,
       "A_zp or B_zp is not zero although the inputs are not i8",
       [](const Call& c) {
         return c.dtype("A") != DType::kI8 &&
                (IsKnownNotToBeZero(c, "A_zp") || IsKnownNotToBeZero(c, "B_zp"));
       }},
  };
}

void ComputeMatmul(const Call& call, Computation& computation) {
  SumOfProducts products(
      call, computation, call.Type("out_t"),
      {.value = "A", .value_zp = "A_zp", .weight = "B", .weight_zp = "B_zp", .bias = ""});
  const Shape& a = call.shape("A");         // N, H, C
  const Shape& out = call.shape("output");  // N, H, W
  const SumLayout layout = {.positions = out[1],
                            .columns = out[2],
                            .run = a[2],
                            .weight_column = 1,
                            .weight_product = out[2],
                            .groups = out[0],
                            .value_group = a[1] * a[2],
                            .weight_group = a[2] * out[2],
                            .output_position = out[2],
                            .output_group = out[1] * out[2]};
  products.Compute(layout, [&](int64_t position, int64_t) { return position * a[2]; });
}

}  // namespace cts

// Faults of CONV2D.
#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts::conv2d_faults {

Faults Conv2dFaults() {
  const WindowOperator window = {
      .name = "CONV2D", .axes = 2, .first_kernel_axis = 1, .channel_axis = 3};
  Faults faults = SumFaults({.name = "CONV2D", .bias = "bias", .local_bound = true});
  MarkReported(faults, {"saturates_pairs_of_products", "accumulates_integers_in_fp32"},
               "tools/adapters/onednn/README.md");
  Append(faults, WindowFaults(window));
  Append(faults, WeightFaults(window));

  FaultFamily family("CONV2D");
  family.clause = "CONV2D, padding with the input's zero point";
  family.Add("pads_with_zero", "pads with 0 and subtracts the zero point from that",
             Operands({DType::kI8}),
             ByCall([](CallEditor& editor) { return PadOperand(editor, 0); }));
  family.clause = "CONV2D, products in acc_t";
  family.AddReported("halves_the_weight", "computes with 2 * round(w / 2) for every weight w",
                     "tools/adapters/onednn/README.md",
                     And(Operands({DType::kI8}), Weights({DType::kI8})), HalvesTheWeight());
  family.clause = "CONV2D, shape of the weight";
  family.AddReadOrder("reads_weight_as_hwio", "reads a weight of KH, KW, IC, OC", "weight",
                      {1, 2, 3, 0});
  family.AddReadOrder("reads_weight_as_oihw", "reads a weight of OC, IC, KH, KW", "weight",
                      {0, 3, 1, 2});
  family.AddReadOrder("reads_weight_as_ihwo", "reads a weight of IC, KH, KW, OC", "weight",
                      {3, 1, 2, 0});
  family.AddReadOrder("reads_weight_as_hwoi", "reads a weight of KH, KW, OC, IC", "weight",
                      {1, 2, 0, 3});
  family.AddReadOrder("reads_weight_as_iohw", "reads a weight of IC, OC, KH, KW", "weight",
                      {3, 0, 1, 2});
  family.AddReadOrder("reads_weight_as_ohwi", "reads a weight of OC, KH, KW, IC", "weight",
                      {0, 1, 2, 3});
  Append(faults, family.Take());
  return faults;
}

}  // namespace cts::conv2d_faults

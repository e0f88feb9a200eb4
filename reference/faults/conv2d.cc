// Faults of CONV2D.
#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts {

Faults Conv2dFaults() {
  const WindowOperator window = {
      .name = "CONV2D", .axes = 2, .first_kernel_axis = 1, .channel_axis = 3};
  Faults faults = SumFaults({.name = "CONV2D", .bias = "bias"});
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
  family.Add("reads_weight_as_hwio", "reads a weight of KH, KW, IC, OC", nullptr,
             ByCall([](CallEditor& e) {
               return ReadInOrder(e, "weight", {1, 2, 3, 0});
             }));
  family.Add("reads_weight_as_oihw", "reads a weight of OC, IC, KH, KW", nullptr,
             ByCall([](CallEditor& e) {
               return ReadInOrder(e, "weight", {0, 3, 1, 2});
             }));
  family.Add("reads_weight_as_ihwo", "reads a weight of IC, KH, KW, OC", nullptr,
             ByCall([](CallEditor& e) {
               return ReadInOrder(e, "weight", {3, 1, 2, 0});
             }));
  Append(faults, family.Take());
  return faults;
}

}  // namespace cts

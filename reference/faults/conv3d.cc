// Faults of CONV3D.
#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts::conv3d_faults {

Faults Conv3dFaults() {
  const WindowOperator window = {
      .name = "CONV3D", .axes = 3, .first_kernel_axis = 1, .channel_axis = 4};
  Faults faults = SumFaults({.name = "CONV3D", .bias = "bias", .local_bound = true});
  Append(faults, WindowFaults(window));
  Append(faults, WeightFaults(window));

  FaultFamily family("CONV3D");
  family.clause = "CONV3D, padding with the input's zero point";
  family.Add("pads_with_zero", "pads with 0 and subtracts the zero point from that",
             Operands({DType::kI8}),
             ByCall([](CallEditor& editor) { return PadOperand(editor, 0); }));
  family.AddReported("loses_windows_that_begin_in_the_padding",
                     "adds nothing of a window that begins in the padding",
                     "arm/ai-ml-emulation-layer-for-vulkan#252", nullptr,
                     LosesWindowsThatBeginInThePadding(3));
  family.clause = "CONV3D, shape of the weight";
  family.AddReadOrder("reads_weight_as_dhwio", "reads a weight of KD, KH, KW, IC, OC", "weight",
                      {1, 2, 3, 4, 0});
  family.AddReadOrder("reads_weight_as_hwd", "reads a weight whose depth comes after its columns",
                      "weight", {0, 2, 3, 1, 4});
  family.AddReadOrder("reads_weight_as_odhwi", "reads a weight of OC, KD, KH, KW, IC", "weight",
                      {0, 1, 2, 3, 4});
  family.AddReadOrder("reads_weight_as_oidhw", "reads a weight of OC, IC, KD, KH, KW", "weight",
                      {0, 4, 1, 2, 3});
  family.clause = "CONV3D, argument bias";
  family.Add("adds_the_bias_for_every_plane",
             "adds the bias to the sum of each plane of the kernel", nullptr,
             ByCall([](CallEditor& editor) {
               const int64_t planes = editor.original().shape("weight")[1];
               Tensor bias = *editor.original().values("bias");
               for (int64_t i = 0; i < bias.size(); ++i) {
                 if (IsFloat(bias.dtype())) {
                   bias.SetElement(i, static_cast<double>(planes) * bias.Element(i));
                 } else {
                   bias.SetInteger(i, planes * bias.Integer(i));
                 }
               }
               editor.SetOperand("bias", std::move(bias));
               return planes > 1;
             }));
  Append(faults, family.Take());
  MarkShown(faults, {"reads_weight_as_oidhw"}, HasOwnLayout);
  return faults;
}

}  // namespace cts::conv3d_faults

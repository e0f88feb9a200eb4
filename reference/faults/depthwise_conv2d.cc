// Faults of DEPTHWISE_CONV2D.
#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts::depthwise_conv2d_faults {
namespace {

// Output channel k takes channel k % C with weight k of those at a place of the kernel, as if
// multipliers came before channels in the weight and in the output.
std::optional<OperatorOutputs> MultiplierFirst(const Operator& op, const Call& call) {
  const Shape& weight = call.shape("weight");  // KH, KW, C, M
  const int64_t c = weight[2], m = weight[3];
  if (c == 1 || m == 1) return std::nullopt;
  const auto multiplier_first = [&](int64_t k) { return k % m * c + k / m; };  // of c * M + m
  CallEditor editor(call);
  Rearrange(editor, "weight",
            [&](int64_t i) { return i / (c * m) * (c * m) + multiplier_first(i % (c * m)); });
  if (call.shape("bias")[0] > 1) Rearrange(editor, "bias", multiplier_first);
  const Call* const other = editor.Make();
  if (other == nullptr) return std::nullopt;
  OperatorOutputs results = ComputeEdited(op, *other);
  Tensor& out = *results.at("output");
  const Tensor before = out;
  for (int64_t i = 0; i < out.size(); ++i) {
    out.SetBits(i / (c * m) * (c * m) + multiplier_first(i % (c * m)), before.Bits(i));
  }
  return results;
}

}  // namespace

Faults DepthwiseConv2dFaults() {
  const WindowOperator window = {.name = "DEPTHWISE_CONV2D", .axes = 2, .first_kernel_axis = 0};
  Faults faults = SumFaults({.name = "DEPTHWISE_CONV2D", .bias = "bias", .local_bound = true});
  MarkReported(faults, {"saturates_pairs_of_products", "accumulates_integers_in_fp32"},
               "tools/adapters/onednn/README.md");
  Append(faults, WindowFaults(window));
  Append(faults, WeightFaults(window));

  FaultFamily family("DEPTHWISE_CONV2D");
  family.clause = "DEPTHWISE_CONV2D, padding with the input's zero point";
  family.Add("pads_with_zero", "pads with 0 and subtracts the zero point from that",
             Operands({DType::kI8}),
             ByCall([](CallEditor& editor) { return PadOperand(editor, 0); }));
  family.clause = "DEPTHWISE_CONV2D, products in acc_t";
  family.AddReported("halves_the_weight", "computes with 2 * round(w / 2) for every weight w",
                     "tools/adapters/onednn/README.md",
                     And(Operands({DType::kI8}), Weights({DType::kI8})), HalvesTheWeight());
  family.clause = "DEPTHWISE_CONV2D, output channel c * M + m";
  family.Add("takes_multipliers_first", "output channel k takes channel k % C with weight k",
             nullptr, MultiplierFirst);
  family.Add("stores_multipliers_first", "stores channel c * M + m at m * C + c", nullptr,
             [](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
               const int64_t c = call.shape("weight")[2], m = call.shape("weight")[3];
               OperatorOutputs results = ComputeRight(op, call);
               Tensor& out = *results.at("output");
               const Tensor before = out;
               for (int64_t i = 0; i < out.size(); ++i) {
                 const int64_t k = i % (c * m);
                 out.SetBits(i - k + k % m * c + k / m, before.Bits(i));
               }
               return results;
             });
  family.clause = "DEPTHWISE_CONV2D, shape of the weight";
  family.AddReadOrder("reads_weight_multiplier_first", "reads a weight of KH, KW, M, C", "weight",
                      {0, 1, 3, 2});
  family.AddReadOrder("reads_weight_channel_first", "reads a weight of C, M, KH, KW", "weight",
                      {2, 3, 0, 1});
  family.AddReadOrder("reads_weight_as_mhwc", "reads a weight of M, KH, KW, C", "weight",
                      {3, 0, 1, 2});
  family.AddReadOrder("reads_weight_as_mchw", "reads a weight of M, C, KH, KW", "weight",
                      {3, 2, 0, 1});
  family.AddReadOrder("reads_weight_as_hwcm", "reads a weight of KH, KW, C, M", "weight",
                      {0, 1, 2, 3});
  family.Add("takes_the_first_multiplier", "takes the weight of the first multiplier for all",
             nullptr, ByCall([](CallEditor& e) {
               const int64_t m = e.original().shape("weight")[3];
               return Rearrange(e, "weight", [m](int64_t i) { return i / m * m; });
             }));
  Append(faults, family.Take());
  // Takes the addition of the bias for one of floating point, which integers refuse.
  faults.push_back({.id = "depthwise_conv2d.refuses_integers_without_zero_points",
                    .op = "DEPTHWISE_CONV2D",
                    .source = FaultSource::kReported,
                    .sentence = "refuses integers whose zero points are both zero",
                    .clause = "DEPTHWISE_CONV2D, arguments input_zp and weight_zp",
                    .report = "llvm/llvm-project#130282",
                    .does = [](const Call& call) {
                      return !IsFloat(call.dtype("input")) && call.Number("input_zp") == 0 &&
                             call.Number("weight_zp") == 0;
                    }});
  faults.push_back(
      {.id = "depthwise_conv2d.refuses_padded_1x1",
       .op = "DEPTHWISE_CONV2D",
       .source = FaultSource::kReported,
       .sentence = "refuses a kernel of 1x1 with padding where it accumulates in another type",
       .clause = "DEPTHWISE_CONV2D, argument pad",
       .report = "tools/findings/mlir/deviations.json, depthwise-1x1-pad",
       .does = [](const Call& call) {
         const Shape& weight = call.shape("weight");
         bool padded = false;
         for (int64_t k = 0; k < 4; ++k) padded = padded || call.Integer("pad", k) != 0;
         return padded && weight[0] == 1 && weight[1] == 1 &&
                call.dtype("input") != call.dtype("output");
       }});
  return faults;
}

}  // namespace cts::depthwise_conv2d_faults

// Faults of TRANSPOSE_CONV2D.
#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts::transpose_conv2d_faults {
namespace {

// An image with zeros between its elements, convolved with a stride of one.
bool StuffZeros(CallEditor& editor) {
  const Tensor& before = *editor.original().values("input");
  const Shape& in = before.shape();
  const std::vector<int64_t> stride = editor.Integers("stride");
  if (stride[0] == 1 && stride[1] == 1) return false;
  const Shape shape = {in[0], (in[1] - 1) * stride[0] + 1, (in[2] - 1) * stride[1] + 1, in[3]};
  Tensor after(before.dtype(), shape);
  for (int64_t i = 0; i < before.size(); ++i) {
    const int64_t c = i % in[3], x = i / in[3] % in[2], y = i / in[3] / in[2] % in[1];
    const int64_t n = i / in[3] / in[2] / in[1];
    const int64_t to = ((n * shape[1] + y * stride[0]) * shape[2] + x * stride[1]) * in[3] + c;
    after.SetBits(to, before.Bits(i));
  }
  editor.SetOperand("input", std::move(after));
  editor.Set("stride", {1, 1});
  return true;
}

// One kernel replaces the other's result where the kernels of several elements meet.
class Replaces : public SumFault {
 public:
  explicit Replaces(int64_t channels) : SumFault(true), channels_(channels) {}

 protected:
  double AddTerm(DType type, double x, double y) override {
    return SumFault::AddTerm(type, (terms() - 1) % channels_ == 0 ? 0 : x, y);
  }
  int64_t AddTerm(DType type, int64_t x, int64_t y) override {
    return SumFault::AddTerm(type, (terms() - 1) % channels_ == 0 ? 0 : x, y);
  }

 private:
  const int64_t channels_;
};

class BiasWhereReached : public SumFault {
 public:
  BiasWhereReached() : SumFault(true) {}

 protected:
  double Bias(DType type, double x, double y) override {
    return terms() == 0 ? x : SumFault::Bias(type, x, y);
  }
  int64_t Bias(DType type, int64_t x, int64_t y) override {
    return terms() == 0 ? x : SumFault::Bias(type, x, y);
  }
};

}  // namespace

Faults TransposeConv2dFaults() {
  const WindowOperator window = {.name = "TRANSPOSE_CONV2D",
                                 .axes = 2,
                                 .first_kernel_axis = 1,
                                 .channel_axis = 3,
                                 .reads_windows = false};
  Faults faults = SumFaults({.name = "TRANSPOSE_CONV2D", .bias = "bias", .local_bound = true});
  Append(faults, WindowFaults(window));
  Append(faults, WeightFaults(window));

  FaultFamily family("TRANSPOSE_CONV2D");
  family.clause = "TRANSPOSE_CONV2D, the zero point of elements that there are";
  family.Add("subtracts_the_zero_point_between_elements",
             "puts 0 between the elements and subtracts the zero point from that",
             Operands({DType::kI8}), ByCall(StuffZeros));
  family.clause = "TRANSPOSE_CONV2D, sums of overlapping kernels";
  family.Add("replaces_what_overlaps", "stores products where it should add them", nullptr,
             [](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
               Replaces fault(call.shape("input")[3]);
               return ComputeWith(op, call, fault);
             });
  family.clause = "TRANSPOSE_CONV2D, argument bias";
  family.Add("adds_the_bias_only_to_sums", "adds no bias where no product falls", nullptr,
             InArithmetic<BiasWhereReached>());
  family.clause = "TRANSPOSE_CONV2D, shape of the weight";
  family.AddReadOrder("reads_weight_as_ihwo", "reads a weight of IC, KH, KW, OC", "weight",
                      {3, 1, 2, 0});
  family.AddReadOrder("reads_weight_as_oihw", "reads a weight of OC, IC, KH, KW", "weight",
                      {0, 3, 1, 2});
  family.AddReadOrder("reads_weight_as_hwio", "reads a weight of KH, KW, IC, OC", "weight",
                      {1, 2, 3, 0});
  family.AddReadOrder("reads_weight_as_hwoi", "reads a weight of KH, KW, OC, IC", "weight",
                      {1, 2, 0, 3});
  family.AddReadOrder("reads_weight_as_ohwi", "reads a weight of OC, KH, KW, IC", "weight",
                      {0, 1, 2, 3});
  family.AddReadOrder("reads_weight_as_iohw", "reads a weight of IC, OC, KH, KW", "weight",
                      {3, 0, 1, 2});
  Append(faults, family.Take());
  MarkShown(faults, {"reads_weight_as_iohw"}, HasOwnLayout);
  return faults;
}

}  // namespace cts::transpose_conv2d_faults

// Faults of AVG_POOL2D and MAX_POOL2D.
#include <algorithm>
#include <cmath>
#include <limits>

#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"

namespace cts::pooling_faults {
namespace {

const WindowOperator kAverage = {.name = "AVG_POOL2D"}, kMaximum = {.name = "MAX_POOL2D"};

bool PadWithInputZeroPoint(CallEditor& editor, const std::vector<size_t>& sides) {
  return PadOperand(editor, editor.original().Number("input_zp").Integer(), sides);
}

// Computes the mean of integers otherwise: the stored result for a sum of `count` elements.
using Mean = int64_t (*)(int64_t sum, int64_t count);

Wrong MeanBy(Mean mean) {
  return [mean](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
    OperatorOutputs results = ComputeRight(op, call);
    Tensor& out = *results.at("output");
    const Tensor& input = *call.values("input");
    const Shape &in = input.shape(), &shape = out.shape();  // N, H, W, C
    const int64_t input_zp = call.Number("input_zp").Integer();
    const int64_t output_zp = call.Number("output_zp").Integer();
    for (int64_t i = 0; i < out.size(); ++i) {
      const int64_t c = i % shape[3], n = i / shape[3] / shape[2] / shape[1];
      const int64_t top =
          i / shape[3] / shape[2] % shape[1] * call.Integer("stride", 0) - call.Integer("pad", 0);
      const int64_t left =
          i / shape[3] % shape[2] * call.Integer("stride", 1) - call.Integer("pad", 2);
      const int64_t bottom = std::min(top + call.Integer("kernel", 0), in[1]);
      const int64_t right = std::min(left + call.Integer("kernel", 1), in[2]);
      int64_t sum = 0, count = 0;
      for (int64_t y = std::max<int64_t>(top, 0); y < bottom; ++y) {
        for (int64_t x = std::max<int64_t>(left, 0); x < right; ++x, ++count) {
          sum += input.Integer(((n * in[1] + y) * in[2] + x) * in[3] + c) - input_zp;
        }
      }
      if (count == 0) continue;  // never of a legal call
      const int64_t value = mean(sum, count) + output_zp;
      out.SetInteger(i, std::clamp(value, IntegerMin(out.dtype()), IntegerMax(out.dtype())));
    }
    return results;
  };
}

int64_t FloorOf(int64_t sum, int64_t count) {
  return sum / count - (sum % count != 0 && sum < 0 ? 1 : 0);
}
// Divides a sum by its count otherwise.
class Divides : public ArithmeticFault {
 public:
  using Division = double (*)(DType acc_t, double sum, double count);
  explicit Divides(Division divide) : divide_(divide) {}
  double Div(DType type, double x, double y) override { return divide_(type, x, y); }

 private:
  const Division divide_;
};

// The whole element computed in its own type, not the accumulator's.
class AveragesInItsType : public SumFault {
 public:
  AveragesInItsType() : SumFault(false) {}
  void Begin(DType type, int64_t offset) override {
    SumFault::Begin(type, offset);
    in_out_t_ = type;
  }

 protected:
  double AddTerm(DType, double x, double y) override { return RoundTo(in_out_t_, x + y); }

 private:
  DType in_out_t_ = DType::kFp32;
};

Faults AveragesOfIntegers() {
  FaultFamily family("AVG_POOL2D");
  family.clause = "AVG_POOL2D, reciprocal_scale and apply_scale_32";
  family.Add("truncates_the_mean", "divides toward zero", IntegerRows(),
             MeanBy([](int64_t sum, int64_t count) { return sum / count; }));
  family.Add("floors_the_mean", "divides toward minus infinity", IntegerRows(), MeanBy(FloorOf));
  // The reciprocal is always slightly too great, so that halves go away from zero, which is right.
  family.Add(
      "rounds_half_up", "rounds halves toward plus infinity", IntegerRows(),
      MeanBy([](int64_t sum, int64_t count) { return FloorOf(2 * sum + count, 2 * count); }));
  family.Add("rounds_half_to_even", "rounds halves to even", IntegerRows(),
             MeanBy([](int64_t sum, int64_t count) {
               const int64_t down = FloorOf(sum, count), twice = 2 * (sum - down * count);
               return down + (twice > count || (twice == count && down % 2 != 0) ? 1 : 0);
             }));
  family.Add("multiplies_by_a_short_reciprocal", "multiplies with a reciprocal of 8 bits",
             IntegerRows(), MeanBy([](int64_t sum, int64_t count) {
               const int64_t reciprocal = (256 + count / 2) / count;
               return FloorOf(sum * reciprocal + 128, 256);
             }));
  family.Add("rounds_up_every_rest", "divides toward plus infinity", IntegerRows(),
             MeanBy([](int64_t sum, int64_t count) { return -FloorOf(-sum, count); }));
  family.clause = "AVG_POOL2D, output clipped to in_out_t";
  family.Add("wraps_the_result", "adds the zero point after clipping, and keeps the low bits",
             Operands({DType::kI8}),
             [](const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
               CallEditor editor(call);
               editor.Set("output_zp", {0});
               const Call* const other = editor.Make();
               if (other == nullptr) return std::nullopt;
               OperatorOutputs results = ComputeEdited(op, *other);
               Tensor& out = *results.at("output");
               const int64_t zero_point = call.Number("output_zp").Integer();
               for (int64_t i = 0; i < out.size(); ++i) {
                 out.SetInteger(i, out.Integer(i) + zero_point);
               }
               return results;
             });
  return family.Take();
}

Faults AveragesOfFloats() {
  FaultFamily family("AVG_POOL2D");
  family.clause = "AVG_POOL2D, mean of the elements within the input";
  // A count, or a reciprocal, that is rounded to in_out_t is within the bound of the few elements
  // that it divides. One of 8 bits is a fault only if a result of fp32, or a bound of few
  // roundings, shows it.
  family.Add("multiplies_by_an_estimate", "multiplies with a reciprocal of 8 bits",
             And(Accumulates({DType::kFp32}), Operands({DType::kFp16, DType::kFp32})),
             InArithmetic<Divides>([](DType acc_t, double sum, double count) {
               return RoundTo(acc_t, sum * RoundToBits(1 / count, 8));
             }));
  family.Add("accumulates_in_its_type", "rounds every sum to in_out_t",
             // In fp8 few sums may be far off.
             And(Accumulates({DType::kFp32}), Operands({DType::kFp16, DType::kBf16})),
             InArithmetic<AveragesInItsType>());
  return family.Take();
}

// --- MAX_POOL2D ---------------------------------------------------------------------------------

class Compares : public ArithmeticFault {
 public:
  using IsLess = bool (*)(double x, double y);
  explicit Compares(IsLess less) : less_(less) {}
  bool IsNan(double) override { return false; }
  bool Less(double x, double y) override { return less_(x, y); }

 private:
  const IsLess less_;
};

class ComparesIntegers : public ArithmeticFault {
 public:
  using IsLess = bool (*)(int64_t x, int64_t y);
  explicit ComparesIntegers(IsLess less) : less_(less) {}
  bool LessInteger(int64_t x, int64_t y) override { return less_(x, y); }

 private:
  const IsLess less_;
};

}  // namespace

Faults AvgPool2dFaults() {
  Faults faults = SumFaults({.name = "AVG_POOL2D", .of_products = false});
  // Sums of few elements of fp8 are within their bound. Sums of up to 65793 elements of i8 are
  // exact in fp32; no case has windows as large.
  Exclude(faults, {"accumulates_in_bf16"}, Operands({DType::kFp8E4M3, DType::kFp8E5M2}));
  Exclude(faults, {"accumulates_integers_in_fp32"}, Operands({DType::kI8}));
  Append(faults, WindowFaults(kAverage));
  Append(faults, AveragesOfIntegers());
  Append(faults, AveragesOfFloats());
  FaultFamily family("AVG_POOL2D");
  family.clause = "AVG_POOL2D, count of the elements within the input";
  family.Add("counts_the_padding", "divides by the size of the kernel", nullptr,
             ByCall([](CallEditor& editor) { return PadWithInputZeroPoint(editor, {}); }));
  family.Add("counts_the_padding_before", "counts the padding at the top and left", nullptr,
             ByCall([](CallEditor& editor) {
               return PadWithInputZeroPoint(editor, {0, 2});
             }));
  family.Add("counts_the_padding_after", "counts the padding at the bottom and right", nullptr,
             ByCall([](CallEditor& editor) {
               return PadWithInputZeroPoint(editor, {1, 3});
             }));
  family.Add("averages_zeros_in_the_padding", "pads with 0 and subtracts the zero point from that",
             Operands({DType::kI8}),
             ByCall([](CallEditor& editor) { return PadOperand(editor, 0); }));
  Append(faults, family.Take());
  return faults;
}

Faults MaxPool2dFaults() {
  Faults faults = WindowFaults(kMaximum);
  FaultFamily family("MAX_POOL2D");
  family.clause = "MAX_POOL2D, the maximum begins with the least value";
  family.Add("begins_with_zero", "takes no maximum below zero", nullptr,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               const bool below = IsFloat(out.dtype()) ? out.Element(i) < 0 : out.Integer(i) < 0;
               if (below) out.SetBits(i, 0);
             }));
  family.AddReported(
      "begins_with_the_least_finite",
      "begins with the lowest finite number: a window of -infinity, or of NaN that are ignored, "
      "gives that",
      "MLIR 22 and ONNX Runtime: tools/findings/mlir/deviations.json, max-pool2d-start",
      FloatRows(), ByElement([](const Call& call, Tensor& out, int64_t i) {
        const double x = out.Element(i);
        const bool nan = std::isnan(x) && call.Enum("nan_mode") == "IGNORE";
        if (nan || x == -std::numeric_limits<double>::infinity()) {
          out.SetElement(i, -Format(out.dtype()).max);
        }
      }));
  family.Add("pads_with_zero", "takes the padding for zeros", nullptr,
             ByCall([](CallEditor& editor) { return PadOperand(editor, 0); }));
  family.clause = "MAX_POOL2D, nan_mode";
  family.Add("takes_nan_for_a_number", "keeps a NaN only where it comes first in a window",
             FloatRows(), InArithmetic<Compares>([](double x, double y) { return x < y; }));
  family.Add("forgets_a_nan", "lets the next number replace a NaN", FloatRows(),
             InArithmetic<Compares>([](double x, double y) { return !(x >= y); }));
  family.clause = "MAX_POOL2D, apply_max_s";
  family.Add("compares_magnitudes", "takes the number farthest from zero", FloatRows(),
             InArithmetic<Compares>(
                 [](double x, double y) { return std::isnan(y) || std::fabs(x) < std::fabs(y); }));
  family.Add("compares_bits", "compares the bits of floats as integers", FloatRows(),
             InArithmetic<Compares>([](double x, double y) {
               if (std::isnan(x) || std::isnan(y)) return std::isnan(y);
               return x < 0 && y < 0 ? x > y : x < y;
             }));
  family.Add("compares_unsigned", "compares integers as unsigned", IntegerRows(),
             InArithmetic<ComparesIntegers>([](int64_t x, int64_t y) {
               return static_cast<uint64_t>(x) < static_cast<uint64_t>(y);
             }));
  Append(faults, family.Take());
  return faults;
}

}  // namespace cts::pooling_faults

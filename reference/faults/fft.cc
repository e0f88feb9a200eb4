// Faults of FFT2D and RFFT2D.
#include <cmath>
#include <unordered_map>
#include <vector>

#include "reference/faults/accumulation.h"
#include "reference/faults/tensor_faults.h"
#include "reference/numeric/elementary.h"

namespace cts::fft_faults {
namespace {

constexpr double kPi = 3.141592653589793;

// Coefficients that are not rounded to the type.
class Coefficients : public ArithmeticFault {
 public:
  using Rounding = double (*)(double x);
  explicit Coefficients(Rounding round) : round_(round) {}
  double Cast(DType type, double x) override { return RoundTo(type, round_(x)); }

 private:
  const Rounding round_;
};

// A transform by another angle of input position (iy, ix) for output position (oy, ox). Terms
// without an angle are left out.
using Angle = std::function<std::optional<double>(const Shape& in, int64_t iy, int64_t ix,
                                                  int64_t oy, int64_t ox)>;

Wrong TransformBy(Angle angle) {
  return [angle = std::move(angle)](const Operator& op,
                                    const Call& call) -> std::optional<OperatorOutputs> {
    OperatorOutputs results = ComputeRight(op, call);
    Tensor &real = *results.at("output_real"), &imag = *results.at("output_imag");
    const bool complex = call.name() == "FFT2D";
    const double sign = complex && call.Flag("inverse") ? -1 : 1;
    const Tensor& re = *call.values("input_real");
    const Tensor* const im = complex ? call.values("input_imag").get() : nullptr;
    const Shape &in = re.shape(), &out = real.shape();  // N, H, W
    const DType type = re.dtype();
    const auto numbers = [](const Tensor& tensor) {
      std::vector<double> values(static_cast<size_t>(tensor.size()));
      for (size_t k = 0; k < values.size(); ++k) values[k] = tensor.Float(static_cast<int64_t>(k));
      return values;
    };
    const std::vector<double> reals = numbers(re);
    const std::vector<double> imags =
        im == nullptr ? std::vector<double>(reals.size()) : numbers(*im);
    std::unordered_map<double, std::pair<double, double>> known;  // cosine and sine
    for (int64_t i = 0; i < real.size(); ++i) {
      const int64_t ox = i % out[2], oy = i / out[2] % out[1], n = i / out[2] / out[1];
      double sum_real = 0, sum_imag = 0;
      for (int64_t iy = 0; iy < in[1]; ++iy) {
        for (int64_t ix = 0; ix < in[2]; ++ix) {
          const std::optional<double> a = angle(in, iy, ix, oy, ox);
          if (!a.has_value()) continue;
          const auto [found, inserted] = known.try_emplace(*a);
          if (inserted) found->second = {RoundTo(type, Cos(*a)), RoundTo(type, Sin(*a))};
          const auto& [cosine, sine] = found->second;
          const auto k = static_cast<size_t>((n * in[1] + iy) * in[2] + ix);
          const double x = reals[k], y = imags[k];
          const auto product = [&](double p, double q) { return RoundTo(type, p * q); };
          sum_real =
              RoundTo(type, sum_real + RoundTo(type, product(x, cosine) + product(y, sign * sine)));
          sum_imag =
              RoundTo(type, sum_imag + RoundTo(type, product(y, cosine) - product(x, sign * sine)));
        }
      }
      real.SetFloat(i, sum_real);
      imag.SetFloat(i, sum_imag);
    }
    return results;
  };
}

// fp32 all the way, the angle not reduced to one turn.
std::optional<double> UnreducedAngle(const Shape& in, int64_t iy, int64_t ix, int64_t oy,
                                     int64_t ox) {
  const auto fp32 = [](double x) { return RoundTo(DType::kFp32, x); };
  const double turns = fp32(fp32(static_cast<double>(iy * oy) / static_cast<double>(in[1])) +
                            fp32(static_cast<double>(ix * ox) / static_cast<double>(in[2])));
  return fp32(fp32(2 * kPi) * turns);
}

std::optional<double> RowsOnly(const Shape& in, int64_t iy, int64_t ix, int64_t oy, int64_t ox) {
  if (iy != oy) return std::nullopt;
  return 2 * kPi * (static_cast<double>(ix * ox % in[2]) / static_cast<double>(in[2]));
}

std::optional<double> ColumnsOnly(const Shape& in, int64_t iy, int64_t ix, int64_t oy, int64_t ox) {
  if (ix != ox) return std::nullopt;
  return 2 * kPi * (static_cast<double>(iy * oy % in[1]) / static_cast<double>(in[1]));
}

// Replaces element `i` of each output by element `from` of the other result.
Wrong Moved(std::function<int64_t(const Shape& out, int64_t i)> from) {
  return ByResult([from = std::move(from)](const Call&, OperatorOutputs& results) {
    for (auto& [output, tensor] : results) {
      const Tensor before = *tensor;
      for (int64_t i = 0; i < before.size(); ++i) {
        tensor->SetBits(i, before.Bits(from(before.shape(), i)));
      }
    }
  });
}

int64_t ReversedBits(int64_t x, int64_t size) {
  int64_t reversed = 0;
  for (int64_t bit = 1; bit < size; bit *= 2, x /= 2) reversed = 2 * reversed + x % 2;
  return reversed;
}

Wrong Scaled(std::function<double(const Call&)> factor) {
  return [factor = std::move(factor)](const Operator& op,
                                      const Call& call) -> std::optional<OperatorOutputs> {
    const double by = factor(call);
    OperatorOutputs results = ComputeRight(op, call);
    for (auto& [output, tensor] : results) {
      for (int64_t i = 0; i < tensor->size(); ++i) tensor->SetFloat(i, by * tensor->Float(i));
    }
    return results;
  };
}

double Elements(const Call& call) {
  const Shape& in = call.shape("input_real");
  return static_cast<double>(in[1] * in[2]);
}

void AddShared(FaultFamily& family, const std::string& op) {
  family.clause = op + ", cosine and sine of each angle";
  family.Add("coefficients_in_fp16", "rounds cosines and sines to fp16", nullptr,
             InArithmetic<Coefficients>([](double x) { return RoundTo(DType::kFp16, x); }));
  family.Add("coefficients_in_bf16", "rounds cosines and sines to bf16", nullptr,
             InArithmetic<Coefficients>([](double x) { return RoundTo(DType::kBf16, x); }));
  family.Add("coefficients_in_tf32", "rounds cosines and sines to 10 bits of fraction", nullptr,
             InArithmetic<Coefficients>([](double x) { return RoundToBits(x, 11); }));
  family.Add(
      "coefficients_to_16_bits", "rounds cosines and sines to fixed point of 16 bits", nullptr,
      InArithmetic<Coefficients>([](double x) { return std::nearbyint(x * 0x1p14) * 0x1p-14; }));
  family.AddReported("unreduced_angle", "computes angles of many turns in fp32",
                     "arm/ai-ml-emulation-layer-for-vulkan#9, llvm/llvm-project#88510", nullptr,
                     TransformBy(UnreducedAngle));
  family.clause = op + ", sums over rows and columns";
  family.Add("transforms_rows_only", "transforms each row by itself", nullptr,
             TransformBy(RowsOnly));
  family.Add("transforms_columns_only", "transforms each column by itself", nullptr,
             TransformBy(ColumnsOnly));
  family.Add("reads_columns_first", "reads an image whose columns lie side by side", nullptr,
             ByCall([](CallEditor& e) {
               const bool real = ReadInOrder(e, "input_real", {0, 2, 1});
               const bool complex = e.original().name() == "FFT2D";
               return (complex && ReadInOrder(e, "input_imag", {0, 2, 1})) || real;
             }));
  family.Add("normalizes_by_the_root", "divides by the square root of H * W", nullptr,
             Scaled([](const Call& call) { return 1 / std::sqrt(Elements(call)); }));
  family.clause = op + ", outputs by position";
  family.Add("leaves_bits_reversed", "stores columns at the reverse of their bits", nullptr,
             Moved([](const Shape& out, int64_t i) {
               const int64_t x = i % out[2], to = ReversedBits(x, out[2]);
               return to < out[2] ? i - x + to : i;
             }));
}

}  // namespace

Faults Fft2dFaults() {
  Faults faults = SumFaults({.name = "FFT2D", .of_products = false, .non_finite = false});
  FaultFamily family("FFT2D");
  AddShared(family, "FFT2D");
  family.clause = "FFT2D, argument inverse";
  family.Add(
      "normalizes_the_inverse", "divides the inverse by H * W", nullptr,
      Scaled([](const Call& call) { return call.Flag("inverse") ? 1 / Elements(call) : 1; }));
  family.Add("centers_the_spectrum", "stores the constant part in the middle", nullptr,
             Moved([](const Shape& out, int64_t i) {
               const int64_t x = i % out[2], y = i / out[2] % out[1];
               const int64_t from_x = (x + out[2] / 2) % out[2], from_y = (y + out[1] / 2) % out[1];
               return i + (from_y - y) * out[2] + from_x - x;
             }));
  family.clause = "FFT2D, complex input";
  family.Add("ignores_the_imaginary_part", "takes the input for real", nullptr,
             ByCall([](CallEditor& e) {
               const Tensor& before = *e.original().values("input_imag");
               e.SetOperand("input_imag", Tensor(before.dtype(), before.shape()));
               return true;
             }));
  family.Add("conjugates_the_input", "takes the imaginary part with the other sign", nullptr,
             ByCall([](CallEditor& e) {
               Tensor values = *e.original().values("input_imag");
               for (int64_t i = 0; i < values.size(); ++i) values.SetFloat(i, -values.Float(i));
               e.SetOperand("input_imag", std::move(values));
               return true;
             }));
  family.Add("conjugates_the_output", "gives the imaginary part with the other sign", nullptr,
             ByResult([](const Call&, OperatorOutputs& results) {
               Tensor& imag = *results.at("output_imag");
               for (int64_t i = 0; i < imag.size(); ++i) imag.SetFloat(i, -imag.Float(i));
             }));
  Append(faults, family.Take());
  return faults;
}

Faults Rfft2dFaults() {
  Faults faults = SumFaults({.name = "RFFT2D", .of_products = false, .non_finite = false});
  FaultFamily family("RFFT2D");
  AddShared(family, "RFFT2D");
  family.clause = "RFFT2D, output_imag";
  family.Add("turns_the_other_way", "gives the imaginary part with the other sign", nullptr,
             ByResult([](const Call&, OperatorOutputs& results) {
               Tensor& imag = *results.at("output_imag");
               for (int64_t i = 0; i < imag.size(); ++i) imag.SetFloat(i, -imag.Float(i));
             }));
  family.clause = "RFFT2D, W / 2 + 1 columns";
  family.Add("loses_the_last_column", "leaves the column of the highest frequency at zero", nullptr,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               if (i % out.shape()[2] == out.shape()[2] - 1) out.SetFloat(i, 0);
             }));
  family.Add("doubles_what_it_leaves_out", "doubles columns that have a mirror image", nullptr,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               const int64_t x = i % out.shape()[2];
               if (x > 0 && x < out.shape()[2] - 1) out.SetFloat(i, 2 * out.Float(i));
             }));
  family.Add("packs_the_last_column", "stores the last column as imaginary part of the first",
             nullptr, ByResult([](const Call&, OperatorOutputs& results) {
               const Tensor& real = *results.at("output_real");
               Tensor& imag = *results.at("output_imag");
               const int64_t w = real.shape()[2];
               for (int64_t i = 0; i < imag.size(); i += w) imag.SetBits(i, real.Bits(i + w - 1));
             }));
  Append(faults, family.Take());
  return faults;
}

}  // namespace cts::fft_faults

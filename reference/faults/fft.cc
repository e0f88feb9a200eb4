// Faults of FFT2D and RFFT2D.
#include <cmath>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>
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
  bool ReadsAlike() const override { return true; }
  bool ComputesPlainly() const override { return true; }
  double Cast(DType type, double x) override { return RoundTo(type, round_(x)); }

 private:
  const Rounding round_;
};

// A transform by another angle, a function of the products y = iy * oy and x = ix * ox of input and
// output positions.
using Angle = double (*)(const Shape& in, int64_t y, int64_t x);
// The terms of a sum: all, or those of the output's own row or column.
enum class Terms { kAll, kOfRow, kOfColumn };

using CosineAndSine = std::pair<double, double>;

// The cosines and sines of an angle of transforms, rounded to the type. The tables of the last size
// are kept, since cases of one size follow one another.
class AngleTables {
 public:
  struct Table {
    DType type;
    Shape in;
    int64_t stride = 1;  // from one y to the next
    std::vector<CosineAndSine> entries;
  };

  AngleTables(Angle angle, Terms terms) : angle_(angle), terms_(terms) {}

  static CosineAndSine Make(DType type, double angle) {
    return {RoundTo(type, Cos(angle)), RoundTo(type, Sin(angle))};
  }
  // Null where a table would be too large.
  std::shared_ptr<const Table> Of(DType type, const Shape& in) {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (last_ == nullptr || last_->type != type || last_->in[1] != in[1] || last_->in[2] != in[2]) {
      last_ = MakeTable(type, in);
    }
    return last_;
  }

 private:
  static constexpr int64_t kMostEntries = 1 << 21;

  // The products of two positions below a size.
  static std::vector<int64_t> Products(int64_t size) {
    std::vector<bool> seen(static_cast<size_t>((size - 1) * (size - 1) + 1));
    for (int64_t i = 0; i < size; ++i) {
      for (int64_t o = i; o < size; ++o) seen[static_cast<size_t>(i * o)] = true;
    }
    std::vector<int64_t> products;
    for (size_t k = 0; k < seen.size(); ++k) {
      if (seen[k]) products.push_back(static_cast<int64_t>(k));
    }
    return products;
  }
  std::shared_ptr<const Table> MakeTable(DType type, const Shape& in) const {
    // The angle of a row does not depend on y.
    const int64_t height = terms_ == Terms::kOfRow ? 1 : in[1];
    const int64_t width = terms_ == Terms::kOfColumn ? 1 : in[2];
    const int64_t greatest_y = (height - 1) * (height - 1), stride = (width - 1) * (width - 1) + 1;
    if (greatest_y + 1 > kMostEntries / stride) return nullptr;
    auto table = std::make_shared<Table>(Table{type, in, stride, {}});
    table->entries.resize(static_cast<size_t>((greatest_y + 1) * stride));
    const std::vector<int64_t> xs = Products(width);
    for (const int64_t y : Products(height)) {
      for (const int64_t x : xs) {
        table->entries[static_cast<size_t>(y * stride + x)] = Make(type, angle_(in, y, x));
      }
    }
    return table;
  }

  const Angle angle_;
  const Terms terms_;
  std::mutex mutex_;
  std::shared_ptr<const Table> last_;
};

Wrong TransformBy(Angle angle, Terms terms) {
  return [angle, terms, tables = std::make_shared<AngleTables>(angle, terms)](
             const Operator& op, const Call& call) -> std::optional<OperatorOutputs> {
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
      for (size_t k = 0; k < values.size(); ++k)
        values[k] = tensor.Element(static_cast<int64_t>(k));
      return values;
    };
    const std::vector<double> reals = numbers(re);
    const std::vector<double> imags =
        im == nullptr ? std::vector<double>(reals.size()) : numbers(*im);
    const std::shared_ptr<const AngleTables::Table> table = tables->Of(type, in);
    std::unordered_map<double, CosineAndSine> known;
    const auto coefficients = [&](int64_t y, int64_t x) {
      if (table == nullptr) {
        const double a = angle(in, y, x);
        const auto found = known.find(a);
        if (found != known.end()) return found->second;
        return known.emplace(a, AngleTables::Make(type, a)).first->second;
      }
      const int64_t row = terms == Terms::kOfRow ? 0 : y,
                    column = terms == Terms::kOfColumn ? 0 : x;
      return table->entries[static_cast<size_t>(row * table->stride + column)];
    };
    for (int64_t i = 0; i < real.size(); ++i) {
      const int64_t ox = i % out[2], oy = i / out[2] % out[1], n = i / out[2] / out[1];
      double sum_real = 0, sum_imag = 0;
      for (int64_t iy = 0; iy < in[1]; ++iy) {
        if (terms == Terms::kOfRow && iy != oy) continue;
        for (int64_t ix = 0; ix < in[2]; ++ix) {
          if (terms == Terms::kOfColumn && ix != ox) continue;
          const auto [cosine, sine] = coefficients(iy * oy, ix * ox);
          const auto k = static_cast<size_t>((n * in[1] + iy) * in[2] + ix);
          const double x = reals[k], y = imags[k];
          const auto product = [&](double p, double q) { return RoundTo(type, p * q); };
          sum_real =
              RoundTo(type, sum_real + RoundTo(type, product(x, cosine) + product(y, sign * sine)));
          sum_imag =
              RoundTo(type, sum_imag + RoundTo(type, product(y, cosine) - product(x, sign * sine)));
        }
      }
      real.SetElement(i, sum_real);
      imag.SetElement(i, sum_imag);
    }
    return results;
  };
}

// fp32 all the way, the angle not reduced to one turn.
double UnreducedAngle(const Shape& in, int64_t y, int64_t x) {
  const auto fp32 = [](double number) { return RoundTo(DType::kFp32, number); };
  const double turns = fp32(fp32(static_cast<double>(y) / static_cast<double>(in[1])) +
                            fp32(static_cast<double>(x) / static_cast<double>(in[2])));
  return fp32(fp32(2 * kPi) * turns);
}

double AngleOfRow(const Shape& in, int64_t, int64_t x) {
  return 2 * kPi * (static_cast<double>(x % in[2]) / static_cast<double>(in[2]));
}

double AngleOfColumn(const Shape& in, int64_t y, int64_t) {
  return 2 * kPi * (static_cast<double>(y % in[1]) / static_cast<double>(in[1]));
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
      for (int64_t i = 0; i < tensor->size(); ++i) tensor->SetElement(i, by * tensor->Element(i));
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
                     TransformBy(UnreducedAngle, Terms::kAll));
  family.clause = op + ", sums over rows and columns";
  family.Add("transforms_rows_only", "transforms each row by itself", nullptr,
             TransformBy(AngleOfRow, Terms::kOfRow));
  family.Add("transforms_columns_only", "transforms each column by itself", nullptr,
             TransformBy(AngleOfColumn, Terms::kOfColumn));
  family.Add("reads_columns_first", "reads an image whose columns lie side by side", nullptr,
             ByCall([](CallEditor& e) {
               const bool real = ReadInOrder(e, "input_real", {0, 2, 1});
               const bool complex = e.original().name() == "FFT2D";
               return (complex && ReadInOrder(e, "input_imag", {0, 2, 1})) || real;
             }));
  family.Add("normalizes_by_the_root", "divides by the square root of H * W", nullptr,
             Scaled([](const Call& call) { return 1 / std::sqrt(Elements(call)); }));
  if (op == "FFT2D") {
    AddBatchFaults(family, {"input_real", "input_imag"}, "");
  } else {
    AddBatchFaults(family, {"input_real"}, "output_real");
  }
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
               for (int64_t i = 0; i < values.size(); ++i) values.SetElement(i, -values.Element(i));
               e.SetOperand("input_imag", std::move(values));
               return true;
             }));
  family.Add("conjugates_the_output", "gives the imaginary part with the other sign", nullptr,
             ByResult([](const Call&, OperatorOutputs& results) {
               Tensor& imag = *results.at("output_imag");
               for (int64_t i = 0; i < imag.size(); ++i) imag.SetElement(i, -imag.Element(i));
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
               for (int64_t i = 0; i < imag.size(); ++i) imag.SetElement(i, -imag.Element(i));
             }));
  family.clause = "RFFT2D, W / 2 + 1 columns";
  family.Add("loses_the_last_column", "leaves the column of the highest frequency at zero", nullptr,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               if (i % out.shape()[2] == out.shape()[2] - 1) out.SetElement(i, 0);
             }));
  family.Add("doubles_what_it_leaves_out", "doubles columns that have a mirror image", nullptr,
             ByElement([](const Call&, Tensor& out, int64_t i) {
               const int64_t x = i % out.shape()[2];
               if (x > 0 && x < out.shape()[2] - 1) out.SetElement(i, 2 * out.Element(i));
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

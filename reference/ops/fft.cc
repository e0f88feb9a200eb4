// FFT2D and RFFT2D (section Tensor Operators), as the sums that the text writes.
#include <algorithm>
#include <bit>
#include <vector>

#include "reference/numeric/elementary.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

bool IsNoPowerOfTwo(int64_t size) { return !std::has_single_bit(static_cast<uint64_t>(size)); }

bool HeightIsNoPowerOfTwo(const Call& c) { return IsNoPowerOfTwo(c.shape("input_real")[1]); }
bool WidthIsNoPowerOfTwo(const Call& c) { return IsNoPowerOfTwo(c.shape("input_real")[2]); }
bool HeightExceedsLevel(const Call& c) {
  return c.shape("input_real")[1] > c.level().Max("MAX_KERNEL");
}
bool WidthExceedsLevel(const Call& c) {
  return c.shape("input_real")[2] > c.level().Max("MAX_KERNEL");
}

// The conditions of both operators, under their own ids.
#define CTS_FFT_CONDITIONS(prefix)                                                                 \
  {prefix ".height", ConditionKind::kErrorIf, "H is not a power of two", HeightIsNoPowerOfTwo},    \
      {prefix ".width", ConditionKind::kErrorIf, "W is not a power of two", WidthIsNoPowerOfTwo},  \
      {prefix ".level_height", ConditionKind::kLevel, "H exceeds MAX_KERNEL", HeightExceedsLevel}, \
  {                                                                                                \
    prefix ".level_width", ConditionKind::kLevel, "W exceeds MAX_KERNEL", WidthExceedsLevel        \
  }

// cos(a) and sin(a) for every angle a = 2 * pi * (ay / H + ax / W) of a transform. H and W are
// powers of two, so that the parenthesis is an exact multiple of 1 / max(H, W) below 2.
class Angles {
 public:
  Angles(int64_t height, int64_t width)
      : height_(height), width_(width), parts_(std::max(height, width)) {
    constexpr double kPi = 3.141592653589793;
    for (int64_t k = 0; k < 2 * parts_; ++k) {
      const double a = 2 * kPi * (static_cast<double>(k) / static_cast<double>(parts_));
      cos_.push_back(Cos(a));
      sin_.push_back(Sin(a));
    }
  }

  // Of input position (iy, ix) for output position (oy, ox).
  int64_t ay(int64_t iy, int64_t oy) const { return iy * oy % height_; }
  int64_t ax(int64_t ix, int64_t ox) const { return ix * ox % width_; }
  double Cosine(int64_t ay, int64_t ax) const { return cos_[Index(ay, ax)]; }
  double Sine(int64_t ay, int64_t ax) const { return sin_[Index(ay, ax)]; }

  // Where the angle is a multiple of pi, RFFT2D counts its sine as zero.
  bool IsReal(int64_t ay, int64_t ax) const {
    return 2 * ay % height_ == 0 && 2 * ax % width_ == 0;
  }

 private:
  size_t Index(int64_t ay, int64_t ax) const {
    return static_cast<size_t>(ay * (parts_ / height_) + ax * (parts_ / width_));
  }

  const int64_t height_, width_, parts_;
  std::vector<double> cos_, sin_;
};

// Calls `term(arithmetic, type, sum, offset of the input, ay, ax)` for every term of every element
// of `output`; it adds to the sum.
template <class Term>
void ForEachSum(const Call& call, Computation& computation, const Angles& angles,
                std::string_view output, Term term) {
  const Shape &in = call.shape("input_real"), &out = call.shape(output);  // N, H, W
  const DType type = call.Type("in_out_t");
  computation.ForEach(output, [&](auto& a, int64_t i) {
    const int64_t ox = i % out[2], oy = i / out[2] % out[1], n = i / out[2] / out[1];
    auto sum = a.FromInteger(0);
    for (int64_t iy = 0; iy < in[1]; ++iy) {
      const int64_t ay = angles.ay(iy, oy);
      for (int64_t ix = 0; ix < in[2]; ++ix) {
        term(a, type, sum, (n * in[1] + iy) * in[2] + ix, ay, angles.ax(ix, ox));
      }
    }
    return sum;
  });
}

// value * coefficient, in the type.
template <class A>
typename A::Value Product(A& a, DType type, typename A::Value value, double coefficient) {
  if constexpr (A::kFloating) {
    return a.Mul(type, value, a.Cast(type, a.FromDouble(a.Coefficient(type, coefficient))));
  } else {
    return value;  // no type row is an integer
  }
}

}  // namespace

Conditions Fft2dConditions() { return {CTS_FFT_CONDITIONS("fft2d")}; }

void ComputeFft2d(const Call& call, Computation& computation) {
  const Operand& real = computation.In("input_real");
  const Operand& imag = computation.In("input_imag");
  const Shape& in = call.shape("input_real");
  const Angles angles(in[1], in[2]);
  const double sign = call.Flag("inverse") ? -1 : 1;
  ForEachSum(call, computation, angles, "output_real",
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const auto x = Product(a, type, a.Load(real, i), angles.Cosine(ay, ax));
               const auto y = Product(a, type, a.Load(imag, i), sign * angles.Sine(ay, ax));
               sum = a.Add(type, sum, a.Add(type, x, y));
             });
  ForEachSum(call, computation, angles, "output_imag",
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const auto x = Product(a, type, a.Load(real, i), -sign * angles.Sine(ay, ax));
               const auto y = Product(a, type, a.Load(imag, i), angles.Cosine(ay, ax));
               sum = a.Add(type, sum, a.Add(type, x, y));
             });
}

Conditions Rfft2dConditions() { return {CTS_FFT_CONDITIONS("rfft2d")}; }

void ComputeRfft2d(const Call& call, Computation& computation) {
  const Operand& real = computation.In("input_real");
  const Shape& in = call.shape("input_real");
  const Angles angles(in[1], in[2]);
  ForEachSum(call, computation, angles, "output_real",
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const auto x = Product(a, type, a.Load(real, i), angles.Cosine(ay, ax));
               sum = a.Add(type, sum, x);
             });
  ForEachSum(call, computation, angles, "output_imag",
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const bool real_angle = angles.IsReal(ay, ax);
               if (real_angle && !a.extra_multiplies) return;
               const double coefficient = real_angle ? 0 : -angles.Sine(ay, ax);
               const auto x = Product(a, type, a.Load(real, i), coefficient);
               sum = a.Add(type, sum, x);
             });
}

}  // namespace cts

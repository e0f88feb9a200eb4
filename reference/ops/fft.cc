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

// The conditions of both operators, under their own ids.
#define CTS_FFT_CONDITIONS(prefix)                                                                \
  {prefix ".height", ConditionKind::kErrorIf, "H is not a power of two", HeightIsNoPowerOfTwo}, { \
    prefix ".width", ConditionKind::kErrorIf, "W is not a power of two", WidthIsNoPowerOfTwo      \
  }

// A cosine or sine in fp64, or its negative; `exact` is for the arithmetic Exact.
//
// Where it is zero in the reals, as the sine of pi is, fp64 has some 1e-16 and fp32 1e-7, since the
// text computes the angle in the type at hand. If the bound run multiplied these, they would bind a
// table with the true zero, or the text computed in fp32, to noise. The bound run takes such a
// coefficient as 1 (notes.md, FFT2D and RFFT2D).
struct Coefficient {
  double value = 0;
  bool is_zero = false;  // in the reals, at an angle that is not zero
  const MpfrFloat* exact = nullptr;
  double sign = 1;

  friend Coefficient operator*(double factor, const Coefficient& c) {
    return {factor * c.value, c.is_zero, c.exact, factor * c.sign};
  }
};

// cos(a) and sin(a) for every angle a = 2 * pi * (ay / H + ax / W) of a transform. H and W are
// powers of two, so that the parenthesis is an exact multiple of 1 / max(H, W) below 2.
class Angles {
 public:
  // `with_exact`: also the unrounded values, for the arithmetic Exact.
  Angles(int64_t height, int64_t width, bool with_exact)
      : height_(height), width_(width), parts_(std::max(height, width)) {
    constexpr double kPi = 3.141592653589793;
    for (int64_t k = 0; k < 2 * parts_; ++k) {
      const double a = 2 * kPi * (static_cast<double>(k) / static_cast<double>(parts_));
      cos_.push_back(Cos(a));
      sin_.push_back(Sin(a));
      if (!with_exact) continue;
      MpfrFloat angle;
      mpfr_const_pi(angle.raw(), MPFR_RNDN);
      angle = Div(Mul(angle, MpfrFloat::FromInteger(2 * k)), MpfrFloat::FromInteger(parts_));
      exact_cos_.push_back(Cos(angle));
      exact_sin_.push_back(Sin(angle));
    }
  }

  // The angle of input position (iy, ix) for output position (oy, ox).
  int64_t ay(int64_t iy, int64_t oy) const { return iy * oy % height_; }
  int64_t ax(int64_t ix, int64_t ox) const { return ix * ox % width_; }
  Coefficient Cosine(int64_t ay, int64_t ax) const {
    const size_t i = Index(ay, ax);
    const bool is_zero = 4 * i % parts() == 0 && 4 * i / parts() % 2 == 1;
    return {cos_[i], is_zero, exact_cos_.empty() ? nullptr : &exact_cos_[i]};
  }
  Coefficient Sine(int64_t ay, int64_t ax) const {
    const size_t i = Index(ay, ax);
    return {sin_[i], i != 0 && 2 * i % parts() == 0, exact_sin_.empty() ? nullptr : &exact_sin_[i]};
  }

  // Where the angle is a multiple of pi, RFFT2D counts its sine as zero.
  bool IsReal(int64_t ay, int64_t ax) const {
    return 2 * ay % height_ == 0 && 2 * ax % width_ == 0;
  }

 private:
  size_t parts() const { return static_cast<size_t>(parts_); }
  size_t Index(int64_t ay, int64_t ax) const {
    return static_cast<size_t>(ay * (parts_ / height_) + ax * (parts_ / width_));
  }

  const int64_t height_, width_, parts_;
  std::vector<double> cos_, sin_;
  std::vector<MpfrFloat> exact_cos_, exact_sin_;
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
typename A::Value Product(A& a, DType type, typename A::Value value, const Coefficient& c) {
  if constexpr (std::is_same_v<A, Exact>) {
    if (c.exact == nullptr) return a.FromInteger(0);
    return a.Mul(type, value, a.Mul(type, *c.exact, a.FromDouble(c.sign)));
  } else if constexpr (A::kFloating) {
    if (a.magnitudes && c.is_zero) return value;
    return a.Mul(type, value, a.Cast(type, a.FromDouble(a.Coefficient(type, c.value))));
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
  const Angles angles(in[1], in[2], computation.kind() == ComputationKind::kExact);
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
  const Angles angles(in[1], in[2], computation.kind() == ComputationKind::kExact);
  ForEachSum(call, computation, angles, "output_real",
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const auto x = Product(a, type, a.Load(real, i), angles.Cosine(ay, ax));
               sum = a.Add(type, sum, x);
             });
  ForEachSum(call, computation, angles, "output_imag",
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const bool real_angle = angles.IsReal(ay, ax);
               if (real_angle && !a.extra_multiplies) return;
               const Coefficient coefficient = real_angle
                                                   ? Coefficient{.is_zero = ay != 0 || ax != 0}
                                                   : -1 * angles.Sine(ay, ax);
               const auto x = Product(a, type, a.Load(real, i), coefficient);
               sum = a.Add(type, sum, x);
             });
}

}  // namespace cts

// FFT2D and RFFT2D (section Tensor Operators), as the sums that the text writes.
#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <vector>

#include "reference/numeric/elementary.h"
#include "reference/numeric/transform_sums.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"

namespace cts {
namespace {

bool IsNoPowerOfTwo(int64_t size) { return !std::has_single_bit(static_cast<uint64_t>(size)); }

Breach HeightIsNoPowerOfTwo(const Call& c) {
  const int64_t height = c.shape("input_real")[1];
  return IsNoPowerOfTwo(height) ? Breach::Showing("H ", height) : false;
}
Breach WidthIsNoPowerOfTwo(const Call& c) {
  const int64_t width = c.shape("input_real")[2];
  return IsNoPowerOfTwo(width) ? Breach::Showing("W ", width) : false;
}

// The conditions of both operators, under their own ids.
#define CTS_FFT_CONDITIONS(prefix)                                                                \
  {prefix ".height", ConditionKind::kErrorIf, "H is not a power of two", HeightIsNoPowerOfTwo}, { \
    prefix ".width", ConditionKind::kErrorIf, "W is not a power of two", WidthIsNoPowerOfTwo      \
  }

// A cosine or sine in fp64, or its negative; `exact` is for the arithmetic Exact.
//
// If it is zero in the reals, as the sine of pi is, fp64 has some 1e-16 and fp32 1e-7, since the
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

struct CosinesAndSines {
  std::vector<double> cosines, sines;
};

// The cosines and sines of the angles 2 pi (k / parts), as the text computes them in fp64, for k <
// count. They cost as much as the sums of a transform of one row. They are computed once for each
// `parts` that level 8K allows.
std::shared_ptr<const CosinesAndSines> CosinesAndSinesOf(int64_t parts, int64_t count) {
  constexpr int64_t kMostParts = 8192;
  static std::mutex mutex;
  static auto& known = *new std::map<int64_t, std::shared_ptr<const CosinesAndSines>>;
  const std::lock_guard<std::mutex> lock(mutex);
  const auto found = known.find(parts);
  if (found != known.end() && static_cast<int64_t>(found->second->sines.size()) >= count) {
    return found->second;
  }
  constexpr double kPi = 3.141592653589793;
  auto computed = std::make_shared<CosinesAndSines>();
  for (int64_t k = 0; k < count; ++k) {
    const double a = 2 * kPi * (static_cast<double>(k) / static_cast<double>(parts));
    computed->cosines.push_back(Cos(a));
    computed->sines.push_back(Sin(a));
  }
  if (parts <= kMostParts) known[parts] = computed;
  return computed;
}

// cos(a) and sin(a) for every angle a = 2 * pi * (ay / H + ax / W) of a transform. H and W are
// powers of two, so that the parenthesis is an exact multiple of 1 / max(H, W) below 2.
class Angles {
 public:
  // `with_exact`: also the unrounded values, for the arithmetic Exact.
  Angles(int64_t height, int64_t width, bool with_exact)
      : height_(height),
        width_(width),
        parts_(std::max(height, width)),
        values_(CosinesAndSinesOf(parts_, count())) {
    for (int64_t k = 0; with_exact && k < count(); ++k) {
      MpfrFloat angle;
      mpfr_const_pi(angle.raw(), MPFR_RNDN);
      angle = Div(Mul(angle, MpfrFloat::FromInteger(2 * k)), MpfrFloat::FromInteger(parts_));
      exact_cos_.push_back(Cos(angle));
      exact_sin_.push_back(Sin(angle));
    }
  }

  // The number of angles: one more than that of the last.
  int64_t count() const { return Number(height_ - 1, width_ - 1) + 1; }
  // The angle of (ay, ax), in multiples of 1 / max(H, W) of a turn.
  int64_t Number(int64_t ay, int64_t ax) const {
    return ay * (parts_ / height_) + ax * (parts_ / width_);
  }

  // The angle of input position (iy, ix) for output position (oy, ox).
  int64_t ay(int64_t iy, int64_t oy) const { return iy * oy % height_; }
  int64_t ax(int64_t ix, int64_t ox) const { return ix * ox % width_; }
  Coefficient Cosine(int64_t number) const {
    const auto i = static_cast<size_t>(number);
    const bool is_zero = 4 * number % parts_ == 0 && 4 * number / parts_ % 2 == 1;
    return {values_->cosines[i], is_zero, exact_cos_.empty() ? nullptr : &exact_cos_[i]};
  }
  Coefficient Sine(int64_t number) const {
    const auto i = static_cast<size_t>(number);
    const bool is_zero = number != 0 && 2 * number % parts_ == 0;
    return {values_->sines[i], is_zero, exact_sin_.empty() ? nullptr : &exact_sin_[i]};
  }
  Coefficient Cosine(int64_t ay, int64_t ax) const { return Cosine(Number(ay, ax)); }
  Coefficient Sine(int64_t ay, int64_t ax) const { return Sine(Number(ay, ax)); }

  // Whether the angle is a multiple of pi: RFFT2D counts its sine as zero then.
  bool IsReal(int64_t ay, int64_t ax) const {
    return 2 * ay % height_ == 0 && 2 * ax % width_ == 0;
  }

 private:
  const int64_t height_, width_, parts_;
  const std::shared_ptr<const CosinesAndSines> values_;
  std::vector<MpfrFloat> exact_cos_, exact_sin_;
};

// Returns the factor of a value, in floating point that is not Exact.
double Factor(const ArithmeticState& a, DType type, const Coefficient& c) {
  return a.magnitudes && c.is_zero ? 1 : a.Coefficient(type, c.value);
}

// value * coefficient, in the type.
template <class A>
typename A::Value Product(A& a, DType type, typename A::Value value, const Coefficient& c) {
  if constexpr (std::is_same_v<A, Exact>) {
    if (c.exact == nullptr) return a.FromInteger(0);
    return a.Mul(type, value, a.Mul(type, *c.exact, a.FromDouble(c.sign)));
  } else if constexpr (A::kFloating) {
    return a.Mul(type, value, a.Cast(type, a.FromDouble(Factor(a, type, c))));
  } else {
    return value;  // no type row is an integer
  }
}

// All sums of both outputs of a transform in fp64 at once, with vectors: the numbers of the text.
class AllSums {
 public:
  // `imag`: null for RFFT2D. `sign`: that of the sines.
  AllSums(const Call& call, const Angles& angles, const Operand& real, const Operand* imag,
          double sign)
      : call_(call), angles_(angles), real_(real), imag_(imag), sign_(sign) {}

  // Puts all elements of an output. Computation::ForEach calls it.
  template <class A, class Put>
  bool PutAll(A& a, bool imaginary, Put&& put) {
    if constexpr (std::is_same_v<A, Fp64>) {
      if (!sums_.has_value() && !Compute(a)) return false;
      const std::vector<double>& values = imaginary ? sums_->imag : sums_->real;
      for (size_t i = 0; i < values.size(); ++i) put(static_cast<int64_t>(i), values[i]);
      return true;
    }
    return false;
  }

 private:
  struct Sums {
    std::vector<double> real, imag;
  };

  // Returns false where vectors might not give the same, or do not pay.
  bool Compute(Fp64& a) {
    const Shape &in = real_.tensor->shape(), &out = call_.shape("output_real");  // N, H, W
    if (std::max(in[1], in[2]) < kTransformLanes) return false;
    const std::vector<double> real = Loaded(a, real_);
    const std::vector<double> imag = imag_ == nullptr ? real : Loaded(a, *imag_);
    Transform transform{.height = in[1], .width = in[2], .columns = out[2]};
    // RFFT2D skips these terms. A product with zero changes no sum that began with +0, unless it is
    // one of an infinity or a NaN.
    transform.drops_real_angles = imag_ == nullptr && !a.extra_multiplies;
    const auto is_finite = [](double x) { return std::isfinite(x); };
    if (transform.drops_real_angles && !std::all_of(real.begin(), real.end(), is_finite)) {
      return false;
    }
    const DType type = call_.Type("in_out_t");
    for (int64_t k = 0; k < angles_.count(); ++k) {
      transform.cosines.push_back(Factor(a, type, angles_.Cosine(k)));
      transform.sines.push_back(Factor(a, type, sign_ * angles_.Sine(k)));
    }
    // The sine of the imaginary output has the other sign; among magnitudes nothing has.
    std::vector<double> turned = real;
    for (double& x : turned) x = a.magnitudes ? x : -x;

    const TransformSums sums(transform);
    const int64_t image = in[1] * in[2], out_image = out[1] * out[2];
    sums_ = Sums{.real = std::vector<double>(static_cast<size_t>(in[0] * out_image)),
                 .imag = std::vector<double>(static_cast<size_t>(in[0] * out_image))};
    for (int64_t n = 0; n < in[0]; ++n) {
      sums.Compute(&real[n * image], imag_ == nullptr ? nullptr : &imag[n * image],
                   &turned[n * image], &sums_->real[n * out_image], &sums_->imag[n * out_image]);
    }
    return true;
  }

  static std::vector<double> Loaded(Fp64& a, const Operand& operand) {
    std::vector<double> values;
    for (int64_t i = 0; i < operand.tensor->size(); ++i) values.push_back(a.Load(operand, i));
    return values;
  }

  const Call& call_;
  const Angles& angles_;
  const Operand& real_;
  const Operand* const imag_;
  const double sign_;
  std::optional<Sums> sums_;
};

// The coefficients by which the terms of an output multiply the parts of the input.
struct Multiplied {
  const Operand* real;
  const Operand* imag;                                          // null: only the other
  std::function<Coefficient(int64_t number)> of_real, of_imag;  // by Angles::Number
  bool drops_real_angles = false;
};

// The sums of an output in the type itself, one after another, where each element and coefficient
// may be read once. They are those that `term` gives.
class LoadedSums {
 public:
  LoadedSums(const Angles& angles, const Shape& in, const Shape& out, DType type,
             const Multiplied& multiplied)
      : angles_(angles), in_(in), out_(out), type_(type), multiplied_(multiplied) {}

  static bool MayLoadOnce(const Native&, DType type) { return type == DType::kFp32; }
  static bool MayLoadOnce(const FaultyFloat& a, DType type) {
    return a.fault->ReadsAlike() && type == DType::kFp32;
  }

  template <class A>
  double At(A& a, int64_t i) {
    if (real_.values.empty()) {
      real_ = Load(a, *multiplied_.real, multiplied_.of_real);
      if (multiplied_.imag != nullptr) imag_ = Load(a, *multiplied_.imag, multiplied_.of_imag);
    }
    if constexpr (std::is_same_v<A, FaultyFloat>) {
      if (!a.fault->ComputesPlainly()) return SumBy(*a.fault, i);
    }
    return SumInFloat(i);
  }

 private:
  // One part of the input and its coefficients by the number of the angle.
  struct Part {
    std::vector<double> values, coefficients;
  };

  template <class A>
  Part Load(A& a, const Operand& operand,
            const std::function<Coefficient(int64_t number)>& coefficient) const {
    Part part;
    for (int64_t i = 0; i < operand.tensor->size(); ++i) {
      part.values.push_back(a.Load(operand, i));
    }
    for (int64_t number = 0; number < angles_.count(); ++number) {
      part.coefficients.push_back(a.Cast(type_, a.FromDouble(coefficient(number).value)));
    }
    return part;
  }

  // Calls `term(offset of the input, number of the angle)` for every term of the sum, in order.
  template <class Term>
  void ForEachTerm(int64_t i, Term term) const {
    const int64_t ox = i % out_[2], oy = i / out_[2] % out_[1], n = i / out_[2] / out_[1];
    const int64_t step_y = angles_.Number(1, 0), step_x = angles_.Number(0, 1);
    for (int64_t iy = 0; iy < in_[1]; ++iy) {
      const int64_t ay = angles_.ay(iy, oy), row = (n * in_[1] + iy) * in_[2];
      const bool may_be_real = multiplied_.drops_real_angles && 2 * ay % in_[1] == 0;
      for (int64_t ix = 0, ax = 0; ix < in_[2]; ++ix) {
        if (!may_be_real || (ax != 0 && 2 * ax != in_[2])) {
          term(row + ix, ay * step_y + ax * step_x);
        }
        ax += ox;  // ix * ox % width
        if (ax >= in_[2]) ax -= in_[2];
      }
    }
  }

  // The numbers that `builtin:native` computes are those of the processor.
  double SumInFloat(int64_t i) const {
    const double *const real = real_.values.data(), *const imag = imag_.values.data(),
                        *const of_real = real_.coefficients.data(),
                        *const of_imag = imag_.coefficients.data();
    float sum = 0;
    const auto product = [](double x, double y) {
      return static_cast<float>(x) * static_cast<float>(y);
    };
    if (multiplied_.imag == nullptr) {
      ForEachTerm(i, [&](int64_t k, int64_t number) { sum += product(real[k], of_real[number]); });
    } else {
      ForEachTerm(i, [&](int64_t k, int64_t number) {
        sum += product(real[k], of_real[number]) + product(imag[k], of_imag[number]);
      });
    }
    return static_cast<double>(sum);
  }

  double SumBy(ArithmeticFault& fault, int64_t i) {
    const bool pairs = multiplied_.imag != nullptr;
    x_.resize(static_cast<size_t>(in_[1] * in_[2] * (pairs ? 2 : 1)));
    y_.resize(x_.size());
    size_t count = 0;
    ForEachTerm(i, [&](int64_t offset, int64_t number) {
      const auto k = static_cast<size_t>(offset), angle = static_cast<size_t>(number);
      x_[count] = real_.values[k], y_[count++] = real_.coefficients[angle];
      if (pairs) x_[count] = imag_.values[k], y_[count++] = imag_.coefficients[angle];
    });
    return pairs ? fault.SumPairs(type_, x_.data(), y_.data(), static_cast<int64_t>(count))
                 : fault.SumProducts(type_, x_.data(), y_.data(), static_cast<int64_t>(count));
  }

  const Angles& angles_;
  const Shape &in_, &out_;
  const DType type_;
  const Multiplied& multiplied_;
  Part real_, imag_;
  std::vector<double> x_, y_;  // the factors of a sum
};

// Calls `term(arithmetic, type, sum, offset of the input, ay, ax)` for every term of every element
// of `output`; it adds to the sum. `multiplied` says the same of arithmetics that read once.
template <class Term>
void ForEachSum(const Call& call, Computation& computation, const Angles& angles, AllSums& all,
                std::string_view output, const Multiplied& multiplied, Term term) {
  const Shape &in = call.shape("input_real"), &out = call.shape(output);  // N, H, W
  const DType type = call.Type("in_out_t");
  LoadedSums loaded(angles, in, out, type, multiplied);
  const auto at = [&](auto& a, int64_t i) {
    using A = std::decay_t<decltype(a)>;
    if constexpr (std::is_same_v<A, Native> || std::is_same_v<A, FaultyFloat>) {
      if (LoadedSums::MayLoadOnce(a, type)) return loaded.At(a, i);
    }
    const int64_t ox = i % out[2], oy = i / out[2] % out[1], n = i / out[2] / out[1];
    auto sum = a.FromInteger(0);
    for (int64_t iy = 0; iy < in[1]; ++iy) {
      const int64_t ay = angles.ay(iy, oy);
      for (int64_t ix = 0; ix < in[2]; ++ix) {
        term(a, type, sum, (n * in[1] + iy) * in[2] + ix, ay, angles.ax(ix, ox));
      }
    }
    return sum;
  };
  computation.ForEach(
      output, at, [&](auto& a, auto&& put) { return all.PutAll(a, output == "output_imag", put); });
}

StatusOr<Shapes> InferFft2d(const Call& c) {
  return Shapes{c.shape("input_real"), c.shape("input_real")};
}

StatusOr<Shapes> InferRfft2d(const Call& c) {
  Shape shape = c.shape("input_real");  // N, H, W
  shape[2] = shape[2] / 2 + 1;
  return Shapes{shape, shape};
}

}  // namespace

OperatorFacts Fft2dFacts() {
  return {.infer = InferFft2d, .keeping = Keeping::kTells, .dimensions = TransformDimensions};
}

Conditions Fft2dConditions() { return {CTS_FFT_CONDITIONS("fft2d")}; }

void ComputeFft2d(const Call& call, Computation& computation) {
  const Operand& real = computation.In("input_real");
  const Operand& imag = computation.In("input_imag");
  const Shape& in = call.shape("input_real");
  const Angles angles(in[1], in[2], computation.kind() == ComputationKind::kExact);
  const double sign = call.Flag("inverse") ? -1 : 1;
  AllSums all(call, angles, real, &imag, sign);
  const auto cosine = [&](int64_t number) { return angles.Cosine(number); };
  const auto sine = [&](int64_t number) { return sign * angles.Sine(number); };
  const auto other_sine = [&](int64_t number) { return -sign * angles.Sine(number); };
  ForEachSum(call, computation, angles, all, "output_real", {&real, &imag, cosine, sine},
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const auto x = Product(a, type, a.Load(real, i), angles.Cosine(ay, ax));
               const auto y = Product(a, type, a.Load(imag, i), sign * angles.Sine(ay, ax));
               sum = a.Add(type, sum, a.Add(type, x, y));
             });
  ForEachSum(call, computation, angles, all, "output_imag", {&real, &imag, other_sine, cosine},
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const auto x = Product(a, type, a.Load(real, i), -sign * angles.Sine(ay, ax));
               const auto y = Product(a, type, a.Load(imag, i), angles.Cosine(ay, ax));
               sum = a.Add(type, sum, a.Add(type, x, y));
             });
}

OperatorFacts Rfft2dFacts() {
  return {.infer = InferRfft2d, .keeping = Keeping::kTells, .dimensions = TransformDimensions};
}

Conditions Rfft2dConditions() { return {CTS_FFT_CONDITIONS("rfft2d")}; }

void ComputeRfft2d(const Call& call, Computation& computation) {
  const Operand& real = computation.In("input_real");
  const Shape& in = call.shape("input_real");
  const Angles angles(in[1], in[2], computation.kind() == ComputationKind::kExact);
  AllSums all(call, angles, real, nullptr, 1);
  const auto cosine = [&](int64_t number) { return angles.Cosine(number); };
  const auto other_sine = [&](int64_t number) { return -1 * angles.Sine(number); };
  ForEachSum(call, computation, angles, all, "output_real", {&real, nullptr, cosine, nullptr},
             [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
               const auto x = Product(a, type, a.Load(real, i), angles.Cosine(ay, ax));
               sum = a.Add(type, sum, x);
             });
  ForEachSum(
      call, computation, angles, all, "output_imag", {&real, nullptr, other_sine, nullptr, true},
      [&](auto& a, DType type, auto& sum, int64_t i, int64_t ay, int64_t ax) {
        const bool real_angle = angles.IsReal(ay, ax);
        if (real_angle && !a.extra_multiplies) return;
        const Coefficient coefficient =
            real_angle ? Coefficient{.is_zero = ay != 0 || ax != 0} : -1 * angles.Sine(ay, ax);
        const auto x = Product(a, type, a.Load(real, i), coefficient);
        sum = a.Add(type, sum, x);
      });
}

}  // namespace cts

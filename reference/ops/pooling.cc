// AVG_POOL2D and MAX_POOL2D: conditions and semantics (section Tensor Operators).
#include <algorithm>

#include "reference/numeric/scaling.h"
#include "reference/ops/facts.h"
#include "reference/ops/operator.h"
#include "reference/ops/window.h"

namespace cts {
namespace {

Breach KernelBelowOne(const Call& c) { return AnyBelow(c, "kernel", 1); }

// Whether a window can lie in the padding alone. With less padding every window has an element of
// the input.
template <int kAxis>
bool PadReachesKernel(const Call& c) {
  const int64_t kernel = c.Integer("kernel", kAxis);
  if (kernel < 1) return false;  // another condition's business
  return c.Integer("pad", 2 * kAxis) >= kernel || c.Integer("pad", 2 * kAxis + 1) >= kernel;
}

template <int kAxis>
Breach PooledSizeDiffers(const Call& c) {
  if (c.Integer("stride", kAxis) < 1) return false;  // another condition's business
  return SizeDiffers(c.shape("output")[1 + kAxis], PooledSize(c, kAxis));
}

// The conditions that both operators have, under their own ids.
#define CTS_POOLING_CONDITIONS(prefix)                                                         \
  {prefix ".kernel_below_one", ConditionKind::kErrorIf, "a kernel size is below 1",            \
   KernelBelowOne},                                                                            \
      {prefix ".stride_below_one", ConditionKind::kErrorIf, "a stride is below 1",             \
       StrideBelowOne},                                                                        \
      {prefix ".pad_negative", ConditionKind::kErrorIf, "a pad is negative", PadNegative},     \
      {prefix ".pad_x", ConditionKind::kErrorIf, "pad_left or pad_right is at least kernel_x", \
       PadReachesKernel<1>},                                                                   \
      {prefix ".pad_y", ConditionKind::kErrorIf, "pad_top or pad_bottom is at least kernel_y", \
       PadReachesKernel<0>},                                                                   \
      {prefix ".output_height", ConditionKind::kErrorIf,                                       \
       "OH is not (IH + pads - kernel_y) / stride_y + 1, or that does not divide",             \
       PooledSizeDiffers<0>},                                                                  \
  {                                                                                            \
    prefix ".output_width", ConditionKind::kErrorIf,                                           \
        "OW is not (IW + pads - kernel_x) / stride_x + 1, or that does not divide",            \
        PooledSizeDiffers<1>                                                                   \
  }

// The part of each window that lies in the input.
class Windows {
 public:
  explicit Windows(const Call& call)
      : in_(call.shape("input")),
        out_(call.shape("output")),
        kernel_y_(call.Integer("kernel", 0)),
        kernel_x_(call.Integer("kernel", 1)),
        stride_y_(call.Integer("stride", 0)),
        stride_x_(call.Integer("stride", 1)),
        pad_top_(call.Integer("pad", 0)),
        pad_left_(call.Integer("pad", 2)) {}

  // Calls `f(input offset)` for each element of the window of output element i, row by row.
  template <class F>
  void ForEachElement(int64_t i, F&& f) const {
    const int64_t c = i % out_[3], ox = i / out_[3] % out_[2], oy = i / out_[3] / out_[2] % out_[1];
    const int64_t n = i / out_[3] / out_[2] / out_[1];
    const int64_t iy = oy * stride_y_ - pad_top_, ix = ox * stride_x_ - pad_left_;
    for (int64_t y = std::max<int64_t>(iy, 0); y < std::min(iy + kernel_y_, in_[1]); ++y) {
      for (int64_t x = std::max<int64_t>(ix, 0); x < std::min(ix + kernel_x_, in_[2]); ++x) {
        f(((n * in_[1] + y) * in_[2] + x) * in_[3] + c);
      }
    }
  }

 private:
  const Shape &in_, &out_;  // N, IH, IW, C; N, OH, OW, C
  const int64_t kernel_y_, kernel_x_, stride_y_, stride_x_, pad_top_, pad_left_;
};

}  // namespace

OperatorFacts AvgPool2dFacts() {
  return {.infer = InferPooled,
          .keeping = Keeping::kTells,
          .dimensions = PoolingDimensions,
          .relations = AvgPool2dRelations};
}

Conditions AvgPool2dConditions() {
  return {
      {"avg_pool2d.input_zp", ConditionKind::kErrorIf,
       "input_zp is not zero although the input is not i8", InputZeroPointUnlessI8},
      {"avg_pool2d.output_zp", ConditionKind::kErrorIf,
       "output_zp is not zero although the output is not i8",
       [](const Call& c) { return c.dtype("output") != DType::kI8 && c.Number("output_zp") != 0; }},
      CTS_POOLING_CONDITIONS("avg_pool2d"),
  };
}

void ComputeAvgPool2d(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const Windows windows(call);
  const DType in_out_t = call.Type("in_out_t"), acc_t = call.Type("acc_t");
  // Zero unless i8, so that subtracting it changes no floating-point value.
  const int64_t input_zp = call.Number("input_zp").Integer();
  const int64_t output_zp = call.Number("output_zp").Integer();

  computation.ForEach("output", [&](auto& a, int64_t i) {
    auto acc = a.FromInteger(0);
    int64_t count = 0;  // without the padding
    windows.ForEachElement(i, [&](int64_t offset) {
      ++count;
      const auto value =
          a.Sub(acc_t, a.Cast(acc_t, a.Load(input, offset)), a.FromInteger(input_zp));
      acc = a.Add(acc_t, acc, value);
    });
    if (count == 0) return acc;  // never of a legal call, but of those of reference/faults
    if constexpr (std::decay_t<decltype(a)>::kFloating) {
      // The pseudocode casts the count to in_out_t; in fp8e4m3 even 17 would round. The text wants
      // the mean, so the count stays exact.
      return a.Cast(in_out_t, a.Div(acc_t, acc, a.FromInteger(count)));
    } else {
      const ReciprocalScale scale = ReciprocalScaleOf(count);
      acc = ApplyScale32(a, acc, scale.multiplier, scale.shift, false);
      acc = a.Add(acc_t, acc, output_zp);
      return std::clamp(acc, IntegerMin(in_out_t), IntegerMax(in_out_t));
    }
  });
}

OperatorFacts MaxPool2dFacts() {
  return {.infer = InferPooled,
          .keeping = Keeping::kMoves,
          .dimensions = PoolingDimensions,
          .relations = MaxPool2dRelations};
}

Conditions MaxPool2dConditions() { return {CTS_POOLING_CONDITIONS("max_pool2d")}; }

void ComputeMaxPool2d(const Call& call, Computation& computation) {
  const Operand& input = computation.In("input");
  const Windows windows(call);
  const bool ignore_nan = call.Enum("nan_mode") == "IGNORE";
  computation.ForEach("output", [&](auto& a, int64_t i) {
    // The pseudocode begins with the least value, or NaN. As no window is empty, beginning with the
    // first element gives the same.
    auto acc = a.FromInteger(0);
    bool first = true;
    windows.ForEachElement(i, [&](int64_t offset) {
      const auto value = a.Load(input, offset);
      const bool nan_decides = a.IsNan(acc) || a.IsNan(value);
      const bool take = nan_decides ? a.IsNan(ignore_nan ? acc : value) : a.Less(acc, value);
      if (first || take) acc = value;
      first = false;
    });
    return acc;
  });
}

}  // namespace cts

// The operators whose output elements are sums of products: convolutions, FULLY_CONNECTED and
// MATMUL. An operator states the places of each product's factors. This file has the code of the
// sum and a fast way to compute the sum, once for all these operators.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "reference/ops/computation.h"

namespace cts {

// The sums of an operator and the places of their weights. A position is a place of the kernel over
// the input, or a row of MATMUL's A. A tap is a spatial location in the kernel; MATMUL and
// FULLY_CONNECTED have one tap. A column is an output channel, or a column of MATMUL's B. Strides
// are in elements.
struct SumLayout {
  int64_t positions = 1, columns = 1;
  int64_t taps = 1, run = 1;                      // a sum has `run` products at each tap
  int64_t weight_column = 0, weight_product = 0;  // strides in the weight
  // No sum has factors of two groups. Groups are the channels of a depthwise convolution, or the
  // batches of a matrix product.
  int64_t groups = 1;
  int64_t value_group = 0, weight_group = 0;
  int64_t output_position = 1, output_group = 1;  // strides in the output; columns are adjacent
};

class SumOfProducts {
 public:
  // The names of the operands' arguments; `bias` is empty for an operator without a bias.
  struct Names {
    std::string_view value = "input", value_zp = "input_zp";
    std::string_view weight = "weight", weight_zp = "weight_zp";
    std::string_view bias = "bias";
  };
  SumOfProducts(const Call& call, Computation& computation, DType acc_t)
      : SumOfProducts(call, computation, acc_t, Names()) {}
  SumOfProducts(const Call& call, Computation& computation, DType acc_t, const Names& names);

  // The offset of a place without an input element: in the padding or between strided elements.
  static constexpr int64_t kOutside = -1;
  // Returns, for a position and a tap in group 0, the offset of the first factor in the value
  // operand, or kOutside. The other factors of the tap follow it without gaps.
  using ValueOffset = std::function<int64_t(int64_t position, int64_t tap)>;

  // Computes "output".
  void Compute(const SumLayout& layout, const ValueOffset& offset) {
    computation_.ForEach(
        "output", [&](auto& a, int64_t i) { return At(a, layout, offset, i); },
        [&](auto& a, auto&& put) { return AllAtOnce(a, layout, offset, put); });
  }

 private:
  // The sum of the specification: adds products in acc_t in the order of the taps, then adds the
  // bias in out_t.
  template <class A>
  typename A::Value At(A& a, const SumLayout& s, const ValueOffset& offset, int64_t i) {
    if constexpr (std::is_same_v<A, Native> || std::is_same_v<A, FaultyFloat>) {
      if (MayLoadOnce(a)) {
        const int64_t count = FindFactors(a, s, offset, i);
        return WithBias(a, SumFactors(a, count), i % bias_channels_);
      }
    }
    const int64_t column = i % s.columns, position = i / s.output_position % s.positions,
                  group = i / s.output_group % s.groups;
    auto acc = a.FromInteger(0);
    for (int64_t tap = 0; tap < s.taps; ++tap) {
      const int64_t value = offset(position, tap);
      const int64_t weight =
          group * s.weight_group + column * s.weight_column + tap * s.run * s.weight_product;
      for (int64_t k = 0; k < s.run; ++k) {
        acc = Add(a, acc, value == kOutside ? kOutside : value + group * s.value_group + k,
                  weight + k * s.weight_product);
      }
    }
    return WithBias(a, acc, i % bias_channels_);
  }

  // acc + value * weight_el. Outside of the input, `value` is zero, and the product is not added
  // unless `extra_multiplies` is set.
  template <class A>
  typename A::Value Add(A& a, typename A::Value acc, int64_t value_offset,
                        int64_t weight_offset) const {
    if (value_offset == kOutside && !a.extra_multiplies) return acc;
    auto value = a.FromInteger(0);
    if (value_offset != kOutside) {
      value = a.Cast(acc_t_, a.Load(value_, value_offset));
      value = LessZeroPoint(a, value, value_zp_);
    }
    auto weight_el = a.Cast(acc_t_, a.Load(weight_, weight_offset));
    weight_el = LessZeroPoint(a, weight_el, weight_zp_);
    return a.Add(acc_t_, acc, a.Mul(acc_t_, value, weight_el));
  }

  // Subtracting zero changes no floating-point number, in any arithmetic.
  template <class A>
  typename A::Value LessZeroPoint(A& a, typename A::Value x, int64_t zero_point) const {
    if (A::kFloating && zero_point == 0) return x;
    return a.Sub(acc_t_, x, a.FromInteger(zero_point));
  }

  template <class A>
  typename A::Value WithBias(A& a, typename A::Value acc, int64_t channel) const {
    if (bias_ == nullptr) return acc;
    return a.Add(out_t_, a.Cast(out_t_, acc), a.Load(*bias_, channel));
  }

  // The function At reads an element again for every sum. If each reading gives the same value, and
  // both operands together have at most kMostLoaded elements, LoadFactors reads each element only
  // once.
  static constexpr int64_t kMostLoaded = 1 << 22;
  bool MayLoadOnce(const Native&) const { return IsSmall(); }
  bool MayLoadOnce(const FaultyFloat& a) const { return a.fault->ReadsAlike() && IsSmall(); }
  bool IsSmall() const { return value_.tensor->size() + weight_.tensor->size() <= kMostLoaded; }

  // All elements of both operands, converted to factors. The current sum adds the products x[k] *
  // y[k].
  struct LoadedFactors {
    std::vector<double> values, weights;
    std::vector<int64_t> offsets;  // the offsets for `position`, by tap
    int64_t position = -1;
    std::vector<double> x, y;
  };

  template <class A>
  void LoadFactors(A& a, const SumLayout& s) {
    const auto load = [&](const Operand& operand, int64_t zero_point, std::vector<double>& out) {
      out.resize(static_cast<size_t>(operand.tensor->size()));
      for (size_t k = 0; k < out.size(); ++k) {
        out[k] =
            LessZeroPoint(a, a.Cast(acc_t_, a.Load(operand, static_cast<int64_t>(k))), zero_point);
      }
    };
    load(value_, value_zp_, loaded_.values);
    load(weight_, weight_zp_, loaded_.weights);
    loaded_.offsets.resize(static_cast<size_t>(s.taps));
    loaded_.x.resize(static_cast<size_t>(s.taps * s.run));
    loaded_.y.resize(static_cast<size_t>(s.taps * s.run));
  }

  // Returns the number of products in the sum of element `i`.
  template <class A>
  int64_t FindFactors(A& a, const SumLayout& s, const ValueOffset& offset, int64_t i) {
    if (loaded_.x.empty()) LoadFactors(a, s);
    const int64_t column = i % s.columns, position = i / s.output_position % s.positions,
                  group = i / s.output_group % s.groups;
    if (position != loaded_.position) {
      for (int64_t tap = 0; tap < s.taps; ++tap) {
        loaded_.offsets[static_cast<size_t>(tap)] = offset(position, tap);
      }
      loaded_.position = position;
    }
    // A fault may edit the call. Such a call reads zeros outside of its operands.
    const auto has = [](const std::vector<double>& values, int64_t k) {
      return 0 <= k && static_cast<size_t>(k) < values.size();
    };
    const auto at = [&](const std::vector<double>& values, int64_t k) {
      return has(values, k) ? values[static_cast<size_t>(k)] : 0;
    };
    const int64_t first = group * s.weight_group + column * s.weight_column;
    size_t count = 0;
    for (int64_t tap = 0; tap < s.taps; ++tap) {
      const int64_t place = loaded_.offsets[static_cast<size_t>(tap)];
      if (place == kOutside) continue;
      const int64_t value = place + group * s.value_group,
                    weight = first + tap * s.run * s.weight_product;
      const int64_t last = s.run - 1;
      if (has(loaded_.values, value) && has(loaded_.values, value + last) &&
          has(loaded_.weights, weight) && has(loaded_.weights, weight + last * s.weight_product)) {
        std::copy_n(loaded_.values.data() + value, s.run, loaded_.x.data() + count);
        const double* from = loaded_.weights.data() + weight;
        for (int64_t k = 0; k < s.run; ++k, from += s.weight_product) loaded_.y[count++] = *from;
        continue;
      }
      for (int64_t k = 0; k < s.run; ++k) {
        if (value + k == kOutside) continue;
        loaded_.x[count] = at(loaded_.values, value + k);
        loaded_.y[count++] = at(loaded_.weights, weight + k * s.weight_product);
      }
    }
    return static_cast<int64_t>(count);
  }

  double SumFactors(FaultyFloat& a, int64_t count) const {
    return a.fault->SumProducts(acc_t_, loaded_.x.data(), loaded_.y.data(), count);
  }
  double SumFactors(Native&, int64_t count) const {
    return Native::SumProducts(acc_t_, loaded_.x.data(), loaded_.y.data(), count);
  }

  // Computes the same sums as At, but with vector instructions. Returns false if a sum might
  // differ.
  template <class A, class Put>
  bool AllAtOnce(A& a, const SumLayout& layout, const ValueOffset& offset, Put&& put) const {
    if constexpr (std::is_same_v<A, Fp64> || std::is_same_v<A, Integer>) {
      if (!MayUsePanels(layout, a.extra_multiplies, A::kFloating)) return false;
      if constexpr (A::kFloating) {
        if (double* const out = put.template As<double>(); out != nullptr) {
          PutSums(layout, offset, out);
          return true;
        }
      }
      ForEachSum(layout, offset, [&](const SumRun& run) {
        int64_t channel = run.first % bias_channels_;
        const int64_t next = run.step % bias_channels_;
        for (int64_t k = 0; k < run.count; ++k) {
          put(run.first + k * run.step,
              WithBias(a, static_cast<typename A::Value>(run.sums[k]), channel));
          channel += next;
          if (channel >= bias_channels_) channel -= bias_channels_;
        }
      });
      return true;
    }
    return false;
  }
  bool MayUsePanels(const SumLayout& layout, bool extra_multiplies, bool floating) const;
  // The sums for `count` output elements: the elements at `first`, `first` + `step`, ...
  struct SumRun {
    int64_t first, step, count;
    const double* sums;
  };
  using PutRun = std::function<void(const SumRun&)>;
  // For floating point: stores the sums with the bias. Every NaN gets the same bits.
  void PutSums(const SumLayout& layout, const ValueOffset& offset, double* out) const;
  void ForEachSum(const SumLayout& layout, const ValueOffset& offset, const PutRun& put) const;
  // Like ForEachSum, for a depthwise convolution, whose neighbouring groups have adjacent values.
  void ForEachSumOfGroups(const SumLayout& layout, const ValueOffset& offset,
                          const PutRun& put) const;
  // Reads the factors of `count` groups, from group `first` on, at every place. The groups are the
  // last dimension of the value operand; a place is an index into its other dimensions. In `out`
  // the factors of one place are adjacent, and the next place begins `stride` elements later.
  void ReadGroups(int64_t groups, int64_t first, int64_t count, int64_t stride, Tensor& out) const;

  Computation& computation_;
  const Operand &value_, &weight_;
  const Operand* bias_ = nullptr;
  int64_t bias_channels_ = 1;
  const DType acc_t_, out_t_;
  // Zero unless the operand is i8, so subtracting a zero point changes no floating-point value.
  const int64_t value_zp_, weight_zp_;
  LoadedFactors loaded_;
};

}  // namespace cts

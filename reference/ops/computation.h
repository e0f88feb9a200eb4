// One execution of an operator's text, which is its code (reference/numeric/arithmetic.h). A
// computation has the arithmetic, the operands and the outputs.
#pragma once

#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "reference/base/tensor.h"
#include "reference/graph/call.h"
#include "reference/numeric/arithmetic.h"
#include "reference/numeric/arithmetic_exact.h"
#include "reference/numeric/arithmetic_faulty.h"
#include "reference/ops/move.h"

namespace cts {

// Integer, Fp64, Native and Exact are arithmetics (reference/numeric/arithmetic.h).
enum class ComputationKind {
  kReference,  // Integer or Fp64; float outputs stay fp64
  kBound,      // the bound run of a dot product: Fp64 over magnitudes
  kNative,     // Integer or Native; outputs have their own types
  kExact,      // Integer or Exact, to audit the reference
  kTrace,      // records the elements that are read for one element of one output
  kFaulty,     // as kNative, with an ArithmeticFault
};

// Returns the same NaN for every NaN, and any other number unchanged. Without this the bits of a
// NaN would depend on the processor and the compiler.
inline double OneNan(double x) { return x == x ? x : std::numeric_limits<double>::quiet_NaN(); }

// Stores the elements of an output.
class OutputElements {
 public:
  explicit OutputElements(Tensor& out) : out_(&out) {}

  void operator()(int64_t i, int64_t value) const { out_->SetInteger(i, value); }
  void operator()(int64_t i, double value) const { out_->SetElement(i, OneNan(value)); }

  // The memory of the elements, if they are stored as T; otherwise null. A caller that writes fp64
  // numbers into this memory must apply OneNan to them.
  template <class T>
  T* As() const {
    const bool is_stored = std::is_floating_point_v<T> == IsFloat(out_->dtype()) &&
                           static_cast<int>(sizeof(T)) == StorageBytes(out_->dtype());
    return is_stored ? reinterpret_cast<T*>(out_->bytes().data()) : nullptr;
  }

 private:
  Tensor* out_;
};

class Computation {
 public:
  Computation(const Call& call, ComputationKind kind) : call_(call), kind_(kind) {}

  // Whether subnormal elements of fp16, bf16 and fp32 operands are read as zeros with the same
  // sign.
  void set_flush(bool flush) { flush_ = flush; }
  bool flush() const { return flush_; }

  // kBound: raises the magnitudes of operands to at least `least`, and multiplies in the padding,
  // too, as 1.0 requires (section Dot product accuracy requirements).
  void set_raise_to(double least) { raise_to_ = least; }
  // kBound: replaces every element of these operands by the greatest magnitude in all these
  // operands together.
  void set_uniform(std::vector<std::string> arguments) { uniform_ = std::move(arguments); }

  // kFaulty: the arithmetic that replaces the arithmetic of kNative.
  void set_fault(ArithmeticFault* fault) { fault_ = fault; }

  // kTrace: the element to compute; if `offset` is below 0, each element up to and including the
  // first that breaks a REQUIRE.
  void set_traced(std::string output, int64_t offset) {
    traced_output_ = std::move(output);
    traced_offset_ = offset;
  }
  // If set_traced got an `offset` below 0: the offset of the last element that was traced. If
  // broken() is not empty, this is the first element that breaks a REQUIRE.
  int64_t broken_at() const { return broken_at_; }
  const Loads& loads() const { return loads_; }
  // The argument to which operand `id` of loads() belongs, and the operand's position in the
  // argument's list.
  std::pair<std::string, int> OperandName(int id) const { return names_[id]; }

  ComputationKind kind() const { return kind_; }

  // The elements of an input; the returned reference is valid as long as the computation exists.
  const Operand& In(std::string_view argument, int k = 0);

  // Calls `at(arithmetic, offset)` for every element of an output and stores the returned value.
  // The value is a Value of the arithmetic, or an int64_t if a floating-point operator has an
  // integer output.
  template <class At>
  void ForEach(std::string_view output, At&& at) {
    ForEach(output, at, [](auto&, auto&&) { return false; });
  }

  // This ForEach has a second way to compute all elements, which may be faster. `all(arithmetic,
  // put)` may pass every element to `put`, an OutputElements, with the value that `at` would
  // return. In that case `all` returns true. Otherwise `all` returns false, and `at` computes the
  // elements.
  template <class At, class All>
  void ForEach(std::string_view output, At&& at, All&& all) {
    switch (kind_) {
      case ComputationKind::kReference:
      case ComputationKind::kBound:
        return IsFloating() ? Run<Fp64>(output, at, all) : Run<Integer>(output, at, all);
      case ComputationKind::kNative:
        return IsFloating() ? Run<Native>(output, at, all) : Run<Integer>(output, at, all);
      case ComputationKind::kExact:
        return IsFloating() ? Run<Exact>(output, at, all) : Run<Integer>(output, at, all);
      case ComputationKind::kTrace:
        return IsFloating() ? RunTrace<Trace<Fp64>>(output, at)
                            : RunTrace<Trace<Integer>>(output, at);
      case ComputationKind::kFaulty:
        return IsFloating() ? RunFaulty<FaultyFloat>(output, at)
                            : RunFaulty<FaultyInteger>(output, at);
    }
  }

  // Like ForEach, for an output whose elements are moved, not computed. `move(mover)` either writes
  // all elements and returns true, or returns false. If it returns false, ForEach computes the
  // elements by `ways`.
  template <class Move, class... Ways>
  void ForEachMoved(std::string_view output, Move&& move, Ways&&... ways) {
    if (!RunMoved(output, move)) ForEach(output, ways...);
  }

  // The id of the first REQUIRE that did not hold during the computation; empty if all of them
  // held.
  std::string_view broken() const { return broken_; }
  void Break(std::string_view condition) {
    if (broken_.empty()) broken_ = condition;
  }

  // Stores an output that the steps of the operator's definition computed.
  void Put(const std::string& output, const Tensor& values) {
    auto out = std::make_shared<Tensor>(StoredType(output), values.shape());
    const OutputElements put(*out);
    for (int64_t i = 0; i < values.size(); ++i) {
      IsFloat(out->dtype()) ? put(i, values.Element(i)) : put(i, values.Integer(i));
    }
    outputs_[output] = std::move(out);
  }

  // The computed outputs, by argument. kExact: rounded to fp64.
  const std::map<std::string, std::shared_ptr<Tensor>>& outputs() const { return outputs_; }
  // Moves an output out of outputs().
  Tensor Release(std::string_view output) {
    return std::move(*outputs_.extract(std::string(output)).mapped());
  }
  // kExact: the unrounded elements of a floating-point output.
  const std::vector<MpfrFloat>& exact(std::string_view output) const {
    return exact_.find(output)->second;
  }

 private:
  // Whether any operand or output is floating point.
  bool IsFloating() const;
  // An input in the form that this kind of computation needs, but without the effect of
  // set_uniform.
  Operand Read(std::string_view argument, int k) const;
  // The type in which an output is stored: fp64 for a floating-point output, except in kNative and
  // kFaulty. In all other cases, the output's own type.
  DType StoredType(std::string_view output) const;

  bool RunMoved(std::string_view output, const std::function<bool(Mover&)>& move);

  template <class A, class At, class All>
  void Run(std::string_view output, At&& at, All&& all) {
    A arithmetic;
    arithmetic.magnitudes = kind_ == ComputationKind::kBound;
    arithmetic.extra_multiplies = arithmetic.magnitudes && raise_to_ > 0;
    auto out = std::make_shared<Tensor>(StoredType(output), call_.shape(output));
    const OutputElements put(*out);
    const int64_t size = out->size();
    if constexpr (std::is_same_v<A, Exact>) {
      std::vector<MpfrFloat>& exact = exact_[std::string(output)];
      for (int64_t i = 0; i < size; ++i) {
        auto value = at(arithmetic, i);
        if constexpr (std::is_same_v<decltype(value), MpfrFloat>) {
          put(i, value.ToDouble());
          exact.push_back(std::move(value));
        } else {
          put(i, value);
        }
      }
    } else if (!all(arithmetic, put)) {
      for (int64_t i = 0; i < size; ++i) put(i, at(arithmetic, i));
    }
    if (broken_.empty()) broken_ = arithmetic.broken;
    outputs_[std::string(output)] = std::move(out);
  }

  template <class A, class At>
  void RunTrace(std::string_view output, At&& at) {
    if (output != traced_output_) return;
    A arithmetic;
    arithmetic.loads = &loads_;
    if (traced_offset_ >= 0) {
      at(arithmetic, traced_offset_);
      return;
    }
    const int64_t size = ElementCount(call_.shape(output));
    for (int64_t i = 0; i < size && arithmetic.broken.empty(); ++i) {
      loads_.clear();
      at(arithmetic, i);
      broken_at_ = i;
    }
    broken_ = arithmetic.broken;
  }

  template <class A, class At>
  void RunFaulty(std::string_view output, At&& at) {
    A arithmetic;
    arithmetic.fault = fault_;
    auto out = std::make_shared<Tensor>(StoredType(output), call_.shape(output));
    const OutputElements put(*out);
    const DType type = out->dtype();
    for (int64_t i = 0; i < out->size(); ++i) {
      fault_->Begin(type, i);
      const auto value = at(arithmetic, i);
      if constexpr (std::is_same_v<std::decay_t<decltype(value)>, double>) {
        put(i, fault_->End(type, value));
      } else {
        put(i, fault_->EndInteger(type, value));
      }
    }
    outputs_[std::string(output)] = std::move(out);
  }

  const Call& call_;
  const ComputationKind kind_;
  bool flush_ = false;
  double raise_to_ = 0;
  std::vector<std::string> uniform_;
  ArithmeticFault* fault_ = nullptr;
  std::string traced_output_;
  int64_t traced_offset_ = 0, broken_at_ = 0;
  Loads loads_;
  std::string_view broken_;
  std::map<std::pair<std::string, int>, std::unique_ptr<Operand>> operands_;
  std::vector<std::pair<std::string, int>> names_;
  std::map<std::string, std::shared_ptr<Tensor>> outputs_;
  std::map<std::string, std::vector<MpfrFloat>, std::less<>> exact_;
};

}  // namespace cts

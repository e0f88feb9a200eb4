// For tests: chains of floating-point operators (graphs in which operators read the results of
// other operators), and compliant implementations of these chains. The implementations choose
// results that each operator's own rule accepts. If the rule has a bound, this file compares the
// error of the result with the bound in 128-bit arithmetic. This file uses nothing of enclosure.h.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/evaluate/evaluate.h"
#include "reference/evaluate/testing.h"
#include "reference/ops/computation.h"
#include "reference/ops/definition.h"
#include "reference/precision/precision.h"

namespace cts::testing_chains {

class Random {
 public:
  explicit Random(uint64_t seed) : bits_(seed) {}
  uint64_t Below(uint64_t end) { return bits_() % end; }
  bool Chance(uint64_t one_in) { return Below(one_in) == 0; }
  double Unit() { return static_cast<double>(bits_() >> 11) * 0x1p-53; }  // [0, 1)
  double Between(double lo, double hi) { return lo + (hi - lo) * Unit(); }

 private:
  std::mt19937_64 bits_;
};

// Builds one graph, operator by operator.
class Chain {
 public:
  explicit Chain(Random& random) : random_(random) {
    graph.regions.push_back({"main", {Block{.name = "main"}}});
  }

  std::string Input(DType type, const Shape& shape, double lo = -2, double hi = 2) {
    Tensor values(type, shape);
    for (int64_t i = 0; i < values.size(); ++i) values.SetElement(i, random_.Between(lo, hi));
    std::string name = NewTensor(type, shape, nullptr);
    block().inputs.push_back(name);
    inputs.emplace(name, std::move(values));
    return name;
  }
  std::string Const(Tensor values) {
    auto shared = std::make_shared<Tensor>(std::move(values));
    std::string name = NewTensor(shared->dtype(), shared->shape(), shared);
    const bool shape = shared->dtype() == DType::kShape;
    block().operators.push_back({shape ? "CONST_SHAPE" : "CONST", {}, {name}, {}});
    return name;
  }
  std::string Zero(DType type) { return Const(Tensor(type, {1})); }
  std::string ShapeConst(const std::vector<int64_t>& values) {
    return Const(Tensor::OfIntegers(DType::kShape, {static_cast<int64_t>(values.size())}, values));
  }
  std::string Add(const std::string& op, std::vector<std::string> operands, DType type, Shape shape,
                  std::map<std::string, AttributeValue> attributes = {}) {
    if (op == "MUL") operands.push_back(Const(Tensor(DType::kI8, {1})));
    if (op == "NEGATE" || op == "MATMUL" || op == "CONV2D" || op == "AVG_POOL2D") {
      const std::string zero = Zero(Type(operands[0]));
      operands.push_back(zero);
      operands.push_back(
          op == "AVG_POOL2D" || op == "NEGATE" || op == "MATMUL" ? zero : Zero(Type(operands[1])));
    }
    std::string name = NewTensor(type, shape, nullptr);
    block().operators.push_back({op, std::move(operands), {name}, std::move(attributes)});
    return name;
  }

  // Adds an operator with two outputs of the same shape.
  std::pair<std::string, std::string> AddPair(const std::string& op,
                                              std::vector<std::string> operands, DType type,
                                              const Shape& shape,
                                              std::map<std::string, AttributeValue> attributes) {
    std::string first = NewTensor(type, shape, nullptr), second = NewTensor(type, shape, nullptr);
    block().operators.push_back({op, std::move(operands), {first, second}, std::move(attributes)});
    return {first, second};
  }

  DType Type(const std::string& name) { return block().Find(name)->dtype; }
  Shape ShapeOf(const std::string& name) { return block().Find(name)->shape; }
  Block& block() { return graph.main(); }
  Random& random() { return random_; }

  Graph graph;
  std::map<std::string, Tensor> inputs;

 private:
  std::string NewTensor(DType type, const Shape& shape, std::shared_ptr<const Tensor> values) {
    std::string name = "t" + std::to_string(next_++);
    block().tensors.push_back({name, type, shape, std::move(values)});
    return name;
  }

  Random& random_;
  int next_ = 0;
};

// The ways in which an implementation computes. All these ways comply with the specification.
enum class Style {
  kRounded,    // rounds the result of fp64 arithmetic
  kWider,      // keeps the result of fp64 arithmetic unrounded, as a fused kernel does
  kAnywhere,   // gives any result within the operator's bound
  kAtTheEnds,  // gives the least or the greatest result that the bound allows
  kOneEnd,     // always gives the greatest result, or always the least
};
inline constexpr Style kStyles[] = {Style::kRounded, Style::kWider, Style::kAnywhere,
                                    Style::kAtTheEnds, Style::kOneEnd};

// A compliant implementation, which may keep more bits than the types of the tensors have.
class Imitation {
 public:
  Imitation(const Edition& edition, const Level& level, Style style, bool wider, bool flushes,
            Random& random)
      : edition_(edition),
        level_(level),
        style_(style),
        wider_(wider),
        flushes_(flushes),
        random_(random),
        up_(random.Chance(2)),
        flushes_before_rounding_(random.Chance(2)) {}

  // Computes the implementation's value of every tensor, in fp64 for floating-point tensors.
  // Returns false if an operator cannot be computed, for example because a REQUIRE does not hold.
  bool Run(const Chain& chain) {
    const Block& block = chain.graph.main();
    for (const auto& [name, value] : chain.inputs) Hold(name, value);
    for (const GraphTensor& tensor : block.tensors) {
      if (tensor.values != nullptr) Hold(tensor.name, *tensor.values);
    }
    for (const GraphOperator& node : block.operators) {
      if (!IsConstant(node) && !RunOperator(block, node)) return false;
    }
    return true;
  }

  const Tensor& held(const std::string& name) const { return *held_.at(name); }

  // If this function is set, it changes each output of an operator before other operators read the
  // output.
  std::function<void(const GraphOperator&, Tensor&)> spoil;

 private:
  void Hold(const std::string& name, const Tensor& value) {
    Tensor held = value;
    if (IsFloat(value.dtype())) {
      held = Tensor(DType::kFp64, value.shape());
      for (int64_t i = 0; i < held.size(); ++i) {
        held.SetElement(i, Flushed(value.dtype(), value.Element(i)));
      }
    }
    held_[name] = std::make_shared<const Tensor>(std::move(held));
    exact_[name] = true;
  }

  // If the implementation flushes, replaces a result that is subnormal in the type by zero. If
  // flushes_before_rounding_ is set, a result counts as subnormal if it is subnormal before
  // rounding; otherwise, if it is subnormal after rounding.
  double Flushed(DType type, double x) const {
    const double seen = flushes_before_rounding_ ? x : RoundTo(type, x);
    const bool subnormal = seen != 0 && std::fabs(seen) < Format(type).normal_min();
    return flushes_ && Info(type).may_flush && subnormal ? std::copysign(0.0, x) : x;
  }

  bool RunOperator(const Block& block, const GraphOperator& node) {
    const OperatorSpec& spec = *edition_.FindOperator(node.op);
    const Operator& op = *OperatorFor(spec);
    std::map<std::string, std::shared_ptr<const Tensor>> values;
    bool exact = true;
    for (const std::string& name : node.inputs) {
      values[name] = held_.at(name);
      exact = exact && (exact_[name] || !IsFloat(block.Find(name)->dtype));
    }
    const Call call(edition_, spec, level_, block, node, values);
    if (!call.fits()) return false;
    Computation computation(call, ComputationKind::kReference);
    op.compute(call, computation);
    if (!computation.broken().empty()) return false;
    std::map<std::string, Tensor> unrounded;
    for (const auto& [argument, output] : computation.outputs()) {
      unrounded.emplace(argument, *output);
    }
    auto answers = ApplyPrecision(op, call, computation, false, -1);
    if (!answers.ok()) return false;
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kOutput) continue;
      const GraphTensor& output = *argument.tensors[0];
      const RuledAnswer& answer = answers->at(argument.spec->name);
      // A result is exact if the operands are exact, the rule allows only one value, and this value
      // is the unrounded result.
      const bool one_value = answer.rule.kind == RuleKind::kInterval &&
                             answer.answer.expected == answer.answer.upper &&
                             answer.answer.expected == unrounded.at(argument.spec->name);
      const bool is_exact = exact && (answer.rule.kind == RuleKind::kExact || one_value);
      Tensor held = Choose(answer, output.dtype, is_exact);
      if (spoil) spoil(node, held);
      held_[output.name] = std::make_shared<const Tensor>(std::move(held));
      exact_[output.name] = is_exact;
    }
    return true;
  }

  Tensor Choose(const RuledAnswer& answer, DType type, bool is_exact) {
    if (!IsFloat(type)) return answer.answer.expected;
    Tensor held(DType::kFp64, answer.answer.expected.shape());
    for (int64_t i = 0; i < held.size(); ++i) {
      const double r = answer.answer.expected.Element(i);
      double y = r;
      if (!is_exact) y = Wider(type, Pick(answer, type, i), r);
      held.SetElement(i, Flushed(type, y));
    }
    return held;
  }

  // Returns a value of the type that the rule accepts for element `i`. If the rule has a bound, the
  // value for Style::kRounded and Style::kWider is the reference result, rounded to the type.
  double Pick(const RuledAnswer& answer, DType type, int64_t i) {
    const Rule& rule = answer.rule;
    const double r = answer.answer.expected.Element(i);
    if (rule.kind == RuleKind::kInterval) return PickBetween(r, answer.answer.upper->Element(i));
    const double nearest = RoundTo(type, r);
    if (!std::isfinite(r) || rule.kind == RuleKind::kExact) return nearest;
    double bound = 0;
    if (rule.kind == RuleKind::kUlp) bound = UlpErrorBound(type, r, rule.ulp);
    if (rule.kind == RuleKind::kAbsoluteBound) bound = answer.answer.bound->Element(i);
    if (rule.kind == RuleKind::kDotProduct) {
      const double most = answer.answer.bound->Element(i);
      const double unit = std::ldexp(1.0, -1 - Format(type).fraction_bits);
      if (!(most * (1 + rule.absolute_limit * unit) < Format(type).max)) return nearest;
      bound = rule.absolute_limit * std::max(most * unit, Format(type).normal_min());
    }
    if (!std::isfinite(bound)) return nearest;
    double side = 0;
    if (style_ == Style::kAnywhere) side = random_.Between(-1, 1);
    if (style_ == Style::kAtTheEnds) side = random_.Chance(2) ? 1 : -1;
    if (style_ == Style::kOneEnd) side = up_ ? 1 : -1;
    if (side == 0) return nearest;
    const double x = RoundTo(type, r + side * bound);
    if (Within(x, r, bound)) return x;
    const double inner =
        RoundTo(type, r + side * bound * (1 - 1e-9) - side * UlpErrorBound(type, r, 0.5));
    return Within(inner, r, bound) ? inner : nearest;
  }

  double PickBetween(double lo, double hi) {
    if (lo == hi || !std::isfinite(lo) || !std::isfinite(hi)) return lo;
    if (style_ == Style::kOneEnd) return up_ ? hi : lo;
    return random_.Chance(2) ? lo : hi;
  }

  static bool Within(double x, double r, double bound) {
    if (!std::isfinite(x)) return false;
    const auto off = static_cast<__float128>(x) - static_cast<__float128>(r);
    return (off < 0 ? -off : off) <= static_cast<__float128>(bound);
  }

  // Returns a number that rounds to `x` and may have more bits than the type. For Style::kWider
  // this number is the reference result `r` if `r` rounds to `x`.
  double Wider(DType type, double x, double r) {
    if (style_ == Style::kWider) return RoundTo(type, r) == x ? r : x;
    if (!wider_ || style_ == Style::kRounded || !std::isfinite(x)) return x;
    const double half = std::max(UlpErrorBound(type, x, 0.5), Format(type).subnormal_min() / 2);
    double side = random_.Between(-1, 1);
    if (style_ == Style::kOneEnd) side = up_ ? 1 : -1;
    for (const double part : {1.0, 0.999, 0.5}) {
      const double y = x + side * half * part;
      if (RoundTo(type, y) == x) return y;
    }
    return x;
  }

  const Edition& edition_;
  const Level& level_;
  const Style style_;
  const bool wider_, flushes_;
  Random& random_;
  const bool up_, flushes_before_rounding_;
  std::map<std::string, std::shared_ptr<const Tensor>> held_;
  std::map<std::string, bool> exact_;
};

inline std::string Digits(double x) {
  char text[40];
  std::snprintf(text, sizeof text, "%.10g", x);
  return text;
}

// Describes the first element of `held` that no enclosure of `output` accepts. The text is empty if
// there is no such element.
inline std::string Refused(const ExpectedOutput& output, const Tensor& held) {
  for (int64_t i = 0; i < held.size(); ++i) {
    double x = IsFloat(output.dtype) ? RoundTo(output.dtype, held.Element(i))
                                     : static_cast<double>(held.Integer(i));
    bool accepted = false;
    std::string ends;
    for (const Answer& answer : output.answers) {
      const auto at = [&](const Tensor& t) {
        return IsFloat(output.dtype) ? t.Element(i) : static_cast<double>(t.Integer(i));
      };
      const double lo = at(answer.expected), hi = at(*answer.upper);
      accepted = accepted || (lo <= x && x <= hi) || (std::isinf(lo) && std::isinf(hi) && lo < hi);
      ends += StrCat(" [", Digits(lo), ", ", Digits(hi), "]");
    }
    if (!accepted) {
      return StrCat(output.name, " (", output.rule.clause, ") element ", i, ": ", Digits(x),
                    " outside", ends);
    }
  }
  return "";
}

}  // namespace cts::testing_chains

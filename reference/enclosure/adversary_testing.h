// For tests: an implementation that gives, for each single operator, the worst results that the
// specification allows. This file computes the bounds and the comparing function from the
// specifications 1.0 and 0.100, a second time and independently of reference/precision.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reference/base/float_format.h"
#include "reference/enclosure/chains_testing.h"

namespace cts::testing_chains {

inline constexpr double kInf = std::numeric_limits<double>::infinity();
inline constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The least value above `v` in the type, computed from the bits of `v`. Infinity follows the
// greatest finite number, even in a type without infinity.
inline double StepUp(DType type, double v) {
  if (std::isinf(v)) return v > 0 ? v : -Format(type).max;
  if (v >= Format(type).max) return kInf;
  if (v == 0) return Format(type).subnormal_min();
  const uint64_t bits = EncodeFloat(type, v);
  return DecodeFloat(type, v > 0 ? bits + 1 : bits - 1);
}
inline double StepDown(DType type, double v) { return -StepUp(type, -v); }

// Whether tosa_reference_check_fp_bnd of 1.0 accepts the result `v`. Neither `v` nor `ref` may be
// NaN. If `widened` is set, follows the draft before 1.0. For a `ref` that is not negative, the
// draft accepts the interval from ref - bound to ref + bound, but moves ends below the least normal
// number. A positive lower end becomes zero, and an upper end becomes the least normal number.
inline bool Complies(DType type, double v, double ref, double bound, bool widened = false) {
  if (!std::isfinite(bound)) return true;
  if (ref < 0) ref = -ref, v = -v;
  const double max = Format(type).max, normal_min = Format(type).normal_min();
  double least = ref - bound, greatest = ref + bound;
  if (greatest > max) greatest = kInf;
  if (least > max) least = kInf;
  if (least < -max) least = -kInf;
  if (widened) {
    if (least < normal_min) least = std::min(least, 0.0);
    if (greatest < normal_min) greatest = normal_min;
    return least <= v && v <= greatest;
  }
  if (Info(type).may_flush && v == 0) return least < normal_min;
  return least <= v && v <= greatest;
}

// The way in which an implementation chooses its result among all results that the specification
// allows.
struct Way {
  enum class End : uint8_t {
    kNearest,
    kLeast,
    kGreatest,
    kToZero,
    kFromZero,
    kAlternate,
    kRandom,
    kOneUp,    // up for one element, down for all others
    kOneDown,  // down for one element, up for all others
  };
  End end = End::kNearest;   // selects the value of the type
  End kept = End::kNearest;  // selects the real number that is kept in place of this value
  bool reference = false;    // keeps the unrounded reference result if it rounds to this value
  bool flushes = false;      // flushes subnormal results
  bool flushes_unrounded = false;  // also flushes subnormals that round to a normal number
  int64_t one = 0;                 // the index of the single element of kOneUp and kOneDown
  bool other_zero = false;         // changes the sign of zeros if the specification permits it
};

class Adversary {
 public:
  Adversary(const Edition& edition, const Level& level, Random& random)
      : edition_(edition),
        level_(level),
        random_(random),
        draft_(edition.precision->form() == kWidenedEndsName) {}

  // Maps the name of each output to the way in which its values are chosen.
  std::map<std::string, Way> ways;

  bool Run(const Chain& chain, bool flushes_inputs = false) {
    return Run(chain.graph, chain.inputs, flushes_inputs);
  }
  bool Run(const Graph& graph, const std::map<std::string, Tensor>& inputs, bool flushes_inputs) {
    const Block& block = graph.main();
    for (const auto& [name, value] : inputs) Hold(name, value, flushes_inputs);
    for (const GraphTensor& tensor : block.tensors) {
      if (tensor.values != nullptr) Hold(tensor.name, *tensor.values, flushes_inputs);
    }
    for (const GraphOperator& node : block.operators) {
      if (!IsConstant(node) && !RunOperator(block, node)) return false;
    }
    return true;
  }
  const Tensor& held(const std::string& name) const { return *held_.at(name); }

 private:
  using Shared = std::shared_ptr<const Tensor>;

  void Hold(const std::string& name, const Tensor& value, bool flushes) {
    Tensor held = value;
    if (IsFloat(value.dtype())) {
      held = Tensor(DType::kFp64, value.shape());
      for (int64_t i = 0; i < held.size(); ++i) {
        double x = value.Element(i);
        if (flushes && Info(value.dtype()).may_flush && IsSubnormal(value.dtype(), x)) {
          x = std::copysign(0.0, x);
        }
        held.SetElement(i, x);
      }
    }
    held_[name] = std::make_shared<const Tensor>(std::move(held));
  }

  // Runs the operator's code (its text) with these operands. Sets `*broken` if the operands do not
  // fit the operator or break a REQUIRE.
  std::map<std::string, Tensor> Text(const Block& block, const GraphOperator& node,
                                     const std::map<std::string, Shared>& values, bool* broken) {
    const OperatorSpec& spec = *edition_.FindOperator(node.op);
    const Operator& op = *OperatorFor(spec);
    const Call call(edition_, spec, level_, block, node, values);
    std::map<std::string, Tensor> outputs;
    if (!call.fits()) {
      *broken = true;
      return outputs;
    }
    Computation computation(call, ComputationKind::kReference);
    op.compute(call, computation);
    *broken = !computation.broken().empty();
    if (*broken) return outputs;
    for (const Argument& argument : call.arguments()) {
      if (argument.spec->category != ArgumentCategory::kOutput) continue;
      outputs.emplace(argument.tensors[0]->name, *computation.outputs().at(argument.spec->name));
    }
    return outputs;
  }

  bool RunOperator(const Block& block, const GraphOperator& node) {
    std::map<std::string, Shared> values;
    for (const std::string& name : node.inputs) values[name] = held_.at(name);
    bool broken = false;
    std::map<std::string, Tensor> outputs = Text(block, node, values, &broken);
    if (broken) return false;
    std::map<std::string, Tensor> bounds;
    double limit = 0;
    if (IsSum(node.op)) {
      // In 1.0, magnitudes below the least normal number of the first operand's type are raised to
      // that number. In 1.0 padding also adds to the bound; this implementation ignores padding.
      const double least = draft_ ? 0 : Format(block.Find(node.inputs[0])->dtype).normal_min();
      for (auto& [name, value] : values) {
        if (!IsFloat(block.Find(name)->dtype) || IsZeroPoint(node, name)) continue;
        Tensor magnitudes(DType::kFp64, value->shape());
        for (int64_t i = 0; i < value->size(); ++i) {
          magnitudes.SetElement(i, std::max(least, std::fabs(value->Element(i))));
        }
        value = std::make_shared<const Tensor>(std::move(magnitudes));
      }
      bounds = Text(block, node, values, &broken);
      if (broken) return false;
      // In the draft, `limit` is the number of roundings. A nonzero bias would add one rounding,
      // which this implementation ignores.
      const auto size = static_cast<double>(KernelSize(block, node));
      limit = draft_ ? size : 2 * (size + 1);
    }
    const bool transform = node.op == "FFT2D" || node.op == "RFFT2D";
    if (transform) limit = TransformBounds(block, node, &bounds);
    if (transform && draft_) limit = limit / 2 - 1;
    for (const std::string& name : node.outputs) {
      Tensor& held = outputs.at(name);
      const DType type = block.Find(name)->dtype;
      if (IsFloat(type)) {
        const Tensor* bound = bounds.empty() ? nullptr : &bounds.at(name);
        Choose(block, node, type, ways[name], bound, limit, held);
      }
      held_[name] = std::make_shared<const Tensor>(std::move(held));
    }
    return true;
  }

  // Stores the bounds of the outputs of FFT2D or RFFT2D in `bounds`. Returns the argument
  // `limit` of Sum for TOSA 1.0. Sum multiplies `limit` by the unit of an element's bound to get
  // the allowed error of the element. The unit is the bound times 2^-(fraction bits + 1), but at
  // least the least normal number. The transforms in tests have at most two by two points, so each
  // sine is zero and each cosine is one or minus one.
  double TransformBounds(const Block& block, const GraphOperator& node,
                         std::map<std::string, Tensor>* bounds) {
    for (size_t k = 0; k < node.outputs.size(); ++k) {
      double sum = 0;
      if (k < node.inputs.size()) {
        for (const double x : held_.at(node.inputs[k])->Elements()) sum += std::fabs(x);
      }
      Tensor bound(DType::kFp64, block.Find(node.outputs[k])->shape);
      for (int64_t i = 0; i < bound.size(); ++i) bound.SetElement(i, sum);
      bounds->emplace(node.outputs[k], std::move(bound));
    }
    const Shape shape = block.Find(node.inputs[0])->shape;
    return 2 * static_cast<double>((node.op == "FFT2D" ? 2 : 1) * shape[1] * shape[2] + 1);
  }

  static bool IsSum(std::string_view op) {
    for (const char* name : {"REDUCE_SUM", "MATMUL", "CONV2D", "CONV3D", "DEPTHWISE_CONV2D",
                             "TRANSPOSE_CONV2D", "AVG_POOL2D"}) {
      if (op == name) return true;
    }
    return false;
  }
  static bool IsZeroPoint(const GraphOperator& node, const std::string& name) {
    const size_t first = node.op == "MATMUL" ? 2 : node.op == "AVG_POOL2D" ? 1 : 3;
    for (size_t k = first; k < node.inputs.size(); ++k) {
      if (node.inputs[k] == name) return true;
    }
    return false;
  }
  // The number of effective roundings. A wider accumulator reduces this number: each additional bit
  // that counts halves it. In 1.0 half of the additional bits count; in the draft all of them
  // count.
  int64_t KernelSize(const Block& block, const GraphOperator& node) const {
    const auto attribute = [&](const char* name) -> const AttributeValue& {
      return node.attributes.at(name);
    };
    const Shape first = block.Find(node.inputs[0])->shape;
    int64_t size = 1;
    if (node.op == "REDUCE_SUM") {
      size = first[static_cast<size_t>(std::get<int64_t>(attribute("axis")))];
    } else if (node.op == "MATMUL") {
      size = first[2];
    } else if (node.op == "AVG_POOL2D") {
      for (const int64_t k : std::get<std::vector<int64_t>>(attribute("kernel"))) size *= k;
    } else {
      const Shape weight = block.Find(node.inputs[1])->shape;
      const bool depthwise = node.op == "DEPTHWISE_CONV2D";
      for (size_t d = depthwise ? 0 : 1; d < (depthwise ? 2 : weight.size()); ++d) {
        size *= weight[d];
      }
    }
    const auto found = node.attributes.find("acc_type");
    const DType out = block.Find(node.outputs[0])->dtype;
    const bool wide =
        out != DType::kFp32 &&
        ((found != node.attributes.end() && std::get<std::string>(found->second) == "FP32") ||
         (node.op == "REDUCE_SUM" && out == DType::kBf16));
    if (!wide) return size;
    const int bits = 23 - Format(out).fraction_bits;
    const int spared = draft_ ? bits : bits / 2;
    return (size + (int64_t{1} << spared) - 1) >> spared;
  }

  void Choose(const Block& block, const GraphOperator& node, DType type, const Way& way,
              const Tensor* sums, double limit, Tensor& held) {
    const std::string& op = node.op;
    const Tensor& x = *held_.at(node.inputs[0]);
    const DType in = block.Find(node.inputs[0])->dtype;
    double greatest = 0;
    if (op == "RESIZE") {
      for (const double each : x.Elements()) greatest = std::max(greatest, std::fabs(each));
    }
    for (int64_t i = 0; i < held.size(); ++i) {
      const double ref = held.Element(i);
      const double argument = x.size() == held.size() && IsFloat(in) ? x.Element(i) : 0;
      double y = ref;
      if (std::isnan(ref)) {
        y = kNan;
      } else if (sums != nullptr) {
        y = Sum(type, way, ref, sums->Element(i), limit, i);
      } else if (op == "CAST") {
        const bool to_fp8 = StorageBytes(type) == 1;
        y = draft_ && to_fp8 && IsFloat(in) ? Saturated(type, way, ref, i)
            : IsFloat(in) && !draft_        ? Cast(type, way, ref, i)
                                            : Within(type, way, ref, Ulps(type, ref, 0.5), i);
      } else if (op == "RESIZE") {
        const double least = Format(type).normal_min();
        const double ulps = draft_ ? 0 : 20 * std::max(greatest, least) * Unit(type);
        y = Within(type, way, ref, std::max(ulps, greatest * 0.006), i);
      } else if (op == "REDUCE_PRODUCT") {
        const double n = static_cast<double>(
            x.shape()[static_cast<size_t>(std::get<int64_t>(node.attributes.at("axis")))]);
        const double share = std::pow(1 + Unit(type) / 2, n) - 1;
        const double least = draft_ ? 0 : Format(type).normal_min();
        y = Within(type, way, ref, std::max(std::fabs(ref), least) * share, i);
      } else if (op == "POW") {
        const Tensor& exponent = *held_.at(node.inputs[1]);
        const double e = exponent.Element(exponent.size() == 1 ? 0 : i);
        const double base = x.Element(x.size() == 1 ? 0 : i);
        y = Within(
            type, way, ref,
            draft_ ? DraftBound(type, op, e * std::log(base), ref) : PowerBound(type, base, e, ref),
            i);
      } else if (IsComputed(op)) {
        y = Within(type, way, ref,
                   draft_ ? DraftBound(type, op, argument, ref) : Bound(type, op, argument, ref),
                   i);
      }
      if (way.other_zero && y == 0 && LeavesSignOfZero(op)) y = -y;
      held.SetElement(i, Flushed(type, way, y));
    }
  }

  static double Flushed(DType type, const Way& way, double y) {
    if (!way.flushes || !Info(type).may_flush || y == 0) return y;
    const double seen = way.flushes_unrounded ? y : RoundTo(type, y);
    return std::fabs(seen) < Format(type).normal_min() ? std::copysign(0.0, y) : y;
  }

  static double Unit(DType type) { return std::ldexp(1.0, -Format(type).fraction_bits); }
  static double Ulps(DType type, double ref, double n) {
    if (ref == 0 || !std::isfinite(ref)) return 0;
    const double power = std::ldexp(1.0, std::ilogb(ref));
    return std::max(power, Format(type).normal_min()) * Unit(type) * n;
  }
  static bool LeavesSignOfZero(std::string_view op) {
    for (const char* name :
         {"CLAMP", "MAXIMUM", "MINIMUM", "REDUCE_MAX", "REDUCE_MIN", "MAX_POOL2D", "NEGATE",
          "CONCAT", "GATHER", "IDENTITY", "PAD", "RESHAPE", "REVERSE", "SCATTER", "SELECT", "SLICE",
          "TILE", "TRANSPOSE"}) {
      if (op == name) return true;
    }
    return false;
  }
  static bool IsComputed(std::string_view op) {
    for (const char* name : {"ADD", "SUB", "MUL", "EXP", "LOG", "TANH", "SIGMOID", "ERF", "CEIL",
                             "FLOOR", "RECIPROCAL", "RSQRT", "SIN", "COS"}) {
      if (op == name) return true;
    }
    return false;
  }
  static double Bound(DType type, std::string_view op, double x, double ref) {
    const double normal_min = Format(type).normal_min(), unit = Unit(type);
    const double raised = std::max(std::fabs(ref), normal_min);
    const double base = type == DType::kFp32 ? 3 : 1;
    const double half = std::ldexp(1.0, -(Format(type).fraction_bits / 2));
    if (op == "ADD" || op == "SUB" || op == "MUL") return Ulps(type, ref, 0.5);
    if (op == "ERF") return Ulps(type, ref, 5);
    if (x == 0 || std::isinf(x)) return 0;  // a table gives the result
    if (op == "CEIL" || op == "FLOOR") return Ulps(type, ref, 0.5);
    if (op == "RECIPROCAL") return Ulps(type, ref, 1);
    if (op == "RSQRT") return Ulps(type, ref, 2);
    if (op == "EXP") return raised * unit * (base + 2 * std::fabs(x));
    if (op == "LOG") return std::max(raised, 0.5 / 5) * unit * 5;
    if (op == "SIGMOID") return raised * unit * 2 * (1 + std::fabs(x));
    if (op == "TANH") {
      const double factor = 4 * (base + 2 * std::fabs(x));
      return std::max(raised, 0.5 / factor) * unit * factor;
    }
    if (op == "COS") return std::max(1 + std::fabs(x), normal_min) * half;
    return std::max(std::max(std::fabs(x), normal_min) * half * 2, 3.14159265 * normal_min);
  }
  // `x` is the operator's argument; for POW, the exponent times the logarithm of the base.
  static double DraftBound(DType type, std::string_view op, double x, double ref) {
    const double unit = Unit(type), size = std::fabs(ref);
    if (op == "ADD" || op == "SUB" || op == "MUL") return Ulps(type, ref, 0.5);
    if (op == "ERF") return Ulps(type, ref, 5);
    if (x == 0 || !std::isfinite(x)) return 0;  // a table gives the result
    if (op == "CEIL" || op == "FLOOR") return Ulps(type, ref, 0.5);
    if (op == "RECIPROCAL") return Ulps(type, ref, 1);
    if (op == "RSQRT") return Ulps(type, ref, 2);
    if (op == "LOG") return Ulps(type, ref, 5);
    if (op == "EXP") return size * unit * (1 + std::fabs(x));
    if (op == "SIGMOID" || op == "POW") return size * unit * 2 * (1 + std::fabs(x));
    if (op == "TANH") return unit * std::max(0.5, size * 4 * (1 + std::fabs(x)));
    return size * std::ldexp(1.0, -(Format(type).fraction_bits / 2));  // SIN, COS
  }
  static double PowerBound(DType type, double x, double y, double ref) {
    if (x == 0 || y == 0) return 0;
    const double log = y * std::log(x), normal_min = Format(type).normal_min(), unit = Unit(type);
    const double base = type == DType::kFp32 ? 3 : 1;
    const double mul =
        std::max({std::fabs(log), normal_min, 0.55 * std::fabs(y) / 5.5}) * unit * 5.5;
    const double exp =
        std::max(std::fabs(ref), normal_min) * unit * (base + 2 * std::fabs(log + mul));
    return (ref * std::expm1(mul) + exp) * (1 - 1e-12);  // leaves room for the C library's errors
  }

  // Returns -1 for the lower end of the range, 1 for the upper end, and 0 for neither end.
  int Side(const Way& way, Way::End end, double ref, int64_t i) {
    switch (end) {
      case Way::End::kNearest:
        return 0;
      case Way::End::kLeast:
        return -1;
      case Way::End::kGreatest:
        return 1;
      case Way::End::kToZero:
        return ref > 0 ? -1 : 1;
      case Way::End::kFromZero:
        return ref > 0 ? 1 : -1;
      case Way::End::kAlternate:
        return i % 2 == 0 ? 1 : -1;
      case Way::End::kOneUp:
        return i == way.one ? 1 : -1;
      case Way::End::kOneDown:
        return i == way.one ? -1 : 1;
      case Way::End::kRandom:
        break;
    }
    return static_cast<int>(random_.Below(3)) - 1;
  }

  // A real number that rounds to `v`, which is a compliant value of the type.
  double Kept(DType type, const Way& way, double v, double ref, int64_t i) {
    if (std::isnan(v)) return v;
    if (way.reference && RoundTo(type, ref) == v) return ref;
    const int side = Side(way, way.kept, ref, i);
    if (side == 0) return v;
    if (std::isinf(v)) {
      const double half = (Format(type).max - StepDown(type, Format(type).max)) / 2;
      const double first = Format(type).max + half;
      const double far = 8 * Format(type).max;
      return std::copysign((side > 0) == (v > 0) ? far : first, v);
    }
    double next = side > 0 ? StepUp(type, v) : StepDown(type, v);
    if (std::isinf(next)) next = v + (v - (side > 0 ? StepDown(type, v) : StepUp(type, v)));
    const double middle = v + (next - v) / 2;
    return RoundTo(type, middle) == v ? middle : std::nextafter(middle, v);
  }

  double Within(DType type, const Way& way, double ref, double bound, int64_t i) {
    if (std::isinf(ref) || !std::isfinite(bound)) return ref;
    if (bound == 0 && RoundTo(type, ref) == ref) return ref;  // exact, or given by a table
    double v = RoundTo(type, ref);
    const int side = Side(way, way.end, ref, i);
    if (side != 0 && bound > 0) {
      const auto next = [&](double from) {
        return side > 0 ? StepUp(type, from) : StepDown(type, from);
      };
      double end = RoundTo(type, ref + side * bound);
      if (std::isnan(end)) return end;  // overflow in a type without infinities
      for (int tries = 0; tries < 3 && !Complies(type, end, ref, bound, draft_); ++tries) {
        end = side > 0 ? StepDown(type, end) : StepUp(type, end);
      }
      for (int tries = 0; tries < 3 && end != next(end); ++tries) {
        if (!Complies(type, next(end), ref, bound, draft_)) break;
        end = next(end);
      }
      if (std::isinf(end) && !Format(type).has_infinity) return kNan;
      if (Complies(type, end, ref, bound, draft_)) v = end;
    }
    return Kept(type, way, v, ref, i);
  }

  double Sum(DType type, const Way& way, double ref, double bound, double limit, int64_t i) {
    const double least_unit = Unit(type) / 2, max = Format(type).max;
    if (!(bound * (1 + limit * least_unit) <= max)) return ref;
    const double error = limit * std::max(bound * least_unit, Format(type).normal_min());
    double v = RoundTo(type, ref);
    if (!std::isfinite(v)) v = std::copysign(max, ref);
    const int side = Side(way, way.end, ref, i);
    if (side != 0) {
      double end = RoundTo(type, std::clamp(ref + side * error, -max, max));
      if (std::fabs(end - ref) > error) end = side > 0 ? StepDown(type, end) : StepUp(type, end);
      if (std::fabs(end - ref) <= error) v = end;
    }
    if (std::fabs(v - ref) > error) return ref;
    return Kept(type, way, v, ref, i);
  }

  // The draft's cast to fp8 rounds to nearest. A number out of range becomes the nearest finite
  // number.
  double Saturated(DType type, const Way& way, double x, int64_t i) {
    if (std::isinf(x)) return x;  // the specification does not define the result
    const double max = Format(type).max, v = RoundTo(type, std::clamp(x, -max, max));
    return v == x || std::fabs(x) > max ? v : Kept(type, way, v, x, i);
  }

  // A cast rounds toward zero or to nearest. An implementation with more bits may hold any number
  // that rounds to the result. A number that the type can represent stays unchanged.
  double Cast(DType type, const Way& way, double x, int64_t i) {
    const double nearest = RoundTo(type, x);
    if (std::isnan(nearest)) return way.reference ? x : nearest;
    double cut = nearest;
    // A number is out of range if its magnitude exceeds the greatest finite number by at least one
    // unit in the last place of that greatest number.
    const double max = Format(type).max, unit = max - StepDown(type, max);
    if (std::fabs(cut) > std::fabs(x) && std::fabs(x) < max + unit) {
      cut = x > 0 ? StepDown(type, cut) : StepUp(type, cut);
    }
    const int side = Side(way, way.end, x, i);
    double v = nearest;
    if (side < 0) v = std::min(nearest, cut);
    if (side > 0) v = std::max(nearest, cut);
    return v == x ? v : Kept(type, way, v, x, i);
  }

  const Edition& edition_;
  const Level& level_;
  Random& random_;
  const bool draft_;  // whether the edition is the draft before 1.0
  std::map<std::string, Shared> held_;
};

// Whether the output's rule accepts `x` as element `i`. Always true for the dot-product rule, which
// judges a tensor as a whole.
inline bool Accepts(const ExpectedOutput& output, const Answer& answer, double x, int64_t i) {
  const Rule& rule = output.rule;
  const bool is_float = IsFloat(output.dtype);
  const auto at = [&](const Tensor& t) {
    return is_float ? t.Element(i) : static_cast<double>(t.Integer(i));
  };
  const double r = at(answer.expected);
  const auto zero = [&](double expected) {
    return !rule.zero_sign || !rule.zero_choice.empty() || x != 0 ||
           std::signbit(x) == std::signbit(expected);
  };
  switch (rule.kind) {
    case RuleKind::kExact:
      return std::isnan(r) ? std::isnan(x) : x == r && zero(r);
    case RuleKind::kInterval: {
      const double hi = at(*answer.upper);
      if (rule.enclosure) return (r <= x && x <= hi) || (std::isinf(r) && std::isinf(hi) && r < hi);
      if (std::isnan(r) || std::isnan(hi)) return std::isnan(x);
      return (r <= x && x <= hi) || x == 0 || (std::isnan(x) && std::isinf(hi));
    }
    case RuleKind::kUlp: {
      if (std::isnan(r)) return std::isnan(x);
      const double power = r == 0 ? 0 : std::ldexp(1.0, std::ilogb(r));
      const double ulp = r == 0 || std::isinf(r)
                             ? 0
                             : std::max(power, Format(output.dtype).normal_min()) *
                                   std::ldexp(1.0, -Format(output.dtype).fraction_bits);
      if (std::isnan(x)) return std::fabs(r) + ulp * rule.ulp > Format(output.dtype).max;
      return Complies(output.dtype, x, r, ulp * rule.ulp, rule.form == kWidenedEndsName);
    }
    case RuleKind::kAbsoluteBound: {
      const double bound = answer.bound->Element(i);
      if (std::isinf(bound)) return true;
      if (std::isnan(r)) return std::isnan(x);
      if (bound == 0 && !zero(r)) return false;
      return Complies(output.dtype, x, r, bound, rule.form == kWidenedEndsName);
    }
    default:
      return true;
  }
}

// Describes, for each answer, the first element that the answer refuses. The text is empty if at
// least one answer accepts all elements.
inline std::string RefusedElement(const ExpectedOutput& output, const Tensor& held) {
  std::string text;
  for (const Answer& answer : output.answers) {
    bool all = true;
    for (int64_t i = 0; i < held.size() && all; ++i) {
      const double x = IsFloat(output.dtype) ? RoundTo(output.dtype, held.Element(i))
                                             : static_cast<double>(held.Integer(i));
      if (Accepts(output, answer, x, i)) continue;
      all = false;
      const auto at = [&](const Tensor& t) {
        return IsFloat(output.dtype) ? t.Element(i) : static_cast<double>(t.Integer(i));
      };
      text += StrCat(" element ", i, " of ", held.size(), ": ", Digits(x), " (held ",
                     IsFloat(output.dtype) ? Digits(held.Element(i)) : Digits(x), "), expected ",
                     Digits(at(answer.expected)),
                     answer.upper ? StrCat(" to ", Digits(at(*answer.upper))) : "",
                     answer.bound ? StrCat(" within ", Digits(at(*answer.bound))) : "", " [",
                     output.rule.clause, "]");
    }
    if (all) return "";
  }
  return text;
}

inline Way RandomWay(Random& random) {
  const auto end = [&] { return static_cast<Way::End>(random.Below(7)); };
  return {
      .end = end(), .kept = end(), .reference = random.Chance(3), .other_zero = random.Chance(3)};
}

}  // namespace cts::testing_chains

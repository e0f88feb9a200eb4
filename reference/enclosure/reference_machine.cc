#include "reference/enclosure/reference_machine.h"

#include <cmath>
#include <memory>
#include <optional>
#include <utility>

#include "reference/base/float_format.h"
#include "reference/enclosure/enclosed_operator.h"
#include "reference/enclosure/enclosure.h"
#include "reference/machine/read_element.h"
#include "reference/ops/computation.h"
#include "reference/ops/conditions.h"
#include "reference/ops/facts.h"
#include "reference/ops/finding.h"
#include "reference/precision/precision.h"

namespace cts {
namespace {

// A reference value in the type of its tensor. Only for results that are exact in it.
std::shared_ptr<const Tensor> Typed(const Tensor& ref, DType dtype) {
  if (ref.dtype() == dtype) return std::make_shared<Tensor>(ref);
  auto typed = std::make_shared<Tensor>(dtype, ref.shape());
  if (dtype == DType::kFp32 && ref.dtype() == DType::kFp64) {
    const auto* const from = reinterpret_cast<const double*>(ref.bytes().data());
    auto* const to = reinterpret_cast<float*>(typed->bytes().data());
    for (int64_t i = 0; i < ref.size(); ++i) {
      if (from[i] == from[i]) {
        to[i] = static_cast<float>(from[i]);
      } else {
        typed->SetElement(i, from[i]);  // the format's NaN, not the machine's
      }
    }
    return typed;
  }
  for (int64_t i = 0; i < ref.size(); ++i) typed->SetElement(i, ref.Element(i));
  return typed;
}

// Exact, or an interval without extent: a floating-point CAST to a wider type.
bool HasOneValue(const RuledAnswer& answer) {
  if (answer.rule.kind == RuleKind::kExact) return true;
  return answer.rule.kind == RuleKind::kInterval && answer.rule.zero_sign &&
         answer.answer.expected == answer.answer.upper;
}

// Whether CAST changed no number. Where both roundings agree, the result has one value, but an
// implementation that does not narrow between two operators goes on from the number itself.
bool IsUnrounded(const Call& call, const RuledAnswer& answer) {
  if (answer.rule.kind != RuleKind::kInterval) return true;
  const Tensor& input = *call.values("input");
  const bool flushes = answer.answer.flushed && Info(input.dtype()).may_flush;
  for (int64_t i = 0; i < input.size(); ++i) {
    const double given = input.Element(i), y = answer.answer.expected.Element(i);
    const double x = flushes && IsSubnormal(input.dtype(), given) ? 0 : given;
    // Where NaN stands for it, an infinity is not what the result holds.
    if (std::isinf(y) && !Format(call.dtype("output")).has_infinity) return false;
    if (x != y && !(std::isnan(x) && std::isnan(y))) return false;
  }
  return true;
}

// A zero, or a number that some implementations flush to one.
bool MayBeZero(const Tensor& tensor, int64_t i) {
  const double x = tensor.Element(i);
  return x == 0 || (Info(tensor.dtype()).may_flush && IsSubnormal(tensor.dtype(), x));
}

// Whether the text leaves the sign of a computed zero to the implementation. What data layout moves
// may lose its sign, too.
bool LeavesSignOfZero(const Rule& rule) {
  const bool one_value = rule.kind == RuleKind::kExact || rule.kind == RuleKind::kInterval;
  return one_value && (!rule.zero_sign || !rule.zero_choice.empty());
}

// The first operand that has such a zero; null if none has.
std::shared_ptr<const Tensor> FindOpenZero(const Call& call, const Frame& frame) {
  if (FactsOf(call.name()).sign_of_zero == SignOfZero::kIgnored) return nullptr;
  for (const Argument& argument : call.arguments()) {
    for (const GraphTensor* tensor : argument.tensors) {
      const KnownTensor known = frame.Get(tensor->name);
      if (!IsFloat(tensor->dtype) || known.value == nullptr || known.answer == nullptr) continue;
      if (!LeavesSignOfZero(known.answer->rule)) continue;
      for (int64_t i = 0; i < known.value->size(); ++i) {
        if (MayBeZero(*known.value, i)) return known.value;
      }
    }
  }
  return nullptr;
}

// Takes an operand as a zero of either sign: signs of zeros bind no longer, and 1/x is an infinity
// of either.
void OpenSigns(const Call& call, DType dtype, const Tensor& operand, RuledAnswer& answer) {
  answer.rule.zero_sign = false;
  answer.rule.zero_choice.clear();
  if (FactsOf(call.name()).sign_of_zero != SignOfZero::kOfInfinity) return;
  std::optional<Enclosure> enclosure = EncloseAnswer(answer, dtype);
  if (!enclosure) return;
  for (int64_t i = 0; i < operand.size(); ++i) {
    if (MayBeZero(operand, i)) enclosure->Set(i, {});
  }
  Rule rule{.kind = RuleKind::kInterval, .form = answer.rule.form};
  rule.enclosure = true;
  rule.clause = StrCat(call.edition().id, ", Operator sequence precision requirement; ",
                       call.name(), " of a zero of either sign");
  answer.rule = std::move(rule);
  answer.answer.expected = std::move(enclosure->lo);
  answer.answer.upper = std::move(enclosure->hi);
  answer.answer.bound.reset();
}

// Whether an infinity of the result may come of numbers alone.
bool MayOverflow(const Call& call, const Answer& answer) {
  const Overflows overflow = FactsOf(call.name()).overflow;
  if (overflow != Overflows::kOfNumbers) return overflow == Overflows::kAlways;
  const std::string argument = call.Has("input1") ? "input1" : "input";
  const Tensor* const operand = call.Has(argument) ? call.values(argument).get() : nullptr;
  if (operand == nullptr || !IsFloat(operand->dtype())) return true;
  const Tensor& result = answer.expected;
  const int64_t along = operand->size() / result.size();  // 1, or the length of the axis
  const Shape& shape = operand->shape();
  int64_t inner = 1;
  for (size_t d = shape.size(); along > 1 && d-- > 0 && shape[d] == result.shape()[d];) {
    inner *= shape[d];
  }
  for (int64_t i = 0; i < result.size(); ++i) {
    if (!std::isinf(result.Element(i))) continue;
    bool of_infinity = false;
    for (int64_t k = 0; k < along; ++k) {
      const int64_t at = i / inner * inner * along + k * inner + i % inner;
      of_infinity = of_infinity || std::isinf(operand->Element(at));
    }
    if (!of_infinity) return true;
  }
  return false;
}

std::shared_ptr<const Tensor> WithoutSign(const Tensor& tensor) {
  auto magnitudes = std::make_shared<Tensor>(tensor);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    magnitudes->SetElement(i, std::fabs(tensor.Element(i)));
  }
  return magnitudes;
}

// By the bits: a fraction without an exponent. `Word` holds an element.
template <class Word>
bool AnySubnormal(const Tensor& tensor) {
  const int fraction = Format(tensor.dtype()).fraction_bits;
  const auto magnitude = static_cast<Word>(~(Word{1} << (8 * sizeof(Word) - 1)));
  const auto least_normal = static_cast<Word>(Word{1} << fraction);
  const auto* const bits = reinterpret_cast<const Word*>(tensor.bytes().data());
  bool any = false;
  for (int64_t i = 0; i < tensor.size(); ++i) {
    const auto x = static_cast<Word>(bits[i] & magnitude);
    any |= x != 0 && x < least_normal;
  }
  return any;
}

// In the layout of the edition.
void GiveBack(const Argument& argument, Answer& answer) {
  if (argument.view_axes.empty()) return;
  answer.expected = argument.Given(answer.expected);
  if (answer.bound) answer.bound = argument.Given(*answer.bound);
  if (answer.upper) answer.upper = argument.Given(*answer.upper);
}

}  // namespace

bool HasSubnormal(const Tensor& tensor) {
  if (!Info(tensor.dtype()).may_flush) return false;
  if (tensor.dtype() == DType::kFp32) return AnySubnormal<uint32_t>(tensor);
  if (StorageBytes(tensor.dtype()) == 2) return AnySubnormal<uint16_t>(tensor);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    if (IsSubnormal(tensor.dtype(), tensor.Element(i))) return true;
  }
  return false;
}

StatusOr<std::string_view> ReferenceMachine::Compute(const Operator& op, const Call& call,
                                                     Frame& frame) {
  for (const Argument& argument : call.arguments()) {
    for (const auto& value : argument.values) {
      flushing_matters_ = flushing_matters_ || (value != nullptr && HasSubnormal(*value));
    }
  }
  Computation computation(call, ComputationKind::kReference);
  computation.set_flush(flush_);
  op.compute(call, computation);
  // A broken REQUIRE leaves outputs without a value; the caller must not ask for them.
  if (!computation.broken().empty()) return computation.broken();
  CTS_ASSIGN_OR_RETURN(auto answers, ApplyPrecision(op, call, computation, flush_, data_set_));
  const auto open = encloses() ? FindOpenZero(call, frame) : nullptr;
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    const GraphTensor& tensor = *argument.tensors[0];
    RuledAnswer& answer = answers.at(argument.spec->name);
    if (encloses() && IsFloat(tensor.dtype)) answer.overflows = MayOverflow(call, answer.answer);
    GiveBack(argument, answer.answer);
    // For the graph's own outputs: what follows sees signless bits, and has a rule of its own.
    if (call.Flag("output_unsigned")) answer.rule.is_unsigned = true;
    // A result with a bound has no one value that a further operator could start from.
    if (HasOneValue(answer) && (!encloses() || IsUnrounded(call, answer))) {
      frame.values[tensor.name] = Typed(answer.answer.expected, tensor.dtype);
      if (op.name == "ABS" && flush_ && IsFloat(tensor.dtype)) {
        // Later operators start from the table's +0, whatever sign this result may have.
        frame.values[tensor.name] = WithoutSign(*frame.values[tensor.name]);
      }
      // CLAMP's bounds may be subnormal though its input is not.
      flushing_matters_ = flushing_matters_ || HasSubnormal(*frame.values[tensor.name]);
    }
    if (open != nullptr && IsFloat(tensor.dtype)) {
      OpenSigns(call, tensor.dtype, *open, answer);
    }
    frame.answers[tensor.name] = std::make_shared<RuledAnswer>(std::move(answer));
  }
  return "";
}

StatusOr<std::string> ReferenceMachine::Enclose(const Operator& op, const Call& call,
                                                const EnclosedOperands& operands,
                                                const GraphOperator& node, const std::string& place,
                                                Frame& frame) {
  return cts::Enclose(op, operands, call, node, place, flush_, frame);
}

std::string ReferenceMachine::Describe(const Operator& op, const Call& call,
                                       std::string_view broken) {
  const Condition* const condition = FindCondition(broken, call.edition());
  const std::string element = BrokenElement(op, call, broken);
  return StrCat(condition == nullptr ? "broken by the data" : ExplainBroken(*condition, call),
                element.empty() ? "" : ": found " + element);
}

}  // namespace cts

#include "reference/evaluate/reference_machine.h"

#include <cmath>
#include <memory>
#include <utility>

#include "reference/base/float_format.h"
#include "reference/evaluate/enclosed_operator.h"
#include "reference/evaluate/read_element.h"
#include "reference/ops/computation.h"
#include "reference/ops/conditions.h"
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
        typed->SetFloat(i, from[i]);  // the format's NaN, not the machine's
      }
    }
    return typed;
  }
  for (int64_t i = 0; i < ref.size(); ++i) typed->SetFloat(i, ref.Float(i));
  return typed;
}

// Exact, or an interval without extent: a floating-point CAST to a wider type.
bool HasOneValue(const RuledAnswer& answer) {
  if (answer.rule.kind == RuleKind::kExact) return true;
  return answer.rule.kind == RuleKind::kInterval && answer.rule.zero_sign &&
         answer.answer.expected == answer.answer.upper;
}

std::shared_ptr<const Tensor> WithoutSign(const Tensor& tensor) {
  auto magnitudes = std::make_shared<Tensor>(tensor);
  for (int64_t i = 0; i < tensor.size(); ++i) {
    magnitudes->SetFloat(i, std::fabs(tensor.Float(i)));
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
    if (IsSubnormal(tensor.dtype(), tensor.Float(i))) return true;
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
  // A broken REQUIRE leaves outputs without a value; nobody may ask for them.
  if (!computation.broken().empty()) return computation.broken();
  CTS_ASSIGN_OR_RETURN(auto answers, ApplyPrecision(op, call, computation, flush_, data_set_));
  for (const Argument& argument : call.arguments()) {
    if (argument.spec->category != ArgumentCategory::kOutput) continue;
    const GraphTensor& tensor = *argument.tensors[0];
    RuledAnswer& answer = answers.at(argument.spec->name);
    GiveBack(argument, answer.answer);
    // A result with a bound has no one value that a further operator could start from.
    if (HasOneValue(answer)) {
      frame.values[tensor.name] = Typed(answer.answer.expected, tensor.dtype);
      if (op.name == "ABS" && flush_ && IsFloat(tensor.dtype)) {
        // Later operators start from the table's +0, whatever sign this result may have.
        frame.values[tensor.name] = WithoutSign(*frame.values[tensor.name]);
      }
      // CLAMP's bounds may be subnormal though its input is not.
      flushing_matters_ = flushing_matters_ || HasSubnormal(*frame.values[tensor.name]);
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

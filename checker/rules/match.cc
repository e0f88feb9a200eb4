#include "checker/rules/match.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "checker/rules/absolute_bound.h"
#include "checker/rules/exact.h"
#include "checker/rules/interval.h"
#include "checker/rules/ulp.h"

namespace cts {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

Status ValidateTensor(const ExpectedOutput& output, std::string_view what, const Tensor& tensor) {
  const DType expected = IsFloat(output.dtype) ? DType::kFp64 : output.dtype;
  if (tensor.dtype() != expected || tensor.shape() != output.shape) {
    return InvalidArgument("output ", output.name, ": found ", what, " of type ",
                           Name(tensor.dtype()), " and shape ", ToString(tensor.shape()),
                           ", expected ", Name(expected), " and ", ToString(output.shape));
  }
  return absl::OkStatus();
}

Status ValidateBounds(const ExpectedOutput& output, const Answer& answer) {
  const bool dot_product = output.rule.kind == RuleKind::kDotProduct;
  bool any_limit = false;
  for (int64_t i = 0; i < answer.bound->size(); ++i) {
    const double bound = answer.bound->Float(i);
    const double reference = answer.expected.Float(i);
    // An infinite bound says that anything is accepted. That of a dot product may be NaN as well.
    if (bound < 0 || (!dot_product && std::isnan(bound))) {
      return InvalidArgument("output ", output.name, ": element ", ToString(Index(output.shape, i)),
                             ": found the bound ", bound,
                             ", expected a number that is not negative");
    }
    any_limit = any_limit || !std::isinf(bound);
    if (dot_product && bound == 0 && reference != 0 && !std::isnan(reference)) {
      return InvalidArgument("output ", output.name, ": element ", ToString(Index(output.shape, i)),
                             ": found the bound 0 for ", reference,
                             ", expected a bound of at least its magnitude");
    }
  }
  // Such a case would pass without anything having been checked.
  if (!dot_product && !any_limit) {
    return InvalidArgument("output ", output.name,
                           ": found infinite bounds only, expected an element that is bound");
  }
  return absl::OkStatus();
}

Status ValidateIntervals(const ExpectedOutput& output, const Answer& answer) {
  for (int64_t i = 0; i < answer.upper->size(); ++i) {
    bool ordered = false;
    if (IsFloat(output.dtype)) {
      const double least = answer.expected.Float(i);
      const double greatest = answer.upper->Float(i);
      ordered = least <= greatest || (std::isnan(least) && std::isnan(greatest));
    } else {
      const bool is_unsigned = output.rule.is_unsigned;
      ordered = ComparedAs(output.dtype, answer.expected.Integer(i), is_unsigned) <=
                ComparedAs(output.dtype, answer.upper->Integer(i), is_unsigned);
    }
    if (!ordered) {
      return InvalidArgument("output ", output.name, ": element ", ToString(Index(output.shape, i)),
                             ": found an empty interval, expected least <= greatest");
    }
  }
  return absl::OkStatus();
}

// What RoundTo leaves as it is, where the machine says so at once: for large tensors.
bool IsSurelyRepresentable(DType dtype, double value) {
  if (dtype != DType::kFp32 && dtype != DType::kBf16) return false;
  if (!(std::fabs(value) <= std::numeric_limits<float>::max())) return false;
  const float narrow = static_cast<float>(value);
  const bool low_bits = (std::bit_cast<uint32_t>(narrow) & 0xFFFF) != 0;
  return static_cast<double>(narrow) == value && (dtype == DType::kFp32 || !low_bits);
}

// An exact answer that its type cannot represent would fail everybody.
Status ValidateExact(const ExpectedOutput& output, const Answer& answer) {
  if (!IsFloat(output.dtype)) return absl::OkStatus();
  for (int64_t i = 0; i < answer.expected.size(); ++i) {
    const double value = answer.expected.Float(i);
    if (IsSurelyRepresentable(output.dtype, value)) continue;
    if (!EqualFloats(RoundTo(output.dtype, value), value, false)) {
      return InvalidArgument("output ", output.name, ": element ", ToString(Index(output.shape, i)),
                             ": found the exact answer ", value, ", which is no value of ",
                             Name(output.dtype));
    }
  }
  return absl::OkStatus();
}

double DistanceOfIntegers(int64_t a, int64_t b) {
  const uint64_t distance = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                  : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
  return static_cast<double>(distance);
}

double Ratio(double error, double allowed) {
  if (error == 0) return 0;
  return allowed == 0 ? kInfinity : error / allowed;
}

}  // namespace

Status ValidateAnswer(const ExpectedOutput& output, const Answer& answer) {
  const Rule& rule = output.rule;
  CTS_RETURN_IF_ERROR(ParseForm(rule.form).status());
  CTS_RETURN_IF_ERROR(ValidateTensor(output, "an answer", answer.expected));
  switch (rule.kind) {
    case RuleKind::kExact:
      return ValidateExact(output, answer);
    case RuleKind::kUlp:
    case RuleKind::kAbsoluteBound:
    case RuleKind::kDotProduct:
      if (!IsFloat(output.dtype)) {
        return InvalidArgument("output ", output.name, ": found the rule ", Name(rule.kind),
                               " for ", Name(output.dtype), ", expected a floating-point type");
      }
      if (rule.kind == RuleKind::kUlp) return absl::OkStatus();
      if (!answer.bound.has_value()) {
        return InvalidArgument("output ", output.name, ": found no bound, which the rule ",
                               Name(rule.kind), " needs");
      }
      CTS_RETURN_IF_ERROR(ValidateTensor(output, "a bound", *answer.bound));
      return ValidateBounds(output, answer);
    case RuleKind::kInterval:
      if (!answer.upper.has_value()) {
        return InvalidArgument("output ", output.name,
                               ": found no upper end, which the rule interval needs");
      }
      CTS_RETURN_IF_ERROR(ValidateTensor(output, "an upper end", *answer.upper));
      return ValidateIntervals(output, answer);
  }
  return InvalidArgument("output ", output.name, ": found an unknown rule");
}

ElementJudge::ElementJudge(const ExpectedOutput& output, const Answer& answer, const Tensor& result)
    : output_(&output), answer_(&answer), result_(&result) {
  const StatusOr<Form> form = ParseForm(output.rule.form);
  assert(form.ok());
  form_ = *form;
  if (IsFloat(output.dtype)) compare_.emplace(form_, output.dtype);
}

double ElementJudge::Bound(int64_t i) const {
  switch (output_->rule.kind) {
    case RuleKind::kUlp:
      return UlpBound(output_->dtype, answer_->expected.Float(i), output_->rule.ulp);
    case RuleKind::kAbsoluteBound:
    case RuleKind::kDotProduct:
      return answer_->bound->Float(i);
    default:
      return 0;
  }
}

bool ElementJudge::Unlimited(int64_t i) const {
  return output_->rule.kind == RuleKind::kAbsoluteBound && std::isinf(answer_->bound->Float(i));
}

int64_t ElementJudge::Compared(const Tensor& tensor, int64_t i) const {
  return ComparedAs(output_->dtype, tensor.Integer(i), output_->rule.is_unsigned);
}

DotProductElement ElementJudge::DotProduct(int64_t i) const {
  return JudgeDotProductElement(output_->rule, form_, output_->dtype, result_->Float(i),
                                answer_->expected.Float(i), answer_->bound->Float(i));
}

bool ElementJudge::Accepts(int64_t i) const {
  const Rule& rule = output_->rule;
  if (!IsFloat(output_->dtype)) {
    const int64_t result = Compared(*result_, i), expected = Compared(answer_->expected, i);
    return rule.kind == RuleKind::kInterval
               ? WithinIntegers(result, expected, Compared(*answer_->upper, i))
               : result == expected;
  }
  const double result = result_->Float(i);
  const double expected = answer_->expected.Float(i);
  switch (rule.kind) {
    case RuleKind::kExact:
      return EqualFloats(result, expected, rule.zero_sign);
    case RuleKind::kUlp:
      return WithinUlp(*compare_, output_->dtype, result, expected, rule.ulp);
    case RuleKind::kAbsoluteBound:
      return WithinAbsoluteBound(*compare_, result, expected, answer_->bound->Float(i),
                                 rule.zero_sign);
    case RuleKind::kDotProduct:
      return DotProduct(i).accepted;
    case RuleKind::kInterval:
      return WithinInterval(output_->dtype, result, expected, answer_->upper->Float(i),
                            rule.zero_sign);
  }
  return false;
}

ElementError ElementJudge::Measure(int64_t i) const {
  const bool interval = output_->rule.kind == RuleKind::kInterval;
  if (!IsFloat(output_->dtype)) {
    const int64_t result = Compared(*result_, i);
    int64_t nearest = Compared(answer_->expected, i);
    if (interval && result > nearest) nearest = std::min(result, Compared(*answer_->upper, i));
    return {.ulp = DistanceOfIntegers(result, nearest)};
  }
  if (Unlimited(i)) return {.ulp = 0, .of_bound = 0};
  const double result = result_->Float(i);
  double nearest = answer_->expected.Float(i);
  if (interval && result > nearest) nearest = std::min(result, answer_->upper->Float(i));
  ElementError error;
  double distance = std::fabs(result - nearest);
  if (result == nearest || (!std::isfinite(result - nearest) && Accepts(i))) distance = 0;
  if (std::isnan(distance)) distance = kInfinity;
  const double ulp = ReferenceUlp(output_->dtype, nearest);
  error.ulp = distance / (ulp > 0 ? ulp : Format(output_->dtype).subnormal_min());
  switch (output_->rule.kind) {
    case RuleKind::kUlp:
    case RuleKind::kAbsoluteBound:
      error.of_bound = Ratio(distance, Bound(i));
      break;
    case RuleKind::kDotProduct: {
      const DotProductElement element = DotProduct(i);
      error.of_bound = Ratio(std::fabs(element.error), output_->rule.absolute_limit);
      if (!element.accepted && *error.of_bound <= 1) error.of_bound = kInfinity;
      break;
    }
    default:
      break;
  }
  return error;
}

Match MatchTensor(const ExpectedOutput& output, const Answer& answer, const Tensor& result) {
  Match match;
  const ElementJudge judge(output, answer, result);
  const int64_t size = result.size();
  const auto refuse = [&match](int64_t i) {
    if (match.mismatches++ == 0) match.first = i;
  };
  if (output.rule.kind == RuleKind::kDotProduct) {
    DotProductFigures figures;
    for (int64_t i = 0; i < size; ++i) {
      const DotProductElement element = judge.DotProduct(i);
      figures.Add(element);
      if (!element.accepted) refuse(i);
    }
    match.figures = figures;
    match.accepted = match.mismatches == 0 && figures.BiasAccepted(output.rule) &&
                     figures.VarianceAccepted(output.rule);
    return match;
  }
  if (!IsFloat(output.dtype) && result == answer.expected) {
    match.accepted = true;
    return match;
  }
  for (int64_t i = 0; i < size; ++i) {
    if (!judge.Accepts(i)) refuse(i);
  }
  match.accepted = match.mismatches == 0;
  return match;
}

}  // namespace cts

#include "checker/rules/match.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include "checker/rules/absolute_bound.h"
#include "checker/rules/clear_elements.h"
#include "checker/rules/enclosure.h"
#include "checker/rules/exact.h"
#include "checker/rules/interval.h"
#include "checker/rules/ulp.h"
#include "reference/base/plain_arithmetic.h"

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
    const double bound = answer.bound->Element(i);
    const double reference = answer.expected.Element(i);
    // An infinite bound means that anything is accepted. The bound of a dot product may be NaN as
    // well.
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
  // Such a case would pass although nothing was checked.
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
      const double least = answer.expected.Element(i);
      const double greatest = answer.upper->Element(i);
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

// Values that RoundTo leaves as they are, found by a fast test, for large tensors.
bool IsSurelyRepresentable(DType dtype, double value) {
  if (dtype != DType::kFp32 && dtype != DType::kBf16) return false;
  if (!(std::fabs(value) <= std::numeric_limits<float>::max())) return false;
  const float narrow = static_cast<float>(value);
  const bool low_bits = (std::bit_cast<uint32_t>(narrow) & 0xFFFF) != 0;
  return static_cast<double>(narrow) == value && (dtype == DType::kFp32 || !low_bits);
}

// If its type cannot represent an exact answer, every implementation would fail.
Status ValidateExact(const ExpectedOutput& output, const Answer& answer) {
  if (!IsFloat(output.dtype)) return absl::OkStatus();
  for (int64_t i = 0; i < answer.expected.size(); ++i) {
    const double value = answer.expected.Element(i);
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
  if (rule.is_unsigned && (!IsInteger(output.dtype) || Info(output.dtype).bits == 64)) {
    return InvalidArgument("output ", output.name, ": found unsigned numbers of ",
                           Name(output.dtype), ", expected integers of at most 48 bits");
  }
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
    case RuleKind::kUnchecked:
      break;
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
      return UlpBound(output_->dtype, answer_->expected.Element(i), output_->rule.ulp);
    case RuleKind::kAbsoluteBound:
    case RuleKind::kDotProduct:
      return answer_->bound->Element(i);
    default:
      return 0;
  }
}

bool ElementJudge::Unlimited(int64_t i) const {
  return output_->rule.kind == RuleKind::kAbsoluteBound && std::isinf(answer_->bound->Element(i));
}

int64_t ElementJudge::Compared(const Tensor& tensor, int64_t i) const {
  return ComparedAs(output_->dtype, tensor.Integer(i), output_->rule.is_unsigned);
}

DotProductElement ElementJudge::DotProduct(int64_t i) const {
  return JudgeDotProductElement(output_->rule, form_, output_->dtype, result_->Element(i),
                                answer_->expected.Element(i), answer_->bound->Element(i));
}

bool ElementJudge::Accepts(int64_t i) const {
  const Rule& rule = output_->rule;
  if (!IsFloat(output_->dtype)) {
    const int64_t result = Compared(*result_, i), expected = Compared(answer_->expected, i);
    return rule.kind == RuleKind::kInterval
               ? WithinIntegers(result, expected, Compared(*answer_->upper, i))
               : result == expected;
  }
  const double result = result_->Element(i);
  const double expected = answer_->expected.Element(i);
  switch (rule.kind) {
    case RuleKind::kExact:
      return EqualFloats(result, expected, rule.zero_sign, !rule.zero_choice.empty());
    case RuleKind::kUlp:
      return WithinUlp(*compare_, output_->dtype, result, expected, rule.ulp);
    case RuleKind::kAbsoluteBound:
      return WithinAbsoluteBound(*compare_, result, expected, answer_->bound->Element(i),
                                 rule.zero_sign);
    case RuleKind::kDotProduct:
      return DotProduct(i).accepted;
    case RuleKind::kInterval:
      if (rule.enclosure) return WithinEnclosure(result, expected, answer_->upper->Element(i));
      return WithinInterval(output_->dtype, result, expected, answer_->upper->Element(i),
                            rule.zero_sign);
    case RuleKind::kUnchecked:
      break;
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
  if (Unlimited(i)) {
    const double error = Accepts(i) ? 0 : kInfinity;
    return {.ulp = error, .of_bound = error};
  }
  const double result = result_->Element(i);
  double nearest = answer_->expected.Element(i);
  if (interval && result > nearest) nearest = std::min(result, answer_->upper->Element(i));
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

namespace {

// Collects elements in order.
class Collector {
 public:
  Collector(const ExpectedOutput& output, const Answer& answer, const Tensor& result)
      : judge_(output, answer, result), dot_product_(output.rule.kind == RuleKind::kDotProduct) {
    if (dot_product_) errors_.figures.emplace();
  }

  // Judges element i, whatever it is.
  void Judge(int64_t i) {
    bool accepted = false;
    if (dot_product_) {
      const DotProductElement element = judge_.DotProduct(i);
      errors_.figures->Add(element);
      accepted = element.accepted;
    } else {
      accepted = judge_.Accepts(i);
    }
    if (!accepted && errors_.mismatches++ == 0) errors_.first = i;
    const ElementError error = judge_.Measure(i);
    errors_.worst_ulp = std::max(errors_.worst_ulp, error.ulp);
    errors_.ulps.Add(error.ulp);
    if (error.of_bound.has_value()) AddOfBound(*error.of_bound);
  }

  void AddRight(int64_t count) { errors_.ulps.counts[0] += count; }
  void AddOfBound(double of_bound) {
    errors_.worst_of_bound = std::max(errors_.worst_of_bound.value_or(0), of_bound);
  }

  // Errors of accepted elements. All of these elements have a limit.
  void AddDotProducts(const double* errors, int64_t count) {
    DotProductFigures figures = *errors_.figures;  // in registers
    double worst = worst_clear_;
    for (int64_t i = 0; i < count; ++i) {
      figures.Add({.accepted = true, .limited = true, .error = errors[i]});
      worst = std::max(worst, std::fabs(errors[i]));
    }
    errors_.figures = figures;
    worst_clear_ = worst;
  }
  double worst_clear() const { return worst_clear_; }

  TensorErrors& errors() { return errors_; }

 private:
  const ElementJudge judge_;
  const bool dot_product_;
  double worst_clear_ = 0;
  TensorErrors errors_;
};

const uint8_t* At(const Tensor& tensor, int64_t i) {
  return tensor.bytes().data() + i * StorageBytes(tensor.dtype());
}

// Whether every integer of a block lies between its ends. The compiler vectorizes it.
template <class T>
bool AllWithin(const uint8_t* results, const uint8_t* least, const uint8_t* greatest,
               int64_t count) {
  const auto at = [](const uint8_t* bytes, int64_t i) {
    T value;
    std::memcpy(&value, bytes + i * static_cast<int64_t>(sizeof(T)), sizeof(T));
    return value;
  };
  T outside = 0;
  for (int64_t i = 0; i < count; ++i) {
    const T result = at(results, i);
    outside |= static_cast<T>(result < at(least, i)) | static_cast<T>(result > at(greatest, i));
  }
  return outside == 0;
}

// Some values that the type stores do not compare as their bits do.
bool ComparesAsStored(DType dtype, bool is_unsigned) {
  return dtype != DType::kBool && (!is_unsigned || Info(dtype).bits == 8 * StorageBytes(dtype));
}

bool AllRight(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
              int64_t first, int64_t count) {
  const uint8_t *results = At(result, first), *expected = At(answer.expected, first);
  if (output.rule.kind != RuleKind::kInterval) {
    const int64_t bytes = count * StorageBytes(output.dtype);
    return std::memcmp(results, expected, static_cast<size_t>(bytes)) == 0;
  }
  const bool is_unsigned = output.rule.is_unsigned;
  if (!ComparesAsStored(output.dtype, is_unsigned)) return false;
  const uint8_t* const upper = At(*answer.upper, first);
  switch (StorageBytes(output.dtype)) {
    case 1:
      return is_unsigned ? AllWithin<uint8_t>(results, expected, upper, count)
                         : AllWithin<int8_t>(results, expected, upper, count);
    case 2:
      return is_unsigned ? AllWithin<uint16_t>(results, expected, upper, count)
                         : AllWithin<int16_t>(results, expected, upper, count);
    case 4:
      return is_unsigned ? AllWithin<uint32_t>(results, expected, upper, count)
                         : AllWithin<int32_t>(results, expected, upper, count);
    default:
      return AllWithin<int64_t>(results, expected, upper, count);
  }
}

void MeasureFloats(const ExpectedOutput& output, const Answer& answer, const Tensor& result,
                   Collector& all) {
  const Rule& rule = output.rule;
  const bool dot_product = rule.kind == RuleKind::kDotProduct;
  const Tensor* const second = answer.bound   ? &*answer.bound
                               : answer.upper ? &*answer.upper
                                              : nullptr;
  ClearElements clear(rule, output.dtype);
  double results[kClearBlock], errors[kClearBlock];
  uint16_t doubtful[kClearBlock];
  int64_t clear_elements = 0;
  for (int64_t first = 0; first < result.size(); first += kClearBlock) {
    const int64_t count = std::min(kClearBlock, result.size() - first);
    WidenFloats(output.dtype, At(result, first), count, results);
    const int64_t left =
        clear.Look(results, At(answer.expected, first),
                   second != nullptr ? At(*second, first) : nullptr, count, doubtful, errors);
    clear_elements += count - left;
    if (!dot_product) {
      for (int64_t k = 0; k < left; ++k) all.Judge(first + doubtful[k]);
      continue;
    }
    for (int64_t i = 0, k = 0; k <= left; ++k) {
      const int64_t end = k < left ? doubtful[k] : count;
      all.AddDotProducts(errors + i, end - i);
      if (k < left) all.Judge(first + end);
      i = end + 1;
    }
  }
  TensorErrors& total = all.errors();
  total.worst_ulp = std::max(total.worst_ulp, clear.worst_ulp);
  // The elements above one end, less those above the next.
  int64_t above = clear_elements;
  for (size_t k = 0; k < UlpHistogram::kEnds.size(); ++k) {
    total.ulps.counts[k] += above - clear.above[k];
    above = clear.above[k];
  }
  total.ulps.counts.back() += above;
  total.ulps.sum += clear.ulp_sum;
  if (clear_elements == 0) return;
  if (rule.kind == RuleKind::kUlp) all.AddOfBound(Ratio(clear.worst_ulp, rule.ulp));
  if (rule.kind == RuleKind::kAbsoluteBound) all.AddOfBound(clear.worst_of_bound);
  if (dot_product) all.AddOfBound(Ratio(all.worst_clear(), rule.absolute_limit));
}

}  // namespace

TensorErrors MeasureTensor(const ExpectedOutput& output, const Answer& answer,
                           const Tensor& result) {
  const PlainArithmetic plain;
  Collector all(output, answer, result);
  if (!IsFloat(output.dtype)) {
    constexpr int64_t kBlock = 1024;
    for (int64_t first = 0; first < result.size(); first += kBlock) {
      const int64_t count = std::min(kBlock, result.size() - first);
      if (AllRight(output, answer, result, first, count)) {
        all.AddRight(count);
      } else {
        for (int64_t i = first; i < first + count; ++i) all.Judge(i);
      }
    }
  } else if (output.dtype == DType::kFp64) {  // no operator has such a result
    for (int64_t i = 0; i < result.size(); ++i) all.Judge(i);
  } else {
    MeasureFloats(output, answer, result, all);
  }
  TensorErrors errors = all.errors();
  errors.accepted = errors.mismatches == 0 &&
                    (!errors.figures || (errors.figures->BiasAccepted(output.rule) &&
                                         errors.figures->VarianceAccepted(output.rule)));
  return errors;
}

}  // namespace cts

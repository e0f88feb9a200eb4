#include "checker/rules/shown.h"

#include <cmath>

#include "checker/rules/comparing_function.h"
#include "checker/rules/dot_product.h"
#include "checker/rules/ulp.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

// Whether the rule takes a zero at this element because a number may be flushed, and only so.
bool OnlyAsFlushed(const ExpectedOutput& output, const Answer& answer, int64_t i) {
  const double expected = answer.expected.Element(i);
  switch (output.rule.kind) {
    case RuleKind::kUlp:
      return std::fabs(expected) > UlpBound(output.dtype, expected, output.rule.ulp);
    case RuleKind::kAbsoluteBound:
      return std::fabs(expected) > answer.bound->Element(i);
    case RuleKind::kInterval:
      return expected > 0 || answer.upper->Element(i) < 0;
    default:
      return false;
  }
}

// Whether the rule binds the result there at all.
bool IsBound(const ExpectedOutput& output, const Answer& answer, int64_t i, double result) {
  switch (output.rule.kind) {
    case RuleKind::kAbsoluteBound:
      return !std::isinf(answer.bound->Element(i));
    case RuleKind::kDotProduct: {
      const StatusOr<Form> form = ParseForm(output.rule.form);
      return form.ok() &&
             JudgeDotProductElement(output.rule, *form, output.dtype, result,
                                    answer.expected.Element(i), answer.bound->Element(i))
                 .limited;
    }
    default:
      return true;
  }
}

void Note(int64_t i, int64_t* first) {
  if (*first < 0) *first = i;
}

}  // namespace

ShownChoices LookAt(const ExpectedOutput& output, const Answer& answer, const Tensor& result) {
  ShownChoices shown;
  const bool flushing = output.flushing.has_value() && ZeroMayBeFlushed(output.dtype) &&
                        output.rule.form == kFlushedZerosName;
  const bool signs = !output.rule.zero_choice.empty();
  if (!IsFloat(output.dtype) || !(flushing || signs)) return shown;
  const Tensor& unflushed = output.answers.front().expected;
  const double normal_min = Format(output.dtype).normal_min();
  for (int64_t i = 0; i < result.size(); ++i) {
    const double x = result.Element(i);
    if (x == 0) {
      if (flushing && OnlyAsFlushed(output, answer, i)) Note(i, &shown.flushed);
      if (signs && unflushed.Element(i) == 0 && std::signbit(unflushed.Element(i))) {
        Note(i, std::signbit(x) ? &shown.negative_zero : &shown.positive_zero);
      }
    } else if (flushing && std::fabs(x) < normal_min && IsBound(output, answer, i, x)) {
      Note(i, &shown.kept);
    }
  }
  return shown;
}

}  // namespace cts

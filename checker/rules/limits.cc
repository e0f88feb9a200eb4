#include "checker/rules/limits.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "checker/rules/absolute_bound.h"
#include "checker/rules/dot_product.h"
#include "checker/rules/enclosure.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

// With a smaller bound the rule refuses some number. From there on the rule itself is asked, so
// that this may be a little too small.
double LeastThatMayTakeAll(const Rule& rule, DType dtype) {
  const FloatFormat& format = Format(dtype);
  if (rule.kind == RuleKind::kAbsoluteBound) return format.max;
  // A dot product has no limit where bound * (1 + limit * unit_factor) overflows, and takes every
  // number where limit * max(bound * unit_factor, normal_min) reaches from end to end.
  if (rule.absolute_limit * format.normal_min() >= format.max) return 0;
  const double unit_factor = std::ldexp(1.0, -1 - format.fraction_bits);
  return 0.999 * format.max / (1 + rule.absolute_limit * unit_factor);
}

// A rule accepts an interval: if it accepts both ends of the type, it accepts every number.
int64_t CountUndefined(const ExpectedOutput& output, const Answer& answer) {
  const Rule& rule = output.rule;
  const StatusOr<Form> form = ParseForm(rule.form);
  assert(form.ok());
  const ComparingFunction compare(*form, output.dtype);
  const double max = Format(output.dtype).max;
  const auto takes = [&](double result, double expected, double bound) {
    if (rule.kind == RuleKind::kDotProduct) {
      return JudgeDotProductElement(rule, *form, output.dtype, result, expected, bound).accepted;
    }
    return WithinAbsoluteBound(compare, result, expected, bound, rule.zero_sign);
  };
  const double least = LeastThatMayTakeAll(rule, output.dtype);
  int64_t count = 0;
  for (int64_t i = 0; i < answer.expected.size(); ++i) {
    const double bound = answer.bound->Element(i);
    if (bound < least) continue;  // NaN goes on
    const double expected = answer.expected.Element(i);
    if (takes(-max, expected, bound) && takes(max, expected, bound)) ++count;
  }
  return count;
}

}  // namespace

void Limits::Add(const Limits& other) {
  elements += other.elements;
  limited += other.limited;
  wide += other.wide;
  undefined += other.undefined;
  unlimited += other.unlimited;
  unchecked += other.unchecked;
}

Limits LimitsOf(const ExpectedOutput& output, const Answer& answer) {
  if (output.rule.enclosure) return LimitsOf(WidthsOf(output, answer));
  Limits limits{.elements = answer.expected.size()};
  switch (output.rule.kind) {
    case RuleKind::kExact:
    case RuleKind::kUlp:
      break;
    case RuleKind::kAbsoluteBound:
    case RuleKind::kDotProduct:
      limits.undefined = CountUndefined(output, answer);
      break;
    case RuleKind::kInterval:
      for (int64_t i = 0; i < limits.elements; ++i) {
        limits.undefined += TakesEveryNumber(output, answer, i) ? 1 : 0;
      }
      break;
    case RuleKind::kUnchecked:
      limits.unchecked = limits.elements;
      break;
  }
  limits.limited = limits.elements - limits.undefined - limits.unchecked;
  return limits;
}

Limits LimitsOf(const EnclosureFigures& figures) {
  return {.elements = figures.elements,
          .limited = figures.elements - figures.unlimited,
          .wide = figures.wide,
          .unlimited = figures.unlimited};
}

}  // namespace cts

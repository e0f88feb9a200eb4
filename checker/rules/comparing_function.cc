#include "checker/rules/comparing_function.h"

#include <cassert>
#include <cmath>
#include <limits>

namespace cts {

StatusOr<Form> ParseForm(std::string_view name) {
  if (name == kFlushedZerosName) return Form::kFlushedZeros;
  if (name == kWidenedEndsName) return Form::kWidenedEnds;
  return InvalidArgument("rule form '", name, "': expected ", kFlushedZerosName, " or ",
                         kWidenedEndsName);
}

int CompareSum(double a, double b, double c) {
  // Rounding is monotonic: where the rounded sum differs from c, so does the exact one, in the same
  // direction.
  const double sum = a + b;
  if (sum != c) return sum > c ? 1 : -1;
  // Knuth's TwoSum: a + b = sum + rest exactly.
  const double b_part = sum - a;
  const double rest = (a - (sum - b_part)) + (b - b_part);
  return (rest > 0) - (rest < 0);
}

bool ZeroMayBeFlushed(DType dtype) {
  return dtype == DType::kBf16 || dtype == DType::kFp16 || dtype == DType::kFp32;
}

ComparingFunction::ComparingFunction(Form form, DType dtype)
    : form_(form),
      dtype_(dtype),
      normal_min_(Format(dtype).normal_min()),
      normal_max_(Format(dtype).max) {}

bool ComparingFunction::Accepts(double result, double reference, double bound) const {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (std::isnan(reference)) return std::isnan(result);
  assert(bound >= 0 && bound < kInfinity);
  if (reference < 0) {
    reference = -reference;
    result = -result;
  }
  // An end beyond the greatest finite number is infinite.
  const bool may_overflow = std::isinf(reference) || CompareSum(reference, bound, normal_max_) > 0;
  // fp8e4m3 has no infinity: an overflow is NaN. 0.100 does not say so; 1.0 does.
  if (std::isnan(result)) return dtype_ == DType::kFp8E4M3 && may_overflow;
  if (result == kInfinity) return may_overflow;
  if (std::isinf(reference)) return false;
  if (result == -kInfinity) return CompareSum(reference, -bound, -normal_max_) < 0;

  const bool least_below_normal = CompareSum(reference, -bound, normal_min_) < 0;
  // Rounded as the function writes it, the lenient reading here; the exact one is, of the edges.
  const bool at_least = reference - bound <= result, at_most = reference + bound >= result;
  if (form_ == Form::kFlushedZeros) {
    if (result == 0 && ZeroMayBeFlushed(dtype_)) return least_below_normal;
    return at_least && at_most;
  }
  // 0.100 widens ends below the least normal number, in all types: the lower end to zero, the upper
  // end to that number. Read literally it also moves a negative lower end up to zero, and so
  // refuses reference - bound itself. But the text around it speaks of an error bound, and 1.0 has
  // both sides: here an end is only ever widened.
  const bool above_least = at_least || (least_below_normal && result >= 0);
  const bool below_greatest =
      at_most || (result <= normal_min_ && CompareSum(reference, bound, normal_min_) < 0);
  return above_least && below_greatest;
}

}  // namespace cts

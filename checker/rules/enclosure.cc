#include "checker/rules/enclosure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "checker/rules/interval.h"
#include "reference/base/float_format.h"

namespace cts {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// As a share of the greatest magnitude: at most 2, or infinite.
double Width(const ExpectedOutput& output, const Answer& answer, int64_t i) {
  double least = 0, greatest = 0;
  if (IsFloat(output.dtype)) {
    least = answer.expected.Element(i);
    greatest = answer.upper->Element(i);
  } else {
    if (TakesEveryNumber(output, answer, i)) return kEndless;
    least = static_cast<double>(answer.expected.Integer(i));
    greatest = static_cast<double>(answer.upper->Integer(i));
  }
  if (least == greatest) return 0;
  if (std::isinf(least) || std::isinf(greatest)) return kEndless;
  return (greatest - least) / std::max(std::fabs(least), std::fabs(greatest));
}

}  // namespace

bool TakesEveryNumber(const ExpectedOutput& output, const Answer& answer, int64_t i) {
  const DType dtype = output.dtype;
  if (IsFloat(dtype)) {
    const double max = Format(dtype).max;
    return answer.expected.Element(i) <= -max && answer.upper->Element(i) >= max;
  }
  // As unsigned numbers, whose difference never overflows.
  const auto ends = [&](int64_t least, int64_t greatest) {
    return static_cast<uint64_t>(greatest) - static_cast<uint64_t>(least);
  };
  const bool is_unsigned = output.rule.is_unsigned;
  return ends(ComparedAs(dtype, answer.expected.Integer(i), is_unsigned),
              ComparedAs(dtype, answer.upper->Integer(i), is_unsigned)) >=
         ends(IntegerMin(dtype), IntegerMax(dtype));
}

bool WithinEnclosure(double result, double least, double greatest) {
  if (least == -kEndless && greatest == kEndless) return true;
  return least <= result && result <= greatest;
}

EnclosureFigures WidthsOf(const ExpectedOutput& output, const Answer& answer) {
  EnclosureFigures figures{.elements = answer.expected.size()};
  std::vector<double> widths;
  widths.reserve(static_cast<size_t>(figures.elements));
  for (int64_t i = 0; i < figures.elements; ++i) {
    widths.push_back(Width(output, answer, i));
    if (TakesEveryNumber(output, answer, i)) {
      ++figures.unlimited;
    } else if (widths.back() > kWideShare) {
      ++figures.wide;
    }
  }
  if (widths.empty()) return figures;
  const auto middle = widths.begin() + static_cast<int64_t>((widths.size() - 1) / 2);
  std::nth_element(widths.begin(), middle, widths.end());
  figures.median_width = *middle;
  return figures;
}

}  // namespace cts

#include "checker/rules/enclosure.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace cts {
namespace {

constexpr double kEndless = std::numeric_limits<double>::infinity();

// As a share of the greatest magnitude: at most 2, or infinite.
double Width(const ExpectedOutput& output, const Answer& answer, int64_t i) {
  double least = 0, greatest = 0;
  if (IsFloat(output.dtype)) {
    least = answer.expected.Float(i);
    greatest = answer.upper->Float(i);
  } else {
    const int64_t lo = answer.expected.Integer(i), hi = answer.upper->Integer(i);
    if (lo <= IntegerMin(output.dtype) && hi >= IntegerMax(output.dtype)) return kEndless;
    least = static_cast<double>(lo);
    greatest = static_cast<double>(hi);
  }
  if (least == greatest) return 0;
  if (std::isinf(least) || std::isinf(greatest)) return kEndless;
  return (greatest - least) / std::max(std::fabs(least), std::fabs(greatest));
}

}  // namespace

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
    if (std::isinf(widths.back())) {
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

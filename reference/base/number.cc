#include "reference/base/number.h"

#include <charconv>
#include <cmath>

namespace cts {
namespace {

std::partial_ordering Compare(int64_t x, double y) {
  if (std::isnan(y)) return std::partial_ordering::unordered;
  if (y >= 0x1p63) return std::partial_ordering::less;
  if (y < -0x1p63) return std::partial_ordering::greater;
  const auto whole = static_cast<int64_t>(y);  // toward zero
  if (x != whole) return x <=> whole;
  return 0.0 <=> y - static_cast<double>(whole);  // exact: `whole` is y without its fraction
}

}  // namespace

std::string NumberText(double value) {
  char text[64];
  const auto written = std::to_chars(text, text + sizeof text, value);
  return {text, written.ptr};
}

int64_t ExactNumber::Integer() const {
  if (const auto* integer = std::get_if<int64_t>(&value_)) return *integer;
  const double number = std::get<double>(value_);
  if (std::isnan(number)) return 0;
  if (number >= 0x1p63) return INT64_MAX;
  if (number < -0x1p63) return INT64_MIN;
  return static_cast<int64_t>(number);
}

double ExactNumber::Float() const {
  const auto* integer = std::get_if<int64_t>(&value_);
  return integer != nullptr ? static_cast<double>(*integer) : std::get<double>(value_);
}

bool ExactNumber::IsNan() const {
  const auto* number = std::get_if<double>(&value_);
  return number != nullptr && std::isnan(*number);
}

std::string ExactNumber::Text() const {
  const auto* integer = std::get_if<int64_t>(&value_);
  return integer != nullptr ? std::to_string(*integer) : NumberText(std::get<double>(value_));
}

std::partial_ordering operator<=>(const ExactNumber& x, const ExactNumber& y) {
  const auto* x_integer = std::get_if<int64_t>(&x.value_);
  const auto* y_integer = std::get_if<int64_t>(&y.value_);
  if (x_integer != nullptr && y_integer != nullptr) return *x_integer <=> *y_integer;
  if (x_integer != nullptr) return Compare(*x_integer, std::get<double>(y.value_));
  if (y_integer != nullptr) {
    const std::partial_ordering reversed = Compare(*y_integer, std::get<double>(x.value_));
    if (std::is_lt(reversed)) return std::partial_ordering::greater;
    return std::is_gt(reversed) ? std::partial_ordering::less : reversed;
  }
  return std::get<double>(x.value_) <=> std::get<double>(y.value_);
}

}  // namespace cts
